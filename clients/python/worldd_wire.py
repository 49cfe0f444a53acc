"""The wire of worldd for Python planners: message classes, frames, and a planner's session.

Needs Debian's python3-zmq and python3-protobuf, nothing generated: the message classes are made from worldd.proto
itself, looked for in $WORLDD_PROTO, beside this file, in the source tree, and in /usr/share/worldd.
"""
import concurrent.futures
import os
import pathlib
import random
import re
import select
import signal
import struct
import sys
import time
from socket import socketpair

import zmq
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

MAJOR, MINOR = 1, 0
FRAME_MAX = 8 << 20          # bytes of one frame that we accept
WELCOME_WAIT = 3.0           # seconds; no Welcome by then: not authorised, or not worldd
KINDS = {"HELLO": 1, "WELCOME": 2, "REJECT": 3, "PING": 4, "PONG": 5, "WHO_ARE_YOU": 6, "GOODBYE": 7, "ERROR": 8,
         "PLAN_REQUEST": 16, "PLAN_REPLY": 17, "PLAN_ERROR": 18, "PLAN_CANCEL": 19,
         "CONTROL": 32, "PROGRESS": 33, "REPLY": 34}
NAMES = {number: name for name, number in KINDS.items()}


def _find_schema():
    here = pathlib.Path(__file__).resolve().parent
    places = [os.environ.get("WORLDD_PROTO"), here / "worldd.proto", here / "../../proto/worldd.proto",
              "/usr/share/worldd/worldd.proto"]
    for place in filter(None, places):
        if pathlib.Path(place).is_file():
            return pathlib.Path(place)
    raise FileNotFoundError("worldd.proto: set WORLDD_PROTO to where it is")


def load_schema(path=None):
    """Message classes by name, made from the schema's own text (messages and repeated fields are all it uses)."""
    text = re.sub(r"//[^\n]*", "", (pathlib.Path(path) if path else _find_schema()).read_text(encoding="utf-8"))
    field_proto = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="worldd.proto", package="worldd.v1", syntax="proto3")
    for name, body in re.findall(r"message (\w+) \{(.*?)\}", text, re.S):
        message = file.message_type.add(name=name)
        for repeated, kind, field, number in re.findall(r"(repeated )?(\w+) (\w+) = (\d+);", body):
            row = message.field.add(name=field, number=int(number))
            row.label = field_proto.LABEL_REPEATED if repeated else field_proto.LABEL_OPTIONAL
            if kind[0].isupper():
                row.type, row.type_name = field_proto.TYPE_MESSAGE, ".worldd.v1." + kind
            else:
                row.type = getattr(field_proto, "TYPE_" + kind.upper())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    make = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return {m.name: make(pool.FindMessageTypeByName("worldd.v1." + m.name)) for m in file.message_type}


SCHEMA = load_schema()
globals().update(SCHEMA)     # Hello, Welcome, PlanRequest, ...


def header(kind):
    """The header frame of a message of that kind ("HELLO", ...)."""
    return struct.pack("<2sBBHH", b"WD", MAJOR, MINOR, KINDS[kind], 0)


def read_header(frame):
    """The kind's name; ValueError says what is wrong."""
    if len(frame) != 8 or frame[:2] != b"WD":
        raise ValueError("header: no worldd message")
    major, _minor, kind, flags = struct.unpack("<BBHH", frame[2:])
    if major != MAJOR or flags != 0 or kind not in NAMES:
        raise ValueError(f"header: version {major}, kind {kind}, flags {flags}")
    return NAMES[kind]


class Superseded(Exception):
    """A newer instance of the same name has taken over; going on would only start a quarrel."""


class Rejected(Exception):
    """worldd refused the Hello; the text names the field."""


