"""Plan scripts, one named case each, through the C planner and through the Python planner over a real socket.

A case: the script, then pairs of (what worldd asks with, the plan that must come back).
"""
import json
import os
import sys

import pytest

import fake_worldd
from fake_worldd import ROOT, BUILD, FakeWorldd, wire

PLANNERS = {
    "c": [BUILD / "bin/planner-stub"],
    "python": [sys.executable, ROOT / "planner_stub/python/planner.py"],
}
OK = [{"action": "tap", "outcome": "ok", "code": "ok"}]
FAILED = [{"action": "tap", "outcome": "refused", "code": "target_gone", "text": "node 7 is gone"}]
TAP = {"action": "tap", "args": {"selector": {"text": "Wi-Fi"}}}
BACK = {"action": "back"}
DONE = [("complete", {"status": "success"})]
SWITCH = {"id": 3, "resource_id": "settings:id/bluetooth_switch", "text": "Bluetooth", "flags_yes": 8, "flags_known": 8}
ROWS = [{"id": 1, "resource_id": "x:id/row", "text": " one "}, {"id": 2, "resource_id": "x:id/row", "text": "two"},
        {"id": 3, "text": "clock", "system_ui": True}]


def plans(*each, **rest):
    return {"plans": list(each), **rest}


def abort(reason):
    return [("abort", {"reason": reason})]


