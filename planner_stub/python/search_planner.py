#!/usr/bin/python3
"""A planner that looks ahead: best-first search with what-if, beside a greedy one that looks one step ahead.

    search_planner.py --endpoint ipc:///run/worldd/planner.sock [--greedy] [--name search]
    search_planner.py --compare [TASK ...] [--budget 4000] [--seed 0]

It works in mid-plan and on simulated phones: before it answers, candidates are tried with IMAGINE on forks of the run's phone and
judged, and the best state so far is gone on from; screens seen before with no better reward are left. A run must allow it:
`worldctl run --imagine 4000 ...`, or options.imagine of the verb. With --compare both planners do some shipped tasks on a private
daemon, and a line tells of each.
"""
import argparse
import contextlib
import heapq
import itertools
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "../../clients/python"))
import worldd  # noqa: E402

DEPTH_MAX = 8                # steps of a path; also of a greedy run
OPTIONS_MAX = 40             # things tried on one screen
CANDIDATES_MAX, STEPS_MAX = 64, 256      # of one IMAGINE
TASKS = ["demo/bluetooth_off", "contacts/favourite", "settings/dark_mode", "notes/move", "forum/join", "shop/cart"]


# ---- what may be done on a screen -----------------------------------------------------------------------------

def label_of(node):
    return node.get("text") or node.get("desc") or node.get("hint") or ""


def selectors(scene):
    """(node, selector) of what a person may touch. A path's later steps are planned before their screens are there, so nodes are
    named by what they are, not by their ids."""
    counts = {}
    for node in scene.nodes:
        if node.get("system_ui"):
            continue
        selector = {name: node[name] for name in ("resource_id", "text", "role") if node.get(name)}
        key = tuple(sorted(selector.items()))
        counts[key] = counts.get(key, -1) + 1
        if selector:
            yield node, {**selector, "ordinal": counts[key]}


def words_of(request):
    """What the task is about, in small letters: parameters and the words of the instruction."""
    words = [str(value).lower() for value in request.params.values() if isinstance(value, (str, int))]
    return words + [word.strip(".,:\"'").lower() for word in request.instruction.split() if len(word) > 3]


def options(scene, request):
    """Steps worth a try, the most promising first, with a measure of how much they have to do with the task."""
    words = words_of(request)
    found = []
    for node, selector in selectors(scene):
        flags, label = node.get("flags", {}), label_of(node).lower()
        about = sum(word in label or word in str(node.get("resource_id", "")).lower() for word in words)
        if flags.get("editable"):
            found += [(about + 1, worldd.Step("type", selector=selector, text=str(value)))
                      for value in request.params.values() if isinstance(value, (str, int))]
        elif flags.get("clickable") or flags.get("checkable"):
            found.append((about, worldd.Step("tap", selector=selector)))
        if flags.get("long_clickable"):
            found.append((about - 1, worldd.Step("long_press", selector=selector)))
    apps = list(request.message.task.apps)
    if scene.app == "launcher":
        found = [(1, worldd.Step("launch_app", app=app)) for app in apps] or found
    else:
        found.append((0, worldd.Step("back")))
    return sorted(found, key=lambda row: -row[0])[:OPTIONS_MAX]


# ---- the planners ---------------------------------------------------------------------------------------------

