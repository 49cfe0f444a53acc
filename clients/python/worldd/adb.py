"""`AdbExecutor`: a phone that adb reaches, as executor. Needs the program `adb` and nothing on the phone.

What adb can do is bounded: `input text` takes ASCII alone (with the app ADBKeyboard, anything), and `uiautomator dump` waits for a
screen that rests. Whatever fails becomes a failed capture or a failed action with a clear text, within the deadline.
"""
from __future__ import annotations

import base64
import os
import re
import shlex
import signal
import subprocess
import tempfile
import time
from typing import IO, Any, Callable, Mapping, NamedTuple, Optional, Sequence

from .executor import Act, ActionFailed, ActionRefused, CaptureFailed, Executor, Order, Screen

OUTPUT_MAX = 3 << 20         # bytes of a dump; one message of worldd's takes 4 MiB
COMPANION_MAX = 512 << 10    # bytes of what `dumpsys window` says
TEXT_PIECE = 400             # characters of one `input text`: a phone's shell takes a line of 1 KiB at least
DELETES_MAX = 2000           # characters deleted from a field at most
MARGIN = 0.5                 # seconds kept of worldd's deadline for the way back
LOOK = 0.05                  # seconds between two looks whether a command has ended or nobody waits any more
ADBKEYBOARD = "com.android.adbkeyboard/.AdbIME"
PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)+")
KEYS = {"back": "4", "home": "3", "recents": "187", "enter": "66"}
LONG_PRESS_MS, SWIPE_MS, DRAG_MS = 800, 300, 1000

# What adb and the phone say when they fail, and what it means; the first that is found counts.
TROUBLES = [
    (r"no devices/emulators found|no devices found", "no device is connected"),
    (r"more than one (device|emulator)", "several devices are connected: name one (--serial)"),
    (r"device unauthorized|unauthorized", "the device has not authorised this computer: confirm on its screen"),
    (r"device (still )?offline|error: .*offline", "the device is offline"),
    (r"device '[^']*' not found|device not found", "the device is not connected"),
    (r"could not get idle state", "the screen does not come to rest, so uiautomator cannot dump it"),
    (r"null root node", "no window can be read at the moment (null root node)"),
    (r"cannot connect to daemon|protocol fault|connection reset|failed to (start|check server)|error: closed|server.*killed",
     "the adb server is gone or was killed"),
    (r"INJECT_EVENTS", "the device does not let adb inject input (on some phones a developer option: USB debugging, security "
                       "settings)"),
    (r"(?m)^Killed", "the command was killed on the device"),
]


class Said(NamedTuple):
    """How a command of adb's ended."""
    code: Optional[int]      # None: it was killed, for it took too long or nobody waited any more
    out: bytes
    err: str

    def trouble(self) -> str:
        """What went wrong, in words; "" when nothing is known to have."""
        shown = self.out[:4096] if self.code != 0 or len(self.out) < 1024 else b""     # else it is what was asked for
        text = self.err + "\n" + shown.decode(errors="replace")
        for pattern, meaning in TROUBLES:
            if re.search(pattern, text, re.I):
                return meaning
        line = next((line.strip() for line in text.splitlines() if line.strip()), "")
        if self.code is None:
            return "no answer in time" + (f": {line[:200]}" if line else "")
        return f"adb ended with {self.code}: {line[:200]}" if self.code else ""