CASES = {
    "one plan, then the end": (plans({"steps": [TAP]}), [
        ({}, [("tap", {"selector": {"text": "Wi-Fi"}})]), ({"results": OK}, DONE)]),
    "several steps in one plan": (plans({"steps": [TAP, BACK]}), [
        ({}, [("tap", {"selector": {"text": "Wi-Fi"}}), ("back", {})])]),
    "a finish of its own": (plans({"steps": [BACK]}, finish={"action": "abort", "args": {"reason": "{why}"}}), [
        ({"params": {"why": "bored"}}, [("back", {})]),
        ({"params": {"why": "bored"}, "results": OK}, abort("bored"))]),
    "skip when the app is open": (plans({"skip_when": {"current_app": "settings"}, "steps": [BACK]}), [
        ({"world": {"current_app": "settings"}}, DONE)]),
    "not skipped in another app": (plans({"skip_when": {"current_app": "settings"}, "steps": [BACK]}), [
        ({"world": {"current_app": "launcher"}}, [("back", {})])]),
    "not skipped when the app is unknown": (plans({"skip_when": {"current_app": ""}, "steps": [BACK]}), [
        ({"world": {"current_app": ""}}, [("back", {})])]),
    "not skipped without a WorldState": (plans({"skip_when": {"current_app": "settings"}, "steps": [BACK]}), [
        ({}, [("back", {})])]),
    "one of several pages": (plans({"skip_when": {"current_page": ["wifi", "bluetooth"]}, "steps": [BACK]}), [
        ({"world": {"current_page": "bluetooth"}}, DONE)]),
    "all members of a condition must hold": (
        plans({"skip_when": {"current_app": "a", "current_page": "b"}, "steps": [BACK]}), [
            ({"world": {"current_app": "a", "current_page": "c"}}, [("back", {})])]),
    "not": (plans({"skip_when": {"not": {"current_app": "a"}}, "steps": [BACK]}), [
        ({"world": {"current_app": "b"}}, DONE)]),
    "any": (plans({"skip_when": {"any": [{"current_app": "a"}, {"current_page": "p"}]}, "steps": [BACK]}), [
        ({"world": {"current_app": "b", "current_page": "p"}}, DONE)]),
    "when a variable is so": (plans({"when": {"variables": {"n": 1}}, "steps": [BACK]}), [
        ({"world": {"variables_json": {"n": 1}}}, [("back", {})])]),
    "when a variable is otherwise": (plans({"when": {"variables": {"n": 1}}, "steps": [BACK]}), [
        ({"world": {"variables_json": {"n": 2}}}, DONE)]),
    "true is no 1": (plans({"when": {"variables": {"n": True}}, "steps": [BACK]}), [
        ({"world": {"variables_json": {"n": 1}}}, DONE)]),
    "a variable that must not be there": (plans({"when": {"variables": {"n": None}}, "steps": [BACK]}), [
        ({"world": {"variables_json": {}}}, [("back", {})])]),
    "a parameter of the task": (plans({"when": {"task": {"contact": "Li Wei"}}, "steps": [BACK]}), [
        ({"params": {"contact": "Li Wei"}}, [("back", {})])]),
    "parameters of the page": (plans({"skip_when": {"page_params": {"id": "{id}"}}, "steps": [BACK]}), [
        ({"params": {"id": "c1"}, "semantic": {"params_json": {"id": "c1", "x": 2}}}, DONE)]),
    "the page's title": (plans({"skip_when": {"title": "{contact}"}, "steps": [BACK]}), [
        ({"params": {"contact": "Li Wei"}, "semantic": {"title": "Li Wei"}}, DONE)]),
    "something on the screen": (plans({"when": {"scene": {"text": "one"}}, "steps": [BACK]}), [
        ({"scene": ROWS}, [("back", {})])]),
    "system UI is not on the screen": (plans({"when": {"scene": {"text": "clock"}}, "steps": [BACK]}), [
        ({"scene": ROWS}, DONE)]),
    "a switch that is on": (plans({"when": {"scene": {"resource_id": "bluetooth_switch", "checked": True}},
                                   "steps": [BACK]}), [({"scene": [SWITCH]}, [("back", {})])]),
    "no scene at all": (plans({"when": {"scene": {"text": "one"}}, "steps": [BACK]}), [({}, DONE)]),
    "a placeholder inside a text": (plans({"steps": [{"action": "type", "args": {"text": "Dear {contact}, {n}!"}}]}), [
        ({"params": {"contact": "Li Wei", "n": 3}}, [("type", {"text": "Dear Li Wei, 3!"})])]),
    "a placeholder alone keeps its type": (plans({"steps": [{"action": "wait", "args": {"ms": "{n}"}}]}), [
        ({"params": {"n": 250}}, [("wait", {"ms": 250})])]),
    "a remembered variable": (plans({"steps": [{"action": "answer", "args": {"text": "{var.old}"}}]}), [
        ({"world": {"variables_json": {"old": "on"}}}, [("answer", {"text": "on"})])]),
    "a field of the WorldState": (plans({"steps": [{"action": "answer", "args": {"text": "{world.current_page}"}}]}), [
        ({"world": {"current_page": "wifi"}}, [("answer", {"text": "wifi"})])]),
    "a placeholder that nobody knows": (plans({"steps": [{"action": "answer", "args": {"text": "{x}"}}]}), [
        ({}, abort("plan 0: {x}: no such parameter, variable or binding"))]),
    "braces that are no placeholder": (plans({"steps": [{"action": "note", "args": {"text": "{} {a{b}"}}]}), [
        ({"params": {"b": "c"}}, [("note", {"text": "{} {ac"})])]),
    "a value from the scene": (plans({"steps": [{"action": "tap", "args": {
        "node": {"$scene": {"resource_id": "bluetooth_switch"}, "take": "id"},
        "remember": {"old": {"$scene": {"resource_id": "bluetooth_switch"}, "take": "checked"}}}}]}), [
            ({"scene": [SWITCH]}, [("tap", {"node": 3, "remember": {"old": True}})])]),
    "a flag that the scene does not know": (plans({"steps": [{"action": "note", "args": {
        "text": {"$scene": {"resource_id": "bluetooth_switch"}, "take": "enabled"}}}]}), [
            ({"scene": [SWITCH]}, [("note", {"text": None})])]),
    "one of several nodes": (plans({"steps": [{"action": "note", "args": {
        "text": {"$scene": {"resource_id": "row", "ordinal": 1}}}}]}), [({"scene": ROWS}, [("note", {"text": "two"})])]),
    "how many nodes": (plans({"steps": [{"action": "note", "args": {
        "text": {"$scene": {"resource_id": "row"}, "take": "count"}}}]}), [({"scene": ROWS}, [("note", {"text": 2})])]),
    "several nodes where one is meant": (plans({"steps": [{"action": "note", "args": {
        "text": {"$scene": {"resource_id": "row"}}}}]}), [
            ({"scene": ROWS}, abort("plan 0: $scene: several nodes match the selector"))]),
    "no node where one is meant": (plans({"steps": [{"action": "note", "args": {
        "text": {"$scene": {"resource_id": "none"}}}}]}), [
            ({"scene": ROWS}, abort("plan 0: $scene: no node matches the selector"))]),
    "for each element": (plans({"for_each": "{texts}", "as": "text", "plans": [
        {"steps": [{"action": "type", "args": {"text": "{text}"}}]}]}), [
            ({"params": {"texts": ["a", "b"]}}, [("type", {"text": "a"})]),
            ({"params": {"texts": ["a", "b"]}, "results": OK}, [("type", {"text": "b"})]),
            ({"params": {"texts": ["a", "b"]}, "results": OK}, DONE)]),
    "until it is there": (plans({"until": {"scene": {"text": "one"}}, "steps": [BACK]}), [
        ({}, [("back", {})]), ({"results": OK}, [("back", {})]), ({"results": OK, "scene": ROWS}, DONE)]),
    "until, but not for ever": (plans({"until": {"scene": {"text": "one"}}, "at_most": 2, "steps": [BACK]}), [
        ({}, [("back", {})]), ({"results": OK}, [("back", {})]),
        ({"results": OK}, abort("plan 0: not there after 2 tries"))]),
    "a failed step is tried once more": (plans({"steps": [TAP]}), [
        ({}, [("tap", {"selector": {"text": "Wi-Fi"}})]),
        ({"results": FAILED}, [("tap", {"selector": {"text": "Wi-Fi"}})]),
        ({"results": FAILED}, abort("tap: target_gone: node 7 is gone"))]),
    "retries as the script says": (plans({"steps": [BACK]}, retries=0), [
        ({}, [("back", {})]), ({"results": FAILED}, abort("tap: target_gone: node 7 is gone"))]),
    "a step that may fail": (plans({"may_fail": True, "steps": [BACK]}), [
        ({}, [("back", {})]), ({"results": FAILED}, DONE)]),
    "a plan that came too late is given again": (plans({"steps": [BACK]}), [
        ({}, [("back", {})]), ({}, [("back", {})]), ({"results": OK}, DONE)]),
    "two runs side by side": (plans({"steps": [BACK]}, {"steps": [TAP]}), [
        ({"run_id": "a"}, [("back", {})]), ({"run_id": "b"}, [("back", {})]),
        ({"run_id": "a", "results": OK}, [("tap", {"selector": {"text": "Wi-Fi"}})]),
        ({"run_id": "b", "results": OK}, [("tap", {"selector": {"text": "Wi-Fi"}})])]),
    "another alphabet, quotes and control characters": (plans({"steps": [{"action": "type", "args": {"text": "{t}"}}]}), [
        ({"params": {"t": "妈妈 \"\\\n\u0001"}}, [("type", {"text": "妈妈 \"\\\n\u0001"})])]),
    "numbers": (plans({"steps": [{"action": "note", "args": {"n": [0.1, -5, 1e300, 123456789012]}}]}), [
        ({}, [("note", {"n": [0.1, -5, 1e300, 123456789012]})])]),
    "an unknown condition": (plans({"when": {"weather": "fine"}, "steps": [BACK]}), [
        ({}, abort("plan 0: condition \"weather\" is unknown"))]),
}


