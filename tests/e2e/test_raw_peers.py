"""Peers that do not use ZeroMQ's library but its wire (ZMTP 3.0), and break its rules; others are served meanwhile."""
import struct

import pytest

from conftest import PLANS
from peers import Doors, wire
from raw import Raw

HANDSHAKE_S = 3              # worldd drops who has not finished it by then


@pytest.fixture(scope="module", params=["planner", "control"])
def door(request):
    return request.param


@pytest.fixture
def doors(make_daemon):
    doors = Doors(make_daemon())
    doors.daemon.planner(PLANS / "bluetooth_off.json", "steady")
    yield doors
    doors.close()


def served(doors):
    """A run passes: worldd is alive and does its work."""
    result = doors.client("bystander").greet().control("run", task="demo/bluetooth_off", planner="steady")
    assert result["verdict"]["passed"], result


def test_a_raw_peer_that_keeps_the_rules(doors, door):
    raw = Raw(doors.daemon, door).greet().ready()
    role = "planner" if door == "planner" else "client"
    hello = wire.SCHEMA["Hello"](min_major=1, max_major=1, role=role, name="raw", instance=bytes(16))
    raw.message(wire.header("HELLO"), hello.SerializeToString())
    raw.until(wire.header("WELCOME"))
    raw.close()


@pytest.mark.parametrize("length", [1, 16, 17, 255, 256, 3000])
def test_a_peer_that_names_itself(doors, door, length):
    raw = Raw(doors.daemon, door).greet().ready(identity=length * b"x")
    raw.message(wire.header("PING"), b"")
    raw.message(wire.header("PING"), b"")
    served(doors)
    raw.close()


def test_a_name_that_another_peer_has_is_not_taken_over(doors, door):
    first = Raw(doors.daemon, door).greet().ready(identity=b"mine")
    first.message(wire.header("PING"), b"")
    first.until(wire.header("WHO_ARE_YOU"))
    second = Raw(doors.daemon, door).greet().ready(identity=b"mine")
    second.message(wire.header("PING"), b"")
    served(doors)
    first.close()
    second.close()


def test_half_a_handshake_is_dropped(doors, door):
    nothing, half = Raw(doors.daemon, door), Raw(doors.daemon, door).greet()
    served(doors)
    assert nothing.closed(3 * HANDSHAKE_S) and half.closed(3 * HANDSHAKE_S)


@pytest.mark.parametrize("mechanism", [b"PLAIN", b"CURVE", b"", 20 * b"\xff"])
def test_another_mechanism_is_dropped(doors, door, mechanism):
    raw = Raw(doors.daemon, door).greet(mechanism)
    assert raw.closed(3 * HANDSHAKE_S)
    served(doors)


@pytest.mark.parametrize("kind", [b"REQ", b"ROUTER", b"PUB", b"", b"NONSENSE"])
def test_another_kind_of_socket(doors, door, kind):
    raw = Raw(doors.daemon, door).greet().ready(kind=kind)
    raw.message(b"", b"question")
    served(doors)
    raw.close()


def test_a_frame_that_claims_to_be_huge(doors, door):
    raw = Raw(doors.daemon, door).greet().ready()
    raw.socket.sendall(b"\x02" + struct.pack(">Q", 1 << 62))
    assert raw.closed(3 * HANDSHAKE_S)
    served(doors)


def test_an_unfinished_message(doors, door):
    raw = Raw(doors.daemon, door).greet().ready()
    for _ in range(20000):
        raw.frame(b"", more=True)
    served(doors)
    raw.close()                              # what was begun is gone with it
    served(doors)
