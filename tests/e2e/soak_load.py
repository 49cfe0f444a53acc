#!/usr/bin/python3
"""Mixed load with faults on one daemon, for so long as is asked: nothing may leak, get lost or be answered twice.

    soak_load.py SECONDS [--seed N] [--pace X]

Clients step envs in batches, fork, restore, repeat requests, vanish and come back; runs are planned by planners that hang,
die, stop, stammer and lie, and enriched by enrichers no better; watchers read fast and slowly; programs are killed. At the
end every way that an env took is taken again alone, and must give the same digests; the daemon's resident memory must not
have grown since minute 10 by more than 5 % (judged in loads of 20 minutes and more: pools and caches fill first).

The programs are those of WORLDD_BIN. Pauses between turns only limit the load; nothing here waits by sleeping.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import zmq

from conftest import BIN, PLANS, ROOT, Daemon, until
from load import ANY, Counted, Walk, batch, batch_reply, create, draw_action, step_walks, walked_alone
from peers import STATUS, Peer, wire
from worldd.control import Control

GROWTH_MAX = 1.05            # resident memory at the end over that after the warm-up
WARM_UP_S = 600
JUDGED_FROM_S = 1200         # what lasts shorter says nothing about memory
CROWD, WIDE_STEPS = 60, 2000  # envs and steps of the walk that fills the caches
WALKS_KEPT_MAX = 300         # that are taken again in the end
SETTINGS = ("env.workers=2", "env.orphan_ms=10000", "env.snapshot_idle_ms=5000", "planner.heartbeat_ms=200",
            "planner.liveness=5", "planner.attempt_timeout_ms=700", "planner.wait_ms=300", "semantic.deadline_ms=300",
            "daemon.compress_episodes=true", "daemon.log_level=error")
ENDINGS = {"complete", "abort", "planner_lost", "planner_late", "format_error", "cancelled", "step_limit", "repetition_limit"}
PLANNER_FAULTS = ("hang", "silent", "die", "twice", "garbage", "stranger", "refuse", "late", "stop", "kill")
ENRICHER_FAULTS = ("right", "late", "dead", "wrong", "unable")


class Soak:
    """What the threads share: the daemon, the end, the counters and the walks to be checked."""

    def __init__(self, daemon, seed, pace):
        self.daemon, self.seed, self.pace = daemon, seed, pace
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.failures, self.counts, self.walks = [], collections.Counter(), []
        self.reservoir = random.Random(f"{seed} reservoir")

    def source(self, name):
        return random.Random(f"{self.seed} {name}")

    def pause(self, seconds):
        """Limit the load; true when it is over."""
        return self.over.wait(seconds * self.pace)

    def count(self, what, number=1):
        with self.lock:
            self.counts[what] += number

    def keep(self, walk):
        """A sample of all walks, evenly over the time."""
        with self.lock:
            self.counts["walks"] += 1
            if len(self.walks) < WALKS_KEPT_MAX:
                self.walks.append(walk)
            else:
                at = self.reservoir.randrange(self.counts["walks"])
                if at < WALKS_KEPT_MAX:
                    self.walks[at] = walk

    def start(self, function, *arguments):
        def body():
            context = zmq.Context()
            try:
                while not self.over.is_set():
                    function(self, context, *arguments)
            except Exception:       # noqa: BLE001 - whatever it is, the load has failed
                self.failures.append(f"{function.__name__}{arguments}: {traceback.format_exc()}")
                self.over.set()
            finally:
                context.destroy(linger=0)
        thread = threading.Thread(target=body, name=function.__name__, daemon=True)
        thread.start()
        return thread


# ---- clients with envs --------------------------------------------------------------------------------------------------

def env_client(soak, context, name, source):
    """One life of a client: envs, batches, forks and restores; then it closes all, or vanishes."""
    client = Counted(context, soak.daemon.control_endpoint, name).greet()
    walks = [Walk(source.randrange(1000)) for _ in range(source.randrange(2, 9))]
    envs = [create(client, seed=walk.seed) for walk in walks]
    snapshots = []               # (snapshot, the walk so far)
    for _ in range(source.randrange(10, 60)):
        if soak.pause(source.uniform(0.02, 0.15)):
            break
        turn = source.random()
        if turn < 0.70:
            actions = [draw_action(source) for _ in envs]
            step_walks(client, envs, walks, actions, source.choice(("", "", "changed", "full")))
            soak.count("steps", len(envs))
            client = come_back(soak, context, client, source) if source.random() < 0.1 else client
        elif turn < 0.80:
            at = source.randrange(len(envs))
            snapshots.append((client.control("env_snapshot", env=envs[at])["snapshot"], walks[at].copy()))
        elif turn < 0.88 and snapshots:
            restore(soak, client, source, envs, walks, snapshots)
        elif turn < 0.95:
            fork(soak, client, source, envs, walks)
        else:
            crowd(soak, client, source, envs)
        client.forget_before(client.request_id - 8)
    leave(soak, client, source, envs, walks)


def come_back(soak, context, client, source):
    """A new connection of the same instance in mid-request: what it asked is answered there, and has one effect."""
    number = client.ask("env_list")
    if source.random() < 0.5:
        client.answer(number)
    client.socket.close(0)
    back = Counted(context, soak.daemon.control_endpoint, client.name, client.instance).greet()
    back.asked, back.answered, back.answers = client.asked, client.answered, client.answers
    back.request_id = number - 1
    assert back.ask("env_list") == number
    back.settled()
    soak.count("reconnects")
    return back


def restore(soak, client, source, envs, walks, snapshots):
    """Back to an earlier state; a snapshot that nobody used for long is gone, and worldd says so."""
    at = source.randrange(len(envs))
    snapshot, walk = source.choice(snapshots)
    request = client.ask("env_restore", env=envs[at], snapshot=snapshot)
    kind, message = client.receive("REPLY", "ERROR")
    assert message.request_id == request
    if kind == "ERROR":
        assert message.code == STATUS["ENOENT"], message.text
        snapshots.remove((snapshot, walk))
        return
    walks[at] = walk.copy()
    soak.count("restores")


def fork(soak, client, source, envs, walks):
    """Forks, spread over the workers, have their parent's future; then they go."""
    at = source.randrange(len(envs))
    forked = client.control("env_fork", env=envs[at], count=source.randrange(1, 6))
    futures = [walks[at]] + [walks[at].copy() for _ in forked["envs"]]
    action = draw_action(source)
    step_walks(client, [envs[at], *forked["envs"]], futures, [action] * len(futures))
    assert len({walk.digests[-1] for walk in futures}) == 1
    client.control("env_close", envs=forked["envs"])
    if source.random() < 0.5:
        client.control("env_forget", snapshot=forked["snapshot"])
    soak.count("forks", len(forked["envs"]))


