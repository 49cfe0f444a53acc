"""Many envs stepped by one message, as talks: what VecEnv and AsyncVecEnv have in common."""
from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Callable, Generic, Optional, TypeVar, Union

from .control import REQUEST_TIMEOUT
from .errors import WorlddError, request_error
from .imagine import Imagined, imagine_args, imagined
from .phone import Habits, create_args, ends
from .steps import Action, action_json
from .talk import Ask, Batch, Talk
from .views import Scene
from .world import Task

T = TypeVar("T")
Seeds = Union[None, int, Sequence[Optional[int]]]
Tasks = Union[Task, None, Sequence[Optional[Task]]]
Params = Optional[Sequence[Optional[dict[str, Any]]]]
Stepped = tuple["Column[Optional[Scene]]", list[float], list[bool], list[bool], "Infos"]

OUTCOMES = ("ok", "failed", "refused")   # EnvBatchReply.outcome
BATCH_MAX = 4096                         # slots of one message
BATCH_SEEN_MAX = 64                      # with scenes, of up to 64 KiB, so that an answer stays below the largest frame
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode   # json.dumps() makes an encoder a call
WHOLE_EVERY = 32                         # messages; so often "changed" asks for whole scenes, and lets go of what is older


class Column(Sequence, Generic[T]):  # type: ignore[type-arg]
    """A value per slot, made when asked for and not kept."""

    def __init__(self, count: int, get: Callable[[int], T]) -> None:
        self._count, self.get = count, get

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self.get(at) for at in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(index)
        return self.get(index % self._count)


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


class Sights:
    """What one message told of the slots' screens, understood when asked for.

    get     of a slot: its observation as worldd told it, {"digest","scene"}, {"base","nodes",...} or {"failure"}; None: nothing
    before  the message that told the scenes which this one's changes refer to
    """

    def __init__(self, get: Callable[[int], Optional[dict[str, Any]]], before: Optional[Sights]) -> None:
        self._get, self._before = get, before
        self._made: dict[int, Scene] = {}        # scenes that later messages may refer to
        self._older: dict[int, Scene] = {}       # told before, of slots of which this message tells no scene

    def scene(self, slot: int) -> Optional[Scene]:
        """What was told; None: nothing. Raises OutOfStep when that refers to a scene which somebody else was told."""
        if slot in self._made:
            return self._made[slot]
        seen = self._get(slot)
        if seen is None:
            return None
        if "base" not in seen:
            return Scene.from_observation(seen)
        self._made[slot] = Scene.from_observation(seen, None if self._before is None else self._before.told(slot))
        return self._made[slot]

    def told(self, slot: int) -> Optional[Scene]:
        """The last scene that was told of the slot, here or before."""
        scene = self.scene(slot)
        if scene is not None and scene.failure is None:
            self._made[slot] = scene
            return scene
        return self._older.get(slot) if self._before is None else self._before.told(slot)

    def let_go(self, partial: Iterable[int]) -> bool:
        """Forget older messages. `partial`: the slots whose whole scene this one does not hold. False: nor do older ones."""
        older = {slot: self.told(slot) for slot in partial}
        self._older = {slot: scene for slot, scene in older.items() if scene is not None}
        self._before = None
        return len(self._older) == len(older)


