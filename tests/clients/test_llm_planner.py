"""planner_stub/python/llm_planner.py against a local fake model, and a real daemon."""
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

import worldd
from conftest import ROOT, episode_text, until
from fake_model import FakeModel, call

sys.path.insert(0, str(ROOT / "planner_stub/python"))
import llm_planner  # noqa: E402

KEY = "sk-very-secret-0123456789"
SETTINGS, DONE = call("launch_app", app="settings", thought="go there"), call("complete", status="success")


@pytest.fixture
def fake_model():
    models = []

    def make(*turns):
        models.append(FakeModel(*turns))
        return models[-1]

    yield make
    for model in models:
        model.close()


@pytest.fixture
def ask(monkeypatch):
    """Ask a fake model once: the Answer, and what was logged. Pauses are noted instead of slept."""
    pauses = []
    monkeypatch.setattr(llm_planner.time, "sleep", pauses.append)

    def once(model, patience=30.0, key=KEY, **parameters):
        log = []
        endpoint = llm_planner.Endpoint(model.url, "fake", key, **parameters)
        once.log, once.pauses = log, pauses
        return endpoint.ask([{"role": "user", "content": "hi"}], llm_planner.tools(), time.monotonic() + patience, log.append)

    return once


# ---- a run ----------------------------------------------------------------------------------------------------

@pytest.fixture
def run(worldd_daemon, worldd_world):
    """Plan demo/hello with a model."""
    def run_with(model, task="demo/hello", **options):
        endpoint = llm_planner.Endpoint(model.url, "fake", KEY, retries=2)
        with llm_planner.LlmPlanner(worldd_daemon.planner_endpoint, endpoint, price_in=2.0, price_out=10.0, **options):
            until("the planner", worldd_world.planners)
            return worldd_world.run(task, timeout=60)
    return run_with


def test_a_run_by_tools(run, fake_model):
    tap = {"text": "I tap.", "calls": [("tap", '{"node": 7, "remember": {"seen": "Bluetooth"}}'), ("back", "")]}
    model = fake_model(SETTINGS, tap, DONE)
    result = run(model)
    assert (result.ending, result.passed, result.world.variables) == ("complete", True, {"seen": "Bluetooth"})
    assert [event["action"] for event in result.events if event["event"] == "step"] == ["launch_app", "tap", "back", "complete"]
    first, second, third = (request["messages"] for request in model.requests)
    assert "Task: Open Settings, then Bluetooth." in first[1]["content"] and "page home" in first[-1]["content"]
    assert {tool["function"]["name"] for tool in model.requests[0]["tools"]} >= {"tap", "type", "complete"}
    assert '[7] item "Bluetooth"' in second[-1]["content"] and "last change: app: launcher -> settings" in second[-1]["content"]
    assert second[-2]["role"] == "assistant" and "launch_app" in second[-2]["content"]
    assert "Screen" not in third[-3]["content"], "only the newest turn has its screen"
    episode = episode_text(result.episode)
    assert '"fake-1-2026"' in episode and '"I tap."' in episode and "go there" in episode and KEY not in episode
    costs = [line for line in map(json.loads, episode.splitlines()) if '"cost"' in json.dumps(line)]
    assert costs and "0.0003" in json.dumps(costs[0]), "100 tokens at 2, 10 at 10 a million"


def events(*deltas, finish="tool_calls", end=True):
    """A streamed answer."""
    rows = [json.dumps({"model": "fake-s", "choices": [{"delta": delta}]}) for delta in deltas]
    rows += [json.dumps({"choices": [{"delta": {}, "finish_reason": finish}]}),
             json.dumps({"choices": [], "usage": {"prompt_tokens": 70, "completion_tokens": 7}})]
    return {"events": rows + ["[DONE]"] * end}


def tool_delta(index, name="", arguments=""):
    return {"tool_calls": [{"index": index, "function": {"name": name, "arguments": arguments}}]}