def crowd(soak, client, source, envs):
    """Many requests at once, some of them twice: as many answers."""
    first = client.request_id + 1
    for number in range(first, first + source.randrange(10, 100)):
        client.request_id = number - 1
        client.ask("env_observe", env=source.choice(envs), observe="none")
        if source.random() < 0.3:
            client.request_id = number - 1
            client.ask("env_observe", env=source.choice(envs), observe="none")
    client.settled()
    soak.count("crowds")


def leave(soak, client, source, envs, walks):
    how = source.random()
    if how < 0.3:                # in mid-batch, without a word; its envs are closed when it was silent too long
        batch(client, envs * 20, ["home"], observe="full")
        soak.count("clients that vanished")
        client.socket.close(0)
        return
    client.settled()
    for walk in walks:
        soak.keep(walk)
    client.control("env_close", envs=envs)
    if how < 0.9:
        client.send("GOODBYE")
    client.socket.close(200)


# ---- runs -----------------------------------------------------------------------------------------------------------------

def run_client(soak, context, source):
    """Runs, several at once; each ends once, in a way that has a name, and its episode can be read."""
    client = Counted(context, soak.daemon.control_endpoint, "runs").greet()
    for _ in range(20):
        if soak.pause(source.uniform(0.1, 0.4)):
            break
        asked = []
        for _ in range(source.randrange(1, 5)):
            planner = "steady" if source.random() < 0.5 else None
            options = {"step_limit": 12, "enricher": source.random() < 0.3}
            named = {} if planner is None else {"planner": planner}
            asked.append(client.ask("run", task="demo/bluetooth_off", seed=source.randrange(1000), options=options, **named))
        if source.random() < 0.2:
            client.request_id = asked[-1] - 1
            client.ask("run", task="demo/bluetooth_off")     # the same id: nothing is done
        results = [client.answer(number) for number in asked]
        client.settled()
        for result in results:
            take_result(soak, source, result)
        client.forget_before(client.request_id)
    client.send("GOODBYE")
    client.socket.close(200)


