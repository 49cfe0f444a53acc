"""Tasks as people meet them: judging two states, listing and auditing templates, evaluating planners."""
import json

import pytest

from conftest import ROOT
from test_worldctl import ctl, files  # noqa: F401  (a fixture)

BEFORE = {"os": {"settings": {"global": {"bluetoothEnabled": True}}}, "apps": {"settings": {}}}
AFTER = {"os": {"settings": {"global": {"bluetoothEnabled": False}}}, "apps": {"settings": {}}}
ALSO = {"os": {"settings": {"global": {"bluetoothEnabled": False, "silentMode": True}}}, "apps": {"settings": {}}}
TASK = ROOT / "tasks/demo/bluetooth_off.json"


@pytest.mark.parametrize("final, code, success, clean", [(AFTER, 0, True, True), (BEFORE, 1, False, True),
                                                         (ALSO, 1, True, False)])
def test_judge_two_states(files, final, code, success, clean):  # noqa: F811
    done = ctl("judge", "--init", files("a.json", BEFORE), "--final", files("b.json", final), "--task", TASK, "--json")
    verdict = json.loads(done.stdout)
    assert (done.returncode, verdict["success"], verdict["clean"]) == (code, success, clean)


def test_judge_binds_parameters_and_answers(files):  # noqa: F811
    task = files("t.json", {"id": "x", "instruction": "Whose number is {number}?", "params": {"number": "1"},
                            "answer": "{name}"})
    state = files("s.json", {"os": {}, "apps": {}})

    def judged(*more):
        return ctl("judge", "--init", state, "--final", state, "--task", task, *more).returncode

    assert judged("-k", "name=Li Wei", "--answer", "It is Li Wei.") == 0
    assert judged("-k", "name=Li Wei", "--answer", "It is Anna.") == 1
    assert judged("-k", "name=Li Wei") == 1


@pytest.mark.parametrize("task, place", [
    ({"id": "x", "instruction": "", "criteria": {"os.a": {"$near": 1}}}, "$near"),
    ({"id": "x", "instruction": "", "criteria": {"os.a": 1}, "expected_changes": ["os.a[b"]}, "os.a[b"),
    ({"id": "x", "instruction": "", "apps": ["gone"], "criteria": {"os.a": None}}, "gone"),
])
def test_a_wrong_task_is_an_error_and_names_the_place(files, task, place):  # noqa: F811
    state = files("s.json", {"os": {}, "apps": {}})
    done = ctl("judge", "--init", state, "--final", state, "--task", files("t.json", task))
    assert done.returncode == 2 and "error" in done.stdout and place in done.stdout


def test_a_task_that_is_none_is_refused(files):  # noqa: F811
    state = files("s.json", {"os": {}, "apps": {}})
    done = ctl("judge", "--init", state, "--final", state, "--task", files("t.json", {"id": "x"}))
    assert done.returncode == 2 and "task.instruction" in done.stderr
