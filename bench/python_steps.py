"""The Python side of `worldd-bench python`: steps a herd in a daemon as it is told on standard input.

usage: python_steps.py ENDPOINT COUNT      "none 12" -> the nanoseconds that 12 steps of each took; prints "ready" when it is
"""
import sys
import time

import worldd

TAPS = [worldd.Step("tap", selector={"resource_id": name}) for name in ("pin", "edit", "save")]     # as notes_steps.c


def preparation(phone: int) -> list[worldd.Step]:
    """A note that no other phone has, as notes_steps.c writes it."""
    return [worldd.Step("launch_app", app="notes"), worldd.Step("tap", selector={"resource_id": "new_note"}),
            worldd.Step("type", selector={"resource_id": "title"}, text=f"Note {phone}"),
            worldd.Step("type", selector={"resource_id": "body"}, text=f"What phone {phone} has to remember, and no other"),
            TAPS[2]]


def main() -> None:
    endpoint, count = sys.argv[1], int(sys.argv[2])
    with worldd.World(endpoint) as world:
        vecs = {observe: worldd.VecEnv(world, num_envs=count, observe=observe) for observe in ("none", "changed")}
        for vec in vecs.values():
            for actions in zip(*(preparation(phone) for phone in range(count))):
                vec.step(list(actions))
        print("ready", flush=True)
        for line in sys.stdin:
            observe, steps = line.split()
            began = time.monotonic_ns()
            for step in range(int(steps)):
                infos = vecs[observe].step([TAPS[step % len(TAPS)] for _ in range(count)])[4]
            spent = time.monotonic_ns() - began
            assert set(infos["code"]) == {"ok"}, list(infos["text"])
            print(spent, flush=True)


main()
