"""Env, VecEnv, Snapshot and what-if, against a real daemon."""
import gc
import sys

import pytest

import worldd
from gym_shim import check_env, check_vec_env

SETTINGS = worldd.Step("launch_app", app="settings")
OPEN = {"kind": "tap", "selector": {"resource_id": "open_bluetooth"}}
SWITCH = {"kind": "tap", "selector": {"resource_id": "bluetooth_switch"}}
OFF = [SETTINGS, OPEN, SWITCH]
DONE = worldd.complete()


@pytest.fixture
def env(worldd_world):
    with worldd.Env(worldd_world, "demo/bluetooth_off", seed=1) as made:
        yield made


# ---- one ------------------------------------------------------------------------------------------------------

def test_an_episode(env):
    scene, info = env.reset()
    assert (scene.app, info["steps"]) == ("launcher", 0) and scene.digest and scene.failure is None
    for action in OFF:
        scene, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated, info["outcome"], info["verdict"]) == (0.0, False, False, "ok", None)
    assert scene.page == "bluetooth" and env.state("os.settings.global.bluetoothEnabled") is False
    assert env.judge()["passed"] and "bluetooth" in repr(env)
    _, reward, terminated, truncated, info = env.step(DONE)
    assert (reward, terminated, truncated, info["ending"]) == (1.0, True, False, "complete") and info["verdict"]["passed"]
    with pytest.raises(worldd.RequestError) as caught:
        env.step("home")
    assert caught.value.status == "ESTATE"
    assert env.reset()[1]["steps"] == 0 and env.state("os.settings.global.bluetoothEnabled") is True


def test_the_shapes_of_gymnasium(worldd_world):
    check_env(worldd.Env(worldd_world, "demo/hello"), [SETTINGS, "back", {"kind": "home"}, DONE])
    check_vec_env(worldd.VecEnv(worldd_world, "demo/hello", 3), "home")


def test_with_gymnasium_itself(worldd_world):
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.wrappers.TimeLimit(type("Wrapped", (worldd.Env, gymnasium.Env), {})(worldd_world, "demo/hello"), 2)
    env.reset(seed=1)
    env.step("home")
    assert env.step("home")[3]


def test_seeds(worldd_world):
    with worldd.VecEnv(worldd_world, seeds=[5, 5, 6], observe="none") as envs:
        digests = envs.reset()[1]["digest"]
        assert digests[0] == digests[1] != digests[2]
        again = envs.reset(seed=6)[1]["digest"]
        assert again[0] == digests[2] and len(set(again)) == 3, "a number counts up"
        one = envs.reset(seed=[6, None, None], options={"reset_mask": [False, True, True]})[1]["digest"]
        assert one == again, "only what the mask names begins again"


def test_refused_steps_and_wrong_arguments(env):
    info = env.step({"kind": "tap", "selector": {"text": "no such thing"}})[4]
    assert (info["outcome"], info["code"], info["index"]) == ("refused", "target_missing", 0)
    for wrong, error in (({"kind": "dance"}, worldd.NotFound), ({"kind": "tap", "x": "left"}, worldd.InvalidRequest),
                         ({}, worldd.InvalidRequest)):
        with pytest.raises(error):
            env.step(wrong)
    with pytest.raises(worldd.NotFound):
        env.state("os.no.such.thing")
    with pytest.raises(worldd.NotFound):
        worldd.Env(env.world, "no/such")
    with pytest.raises(worldd.InvalidRequest):
        worldd.Env(env.world, auto_reset="sometimes")


def test_truncation_rewards_and_no_task(worldd_world):
    with worldd.Env(worldd_world, "demo/bluetooth_off", step_limit=3, reward=lambda verdict: 10 * verdict["progress"]) as env:
        assert [env.step(action)[1:4] for action in OFF] == [(0.0, False, False)] * 2 + [(10.0, False, True)]
    with worldd.Env(worldd_world, observe="none") as env:
        assert env.reset()[0] is None and env.step(DONE)[:4] == (None, 0.0, True, False)


