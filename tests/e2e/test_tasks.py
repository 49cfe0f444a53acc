"""Tasks as people meet them: judging two states, listing and auditing templates, evaluating planners."""
import json

import pytest

from conftest import ROOT, until
from peers import Doors
from test_worldctl import ctl, files  # noqa: F401  (a fixture)

BEFORE = {"os": {"settings": {"global": {"bluetoothEnabled": True}}}, "apps": {"settings": {}}}
AFTER = {"os": {"settings": {"global": {"bluetoothEnabled": False}}}, "apps": {"settings": {}}}
ALSO = {"os": {"settings": {"global": {"bluetoothEnabled": False, "silentMode": True}}}, "apps": {"settings": {}}}
TASK = ROOT / "tasks/demo/bluetooth_off.json"


@pytest.mark.parametrize("final, code, success, clean", [(AFTER, 0, True, True), (BEFORE, 1, False, True),
                                                         (ALSO, 1, True, False)])
def test_judge_two_states(files, final, code, success, clean):  # noqa: F811
    done = ctl("judge", "--init", files("a.json", BEFORE), "--final", files("b.json", final), "--task", TASK, "--json")
    verdict = json.loads(done.stdout)
    assert (done.returncode, verdict["success"], verdict["clean"]) == (code, success, clean)


def test_judge_binds_parameters_and_answers(files):  # noqa: F811
    task = files("t.json", {"id": "x", "instruction": "Whose number is {number}?", "params": {"number": "1"},
                            "answer": "{name}"})
    state = files("s.json", {"os": {}, "apps": {}})

    def judged(*more):
        return ctl("judge", "--init", state, "--final", state, "--task", task, *more).returncode

    assert judged("-k", "name=Li Wei", "--answer", "It is Li Wei.") == 0
    assert judged("-k", "name=Li Wei", "--answer", "It is Anna.") == 1
    assert judged("-k", "name=Li Wei") == 1


@pytest.mark.parametrize("task, place", [
    ({"id": "x", "instruction": "", "criteria": {"os.a": {"$near": 1}}}, "$near"),
    ({"id": "x", "instruction": "", "criteria": {"os.a": 1}, "expected_changes": ["os.a[b"]}, "os.a[b"),
    ({"id": "x", "instruction": "", "apps": ["gone"], "criteria": {"os.a": None}}, "gone"),
])
def test_a_wrong_task_is_an_error_and_names_the_place(files, task, place):  # noqa: F811
    state = files("s.json", {"os": {}, "apps": {}})
    done = ctl("judge", "--init", state, "--final", state, "--task", files("t.json", task))
    assert done.returncode == 2 and "error" in done.stdout and place in done.stdout


CHECK = "function check(input) {} end"
SAYS = "return { { field = 'f', passed = input.final.os.n == input.params.n and input.answer == 'yes', actual = input.init.os.n } }"


@pytest.mark.parametrize("script, code, told", [
    (SAYS, 0, None),
    (SAYS.replace("== 'yes'", "== 'no'"), 1, None),
    ("error('no luck')", 2, "no luck"),
    ("return input.final.os.n.x.y", 2, "app.lua:1"),
    ("while true do end", 2, "check lua"),
    ("local t = {} for i = 1, 1e9 do t[i] = i end", 2, "check lua"),
    ("return {}", 2, "at least one check"),
    ("return { { field = 'f' } }", 2, "check 0"),
    ("return 1", 2, "at least one check"),
    ("return { { field = 'f', passed = io ~= nil } }", 1, None),
    ("return { { field = 'f', passed = load ~= nil or os ~= nil and os.time ~= nil } }", 1, None),
    ("syntax error", 2, "app.lua:1"),
])
def test_a_check_in_lua(files, script, code, told):  # noqa: F811
    state = files("s.json", {"os": {"n": 3}, "apps": {}})
    task = files("t.json", {"id": "x", "instruction": "", "params": {"n": 3}, "check": "lua",
                            "lua": CHECK.replace("{}", script, 1)})
    done = ctl("judge", "--init", state, "--final", state, "--task", task, "--answer", "yes", "--json")
    verdict = json.loads(done.stdout)
    assert done.returncode == code, done.stdout
    assert (told is None) == ("error" not in verdict) and (told is None or told in verdict["error"]), verdict
    again = ctl("judge", "--init", state, "--final", state, "--task", task, "--answer", "yes", "--json")
    assert again.stdout == done.stdout


