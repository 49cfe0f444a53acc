"""Talks: what an object asks worldd and makes of the answers, without a connection.

A talk is a generator that yields questions, is sent the answers, or has a WorlddError thrown into it, and returns the result.
`World.converse` holds one with a blocking connection, `AsyncWorld.converse` with asyncio; so both keep the same rules.
"""
from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple, Optional, TypeVar, Union

T = TypeVar("T")


class Ask(NamedTuple):
    """A verb of docs/protocol.md; answered by a JSON value."""
    verb: str
    args: dict[str, Any]
    timeout: Optional[float] = None      # seconds; None: the world's own


class Batch(NamedTuple):
    """An EnvBatch of these fields (proto/worldd.proto); answered by an EnvBatchReply."""
    fields: dict[str, Any]
    timeout: Optional[float] = None


Question = Union[Ask, Batch]
Talk = Generator[Question, Any, T]
