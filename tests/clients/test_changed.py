"""observe="changed": scenes put together from what changed are the whole scenes; nothing is made before it is asked for."""
import asyncio
import os
import random

import pytest

import worldd
from worldd.aio import AsyncVecEnv, AsyncWorld
from worldd.phones import WHOLE_EVERY

SEED = int(os.environ.get("WORLDD_TEST_SEED", random.SystemRandom().randrange(1 << 32)))
APPS = ["settings", "messages", "contacts", "notes", "calendar", "clock", "files"]
SETTINGS = worldd.Step("launch_app", app="settings")


def some_action(chance, scene):
    """Anything that may be done on the screen."""
    taps = [{"kind": "tap", "node": node["id"]} for node in scene.nodes if node["flags"].get("clickable")]
    fields = [{"kind": "type", "node": node["id"], "text": "hi"} for node in scene.nodes if node["flags"].get("editable")]
    others = ["back", "home", "recents", {"kind": "scroll", "direction": "down"}, {"kind": "launch_app", "app": chance.choice(APPS)}]
    return chance.choice(taps * 2 + fields + others)


@pytest.mark.parametrize("auto_reset", ["next_step", "same_step"])
def test_changes_make_the_whole(worldd_world, auto_reset):
    print("WORLDD_TEST_SEED =", SEED)
    chance, slots = random.Random(SEED), 12
    settings = dict(seeds=[SEED % 1000 + slot for slot in range(slots)], step_limit=25, auto_reset=auto_reset)
    with worldd.VecEnv(worldd_world, observe="full", **settings) as whole, \
            worldd.VecEnv(worldd_world, observe="changed", **settings) as changed:
        expected, got, kept = whole.reset()[0], changed.reset()[0], []
        for step in range(2 * WHOLE_EVERY + 10):
            asked = [slot for slot in range(slots) if chance.random() < 0.3]
            for slot in asked:
                assert got[slot].raw == expected[slot].raw and got[slot].digest == expected[slot].digest, (step, slot)
            actions = [some_action(chance, scene) for scene in expected]
            expected, rewards, *_, infos = whole.step(actions)
            got, rewards_too, *_, infos_too = changed.step(actions)
            assert rewards == rewards_too and list(infos["digest"]) == list(infos_too["digest"])
            finals = [(one and one.raw, two and two.raw) for one, two in zip(infos["final_obs"], infos_too["final_obs"])]
            assert all(one == two for one, two in finals)
            kept.append((got, [scene.raw for scene in expected]))
        for scenes, raws in kept:
            assert [scene.raw for scene in scenes] == raws, "also when it is asked for long afterwards"


def test_one_env(worldd_world):
    print("WORLDD_TEST_SEED =", SEED)
    chance = random.Random(SEED)
    with worldd.Env(worldd_world, seed=3, observe="changed") as env, worldd.Env(worldd_world, seed=3) as whole:
        scene, expected = env.reset()[0], whole.reset()[0]
        for _ in range(30):
            assert scene.raw == expected.raw and scene.digest == expected.digest
            if chance.random() < 0.2:
                assert env.scene().raw == expected.raw
            action = some_action(chance, expected)
            (scene, *_, info), (expected, *_) = env.step(action), whole.step(action)
            assert scene is not None and info["outcome"] in ("ok", "failed", "refused")
        kept = whole.snapshot()
        fork = env.snapshot().fork()[0]
        assert fork.step("home")[0].raw == env.step("home")[0].raw
        assert env.restore(kept)[0].raw == expected.raw


def test_only_what_changed_is_sent(worldd_world, monkeypatch):
    asked, made = [], []
    batch = worldd_world.control.batch

    def noted(fields, timeout):
        asked.append(fields["observe"])
        return batch(fields, timeout)

    monkeypatch.setattr(worldd_world.control, "batch", noted)
    with worldd.VecEnv(worldd_world, num_envs=4, observe="changed") as envs:
        real = worldd.Scene.from_observation
        monkeypatch.setattr(worldd.Scene, "from_observation", lambda *args: made.append(args) or real(*args))
        for _ in range(WHOLE_EVERY + 2):
            scenes, *_ = envs.step("home")
        assert made == [] and asked == ["full"] + ["changed"] * WHOLE_EVERY + ["full"]
        assert scenes[1].app == "launcher" and len(made) == 1


