"""worldd.Planner: what it is told, what it answers, how it lives."""
import os
import signal
import subprocess
import sys
import threading

import pytest

import worldd
from conftest import ROOT, episode_text, until


class Careful(worldd.Planner):
    """Opens Bluetooth as a person would, and notes what it was told."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.asked = []

    def plan(self, request):
        self.asked.append(request)
        if request.world.current_page == "bluetooth":
            return worldd.Plan([worldd.complete()], model="careful-1", tokens_in=7, tokens_out=3, cost=0.5)
        bluetooth = request.find(resource_id="open_bluetooth")
        if bluetooth is None:
            return worldd.Step("launch_app", thought="to the settings", app="settings")
        return [worldd.Step("tap", node=bluetooth.id, remember={"opened": bluetooth.label})]


def test_it_sees_and_plans(worldd_daemon, worldd_world):
    with Careful(worldd_daemon.planner_endpoint, "careful") as planner:
        result = worldd_world.run("demo/hello", timeout=60)
    assert result.ending == "complete" and result.steps == 3
    first, second, third = planner.asked
    assert (first.app, first.page, first.instruction) == ("launcher", "home", "Open Settings, then Bluetooth.")
    assert first.world.repeat_count == 1 and first.results == [] and first.deadline > 0 and first.has_scene
    assert second.results[0]["outcome"] == "ok" and second.find(text="Bluetooth").flags["clickable"]
    assert second.find(text="No such thing") is None and second.find(role="field").rect[2] <= 1080
    assert third.world.history[0]["args"] == {"app": "settings"} and third.page == "bluetooth"
    episode = episode_text(result.episode)
    assert '"careful-1"' in episode and '"to the settings"' in episode


def test_a_models_own_words(worldd_daemon, worldd_world):
    words = worldd.Plan(raw_reply='do(action="Home")', dialect="autoglm")
    with worldd.FunctionPlanner(worldd_daemon.planner_endpoint,
                                lambda request: worldd.complete() if request.step_index else words):
        result = worldd_world.run("demo/hello", timeout=60)
    assert [event["action"] for event in result.events[1:]] == ["home", "complete"]


FAILURES = [
    ("an exception ends the run", ValueError("no idea"), "ValueError: no idea"),
    ("so does PlanFailed", worldd.PlanFailed("out of money"), "out of money"),
]


@pytest.mark.parametrize("error, text", [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES])
def test_failures(worldd_daemon, worldd_world, error, text):
    def fail(request):
        raise error

    with worldd.FunctionPlanner(worldd_daemon.planner_endpoint, fail):
        result = worldd_world.run("demo/hello", timeout=60)
    assert result.ending not in ("complete", "internal_error") and text in result.text


def test_a_retryable_failure_goes_to_another(worldd_daemon, worldd_world):
    calls = []

    def fail(request):
        calls.append(request.attempt)
        raise worldd.PlanFailed("busy", retryable=True)

    with worldd.FunctionPlanner(worldd_daemon.planner_endpoint, fail, "first"):
        until("the first", worldd_world.planners)
        with worldd.FunctionPlanner(worldd_daemon.planner_endpoint, lambda request: worldd.complete(), "second"):
            until("the second", lambda: len(worldd_world.planners()) == 2)
            assert worldd_world.run("demo/hello", timeout=60).ending == "complete"
    assert calls in ([], [1])


def test_it_outlives_the_daemon_and_is_superseded(worldd_daemon, worldd_world):
    ended = []

    class Old(worldd.FunctionPlanner):
        def run(self):
            try:
                super().run()
            except worldd.Superseded as error:
                ended.append(str(error))

    with Old(worldd_daemon.planner_endpoint, lambda request: worldd.complete(), "same"):
        until("the planner", worldd_world.planners)
        worldd_daemon.stop()
        worldd_daemon.start()
        until("the planner again", worldd_world.planners)
        with worldd.FunctionPlanner(worldd_daemon.planner_endpoint, lambda request: worldd.complete(), "same"):
            until("the end of the old one", lambda: ended)
    assert ended == ["same"]


def test_it_beats_while_it_thinks(make_worldd):
    daemon = make_worldd("planner.heartbeat_ms=100", "planner.liveness=3")
    think = threading.Event()

    def plan(request):
        think.wait(1.5)
        return worldd.complete()

    with worldd.World(daemon.control_endpoint) as world, worldd.FunctionPlanner(daemon.planner_endpoint, plan):
        assert world.run("demo/hello", timeout=60).ending == "complete"
        assert world.status()["planners"]["peers_lost"] == 0


def test_a_program_ends_when_asked(worldd_daemon, worldd_world, tmp_path):
    program = tmp_path / "mine.py"
    program.write_text("import sys, worldd\n"
                       "class Mine(worldd.Planner):\n"
                       "    def plan(self, request):\n"
                       "        return worldd.complete()\n"
                       "sys.exit(Mine(sys.argv[1], 'mine').serve())\n")
    child = subprocess.Popen([sys.executable, "-B", program, worldd_daemon.planner_endpoint], stdout=subprocess.PIPE,
                             text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "clients/python")})
    until("the planner", worldd_world.planners)
    child.send_signal(signal.SIGTERM)
    text, _ = child.communicate(timeout=30)
    assert child.returncode == 0 and "planner mine: welcome" in text
    until("its leaving", lambda: not worldd_world.planners())
