"""Watching: what happens in runs and envs, as it happens."""
from __future__ import annotations

import collections
import time
from typing import Any, Iterator, Optional

import zmq

from .control import Control
from .errors import ConnectionLost, DeadlineExceeded, Rejected


class Watch(Control):
    """Events of docs/protocol.md section 8, made by World.watch(); a connection of its own, and a context manager. From its
    making on nothing is missed, but when worldd's queue for it is full: "dropped" in each event says how many were.

        with world.watch(run="r1") as events:
            for event in events:
                print(event["event"])

    Raises as Control.request.
    """

    def __init__(self, endpoint: str, args: dict[str, Any]) -> None:
        super().__init__(endpoint, "python-watch", keep_alive=False)
        self._early: collections.deque[dict[str, Any]] = collections.deque()
        with self._lock:
            self._be_connected(None)
            try:
                self._request_id = self._begin(args)
            except BaseException:
                self._drop()
                raise

    def _begin(self, args: dict[str, Any]) -> int:
        """Ask, and wait for the Pong to a Ping sent behind it: the watch has begun then."""
        request_id, frames = self._link.control("watch", args, None)
        self._socket.send_multipart(frames)
        self._socket.send_multipart(self._link.ping())
        end = time.monotonic() + self.connect_timeout
        while self._socket.poll(max(0.0, end - time.monotonic()) * 1000):
            event = self._link.take(self._socket.recv_multipart())
            if event.kind == "error" and event.request_id == request_id:
                raise event.value
            if event.kind == "progress":
                self._early.append(event.value)
            elif event.kind == "alive":
                return request_id
        raise ConnectionLost("worldd does not answer")

    def next(self, timeout: Optional[float] = None) -> Optional[dict[str, Any]]:
        """The next event; None: none came in `timeout` seconds. Raises ConnectionLost when worldd is gone, or after close()."""
        with self._lock:
            if self._early:
                return self._early.popleft()
            if self._socket is None:
                raise ConnectionLost("the watch is over")
            now = time.monotonic()
            self._heard, self._beat_at = now, now + self._link.heartbeat      # silence counts while we listen
            try:
                event = self._next(self._request_id, None if timeout is None else now + timeout, [])
            except DeadlineExceeded:
                return None
            except zmq.Again:
                self._drop()
                raise ConnectionLost("worldd takes no more messages") from None
            except (ConnectionLost, Rejected):
                self._drop()
                raise
            if event.kind == "reply":
                self._drop()
                raise ConnectionLost("the watch is over")
            return dict(event.value)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self

    def __next__(self) -> dict[str, Any]:
        event = self.next()
        assert event is not None                 # without a timeout it waits
        return event

    def __enter__(self) -> Watch:
        return self

    def __repr__(self) -> str:
        return f"<Watch {self._request_id} of {self.endpoint}>"
