"""worldctl and the daemon's command line as a person meets them: help, exit codes, messages, files."""
import json
import os
import subprocess

import pytest

from conftest import BIN, ROOT

COMMANDS = ["run", "status", "cancel", "replay", "state", "episode", "scene", "action", "app", "view", "shell", "tasks", "eval", "judge", "diff", "patch", "get", "digest", "conform", "schema"]


def call(program, *args, stdin=None, **env):
    return subprocess.run([BIN / program, *map(str, args)], capture_output=True, text=True, input=stdin, timeout=60,
                          env={**os.environ, **env})


def ctl(*args, **kwargs):
    return call("worldctl", *args, **kwargs)


@pytest.fixture
def files(tmp_path):
    def write(name, value):
        path = tmp_path / name
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return path

    return write


def test_every_command_has_help_with_examples():
    listed = ctl("--help")
    assert listed.returncode == 0
    for command in COMMANDS:
        assert f"  {command} " in listed.stdout
        done = ctl(command, "--help")
        assert done.returncode == 0 and "Example" in done.stdout and f"worldctl {command}" in done.stdout, command


@pytest.mark.parametrize("args", [[], ["nonsense"], ["diff", "a.json"], ["get"], ["replay"], ["conform", "diff"],
                                  ["run", "--no-such-option"]])
def test_bad_usage_is_64(args):
    done = ctl(*args)
    assert done.returncode == 64 and done.stderr


def test_diff(files):
    a, b = files("a.json", {"x": 1, "l": [{"id": "m", "v": 1}]}), files("b.json", {"x": 1.0, "l": [{"id": "m", "v": None}]})
    done = ctl("diff", a, b, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout) == {"changes": [{"path": "l[id=m].v", "before": 1, "after": None}]}
    assert ctl("diff", a, a).returncode == 0
    assert "l[id=m].v" in ctl("diff", a, b).stdout and "\033" not in ctl("diff", a, b).stdout


def test_patch(files):
    state, patch = files("s.json", {"a": {"b": 1, "c": 2}}), files("p.json", {"a": {"b": None, "c": {"$unset": True}}})
    assert json.loads(ctl("patch", state, patch).stdout) == {"a": {"b": None}}
    assert json.loads(ctl("patch", "--shallow", state, files("q.json", {"a": {"b": 3}})).stdout) == {"a": {"b": 3}}
    done = ctl("patch", state, files("bad.json", "[1]"))
    assert done.returncode == 2 and not done.stdout


def test_get_and_digest(files):
    state = files("s.json", {"a.b": [1, {"id": "x", "n": 9007199254740993}], "m": 1.0})
    assert ctl("get", state, "a\\.b[id=x].n").stdout == "9007199254740993\n"
    assert ctl("get", state, "a\\.b[-1].id").stdout == '"x"\n'
    assert ctl("get", state, "m").stdout == "1.0\n"
    assert ctl("get", state, "nothing").returncode == 1
    assert ctl("get", state, "a[").returncode == 2
    other = files("o.json", {"m": 1, "a.b": [1.0, {"n": 9007199254740993, "id": "x"}]})
    one, two = (line.split()[0] for line in ctl("digest", state, other).stdout.splitlines())
    assert one == two
    assert ctl("digest", files("x.json", "{")).returncode == 2


@pytest.mark.parametrize("text, says", [('{"a":1,"a":2}', "line 1"), ("[1,]", "column 4"), ('"\\u0000"', "line 1"), ("01", "line 1"),
                                        ("[" * 10000, "line 1"), ('{"a":\n nul}', "line 2")])
def test_bad_json_names_the_place(files, text, says):
    done = ctl("digest", files("bad.json", text))
    assert done.returncode == 2 and "bad.json" in done.stderr and says in done.stderr


def test_state_of_a_fresh_phone():
    done = ctl("state", "os.settings.global.bluetoothEnabled")
    assert done.returncode == 0 and done.stdout == "true\n"
    assert ctl("state", "os.nothing").returncode == 1
    state = json.loads(ctl("state", "--json").stdout)
    assert list(state) == ["os", "apps"] and {"settings", "contacts", "messages"} <= set(state["apps"])


def test_state_of_an_episode_step(make_daemon):
    daemon = make_daemon()
    daemon.planner(ROOT / "planner_stub/plans/naughty.json", "naughty")
    _, result = daemon.run("demo/bluetooth_off")
    path = "os.settings.global.doNotDisturbEnabled"
    values = [ctl("state", "--episode", result["episode"], "--step", n, path).stdout.strip() for n in (-1, 4, 5)]
    assert values == ["false", "false", "true"]
    assert ctl("state", "--episode", result["episode"], path).stdout.strip() == "true"
    assert ctl("state", "--episode", result["episode"], "--step", 99).returncode == 2
    effects = result["verdict"]["side_effects"]
    assert [(e["path"], e["step"]) for e in effects] == [(path, 5), ("os.settings.global.silentMode", 5)]


