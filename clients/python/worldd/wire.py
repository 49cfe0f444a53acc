"""The wire of worldd: message classes, frames, and a planner's session.

Needs Debian's python3-zmq and python3-protobuf, nothing generated: the message classes are made from worldd.proto
itself, looked for in $WORLDD_PROTO, beside this file, and in /usr/share/worldd.
"""
from __future__ import annotations

import collections
import concurrent.futures
import itertools
import os
import pathlib
import random
import re
import select
import signal
import struct
import sys
import threading
import time
from socket import socketpair
from typing import Any, Callable, NamedTuple, Optional

import zmq
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from .errors import ConnectionLost, DeadlineExceeded, Rejected, Superseded, WorlddError, request_error
from .keys import Keys, load_keys

Message = Any                # a protobuf message of one of the classes in SCHEMA
PlanFunction = Callable[[Message], Message]  # PlanRequest -> PlanReply, ExecuteRequest -> ExecuteReply, ...

MAJOR, MINOR = 1, 0
FRAME_MAX = 8 << 20          # bytes of one frame that we accept
THOUGHT_MAX = 1024           # characters of one PlanThought, of 4 bytes at most: worldd takes 4096
WELCOME_WAIT = 3.0           # seconds; no Welcome by then: not authorised, or not worldd
KINDS = {"HELLO": 1, "WELCOME": 2, "REJECT": 3, "PING": 4, "PONG": 5, "WHO_ARE_YOU": 6, "GOODBYE": 7, "ERROR": 8,
         "PLAN_REQUEST": 16, "PLAN_REPLY": 17, "PLAN_ERROR": 18, "PLAN_CANCEL": 19,
         "ENRICH_REQUEST": 20, "ENRICH_REPLY": 21, "ENRICH_ERROR": 22, "ENRICH_CANCEL": 23,
         "OBSERVE_REQUEST": 24, "OBSERVE_REPLY": 25, "EXECUTE_REQUEST": 26, "EXECUTE_REPLY": 27, "EXECUTOR_ERROR": 28,
         "EXECUTOR_CANCEL": 29, "PLAN_THOUGHT": 30,
         "CONTROL": 32, "PROGRESS": 33, "REPLY": 34, "ENV_BATCH": 35, "ENV_BATCH_REPLY": 36,
         "IMAGINE": 40, "IMAGINE_REPLY": 41}
NAMES = {number: name for name, number in KINDS.items()}


def _find_schema() -> pathlib.Path:
    here = pathlib.Path(__file__).resolve().parent
    places = [os.environ.get("WORLDD_PROTO"), here / "worldd.proto", "/usr/share/worldd/worldd.proto"]
    for place in places:
        if place and pathlib.Path(place).is_file():
            return pathlib.Path(place)
    raise FileNotFoundError("worldd.proto: set WORLDD_PROTO to where it is")


def load_schema(path: Optional[str] = None) -> dict[str, Any]:
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


SCHEMA = load_schema()       # "Hello", "Welcome", "PlanRequest", ...
BODIES = {"PONG": "Ping", "WHO_ARE_YOU": "WhoAreYou",     # kinds whose body has another name
          "ENRICH_ERROR": "PlanError", "ENRICH_CANCEL": "PlanCancel",
          "EXECUTOR_ERROR": "PlanError", "EXECUTOR_CANCEL": "PlanCancel"}


def header(kind: str) -> bytes:
    """The header frame of a message of that kind ("HELLO", ...)."""
    return struct.pack("<2sBBHH", b"WD", MAJOR, MINOR, KINDS[kind], 0)


def read_header(frame: bytes) -> str:
    """The kind's name; ValueError says what is wrong."""
    if len(frame) != 8 or frame[:2] != b"WD":
        raise ValueError("header: no worldd message")
    major, _minor, kind, flags = struct.unpack("<BBHH", frame[2:])
    if major != MAJOR or flags != 0 or kind not in NAMES:
        raise ValueError(f"header: version {major}, kind {kind}, flags {flags}")
    return NAMES[kind]


