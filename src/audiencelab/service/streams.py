"""Bodies that are made while they are sent: their pieces, their start, and a failure on the way."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable, Iterator
from itertools import chain, islice
from typing import TypeVar

from audiencelab.errors import AudienceError
from audiencelab.service.problems import problem_document

__all__ = [
    "CHUNK_BYTES",
    "BrokenStreamError",
    "batches",
    "cut_short",
    "lines_in_chunk",
    "sliced",
    "started",
    "told",
]

T = TypeVar("T")

CHUNK_BYTES = 32 * 1024
"""What a chunk aims at: smaller ones cost a call each, larger ones come late."""

_MOST_BYTES = 64 * 1024

_log = logging.getLogger("audiencelab.service")


class BrokenStreamError(AudienceError):
    """Making a body failed after its first bytes were sent; the log tells why."""


def lines_in_chunk(length: float) -> int:
    """How many lines of about that length make a chunk."""
    return max(1, int(CHUNK_BYTES / length))


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of `size`, the last one shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def sliced(text: bytes) -> Iterator[bytes]:
    """The bytes in chunks of at most 64 KiB; a long expression can make a line longer."""
    if len(text) <= _MOST_BYTES:
        yield text
        return
    for start in range(0, len(text), _MOST_BYTES):
        yield text[start : start + _MOST_BYTES]


def started(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks, the first of them made now: what fails there can still be told by a status."""
    first = next(chunks, None)
    return _Started(first, chunks)


class _Started(Iterator[bytes]):
    """Chunks whose first is made; closing it closes what makes the others."""

    def __init__(self, first: bytes | None, chunks: Iterator[bytes]) -> None:
        self._source = chunks
        self._chunks = chunks if first is None else chain((first,), chunks)

    def __next__(self) -> bytes:
        return next(self._chunks)

    def close(self) -> None:
        self._chunks = iter(())
        if isinstance(self._source, Generator):
            self._source.close()


def told(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Lines that end, if making them fails after the first, with a problem document as a line.

    The status line has gone by then. A reader that counts its objects notices in any case; the
    last line tells why.
    """
    try:
        yield from cut_short(chunks)
    except BrokenStreamError:
        detail = "The stream ends here; what came before is right, the rest is missing."
        yield problem_document(500, "The service failed", detail) + b"\n"


def cut_short(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """A body that, if making it fails on the way, breaks off with `BrokenStreamError`.

    A single JSON document cannot carry a problem after its beginning; whoever sends it must drop
    the connection, and whoever reads it sees that it is not whole. What fails before the first
    chunk is raised as it is, since a status can still tell it.
    """
    sent = False
    try:
        for chunk in chunks:
            yield chunk
            sent = True
    except Exception:
        if not sent:
            raise
        _log.exception("A body failed after it had begun")
        raise BrokenStreamError("The service failed while it sent the answer.") from None
