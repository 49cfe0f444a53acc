"""A client's connection to the control socket: Hello, requests with deadlines, Progress, reconnecting after a restart.

`Link` is the protocol without a socket: what to send, what an incoming message means. `Control` drives it with a blocking
socket, `worldd.aio.AsyncControl` with asyncio, so that both keep the same rules.
"""
from __future__ import annotations

import json
import os
import pathlib
import threading
import time
import weakref
from typing import Any, Callable, NamedTuple, Optional

import zmq

from . import wire
from .errors import (ConnectionLost, DeadlineExceeded, InvalidRequest, NotReachable, Rejected, WorlddError,
                     request_error)
from .keys import Keys

Progress = Callable[[dict[str, Any]], None]
REQUEST_TIMEOUT = 30.0       # seconds; of a request whose caller gives none
SILENCE_MS = 60000           # a watcher that reads slowly: heartbeats stand in the queue behind what it has not read
IDLE_S = 1.0                 # after so much silence a request is preceded by a Ping: is it still the same worldd?


def find_control_endpoint(endpoint: Optional[str] = None, directory: Optional[str] = None) -> str:
    """Where worldd listens for clients: `endpoint`, else daemon.json in `directory`, else $WORLDD_CONTROL, else
    daemon.json in $WORLDD_DAEMON_DIRECTORY.

    Raises NotReachable when no daemon can be found that way.
    """
    if endpoint is None and directory is None:
        endpoint, directory = os.environ.get("WORLDD_CONTROL"), os.environ.get("WORLDD_DAEMON_DIRECTORY")
    if endpoint is not None:
        return endpoint
    if directory is None:
        raise NotReachable("no endpoint was given, and neither WORLDD_CONTROL nor WORLDD_DAEMON_DIRECTORY is set")
    path = pathlib.Path(directory) / "daemon.json"
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["control"])
    except (OSError, ValueError, KeyError) as error:
        raise NotReachable(f"no worldd runs in {directory}: {error}") from None


class Event(NamedTuple):
    """One incoming message, understood."""
    kind: str                # "welcome", "alive", "unknown" (worldd does not know us), "progress", "reply", "error", "gone"
    request_id: int = 0
    value: Any = None        # progress, reply: the JSON value; error: the exception


