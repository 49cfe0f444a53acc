"""Who may come in, and what they may do: users by uid, keys over tcp, groups; files, modes and endpoints."""
import asyncio
import json
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess
import tempfile

import pytest
import zmq
import zmq.auth

from conftest import BIN, PLANS, ROOT, Daemon, until
from peers import Doors, wire
import worldd
from worldd.aio import AsyncWorld
from worldd.keys import load_keys

NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user")


def worldd_fails(directory, *settings, flags=()):
    """Start worldd, which must refuse; what it says."""
    sets = [flag for setting in settings for flag in ("--set", setting)]
    done = subprocess.run([BIN / "worldd", "--directory", directory, *sets, *flags], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode in (1, 2), (done.returncode, done.stdout, done.stderr)
    return done.stderr


def ctl(*args, **kwargs):
    return subprocess.run([BIN / "worldctl", *map(str, args)], capture_output=True, text=True, timeout=60, **kwargs)


@pytest.fixture
def keys(tmp_path):
    """A folder of keys: the daemon's, and a client's."""
    folder = tmp_path / "keys"
    (folder / "clients").mkdir(parents=True)
    assert ctl("key", "new", "--out", folder, "server").returncode == 0
    return folder


def new_key(folder, tmp_path, name):
    """A client's pair in a place of its own; its public half among those that the daemon knows."""
    place = tmp_path / f"of-{name}"
    made = ctl("key", "new", "-o", place, name)
    assert made.returncode == 0 and f"key:{name} client" in made.stdout, made.stdout + made.stderr
    (folder / "clients" / f"{name}.key").write_text((place / f"{name}.key").read_text())
    return place / f"{name}.key_secret"


def options(key, folder):
    """The socket options of a peer that has a key."""
    pair = load_keys(key, folder / "server.key")
    return dict(CURVE_SERVERKEY=pair.server, CURVE_PUBLICKEY=pair.public, CURVE_SECRETKEY=pair.secret)


class TcpDoors(Doors):
    """Peers over tcp; `curve` are the socket options of a key."""

    def endpoint(self, which):
        return json.loads((self.daemon.directory / "daemon.json").read_text())[which + "_tcp"]

    def tcp_client(self, name="client", **curve):
        return self._peer(self.endpoint("control"), "client", name, curve)

    def tcp_planner(self, name="test", **curve):
        return self._peer(self.endpoint("planner"), "planner", name, curve)


@pytest.fixture
def tcp(make_daemon, keys, tmp_path):
    """A daemon that is reached over tcp with keys; alice may run, walter may watch, pia may plan."""
    names = {name: new_key(keys, tmp_path, name) for name in ("alice", "walter", "pia", "nils")}
    grants = tmp_path / "grants"
    grants.write_text("key:alice client\nkey:walter watcher\nkey pia planner  # and nothing else\n")
    daemon = make_daemon("control.tcp=tcp://127.0.0.1:*", "planner.tcp=tcp://127.0.0.1:*", f"doors.keys={keys}",
                         f"doors.grants={grants}")
    doors = TcpDoors(daemon)
    doors.keys, doors.names, doors.grants = keys, names, grants
    doors.of = lambda name: options(names[name], keys)
    yield doors
    doors.close()


def reload(daemon, says="read again"):
    """SIGHUP, and wait until it was seen to."""
    before = daemon.log_text().count(says)
    daemon.process.send_signal(signal.SIGHUP)
    until(says, lambda: daemon.log_text().count(says) > before)


def is_shut_out(peer):
    """It hears nothing, though it says Hello; while somebody else is served."""
    peer.hello()
    assert peer.socket.poll(1000) == 0


# ---- keys ---------------------------------------------------------------------------------------------------------------

def test_a_key_is_what_czmq_and_python_read(keys, tmp_path):
    secret = keys / "server.key_secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600 and stat.S_IMODE((keys / "server.key").stat().st_mode) == 0o644
    public, private = zmq.auth.load_certificate(str(secret))
    pair = load_keys(secret, keys / "server.key")
    assert zmq.curve_public(pair.secret) == pair.public == pair.server
    assert (public, private) == (pair.public, pair.secret)
    again = ctl("key", "new", "--out", keys, "server")
    assert again.returncode == 2 and "File exists" in again.stderr
    assert ctl("key", "new", "--out", keys, "../x").returncode == 2
    new_key(keys, tmp_path, "alice")
    (tmp_path / "grants").write_text("key:alice client,watcher\n")
    listed = ctl("key", "list", "--keys", keys, env={**os.environ, "WORLDD_DOORS_GRANTS": str(tmp_path / "grants")})
    assert re.fullmatch(r"alice +\S{40}  client,watcher\n", listed.stdout), listed
    (keys / "clients" / "bad.key").write_text("curve\n    public-key = \"x\"\n")
    listed = ctl("key", "list", "--keys", keys)
    assert listed.returncode == 2 and "bad.key:2" in listed.stderr


def test_a_granted_key_comes_in_over_tcp(tcp):
    ours = ["--key", tcp.names["alice"], "--server-key", tcp.keys / "server.key"]
    done = ctl(*ours, "status", "--json", "--endpoint", tcp.endpoint("control"))
    assert done.returncode == 0 and json.loads(done.stdout.splitlines()[0])["version"], done.stderr
    key = (tcp.keys / "server.key").read_text().split('public-key = "')[1][:40]
    done = ctl("status", "--endpoint", tcp.endpoint("control"),
               env={**os.environ, "WORLDD_KEY": str(tcp.names["alice"]), "WORLDD_SERVER_KEY": key})
    assert done.returncode == 0, done.stderr
    assert json.loads((tcp.daemon.directory / "daemon.json").read_text())["server_key"] == key
    done = ctl("--key", tcp.names["alice"], "status", "--endpoint", tcp.endpoint("control"))
    assert done.returncode == 2 and "WORLDD_SERVER_KEY" in done.stderr
    with worldd.World(tcp.endpoint("control"), key=tcp.names["alice"], server_key=tcp.keys / "server.key") as world:
        assert world.request("status")["version"]
        async def ask():
            async with AsyncWorld(tcp.endpoint("control"), key=tcp.names["alice"], server_key=tcp.keys / "server.key") as other:
                return await other.request("status")
        assert asyncio.run(ask())["version"]
        with pytest.raises(worldd.NotPermitted, match='verb: "shutdown" needs role admin; you have client'):
            world.request("shutdown")


@pytest.mark.parametrize("who", ["a key that nobody knows", "no key", "a key without a grant", "a planner's key",
                                 "another server's key"])
def test_nobody_else_comes_in(tcp, who, tmp_path):
    public, secret = zmq.curve_keypair()
    mine = {"a key that nobody knows": {**tcp.of("alice"), "CURVE_PUBLICKEY": public, "CURVE_SECRETKEY": secret},
            "no key": {}, "a key without a grant": tcp.of("nils"), "a planner's key": tcp.of("pia"),
            "another server's key": {**tcp.of("alice"), "CURVE_SERVERKEY": public}}[who]
    is_shut_out(tcp.tcp_client(**mine))
    assert tcp.tcp_client("alice", **tcp.of("alice")).greet().control("status")["version"]
    if "key" in who and who not in ("another server's key", "no key"):
        assert tcp.status()["doors"]["refused"] >= 1 and "no role there" in tcp.daemon.log_text()


def test_ipc_takes_no_keys_where_tcp_does(tcp):
    """Each endpoint has its own mechanism: the kernel's word here, a key there."""
    assert tcp.client().greet().control("status")["version"]
    is_shut_out(tcp.client(**tcp.of("alice")))


def test_each_role_does_its_own(tcp):
    watcher, client = tcp.tcp_client("w", **tcp.of("walter")).greet(), tcp.tcp_client("c", **tcp.of("alice")).greet()
    assert watcher.control("status")["version"]
    watcher.ask("run", task="demo/hello")
    watcher.refused("EDENIED", 'verb: "run" needs role client; you have watcher')
    watcher.ask("env_create", seed=1)
    watcher.refused("EDENIED", 'verb: "env_create" needs role client; you have watcher')
    watcher.send("ENV_BATCH", wire.SCHEMA["EnvBatch"](request_id=99))
    kind, message = watcher.receive()
    assert kind == "ERROR", message
    client.ask("format_disk")
    client.refused("EUNSUPPORTED", 'verb: "format_disk" is unknown')
    planner = tcp.tcp_planner("p", **tcp.of("pia")).greet()
    planner.role = "enricher"
    planner.hello(name="e")
    planner.refused("EDENIED", 'role: "enricher" is not granted to you; you have planner')


def test_what_is_anothers(tcp, task_file):
    """A run of the daemon's own user: a client with a key neither sees nor ends it, a watcher sees it."""
    mine = tcp.client("mine").greet()
    tcp.planner("silent").greet()                                  # takes the request, and does not answer
    mine.ask("run", task="demo/hello", run_id="mine")
    until("the run", lambda: tcp.status()["runs"]["open"] == 1)
    client, watcher = tcp.tcp_client("c", **tcp.of("alice")).greet(), tcp.tcp_client("w", **tcp.of("walter")).greet()
    assert client.control("runs") == [] and [row["run"] for row in watcher.control("runs")] == ["mine"]
    client.ask("state", run="mine")
    client.refused("EDENIED", 'args.run: "mine" is another user\'s; verb "state" needs role watcher there')
    client.ask("cancel", run="mine")
    client.refused("EDENIED", 'args.run: "mine" is another user\'s; verb "cancel" needs role admin there')
    assert watcher.control("state", run="mine", path="os")["tasks"] is not None
    session = mine.control("observe_start")["session"]
    client.ask("observe_end", session=session)
    client.refused("EDENIED", f'args.session: "{session}" is another user\'s and needs role admin')
    tcp.grants.write_text("key:alice client,admin\n")
    reload(tcp.daemon)
    assert client.control("cancel", run="mine") == {"run": "mine"}
    assert client.control("observe_end", session=session)["session"] == session


def test_an_instance_is_its_users(tcp):
    mine = tcp.client("mine").greet()
    thief = tcp.tcp_client("thief", **tcp.of("alice"))
    thief.instance = mine.instance                                 # what it was answered is not told again to others
    thief.hello()
    thief.refused("EDENIED", "instance: belongs to another user")
    assert mine.control("status")["version"]


@pytest.mark.parametrize("door", ["control", "planner"])
def test_a_routing_id_is_no_passport(tcp, door):
    """A peer may name its connection. Who takes the name of one that is gone is not taken for it."""
    kind, key = ("client", "alice") if door == "control" else ("planner", "pia")
    mine = getattr(tcp, kind)("mine", ROUTING_ID=b"passport").greet()
    mine.close()

    def heard():                                                   # nothing, as long as libzmq has the old one
        thief = getattr(tcp, f"tcp_{kind}")("thief", ROUTING_ID=b"passport", **tcp.of(key))
        thief.send("PING", wire.SCHEMA["Ping"](sequence=1))
        answer = thief.socket.poll(500) and thief.receive("PONG", "WHO_ARE_YOU", "REJECT")[0]
        thief.close()
        return answer
    assert until("an answer", heard) == "WHO_ARE_YOU"


def test_a_name_is_its_users(tcp):
    tcp.planner("pia").greet()
    planner = tcp.tcp_planner("pia", **tcp.of("pia"))
    planner.hello()
    planner.refused("EDENIED", "name: pia is taken by another user")


def test_a_planner_in_python_over_tcp(tcp, task_file):
    """Its keys come from the environment; the run is made over ipc."""
    code = ("import worldd, sys\n"
            "with worldd.FunctionPlanner(sys.argv[1], lambda request: worldd.complete(), name='pia'):\n"
            "    sys.stdin.read()\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "clients/python"), "WORLDD_KEY": str(tcp.names["pia"]),
                   "WORLDD_SERVER_KEY": str(tcp.keys / "server.key")}
    child = subprocess.Popen(["/usr/bin/python3", "-c", code, tcp.endpoint("planner")], env=environment, stdin=subprocess.PIPE)
    tcp.daemon.children.append(child)
    until("the planner", lambda: any(peer["name"] == "pia" for peer in tcp.daemon.status()[1]))
    _, result = tcp.daemon.run(task_file(id="t"), "--planner", "pia")
    assert result["ending"] == "complete"


@pytest.mark.parametrize("server", ["file", "characters"])
def test_a_planner_in_c_over_tcp(tcp, task_file, server):
    """The same for planner-stub, and so for whatever stands on the C client."""
    server_key = tcp.keys / "server.key" if server == "file" else tcp.of("pia")["CURVE_SERVERKEY"].decode()
    environment = {**os.environ, "WORLDD_KEY": str(tcp.names["pia"]), "WORLDD_SERVER_KEY": str(server_key)}
    command = [BIN / "planner-stub", "--endpoint", tcp.endpoint("planner"), "--script", PLANS / "bluetooth_off.json", "--name", "stub"]
    tcp.daemon.children.append(subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL))
    until("the planner", lambda: any(peer["name"] == "stub" for peer in tcp.daemon.status()[1]))
    _, result = tcp.daemon.run("demo/bluetooth_off", "--planner", "stub")
    assert result["ending"] == "complete"


