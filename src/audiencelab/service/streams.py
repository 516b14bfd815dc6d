"""Response bodies that are made while they are read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator

from audiencelab.errors import AudienceError
from audiencelab.service.problems import problem_document

__all__ = ["CHUNK_BYTES", "BrokenStreamError", "StreamedBody"]

CHUNK_BYTES = 32 * 1024
"""Bytes of a chunk, about: smaller ones cost a call each, larger ones come late."""

_log = logging.getLogger("audiencelab.service")


class BrokenStreamError(AudienceError):
    """Making a body failed after its first bytes were sent; the log has the cause."""


class StreamedBody(Iterator[bytes]):
    """Chunks of a body, the first of them made at once: a failure there can still be a status.

    chunks: what makes them; closing the body closes it.
    failure: the last chunk of a body whose making fails later, from a problem document. A single
        JSON document cannot carry a problem after its beginning: without `failure` the body
        breaks off with `BrokenStreamError`. The HTTP server then drops the connection, so that
        the reader sees that the body is incomplete.
    """

    def __init__(
        self, chunks: Generator[bytes], failure: Callable[[bytes], bytes] | None = None
    ) -> None:
        self._chunks = chunks
        self._failure = failure
        self._first = next(chunks, None)

    def __next__(self) -> bytes:
        if self._first is not None:
            first, self._first = self._first, None
            return first
        try:
            return next(self._chunks)
        except StopIteration:
            raise
        except Exception:
            _log.exception("A body failed after it had begun")
        if self._failure is None:
            raise BrokenStreamError("The service failed while it sent the answer.")
        detail = "The stream ends here; what came before is right, the rest is missing."
        return self._failure(problem_document(500, "The service failed", detail))

    def close(self) -> None:
        """Stop making chunks."""
        self._first = None
        self._chunks.close()