class Link:
    """The protocol of one client without a socket. Not thread-safe; its owner takes care."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.instance = os.urandom(16)           # the same for life: it scopes the request ids
        self.boot_id = b""
        self.heartbeat = 1.0                     # seconds between our Pings while a request is open
        self.silence = wire.WELCOME_WAIT         # seconds without a sign of life that mean: gone
        self.frame_max = 4 << 20                 # bytes
        self._last_id = 0
        self._beats = 0

    def hello(self) -> list[bytes]:
        message = wire.SCHEMA["Hello"](min_major=wire.MAJOR, max_major=wire.MAJOR, max_minor=wire.MINOR, role="client",
                                       name=self.name, instance=self.instance, max_frame=wire.FRAME_MAX)
        return [wire.header("HELLO"), message.SerializeToString()]

    def ping(self) -> list[bytes]:
        self._beats += 1
        return [wire.header("PING"), wire.SCHEMA["Ping"](sequence=self._beats).SerializeToString()]

    @staticmethod
    def pong(sequence: int) -> list[bytes]:
        return [wire.header("PONG"), wire.SCHEMA["Ping"](sequence=sequence).SerializeToString()]

    @staticmethod
    def goodbye() -> list[bytes]:
        return [wire.header("GOODBYE"), wire.SCHEMA["Goodbye"](reason="done").SerializeToString()]

    def control(self, verb: str, args: dict[str, Any], timeout: Optional[float]) -> tuple[int, list[bytes]]:
        """A request: its id and its frames. Raises InvalidRequest when `args` is no JSON or too large."""
        try:
            text = json.dumps(args, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        except (TypeError, ValueError) as error:
            raise InvalidRequest(2, f"args: {error}") from None
        if len(text) > self.frame_max - 1024:
            raise InvalidRequest(6, f"args: {len(text)} bytes, one message of worldd's takes {self.frame_max}")
        self._last_id += 1
        deadline_ms = 0 if timeout is None else max(1, min(int(timeout * 1000), 0xffffffff))
        message = wire.SCHEMA["Control"](request_id=self._last_id, verb=verb, args_json=text, deadline_ms=deadline_ms)
        return self._last_id, [wire.header("CONTROL"), message.SerializeToString()]

    def batch(self, fields: dict[str, Any], timeout: Optional[float]) -> tuple[int, list[bytes]]:
        """An EnvBatch of these fields: its id and its frames. Raises InvalidRequest when it is too large."""
        self._last_id += 1
        deadline_ms = 0 if timeout is None else max(1, min(int(timeout * 1000), 0xffffffff))
        message = wire.SCHEMA["EnvBatch"](request_id=self._last_id, deadline_ms=deadline_ms, **fields)
        body = message.SerializeToString()
        if len(body) > self.frame_max:
            raise InvalidRequest(6, f"batch: {len(body)} bytes, one message of worldd's takes {self.frame_max}")
        return self._last_id, [wire.header("ENV_BATCH"), body]

    def take(self, frames: list[bytes]) -> Event:
        """What an incoming message means. Raises Rejected; ConnectionLost when it is no worldd that answers."""
        try:
            kind = wire.read_header(frames[0])
            body = wire.decode(kind, frames[1] if len(frames) > 1 else b"")
        except ValueError as error:
            raise ConnectionLost(f"what answers is no worldd of our version: {error}") from None
        if kind == "WELCOME":
            self.boot_id = body.boot_id
            self.heartbeat = max(body.heartbeat_ms, 1) / 1000
            self.silence = self.heartbeat * max(body.liveness, 1)
            self.frame_max = body.max_frame or self.frame_max
            return Event("welcome")
        if kind == "REJECT":
            raise Rejected(body.text)
        if kind == "PROGRESS":
            return Event("progress", body.request_id, json.loads(body.event_json))
        if kind == "REPLY":
            return Event("reply", body.request_id, json.loads(body.result_json))
        if kind == "ENV_BATCH_REPLY":
            return Event("reply", body.request_id, body)
        if kind == "ERROR":
            return Event("error", body.request_id, request_error(body.code, body.text))
        if kind == "GOODBYE":
            return Event("gone", 0, body.reason)
        if kind == "PING":
            return Event("ping", body.sequence)
        return Event("unknown" if kind == "WHO_ARE_YOU" else "alive")


class Control:
    """A blocking connection. One request at a time; threads that share it take turns.

    It connects when first used, and again whenever worldd was restarted, so that it outlives the daemon. Between requests a
    thread beats for it, so that worldd does not take a client that thinks for one that is gone, and keeps its envs. Sockets
    are for one thread at a time: that thread, too, holds the lock while it beats, and passes when a request holds it.

    keep_alive  False: no such thread; envs are closed after env.orphan_ms of silence
    """

    def __init__(self, endpoint: str, name: str = "python", connect_timeout: float = wire.WELCOME_WAIT,
                 keep_alive: bool = True, keys: Optional[Keys] = None) -> None:
        self.endpoint, self.keys = endpoint, keys
        self.connect_timeout = connect_timeout
        self.keep_alive = keep_alive
        self._link = Link(name)
        self._context: Any = None
        self._socket: Any = None
        self._heard = 0.0                        # when worldd last showed a sign of life
        self._beat_at = 0.0                      # when the next Ping is due while a request is open
        self._lock = threading.Lock()
        self._keeper_ends: Optional[threading.Event] = None      # set: the thread that beats shall end

    @property
    def boot_id(self) -> bytes:
        """16 bytes, another for each start of the daemon; empty before the first request."""
        return self._link.boot_id

    def request(self, verb: str, args: Optional[dict[str, Any]] = None, timeout: Optional[float] = REQUEST_TIMEOUT,
                on_progress: Optional[Progress] = None) -> Any:
        """Ask and wait for the answer, a JSON value.

        timeout      seconds for the whole answer; None: as long as worldd shows signs of life.
        on_progress  called with each Progress event (an object) before the answer; what it raises ends the wait.

        Raises RequestError (worldd refused; the text names the argument), DeadlineExceeded, ConnectionLost,
        NotReachable. After ConnectionLost and DeadlineExceeded the request may have been carried out.
        """
        return self._exchange(lambda: self._link.control(verb, args or {}, timeout), timeout, on_progress)

    def batch(self, fields: dict[str, Any], timeout: Optional[float] = REQUEST_TIMEOUT) -> wire.Message:
        """Step many envs: an EnvBatchReply to an EnvBatch of these fields (proto/worldd.proto). Raises as request()."""
        return self._exchange(lambda: self._link.batch(fields, timeout), timeout, None)

    def _exchange(self, pack: Callable[[], tuple[int, list[bytes]]], timeout: Optional[float],
                  on_progress: Optional[Progress]) -> Any:
        with self._lock:
            end = None if timeout is None else time.monotonic() + timeout
            self._be_connected(end)
            request_id, frames = pack()
            try:
                self._socket.send_multipart(frames)
                return self._wait(request_id, frames, end, on_progress)
            except zmq.Again:
                self._drop()
                raise ConnectionLost("worldd takes no more messages") from None
            except (ConnectionLost, Rejected):
                self._drop()
                raise

    def close(self) -> None:
        """Say Goodbye and close. It may be used again afterwards; it then connects anew."""
        with self._lock:
            if self._keeper_ends is not None:
                self._keeper_ends.set()
                self._keeper_ends = None
            if self._socket is not None:
                try:
                    self._socket.send_multipart(Link.goodbye(), zmq.DONTWAIT)
                except zmq.ZMQError:
                    pass                         # a daemon that cannot be told finds out by itself
            self._drop()
            if self._context is not None:
                self._context.term()
                self._context = None

    def __enter__(self) -> Control:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- inside ------------------------------------------------------------------------------------------------

    def _drop(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _be_connected(self, end: Optional[float]) -> None:
        """Connected to a worldd that knows us. After a pause a Ping asks, for it may have been restarted."""
        try:
            if self._socket is not None and self._is_calm():
                if time.monotonic() - self._heard < IDLE_S or self._greet(Link.ping, self._link):
                    return
        except ConnectionLost:
            pass
        self._drop()
        try:
            if self._context is None:
                self._context = zmq.Context()
            self._socket = wire.open_dealer(self._context, self.endpoint, self.keys, SILENCE_MS)
            patience = self.connect_timeout if end is None else min(self.connect_timeout, end - time.monotonic())
            self._socket.setsockopt(zmq.SNDTIMEO, max(1, int(patience * 1000)))
            welcomed = self._greet(Link.hello, self._link)
        except zmq.ZMQError as error:
            self._drop()
            raise NotReachable(f"{self.endpoint}: {error}") from None
        except WorlddError:
            self._drop()
            raise
        if not welcomed:
            self._drop()
            raise NotReachable(f"{self.endpoint}: no welcome in {self.connect_timeout} s: not there, or not authorised")
        self._socket.setsockopt(zmq.SNDTIMEO, 2000)
        if self.keep_alive and self._keeper_ends is None:
            self._keeper_ends = threading.Event()
            threading.Thread(target=_keep_alive, args=(weakref.ref(self), self._link.heartbeat, self._keeper_ends),
                             name="worldd keep-alive", daemon=True).start()

    def _is_calm(self) -> bool:
        """Take what came since the last request: late answers. False: worldd has said Goodbye or was restarted meanwhile."""
        while self._socket.poll(0):
            event = self._link.take(self._socket.recv_multipart())
            if event.kind == "ping":
                self._socket.send_multipart(Link.pong(event.request_id), zmq.DONTWAIT)
            elif event.kind in ("gone", "unknown"):
                return False
        return True

    def beat(self) -> None:
        """Show worldd that we are alive, unless a request does. Never blocks or raises; the next request sees what is wrong."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            if self._socket is not None and self._is_calm():
                self._socket.send_multipart(self._link.ping(), zmq.DONTWAIT)
            else:
                self._drop()
        except zmq.Again:
            pass                                 # nobody there at the moment
        except WorlddError:
            self._drop()
        finally:
            self._lock.release()

    def _greet(self, say: Callable[[Link], list[bytes]], link: Link) -> bool:
        """Say Hello or Ping, and wait until worldd shows that it knows us. False: it does not answer."""
        end = time.monotonic() + self.connect_timeout
        try:
            self._socket.send_multipart(say(link))
        except zmq.Again:
            return False
        while True:
            left = end - time.monotonic()
            if left <= 0 or not self._socket.poll(left * 1000):
                return False
            event = link.take(self._socket.recv_multipart())
            self._heard = time.monotonic()
            if event.kind == "unknown":          # it was restarted in the meantime; nothing of ours is open
                self._socket.send_multipart(link.hello())
            elif event.kind == "gone":
                return False
            elif event.kind in ("welcome", "alive"):
                return True

    def _wait(self, request_id: int, frames: list[bytes], end: Optional[float],
              on_progress: Optional[Progress]) -> Any:
        resend = [frames]
        self._heard = time.monotonic()
        self._beat_at = self._heard + self._link.heartbeat
        while (event := self._next(request_id, end, resend)).kind != "reply":
            if on_progress is not None:
                on_progress(event.value)
        return event.value

    def _next(self, request_id: int, end: Optional[float], resend: list[list[bytes]]) -> Event:
        """What comes next about a request: "progress" or "reply"; beats meanwhile. `resend`: the request's frames while nothing
        else was sent, emptied then. Raises what is wrong."""
        link = self._link
        while True:
            now = time.monotonic()
            if end is not None and now >= end:
                raise DeadlineExceeded("worldd did not answer in time")
            if now - self._heard >= link.silence:
                raise ConnectionLost(f"worldd is gone: no sign of life for {link.silence:g} s")
            if now >= self._beat_at:
                self._socket.send_multipart(link.ping())
                self._beat_at = now + link.heartbeat
                resend.clear()
            wake = min(self._beat_at, self._beat_at if end is None else end)
            if not self._socket.poll(max(0, (wake - now) * 1000)):
                continue
            event = link.take(self._socket.recv_multipart())
            self._heard = time.monotonic()
            if event.kind == "ping":
                self._socket.send_multipart(link.pong(event.request_id))
            elif event.kind == "unknown" and resend:
                # It does not know us, so it is new, and this answers the request: nobody has carried it out.
                self._socket.send_multipart(link.hello())
                self._socket.send_multipart(resend.pop())
            elif event.kind in ("unknown", "gone"):
                raise ConnectionLost("worldd was stopped or restarted; the request is lost")
            elif event.kind == "error" and event.request_id in (request_id, 0):
                raise event.value
            elif event.kind in ("reply", "progress") and event.request_id == request_id:
                return event


def _keep_alive(reference: weakref.ref[Control], heartbeat: float, ends: threading.Event) -> None:
    """Beat for a connection until it is closed or forgotten."""
    while not ends.wait(heartbeat):
        control = reference()
        if control is None:
            return
        control.beat()
        del control