def test_a_server_key_with_a_slash_is_no_path(tcp):
    """Half of all keys have one. This is another server's, so the planner is shut out, but not for want of a file."""
    public = next(public for public, _ in iter(zmq.curve_keypair, None) if b"/" in public)
    environment = {**os.environ, "WORLDD_KEY": str(tcp.names["pia"]), "WORLDD_SERVER_KEY": public.decode()}
    command = [BIN / "planner-stub", "--endpoint", tcp.endpoint("planner"), "--script", PLANS / "bluetooth_off.json", "--give-up", "100"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "cannot be reached" in done.stderr, done.stderr


@pytest.mark.parametrize("key, server, text", [
    ("none", "server.key", "none: No such file"), ("server.key", "server.key", "server.key: holds no secret-key"),
    ("pia", None, "CURVE needs both"), ("pia", "grants", "grants: holds no public-key")])
def test_a_planner_in_c_says_what_is_wrong_with_its_keys(tcp, key, server, text):
    own = tcp.names[key] if key in tcp.names else tcp.keys / key
    environment = {**os.environ, "WORLDD_KEY": str(own)}
    if server is not None:
        environment["WORLDD_SERVER_KEY"] = str(tcp.grants if server == "grants" else tcp.keys / server)
    command = [BIN / "planner-stub", "--endpoint", tcp.endpoint("planner"), "--script", PLANS / "bluetooth_off.json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30)
    assert done.returncode == 2 and text in done.stderr, done.stderr


# ---- reload -------------------------------------------------------------------------------------------------------------

def test_a_new_key_works_after_sighup(tcp, tmp_path):
    key = options(new_key(tcp.keys, tmp_path, "nora"), tcp.keys)
    tcp.grants.write_text(tcp.grants.read_text() + "key:nora client\n")
    is_shut_out(tcp.tcp_client("early", **key))
    reload(tcp.daemon)
    assert tcp.tcp_client("late", **key).greet().control("status")["version"]


def test_a_removed_key_is_refused_at_once(tcp):
    """Also those who are connected: a client, who hears no events either, and a planner, who loses its request."""
    watcher, planner = tcp.tcp_client("w", **tcp.of("walter")).greet(), tcp.tcp_planner("p", **tcp.of("pia")).greet()
    watcher.ask("watch")
    watcher.in_step(1)
    for name in ("walter", "pia"):
        (tcp.keys / "clients" / f"{name}.key").unlink()
    reload(tcp.daemon)
    watcher.refused("EDENIED", "role: clients need one of client, watcher, admin; you have no role")
    planner.refused("EDENIED", 'role: "planner" is not granted to you; you have no role')
    assert tcp.status()["planners"]["peers"] == 0
    watcher.ask("status")
    watcher.refused("EDENIED", "role: clients need one of client, watcher, admin; you have no role")
    planner.hello()
    planner.refused("EDENIED", 'role: "planner" is not granted to you; you have no role')
    is_shut_out(tcp.tcp_client("again", **tcp.of("walter")))


@pytest.mark.parametrize("what, says", [("key", "clients/walter.key:2: no line of a key file"),
                                        ("grants", "grants:1: \"clyent\" is no role")])
def test_a_fault_leaves_the_old_set(tcp, what, says):
    if what == "key":
        (tcp.keys / "clients" / "walter.key").write_text("curve\n    broken\n")
    else:
        tcp.grants.write_text("key:alice clyent\n")
    (tcp.keys / "clients" / "alice.key").unlink()
    reload(tcp.daemon, "the old ones stay")
    assert says in tcp.daemon.log_text()
    assert tcp.tcp_client("a", **tcp.of("alice")).greet().control("status")["version"]
    assert tcp.tcp_client("w", **tcp.of("walter")).greet().control("status")["version"]


# ---- tcp ----------------------------------------------------------------------------------------------------------------

def test_loopback_without_keys(make_daemon, tmp_path):
    (tmp_path / "grants").write_text("loopback watcher\n")
    doors = TcpDoors(make_daemon("control.tcp=tcp://127.0.0.1:*", f"doors.grants={tmp_path / 'grants'}"))
    client = doors.tcp_client().greet()
    client.ask("run", task="demo/hello")
    client.refused("EDENIED", 'verb: "run" needs role client; you have watcher')
    assert "control.tcp: every user of this machine may connect without a key" in doors.daemon.log_text()
    doors.close()


def test_tcp_is_off_by_default(daemon):
    assert not [name for name in json.loads((daemon.directory / "daemon.json").read_text()) if "tcp" in name]
    listening = subprocess.run(["ls", "-l", f"/proc/{daemon.process.pid}/fd"], capture_output=True, text=True).stdout
    inodes = set(re.findall(r"socket:\[(\d+)\]", listening))
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if os.path.exists(table):
            assert not inodes & {line.split()[9] for line in open(table).read().splitlines()[1:]}


@pytest.mark.parametrize("setting, says", [
    ("control.tcp=tcp://0.0.0.0:5555", "is beyond loopback and needs a CURVE key: set doors.keys"),
    ("planner.tcp=tcp://*:5555", "planner.tcp: \"tcp://*:5555\" is beyond loopback"),
    ("control.tcp=tcp://128.0.0.1:5555", "is beyond loopback"),
    ("control.tcp=tcp://localhost.example:5555", "is beyond loopback"),
    ("control.tcp=tcp://127.0.0.1.example:5555", "is beyond loopback"),
    ("control.tcp=tcp://[::]:5555", "is beyond loopback"),
    ("control.tcp=ipc:///tmp/x", "is not tcp://ADDRESS:PORT"),
    ("control.tcp=127.0.0.1:5555", "is not tcp://ADDRESS:PORT"),
    ("control.endpoint=tcp://127.0.0.1:5555", "is neither ipc:///PATH nor ipc://@NAME; tcp stands in control.tcp"),
    ("planner.endpoint=ipc://relative", "planner.endpoint: \"ipc://relative\" is neither"),
    ("planner.endpoint=ipc:///" + "x" * 107, "planner.endpoint: the path has 108 bytes, a socket's has at most 107"),
    ("doors.group=no-such-group", "doors.group: there is no group \"no-such-group\""),
    ("doors.grants=/nowhere", "/nowhere: No such file or directory"),
])
def test_settings_that_would_open_too_much(tmp_path, setting, says):
    assert says in worldd_fails(tmp_path / "w", setting)
    assert says in worldd_fails(tmp_path / "w", setting, flags=["--check-config"])


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_secret_that_others_may_read(tmp_path, keys, mode):
    (keys / "server.key_secret").chmod(mode)
    for flags in ([], ["--check-config"]):
        said = worldd_fails(tmp_path / "w", f"doors.keys={keys}", flags=flags)
        assert f"server.key_secret: mode {mode:04o} lets others read a secret key" in said


def test_a_folder_of_keys_without_the_daemons(tmp_path, keys):
    (keys / "server.key_secret").unlink()
    assert "server.key_secret: No such file" in worldd_fails(tmp_path / "w", f"doors.keys={keys}",
                                                              "control.tcp=tcp://127.0.0.1:*")


# ---- uids ---------------------------------------------------------------------------------------------------------------

STRANGER = """
import sys, zmq
socket = zmq.Context().socket(zmq.DEALER)
socket.linger = 0
socket.connect(sys.argv[1])
for message in sys.argv[3:]:
    socket.send_multipart([bytes.fromhex(frame) for frame in message.split(":")])
for _ in sys.argv[3:]:
    if not socket.poll(int(sys.argv[2])):
        print("silence")
        break
    print(":".join(frame.hex() for frame in socket.recv_multipart()))
"""


def as_user(uid, gid, endpoint, *messages, silence=False):
    """What a process of that user hears when it sends these messages: kinds, and the texts of errors. Where silence is right
    it is not waited for as long as an answer on a busy machine may take."""
    patience_ms = 1500 if silence else 20000
    frames = [f"{wire.header(kind).hex()}:{body.SerializeToString().hex()}" for kind, body in messages]
    done = subprocess.run(["/usr/bin/python3", "-c", STRANGER, endpoint, str(patience_ms), *frames], capture_output=True,
                          text=True, timeout=60, user=uid, group=gid, extra_groups=[], cwd="/")
    assert done.returncode == 0, done.stderr
    heard = []
    for line in done.stdout.split():
        if line == "silence":
            heard.append("silence")
            break
        header, body = (bytes.fromhex(frame) for frame in line.split(":"))
        heard.append(wire.read_header(header))
        if heard[-1] == "ERROR":
            heard[-1] = wire.SCHEMA["Error"].FromString(body).text
    return heard


def messages(role="client"):
    hello = wire.SCHEMA["Hello"](min_major=1, max_major=1, role=role, name="stranger", instance=os.urandom(16))
    control = [("CONTROL", wire.SCHEMA["Control"](request_id=number, verb=verb, args_json=b"{}"))
               for number, verb in ((1, "status"), (2, "env_create"))]
    return [("HELLO", hello)] + (control if role == "client" else [])


@pytest.fixture
def open_doors(make_daemon, tmp_path):
    """A daemon on abstract endpoints, which have no file and no mode: whoever is kept out, the handler keeps out."""
    def make(grants, *settings):
        (tmp_path / "grants").write_text(grants)
        name = f"worldd-test-{os.getpid()}-{os.urandom(4).hex()}"
        daemon = make_daemon(f"control.endpoint=ipc://@{name}-c", f"planner.endpoint=ipc://@{name}-p",
                             f"doors.grants={tmp_path / 'grants'}", *settings)
        daemon.control, daemon.planners = f"ipc://@{name}-c", f"ipc://@{name}-p"
        return daemon
    return make


@as_root
@pytest.mark.parametrize("grants, gid, control, planner", [
    ("", NOBODY, ["silence"], ["silence"]),
    ("uid:1 all\n", NOBODY, ["silence"], ["silence"]),
    ("uid:65534 watcher\n", NOBODY, ["WELCOME", "REPLY", 'verb: "env_create" needs role client; you have watcher'],
     ["silence"]),
    ("uid:65534 client\n", NOBODY, ["WELCOME", "REPLY", "REPLY"], ["silence"]),
    ("uid:65534 planner\n", NOBODY, ["silence"], ["WELCOME"]),
    ("uid:65534 enricher\n", NOBODY, ["silence"], ["REJECT"]),
    ("group:daemon client,planner\n", 1, ["WELCOME", "REPLY", "REPLY"], ["WELCOME"]),
    ("group:daemon client,planner\n", 2, ["silence"], ["silence"]),
])
def test_another_uid(open_doors, grants, gid, control, planner):
    daemon = open_doors(grants)
    silence = ["silence"]
    assert as_user(NOBODY, gid, daemon.control, *messages(), silence=control == silence) == control
    assert as_user(NOBODY, gid, daemon.planners, *messages("planner"), silence=planner == silence) == planner
    assert as_user(0, 0, daemon.control, *messages())[:2] == ["WELCOME", "REPLY"]


@as_root
def test_another_uid_cannot_reach_the_files(daemon):
    assert as_user(NOBODY, NOBODY, daemon.control_endpoint, *messages(), silence=True) == ["silence"]
    assert as_user(NOBODY, NOBODY, daemon.planner_endpoint, *messages("planner"), silence=True) == ["silence"]


@pytest.fixture
def place_for_all():
    """A directory that other users reach; pytest's own are closed to them."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        yield pathlib.Path(place)


@as_root
def test_members_of_the_group(place_for_all, make_daemon):
    daemon = make_daemon("doors.group=daemon", name=place_for_all / "worldd")
    assert stat.S_IMODE(daemon.directory.stat().st_mode) == 0o750 and daemon.directory.stat().st_gid == 1
    for name in ("planner.sock", "control.sock"):
        info = (daemon.directory / name).stat()
        assert (stat.S_IMODE(info.st_mode), info.st_gid) == (0o660, 1)
    info = (daemon.directory / "daemon.json").stat()                # where to connect, for the members
    assert (stat.S_IMODE(info.st_mode), info.st_gid) == (0o640, 1)
    assert stat.S_IMODE((daemon.directory / "lock").stat().st_mode) == 0o600
    assert as_user(NOBODY, 1, daemon.control_endpoint, *messages()) == ["WELCOME", "REPLY", "REPLY"]
    assert as_user(NOBODY, 2, daemon.control_endpoint, *messages(), silence=True) == ["silence"]
    shutdown = [messages()[0], ("CONTROL", wire.SCHEMA["Control"](request_id=1, verb="shutdown", args_json=b"{}"))]
    assert as_user(NOBODY, 1, daemon.control_endpoint, *shutdown)[1].startswith('verb: "shutdown" needs role admin')


def test_an_admin_ends_the_daemon(make_daemon):
    daemon = make_daemon()
    assert daemon.ctl("shutdown").returncode == 0
    assert daemon.process.wait(timeout=30) == 0 and "stopped (by request" in daemon.log_text()


# ---- files --------------------------------------------------------------------------------------------------------------

def test_two_daemons_on_one_endpoint(make_daemon, tmp_path):
    """Directories of their own, the same socket: binding would take it away from the first without a word."""
    first = make_daemon()
    said = worldd_fails(tmp_path / "other", f"control.endpoint={first.control_endpoint}")
    assert "control.sock: another process serves there" in said
    assert first.status()[0]["version"]


def test_only_our_own_socket_file_is_removed(make_daemon):
    daemon = make_daemon()
    path = daemon.directory / "control.sock"
    path.unlink()
    other = socket.socket(socket.AF_UNIX)
    other.bind(str(path))                                          # another took the place
    inode = path.stat().st_ino
    assert daemon.stop() == 0
    assert path.stat().st_ino == inode and not (daemon.directory / "planner.sock").exists()
    other.close()


def test_modes_do_not_depend_on_the_umask(tmp_path):
    old = os.umask(0)
    try:
        daemon = Daemon(tmp_path / "w").start()
    finally:
        os.umask(old)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in daemon.directory.iterdir()}
    assert modes == {"planner.sock": 0o600, "control.sock": 0o600, "lock": 0o600, "daemon.json": 0o600, "episodes": 0o700}
    assert stat.S_IMODE(daemon.directory.stat().st_mode) == 0o700
    assert daemon.stop() == 0


def test_a_directory_that_is_too_deep(tmp_path):
    assert "a socket's has at most 107" in worldd_fails(tmp_path / ("x" * 100))


# ---- envs of others -----------------------------------------------------------------------------------------------------

def batch(peer, env):
    """One step of an env; the slot's status and text."""
    peer.request_id += 1
    peer.send("ENV_BATCH", wire.SCHEMA["EnvBatch"](request_id=peer.request_id, env_ids=bytes.fromhex(env), actions=["home"]))
    _, reply = peer.receive("ENV_BATCH_REPLY")
    return reply.status[0] if reply.status else 0, reply.text[0] if reply.text else ""


ON_ENVS = [("env_step", dict(action={"kind": "home"}), "WRITE"), ("env_reset", {}, "WRITE"), ("env_close", {}, "WRITE"),
           ("env_inject", dict(patch={}), "WRITE"), ("env_snapshot", {}, "WRITE"), ("env_fork", {}, "WRITE"),
           ("env_detach", dict(name="x"), "WRITE"), ("env_observe", {}, "READ"), ("env_state", {}, "READ"),
           ("env_judge", {}, "READ"), ("env_export", {}, "READ")]


@pytest.mark.parametrize("verb, arguments, access", ON_ENVS, ids=[row[0] for row in ON_ENVS])
def test_an_env_of_another_user(tcp, verb, arguments, access):
    mine = tcp.client("mine").greet()
    env = mine.control("env_create", seed=1)["env"]
    thief = tcp.tcp_client("thief", **tcp.of("alice")).greet()
    thief.ask(verb, env=env, **arguments)
    thief.refused("EDENIED", f"args.env: is another user's and needs role {'watcher' if access == 'READ' else 'admin'}")
    if access == "READ" and verb != "env_judge":                    # without a task there is nothing to judge
        assert tcp.tcp_client("w", **tcp.of("walter")).greet().control(verb, env=env, **arguments) is not None
    assert mine.control("env_observe", env=env, observe="none")["steps"] == 0


def test_batches_lists_names_and_snapshots_of_another_user(tcp):
    mine = tcp.client("mine").greet()
    env = mine.control("env_create", seed=1)["env"]
    snapshot = mine.control("env_snapshot", env=env)["snapshot"]
    mine.control("env_detach", env=env, name="kept")
    thief = tcp.tcp_client("thief", **tcp.of("alice")).greet()
    status, text = batch(thief, env)
    assert (status, text) == (14, "args.env: is another user's and needs role admin")
    assert thief.control("env_close", envs=[]) == {"closed": 0}
    thief.ask("env_close", envs=[env])
    thief.refused("EDENIED", "args.env: is another user's")
    thief.ask("env_attach", name="kept")
    thief.refused("EDENIED", "args.name: is another user's")
    for verb in ("env_fork", "env_forget", "env_export"):
        thief.ask(verb, snapshot=snapshot)
        thief.refused("EDENIED", "args.snapshot: is another user's")
    own = thief.control("env_create", seed=2)["env"]
    thief.ask("env_restore", env=own, snapshot=snapshot)
    thief.refused("EDENIED", "args.snapshot: is another user's")
    assert snapshot not in str(thief.control("env_lineage")) and snapshot in str(mine.control("env_lineage"))
    assert env not in str(thief.control("env_list")) and env in str(mine.control("env_list"))
    tcp.grants.write_text("key:alice admin\n")
    reload(tcp.daemon)
    assert thief.control("env_attach", name="kept")["env"] == env
    assert batch(thief, env)[0] == 0 and len(thief.control("env_fork", snapshot=snapshot, count=3)["envs"]) == 3


def test_a_client_watches_its_own_a_watcher_all(tcp):
    mine, thief = tcp.client("mine").greet(), tcp.tcp_client("thief", **tcp.of("alice")).greet()
    watcher = tcp.tcp_client("w", **tcp.of("walter")).greet()
    for peer in (thief, watcher):
        peer.ask("watch")
        peer.in_step(1)
    env, own = mine.control("env_create", seed=1)["env"], thief.control("env_create", seed=2)["env"]
    mine.control("env_step", env=env, action={"kind": "home"})
    thief.ask("env_step", env=own, action={"kind": "home"})
    assert json.loads(thief.receive("PROGRESS")[1].event_json)["env"] == own
    assert {json.loads(watcher.receive("PROGRESS")[1].event_json)["env"] for _ in range(2)} == {env, own}
