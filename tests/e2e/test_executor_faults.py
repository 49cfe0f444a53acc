"""Executors that die, come back or misbehave in worldd's own loop, and worldd started anew between them."""
import json
import signal

import pytest

from conftest import until
from paper_phone import PATIENT, QUICK, TAP_NOTEBOOK, TAP_SHOPPING, Phone, loop, rows, run, steps_of  # noqa: F401
from peers import Doors


# ---- executors that fail ----------------------------------------------------------------------------------------------

def test_nobody_is_there(loop):
    daemon = loop()
    for executor, text in (("paper", "no executor named paper is connected"), ("*", "no executor is connected")):
        events, result = run(daemon, executor=executor)
        assert (events, result["ending"], result["text"]) == ([], "executor_lost", text)
        assert [row["type"] for row in rows(result["episode"])] == ["header", "end"]


def test_killed_in_the_middle_of_an_action(loop):
    """Whether it was done nobody knows: the run ends with every whole step, and the next one is its successor's."""
    daemon = loop(*PATIENT)
    phone = Phone(daemon, "paper", "die_executing", 2)
    Phone(daemon, "other")
    events, result = run(daemon)
    assert result["ending"] == "executor_lost" and result["text"].startswith("executor paper is gone"), result
    assert steps_of(events) == [("tap", "ok", "ok")] and result["steps"] == 1
    assert [row["type"] for row in rows(result["episode"])].count("step") == 1
    phone.dies()
    assert phone.state.read_text() == "03_note"                  # it was done, once, though nobody said so
    phone.state.unlink()
    phone.start()
    assert run(daemon)[1]["ending"] == "complete"


@pytest.mark.parametrize("fault", ["die_after", "die_observing"])
def test_restarted_between_steps_the_run_goes_on(loop, fault):
    daemon = loop(*PATIENT)
    phone = Phone(daemon, "paper", fault, 2)
    client = daemon.ctl_started("run", "--executor", "paper", "--instruction", "Throw it away", "--json")
    phone.dies()
    phone.start()
    said, _ = client.communicate(timeout=60)
    result = json.loads(said.splitlines()[-1])
    assert result["ending"] == "complete" and phone.state.read_text() == "05_notes_again", result
    executed = phone.heard("EXECUTE_REQUEST")
    assert len({row["id"] for row in executed}) == len(executed) == 4        # each once
    assert max(row["attempt"] for row in phone.heard("OBSERVE_REQUEST")) == 2


@pytest.mark.parametrize("fault, ending, text", [
    ("hang", "executor_lost", "executor paper did not answer before the deadline"),
    ("unable", "executor_lost", "executor paper refused: unplugged"),
])
def test_one_that_hangs_or_gives_up_ends_the_run(loop, fault, ending, text):
    daemon = loop(*QUICK)
    phone = Phone(daemon, "paper", fault, 2)
    _, result = run(daemon)
    assert (result["ending"], result["text"], result["steps"]) == (ending, text, 1), result
    cancelled = [{"kind": "EXECUTOR_CANCEL"}] if fault == "hang" else []
    until("what it is told", lambda: phone.heard("EXECUTOR_CANCEL") == cancelled)


@pytest.mark.parametrize("fault", ["blind", "nonsense", "nothing"])
def test_a_screen_that_cannot_be_had_is_gone_on_without(loop, fault):
    daemon = loop(plans=[{"steps": [{"action": "back"}]}, {"steps": [TAP_NOTEBOOK], "may_fail": True},
                         {"steps": [{"action": "back"}]}])
    phone = Phone(daemon, "paper", fault, 2)
    events, result = run(daemon)
    assert result["ending"] == "complete", result
    assert [code for _, _, code in steps_of(events)][:3] == ["no_effect", "target_gone", "no_effect"]
    assert len(phone.heard("OBSERVE_REQUEST")) == 3 and "no scene" in daemon.log_text()
    assert daemon.status()[0]["planners"]["malformed"] == (fault == "nothing")


