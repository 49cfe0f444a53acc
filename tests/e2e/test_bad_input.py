"""Whatever reaches worldd gets an answer that names the field; worldd goes on; other runs are not disturbed."""
import itertools
import json
import random

import pytest

from conftest import PLANS, Daemon, until
from peers import Doors, wire

MIB = 1 << 20
BLUETOOTH = "demo/bluetooth_off"
NUMBERS = itertools.count()
COMPLETE = ("complete", {"status": "success"})


@pytest.fixture(scope="module")
def worldd(tmp_path_factory):
    daemon = Daemon(tmp_path_factory.mktemp("bad") / "worldd", "run.invalid_limit=100").start()
    daemon.planner(PLANS / "bluetooth_off.json", "steady", "--think", "20")
    doors = Doors(daemon)
    yield doors
    doors.close()
    status, log = daemon.stop(), daemon.log_text()
    assert status == 0, log
    assert "Sanitizer" not in log and "runtime error" not in log and "assertion failed" not in log, log


@pytest.fixture(autouse=True)
def bystander(worldd):
    """A run of somebody else's, under way all the time: it must pass whatever the test does."""
    client = worldd.client("bystander").greet()
    request = client.ask("run", task=BLUETOOTH, planner="steady")
    yield
    assert worldd.daemon.process.poll() is None, worldd.daemon.log_text()
    result = client.answer(request)
    assert (result["ending"], result["verdict"]["passed"]) == ("complete", True), result
    client.close()


@pytest.fixture
def planner(worldd):
    peer = worldd.planner(f"bad-{next(NUMBERS)}").greet()     # a run that a failed test left asks nobody else
    yield peer
    peer.send("GOODBYE")
    peer.close()


@pytest.fixture
def client(worldd):
    peer = worldd.client("bad").greet()
    yield peer
    peer.close()


def counted(worldd, section, name, before):
    return worldd.status()[section][name] - before[section][name]


# ---- frames -------------------------------------------------------------------------------------------------------

FRAMES = {
    "no frame but an empty one": ([b""], "EPROTO", "header: must be exactly 8 bytes"),
    "a short header": ([b"WD\1\0\4\0\0", b""], "EPROTO", "header: must be exactly 8 bytes"),
    "another protocol": ([b"GET / HT", b""], "EPROTO", "header: no worldd message"),
    "an older version": ([b"WD\0\0\4\0\0\0", b""], "EVERSION", "header.major: unsupported"),
    "a newer version": ([b"WD\2\0\4\0\0\0", b""], "EVERSION", "header.major: unsupported"),
    "an unknown kind": ([b"WD\1\0\xff\xff\0\0", b""], "EPROTO", "header.kind: unknown kind"),
    "unknown flags": ([b"WD\1\0\4\0\1\0", b""], "EPROTO", "header.flags: unknown flags"),
    "no body": ([wire.header("PING")], "EPROTO", "message: has no body frame"),
    "a blob that nobody named": ([wire.header("PING"), b"", b"blob"], "EPROTO", "message: has blobs"),
    "too many frames": ([wire.header("PING")] + 6 * [b""], "ELIMIT", "message: too many frames"),
}


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("door", ["planner", "client"])
@pytest.mark.parametrize("known", [True, False], ids=["known", "stranger"])
def test_frames(worldd, door, known, name):
    frames, status, text = FRAMES[name]
    peer = getattr(worldd, door)("framed")
    if known:
        peer.greet()
    peer.send_frames(*frames)
    peer.refused(status, text)
    peer.greet()                             # and is welcome still
    peer.send("GOODBYE")
    peer.close()


@pytest.mark.parametrize("door", ["planner", "client"])
def test_random_bytes_in_well_formed_frames(worldd, door):
    rng = random.Random(20240601)
    peer = getattr(worldd, door)("random").greet()
    kinds = [kind for kind in wire.KINDS if kind not in ("GOODBYE", "HELLO")]
    for number in range(30):
        for _ in range(10):                  # no more at once than a peer's queue holds answers
            peer.send(rng.choice(kinds), rng.randbytes(rng.randrange(200)))
        peer.in_step(number)
    for number in range(30):
        for _ in range(10):
            peer.send(rng.choice(["HELLO", "GOODBYE"]), rng.randbytes(rng.randrange(200)))
        peer.in_step(number)
    peer.greet()
    peer.send("GOODBYE")
    peer.close()


