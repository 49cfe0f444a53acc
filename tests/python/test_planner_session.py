"""A planner's session, C and Python: heartbeats, starting over, cancelling, leaving."""
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

import fake_worldd
from fake_worldd import ROOT, FakeWorldd, wire
from test_plan_scripts import BACK, PLANNERS, plans, request_of, start

ENDLESS = plans({"until": {"current_app": "never"}, "at_most": 1000, "steps": [BACK]})


@pytest.fixture
def worldd(tmp_path):
    fake = FakeWorldd(tmp_path)
    yield fake
    fake.close()


@pytest.fixture(params=PLANNERS)
def planner(request):
    return request.param


def test_hello_says_what_it_is(worldd, tmp_path, planner):
    start(worldd, planner, ENDLESS, tmp_path, "--name", "me")
    hello = worldd.welcome()
    assert (hello.role, hello.name, len(hello.instance)) == ("planner", "me", 16)
    assert hello.min_major <= 1 <= hello.max_major and 1 <= hello.max_inflight <= 64


def test_beats_and_answers_beats(worldd, tmp_path, planner):
    start(worldd, planner, ENDLESS, tmp_path)
    worldd.welcome()
    worldd.send("PING", wire.SCHEMA["Ping"](sequence=77))
    _, body = worldd.receive("PONG")
    assert wire.SCHEMA["Ping"].FromString(body).sequence == 77
    worldd.receive("PING")
    worldd.receive("PING")


def test_sigterm_says_goodbye_and_exits_0(worldd, tmp_path, planner):
    process = start(worldd, planner, ENDLESS, tmp_path)
    worldd.welcome()
    worldd.ask(request_of(1, {}))
    process.send_signal(signal.SIGTERM)
    worldd.receive("GOODBYE")
    assert process.wait(fake_worldd.PATIENCE) == 0


def test_sigterm_while_nobody_is_there(worldd, tmp_path, planner):
    process = start(worldd, planner, ENDLESS, tmp_path)
    worldd.welcome()             # it runs and listens to signals
    worldd.unbind()
    os.unlink(tmp_path / "planner.sock")
    process.send_signal(signal.SIGTERM)
    assert process.wait(fake_worldd.PATIENCE) == 0


def test_says_hello_again_when_asked(worldd, tmp_path, planner):
    start(worldd, planner, ENDLESS, tmp_path)
    first = worldd.welcome()
    worldd.send("WHO_ARE_YOU")
    again = worldd.welcome()
    assert again.instance == first.instance
    worldd.ask(request_of(1, {}))


def test_survives_a_restart_of_worldd(worldd, tmp_path, planner):
    start(worldd, planner, ENDLESS, tmp_path)
    first = worldd.welcome()
    worldd.ask(request_of(1, {}))
    worldd.unbind()
    worldd.boot_id = os.urandom(16)
    worldd.bind()                # an unknown peer's beat is asked who it is; a new connection says Hello by itself
    kind, _ = worldd.receive("HELLO", "PING", "PONG")
    if kind != "HELLO":
        worldd.send("WHO_ARE_YOU")
    assert worldd.welcome().instance == first.instance
    worldd.ask(request_of(2, {}))


def test_starts_over_when_worldd_falls_silent(worldd, tmp_path, planner):
    start(worldd, planner, ENDLESS, tmp_path)
    worldd.welcome()
    old = worldd.peer
    end = time.monotonic() + worldd.liveness * worldd.heartbeat_ms / 1000 - 0.1
    while time.monotonic() < end:        # read, but answer nothing
        if worldd.socket.poll(50):
            worldd.socket.recv_multipart()
    worldd.receive("HELLO")
    assert worldd.peer != old            # on a new connection


def test_a_goodbye_superseded_is_final(worldd, tmp_path, planner):
    process = start(worldd, planner, ENDLESS, tmp_path)
    worldd.welcome()
    worldd.send("GOODBYE", wire.SCHEMA["Goodbye"](reason="superseded"))
    assert process.wait(fake_worldd.PATIENCE) == 3


def test_a_reject_is_shown(worldd, tmp_path, planner):
    process = start(worldd, planner, ENDLESS, tmp_path, "--name", "me")
    worldd.receive("HELLO")
    worldd.send("REJECT", wire.SCHEMA["Reject"](code=2, text="name: is taken"))
    assert process.wait(fake_worldd.PATIENCE) == 2
    assert "name: is taken" in process.stdout.read()


def test_a_planner_does_not_mind_what_it_does_not_know(worldd, tmp_path, planner):
    start(worldd, planner, ENDLESS, tmp_path)
    worldd.welcome()
    worldd.socket.send_multipart([worldd.peer, b"WD\x01\x00\xff\xff\x00\x00", b"x"])
    worldd.socket.send_multipart([worldd.peer, b"what?"])
    worldd.send("ERROR", wire.SCHEMA["Error"](text="steps: something"))
    worldd.send("PLAN_CANCEL", wire.SCHEMA["PlanCancel"](request_id=99))
    worldd.ask(request_of(1, {}))