class SearchPlanner(worldd.Planner):
    """Best-first: of all states reached that with the highest reward is gone on from; of equals one without side effects, then
    the nearest."""

    def __init__(self, endpoint, name="search", **more):
        super().__init__(endpoint, name, **more)
        self.tried = 0                           # states, of the last search

    def plan(self, request):
        if request.imagine_left == 0:
            raise worldd.PlanFailed("this run allows no what-if (options.imagine)")
        try:
            steps = self.search(request)
        except worldd.BudgetExceeded:
            steps = None
        return worldd.abort("nothing was found that solves it") if steps is None else [*steps, worldd.complete()]

    def search(self, request):
        """The steps that solve the task, or None. Raises BudgetExceeded."""
        root = self.imagine(request, [[]])[0]
        number, seen, self.tried = itertools.count(), {root.scene.digest: root.reward}, 0
        frontier = [(0.0, False, 0.0, next(number), root)]
        if root.verdict["passed"]:
            return []
        while frontier:
            *_, cost, _, state = heapq.heappop(frontier)
            steps = options(state.scene, request)
            paths = [[*state.steps, step] for _, step in steps]
            for reached, (about, _) in zip(self._try(request, paths), steps):
                if reached.verdict["passed"]:
                    self.think(f"{len(reached.steps)} steps solve it, {self.tried} states were tried")
                    return reached.steps
                if not reached.whole or reached.ending or not reached.scene.nodes or len(reached.steps) >= DEPTH_MAX or \
                        seen.get(reached.scene.digest, -1.0) >= reached.reward:
                    continue                     # it cannot be gone on from, or was reached before, no worse
                seen[reached.scene.digest] = reached.reward
                cost_there = cost + (1.0 if about <= 0 else 0.5)         # what is about the task is half as far away
                heapq.heappush(frontier, (-reached.reward, bool(reached.side_effects), cost_there, next(number), reached))
        return None

    def _try(self, request, paths):
        """What comes of each path, a message for as many as one may ask for."""
        width = max(1, min(CANDIDATES_MAX, STEPS_MAX // max(map(len, paths), default=1)))
        for at in range(0, len(paths), width):
            for reached in self.imagine(request, paths[at:at + width]):
                self.tried += 1
                yield reached


class GreedyPlanner(worldd.Planner):
    """The best next state, the first of equals."""

    def plan(self, request):
        scene = self.imagine(request, [[]])[0].scene
        reached = self.imagine(request, [[step] for _, step in options(scene, request)])
        best = max((one for one in reached if one.whole), key=lambda one: one.reward, default=None)
        if best is None or request.step_index >= DEPTH_MAX:
            return worldd.abort("nowhere to go")
        return [*best.steps, worldd.complete()] if best.verdict["passed"] else best.steps


# ---- the program ----------------------------------------------------------------------------------------------

def compare(world, planner_endpoint, tasks, budget, seed):
    """How many of the tasks each solved."""
    solved = {"search": 0, "greedy": 0}
    with contextlib.ExitStack() as stack:
        search = stack.enter_context(SearchPlanner(planner_endpoint, "search"))
        stack.enter_context(GreedyPlanner(planner_endpoint, "greedy"))
        for task in tasks:
            results = {name: world.run(task, planner=name, seed=seed, imagine=budget) for name in solved}
            for name, result in results.items():
                solved[name] += result.passed
            told = ", ".join(f"{name} {f'{result.steps - 1} steps' if result.passed else 'none'}" for name, result in results.items())
            print(f"{task}: {told} ({search.tried} states tried)", flush=True)
    print(f"solved: search {solved['search']}, greedy {solved['greedy']} of {len(tasks)}")


def main():
    parser = argparse.ArgumentParser(description="Best-first search with what-if, beside a greedy planner.")
    parser.add_argument("--endpoint", "-e", default=os.environ.get("WORLDD_PLANNER"), help="worldd's planner socket")
    parser.add_argument("--greedy", action="store_true", help="look one step ahead only")
    parser.add_argument("--name", "-n", help="default search, or greedy")
    parser.add_argument("--compare", nargs="*", metavar="TASK", help="solve shipped tasks with both, on a private daemon")
    parser.add_argument("--budget", type=int, default=4000, help="steps imagined in a run, with --compare; default 4000")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.compare is not None:
        with worldd.World.private(settings=["planner.attempt_timeout_ms=120000", "run.deadline_ms=600000"]) as world:
            compare(world, world.daemon.planner_endpoint, arguments.compare or TASKS, arguments.budget, arguments.seed)
        return 0
    if not arguments.endpoint:
        parser.error("--endpoint or $WORLDD_PLANNER is needed, or --compare")
    kind = GreedyPlanner if arguments.greedy else SearchPlanner
    return kind(arguments.endpoint, arguments.name or ("greedy" if arguments.greedy else "search")).serve()


if __name__ == "__main__":
    sys.exit(main())
