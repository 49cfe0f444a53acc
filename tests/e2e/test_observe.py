"""worldd's memory for an agent loop on a phone of its own: screens, actions and results are posted, the WorldState comes back."""
import json

import pytest

from conftest import ROOT
from peers import Doors

DUMPS = ROOT / "tests/data/phone_session"


def screen(name):
    return (DUMPS / name).read_text(encoding="utf-8")


@pytest.fixture
def client(make_daemon):
    daemon = make_daemon()
    doors = Doors(daemon)
    yield doors.client().greet(), daemon
    doors.close()


def post(peer, session, **members):
    return peer.control("observe", session=session, **members)


def start(peer, **members):
    return peer.control("observe_start", **members)


def refused(peer, verb, **members):
    """The text of the error that a request is answered with."""
    request = peer.ask(verb, **members)
    kind, message = peer.receive("ERROR", "REPLY")
    assert (kind, message.request_id) == ("ERROR", request)
    return message.text


def test_a_loop_is_told_what_it_knows(client):
    peer, daemon = client
    opened = start(peer, task="tidy the notes", session="mine")
    assert opened["session"] == "mine"
    world = post(peer, "mine", screen=screen("01_launcher.xml"))["world"]
    assert (world["current_app"], world["step_index"]) == ("com.example.launcher", 0)
    answer = post(peer, "mine", action={"kind": "tap", "x": 400, "y": 2000}, screen=screen("02_notes.xml"),
                  args={"remember": {"notes": 3}})
    assert answer["report"]["remembered"] == ["notes"] and answer["report"]["app_changed"]
    assert (answer["world"]["current_page"], answer["world"]["variables"]) == ("All notes", {"notes": 3})
    assert answer["world"]["last_change"] == "app: com.example.launcher -> org.example.notebook"
    answer = post(peer, "mine", dialect="autoglm", reply='do(action="Tap", element=[500,130])', screen=screen("03_note.xml"))
    assert answer["world"]["current_page"] == "Shopping" and answer["world"]["history"][-1]["action"] == "tap"
    answer = post(peer, "mine", action={"kind": "back"}, outcome="failed", screen=screen("06_capture_failed.xml"))
    assert answer["world"]["stale"] and "null root node" in answer["failure"]
    ended = peer.control("observe_end", session="mine", ending="complete")
    assert ended["episode"] == opened["episode"] + ".zst"
    rows = [json.loads(line) for line in daemon.ctl("replay", "--json", ended["episode"]).stdout.splitlines()]
    assert [(row.get("action"), row.get("page")) for row in rows] == [
        (None, None), ("tap", "All notes"), ("tap", "Shopping"), ("back", "Shopping")]


@pytest.mark.parametrize("members, says", [
    ({"session": "other"}, 'args.session: no session "other" is open'),
    ({}, "args.session: missing"),
    ({"session": "s", "action": {"kind": "dance"}}, "args.action"),
    ({"session": "s", "action": {"kind": "tap", "x": "here"}}, "args.action"),
    ({"session": "s", "screen": 7}, "args.screen: must be a text"),
    ({"session": "s", "format": "vhs", "screen": "x"}, "args.format"),
    ({"session": "s", "outcome": "great"}, "args.outcome"),
    ({"session": "s", "dialect": "klingon", "reply": "x"}, "args.dialect"),
    ({"session": "s", "args": [1]}, "args.args: must be an object"),
])
def test_a_bad_post_is_refused_by_name_and_changes_nothing(client, members, says):
    peer, _ = client
    start(peer, session="s")
    post(peer, "s", screen=screen("02_notes.xml"))
    assert says in refused(peer, "observe", **members)
    answer = post(peer, "s", action={"kind": "tap", "x": 1, "y": 1}, screen=screen("03_note.xml"))
    assert answer["step"] == 1 and answer["world"]["step_index"] == 1


def test_a_refused_step_is_not_observed(client):
    peer, _ = client
    start(peer, session="s")
    post(peer, "s", screen=screen("02_notes.xml"))
    answer = post(peer, "s", action={"kind": "tap", "x": 1, "y": 1}, outcome="refused", screen=screen("02_notes.xml"))
    assert answer["world"]["step_index"] == 0 and "report" not in answer


def test_a_session_name_is_taken_once(client):
    peer, _ = client
    start(peer, session="s")
    assert "used already" in refused(peer, "observe_start", session="s")
