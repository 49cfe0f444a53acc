"""The MCP server, driven through its pipes."""
import json
import os
import subprocess
import sys

import pytest

from conftest import ROOT


class Assistant:
    """The other end of the pipes."""

    def __init__(self, *arguments):
        env = {**os.environ, "PYTHONPATH": str(ROOT / "clients/python")}
        env.pop("WORLDD_DAEMON_DIRECTORY", None)
        self.process = subprocess.Popen([sys.executable, "-B", "-m", "worldd.mcp", *map(str, arguments)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.count = 0

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, method, **params):
        self.count += 1
        self.say(json.dumps({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}))
        answer = self.hear()
        assert answer["jsonrpc"] == "2.0" and answer["id"] == self.count
        return answer

    def call(self, name, **arguments):
        """The tool's text; a failure begins with "error: "."""
        result = self.ask("tools/call", name=name, arguments=arguments)["result"]
        return ("error: " if result["isError"] else "") + result["content"][0]["text"]

    def leave(self):
        self.process.stdin.close()
        return self.process.wait(30)


@pytest.fixture
def assistant(worldd_daemon):
    started = Assistant("--directory", worldd_daemon.directory)
    yield started
    if started.process.poll() is None:
        assert started.leave() == 0


def test_a_task_by_hand(assistant, worldd_daemon):
    first = assistant.call("start_task", task="demo/bluetooth_off", seed=3)
    assert "Turn Bluetooth off" in first and "app launcher, page home" in first
    there = assistant.call("act", action="launch_app", args={"app": "settings"}, thought="look")
    assert "step 0 launch_app" in there and "last change: app: launcher -> settings" in there and "#open_bluetooth" in there
    assistant.call("act", action="tap", args={"selector": {"resource_id": "open_bluetooth"}})
    assert "bluetooth_switch" in assistant.call("scene") and " at (" in assistant.call("scene")
    off = assistant.call("act", action="tap", args={"selector": {"resource_id": "bluetooth_switch"}},
                         remember={"bluetooth_was_on": True})
    assert "bluetooth_switch: on -> off" in off
    known = json.loads(assistant.call("world_state"))
    assert known["variables"] == {"bluetooth_was_on": True} and known["step_index"] == 3
    assert assistant.call("device_state", path="os.settings.global.bluetoothEnabled") == "false"
    so_far = json.loads(assistant.call("progress"))
    assert so_far["steps"] == 3 and so_far["verdict"]["success"] and 0 < so_far["reward"] <= 1
    verdict = assistant.call("judge", status="success")
    assert "The run ended: complete" in verdict and '"passed": true' in verdict
    assert "error: no task is under way" in assistant.call("act", action="back")
    assert "Task demo/hello" in assistant.call("start_task", task="demo/hello"), "another may begin"
    assert assistant.leave() == 0


def test_what_if_is_tried_on_a_copy(assistant):
    assistant.call("start_task", task="demo/bluetooth_off", seed=3)
    assistant.call("act", action="launch_app", args={"app": "settings"})
    assistant.call("act", action="dance")
    before = assistant.call("scene")
    taps = [{"action": "tap", "args": {"selector": {"resource_id": name}}} for name in ("open_bluetooth", "bluetooth_switch")]
    good, home, wrong = json.loads(assistant.call("what_if", candidates=[taps, [{"action": "home"}], [{"action": "dance"}]]))
    assert "settings bluetooth" in good["screen"] and good["verdict"]["passed"] and good["outcomes"] == ["ok", "ok"]
    assert good["reward"] == 1.0 and "page bluetooth" in good["known"] and good["side_effects"] == []
    assert "launcher home" in home["screen"] and not home["verdict"]["passed"] and wrong["outcomes"] == ["refused"]
    assert assistant.call("scene") == before
    assert assistant.call("device_state", path="os.settings.global.bluetoothEnabled") == "true"
    assert assistant.call("what_if", candidates=[[7]]).startswith("error: candidates[0]: ")
    assert assistant.call("what_if", candidates=[taps] * 65).startswith("error: ELIMIT args.candidates: ")


def test_a_private_daemon_and_leaving_in_the_middle():
    assistant = Assistant()
    assert "page home" in assistant.call("start_task", task={"id": "t", "instruction": "look around"})
    assert assistant.leave() == 0


def test_initialize(assistant):
    for wanted, given in (("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-06-18")):
        result = assistant.ask("initialize", protocolVersion=wanted, capabilities={}, clientInfo={})["result"]
        assert result["protocolVersion"] == given and result["serverInfo"]["name"] == "worldd"
    assistant.say('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    assert assistant.ask("ping")["result"] == {}
    listed = assistant.ask("tools/list")["result"]["tools"]
    assert {row["name"] for row in listed} >= {"start_task", "act", "judge", "scene", "world_state", "device_state"}
    assert all(row["inputSchema"]["type"] == "object" and row["description"] for row in listed)


WRONG = [
    ("no JSON", "{nope", -32700), ("a number", "7", -32600), ("no method", '{"id":1}', -32600),
    ("an unknown method", '{"id":1,"method":"dance"}', -32601),
    ("params that are a list", '{"id":1,"method":"tools/call","params":[1]}', -32602),
    ("an unknown tool", '{"id":1,"method":"tools/call","params":{"name":"dance"}}', -32602),
]


@pytest.mark.parametrize("line, code", [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_wrong_messages(assistant, line, code):
    assistant.say(line)
    assert assistant.hear()["error"]["code"] == code
    assert assistant.ask("ping")["result"] == {}, "the session goes on"


MISUSE = [
    ("nothing under way", "act", {"action": "back"}, "no task is under way"),
    ("an argument missing", "start_task", {}, "task: missing"),
    ("an argument of the wrong type", "start_task", {"task": 7}, "task: must be of type"),
    ("true is no number", "start_task", {"task": "demo/hello", "seed": True}, "seed: must be"),
    ("an unknown argument", "scene", {"colour": 1}, "colour: unknown"),
    ("a status that is none", "judge", {"status": "great"}, "status: must be one of"),
    ("an end by act", "act", {"action": "complete"}, "end the task with judge"),
    ("no such task", "start_task", {"task": "demo/none"}, "ENOENT args.task"),
]


@pytest.mark.parametrize("name, arguments, text", [row[1:] for row in MISUSE], ids=[row[0] for row in MISUSE])
def test_misuse_is_told_to_the_assistant(assistant, name, arguments, text):
    assert assistant.call(name, **arguments).startswith("error: " + text)
    assert "Task demo/hello" in assistant.call("start_task", task="demo/hello"), "and it may go on"


def test_a_step_that_is_refused_is_told(assistant):
    assistant.call("start_task", task="demo/hello")
    assert "refused, unknown_action" in assistant.call("act", action="dance")
    assert "refused, target_missing" in assistant.call("act", action="tap", args={"selector": {"text": "No such thing"}})
    assert "error: run" in assistant.call("start_task", task="demo/hello"), "one at a time"


def test_batches_and_answers_of_others(assistant):
    assistant.say('[{"id":1,"method":"ping"},{"method":"x"},{"id":2,"method":"ping"}]')
    assert [row["id"] for row in assistant.hear()] == [1, 2]
    assistant.say('{"id":5,"result":{}}')
    assistant.say("")
    assert assistant.ask("ping")["result"] == {}


def test_no_daemon_there(tmp_path):
    assistant = Assistant("--directory", tmp_path)
    assert assistant.process.wait(30) == 1
