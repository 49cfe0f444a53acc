"""An enricher that does one thing: enricher.py ENDPOINT NAME right|late|dead|wrong|unable

What comes to it is printed, a JSON line each.
"""
import json
import os
import sys

import zmq

from peers import Peer, wire

FOR_EVER = 3600.0            # seconds; the test ends it


def answer(peer, request, how):
    if how == "dead":
        os._exit(1)
    if how == "unable":
        peer.send("ENRICH_ERROR", wire.SCHEMA["PlanError"](request_id=request.request_id, text="told to be unable"))
    if how in ("right", "wrong"):
        meaning = wire.SCHEMA["SemanticScene"].FromString(request.suggestion.SerializeToString())
        meaning.title, meaning.source, meaning.enricher = f"read: {meaning.title}", "a model", "nobody at all"
        if how == "wrong":
            meaning.widgets.add(node=len(request.scene.nodes), purpose="item")
        peer.send("ENRICH_REPLY", wire.SCHEMA["EnrichReply"](request_id=request.request_id, semantic=meaning))


def main(endpoint, name, how):
    peer = Peer(zmq.Context(), endpoint, "enricher", name).greet()
    while True:
        kind, message = peer.receive("ENRICH_REQUEST", "ENRICH_CANCEL", "ERROR", "GOODBYE", patience=FOR_EVER)
        row = {"kind": kind}
        if kind == "ENRICH_REQUEST":
            row.update(instruction=message.instruction, digest=message.scene.digest.hex(), nodes=len(message.scene.nodes),
                       suggested_by=message.suggestion.enricher, deadline_ms=message.deadline_ms)
        elif kind != "GOODBYE":
            row.update(said=message.text if kind == "ERROR" else message.reason)
        print(json.dumps(row), flush=True)
        if kind == "ENRICH_REQUEST":
            answer(peer, message, how)
        elif kind == "GOODBYE":
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