LONG = "I look at the screen. " * 30


def test_what_it_thinks_is_told_as_it_comes(worldd_daemon, worldd_world, fake_model):
    first = events({"reasoning_content": LONG}, {"content": "To the "}, {"content": "settings."}, tool_delta(0, "launch_app"),
                   tool_delta(0, arguments='{"app":'), tool_delta(0, arguments='"settings"}'), tool_delta(1, "back", "{}"))
    model = fake_model(first, {**DONE, "reasoning": "Done it is."})
    endpoint = llm_planner.Endpoint(model.url, "fake", KEY, retries=2)
    endpoint.stream = True
    with llm_planner.LlmPlanner(worldd_daemon.planner_endpoint, endpoint), worldd_world.watch() as watch:
        until("the planner", worldd_world.planners)
        result = worldd_world.run("demo/hello", timeout=60)
        told = []
        while not told or told[-1]["event"] != "end":
            told.append(next(watch))
    assert [event["action"] for event in result.events if event["event"] == "step"] == ["launch_app", "back", "complete"]
    thoughts = [event["text"] for event in told if event["event"] == "thought"]
    assert "".join(thoughts) == LONG + "To the settings." + "Done it is." and len(thoughts) >= 3
    kinds = [event["event"] for event in told]
    assert kinds.index("thought") < kinds.index("step"), "before the steps"
    assert model.requests[0]["stream"] and '"fake-s"' in episode_text(result.episode)


STREAMS = [
    ("it breaks off", events({"content": "x"}, end=False), "the answer broke off"),
    ("an event that is no JSON", {"events": ["{nope"]}, "no chat completion"),
    ("a call that is no JSON", events(tool_delta(0, "tap", "{")), "no JSON object"),
    ("it is cut", events({"content": "x"}, finish="length"), "was cut off"),
    ("it says nothing", events(), "is empty"),
]


@pytest.mark.parametrize("turn, text", [row[1:] for row in STREAMS], ids=[row[0] for row in STREAMS])
def test_a_stream_that_is_wrong_is_tried_again(ask, fake_model, monkeypatch, turn, text):
    monkeypatch.setattr(llm_planner.Endpoint, "stream", True)
    answer = ask(fake_model(turn, events(tool_delta(0, "home"))))
    assert answer.calls == [("home", {})] and text in ask.log[0] and answer.tokens_out >= 7


def test_a_run_by_dialect(run, fake_model):
    def tap_bluetooth(messages):                 # where the prompt says that it is
        x, y = re.search(r'item "Bluetooth".* at \((\d+),(\d+)\)', messages[-1]["content"]).groups()
        return {"text": f'do(action="Tap", element=[{x},{y}])'}

    model = fake_model({"text": 'do(action="Launch", app="settings")'}, tap_bluetooth, {"text": 'finish(message="done")'})
    result = run(model, dialect="autoglm")
    assert (result.ending, result.world.current_page) == ("complete", "bluetooth")
    assert "tools" not in model.requests[0] and "autoglm" in model.requests[0]["messages"][0]["content"]


QWEN = '<tool_call>{"name":"mobile_use","arguments":{"action":"open","text":"settings"}}</tool_call>'
SPACES = [                   # dialect, space told, the first reply, where the prompt then says that Wi-Fi is
    ("autoglm", "", {"text": 'do(action="Launch", app="settings")'}, "at (500,215)"),
    ("canonical", "", {"text": '{"kind":"launch_app","app":"settings"}'}, "at (540,516)"),
    ("qwen", "norm1", {"text": QWEN}, "at (0.500,0.215)"),
    ("", "", SETTINGS, "#open_wifi clickable"),
]


@pytest.mark.parametrize("dialect, space, reply, text", SPACES, ids=[row[0] or "tools" for row in SPACES])
def test_points_are_told_in_the_space_of_the_answers(run, fake_model, dialect, space, reply, text):
    model = fake_model(reply, {"status": 401})
    run(model, dialect=dialect, coord_space=space)
    line = next(line for line in model.requests[1]["messages"][-1]["content"].splitlines() if '"Wi-Fi"' in line)
    assert line.endswith(text)


