"""One env and its snapshots as talks: what Env and AsyncEnv have in common."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional

from .errors import OutOfStep
from .imagine import Imagined, imagine_args, imagined
from .steps import Action, action_json
from .talk import Ask, Talk
from .views import Scene
from .world import Task

Verdict = dict[str, Any]
Reward = Callable[[Verdict], float]
Stepped = tuple[Optional[Scene], float, bool, bool, dict[str, Any]]
Stands = tuple[Optional[Scene], dict[str, Any]]

TERMINATED = ("complete", "abort")       # endings by the agent's own action; all others are truncations


def passed(verdict: Verdict) -> float:
    """The default reward of an episode's last step: 1.0 when it succeeded and nothing else was changed, else 0.0."""
    return 1.0 if verdict.get("passed") else 0.0


def progress(verdict: Verdict) -> float:
    """The share of the goal's checks that hold, 0.0 to 1.0."""
    return float(verdict.get("progress", 0.0))


def ends(ending: Optional[str]) -> tuple[bool, bool]:
    """(terminated, truncated)"""
    return ending in TERMINATED, bool(ending) and ending not in TERMINATED


def create_args(task: Optional[Task], seed: int, params: Optional[dict[str, Any]], step_limit: int, auto_reset: str
                ) -> dict[str, Any]:
    """The arguments of env_create."""
    given = (("task", task), ("params", params), ("step_limit", step_limit or None))
    return {"seed": seed, "auto_reset": auto_reset, **{name: value for name, value in given if value is not None}}


@dataclass(frozen=True)
class Habits:
    """How an env is used: observe, auto_reset and reward, as Env says."""
    auto_reset: str = "never"
    observe: str = "full"
    reward: Reward = passed


class Phone:
    """An env of the daemon's, addressed by `id`. `digest` is its machine's after the last talk. Each talk raises as the
    method of the same name of Env does."""

    def __init__(self, identity: str, digest: str, habits: Habits, fresh: bool = False) -> None:
        self.id, self.digest, self.habits = identity, digest, habits
        self._fresh = fresh                      # it was made and nothing has been done in it
        self._told: Optional[Scene] = None       # the scene that worldd told last, which "changed" refers to

    @classmethod
    def create(cls, habits: Habits, **args: Any) -> Talk[Phone]:
        answer = yield Ask("env_create", create_args(auto_reset=habits.auto_reset, **args))
        return cls(answer["env"], answer["digest"], habits, True)

    def _ask(self, verb: str, **args: Any) -> Ask:
        return Ask(verb, {"env": self.id, **args})

    def _look(self) -> str:
        """What to ask for; changes must refer to something."""
        return "full" if self.habits.observe == "changed" and self._told is None else self.habits.observe

    def _see(self, seen: dict[str, Any]) -> Scene:
        scene = Scene.from_observation(seen, self._told)
        if scene.failure is None:
            self._told = scene
        return scene

    def _see_present(self, answer: dict[str, Any]) -> Talk[Optional[Scene]]:
        """The screen after a request; asked for as a whole when somebody else was told what it refers to."""
        self.digest = answer["digest"]
        if answer.get("observation") is None:
            return None
        try:
            return self._see(answer["observation"])
        except OutOfStep:
            return (yield from self.scene())

    def _see_final(self, seen: dict[str, Any]) -> Scene:
        try:
            return self._see(seen)
        except OutOfStep as error:               # it is gone and cannot be asked for
            return Scene({}, None, str(error))

    def _standing(self, answer: dict[str, Any]) -> Talk[Stands]:
        return (yield from self._see_present(answer)), {"digest": answer["digest"], "steps": answer["steps"]}

    def reset(self, seed: Optional[int]) -> Talk[Stands]:
        if self._fresh and seed is None:
            answer = yield self._ask("env_observe", observe=self._look())
        else:
            answer = yield self._ask("env_reset", observe=self._look(), **({} if seed is None else {"seed": seed}))
        self._fresh = False
        return (yield from self._standing(answer))

    def step(self, action: Action) -> Talk[Stepped]:
        self._fresh = False
        answer = yield self._ask("env_step", action=action_json(action), observe=self._look())
        info = {name: answer.get(name) for name in ("index", "outcome", "code", "text", "reset", "ending", "digest", "verdict")}
        if answer.get("final_observation") is not None:          # it was told before the other
            info["final_obs"] = self._see_final(answer["final_observation"])
        verdict, seen = answer.get("verdict"), (yield from self._see_present(answer))
        return (seen, 0.0 if verdict is None else self.habits.reward(verdict), *ends(answer.get("ending")), info)

    def scene(self) -> Talk[Scene]:
        answer = yield self._ask("env_observe", observe="full")
        return self._see(answer["observation"])

    def state(self, path: Optional[str]) -> Talk[Any]:
        return (yield self._ask("env_state", **({} if path is None else {"path": path})))

    def inject(self, patch: dict[str, Any]) -> Talk[None]:
        self.digest = (yield self._ask("env_inject", patch=patch))["digest"]

    def judge(self, task: Optional[Task]) -> Talk[Verdict]:
        return dict((yield self._ask("env_judge", **({} if task is None else {"task": task}))))

    def snapshot(self) -> Talk[Kept]:
        answer = yield self._ask("env_snapshot")
        return Kept(answer["snapshot"], answer["digest"], self.habits)

    def restore(self, snapshot: str) -> Talk[Stands]:
        self._fresh = False
        return (yield from self._standing((yield self._ask("env_restore", snapshot=snapshot, observe=self._look()))))

    def fork(self, count: int) -> Talk[list[Phone]]:
        kept = yield from self.snapshot()
        try:
            return (yield from kept.fork(count))
        finally:
            yield from kept.forget()

    def imagine(self, candidates: Sequence[Sequence[Action]], observe: str, scenes: str) -> Talk[list[Imagined]]:
        answer = yield self._ask("imagine", **imagine_args(candidates, observe, scenes))
        return imagined(candidates, answer, self.habits.reward)

    def close(self) -> Talk[None]:
        yield Ask("env_close", {"envs": [self.id]})


@dataclass(frozen=True)
class Kept:
    """A snapshot in the daemon; `habits` are of the envs forked from it."""
    id: str
    digest: str
    habits: Habits

    def fork(self, count: int) -> Talk[list[Phone]]:
        answer = yield Ask("env_fork", {"snapshot": self.id, "count": count})
        habits = Habits("never", self.habits.observe, self.habits.reward)
        return [Phone(identity, self.digest, habits) for identity in answer["envs"]]

    def diff(self, env: str) -> Talk[list[dict[str, Any]]]:
        return list((yield Ask("env_diff", {"before": self.id, "env": env})))

    def forget(self) -> Talk[None]:
        yield Ask("env_forget", {"snapshot": self.id})
