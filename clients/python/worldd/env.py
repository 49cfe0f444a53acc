"""Simulated phones to train on: `Env`, `VecEnv` and `Snapshot`, with the shapes of Gymnasium's API and no need of it.

    with worldd.World.private() as world:
        env = worldd.Env(world, "demo/bluetooth_off", seed=1)
        scene, info = env.reset()
        scene, reward, terminated, truncated, info = env.step(worldd.Step("launch_app", app="settings"))
        group = env.fork(8)                              # eight phones in this very state
"""
from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Generic, Optional, TypeVar, Union

from .control import REQUEST_TIMEOUT
from .errors import InvalidRequest, LimitExceeded, WorlddError, request_error
from .planner import Step
from .views import Scene
from .world import Task, World

Action = Union[str, dict[str, Any], Step]
Verdict = dict[str, Any]
Reward = Callable[[Verdict], float]
T = TypeVar("T")

TERMINATED = ("complete", "abort")       # endings by the agent's own action; all others are truncations
OUTCOMES = ("ok", "failed", "refused")   # EnvBatchReply.outcome
BATCH_MAX = 4096                         # slots of one message
BATCH_SEEN_MAX = 256                     # with whole scenes, so that an answer stays below the largest frame
IMAGINE_CANDIDATES_MAX, IMAGINE_STEPS_MAX = 64, 256


def passed(verdict: Verdict) -> float:
    """The default reward of an episode's last step: 1.0 when it succeeded and nothing else was changed, else 0.0."""
    return 1.0 if verdict.get("passed") else 0.0


def progress(verdict: Verdict) -> float:
    """The share of the goal's checks that hold, 0.0 to 1.0."""
    return float(verdict.get("progress", 0.0))


def action_json(action: Action) -> dict[str, Any]:
    """An action as worldd reads it: "back", {"kind": "tap", "node": 7} or Step("tap", node=7). Raises InvalidRequest."""
    if isinstance(action, Step):
        return {"kind": action.action, **action.args}
    if isinstance(action, str):
        return {"kind": action}
    if not isinstance(action, dict) or not isinstance(action.get("kind"), str):
        raise InvalidRequest(2, f"action: {action!r} has no kind")
    return action


def _ends(ending: Optional[str]) -> tuple[bool, bool]:
    """(terminated, truncated)"""
    return ending in TERMINATED, bool(ending) and ending not in TERMINATED


class Snapshot:
    """A phone's whole state, kept in the daemon: forked and restored at no cost that depends on its size. It outlives the
    env it was taken of, and is forgotten by forget() or when nothing used it for long (env.snapshot_idle_ms)."""

    def __init__(self, world: World, identity: str, digest: str, make: Callable[[str], Env]) -> None:
        self._world, self._make = world, make
        self.id, self.digest = identity, digest

    def fork(self, count: int = 1) -> list[Env]:
        """New envs in that state, spread over the daemon's workers. Raises LimitExceeded, NotFound when it expired."""
        answer = self._world.request("env_fork", snapshot=self.id, count=count)
        return [self._make(identity) for identity in answer["envs"]]

    def diff(self, env: Env) -> list[dict[str, Any]]:
        """What is different in `env`: [{"path","before","after",...}]."""
        return list(self._world.request("env_diff", before=self.id, env=env.id))

    def forget(self) -> None:
        """Free what it alone holds. Forks keep all they have."""
        self._world.request("env_forget", snapshot=self.id)

    def __repr__(self) -> str:
        return f"<Snapshot {self.id} of machine {self.digest}>"


@dataclass(frozen=True)
class Imagined:
    """What would come of a candidate. error: why its steps could not all be tried; outcomes: of those that were."""
    steps: Sequence[Action]
    outcomes: list[str]
    scene: Scene
    changes: list[dict[str, Any]]
    verdict: Optional[Verdict]
    reward: float
    error: Optional[str]


