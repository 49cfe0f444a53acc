"""Enrichers: who says what a screen means, in worldd's place.

    class Titles(worldd.Enricher):
        def enrich(self, request):
            request.suggestion.title = model.title_of(request.scene)     # a SemanticScene of worldd.proto
            return request.suggestion

    Titles(endpoint, "titles").serve()

worldd asks only while a setting or a run's option wants it (semantic.enricher), waits semantic.deadline_ms (2 s), and
goes on with its own suggestion when there is no answer, or a wrong one.
"""
from __future__ import annotations

from typing import Any, Callable, Optional

from . import wire
from .planner import Served


class Enricher(Served):
    """The base of enrichers. `enrich` runs in a thread of its own, so heartbeats go on while it thinks.

    endpoint      worldd's planner socket
    name          of [A-Za-z0-9._-], not "device" or "rules"; the episode names it beside each scene it understood
    max_inflight  requests answered at once; above 1 `enrich` is called from several threads
    log           called with a line of text now and then
    """

    def __init__(self, endpoint: str, name: str = "python", max_inflight: int = 1,
                 log: Optional[Callable[[str], None]] = None, **hello: Any) -> None:
        super().__init__(wire.Session(endpoint, name, self._answer, max_inflight, log, role="enricher", **hello))

    def enrich(self, request: wire.Message) -> wire.Message:
        """The SemanticScene of request.scene; request (an EnrichRequest) holds worldd's own as `suggestion`, which may be
        changed and returned. An exception says that there is none."""
        raise NotImplementedError

    def _answer(self, message: wire.Message) -> wire.Message:
        return wire.SCHEMA["EnrichReply"](request_id=message.request_id, semantic=self.enrich(message))
