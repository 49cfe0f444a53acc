"""What tests of executors share: daemons with a planner that runs an errand, phones of paper with their executors, runs."""

import json
import os

import pytest

from conftest import ROOT, episode_bytes
from test_planners import planner_log, start_python

CALM = ("planner.wait_ms=0", "executor.deadline_ms=20000", "executor.wait_ms=0")
# Lateness is noticed soon, but not so soon that a busy machine looks like a dead executor.
QUICK = ("planner.wait_ms=0", "executor.deadline_ms=2500", "executor.wait_ms=0")
PATIENT = ("planner.wait_ms=5000", "executor.deadline_ms=20000", "executor.wait_ms=20000")
TAP_NOTEBOOK = {"action": "tap", "args": {"selector": {"text": "Notebook"}}}
TAP_SHOPPING = {"action": "tap", "args": {"selector": {"text": "Shopping"}, "remember": {"opened": "Shopping"}}}
ERRAND = [{"steps": [TAP_NOTEBOOK]}, {"steps": [TAP_SHOPPING]},
          {"steps": [{"action": "key", "args": {"key": "menu"}}, {"action": "tap", "args": {"selector": {"text": "Delete"}}}]},
          {"steps": [{"action": "answer", "args": {"text": "It is gone: Shopping"}}, {"action": "complete"}]}]


class Phone:
    """An executor process with its paper phone."""

    def __init__(self, daemon, name="paper", *fault, **environment):
        self.daemon, self.name = daemon, name
        self.state = daemon.directory.parent / f"{name}.state"
        self.start(*fault, **environment)

    def start(self, *fault, **environment):
        self.process = start_python(self.daemon, self.name, ROOT / "tests/e2e/executor.py", self.daemon.planner_endpoint,
                                    self.name, self.state, *fault, env={**os.environ, **environment})
        return self

    def heard(self, kind=None):
        rows = [json.loads(line) for line in planner_log(self.daemon, self.name).splitlines() if line.startswith("{")]
        return [row for row in rows if kind in (None, row["kind"])]

    def dies(self):
        self.process.wait(30)
        self.daemon.children.remove(self.process)


@pytest.fixture
def loop(make_daemon, script_file):
    """loop(*settings, plans=) is a daemon with a planner that does the errand."""
    def start(*settings, plans=ERRAND):
        daemon = make_daemon(*(settings or CALM))
        daemon.planner(script_file(plans), "stub")
        return daemon
    return start


def run(daemon, *flags, executor="paper", instruction="Throw the shopping list away"):
    """(events, result) of a run on an executor."""
    done = daemon.ctl("run", "--executor", executor, "--instruction", instruction, "--json", *flags)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines and "ending" in lines[-1], done.stdout + done.stderr + daemon.log_text()
    return lines[:-1], lines[-1]


def rows(path):
    return [json.loads(line) for line in episode_bytes(path).splitlines()]


def steps_of(events):
    return [(event["action"], event["outcome"], event["code"]) for event in events if event["event"] == "step"]