class Env:
    """One simulated phone, and an episode on it.

    task        id of a shipped task, a document, or None: nothing is judged, rewards are 0.0
    seed        of the phone; params: of the task
    auto_reset  "never", "next_step", "same_step": what becomes of an episode that is over (Gymnasium's AutoresetMode)
    observe     "full": observations are Scenes; "none": observations are None
    reward      of the verdict on an episode that ended; earlier steps give 0.0

    The daemon closes the envs of a client that says nothing for long (env.orphan_ms, two minutes).
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}
    render_mode = "ansi"

    def __init__(self, world: World, task: Optional[Task] = None, *, seed: int = 0,
                 params: Optional[dict[str, Any]] = None, step_limit: int = 0, auto_reset: str = "never",
                 observe: str = "full", reward: Reward = passed) -> None:
        self._configure(world, auto_reset, observe, reward)
        args = create_args(task, seed, params, step_limit, auto_reset)
        answer = world.request("env_create", **args)
        self.id: str = answer["env"]
        self.digest: str = answer["digest"]

    def _configure(self, world: World, auto_reset: str, observe: str, reward: Reward) -> None:
        self.world, self.auto_reset, self.observe, self.reward = world, auto_reset, observe, reward
        self._fresh = True

    def _sibling(self, identity: str) -> Env:
        """Another env of the daemon's with this one's settings."""
        env = object.__new__(type(self))
        env._configure(self.world, "never", self.observe, self.reward)
        env.id, env.digest, env._fresh = identity, self.digest, False
        return env

    def _ask(self, verb: str, **args: Any) -> Any:
        return self.world.request(verb, env=self.id, **args)

    def _standing(self, answer: dict[str, Any]) -> tuple[Optional[Scene], dict[str, Any]]:
        self.digest = answer["digest"]
        seen = answer.get("observation")
        return (None if seen is None else Scene.from_observation(seen),
                {"digest": answer["digest"], "steps": answer["steps"]})

    # ---- Gymnasium ---------------------------------------------------------------------------------------------

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None
              ) -> tuple[Optional[Scene], dict[str, Any]]:
        """Begin again, with the same seed unless another is given: (observation, {"digest","steps"})."""
        del options                              # none are known
        if self._fresh and seed is None:
            answer = self._ask("env_observe", observe=self.observe)
        else:
            answer = self._ask("env_reset", observe=self.observe, **({} if seed is None else {"seed": seed}))
        self._fresh = False
        return self._standing(answer)

    def step(self, action: Action) -> tuple[Optional[Scene], float, bool, bool, dict[str, Any]]:
        """One action: (observation, reward, terminated, truncated, info).

        A step that is refused or fails is no exception: info["outcome"] is "refused" or "failed", info["code"] says why, and
        it counts as a step. info also has "index", "digest", "ending" and "verdict" (of an episode that ended), and
        "final_obs" when the step began the next episode.

        Raises RequestError ESTATE when the episode is over and nothing resets it; InvalidRequest for wrong arguments, NotFound
        for an unknown kind of action; nothing was done then.
        """
        self._fresh = False
        answer = self._ask("env_step", action=action_json(action), observe=self.observe)
        self.digest = answer["digest"]
        verdict, ending = answer.get("verdict"), answer.get("ending")
        seen, last = answer.get("observation"), answer.get("final_observation")
        info = {name: answer.get(name) for name in ("index", "outcome", "code", "text", "reset", "ending", "digest", "verdict")}
        if last is not None:
            info["final_obs"] = Scene.from_observation(last)
        value = 0.0 if verdict is None else self.reward(verdict)
        return (None if seen is None else Scene.from_observation(seen), value, *_ends(ending), info)

    def render(self) -> str:
        """The screen as text."""
        return repr(self.scene())

    def close(self) -> None:
        """The phone is gone; snapshots of it stay. May be repeated."""
        self.world.request("env_close", envs=[self.id])

    # ---- beyond ------------------------------------------------------------------------------------------------

    def scene(self) -> Scene:
        """The present screen."""
        return Scene.from_observation(self._ask("env_observe", observe="full")["observation"])

    def state(self, path: Optional[str] = None) -> Any:
        """The state {"os","apps"}, or the part at the path."""
        return self._ask("env_state", **({} if path is None else {"path": path}))

    def inject(self, patch: dict[str, Any]) -> None:
        """Merge a partial state through the managers; all or nothing. Raises InvalidRequest."""
        self.digest = self._ask("env_inject", patch=patch)["digest"]

    def judge(self, task: Optional[Task] = None) -> Verdict:
        """The verdict on the episode so far, by its own task or another."""
        return dict(self._ask("env_judge", **({} if task is None else {"task": task})))

    def snapshot(self) -> Snapshot:
        """Keep this state."""
        answer = self._ask("env_snapshot")
        return Snapshot(self.world, answer["snapshot"], answer["digest"], self._sibling)

    def restore(self, snapshot: Snapshot) -> tuple[Optional[Scene], dict[str, Any]]:
        """Put exactly that back, episode included; the digest is verified."""
        self._fresh = False
        return self._standing(self._ask("env_restore", snapshot=snapshot.id, observe=self.observe))

    def fork(self, count: int = 1) -> list[Env]:
        """Envs in this very state, episode included; their future equals this one's under the same actions."""
        snapshot = self.snapshot()
        try:
            return snapshot.fork(count)
        finally:
            snapshot.forget()

    def imagine(self, candidates: Sequence[Sequence[Action]]) -> list[Imagined]:
        """What would come of each list of steps? This env is not touched.

        Raises LimitExceeded above IMAGINE_CANDIDATES_MAX candidates or IMAGINE_STEPS_MAX steps in all.
        """
        count = sum(map(len, candidates))
        if len(candidates) > IMAGINE_CANDIDATES_MAX or count > IMAGINE_STEPS_MAX:
            raise LimitExceeded(6, f"imagine: {len(candidates)} candidates of {count} steps; at most "
                                   f"{IMAGINE_CANDIDATES_MAX} and {IMAGINE_STEPS_MAX}")
        snapshot = self.snapshot()
        envs: list[Env] = []
        try:
            envs = snapshot.fork(len(candidates)) if candidates else []
            return [env._try(steps, snapshot) for env, steps in zip(envs, candidates)]
        finally:
            if envs:
                self.world.request("env_close", envs=[env.id for env in envs])
            snapshot.forget()

    def _try(self, steps: Sequence[Action], start: Snapshot) -> Imagined:
        outcomes, error, self.observe = [], None, "none"
        for step in steps:
            try:
                info = self.step(step)[4]
            except WorlddError as why:
                error = str(why)
                break
            outcomes.append(info["outcome"])
        try:
            verdict: Optional[Verdict] = self.judge()
        except WorlddError:                      # without a task nothing is judged
            verdict = None
        return Imagined(steps, outcomes, self.scene(), start.diff(self), verdict,
                        0.0 if verdict is None else self.reward(verdict), error)

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


