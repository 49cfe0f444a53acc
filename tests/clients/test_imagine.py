"""What-if in mid-plan, and thoughts: what a planner may ask and tell while it holds a request."""
import json
import os
import subprocess

import pytest

import worldd
from conftest import until

SETTINGS = worldd.Step("launch_app", app="settings")
TAPS = [{"kind": "tap", "selector": {"resource_id": name}} for name in ("open_bluetooth", "bluetooth_switch")]


class Asking(worldd.Planner):
    """Asks `question(planner, request)` before its first step, and notes what comes of it."""

    def __init__(self, endpoint, question):
        super().__init__(endpoint, "asking")
        self.question, self.answer = question, None

    def plan(self, request):
        if request.step_index == 0:
            try:
                self.answer = self.question(self, request)
            except worldd.WorlddError as error:
                self.answer = error
            return SETTINGS
        return worldd.complete()


def ask(daemon, world, question, **options):
    """(the answer, the run's result)"""
    with Asking(daemon.planner_endpoint, question) as planner:
        until("the planner", world.planners)
        result = world.run("demo/bluetooth_off", planner="asking", seed=1, timeout=60, **options)
    return planner.answer, result


def test_a_planner_looks_ahead(worldd_daemon, worldd_world):
    seen, other = {}, worldd.World(worldd_daemon.control_endpoint)

    def question(planner, request):
        state = other.state(request.run)
        seen["left"], before = request.imagine_left, planner.imagine(request, [[]])[0]
        good, wrong = planner.imagine(request, [[SETTINGS, *TAPS], [SETTINGS, {"kind": "dance"}, "home"]])
        seen["after"] = planner.imagine(request, [[]], scenes="all")[0]
        seen["same"] = other.state(request.run) == state
        return before, good, wrong

    (before, good, wrong), result = ask(worldd_daemon, worldd_world, question, imagine=50)
    assert good.verdict["passed"] and good.reward == 1.0 and good.whole and good.world.current_page == "bluetooth"
    assert any(row["path"] == "os.settings.global.bluetoothEnabled" for row in good.changes) and good.scene.page == "bluetooth"
    assert wrong.outcomes == ["ok", "refused"] and not wrong.whole and wrong.reward < 1.0
    assert before.digest == seen["after"].digest and before.scene.raw == seen["after"].scene.raw, "the phone was not touched"
    other.close()
    assert seen["same"] and seen["left"] == 50 and result.ending == "complete" and result.steps == 2


def test_the_real_digest_is_unchanged(worldd_daemon, worldd_world):
    """A run whose planner imagined is the one that a replay without planners gives, machine by machine."""
    _, result = ask(worldd_daemon, worldd_world, lambda planner, request: planner.imagine(request, [[SETTINGS, *TAPS]] * 5), imagine=99)
    program = os.path.join(os.environ["WORLDD_BIN"], "worldctl")
    done = subprocess.run([program, "replay", "--json", result.episode], capture_output=True, text=True)
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["steps"] == report["digests_equal"] == 2 and not report["diverged"], report


def test_what_is_left_is_told(worldd_daemon, worldd_world):
    left = []

    def plan(request):
        left.append(request.imagine_left)
        if request.step_index == 2:
            return worldd.complete()
        planner.imagine(request, [["home"], ["back", "home"]])
        return worldd.Step("home")

    with worldd.FunctionPlanner(worldd_daemon.planner_endpoint, plan, "asking") as planner:
        until("the planner", worldd_world.planners)
        worldd_world.run("demo/hello", timeout=60, imagine=10)
    assert left == [10, 7, 4]


REFUSED = [
    ("the budget does not suffice", 5, [["home"] * 6], worldd.BudgetExceeded, "6 steps are asked for, 0 of the run's 5 are used"),
    ("a run allows none", 0, [["home"]], worldd.NotPermitted, "allows none"),
    ("too many candidates", 999, [["home"]] * 65, worldd.LimitExceeded, "candidates"),
    ("too many steps", 999, [["home"] * 65], worldd.LimitExceeded, "candidates"),
]


@pytest.mark.parametrize("allowed, candidates, kind, text", [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_refused(worldd_daemon, worldd_world, allowed, candidates, kind, text):
    error, result = ask(worldd_daemon, worldd_world, lambda planner, request: planner.imagine(request, candidates), imagine=allowed)
    assert type(error) is kind and text in str(error), error
    assert isinstance(error, worldd.RequestError) and result.ending == "complete", "and the run goes on"


def test_a_request_that_is_open_no_more(worldd_daemon, worldd_world):
    def question(planner, request):
        worldd_world.cancel(request.run)
        until("the cancel", planner._session.cancelled(request.message.request_id).is_set)
        return planner.imagine(request, [["home"]])

    with Asking(worldd_daemon.planner_endpoint, question) as planner, worldd.World(worldd_daemon.control_endpoint) as other:
        until("the planner", worldd_world.planners)
        assert other.run("demo/hello", timeout=60, imagine=9).ending == "cancelled"
        error = until("the answer", lambda: planner.answer)
    assert isinstance(error, worldd.ConnectionLost) and "open no more" in str(error)


def test_thoughts_are_told_to_those_who_watch(worldd_daemon, worldd_world):
    def question(planner, request):
        planner.think("first ")
        planner.think("second\0 é" + "x" * 3000)
        return "thought"

    with worldd_world.watch() as watch:
        answer, result = ask(worldd_daemon, worldd_world, question)
        told = []
        while not told or told[-1]["event"] != "end":
            told.append(next(watch))
    thoughts = [event for event in told if event["event"] == "thought"]
    assert "".join(event["text"] for event in thoughts) == "first second é" + "x" * 3000
    assert all(event["run"] == result.run for event in thoughts) and answer == "thought"
    planner = worldd.FunctionPlanner(worldd_daemon.planner_endpoint, lambda request: worldd.complete())
    planner.think("nobody asked")                # is dropped