def decode(kind: str, body: bytes) -> Message:
    """The body of a message of that kind; ValueError when it is none."""
    name = BODIES.get(kind) or "".join(word.capitalize() for word in kind.split("_"))
    try:
        return SCHEMA[name].FromString(body)
    except Exception as error:                   # DecodeError has another base in each implementation of protobuf
        raise ValueError(f"{kind}: {error}") from error


def open_dealer(context: Any, endpoint: str, keys: Optional[Keys] = None, silence_ms: int = 6000) -> Any:
    """A DEALER to worldd with the options that hold (proto/README.md): none queues for a daemon that is not there.
    tcp takes CURVE keys: those given, else those of the environment (load_keys()). `silence_ms`: of the other side's socket,
    after which the connection is cut."""
    socket = context.socket(zmq.DEALER)          # no routing id: worldd names its peers
    for option, value in ((zmq.LINGER, 200), (zmq.SNDHWM, 64), (zmq.RCVHWM, 64), (zmq.IMMEDIATE, 1),
                          (zmq.MAXMSGSIZE, FRAME_MAX), (zmq.SNDTIMEO, 2000), (zmq.HEARTBEAT_IVL, 2000),
                          (zmq.HEARTBEAT_TIMEOUT, silence_ms), (zmq.HEARTBEAT_TTL, silence_ms)):
        socket.setsockopt(option, value)         # before connect: later ones are ignored
    if endpoint.startswith("tcp://"):
        keys = keys or load_keys()
        if keys is not None:
            keys.apply(socket)
    socket.connect(endpoint)
    return socket


# By role: the kinds of what is asked, answered, failed, and cancelled.
WORK = {"planner": ({"PLAN_REQUEST": "PLAN_REPLY"}, "PLAN_ERROR", "PLAN_CANCEL"),
        "enricher": ({"ENRICH_REQUEST": "ENRICH_REPLY"}, "ENRICH_ERROR", "ENRICH_CANCEL"),
        "executor": ({"OBSERVE_REQUEST": "OBSERVE_REPLY", "EXECUTE_REQUEST": "EXECUTE_REPLY"},
                     "EXECUTOR_ERROR", "EXECUTOR_CANCEL")}


class Job(NamedTuple):
    """A request that is being answered by a thread."""
    request_id: int
    reply: str                                   # the kind of its answer
    gone: threading.Event                        # set: nobody waits for it any more


