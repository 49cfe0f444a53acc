"""worldd's own loop over executors: whole runs on a phone of paper, executors that die, come back or misbehave, and worldd
started anew between them."""
import json
import os
import select
import signal

import pytest

from conftest import ROOT, SHARED, episode_bytes, until
from peers import Doors, wire
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


# ---- whole runs -----------------------------------------------------------------------------------------------------

def test_a_whole_run_needs_no_more_than_an_instruction(loop):
    daemon = loop()
    phone = Phone(daemon)
    events, result = run(daemon)
    assert (result["ending"], result["answer"]) == ("complete", "It is gone: Shopping"), result
    assert [event["page_after"] for event in events if event["event"] == "step"][:4] == [
        "All notes", "Shopping", "Delete this note?", "All notes"]
    assert result["world"]["variables"] == {"opened": "Shopping"} and "verdict" not in result
    assert phone.state.read_text() == "05_notes_again"
    taps = phone.heard("EXECUTE_REQUEST")
    assert [(row["action"], row["x"], row["y"], row["text"]) for row in taps] == [
        ("tap", 410, 2025, "Notebook"), ("tap", 540, 310, "Shopping"), ("key", 0, 0, ""), ("tap", 825, 1410, "Delete")]
    assert all(row["attempt"] == 1 and 0 < row["deadline_ms"] <= 20000 and "remember" not in row["args"] for row in taps)
    assert len(phone.heard("OBSERVE_REQUEST")) == 5
    assert [(row["name"], row["role"], row["runs"]) for row in daemon.status()[1] if row["role"] == "executor"] == [
        ("paper", "executor", 0)]


def test_its_episode_names_the_executor_and_replays_without_a_simulator(loop):
    daemon = loop()
    Phone(daemon)
    _, result = daemon.run("Throw it away", "--executor", "*")
    header = rows(result["episode"])[0]
    assert header["executor"] == "peer:paper" and "machine" not in header
    daemon.stop()
    assert len(daemon.ctl("episode", "export", result["episode"]).stdout.splitlines()) == result["steps"]
    for flags in ([], ["--passive"]):
        done = daemon.ctl("replay", "--json", *flags, result["episode"])
        assert done.returncode == 0, done.stderr
        told = [json.loads(line) for line in done.stdout.splitlines()]
        assert [row.get("page") for row in told if row.get("action")][:4] == [
            "All notes", "Shopping", "Delete this note?", "All notes"]


def test_what_can_be_judged_without_a_state_is_and_the_rest_is_named(loop, task_file):
    daemon = loop()
    phone = Phone(daemon)
    order = [{"name": "look first", "before": {"page": "Shopping"}, "then": {"page": "Delete this note?"}}]
    for members, exit_code, success, unjudged in (
            (dict(answer="Shopping", order=order), 0, True, ["side effects"]),
            (dict(answer="milk"), 1, False, ["side effects"]),
            (dict(answer="Shopping", criteria={"os.locale": "en", "route": "/notes"}), 1, False,
             ["criteria.os.locale", "criteria.route", "side effects"]),
            (dict(answer={"$length": ".notes"}, check="records", apps=["notes"]), 1, False,
             ["answer", "check", "side effects"])):
        phone.state.unlink(missing_ok=True)
        done = daemon.ctl("run", task_file(**members), "--executor", "paper", "--json")
        verdict = json.loads(done.stdout.splitlines()[-1])["verdict"]
        assert (done.returncode, verdict["success"], verdict["passed"]) == (exit_code, success, success), verdict
        assert verdict["unjudged"] == unjudged and "clean" not in verdict, verdict
        assert ("error" in verdict) == (unjudged[0] == "answer")
    shown = daemon.ctl("run", task_file(answer="milk", criteria={"os.locale": "en"}), "--executor", "paper").stdout
    assert "clean unknown" in shown and "not judged, the device tells no state: criteria.os.locale, side effects" in shown


