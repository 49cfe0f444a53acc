"""Envs for asyncio: `AsyncEnv`, `AsyncVecEnv` and `AsyncSnapshot`; what each method does is said of Env, VecEnv and Snapshot.

    async with AsyncWorld(endpoint) as world:
        async with await world.env("demo/bluetooth_off", seed=1) as env:
            scene, info = await env.reset()
            scene, reward, terminated, truncated, info = await env.step("home")
"""
from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, Optional, Protocol, Union

from .control import REQUEST_TIMEOUT
from .imagine import Imagined
from .phone import Kept, Phone, Stands, Stepped, Verdict
from .phones import Column, Phones, Seeds
from .phones import Stepped as VecStepped
from .steps import Action
from .talk import T, Talk
from .views import Scene
from .world import Task


class Speaker(Protocol):
    """What holds talks: an AsyncWorld."""

    def converse(self, talk: Talk[T]) -> Awaitable[T]:
        """Hold a talk to its end."""


class AsyncSnapshot:
    """Snapshot for asyncio."""

    def __init__(self, world: Speaker, kept: Kept) -> None:
        self._world, self._kept = world, kept
        self.id, self.digest = kept.id, kept.digest

    async def fork(self, count: int = 1) -> list[AsyncEnv]:
        return [AsyncEnv(self._world, phone) for phone in await self._world.converse(self._kept.fork(count))]

    async def diff(self, env: AsyncEnv) -> list[dict[str, Any]]:
        return await self._world.converse(self._kept.diff(env.id))

    async def forget(self) -> None:
        await self._world.converse(self._kept.forget())

    def __repr__(self) -> str:
        return f"<AsyncSnapshot {self.id} of machine {self.digest}>"


class AsyncEnv:
    """Env for asyncio, made by AsyncWorld.env()."""

    def __init__(self, world: Speaker, phone: Phone) -> None:
        self.world, self._phone = world, phone

    @property
    def id(self) -> str:
        return self._phone.id

    @property
    def digest(self) -> str:
        return self._phone.digest

    async def reset(self, *, seed: Optional[int] = None) -> Stands:
        return await self.world.converse(self._phone.reset(seed))

    async def step(self, action: Action) -> Stepped:
        return await self.world.converse(self._phone.step(action))

    async def scene(self) -> Scene:
        return await self.world.converse(self._phone.scene())

    async def state(self, path: Optional[str] = None) -> Any:
        return await self.world.converse(self._phone.state(path))

    async def inject(self, patch: dict[str, Any]) -> None:
        await self.world.converse(self._phone.inject(patch))

    async def judge(self, task: Optional[Task] = None) -> Verdict:
        return await self.world.converse(self._phone.judge(task))

    async def snapshot(self) -> AsyncSnapshot:
        return AsyncSnapshot(self.world, await self.world.converse(self._phone.snapshot()))

    async def restore(self, snapshot: AsyncSnapshot) -> Stands:
        return await self.world.converse(self._phone.restore(snapshot.id))

    async def fork(self, count: int = 1) -> list[AsyncEnv]:
        return [AsyncEnv(self.world, phone) for phone in await self.world.converse(self._phone.fork(count))]

    async def imagine(self, candidates: Sequence[Sequence[Action]], *, observe: str = "full", scenes: str = "last"
                      ) -> list[Imagined]:
        return await self.world.converse(self._phone.imagine(candidates, observe, scenes))

    async def close(self) -> None:
        await self.world.converse(self._phone.close())

    async def __aenter__(self) -> AsyncEnv:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncEnv {self.id}>"


class AsyncVecEnv:
    """VecEnv for asyncio, made by AsyncWorld.vec_env() or of()."""

    def __init__(self, world: Speaker, phones: Phones) -> None:
        self.world, self._phones = world, phones

    @classmethod
    def of(cls, envs: Sequence[AsyncEnv], timeout: float = REQUEST_TIMEOUT) -> AsyncVecEnv:
        return cls(envs[0].world, Phones([env.id for env in envs], envs[0]._phone.habits, timeout))

    @property
    def num_envs(self) -> int:
        return self._phones.count

    async def reset(self, *, seed: Seeds = None, options: Optional[dict[str, Any]] = None
                    ) -> tuple[Column[Optional[Scene]], dict[str, Any]]:
        return await self.world.converse(self._phones.reset(seed, options))

    async def step(self, actions: Union[Action, Sequence[Action]]) -> VecStepped:
        return await self.world.converse(self._phones.step(actions))

    async def imagine(self, candidates: Sequence[Sequence[Sequence[Action]]], *, observe: str = "full", scenes: str = "last"
                      ) -> list[list[Imagined]]:
        return await self.world.converse(self._phones.imagine(candidates, observe, scenes))

    async def close(self) -> None:
        await self.world.converse(self._phones.close())

    async def __aenter__(self) -> AsyncVecEnv:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncVecEnv of {self.num_envs}>"
