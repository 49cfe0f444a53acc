"""Runs on devices that worldd does not simulate: a fake adb and folders of dumps, whole ways and failures; who restarts."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading

import pytest

import worldd
from conftest import DUMPS, ROOT, until
from test_executors import Phone
from worldd.folder import FolderExecutor

RECORDINGS = pathlib.Path(os.environ.get("WORLDD_SHARED", ROOT.parent / "shared")) / "recordings/open/uiautomator"
ENV = {**os.environ, "PYTHONPATH": str(ROOT / "clients/python")}


@pytest.fixture
def phone(tmp_path, monkeypatch):
    (tmp_path / "phone").mkdir()
    return Phone(tmp_path / "phone", monkeypatch)


@contextlib.contextmanager
def serving(world, *peers):
    """Peers that worldd knows."""
    with contextlib.ExitStack() as stack:
        for peer in peers:
            stack.enter_context(peer)
        until("the peers", lambda: {row["name"] for row in world.planners()} >= {peer.name for peer in peers})
        yield


def scripted(daemon, steps, asked=None, name="scripted"):
    """A planner that plans these steps, one a request, and then completes."""
    def plan(request):
        if asked is not None:
            asked.append(request)
        return steps[request.step_index] if request.step_index < len(steps) else worldd.complete()

    return worldd.FunctionPlanner(daemon.planner_endpoint, plan, name)


# ---- whole ways -----------------------------------------------------------------------------------------------

STEPS = [worldd.Step("launch_app", app="org.example.notebook"), worldd.Step("tap", x=500, y=700),
         worldd.Step("tap", selector={"text": "Delete"}, remember={"note": "gone"}), worldd.Step("back")]


def test_a_run_on_a_phone_that_adb_reaches(phone, worldd_daemon, worldd_world):
    asked = []
    executor = worldd.AdbExecutor(worldd_daemon.planner_endpoint, "pixel", adb=phone.adb)
    with serving(worldd_world, executor, scripted(worldd_daemon, STEPS, asked)):
        result = worldd_world.run(executor="pixel", instruction="Delete the oldest note", timeout=90)
    assert result.ending == "complete", result
    assert [event["outcome"] for event in result.events if event["event"] == "step"][:2] == ["ok", "ok"]
    assert asked[0].instruction == "Delete the oldest note" and asked[0].app == "com.example.launcher" and asked[0].has_scene
    assert asked[1].app == "org.example.notebook" and asked[2].world.current_app == "org.example.notebook"
    told = [line for line in phone.said() if "uiautomator" not in line and "dumpsys" not in line]
    assert told[:2] == ["shell monkey -p org.example.notebook -c android.intent.category.LAUNCHER 1", "shell input tap 500 700"]
    assert told[-1] == "shell input keyevent 4" and pathlib.Path(result.episode).exists()


def test_what_fails_is_told_to_the_planner(phone, worldd_daemon, worldd_world):
    """A capture that fails leaves the world stale, an action that fails is a failed step; the run goes on."""
    asked = []

    def plan(request):
        asked.append(request)
        if request.step_index == 0:
            phone.fail("uiautomator idle")
            return worldd.Step("tap", x=1, y=2)
        if request.step_index == 1:
            phone.fail("input offline")
            return worldd.Step("tap", x=5, y=6)
        if request.step_index == 2:
            phone.fail()
            return worldd.Step("type", text="größer")
        return worldd.complete()

    executor = worldd.AdbExecutor(worldd_daemon.planner_endpoint, "pixel", adb=phone.adb)
    with serving(worldd_world, executor, worldd.FunctionPlanner(worldd_daemon.planner_endpoint, plan)):
        result = worldd_world.run(executor="*", instruction="x", timeout=90)
    assert result.ending == "complete" and not asked[1].has_scene and asked[1].world.stale
    failed, refused = asked[2].results[-1], asked[3].results[-1]
    assert failed["outcome"] == "failed" and "the device is offline" in failed["text"]
    assert refused["outcome"] == "refused" and "ASCII only" in refused["text"] and asked[3].has_scene


def test_a_run_on_a_folder(tmp_path, worldd_daemon, worldd_world):
    (tmp_path / "dumps").mkdir()
    for path in DUMPS.glob("0[1-3]*.xml"):
        shutil.copy(path, tmp_path / "dumps")
    asked = []
    executor = FolderExecutor(worldd_daemon.planner_endpoint, tmp_path / "dumps")
    with serving(worldd_world, executor, scripted(worldd_daemon, [worldd.Step("tap", x=1, y=2)] * 3, asked)):
        for _ in range(2):                       # each run begins at the first screen
            result = worldd_world.run(executor="folder", instruction="look", timeout=90)
            assert result.ending == "complete"
    apps = [request.app for request in asked]
    assert apps[0] == apps[4] == "com.example.launcher" and apps[1] == "org.example.notebook"
    assert asked[3].results[-1]["outcome"] == "failed" and "the folder ends" in asked[3].results[-1]["text"]


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason="the recordings are not there")
def test_recorded_screens_of_many_phones(worldd_daemon, worldd_world):
    asked, count = [], len(list(RECORDINGS.iterdir()))
    executor = FolderExecutor(worldd_daemon.planner_endpoint, RECORDINGS)
    with serving(worldd_world, executor, scripted(worldd_daemon, [worldd.Step("tap", x=1, y=2)] * (count - 1), asked)):
        result = worldd_world.run(executor="folder", instruction="look", timeout=120, step_limit=count + 1, repetition_limit=99)
    assert result.ending == "complete" and len(asked) == count
    assert all(request.has_scene for request in asked) and len({request.app for request in asked}) > count / 2


def test_no_executor_no_run(worldd_daemon, worldd_world):
    with serving(worldd_world, scripted(worldd_daemon, [])):
        with pytest.raises(worldd.WorlddError):
            result = worldd_world.run(executor="none", instruction="x", timeout=3)
            assert result.ending == "executor_lost", result
            raise worldd.DeadlineExceeded("it ended as it should")


# ---- restarts: each of planner, executor and client, with the daemon and by itself ----------------------------

PROGRAMS = {
    "planner": "import sys, worldd\n"
               "class P(worldd.Planner):\n"
               "    def plan(self, request):\n"
               "        return worldd.complete() if request.step_index else worldd.Step('tap', x=1, y=2)\n"
               "sys.exit(P(sys.argv[1], 'planner').serve())\n",
    "executor": "import sys\nfrom worldd.executors import main\n"
                "sys.exit(main(['-e', sys.argv[1], 'folder', sys.argv[2], '--name', 'executor']))\n",
}


@pytest.fixture
def start(tmp_path, worldd_daemon):
    """start("planner") or start("executor"), as programs."""
    children = []

    def run(kind):
        children.append(subprocess.Popen([sys.executable, "-B", "-c", PROGRAMS[kind], worldd_daemon.planner_endpoint, DUMPS],
                                         env=ENV, stdout=subprocess.DEVNULL))
        return children[-1]

    yield run
    for child in children:
        child.kill()
        child.wait()


def known(world):
    return {row["name"] for row in world.planners()}


@pytest.mark.parametrize("who", ["planner", "executor"])
def test_peers_outlive_the_daemon(start, worldd_daemon, who):
    children = [start("planner"), start("executor")]
    with worldd.World(worldd_daemon.control_endpoint) as world:
        until("both", lambda: known(world) == {"planner", "executor"})
    worldd_daemon.process.send_signal(signal.SIGKILL)
    worldd_daemon.process.wait()
    worldd_daemon.start()
    with worldd.World(worldd_daemon.control_endpoint) as world:
        until(f"the {who} again", lambda: who in known(world))
        until("both", lambda: known(world) == {"planner", "executor"})
        assert world.run(executor="executor", instruction="x", planner="planner", timeout=90).ending == "complete"
    for child in children:
        child.send_signal(signal.SIGTERM)
        assert child.wait(30) == 0


@pytest.mark.parametrize("who", ["planner", "executor"])
def test_the_daemon_outlives_peers(start, worldd_daemon, worldd_world, who):
    children = {"planner": start("planner"), "executor": start("executor")}
    until("both", lambda: known(worldd_world) == {"planner", "executor"})
    children[who].kill()
    children[who].wait()
    start(who)
    assert worldd_world.run(executor="executor", instruction="x", planner="planner", timeout=90).ending == "complete"


def test_a_run_goes_on_with_a_new_executor_of_its_name(start, worldd_daemon, worldd_world):
    """It is killed between two requests, and there again in time."""
    children = [start("executor")]

    def plan(request):
        if request.step_index == 1:
            children[0].kill()
            children[0].wait()
            start("executor")
            until("the new one", lambda: any(row["name"] == "executor" and row["replies"] == 0 for row in worldd_world.planners()))
        return worldd.complete() if request.step_index == 3 else worldd.Step("tap", x=1, y=2)

    with serving(worldd_world, worldd.FunctionPlanner(worldd_daemon.planner_endpoint, plan)):
        until("the executor", lambda: "executor" in known(worldd_world))
        with worldd.World(worldd_daemon.control_endpoint) as other:
            result = other.run(executor="executor", instruction="x", timeout=90)
    assert result.ending == "complete" and result.steps == 4


def test_a_run_goes_on_with_another_planner(start, worldd_daemon, worldd_world):
    """The first dies with the request in hand."""
    held = threading.Event()

    class Doomed(worldd.Planner):
        def plan(self, request):
            held.set()
            self._session.cancelled(request.message.request_id).wait(60)

    results = []
    with serving(worldd_world, FolderExecutor(worldd_daemon.planner_endpoint, DUMPS, "executor")):
        doomed = Doomed(worldd_daemon.planner_endpoint, "doomed").__enter__()
        until("the first planner", lambda: "doomed" in known(worldd_world))

        def run():
            with worldd.World(worldd_daemon.control_endpoint) as other:
                results.append(other.run(executor="executor", instruction="x", timeout=90))

        running = threading.Thread(target=run)
        running.start()
        assert held.wait(30)
        start("planner")
        until("the second planner", lambda: "planner" in known(worldd_world))
        doomed.__exit__()
        running.join(90)
    assert results[0].ending == "complete" and results[0].steps == 2


def test_a_client_outlives_the_daemon_and_its_runs_end(start, worldd_daemon):
    start("planner"), start("executor")
    with worldd.World(worldd_daemon.control_endpoint) as world:
        until("both", lambda: known(world) == {"planner", "executor"})
        worldd_daemon.process.send_signal(signal.SIGKILL)
        worldd_daemon.process.wait()
        worldd_daemon.start()
        until("both again", lambda: known(world) == {"planner", "executor"})
        assert world.run(executor="executor", instruction="x", timeout=90).ending == "complete"


def test_the_daemon_outlives_a_client(worldd_daemon, worldd_world, tmp_path):
    """A client that is killed in the middle of its run: the run goes on and is recorded, and its device is free again."""
    go_on = threading.Event()

    def plan(request):
        go_on.wait(30)
        return worldd.complete()

    executor = FolderExecutor(worldd_daemon.planner_endpoint, DUMPS, "executor")
    with serving(worldd_world, executor, worldd.FunctionPlanner(worldd_daemon.planner_endpoint, plan)):
        client = subprocess.Popen([sys.executable, "-B", "-c", "import sys, worldd\nworldd.World(sys.argv[1]).run(executor='executor', "
                                   "instruction='x', run_id='orphan')", worldd_daemon.control_endpoint], env=ENV)
        until("its run", worldd_world.runs)
        client.kill()
        client.wait()
        go_on.set()
        until("the end of its run", lambda: not worldd_world.runs())
        assert worldd_world.run(executor="executor", instruction="y", timeout=90).ending == "complete"
    assert list((worldd_daemon.directory / "episodes").glob("orphan*"))


def test_a_newer_executor_of_the_same_name_takes_over(worldd_daemon, worldd_world):
    ended = []

    class Old(FolderExecutor):
        def run(self):
            try:
                super().run()
            except worldd.Superseded as error:
                ended.append(str(error))

    with serving(worldd_world, Old(worldd_daemon.planner_endpoint, DUMPS, "same")):
        with FolderExecutor(worldd_daemon.planner_endpoint, DUMPS, "same"):
            until("the end of the old one", lambda: ended)
    assert ended == ["same"]


def test_an_executor_that_throws_ends_the_run(worldd_daemon, worldd_world):
    class Broken(worldd.Executor):
        def observe(self, order):
            raise ZeroDivisionError("it fell into the water")

    with serving(worldd_world, Broken(worldd_daemon.planner_endpoint, "broken"), scripted(worldd_daemon, [])):
        result = worldd_world.run(executor="broken", instruction="x", timeout=90)
    assert result.ending == "executor_lost" and "fell into the water" in result.text
