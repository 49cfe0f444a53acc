#!/usr/bin/python3
"""Collect transitions with a random policy: a rollout loop on many phones at once, written as JSON Lines.

    collect_transitions.py OUT.jsonl [--count 10000] [--envs 64] [--task demo/bluetooth_off] [--observe changed|none] [--seed 0]

A line is what `worldctl episode export --trajectories` makes of a recorded run: {"episode","task","step","observation","action",
"reward","terminated","truncated","next"}; observations are scenes, or machine digests with --observe none. At least as many as
asked for are written. The same arguments give the same bytes.
"""
import argparse
import os
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import worldd  # noqa: E402

BLIND = [{"kind": "launch_app", "app": "settings"}, {"kind": "launch_app", "app": "messages"}, {"kind": "back"}, {"kind": "home"},
         {"kind": "tap", "selector": {"resource_id": "open_bluetooth"}},
         {"kind": "tap", "selector": {"resource_id": "bluetooth_switch"}}]


def choose(scene, chance):
    """What to do: anything that may be tapped, back, or one of the blind moves."""
    taps = [] if scene is None else [{"kind": "tap", "node": node["id"]} for node in scene.nodes
                                     if node["flags"].get("clickable") and not node.get("system_ui")]
    return chance.choice(taps + BLIND)


def collect(world, out, arguments):
    chances = [random.Random(arguments.seed * 1000003 + slot) for slot in range(arguments.envs)]
    seeds = [arguments.seed + slot for slot in range(arguments.envs)]
    with worldd.VecEnv(world, arguments.task, seeds=seeds, step_limit=arguments.steps, auto_reset="next_step",
                       observe=arguments.observe) as phones, worldd.TrajectoryWriter(phones, out) as rollout:
        scenes, _ = rollout.reset()
        while rollout.written < arguments.count:
            scenes, *_ = rollout.step([choose(scene, chance) for scene, chance in zip(scenes, chances)])
    return rollout.written


def main():
    parser = argparse.ArgumentParser(description="Collect transitions with a random policy.")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=10000, help="transitions at least; default 10000")
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--steps", type=int, default=20, help="of an episode at most")
    parser.add_argument("--task", default="demo/bluetooth_off")
    parser.add_argument("--observe", choices=["full", "changed", "none"], default="changed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--endpoint", default=os.environ.get("WORLDD_CONTROL"))
    arguments = parser.parse_args()
    begun = time.monotonic()
    with worldd.World(arguments.endpoint) if arguments.endpoint else worldd.World.private() as world, \
            open(arguments.out, "w", encoding="utf-8") as out:
        written = collect(world, out, arguments)
    print(f"{written} transitions in {time.monotonic() - begun:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
