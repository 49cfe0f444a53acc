"""A private daemon: worldd in a directory of its own, ended with the program that started it."""
from __future__ import annotations

import atexit
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
from typing import Iterable, Optional, Union

from .errors import DaemonFailed

START_TIMEOUT = 30.0         # seconds until daemon.json is there
STOP_TIMEOUT = 10.0          # seconds between SIGTERM and SIGKILL
LOG_SHOWN = 2000             # characters of the log in an exception

PathLike = Union[str, "os.PathLike[str]"]


def find_program(name: str = "worldd") -> str:
    """The path of a program of worldd's: in $WORLDD_BIN, else in $PATH, else in a build of the source tree that this
    package lies in. Raises DaemonFailed when it is nowhere."""
    directory = os.environ.get("WORLDD_BIN")
    if directory:
        path: Optional[str] = str(pathlib.Path(directory) / name)
        if os.access(str(path), os.X_OK):
            return str(path)
    path = shutil.which(name)
    if path is None:
        root = pathlib.Path(__file__).resolve().parents[3]
        built = (root / "build" / preset / "bin" / name for preset in ("release", "dev"))
        path = next((str(place) for place in built if os.access(place, os.X_OK)), None)
    if path is None:
        raise DaemonFailed(f"{name}: neither in $WORLDD_BIN nor in $PATH")
    return path


class Daemon:
    """worldd as a child process, on ipc endpoints in `directory`.

    directory  made when absent; None: a temporary one, removed by stop() (episodes included)
    settings   lines as worldd's --set takes them, "run.step_limit=50" (worldd --settings lists them)
    program    path of worldd; None: find_program()

    A context manager; also ended at the interpreter's exit. Not thread-safe.
    """

    def __init__(self, directory: Optional[PathLike] = None, settings: Iterable[str] = (),
                 program: Optional[PathLike] = None) -> None:
        self._temporary = directory is None
        self.directory = pathlib.Path(directory if directory is not None else tempfile.mkdtemp(prefix="worldd-"))
        self.settings = list(settings)
        self.program = str(program) if program is not None else None
        self.process: Optional[subprocess.Popen[bytes]] = None

    @property
    def control_endpoint(self) -> str:
        return f"ipc://{self.directory}/control.sock"

    @property
    def planner_endpoint(self) -> str:
        return f"ipc://{self.directory}/planner.sock"

    @property
    def log(self) -> pathlib.Path:
        return self.directory.parent / (self.directory.name + ".log")

    def start(self, timeout: float = START_TIMEOUT) -> Daemon:
        """Start it, and return when it takes messages. Raises DaemonFailed with the end of its log."""
        flags = [flag for setting in self.settings for flag in ("--set", setting)]
        command = [self.program or find_program(), "--directory", str(self.directory), *flags]
        try:
            with open(self.log, "ab") as log:
                self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        except OSError as error:
            raise DaemonFailed(f"{command[0]}: {error}") from None
        atexit.register(self.stop)
        end = time.monotonic() + timeout
        while not self._is_ready():
            if self.process.poll() is not None or time.monotonic() > end:
                text = self.log_text()
                how = f"ended with {self.process.returncode}" if self.process.poll() is not None else "is not ready"
                self.stop()
                raise DaemonFailed(f"worldd {how}:\n{text}")
            time.sleep(0.01)
        return self

    def _is_ready(self) -> bool:
        try:
            identity = json.loads((self.directory / "daemon.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return self.process is not None and identity.get("pid") == self.process.pid

    def log_text(self) -> str:
        """The end of its log."""
        try:
            return self.log.read_text(encoding="utf-8", errors="replace")[-LOG_SHOWN:]
        except OSError:
            return ""

    def stop(self) -> Optional[int]:
        """End it (SIGTERM, then SIGKILL) and return its exit status; None when it was never started. May be repeated."""
        atexit.unregister(self.stop)
        code = None
        if self.process is not None:
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
                try:
                    self.process.wait(STOP_TIMEOUT)
                except subprocess.TimeoutExpired:
                    self.process.kill()
            code = self.process.wait()
        if self._temporary:
            shutil.rmtree(self.directory, ignore_errors=True)
            self.log.unlink(missing_ok=True)
        return code

    def __enter__(self) -> Daemon:
        return self if self.process is not None else self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        running = self.process is not None and self.process.poll() is None
        return f"<worldd.Daemon {self.directory} {'running' if running else 'not running'}>"
