"""worldd's side of the planner socket, just enough to drive a real planner process from a test."""
import os
import pathlib
import subprocess
import sys
import time

import zmq

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "clients/python"))
from worldd import wire  # noqa: E402

BUILD = pathlib.Path(os.environ.get("WD_BUILD_DIR", ROOT / "build/dev"))
PATIENCE = 10.0              # seconds; a test that waits so long has failed


class FakeWorldd:
    """A ROUTER that says what the test tells it to; `planner` starts a process that connects to it."""

    def __init__(self, directory, heartbeat_ms=200, liveness=5):
        self.endpoint = f"ipc://{directory}/planner.sock"
        self.heartbeat_ms, self.liveness = heartbeat_ms, liveness
        self.boot_id = os.urandom(16)
        self.context = zmq.Context()
        self.socket = None
        self.processes = []
        self.peer = None
        self.pings = 0
        self.bind()

    def bind(self):
        self.socket = self.context.socket(zmq.ROUTER)
        self.socket.setsockopt(zmq.LINGER, 200)
        self.socket.setsockopt(zmq.ROUTER_MANDATORY, 1)
        self.socket.bind(self.endpoint)

    def unbind(self):
        self.socket.close()

    def start(self, *arguments, **options):
        process = subprocess.Popen([str(argument) for argument in arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, **options)
        self.processes.append(process)
        return process

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.communicate()
        self.socket.close()
        self.context.term()

    def send(self, kind, body=b"", peer=None):
        if not isinstance(body, bytes):
            body = body.SerializeToString()
        self.socket.send_multipart([peer or self.peer, wire.header(kind), body])

    def receive(self, *kinds, patience=PATIENCE):
        """The next message of one of the kinds; beats are answered and counted meanwhile."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if not self.socket.poll(max(1, (end - time.monotonic()) * 1000)):
                break
            peer, header, body = self.socket.recv_multipart()
            kind = wire.read_header(header)
            if kind == "PING":
                self.pings += 1
                self.send("PONG", body, peer)
            if kind in kinds:
                self.peer = peer
                return kind, body
        raise AssertionError(f"no {' or '.join(kinds)} within {patience} s")

    def silent(self, *kinds, seconds):
        """True when none of the kinds comes for so long."""
        try:
            self.receive(*kinds, patience=seconds)
        except AssertionError:
            return True
        return False

    def welcome(self):
        """Wait for a Hello and welcome it."""
        _, body = self.receive("HELLO")
        self.send("WELCOME", wire.SCHEMA["Welcome"](
            major=1, minor=0, session=os.urandom(16), heartbeat_ms=self.heartbeat_ms, liveness=self.liveness,
            max_frame=4 << 20, boot_id=self.boot_id))
        return wire.SCHEMA["Hello"].FromString(body)

    def ask(self, request):
        """Send a PlanRequest and wait for its PlanReply."""
        self.send("PLAN_REQUEST", request)
        kind, body = self.receive("PLAN_REPLY", "PLAN_ERROR")
        assert kind == "PLAN_REPLY", wire.SCHEMA["PlanError"].FromString(body).text
        reply = wire.SCHEMA["PlanReply"].FromString(body)
        assert reply.request_id == request.request_id
        return reply
