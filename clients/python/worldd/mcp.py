"""An MCP server over stdio: an assistant operates a phone by hand, with worldd's memory and its judge.

    {"mcpServers": {"phone": {"command": "worldd-mcp"}}}                        a private daemon
    {"mcpServers": {"phone": {"command": "worldd-mcp", "args": ["--directory", "/run/worldd"]}}}

The assistant is the planner of a run: start_task begins one, act executes a step and shows what came of it, judge ends it
with the verdict. JSON-RPC 2.0, one message a line; standard library only. Log lines go to standard error.
"""
from __future__ import annotations

import argparse
import json
import os
import queue
import sys
import threading
from typing import IO, Any, Callable, Optional, Sequence, Union

from . import __version__
from .control import find_control_endpoint
from .daemon import Daemon
from .errors import WorlddError
from .planner import Plan, PlanFailed, Planner, Request, Step
from .prompt import screen_text, turn_text
from .views import RunResult
from .world import World

PROTOCOLS = ("2025-06-18", "2025-03-26", "2024-11-05")       # newest first
LINE_MAX = 4 << 20           # characters of one message
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
HOUR_MS = 3600 * 1000
JOIN_S = 10.0

Json = dict[str, Any]


class HandPlanner(Planner):
    """A planner whose steps come from somebody else: turns are put out, steps are taken in."""

    def __init__(self, endpoint: str, name: str) -> None:
        super().__init__(endpoint, name)
        self.turns: queue.Queue[Union[Request, RunResult, WorlddError]] = queue.Queue()
        self.steps: queue.Queue[Optional[Step]] = queue.Queue()

    def plan(self, request: Request) -> Plan:
        self.turns.put(request)
        step = self.steps.get()
        if step is None:
            raise PlanFailed("the assistant has left")
        return Plan([step], model="by hand")


class Phone:
    """The run at hand. One at a time."""

    def __init__(self, endpoint: str, planner_endpoint: str) -> None:
        self.world = World(endpoint, name="mcp")
        self._endpoint = endpoint
        self._planner = HandPlanner(planner_endpoint, f"mcp-{os.getpid()}")
        self._thread: Optional[threading.Thread] = None
        self._last: Union[Request, RunResult, WorlddError, None] = None
        self._planner.__enter__()

    def close(self) -> None:
        if self.request is not None:
            try:
                self.world.cancel(self.request.run, "the assistant has left")
            except WorlddError:
                pass                             # it is over, or worldd is gone
            self._planner.steps.put(None)
        self._planner.__exit__()
        if self._thread is not None:
            self._thread.join(JOIN_S)
        self.world.close()

    @property
    def request(self) -> Optional[Request]:
        """The turn that waits for a step; None: no task is under way."""
        return self._last if isinstance(self._last, Request) else None

    def start(self, task: Any, params: Optional[Json], seed: int) -> str:
        if self.request is not None:
            raise ToolError(f"run {self.request.run} is under way; end it with judge first")

        def run() -> None:
            try:
                with World(self._endpoint, name="mcp-run") as world:
                    end: Union[RunResult, WorlddError] = world.run(task, params=params, seed=seed,
                                                                   planner=self._planner.name)
            except WorlddError as error:
                end = error
            self._planner.turns.put(end)

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        return self._next_turn()

    def act(self, step: Step) -> str:
        if self.request is None:
            raise ToolError("no task is under way; begin one with start_task")
        self._planner.steps.put(step)
        return self._next_turn()

    def turn(self) -> Request:
        if self.request is None:
            raise ToolError("no task is under way; begin one with start_task")
        return self.request

    def _next_turn(self) -> str:
        self._last = self._planner.turns.get()
        if isinstance(self._last, WorlddError):
            raise ToolError(str(self._last))
        if isinstance(self._last, RunResult):
            return self._ended(self._last)
        request = self._last
        head = [f"Task {request.task_id}: {request.instruction}"] if request.step_index == 0 else []
        return "\n".join([*head, turn_text(request)])

    @staticmethod
    def _ended(result: RunResult) -> str:
        lines = [f"The run ended: {result.ending}" + (f", {result.text}" if result.text else ""),
                 f"{result.steps} steps, recorded in {result.episode}"]
        if result.answer is not None:
            lines.append("answer: " + result.answer)
        if result.verdict is not None:
            lines.append("verdict: " + json.dumps(result.verdict, ensure_ascii=False))
        return "\n".join(lines)


class ToolError(Exception):
    """A tool cannot do what was asked; the assistant is told."""


# ---- the tools ------------------------------------------------------------------------------------------------

def schema(properties: Json, required: Sequence[str] = ()) -> Json:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