class Session:
    """The connection of a planner, an enricher or an executor. `plan(request)` returns the reply and runs in a thread, so that
    heartbeats go on while it thinks; an exception in it becomes an error message. Only the thread that calls run() touches the
    socket; others leave what they want sent in a queue."""

    def __init__(self, endpoint: str, name: str, plan: PlanFunction, max_inflight: int = 1,
                 log: Optional[Callable[[str], None]] = None, role: str = "planner",
                 keys: Optional[Keys] = None, **hello: Any) -> None:
        """`hello`: further fields of the Hello, coord_space="norm1000" say."""
        self.role = role
        self._replies, self._error, self._cancel = WORK[role]
        self.endpoint, self.name, self.plan = endpoint, name, plan
        self.max_inflight = max_inflight
        self.log = log or (lambda text: None)
        self.hello, self.keys = hello, keys
        self.instance = os.urandom(16)
        self.boot_id = b""
        self.jobs: dict[concurrent.futures.Future[Message], Job] = {}
        self.ended = False           # set by stop()
        self._outbox: collections.deque[tuple[str, int, Message]] = collections.deque()  # kind, request id, body
        self._asked: dict[int, concurrent.futures.Future[bytes]] = {}   # imagine id: the result's text
        self._imagine_ids = itertools.count(1)
        self._bell, self._ringer = socketpair()
        self._bell.setblocking(False)
        self._ringer.setblocking(False)

    def stop(self) -> None:
        """Leave; callable from a signal handler or another thread."""
        self.ended = True
        self._ring()

    def think(self, request_id: int, text: str) -> None:
        """Tell those who watch what is thought about an open request. From any thread; what is too late is not sent."""
        text = text.replace("\0", "").encode(errors="replace").decode()
        for at in range(0, len(text), THOUGHT_MAX):
            piece = SCHEMA["PlanThought"](request_id=request_id, text=text[at:at + THOUGHT_MAX])
            self._outbox.append(("PLAN_THOUGHT", request_id, piece))
        self._ring()

    def imagine(self, request_id: int, args: bytes, timeout: float) -> bytes:
        """What-if about an open request: the JSON text of the result. From any thread but the one that runs. Raises
        RequestError as worldd says it, DeadlineExceeded, ConnectionLost when the request is open no more."""
        if self.ended:
            raise ConnectionLost("the session is over")
        imagine_id, answer = next(self._imagine_ids), concurrent.futures.Future[bytes]()
        self._asked[imagine_id] = answer
        message = SCHEMA["Imagine"](imagine_id=imagine_id, request_id=request_id, args_json=args)
        self._outbox.append(("IMAGINE", request_id, message))
        self._ring()
        try:
            return answer.result(timeout)
        except concurrent.futures.TimeoutError:
            raise DeadlineExceeded("worldd did not answer in time") from None
        finally:
            self._asked.pop(imagine_id, None)

    def cancelled(self, request_id: int) -> threading.Event:
        """Set when nobody waits for that request any more."""
        for job in list(self.jobs.values()):
            if job.request_id == request_id:
                return job.gone
        gone = threading.Event()
        gone.set()
        return gone

    def _ring(self) -> None:
        """Wake the loop: a thought is finished, or it is time to leave."""
        try:
            self._ringer.send(b"!")
        except BlockingIOError:
            pass                                 # it rings already

    def run(self) -> None:
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

    def _serve(self, context: Any, pool: concurrent.futures.Executor) -> None:
        socket = open_dealer(context, self.endpoint, self.keys)
        try:
            self._send(socket, "HELLO", self._hello())
            self._loop(pool, socket)
            if self.ended:
                self._send(socket, "GOODBYE", SCHEMA["Goodbye"](reason="done"))
        finally:
            self._give_up()                      # their answers would be late
            socket.close()

    def _give_up(self) -> None:
        """Nobody waits for anything that was asked so far."""
        for job in self.jobs.values():
            job.gone.set()
        self.jobs.clear()
        self._outbox.clear()
        for answer in list(self._asked.values()):
            if not answer.done():
                answer.set_exception(ConnectionLost("the request is open no more"))

    def _loop(self, pool: concurrent.futures.Executor, socket: Any) -> None:
        heartbeat, limit, beat, beats = 0.0, WELCOME_WAIT, 0.0, 0
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
            ready = dict(poller.poll(int(max(0.0, wake) * 1000) + 1))
            if self._bell.fileno() in ready:
                self._bell.recv(4096)
            self._send_outbox(socket)
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
                    self._give_up()              # another worldd: it knows nothing of them
                self.boot_id = welcome.boot_id
                heartbeat = welcome.heartbeat_ms / 1000
                limit, beat = heartbeat * welcome.liveness, heard + heartbeat
                self.log(f"welcome (protocol {welcome.major}.{welcome.minor})")
            elif not self._take(kind, body, pool, socket):
                return

    def _take(self, kind: str, body: bytes, pool: concurrent.futures.Executor, socket: Any) -> bool:
        """One message; False: this connection is over."""
        if kind in self._replies:
            self._begin(kind, decode(kind, body), pool)
        elif kind == self._cancel:
            gone = decode(kind, body).request_id
            for future, job in list(self.jobs.items()):
                if job.request_id == gone:
                    job.gone.set()
                    future.cancel()
                    del self.jobs[future]
        elif kind == "PING":
            self._send(socket, "PONG", SCHEMA["Ping"].FromString(body))
        elif kind == "WHO_ARE_YOU":
            self._give_up()
            self._send(socket, "HELLO", self._hello())
        elif kind == "IMAGINE_REPLY":
            reply = decode(kind, body)
            self._answered(reply.imagine_id, reply.result_json, None)
        elif kind == "ERROR":
            error = SCHEMA["Error"].FromString(body)
            if not self._answered(error.imagine_id, b"", request_error(error.code, error.text)):
                self.log("worldd says: " + error.text)
        elif kind == "REJECT":
            raise Rejected(SCHEMA["Reject"].FromString(body).text)
        elif kind == "GOODBYE":
            reason = SCHEMA["Goodbye"].FromString(body).reason
            self.log("goodbye: " + reason)
            if reason == "superseded":
                raise Superseded(self.name)
            return False
        return True

    def _begin(self, kind: str, request: Message, pool: concurrent.futures.Executor) -> None:
        if any(job.request_id == request.request_id for job in self.jobs.values()):
            return                               # it is at work on it
        at = f", step {request.step_index}" if self.role == "planner" else ""
        self.log(f"run {request.run_id}{at}: asked")
        job = Job(request.request_id, self._replies[kind], threading.Event())
        begins = threading.Event()               # not before it is among the jobs, where cancelled() looks

        def work() -> Message:
            begins.wait()
            return self.plan(request)

        future = pool.submit(work)
        self.jobs[future] = job
        begins.set()
        future.add_done_callback(lambda _: self._ring())

    def _answered(self, imagine_id: int, text: bytes, error: Optional[WorlddError]) -> bool:
        """An answer to imagine(). False: nobody waits for it."""
        answer = self._asked.get(imagine_id)
        if answer is None or answer.done():
            return False
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(text)
        return True

    def _send_outbox(self, socket: Any) -> None:
        while self._outbox:
            kind, request_id, body = self._outbox.popleft()
            if any(job.request_id == request_id for job in self.jobs.values()):
                self._send(socket, kind, body)
            elif kind == "IMAGINE":
                self._answered(body.imagine_id, b"", ConnectionLost("the request is open no more"))

    def _send_finished(self, socket: Any) -> None:
        for future in [f for f in self.jobs if f.done()]:
            job = self.jobs.pop(future)
            error = future.exception()
            if error is None:
                reply = future.result()
                reply.request_id = job.request_id
                self._send(socket, job.reply, reply)
            else:
                text = f"{type(error).__name__}: {error}"
                self.log(text)
                self._send(socket, self._error, SCHEMA["PlanError"](
                    request_id=job.request_id, text=text, retryable=getattr(error, "retryable", False)))

    def _hello(self) -> Message:
        return SCHEMA["Hello"](min_major=MAJOR, max_major=MAJOR, max_minor=MINOR, role=self.role, name=self.name,
                               instance=self.instance, max_inflight=self.max_inflight, max_frame=FRAME_MAX, **self.hello)

    @staticmethod
    def _send(socket: Any, kind: str, body: Message) -> None:
        socket.send_multipart([header(kind), body.SerializeToString()])


def serve(endpoint: str, name: str, plan: PlanFunction, max_inflight: int = 1, verbose: bool = True) -> int:
    """Run a planner until SIGTERM or SIGINT; the exit status of the program."""
    return serve_session(Session(endpoint, name, plan, max_inflight), verbose)


def serve_session(session: Session, verbose: bool = True) -> int:
    """As serve(), with a session made already."""
    if verbose:
        session.log = lambda text: print(f"{session.role} {session.name}: {text}", flush=True)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: session.stop())
    try:
        session.run()
    except Superseded:
        return 3
    except Rejected as error:
        print(f"{session.role} {session.name}: rejected: {error}", file=sys.stderr)
        return 2
    return 0
