"""An executor with a phone of paper: executor.py ENDPOINT NAME STATE [FAULT N]

Its screens are the dumps of tests/data/phone_session, or those of a folder in $EXECUTOR_SCREENS one after the other; which
one is on is kept in the file STATE, so that the phone outlives its executor. At the N-th occasion it does what FAULT says.
What comes to it is printed, a JSON line each; it comes back when worldd was away.
"""
import json
import os
import pathlib
import sys
import time

import zmq

from conftest import ROOT
from peers import Peer, wire

PAPER = ROOT / "tests/data/phone_session"
WAYS = {                     # (screen, what is done to what) -> the next screen
    ("01_launcher", "tap Notebook"): "02_notes", ("01_launcher", "launch_app notebook"): "02_notes",
    ("02_notes", "tap Shopping"): "03_note", ("03_note", "key menu"): "04_delete_dialog",
    ("04_delete_dialog", "tap Delete"): "05_notes_again", ("04_delete_dialog", "tap Cancel"): "03_note",
    ("03_note", "back"): "02_notes", ("02_notes", "back"): "01_launcher", ("05_notes_again", "back"): "01_launcher",
}


class Paper:
    """The phone: one screen at a time."""

    def __init__(self, state):
        self.state = pathlib.Path(state)
        folder = os.environ.get("EXECUTOR_SCREENS")
        self.roll = sorted(pathlib.Path(folder).iterdir()) if folder else None

    def now(self):
        return self.state.read_text() if self.state.exists() else "0" if self.roll else "01_launcher"

    def screen(self):
        return self.roll[int(self.now())].read_bytes() if self.roll else (PAPER / f"{self.now()}.xml").read_bytes()

    def act(self, request):
        """The outcome's code."""
        args = json.loads(request.args_json)
        what = {"tap": request.target.text, "launch_app": args.get("app"), "key": args.get("key")}.get(request.action)
        done = f"{request.action} {what}" if what else request.action
        there = str(min(int(self.now()) + 1, len(self.roll) - 1)) if self.roll else WAYS.get((self.now(), done))
        if there is None:
            return "no_effect"
        self.state.write_text(there)
        return "ok"


class Executor:
    def __init__(self, endpoint, name, state, fault="", number=0):
        self.endpoint, self.name, self.paper = endpoint, name, Paper(state)
        self.fault, self.number, self.counts = fault, int(number), {}
        self.instance = os.urandom(16)

    def strikes(self, occasion):
        """Is this the occasion for the fault?"""
        if occasion != self.fault:
            return False
        self.counts[occasion] = self.counts.get(occasion, 0) + 1
        return self.counts[occasion] == self.number

    def observe(self, peer, request):
        if self.strikes("die_observing"):
            os._exit(1)
        reply = wire.SCHEMA["ObserveReply"](request_id=request.request_id, width=1080, height=2400)
        if self.strikes("blind"):
            reply.failure = "could not get idle state"
        elif self.strikes("nonsense"):
            reply.screen = b"\x00\xffno screen"
        elif not self.strikes("nothing"):
            reply.screen = self.paper.screen()
        peer.send("OBSERVE_REPLY", reply)

    def execute(self, peer, request):
        if self.strikes("die_executing"):
            self.paper.act(request)
            os._exit(1)
        if self.strikes("hang"):
            return
        if self.strikes("unable"):
            peer.send("EXECUTOR_ERROR", wire.SCHEMA["PlanError"](request_id=request.request_id, text="unplugged",
                                                                 retryable=True))
            return
        code = self.paper.act(request)
        reply = wire.SCHEMA["ExecuteReply"](request_id=request.request_id, outcome="ok", code=code)
        if self.strikes("fail"):
            reply.outcome, reply.code, reply.text = "failed", "E_ADB", "device offline"
        peer.send("EXECUTE_REPLY", reply)
        if self.strikes("twice"):
            peer.send("EXECUTE_REPLY", reply)
        if self.strikes("die_after"):
            time.sleep(0)
            peer.close()
            os._exit(1)

    def session(self, context):
        peer = Peer(context, self.endpoint, "executor", self.name)
        peer.instance = self.instance
        peer.hello(max_inflight=int(os.environ.get("EXECUTOR_RUNS", "1")))
        while True:
            try:
                kind, message = peer.receive(patience=5)
            except AssertionError:       # worldd is gone: start over
                peer.close()
                return True
            row = {"kind": kind}
            if kind in ("OBSERVE_REQUEST", "EXECUTE_REQUEST"):
                row.update(id=message.request_id, attempt=message.attempt, deadline_ms=message.deadline_ms)
            if kind == "EXECUTE_REQUEST":
                row.update(action=message.action, args=json.loads(message.args_json), x=message.target.point.x,
                           y=message.target.point.y, node=message.target.node, text=message.target.text,
                           target=message.HasField("target"), end=[message.end.x, message.end.y])
            if kind in ("ERROR", "REJECT"):
                row.update(text=message.text)
            print(json.dumps(row), flush=True)
            if kind == "OBSERVE_REQUEST":
                self.observe(peer, message)
            elif kind == "EXECUTE_REQUEST":
                self.execute(peer, message)
            elif kind == "WHO_ARE_YOU":
                peer.hello()
            elif kind == "GOODBYE":
                peer.close()
                return message.reason != "superseded"


if __name__ == "__main__":
    executor, ctx = Executor(*sys.argv[1:]), zmq.Context()
    while executor.session(ctx):
        pass
