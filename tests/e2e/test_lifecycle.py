"""Daemons that are killed, stopped, started twice; runs that end in every way a planner can make them end."""
import concurrent.futures
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys

import pytest

from conftest import BIN, PLANS, ROOT, Daemon, episode_bytes, until

sys.path.insert(0, str(ROOT / "clients/python"))
from worldd.control import Control  # noqa: E402

LONG = [{"steps": [{"action": "wait", "args": {"ms": 10 + n}} for n in range(8)]} for _ in range(60)]
HANG = ["--fault", "hang"]


def episode_of(daemon):
    """The path of the one episode, once there is one."""
    return until("an episode", lambda: next(iter((daemon.directory / "episodes").glob("*.jsonl*")), None))


def steps_in(path):
    return sum(b'"type":"step"' in line for line in path.read_bytes().splitlines())


def test_kill_in_mid_run_leaves_an_episode_that_replays(make_daemon, task_file, script_file):
    daemon = make_daemon()
    daemon.planner(script_file(LONG), "slow")
    daemon.ctl_started("run", task_file(max_steps=480), "--json")
    path = episode_of(daemon)
    until("some steps", lambda: steps_in(path) >= 20)
    daemon.process.send_signal(signal.SIGKILL)
    daemon.process.wait()
    whole = steps_in(path) - (0 if path.read_bytes().endswith(b"\n") else 1)
    done = daemon.ctl("replay", path, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["steps"] >= whole >= 20 and report["digests_equal"] == report["steps"] and report["cut"]


def test_a_cut_line_is_left_out(make_daemon, task_file, script_file, tmp_path):
    daemon = make_daemon()
    daemon.planner(script_file(LONG[:2]), "short")
    _, result = daemon.run(task_file())
    whole = episode_bytes(result["episode"])
    lines = whole.splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(lines[:8]) + lines[8][:100])
    steps = sum(b'"type":"step"' in line for line in lines[:8])
    report = json.loads(daemon.ctl("replay", cut, "--json").stdout.splitlines()[-1])
    assert report["steps"] == steps and report["cut"] and report["bytes_lost"] == 100 and not report["diverged"]
    cut.write_bytes(b"".join(lines[:5]) + b"{broken\n" + lines[6])
    done = daemon.ctl("replay", cut)
    assert done.returncode == 2 and "line 6" in done.stderr


def test_an_episode_becomes_training_data(make_daemon, task_file, script_file, tmp_path):
    daemon = make_daemon()
    daemon.planner(PLANS / "bluetooth_off.json", "stub")
    _, result = daemon.run("demo/bluetooth_off")

    def exported(path, *options):
        done = daemon.ctl("episode", "export", "--trajectories", path, *options)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]
    lines = exported(result["episode"])
    assert [line["step"] for line in lines] == [0, 1, 2, 3] and lines == exported(result["episode"])
    assert all(one["next"] == two["observation"] for one, two in zip(lines, lines[1:]))
    assert [line["reward"] for line in lines] == [0.0, 0.0, 0.0, 1.0]
    assert [line["terminated"] for line in lines] == [False, False, False, True] and not any(line["truncated"] for line in lines)
    assert lines[2]["action"]["selector"] == {"resource_id": "bluetooth_switch"} and lines[2]["observation"]["nodes"]
    short = exported(result["episode"], "--digests")
    assert len({line["observation"] for line in short}) == 4 and all(len(line["next"]) == 32 for line in short)
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(line for line in episode_bytes(result["episode"]).splitlines(keepends=True) if b'"type":"end"' not in line
                             and b'"type":"verdict"' not in line))
    assert exported(cut)[-1]["truncated"] and exported(cut)[-1]["reward"] == 0.0
    out = tmp_path / "out.jsonl"
    assert "4 steps written" in daemon.ctl("episode", "export", result["episode"], "-o", out).stdout
    assert [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] == lines
    assert daemon.ctl("episode", "export", tmp_path / "none").returncode == 2


def test_a_changed_episode_diverges_and_says_where(make_daemon, tmp_path):
    daemon = make_daemon()
    daemon.planner(PLANS / "bluetooth_off.json", "stub")
    _, result = daemon.run("demo/bluetooth_off")
    lines = episode_bytes(result["episode"]).decode().splitlines()
    at = next(i for i, line in enumerate(lines) if '"type":"step","index":2' in line)
    lines[at] = lines[at].replace("bluetooth_switch", "open_paired") if "open_paired" in lines[at] else \
        lines[at].replace('"kind":"tap"', '"kind":"back"')
    changed = tmp_path / "changed.jsonl"
    changed.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = daemon.ctl("replay", changed)
    assert done.returncode == 1 and "first divergence at step 2" in done.stdout, done.stdout + done.stderr
    assert "first differing path: " in done.stdout
    report = json.loads(daemon.ctl("replay", changed, "--json").stdout.splitlines()[-1])
    assert (report["steps"], report["digests_equal"], report["diverged_step"]) == (3, 2, 2)
    report = json.loads(daemon.ctl("replay", changed, "--json", "--keep-going").stdout.splitlines()[-1])
    assert report["steps"] == report["steps_recorded"] == 4 and 2 <= report["digests_equal"] < 4
    assert report["diverged"] and report["diverged_step"] == 2


