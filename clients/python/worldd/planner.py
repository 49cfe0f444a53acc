"""Planners: subclass `Planner`, write `plan`. Hello, heartbeats, cancelling and reconnecting are taken care of.

    class Mine(worldd.Planner):
        def plan(self, request):
            if request.world and request.world.current_app == "settings":
                return worldd.complete()
            return worldd.Step("launch_app", app="settings")

    Mine("ipc:///run/worldd/planner.sock", name="mine").serve()
"""
from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Optional, Sequence, TypeVar, Union

from . import wire
from .errors import BudgetExceeded, LimitExceeded
from .imagine import Imagined, imagine_args, imagined
from .steps import Action, Step, abort, complete
from .views import WorldState

__all__ = ["FunctionPlanner", "Node", "Plan", "PlanFailed", "Planned", "Planner", "Request", "Step", "abort", "complete"]

FLAGS = ("clickable", "long_clickable", "checkable", "checked", "scrollable", "editable", "enabled", "focused",
         "selected", "password", "visible")      # in the order of the bits of Node.flags_yes
STEPS_MAX = 32               # of one plan
BUDGET = re.compile(r"of the run's \d+ are used")


class PlanFailed(Exception):
    """Raise it in `plan` when no plan can be made. `retryable`: another planner may be asked."""

    def __init__(self, text: str, retryable: bool = False) -> None:
        super().__init__(text)
        self.retryable = retryable