def request_of(number, told):
    request = wire.SCHEMA["PlanRequest"](request_id=number, run_id=told.get("run_id", "run"))
    request.task.params_json = json.dumps(told.get("params", {})).encode()
    for part in ("world", "semantic"):
        if part in told:
            message = getattr(request, part)
            message.SetInParent()
            for field, value in told[part].items():
                setattr(message, field, json.dumps(value).encode() if field.endswith("_json") else value)
    for node in told.get("scene", ()):
        request.scene.nodes.add(**node)
    for result in told.get("results", ()):
        request.results.add(**result)
    return request


@pytest.fixture
def worldd(tmp_path):
    fake = FakeWorldd(tmp_path)
    yield fake
    fake.close()


def start(worldd, planner, script, tmp_path, *arguments):
    path = tmp_path / "script.json"
    path.write_text(json.dumps(script), encoding="utf-8")
    return worldd.start(*PLANNERS[planner], "--endpoint", worldd.endpoint, "--script", path, *arguments)


@pytest.mark.parametrize("planner", PLANNERS)
@pytest.mark.parametrize("name", CASES)
def test_case(worldd, tmp_path, planner, name):
    script, exchanges = CASES[name]
    start(worldd, planner, script, tmp_path)
    worldd.welcome()
    for number, (told, expected) in enumerate(exchanges, 1):
        reply = worldd.ask(request_of(number, told))
        assert [(step.action, json.loads(step.args_json)) for step in reply.steps] == expected


BAD_SCRIPTS = {
    "no JSON": "{",
    "no plans": "{}",
    "a plan without steps": '{"plans":[{}]}',
    "a step without action": '{"plans":[{"steps":[{}]}]}',
    "for_each without plans": '{"plans":[{"for_each":[],"as":"x"}]}',
    "more steps than a plan may have": json.dumps(plans({"steps": [BACK] * 33})),
}


@pytest.mark.parametrize("planner", PLANNERS)
@pytest.mark.parametrize("name", BAD_SCRIPTS)
def test_wrong_script_is_refused_at_start(worldd, tmp_path, planner, name):
    path = tmp_path / "script.json"
    path.write_text(BAD_SCRIPTS[name])
    process = worldd.start(*PLANNERS[planner], "--endpoint", worldd.endpoint, "--script", path)
    assert process.wait(fake_worldd.PATIENCE) == 2
    assert "script.json" in process.stdout.read()
