"""The unit that is shipped: systemd takes it, and what the limits of a peer rest on stands in it."""
import configparser
import os
import pathlib
import shutil
import socket
import subprocess

import pytest

from conftest import BIN, ROOT, Daemon

UNIT = BIN.parent / "packaging/worldd.service"


@pytest.fixture(scope="module")
def unit():
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read(UNIT)
    return parser


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
def test_systemd_takes_the_unit(tmp_path):
    """With the program where it was built, and without the manual pages, which are not installed yet."""
    lines = [line for line in UNIT.read_text().splitlines() if not line.startswith("Documentation=")]
    at = next(i for i, line in enumerate(lines) if line.startswith("ExecStart="))
    lines[at] = f"ExecStart={BIN}/worldd " + lines[at].split(" ", 1)[1]
    unit = tmp_path / "worldd.service"
    unit.write_text("\n".join(lines) + "\n")
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, timeout=60)
    ours = [line for line in done.stderr.splitlines() if "worldd" in line]
    assert ours == [] and done.returncode == 0, done.stderr


@pytest.mark.parametrize("name, value", [
    ("Type", "notify"), ("Restart", "on-failure"), ("RuntimeDirectory", "worldd"), ("RuntimeDirectoryMode", "0750"),
    ("NoNewPrivileges", "yes"), ("ProtectSystem", "strict"), ("ProtectHome", "yes"), ("PrivateTmp", "yes"),
    ("CapabilityBoundingSet", ""), ("MemorySwapMax", "0"), ("UMask", "0077"),
])
def test_a_line_of_the_unit(unit, name, value):
    assert unit["Service"][name] == value


def test_its_limits(unit):
    assert int(unit["Service"]["LimitNOFILE"]) >= 65536 and unit["Service"]["MemoryMax"] not in ("", "infinity")
    assert unit["Service"]["ExecReload"] == "/bin/kill -HUP $MAINPID"


def test_its_command_line_and_variables_are_right(unit, tmp_path):
    """What the unit says to worldd, checked by worldd; the group is one that is there."""
    words = unit["Service"]["ExecStart"].split()
    assert words[0].endswith("/worldd") and words[1] == "--config" and words[3:] == ["--directory", "/run/worldd"]
    variables = dict(word.split("=", 1) for word in unit["Service"]["Environment"].split())
    assert variables["WORLDD_DOORS_GROUP"] == unit["Service"]["Group"]
    done = subprocess.run([BIN / "worldd", "--config", ROOT / "packaging/worldd.conf", *words[3:], "--check-config"],
                          env={**os.environ, **variables, "WORLDD_DOORS_GROUP": "daemon"}, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "", done.stderr


def test_ready_is_told(tmp_path):
    """Type=notify: systemd waits for this datagram."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.settimeout(30)
        told.bind(str(tmp_path / "notify"))
        os.environ["NOTIFY_SOCKET"] = str(tmp_path / "notify")
        try:
            daemon = Daemon(tmp_path / "worldd").start()
        finally:
            del os.environ["NOTIFY_SOCKET"]
        assert told.recv(64) == b"READY=1"
        assert daemon.stop() == 0 and told.recv(64) == b"STOPPING=1"


def test_it_is_installed(tmp_path):
    """Unit, settings and the user that it runs as."""
    done = subprocess.run(["cmake", "--install", BIN.parent / "packaging", "--prefix", "/usr"], capture_output=True, text=True,
                          env={**os.environ, "DESTDIR": str(tmp_path)}, timeout=60)
    assert done.returncode == 0, done.stderr
    files = {str(path.relative_to(tmp_path)) for path in pathlib.Path(tmp_path).rglob("*") if path.is_file()}
    assert {"usr/lib/systemd/system/worldd.service", "usr/lib/sysusers.d/worldd.conf", "usr/etc/worldd/worldd.conf"} <= files