def test_scene(files):
    dumps = ROOT / "tests/data/phone_session"
    scene = json.loads(ctl("scene", dumps / "03_note.xml").stdout)
    assert (scene["app_package"], scene["page"]) == ("org.example.notebook", "Shopping")
    done = ctl("scene", dumps / "06_capture_failed.xml")
    assert done.returncode == 1 and "null root node" in done.stderr and not done.stdout
    assert ctl("scene", dumps / "nothing.xml").returncode == 2


def test_scene_scores_nothing_as_an_error(files):
    dumps = ROOT / "tests/data/phone_session"
    right = {"03_note.xml": {"format": "uiautomator_xml", "app": "org.example.notebook"}}
    scored = ctl("scene", "--score", files("right.json", right), dumps)
    assert scored.returncode == 0 and scored.stdout.startswith("1 screens\n"), scored.stdout + scored.stderr
    for table in ({}, {"03_note.xml": {"format": "video"}}, {"gone.xml": right["03_note.xml"]}):
        done = ctl("scene", "--score", files("wrong.json", table), dumps)
        assert (done.returncode, done.stdout) == (2, "") and "is there" in done.stderr, done.stdout + done.stderr


def test_replay_of_a_folder():
    done = ctl("replay", "--json", ROOT / "tests/data/phone_session")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(r["app"], r.get("page"), r["stale"]) for r in rows] == [
        ("com.example.launcher", None, False), ("org.example.notebook", "All notes", False),
        ("org.example.notebook", "Shopping", False), ("org.example.notebook", "Delete this note?", False),
        ("org.example.notebook", "All notes", False), ("org.example.notebook", "All notes", True),
        ("org.example.notebook", "All notes", False)]


def test_no_daemon_is_said(tmp_path):
    done = ctl("status", WORLDD_DAEMON_DIRECTORY=str(tmp_path / "nowhere"))
    assert done.returncode == 2 and "no worldd runs" in done.stderr


def test_run_shows_each_step(make_daemon):
    daemon = make_daemon()
    daemon.planner(ROOT / "planner_stub/plans/bluetooth_off.json", "stub")
    done = daemon.ctl("run", "demo/bluetooth_off")
    assert done.returncode == 0
    for text in ("launcher home -> settings settings", "bluetooth_switch: on -> off", "remembered bluetooth_was_on = true",
                 "ended: complete after 4 steps", "verdict: passed"):
        assert text in done.stdout
    unknown = daemon.ctl("run", "demo/nothing")
    assert unknown.returncode == 2 and 'there is no task "demo/nothing"' in unknown.stderr


@pytest.mark.parametrize("text, says", [
    ("[world]\nhistory = 5000\n", "2: world.history: \"5000\" is no whole number from 0 to 4096"),
    ("[world]\n\nhistry = 5\n", "3: unknown setting world.histry; the nearest known one is world.history"),
    ("[wrold]\nhistory = 5\n", "the nearest known one is world.history"),
    ("[world]\nenabled = maybe\n", "neither true nor false"),
    ("[daemon]\nlog_level = loud\n", "none of error, warning, info, debug"),
    ("[world\n", "neither [section]"),
    ("[doors]\ngrant = /etc/grants\n", "2: unknown setting doors.grant; the nearest known one is doors.grants"),
    ("[doors]\n\nkey = /etc/keys\n", "3: unknown setting doors.key; the nearest known one is doors.keys"),
    ("[control]\ntpc = x\n", "2: unknown setting control.tpc; the nearest known one is control.tcp"),
    ("[doors]\ngroup = " + 65 * "g" + "\n", "2: doors.group: over 64 bytes"),
])
def test_bad_settings_are_named(files, text, says):
    path = files("bad.ini", text)
    done = call("worldd", "--config", path, "--check-config")
    assert done.returncode == 2 and f"{path}:" in done.stderr and says in done.stderr, done.stderr


def test_effective_settings_and_their_origins(files):
    path = files("good.ini", "[world]\nhistory = 5 ; few\n[run]\nstep_limit = 7\n[doors]\ngroup = daemon\n")
    done = call("worldd", "-c", path, "-s", "world.variables=9", "-s", "control.tcp=tcp://127.0.0.1:5554", "--print-config",
                WORLDD_RUN_STEP_LIMIT="8", WORLDD_DOORS_KEYS="", WORLDD_KEY="of a client", WORLDD_SERVER_KEY="of a client")
    assert done.returncode == 0, done.stderr
    for line in (f"history = 5  ; {path}:2"[:60], "step_limit = 8  ; environment", "variables = 9  ; flag",
                 "enabled = true  ; default", f"group = daemon  ; {path}:6"[:60], "keys =   ; environment",
                 "tcp = tcp://127.0.0.1:5554  ; flag", "grants =   ; default"):
        assert line in done.stdout
    again = files("again.ini", done.stdout)
    assert call("worldd", "-c", again, "--check-config").returncode == 0
    for text in ("WORLDD_DOORS_KEY", "WORLDD_CONTROL_TPC"):
        wrong = call("worldd", "--check-config", **{text: "1"})
        assert wrong.returncode == 2 and f"{text} names no setting" in wrong.stderr
    wrong = call("worldd", "--check-config", WORLDD_WORLD_HISTRY="1")
    assert wrong.returncode == 2 and "WORLDD_WORLD_HISTRY" in wrong.stderr