TEXT, WHOLE, OBJECT = {"type": "string"}, {"type": "integer"}, {"type": "object"}
ACT = {
    "action": {"type": "string", "description": "tap, double_tap, long_press, type, clear_text, swipe, drag, scroll, back, home, "
               "recents, enter, key, launch_app, close_app, wait, answer, note"},
    "args": {"type": "object", "description": 'its arguments: {"node": 7} for an element of the newest screen; {"node": 7, "text": '
             '"hi", "submit": true} for type; {"direction": "down"} for scroll; {"app": "settings"} for launch_app; {"text": ...} '
             "for answer"},
    "remember": {"type": "object", "description": "values to keep by name in the world state; null forgets"},
    "thought": {"type": "string", "description": "why; recorded"},
}
Tool = Callable[[Phone, Json], str]
TOOLS: dict[str, tuple[str, Json, Tool]] = {}


def tool(name: str, about: str, properties: Json, required: Sequence[str] = ()) -> Callable[[Tool], Tool]:
    def add(function: Tool) -> Tool:
        TOOLS[name] = (about, schema(properties, required), function)
        return function
    return add


@tool("start_task", "Begin a task on a fresh phone; shows what is known and the first screen.",
      {"task": {"type": ["string", "object"], "description": 'id of a shipped task ("demo/bluetooth_off"), or a task document: {"id", '
                '"instruction", "criteria", "expected_changes", ...}'},
       "params": OBJECT, "seed": WHOLE}, ["task"])
def start_task(phone: Phone, args: Json) -> str:
    return phone.start(args["task"], args.get("params"), args.get("seed", 0))


@tool("act", "Execute one action on the phone; shows what came of it, what is known, and the new screen.", ACT, ["action"])
def act(phone: Phone, args: Json) -> str:
    if args["action"] in ("complete", "abort"):
        raise ToolError("end the task with judge")
    given = dict(args.get("args") or {})
    if "remember" in args:
        given["remember"] = args["remember"]
    given.pop("thought", None)
    return phone.act(Step(args["action"], args.get("thought", ""), **given))


@tool("what_if", "What would come of some lists of actions? Each is tried on a copy; the phone itself is not touched.",
      {"candidates": {"type": "array", "description": 'lists of actions: [[{"action": "tap", "args": {"node": 7}}, ...], ...]'}},
      ["candidates"])
def what_if(phone: Phone, args: Json) -> str:
    candidates = []
    for number, steps in enumerate(args["candidates"]):
        if not isinstance(steps, list) or not all(isinstance(step, dict) and isinstance(step.get("action"), str) and
                                                  isinstance(step.get("args", {}), dict) for step in steps):
            raise ToolError(f"candidates[{number}]: must be a list of objects with an action and its args")
        candidates.append([{**step.get("args", {}), "kind": step["action"]} for step in steps])
    rows = [{"outcomes": one.outcomes, "error": one.error, "screen": repr(one.scene), "reward": one.reward, "changes": one.changes,
             "side_effects": one.side_effects, "known": str(one.world), "verdict": one.verdict}
            for one in phone.world.imagine(phone.turn().run, candidates)]
    return json.dumps(rows, ensure_ascii=False, indent=1)


@tool("progress", "How the judge sees the task so far; nothing ends. The reward goes from 0 to 1.", {})
def progress(phone: Phone, _args: Json) -> str:
    return json.dumps(phone.world.judge(phone.turn().run), ensure_ascii=False, indent=1)


@tool("judge", "End the task and hear the verdict: what was achieved, what else was changed and by which step.",
      {"status": {"type": "string", "enum": ["success", "failure", "unknown"], "description": "what you think of it"}})
def judge(phone: Phone, args: Json) -> str:
    return phone.act(Step("complete", status=args.get("status", "success")))


@tool("world_state", "What is known: current app and page, remembered variables, history, signs of going in circles.", {})
def world_state(phone: Phone, _args: Json) -> str:
    world = phone.turn().world
    return "The world model is off." if world is None else json.dumps(world.raw, ensure_ascii=False, indent=1)


@tool("scene", "The present screen: its elements with ids, roles, labels and flags.", {})
def scene(phone: Phone, _args: Json) -> str:
    return screen_text(phone.turn(), nodes_max=1000, space="px")


@tool("device_state", "The phone's state, or a part of it, as JSON.",
      {"path": {"type": "string", "description": "os.settings.global, apps.notes, os.providers.contacts, ..."}}, ["path"])
def device_state(phone: Phone, args: Json) -> str:
    return json.dumps(phone.world.state(phone.turn().run, args["path"]), ensure_ascii=False)


# ---- the server -----------------------------------------------------------------------------------------------

