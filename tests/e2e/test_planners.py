"""Planners that fail, come back or misbehave, as processes; what the run and worldd make of it."""
import os
import shutil
import signal
import subprocess
import sys

import pytest

from conftest import PLANS, ROOT, until

BLUETOOTH = "demo/bluetooth_off"
# Silence and lateness are noticed soon, but not so soon that a busy machine looks like a dead planner; silence first.
QUICK = ("planner.heartbeat_ms=200", "planner.liveness=10", "planner.attempt_timeout_ms=2500", "planner.wait_ms=0")
CALM = ("planner.wait_ms=0",)
SCRIPT = PLANS / "bluetooth_off.json"


def planner_log(daemon, name):
    return (daemon.directory.parent / f"{name}.planner.log").read_text()


def start_python(daemon, name, *command, **options):
    """A planner in Python, known to the daemon when this returns."""
    with open(daemon.directory.parent / f"{name}.planner.log", "ab") as log:
        child = subprocess.Popen([sys.executable, *map(str, command)], stdout=log, stderr=log, **options)
    daemon.children.append(child)
    until(f"planner {name}", lambda: any(peer["name"] == name for peer in daemon.status()[1]))
    return child


# ---- alone: the run ends saying so ----------------------------------------------------------------------------------

FAULTS = {
    "die": ("planner_lost", "planner bad"),
    "silent": ("planner_lost", "planner bad is gone: silent"),
    "hang": ("planner_late", "planner bad did not answer within 2500 ms"),
    "garbage": ("format_error", ""),
    "refuse": ("planner_lost", "planner bad refused: told to refuse"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planner_that_fails_ends_the_run_saying_so(make_daemon, fault):
    daemon = make_daemon(*QUICK)
    daemon.planner(SCRIPT, "bad", "--fault", fault)
    _, result = daemon.run(BLUETOOTH, "--planner", "bad")
    ending, text = FAULTS[fault]
    assert result["ending"] == ending and text in result["text"], result


# ---- with another: the run goes on ------------------------------------------------------------------------------------

@pytest.mark.parametrize("fault", ["die", "silent", "hang"])
def test_another_planner_takes_over(make_daemon, fault):
    daemon = make_daemon(*QUICK)
    daemon.planner(SCRIPT, "a-bad", "--fault", fault)     # asked first: the longest idle of two, by age
    daemon.planner(SCRIPT, "good")
    events, result = daemon.run(BLUETOOTH)
    assert result["ending"] == "complete" and result["verdict"]["passed"], result
    assert {event["planner"] for event in events if event["event"] == "step"} == {"good"}


def test_a_stopped_process_loses_the_request(make_daemon):
    """SIGSTOP: the socket stays, the planner is silent."""
    daemon = make_daemon(*QUICK)
    stopped = daemon.planner(SCRIPT, "a-stopped")
    daemon.planner(SCRIPT, "good")
    stopped.send_signal(signal.SIGSTOP)
    try:
        _, result = daemon.run(BLUETOOTH)
        assert result["verdict"]["passed"], result
        until("the loss", lambda: [peer["name"] for peer in daemon.status()[1]] == ["good"])
    finally:
        stopped.send_signal(signal.SIGCONT)
    until("its return", lambda: len(daemon.status()[1]) == 2)       # it is asked who it is, and says Hello


@pytest.mark.parametrize("fault, counter", [("twice", "repeated_replies"), ("stranger", "unknown_replies")])
def test_answers_too_many_are_counted_and_change_nothing(make_daemon, fault, counter):
    daemon = make_daemon(*QUICK)
    daemon.planner(SCRIPT, "odd", "--fault", fault)
    _, result = daemon.run(BLUETOOTH)
    assert result["verdict"]["passed"], result
    until("the count", lambda: daemon.status()[0]["planners"][counter] == result["steps"])


def test_a_late_answer_is_counted_and_changes_nothing(make_daemon):
    daemon = make_daemon(*QUICK)
    daemon.planner(SCRIPT, "slow", "--think", "2800")
    _, result = daemon.run(BLUETOOTH)
    assert result["ending"] == "planner_late", result
    assert daemon.status()[0]["runs"]["open"] == 0


def test_a_newer_instance_of_the_name_takes_over(make_daemon):
    daemon = make_daemon(*QUICK)
    older = daemon.planner(SCRIPT, "same")
    newer = daemon.planner(SCRIPT, "same")
    assert older.wait(30) == 3
    assert daemon.run(BLUETOOTH)[1]["verdict"]["passed"]
    assert newer.poll() is None
    assert daemon.status()[0]["planners"]["superseded"] == 1


# ---- worldd is started anew ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("language", ["c", "python"])
def test_a_planner_survives_a_restart_of_worldd(make_daemon, language):
    daemon = make_daemon(*QUICK)
    if language == "c":
        child = daemon.planner(SCRIPT, "loyal")
    else:
        child = start_python(daemon, "loyal", ROOT / "planner_stub/python/planner.py", "--endpoint",
                             daemon.planner_endpoint, "--script", SCRIPT, "--name", "loyal")
    assert daemon.run(BLUETOOTH)[1]["verdict"]["passed"]
    daemon.children.remove(child)
    daemon.stop(signal.SIGKILL)
    daemon.children.append(child)
    daemon.start()
    until("its return", lambda: any(peer["name"] == "loyal" for peer in daemon.status()[1]))
    assert daemon.run(BLUETOOTH)[1]["verdict"]["passed"]
    assert child.poll() is None


def test_ten_planners_share_the_work(make_daemon):
    daemon = make_daemon(*CALM)
    for number in range(10):
        daemon.planner(SCRIPT, f"p{number}", "--max-inflight", "1", "--think", "30")
    runs = [daemon.ctl_started("run", BLUETOOTH, "--json") for _ in range(20)]
    for run in runs:
        said, _ = run.communicate(timeout=60)
        assert run.returncode == 0, said.splitlines()[-1]
    shares = {peer["name"]: peer["replies"] for peer in daemon.status()[1]}
    assert len(shares) == 10 and min(shares.values()) > 0, shares


# ---- Python ---------------------------------------------------------------------------------------------------------------

def test_the_scripted_python_planner_writes_twice_and_navigates_once(make_daemon):
    daemon = make_daemon(*CALM)
    start_python(daemon, "python", ROOT / "planner_stub/python/planner.py", "--endpoint", daemon.planner_endpoint,
                 "--script", PLANS / "message_contact.json")
    events, result = daemon.run("demo/message_contact")
    assert result["verdict"]["passed"], result
    actions = [event["action"] for event in events if event["event"] == "step"]
    assert actions == ["launch_app", "tap", "type", "tap", "type", "tap", "complete"]


@pytest.mark.parametrize("world", ["true", "false"])
def test_without_a_world_state_it_navigates_twice(make_daemon, world):
    daemon = make_daemon(*CALM, f"world.enabled={world}")
    daemon.planner(PLANS / "message_contact.json", "messenger")
    events, result = daemon.run("demo/message_contact")
    launches = sum(event["action"] == "launch_app" for event in events if event["event"] == "step")
    assert launches == (1 if world == "true" else 2) or result["ending"] == "abort", result


def test_the_planner_of_one_file_works_as_it_stands(make_daemon, tmp_path):
    """Copied into an empty folder, against a running daemon."""
    daemon = make_daemon(*CALM)
    folder = tmp_path / "empty"
    folder.mkdir()
    shutil.copy(ROOT / "planner_stub/python/hello_planner.py", folder)
    start_python(daemon, "hello", "-B", "hello_planner.py", daemon.planner_endpoint, cwd=folder,
                 env={"PATH": os.environ["PATH"]})
    events, result = daemon.run(BLUETOOTH, "--planner", "hello")
    assert result["ending"] == "complete", result
    assert [event["action"] for event in events if event["event"] == "step"][-1] == "complete"
    assert sorted(path.name for path in folder.iterdir()) == ["hello_planner.py"]
