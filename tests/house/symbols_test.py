#!/usr/bin/python3
"""No two rooms define one global name: static libraries would quietly take whichever comes first.

usage: symbols_test.py BUILD_DIRECTORY
"""
import collections
import pathlib
import subprocess
import sys

places = collections.defaultdict(set)
# Programs link the rooms together; the planners link proto alone.
archives = [path for path in pathlib.Path(sys.argv[1]).rglob("libwd_*.a") if "planner_stub" not in path.name]
for archive in archives:
    for line in subprocess.run(["nm", "-g", "--defined-only", archive], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        parts = line.split()
        if len(parts) == 3 and not parts[2].startswith(("__odr_asan", "__asan", "_sub_")):
            places[parts[2]].add(archive.name)
clashes = {name: sorted(where) for name, where in places.items() if len(where) > 1}
for name, where in sorted(clashes.items()):
    print("FAIL", name, "is defined in", " and ".join(where))
print(f"{len(archives)} libraries, {len(places)} global names: {len(clashes)} clashes")
sys.exit(1 if clashes or not archives else 0)
