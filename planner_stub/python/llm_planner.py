#!/usr/bin/python3
"""A planner that asks a language model behind any OpenAI-compatible chat endpoint.

    OPENAI_API_KEY=... llm_planner.py -e ipc:///run/worldd/planner.sock --url https://api.openai.com/v1 --model NAME
    llm_planner.py -e ... --url http://localhost:11434/v1 --model qwen2.5 --dialect canonical

The model gets the task, the WorldState with its signals of going in circles, how the last steps went, and the screen as
text. It answers with calls of tools, one per action, or with its own words in a dialect (docs/formats-actions.md) when
--dialect names one. The key comes from the environment alone (--key-env names the variable) and is never written anywhere.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from http.client import HTTPException

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "../../clients/python"))
import worldd  # noqa: E402
from worldd.prompt import results_text, turn_text  # noqa: E402

RUNS_MAX = 64                # conversations kept; the longest idle is forgotten first
ANSWER_MAX = 4 << 20         # bytes of an answer
BACK_OFF_MAX = 20.0          # seconds between two tries
THOUGHTS = ("reasoning_content", "reasoning")    # where servers put what a model thinks
THOUGHT_PIECE = 240          # characters told to those who watch at once: worldd takes 256 pieces of a request
MARGIN = 0.5                 # seconds kept of worldd's deadline for the way back

SYSTEM = """You operate a phone to carry out a task. Each turn you see what is known about the world and the screen as a list \
of elements, [id] first. {how}
Rules: act on ids of the newest screen only. Launch an app by name rather than looking for its icon. Do not repeat an action \
that changed nothing. Use `remember` to keep a value that is needed later, null to forget it. When the task asks for an \
answer, give it with answer before complete. When the task is done, complete; when it cannot be done, abort with the reason."""
WITH_TOOLS = "Answer by calling tools; several calls are carried out in order, and the rest is dropped when one fails."
WITH_DIALECT = "Answer with one action in the format `{dialect}`, and nothing behind it."
CANONICAL = ('Answer with one action as a JSON object: {"kind":"tap","node":7}, {"kind":"type","node":7,"text":"hi","submit":true}, '
             '{"kind":"scroll","direction":"down"}, {"kind":"launch_app","app":"Settings"}, {"kind":"back"}, {"kind":"home"}, '
             '{"kind":"answer","text":"..."}, {"kind":"complete","status":"success"}, {"kind":"abort","reason":"..."}.')

# Dialects whose points are thousandths of the screen (docs/formats-actions.md); the others are told and asked for pixels.
IN_THOUSANDTHS = ("uitars_1.0", "uitars_v1", "autoglm", "agentcpm", "gelab", "gelab_zero", "step_gui", "mobilegym", "venus",
                  "ui_venus")

NODE = {"node": {"type": "integer", "description": "id of an element of the newest screen"}}
TEXT = {"text": {"type": "string"}}
DIRECTION = {"direction": {"type": "string", "enum": ["up", "down", "left", "right"]}}
ACTIONS = [                  # name, what for, arguments, needed ones
    ("tap", "Tap an element.", NODE, ["node"]),
    ("long_press", "Press an element long.", NODE, ["node"]),
    ("type", "Type into a field.", {**NODE, **TEXT, "clear": {"type": "boolean"}, "submit": {"type": "boolean"}},
     ["node", "text"]),
    ("scroll", "Scroll so that what lies in the direction comes into view.", {**NODE, **DIRECTION}, ["direction"]),
    ("launch_app", "Open an app.", {"app": {"type": "string", "description": "its name or id"}}, ["app"]),
    ("back", "Go back.", {}, []),
    ("home", "Go to the home screen.", {}, []),
    ("enter", "Press enter.", {}, []),
    ("wait", "Wait.", {"ms": {"type": "integer", "description": "milliseconds"}}, ["ms"]),
    ("answer", "Give the answer that the task asks for; the run goes on.", TEXT, ["text"]),
    ("ask_user", "Ask the user.", TEXT, ["text"]),
    ("complete", "The task is over.", {"status": {"type": "string", "enum": ["success", "failure"]}}, ["status"]),
    ("abort", "The task cannot be done.", {"reason": {"type": "string"}}, ["reason"]),
]
COMMON = {"thought": {"type": "string", "description": "why, in a sentence"},
          "remember": {"type": "object", "description": "values to keep by name; null forgets"}}


def tools():
    """The tool schema: one function per action."""
    return [{"type": "function", "function": {
        "name": name, "description": about,
        "parameters": {"type": "object", "properties": {**arguments, **COMMON}, "required": needed}}}
        for name, about, arguments, needed in ACTIONS]


# ---- the endpoint ---------------------------------------------------------------------------------------------

class Trouble(Exception):
    """An attempt that failed. `again`: another may help; `after`: the server's wish in seconds."""

    def __init__(self, text, again=True, after=0.0):
        super().__init__(text)
        self.again, self.after = again, after


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A key is for the host it was given for, so nothing is followed."""

    def redirect_request(self, *_):
        return None


class Answer:
    """What a model said: text, calls [(name, arguments)], model, tokens."""

    def __init__(self, document, asked_model):
        usage = document.get("usage") or {}
        self.model = str(document.get("model") or asked_model)
        self.tokens_in = int(usage.get("prompt_tokens") or 0)
        self.tokens_out = int(usage.get("completion_tokens") or 0)
        choice = document["choices"][0]
        message = choice["message"]
        self.text = message.get("content") or ""
        self.thought = "".join(str(message.get(name) or "") for name in THOUGHTS)
        try:
            self.calls = [(call["function"]["name"], self._arguments(call["function"].get("arguments")))
                          for call in message.get("tool_calls") or []]
        except ValueError as error:
            raise Trouble(f"a call's arguments are no JSON object: {error}") from None
        if choice.get("finish_reason") == "length":
            raise Trouble("the answer was cut off")
        if not self.calls and not self.text.strip():
            raise Trouble("the answer is empty")

    @staticmethod
    def _arguments(text):
        value = json.loads(text) if text else {}
        if not isinstance(value, dict):
            raise ValueError(type(value).__name__)
        return value


class Streamed:
    """A completion put together from server-sent events; what the model thinks and says is told as it comes."""

    def __init__(self, tell):
        self._tell, self._rest, self._calls = tell, b"", {}
        self._document = {"choices": [{"message": {"content": ""}}]}
        self.ended = False                       # the server said so; else it broke off

    def feed(self, part):
        *lines, self._rest = (self._rest + part).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                data = line[5:].strip()
                if data == b"[DONE]":
                    self.ended = True
                elif data:
                    self._event(json.loads(data))

    def _event(self, event):
        choice = self._document["choices"][0]
        for name in ("model", "usage"):
            if event.get(name):
                self._document[name] = event[name]
        for row in event.get("choices") or []:
            delta = row.get("delta") or {}
            for name in THOUGHTS:
                self._tell(delta.get(name) or "")
            choice["message"]["content"] += delta.get("content") or ""
            self._tell(delta.get("content") or "")
            for call in delta.get("tool_calls") or []:
                known = self._calls.setdefault(call.get("index", 0), {"name": "", "arguments": ""})
                for name in known:
                    known[name] += (call.get("function") or {}).get(name) or ""
            if row.get("finish_reason"):
                choice["finish_reason"] = row["finish_reason"]

    def document(self):
        """As the endpoint would have answered at once."""
        if not self.ended:
            raise Trouble("the answer broke off")
        self._document["choices"][0]["message"]["tool_calls"] = [{"function": call} for _, call in sorted(self._calls.items())]
        return self._document


class Endpoint:
    """POST {url}/chat/completions, again with back-off where that may help. Thread-safe. With `stream` the answer is asked for as
    server-sent events."""

    stream = False

    def __init__(self, url, model, key="", retries=4, timeout=60.0, **parameters):
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"{url}: must begin with http:// or https://")
        self.url, self.model, self.key = url.rstrip("/") + "/chat/completions", model, key
        self.retries, self.timeout, self.parameters = retries, timeout, parameters
        self._opener = urllib.request.build_opener(NoRedirect)

    def _without_key(self, text):
        return text.replace(self.key, "***") if self.key else text

    def ask(self, messages, schema, end, log, tell=lambda text: None):
        """An Answer before time.monotonic() is `end`; worldd.PlanFailed says why not. `tell` hears what the model thinks and says,
        as it comes when it is streamed."""
        spent = [0, 0]                           # tokens of answers that were thrown away cost as well
        for attempt in range(self.retries + 1):
            try:
                answer = self._try(messages, schema, end, spent, tell)
                answer.tokens_in, answer.tokens_out = answer.tokens_in + spent[0], answer.tokens_out + spent[1]
                return answer
            except Trouble as trouble:
                text = self._without_key(str(trouble))
                pause = max(trouble.after, min(0.5 * 2 ** attempt, BACK_OFF_MAX) * random.uniform(0.5, 1))
                if not trouble.again:
                    raise worldd.PlanFailed(text) from None
                if attempt == self.retries or time.monotonic() + pause >= end:
                    raise worldd.PlanFailed(f"{text} (after {attempt + 1} attempts)", retryable=True) from None
                log(f"attempt {attempt + 1}: {text}; again in {pause:.1f} s")
                time.sleep(pause)
        raise AssertionError("unreachable: the last attempt answers or raises")

    def _try(self, messages, schema, end, spent, tell):
        body = {"model": self.model, "messages": messages, **self.parameters}
        if self.stream:
            body.update(stream=True, stream_options={"include_usage": True})
        if schema:
            body["tools"] = schema
        request = urllib.request.Request(self.url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        if self.key:
            request.add_unredirected_header("Authorization", "Bearer " + self.key)
        streamed = Streamed(tell)
        try:
            text = self._post(request, min(end, time.monotonic() + self.timeout), streamed)
            document = json.loads(text) if text is not None else streamed.document()
            usage = document.get("usage") or {}
            try:
                answer = Answer(document, self.model)
                if text is not None:
                    tell(answer.thought + answer.text)
                return answer
            except Trouble:
                spent[0] += int(usage.get("prompt_tokens") or 0)
                spent[1] += int(usage.get("completion_tokens") or 0)
                raise
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            raise Trouble(f"no chat completion: {type(error).__name__}: {error}") from None

    def _post(self, request, end, streamed):
        """The whole answer before `end`, however slowly it drips. None: it was events, and `streamed` has them."""
        parts, size = [], 0
        try:
            with self._opener.open(request, timeout=max(0.1, end - time.monotonic())) as response:
                events = response.headers.get_content_type() == "text/event-stream"     # not every server does as it is asked
                while part := response.read1(65536):
                    if events:
                        streamed.feed(part)
                    else:
                        parts.append(part)
                    size += len(part)
                    if size > ANSWER_MAX:
                        raise Trouble(f"the answer is longer than {ANSWER_MAX} bytes", again=False)
                    if time.monotonic() > end:
                        raise Trouble("the answer came too slowly")
                if response.length:              # what Content-Length promised and did not come
                    raise Trouble("the answer broke off")
        except urllib.error.HTTPError as error:
            raise self._refusal(error) from None
        except (socket.timeout, TimeoutError):
            raise Trouble("no answer in time") from None
        except (urllib.error.URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", error)
            raise Trouble(f"{type(reason).__name__}: {reason}") from None
        return None if events else b"".join(parts)

    @staticmethod
    def _refusal(error):
        with error:
            detail = error.read(500).decode("utf-8", "replace").strip()
        try:
            after = min(float(error.headers.get("Retry-After") or 0), 3600.0)
        except ValueError:
            after = 0.0                          # a date: the back-off will do
        again = error.code in (408, 409, 425, 429) or error.code >= 500
        return Trouble(f"HTTP {error.code}: {detail}", again, after)


# ---- the prompt -----------------------------------------------------------------------------------------------

def summary(request):
    """What stays of a turn once it is history: no screen."""
    place = f"(screen of {request.app or 'unknown app'}, {request.page or 'unknown page'})"
    return "\n".join(text for text in (results_text(request), place) if text)


class Thoughts:
    """Gathers what a model says word by word into pieces worth a message."""

    def __init__(self, think):
        self._think, self._text = think, ""

    def add(self, text):
        self._text += text
        if len(self._text) >= THOUGHT_PIECE:
            self.tell()

    def tell(self):
        if self._text:
            self._think(self._text)
        self._text = ""


# ---- the planner ----------------------------------------------------------------------------------------------

class LlmPlanner(worldd.Planner):
    """One conversation per run: the last `history` turns, each without its screen but the newest."""

    def __init__(self, endpoint, model_endpoint, name="llm", *, dialect="", history=8, nodes_max=150, price_in=0.0,
                 price_out=0.0, max_inflight=4, log=None, coord_space=""):
        if dialect and not coord_space:
            coord_space = "norm1000" if dialect.lower() in IN_THOUSANDTHS else "px"
        self.space = coord_space                 # of the points that the model reads and writes; "": ids only
        super().__init__(endpoint, name, max_inflight, log, **({"coord_space": coord_space} if coord_space else {}))
        self.model_endpoint, self.dialect, self.nodes_max = model_endpoint, dialect, nodes_max
        self.history, self.price_in, self.price_out = history, price_in, price_out
        self._log = log or (lambda text: None)
        self._turns = collections.OrderedDict()  # run: deque of (what was seen, what was said)
        self._lock = threading.Lock()

    def _turns_of(self, run):
        with self._lock:
            turns = self._turns.setdefault(run, collections.deque(maxlen=self.history or None))
            self._turns.move_to_end(run)
            if len(self._turns) > RUNS_MAX:
                self._turns.popitem(last=False)
        return turns

    def _messages(self, request, turns):
        how = WITH_TOOLS
        if self.dialect:
            how = CANONICAL if self.dialect == "canonical" else WITH_DIALECT.format(dialect=self.dialect)
        task = "Task: " + request.instruction
        if request.params:
            task += "\nParameters: " + json.dumps(request.params, ensure_ascii=False)
        messages = [{"role": "system", "content": SYSTEM.format(how=how)}, {"role": "user", "content": task}]
        for seen, said in list(turns) if self.history else []:
            messages += [{"role": "user", "content": seen}, {"role": "assistant", "content": said}]
        messages.append({"role": "user", "content": turn_text(request, self.nodes_max, self.space)})
        return messages

    def plan(self, request):
        end = time.monotonic() + request.deadline - MARGIN
        turns = self._turns_of(request.run)
        thoughts = Thoughts(self.think)
        answer = self.model_endpoint.ask(self._messages(request, turns), None if self.dialect else tools(), end, self._log,
                                         thoughts.add)
        thoughts.tell()
        said = json.dumps([[name, args] for name, args in answer.calls], ensure_ascii=False) if answer.calls else answer.text
        turns.append((summary(request), said))
        cost = (answer.tokens_in * self.price_in + answer.tokens_out * self.price_out) / 1e6
        plan = worldd.Plan(model=answer.model, tokens_in=answer.tokens_in, tokens_out=answer.tokens_out, cost=cost)
        if answer.calls and not self.dialect:
            plan.steps = [self._step(name, args, answer.text) for name, args in answer.calls[:32]]
        else:
            plan.raw_reply, plan.dialect = answer.text, self.dialect or "canonical"
        return plan

    @staticmethod
    def _step(name, args, text):
        """An unknown name or a wrong argument is worldd's to refuse; the model hears of it in the next turn."""
        thought = args.pop("thought", "") or text
        return worldd.Step(name, str(thought), **args)


