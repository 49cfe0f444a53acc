#!/usr/bin/python3
"""Kill worldd in the midst of its work, again and again: what was finished can be read, what was not up to its last whole
step, and everybody learns what was lost.

    kill_load.py KILLS [--seed N] [--restart SECONDS]

Each round starts the daemon in the same directory, over the sockets that the last one left, and must have an answer within
SECONDS. A planner and a client that were there before come back: the client by another boot id and by errors that name what
is gone. Then runs of a scripted planner, a worldctl and batches of env steps load it, until SIGKILL hits at a drawn moment
after the first step. At last each episode is replayed: steps that anybody was told are in it, and every digest is the same.

The programs are those of WORLDD_BIN.
"""
import argparse
import json
import os
import pathlib
import random
import signal
import statistics
import sys
import tempfile
import time

import zmq

from conftest import PLANS, ROOT, Daemon, until
from load import Counted, batch, create, draw_action

sys.path.insert(0, str(ROOT / "clients/python"))
import worldd  # noqa: E402
from worldd.control import Control  # noqa: E402

SETTINGS = ("env.workers=2", "planner.heartbeat_ms=200", "planner.liveness=25", "daemon.log_level=error")
KILL_WITHIN_S = 0.3          # of the first step
RUNS_MAX = 6                 # of a round
LONG = {"plans": [{"steps": [{"action": "wait", "args": {"ms": 10 + n}} for n in range(8)]} for _ in range(60)]}
LONG_TASK = {"id": "long", "instruction": "wait", "max_steps": 200}


class Told:
    """What a client was told of a run before the daemon died."""

    def __init__(self):
        self.steps, self.episode, self.result = 0, None, None

    def take(self, event):
        self.episode = event.get("episode", self.episode)
        self.steps += event.get("event") == "step"
        if "ending" in event and "event" not in event:
            self.result = event


class Round:
    """One life of the daemon."""

    def __init__(self, daemon, source, context, number):
        self.daemon, self.source, self.number = daemon, source, number
        self.client = Counted(context, daemon.control_endpoint, "load").greet()
        self.envs = [create(self.client, seed=source.randrange(100)) for _ in range(6)]
        self.runs = {}           # request id -> Told
        self.batch = None        # open
        self.steps = 0           # of envs, told
        task = daemon.directory.parent / "long.json"
        task.write_text(json.dumps(LONG_TASK))
        self.program = daemon.ctl_started("run", task, "--planner", "long", "--run-id", f"program-{number}", "--json")
        until("its run", lambda: self.client.control("runs") or self.program.poll() is not None)
        if self.program.poll() not in (None, 0, 1):      # on a fast machine it may be over before it was looked at
            raise AssertionError(self.program.communicate())
        for _ in range(source.randrange(1, 4)):
            self.ask_run(LONG_TASK, "long")

    def ask_run(self, task, planner):
        run_id = f"{planner}-{self.number}-{len(self.runs)}"     # new to the planners, who outlive the daemon
        request = self.client.ask("run", task=task, planner=planner, seed=self.source.randrange(1000), run_id=run_id)
        self.runs[request] = Told()

    def load_until_killed(self):
        """Keep it busy; the moment is drawn when the first step was told."""
        moment = None
        while moment is None or time.monotonic() < moment:
            if self.batch is None:
                actions = [draw_action(self.source) for _ in self.envs]
                self.batch = batch(self.client, self.envs, [k for k, _ in actions], [a for _, a in actions], "changed")
            if len(self.runs) < RUNS_MAX and sum(told.result is None for told in self.runs.values()) < 4:
                self.ask_run("demo/bluetooth_off", "quick")
            left = 20 if moment is None else max(0, moment - time.monotonic())
            if self.client.socket.poll(left * 1000):
                self.take(*self.client.receive("PROGRESS", "REPLY", "ENV_BATCH_REPLY", "ERROR"))
            if moment is None and any(told.steps for told in self.runs.values()):
                moment = time.monotonic() + self.source.uniform(0, KILL_WITHIN_S)
        self.daemon.process.send_signal(signal.SIGKILL)
        self.daemon.process.wait()
        while self.client.socket.poll(0):        # what it still had sent
            self.take(*self.client.receive("PROGRESS", "REPLY", "ENV_BATCH_REPLY", "ERROR"))

    def take(self, kind, message):
        assert kind != "ERROR", message.text
        if kind == "ENV_BATCH_REPLY":
            assert not any(message.status), message.text
            self.steps, self.batch = self.steps + len(self.envs), None
        elif kind == "PROGRESS":
            self.runs[message.request_id].take(json.loads(message.event_json))
        elif message.request_id in self.runs:
            self.runs[message.request_id].take(json.loads(message.result_json))


