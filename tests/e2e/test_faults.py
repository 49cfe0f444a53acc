"""Faults of one peer or one env: what becomes of it, and that the envs of others give the digests that they give alone.

More faults stand where their subject does: planners that hang, stop, stammer, lie or come late in test_planners.py, a
client that dies in mid-batch, slow watchers and deadlines in test_envs.py, stale sockets and restarts in test_lifecycle.py,
strangers in test_raw_peers.py and test_bad_input.py.
"""
import json
import os
import pathlib
import random
import signal

import pytest

from conftest import PLANS, ROOT, until
from load import Counted, Walk, batch, batch_reply, create, digests, draw_action, error_of, step_walks, walked_alone
from peers import Doors, wire

HOME = {"kind": "home"}
SEEDS = range(4)
STEPS = 8                    # of a bystander at least, half of them before the fault


@pytest.fixture
def start(make_daemon):
    """start(*settings): the doors of a daemon."""
    opened = []

    def make(*settings, name="worldd"):
        opened.append(Doors(make_daemon(*settings, name=name)))
        return opened[-1]
    yield make
    for doors in opened:
        doors.close()


def counted(doors, *arguments, **options):
    doors.peers.append(Counted(doors.context, doors.daemon.control_endpoint, *arguments, **options))
    return doors.peers[-1]