def test_targets_are_found_or_refused_by_worldd(loop):
    plans = [{"steps": [{"action": "tap", "args": args}], "may_fail": True} for args in (
        {"selector": {"text": "Nowhere"}}, {"selector": {"resource_id": "icon"}}, {"node": 4000}, {"x": 5000, "y": 3})]
    plans += [{"steps": [{"action": "swipe", "args": {"direction": "up", "direction_of": "finger"}}]},
              {"steps": [{"action": "scroll", "args": {"selector": {"text": "Phone"}, "direction": "down"}}]},
              {"steps": [{"action": "type", "args": {"text": "hello"}}]},
              {"steps": [{"action": "tap", "args": {"x": 0.5, "y": 0.25, "space": "norm1"}}]}]
    daemon = loop(plans=plans)
    phone = Phone(daemon)
    events, _ = run(daemon)
    assert [code for _, _, code in steps_of(events)][:4] == [
        "target_missing", "target_ambiguous", "target_missing", "bad_arguments"]
    swipe, scroll, typed, tap = phone.heard("EXECUTE_REQUEST")
    assert (swipe["x"], swipe["y"], swipe["end"], swipe["node"]) == (540, 1800, [540, 600], -1)
    assert (scroll["x"], scroll["y"], scroll["end"]) == (160, 2087, [160, 1962])
    assert (typed["target"], typed["args"]) == (False, {"text": "hello"})
    assert (tap["x"], tap["y"]) == (540, 600)


def test_recorded_screens_one_after_the_other(loop, tmp_path):
    found = sorted((SHARED / "recordings").rglob("*.xml"))[:6] if (SHARED / "recordings").is_dir() else []
    if not found:
        pytest.skip("no recordings here")
    folder = tmp_path / "roll"
    folder.mkdir()
    for number, path in enumerate(found):
        (folder / f"{number}.xml").write_bytes(path.read_bytes())
    daemon = loop(plans=[{"steps": [{"action": "back"}]} for _ in found])
    Phone(daemon, EXECUTOR_SCREENS=str(folder))
    events, result = run(daemon)
    assert result["ending"] == "complete" and len(steps_of(events)) == len(found) + 1, result


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


# ---- one run at a time ------------------------------------------------------------------------------------------------

def test_runs_share_executors_one_at_a_time(loop, script_file):
    daemon = loop(*PATIENT, plans=[{"steps": [{"action": "wait", "args": {"ms": 50}}]}])
    daemon.planner(script_file([{"steps": [{"action": "back"}]}]), "second")
    phones = [Phone(daemon, name) for name in ("left", "right")]
    clients = [daemon.ctl_started("run", "-x", "*", "-t", "any", "--json") for _ in range(6)]
    names = []
    for client in clients:
        said, _ = client.communicate(timeout=60)
        result = json.loads(said.splitlines()[-1])
        assert result["ending"] == "complete", result
        names.append(rows(result["episode"])[0]["executor"])
    assert set(names) == {"peer:left", "peer:right"}
    assert sum(len(phone.heard("OBSERVE_REQUEST")) for phone in phones) >= 12


def test_two_runs_at_once_where_its_hello_says_so(make_daemon):
    daemon = make_daemon(*CALM)
    Phone(daemon, EXECUTOR_RUNS="2")
    doors = Doors(daemon)
    planner, client = doors.planner().greet(max_inflight=2), doors.client().greet()
    try:
        runs = [client.ask("run", executor="*", instruction="any") for _ in range(2)]
        asked = [planner.receive("PLAN_REQUEST")[1] for _ in runs]
        assert [row["runs"] for row in daemon.status()[1] if row["role"] == "executor"] == [2]
        assert client.control("run", executor="*", instruction="third")["text"] == "every executor serves another run"
        for request in asked:
            planner.reply(request, ("complete", {}))
        assert {client.answer(run)["ending"] for run in runs} == {"complete"}
    finally:
        doors.close()


def test_an_enricher_reads_the_screens_of_an_executor(loop):
    daemon = loop(*CALM, "semantic.enricher=*")
    start_python(daemon, "reader", ROOT / "tests/e2e/enricher.py", daemon.planner_endpoint, "reader", "right")
    Phone(daemon)
    _, result = run(daemon)
    assert result["ending"] == "complete", result
    assert {row["semantic"]["enricher"] for row in rows(result["episode"]) if row["type"] == "scene"} == {"reader"}


def test_a_busy_executor_is_waited_for_only_so_long(loop):
    daemon = loop(*QUICK, plans=[{"steps": [{"action": "back"}]}])
    Phone(daemon, "paper", "hang", 1)
    busy = daemon.ctl_started("run", "-x", "paper", "-t", "first", "--json")
    until("the first run", lambda: any(row.get("executor") == "peer:paper" and row["steps"] == 0
                                       for row in daemon.status()[2]))
    until("its lease", lambda: [row["runs"] for row in daemon.status()[1] if row["role"] == "executor"] == [1])
    _, result = run(daemon)
    assert (result["ending"], result["text"]) == ("executor_lost", "executor paper serves another run")
    busy.communicate(timeout=60)