class Session:
    """One planner's connection. `plan(request)` returns a PlanReply and runs in a thread, so that heartbeats go on
    while it thinks; an exception in it becomes a PlanError. Only the thread that calls run() touches the socket."""

    def __init__(self, endpoint, name, plan, max_inflight=1, log=None):
        self.endpoint, self.name, self.plan = endpoint, name, plan
        self.max_inflight = max_inflight
        self.log = log or (lambda text: None)
        self.instance = os.urandom(16)
        self.boot_id = b""
        self.jobs = {}               # future: request id
        self.ended = False           # set by stop()
        self._bell, self._ringer = socketpair()
        self._bell.setblocking(False)
        self._ringer.setblocking(False)

    def stop(self):
        """Leave; callable from a signal handler or another thread."""
        self.ended = True
        self._ring()

    def _ring(self):
        """Wake the loop: a thought is finished, or it is time to leave."""
        try:
            self._ringer.send(b"!")
        except BlockingIOError:
            pass                                 # it rings already

    def run(self):
        """Serve until stop(), starting over with a back-off whenever worldd is gone."""
        back_off = 0.1
        with zmq.Context() as context, concurrent.futures.ThreadPoolExecutor(self.max_inflight) as pool:
            while not self.ended:
                opened = time.monotonic()
                try:
                    self._serve(context, pool)
                except zmq.Again:
                    self.log("nobody takes what is sent")
                if time.monotonic() - opened > 30:
                    back_off = 0.1
                if not self.ended:
                    select.select([self._bell], [], [], back_off * random.uniform(0.5, 1))
                back_off = min(back_off * 2, 10)

    def _open(self, context):
        socket = context.socket(zmq.DEALER)      # no routing id: worldd names its peers
        for option, value in ((zmq.LINGER, 200), (zmq.SNDHWM, 64), (zmq.RCVHWM, 64), (zmq.IMMEDIATE, 1),
                              (zmq.MAXMSGSIZE, FRAME_MAX), (zmq.SNDTIMEO, 2000), (zmq.HEARTBEAT_IVL, 2000),
                              (zmq.HEARTBEAT_TIMEOUT, 6000), (zmq.HEARTBEAT_TTL, 6000)):
            socket.setsockopt(option, value)     # before connect: later ones are ignored
        socket.connect(self.endpoint)
        return socket

    def _serve(self, context, pool):
        socket = self._open(context)
        try:
            self._send(socket, "HELLO", self._hello())
            self._loop(pool, socket)
            if self.ended:
                self._send(socket, "GOODBYE", SCHEMA["Goodbye"](reason="done"))
        finally:
            self.jobs.clear()                    # their answers would be late
            socket.close()

    def _loop(self, pool, socket):
        heartbeat, limit, beat, beats = None, WELCOME_WAIT, 0.0, 0
        heard = time.monotonic()
        poller = zmq.Poller()
        poller.register(socket, zmq.POLLIN)
        poller.register(self._bell, zmq.POLLIN)
        while not self.ended:
            now = time.monotonic()
            if now - heard >= limit:
                self.log("worldd is gone" if heartbeat else "no welcome: not there, or not authorised")
                return
            if heartbeat and now >= beat:
                beats, beat = beats + 1, now + heartbeat
                self._send(socket, "PING", SCHEMA["Ping"](sequence=beats))
            wake = min(heard + limit, beat if heartbeat else heard + limit) - now
            ready = dict(poller.poll(max(0, wake) * 1000))
            if self._bell.fileno() in ready:
                self._bell.recv(4096)
            self._send_finished(socket)
            if socket not in ready:
                continue
            frames = socket.recv_multipart()
            heard = time.monotonic()
            try:
                kind = read_header(frames[0])
            except ValueError as error:
                self.log(str(error))
                continue
            body = frames[1] if len(frames) > 1 else b""
            if kind == "WELCOME":
                welcome = SCHEMA["Welcome"].FromString(body)
                if welcome.boot_id != self.boot_id:
                    self.jobs.clear()            # another worldd: it knows nothing of them
                self.boot_id = welcome.boot_id
                heartbeat = welcome.heartbeat_ms / 1000
                limit, beat = heartbeat * welcome.liveness, heard + heartbeat
                self.log(f"welcome (protocol {welcome.major}.{welcome.minor})")
            elif not self._take(kind, body, pool, socket):
                return

    def _take(self, kind, body, pool, socket):
        """One message; False: this connection is over."""
        if kind == "PLAN_REQUEST":
            request = SCHEMA["PlanRequest"].FromString(body)
            self.log(f"run {request.run_id}, step {request.step_index}: asked")
            future = pool.submit(self.plan, request)
            self.jobs[future] = request.request_id
            future.add_done_callback(lambda _: self._ring())
        elif kind == "PLAN_CANCEL":
            gone = SCHEMA["PlanCancel"].FromString(body).request_id
            for future in [f for f, request_id in self.jobs.items() if request_id == gone]:
                future.cancel()
                del self.jobs[future]
        elif kind == "PING":
            self._send(socket, "PONG", SCHEMA["Ping"].FromString(body))
        elif kind == "WHO_ARE_YOU":
            self.jobs.clear()
            self._send(socket, "HELLO", self._hello())
        elif kind == "ERROR":
            self.log("worldd says: " + SCHEMA["Error"].FromString(body).text)
        elif kind == "REJECT":
            raise Rejected(SCHEMA["Reject"].FromString(body).text)
        elif kind == "GOODBYE":
            reason = SCHEMA["Goodbye"].FromString(body).reason
            self.log("goodbye: " + reason)
            if reason == "superseded":
                raise Superseded(self.name)
            return False
        return True

    def _send_finished(self, socket):
        for future in [f for f in self.jobs if f.done()]:
            request_id = self.jobs.pop(future)
            error = future.exception()
            if error is None:
                reply = future.result()
                reply.request_id = request_id
                self._send(socket, "PLAN_REPLY", reply)
            else:
                text = f"{type(error).__name__}: {error}"
                self.log(text)
                self._send(socket, "PLAN_ERROR", SCHEMA["PlanError"](request_id=request_id, text=text))

    def _hello(self):
        return SCHEMA["Hello"](min_major=MAJOR, max_major=MAJOR, max_minor=MINOR, role="planner", name=self.name,
                               instance=self.instance, max_inflight=self.max_inflight, max_frame=FRAME_MAX)

    @staticmethod
    def _send(socket, kind, body):
        socket.send_multipart([header(kind), body.SerializeToString()])


def serve(endpoint, name, plan, max_inflight=1, verbose=True):
    """Run a planner until SIGTERM or SIGINT; the exit status of the program."""
    def log(text):
        if verbose:
            print(f"planner {name}: {text}", flush=True)
    session = Session(endpoint, name, plan, max_inflight, log)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: session.stop())
    try:
        session.run()
    except Superseded:
        return 3
    except Rejected as error:
        print(f"planner {name}: rejected: {error}", file=sys.stderr)
        return 2
    return 0
