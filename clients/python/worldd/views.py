"""What worldd answers, as objects: WorldState, Observation, Scene, RunResult. Each keeps the JSON it was made of in `raw`."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Iterator, Optional

from .errors import OutOfStep

TEXT_SHOWN = 30              # characters of a node's text in repr
NODES_SHOWN = 12             # nodes in repr


@dataclass(frozen=True)
class WorldState:
    """What the agent knows (docs/python.md section 4): read-only; written to by `remember` alone.

    current_app, current_page  None: unknown
    stale                      the app and page are old: the last screen could not be read
    variables                  what was remembered, by name
    history                    the last events, oldest first: {"step","app","page","digest","action","args","outcome","code"}
    step_index                 steps observed so far
    repeat_count               how often this very screen was seen, this time included
    last_change                what the last step changed, in a few words
    signals                    counts of going in circles: same_screen_streak, repeated_action, no_effect, ping_pong, ...
    """
    current_app: Optional[str] = None
    current_page: Optional[str] = None
    stale: bool = False
    variables: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    step_index: int = 0
    repeat_count: int = 0
    last_change: str = ""
    signals: dict[str, Any] = field(default_factory=dict)
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> WorldState:
        return cls(current_app=value.get("current_app"), current_page=value.get("current_page"),
                   stale=bool(value.get("stale")), variables=value.get("variables") or {},
                   history=value.get("history") or [], step_index=value.get("step_index", 0),
                   repeat_count=value.get("repeat_count", 0), last_change=value.get("last_change") or "",
                   signals=value.get("signals") or {}, raw=value)

    @classmethod
    def from_message(cls, world: Any) -> WorldState:
        """From the WorldState of a PlanRequest (a protobuf message)."""
        history = [{"step": event.step_index, "app": event.app or None, "page": event.page or None,
                    "digest": event.scene_digest.hex(), "action": event.action, "args": _object(event.args_json),
                    "outcome": event.outcome, "code": event.code} for event in world.history]
        value = {"current_app": world.current_app or None, "current_page": world.current_page or None,
                 "stale": world.stale, "variables": _object(world.variables_json), "history": history,
                 "step_index": world.step_index, "repeat_count": world.repeat_count,
                 "last_change": world.last_change, "signals": _object(world.signals_json)}
        return cls.from_json(value)

    def __str__(self) -> str:
        """A line or a few, fit for a prompt."""
        place = f"app {self.current_app or 'unknown'}, page {self.current_page or 'unknown'}"
        lines = [place + (" (stale)" if self.stale else "")]
        if self.variables:
            lines.append("remembered " + json.dumps(self.variables, ensure_ascii=False))
        if self.last_change:
            lines.append("last change: " + self.last_change)
        if self.repeat_count > 1:
            lines.append(f"this screen was seen {self.repeat_count} times")
        loops = {name: count for name, count in self.signals.items() if count}
        if loops:
            lines.append("signals " + json.dumps(loops))
        return "\n".join(lines)


@dataclass(frozen=True)
class Observation:
    """The answer to one post of a WorldTracker.

    step     0 is the first screen, then one more per step
    world    the WorldState after it; None when the memory is off
    report   what was taken: {"step","remembered","forgotten","refused","app_changed","page_changed","last_change"}
    failure  why the screen could not be read; None: it could
    """
    step: int
    world: Optional[WorldState]
    report: Optional[dict[str, Any]]
    failure: Optional[str]

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Observation:
        world = value.get("world")
        return cls(value.get("step", 0), None if world is None else WorldState.from_json(world), value.get("report"),
                   value.get("failure"))


class Scene:
    """What is on the screen. `raw` is worldd's JSON; `nodes` are objects with "id", "text", "role", "rect", flags, ...;
    rects are pixels, right and bottom exclusive. Of an env it has a `digest` ("this very screen"), and a `failure` when the
    screen could not be drawn."""

    def __init__(self, raw: dict[str, Any], digest: Optional[str] = None, failure: Optional[str] = None) -> None:
        self.raw, self.digest, self.failure = raw, digest, failure
        self.nodes: list[dict[str, Any]] = raw.get("nodes") or []

    @classmethod
    def from_observation(cls, value: dict[str, Any], told: Optional[Scene] = None) -> Scene:
        """From what the verbs of envs answer as "observation". `told`: the scene told before, which changes are put over; what
        did not change is shared with it. Raises OutOfStep when they refer to another."""
        if "base" not in value:
            return cls(value.get("scene") or {}, value.get("digest"), value.get("failure"))
        if told is None or told.digest != value["base"]:
            raise OutOfStep("the screen was told to somebody else meanwhile; reset, or observe it as a whole")
        nodes: list[Any] = (told.nodes + [None] * value["count"])[:value["count"]]
        for node in value["nodes"]:
            nodes[node["id"]] = node
        return cls({**value.get("head", told.raw), "nodes": nodes}, value["digest"])

    @property
    def app(self) -> Optional[str]:
        return self.raw.get("app_package")

    @property
    def page(self) -> Optional[str]:
        return self.raw.get("page")

    def find(self, **wanted: Any) -> Iterator[dict[str, Any]]:
        """Nodes whose members are as given: scene.find(role="button", text="Send"). A text may be the description as well,
        a resource_id may lack its package."""
        for node in self.nodes:
            if all(_member_is(node, name, value) for name, value in wanted.items()):
                yield node

    def __repr__(self) -> str:
        shown = []
        for node in self.nodes:
            text = node.get("text") or node.get("desc") or node.get("hint")
            if text and not node.get("system_ui"):
                text = text if len(text) <= TEXT_SHOWN else text[:TEXT_SHOWN - 3] + "..."
                shown.append(f"  {node.get('id')}: {node.get('role') or 'node'} {text!r}")
        more = [] if len(shown) <= NODES_SHOWN else [f"  ... {len(shown) - NODES_SHOWN} more"]
        head = f"<Scene {self.app or '?'} {self.page or '?'}, {len(self.nodes)} nodes"
        return "\n".join([head, *shown[:NODES_SHOWN], *more]) + ">"


def _member_is(node: dict[str, Any], name: str, wanted: Any) -> bool:
    have = node.get(name)
    if name == "text":
        return wanted in (have, node.get("desc"))
    if name == "resource_id" and isinstance(have, str):
        return bool(have == wanted or have.split(":id/", 1)[-1] == wanted)
    return bool(have == wanted)


@dataclass(frozen=True)
class RunResult:
    """How a run ended.

    ending   "complete", "abort", "step_limit", "repetition_limit", "format_error", "planner_lost", ...
    steps    steps taken
    answer   the last `answer`, or None
    world    the last WorldState; None when it was off
    verdict  {"passed","success","clean","progress","checks","side_effects","undone"}; None for a cancelled run
    episode  path of the recording
    events   the Progress events, in order: one "begin", one "step" per step
    """
    run: str
    ending: str
    text: Optional[str]
    steps: int
    answer: Optional[str]
    world: Optional[WorldState]
    verdict: Optional[dict[str, Any]]
    episode: str
    events: list[dict[str, Any]] = field(default_factory=list, repr=False)
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_json(cls, value: dict[str, Any], events: list[dict[str, Any]]) -> RunResult:
        world = value.get("world")
        return cls(value["run"], value["ending"], value.get("text"), value["steps"], value.get("answer"),
                   None if world is None else WorldState.from_json(world), value.get("verdict"), value["episode"],
                   events, value)

    @property
    def passed(self) -> bool:
        """success and clean, as the judge saw it."""
        return bool(self.verdict and self.verdict.get("passed"))


def _object(text: bytes) -> dict[str, Any]:
    value = json.loads(text) if text else {}
    return value if isinstance(value, dict) else {}