def test_a_cancelled_run_lets_its_executor_go(loop):
    daemon = loop(*PATIENT, plans=[{"steps": [{"action": "back"}]}])
    phone = Phone(daemon, "paper", "hang", 1)
    client = daemon.ctl_started("run", "-x", "paper", "-t", "first", "-i", "first", "--json")
    until("its action", lambda: phone.heard("EXECUTE_REQUEST"))
    assert daemon.ctl("cancel", "first").returncode == 0
    said, _ = client.communicate(timeout=60)
    assert json.loads(said.splitlines()[-1])["ending"] == "cancelled"
    until("what it is told", lambda: phone.heard("EXECUTOR_CANCEL"))
    assert run(daemon)[1]["ending"] == "complete"


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


# ---- what planners think ------------------------------------------------------------------------------------------------

@pytest.fixture
def thinker(make_daemon):
    daemon = make_daemon(*CALM)
    doors = Doors(daemon)
    yield daemon, doors, doors.planner("thinker").greet()
    doors.close()


def test_thoughts_reach_the_client_and_who_watches(thinker):
    daemon, doors, planner = thinker
    client, watcher = doors.client("client").greet(), doors.client("watcher").greet()
    watcher.ask("watch")
    running = client.ask("run", task="demo/bluetooth_off", run_id="thinking")
    _, request = planner.receive("PLAN_REQUEST")
    for text in ("it is in the settings", "\u0007so I go there"):
        planner.send("PLAN_THOUGHT", planner_thought(request.request_id, text))
    planner.reply(request, ("abort", {"reason": "enough"}))
    assert client.answer(running)["ending"] == "abort"
    expected = [{"event": "thought", "run": "thinking", "planner": "thinker", "text": text}
                for text in ("it is in the settings", "\u0007so I go there")]
    seen = [event for event in events_until_end(watcher) if event["event"] == "thought"]
    assert [{key: event[key] for key in expected[0]} for event in seen] == expected
    episode = daemon.directory / "episodes/thinking.jsonl.zst"
    assert b"it is in the settings" not in episode_bytes(episode)
    assert daemon.status()[0]["planners"]["thoughts"] == 2


def test_worldctl_shows_thoughts(thinker):
    daemon, _, planner = thinker
    client = daemon.ctl_started("run", "demo/bluetooth_off", "--run-id", "aloud")
    _, request = planner.receive("PLAN_REQUEST")
    watching = daemon.ctl_started("watch")

    def line():
        planner.send("PLAN_THOUGHT", planner_thought(request.request_id, "so\x07 I go"))
        return select.select([watching.stdout], [], [], 0.25)[0]
    until("worldctl watches", line)
    assert watching.stdout.readline() == "aloud thinker thinks: so  I go\n"
    planner.reply(request, ("abort", {}))
    said, _ = client.communicate(timeout=60)
    assert "      thinker thinks: so  I go\n" in said, said


def test_thoughts_have_bounds(thinker):
    daemon, doors, planner = thinker
    running = doors.client().greet().ask("run", task="demo/bluetooth_off")
    _, request = planner.receive("PLAN_REQUEST")
    planner.send("PLAN_THOUGHT", planner_thought(request.request_id, "x" * 4097))
    planner.refused("ELIMIT", "text: has 4097 bytes, at most 4096")
    planner.send("PLAN_THOUGHT", planner_thought(request.request_id + 50, "x"))
    planner.refused("ENOENT", "request_id: ")
    for _ in range(260):
        planner.send("PLAN_THOUGHT", planner_thought(request.request_id, "x" * 4096))
    planner.refused("ELIMIT", "text: 256 thoughts of request ")
    planner.reply(request, ("abort", {}))
    assert doors.peers[1].answer(running)["ending"] == "abort"
    counts = daemon.status()[0]["planners"]
    assert (counts["thoughts"], counts["thoughts_dropped"]) == (256, 4)
    planner.send("PLAN_THOUGHT", planner_thought(request.request_id, "late"))
    planner.refused("EEXIST", "request_id: ")


def planner_thought(request_id, text):
    return wire.SCHEMA["PlanThought"](request_id=request_id, text=text)


def events_until_end(watcher):
    events = []
    while not events or events[-1]["event"] != "end":
        _, message = watcher.receive("PROGRESS")
        events.append(json.loads(message.event_json))
    return events
