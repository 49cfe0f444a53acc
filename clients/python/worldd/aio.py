"""The client for asyncio: `AsyncWorld`, with any number of requests open at once on one connection.

    async with AsyncWorld(endpoint) as world:
        results = await asyncio.gather(*(world.run("demo/hello", seed=seed) for seed in range(8)))
"""
from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any, Callable, Optional

import zmq
import zmq.asyncio

from . import steps, wire
from .aio_env import AsyncEnv, AsyncSnapshot, AsyncVecEnv
from .control import REQUEST_TIMEOUT, SILENCE_MS, Event, Link, Progress, find_control_endpoint
from .errors import ConnectionLost, DeadlineExceeded, NotReachable, Rejected, WorlddError
from .imagine import Imagined, imagine_args, imagined
from .keys import KeyFile, Keys, load_keys
from .phone import Habits, Phone, Reward, passed
from .phones import Params, Phones, Tasks
from .talk import Batch, Question, T, Talk
from .tracker import Action, post_args
from .views import Observation, RunResult, Scene, WorldState
from .world import Task, run_args

__all__ = ["AsyncControl", "AsyncEnv", "AsyncSnapshot", "AsyncTracker", "AsyncVecEnv", "AsyncWatch", "AsyncWorld"]


class AsyncControl:
    """A connection for one event loop; requests overlap. It connects when first used, and again after a restart."""

    def __init__(self, endpoint: str, name: str = "python", connect_timeout: float = wire.WELCOME_WAIT,
                 keys: Optional[Keys] = None) -> None:
        self.endpoint, self.connect_timeout, self.keys = endpoint, connect_timeout, keys
        self._link = Link(name)
        self._context: Optional[zmq.asyncio.Context] = None
        self._socket: Any = None
        self._reader: Optional[asyncio.Task[None]] = None
        self._open: dict[int, tuple[asyncio.Future[Any], Optional[Progress]]] = {}
        self._connecting = asyncio.Lock()

    async def request(self, verb: str, args: Optional[dict[str, Any]] = None,
                      timeout: Optional[float] = REQUEST_TIMEOUT, on_progress: Optional[Progress] = None) -> Any:
        """As Control.request: the answer, a JSON value, or one of the same exceptions."""
        return await self._exchange(lambda: self._link.control(verb, args or {}, timeout), timeout, on_progress)

    async def batch(self, fields: dict[str, Any], timeout: Optional[float] = REQUEST_TIMEOUT) -> wire.Message:
        """As Control.batch: an EnvBatchReply."""
        return await self._exchange(lambda: self._link.batch(fields, timeout), timeout, None)

    async def _exchange(self, pack: Callable[[], tuple[int, list[bytes]]], timeout: Optional[float],
                        on_progress: Optional[Progress]) -> Any:
        async with self._connecting:
            if self._reader is None or self._reader.done():
                await self._connect()
        request_id, frames = pack()
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._open[request_id] = (answer, on_progress)
        try:
            await self._send(frames)
            return await asyncio.wait_for(answer, timeout)
        except asyncio.TimeoutError:
            raise DeadlineExceeded("worldd did not answer in time") from None
        finally:
            self._open.pop(request_id, None)

    async def close(self) -> None:
        """Say Goodbye and close; open requests end with ConnectionLost."""
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)
            self._reader = None
        if self._socket is not None:
            try:
                await self._socket.send_multipart(Link.goodbye(), zmq.DONTWAIT)
            except zmq.ZMQError:
                pass                             # a daemon that cannot be told finds out by itself
            self._drop()
        if self._context is not None:
            self._context.term()
            self._context = None

    # ---- inside ------------------------------------------------------------------------------------------------

    def _drop(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    async def _send(self, frames: list[bytes]) -> None:
        socket = self._socket
        if socket is None:
            raise ConnectionLost("the connection was closed")
        try:
            await asyncio.wait_for(socket.send_multipart(frames), self.connect_timeout)
        except (asyncio.TimeoutError, zmq.ZMQError):
            raise ConnectionLost("worldd takes no more messages") from None

    async def _connect(self) -> None:
        self._drop()
        if self._context is None:
            self._context = zmq.asyncio.Context()
        try:
            self._socket = wire.open_dealer(self._context, self.endpoint, self.keys, SILENCE_MS)
            await self._send(self._link.hello())
            await asyncio.wait_for(self._welcome(), self.connect_timeout)
        except (asyncio.TimeoutError, ConnectionLost, zmq.ZMQError):
            self._drop()
            raise NotReachable(f"{self.endpoint}: no welcome: not there, or not authorised") from None
        except WorlddError:
            self._drop()
            raise
        self._reader = asyncio.create_task(self._read())

    async def _welcome(self) -> None:
        while self._link.take(await self._socket.recv_multipart()).kind != "welcome":
            pass                                 # an answer to somebody who is gone

    async def _read(self) -> None:
        """Take messages and beat until worldd is gone; what is open ends then."""
        lost: WorlddError = ConnectionLost("the connection was closed")
        try:
            heard = time.monotonic()
            while time.monotonic() - heard < self._link.silence:
                if not await self._socket.poll(self._link.heartbeat * 1000):
                    await self._send(self._link.ping())
                    continue
                event = self._link.take(await self._socket.recv_multipart())
                heard = time.monotonic()
                if event.kind in ("unknown", "gone"):
                    lost = ConnectionLost("worldd was stopped or restarted; the request is lost")
                    return
                await self._take(event)
            lost = ConnectionLost(f"worldd is gone: no sign of life for {self._link.silence:g} s")
        except (ConnectionLost, Rejected) as error:
            lost = error
        finally:
            for answer, _ in self._open.values():
                if not answer.done():
                    answer.set_exception(lost)

    async def _take(self, event: Event) -> None:
        if event.kind == "ping":
            await self._send(self._link.pong(event.request_id))
        answer, on_progress = self._open.get(event.request_id, (None, None))
        if answer is None or answer.done():
            return                               # nobody waits for it any more
        if event.kind == "progress" and on_progress is not None:
            try:
                on_progress(event.value)
            except Exception as error:           # ends that request's wait alone
                answer.set_exception(error)
        elif event.kind == "reply":
            answer.set_result(event.value)
        elif event.kind == "error":
            answer.set_exception(event.value)


class AsyncWatch:
    """Watch for asyncio, made by AsyncWorld.watch(): an asynchronous context manager and iterator.

        async with world.watch(run="r1") as events:
            async for event in events:
                print(event["event"])
    """

    def __init__(self, endpoint: str, args: dict[str, Any]) -> None:
        self._control, self._args = AsyncControl(endpoint, "python-watch"), args
        self._events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._asked: Optional[asyncio.Task[Any]] = None

    async def next(self, timeout: Optional[float] = None) -> Optional[dict[str, Any]]:
        """The next event; None: none came in `timeout` seconds. Raises ConnectionLost when worldd is gone."""
        assert self._asked is not None, "a watch begins with `async with`"
        coming = asyncio.ensure_future(self._events.get())
        await asyncio.wait((coming, self._asked), timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if coming.done():
            return coming.result()
        coming.cancel()
        if self._asked.done():
            await self._asked                    # raises why
            raise ConnectionLost("the watch is over")
        return None

    def __aiter__(self) -> AsyncWatch:
        return self

    async def __anext__(self) -> dict[str, Any]:
        event = await self.next()
        assert event is not None                 # without a timeout it waits
        return event

    async def __aenter__(self) -> AsyncWatch:
        """Nothing is missed from here on: a request sent behind the watch's was answered."""
        self._asked = asyncio.ensure_future(self._control.request("watch", self._args, None, self._events.put_nowait))
        await asyncio.sleep(0)                   # it takes its turn first
        try:
            await self._control.request("status")
            if self._asked.done():
                await self._asked
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._control.close()
        if self._asked is not None:
            await asyncio.gather(self._asked, return_exceptions=True)


class AsyncTracker:
    """WorldTracker for asyncio; see there."""

    def __init__(self, control: AsyncControl, session: str, episode: str) -> None:
        self._control = control
        self.session, self.episode = session, episode
        self.last: Optional[Observation] = None

    @property
    def world(self) -> Optional[WorldState]:
        return None if self.last is None else self.last.world

    async def observe(self, screen: Optional[str] = None, *, action: Optional[Action] = None,
                      dialect: Optional[str] = None, reply: Optional[str] = None,
                      remember: Optional[dict[str, Any]] = None, outcome: str = "ok", thought: str = "",
                      format: Optional[str] = None, companion: Optional[str] = None) -> Observation:
        args = post_args(self.session, screen, action, dialect, reply, remember, outcome, thought, format, companion)
        self.last = Observation.from_json(await self._control.request("observe", args))
        return self.last

    async def end(self, ending: str = "complete") -> str:
        answer = await self._control.request("observe_end", {"session": self.session, "ending": ending})
        self.episode = answer["episode"]
        return self.episode


class AsyncWorld:
    """World for asyncio; the arguments and exceptions are the same."""

    def __init__(self, endpoint: Optional[str] = None, *, directory: Optional[str] = None, name: str = "python",
                 timeout: float = REQUEST_TIMEOUT, key: Optional[KeyFile] = None,
                 server_key: Optional[KeyFile] = None) -> None:
        self.timeout = timeout
        self.control = AsyncControl(find_control_endpoint(endpoint, directory), name, keys=load_keys(key, server_key))

    async def request(self, verb: str, timeout: Optional[float] = None, on_progress: Optional[Progress] = None,
                      **args: Any) -> Any:
        return await self.control.request(verb, args, self.timeout if timeout is None else timeout, on_progress)

    async def converse(self, talk: Talk[T]) -> T:
        """Hold a talk (worldd.talk) to its end."""
        try:
            question = next(talk)
            while True:
                try:
                    answer = await self._answer(question)
                except BaseException as error:
                    question = talk.throw(error)
                else:
                    question = talk.send(answer)
        except StopIteration as end:
            return end.value                     # type: ignore[no-any-return]

    async def _answer(self, question: Question) -> Any:
        timeout = self.timeout if question.timeout is None else question.timeout
        if isinstance(question, Batch):
            return await self.control.batch(question.fields, timeout)
        return await self.control.request(question.verb, question.args, timeout)

    async def env(self, task: Optional[Task] = None, *, seed: int = 0, params: Optional[dict[str, Any]] = None,
                  step_limit: int = 0, auto_reset: str = "never", observe: str = "full", reward: Reward = passed) -> AsyncEnv:
        """A phone of its own; arguments as Env's."""
        return AsyncEnv(self, await self.converse(Phone.create(Habits(auto_reset, observe, reward), task=task, seed=seed,
                                                               params=params, step_limit=step_limit)))

    async def vec_env(self, tasks: Tasks = None, num_envs: Optional[int] = None, *, seeds: Optional[Sequence[int]] = None,
                      params: Params = None, step_limit: int = 0, auto_reset: str = "next_step", observe: str = "full",
                      reward: Reward = passed, timeout: float = REQUEST_TIMEOUT) -> AsyncVecEnv:
        """Many phones stepped by one message; arguments as VecEnv's."""
        return AsyncVecEnv(self, await self.converse(Phones.create(Habits(auto_reset, observe, reward), timeout, tasks, num_envs,
                                                                   seeds, params, step_limit)))

    async def close(self) -> None:
        await self.control.close()

    async def __aenter__(self) -> AsyncWorld:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def status(self) -> dict[str, Any]:
        return dict(await self.request("status"))

    async def planners(self) -> list[dict[str, Any]]:
        return list(await self.request("planners"))

    async def runs(self) -> list[dict[str, Any]]:
        return list(await self.request("runs"))

    def watch(self, *, run: Optional[str] = None, env: Optional[str] = None) -> AsyncWatch:
        args = {name: value for name, value in (("run", run), ("env", env)) if value is not None}
        return AsyncWatch(self.control.endpoint, args)

    async def run(self, task: Optional[Task] = None, *, params: Optional[dict[str, Any]] = None, planner: Optional[str] = None,
                  executor: Optional[str] = None, instruction: Optional[str] = None, seed: Optional[int] = None,
                  instance: Optional[int] = None, locale: Optional[str] = None, run_id: Optional[str] = None,
                  timeout: Optional[float] = None, on_progress: Optional[Progress] = None, **options: Any) -> RunResult:
        events: list[dict[str, Any]] = []

        def note(event: dict[str, Any]) -> None:
            events.append(event)
            if on_progress is not None:
                on_progress(event)

        args = run_args(options, task=task, params=params, planner=planner, executor=executor, instruction=instruction,
                        seed=seed, instance=instance, locale=locale, run_id=run_id)
        return RunResult.from_json(await self.control.request("run", args, timeout, note), events)

    async def cancel(self, run: str, reason: str = "cancelled by a client") -> None:
        await self.request("cancel", run=run, reason=reason)

    async def state(self, run: str, path: Optional[str] = None) -> Any:
        args = {"run": run} if path is None else {"run": run, "path": path}
        return await self.control.request("state", args, self.timeout)

    async def scene(self, run: str) -> Scene:
        return Scene(await self.request("scene", run=run))

    async def judge(self, run: str) -> dict[str, Any]:
        return dict(await self.request("judge", run=run))

    async def imagine(self, run: str, candidates: Sequence[Sequence[steps.Action]], *, observe: str = "full",
                      scenes: str = "last") -> list[Imagined]:
        return imagined(candidates, await self.request("imagine", run=run, **imagine_args(candidates, observe, scenes)))

    async def tracker(self, task: Task = "", *, session: Optional[str] = None, **options: Any) -> AsyncTracker:
        args: dict[str, Any] = {"task": task}
        if session is not None:
            args["session"] = session
        if options:
            args["options"] = options
        answer = await self.request("observe_start", **args)
        return AsyncTracker(self.control, answer["session"], answer["episode"])
