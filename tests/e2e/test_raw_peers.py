"""Peers that do not use ZeroMQ's library but its wire (ZMTP 3.0), and break its rules; others are served meanwhile."""
import socket
import struct
import time

import pytest

from conftest import PLANS
from peers import Doors, wire

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


class Raw:
    """A connection to one of worldd's sockets, byte by byte."""

    def __init__(self, doors, door):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        self.socket.connect(str(doors.daemon.directory / f"{door}.sock"))
        self.unread = b""

    def until(self, seen):
        """Read until these bytes have come. (libzmq cuts off a peer that does not wait for its half of a handshake.)"""
        while seen not in self.unread:
            part = self.socket.recv(4096)
            assert part != b"", self.unread  # it was cut off
            self.unread += part
        self.unread = self.unread[self.unread.index(seen) + len(seen):]
        return self

    def greet(self, mechanism=b"NULL"):
        self.socket.sendall(b"\xff" + 8 * b"\0" + b"\x7f\x03\x00" + mechanism.ljust(20, b"\0") + 32 * b"\0")
        return self

    def ready(self, identity=b"", kind=b"DEALER"):
        properties = b""
        for name, value in ((b"Socket-Type", kind), (b"Identity", identity)):
            properties += bytes([len(name)]) + name + struct.pack(">I", len(value)) + value
        self.until(b"NULL" + 48 * b"\0")
        self.frame(b"\x05READY" + properties, command=True)
        return self.until(b"\x05READY") if kind == b"DEALER" and len(identity) <= 255 else self

    def frame(self, body, more=False, command=False):
        flags = (4 if command else 0) | (2 if len(body) > 255 else 0) | (1 if more else 0)
        size = struct.pack(">Q", len(body)) if len(body) > 255 else bytes([len(body)])
        try:
            self.socket.sendall(bytes([flags]) + size + body)
        except ConnectionError:
            pass                             # it was cut off already: what is tested is that worldd lives

    def message(self, *frames):
        for index, frame in enumerate(frames):
            self.frame(frame, more=index + 1 < len(frames))

    def closed(self, seconds):
        """worldd closes the connection within so long."""
        end = time.monotonic() + seconds
        self.socket.settimeout(seconds)
        try:
            while time.monotonic() < end:
                if self.socket.recv(4096) == b"":
                    return True
        except ConnectionError:
            return True
        except socket.timeout:
            pass
        return False

    def close(self):
        self.socket.close()


def test_a_raw_peer_that_keeps_the_rules(doors, door):
    raw = Raw(doors, door).greet().ready()
    role = "planner" if door == "planner" else "client"
    hello = wire.SCHEMA["Hello"](min_major=1, max_major=1, role=role, name="raw", instance=bytes(16))
    raw.message(wire.header("HELLO"), hello.SerializeToString())
    raw.until(wire.header("WELCOME"))
    raw.close()


@pytest.mark.parametrize("length", [1, 16, 17, 255, 256, 3000])
def test_a_peer_that_names_itself(doors, door, length):
    raw = Raw(doors, door).greet().ready(identity=length * b"x")
    raw.message(wire.header("PING"), b"")
    raw.message(wire.header("PING"), b"")
    served(doors)
    raw.close()


def test_a_name_that_another_peer_has_is_not_taken_over(doors, door):
    first = Raw(doors, door).greet().ready(identity=b"mine")
    first.message(wire.header("PING"), b"")
    first.until(wire.header("WHO_ARE_YOU"))
    second = Raw(doors, door).greet().ready(identity=b"mine")
    second.message(wire.header("PING"), b"")
    served(doors)
    first.close()
    second.close()


def test_half_a_handshake_is_dropped(doors, door):
    nothing, half = Raw(doors, door), Raw(doors, door).greet()
    served(doors)
    assert nothing.closed(3 * HANDSHAKE_S) and half.closed(3 * HANDSHAKE_S)


@pytest.mark.parametrize("mechanism", [b"PLAIN", b"CURVE", b"", 20 * b"\xff"])
def test_another_mechanism_is_dropped(doors, door, mechanism):
    raw = Raw(doors, door).greet(mechanism)
    assert raw.closed(3 * HANDSHAKE_S)
    served(doors)


@pytest.mark.parametrize("kind", [b"REQ", b"ROUTER", b"PUB", b"", b"NONSENSE"])
def test_another_kind_of_socket(doors, door, kind):
    raw = Raw(doors, door).greet().ready(kind=kind)
    raw.message(b"", b"question")
    served(doors)
    raw.close()


def test_a_frame_that_claims_to_be_huge(doors, door):
    raw = Raw(doors, door).greet().ready()
    raw.socket.sendall(b"\x02" + struct.pack(">Q", 1 << 62))
    assert raw.closed(3 * HANDSHAKE_S)
    served(doors)


def test_an_unfinished_message(doors, door):
    raw = Raw(doors, door).greet().ready()
    for _ in range(20000):
        raw.frame(b"", more=True)
    served(doors)
    raw.close()                              # what was begun is gone with it
    served(doors)


def test_two_hundred_idle_connections(doors, door):
    idle = [Raw(doors, door) for _ in range(100)] + [Raw(doors, door).greet().ready() for _ in range(100)]
    served(doors)
    for raw in idle:
        raw.close()
    served(doors)
