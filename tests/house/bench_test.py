#!/usr/bin/python3
"""The benchmarks that start a daemon of their own do so, and add the rows that their targets are about. What they reach is not
looked at here: only the release build counts, on a quiet machine.

usage: bench_test.py REPOSITORY BUILD
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT, BENCH = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) / "bin/worldd-bench"


def run(*arguments):
    return subprocess.run([BENCH, *arguments], capture_output=True, text=True, timeout=200).stdout


names = [line.split()[0] for line in run("--list").splitlines()]
targets = re.findall(r'\{ "(\w+)", "([^"]+)", WD_TARGET', (ROOT / "bench/targets.c").read_text(encoding="utf-8"))
failures = [f"targets.c names {bench}, which --list does not" for bench, _ in targets if bench not in names]
failures += [f"docs/performance.md and --list: {name} is not told of" for name in ("wire", "python")
             if f"worldd-bench {name}" not in (ROOT / "docs/performance.md").read_text(encoding="utf-8")]
rows = {row["name"] for row in json.loads(run("wire", "runs", "--quick", "--json"))["rows"]}
failures += [f"wire: no row '{row}'" for row in ("CPU a step while 2,000 runs wait", "threads while they wait") if row not in rows]
print("\n".join(failures) or f"{len(names)} benchmarks")
sys.exit(bool(failures))
