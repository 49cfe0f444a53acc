"""The C client as a stranger gets it: installed into a prefix, found by pkg-config and CMake, driven against a daemon."""
import json
import os
import pathlib
import signal
import subprocess

import pytest
import zmq

import worldd
from conftest import ROOT, until
from worldd import wire

BUILD = pathlib.Path(os.environ.get("WD_BUILD_DIR", ROOT / "build/dev"))
PROBE, EXAMPLE = ROOT / "tests/clients/client_probe.c", ROOT / "clients/c/examples/run_task.c"
MANY = ROOT / "clients/c/examples/step_many.c"
PLANNER = ROOT / "clients/c/examples/hello_planner.c"


def done(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120, **options)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


def cached(name):
    for line in (BUILD / "CMakeCache.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith(name + ":"):
            return line.split("=", 1)[1]
    return ""


SANITIZE = [f"-fsanitize={cached('WORLDD_SANITIZE')}"] if cached("WORLDD_SANITIZE") else []


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    at = tmp_path_factory.mktemp("installed")
    done("cmake", "--install", BUILD, "--component", "client", "--prefix", at)
    return at


@pytest.fixture(scope="module")
def compiled(prefix, tmp_path_factory):
    """compiled(source): the program, built with pkg-config's flags alone."""
    at = tmp_path_factory.mktemp("programs")
    pc = next(prefix.rglob("worldd-client.pc")).parent
    flags = done("pkg-config", "--cflags", "--libs", "worldd-client", env={**os.environ, "PKG_CONFIG_PATH": str(pc)}).split()

    def build(source):
        program = at / source.stem
        if not program.exists():
            done(cached("CMAKE_C_COMPILER") or "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", *SANITIZE, source, *flags, "-o",
                 program)
        return program

    return build


class Probe:
    def __init__(self, program, endpoint, name="probe"):
        self.process = subprocess.Popen([program, endpoint, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.connected = self._line()

    def _line(self):
        return self.process.stdout.readline().rstrip("\n")

    def say(self, verb, args="", timeout_ms=20000):
        self.process.stdin.write(f"{verb} {timeout_ms} {args}\n")
        self.process.stdin.flush()

    def hear(self):
        """(status, events, text)"""
        status, events, text = self._line().split(" ", 2)
        return int(status), int(events), text

    def ask(self, *arguments, **options):
        self.say(*arguments, **options)
        return self.hear()

    def batch(self, slots, action="-", args="-", observe="-", verb="!batch", timeout_ms=20000):
        """(status, ticket, slots or the text of the error)"""
        fields = [observe, action, args] + [part for slot in slots for part in slot]
        status, ticket, text = self.ask(verb, "\t".join(fields), timeout_ms=timeout_ms)
        return status, ticket, json.loads(text) if text.startswith("[") else text

    def receive(self, ticket=0):
        status, ticket, text = self.ask("!receive", str(ticket), timeout_ms=0)
        return status, ticket, json.loads(text) if text.startswith("[") else text

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(30) == (0 if self.connected.startswith("0") else 1)


@pytest.fixture
def probe(compiled, worldd_daemon):
    opened = Probe(compiled(PROBE), worldd_daemon.control_endpoint)
    assert opened.connected == "0 "
    yield opened
    opened.close()


def test_verbs(probe, worldd_daemon):
    status, _, text = probe.ask("status")
    assert status == 0 and json.loads(text)["version"]
    assert probe.ask("runs") == (0, 0, "[]")
    assert probe.ask("planners", "{}")[0] == 0
    for verb, args, number, begin in [("dance", "{}", 20, "verb: "), ("state", '{"run":"none"}', 7, "args.run: "),
                                      ("state", "{}", 2, "args.run: "), ("status", "{nope", 3, "args_json"),
                                      ("run", '{"task":"demo/none"}', 7, "args.task: ")]:
        status, _, text = probe.ask(verb, args)
        assert (status, text[:len(begin)]) == (number, begin)
    with worldd.FunctionPlanner(worldd_daemon.planner_endpoint, lambda request: worldd.complete()):
        status, events, text = probe.ask("run-task", "demo/hello")
    assert (status, events, json.loads(text)["ending"]) == (0, 2, "complete")
    assert probe.ask("run-task", 'a "task"\\')[0] == 7, "names are quoted"
    assert probe.ask("run-task", "x" * 300)[0] == 2


def test_a_deadline(probe):
    assert probe.ask("run", '{"task":"demo/hello","planner":"nobody"}', timeout_ms=100)[0] == 16
    assert probe.ask("status")[0] == 0


def test_it_outlives_the_daemon(probe, worldd_daemon):
    assert probe.ask("status")[0] == 0
    worldd_daemon.stop()
    assert probe.ask("status")[0] in (16, 23)
    worldd_daemon.start()
    until("the client's return", lambda: probe.ask("status")[0] == 0)


def test_a_request_open_while_the_daemon_dies_is_lost(probe, worldd_daemon, worldd_world):
    probe.say("run", '{"task":"demo/hello","planner":"nobody"}', timeout_ms=-1)
    until("the run", worldd_world.runs)
    worldd_daemon.process.send_signal(signal.SIGKILL)
    assert probe.hear()[0] == 23


def test_the_daemon_outlives_it(compiled, worldd_daemon, worldd_world):
    probe = Probe(compiled(PROBE), worldd_daemon.control_endpoint)
    probe.say("run", '{"task":"demo/hello","planner":"nobody"}')
    until("the run", worldd_world.runs)
    probe.process.kill()
    probe.process.wait()
    until("the run's end", lambda: worldd_world.status()["runs"]["ended"] == 1)


def test_nobody_there_and_wrong_names(compiled, worldd_daemon, tmp_path):
    for endpoint, name, number in [(f"ipc://{tmp_path}/none", "probe", "16 "), ("nonsense", "probe", "2 "),
                                   (worldd_daemon.control_endpoint, "no blanks", "14 "),
                                   (worldd_daemon.control_endpoint, "", "2 ")]:
        probe = Probe(compiled(PROBE), endpoint, name)
        assert probe.connected.startswith(number), probe.connected
        probe.close()


def test_the_example_runs_a_task(compiled, worldd_daemon, worldd_world):
    env = {**os.environ, "WORLDD_DAEMON_DIRECTORY": str(worldd_daemon.directory)}
    env.pop("WORLDD_CONTROL", None)
    with worldd.FunctionPlanner(worldd_daemon.planner_endpoint, lambda request: worldd.complete()):
        until("the planner", worldd_world.planners)
        lines = done(compiled(EXAMPLE), "demo/hello", "python", env=env).splitlines()
    assert [json.loads(line).get("event") for line in lines] == ["begin", "step", None]
    refused = subprocess.run([compiled(EXAMPLE), "demo/none"], env=env, capture_output=True, text=True)
    assert refused.returncode == 1 and "args.task" in refused.stderr


def test_the_example_planner_works_and_outlives_the_daemon(compiled, worldd_daemon, worldd_world):
    planner = subprocess.Popen([compiled(PLANNER), worldd_daemon.planner_endpoint], stdout=subprocess.PIPE, text=True)
    try:
        until("the planner", worldd_world.planners)
        assert worldd_world.run("demo/hello", planner="hello").ending == "complete"
        assert planner.stdout.readline() == "demo_hello-0-1: tap Settings\n"
        worldd_daemon.stop()
        worldd_daemon.start()
        until("the planner's return", worldd_world.planners)
        assert worldd_world.run("demo/hello", planner="hello").ending == "complete"
    finally:
        planner.kill()
        planner.wait()


def test_the_example_planner_ends_when_a_newer_one_comes(compiled, worldd_daemon, worldd_world):
    older = subprocess.Popen([compiled(PLANNER), worldd_daemon.planner_endpoint], stderr=subprocess.PIPE, text=True)
    until("the planner", worldd_world.planners)
    newer = subprocess.Popen([compiled(PLANNER), worldd_daemon.planner_endpoint])
    try:
        assert older.wait(30) == 1 and "superseded" in older.stderr.read()
    finally:
        newer.kill()
        newer.wait()


def test_the_example_planner_is_told_why_it_may_not(compiled, tmp_path):
    for endpoint, why in [("nonsense", "nonsense"), (f"ipc://{tmp_path}/{'x' * 600}", "endpoint: longer")]:
        refused = subprocess.run([compiled(PLANNER), endpoint], capture_output=True, text=True, timeout=30)
        assert refused.returncode == 1 and why in refused.stderr


def test_cmake_finds_it(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(stranger LANGUAGES C)\nfind_package(worldd-client 0.1 REQUIRED)\n"
        f"add_executable(stranger {EXAMPLE})\ntarget_link_libraries(stranger worldd::client)\n")
    flags = " ".join(SANITIZE)
    done("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_FLAGS={flags}",
         f"-DCMAKE_C_COMPILER={cached('CMAKE_C_COMPILER') or 'cc'}")
    done("cmake", "--build", tmp_path / "build")
    assert subprocess.run([tmp_path / "build/stranger"], capture_output=True).returncode == 2


# ---- batches ------------------------------------------------------------------------------------------------------

@pytest.fixture
def envs(worldd_world):
    """Three phones, and the same three stepped by the Python client as a measure."""
    made = [worldd.Env(worldd_world, seed=7) for _ in range(6)]
    return made[:3], made[3:]


def test_a_batch_answers_each_slot(probe, envs):
    ours, theirs = envs
    launch = ("launch_app", '{"app":"settings"}')
    status, _, slots = probe.batch([(env.id, "-", "-") for env in ours], *launch)
    assert status == 0
    for env in theirs:
        env.step({"kind": "launch_app", "app": "settings"})
    assert [slot[7] for slot in slots] == [env.digest for env in theirs], "the digests of the same steps"
    assert [slot[:7] for slot in slots] == [[0, "", 0, "ok", 0, 0, ""]] * 3
    assert [slot[8:] for slot in slots] == [[None, None, None]] * 3

    # own actions beside a shared one, own arguments beside shared ones
    status, _, slots = probe.batch([(ours[0].id, "back", "{}"), (ours[1].id, "-", "-"),
                                    (ours[2].id, "-", '{"app":"notes"}')], *launch, observe="full")
    assert status == 0 and [slot[8]["scene"]["app_package"] for slot in slots] == [
        ours[0].scene().app, ours[1].scene().app, ours[2].scene().app]
    assert len({slot[7] for slot in slots}) == 3
    status, _, slots = probe.batch([(env.id, "-", "-") for env in ours], "home", observe="changed")
    assert all("base" in slot[8] and "nodes" in slot[8] for slot in slots)


def test_the_example_steps_many(compiled, worldd_daemon, envs):
    env = {**os.environ, "WORLDD_DAEMON_DIRECTORY": str(worldd_daemon.directory)}
    env.pop("WORLDD_CONTROL", None)
    lines = done(compiled(MANY), *[one.id for one in envs[0]], env=env).splitlines()
    assert [line.split(" {")[0] for line in lines] == [f"{one.id} step {step}: ok" for step in (0, 1) for one in envs[0]]


def test_slots_fail_alone(probe, envs):
    ours, _ = envs
    status, _, slots = probe.batch([("0" * 32, "home", "-"), (ours[0].id, "home", "-"), (ours[1].id, "dance", "-"),
                                    (ours[1].id, "home", "{nope"), (ours[2].id, "tap", '{"node":9999}'),
                                    (ours[0].id, "home", "-")])
    assert status == 0 and [slot[0] for slot in slots] == [7, 0, 7, 3, 0, 0]
    assert [slot[1] != "" for slot in slots] == [True, False, True, True, True, False]
    assert slots[4][2] == 2 and slots[4][3] != "ok", "refused, which is a result"
    assert (slots[1][4], slots[5][4]) == (0, 1), "named twice, stepped twice"


def test_episodes_end_in_a_batch(probe, worldd_world):
    env = worldd.Env(worldd_world, "demo/hello", auto_reset="same_step")
    _, _, slots = probe.batch([(env.id, "complete", "-")], observe="full")
    status, text, outcome, code, step, begun_anew, ending, digest, seen, last, verdict = slots[0]
    assert (status, outcome, step, begun_anew, ending) == (0, 0, 0, 1, "complete")
    assert seen["scene"] and last["scene"] and verdict["passed"] is False


def test_batches_in_flight(probe, envs):
    ours, theirs = envs
    tickets = []
    for step in range(3):
        status, ticket, _ = probe.batch([(env.id, "-", "-") for env in ours], "home", verb="!send")
        assert status == 0 and ticket != 0
        tickets.append(ticket)
    assert probe.ask("status")[0] == 0, "other requests go on meanwhile"
    assert probe.receive(tickets[1])[0] == 0
    got = [probe.receive()[:2] for _ in range(2)]
    assert got == [(0, tickets[0]), (0, tickets[2])], "whichever is first"
    assert probe.receive()[0] == 7 and probe.receive(tickets[0])[0] == 7, "each once"
    for env in theirs:
        for _ in range(3):
            env.step("home")
    assert [env.digest for env in theirs] == [worldd_digest(env) for env in ours]


def worldd_digest(env):
    return env.world.request("env_observe", env=env.id, observe="none")["digest"]


def test_bounds_of_batches(probe, envs):
    ours, _ = envs
    slot = (ours[0].id, "-", "-")
    assert probe.batch([], "home")[0] == 2
    status, _, text = probe.batch([(ours[0].id, "home", "-"), slot])
    assert status == 2 and text.startswith("slot 1: ")
    status, _, slots = probe.batch([slot] * 4096, "home")
    assert status == 0 and len(slots) == 4096
    assert probe.batch([slot] * 4097, "home")[0] == 6
    large = '{"text":"' + "x" * (500 << 10) + '"}'
    status, _, text = probe.batch([slot], "type", large)
    assert status == 0
    for _ in range(64):
        assert probe.batch([slot], "home", verb="!send")[0] == 0
    assert probe.batch([slot], "home", verb="!send")[0] == 15
    assert [probe.receive()[0] for _ in range(64)] == [0] * 64


# ---- at most one effect -------------------------------------------------------------------------------------------

class Fake:
    """The daemon's side of a control socket, spoken by the test."""

    def __init__(self, tmp_path):
        self.endpoint = f"ipc://{tmp_path}/fake"
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.ROUTER)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.bind(self.endpoint)

    def hear(self, kind):
        """The peer and the body of the next message, which is of that kind; Pings are answered."""
        while True:
            assert self.socket.poll(20000), f"no {kind}"
            peer, head, body = self.socket.recv_multipart()
            heard = wire.read_header(head)
            if heard == kind:
                return peer, wire.decode(kind, body)
            assert heard == "PING"
            self.say(peer, "PONG", wire.decode("PING", body))

    def say(self, peer, kind, message=None):
        self.socket.send_multipart([peer, wire.header(kind), b"" if message is None else message.SerializeToString()])

    def welcome(self, boot, heartbeat_ms=5000):
        peer, hello = self.hear("HELLO")
        self.say(peer, "WELCOME", wire.SCHEMA["Welcome"](major=1, session=b"s" * 16, heartbeat_ms=heartbeat_ms, liveness=2,
                                                         max_frame=4 << 20, boot_id=boot * 16))
        return peer, hello

    def answer(self, peer, batch):
        slots = len(batch.env_ids) // 16
        self.say(peer, "ENV_BATCH_REPLY", wire.SCHEMA["EnvBatchReply"](
            request_id=batch.request_id, status=[0] * slots, code=["ok"] * slots, digests=b"d" * 16 * slots))

    def close(self):
        self.socket.close()
        self.context.term()


@pytest.fixture
def fake(tmp_path):
    made = Fake(tmp_path)
    yield made
    made.close()


def fake_probe(compiled, fake, **welcome):
    """A probe that asked a batch and a verb's request of a daemon that has not answered the batch."""
    process = subprocess.Popen([compiled(PROBE), fake.endpoint, "probe"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    probe = object.__new__(Probe)
    probe.process = process
    peer, hello = fake.welcome(b"b", **welcome)
    probe.connected = probe._line()
    probe.say("!batch", "\t".join(["-", "home", "-", "0" * 32, "-", "-"]))
    return probe, fake.hear("ENV_BATCH")


def test_the_same_daemon_is_asked_again_under_the_same_id(compiled, fake):
    probe, (peer, batch) = fake_probe(compiled, fake)
    fake.say(peer, "WHO_ARE_YOU")                # it made room for others
    fake.welcome(b"b")
    peer, again = fake.hear("ENV_BATCH")
    assert again == batch
    fake.answer(peer, batch)
    fake.answer(peer, batch)                     # twice does no harm
    assert probe.hear()[0] == 0
    probe.say("status")
    peer, control = fake.hear("CONTROL")
    assert control.request_id > batch.request_id
    fake.say(peer, "WHO_ARE_YOU")
    fake.welcome(b"b")
    peer, again = fake.hear("CONTROL")
    assert again == control
    fake.say(peer, "REPLY", wire.SCHEMA["Reply"](request_id=control.request_id, result_json=b"{}"))
    assert probe.hear() == (0, 0, "{}")
    probe.close()


def test_another_daemon_is_not(compiled, fake):
    probe, (peer, _) = fake_probe(compiled, fake)
    fake.say(peer, "WHO_ARE_YOU")
    fake.welcome(b"c")
    assert probe.hear()[0] == 23
    probe.say("!batch", "\t".join(["-", "back", "-", "0" * 32, "-", "-"]))
    peer, batch = fake.hear("ENV_BATCH")
    assert batch.actions == ["back"], "what was lost is not asked again"
    fake.answer(peer, batch)
    assert probe.hear()[0] == 0
    probe.close()


def test_silence_means_a_new_connection(compiled, fake):
    probe, (peer, batch) = fake_probe(compiled, fake, heartbeat_ms=200)
    again = None
    while again is None:                         # Pings that nobody answers, then a Hello on a connection of its own
        assert fake.socket.poll(20000)
        other, head, body = fake.socket.recv_multipart()
        if wire.read_header(head) == "HELLO":
            assert other != peer
            fake.say(other, "WELCOME", wire.SCHEMA["Welcome"](major=1, session=b"t" * 16, heartbeat_ms=5000, liveness=2,
                                                              max_frame=4 << 20, boot_id=b"b" * 16))
            again = fake.hear("ENV_BATCH")[1]
    assert again == batch
    fake.answer(other, batch)
    assert probe.hear()[0] == 0
    probe.close()


def test_keys_over_tcp(compiled, tmp_path):
    """C with a key of `worldctl key new`; with a key that nobody knows it hears nothing; what is no key is said to be none."""
    worldctl, folder = pathlib.Path(os.environ["WORLDD_BIN"]) / "worldctl", tmp_path / "keys"
    done(worldctl, "key", "new", "--out", folder, "server")
    done(worldctl, "key", "new", "--out", folder / "clients", "cee")
    (tmp_path / "grants").write_text("key:cee client\n")
    settings = ["control.tcp=tcp://127.0.0.1:*", f"doors.keys={folder}", f"doors.grants={tmp_path / 'grants'}"]
    ours = worldd.keys.load_keys(folder / "clients/cee.key_secret", folder / "server.key")
    with worldd.World.private(settings=settings, directory=tmp_path / "d") as world:
        assert world.request("status")["version"]
        endpoint = json.loads((tmp_path / "d/daemon.json").read_text())["control_tcp"]

        def probe(*keys):
            result = subprocess.run([compiled(PROBE), endpoint, "probe", *keys], input="status 5000 {}\n", capture_output=True,
                                    text=True, timeout=60)
            return [line.split(" ", 2) for line in result.stdout.splitlines()]
        (first, *_), (told, *_) = probe(ours.public, ours.secret, ours.server)
        assert (first, told) == ("0", "0")
        public, secret = zmq.curve_keypair()
        assert probe(public, secret, ours.server)[0][0] == "16"
        assert probe(ours.public, ours.secret, b"short")[0] == ["2", "keys.server_key:", "must be 40 characters of Z85"]
