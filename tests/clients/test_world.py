"""worldd.World, its tracker and its exceptions, against a real daemon."""
import asyncio
import json
import pickle
import shutil
import signal
import subprocess
import threading
import time

import pytest

import worldd
from conftest import DUMPS, EXAMPLES, episode_text, until
from worldd.aio import AsyncWorld
from worldd.control import Control, find_control_endpoint
from worldd.errors import STATUS, request_error


def settings_first(request):
    return worldd.complete() if request.step_index else worldd.Step("launch_app", app="settings", remember={"asked": 1})


@pytest.fixture
def planner(worldd_daemon, worldd_world):
    with worldd.FunctionPlanner(worldd_daemon.planner_endpoint, settings_first, "settings"):
        until("the planner", worldd_world.planners)
        yield


def dump(number):
    return sorted(DUMPS.glob("*.xml"))[number].read_text(encoding="utf-8")


# ---- runs -----------------------------------------------------------------------------------------------------

def test_a_run_is_told_step_by_step_and_judged(worldd_world, planner):
    told = []
    result = worldd_world.run("demo/hello", planner="settings", on_progress=told.append, timeout=60)
    assert (result.ending, result.steps, result.passed) == ("complete", 2, True)
    assert result.world.current_app == "settings" and result.world.variables == {"asked": 1}
    assert told == result.events and [event["event"] for event in told] == ["begin", "step", "step"]


def test_a_run_can_be_looked_into_and_cancelled(worldd_daemon, worldd_world):
    go_on, seen = threading.Event(), {}

    def wait(request):
        go_on.wait(30)
        return worldd.complete()

    def start():
        with worldd.World(worldd_daemon.control_endpoint) as world:
            seen["result"] = world.run({"id": "mine", "instruction": "wait"}, run_id="r1", timeout=60)

    with worldd.FunctionPlanner(worldd_daemon.planner_endpoint, wait):
        thread = threading.Thread(target=start)
        thread.start()
        until("the run", worldd_world.runs)
        scene = worldd_world.scene("r1")
        assert scene.app == "launcher" and next(scene.find(role="list"))["rect"][2] > 0
        assert "launcher" in repr(scene) and "run r1: step 0, app launcher" in repr(worldd_world)
        assert worldd_world.state("r1", "os.activeAppId") is None and "os" in worldd_world.state("r1")
        worldd_world.cancel("r1", "enough")
        thread.join()
        go_on.set()
    assert (seen["result"].ending, seen["result"].verdict, seen["result"].passed) == ("cancelled", None, False)


def test_options_reach_the_run(worldd_world, planner):
    assert worldd_world.run("demo/hello", world=False, timeout=60).world is None
    assert worldd_world.run({"id": "t", "instruction": "x"}, step_limit=1, timeout=60).ending == "step_limit"


# ---- errors ---------------------------------------------------------------------------------------------------

WRONG = [
    ("no such task", lambda w: w.run("demo/none"), worldd.NotFound, "args.task: "),
    ("no such run", lambda w: w.state("none"), worldd.NotFound, "args.run: "),
    ("no such verb", lambda w: w.request("dance"), worldd.Unsupported, "verb: "),
    ("an argument of the wrong type", lambda w: w.request("state", run=7), worldd.InvalidRequest, "args.run: "),
    ("an option out of range", lambda w: w.run("demo/hello", history=-1), worldd.InvalidRequest, "args.options.history: "),
    ("no JSON", lambda w: w.request("state", run=float("nan")), worldd.InvalidRequest, "args: "),
    ("larger than a message", lambda w: w.request("state", run="x" * (4 << 20)), worldd.InvalidRequest, "args: "),
    ("no such session", lambda w: worldd.WorldTracker(w.control, "none", "").observe(), worldd.NotFound, "args.session: "),
]