def test_an_oversized_frame_is_logged(make_daemon):
    doors = Doors(make_daemon())             # nobody else's goodbye here
    doors.planner("large").greet().send("PLAN_REPLY", b"x" * (4 * MIB + 1))
    until("the log line", lambda: f"over {4 * MIB} bytes" in doors.daemon.log_text())
    doors.close()


@pytest.mark.parametrize("door", ["planner", "client"])
def test_an_oversized_frame_cuts_the_connection(worldd, door):
    before = worldd.status()
    peer = getattr(worldd, door)("large").greet()
    peer.send("CONTROL", b"x" * (4 * MIB + 1))
    peer.send("PING")                        # the connection comes back by itself, and nobody knows it
    assert peer.receive("WHO_ARE_YOU", "PONG")[0] == "WHO_ARE_YOU"
    peer.greet()
    until("the count", lambda: worldd.status()["disconnects"] > before["disconnects"])
    peer.send("GOODBYE")
    peer.close()


def test_a_frame_of_the_largest_size_is_taken(worldd, client):
    client.send("CONTROL", wire.SCHEMA["Control"](request_id=9, verb="status",
                                                  args_json=b'"' + b"x" * (4 * MIB - 64) + b'"'))
    assert client.refused("ETYPE", "args_json: must be an object").request_id == 9


@pytest.mark.parametrize("door", ["planner", "client"])
def test_a_peer_that_names_itself(worldd, door):
    """A peer may set a routing id of up to 255 bytes; worldd lives, and others are served."""
    peer = getattr(worldd, door)("named", ROUTING_ID=b"x" * 255)
    peer.hello()
    other = getattr(worldd, door)("other").greet()
    other.send("GOODBYE")
    other.close()
    peer.close()


# ---- Hello --------------------------------------------------------------------------------------------------------

HELLOS = {
    "only newer versions": (dict(min_major=2, max_major=3), "EVERSION", "max_major: the peer speaks 2 to 3"),
    "a wrong name": (dict(name="a b"), "EINVAL", "name: "),
    "no instance": (dict(instance=b""), "EINVAL", "instance: "),
    "an unknown role": (dict(role="king"), None, "role: "),
    "too many at once": (dict(max_inflight=65), "EINVAL", "max_inflight: "),
}


@pytest.mark.parametrize("name", HELLOS)
@pytest.mark.parametrize("door", ["planner", "client"])
def test_hello(worldd, door, name):
    changed, status, text = HELLOS[name]
    peer = getattr(worldd, door)("hello")
    peer.hello(**changed)
    _, reject = peer.receive("REJECT")
    assert reject.text.startswith(text) and (reject.min_major, reject.max_major) == (1, 1)
    peer.close()


@pytest.mark.parametrize("door", ["planner", "client"])
def test_hello_cut_off_anywhere(worldd, door):
    peer = getattr(worldd, door)("cut")
    whole = wire.SCHEMA["Hello"](min_major=1, max_major=1, role=peer.role, name="cut",
                                 instance=peer.instance).SerializeToString()
    for length in range(len(whole)):
        peer.send("HELLO", whole[:length])
        assert peer.receive()[0] == "REJECT"
    peer.greet()
    peer.send("GOODBYE")
    peer.close()


@pytest.mark.parametrize("door", ["planner", "client"])
def test_hello_with_invalid_utf8(worldd, door):
    peer = getattr(worldd, door)("utf8")
    peer.send("HELLO", b"\x32\x02\xc0\x80")
    peer.refused("EUTF8", "name: is no UTF-8")
    peer.close()


# ---- answers of planners ------------------------------------------------------------------------------------------

def start_run(client, planner, **options):
    return client.ask("run", task=BLUETOOTH, planner=planner.name, options=options)


def end_run(client, planner, run):
    """Complete whatever the run asks next; its result."""
    planner.reply(planner.receive("PLAN_REQUEST")[1], COMPLETE)
    return client.answer(run)


def reply_bytes(request, *parts):
    return wire.SCHEMA["PlanReply"](request_id=request.request_id).SerializeToString() + b"".join(parts)


def field(number, content):
    """A length-delimited field, byte by byte: what a library would refuse to write."""
    head = bytes([number << 3 | 2])
    length = len(content)
    while length >= 0x80:
        head, length = head + bytes([length & 0x7f | 0x80]), length >> 7
    return head + bytes([length]) + content


