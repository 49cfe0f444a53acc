"""Tests of the clients: each against real programs on private ipc endpoints. Nothing sleeps to wait."""
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DUMPS = ROOT / "tests/data/phone_session"
EXAMPLES = ROOT / "clients/python/examples"
os.environ.setdefault("WORLDD_BIN", str(ROOT / "build/dev/bin"))
sys.path.insert(0, str(ROOT / "clients/python"))

pytest_plugins = ["worldd.testing"]


def episode_text(path):
    """The lines of an episode, compressed or not."""
    command = [pathlib.Path(os.environ["WORLDD_BIN"]) / "worldctl", "episode", "cat", path]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def until(what, condition, deadline_s=30):
    """Wait until condition() is true; its value is returned."""
    end = time.monotonic() + deadline_s
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"{what}: not within {deadline_s} s")
