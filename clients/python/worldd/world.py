"""`World`: a running worldd, or a private one, as an object."""
from __future__ import annotations

from typing import Any, Iterable, Optional, Sequence, Union

from .control import REQUEST_TIMEOUT, Control, Progress, find_control_endpoint
from .daemon import Daemon, PathLike
from .errors import WorlddError
from .imagine import Imagined, imagine_args, imagined
from .keys import KeyFile, load_keys
from .steps import Action
from .talk import Batch, Question, T, Talk
from .tracker import WorldTracker
from .views import RunResult, Scene
from .watch import Watch

Task = Union[str, dict[str, Any]]


def run_args(options: dict[str, Any], **others: Any) -> dict[str, Any]:
    """The arguments of the verb `run`; what is None is left out."""
    given = {name: value for name, value in others.items() if value is not None}
    return {**given, **({"options": options} if options else {})}


class World:
    """A connection to worldd's control socket.

    endpoint   "ipc:///run/worldd/control.sock"; None: as find_control_endpoint() does
    directory  the daemon's directory instead
    timeout    seconds that a request may take unless it says otherwise
    key, server_key  for tcp: our NAME.key_secret and the daemon's server.key; None: $WORLDD_KEY, $WORLDD_SERVER_KEY

    World.private() starts a daemon of its own. It connects when first used and reconnects after a restart. Threads that
    share one take turns; for requests at the same time use one World each, or AsyncWorld.
    """

    def __init__(self, endpoint: Optional[str] = None, *, directory: Optional[str] = None, name: str = "python",
                 timeout: float = REQUEST_TIMEOUT, daemon: Optional[Daemon] = None, key: Optional[KeyFile] = None,
                 server_key: Optional[KeyFile] = None) -> None:
        self.daemon = daemon
        self.timeout = timeout
        if daemon is not None:
            endpoint = daemon.control_endpoint
        self.control = Control(find_control_endpoint(endpoint, directory), name, keys=load_keys(key, server_key))

    @classmethod
    def private(cls, *, directory: Optional[PathLike] = None, settings: Iterable[str] = (),
                program: Optional[PathLike] = None, timeout: float = REQUEST_TIMEOUT) -> World:
        """Start a daemon (worldd.Daemon) that ends with this World. Raises DaemonFailed."""
        return cls(daemon=Daemon(directory, settings, program).start(), timeout=timeout)

    def request(self, verb: str, timeout: Optional[float] = None, on_progress: Optional[Progress] = None,
                **args: Any) -> Any:
        """Any verb of docs/protocol.md section 6 by name; the answer is a JSON value. Raises as Control.request."""
        return self.control.request(verb, args, self.timeout if timeout is None else timeout, on_progress)

    def converse(self, talk: Talk[T]) -> T:
        """Hold a talk (worldd.talk) to its end."""
        try:
            question = next(talk)
            while True:
                try:
                    answer = self._answer(question)
                except BaseException as error:
                    question = talk.throw(error)
                else:
                    question = talk.send(answer)
        except StopIteration as end:
            return end.value                     # type: ignore[no-any-return]

    def _answer(self, question: Question) -> Any:
        timeout = self.timeout if question.timeout is None else question.timeout
        if isinstance(question, Batch):
            return self.control.batch(question.fields, timeout)
        return self.control.request(question.verb, question.args, timeout)

    def close(self) -> None:
        """Close the connection, and end the daemon when it is a private one."""
        self.control.close()
        if self.daemon is not None:
            self.daemon.stop()

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        """The open runs with the app and page of each; asks the daemon."""
        try:
            rows = self.control.request("runs", {}, 2.0)
        except WorlddError as error:
            return f"<World {self.control.endpoint}: {error}>"
        lines = [f"  run {row['run']}: step {row['steps']}, app {row.get('app') or 'unknown'}, "
                 f"page {row.get('page') or 'unknown'}" for row in rows]
        return "\n".join([f"<World {self.control.endpoint}, {len(rows)} open runs", *lines]) + ">"

    # ---- the daemon -------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """Version and counts: {"version","runs":{"open",...},"planners":{...},"control":{...},"packs",...}."""
        return dict(self.request("status"))

    def planners(self) -> list[dict[str, Any]]:
        """The planners and enrichers connected: [{"name","role","inflight","max_inflight","replies"}]."""
        return list(self.request("planners"))

    def runs(self) -> list[dict[str, Any]]:
        """The open runs: [{"run","task","steps","app","page"}]."""
        return list(self.request("runs"))

    def watch(self, *, run: Optional[str] = None, env: Optional[str] = None) -> Watch:
        """What happens from now on in a run, an env (its id), or everywhere: "begin", "step", "thought", "verdict", "end", ...
        events, on a connection of its own. What is named may begin later. Raises InvalidRequest."""
        return Watch(self.control.endpoint, {name: value for name, value in (("run", run), ("env", env)) if value is not None})

    # ---- runs -------------------------------------------------------------------------------------------------

    def run(self, task: Optional[Task] = None, *, params: Optional[dict[str, Any]] = None, planner: Optional[str] = None,
            executor: Optional[str] = None, instruction: Optional[str] = None, seed: Optional[int] = None,
            instance: Optional[int] = None, locale: Optional[str] = None, run_id: Optional[str] = None,
            timeout: Optional[float] = None, on_progress: Optional[Progress] = None, **options: Any) -> RunResult:
        """Run a task to its end.

        task         id of a shipped task, or a task document
        executor     name of the executor whose device it is done on, "*" for any; None: a simulated phone
        instruction  with an executor, instead of a task: what is to be done
        instance     which of the task's sampled parameters; locale: of its instruction ("en", "zh")
        planner      name of the planner to ask; None: any
        timeout      seconds for the whole run; None: as long as worldd lives. A run whose client gives up goes on
        on_progress  called with each event as it happens; all are in RunResult.events afterwards
        options      world, semantic (booleans), enricher (name or boolean), history, step_limit, repetition_limit, imagine

        Raises NotFound (no such task), InvalidRequest (its document, params or options), LimitExceeded (too many runs).
        """
        events: list[dict[str, Any]] = []

        def note(event: dict[str, Any]) -> None:
            events.append(event)
            if on_progress is not None:
                on_progress(event)

        args = run_args(options, task=task, params=params, planner=planner, executor=executor, instruction=instruction,
                        seed=seed, instance=instance, locale=locale, run_id=run_id)
        answer = self.control.request("run", args, timeout, note)
        return RunResult.from_json(answer, events)

    def cancel(self, run: str, reason: str = "cancelled by a client") -> None:
        """End an open run without a verdict. Raises NotFound."""
        self.request("cancel", run=run, reason=reason)

    def state(self, run: str, path: Optional[str] = None) -> Any:
        """The state of a run's device, {"os","apps"}, or the part at the path ("os.settings.global"). Raises NotFound."""
        args = {"run": run} if path is None else {"run": run, "path": path}
        return self.control.request("state", args, self.timeout)

    def scene(self, run: str) -> Scene:
        """What is on a run's screen. Raises NotFound."""
        return Scene(self.request("scene", run=run))

    def judge(self, run: str) -> dict[str, Any]:
        """The verdict on an open run so far: {"run","steps","reward" (0 to 1),"verdict"}. Raises NotFound."""
        return dict(self.request("judge", run=run))

    def imagine(self, run: str, candidates: Sequence[Sequence[Action]], *, observe: str = "full", scenes: str = "last"
                ) -> list[Imagined]:
        """What would come of each list of steps in an open run? It is not touched. Raises as Env.imagine, NotFound, and
        Unsupported when its phone is not simulated."""
        return imagined(candidates, self.request("imagine", run=run, **imagine_args(candidates, observe, scenes)))

    # ---- agent loops on phones of their own -------------------------------------------------------------------

    def tracker(self, task: Task = "", *, session: Optional[str] = None, **options: Any) -> WorldTracker:
        """Follow an agent loop that drives a phone of its own.

        task     its instruction, or a task document
        session  a name for it and its episode; must not have been used. None: made up
        options  as run()'s
        """
        args: dict[str, Any] = {"task": task}
        if session is not None:
            args["session"] = session
        if options:
            args["options"] = options
        answer = self.request("observe_start", **args)
        return WorldTracker(self.control, answer["session"], answer["episode"])