def step(action=b"back", args=b"", thought=b""):
    return field(2, field(1, action) + field(2, args) + field(3, thought))


BAD_REPLIES = {
    "no message at all": (b"\xff\xff\xff", "EPROTO", "body: "),
    "cut off": (b"\x12\x20\x0a", "EPROTO", "steps[0]: is broken off"),
    "no step": (b"", "EINVAL", "steps: none given"),
    "too many steps": (33 * step(), "ELIMIT", "steps: 33 given, at most 32"),
    "invalid UTF-8": (step() + step(thought=b"\xff"), "EUTF8", "steps[1].thought: is no UTF-8"),
    "a NUL in a text": (step(action=b"ba\0ck"), "EUTF8", "steps[0].action: is no UTF-8"),
    "broken JSON": (step(args=b'{"a"'), "EPARSE", "steps[0].args_json: line 1, column 5"),
    "JSON nested 10,000 deep": (step(args=b'{"a":' + 10000 * b"[" + 10000 * b"]" + b"}"), "ELIMIT",
                                "steps[0].args_json: line 1, column "),
    "JSON that is no object": (step(args=b"[]"), "ETYPE", "steps[0].args_json: must be an object"),
    "a million steps": (b"\x12\x00" * MIB, "ELIMIT", "body: "),
}


@pytest.mark.parametrize("name", BAD_REPLIES)
def test_bad_reply(worldd, client, planner, name):
    content, status, text = BAD_REPLIES[name]
    before = worldd.status()
    run = start_run(client, planner)
    _, request = planner.receive("PLAN_REQUEST")
    planner.send("PLAN_REPLY", reply_bytes(request, content))
    if name == "no message at all":          # the id stands before what cannot be read
        assert planner.receive("ERROR")[1].request_id == request.request_id
    else:
        assert planner.refused(status, text).request_id == request.request_id
    result = end_run(client, planner, run)   # it was asked again
    assert result["ending"] == "complete"
    assert counted(worldd, "planners", "malformed", before) == 1


def test_a_reply_cut_off_anywhere(worldd, client, planner):
    """Cut between two fields it is a shorter reply, anywhere else an error; the run asks again in any case."""
    message = wire.SCHEMA["PlanReply"](model="m")
    message.steps.add(action="note", args_json=b'{"text":"h\xc3\xa9"}', thought="because")
    whole = message.SerializeToString()
    errors = 0
    run = start_run(client, planner)
    for length in range(len(whole)):
        kind, request = planner.receive("PLAN_REQUEST", "ERROR")
        while kind == "ERROR":
            errors += 1
            kind, request = planner.receive("PLAN_REQUEST", "ERROR")
        planner.send("PLAN_REPLY", reply_bytes(request, whole[:length]))
    assert end_run(client, planner, run)["ending"] == "complete"
    assert errors >= len(whole) - 5


def test_too_many_bad_replies_end_the_run(worldd, client, planner):
    run = start_run(client, planner)
    for _ in range(100):
        _, request = planner.receive("PLAN_REQUEST")
        planner.send("PLAN_REPLY", reply_bytes(request, step(args=b"{")))
        planner.refused("EPARSE", "steps[0].args_json: ")
    result = client.answer(run)
    assert result["ending"] == "format_error" and "steps[0].args_json" in result["text"], result


def test_a_reply_to_a_request_never_made(worldd, planner):
    before = worldd.status()
    planner.send("PLAN_REPLY", wire.SCHEMA["PlanReply"](request_id=1 << 40))
    assert planner.refused("ENOENT", "request_id: ").request_id == 1 << 40
    assert counted(worldd, "planners", "unknown_replies", before) == 1


def test_a_reply_to_somebody_elses_request(worldd, client, planner):
    before = worldd.status()
    other = worldd.planner("other").greet()
    run = start_run(client, planner)
    _, request = planner.receive("PLAN_REQUEST")
    other.reply(request, COMPLETE)
    other.refused("EDENIED", "request_id: ")
    planner.reply(request, COMPLETE)
    assert client.answer(run)["ending"] == "complete"
    assert counted(worldd, "planners", "unknown_replies", before) == 1
    other.send("GOODBYE")