class Bystanders:
    """Envs of a client that does nothing wrong, on every worker. They walk while others fail."""

    def __init__(self, doors):
        self.client = doors.client("bystander").greet()
        self.walks = [Walk(seed) for seed in SEEDS]
        self.envs = [create(self.client, seed=walk.seed) for walk in self.walks]
        self.sources = [random.Random(walk.seed) for walk in self.walks]
        self.go()

    def go(self):
        for _ in range(STEPS // 2):
            step_walks(self.client, self.envs, self.walks, [draw_action(source) for source in self.sources], "changed")

    def unharmed(self, make_daemon, *settings):
        """They go on, and came all the way as they do in a daemon of their own."""
        self.go()
        alone = Doors(make_daemon("env.workers=1", *settings, name="alone"))
        client = alone.client("alone").greet()
        for walk in self.walks:
            assert len(walk.digests) >= STEPS and walked_alone(client, walk) == walk.digests
        alone.close()


# ---- requests ---------------------------------------------------------------------------------------------------------

def test_duplicated_requests_have_one_effect_each(start, make_daemon):
    doors = start("env.workers=2")
    others = Bystanders(doors)
    client = counted(doors, "twice").greet()
    env = create(client, seed=1)
    for step in range(1, 6):
        first = batch(client, [env], ["launch_app"], [{"app": "settings"}])
        batch(client, [env], ["launch_app"], [{"app": "settings"}], request_id=first)     # perhaps still open
        client.settled()
        batch(client, [env], ["launch_app"], [{"app": "settings"}], request_id=first)     # answered
        client.settled()
        assert (list(client.answers[first][1].step) or [0]) == [step - 1]
    client.socket.close(0)
    back = counted(doors, "twice", client.instance).greet()
    back.answers, back.request_id = {first: client.answers[first]}, client.request_id
    batch(back, [env], ["launch_app"], [{"app": "settings"}], request_id=first)
    back.settled()                                                   # the same bytes, or it has failed by now
    assert back.control("env_observe", env=env, observe="none")["steps"] == 5
    others.unharmed(make_daemon)


def test_a_run_asked_for_twice_runs_once(start):
    doors = start()
    doors.daemon.planner(PLANS / "bluetooth_off.json", "steady", "--think", "50")
    client = counted(doors, "twice").greet()
    number = client.ask("run", task="demo/bluetooth_off")
    client.request_id = number - 1
    client.ask("run", task="demo/bluetooth_off")
    assert client.answer(number)["verdict"]["passed"]
    client.request_id = number - 1
    client.ask("run", task="demo/bluetooth_off")                     # once more, now that it is over
    client.settled()
    status = client.control("status")["runs"]
    assert (status["started"], status["ended"]) == (1, 1)
    assert client.answered[number] == 2 and len(list((doors.daemon.directory / "episodes").iterdir())) == 1
    client.socket.close(0)


def test_a_broken_duplicate_does_not_answer_the_request(start):
    doors = start("env.workers=1")
    client = doors.client().greet()
    env = create(client, seed=1)
    first = batch(client, [env] * 2000, ["launch_app"], [{"app": "settings"}])
    batch(client, [env], [], request_id=first)                       # no action: no request at all
    kind, message = batch_reply(client, first)
    assert kind == "ERROR" and message.text.startswith("actions: 0 for 1 slots")
    kind, message = batch_reply(client, first)
    assert kind == "ENV_BATCH_REPLY" and len(message.step) == 2000
    batch(client, [env], ["home"], request_id=first)
    assert batch_reply(client, first) == (kind, message)


def test_reordered_requests_are_answered_by_their_ids(start, make_daemon):
    doors = start("env.workers=3")
    others = Bystanders(doors)
    client = counted(doors, "reordered").greet()
    envs = [create(client, seed=seed) for seed in range(24)]
    base = client.request_id
    order = random.Random(5).sample(range(len(envs)), len(envs))
    for at in order:
        client.request_id = base + at
        client.ask("env_observe", env=envs[at], observe="none")
        if at % 3 == 0:
            client.request_id = base + at
            client.ask("env_observe", env=envs[at], observe="none")
    client.request_id = base + len(envs)
    client.settled()
    assert [client.answer(base + 1 + at)["env"] for at in range(len(envs))] == envs
    client.socket.close(0)
    others.unharmed(make_daemon)


# ---- full queues --------------------------------------------------------------------------------------------------------

def test_more_open_requests_than_allowed_are_refused_and_have_no_effect(start, make_daemon):
    doors = start("env.workers=1")
    others = Bystanders(doors)
    client = counted(doors, "eager").greet()
    env = create(client, seed=1)
    batch(client, [env] * 4000, ["launch_app"], [{"app": "settings"}])      # the worker is busy meanwhile
    for _ in range(400):
        client.ask("env_step", env=env, action=HOME)
    client.settled()
    refused = [message.text for kind, message in client.answers.values() if kind == "ERROR"]
    assert refused and set(refused) == {"request_id: 256 requests of yours are open"}, refused[:3]
    assert client.control("env_observe", env=env, observe="none")["steps"] == 4400 - len(refused)
    client.socket.close(0)
    others.unharmed(make_daemon)


def test_a_client_that_never_reads_is_let_go_and_finds_its_answers_when_it_is_back(start, make_daemon, monkeypatch):
    monkeypatch.setenv("ASAN_OPTIONS", "quarantine_size_mb=1")       # or what is freed counts as resident
    doors = start("env.workers=1")
    others = Bystanders(doors)
    deaf = counted(doors, "deaf", RCVHWM=1, SNDHWM=1).greet()
    env = create(deaf, seed=1)
    before = resident_kib(doors.daemon)

    def its_queue_is_full():
        for _ in range(50):
            deaf.ask("env_observe", env=env, observe="full")
        return "a client cannot be reached" in doors.daemon.log_text()
    until("it is let go", its_queue_is_full)
    last = deaf.request_id
    assert resident_kib(doors.daemon) < before + 200 * 1024          # 1000 answers of 20 KiB, kept twice at most
    others.go()
    deaf.socket.close(0)
    back = counted(doors, "deaf", deaf.instance).greet()
    back.request_id = last - 1
    back.ask("env_observe", env=env, observe="full")
    assert back.answer(last)["observation"]["scene"]["nodes"]
    back.socket.close(0)
    others.unharmed(make_daemon)


def test_a_client_that_reads_too_late_misses_steps_but_no_answer(start, task_file, script_file):
    doors = start()
    waits = [{"steps": [{"action": "wait", "args": {"ms": 10 + n}} for n in range(8)]} for _ in range(60)]
    doors.daemon.planner(script_file(waits), "busy")
    late, other = counted(doors, "late", RCVHWM=1).greet(), doors.client("other").greet()
    task = {"id": "long", "instruction": "wait", "max_steps": 300}
    runs = [late.ask("run", task=task, run_id=f"r{n}") for n in range(6)]
    until("all are over", lambda: other.control("status")["runs"]["ended"] == len(runs))
    told = 0
    while runs[-1] not in late.answers or len(late.answers) < len(runs):
        told += late.receive("PROGRESS", "REPLY", "ERROR")[0] == "PROGRESS"
    assert [late.answer(number)["ending"] for number in runs] == ["step_limit"] * len(runs)
    assert told < 300 * len(runs)                                    # its queue was full


def resident_kib(daemon):
    status = pathlib.Path(f"/proc/{daemon.process.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))


# ---- watchers -----------------------------------------------------------------------------------------------------------

def test_a_watcher_that_never_reads_disturbs_no_env(start, make_daemon):
    doors = start("env.workers=2")
    deaf = doors.client("deaf", RCVHWM=1).greet()
    deaf.ask("watch")
    deaf.in_step(1)
    others = Bystanders(doors)
    client = doors.client("busy").greet()
    env = create(client, seed=1)
    batch_reply(client, batch(client, [env] * 4000, ["home"]))       # more than fits into any queue
    others.unharmed(make_daemon)
    deaf.close()


def test_a_watcher_that_vanished_does_not_keep_its_envs(start, make_daemon):
    doors = start("env.workers=2", "env.orphan_ms=600")
    watching = doors.client("watching").greet()
    create(watching, seed=1)
    watching.ask("watch", mine=True)
    watching.ask("watch")
    watching.in_step(1)
    watching.close()
    other = doors.client("other").greet()
    env = create(other, seed=1)

    def gone():
        batch_reply(other, batch(other, [env], ["home"]))            # an event that nobody can be told any more
        return other.control("env_stats")["envs"] == 1
    until("its env is closed", gone)


def test_a_watch_goes_on_where_its_client_is_and_ends_with_it(start):
    doors = start("env.workers=1")
    client, other = doors.client("watching").greet(), doors.client("other").greet()
    env = create(other, seed=1)
    number = client.ask("watch", env=env)
    client.in_step(1)
    back = doors.client("back")
    back.instance, back.request_id = client.instance, number - 1
    back.greet()
    back.ask("watch", env=env)                                       # before anybody noticed the loss of the old one
    back.in_step(1)
    batch_reply(other, batch(other, [env], ["home"]))
    assert back.receive("PROGRESS")[1].request_id == number
    back.send("GOODBYE", wire.SCHEMA["Goodbye"]())
    again = doors.client("again")
    again.instance, again.request_id = client.instance, number - 1
    again.greet()
    assert "the watch ended with its connection" in error_of(again, "watch", env=env)


# ---- one env ------------------------------------------------------------------------------------------------------------

FAULTY = {
    "manifest.json": json.dumps({
        "id": "faulty", "packageName": "org.example.faulty", "name": {"en": "Faulty", "zh": "坏"}, "aliases": [],
        "type": "third-party", "version": "1.0.0", "versionCode": 1, "permissions": [], "intentFilters": []}),
    "defaults.json": '{"count": 0}',
    "strings.json": '{"en": {}, "zh": {}}',
    "app.lua": """
screens["/"] = function(ctx)
  return screen{ page = "faulty", title = "Faulty", pad = 24, gap = 24,
    map({ "raise", "loop", "recurse", "eat", "add" }, function(name) return button{ id = name, name, tap = name } end),
    button{ id = "blind", "blind", go = "/blind" } }
end

screens["/blind"] = function(ctx) return screen{ page = ctx.state.nothing.there } end

function down(n) return 1 + down(n + 1) end

actions.raise = function(ctx) ctx.draft.count = 99; error("told to") end
actions.loop = function(ctx) ctx.draft.count = 99; while true do end end
actions.recurse = function(ctx) ctx.draft.count = down(1) end
actions.eat = function(ctx) local list = {}; while true do list = { list, times("x", 1000) } end end
actions.add = function(ctx) ctx.draft.count = ctx.draft.count + 1 end
"""}
LUA_FAULTS = {
    "raise": "told to",
    "loop": "more than 5000000 instructions in one call",
    "recurse": "more than 33554432 bytes of memory in one call",
    "eat": "more than 33554432 bytes of memory in one call",
    "blind": "a nil value",      # a page that cannot be drawn
}


@pytest.fixture
def faulty_packs(tmp_path):
    folder = tmp_path / "packs/faulty"
    folder.mkdir(parents=True)
    for name, text in FAULTY.items():
        (folder / name).write_text(text, encoding="utf-8")
    return f"daemon.packs={ROOT}/sim/apps:{folder.parent}"


def tap(resource_id):
    return {"kind": "tap", "selector": {"resource_id": resource_id}}


@pytest.mark.parametrize("fault", LUA_FAULTS)
def test_an_error_in_an_apps_code_ends_one_step_of_one_env(start, make_daemon, faulty_packs, fault):
    doors = start("env.workers=1", faulty_packs)                     # one interpreter serves them all
    client = doors.client("unlucky").greet()
    others = Bystanders(doors)
    envs = [create(client, seed=1) for _ in range(3)]
    batch_reply(client, batch(client, envs, ["launch_app"], [{"app": "faulty"}]))
    before = client.control("env_observe", env=envs[0], observe="none")["digest"]
    _, reply = batch_reply(client, batch(client, envs, ["tap"], [tap("add"), tap(fault), tap("add")]))
    said = [list(reply.status)[i] if reply.status else 0 for i in range(3)]
    assert LUA_FAULTS[fault] in reply.text[1] and "app.lua:" in reply.text[1], reply.text
    assert said == [0, 0, 0] and list(reply.outcome) == [0, 1, 0], reply        # failed, and said so
    assert digests(reply)[0] == digests(reply)[2] != before
    assert client.control("env_state", env=envs[1], path="apps.faulty.count") == 0     # nothing of it was taken
    _, reply = batch_reply(client, batch(client, envs[1:2], ["tap"], [tap("add")]))
    assert client.control("env_state", env=envs[1], path="apps.faulty.count") == 1     # and it goes on
    others.unharmed(make_daemon, faulty_packs)


def test_memory_that_runs_out_is_said_and_comes_back(start, make_daemon):
    """One client fills what env.mib_max gives to all; nobody's env is harmed, and closing gives room again."""
    doors = start("env.workers=1", "env.mib_max=16")
    others = Bystanders(doors)
    greedy = doors.client("greedy").greet()
    held = []
    text = "x" * 100_000

    def refusal():
        request = greedy.ask("env_create", seed=len(held))
        kind, message = greedy.receive("REPLY", "ERROR")
        assert message.request_id == request
        if kind == "ERROR":
            return message
        held.append(json.loads(message.result_json)["env"])
        greedy.ask("env_inject", env=held[-1], patch={"apps": {"notes": {"notes": {"note_a": {"body": f"{len(held)}{text}"}}}}})
        greedy.receive("REPLY", "ERROR")                             # the last of them are refused
        return None
    message = until("the memory is full", refusal)
    assert message.code == 6 and "bytes are in use and the limit is 16777216" in message.text, message.text   # ELIMIT
    request = batch(others.client, others.envs, ["home"])
    _, reply = batch_reply(others.client, request)
    assert list(reply.status) == [6] * len(others.envs)              # refused, not half done
    seen = others.client.control("env_observe", env=others.envs[0])
    assert seen["digest"] == others.walks[0].digests[-1]             # what needs no memory goes on
    assert doors.status()["runs"]["open"] == 0
    greedy.control("env_close", envs=held)
    others.unharmed(make_daemon)


# ---- workers, seeds, forks ------------------------------------------------------------------------------------------------

def test_results_do_not_depend_on_the_number_of_workers(start):
    """24 envs, in batches that span all workers, forked half way across them."""
    told = []
    for workers in (1, 2, 3, 4):
        doors = start(f"env.workers={workers}", name=f"workers{workers}")
        client = doors.client().greet()
        walks = [Walk(seed) for seed in range(24)]
        envs = [create(client, seed=walk.seed) for walk in walks]
        sources = [random.Random(walk.seed) for walk in walks]
        for step in range(12):
            step_walks(client, envs, walks, [draw_action(source) for source in sources])
            if step == 5:
                forked = client.control("env_fork", env=envs[3], count=8)["envs"]
                assert len({env[-2:] for env in forked}) == workers   # they live on all of them
                futures, actions = [walks[3].copy() for _ in forked], random.Random(99)
        for _ in range(6):
            step_walks(client, forked, futures, [draw_action(actions)] * len(forked))
        assert len({tuple(walk.digests) for walk in futures}) == 1
        told.append([walk.digests for walk in walks] + [futures[0].digests])
    assert told[0] == told[1] == told[2] == told[3]
    assert len({digest[0] for digest in told[0]}) > 12               # another seed, another way
    same, other = Walk(1), Walk(1)
    step_walks(client, [create(client, seed=1), create(client, seed=1)], [same, other], [("home", {})] * 2)
    different = Walk(2)
    step_walks(client, [create(client, seed=2)], [different], [("home", {})])
    assert same.digests == other.digests != different.digests


def test_a_fork_has_its_parents_future_whatever_happens_between(start):
    doors = start("env.workers=2")
    client = doors.client().greet()
    parent, walk, source = create(client, seed=3), Walk(3), random.Random(3)
    for _ in range(4):
        step_walks(client, [parent], [walk], [draw_action(source)])
    forks = client.control("env_fork", env=parent, count=2)["envs"]
    planned = [draw_action(source) for _ in range(10)]
    for action in planned:
        step_walks(client, [parent], [walk], [action])
    client.control("env_close", env=parent)
    futures = [Walk(3), Walk(3)]
    for action in planned:
        step_walks(client, forks, futures, [action] * 2)
    assert futures[0].digests == futures[1].digests == walk.digests[4:]


# ---- planners, and the daemon itself --------------------------------------------------------------------------------------

@pytest.mark.parametrize("fault", ["stopped", "twice", "late", "stranger"])
def test_a_planner_that_fails_disturbs_no_env(start, make_daemon, fault):
    doors = start("env.workers=2", "planner.attempt_timeout_ms=1000", "planner.wait_ms=0", "planner.heartbeat_ms=200",
                  "planner.liveness=20")
    flags = {"stopped": [], "late": ["--think", "1500"]}.get(fault, ["--fault", fault])
    bad = doors.daemon.planner(PLANS / "bluetooth_off.json", "a-bad", *flags)
    if fault == "stopped":
        bad.send_signal(signal.SIGSTOP)
    doors.daemon.planner(PLANS / "bluetooth_off.json", "good")
    others = Bystanders(doors)
    client = doors.client("runs").greet()
    run = client.ask("run", task="demo/bluetooth_off")
    others.go()
    assert client.answer(run)["verdict"]["passed"]
    others.unharmed(make_daemon)
    os.kill(bad.pid, signal.SIGCONT)


def test_after_a_kill_the_peers_learn_what_was_lost_and_envs_are_as_they_were(start, make_daemon):
    doors = start("env.workers=2")
    client = doors.client().greet()
    walk, source = Walk(5), random.Random(5)
    env = create(client, seed=5)
    for _ in range(6):
        step_walks(client, [env], [walk], [draw_action(source)])
    open_request = client.ask("watch")
    client.in_step(1)
    doors.daemon.stop(signal.SIGKILL)
    doors.daemon.start()                                             # over the stale sockets
    client.send("PING", wire.SCHEMA["Ping"]())
    assert client.receive("WHO_ARE_YOU", "PONG")[0] == "WHO_ARE_YOU"
    client.hello()
    client.receive("WELCOME")
    client.request_id = open_request - 1
    assert client.ask("watch") == open_request                       # nobody knows it: it begins anew
    client.in_step(2)
    assert f"there is no env {env}" in error_of(client, "env_observe", env=env)
    assert walked_alone(client, walk) == walk.digests
