#!/usr/bin/python3
"""Best-first search on forks: look for steps that solve a task by trying them, beside a greedy policy that looks one step ahead.

    search_planner.py [--endpoint ipc:///run/worldd/control.sock] [--budget 400] [TASK.json ...]

Without tasks it solves six of its own and prints a line each. It works on simulated phones: every candidate is carried out on
a fork, judged, and the best state so far is gone on from. Screens seen before with no better score are left.
"""
import argparse
import contextlib
import heapq
import itertools
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "../../clients/python"))
import worldd  # noqa: E402

DEPTH_MAX = 8


def own_task(name, *criteria):
    """A task of the settings: fields that must become true or false, and nothing else may change."""
    goal = {"os." + path: value for path, value in criteria}
    return {"id": name, "instruction": name, "apps": ["settings"], "criteria": goal, "expected_changes": list(goal)}


TASKS = [
    own_task("open_settings", ("activeAppId", "settings")),
    own_task("bluetooth_off", ("settings.global.bluetoothEnabled", False)),
    own_task("dark_mode_on", ("settings.global.darkModeEnabled", True)),
    own_task("do_not_disturb_on", ("settings.global.doNotDisturbEnabled", True)),
    own_task("silent_and_dark", ("settings.global.silentMode", True), ("settings.global.darkModeEnabled", True)),
    own_task("eye_comfort_on", ("settings.global.eyeComfortEnabled", True)),
]


def candidates(scene, apps):
    """What may be done on a screen."""
    taps = [worldd.Step("tap", node=node["id"]) for node in scene.nodes
            if node["flags"].get("clickable") and not node.get("system_ui")]
    if scene.app == "launcher" or scene.app is None:
        return [worldd.Step("launch_app", app=app) for app in apps]
    return taps + [worldd.Step("back")]


def score(verdict):
    """Higher is better: progress first, and a state that was kept clean."""
    return (verdict["progress"], verdict["clean"])


class Found:
    """A state that was reached: its env, and the steps that lead there."""

    def __init__(self, env, scene, verdict, steps):
        self.env, self.scene, self.verdict, self.steps = env, scene, verdict, steps

    def key(self):
        return (*(-value for value in score(self.verdict)), len(self.steps))


def expand(state, apps):
    """All that one step leads to, each on a fork of its own."""
    steps = candidates(state.scene, apps)
    forks = state.env.fork(len(steps)) if steps else []
    try:
        for step in steps:
            env = forks[-1]
            scene, _, _, _, info = env.step(step)
            if info["outcome"] == "ok" and scene.failure is None:
                forks.pop()                      # it is the caller's now
                yield Found(env, scene, env.judge(), state.steps + [step])
            else:
                forks.pop().close()
    finally:
        state.env.world.request("env_close", envs=[env.id for env in forks])


def start(world, task, seed):
    env = worldd.Env(world, task, seed=seed)
    scene, _ = env.reset()
    return Found(env, scene, env.judge(), [])


def search(world, task, seed=0, budget=400):
    """(steps or None, states tried)"""
    root = start(world, task, seed)
    number, tried, seen = itertools.count(), 0, {}
    frontier = [(root.key(), next(number), root)]
    try:
        while frontier and tried < budget:
            _, _, state = heapq.heappop(frontier)
            with state.env, contextlib.closing(expand(state, task["apps"])) as reached:
                for found in reached:
                    tried += 1
                    if found.verdict["passed"]:
                        found.env.close()
                        return found.steps, tried
                    worth = score(found.verdict)
                    if len(found.steps) >= DEPTH_MAX or seen.get(found.scene.digest, (-1.0, False)) >= worth:
                        found.env.close()        # this screen was reached before, no worse
                        continue
                    seen[found.scene.digest] = worth
                    heapq.heappush(frontier, (found.key(), next(number), found))
        return None, tried
    finally:
        world.request("env_close", envs=[row[2].env.id for row in frontier])


def greedy(world, task, seed=0):
    """(steps or None, states tried): always the best next state, the first of equals."""
    state, tried = start(world, task, seed), 0
    for _ in range(DEPTH_MAX):
        found = list(expand(state, task["apps"]))
        tried += len(found)
        state.env.close()
        if not found:
            return None, tried
        state = max(found, key=lambda one: score(one.verdict))
        for other in found:
            if other is not state:
                other.env.close()
        if state.verdict["passed"]:
            break
    state.env.close()
    return (state.steps if state.verdict["passed"] else None), tried


def main():
    parser = argparse.ArgumentParser(description="Best-first search on forks, beside a greedy policy.")
    parser.add_argument("tasks", nargs="*", type=pathlib.Path)
    parser.add_argument("--endpoint", default=os.environ.get("WORLDD_CONTROL"))
    parser.add_argument("--budget", type=int, default=400, help="states tried per task; default 400")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    tasks = [json.loads(path.read_text(encoding="utf-8")) for path in arguments.tasks] or TASKS
    solved = [0, 0]
    with worldd.World(arguments.endpoint) if arguments.endpoint else worldd.World.private() as world:
        for task in tasks:
            steps, tried = search(world, task, arguments.seed, arguments.budget)
            plain, plain_tried = greedy(world, task, arguments.seed)
            solved = [solved[0] + (steps is not None), solved[1] + (plain is not None)]
            print(f"{task['id']}: search {'none' if steps is None else f'{len(steps)} steps'} after {tried} states, "
                  f"greedy {'none' if plain is None else f'{len(plain)} steps'} after {plain_tried}", flush=True)
    print(f"solved: search {solved[0]}, greedy {solved[1]} of {len(tasks)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