def test_canonical_words_name_nodes(run, fake_model):
    model = fake_model({"text": '{"kind":"launch_app","app":"settings"}'}, {"text": '{"kind":"tap","node":7}'},
                       {"text": '{"kind":"complete","status":"success"}'})
    assert run(model, dialect="canonical").world.current_page == "bluetooth"


def test_words_without_a_call_are_read_as_canonical(run, fake_model):
    model = fake_model({"text": '{"kind":"home"}'}, {"text": "Well, hard to say."}, DONE)
    assert run(model).ending == "complete"


def test_wrong_calls_are_told_to_the_model(run, fake_model):
    model = fake_model(call("dance"), call("tap", node="seven"), DONE)
    assert run(model).ending == "complete"
    assert "unknown_action" in model.requests[1]["messages"][-1]["content"]
    assert "bad_arguments" in model.requests[2]["messages"][-1]["content"]


def test_history_is_trimmed(run, fake_model):
    model = fake_model(*[call("home") if at % 2 else SETTINGS for at in range(6)], DONE)
    run(model, history=2)
    assert [len(request["messages"]) for request in model.requests] == [3, 5, 7, 7, 7, 7, 7]
    none = fake_model(SETTINGS, DONE)
    run(none, history=0)
    assert [len(request["messages"]) for request in none.requests] == [3, 3]


def test_a_model_that_fails_ends_the_run_with_the_reason(run, fake_model):
    result = run(fake_model({"status": 401, "body": b'{"error": "bad key ' + KEY.encode() + b'"}'}))
    assert result.ending not in ("complete", "internal_error") and "HTTP 401" in result.text and KEY not in result.text


# ---- failures of the endpoint ---------------------------------------------------------------------------------

PASSING = [
    ("429 with a wish", {"status": 429, "headers": {"Retry-After": "3"}}, "HTTP 429", 3.0),
    ("429 with a date", {"status": 429, "headers": {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}}, "HTTP 429", 0.0),
    ("500", {"status": 500, "body": b"oops"}, "HTTP 500: oops", 0.0),
    ("503 of a proxy", {"status": 503, "body": b"<html>"}, "HTTP 503", 0.0),
    ("garbage", {"body": b"\xff\xfe not json"}, "no chat completion", 0.0),
    ("JSON of another shape", {"body": b'{"choices": []}'}, "no chat completion", 0.0),
    ("not even an object", {"body": b'[1]'}, "no chat completion", 0.0),
    ("half an answer", {"text": "x" * 1000, "cut": 200}, "", 0.0),
    ("nothing at all", {"text": "x", "cut": 0}, "", 0.0),
    ("an empty answer", {"text": "  "}, "the answer is empty", 0.0),
    ("cut off by its limit", {"text": "Let me th", "finish": "length"}, "the answer was cut off", 0.0),
    ("half a call", {"calls": [("tap", '{"node": ')]}, "a call's arguments are no JSON object", 0.0),
    ("a call without an object", {"calls": [("tap", "[7]")]}, "a call's arguments are no JSON object", 0.0),
]


@pytest.mark.parametrize("turn, text, pause", [row[1:] for row in PASSING], ids=[row[0] for row in PASSING])
def test_what_passes_is_tried_again(ask, fake_model, turn, text, pause):
    answer = ask(fake_model(turn, turn, DONE))
    assert answer.calls == [("complete", {"status": "success"})] and answer.model == "fake-1-2026"
    assert len(ask.log) == 2 and all(text in line for line in ask.log)
    assert ask.pauses[0] >= pause and ask.pauses[0] <= max(0.5, pause) and ask.pauses[1] <= max(1.0, pause)
    paid = 3 if "finish" in turn or "calls" in turn or turn.get("text") == "  " else 1
    assert (answer.tokens_in, answer.tokens_out) == (100 * paid, 10 * paid), "what was thrown away was paid for"