class RpcError(Exception):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Server:
    """JSON-RPC over a pair of text streams, one request after the other."""

    def __init__(self, phone: Phone, source: IO[str], sink: IO[str]) -> None:
        self.phone, self.source, self.sink = phone, source, sink

    def serve(self) -> None:
        """Until the end of the input."""
        while line := self.source.readline(LINE_MAX):
            answer = self._answer_line(line)
            if answer is not None:
                self.sink.write(json.dumps(answer, ensure_ascii=False) + "\n")
                self.sink.flush()

    def _answer_line(self, line: str) -> Any:
        if not line.strip():
            return None
        try:
            message = json.loads(line)
        except ValueError as error:
            return self._error(None, PARSE_ERROR, f"no JSON: {error}")
        if isinstance(message, list):            # a batch, which older clients may send
            answers = [answer for answer in map(self._answer, message) if answer is not None]
            return answers or None
        return self._answer(message)

    def _answer(self, message: Any) -> Optional[Json]:
        """The response; None for a notification or a response."""
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            is_response = isinstance(message, dict) and ("result" in message or "error" in message)
            return None if is_response else self._error(None, INVALID_REQUEST, "no request")
        identity, params = message.get("id"), message.get("params") or {}
        if "id" not in message:
            return None                          # initialized, cancelled, ...: nothing is to be done
        try:
            if not isinstance(params, dict):
                raise RpcError(INVALID_PARAMS, "params: must be an object")
            return {"jsonrpc": "2.0", "id": identity, "result": self._call(message["method"], params)}
        except RpcError as error:
            return self._error(identity, error.code, str(error))

    @staticmethod
    def _error(identity: Any, code: int, text: str) -> Json:
        return {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": text}}

    def _call(self, method: str, params: Json) -> Json:
        if method == "initialize":
            wanted = params.get("protocolVersion")
            return {"protocolVersion": wanted if wanted in PROTOCOLS else PROTOCOLS[0], "capabilities": {"tools": {}},
                    "serverInfo": {"name": "worldd", "version": __version__}}
        if method == "ping":
            return {}
        if method == "tools/list":
            return {"tools": [{"name": name, "description": about, "inputSchema": inputs}
                              for name, (about, inputs, _) in TOOLS.items()]}
        if method == "tools/call":
            return self._call_tool(params.get("name"), params.get("arguments") or {})
        raise RpcError(NO_METHOD, f"{method}: no such method")

    def _call_tool(self, name: Any, args: Any) -> Json:
        if name not in TOOLS:
            raise RpcError(INVALID_PARAMS, f"name: there is no tool {name!r}")
        _, inputs, function = TOOLS[name]
        try:
            check(args, inputs)
            text, failed = function(self.phone, args), False
        except (ToolError, WorlddError) as error:
            text, failed = str(error), True
        return {"content": [{"type": "text", "text": text}], "isError": failed}


TYPES: dict[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "object": (dict,), "array": (list,)}


def check(args: Any, inputs: Json) -> None:
    """Arguments against a tool's schema. Raises ToolError naming the member."""
    if not isinstance(args, dict):
        raise ToolError("arguments: must be an object")
    for name in inputs["required"]:
        if name not in args:
            raise ToolError(f"{name}: missing")
    for name, value in args.items():
        rule = inputs["properties"].get(name)
        if rule is None:
            raise ToolError(f"{name}: unknown argument")
        kinds = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
        if isinstance(value, bool) or not any(isinstance(value, TYPES[kind]) for kind in kinds):
            raise ToolError(f"{name}: must be of type {' or '.join(kinds)}")
        if "enum" in rule and value not in rule["enum"]:
            raise ToolError(f"{name}: must be one of {', '.join(rule['enum'])}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="worldd-mcp", description="An MCP server over stdio: operate a phone by hand.")
    parser.add_argument("--directory", default=os.environ.get("WORLDD_DAEMON_DIRECTORY"),
                        help="of a running worldd; without it a private one is started")
    arguments = parser.parse_args()
    daemon = None
    try:
        if arguments.directory is None:          # an assistant thinks longer than the daemon's own patience
            daemon = Daemon(settings=[f"planner.attempt_timeout_ms={HOUR_MS}", f"run.deadline_ms={24 * HOUR_MS}"]).start()
            endpoint, planner_endpoint = daemon.control_endpoint, daemon.planner_endpoint
        else:
            endpoint = find_control_endpoint(directory=arguments.directory)
            planner_endpoint = f"ipc://{arguments.directory}/planner.sock"
        phone = Phone(endpoint, planner_endpoint)
        try:
            Server(phone, sys.stdin, sys.stdout).serve()
        finally:
            phone.close()
    except WorlddError as error:
        print(f"worldd-mcp: {error}", file=sys.stderr)
        return 1
    finally:
        if daemon is not None:
            daemon.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