@pytest.mark.parametrize("ask, kind, text", [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_wrong_is_named(worldd_world, ask, kind, text):
    with pytest.raises(kind) as caught:
        ask(worldd_world)
    assert caught.value.text.startswith(text) and isinstance(caught.value, worldd.WorlddError)
    assert worldd_world.status()["version"], "the connection goes on"


def test_exceptions_say_what_they_are():
    assert isinstance(request_error(7, "x"), LookupError) and isinstance(request_error(2, "x"), ValueError)
    assert str(request_error(6, "too many")) == "ELIMIT too many" and request_error(99, "x").status == "EUNKNOWN"
    copy = pickle.loads(pickle.dumps(request_error(7, "gone")))
    assert (type(copy), copy.code, copy.text) == (worldd.NotFound, 7, "gone")
    assert len(STATUS) == 25


def test_nobody_there(tmp_path, monkeypatch):
    monkeypatch.delenv("WORLDD_CONTROL", raising=False)
    monkeypatch.delenv("WORLDD_DAEMON_DIRECTORY", raising=False)
    with pytest.raises(worldd.NotReachable, match="WORLDD_CONTROL"):
        worldd.World()
    with pytest.raises(worldd.NotReachable, match="no worldd runs in"):
        worldd.World(directory=str(tmp_path))
    with worldd.World(f"ipc://{tmp_path}/none.sock") as world:
        world.control.connect_timeout = 0.2
        with pytest.raises(worldd.NotReachable, match="no welcome"):
            world.status()
        assert "no welcome" in repr(world)


def test_the_endpoint_is_found(worldd_daemon, monkeypatch):
    monkeypatch.setenv("WORLDD_DAEMON_DIRECTORY", str(worldd_daemon.directory))
    monkeypatch.delenv("WORLDD_CONTROL", raising=False)
    assert find_control_endpoint() == worldd_daemon.control_endpoint
    monkeypatch.setenv("WORLDD_CONTROL", "ipc://elsewhere")
    assert find_control_endpoint() == "ipc://elsewhere"
    assert find_control_endpoint(directory=str(worldd_daemon.directory)) == worldd_daemon.control_endpoint


def test_a_deadline_ends_the_wait_and_nothing_else(worldd_world, worldd_daemon):
    with worldd.FunctionPlanner(worldd_daemon.planner_endpoint, lambda request: time.sleep(0.6) or worldd.complete()):
        until("the planner", worldd_world.planners)
        with pytest.raises(TimeoutError):
            worldd_world.run("demo/hello", timeout=0.2)
        assert worldd_world.status()["runs"]["started"] == 1, "the late answer is passed over"
        until("the run's end", lambda: worldd_world.status()["runs"]["ended"] == 1)


def test_watching(worldd_daemon, worldd_world, planner):
    with worldd_world.watch() as everything:
        assert everything.next(0.05) is None
        result = worldd_world.run("demo/hello", planner="settings", timeout=60)
        told = [next(everything) for _ in range(4)]
        assert [event["event"] for event in told] == ["begin", "step", "step", "end"] and "Watch" in repr(everything)
        env = worldd.Env(worldd_world, seed=1)
        with worldd_world.watch(env=env.id) as watch:
            env.step("home")
            assert next(iter(watch))["action"] == "home"
    assert told[-1]["ending"] == result.ending
    with pytest.raises(worldd.ConnectionLost):
        everything.next(0)
    with pytest.raises(worldd.InvalidRequest):
        worldd_world.watch(run="x" * 999)


def test_a_watch_ends_with_the_daemon(worldd_daemon, worldd_world):
    with worldd_world.watch() as watch:
        worldd_daemon.stop()
        with pytest.raises(worldd.ConnectionLost):
            watch.next()


# ---- the daemon's life ----------------------------------------------------------------------------------------

def test_a_private_daemon_ends_with_its_world():
    with worldd.World.private(settings=["run.step_limit=3"]) as world:
        process, directory = world.daemon.process, world.daemon.directory
        assert "running" in repr(world.daemon) and world.status()["packs"] > 0
    assert process.poll() == 0 and not directory.exists()


def test_a_daemon_that_cannot_start_says_why(tmp_path):
    with pytest.raises(worldd.DaemonFailed, match="no_such_setting"):
        worldd.World.private(directory=tmp_path / "d", settings=["no_such_setting=1"])
    with pytest.raises(worldd.DaemonFailed, match="not_there"):
        worldd.Daemon(tmp_path / "e", program=tmp_path / "not_there").start()


def test_a_client_outlives_the_daemon(worldd_daemon, worldd_world):
    before = worldd_world.status() and worldd_world.control.boot_id
    worldd_daemon.stop()
    worldd_world.control.connect_timeout = 0.5
    with pytest.raises(worldd.WorlddError):
        worldd_world.status()
    worldd_daemon.start()
    worldd_world.control.connect_timeout = 10
    assert worldd_world.status()["runs"]["started"] == 0 and worldd_world.control.boot_id != before


def test_a_request_open_while_the_daemon_dies_is_lost(make_worldd):
    daemon = make_worldd("planner.heartbeat_ms=100")
    with worldd.World(daemon.control_endpoint) as world, \
            worldd.FunctionPlanner(daemon.planner_endpoint, lambda request: daemon.process.send_signal(signal.SIGKILL)):
        until("the planner", world.planners)
        with pytest.raises(worldd.ConnectionLost):
            world.run("demo/hello", timeout=60)


def test_a_client_that_thinks_keeps_its_envs(make_worldd):
    daemon = make_worldd("env.orphan_ms=400", "planner.heartbeat_ms=100")
    with worldd.World(daemon.control_endpoint) as thinker, worldd.World(daemon.control_endpoint) as other:
        env = worldd.Env(thinker, seed=1)
        env.step("home")
        silent = Control(daemon.control_endpoint, keep_alive=False)
        for _ in range(3):                       # three times as long as a silent client's env lives
            silent.request("env_create", {"seed": 2})
            assert other.request("env_stats")["envs"] == 2
            until("the end of the silent one's env", lambda: other.request("env_stats")["envs"] == 1)
        assert env.step("back")[4]["index"] == 1
        thinker.close()
        until("the end of the env of one that has left", lambda: other.request("env_stats")["envs"] == 0)
        silent.close()


def test_the_beat_ends_with_the_connection(worldd_daemon):
    def beating():
        return [thread for thread in threading.enumerate() if thread.name == "worldd keep-alive"]

    with worldd.World(worldd_daemon.control_endpoint) as world:
        assert world.status() and len(beating()) == 1
        world.control.close()
        assert world.status()["version"], "it may be used again"
        forgotten = Control(worldd_daemon.control_endpoint)
        forgotten.request("status")
        del forgotten
        worldd_daemon.stop()
        world.control.beat()
        worldd_daemon.start()
        world.control.beat()
        assert world.status()["version"]
    until("the end of all", lambda: not beating())


# ---- the tracker ----------------------------------------------------------------------------------------------

def test_a_tracker_tells_what_is_known(worldd_world):
    with worldd_world.tracker("Delete a note", session="mine") as tracker:
        assert tracker.world is None and "nothing seen yet" in repr(tracker)
        first = tracker.observe(dump(0))
        assert (first.step, first.world.current_app, first.failure) == (0, "com.example.launcher", None)
        tracker.observe(dump(1), action={"kind": "launch_app", "app": "Notes"}, remember={"notes": [1, 2]})
        assert tracker.world.current_app == "org.example.notebook" and tracker.world.variables == {"notes": [1, 2]}
        again = tracker.observe(dump(1), dialect="autoglm", reply='do(action="Back")', remember={"notes": None})
        assert again.world.variables == {} and again.world.repeat_count == 2
        assert again.world.history[-1]["action"] == "back" and "seen 2 times" in str(again.world)
        lost = tracker.observe(None, action="home", outcome="failed", remember={"no": 1})
        assert lost.failure and lost.world.stale and lost.world.variables == {} and "stale" in repr(tracker)
    assert tracker.end() == tracker.episode and json.loads(episode_text(tracker.episode).splitlines()[0])
    with pytest.raises(worldd.NotFound):
        tracker.observe(dump(0))


def test_a_tracker_left_by_an_exception_is_an_abort(worldd_world):
    with pytest.raises(ZeroDivisionError):
        with worldd_world.tracker() as tracker:
            tracker.observe(dump(0))
            raise ZeroDivisionError
    assert '"abort"' in episode_text(tracker.episode).splitlines()[-1]


def test_a_post_that_is_wrong_takes_nothing(worldd_world):
    tracker = worldd_world.tracker()
    tracker.observe(dump(0))
    for wrong in (dict(action={"kind": "tap", "x": "a"}), dict(outcome="maybe"), dict(format="jpeg"),
                  dict(dialect="klingon", reply="x")):
        with pytest.raises((worldd.InvalidRequest, worldd.NotFound)):
            tracker.observe(dump(1), **wrong)
    assert tracker.observe(dump(1), action="back").step == 1


def test_the_example_follows_a_growing_folder(worldd_daemon, tmp_path):
    dumps = sorted(DUMPS.glob("*.xml"))
    folder = tmp_path / "dumps"
    folder.mkdir()
    shutil.copy(dumps[0], folder / dumps[0].name)
    child = subprocess.Popen(["/usr/bin/python3", "-B", EXAMPLES / "follow_folder.py", folder, "--endpoint",
                              worldd_daemon.control_endpoint, "--idle", "2"], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline().startswith(dumps[0].name)
    for path in dumps[1:]:
        (folder / path.with_suffix(".json").name).write_text('{"action": "back"}')
        (tmp_path / "coming").write_bytes(path.read_bytes())
        (tmp_path / "coming").rename(folder / path.name)
    text, _ = child.communicate(timeout=60)
    assert child.returncode == 0 and "app org.example.notebook" in text and "recorded in" in text
    assert all(path.name in text for path in dumps[1:])


# ---- asyncio --------------------------------------------------------------------------------------------------

def test_requests_overlap_with_asyncio(worldd_daemon, planner):
    async def main():
        async with AsyncWorld(worldd_daemon.control_endpoint) as world:
            results = await asyncio.gather(*(world.run("demo/hello", seed=seed, timeout=60) for seed in range(4)),
                                           world.status(), world.runs(), world.planners())
            assert [result.passed for result in results[:4]] == [True] * 4
            assert len({result.run for result in results[:4]}) == 4 and results[4]["version"]
            with pytest.raises(worldd.NotFound):
                await world.scene("none")
            with pytest.raises(worldd.NotFound):
                await world.cancel("none")
            with pytest.raises(worldd.DeadlineExceeded):
                await world.run({"id": "t", "instruction": "x"}, planner="nobody", timeout=0.1)
            tracker = await world.tracker("x", session="aio", history=2)
            assert (await tracker.observe(dump(0))).world == tracker.world
            assert (await tracker.end()).endswith("aio.jsonl.zst")

    asyncio.run(main())


def test_watching_with_asyncio(worldd_daemon, planner):
    async def main():
        async with AsyncWorld(worldd_daemon.control_endpoint) as world:
            async with world.watch(run="mine") as events:
                assert await events.next(0.05) is None
                await world.run("demo/hello", run_id="mine", timeout=60)
                told = []
                async for event in events:
                    told.append(event["event"])
                    if told[-1] == "end":
                        break
                assert told == ["begin", "step", "step", "end"]
                worldd_daemon.stop()
                with pytest.raises(worldd.ConnectionLost):
                    await events.next()
            worldd_daemon.start()
            with pytest.raises(worldd.InvalidRequest):
                async with world.watch(run="x" * 999):
                    pass

    asyncio.run(main())


def test_asyncio_outlives_the_daemon(worldd_daemon):
    async def main():
        async with AsyncWorld(worldd_daemon.control_endpoint) as world:
            waiting = asyncio.create_task(world.run({"id": "t", "instruction": "x"}, planner="nobody", timeout=60))
            while not (await world.runs()):
                await asyncio.sleep(0.01)
            worldd_daemon.stop()
            with pytest.raises(worldd.ConnectionLost):
                await waiting
            world.control.connect_timeout = 0.3
            with pytest.raises(worldd.NotReachable):
                await world.status()
            worldd_daemon.start()
            world.control.connect_timeout = 10
            assert (await world.status())["runs"]["started"] == 0

    asyncio.run(main())