def test_sigterm_ends_runs_with_the_reason_recorded(make_daemon, task_file, script_file):
    daemon = make_daemon()
    daemon.planner(script_file([{"steps": [{"action": "back"}]}]), "hanging", *HANG)
    client = daemon.ctl_started("run", task_file(), "--json")
    path = episode_of(daemon)
    until("the run", lambda: daemon.status()[2])
    daemon.process.send_signal(signal.SIGTERM)
    assert daemon.process.wait(timeout=30) == 0
    last = json.loads(episode_bytes(f"{path}.zst").splitlines()[-1])
    assert last["type"] == "end" and last["ending"] == "cancelled" and "stopped" in last["text"]
    out, err = client.communicate(timeout=30)
    assert json.loads(out.splitlines()[-1]).get("ending") == "cancelled", out + err
    assert not (daemon.directory / "planner.sock").exists() and not (daemon.directory / "daemon.json").exists()


def test_a_client_that_was_not_at_turn_still_gets_the_last_answer(make_daemon, task_file, script_file):
    """Stopped, as on a machine that is too busy, it reads the answer when worldd is gone already."""
    daemon = make_daemon("planner.heartbeat_ms=20", "planner.liveness=100")
    daemon.planner(script_file([{"steps": [{"action": "back"}]}]), "hanging", *HANG)
    client = daemon.ctl_started("run", task_file(), "--json")
    until("the run", lambda: daemon.status()[2])
    client.send_signal(signal.SIGSTOP)
    daemon.process.send_signal(signal.SIGTERM)
    assert daemon.process.wait(timeout=30) == 0
    client.send_signal(signal.SIGCONT)
    out, err = client.communicate(timeout=30)
    assert json.loads(out.splitlines()[-1]).get("ending") == "cancelled", out + err


def test_clients_in_python_get_the_last_answer_as_well(make_daemon, task_file, script_file):
    """They have ZMQ_IMMEDIATE, with which libzmq throws away what was not read when the connection ends."""
    daemon = make_daemon()
    daemon.planner(script_file([{"steps": [{"action": "back"}]}]), "hanging", *HANG)
    clients = [Control(daemon.control_endpoint, f"python{n}") for n in range(4)]
    with concurrent.futures.ThreadPoolExecutor(len(clients)) as pool:
        asked = [pool.submit(client.request, "run", {"task": {"id": "t", "instruction": "do it"}}, None) for client in clients]
        until("the runs", lambda: len(daemon.status()[2]) == len(clients))
        daemon.process.send_signal(signal.SIGTERM)
        assert [one.result()["ending"] for one in asked] == ["cancelled"] * len(clients)
    assert daemon.process.wait(timeout=30) == 0
    for client in clients:
        client.close()


def test_a_second_daemon_on_one_path_is_refused(daemon):
    second = subprocess.run([BIN / "worldd", "--directory", daemon.directory], capture_output=True, text=True, timeout=30)
    assert second.returncode == 1 and f"pid {daemon.process.pid}" in second.stderr
    assert daemon.status()[0]["packs"] >= 4


def test_a_restart_after_a_kill_takes_the_stale_sockets_over(make_daemon, tmp_path):
    daemon = make_daemon()
    daemon.process.send_signal(signal.SIGKILL)
    daemon.process.wait()
    assert (daemon.directory / "control.sock").exists()
    daemon.start()
    assert daemon.status()[0]["runs"]["open"] == 0


def test_a_regular_file_at_the_sockets_path_is_not_deleted(tmp_path):
    directory = tmp_path / "worldd"
    directory.mkdir(mode=0o700)
    (directory / "planner.sock").write_text("mine")
    done = subprocess.run([BIN / "worldd", "--directory", directory], capture_output=True, text=True, timeout=30)
    assert done.returncode == 1 and "no socket" in done.stderr
    assert (directory / "planner.sock").read_text() == "mine"


@pytest.mark.parametrize("mode, right", [(0o700, True), (0o750, True), (0o755, False), (0o770, False), (0o707, False)])
def test_the_directory_must_be_closed_to_others(tmp_path, mode, right):
    directory = tmp_path / "worldd"
    directory.mkdir()
    directory.chmod(mode)
    if right:
        daemon = Daemon(directory).start()
        assert oct(os.stat(directory / "planner.sock").st_mode & 0o777) == oct(0o600)
        assert daemon.stop() == 0
    else:
        done = subprocess.run([BIN / "worldd", "--directory", directory], capture_output=True, text=True, timeout=30)
        assert done.returncode == 1 and "lets others in" in done.stderr