def test_a_second_reply(worldd, client, planner):
    before = worldd.status()
    run = start_run(client, planner)
    _, request = planner.receive("PLAN_REQUEST")
    planner.reply(request, COMPLETE)
    planner.reply(request, ("abort", {"reason": "no"}))
    planner.refused("EEXIST", "request_id: ")
    assert client.answer(run)["ending"] == "complete"
    assert counted(worldd, "planners", "repeated_replies", before) == 1


# ---- steps that cannot be executed ---------------------------------------------------------------------------------

STEPS = {
    "an unknown action": (("fly", {"to": "Mars"}), "unknown_action"),
    "an argument of the wrong type": (("tap", {"node": "seven"}), "bad_arguments"),
    "a node that was never there": (("tap", {"node": 100000}), "target"),
    "a selector that matches nothing": (("tap", {"selector": {"text": "no such text"}}), "target_missing"),
    "a selector that matches several": (("tap", {"selector": {"role": "item"}}), "target_ambiguous"),
    "an app that is not there": (("launch_app", {"app": "no.such.app"}), "no_such_app"),
}


@pytest.mark.parametrize("name", STEPS)
def test_step_is_refused_by_name(worldd, client, planner, name):
    bad, code = STEPS[name]
    run = start_run(client, planner)
    _, request = planner.receive("PLAN_REQUEST")
    planner.reply(request, bad, ("home", {}))
    _, request = planner.receive("PLAN_REQUEST")
    assert len(request.results) == 1         # the rest of the plan was dropped
    result = request.results[0]
    assert result.outcome == "refused" and result.code.startswith(code) and result.text, result
    planner.reply(request, COMPLETE)
    assert client.answer(run)["ending"] == "complete"


def test_a_node_that_is_gone(worldd, client, planner):
    run = start_run(client, planner)
    _, request = planner.receive("PLAN_REQUEST")
    icon = next(n for n in request.scene.nodes if n.resource_id.endswith("settings"))
    planner.reply(request, ("launch_app", {"app": "settings"}), ("tap", {"node": icon.id}))
    _, request = planner.receive("PLAN_REQUEST")
    assert [r.outcome for r in request.results] == ["ok", "refused"]
    assert request.results[1].code == "target_gone"
    planner.reply(request, COMPLETE)
    client.answer(run)


# ---- control --------------------------------------------------------------------------------------------------------

CONTROLS = {
    "no message": (b"\xff\xff", "EPROTO", "body: "),
    "no id": (b"\x12\x06status", "EINVAL", "request_id: must not be 0"),
    "an unknown verb": (b"\x08\x07\x12\x03fly", "EUNSUPPORTED", "verb: \"fly\" is unknown"),
    "invalid UTF-8": (b"\x08\x07\x12\x01\xff", "EUTF8", "verb: is no UTF-8"),
    "broken JSON": (b"\x08\x07\x12\x06status" + field(3, b'{"a"'), "EPARSE", "args_json: line 1, column 5"),
    "JSON nested 10,000 deep": (b"\x08\x07\x12\x06status" + field(3, 10000 * b"[" + 10000 * b"]"), "ELIMIT",
                                "args_json: line 1, column "),
    "a duplicate key": (b"\x08\x07\x12\x03run" + field(3, b'{"task":1,"task":2}'), "EPARSE", "args_json: line 1"),
    "a task that is not there": (b"\x08\x07\x12\x03run" + field(3, b'{"task":"none"}'), "ENOENT", "args.task: "),
    "a task outside of the folder": (b"\x08\x07\x12\x03run" + field(3, b'{"task":"../x"}'), "EINVAL", "args.task: "),
    "a run that is not open": (b"\x08\x07\x12\x05state" + field(3, b'{"run":"x"}'), "ENOENT", "args.run: "),
    "an option of the wrong type": (
        b"\x08\x07\x12\x03run" + field(3, json.dumps({"task": BLUETOOTH, "options": {"world": 1}}).encode()),
        "ETYPE", "args.options.world: "),
    "a planner's message": (None, "EUNSUPPORTED", "header.kind: "),
}


@pytest.mark.parametrize("name", CONTROLS)
def test_control(worldd, client, name):
    body, status, text = CONTROLS[name]
    if body is None:
        client.send("PLAN_REPLY")
    else:
        client.send("CONTROL", body)
    client.refused(status, text)
    assert "version" in client.control("status")
