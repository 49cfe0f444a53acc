#!/usr/bin/python3
"""A whole planner for worldd in one file: copy it anywhere; it needs Debian's python3-zmq and python3-protobuf.

    hello_planner.py ipc:///run/worldd/planner.sock

It taps the first thing on the screen whose label stands in the instruction, and is content when nothing new does.
"""
import json
import os
import struct
import sys
import time

import zmq
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# The fields used here, as proto/worldd.proto numbers them; protobuf skips the rest. A * marks a repeated field.
FIELDS = {"Hello": "uint32 min_major 1, uint32 max_major 2, string role 5, string name 6, bytes instance 7",
          "Welcome": "uint32 heartbeat_ms 4", "Reject": "string text 2", "Error": "string text 3",
          "Task": "string instruction 2", "Node": "int32 id 1, string text 7, bool system_ui 15",
          "Scene": "string app_package 5, *Node nodes 10", "PlannedStep": "string action 1, bytes args_json 2",
          "PlanRequest": "uint64 request_id 1, string run_id 2, Task task 5, Scene scene 8",
          "PlanReply": "uint64 request_id 1, *PlannedStep steps 2"}
TYPES = {"uint32": 13, "int32": 5, "uint64": 4, "string": 9, "bytes": 12, "bool": 8}
HELLO, WELCOME, REJECT, PING, PONG, WHO_ARE_YOU, GOODBYE, ERROR, PLAN_REQUEST, PLAN_REPLY = 1, 2, 3, 4, 5, 6, 7, 8, 16, 17


def message_classes():
    file = descriptor_pb2.FileDescriptorProto(name="hello", package="w", syntax="proto3")
    for name, fields in FIELDS.items():
        message = file.message_type.add(name=name)
        for kind, field, number in (part.split() for part in fields.split(", ")):
            row = message.field.add(name=field, number=int(number), label=3 if kind[0] == "*" else 1)
            row.type = TYPES.get(kind, 11)
            if kind not in TYPES:
                row.type_name = ".w." + kind.strip("*")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    make = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return {name: make(pool.FindMessageTypeByName("w." + name)) for name in FIELDS}


W = message_classes()


def plan(request, tapped):
    """The slow part: call your model here, in a thread if it takes longer than a few heartbeats."""
    for node in request.scene.nodes:
        named = len(node.text) > 2 and node.text.lower() in request.task.instruction.lower()
        if named and not node.system_ui and (request.run_id, node.text) not in tapped:
            tapped.add((request.run_id, node.text))
            return "tap", {"node": node.id, "remember": {"tapped": node.text}}
    return "complete", {"status": "success"}


def answer(body, tapped):
    request = W["PlanRequest"].FromString(body)
    action, args = plan(request, tapped)
    print(f"{request.scene.app_package}: {action} {args}", flush=True)
    reply = W["PlanReply"](request_id=request.request_id)
    reply.steps.add(action=action, args_json=json.dumps(args).encode())
    return reply.SerializeToString()


def session(context, endpoint, tapped):
    socket, heartbeat_ms = context.socket(zmq.DEALER), 600
    for option, value in ((zmq.LINGER, 200), (zmq.IMMEDIATE, 1), (zmq.SNDTIMEO, 2000)):
        socket.setsockopt(option, value)
    socket.connect(endpoint)

    def send(kind, body):
        socket.send_multipart([struct.pack("<2sBBHH", b"WD", 1, 0, kind, 0), body])

    hello = W["Hello"](min_major=1, max_major=1, role="planner", name="hello", instance=os.urandom(16))
    try:
        send(HELLO, hello.SerializeToString())
        while socket.poll(5 * heartbeat_ms):                     # worldd beats; silent for five beats: start over
            header, body = socket.recv_multipart()[:2]
            kind = struct.unpack("<4xHxx", header)[0]
            if kind == WELCOME:
                heartbeat_ms = W["Welcome"].FromString(body).heartbeat_ms
            elif kind == PLAN_REQUEST:
                send(PLAN_REPLY, answer(body, tapped))
            elif kind == PING:                                   # the answer is a sign of life, so we need not beat too
                send(PONG, body)
            elif kind == WHO_ARE_YOU:                            # worldd was restarted
                send(HELLO, hello.SerializeToString())
            elif kind in (REJECT, ERROR):
                print("worldd says:", W["Reject" if kind == REJECT else "Error"].FromString(body).text, flush=True)
            if kind in (REJECT, GOODBYE):
                break
    except zmq.Again:
        pass                                                     # nobody there to take it
    finally:
        socket.close()


if __name__ == "__main__":
    with zmq.Context() as zmq_context:
        seen = set()
        while True:
            session(zmq_context, sys.argv[1], seen)
            time.sleep(1)
