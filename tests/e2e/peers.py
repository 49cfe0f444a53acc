"""Peers of worldd that say exactly what a test tells them to, frame by frame."""
import json
import os
import sys
import time

import zmq

from conftest import ROOT

sys.path.insert(0, str(ROOT / "clients/python"))
from worldd import wire  # noqa: E402

PATIENCE = 20.0              # seconds; a test that waits so long has failed


class Peer:
    """One DEALER: says exactly what it is told to."""

    def __init__(self, context, endpoint, role, name, **options):
        self.role, self.name = role, name
        self.instance = os.urandom(16)
        self.socket = context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 200)
        for option, value in options.items():
            self.socket.setsockopt(getattr(zmq, option), value)
        self.socket.connect(endpoint)
        self.request_id = 0

    def close(self):
        self.socket.close()

    def send_frames(self, *frames):
        self.socket.send_multipart(frames)

    def send(self, kind, body=b""):
        self.send_frames(wire.header(kind), body if isinstance(body, bytes) else body.SerializeToString())

    def receive(self, *kinds, patience=PATIENCE):
        """The next message of one of the kinds (any, when none is named) as (kind, message); worldd's beats are
        answered and passed over."""
        end = time.monotonic() + patience
        while self.socket.poll(max(0, (end - time.monotonic()) * 1000)):
            header, body = self.socket.recv_multipart()
            kind = wire.read_header(header)
            if kind == "PING":
                self.send("PONG", body)
            if kind in kinds or (not kinds and kind not in ("PING", "PONG")):
                return kind, decode(kind, body)
        raise AssertionError(f"{self.name}: no {' or '.join(kinds) or 'message'} within {patience} s")

    def refused(self, status, text):
        """The next message says that the last one could not be taken."""
        kind, message = self.receive()
        assert kind in ("ERROR", "REJECT"), kind
        assert (message.code, message.text[:len(text)]) == (STATUS[status], text)
        return message

    def hello(self, **changed):
        fields = dict(min_major=1, max_major=1, role=self.role, name=self.name, instance=self.instance)
        self.send("HELLO", wire.SCHEMA["Hello"](**{**fields, **changed}))

    def greet(self, **changed):
        self.hello(**changed)
        _, self.welcome = self.receive("WELCOME")
        return self

    def in_step(self, number):
        """Wait until worldd has read all that was sent before."""
        self.send("PING", wire.SCHEMA["Ping"](sequence=number + 1000))
        while True:
            kind, message = self.receive("PONG", "WHO_ARE_YOU")
            if kind == "WHO_ARE_YOU" or message.sequence == number + 1000:
                return

    def ask(self, verb, **arguments):
        """Send a Control; its id."""
        self.request_id += 1
        self.send("CONTROL", wire.SCHEMA["Control"](request_id=self.request_id, verb=verb,
                                                    args_json=json.dumps(arguments).encode()))
        return self.request_id

    def answer(self, request_id):
        """Wait for the Reply to a Control."""
        while True:
            kind, message = self.receive("REPLY", "ERROR")
            if message.request_id == request_id:
                assert kind == "REPLY", message.text
                return json.loads(message.result_json)

    def control(self, verb, **arguments):
        return self.answer(self.ask(verb, **arguments))

    def reply(self, request, *steps, **fields):
        """Answer a PlanRequest with steps of (action, arguments)."""
        message = wire.SCHEMA["PlanReply"](request_id=request.request_id, **fields)
        for action, arguments in steps:
            message.steps.add(action=action, args_json=json.dumps(arguments).encode())
        self.send("PLAN_REPLY", message)


STATUS = {"EINVAL": 2, "EPARSE": 3, "EUTF8": 4, "ETYPE": 5, "ELIMIT": 6, "ENOENT": 7, "EEXIST": 8, "EVERSION": 12,
          "EPROTO": 13, "EDENIED": 14, "EUNSUPPORTED": 20, "EOUTDATED": 24}


def decode(kind, body):
    return wire.SCHEMA[wire.BODIES.get(kind) or "".join(word.capitalize() for word in kind.split("_"))].FromString(body)


class Doors:
    """Peers of a running daemon (conftest.Daemon), frame by frame."""

    def __init__(self, daemon, control=None):
        self.daemon = daemon
        self.control_endpoint = control or daemon.control_endpoint
        self.context = zmq.Context()
        self.peers = []

    def _peer(self, endpoint, role, name, options):
        self.peers.append(Peer(self.context, endpoint, role, name, **options))
        return self.peers[-1]

    def planner(self, name="test", **options):
        return self._peer(self.daemon.planner_endpoint, "planner", name, options)

    def client(self, name="client", **options):
        return self._peer(self.control_endpoint, "client", name, options)

    def status(self):
        client = self.client("status").greet()
        try:
            return client.control("status")
        finally:
            client.close()

    def close(self):
        for peer in self.peers:
            peer.socket.close(0)
        self.context.term()
