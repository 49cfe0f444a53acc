"""Simulated phones to train on: `Env`, `VecEnv` and `Snapshot`, with the shapes of Gymnasium's API and no need of it.

    with worldd.World.private() as world:
        env = worldd.Env(world, "demo/bluetooth_off", seed=1)
        scene, info = env.reset()
        scene, reward, terminated, truncated, info = env.step(worldd.Step("launch_app", app="settings"))
        group = env.fork(8)                              # eight phones in this very state

worldd.aio has the same for asyncio.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

from .control import REQUEST_TIMEOUT
from .errors import WorlddError
from .imagine import Imagined
from .phone import Habits, Kept, Phone, Reward, Stands, Stepped, Verdict, passed, progress
from .phones import Column, Infos, Params, Phones, Seeds, Tasks
from .phones import Stepped as VecStepped
from .steps import Action, action_json
from .views import Scene
from .world import Task, World

__all__ = ["Action", "Column", "Env", "Imagined", "Infos", "Reward", "Snapshot", "VecEnv", "Verdict", "action_json", "passed",
           "progress"]


class Snapshot:
    """A phone's whole state, kept in the daemon: forked and restored at no cost that depends on its size. It outlives the
    env it was taken of, and is forgotten by forget() or when nothing used it for long (env.snapshot_idle_ms)."""

    def __init__(self, world: World, kept: Kept, make: Callable[[Phone], Env]) -> None:
        self._world, self._kept, self._make = world, kept, make
        self.id, self.digest = kept.id, kept.digest

    def fork(self, count: int = 1) -> list[Env]:
        """New envs in that state, spread over the daemon's workers. Raises LimitExceeded, NotFound when it expired."""
        return [self._make(phone) for phone in self._world.converse(self._kept.fork(count))]

    def diff(self, env: Env) -> list[dict[str, Any]]:
        """What is different in `env`: [{"path","before","after",...}]."""
        return self._world.converse(self._kept.diff(env.id))

    def forget(self) -> None:
        """Free what it alone holds. Forks keep all they have."""
        self._world.converse(self._kept.forget())

    def __repr__(self) -> str:
        return f"<Snapshot {self.id} of machine {self.digest}>"


class Env:
    """One simulated phone, and an episode on it.

    task        id of a shipped task, a document, or None: nothing is judged, rewards are 0.0
    seed        of the phone; params: of the task
    auto_reset  "never", "next_step", "same_step": what becomes of an episode that is over (Gymnasium's AutoresetMode)
    observe     "full": observations are Scenes; "changed": the same Scenes, of which only what changed is sent; "none":
                observations are None
    reward      of the verdict on an episode that ended; earlier steps give 0.0

    The daemon closes the envs of a client that is gone for long (env.orphan_ms, two minutes).
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}
    render_mode = "ansi"

    def __init__(self, world: World, task: Optional[Task] = None, *, seed: int = 0,
                 params: Optional[dict[str, Any]] = None, step_limit: int = 0, auto_reset: str = "never",
                 observe: str = "full", reward: Reward = passed) -> None:
        self.world = world
        self._phone = world.converse(Phone.create(Habits(auto_reset, observe, reward), task=task, seed=seed, params=params,
                                                  step_limit=step_limit))

    def _sibling(self, phone: Phone) -> Env:
        """Another env of the daemon's, used as this one."""
        env = object.__new__(type(self))
        env.world, env._phone = self.world, phone
        return env

    @property
    def id(self) -> str:
        """32 hex digits; whoever knows them may use the env."""
        return self._phone.id

    @property
    def digest(self) -> str:
        """Of the machine, after the last request: 32 hex digits."""
        return self._phone.digest

    @property
    def habits(self) -> Habits:
        """observe, auto_reset, reward."""
        return self._phone.habits

    # ---- Gymnasium ---------------------------------------------------------------------------------------------

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> Stands:
        """Begin again, with the same seed unless another is given: (observation, {"digest","steps"})."""
        del options                              # none are known
        return self.world.converse(self._phone.reset(seed))

    def step(self, action: Action) -> Stepped:
        """One action: (observation, reward, terminated, truncated, info).

        A step that is refused or fails is no exception: info["outcome"] is "refused" or "failed", info["code"] says why, and
        it counts as a step. info also has "index", "digest", "ending" and "verdict" (of an episode that ended), and
        "final_obs" when the step began the next episode.

        Raises RequestError ESTATE when the episode is over and nothing resets it; InvalidRequest for wrong arguments, NotFound
        for an unknown kind of action; nothing was done then.
        """
        return self.world.converse(self._phone.step(action))

    def render(self) -> str:
        """The screen as text."""
        return repr(self.scene())

    def close(self) -> None:
        """The phone is gone; snapshots of it stay. May be repeated."""
        self.world.converse(self._phone.close())

    # ---- beyond ------------------------------------------------------------------------------------------------

    def scene(self) -> Scene:
        """The present screen."""
        return self.world.converse(self._phone.scene())

    def state(self, path: Optional[str] = None) -> Any:
        """The state {"os","apps"}, or the part at the path."""
        return self.world.converse(self._phone.state(path))

    def inject(self, patch: dict[str, Any]) -> None:
        """Merge a partial state through the managers; all or nothing. Raises InvalidRequest."""
        self.world.converse(self._phone.inject(patch))

    def judge(self, task: Optional[Task] = None) -> Verdict:
        """The verdict on the episode so far, by its own task or another."""
        return self.world.converse(self._phone.judge(task))

    def snapshot(self) -> Snapshot:
        """Keep this state."""
        return Snapshot(self.world, self.world.converse(self._phone.snapshot()), self._sibling)

    def restore(self, snapshot: Snapshot) -> Stands:
        """Put exactly that back, episode included; the digest is verified."""
        return self.world.converse(self._phone.restore(snapshot.id))

    def fork(self, count: int = 1) -> list[Env]:
        """Envs in this very state, episode included; their future equals this one's under the same actions."""
        return [self._sibling(phone) for phone in self.world.converse(self._phone.fork(count))]

    def imagine(self, candidates: Sequence[Sequence[Action]], *, observe: str = "full", scenes: str = "last") -> list[Imagined]:
        """What would come of each list of steps? This env is not touched, and each candidate begins where it stands.

        observe  "full" or "none"; scenes: "last", or "all": of each step

        Raises LimitExceeded above 64 candidates, 64 steps in one or 256 in all, and when the answer is too long; nothing was
        tried then.
        """
        return self.world.converse(self._phone.imagine(candidates, observe, scenes))

    def __enter__(self) -> Env:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        """The screen; asks the daemon."""
        try:
            return f"<Env {self.id}\n{self.scene()!r}>"
        except WorlddError as error:
            return f"<Env {self.id}: {error}>"


