#!/usr/bin/python3
"""A group as GRPO wants one: one phone in the middle of a task is forked eight times, each fork is played to its end by a
policy with its own chance, and the rewards become advantages.

    grpo_group.py [--endpoint ipc:///run/worldd/control.sock] [--group 8] [--seed 0]
"""
import argparse
import os
import pathlib
import random
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import worldd  # noqa: E402

STEPS_MAX = 6


def policy(scene, chance):
    """Stands for a model: a random tap, or the end when it believes to be done."""
    if scene.page == "bluetooth" and chance.random() < 0.3:
        return worldd.complete()
    taps = [node["id"] for node in scene.nodes if node["flags"].get("clickable") and not node.get("system_ui")]
    wanted = [node["id"] for name in ("open_bluetooth", "bluetooth_switch") for node in scene.find(resource_id=name)]
    return worldd.Step("tap", node=chance.choice(wanted * len(taps) + taps)) if taps else "back"


def rollout(env, chance):
    """The reward of one fork: the episode's when it ended, else the judge's opinion where it stopped."""
    scene = env.scene()
    for _ in range(STEPS_MAX):
        scene, reward, terminated, truncated, _ = env.step(policy(scene, chance))
        if terminated or truncated:
            return reward
    return worldd.env.passed(env.judge())


def main():
    parser = argparse.ArgumentParser(description="A group of forks with rewards and advantages.")
    parser.add_argument("--endpoint", default=os.environ.get("WORLDD_CONTROL"))
    parser.add_argument("--group", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with worldd.World(arguments.endpoint) if arguments.endpoint else worldd.World.private() as world:
        env = worldd.Env(world, "demo/bluetooth_off", seed=arguments.seed)
        env.reset()
        env.step(worldd.Step("launch_app", app="settings"))
        group = env.fork(arguments.group)
        rewards = [rollout(fork, random.Random(arguments.seed * 1009 + slot)) for slot, fork in enumerate(group)]
        for fork in [env, *group]:
            fork.close()
    spread = statistics.pstdev(rewards) or 1.0
    for slot, reward in enumerate(rewards):
        print(f"fork {slot}: reward {reward:.2f}, advantage {(reward - statistics.mean(rewards)) / spread:+.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
