"""The examples do what they say."""
import json
import subprocess
import sys

from conftest import EXAMPLES, ROOT


def example(path, *arguments):
    done = subprocess.run([sys.executable, "-B", path, *map(str, arguments)], capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_ten_thousand_transitions(worldd_daemon, tmp_path):
    program, endpoint = EXAMPLES / "collect_transitions.py", worldd_daemon.control_endpoint
    example(program, tmp_path / "a", "--observe", "none", "--endpoint", endpoint)
    rows = [json.loads(line) for line in (tmp_path / "a").open(encoding="utf-8")]
    assert len(rows) >= 10000 and any(row["truncated"] for row in rows) and any(row["reward"] for row in rows)
    for name in ("b", "c"):
        example(program, tmp_path / name, "--count", 200, "--envs", 8, "--seed", 4, "--endpoint", endpoint)
    assert (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes(), "the same arguments give the same bytes"


def test_a_group_of_forks(worldd_daemon):
    lines = example(EXAMPLES / "grpo_group.py", "--endpoint", worldd_daemon.control_endpoint).splitlines()
    assert len(lines) == 8 and len({line.split("reward ")[1].split(",")[0] for line in lines}) > 1, "their rewards differ"


def test_search_solves_more_than_greed_on_shipped_tasks():
    lines = example(ROOT / "planner_stub/python/search_planner.py", "--compare").splitlines()
    searched, greedy = (int(part.split()[-1]) for part in lines[-1].split(" of ")[0].split(","))
    assert len(lines) == 7 and searched > greedy >= 1 and searched >= 5, lines