@dataclass
class Plan:
    """What `plan` answers: steps, or a model's own words with their dialect (docs/formats-actions.md)."""
    steps: Sequence[Step] = ()
    raw_reply: str = ""
    dialect: str = ""
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0        # in the planner's currency

    def to_message(self, request_id: int) -> wire.Message:
        message = wire.SCHEMA["PlanReply"](request_id=request_id, raw_reply=self.raw_reply, dialect=self.dialect,
                                           model=self.model, tokens_in=self.tokens_in, tokens_out=self.tokens_out,
                                           cost=self.cost)
        for step in self.steps:
            text = json.dumps(step.args, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
            message.steps.add(action=step.action, args_json=text, thought=step.thought)
        return message


@dataclass(frozen=True)
class Node:
    """A node of the screen. rect: (left, top, right, bottom) in pixels, right and bottom exclusive."""
    id: int
    parent: int
    text: str
    desc: str
    hint: str
    role: str
    purpose: str
    resource_id: str
    rect: tuple[int, int, int, int]
    flags: dict[str, bool]   # only those that are known
    system_ui: bool

    @property
    def label(self) -> str:
        return self.text or self.desc or self.hint


@dataclass(frozen=True)
class Request:
    """What worldd asks: everything that a planner may know.

    world      None: the WorldState is off
    title      the page's title as the semantic scene gives it; "" unknown
    results    how the steps since this planner's last reply went: {"step","action","args","outcome","code","text"}
    deadline   seconds left for this attempt when it arrived
    message    the PlanRequest itself (proto/worldd.proto) for whatever is not here
    """
    run: str
    task_id: str
    instruction: str
    params: dict[str, Any]
    step_index: int
    steps_left: int
    attempt: int
    deadline: float
    world: Optional[WorldState]
    app: str
    page: str
    title: str
    has_scene: bool          # False: the screen could not be captured
    results: list[dict[str, Any]]
    user_reply: str
    imagine_left: int        # steps that Planner.imagine may still spend on this run; 0: it is not allowed
    message: wire.Message = field(repr=False, compare=False)

    @classmethod
    def from_message(cls, message: wire.Message) -> Request:
        results = [{"step": result.step_index, "action": result.action, "args": _json(result.args_json),
                    "outcome": result.outcome, "code": result.code, "text": result.text} for result in message.results]
        world = WorldState.from_message(message.world) if message.HasField("world") else None
        return cls(message.run_id, message.task.id, message.task.instruction, _json(message.task.params_json) or {},
                   message.step_index, message.steps_left, message.attempt, message.deadline_ms / 1000, world,
                   message.semantic.app or message.scene.app_package, message.semantic.page_id or message.scene.page,
                   message.semantic.title, message.HasField("scene"), results, message.user_reply,
                   message.imagine_left, message)

    def nodes(self) -> Iterator[Node]:
        """The nodes of the screen in pre-order, the status bar's left out."""
        for node in self.message.scene.nodes:
            if not node.system_ui:
                flags = {name: bool(node.flags_yes >> bit & 1) for bit, name in enumerate(FLAGS)
                         if node.flags_known >> bit & 1}
                rect = (node.rect.left, node.rect.top, node.rect.right, node.rect.bottom)
                yield Node(node.id, node.parent, node.text, node.desc, node.hint, node.role, node.purpose,
                           node.resource_id, rect, flags, False)

    def find(self, text: Optional[str] = None, role: Optional[str] = None,
             resource_id: Optional[str] = None) -> Optional[Node]:
        """The first node with that label, role and resource id (also without its package); None: there is none."""
        for node in self.nodes():
            if ((text is None or text.strip() in (node.text.strip(), node.desc.strip()))
                    and (role is None or node.role == role)
                    and (resource_id is None or resource_id in (node.resource_id,
                                                                node.resource_id.split(":id/", 1)[-1]))):
                return node
        return None


Planned = Union[Plan, Step, Sequence[Step]]
Own = TypeVar("Own", bound="Served")


class Served:
    """What has a session that serves worldd: the life of planners and enrichers."""

    def __init__(self, session: wire.Session) -> None:
        self.endpoint, self.name, self.max_inflight = session.endpoint, session.name, session.max_inflight
        self._session = session
        self._thread: Optional[threading.Thread] = None

    def run(self) -> None:
        """Serve in this thread until stop(), through every restart of worldd. Raises Rejected, Superseded."""
        self._session.run()

    def serve(self, verbose: bool = True) -> int:
        """Serve as a program does: until SIGTERM or SIGINT. The exit status: 0, 2 rejected, 3 superseded."""
        return wire.serve_session(self._session, verbose)

    def stop(self) -> None:
        """Leave; callable from anywhere."""
        self._session.stop()

    def __enter__(self: Own) -> Own:
        """Serve in a background thread until the block is left."""
        self._thread = threading.Thread(target=self.run, name=f"{self._session.role} {self.name}", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._thread is not None:
            self._thread.join()


class Planner(Served):
    """The base of planners. `plan` runs in a thread of its own, so heartbeats go on while it thinks.

    endpoint      worldd's planner socket
    name          of [A-Za-z0-9._-]; a newer instance of the same name supersedes an older one
    max_inflight  requests answered at once; above 1 `plan` is called from several threads
    log           called with a line of text now and then
    hello         further fields of the Hello: coord_space="norm1000" for points in thousandths, say
    """

    def __init__(self, endpoint: str, name: str = "python", max_inflight: int = 1,
                 log: Optional[Callable[[str], None]] = None, **hello: Any) -> None:
        super().__init__(wire.Session(endpoint, name, self._answer, max_inflight, log, **hello))
        self._held = threading.local()           # the request that a thread is at work on

    def plan(self, request: Request) -> Planned:
        """A Plan, a Step or 1 to 32 Steps. Raise PlanFailed when there is none; any other exception is told to worldd
        as one, too, and the run ends or asks another planner."""
        raise NotImplementedError

    def think(self, text: str) -> None:
        """Tell those who watch the run what is thought now, a piece at a time; from within `plan`. Recorded nowhere."""
        request_id = getattr(self._held, "request_id", 0)
        if request_id:
            self._session.think(request_id, text)

    def imagine(self, request: Request, candidates: Sequence[Sequence[Action]], *, observe: str = "full",
                scenes: str = "last", timeout: Optional[float] = None) -> list[Imagined]:
        """What would come of each list of steps on the run's phone? It is not touched. From within `plan`, while the request is
        open; a run must allow it (options.imagine: a number of steps, of which request.imagine_left are left).

        observe  "full" or "none"; scenes: "last", or "all": of each step. timeout: seconds, None: the request's deadline

        Raises BudgetExceeded when the run's steps do not suffice, LimitExceeded above 64 candidates, 64 steps in one or 256 in
        all, NotPermitted when the run allows none, Unsupported for phones that are not simulated, DeadlineExceeded,
        ConnectionLost when the request is open no more.
        """
        args = imagine_args(candidates, observe, scenes)
        text = json.dumps(args, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        try:
            answer = self._session.imagine(request.message.request_id, text, request.deadline if timeout is None else timeout)
        except LimitExceeded as error:
            raise (BudgetExceeded(error.code, error.text) if BUDGET.search(error.text) else error) from None
        return imagined(candidates, json.loads(answer))

    def _answer(self, message: wire.Message) -> wire.Message:
        self._held.request_id = message.request_id
        planned = self.plan(Request.from_message(message))
        if isinstance(planned, Step):
            planned = Plan([planned])
        elif not isinstance(planned, Plan):
            planned = Plan(list(planned))
        return planned.to_message(message.request_id)


class FunctionPlanner(Planner):
    """A planner made of a function: FunctionPlanner(endpoint, lambda request: worldd.complete())."""

    def __init__(self, endpoint: str, function: Callable[[Request], Planned], name: str = "python",
                 max_inflight: int = 1, log: Optional[Callable[[str], None]] = None) -> None:
        super().__init__(endpoint, name, max_inflight, log)
        self._function = function

    def plan(self, request: Request) -> Planned:
        return self._function(request)


def _json(text: bytes) -> Any:
    return json.loads(text) if text else None
