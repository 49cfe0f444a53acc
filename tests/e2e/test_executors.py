"""worldd's own loop over executors: whole runs on a phone of paper, and how runs share executors."""
import json

import pytest

from conftest import ROOT, SHARED, until
from paper_phone import CALM, PATIENT, QUICK, Phone, loop, rows, run, steps_of  # noqa: F401 (loop is a fixture)
from peers import Doors
from test_planners import start_python


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
