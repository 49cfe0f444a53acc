"""Every limit at its edge and one past it, from outside: a clear error to the one who asked, and others are served."""
import json

import pytest

from load import batch, batch_reply, create, error_of
from peers import Doors, STATUS, wire

FRAME_MAX = 4 * 1024 * 1024


@pytest.fixture
def doors(make_daemon, request):
    doors = Doors(make_daemon("env.workers=1", *getattr(request, "param", [])))
    yield doors
    doors.close()


@pytest.fixture
def client(doors):
    return doors.client().greet()


def with_settings(*settings):
    return pytest.mark.parametrize("doors", [settings], indirect=True, ids=[" ".join(settings)])


def answer_to(client, request_id):
    while True:
        kind, message = client.receive("REPLY", "ERROR", "ENV_BATCH_REPLY")
        if message.request_id == request_id:
            return kind, message


def refused(client, status, text, verb, **arguments):
    kind, message = answer_to(client, client.ask(verb, **arguments))
    assert (kind, message.code) == ("ERROR", STATUS[status]) and text in message.text, message


def padded(length):
    """A Control of exactly so many bytes."""
    def control(pad):
        return wire.SCHEMA["Control"](request_id=1, verb="status", args_json=json.dumps({"pad": "x" * pad}).encode())
    body = control(length - len(control(length).SerializeToString()) + length).SerializeToString()
    assert len(body) == length
    return body


def test_message_size(doors, client):
    client.send("CONTROL", padded(FRAME_MAX))
    assert answer_to(client, 1)[0] == "REPLY"
    other = doors.client("other").greet()
    before = other.control("status")["disconnects"]
    client.send("CONTROL", padded(FRAME_MAX + 1))                    # ZeroMQ cuts it off, and tells only that
    while other.control("status")["disconnects"] == before:
        pass


@with_settings("daemon.frame_kib_max=64")
def test_a_smaller_message_size(doors, client):
    assert client.welcome.max_frame == 64 * 1024
    client.send("CONTROL", padded(64 * 1024))
    assert answer_to(client, 1)[0] == "REPLY"
    other = doors.client("other").greet()
    before = other.control("status")["disconnects"]
    client.send("CONTROL", padded(64 * 1024 + 1))
    while other.control("status")["disconnects"] == before:
        pass


def test_frames_per_message(client):
    client.send_frames(wire.header("PING"), *5 * [b""])
    client.refused("EPROTO", "message: ")                            # so many may come, but a Ping has no blobs
    client.send_frames(wire.header("PING"), *6 * [b""])
    client.refused("ELIMIT", "message: too many frames")


def test_nesting(client):
    def nested(levels):
        return wire.SCHEMA["Control"](request_id=levels, verb="status",
                                      args_json=b'{"a":' + (levels - 1) * b"[" + (levels - 1) * b"]" + b"}")
    client.send("CONTROL", nested(128))
    assert answer_to(client, 128)[0] == "REPLY"
    client.send("CONTROL", nested(129))
    kind, message = answer_to(client, 129)
    assert (kind, message.code) == ("ERROR", STATUS["ELIMIT"])


@with_settings("env.envs_max=2", "env.snapshots_max=1")
def test_envs_and_snapshots(client):
    env = create(client)
    create(client)
    refused(client, "ELIMIT", "the limit is 2", "env_create")
    client.control("env_snapshot", env=env)
    refused(client, "ELIMIT", "the limit is 1", "env_snapshot", env=env)
    client.control("env_close", env=env)
    create(client)


@with_settings("env.mib_max=16")
def test_bytes(client):
    env, other = create(client), create(client)
    patch = {"os": {"settings": {"system": {}}}}
    for number in range(64):                                         # of 1 MiB each
        patch["os"]["settings"]["system"] = {f"big{number}": "x" * (1 << 20)}
        kind, message = answer_to(client, client.ask("env_inject", env=env, patch=patch))
        if kind == "ERROR":
            break
    assert (kind, message.code) == ("ERROR", STATUS["ELIMIT"]) and "and the limit is 16777216" in message.text
    assert 2 <= number <= 16, number
    assert client.control("env_observe", env=env, observe="none")["digest"]      # what is there can be seen,
    client.control("env_close", env=env)                             # and given back
    client.control("env_step", env=other, action={"kind": "home"})


