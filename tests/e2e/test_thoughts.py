"""What planners think while they have a request: told to who waits and who watches, within bounds, and kept nowhere."""
import json
import select

import pytest

from conftest import episode_bytes, until
from paper_phone import CALM
from peers import Doors, wire


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
