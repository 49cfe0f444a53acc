"""worldd's memory for an agent loop that drives a phone of its own: post each screen, hear the WorldState."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

from .views import Observation, WorldState

if TYPE_CHECKING:
    from .control import Control

Action = Union[str, dict[str, Any]]


def action_args(action: Optional[Action], dialect: Optional[str], reply: Optional[str]) -> dict[str, Any]:
    """The members of a post that say what was done."""
    if action is not None:
        return {"action": {"kind": action} if isinstance(action, str) else action}
    return {name: text for name, text in (("dialect", dialect), ("reply", reply)) if text is not None}


def post_args(session: str, screen: Optional[str], action: Optional[Action], dialect: Optional[str],
              reply: Optional[str], remember: Optional[dict[str, Any]], outcome: str, thought: str,
              format: Optional[str], companion: Optional[str]) -> dict[str, Any]:
    """The arguments of `observe`."""
    args: dict[str, Any] = {"session": session, **action_args(action, dialect, reply)}
    for name, value in (("screen", screen), ("format", format), ("companion", companion), ("thought", thought or None)):
        if value is not None:
            args[name] = value
    if remember is not None:
        args["args"] = {"remember": remember}
    if outcome != "ok":
        args["outcome"] = outcome
    return args


class WorldTracker:
    """A task being followed. Made by World.tracker(); a context manager, left with an exception it ends as "abort".

        with world.tracker("Delete the oldest note") as tracker:
            tracker.observe(dump())                                  # the first screen
            while not done:
                action = my_agent(tracker.world)                     # what it knows: app, page, variables, loops
                execute(action)
                tracker.observe(dump(), action={"kind": "tap", "x": 5, "y": 9}, remember={"note": "milk"})
    """

    def __init__(self, control: Control, session: str, episode: str) -> None:
        self._control = control
        self.session, self.episode = session, episode
        self.last: Optional[Observation] = None
        self._open = True

    @property
    def world(self) -> Optional[WorldState]:
        """The WorldState after the last post; None before the first."""
        return None if self.last is None else self.last.world

    def observe(self, screen: Optional[str] = None, *, action: Optional[Action] = None, dialect: Optional[str] = None,
                reply: Optional[str] = None, remember: Optional[dict[str, Any]] = None, outcome: str = "ok",
                thought: str = "", format: Optional[str] = None, companion: Optional[str] = None) -> Observation:
        """Post one step: the screen seen after it, and what was done. The first post is the first screen, without action.

        screen     a dump as text, in any format that docs/formats.md lists; None: it could not be captured
        action     canonical ("back", or {"kind": "tap", "x": 5, "y": 9}: docs/formats-actions.md), or
        dialect, reply  a model's own words in its dialect
        remember   variables to remember; a None value forgets. Taken when the outcome is "ok"
        outcome    "ok", "failed" or "refused"
        companion  the output of `dumpsys window`, which names the app where the dump does not

        Raises InvalidRequest naming the member, NotFound when the session is over; nothing was taken then.
        """
        args = post_args(self.session, screen, action, dialect, reply, remember, outcome, thought, format, companion)
        self.last = Observation.from_json(self._control.request("observe", args))
        return self.last

    def end(self, ending: str = "complete") -> str:
        """End the session, "complete" or "abort"; the path of its episode. May be repeated."""
        if self._open:
            answer = self._control.request("observe_end", {"session": self.session, "ending": ending})
            self.episode, self._open = answer["episode"], False
        return self.episode

    def __enter__(self) -> WorldTracker:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.end("complete" if kind is None else "abort")

    def __repr__(self) -> str:
        return f"<WorldTracker {self.session}\n{self.world or 'nothing seen yet'}>"