@with_settings("run.runs_max=1")
def test_runs(client):
    first = client.ask("run", task="demo/hello")
    client.in_step(1)
    refused(client, "ELIMIT", "the limit is 1", "run", task="demo/hello")
    client.ask("cancel", request=first)
    assert json.loads(answer_to(client, first)[1].result_json)["ending"] == "cancelled"
    client.ask("run", task="demo/hello")
    client.in_step(2)


def test_planners(doors):
    peers = [doors.planner(f"p{number}").greet() for number in range(256)]
    extra = doors.planner("extra")
    extra.hello()
    kind, message = extra.receive("REJECT", "WELCOME")
    assert kind == "REJECT" and message.code == STATUS["ELIMIT"], message
    peers[0].send("GOODBYE", wire.SCHEMA["Goodbye"](reason="over"))
    doors.planner("next").greet()


@with_settings("planner.peers_max=2", "control.watches_max=1")
def test_fewer_planners_and_watchers(doors, client):
    assert [doors.planner(f"p{number}").greet() for number in range(2)]
    extra = doors.planner("extra")
    extra.hello()
    assert extra.receive("REJECT", "WELCOME")[1].text == "too many peers: 2 are connected"
    client.ask("watch")
    refused(client, "ELIMIT", "there are 1 watchers", "watch")


@with_settings("control.requests_max=2")
def test_open_requests_of_one_client(doors, client):
    watches = [client.ask("watch") for _ in range(2)]
    client.in_step(1)
    kind, message = answer_to(client, client.ask("status"))
    assert kind == "ERROR" and message.text == "request_id: 2 requests of yours are open"
    assert doors.client("other").greet().control("status")
    stop = client.ask("cancel", request=watches[0])                  # who has too many can end one
    assert answer_to(client, watches[0])[0] == "REPLY" and answer_to(client, stop)[0] == "REPLY"
    client.control("status")


def test_slots_of_a_batch_and_calls_of_a_list(client):
    env = create(client)
    _, reply = batch_reply(client, batch(client, [env] * 4096, ["note"], [{"text": "x"}]))
    assert list(reply.status) == [0] * 4096
    assert client.control("env_observe", env=env, observe="none")["steps"] == 4096
    kind, message = batch_reply(client, batch(client, [env] * 4097, ["note"], [{"text": "x"}]))
    assert kind == "ERROR" and message.text.startswith("env_ids: 4097 slots")
    call = {"verb": "env_observe", "args": {"env": env, "observe": "none"}}
    assert len(client.control("env_calls", calls=[call] * 4096)["results"]) == 4096
    refused(client, "EINVAL", "must be an array of 1 to 4096 calls", "env_calls", calls=[call] * 4097)


def test_watchers(doors):
    peers = [doors.client(f"w{number}").greet() for number in range(2)]
    for peer in peers:
        for _ in range(128):
            peer.ask("watch")
        peer.in_step(1)
    refused(doors.client("extra").greet(), "ELIMIT", "there are 256 watchers", "watch")
    peers[0].close()
    peers.append(doors.client("next").greet())


@pytest.mark.parametrize("over", [0, 1])
def test_episode_disk_use(make_daemon, tmp_path, over):
    episodes = tmp_path / "episodes"
    episodes.mkdir()
    with open(episodes / "old.jsonl", "wb") as old:
        old.truncate((1 << 20) + over)
    doors = Doors(make_daemon("daemon.episodes_mib_max=1", f"daemon.episodes={episodes}"))
    client = doors.client().greet()
    if over:
        refused(client, "ELIMIT", "has 1048577 bytes and the limit is 1048576", "run", task="demo/hello")
        refused(client, "ELIMIT", "has 1048577 bytes", "observe_start", session="s", task="x")
        assert create(client)                                        # envs are not recorded
    else:
        assert client.control("observe_start", session="s", task="x")["session"] == "s"
    doors.close()