def test_beats_while_it_thinks(worldd, tmp_path):
    start(worldd, "c", ENDLESS, tmp_path, "--think", "800")
    worldd.welcome()
    before = worldd.pings
    worldd.ask(request_of(1, {}))
    assert worldd.pings - before >= 2


def test_a_cancelled_request_is_not_answered(worldd, tmp_path):
    start(worldd, "c", ENDLESS, tmp_path, "--think", "300")
    worldd.welcome()
    worldd.send("PLAN_REQUEST", request_of(1, {}))
    worldd.send("PLAN_CANCEL", wire.SCHEMA["PlanCancel"](request_id=1))
    assert worldd.silent("PLAN_REPLY", seconds=0.6)


def test_once_exits_after_the_end_of_a_run(worldd, tmp_path):
    process = start(worldd, "c", plans({"steps": [BACK]}), tmp_path, "--once")
    worldd.welcome()
    worldd.ask(request_of(1, {}))
    worldd.ask(request_of(2, {"results": [{"outcome": "ok"}]}))
    assert process.wait(fake_worldd.PATIENCE) == 0


def test_gives_up_when_told_to(tmp_path, worldd):
    process = start(worldd, "c", ENDLESS, tmp_path, "--endpoint", f"ipc://{tmp_path}/nobody", "--give-up", "100")
    assert process.wait(fake_worldd.PATIENCE) == 1


@pytest.mark.parametrize("fault, expected", [("twice", ["PLAN_REPLY", "PLAN_REPLY"]), ("garbage", ["PLAN_REPLY"]),
                                             ("stranger", ["PLAN_REPLY", "PLAN_REPLY"]), ("refuse", ["PLAN_ERROR"])])
def test_faults_on_purpose(worldd, tmp_path, fault, expected):
    start(worldd, "c", ENDLESS, tmp_path, "--fault", fault)
    worldd.welcome()
    worldd.send("PLAN_REQUEST", request_of(1, {}))
    for kind in expected:
        assert worldd.receive("PLAN_REPLY", "PLAN_ERROR")[0] == kind


def test_fault_hang_beats_but_never_answers(worldd, tmp_path):
    start(worldd, "c", ENDLESS, tmp_path, "--fault", "hang")
    worldd.welcome()
    worldd.send("PLAN_REQUEST", request_of(1, {}))
    before = worldd.pings
    assert worldd.silent("PLAN_REPLY", seconds=0.7)
    assert worldd.pings > before


def test_fault_silent_says_nothing_any_more(worldd, tmp_path):
    start(worldd, "c", ENDLESS, tmp_path, "--fault", "silent")
    worldd.welcome()
    worldd.send("PLAN_REQUEST", request_of(1, {}))
    assert worldd.silent("PLAN_REPLY", "PING", "PONG", "HELLO", seconds=0.8)


def test_fault_die_exits(worldd, tmp_path):
    process = start(worldd, "c", ENDLESS, tmp_path, "--fault", "die")
    worldd.welcome()
    worldd.send("PLAN_REQUEST", request_of(1, {}))
    assert process.wait(fake_worldd.PATIENCE) == 9


def test_hello_planner_works_alone(worldd, tmp_path):
    """The one-file planner, copied into an empty folder."""
    folder = tmp_path / "empty"
    folder.mkdir()
    shutil.copy(ROOT / "planner_stub/python/hello_planner.py", folder)
    environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    worldd.start(sys.executable, "hello_planner.py", worldd.endpoint, cwd=folder, env=environment)
    assert worldd.welcome().name == "hello"
    request = request_of(5, {"scene": [{"id": 4, "text": "Wi-Fi"}, {"id": 9, "text": "Bluetooth"}]})
    request.task.instruction = "Turn bluetooth off"
    reply = worldd.ask(request)
    assert (reply.steps[0].action, reply.steps[0].args_json) == \
        ("tap", b'{"node": 9, "remember": {"tapped": "Bluetooth"}}')
    request.request_id = 6
    assert worldd.ask(request).steps[0].action == "complete"
    worldd.send("WHO_ARE_YOU")
    worldd.welcome()
    worldd.send("PING", wire.SCHEMA["Ping"](sequence=3))
    worldd.receive("PONG")


def test_hello_planner_numbers_its_fields_as_the_schema_does():
    text = (ROOT / "planner_stub/python/hello_planner.py").read_text()
    fields = eval(text[text.index("FIELDS = ") + 9:text.index("}\n", text.index("FIELDS = ")) + 1])
    for name, rows in fields.items():
        for row in rows.split(", "):
            _kind, field, number = row.split()
            assert wire.SCHEMA[name].DESCRIPTOR.fields_by_name[field].number == int(number), f"{name}.{field}"


def test_the_kinds_are_those_of_the_header():
    header = (ROOT / "proto/include/proto/frame.h").read_text()
    for name, number in wire.KINDS.items():
        assert f"X({name}, {number})" in header
    assert header.count("    X(") == len(wire.KINDS)


def test_usage_is_printed():
    told = subprocess.run([PLANNERS["c"][0], "--help"], capture_output=True, text=True, check=True).stdout
    assert "--script" in told and "--fault" in told