class Phones:
    """Envs of the daemon's, stepped together. Each talk raises as the method of the same name of VecEnv does."""

    def __init__(self, ids: list[str], habits: Habits, timeout: float = REQUEST_TIMEOUT,
                 tasks: Optional[list[Optional[Task]]] = None) -> None:
        self.ids, self.habits, self.timeout = ids, habits, timeout
        self.tasks = tasks or [None] * len(ids)  # by slot, as far as it is known
        self._packed_ids = bytes.fromhex("".join(ids))
        self._sights: Optional[Sights] = None    # with "changed": the newest; None: whole scenes must be asked for
        self._since_whole = 0                    # messages

    @property
    def count(self) -> int:
        return len(self.ids)

    @classmethod
    def create(cls, habits: Habits, timeout: float, tasks: Tasks, num_envs: Optional[int], seeds: Optional[Sequence[int]],
               params: Params, step_limit: int) -> Talk[Phones]:
        count = num_envs or (len(tasks) if isinstance(tasks, (list, tuple)) else len(seeds) if seeds is not None else 1)
        seeds = range(count) if seeds is None else seeds
        rows = zip(tasks if isinstance(tasks, (list, tuple)) else itertools.repeat(tasks, count), seeds,
                   itertools.repeat(None, count) if params is None else params)
        calls = [{"verb": "env_create", "args": create_args(task, seed, given, step_limit, habits.auto_reset)}
                 for task, seed, given in rows]
        if len(calls) != count:
            raise ValueError(f"tasks, seeds and params for {len(calls)} slots, not {count}")
        answers, error = yield from cls._try_calls(calls, timeout)
        if error is not None:                    # all or none
            yield Ask("env_close", {"envs": [answer["env"] for answer in answers if answer is not None]})
            raise error
        of_slots = list(tasks) if isinstance(tasks, (list, tuple)) else [tasks] * count
        return cls([answer["env"] for answer in answers if answer is not None], habits, timeout, of_slots)

    @staticmethod
    def _try_calls(calls: list[dict[str, Any]], timeout: float, width: int = BATCH_SEEN_MAX
                   ) -> Talk[tuple[list[Optional[dict[str, Any]]], Optional[WorlddError]]]:
        """Answers to calls, a slot each and `width` a message, and the first error."""
        answers: list[Optional[dict[str, Any]]] = []
        first: Optional[WorlddError] = None
        for at in range(0, len(calls), width):
            part = calls[at:at + width]
            for row in (yield Ask("env_calls", {"calls": part}, timeout))["results"]:
                if "error" in row and first is None:
                    first = request_error(row["error"]["code"], f"slot {len(answers)}: {row['error']['text']}")
                answers.append(row.get("result"))
        return answers, first

    def reset(self, seed: Seeds, options: Optional[dict[str, Any]]) -> Talk[tuple[Column[Optional[Scene]], dict[str, Any]]]:
        mask = (options or {}).get("reset_mask") or [True] * self.count
        seeds = [None if seed is None else seed + slot for slot in range(self.count)] \
            if seed is None or isinstance(seed, int) else list(seed)
        self._sights, observe = None, self._observe_next(None)
        calls = []
        for identity, chosen, own in zip(self.ids, mask, seeds):
            args: dict[str, Any] = {"env": identity, "observe": observe}
            if chosen and own is not None:
                args["seed"] = own
            calls.append({"verb": "env_reset" if chosen else "env_observe", "args": args})
        answers, error = yield from self._try_calls(calls, self.timeout)
        if error is not None:
            raise error
        stands = [answer for answer in answers if answer is not None]
        sights = Sights(lambda slot: stands[slot].get("observation"), None)
        if self.habits.observe == "changed":
            self._keep(sights, [slot for slot in range(self.count) if "failure" in stands[slot]["observation"]])
        return Column(self.count, sights.scene), {"digest": [answer["digest"] for answer in stands]}

    def step(self, actions: Union[Action, Sequence[Action]]) -> Talk[Stepped]:
        given = actions if isinstance(actions, (list, tuple)) else [actions]
        if len(given) not in (1, self.count):
            raise ValueError(f"{len(given)} actions for {self.count} envs")
        rows = [action_json(action) for action in given]
        before, self._sights = self._sights, None        # until it is known what was told
        observe = self._observe_next(before)
        width = BATCH_MAX if observe == "none" else BATCH_SEEN_MAX
        replies = []
        for at in range(0, self.count, width):
            part = rows if len(rows) == 1 else rows[at:at + width]
            replies.append((yield Batch({
                "env_ids": self._packed_ids[16 * at:16 * (at + width)], "actions": [row["kind"] for row in part],
                "args_json": [_encode(row).encode() for row in part],
                "observe": observe}, self.timeout)))
        return self._results(replies, width, observe, before)

    def _results(self, replies: list[Any], width: int, observe: str, before: Optional[Sights]) -> Stepped:
        def column(name: str, make: Callable[[Any], Any] = lambda value: value, none: Any = None) -> Column[Any]:
            def get(slot: int) -> Any:
                values = getattr(replies[slot // width], name)
                value = values[slot % width] if values else none      # of which no slot has anything is empty
                return make(value) if value else none
            return Column(self.count, get)

        def digest(slot: int) -> str:
            at = slot % width * 16
            return str(replies[slot // width].digests[at:at + 16].hex())

        def error(slot: int) -> Optional[WorlddError]:
            reply, at = replies[slot // width], slot % width
            return request_error(reply.status[at], reply.text[at]) if reply.status and reply.status[at] else None

        finals = Sights(column("final_observation_json", json.loads).get, before)      # told before the others
        sights = Sights(column("observation_json", json.loads).get,
                        finals if any(reply.final_observation_json for reply in replies) else before)
        if observe == "full" and self.habits.observe == "changed":
            texts = column("observation_json")
            self._keep(sights, [slot for slot, text in enumerate(texts) if not (text or b"").startswith(b'{"digest"')])
        elif observe == "changed":
            self._sights, self._since_whole = sights, self._since_whole + 1
        outcomes = column("outcome", none=0)
        verdicts = column("verdict_json", json.loads)
        endings = column("ending")
        ended = [at for at in range(self.count) if replies[at // width].ending and endings[at]]
        rewards, terminated, truncated = ([0.0] * self.count, [False] * self.count, [False] * self.count)
        for at in ended:                         # few of many: the others cost nothing
            verdict = verdicts[at]
            rewards[at] = 0.0 if verdict is None else self.habits.reward(verdict)
            terminated[at], truncated[at] = ends(endings[at])
        infos = Infos({
            "outcome": Column(self.count, lambda at: OUTCOMES[outcomes[at]]), "code": column("code", none=""),
            "text": column("text", none=""), "index": column("step", none=0), "digest": Column(self.count, digest),
            "ending": endings, "verdict": verdicts, "reset": column("flags", lambda flags: bool(flags & 1), False),
            "final_obs": Column(self.count, finals.scene), "error": Column(self.count, error)})
        return Column(self.count, sights.scene), rewards, terminated, truncated, infos

    def _observe_next(self, before: Optional[Sights]) -> str:
        """What the next message asks for."""
        if self.habits.observe == "changed" and (before is None or self._since_whole >= WHOLE_EVERY):
            return "full"
        return self.habits.observe

    def _keep(self, sights: Sights, partial: list[int]) -> None:
        """Later changes refer to these whole scenes. `partial`: slots of which no scene was told now; when it is not known what
        was told of them before, the next message asks again."""
        if sights.let_go(partial):
            self._sights, self._since_whole = sights, 0

    def imagine(self, candidates: Sequence[Sequence[Sequence[Action]]], observe: str, scenes: str) -> Talk[list[list[Imagined]]]:
        if len(candidates) != self.count:
            raise ValueError(f"candidates for {len(candidates)} envs, not {self.count}")
        calls = [{"verb": "env_imagine", "args": {"env": identity, **imagine_args(lists, observe, scenes)}}
                 for identity, lists in zip(self.ids, candidates)]
        width = max(1, BATCH_SEEN_MAX // max(map(len, candidates), default=1)) if any(candidates) else BATCH_SEEN_MAX
        answers, error = yield from self._try_calls(calls, self.timeout, width)
        if error is not None:
            raise error
        return [imagined(lists, answer, self.habits.reward) for lists, answer in zip(candidates, answers) if answer is not None]

    def close(self) -> Talk[None]:
        for at in range(0, self.count, BATCH_MAX):
            yield Ask("env_close", {"envs": self.ids[at:at + BATCH_MAX]})