def test_actions_of_a_dialect():
    done = ctl("action", "--dialect", "autoglm", stdin='do(action="Tap", element=[500,300])')
    assert json.loads(done.stdout)["kind"] == "tap" and json.loads(done.stdout)["space"] == "norm1000"
    done = ctl("action", "--dialect", "autoglm", stdin='{"raw":"finish(message=\\"ok\\")"}\n{"raw":""}\n{"raw":"hm"}\n')
    kinds = [json.loads(line)["kind"] for line in done.stdout.splitlines()]
    assert done.returncode == 0 and kinds == ["complete", "invalid", "invalid"]
    assert len(ctl("action", "--list").stdout.splitlines()) >= 12
    assert ctl("action", "--dialect", "klingon", stdin="x").returncode == 64


def test_foreign_recordings_become_episodes(tmp_path):
    recording = ROOT / "tests/data/episodes/mobilegym"
    rows = [json.loads(line) for line in ctl("replay", "--json", recording).stdout.splitlines()]
    assert len(rows) > 2 and rows[0].get("action") is None and any(row.get("page") for row in rows)
    done = ctl("episode", "import", "auto", recording, "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    imported = sorted((tmp_path / "out").glob("*.jsonl"))
    again = [json.loads(line) for path in imported
             for line in ctl("replay", "--passive", "--json", path).stdout.splitlines()]
    executed = [row for row in rows if row.get("outcome") != "refused"]
    assert [(row.get("action"), row.get("app"), row.get("page")) for row in again] == \
        [(row.get("action"), row.get("app"), row.get("page")) for row in executed]
    # There is no phone in it to execute on: it goes through WorldModel as the recording did.
    assert ctl("replay", "--json", imported[0]).stdout == ctl("replay", "--passive", "--json", imported[0]).stdout
    assert ctl("episode", "import", "nothing", recording, "-o", tmp_path / "out").returncode == 2


def test_a_new_app_passes_its_check_and_runs(tmp_path):
    assert ctl("app", "new", "counter", "--packs", tmp_path).returncode == 0
    assert ctl("app", "new", "counter", "--packs", tmp_path).returncode == 2  # it is there already
    assert ctl("app", "new", "Not An Id", "--packs", tmp_path).returncode == 64
    assert ctl("app", "check", tmp_path / "counter").stdout == "counter: 0 findings\n"
    done = ctl("app", "graph", "counter", "--packs", f"{ROOT}/sim/apps:{tmp_path}", "--forks", 20, "--json")
    graph = json.loads(done.stdout)
    assert done.returncode == 0 and graph["pages"] == {"/": 21} and not graph["unreached"] and not graph["errors"]
    (tmp_path / "counter/defaults.json").write_text('{"count": 0, "config": {}}')
    done = ctl("app", "check", tmp_path / "counter", "--json")
    assert done.returncode == 1 and json.loads(done.stdout)[0]["place"]


@pytest.mark.parametrize("app", sorted(path.name for path in (ROOT / "sim/apps").iterdir()))
def test_every_shipped_app_passes_its_check(app):
    done = ctl("app", "check", ROOT / "sim/apps" / app)
    assert done.returncode == 0, done.stdout


def test_a_broken_pack_is_named_and_the_rest_works(tmp_path):
    ctl("app", "new", "broken", "--packs", tmp_path)
    (tmp_path / "broken/app.lua").write_text("screens = = {}\n")
    done = ctl("state", "os.activeAppId", WORLDD_DAEMON_PACKS=f"{ROOT}/sim/apps:{tmp_path}")
    assert done.returncode == 0 and done.stdout == "null\n"
    assert "broken" in done.stderr and "app.lua:1" in done.stderr


def test_a_phone_driven_by_hand_and_undone():
    lines = ["o settings", "p os.activeAppId", "b", "p os.activeAppId", "u", "p os.activeAppId", "u 9", "p os.activeAppId", "nonsense"]
    done = ctl("shell", stdin="\n".join(lines) + "\n")
    answers = [line for line in done.stdout.splitlines() if line in ('"settings"', "null")]
    assert done.returncode == 0 and answers == ['"settings"', "null", '"settings"', "null"]
    assert "? tells what can be said here" in done.stdout


def test_views():
    user = json.loads(ctl("view", "forum", "state_user").stdout)
    assert user["votes"] == {"p1": "up"}
    assert json.loads(ctl("view", "forum", "post", "p1").stdout)["id"] == "p1"
    assert ctl("view", "forum", "post", "nothing").returncode == 1
    assert ctl("view", "forum", "nonsense", "p1").returncode == 2
    assert ctl("view", "nothing", "state_user").returncode == 2
