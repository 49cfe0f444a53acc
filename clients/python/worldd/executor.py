"""Executors: who drives a phone that worldd does not simulate, and says what is on its screen.

    class Mine(worldd.Executor):
        def observe(self, order):
            return worldd.Screen(my_phone.dump())
        def execute(self, order):
            if order.action != "tap":
                raise worldd.ActionRefused("only taps here", "unsupported_action")
            my_phone.tap(*order.point)

    Mine("ipc:///run/worldd/planner.sock", name="phone1").serve()

worldd.executors has two ready ones: adb, and a folder of dumps.
"""
from __future__ import annotations

import collections
import json
import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Union

from . import wire
from .planner import Served

EXECUTED_MAX = 256           # request ids remembered, so that none is executed twice
TEXT_MAX = 4096              # bytes of a failure's text
Point = tuple[int, int]      # pixels


@dataclass(frozen=True)
class Screen:
    """What was captured, as it came; worldd reads it.

    content    in any format of docs/formats.md; its format is told from it unless `format` names one
    companion  what `dumpsys window` said with it, or ""
    size       (width, height) of the display in pixels; None: as the content says
    """
    content: Union[str, bytes]
    companion: Union[str, bytes] = ""
    format: str = ""
    size: Optional[tuple[int, int]] = None


class CaptureFailed(Exception):
    """Raise it in `observe`: there is no screen now, and the text says why. The run goes on with what it knew."""


class ActionFailed(Exception):
    """Raise it in `execute`: it was tried and did not work. `code`: "no_effect", "no_such_app", ...; docs/protocol.md."""
    outcome = "failed"

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.code = code


class ActionRefused(ActionFailed):
    """Raise it in `execute`: it was not even tried."""
    outcome = "refused"


@dataclass(frozen=True)
class Order:
    """What worldd wants.

    run, attempt  of which run; the how manieth time this is asked
    deadline      seconds left when it arrived; the run is over after it
    cancelled     set when nobody waits any more
    """
    run: str
    attempt: int
    deadline: float
    cancelled: threading.Event = field(repr=False, compare=False)
    message: wire.Message = field(repr=False, compare=False)


@dataclass(frozen=True)
class Act(Order):
    """An action to be carried out once.

    action  "tap", "type", "launch_app", ...; args: its arguments as planned (docs/protocol.md section 5)
    point   where to touch, found by worldd on the screen seen last; None: the action names no place
    end     where the finger that starts at `point` ends (swipe, drag, scroll)
    target  of the node that is meant: {"node","resource_id","text","desc","class_name"}; {} for none
    """
    action: str
    args: dict[str, Any]
    point: Optional[Point]
    end: Optional[Point]
    target: dict[str, Any]


class Executor(Served):
    """The base of executors. `observe` and `execute` run in a thread of their own, so heartbeats go on meanwhile; what a run
    asks comes one after the other.

    endpoint      worldd's planner socket
    name          of the device; a newer instance of the same name supersedes an older one
    max_inflight  runs served at once; above 1 both are called from several threads
    log           called with a line of text now and then

    An exception in either, other than those above, says that the run cannot be served any more: it ends as executor_lost.
    """

    def __init__(self, endpoint: str, name: str = "python", max_inflight: int = 1,
                 log: Optional[Callable[[str], None]] = None, **hello: Any) -> None:
        super().__init__(wire.Session(endpoint, name, self._answer, max_inflight, log, role="executor", **hello))
        self._executed: collections.deque[tuple[bytes, int]] = collections.deque(maxlen=EXECUTED_MAX)

    def observe(self, order: Order) -> Union[Screen, str, bytes]:
        """The screen now. Raise CaptureFailed when there is none."""
        raise NotImplementedError

    def execute(self, order: Act) -> Optional[str]:
        """Carry it out; a text for people, or None. Raise ActionFailed or ActionRefused when it was not."""
        raise NotImplementedError

    def _answer(self, message: wire.Message) -> wire.Message:
        common = (message.run_id, message.attempt, message.deadline_ms / 1000, self._session.cancelled(message.request_id), message)
        if message.DESCRIPTOR.name == "ObserveRequest":
            return self._observe(Order(*common))
        identity = (self._session.boot_id, message.request_id)
        if identity in self._executed:
            raise RuntimeError("it was executed already")
        self._executed.append(identity)
        return self._execute(Act(*common, message.action, json.loads(message.args_json or b"{}"), _point(message.target, "point"),
                                 _point(message, "end"), _target(message)))

    def _observe(self, order: Order) -> wire.Message:
        try:
            screen = self.observe(order)
        except CaptureFailed as error:
            return wire.SCHEMA["ObserveReply"](failure=_clean(str(error)) or "the capture failed")
        if not isinstance(screen, Screen):
            screen = Screen(screen)
        width, height = screen.size or (0, 0)
        return wire.SCHEMA["ObserveReply"](screen=_bytes(screen.content), companion=_bytes(screen.companion),
                                           format=screen.format, width=width, height=height)

    def _execute(self, order: Act) -> wire.Message:
        try:
            text = self.execute(order)
        except ActionFailed as error:
            return wire.SCHEMA["ExecuteReply"](outcome=error.outcome, code=error.code, text=_clean(str(error)))
        return wire.SCHEMA["ExecuteReply"](outcome="ok", text=_clean(text or ""))


def _point(message: wire.Message, name: str) -> Optional[Point]:
    return (getattr(message, name).x, getattr(message, name).y) if message.HasField(name) else None


def _target(message: wire.Message) -> dict[str, Any]:
    target = message.target
    if not message.HasField("target") or target.node < 0:
        return {}
    return {name: getattr(target, name) for name in ("node", "resource_id", "text", "desc", "class_name")}


def _bytes(content: Union[str, bytes]) -> bytes:
    return content.encode(errors="replace") if isinstance(content, str) else content


def _clean(text: str) -> str:
    """As a string on the wire must be."""
    return text.replace("\0", "").encode(errors="replace")[:TEXT_MAX].decode(errors="ignore")