def take_result(soak, source, result):
    assert result["ending"] in ENDINGS, result
    soak.count(f"runs {result['ending']}")
    path = pathlib.Path(result["episode"])
    if source.random() < 0.1:
        done = soak.daemon.ctl("replay", path, "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        soak.count("replays")
    path.unlink()


def bad_planners(soak, _context, source):
    """Planners that fail, one after another, beside the steady one."""
    fault = source.choice(PLANNER_FAULTS)
    flags = {"late": ["--think", "900"], "stop": [], "kill": ["--think", "50"]}.get(fault, ["--fault", fault])
    child = subprocess.Popen([BIN / "planner-stub", "--endpoint", soak.daemon.planner_endpoint, "--quiet", "--name",
                              "bad", "--script", PLANS / "bluetooth_off.json", *flags], stderr=subprocess.DEVNULL)
    soak.pause(source.uniform(0.5, 2))
    if fault == "stop":
        child.send_signal(signal.SIGSTOP)
        soak.pause(source.uniform(0.5, 3))
        child.send_signal(signal.SIGCONT)
        soak.pause(source.uniform(0.2, 1))
    child.send_signal(signal.SIGTERM if source.random() < 0.3 else signal.SIGKILL)
    child.wait()
    soak.count("planners")


def bad_enrichers(soak, _context, source):
    child = subprocess.Popen([sys.executable, "-B", ROOT / "tests/e2e/enricher.py", soak.daemon.planner_endpoint, "bad",
                              source.choice(ENRICHER_FAULTS)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    soak.pause(source.uniform(3, 8))
    child.kill()
    child.wait()
    soak.count("enrichers")


# ---- watchers, and programs that are killed --------------------------------------------------------------------------------

def watcher(soak, context, name, pause_s, source):
    """Watches everything for a while. What comes is numbered without a gap; what did not is counted."""
    peer = Peer(context, soak.daemon.control_endpoint, "client", name, RCVHWM=8).greet()
    request = peer.ask("watch")
    end = time.monotonic() + source.uniform(5, 20)
    told, dropped = 0, 0
    while not soak.over.is_set() and time.monotonic() < end:
        if not peer.socket.poll(100):
            peer.send("PING", wire.SCHEMA["Ping"]())     # so that something comes
        kind, message = peer.receive(*ANY)
        if kind == "PONG":
            continue
        assert kind == "PROGRESS", f"{name}: {kind} {message}"
        event = json.loads(message.event_json)
        assert message.request_id == request and event["dropped"] >= dropped, message
        told, dropped = told + 1, event["dropped"]
        assert told + dropped <= message.sequence, message
        soak.over.wait(pause_s)
    soak.count(f"events told to the {name} watcher", told)
    soak.count(f"events that the {name} watcher missed and was told so", dropped)
    if source.random() < 0.5:
        peer.socket.close(0)
    else:
        peer.send("GOODBYE")
        peer.socket.close(200)


def killed_programs(soak, _context, source):
    """worldctl, killed while it runs a task or watches."""
    child = soak.daemon.ctl_started(*source.choice((("watch",), ("run", "demo/bluetooth_off"), ("top",))))
    soak.pause(source.uniform(0.05, 1.5))
    child.kill()
    child.communicate()
    soak.daemon.children.remove(child)
    soak.count("programs killed")
    soak.over.wait(1)


# ---- measuring --------------------------------------------------------------------------------------------------------------

class Meter:
    """Resident memory, descriptors and CPU time of a process, once a second."""

    def __init__(self, pid):
        self.pid, self.began = pid, time.monotonic()
        self.rows = []           # (seconds, KiB, descriptors, seconds of CPU)

    def read(self):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        kib = int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))
        ticks = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        cpu = (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")
        self.rows.append((time.monotonic() - self.began, kib, len(os.listdir(f"/proc/{self.pid}/fd")), cpu))

    def kib_around(self, second, width):
        return statistics.median(row[1] for row in self.rows if abs(row[0] - second) <= width)


# ---- all of it ----------------------------------------------------------------------------------------------------------------

def held_by_envs(control):
    stats = control.request("env_stats")
    return f"{stats['envs']} envs, {stats['snapshots']}+{stats['forgotten']} snapshots, {stats['bytes'] >> 10} KiB of heap"


def fill_caches(soak):
    """A wide walk over both workers first: what worldd keeps of screens once drawn is bounded, but fills slowly."""
    context, source = zmq.Context(), soak.source("wide")
    client = Counted(context, soak.daemon.control_endpoint, "wide").greet()
    walks = [Walk(source.randrange(1000)) for _ in range(CROWD)]
    envs = [create(client, seed=walk.seed) for walk in walks]
    for _ in range(WIDE_STEPS):
        step_walks(client, envs, walks, [draw_action(source) for _ in envs], "full")
        client.forget_before(client.request_id)
    client.control("env_close", envs=envs)
    context.destroy(linger=0)


def drive(soak, seconds, meter):
    steady = soak.daemon.planner(PLANS / "bluetooth_off.json", "steady", "--think", "10")
    threads = [soak.start(env_client, f"envs{n}", soak.source(f"envs{n}")) for n in range(3)]
    threads += [soak.start(run_client, soak.source("runs")), soak.start(bad_planners, soak.source("planners")),
                soak.start(bad_enrichers, soak.source("enrichers")), soak.start(killed_programs, soak.source("killer")),
                soak.start(watcher, "fast", 0, soak.source("fast")), soak.start(watcher, "slow", 0.3, soak.source("slow"))]
    control = Control(soak.daemon.control_endpoint, "meter")
    said = end = time.monotonic()
    end += seconds
    while time.monotonic() < end and not soak.over.wait(min(1, seconds / 60)):
        meter.read()
        if time.monotonic() - said >= 60:
            said = time.monotonic()
            print(f"soak_load: {meter.rows[-1][0]:.0f} s, {meter.rows[-1][1]} KiB, {meter.rows[-1][2]} descriptors, "
                  f"{meter.rows[-1][3]:.1f} s of CPU, {held_by_envs(control)}", flush=True)
    soak.over.set()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), f"{thread.name} does not end"
    assert not soak.failures, "\n".join(soak.failures)
    assert steady.poll() is None and soak.daemon.process.poll() is None


def nothing_is_left(soak):
    """Envs of those that vanished are closed, no run and no request stays open."""
    context = zmq.Context()
    client = Counted(context, soak.daemon.control_endpoint, "last").greet()
    until("the envs are closed", lambda: client.control("env_stats")["envs"] == 0)
    until("the runs are over", lambda: client.control("status")["runs"]["open"] == 0)
    status = client.control("status")
    assert status["planners"]["requests_open"] == 0, status
    context.destroy(linger=0)
    return status


def walks_are_the_same_alone(soak, directory):
    """In another daemon, of one worker and without company."""
    calm = Daemon(directory / "calm", "env.workers=1").start()
    context = zmq.Context()
    client = Counted(context, calm.control_endpoint, "alone").greet()
    for walk in soak.walks:
        alone = walked_alone(client, walk)
        assert alone == walk.digests, f"seed {walk.seed}: {walk.actions}: differs at step " \
            f"{[a == b for a, b in zip(alone, walk.digests)].index(False)}"
        client.forget_before(client.request_id)
    context.destroy(linger=0)
    assert calm.stop() == 0, calm.log_text()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seconds", type=float)
    parser.add_argument("--pace", type=float, default=1.0, help="pauses are so many times as long")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "little"))
    given = parser.parse_args()
    print(f"soak_load: {given.seconds:g} s, --seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="worldd-soak-") as name:
        directory = pathlib.Path(name)
        daemon = Daemon(directory / "worldd", *SETTINGS).start()
        soak, meter = Soak(daemon, given.seed, given.pace), Meter(daemon.process.pid)
        try:
            if given.seconds >= JUDGED_FROM_S:
                fill_caches(soak)
            drive(soak, given.seconds, meter)
            status = nothing_is_left(soak)
        finally:
            code = daemon.stop()
        assert code == 0, daemon.log_text()
        walks_are_the_same_alone(soak, directory)
    width = min(30, given.seconds / 4)
    judged = given.seconds >= JUDGED_FROM_S
    warm_up = WARM_UP_S if judged else given.seconds / 2
    warm, last = (meter.kib_around(second, width) for second in (warm_up, given.seconds - width))
    for what, number in sorted(soak.counts.items()):
        print(f"soak_load: {number} {what}")
    print(f"soak_load: {status['control']['messages']} messages, planners {status['planners']}")
    print(f"soak_load: {len(soak.walks)} walks taken again alone: the same digests")
    print(f"soak_load: resident after {warm_up:.0f} s {warm:.0f} KiB, at the end {last:.0f} KiB: x {last / warm:.3f}"
          f"{'' if judged else ' (too short to judge)'}; descriptors {meter.rows[len(meter.rows) // 2][2]} and "
          f"{meter.rows[-1][2]}; CPU {meter.rows[-1][3] / meter.rows[-1][0]:.0%} of a core")
    assert not judged or last <= GROWTH_MAX * warm, "the daemon's memory has grown"


if __name__ == "__main__":
    main()