def test_a_slot_that_fails_keeps_the_others(worldd_world):
    with worldd.VecEnv(worldd_world, num_envs=3, observe="changed", auto_reset="never") as envs, \
            worldd.VecEnv(worldd_world, num_envs=3, auto_reset="never") as whole:
        for actions in (["home"] * 3, [SETTINGS, {"kind": "dance"}, "home"], SETTINGS, ["back", {"kind": "dance"}, "back"]):
            got, expected = envs.step(actions)[0], whole.step(actions)[0]
            assert [scene and scene.raw for scene in got] == [scene and scene.raw for scene in expected]


def test_a_screen_that_somebody_else_was_told(worldd_world):
    with worldd.Env(worldd_world, observe="changed") as env:
        envs = worldd.VecEnv.of([env])
        assert envs.step(SETTINGS)[0][0].app == "settings"
        assert env.step("home")[0].app == "launcher"
        scenes, *_ = envs.step(SETTINGS)
        with pytest.raises(worldd.OutOfStep, match="meanwhile"):
            scenes[0]
        assert env.step("home")[0].app == "launcher", "an Env asks again"
        assert envs.reset()[0][0].app == "launcher" and envs.step(SETTINGS)[0][0].app == "settings"


def test_with_asyncio(worldd_daemon):
    async def main():
        async with AsyncWorld(worldd_daemon.control_endpoint) as world, \
                await world.env("demo/bluetooth_off", seed=1, observe="changed") as env, \
                await world.vec_env("demo/hello", 2, observe="changed", auto_reset="never") as envs:
            scene, info = await env.reset()
            assert (scene.app, info["steps"]) == ("launcher", 0)
            scene, reward, terminated, truncated, info = await env.step(SETTINGS)
            assert (scene.app, reward, terminated, truncated, info["outcome"]) == ("settings", 0.0, False, False, "ok")
            assert (await env.scene()).digest == scene.digest and not (await env.judge())["passed"]
            kept = await env.snapshot()
            one, two = await env.fork(2)
            await asyncio.gather(one.step("home"), two.step("back"), env.step("home"))
            assert one.digest == env.digest and kept.id in repr(kept) and env.id in repr(env)
            assert any(row["path"] == "os.activeAppId" for row in await kept.diff(env))
            assert (await env.restore(kept))[1]["digest"] == kept.digest == env.digest
            await env.inject({"os": {"settings": {"global": {"darkModeEnabled": True}}}})
            assert await env.state("os.settings.global.darkModeEnabled") is True
            what, = await env.imagine([["home"]])
            assert what.scene.app == "launcher" and (await env.scene()).app == "settings"
            again = (await kept.fork())[0]
            await kept.forget()
            assert (await again.reset(seed=9))[0].app == "launcher"
            with pytest.raises(worldd.NotFound):
                await env.restore(kept)
            with pytest.raises(worldd.NotFound):
                await env.step({"kind": "dance"})
            assert [scene.app for scene in (await envs.reset(seed=5))[0]] == ["launcher"] * 2
            scenes, rewards, terminated, _, infos = await envs.step([SETTINGS, worldd.complete()])
            assert scenes[0].app == "settings" and terminated == [False, True] and infos["ending"][1] == "complete"
            assert "2" in repr(envs) and envs.num_envs == 2
            group = AsyncVecEnv.of([one, two])
            assert (await group.step("home"))[0][1].app == "launcher"
            await group.close()
            await again.close()
            with pytest.raises(worldd.RequestError, match="slot 1: "):
                await world.vec_env(["demo/hello", {"id": ""}])
            assert len((await world.request("env_list"))["envs"]) == 3, "all or none"

    asyncio.run(main())


def test_a_talk_that_is_cancelled(worldd_daemon):
    async def main():
        async with AsyncWorld(worldd_daemon.control_endpoint) as world, await world.env() as env:
            forking = asyncio.create_task(env.fork(1))
            await asyncio.sleep(0)
            forking.cancel()
            await asyncio.gather(forking, return_exceptions=True)
            assert (await env.reset())[0].app == "launcher"

    asyncio.run(main())
