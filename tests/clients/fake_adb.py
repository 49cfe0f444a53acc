#!/usr/bin/python3
"""Stands for adb: replays recorded dumps, notes what it is told, and fails as told.

$FAKE_ADB is a folder: `dumps/` holds screens in order of their names, `place` the number of the present one, `said` what was
asked (JSON lines), `fail` how the next commands fail: lines "COMMAND MODE [TIMES]", of which those for the command at hand hold.
"""
import json
import os
import pathlib
import re
import sys
import time

HOME = pathlib.Path(os.environ["FAKE_ADB"])
ERRORS = {
    "offline": (1, "", "error: device offline\n"), "no_devices": (1, "", "error: no devices/emulators found\n"),
    "unauthorized": (1, "", "error: device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\n"),
    "several": (1, "", "error: more than one device/emulator\n"), "unknown": (1, "", "error: device 'x' not found\n"),
    "idle": (0, "ERROR: could not get idle state.\n", ""), "null_root": (0, "ERROR: null root node returned by UiTestAutomationBridge.\n", ""),
    "server": (1, "", "error: closed\n"), "daemon": (1, "", "* daemon not running; starting now at tcp:5037\nerror: cannot connect to daemon\n"),
    "garbage": (0, "\x00\x01\ufffd garbage", ""), "empty": (0, "", ""), "strange": (3, "", "something new\n"),
    "killed": (137, "Killed\n", ""), "throws": (255, "", "java.lang.SecurityException: Injecting to another application requires INJECT_EVENTS permission\n"),
    "argument": (0, "Error: Invalid arguments for command: tap\n", ""),
    "not_there": (251, "** No activities found to run, monkey aborted.\n", ""),
}


def failure(command):
    """How this command fails; None: it does not."""
    try:
        rows = [line.split() for line in (HOME / "fail").read_text().splitlines()]
    except OSError:
        return None
    for row in rows:
        if row[0] in command and (len(row) < 3 or int(row[2]) > 0):
            if len(row) > 2:
                row[2] = str(int(row[2]) - 1)
                (HOME / "fail").write_text("\n".join(map(" ".join, rows)))
            return row[1]
    return None


def present():
    place = HOME / "place"
    return sorted((HOME / "dumps").iterdir())[int(place.read_text()) if place.exists() else 0].read_bytes()


def move():
    place = HOME / "place"
    last = len(list((HOME / "dumps").iterdir())) - 1
    place.write_text(str(min(int(place.read_text() if place.exists() else 0) + 1, last)))


def main():
    arguments = sys.argv[1:]
    serial = arguments[1] if arguments[0] == "-s" else None
    command = " ".join(arguments[2:] if serial else arguments)
    with open(HOME / "said", "a") as said:
        said.write(json.dumps([serial, command]) + "\n")
    mode = failure(command)
    if mode == "hangs":
        os.fork()                                # a server that holds the pipes outlives its client
        time.sleep(600)
    if mode is not None:
        code, out, err = ERRORS[mode]
        sys.stdout.write(out)
        sys.stderr.write(err)
        return code
    if "uiautomator dump" in command:
        sys.stdout.buffer.write(present())
        print("UI hierchary dumped to: /dev/tty")
    elif "dumpsys window" in command:
        package = re.search(rb'package="([^"]+)"', present())
        print(f"  mCurrentFocus=Window{{1 u0 {package.group(1).decode()}/.Main}}")
    elif "query-activities" in command:
        print("3 activities found:\n  Activity #0:\n    com.android.settings/.Settings\n  Activity #1:\n    org.example.notebook/.Main\n"
              "    org.other.notebook/.Main\n    com.example.Exception/.Main")
    else:
        print("Events injected: 1")
        move()
    return 0


sys.exit(main())