@pytest.mark.parametrize("view, code, told", [
    ({"app": "forum", "name": "state_post", "args": ["{post}"]}, 0, None),
    ({"app": "forum", "name": "state_post", "args": ["none"]}, 1, None),
    ({"app": "forum", "name": "state_nothing"}, 2, "views.post"),
    ({"app": "gone", "name": "state_post"}, 2, "views.post"),
    ({"app": "forum"}, 2, "views.post: view: wants"),
    ({"app": "forum", "name": "state_post", "args": ["{who}"]}, 2, "who"),
])
def test_a_check_reads_through_views(files, view, code, told):  # noqa: F811
    shown = ctl("state", "--json")
    posts = json.loads(shown.stdout)["apps"]["forum"]["posts"]
    state = files("s.json", json.loads(shown.stdout))
    script = "function check(input) local v = input.views.post return { { field = 'f', " \
             "passed = v.init ~= null and v.final ~= null and v.final.id == input.params.post } } end"
    task = files("t.json", {"id": "x", "instruction": "", "params": {"post": sorted(posts)[0]}, "check": "lua", "lua": script,
                            "views": {"post": view}})
    done = ctl("judge", "--init", state, "--final", state, "--task", task, "--json")
    assert done.returncode == code, done.stdout + done.stderr
    assert told is None or told in done.stdout + done.stderr


def test_a_script_beside_a_task_belongs_to_it(files):  # noqa: F811
    state = files("s.json", {"os": {}, "apps": {}})
    task = files("t.json", {"id": "x", "instruction": "", "check": "lua"})
    files("t.lua", "function check(input) return { { field = 'f', passed = true } } end")
    assert ctl("judge", "--init", state, "--final", state, "--task", task).returncode == 0


@pytest.mark.parametrize("record, code", [
    ({"where": {"name": "a", "n": {"$gt": 1}}}, 0),
    ({"where": {"name": "a"}, "new": True}, 1),
    ({"where": {"name": "{who}"}, "new": True}, 0),
    ({"where": {"name": "c"}, "absent": True}, 0),
    ({"where": {"name": "a"}, "absent": True}, 1),
    ({"where": {}}, 2),
    ({"where": {"name": {"$near": 1}}}, 2),
])
@pytest.mark.parametrize("table", ["list", "table"])
def test_records(files, record, code, table):  # noqa: F811
    before = {"list": [{"id": 1, "name": "a", "n": 2}], "table": {"k": {"name": "a", "n": 2}}}
    after = {"list": [{"id": 2, "name": "b"}, {"id": 1, "name": "a", "n": 2}],
             "table": {"k": {"name": "a", "n": 2}, "l": {"name": "b"}}}
    task = files("t.json", {"id": "x", "instruction": "", "params": {"who": "b"}, "check": "records",
                            "records": [{"in": "os." + table, **record}], "expected_changes": ["os.list", "os.table"]})
    done = ctl("judge", "--init", files("a.json", {"os": before, "apps": {}}), "--final",
               files("b.json", {"os": after, "apps": {}}), "--task", task)
    assert done.returncode == code, done.stdout


@pytest.mark.parametrize("member", [{"criteria": {"os.a": "{who}"}}, {"criteria": {"os.{who}": 1}},
                                    {"expected_changes": ["os.{who}"], "criteria": {"os.a": 1}}, {"answer": "{who}"},
                                    {"order": [{"never": {"page": "{who}"}}]}])
def test_a_parameter_that_is_not_there_is_named(files, member):  # noqa: F811
    state = files("s.json", {"os": {}, "apps": {}})
    task = files("t.json", {"id": "x", "instruction": "", **member})
    done = ctl("judge", "--init", state, "--final", state, "--task", task)
    assert done.returncode == 2 and "{who} is no parameter" in done.stderr and "task." in done.stderr
    assert ctl("judge", "--init", state, "--final", state, "--task", task, "-k", "who=x").stderr == ""


