"""TrajectoryWriter: rollouts as the lines that `worldctl episode export --trajectories` makes of recorded runs."""
import io
import json
import os
import subprocess

import pytest

import worldd
from conftest import until

TASK = "demo/bluetooth_off"
ACTIONS = [{"kind": "launch_app", "app": "settings"}, {"kind": "tap", "selector": {"resource_id": "open_bluetooth"}},
           {"kind": "tap", "selector": {"resource_id": "bluetooth_switch"}}, {"kind": "scroll", "direction": "down",
            "direction_of": "content"}, {"kind": "tap", "selector": {"text": "no such thing"}}, {"kind": "back"}]
DONE = {"kind": "complete", "status": "success"}


def exported(path, *options):
    program = os.path.join(os.environ["WORLDD_BIN"], "worldctl")
    done = subprocess.run([program, "episode", "export", "--trajectories", *options, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rollout(world, actions, **options):
    out = io.StringIO()
    observe = options.pop("observe", "full")
    with worldd.VecEnv(world, TASK, 1, seeds=[4], auto_reset="never", observe=observe) as envs, \
            worldd.TrajectoryWriter(envs, out, name=lambda slot, number: "mine", **options) as writer:
        writer.reset()
        for action in actions:
            writer.step([action])
    return out.getvalue()


def test_the_same_episode_has_the_same_bytes(worldd_daemon, worldd_world):
    steps = [worldd.Step(action["kind"], **{name: value for name, value in action.items() if name != "kind"})
             for action in [*ACTIONS, DONE]]
    with worldd.FunctionPlanner(worldd_daemon.planner_endpoint, lambda request: steps[request.step_index]):
        until("the planner", worldd_world.planners)
        result = worldd_world.run(TASK, seed=4, run_id="mine", timeout=60)
    assert result.passed
    lines = exported(result.episode)
    assert lines == rollout(worldd_world, [*ACTIONS, DONE])
    assert lines == rollout(worldd_world, [*ACTIONS, DONE], observe="changed"), "however they were sent"
    assert exported(result.episode, "--digests") == rollout(worldd_world, [*ACTIONS, DONE], digests=True)
    assert json.loads(lines.splitlines()[-1])["terminated"] and '"reward":1.0' in lines.splitlines()[-1]


def test_an_episode_that_was_cut_is_truncated(worldd_world):
    rows = [json.loads(line) for line in rollout(worldd_world, ACTIONS).splitlines()]
    assert [row["truncated"] for row in rows] == [False] * 5 + [True] and not any(row["terminated"] for row in rows)
    assert all(one["next"] == two["observation"] for one, two in zip(rows, rows[1:]))
    assert [row["step"] for row in rows] == list(range(6)) and {row["task"] for row in rows} == {TASK}


@pytest.mark.parametrize("auto_reset", ["next_step", "same_step"])
def test_episodes_follow_each_other(worldd_world, auto_reset):
    out = io.StringIO()
    with worldd.VecEnv(worldd_world, [TASK, None], auto_reset=auto_reset, step_limit=2, observe="changed") as envs, \
            worldd.TrajectoryWriter(envs, out) as writer:
        with pytest.raises(ValueError, match="reset"):
            writer.step("home")
        writer.reset(seed=3)
        for _ in range(6):
            writer.step([worldd.Step("launch_app", app="settings", remember={"no": "part"}), "home"])
        writer.step([{"kind": "dance"}, "home"])
        writer.reset(options={"reset_mask": [True, False]})
        writer.step("back")
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    assert len(rows) == writer.written
    for slot in "01":
        mine = [row for row in rows if row["episode"].startswith(slot + "-")]
        for one, two in zip(mine, mine[1:]):
            if one["episode"] == two["episode"]:
                assert one["next"] == two["observation"] and two["step"] == one["step"] + 1 and not one["truncated"]
            else:
                assert one["truncated"] and two["step"] == 0 and two["observation"]["app_package"] == "launcher"
        assert [row["step"] for row in mine[:6]] == [0, 1] * 3 if auto_reset == "same_step" else [0, 1, 0, 1]
    assert "remember" not in out.getvalue() and '"task"' not in next(line for line in out.getvalue().splitlines() if '"1-0"' in line)


def test_machines_digests_without_scenes(worldd_world):
    rows = [json.loads(line) for line in rollout(worldd_world, ACTIONS[:2], observe="none").splitlines()]
    assert len(rows) == 2 and all(len(row["observation"]) == 32 for row in rows) and rows[0]["next"] == rows[1]["observation"]