def test_autoreset(worldd_world):
    with worldd.Env(worldd_world, "demo/bluetooth_off", step_limit=1, auto_reset="next_step") as env:
        assert env.step(SETTINGS)[3]
        scene, reward, _, truncated, info = env.step(SETTINGS)
        assert info["reset"] and scene.app == "launcher" and not truncated and reward == 0.0
    with worldd.Env(worldd_world, "demo/bluetooth_off", step_limit=1, auto_reset="same_step") as env:
        scene, _, _, truncated, info = env.step(SETTINGS)
        assert truncated and info["reset"] and scene.app == "launcher" and info["final_obs"].app == "settings"


def test_inject(env):
    before = env.digest
    env.inject({"os": {"settings": {"global": {"darkModeEnabled": True}}}})
    assert env.state("os.settings.global.darkModeEnabled") is True and env.digest != before
    with pytest.raises(worldd.RequestError):
        env.inject("dark")


# ---- snapshots ------------------------------------------------------------------------------------------------

def test_forks_have_their_parents_future(env):
    env.step(SETTINGS)
    forks = env.fork(5)
    digests = {one.step(OPEN)[4]["digest"] for one in [env, *forks]}
    assert len(digests) == 1
    forks[0].step(SWITCH)
    assert forks[1].state("os.settings.global.bluetoothEnabled") is True
    worldd.VecEnv.of(forks).close()


def test_snapshots_are_restored_and_compared(env):
    env.step(SETTINGS)
    kept = env.snapshot()
    assert kept.digest == env.digest and kept.id in repr(kept)
    env.step(OPEN)
    env.step(SWITCH)
    assert any(row["path"] == "os.settings.global.bluetoothEnabled" for row in kept.diff(env))
    scene, info = env.restore(kept)
    assert (info["digest"], info["steps"], scene.app) == (kept.digest, 1, "settings") and kept.diff(env) == []
    kept.forget()
    with pytest.raises(worldd.NotFound):
        env.restore(kept)


def test_what_if_touches_nothing(env):
    env.step(SETTINGS)
    before = env.digest
    good, wrong, none = env.imagine([[OPEN, SWITCH], ["home", {"kind": "dance"}, "home"], []])
    assert env.world.request("env_observe", env=env.id, observe="none")["digest"] == before == env.digest
    assert (good.reward, good.outcomes, good.scene.page, good.error) == (1.0, ["ok", "ok"], "bluetooth", None)
    assert any(row["path"] == "os.settings.global.bluetoothEnabled" for row in good.changes) and good.verdict["clean"]
    assert good.whole and good.tried[0]["kind"] == "tap" and good.ending is None and good.side_effects == []
    assert wrong.outcomes == ["ok", "refused"] and not wrong.whole and wrong.scene.app == "launcher" and wrong.reward == 0.0
    assert wrong.tried[1]["code"] == "unknown_action" and (none.changes, none.outcomes, none.whole) == ([], [], True)
    done, over = env.imagine([[DONE], [DONE, "home"]], observe="none")
    assert done.ending == "complete" and done.scene is None and over.outcomes == ["ok"]
    assert "observation" in env.imagine([["home"]], scenes="all")[0].tried[0]
    assert len(env.world.request("env_list")["envs"]) == 1, "nothing is left behind"


def test_what_if_has_a_budget(env):
    for candidates in ([["home"]] * 65, [["home"] * 65], [["home"] * 64] * 4 + [["home"]]):
        with pytest.raises(worldd.LimitExceeded, match="candidates"):
            env.imagine(candidates)
    assert len(env.imagine([["home"] * 4] * 64, observe="none")) == 64 and env.imagine([]) == []


def test_what_if_of_many(worldd_world):
    with worldd.VecEnv(worldd_world, "demo/bluetooth_off", 3, auto_reset="never") as envs:
        envs.step([SETTINGS, "home", SETTINGS])
        before = envs.reset(options={"reset_mask": [False] * 3})[1]["digest"]
        rows = envs.imagine([[[OPEN, SWITCH], ["home"]], [], [[]]])
        assert [len(row) for row in rows] == [2, 0, 1] and [what.reward for what in rows[0]] == [1.0, 0.0]
        assert envs.reset(options={"reset_mask": [False] * 3})[1]["digest"] == before
        with pytest.raises(worldd.LimitExceeded, match="slot 1: "):
            envs.imagine([[], [["home"]] * 65, []])
        with pytest.raises(ValueError, match="for 1 envs, not 3"):
            envs.imagine([[]])


# ---- many -----------------------------------------------------------------------------------------------------

