"""Bodies on their way through the event loop: read within a limit, sent as fast as they are taken.

What makes a body runs in worker threads, one chunk at a time, and the next chunk is asked for
when the last one has gone: a slow reader slows the engine, and holds no thread meanwhile.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus

import anyio
from anyio.to_thread import run_sync
from starlette.requests import ClientDisconnect, Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from audiencelab.schema.http import Response
from audiencelab.service.problems import ServiceError, TooLargeError
from audiencelab.service.streams import BrokenStreamError

__all__ = ["SlowBodyError", "StreamedAnswer", "discard_rest", "read_body"]

_SILENCE = 30.0
"""Seconds without a byte after which the rest of a body is no longer waited for."""

_LEAST_RATE = 1_000.0
"""Bytes a second that a body has to come at in the long run: each second that it takes beyond
`_SILENCE` is paid for by so many. So a byte now and then does not hold a turn for hours."""

_LINGER = 2.0
"""Seconds in which a caller that was refused may go on sending. Closed at once, the connection
would be reset, and the refusal lost with it."""

_log = logging.getLogger("audiencelab.service.http")


class SlowBodyError(ServiceError):
    """408: the body did not arrive."""

    status = HTTPStatus.REQUEST_TIMEOUT
    title = "The body did not arrive"


async def read_body(request: Request, limit: int) -> bytes:
    """The body of a request, of at most `limit` bytes.

    Raises `TooLargeError` as soon as it is known to be longer, whatever the headers claim,
    `SlowBodyError` if it stops arriving, and `ClientDisconnect`.
    """
    declared = request.headers.get("content-length", "")
    # Python reads no number of thousands of digits.
    if declared.isdecimal() and (len(declared) > 18 or int(declared) > limit):
        raise _too_large(limit)
    body = bytearray()
    stream = aiter(request.stream())
    begun = anyio.current_time()
    try:
        while True:
            taken = anyio.current_time() - begun
            with anyio.fail_after(min(_SILENCE, _SILENCE + len(body) / _LEAST_RATE - taken)):
                chunk = await anext(stream, None)
            if chunk is None:
                return bytes(body)
            body += chunk
            if len(body) > limit:
                raise _too_large(limit)
    except TimeoutError:
        raise SlowBodyError(
            f"It came at less than {_LEAST_RATE:,.0f} bytes a second, or not at all for "
            f"{_SILENCE:.0f} seconds."
        ) from None


async def discard_rest(receive: Receive) -> None:
    """Let a caller whose request was refused half-way finish or hang up, for a moment."""
    with anyio.move_on_after(_LINGER):
        while (message := await receive())["type"] == "http.request":
            if not message.get("more_body", False):
                return


def _too_large(limit: int) -> TooLargeError:
    return TooLargeError(f"The body is longer than {limit:,} bytes, the limit.")


class StreamedAnswer(StreamingResponse):
    """Sends a response chunk by chunk, and ends its work however the sending ends.

    made: what the service answered; it is closed in the end. sent: the same, as it goes out.
    """

    def __init__(self, made: Response, sent: Response) -> None:
        self._pulled = _Pulled(made, sent.body)
        super().__init__(self._pulled, sent.status)
        self.raw_headers = [
            (name.encode("latin-1"), value.encode("latin-1"))
            for name, value in sent.headers.items()
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Returning without the end of the body makes the server drop the connection, and that
        # is how the caller sees that the answer is not whole.
        try:
            with suppress(BrokenStreamError, ClientDisconnect):
                await super().__call__(scope, receive, send)
        except Exception:
            _log.exception("An answer broke off")
        finally:
            with anyio.CancelScope(shield=True):
                await run_sync(self._pulled.close)


class _Pulled(Iterator[bytes]):
    """A body and what closes it, one thread at a time: cancelling does not stop a thread."""

    def __init__(self, made: Response, body: Iterator[bytes]) -> None:
        self._made = made
        self._body = body
        self._lock = threading.Lock()

    def __next__(self) -> bytes:
        with self._lock:
            return next(self._body)

    def close(self) -> None:
        with self._lock:
            self._body = iter(())
            self._made.close()
