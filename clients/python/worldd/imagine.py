"""What-if: what would come of lists of steps, tried on forks; the real phone is not touched."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

from .steps import Action, action_json
from .views import Scene, WorldState


@dataclass(frozen=True)
class Imagined:
    """What would come of a candidate.

    steps         as they were asked
    tried         of those that were: {"kind","outcome","code","text","digest"}; with scenes="all" also "observation"
    whole         all were tried, and none was refused or failed; a candidate ends where a plan would
    ending        "complete", "abort" or "step_limit" when the episode would end
    error         why a step could not even be tried (the episode is over already, ...)
    scene         the last screen; None with observe="none". digest: of the machine it ends in
    changes       against the state now: [{"path","before","after"}], at most 64; changes_more: how many more
    verdict       on the episode up to there; None without a task
    reward        of the verdict: an Env's own reward function's; of runs worldd's dense one, 0.0 to 1.0
    side_effects  the verdict's, of which a step of this candidate is the culprit
    world         of runs: the WorldState that would be known
    """
    steps: Sequence[Action]
    tried: list[dict[str, Any]]
    whole: bool
    ending: Optional[str]
    error: Optional[str]
    scene: Optional[Scene]
    digest: str
    changes: list[dict[str, Any]]
    changes_more: int
    verdict: Optional[dict[str, Any]]
    reward: float
    side_effects: list[dict[str, Any]]
    world: Optional[WorldState]
    raw: dict[str, Any] = field(repr=False, compare=False)

    @property
    def outcomes(self) -> list[str]:
        """"ok", "failed" or "refused" of each step that was tried."""
        return [str(row["outcome"]) for row in self.tried]


def imagine_args(candidates: Sequence[Sequence[Action]], observe: str, scenes: str) -> dict[str, Any]:
    """The arguments of the verb, but for who is asked."""
    return {"candidates": [[action_json(step) for step in steps] for steps in candidates], "observe": observe, "scenes": scenes}


def imagined(candidates: Sequence[Sequence[Action]], answer: dict[str, Any],
             reward: Optional[Callable[[dict[str, Any]], float]] = None) -> list[Imagined]:
    """What the verb answered. `reward`: of a verdict, instead of worldd's."""
    return [_one(steps, row, reward) for steps, row in zip(candidates, answer["candidates"])]


def _one(steps: Sequence[Action], row: dict[str, Any], reward: Optional[Callable[[dict[str, Any]], float]]) -> Imagined:
    seen, verdict, error, world = row.get("observation"), row.get("verdict"), row.get("error"), row.get("world")
    value = float(row.get("reward", 0.0)) if reward is None else 0.0 if verdict is None else reward(verdict)
    return Imagined(steps, row["steps"], row["whole"], row.get("ending"), None if error is None else error["text"],
                    None if seen is None else Scene.from_observation(seen), row["digest"], row["changes"], row["changes_more"],
                    verdict, value, row.get("side_effects") or [], None if world is None else WorldState.from_json(world), row)
