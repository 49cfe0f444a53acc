"""The programs in the documents about clients do what they say."""
import os
import re
import subprocess
import sys

import pytest

import worldd
from conftest import DUMPS, ROOT, until


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


def test_a_rollout_that_is_written(start, tmp_path):
    source = "import worldd\n" + program("python.md", "TrajectoryWriter")
    text, _ = start(source).communicate(timeout=60)
    lines = (tmp_path / "rollout.jsonl").read_text(encoding="utf-8").splitlines()
    assert int(text) == len(lines) == 8 * 7, "three steps and a reset, three steps and a reset, one step"


def test_the_planner_that_looks_ahead(start, worldd_daemon, worldd_world):
    source = "import sys\nimport worldd\n" + program("planners.md", "class Careful") + "sys.exit(Careful(sys.argv[1], 'careful').serve())\n"
    child = start(source, worldd_daemon.planner_endpoint)
    until("the planner", worldd_world.planners)
    result = worldd_world.run("demo/bluetooth_off", planner="careful", timeout=60, imagine=60, step_limit=4)
    child.terminate()
    assert child.wait(30) == 0 and result.ending in ("abort", "step_limit") and result.events


def test_the_executor(start, worldd_daemon, worldd_world, tmp_path):
    (tmp_path / "screen.xml").write_text(next(iter(sorted(DUMPS.glob("*.xml")))).read_text(encoding="utf-8"), encoding="utf-8")
    steps = [worldd.Step("tap", x=7, y=8), worldd.Step("home"), worldd.complete()]
    with worldd.FunctionPlanner(worldd_daemon.planner_endpoint, lambda request: steps[request.step_index]):
        child = start(program("real-phones.md", "class Mine"), worldd_daemon.planner_endpoint)
        until("both", lambda: len(worldd_world.planners()) == 2)
        result = worldd_world.run(executor="mine", instruction="look", timeout=60)
        child.terminate()
    assert "tap 7 8" in child.communicate(timeout=30)[0] and result.ending == "complete"
    assert [event["outcome"] for event in result.events if event["event"] == "step"] == ["ok", "refused", "ok"]


def test_the_planner(start, worldd_daemon, worldd_world):
    child = start(program("planners.md", "class Mine"), worldd_daemon.planner_endpoint)
    until("the planner", worldd_world.planners)
    result = worldd_world.run("demo/bluetooth_off", planner="mine", timeout=60)
    child.terminate()
    assert child.wait(30) == 0 and result.passed and result.world.variables == {"bluetooth_was_on": True}