def test_a_task_that_is_none_is_refused(files):  # noqa: F811
    state = files("s.json", {"os": {}, "apps": {}})
    done = ctl("judge", "--init", state, "--final", state, "--task", files("t.json", {"id": "x"}))
    assert done.returncode == 2 and "task.instruction" in done.stderr


def ids():
    return [path.relative_to(ROOT / "tasks").with_suffix("").as_posix()
            for path in sorted((ROOT / "tasks").glob("*/*.json"))]


@pytest.mark.parametrize("task", ids())
def test_the_judging_of_every_template_holds(task):
    done = ctl("tasks", "audit", task, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["mutations"] == 20 and report["instances"] == 6 and report["cuts"] >= 0


def test_what_the_shipped_templates_cover():
    tasks = [json.loads((ROOT / "tasks" / f"{task}.json").read_text()) for task in ids() if not task.startswith("demo/")]
    assert len(tasks) >= 24
    assert sum(len(task["apps"]) > 1 for task in tasks) >= 6
    assert sum("answer" in task for task in tasks) >= 6
    assert sum("order" in task for task in tasks) >= 3
    assert sum("events" in task for task in tasks) >= 2
    assert sum("distractors" in task for task in tasks) >= 1
    assert sum("user" in task for task in tasks) >= 1
    assert {task["difficulty"] for task in tasks} == {"L1", "L2", "L3", "L4"}


GOOD = {"id": "bad/one", "instruction": "Turn Bluetooth off.", "apps": ["settings"],
        "criteria": {"os.settings.global.bluetoothEnabled": False},
        "gold": [{"action": "launch_app", "args": {"app": "settings"}},
                 {"action": "tap", "args": {"selector": {"resource_id": "open_bluetooth"}}},
                 {"action": "tap", "args": {"selector": {"resource_id": "bluetooth_switch"}}}]}
UNREAD = {"os.providers.sms.conversations[id=conv_parcel].isUnread": False}
MARK_READ = [{"action": "launch_app", "args": {"app": "messages"}},
             {"action": "tap", "args": {"selector": {"resource_id": "conversation", "text": "Parcel Point"}}}]


@pytest.mark.parametrize("change, fault", [
    ({}, None),
    ({"criteria": {"os.settings.global.bluetoothEnabled": True}}, "idle: doing nothing passes"),
    ({"criteria": {"os.settings.global.nfcEnabled": False}}, "gold with seed 0: check os.settings.global.nfcEnabled"),
    ({"gold": GOOD["gold"] + GOOD["gold"][2:] + GOOD["gold"][2:]}, "cut: passes without step 3"),
    ({"gold": GOOD["gold"][:1] + [{"action": "tap", "args": {"selector": {"resource_id": "no_such"}}}]}, "stumbled"),
    ({"gold": []}, "gold: there is no gold plan"),
    ({"gold": [{"action": "fly"}]}, "step 0"),
    ({"expected_changes": ["os.settings", "os.providers", "apps.*"]}, "the task excuses too much"),
    ({"expected_changes": ["apps.notes.settings"]}, "dead: expected_changes[0]"),
    ({"criteria": {**GOOD["criteria"], "os.settings.gone": None}}, "dead: criterion"),
    ({"apps": ["messages"], "gold": MARK_READ, "criteria": {**UNREAD, "os.providers.sms.conversations": {"$len": 6}}},
     "counts: criterion"),
    ({"criteria": {**GOOD["criteria"], "settings:_temp.open": {"$ne": True}}}, "moment: criterion"),
    ({"expected_changes": ["apps.notes._temp.loading"]}, "moment: expected_changes[0]"),
    ({"criteria": {"os.a": {"$near": 1}}}, "$near"),
    ({"max_steps": 2}, "ends with step_limit"),
    ({"order": [{"name": "elsewhere", "never": {"page": "bluetooth"}}]}, "gold with seed 0: check order.elsewhere"),
    ({"order": [{"at_most": 1, "of": {"action.target.id": "bluetooth_switch"}}]}, None),
    ({"events": [{"after": 3, "notice": {"app": "shop", "title": "t", "text": "x"}}]}, "not clean: os.notifications"),
    ({"events": [{"after": 1, "revoke": {"app": "nobody", "permission": "p"}}]}, "event_failed: task.events[0]"),
    ({"setup": {"os": {"settings": {"global": {"bluetoothEnabled": "maybe"}}}}}, "task.setup"),
    ({"parameters": {"p": {"source": "os.nowhere"}}}, "parameters.p"),
    ({"distractors": {"count": [1, 2], "of": [{}]}}, "task.distractors"),
])
def test_the_audit_finds_judges_that_are_wrong(tmp_path, change, fault):
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/one.json").write_text(json.dumps({**GOOD, **change}))
    done = ctl("tasks", "audit", "--json", "--mutations", 5, "--instances", 1, WORLDD_DAEMON_TASKS=str(tmp_path))
    report = json.loads(done.stdout)
    assert report["ok"] == (fault is None) and done.returncode == (0 if fault is None else 1)
    assert fault is None or any(fault in line for line in report["faults"]), report["faults"]


def test_the_same_seed_draws_the_same_instance():
    def shown(*args):
        done = ctl("tasks", "show", "cross/share_number", "--json", *args)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert shown("--seed", 5) == shown("--seed", 5)
    assert len({json.dumps(shown("--seed", seed)["params"]) for seed in range(6)}) > 1
    assert len({json.dumps(shown("--instance", n)["params"]) for n in range(6)}) > 1
    given = shown("--seed", 5, "-k", "contact=Tom Hale")["params"]
    assert given["contact"] == "Tom Hale" and given["number"] == "13800010008"


def test_listing():
    done = ctl("tasks", "list", "cross/*", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) >= 6 and all(row["id"].startswith("cross/") for row in rows)
    assert ctl("tasks", "list", "nowhere/*").returncode == 2
    assert ctl("tasks", "dance").returncode == 64


@pytest.fixture
def gold(make_daemon, tmp_path):
    """A daemon with a planner "gold" that knows the gold plan of settings/dark_mode with seed 0."""
    daemon = make_daemon()
    script = tmp_path / "gold.json"
    script.write_text(daemon.ctl("tasks", "show", "settings/dark_mode", "--plan").stdout)
    daemon.planner(script, "gold")
    return daemon


def test_a_gold_plan_works_over_the_wire_and_replays(gold):
    _, result = gold.run("settings/dark_mode", "--planner", "gold")
    assert result["ending"] == "complete" and result["verdict"]["passed"], result
    done = gold.ctl("replay", result["episode"])
    assert done.returncode == 0, done.stdout + done.stderr


def test_events_happen_in_a_run_and_in_its_replay(gold, tmp_path):
    script = tmp_path / "code.json"
    script.write_text(gold.ctl("tasks", "show", "messages/code", "--plan").stdout)
    gold.planner(script, "code")
    _, result = gold.run("messages/code", "--planner", "code")
    assert result["verdict"]["passed"], result
    assert gold.ctl("replay", result["episode"]).returncode == 0


def test_the_simulated_user_answers(gold, tmp_path):
    script = tmp_path / "ask.json"
    script.write_text(gold.ctl("tasks", "show", "messages/ask_whom", "--plan").stdout)
    gold.planner(script, "ask")
    _, result = gold.run("messages/ask_whom", "--planner", "ask")
    assert result["verdict"]["passed"], result


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_eval_keeps_results_and_goes_on(gold, tmp_path):
    results, junit = tmp_path / "r.jsonl", tmp_path / "r.xml"
    command = ["eval", "--planner", "gold", "--results", results, "--parallel", 2, "--json"]
    done = gold.ctl(*command, "--tasks", "settings/dark_mode", "--seeds", "0..1")
    assert done.returncode in (0, 1) and done.stderr == "", done.stderr
    first = rows(results)
    assert len(first) == 2 and {row["seed"] for row in first} == {0, 1}
    # Killed in the middle of a line: that run is made again, the others are not.
    results.write_text(results.read_text() + '{"task":"settings/dark_mode","se')
    done = gold.ctl(*command, "--tasks", "settings/*", "--tasks", "settings/dark_mode", "--seeds", "0..1",
                    "--junit", junit)
    summary = json.loads(done.stdout)
    assert done.returncode == 1
    assert rows(results)[:2] == first and len(rows(results)) == 8
    assert summary["all"]["total_episodes"] == 8 and set(summary["suites"]) == {"settings"}
    assert set(summary["difficulties"]) == {"L1", "L2"}
    assert 0 < summary["all"]["success_rate"] < 1
    assert gold.ctl(*command, "--tasks", "settings/*", "--seeds", "0..1").stdout == done.stdout
    assert len(rows(results)) == 8
    text = junit.read_text()
    assert text.count("<testcase") == 8 and "<failure" in text and 'name="settings/dark_mode seed 1"' in text
    xml = pytest.importorskip("xml.etree.ElementTree")
    assert xml.fromstring(text).tag == "testsuites"


def test_eval_prints_tables_without_a_bar_when_nobody_watches(gold, tmp_path):
    done = gold.ctl("eval", "--planner", "gold", "--tasks", "settings/dark_mode", "--results", tmp_path / "r.jsonl")
    assert done.returncode == 0 and "\r" not in done.stdout + done.stderr
    assert done.stdout.splitlines()[0].split() == ["suite", "runs", "errors", "SR", "PR", "FC", "USE", "OT", "steps",
                                                   "sec"]
    assert done.stdout.splitlines()[-1].split()[:4] == ["all", "1", "0", "1.000"]


def test_eval_without_a_daemon_or_tasks_says_so(tmp_path):
    nobody = {"WORLDD_CONTROL": f"ipc://{tmp_path}/nobody.sock"}
    done = ctl("eval", "--tasks", "settings/dark_mode", "--results", tmp_path / "r.jsonl", **nobody)
    assert done.returncode == 2 and done.stderr.startswith("worldctl: ")
    assert ctl("eval", "--tasks", "no/*", "--results", tmp_path / "r.jsonl", **nobody).returncode == 2
    for wrong in (["--seeds", "3..1"], ["--seeds", "x"], ["--parallel", "0"], ["--parallel", "65"], ["settings"]):
        assert ctl("eval", *wrong).returncode == 64


def test_a_run_under_way_is_judged_and_rewarded(daemon, tmp_path):
    """The planner does the task, then falls silent: the run waits, and is worth something already."""
    script = tmp_path / "half.json"
    script.write_text(json.dumps({"plans": [{"steps": GOOD["gold"]}, {"until": {"current_page": "nowhere"},
                                                                      "at_most": 1000,
                                                                      "steps": [{"action": "wait", "args": {"ms": 1}}]}]}))
    daemon.planner(script, "half")
    doors = Doors(daemon)
    peer = doors.client().greet()
    peer.ask("run", task={**GOOD, "max_steps": 10000}, run_id="half", planner="half", options={"repetition_limit": 0})
    until("four steps", lambda: any(run["run"] == "half" and run["steps"] >= 4 for run in daemon.status()[2]))
    other = doors.client().greet()
    told = other.control("judge", run="half")
    assert told["run"] == "half" and told["reward"] == 1.0 and told["verdict"]["passed"], told
    other.ask("judge", run="nobody")
    kind, message = other.receive("ERROR", "REPLY")
    assert kind == "ERROR" and "nobody" in message.text
    other.control("cancel", run="half")
    doors.close()


def test_gold_plans_pass_in_envs(daemon):
    """The same instance in an env: parameters, events, order rules and checks are those of a run with that seed."""
    doors = Doors(daemon)
    client = doors.client().greet()
    for task in ids():
        shown = json.loads(ctl("tasks", "show", task, "--seed", 1, "--json").stdout)
        env = client.control("env_create", seed=1, task=task)["env"]
        for step in shown["task"]["gold"]:
            client.control("env_step", env=env, action={"kind": step["action"], **step.get("args", {})})
        verdict = client.control("env_judge", env=env)
        verdict = verdict.get("verdict", verdict)
        assert verdict["passed"], (task, verdict)
    doors.close()


def test_an_audit_says_the_same_again():
    first, second = (ctl("tasks", "audit", "cross/code_to_note", "--json", "--seed", 4) for _ in range(2))
    assert first.stdout == second.stdout and first.returncode == 0