def test_an_action_that_fails_is_seen_and_drops_its_plan(loop):
    daemon = loop(plans=[{"steps": [TAP_NOTEBOOK, TAP_SHOPPING], "may_fail": True}])
    Phone(daemon, "paper", "fail", 1)
    events, _ = run(daemon)
    assert steps_of(events) == [("tap", "failed", "failed"), ("complete", "ok", "ok")]
    assert [event["text"] for event in events if event.get("outcome") == "failed"] == ["E_ADB: device offline"]


def test_a_second_answer_is_counted_and_changes_nothing(loop):
    daemon = loop()
    Phone(daemon, "paper", "twice", 2)
    assert run(daemon)[1]["ending"] == "complete"
    assert daemon.status()[0]["planners"]["repeated_replies"] == 1


def test_what_clients_may_ask_of_such_a_run(loop):
    daemon = loop(*PATIENT)
    phone = Phone(daemon, "paper", "hang", 1)
    doors = Doors(daemon)
    client = doors.client().greet()
    try:
        running = client.ask("run", executor="paper", instruction="first", run_id="first")
        until("its action", lambda: phone.heard("EXECUTE_REQUEST"))
        assert client.control("scene", run="first")["app_package"] == "com.example.launcher"
        assert [row["executor"] for row in client.control("runs")] == ["peer:paper"]
        for verb, arguments, text in (
                ("state", {"run": "first"}, "args.run: the device of an executor tells no state"),
                ("judge", {"run": "first"}, "judge: the device tells no state, and the task demands nothing else"),
                ("run", {"instruction": "x"}, "args.instruction: only with args.executor"),
                ("run", {"instruction": "x", "task": "demo/bluetooth_off", "executor": "paper"}, "args.instruction: given beside"),
                ("run", {"instruction": "x", "executor": "p" * 65}, "args.executor: no name has more than 64 bytes"),
                ("run", {"instruction": 7, "executor": "paper"}, "args.instruction: must be a text"),
                ("run", {"executor": "paper"}, "args.task: ")):
            client.ask(verb, **arguments)
            _, refused = client.receive("ERROR", "REPLY")
            assert refused.text.startswith(text), (verb, refused)
        children, daemon.children = daemon.children, []
        assert daemon.stop() == 0                                  # what is in hand ends with worldd
        daemon.children = children
        assert client.answer(running)["ending"] == "cancelled"
        until("their parting", lambda: [row["kind"] for row in phone.heard()][-2:] == ["EXECUTOR_CANCEL", "GOODBYE"])
    finally:
        doors.close()


# ---- worldd is started anew -------------------------------------------------------------------------------------------

def test_executor_planner_and_client_survive_a_restart_of_worldd(loop):
    daemon = loop(*PATIENT)
    phone = Phone(daemon)
    doors = Doors(daemon)
    client = doors.client().greet()
    try:
        assert client.control("run", executor="paper", instruction="first")["ending"] == "complete"
        children, daemon.children = daemon.children, []
        daemon.stop(signal.SIGKILL)
        daemon.start()
        daemon.children = children
        phone.state.unlink()
        until("their return", lambda: {peer["role"] for peer in daemon.status()[1]} == {"planner", "executor"})
        client.close()
        again = doors.client().greet()
        assert again.control("run", executor="paper", instruction="second")["ending"] == "complete"
        assert phone.process.poll() is None
    finally:
        doors.close()


def test_worldd_killed_in_the_middle_of_an_action(loop):
    """What was asked before is void: the executor says Hello to the next worldd, and nothing is done a second time."""
    daemon = loop(*PATIENT)
    phone = Phone(daemon, "paper", "hang", 2)
    client = daemon.ctl_started("run", "-x", "paper", "-t", "first", "-i", "first", "--json")
    until("its action", lambda: len(phone.heard("EXECUTE_REQUEST")) == 2)
    children, daemon.children = daemon.children, []
    daemon.stop(signal.SIGKILL)
    client.kill()
    daemon.start()
    daemon.children = children
    until("its return", lambda: any(peer["role"] == "executor" for peer in daemon.status()[1]))
    assert len(phone.heard("EXECUTE_REQUEST")) == 2
    assert [row["type"] for row in rows(daemon.directory / "episodes/first.jsonl")].count("step") == 1
    phone.state.unlink()
    assert run(daemon)[1]["ending"] == "complete"
