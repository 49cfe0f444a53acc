"""The programs in the documents about clients do what they say."""
import os
import re
import subprocess
import sys

import pytest

from conftest import ROOT, until


def program(document, begins):
    """The first Python block of a document that begins so."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    return next(block for block in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S) if begins in block)


@pytest.fixture
def start(tmp_path):
    """start(source, *arguments): in an empty folder, with the package and nothing else."""
    def run(source, *arguments):
        (tmp_path / "program.py").write_text(source, encoding="utf-8")
        return subprocess.Popen([sys.executable, "-B", "program.py", *arguments], cwd=tmp_path, text=True,
                                stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT / "clients/python")})
    return run


def test_the_first_run(start):
    text, _ = start(program("python.md", "World.private")).communicate(timeout=60)
    assert text.startswith("complete 2 True {")


def test_phones_to_train_on(start):
    lines = start(program("python.md", "worldd.Env(")).communicate(timeout=60)[0].splitlines()
    assert lines[0].startswith("home [{") and lines[1].startswith("bluetooth [{")
    assert lines[2].startswith("[0.0, 0.0") and len(set(lines[2].split("'")[1::2])) == 1


def test_the_planner(start, worldd_daemon, worldd_world):
    child = start(program("planners.md", "class Mine"), worldd_daemon.planner_endpoint)
    until("the planner", worldd_world.planners)
    result = worldd_world.run("demo/bluetooth_off", planner="mine", timeout=60)
    child.terminate()
    assert child.wait(30) == 0 and result.passed and result.world.variables == {"bluetooth_was_on": True}
