#!/usr/bin/python3
"""Follow a growing folder of UI dumps, as an agent loop on a real phone leaves one, and say what worldd makes of it.

    follow_folder.py FOLDER ["the task"] [--endpoint ipc:///run/worldd/control.sock] [--idle SECONDS]

Dumps are taken in order of their names. A file NAME.json beside a dump tells what was done before it: {"action": {...},
"remember": {...}, "outcome": "ok"}. Without --endpoint (or WORLDD_CONTROL) a private daemon is started. It ends when no
new dump came for --idle seconds. Dumps must be moved into the folder whole (write, then rename).
"""
import argparse
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import worldd  # noqa: E402


def new_dumps(folder, idle):
    """Each dump once, as it appears, until none has come for `idle` seconds."""
    taken, last = set(), time.monotonic()
    while time.monotonic() - last < idle:
        fresh = sorted(path for path in folder.iterdir() if path.suffix != ".json" and path.name not in taken)
        for path in fresh:
            taken.add(path.name)
            yield path
            last = time.monotonic()
        if not fresh:
            time.sleep(0.1)


def follow(world, folder, task, idle):
    with world.tracker(task) as tracker:
        for path in new_dumps(folder, idle):
            beside = path.with_suffix(".json")
            done = json.loads(beside.read_text(encoding="utf-8")) if beside.exists() else {}
            seen = tracker.observe(path.read_text(encoding="utf-8", errors="replace"), **done)
            print(f"{path.name}: {seen.failure or ''}\n  " + str(seen.world).replace("\n", "\n  "), flush=True)
    print("recorded in", tracker.episode)


def main():
    parser = argparse.ArgumentParser(description="Follow a growing folder of UI dumps.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("task", nargs="?", default="")
    parser.add_argument("--endpoint", default=os.environ.get("WORLDD_CONTROL"))
    parser.add_argument("--idle", type=float, default=10.0)
    arguments = parser.parse_args()
    try:
        with worldd.World(arguments.endpoint) if arguments.endpoint else worldd.World.private() as world:
            follow(world, arguments.folder, arguments.task, arguments.idle)
    except worldd.WorlddError as error:
        print(f"follow_folder.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