def test_many_tasks_at_once(worldd_world):
    tasks = ["demo/bluetooth_off", "demo/hello", None]
    with worldd.VecEnv(worldd_world, tasks, seeds=[1, 2, 3], auto_reset="never") as envs:
        scenes, _ = envs.reset()
        assert [scene.app for scene in scenes] == ["launcher"] * 3 and scenes[-1].app == "launcher" and len(scenes[:2]) == 2
        scenes, rewards, terminated, _, infos = envs.step(SETTINGS)
        assert [scene.app for scene in scenes] == ["settings"] * 3 and not any(terminated)
        _, rewards, terminated, truncated, infos = envs.step(["back", DONE, "home"])
        assert (rewards, terminated, truncated) == ([0.0, 1.0, 0.0], [False, True, False], [False] * 3)
        assert list(infos["ending"]) == [None, "complete", None] and infos["verdict"][1]["passed"]
        assert list(infos["index"]) == [1, 1, 1] and list(infos["outcome"]) == ["ok"] * 3


def test_one_bad_slot_fails_alone(worldd_world):
    with worldd.VecEnv(worldd_world, num_envs=3, auto_reset="never") as envs:
        _, _, _, _, infos = envs.step(["home", {"kind": "dance"}, SETTINGS])
        assert [error is None for error in infos["error"]] == [True, False, True]
        assert isinstance(infos["error"][1], worldd.NotFound) and infos["digest"][2] != infos["digest"][0]
    with pytest.raises(ValueError):
        envs.step(["home"] * 2)
    with pytest.raises(worldd.RequestError, match="slot 1: "):
        worldd.VecEnv(worldd_world, ["demo/hello", {"id": ""}])
    assert worldd_world.request("env_list")["envs"] == [], "all or none"


def test_autoreset_of_many(worldd_world):
    with worldd.VecEnv(worldd_world, "demo/bluetooth_off", 2, step_limit=1, auto_reset="same_step") as envs:
        scenes, _, _, truncated, infos = envs.step(SETTINGS)
        assert truncated == [True, True] and list(infos["reset"]) == [True, True]
        assert scenes[0].app == "launcher" and infos["final_obs"][1].app == "settings"


def test_more_slots_than_a_message_takes(worldd_world):
    with worldd.VecEnv(worldd_world, num_envs=300, seeds=[1] * 300) as envs:
        scenes, _, _, _, infos = envs.step([SETTINGS] * 299 + ["home"])
        assert scenes[0].app == scenes[298].app == "settings" and scenes[299].app == "launcher"
        assert len(set(infos["digest"])) == 2
        assert envs.reset()[0][299].app == "launcher"


def test_nothing_is_made_of_a_slot_before_it_is_asked_for(worldd_world, monkeypatch):
    made = []
    with worldd.VecEnv(worldd_world, num_envs=8, auto_reset="never") as envs:
        monkeypatch.setattr(worldd.Scene, "from_observation", lambda value, told=None: made.append(value))
        scenes, *_ = envs.step("home")
        assert made == []
        scenes[3]
        assert len(made) == 1


def cost_of_a_step(envs):
    """(calls, blocks): functions called to make a step of actions and results of an answer, and blocks of memory that these
    hold. What waits for the answer does not count: how often it looks depends on the daemon."""
    calls = 0

    def count(frame, event, _argument):
        nonlocal calls
        calls += event in ("call", "c_call") and frame.f_code.co_filename.endswith(("phones.py", "views.py", "steps.py"))

    gc.collect()
    before = sys.getallocatedblocks()
    sys.setprofile(count)
    kept = envs.step("home")
    sys.setprofile(None)
    gc.collect()
    return calls, sys.getallocatedblocks() - before, kept


@pytest.mark.parametrize("observe", ["none", "full", "changed"])
def test_a_step_costs_the_same_calls_and_objects_for_few_slots_as_for_many(worldd_world, observe):
    costs = []
    for slots in (4, 60):
        with worldd.VecEnv(worldd_world, num_envs=slots, auto_reset="never", observe=observe) as envs:
            for _ in range(3):                   # what is made once is made by now; "changed" has told whole scenes
                envs.step("home")
            costs.append(min(cost_of_a_step(envs)[:2] for _ in range(3)))
    (few_calls, few_blocks), (calls, blocks) = costs
    assert calls == few_calls > 0
    assert blocks - few_blocks < 20, "nothing is kept per slot"
