"""Rollouts as training data: the lines that `worldctl episode export --trajectories` makes of recorded runs.

    with worldd.VecEnv(world, "demo/bluetooth_off", 64) as envs, open("out.jsonl", "w", encoding="utf-8") as out, \\
            worldd.TrajectoryWriter(envs, out) as rollout:
        scenes, infos = rollout.reset()
        while ...:
            scenes, rewards, terminated, truncated, infos = rollout.step(policy(scenes))
"""
from __future__ import annotations

import json
from collections.abc import Sequence
from typing import IO, Any, Callable, Optional, Union

from .env import VecEnv
from .phones import Column, Seeds
from .phones import Stepped as VecStepped
from .steps import Action, action_json
from .views import Scene

Name = Callable[[int, int], str]


class TrajectoryWriter:
    """Steps a VecEnv and writes a line per transition: {"episode","task","step","observation","action","reward","terminated",
    "truncated","next"} (docs/episodes.md). A step that only begins the next episode, or that could not be tried, has none.

    envs     begun by reset() of this writer
    out      text, UTF-8; left open
    digests  observations are 32 hex digits of the scenes' digests instead of whole scenes. With observe="none" they are
             the machines' digests
    name     of an episode, by slot and number in it from 0; default SLOT-NUMBER

    Actions are written as they were given, without `remember`; in canonical form (docs/formats-actions.md) a line has the
    bytes of the export's, given the same reward. close() writes what is left, as truncated; the same actions give the same bytes.
    """

    def __init__(self, envs: VecEnv, out: IO[str], *, digests: bool = False, name: Optional[Name] = None) -> None:
        self.envs, self._out, self._digests = envs, out, digests
        self._name: Name = name or (lambda slot, number: f"{slot}-{number}")
        self._numbers = [-1] * envs.num_envs
        self._seen: list[Any] = [None] * envs.num_envs           # what is on the screens, as it is written
        self._held: list[Optional[dict[str, Any]]] = [None] * envs.num_envs  # the last line: more may come, or it is truncated
        self.written = 0

    def reset(self, *, seed: Seeds = None, options: Optional[dict[str, Any]] = None
              ) -> tuple[Column[Optional[Scene]], dict[str, Any]]:
        """As VecEnv.reset; the episodes that were under way are over."""
        scenes, infos = self.envs.reset(seed=seed, options=options)
        mask = (options or {}).get("reset_mask") or [True] * self.envs.num_envs
        for slot, chosen in enumerate(mask):
            if chosen or self._numbers[slot] < 0:
                self._write(slot, True)
                self._begin(slot, self._observation(scenes[slot], infos["digest"][slot]))
        return scenes, infos

    def step(self, actions: Union[Action, Sequence[Action]]) -> VecStepped:
        """As VecEnv.step. Raises ValueError before the first reset()."""
        if min(self._numbers) < 0:
            raise ValueError("reset() begins a rollout")
        scenes, rewards, terminated, truncated, infos = answer = self.envs.step(actions)
        for slot in range(self.envs.num_envs):
            if infos["error"][slot] is not None:
                continue
            seen = self._observation(scenes[slot], infos["digest"][slot])
            over = terminated[slot] or truncated[slot]
            if infos["reset"][slot] and not over:
                self._write(slot, True)          # an episode that was over has nothing left to write
                self._begin(slot, seen)
                continue
            final = infos["final_obs"][slot]
            after = seen if final is None else self._observation(final, infos["digest"][slot])
            action = actions[slot if len(actions) > 1 else 0] if isinstance(actions, (list, tuple)) else actions
            self._write(slot, False)
            self._held[slot] = {
                **self._head(slot), "step": infos["index"][slot], "observation": self._seen[slot], "action": _written(action),
                "reward": rewards[slot], "terminated": terminated[slot], "truncated": truncated[slot], "next": after}
            self._seen[slot] = seen
            if over:
                self._write(slot, False)
                if infos["reset"][slot]:
                    self._begin(slot, seen)
        return answer

    def close(self) -> None:
        """Write what is left of episodes under way. The envs and the file stay open."""
        for slot in range(self.envs.num_envs):
            self._write(slot, True)

    def __enter__(self) -> TrajectoryWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- inside ------------------------------------------------------------------------------------------------

    def _begin(self, slot: int, seen: Any) -> None:
        self._numbers[slot] += 1
        self._seen[slot] = seen

    def _head(self, slot: int) -> dict[str, Any]:
        task = self.envs.tasks[slot]
        named = {} if task is None else {"task": task if isinstance(task, str) else task.get("id")}
        return {"episode": self._name(slot, self._numbers[slot]), **named}

    def _observation(self, scene: Optional[Scene], digest: str) -> Any:
        if scene is None:
            return digest
        if scene.failure is not None:
            return None
        return scene.digest if self._digests else _in_order(scene.raw)

    def _write(self, slot: int, cut: bool) -> None:
        line, self._held[slot] = self._held[slot], None
        if line is not None:
            if cut:
                line["truncated"] = True
            self._out.write(json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n")
            self.written += 1


def _written(action: Action) -> dict[str, Any]:
    given = action_json(action)
    return {name: value for name, value in given.items() if name != "remember"}


def _in_order(scene: dict[str, Any]) -> dict[str, Any]:
    """With the nodes behind the windows, as recordings have them; envs may tell them in another place."""
    members: dict[str, Any] = {}
    for name, part in scene.items():
        if name != "nodes":
            members[name] = part
        if name == "windows":
            members["nodes"] = scene.get("nodes", [])
    return members