def test_a_planner_that_dies_ends_the_run_saying_so(make_daemon, task_file, script_file):
    daemon = make_daemon("planner.attempts=1", "planner.heartbeat_ms=50", "planner.liveness=4", "planner.wait_ms=0")
    planner = daemon.planner(script_file([{"steps": [{"action": "back"}]}]), "dying", *HANG)
    client = daemon.ctl_started("run", task_file(), "--json")
    until("the request", lambda: daemon.status()[0]["planners"]["requests_open"] == 1)
    planner.kill()
    out, err = client.communicate(timeout=30)
    result = json.loads(out.splitlines()[-1])
    assert result["ending"] == "planner_lost" and result["text"], out + err


def test_a_planner_that_is_late_ends_the_run_saying_so(make_daemon, task_file, script_file):
    daemon = make_daemon("run.deadline_ms=300", "planner.attempts=1")
    daemon.planner(script_file([{"steps": [{"action": "back"}]}]), "hanging", *HANG)
    _, result = daemon.run(task_file())
    assert result["ending"] == "planner_late" and result["text"]


def test_no_planner_at_all(make_daemon, task_file):
    _, result = make_daemon("planner.wait_ms=50").run(task_file())
    assert result["ending"] == "planner_lost" and "no planner" in result["text"]


def test_runs_do_not_disturb_each_other(daemon, task_file, script_file):
    """Two runs of two planners at once come to the same as each alone."""
    daemon.planner(PLANS / "bluetooth_off.json", "a")
    daemon.planner(PLANS / "message_contact.json", "b")
    alone = [daemon.run("demo/bluetooth_off", "--planner", "a")[1], daemon.run("demo/message_contact", "--planner", "b")[1]]
    both = [daemon.ctl_started("run", "demo/bluetooth_off", "--planner", "a", "--json"),
            daemon.ctl_started("run", "demo/message_contact", "--planner", "b", "--json")]
    for child, expected in zip(both, alone):
        out, err = child.communicate(timeout=60)
        result = json.loads(out.splitlines()[-1])
        for field in ("ending", "steps", "world", "verdict"):
            assert result[field] == expected[field], err


def test_the_same_run_gives_the_same_bytes(make_daemon):
    texts = []
    for name in ("one", "two"):
        daemon = make_daemon(name=name)
        daemon.planner(PLANS / "message_contact.json", "stub")
        _, result = daemon.run("demo/message_contact")
        texts.append(pathlib.Path(result["episode"]).read_bytes())
    assert texts[0] == texts[1]


def test_the_world_may_be_off_and_the_loop_is_the_same(make_daemon, task_file, script_file):
    script = script_file([{"steps": [{"action": "launch_app", "args": {"app": "settings", "remember": {"a": 1}}},
                                     {"action": "back"}, {"action": "tap", "args": {"selector": {"text": "nothing"}}}]},
                          {"steps": [{"action": "home"}]}], retries=0)
    results = []
    for name, setting in (("on", "world.enabled=true"), ("off", "world.enabled=false"), ("raw", "semantic.enabled=false")):
        daemon = make_daemon(setting, name=name)
        daemon.planner(script, "stub")
        events, result = daemon.run(task_file(id="same"))
        results.append(([(e["action"], e["outcome"], e["code"]) for e in events if e["event"] == "step"], result["ending"]))
        assert ("world" in result) == (name != "off")
    assert results[0] == results[1] == results[2]


def test_two_runs_share_no_memory(daemon, task_file, script_file):
    daemon.planner(script_file([{"when": {"variables": {"a": None}},
                                 "steps": [{"action": "back", "args": {"remember": {"a": 1}}}]}]), "stub")
    for _ in range(2):
        events, result = daemon.run(task_file(id="memory"))
        assert [e["action"] for e in events if e["event"] == "step"] == ["back", "complete"]
        assert result["world"]["variables"] == {"a": 1}


def test_garbage_on_the_socket_file_is_turned_away(daemon):
    for _ in range(5):
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect(str(daemon.directory / "control.sock"))
            stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
    assert daemon.status()[0]["version"]


def test_a_request_too_large_is_said_before_it_is_sent(daemon, task_file):
    done = daemon.ctl("run", task_file(instruction="x", padding="y" * (5 << 20)))
    assert done.returncode == 2 and "worldd takes 4194304" in done.stderr


def test_a_hangup_is_no_reason_to_end(daemon):
    daemon.process.send_signal(signal.SIGHUP)
    assert daemon.status()[0]["version"]
