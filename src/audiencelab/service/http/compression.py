"""gzip for answers, when the caller takes it and it is worth it.

Each chunk is flushed as it is made: the first cells of a long table arrive as early as they
would uncompressed. It runs where the body is made, in a worker thread, not in the event loop.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import chain

from audiencelab.schema.http import Response

__all__ = ["accepts_gzip", "compressed"]

_LEAST_BYTES = 1024
"""Below this a body fits one packet in any case."""

_LEVEL = 1
"""Rows of a table repeat themselves so much that higher levels cost time and save little."""

_GZIP_FORMAT = 16 + zlib.MAX_WBITS


def accepts_gzip(header: str | None) -> bool:
    """Whether an `Accept-Encoding` header takes gzip, and would not rather have it plain."""
    weights = dict(_weight(part) for part in (header or "").split(",") if part.strip())
    others = weights.get("*", 0.0)
    gzip = weights.get("gzip", weights.get("x-gzip", others))
    return gzip > 0 and gzip >= weights.get("identity", 0.0)


def compressed(response: Response, accept_encoding: str | None) -> Response:
    """The same response, its body in gzip where that is wanted and worth it.

    The new response does not own the body: whoever made the old one closes the old one.
    """
    headers = response.headers | {"vary": "Accept-Encoding"}
    if not accepts_gzip(accept_encoding):
        return Response(response.status, headers, response.body)
    body, is_tiny = _measured(response)
    if is_tiny:
        return Response(response.status, headers, body)
    headers.pop("content-length", None)
    return Response(response.status, headers | {"content-encoding": "gzip"}, _gzipped(body))


def _weight(part: str) -> tuple[str, float]:
    """`gzip;q=0.5` as a name and a number; what is no number counts as a refusal."""
    coding, *parameters = (piece.strip().lower() for piece in part.split(";"))
    given = next((each[2:] for each in parameters if each.startswith("q=")), "1")
    try:
        return coding, float(given)
    except ValueError:
        return coding, 0.0


def _measured(response: Response) -> tuple[Iterator[bytes], bool]:
    """The body, and whether the whole of it is tiny.

    Where no length is told, a body that begins tiny is looked at one chunk further: the least
    that tells whether it ends there.
    """
    told = response.headers.get("content-length")
    if told is not None:
        return response.body, int(told) < _LEAST_BYTES
    seen: list[bytes] = []
    try:
        for chunk in response.body:
            seen.append(chunk)
            if len(seen) > 1 or len(chunk) >= _LEAST_BYTES:
                return chain(seen, response.body), False
    except Exception as error:
        # It breaks where it would have broken had nobody looked ahead.
        return chain(seen, _failing(error)), False
    return iter(seen), True


def _failing(error: Exception) -> Iterator[bytes]:
    raise error
    yield


def _gzipped(body: Iterator[bytes]) -> Iterator[bytes]:
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP_FORMAT)
    for chunk in body:
        yield compressor.compress(chunk) + compressor.flush(zlib.Z_SYNC_FLUSH)
    yield compressor.flush()