def check_episode(daemon, path, told, counts):
    """It is read up to the last whole line, and what it has replays."""
    done = daemon.ctl("replay", path, "--json")
    assert done.returncode == 0, f"{path}: {done.stdout}{done.stderr}"
    report = json.loads(done.stdout.splitlines()[-1])
    finished = told is not None and told.result is not None
    assert report["digests_equal"] == report["steps"] and not report["diverged"], report
    assert told is None or report["steps"] >= told.steps, f"{path}: {told.steps} steps were told: {report}"
    assert not finished or not report["cut"], f"{path}: {report}"
    counts["finished" if not report["cut"] else "unfinished"] += 1
    counts["steps replayed"] += report["steps"]


def check_round(daemon, life, counts):
    told = {pathlib.Path(one.episode).name.split(".")[0]: one for one in life.runs.values() if one.episode}
    for path in sorted((daemon.directory / "episodes").iterdir()):
        run, text = path.name.split(".")[0], path.read_bytes()
        if not path.name.endswith((".jsonl", ".jsonl.zst")):
            counts["half compressed"] += 1
        elif run not in told and b"\n" not in text and path.suffix == ".jsonl":
            counts["not begun"] += 1     # made, and killed before its first line was whole: nobody was told of it
        else:
            check_episode(daemon, path, told.pop(run, None), counts)
        path.unlink()
    assert not told, f"episodes that are missing: {list(told)}"


def started(daemon):
    """Start it; seconds until it answers a client."""
    began = time.monotonic()
    daemon.start()
    with Control(daemon.control_endpoint) as client:
        client.request("status")
    return time.monotonic() - began


def peers_are_back(daemon, loyal, life, boot_id, context):
    """The client of before learns that all is new; its requests, its envs and its run are gone, and it is told so."""
    raw = life.client
    raw.in_step(1)               # it is asked who it is, or cut off; and says Hello again
    try:
        loyal.request("env_observe", {"env": life.envs[0]})
        raise AssertionError("an env of the last life is there")
    except worldd.errors.NotFound as error:
        assert life.envs[0] in str(error), error
    assert loyal.boot_id not in (b"", boot_id)
    out, err = life.program.communicate(timeout=60)
    daemon.children.remove(life.program)
    lines = [json.loads(line) for line in out.splitlines()]
    finished = bool(lines) and "event" not in lines[-1]
    assert finished or life.program.returncode == 2, (life.program.returncode, out, err)
    assert finished or "worldd is gone" in err or "restarted or stopped" in err or "cannot be reached" in err, err
    raw.socket.close(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "little"))
    parser.add_argument("--restart", type=float, default=1.0, help="seconds until a restarted worldd must answer")
    given = parser.parse_args()
    print(f"kill_load: {given.kills} kills, --seed {given.seed}", flush=True)
    source, context = random.Random(given.seed), zmq.Context()
    with tempfile.TemporaryDirectory(prefix="worldd-kill-") as name:
        directory = pathlib.Path(name)
        (directory / "long.script.json").write_text(json.dumps(LONG))
        daemon = Daemon(directory / "worldd", *SETTINGS, f"daemon.compress_episodes={source.choice(('true', 'false'))}")
        try:
            starts = [started(daemon)]
            daemon.planner(directory / "long.script.json", "long", "--quiet", "--max-inflight", "16")
            daemon.planner(PLANS / "bluetooth_off.json", "quick", "--quiet")
            loyal = Control(daemon.control_endpoint, "loyal")
            counts = dict.fromkeys(("finished", "unfinished", "not begun", "half compressed", "steps replayed", "env steps"), 0)
            comebacks = []
            for number in range(given.kills):
                loyal.request("status")
                boot_id = loyal.boot_id
                life = Round(daemon, source, context, number)
                life.load_until_killed()
                counts["env steps"] += life.steps
                check_round(daemon, life, counts)
                starts.append(started(daemon))
                began = time.monotonic()
                peers_are_back(daemon, loyal, life, boot_id, context)
                until("the planners are back", lambda: len(loyal.request("planners")) == 2)
                comebacks.append(time.monotonic() - began)
                if (number + 1) % 20 == 0:
                    print(f"kill_load: {number + 1} kills, {counts}", flush=True)
            loyal.close()
        finally:
            code = daemon.stop()
        assert code == 0, daemon.log_text()
    context.destroy(linger=0)
    print(f"kill_load: {given.kills} kills: {counts}; it answered again after {statistics.median(starts):.2f} s (median), "
          f"{max(starts):.2f} s (worst); the peers were back after {max(comebacks, default=0):.2f} s (worst)")
    assert max(starts) <= given.restart, "a restart took too long"


if __name__ == "__main__":
    main()
