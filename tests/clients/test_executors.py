"""Executors without a daemon: what adb is told, what its failures become; a folder of dumps as a phone."""
import json
import shutil
import subprocess
import sys
import threading
import time

import pytest

import worldd
from conftest import DUMPS, ROOT
from worldd.adb import AdbExecutor, text_pieces
from worldd.executors import main, parser
from worldd.folder import FolderExecutor

HERE = ROOT / "tests/clients"
ENDPOINT = "ipc:///nowhere"


def order(deadline=20.0, run="r"):
    return worldd.Order(run, 1, deadline, threading.Event(), None)


def act(action, point=None, end=None, target=None, deadline=20.0, run="r", **args):
    return worldd.Act(run, 1, deadline, threading.Event(), None, action, args, point, end, target or {})


class Phone:
    """A fake adb in a folder of its own."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.adb = folder, str(folder / "adb")
        shutil.copy(HERE / "fake_adb.py", self.adb)
        (folder / "adb").chmod(0o755)
        (folder / "dumps").mkdir()
        for path in DUMPS.glob("0[1-5]*.xml"):
            shutil.copy(path, folder / "dumps")
        monkeypatch.setenv("FAKE_ADB", str(folder))

    def fail(self, *rows):
        (self.folder / "fail").write_text("\n".join(rows))

    def said(self):
        path = self.folder / "said"
        rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        path.unlink(missing_ok=True)
        return [command for _, command in rows]

    def executor(self, **options):
        return AdbExecutor(ENDPOINT, adb=self.adb, **options)


@pytest.fixture
def phone(tmp_path, monkeypatch):
    return Phone(tmp_path, monkeypatch)


# ---- adb: seeing ----------------------------------------------------------------------------------------------

def test_a_screen(phone):
    screen = phone.executor().observe(order())
    assert b"<hierarchy" in screen.content and b"mCurrentFocus" in screen.companion
    assert phone.said() == ["exec-out uiautomator dump /dev/tty", "shell dumpsys window"]
    phone.executor(serial="emulator-5554").observe(order())
    assert '["emulator-5554", "exec-out' in (phone.folder / "said").read_text()


FAILED = [
    ("offline", "the device is offline"), ("no_devices", "no device is connected"), ("unauthorized", "not authorised this computer"),
    ("several", "several devices"), ("unknown", "the device is not connected"), ("idle", "does not come to rest"),
    ("null_root", "null root node"), ("server", "the adb server is gone"), ("daemon", "the adb server is gone"),
    ("garbage", "no screen but"), ("empty", "uiautomator printed nothing"), ("strange", "adb ended with 3: something new"),
    ("killed", "was killed on the device"),
]


@pytest.mark.parametrize("mode, text", FAILED, ids=[row[0] for row in FAILED])
def test_a_capture_that_fails_says_why(phone, mode, text):
    phone.fail(f"uiautomator {mode}")
    with pytest.raises(worldd.CaptureFailed, match=text):
        phone.executor().observe(order())
    assert phone.said().count("exec-out uiautomator dump /dev/tty") == 2, "it was tried again"


def test_a_second_try_helps(phone):
    phone.fail("uiautomator idle 1", "dumpsys offline")
    screen = phone.executor().observe(order())
    assert b"<hierarchy" in screen.content and screen.companion == b"", "a screen counts without its companion"


def test_nothing_hangs(phone):
    phone.fail("uiautomator hangs")
    begun = time.monotonic()
    with pytest.raises(worldd.CaptureFailed, match="no answer in time"):
        phone.executor(timeout=0.3).observe(order())
    with pytest.raises(worldd.CaptureFailed, match="no answer in time"):
        phone.executor().observe(order(deadline=0.8))
    cancelled = order()
    cancelled.cancelled.set()
    with pytest.raises(worldd.CaptureFailed):
        phone.executor().observe(cancelled)
    phone.fail("input hangs")
    with pytest.raises(worldd.ActionFailed, match="no answer in time"):
        phone.executor(timeout=0.2).execute(act("tap", (1, 2)))
    assert time.monotonic() - begun < 15
    with pytest.raises(worldd.CaptureFailed, match="No such file"):
        AdbExecutor(ENDPOINT, adb=phone.adb + ".none").observe(order())


# ---- adb: acting ----------------------------------------------------------------------------------------------

FIELD = dict(point=(5, 6), target={"node": 3, "text": "old"})
ACTS = [
    ("tap", act("tap", (5, 6)), ["input tap 5 6"]),
    ("double_tap", act("double_tap", (5, 6)), ["input tap 5 6 & input tap 5 6; wait"]),
    ("long_press", act("long_press", (5, 6), ms=900), ["input swipe 5 6 5 6 900"]),
    ("swipe", act("swipe", (5, 6), (7, 8)), ["input swipe 5 6 7 8 300"]),
    ("drag", act("drag", (5, 6), (7, 8), ms=50), ["input draganddrop 5 6 7 8 50"]),
    ("scroll", act("scroll", (5, 6), (5, 2), direction="down"), ["input swipe 5 6 5 2 300"]),
    ("back", act("back"), ["input keyevent 4"]), ("home", act("home"), ["input keyevent 3"]),
    ("recents", act("recents"), ["input keyevent 187"]), ("enter", act("enter"), ["input keyevent 66"]),
    ("a key by name", act("key", key="volume_up"), ["input keyevent KEYCODE_VOLUME_UP"]),
    ("a key by number", act("key", key="24"), ["input keyevent 24"]),
    ("type", act("type", text="hi", **FIELD), ["input tap 5 6", "input text hi"]),
    ("type where the focus is", act("type", text="hi"), ["input text hi"]),
    ("type and submit", act("type", text="hi", submit=True), ["input text hi", "input keyevent 66"]),
    ("what a shell would read", act("type", text="a b'c\"d$(x)&;|<>*?`\\"),
     ["input text 'a%sb'\"'\"'c\"d$(x)&;|<>*?`\\'"]),
    ("%s is no blank", act("type", text="100%sure"), ["input text 100%", "input text sure"]),
    ("lines", act("type", text="a\nb\tc"), ["input text a", "input keyevent 66", "input text b", "input keyevent 61", "input text c"]),
    ("clear and type", act("type", text="new", clear=True, **FIELD), ["input tap 5 6", "input keyevent 123 67 67 67", "input text new"]),
    ("clear_text", act("clear_text", **FIELD), ["input tap 5 6", "input keyevent 123 67 67 67"]),
    ("launch a package", act("launch_app", app="com.example.mail"), ["monkey -p com.example.mail -c android.intent.category.LAUNCHER 1"]),
    ("launch a name", act("launch_app", app="My Mail"), ["monkey -p com.example.mail -c android.intent.category.LAUNCHER 1"]),
    ("launch part of a package", act("launch_app", app="Settings"), [
        "cmd package query-activities --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER",
        "monkey -p com.android.settings -c android.intent.category.LAUNCHER 1"]),
    ("close", act("close_app", app="com.example.mail"), ["am force-stop com.example.mail"]),
    ("wait", act("wait", ms=1), []),
]


@pytest.mark.parametrize("done, said", [row[1:] for row in ACTS], ids=[row[0] for row in ACTS])
def test_what_adb_is_told(phone, done, said):
    assert phone.executor(apps={"my mail": "com.example.mail"}).execute(done) is None
    assert phone.said() == ["shell " + words for words in said]


REFUSED = [
    ("a place is missing", act("tap"), "where"), ("an end is missing", act("swipe", (1, 2)), "where to"),
    ("an action that adb has not", act("pinch"), "adb does not know pinch"), ("no key", act("key", key="a; reboot"), "no key"),
    ("text that input cannot type", act("type", text="größer"), "ASCII only"),
]


@pytest.mark.parametrize("done, text", [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_not_even_tried(phone, done, text):
    with pytest.raises(worldd.ActionRefused, match=text):
        phone.executor().execute(done)
    assert phone.said() == []


TROUBLES = [
    ("offline", act("tap", (1, 2)), "input tap: the device is offline", ""), ("throws", act("back"), "does not let adb inject input", ""),
    ("argument", act("back"), "Error: Invalid arguments", ""), ("server", act("home"), "the adb server is gone", ""),
    ("not_there", act("launch_app", app="com.example.none"), "not there", "no_such_app"),
    ("offline", act("launch_app", app="com.example.none"), "monkey: the device is offline", ""),
    ("offline", act("double_tap", (1, 2)), "the device is offline", ""),
    ("none", act("launch_app", app="Nothing like it"), "names no app", "no_such_app"),
    ("none", act("launch_app", app="notebook"), "may be org.example.notebook, org.other.notebook", "no_such_app"),
]


@pytest.mark.parametrize("mode, done, text, code", TROUBLES, ids=[f"{row[0]} {row[1].action}" for row in TROUBLES])
def test_an_action_that_fails_says_why(phone, mode, done, text, code):
    phone.fail(*([] if mode == "none" else [f"{command} {mode}" for command in ("input", "monkey", "query")]))
    with pytest.raises(worldd.ActionFailed, match=text) as caught:
        phone.executor().execute(done)
    assert caught.value.code == code and caught.value.outcome == "failed"


def test_any_text_with_adbkeyboard(phone):
    executor = phone.executor(adbkeyboard=True)
    executor.execute(act("type", text="größer\n", clear=True))
    assert phone.said() == ["shell am broadcast -a ADB_CLEAR_TEXT", "shell am broadcast -a ADB_INPUT_B64 --es msg Z3LDtsOfZXI=",
                            "shell input keyevent 66"]
    assert "".join(text_pieces("%s" * 999)) == "%s" * 999 and max(map(len, text_pieces("x" * 999))) <= 400


# ---- a folder -------------------------------------------------------------------------------------------------

@pytest.fixture
def folder(tmp_path):
    for number, path in enumerate(sorted(DUMPS.glob("*.xml"))[:3]):
        shutil.copy(path, tmp_path / f"{number}.xml")
    return tmp_path


def test_a_folder_is_a_phone(folder):
    (folder / "1.window.txt").write_text("mCurrentFocus=Window{1 u0 a.b/.C}")
    phone = FolderExecutor(ENDPOINT, folder)
    first = phone.observe(order()).content
    assert phone.execute(act("tap", (1, 2))) == "now 1.xml" and phone.observe(order()).companion.startswith(b"mCurrentFocus")
    assert phone.observe(order(run="another")).content == first, "each run has its own place"
    phone.execute(act("back"))
    with pytest.raises(worldd.ActionFailed, match="the folder ends with 2.xml"):
        phone.execute(act("back"))


def test_a_folder_that_tells_which_action_leads_where(folder):
    rows = [{"action": "tap", "resource_id": "save", "to": "2.xml"}, {"action": "launch_app", "app": "Notes", "to": "1.xml"}]
    (folder / "0.json").write_text(json.dumps({"actions": rows}))
    (folder / "2.json").write_text('{"actions": [{"to": "0.xml"}]}')
    phone = FolderExecutor(ENDPOINT, folder)
    with pytest.raises(worldd.ActionFailed, match="does not tell where tap leads") as caught:
        phone.execute(act("tap", (1, 2), target={"resource_id": "a.b:id/other"}))
    assert caught.value.code == "no_effect"
    assert phone.execute(act("tap", (1, 2), target={"resource_id": "a.b:id/save"})) == "now 2.xml"
    assert phone.execute(act("home")) == "now 0.xml" and phone.execute(act("launch_app", app="Notes")) == "now 1.xml"


WRONG = [("no JSON", "{", "0.json"), ("no objects", '{"actions": [7]}', "must be objects"), ("a list", "[]", "0.json"),
         ("a page that is not there", '{"actions": [{"to": "9.xml"}]}', "there is no 9.xml")]


@pytest.mark.parametrize("text, why", [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_a_folder_that_is_wrong_is_told_at_once(folder, text, why):
    (folder / "0.json").write_text(text)
    with pytest.raises(ValueError, match=why):
        FolderExecutor(ENDPOINT, folder)
    with pytest.raises(ValueError, match="no screens"):
        (folder / "empty").mkdir()
        FolderExecutor(ENDPOINT, folder / "empty")


# ---- the program ----------------------------------------------------------------------------------------------

MISUSE = [
    ("no endpoint", ["folder", "."], "--endpoint"), ("no kind", ["-e", ENDPOINT], "adb|folder"),
    ("no such folder", ["-e", ENDPOINT, "folder", "/none"], "/none: no folder"),
    ("no adb", ["-e", ENDPOINT, "adb", "--adb", "/none/adb"], "/none/adb: not found"),
    ("an app without package", ["-e", ENDPOINT, "adb", "--adb", sys.executable, "--app", "Mail"], "NAME=PACKAGE"),
]


@pytest.mark.parametrize("arguments, text", [row[1:] for row in MISUSE], ids=[row[0] for row in MISUSE])
def test_wrong_arguments(arguments, text, monkeypatch, capsys):
    monkeypatch.delenv("WORLDD_PLANNER", raising=False)
    monkeypatch.delenv("WORLDD_DAEMON_DIRECTORY", raising=False)
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2 and text in capsys.readouterr().err


@pytest.mark.parametrize("arguments, endpoint", [
    (["folder", "f"], "ipc:///d/planner.sock"), (["-e", "x", "folder", "f"], "x"), (["folder", "f", "-e", "x"], "x"),
    (["-e", "y", "adb", "--endpoint", "x"], "x")])
def test_the_endpoint_stands_where_people_put_it(arguments, endpoint, monkeypatch):
    monkeypatch.delenv("WORLDD_PLANNER", raising=False)
    monkeypatch.setenv("WORLDD_DAEMON_DIRECTORY", "/d")
    given = parser().parse_args(arguments)
    assert (given.endpoint, given.quiet) == (endpoint, False)
    assert parser().parse_args([*arguments, "-q"]).quiet


def test_help_has_examples():
    text = subprocess.run([sys.executable, "-B", "-m", "worldd.executors", "--help"], capture_output=True, text=True,
                          env={"PYTHONPATH": str(ROOT / "clients/python")}).stdout
    assert "examples:" in text and "adb --serial" in text and "folder ./dumps" in text


def test_the_wire_forms():
    executor = FolderExecutor.__new__(FolderExecutor)
    executor.observe = lambda order: worldd.Screen("<x/>", size=(1, 2))
    executor.execute = lambda order: seen.append(order)
    worldd.Executor.__init__(executor, ENDPOINT)
    seen, make = [], worldd.wire.SCHEMA
    reply = executor._answer(make["ObserveRequest"](request_id=1, run_id="r", deadline_ms=1500))
    assert (reply.screen, reply.width, reply.height, reply.failure) == (b"<x/>", 1, 2, "")
    request = make["ExecuteRequest"](request_id=2, run_id="r", action="swipe", args_json=b'{"ms":5}', end={"x": 3, "y": 4})
    request.target.point.x, request.target.node, request.target.resource_id = 7, 5, "a:id/b"
    assert executor._answer(request).outcome == "ok"
    assert (seen[0].action, seen[0].args, seen[0].point, seen[0].end) == ("swipe", {"ms": 5}, (7, 0), (3, 4))
    assert seen[0].target["resource_id"] == "a:id/b" and seen[0].cancelled.is_set(), "nobody waits: it has no session"
    with pytest.raises(RuntimeError, match="executed already"):
        executor._answer(request)

    def fail(error):
        def raise_it(order):
            raise error
        return raise_it

    executor.observe, executor.execute = fail(worldd.CaptureFailed("dark\0" + "x" * 9999)), fail(worldd.ActionRefused("no", "bad_arguments"))
    assert executor._answer(make["ObserveRequest"](request_id=3)).failure.startswith("darkx")
    reply = executor._answer(make["ExecuteRequest"](request_id=4, action="tap"))
    assert (reply.outcome, reply.code, reply.text) == ("refused", "bad_arguments", "no")