def main():
    parser = argparse.ArgumentParser(description="A planner that asks a model behind an OpenAI-compatible endpoint.")
    parser.add_argument("--endpoint", "-e", default=os.environ.get("WORLDD_PLANNER"), help="worldd's planner socket")
    parser.add_argument("--url", default=os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1"))
    parser.add_argument("--model", "-m", required=True)
    parser.add_argument("--name", "-n", default="llm")
    parser.add_argument("--key-env", default="OPENAI_API_KEY", help="the variable that holds the key; may be unset")
    parser.add_argument("--dialect", default="", help="take the model's words in this dialect instead of tool calls")
    parser.add_argument("--coord-space", default="", choices=["", "px", "norm1", "norm1000"],
                        help="space of the model's points when it is not what its dialect is known for")
    parser.add_argument("--history", type=int, default=8, help="turns of a run that the model is shown; default 8")
    parser.add_argument("--nodes", type=int, default=150, help="elements of a screen that it is shown; default 150")
    parser.add_argument("--retries", type=int, default=4)
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds of one attempt")
    parser.add_argument("--temperature", type=float)
    parser.add_argument("--max-tokens", type=int)
    parser.add_argument("--price-in", type=float, default=0.0, help="of a million tokens of the prompt")
    parser.add_argument("--price-out", type=float, default=0.0, help="of a million tokens of the answer")
    parser.add_argument("--stream", action="store_true", help="ask for the answer as it is thought, for those who watch")
    parser.add_argument("--inflight", type=int, default=4, help="requests at once; default 4")
    arguments = parser.parse_args()
    if not arguments.endpoint:
        parser.error("--endpoint or $WORLDD_PLANNER is needed")
    parameters = {name: value for name, value in (("temperature", arguments.temperature),
                                                  ("max_tokens", arguments.max_tokens)) if value is not None}
    try:
        model = Endpoint(arguments.url, arguments.model, os.environ.get(arguments.key_env, ""), arguments.retries,
                         arguments.timeout, **parameters)
    except ValueError as error:
        parser.error(str(error))
    model.stream = arguments.stream
    planner = LlmPlanner(arguments.endpoint, model, arguments.name, dialect=arguments.dialect, history=arguments.history,
                         nodes_max=arguments.nodes, price_in=arguments.price_in, price_out=arguments.price_out,
                         max_inflight=arguments.inflight, coord_space=arguments.coord_space,
                         log=lambda text: print("llm: " + text, flush=True))
    return planner.serve()


if __name__ == "__main__":
    sys.exit(main())