class AdbExecutor(Executor):
    """Drives one phone.

    serial        of the device, as `adb devices` lists it; None: the only one
    adb           the program
    timeout       seconds of one command; also bounded by worldd's deadline
    dumps         how often a capture is tried before it counts as failed
    apps          packages by the names that planners use; others are looked for among the launchable ones
    adbkeyboard   type with the app ADBKeyboard (installed and chosen as input method), which takes any text
    """

    def __init__(self, endpoint: str, name: str = "adb", *, serial: Optional[str] = None, adb: str = "adb", timeout: float = 15.0,
                 dumps: int = 2, apps: Optional[Mapping[str, str]] = None, adbkeyboard: bool = False,
                 log: Optional[Callable[[str], None]] = None) -> None:
        super().__init__(endpoint, name, log=log)
        self._command = [adb, *(["-s", serial] if serial else [])]
        self.timeout, self.dumps, self.adbkeyboard = timeout, dumps, adbkeyboard
        self.apps = {self._plain(label): package for label, package in (apps or {}).items()}

    # ---- adb ---------------------------------------------------------------------------------------------------

    def _adb(self, order: Order, end: float, *arguments: str) -> Said:
        """One command, ended before time.monotonic() is `end`, or when nobody waits for the order. Its output goes to files:
        a pipe would be held open by a server that adb started, and reading it would wait for that."""
        end = min(end, time.monotonic() + self.timeout)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            try:
                process = subprocess.Popen([*self._command, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                           start_new_session=True)
            except OSError as error:
                return Said(127, b"", f"{self._command[0]}: {error.strerror}")
            code = self._wait(process, order, end)
            return Said(code, _read(out, OUTPUT_MAX), _read(err, 4096).decode(errors="replace"))

    @staticmethod
    def _wait(process: subprocess.Popen[bytes], order: Order, end: float) -> Optional[int]:
        while True:
            try:
                return process.wait(max(0.0, min(LOOK, end - time.monotonic())))
            except subprocess.TimeoutExpired:
                if time.monotonic() < end and not order.cancelled.is_set():
                    continue
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass                             # it has just ended
            process.wait()
            return None

    def _shell(self, order: Order, end: float, *words: str) -> Said:
        """A command on the phone; its words are quoted for the phone's shell. Raises ActionFailed."""
        said = self._adb(order, end, "shell", " ".join(shlex.quote(word) for word in words))
        trouble = said.trouble()
        thrown = re.search(r"(?m)^.*Exception(:| occurred).*$|^Error[: ].*$", said.err + "\n" + said.out.decode(errors="replace"))
        trouble = trouble or (thrown.group()[:200].strip() if thrown else "")
        if trouble:
            raise ActionFailed(f"{words[0]} {words[1]}: {trouble}" if len(words) > 1 else trouble)
        return said

    @staticmethod
    def _end(order: Order) -> float:
        return time.monotonic() + max(0.1, order.deadline - MARGIN)

    # ---- seeing ------------------------------------------------------------------------------------------------

    def observe(self, order: Order) -> Screen:
        """What `uiautomator dump` prints, and `dumpsys window` beside it."""
        end, trouble = self._end(order), ""
        for _ in range(self.dumps):
            said = self._adb(order, end, "exec-out", "uiautomator dump /dev/tty")
            if b"<hierarchy" in said.out and said.code == 0:
                return Screen(said.out, self._companion(order, end))
            head = said.out[:80].decode(errors="replace").strip()
            trouble = said.trouble() or (f"no screen but {head!r}" if head else "uiautomator printed nothing")
            self.log(f"capture: {trouble}")
            if order.cancelled.is_set() or time.monotonic() >= end:
                break
        raise CaptureFailed(trouble)

    def _companion(self, order: Order, end: float) -> bytes:
        """Which activity has the focus; b"" when that cannot be said, for the screen counts."""
        said = self._adb(order, end, "shell", "dumpsys window")
        trouble = said.trouble()
        if trouble:
            self.log(f"dumpsys: {trouble}")
            return b""
        return said.out if len(said.out) <= COMPANION_MAX else b"\n".join(
            line for line in said.out.splitlines() if b"mCurrentFocus" in line or b"mFocusedApp" in line)

    # ---- acting ------------------------------------------------------------------------------------------------

    def execute(self, order: Act) -> Optional[str]:
        """See Executor.execute."""
        end = self._end(order)
        if order.action in KEYS:
            self._input(order, end, "keyevent", KEYS[order.action])
        elif order.action in ("tap", "double_tap", "long_press", "swipe", "drag", "scroll"):
            self._touch(order, end)
        elif order.action in ("type", "clear_text"):
            self._type(order, end)
        elif order.action == "key":
            self._input(order, end, "keyevent", self._key(str(order.args.get("key", ""))))
        elif order.action == "launch_app":
            self._launch(order, end, self._package(order, end))
        elif order.action == "close_app":
            self._shell(order, end, "am", "force-stop", self._package(order, end))
        elif order.action == "wait":
            order.cancelled.wait(min(float(order.args.get("ms", 1000)) / 1000, max(0.0, end - time.monotonic())))
        else:
            raise ActionRefused(f"adb does not know {order.action}", "unsupported_action")
        return None

    def _input(self, order: Order, end: float, *words: str) -> None:
        self._shell(order, end, "input", *words)

    def _touch(self, order: Act, end: float) -> None:
        if order.point is None:
            raise ActionRefused(f"{order.action}: where?", "bad_arguments")
        x, y = map(str, order.point)
        given = order.args.get("ms")
        if order.action == "tap":
            self._input(order, end, "tap", x, y)
        elif order.action == "double_tap":       # in one go: the way to the phone takes longer than a double tap may
            said = self._adb(order, end, "shell", f"input tap {x} {y} & input tap {x} {y}; wait")
            if said.trouble():
                raise ActionFailed(f"input tap: {said.trouble()}")
        elif order.action == "long_press":
            self._input(order, end, "swipe", x, y, x, y, str(int(given or LONG_PRESS_MS)))
        elif order.end is None:
            raise ActionRefused(f"{order.action}: where to?", "bad_arguments")
        else:
            how = "draganddrop" if order.action == "drag" else "swipe"
            ms = int(given or (DRAG_MS if order.action == "drag" else SWIPE_MS))
            self._input(order, end, how, x, y, *map(str, order.end), str(ms))

    @staticmethod
    def _key(name: str) -> str:
        if not re.fullmatch(r"[A-Za-z0-9_]{1,40}", name):
            raise ActionRefused(f"key: {name!r} is no key", "bad_arguments")
        name = name.upper()
        return name if name.isdigit() or name.startswith("KEYCODE_") else "KEYCODE_" + name

    # ---- text --------------------------------------------------------------------------------------------------

    def _type(self, order: Act, end: float) -> None:
        text = str(order.args.get("text", "")) if order.action == "type" else ""
        if not self.adbkeyboard and not all(" " <= char <= "~" or char in "\n\t" for char in text):
            raise ActionRefused("adb types ASCII only: install ADBKeyboard and start with --adbkeyboard", "unsupported_text")
        if order.target and order.point is not None:
            self._input(order, end, "tap", *map(str, order.point))
        if order.action == "clear_text" or order.args.get("clear"):
            self._clear(order, end)
        for piece in text_pieces(text):
            if self.adbkeyboard and piece not in "\n\t":
                encoded = base64.b64encode(piece.encode()).decode()
                self._shell(order, end, "am", "broadcast", "-a", "ADB_INPUT_B64", "--es", "msg", encoded)
            elif piece in "\n\t":
                self._input(order, end, "keyevent", "66" if piece == "\n" else "61")
            else:
                self._input(order, end, "text", piece.replace(" ", "%s"))
        if order.args.get("submit"):
            self._input(order, end, "keyevent", "66")

    def _clear(self, order: Act, end: float) -> None:
        """To the end, and as many deletions as there are characters; all in one command, which starts a virtual machine."""
        if self.adbkeyboard:
            self._shell(order, end, "am", "broadcast", "-a", "ADB_CLEAR_TEXT")
            return
        count = min(len(order.target.get("text") or "") or 50, DELETES_MAX)
        for at in range(0, count, TEXT_PIECE // 4):
            self._input(order, end, "keyevent", "123", *["67"] * min(TEXT_PIECE // 4, count - at))

    # ---- apps --------------------------------------------------------------------------------------------------

    @staticmethod
    def _plain(name: str) -> str:
        return re.sub(r"[\W_]+", "", name.lower())

    def _launchable(self, order: Order, end: float) -> list[str]:
        said = self._shell(order, end, "cmd", "package", "query-activities", "--brief", "-a", "android.intent.action.MAIN",
                           "-c", "android.intent.category.LAUNCHER")
        components = (line.strip() for line in said.out.decode(errors="replace").splitlines() if "/" in line)
        return sorted({component.split("/")[0] for component in components if PACKAGE.fullmatch(component.split("/")[0])})

    def _package(self, order: Act, end: float) -> str:
        """The package of args.app: itself one, a name from `apps`, or a part of one that can be launched."""
        app = str(order.args.get("app", ""))
        if self._plain(app) in self.apps:
            return self.apps[self._plain(app)]
        if PACKAGE.fullmatch(app):
            return app
        wanted = self._plain(app)
        found = [package for package in self._launchable(order, end)
                 if wanted and wanted in map(self._plain, package.split("."))]
        if len(found) != 1:
            raise ActionFailed(f"{app!r} names no app" if not found else f"{app!r} may be {', '.join(found)}", "no_such_app")
        return found[0]

    def _launch(self, order: Order, end: float, package: str) -> None:
        said = self._adb(order, end, "shell", f"monkey -p {shlex.quote(package)} -c android.intent.category.LAUNCHER 1")
        if b"No activities found" in said.out or "No activities found" in said.err:
            raise ActionFailed(f"{package} is not there, or has nothing to launch", "no_such_app")
        if said.trouble():
            raise ActionFailed(f"monkey: {said.trouble()}")

    def log(self, text: str) -> None:
        """A line for people."""
        self._session.log(text)


def text_pieces(text: str) -> Sequence[str]:
    """Text as `input text` takes it: %s would be a blank, a line break is a key of its own, a line must not be too long."""
    pieces: list[str] = []
    for part in re.split(r"(?<=%)(?=s)|(\n|\t)", text):
        if part:
            pieces += [part[at:at + TEXT_PIECE] for at in range(0, len(part), TEXT_PIECE)]
    return pieces


def _read(file: IO[Any], most: int) -> bytes:
    file.seek(0)
    return bytes(file.read(most))
