"""Fixtures that start real programs: a daemon on private ipc endpoints, planners, worldctl.

Nothing sleeps to wait: `until` waits for a condition with a deadline.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("WORLDD_BIN", ROOT / "build/dev/bin"))
PLANS = ROOT / "planner_stub/plans"
SHARED = pathlib.Path(os.environ.get("WORLDD_SHARED", ROOT.parent / "shared"))
DEADLINE_S = 30


def until(what, condition, deadline_s=DEADLINE_S):
    """Wait until condition() is true; its value is returned."""
    end = time.monotonic() + deadline_s
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"{what}: not within {deadline_s} s")


def episode_bytes(path):
    """The lines of an episode, compressed or not."""
    return subprocess.run([BIN / "worldctl", "episode", "cat", path], capture_output=True, check=True).stdout


class Daemon:
    """worldd in a directory of its own."""

    def __init__(self, directory, *settings):
        self.directory = pathlib.Path(directory)
        self.settings = settings
        self.log = self.directory.parent / (self.directory.name + ".log")
        self.process = None
        self.children = []

    @property
    def planner_endpoint(self):
        return f"ipc://{self.directory}/planner.sock"

    @property
    def control_endpoint(self):
        return f"ipc://{self.directory}/control.sock"

    def start(self):
        flags = [flag for setting in self.settings for flag in ("--set", setting)]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([BIN / "worldd", "--directory", self.directory, *flags], stdout=log,
                                            stderr=log)
        until("worldd", lambda: self.process.poll() is not None or self.ready())
        assert self.process.poll() is None, self.log_text()
        return self

    def ready(self):
        return (self.directory / "daemon.json").exists() and f'"pid":{self.process.pid},' in \
            (self.directory / "daemon.json").read_text()

    def log_text(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def stop(self, how=signal.SIGTERM):
        for child in self.children:
            if child.poll() is None:
                child.kill()
            child.wait()
        self.children = []
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(timeout=DEADLINE_S)
        return self.process.returncode

    def ctl(self, *args, timeout=60, **kwargs):
        """Run worldctl against this daemon to its end."""
        env = {**os.environ, "WORLDD_DAEMON_DIRECTORY": str(self.directory)}
        return subprocess.run([BIN / "worldctl", *map(str, args)], capture_output=True, text=True, env=env,
                              timeout=timeout, **kwargs)

    def ctl_started(self, *args):
        """Start worldctl and leave it running."""
        env = {**os.environ, "WORLDD_DAEMON_DIRECTORY": str(self.directory)}
        child = subprocess.Popen([BIN / "worldctl", *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, env=env)
        self.children.append(child)
        return child

    def status(self):
        done = self.ctl("status", "--json")
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]  # status, planners, runs

    def planner(self, script, name, *flags):
        """A C planner, known to the daemon when this returns."""
        with open(self.directory.parent / f"{name}.planner.log", "ab") as log:
            child = subprocess.Popen([BIN / "planner-stub", "--endpoint", self.planner_endpoint, "--name", name, "--script",
                                      script, *flags], stdout=log, stderr=log)
        self.children.append(child)
        until(f"planner {name}", lambda: any(peer["name"] == name for peer in self.status()[1]))
        return child

    def run(self, task, *flags):
        """Run a task; (events, result). Events are the JSON lines before the result."""
        done = self.ctl("run", task, "--json", *flags)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert lines and "ending" in lines[-1], done.stdout + done.stderr + self.log_text()
        return lines[:-1], lines[-1]


@pytest.fixture
def make_daemon(tmp_path):
    """make_daemon(*settings) starts a daemon; all are ended after the test, cleanly."""
    daemons = []

    def make(*settings, name="worldd"):
        daemon = Daemon(tmp_path / name, *settings)
        daemons.append(daemon)
        return daemon.start()

    yield make
    for daemon in daemons:
        code = daemon.stop()
        assert code in (0, -signal.SIGKILL), f"worldd ended with {code}:\n{daemon.log_text()}"
        assert "AddressSanitizer" not in daemon.log_text() and "runtime error" not in daemon.log_text(), daemon.log_text()


@pytest.fixture
def daemon(make_daemon):
    return make_daemon()


@pytest.fixture
def task_file(tmp_path):
    """task_file(**members) writes a task document; its path."""
    count = [0]

    def write(**members):
        count[0] += 1
        path = tmp_path / f"task{count[0]}.json"
        path.write_text(json.dumps({"id": f"t{count[0]}", "instruction": "do it", **members}))
        return path

    return write


@pytest.fixture
def script_file(tmp_path):
    """script_file(plans, **members) writes a plan script; its path."""
    count = [0]

    def write(plans, **members):
        count[0] += 1
        path = tmp_path / f"script{count[0]}.json"
        path.write_text(json.dumps({"plans": plans, **members}))
        return path

    return write