class VecEnv:
    """Many phones stepped by one message, in the shapes of Gymnasium's VectorEnv.

    tasks       one for all, or one per slot; seeds: of the slots, default 0, 1, 2, ...
    num_envs    when neither tasks nor seeds tell
    timeout     seconds of a request

    Observations are a Column of Scenes (or None), infos a mapping of Columns: nothing is made of a slot before it is asked
    for. Rewards are floats, terminations and truncations booleans, in lists. A slot that fails alone has its exception in
    infos["error"].

    With observe="changed" only what changed on the screens is sent; the Scenes are the same. An env that somebody else looks at
    meanwhile (its Env, say) raises OutOfStep when its Scene is asked for, until reset().
    """

    metadata = {"autoreset_mode": "never"}

    def __init__(self, world: World, tasks: Tasks = None, num_envs: Optional[int] = None, *,
                 seeds: Optional[Sequence[int]] = None, params: Params = None, step_limit: int = 0,
                 auto_reset: str = "next_step", observe: str = "full", reward: Reward = passed,
                 timeout: float = REQUEST_TIMEOUT) -> None:
        self._adopt(world, world.converse(Phones.create(Habits(auto_reset, observe, reward), timeout, tasks, num_envs, seeds,
                                                        params, step_limit)))

    def _adopt(self, world: World, phones: Phones) -> None:
        self.world, self._phones = world, phones
        self.metadata = {"autoreset_mode": phones.habits.auto_reset}
        self.closed = False

    @classmethod
    def of(cls, envs: Sequence[Env], timeout: float = REQUEST_TIMEOUT) -> VecEnv:
        """Envs that are there already, a group of forks say."""
        vec = object.__new__(cls)
        vec._adopt(envs[0].world, Phones([env.id for env in envs], envs[0].habits, timeout))
        return vec

    @property
    def num_envs(self) -> int:
        return self._phones.count

    @property
    def ids(self) -> list[str]:
        """Of the envs, by slot."""
        return self._phones.ids

    @property
    def tasks(self) -> list[Optional[Task]]:
        """By slot; None: none, or it is not known, of forks say."""
        return self._phones.tasks

    def reset(self, *, seed: Seeds = None, options: Optional[dict[str, Any]] = None
              ) -> tuple[Column[Optional[Scene]], dict[str, Any]]:
        """Begin again: all slots, or those that options["reset_mask"] names (the others are only looked at).

        seed  of the first slot, counting up; or one per slot, None keeps the slot's. (observations, {"digest": [...]})
        """
        return self.world.converse(self._phones.reset(seed, options))

    def step(self, actions: Union[Action, Sequence[Action]]) -> VecStepped:
        """One action in each slot, or the same in all: (observations, rewards, terminations, truncations, infos)."""
        return self.world.converse(self._phones.step(actions))

    def imagine(self, candidates: Sequence[Sequence[Sequence[Action]]], *, observe: str = "full", scenes: str = "last"
                ) -> list[list[Imagined]]:
        """What would come of each list of steps in each slot? As Env.imagine, many slots in a message; none is touched. Raises the
        first error of a slot."""
        return self.world.converse(self._phones.imagine(candidates, observe, scenes))

    def close(self) -> None:
        """All phones are gone. May be repeated."""
        if not self.closed:
            self.closed = True
            self.world.converse(self._phones.close())

    def __enter__(self) -> VecEnv:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<VecEnv of {self.num_envs}, {self.metadata['autoreset_mode']}, observations {self._phones.habits.observe}>"
