"""The C client as a stranger gets it: installed into a prefix, found by pkg-config and CMake, driven against a daemon."""
import json
import os
import pathlib
import signal
import subprocess

import pytest

import worldd
from conftest import ROOT, until

BUILD = pathlib.Path(os.environ.get("WD_BUILD_DIR", ROOT / "build/dev"))
PROBE, EXAMPLE = ROOT / "tests/clients/client_probe.c", ROOT / "clients/c/examples/run_task.c"
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
