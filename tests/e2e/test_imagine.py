"""What-if over both sockets: envs on any number of workers, runs, planners in mid-plan and their budget."""
import itertools
import json
import pathlib

import pytest

from load import create, error_of
from peers import Doors, STATUS, wire
from test_executors import Phone

OPEN = {"kind": "launch_app", "app": "settings"}
PAGE = {"kind": "tap", "selector": {"resource_id": "open_bluetooth"}}
SWITCH = {"kind": "tap", "selector": {"resource_id": "bluetooth_switch"}}
COMPLETE = {"kind": "complete"}
GOLD = [OPEN, PAGE, SWITCH, COMPLETE]
CANDIDATES = [GOLD, [OPEN], [{"kind": "dance"}], []]


@pytest.fixture
def make_doors(make_daemon):
    """Doors of a daemon with these settings; the one before is stopped."""
    made, count = [], itertools.count()

    def close():
        for doors in made:
            doors.close()
            doors.daemon.stop()
        made.clear()

    def start(*settings):
        close()
        made.append(Doors(make_daemon("daemon.compress_episodes=false", *settings, name=f"worldd{next(count)}")))
        return made[-1]
    yield start
    close()


def steps_of(candidate):
    return [(action["kind"], {name: value for name, value in action.items() if name != "kind"}) for action in candidate]


class Held:
    """A run of demo/bluetooth_off (or `what` else) whose planner holds the first request."""

    def __init__(self, doors, imagine=None, **what):
        self.planner = doors.planner().greet()
        self.client = doors.client().greet()
        options = {} if imagine is None else {"imagine": imagine}
        self.id = self.client.ask("run", run_id="held", options=options, **(what or {"task": "demo/bluetooth_off"}))
        self.request = self.planner.receive("PLAN_REQUEST")[1]
        self.imagine_id = 0

    def imagine(self, candidates, request_id=None, peer=None, **args):
        """(kind, message) of the answer."""
        peer = peer or self.planner
        self.imagine_id += 1
        peer.send("IMAGINE", wire.SCHEMA["Imagine"](
            imagine_id=self.imagine_id, request_id=self.request.request_id if request_id is None else request_id,
            args_json=json.dumps({"candidates": candidates, **args}).encode()))
        kind, message = peer.receive("IMAGINE_REPLY", "ERROR")
        assert message.imagine_id == self.imagine_id
        return kind, message

    def imagined(self, candidates, **args):
        kind, message = self.imagine(candidates, **args)
        assert kind == "IMAGINE_REPLY", message.text
        return json.loads(message.result_json)

    def refused(self, status, text, *args, **kwargs):
        kind, message = self.imagine(*args, **kwargs)
        assert (kind, message.code, message.text) == ("ERROR", STATUS[status], text)

    def finish(self, candidate):
        self.planner.reply(self.request, *steps_of(candidate))
        return self.client.answer(self.id)


@pytest.mark.parametrize("what", ["env", "run"])
def test_what_is_imagined_comes_true(make_doors, what):
    doors = make_doors()
    client = doors.client("other").greet()
    if what == "run":
        held = Held(doors)
        asked = {"run": "held"}
    else:
        asked = {"env": create(client, task="demo/bluetooth_off", observe="full")}
    first = client.control("imagine", **asked, candidates=CANDIDATES)
    assert first == client.control("imagine", **asked, candidates=CANDIDATES)
    gold, opened, bad, now = first["candidates"]
    assert first["spent"] == 7 and first["digest"] == now["digest"] and now["changes"] == []
    assert [step["outcome"] for step in gold["steps"]] == ["ok"] * 4
    assert gold["whole"] and gold["ending"] == "complete" and gold["reward"] == gold["progress"] == 1.0
    assert gold["verdict"]["passed"] and gold["side_effects"] == []
    assert opened["whole"] and opened["progress"] == 0 and opened["observation"]["scene"]["app_package"] == "settings"
    assert not bad["whole"] and bad["steps"][0]["code"] == "unknown_action" and bad["digest"] == now["digest"]
    if what == "run":
        assert gold["world"]["current_app"] == "settings" and gold["world"]["step_index"] == 4
        assert held.finish(GOLD)["verdict"] == gold["verdict"]
    else:
        assert "world" not in gold
        for action, step in zip(GOLD, gold["steps"]):
            real = client.control("env_step", **asked, action=action)
            assert real["digest"] == step["digest"]
        assert real["verdict"] == gold["verdict"]
        assert client.control("env_lineage") == [] and client.control("env_stats")["imagined"] == 14