def create_args(task: Optional[Task], seed: int, params: Optional[dict[str, Any]], step_limit: int, auto_reset: str
                ) -> dict[str, Any]:
    """The arguments of env_create."""
    given = (("task", task), ("params", params), ("step_limit", step_limit or None))
    return {"seed": seed, "auto_reset": auto_reset, **{name: value for name, value in given if value is not None}}


class Column(Sequence, Generic[T]):  # type: ignore[type-arg]
    """A value per slot, made when asked for and not kept."""

    def __init__(self, count: int, get: Callable[[int], T]) -> None:
        self._count, self._get = count, get

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._get(at) for at in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(index)
        return self._get(index % self._count)


class Infos(Mapping[str, Any]):
    """What each slot came to, a Column per name: outcome, code, text, index, digest, ending, verdict, reset, final_obs, error."""

    def __init__(self, columns: dict[str, Column[Any]]) -> None:
        self._columns = columns

    def __getitem__(self, name: str) -> Column[Any]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


class VecEnv:
    """Many phones stepped by one message, in the shapes of Gymnasium's VectorEnv.

    tasks       one for all, or one per slot; seeds: of the slots, default 0, 1, 2, ...
    num_envs    when neither tasks nor seeds tell

    Observations are a Column of Scenes (or None), infos a mapping of Columns: nothing is made of a slot before it is asked
    for. Rewards are floats, terminations and truncations booleans, in lists. A slot that fails alone has its exception in
    infos["error"].
    """

    metadata = {"autoreset_mode": "never"}

    def __init__(self, world: World, tasks: Union[Task, None, Sequence[Optional[Task]]] = None, num_envs: Optional[int] = None,
                 *, seeds: Optional[Sequence[int]] = None, params: Optional[Sequence[Optional[dict[str, Any]]]] = None,
                 step_limit: int = 0, auto_reset: str = "next_step", observe: str = "full", reward: Reward = passed,
                 timeout: float = REQUEST_TIMEOUT) -> None:
        count = num_envs or (len(tasks) if isinstance(tasks, (list, tuple)) else len(seeds) if seeds is not None else 1)
        self._configure(world, auto_reset, observe, reward, timeout)
        seeds = range(count) if seeds is None else seeds
        rows = zip(tasks if isinstance(tasks, (list, tuple)) else itertools.repeat(tasks, count), seeds,
                   itertools.repeat(None, count) if params is None else params)
        calls = [{"verb": "env_create", "args": create_args(task, seed, given, step_limit, auto_reset)}
                 for task, seed, given in rows]
        if len(calls) != count:
            raise ValueError(f"tasks, seeds and params for {len(calls)} slots, not {count}")
        self._adopt([])
        answers, error = self._try_calls(calls)
        if error is not None:                    # all or none
            world.request("env_close", envs=[answer["env"] for answer in answers if answer is not None])
            raise error
        self._adopt([answer["env"] for answer in answers if answer is not None])

    def _adopt(self, ids: list[str]) -> None:
        self.ids, self._packed_ids = ids, bytes.fromhex("".join(ids))

    def _configure(self, world: World, auto_reset: str, observe: str, reward: Reward, timeout: float) -> None:
        self.world, self.observe, self.reward, self.timeout = world, observe, reward, timeout
        self.metadata = {"autoreset_mode": auto_reset}
        self.closed = False

    @classmethod
    def of(cls, envs: Sequence[Env], timeout: float = REQUEST_TIMEOUT) -> VecEnv:
        """Envs that are there already, a group of forks say."""
        vec = object.__new__(cls)
        first = envs[0]
        vec._configure(first.world, first.auto_reset, first.observe, first.reward, timeout)
        vec._adopt([env.id for env in envs])
        return vec

    @property
    def num_envs(self) -> int:
        return len(self.ids)

    def _try_calls(self, calls: list[dict[str, Any]]
                   ) -> tuple[list[Optional[dict[str, Any]]], Optional[WorlddError]]:
        """Answers to calls, a slot each, and the first error."""
        answers: list[Optional[dict[str, Any]]] = []
        first: Optional[WorlddError] = None
        for at in range(0, len(calls), BATCH_SEEN_MAX):
            part = calls[at:at + BATCH_SEEN_MAX]
            for row in self.world.request("env_calls", timeout=self.timeout, calls=part)["results"]:
                if "error" in row and first is None:
                    first = request_error(row["error"]["code"], f"slot {len(answers)}: {row['error']['text']}")
                answers.append(row.get("result"))
        return answers, first

    def _calls(self, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Answers to calls; the first error of a slot is raised."""
        answers, error = self._try_calls(calls)
        if error is not None:
            raise error
        return [answer for answer in answers if answer is not None]

    def reset(self, *, seed: Union[None, int, Sequence[Optional[int]]] = None, options: Optional[dict[str, Any]] = None
              ) -> tuple[Any, dict[str, Any]]:
        """Begin again: all slots, or those that options["reset_mask"] names (the others are only looked at).

        seed  of the first slot, counting up; or one per slot, None keeps the slot's. (observations, {"digest": [...]})
        """
        mask = (options or {}).get("reset_mask") or [True] * self.num_envs
        seeds = [None if seed is None else seed + slot for slot in range(self.num_envs)] \
            if seed is None or isinstance(seed, int) else list(seed)
        calls = []
        for identity, chosen, own in zip(self.ids, mask, seeds):
            args: dict[str, Any] = {"env": identity, "observe": self.observe}
            if chosen and own is not None:
                args["seed"] = own
            calls.append({"verb": "env_reset" if chosen else "env_observe", "args": args})
        answers = self._calls(calls)
        scenes = Column(len(answers), lambda at: None if "observation" not in answers[at]
                        else Scene.from_observation(answers[at]["observation"]))
        return scenes, {"digest": [answer["digest"] for answer in answers]}

    def step(self, actions: Union[Action, Sequence[Action]]) -> tuple[Any, list[float], list[bool], list[bool], Infos]:
        """One action in each slot, or the same in all: (observations, rewards, terminations, truncations, infos)."""
        given = actions if isinstance(actions, (list, tuple)) else [actions]
        if len(given) not in (1, self.num_envs):
            raise ValueError(f"{len(given)} actions for {self.num_envs} envs")
        rows = [action_json(action) for action in given]
        width = BATCH_SEEN_MAX if self.observe == "full" else BATCH_MAX
        replies = []
        for at in range(0, self.num_envs, width):
            part = rows if len(rows) == 1 else rows[at:at + width]
            replies.append(self.world.control.batch({
                "env_ids": self._packed_ids[16 * at:16 * (at + width)], "actions": [row["kind"] for row in part],
                "args_json": [json.dumps(row, ensure_ascii=False, allow_nan=False).encode() for row in part],
                "observe": self.observe}, self.timeout))
        return self._results(replies, width)

    def _results(self, replies: list[Any], width: int) -> tuple[Any, list[float], list[bool], list[bool], Infos]:
        def column(name: str, make: Callable[[Any], Any] = lambda value: value, none: Any = None) -> Column[Any]:
            def get(slot: int) -> Any:
                values = getattr(replies[slot // width], name)
                value = values[slot % width] if values else none      # of which no slot has anything is empty
                return make(value) if value else none
            return Column(self.num_envs, get)

        def digest(slot: int) -> str:
            at = slot % width * 16
            return str(replies[slot // width].digests[at:at + 16].hex())

        def error(slot: int) -> Optional[WorlddError]:
            reply, at = replies[slot // width], slot % width
            return request_error(reply.status[at], reply.text[at]) if reply.status and reply.status[at] else None

        outcomes = column("outcome", none=0)
        scenes = column("observation_json", lambda text: Scene.from_observation(json.loads(text)))
        verdicts = column("verdict_json", json.loads)
        endings = column("ending")
        ended = [at for at in range(self.num_envs) if replies[at // width].ending and endings[at]]
        rewards, terminated, truncated = ([0.0] * self.num_envs, [False] * self.num_envs, [False] * self.num_envs)
        for at in ended:                         # few of many: the others cost nothing
            verdict = verdicts[at]
            rewards[at] = 0.0 if verdict is None else self.reward(verdict)
            terminated[at], truncated[at] = _ends(endings[at])
        infos = Infos({
            "outcome": Column(self.num_envs, lambda at: OUTCOMES[outcomes[at]]), "code": column("code", none=""), "text": column("text", none=""),
            "index": column("step", none=0), "digest": Column(self.num_envs, digest),
            "ending": endings, "verdict": verdicts, "reset": column("flags", lambda flags: bool(flags & 1), False),
            "final_obs": column("final_observation_json", lambda text: Scene.from_observation(json.loads(text))),
            "error": Column(self.num_envs, error)})
        return scenes, rewards, terminated, truncated, infos

    def close(self) -> None:
        """All phones are gone. May be repeated."""
        if not self.closed:
            self.closed = True
            for at in range(0, self.num_envs, BATCH_MAX):
                self.world.request("env_close", envs=self.ids[at:at + BATCH_MAX])

    def __enter__(self) -> VecEnv:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<VecEnv of {self.num_envs}, {self.metadata['autoreset_mode']}, observations {self.observe}>"