FINAL = [
    ("401", {"status": 401, "body": b"no"}, "HTTP 401: no"),
    ("404", {"status": 404, "body": b"no such model"}, "HTTP 404"),
    ("400", {"status": 400, "body": b"too long"}, "HTTP 400"),
    ("a redirect", {"status": 307, "headers": {"Location": "http://127.0.0.1:9/"}}, "HTTP 307"),
    ("an endless answer", {"body": b"x" * (llm_planner.ANSWER_MAX + 1)}, "longer than"),
]


@pytest.mark.parametrize("turn, text", [row[1:] for row in FINAL], ids=[row[0] for row in FINAL])
def test_what_does_not_pass_is_not_tried_again(ask, fake_model, turn, text):
    model = fake_model(turn, DONE)
    with pytest.raises(worldd.PlanFailed, match=text) as caught:
        ask(model)
    assert not caught.value.retryable and len(model.requests) == 1


def test_it_gives_up_after_its_retries_and_another_planner_may_try(ask, fake_model):
    model = fake_model(*[{"status": 500}] * 9)
    with pytest.raises(worldd.PlanFailed, match=r"HTTP 500.*after 3 attempts") as caught:
        ask(model, retries=2)
    assert caught.value.retryable and len(model.requests) == 3


def test_it_does_not_wait_beyond_worldds_deadline(ask, fake_model):
    with pytest.raises(worldd.PlanFailed, match="HTTP 429.*after 1 attempts"):
        ask(fake_model({"status": 429, "headers": {"Retry-After": "60"}}, DONE), patience=5)


def test_a_slow_answer_ends_in_time(ask, fake_model):
    begun = time.monotonic()
    with pytest.raises(worldd.PlanFailed, match="no answer in time|too slowly"):
        ask(fake_model({"text": "x", "drip": 0.05}), retries=0, timeout=0.4)
    assert time.monotonic() - begun < 5


def test_nobody_listens(ask, fake_model):
    model = fake_model()
    model.close()
    with pytest.raises(worldd.PlanFailed, match="ConnectionRefusedError") as caught:
        ask(model, retries=1)
    assert caught.value.retryable


def test_the_key_goes_to_the_server_and_nowhere_else(ask, fake_model):
    model = fake_model({"status": 500, "body": f"you said {KEY}".encode()}, DONE)
    ask(model)
    assert model.keys == ["Bearer " + KEY] * 2 and KEY not in "".join(ask.log) and "***" in ask.log[0]
    keyless = fake_model(DONE)
    ask(keyless, key="")
    assert keyless.keys == [None]


def test_the_program(worldd_daemon, worldd_world, fake_model):
    model = fake_model({"status": 429}, SETTINGS, DONE)
    program = ROOT / "planner_stub/python/llm_planner.py"
    child = subprocess.Popen([sys.executable, "-B", program, "-e", worldd_daemon.planner_endpoint, "--url", model.url, "--model",
                              "fake", "--temperature", "0", "--key-env", "MY_KEY"], stdout=subprocess.PIPE, text=True,
                             stderr=subprocess.STDOUT, env={**os.environ, "MY_KEY": KEY})
    try:
        until("the planner", worldd_world.planners)
        assert worldd_world.run("demo/hello", planner="llm", timeout=60).passed
    finally:
        child.send_signal(signal.SIGTERM)
        text, _ = child.communicate(timeout=30)
    assert child.returncode == 0 and "HTTP 429" in text and KEY not in text
    assert model.requests[0]["temperature"] == 0.0 and model.keys[0] == "Bearer " + KEY
    wrong = subprocess.run([sys.executable, "-B", program, "-e", "ipc://x", "--url", "file:///etc", "--model", "m"],
                           capture_output=True, text=True)
    assert wrong.returncode == 2 and "http" in wrong.stderr