def test_workers_make_no_difference(make_doors):
    said = []
    for workers in (1, 2, 3):
        client = make_doors(f"env.workers={workers}").client().greet()
        envs = [create(client, task="demo/bluetooth_off", seed=seed) for seed in range(4)]
        calls = [{"verb": "env_imagine", "args": {"env": env, "candidates": CANDIDATES, "scenes": "all"}}
                 for env in envs]
        said.append(json.dumps(client.control("env_calls", calls=calls)))
    assert said[0] == said[1] == said[2]


def test_what_is_wrong_is_named(make_doors):
    client = make_doors().client().greet()
    env = create(client)
    assert error_of(client, "imagine", candidates=[]) == "args: give one of env, run"
    assert error_of(client, "imagine", env=env, run="r", candidates=[]) == "args: give one of env, run"
    assert error_of(client, "imagine", run="r", candidates=[]) == 'args.run: no run "r" is open'
    assert error_of(client, "imagine", env=env, candidates=7).startswith("args.candidates: must be an array")
    assert error_of(client, "imagine", env=env, candidates=[[]] * 65) == \
        "args.candidates: 65 are asked for, at most 64 may be"
    assert client.control("env_stats")["imagined"] == 0


def test_a_planner_asks_in_mid_plan(make_doors):
    doors = make_doors()
    held = Held(doors, imagine=10)
    assert held.request.imagine_left == 10
    result = held.imagined(CANDIDATES, observe="none")
    assert result["budget"] == {"used": 7, "allowed": 10} and result["candidates"][0]["verdict"]["passed"]
    held.refused("ELIMIT", "imagine: 4 steps are asked for, 7 of the run's 10 are used", [GOLD])
    assert held.imagined([[OPEN, PAGE, SWITCH]])["budget"] == {"used": 10, "allowed": 10}
    held.refused("ELIMIT", "imagine: 1 steps are asked for, 10 of the run's 10 are used", [[]])
    held.planner.reply(held.request, *steps_of([OPEN]))
    held.request = held.planner.receive("PLAN_REQUEST")[1]
    assert held.request.imagine_left == 0
    run = held.finish(GOLD[1:])
    assert run["verdict"]["passed"]
    lines = [json.loads(line) for line in pathlib.Path(run["episode"]).read_text(encoding="utf-8").splitlines()]
    assert lines[0]["options"]["imagine"] == 10
    assert [line["plan"].get("imagined") for line in lines if line["type"] == "step"] == [10, None, None, None]
    assert doors.daemon.ctl("replay", run["episode"]).returncode == 0


def test_worldctl_gives_a_run_its_budget(make_doors):
    doors = make_doors()
    planner = doors.planner().greet()
    shown = doors.daemon.ctl_started("run", "demo/bluetooth_off", "--imagine", "5")
    request = planner.receive("PLAN_REQUEST")[1]
    assert request.imagine_left == 5
    planner.reply(request, *steps_of(GOLD))
    assert shown.wait(30) == 0
    wrong = doors.daemon.ctl("run", "demo/bluetooth_off", "--imagine", "many")
    assert wrong.returncode == 64 and '--imagine: "many" is no whole number' in wrong.stderr


def test_points_are_in_the_planners_space(make_doors):
    doors = make_doors()
    planner = doors.planner()
    planner.greet(coord_space="norm1000")
    client = doors.client().greet()
    client.ask("run", task="demo/bluetooth_off", options={"imagine": 5})
    held = Held.__new__(Held)
    held.planner, held.imagine_id, held.request = planner, 0, planner.receive("PLAN_REQUEST")[1]
    tapped, outside, pixels = held.imagined([[{"kind": "tap", "x": 500, "y": 500}],
                                             [{"kind": "tap", "x": 1001, "y": 5}],
                                             [{"kind": "tap", "x": 1001, "y": 5, "space": "px"}]])["candidates"]
    assert tapped["whole"] and pixels["whole"]
    assert outside["steps"][0]["code"] == "bad_arguments"


