"""Run one of worldd's ready executors: python3 -m worldd.executors adb|folder ..., or worldd-executor."""
from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import sys
from typing import Optional, Sequence

from .adb import AdbExecutor
from .executor import Executor
from .folder import FolderExecutor

__all__ = ["AdbExecutor", "FolderExecutor", "main"]

EXAMPLES = """examples:
  worldd-executor -e ipc:///run/worldd/planner.sock adb --serial emulator-5554
  worldd-executor -e ipc:///run/worldd/planner.sock adb --app Mail=com.example.mail --adbkeyboard
  worldd-executor -e ipc:///run/worldd/planner.sock folder ./dumps
  worldctl run --executor adb --instruction "Turn Bluetooth off"       a task on it, by whatever planner is connected

Ends with SIGTERM or ctrl-C; exit status 0, 2 refused or wrong arguments, 3 superseded by a newer one of the same name."""


def default_endpoint() -> Optional[str]:
    """$WORLDD_PLANNER, else planner.sock in $WORLDD_DAEMON_DIRECTORY."""
    directory = os.environ.get("WORLDD_DAEMON_DIRECTORY")
    return os.environ.get("WORLDD_PLANNER") or (f"ipc://{directory}/planner.sock" if directory else None)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="worldd-executor", description="Lend worldd a phone that it does not simulate.",
                                  epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.set_defaults(endpoint=default_endpoint(), quiet=False)
    kinds = top.add_subparsers(dest="kind", required=True, metavar="adb|folder")
    adb = kinds.add_parser("adb", help="a phone that adb reaches")
    adb.add_argument("-s", "--serial", default=os.environ.get("ANDROID_SERIAL"), help="as `adb devices` lists it")
    adb.add_argument("--adb", default="adb", help="the program; default adb")
    adb.add_argument("--timeout", type=float, default=15.0, help="seconds of one command; default 15")
    adb.add_argument("--app", action="append", default=[], metavar="NAME=PACKAGE", help="what planners call an app; may be repeated")
    adb.add_argument("--adbkeyboard", action="store_true", help="type with the app ADBKeyboard, which takes any text")
    folder = kinds.add_parser("folder", help="a folder of recorded screens")
    folder.add_argument("folder", type=pathlib.Path)
    for place in (top, adb, folder):             # before the kind or behind it
        place.add_argument("-e", "--endpoint", default=argparse.SUPPRESS,
                           help="worldd's planner socket; default $WORLDD_PLANNER, or planner.sock in $WORLDD_DAEMON_DIRECTORY")
        place.add_argument("-q", "--quiet", action="store_true", default=argparse.SUPPRESS, help="say nothing")
    for kind, name in ((adb, "adb"), (folder, "folder")):
        kind.add_argument("-n", "--name", default=name, help=f"of the device, for worldd; default {name}")
    return top


def make(given: argparse.Namespace) -> Executor:
    """The executor that was asked for. Raises ValueError."""
    if given.kind == "folder":
        if not given.folder.is_dir():
            raise ValueError(f"{given.folder}: no folder")
        return FolderExecutor(given.endpoint, given.folder, given.name)
    if shutil.which(given.adb) is None:
        raise ValueError(f"{given.adb}: not found")
    apps = dict(pair.partition("=")[::2] for pair in given.app)
    if not all(name and package for name, package in apps.items()):
        raise ValueError("--app: must be NAME=PACKAGE")
    return AdbExecutor(given.endpoint, given.name, serial=given.serial, adb=given.adb, timeout=given.timeout, apps=apps,
                       adbkeyboard=given.adbkeyboard)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The program."""
    top = parser()
    given = top.parse_args(arguments)
    if not given.endpoint:
        top.error("--endpoint, $WORLDD_PLANNER or $WORLDD_DAEMON_DIRECTORY is needed")
    try:
        executor = make(given)
    except ValueError as error:
        top.error(str(error))
    return executor.serve(not given.quiet)


if __name__ == "__main__":
    sys.exit(main())