def test_only_who_holds_the_request_may_ask(make_doors):
    doors = make_doors()
    held = Held(doors, imagine=10)
    number = held.request.request_id
    held.refused("ENOENT", f"request_id: no request {number + 1} is open", [[]], request_id=number + 1)
    other = doors.planner("other").greet()
    held.refused("EDENIED", f"request_id: {number} is not with this peer", [[]], peer=other)
    held.refused("ETYPE", "args.candidates: must be an array of arrays of actions", 7)
    held.planner.send("IMAGINE", wire.SCHEMA["Imagine"](request_id=number))
    held.planner.refused("EINVAL", "imagine_id: must not be 0")
    held.planner.send("IMAGINE", wire.SCHEMA["Imagine"](imagine_id=99, request_id=number, args_json=b"[]"))
    assert held.planner.refused("ETYPE", "args_json: must be an object").imagine_id == 99
    assert held.imagined([[]])["budget"]["used"] == 1        # what was refused cost nothing
    assert held.finish(GOLD)["verdict"]["passed"]
    held.refused("ENOENT", f"request_id: no request {number} is open", [[]])


def test_a_run_allows_none_unless_it_is_said(make_doors):
    held = Held(make_doors())
    assert held.request.imagine_left == 0
    held.refused("EDENIED", "imagine: this run allows none (options.imagine)", [[]])
    assert held.client.control("imagine", run="held", candidates=[[]])["spent"] == 1     # clients may
    assert held.finish(GOLD)["verdict"]["passed"]
    held = Held(make_doors("imagine.steps=3"))
    assert held.imagined([[OPEN]])["budget"] == {"used": 1, "allowed": 3}
    client = make_doors("imagine.planner=false", "imagine.steps=3").client().greet()
    assert error_of(client, "run", task="demo/hello", options={"imagine": 1}) == \
        "args.options.imagine: no run may (imagine.planner)"


def test_a_phone_that_is_not_simulated_cannot_be_forked(make_doors):
    doors = make_doors("imagine.steps=9")
    Phone(doors.daemon)
    errand = {"executor": "paper", "instruction": "Throw the shopping list away"}
    held = Held(doors, None, **errand)
    assert held.request.imagine_left == 0
    told = "imagine: the run's phone is a peer's; only simulated ones can be forked"
    held.refused("EUNSUPPORTED", told, [[]])
    assert error_of(held.client, "imagine", run="held", candidates=[[]]) == told
    assert error_of(held.client, "run", **errand, options={"imagine": 1}) == \
        "args.options.imagine: the phone is an executor's; only simulated ones can be forked"
    assert held.finish([COMPLETE])["ending"] == "complete"


def test_worldctl_imagine(make_doors, tmp_path):
    doors = make_doors()
    client = doors.client().greet()
    env = create(client, task="demo/bluetooth_off")
    path = tmp_path / "candidates.json"
    path.write_text(json.dumps(CANDIDATES))
    shown = doors.daemon.ctl("imagine", "--env", env, path)
    assert shown.returncode == 0, shown.stderr
    rows = shown.stdout.splitlines()
    assert rows[0].split() == ["#", "steps", "progress", "reward", "effects", "ends"]
    assert [row.split()[:5] for row in rows[1:]] == [
        ["0", "4/4", "1.00", "1.00", "0"], ["1", "1/1", "0.00", "0.00", "0"], ["2", "0/1", "0.00", "0.00", "0"],
        ["3", "0/0", "0.00", "0.00", "0"]]
    assert "complete" in rows[1] and "unknown_action" in rows[3]
    told = doors.daemon.ctl("imagine", "--env", env, "--json", "-", input=json.dumps(CANDIDATES))
    assert json.loads(told.stdout)["candidates"][0]["verdict"]["passed"]
    assert doors.daemon.ctl("imagine", path).returncode == 64
    gone = doors.daemon.ctl("imagine", "--run", "nobody", path)
    assert gone.returncode == 2 and 'no run "nobody" is open' in gone.stderr
