"""Sends requests through one transport, with retries, and reads their responses.

Three kinds of call: `fetch` for one JSON document, `fetch_raw` for a response as it came, and
`crosstab` for a stream of cells, which is resumed where it broke.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import TypeVar

from audiencelab.client.errors import (
    IncompleteStream,
    RequestError,
    RequestLine,
    RequestRefused,
)
from audiencelab.client.event_loop import check_event_loop
from audiencelab.client.exchange import Call, Exchange
from audiencelab.client.options import Options
from audiencelab.client.problems import early_end
from audiencelab.client.raw import RawResponse
from audiencelab.client.retries import ASYNC_CLOCK, Clock, Retry
from audiencelab.client.session import Session
from audiencelab.client.stream.collector import (
    ALL_ROWS,
    CellCollector,
    CrosstabUpdate,
    missing_request,
)
from audiencelab.client.stream.objects import InvalidStream
from audiencelab.client.transports.base import AsyncResponse, AsyncTransport, TransportError
from audiencelab.schema.http import Request
from audiencelab.tables import CrosstabResult

T = TypeVar("T")

RequestFor = Callable[[Sequence[int], Sequence[int]], Request]
"""Makes the request for a part of a crosstab, by positions from 0; audiences keep their ids."""

_EXPLANATION = 64 * 1024
"""Bytes of an error's body that are read; its explanation is at the beginning."""


class AsyncSender:
    """Sends requests for one client.

    session: what the calls of the client share. options: timeouts, retries, headers.
    """

    def __init__(
        self,
        transport: AsyncTransport,
        session: Session,
        options: Options,
        clock: Clock = ASYNC_CLOCK,
    ) -> None:
        self.transport = transport
        self.session = session
        self.options = options
        self._clock = clock

    def check_usable(self) -> None:
        """Raise `RuntimeError` if the client is closed or belongs to another event loop."""
        self.session.check_open()
        # unasync: remove
        check_event_loop(self.session)
        # unasync: end

    def with_options(self, options: Options) -> AsyncSender:
        """The same with other options."""
        return AsyncSender(self.transport, self.session, options, self._clock)

    async def fetch(self, call: Call[T]) -> tuple[T, RequestLine]:
        """The value of one JSON document, and what identifies the request in later errors."""
        self.check_usable()
        exchange = Exchange(call.request, self.options, self._clock, call.retry)
        while True:
            try:
                body = await self._exchange(exchange)
                return exchange.parse(call, body), exchange.line
            except RequestError as error:
                failure = error
            await self._wait(exchange, failure)

    async def fetch_raw(self, request: Request, retry: Retry) -> RawResponse:
        """A response as it came; raises for every error status."""
        self.check_usable()
        exchange = Exchange(request, self.options, self._clock, retry)
        while True:
            try:
                return exchange.raw(await self._exchange(exchange))
            except RequestError as error:
                failure = error
            await self._wait(exchange, failure)

    async def crosstab(
        self,
        request_for: RequestFor,
        result: CrosstabResult,
        *,
        part: slice = ALL_ROWS,
        sleep: Callable[[float], Awaitable[object]] | None = None,
    ) -> AsyncGenerator[CrosstabUpdate, None]:
        """Fill `result` and yield updates as cells arrive.

        part: the rows to request, where several calls fill one table.
        sleep: waits between attempts; returns True once the stream has been closed.

        A stream that breaks is resumed by requesting the missing cells, at once if it brought any,
        after a pause if not. Raises `IncompleteStream` if that does not help.
        """
        self.check_usable()
        rows, columns = missing_request(result, part)
        exchange = Exchange(request_for(rows, columns), self.options, self._clock)
        while True:
            had = result.count
            try:
                collector = CellCollector(result, rows=rows, columns=columns)
                async with aclosing(self._collect(exchange, collector, part)) as updates:
                    async for update in updates:
                        yield update
                return
            except RequestError as error:
                failure = error
            pause = exchange.pause(failure, progress=result.count > had)
            if pause is None:
                raise _ended(failure, result)
            if await (sleep or self._clock.sleep)(pause):
                return  # closed meanwhile
            rows, columns = missing_request(result, part)
            exchange.request = request_for(rows, columns)

    async def _wait(self, exchange: Exchange, failure: RequestError) -> None:
        """Wait for the next attempt; raises if there should be none."""
        pause = exchange.pause(failure)
        if pause is None:
            raise exchange.final(failure)
        await self._clock.sleep(pause)

    async def _exchange(self, exchange: Exchange) -> bytes:
        """One attempt: the body of a successful response."""
        response = await self._send(exchange)
        chunks: list[bytes] = []
        try:
            async for chunk in response.body:
                exchange.received(chunk)
                exchange.check_size()
                chunks.append(chunk)
        except TransportError as error:
            failure = exchange.failed(error)
        else:
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)
        finally:
            await response.close()
        raise failure

    async def _send(self, exchange: Exchange) -> AsyncResponse:
        """Send the request; raises for every error status."""
        request, timeout = exchange.begin()
        try:
            response = await self.transport.send(request, timeout)
        except TransportError as error:
            failure = exchange.failed(error)
        else:
            if exchange.answered(response.status, response.headers):
                return response
            failure = exchange.refused(await _explanation(response))
        raise failure

    async def _collect(
        self, exchange: Exchange, collector: CellCollector, part: slice
    ) -> AsyncGenerator[CrosstabUpdate, None]:
        """One attempt at a crosstab; raises unless that part of the table is complete."""
        response = await self._send(exchange)
        failure: RequestError | None = None
        invalid: InvalidStream | None = None
        try:
            collector.expect(response.headers.get("content-type", ""))
            async for chunk in response.body:
                exchange.received(chunk)
                if update := collector.feed(chunk):
                    yield update
        except TransportError as error:
            failure = exchange.failed(error)
        except RequestError as error:
            failure = error
        except InvalidStream as error:
            invalid = error
        finally:
            await response.close()
        try:
            # For a broken stream as well: cells known by index alone are kept.
            while last := collector.finish():
                yield last
        except InvalidStream as error:
            invalid = invalid or error
        if problem := early_end(collector, part, exchange.line, response.headers, failure, invalid):
            raise problem


async def _explanation(response: AsyncResponse) -> bytes:
    """The beginning of an error's body, as far as it comes."""
    body = b""
    try:
        async for chunk in response.body:
            body += chunk
            if len(body) >= _EXPLANATION:
                break
    except TransportError:
        # The status is known; a broken explanation of it is not another error.
        pass
    finally:
        await response.close()
    return body[:_EXPLANATION]


def _ended(failure: RequestError, result: CrosstabResult) -> RequestError:
    """The error for a crosstab that stays incomplete."""
    refused = failure.status is None or isinstance(failure, RequestRefused)
    if refused and not result.count:
        return failure
    return IncompleteStream(
        f"The crosstab ended early: {result.count:,} of {result.expected:,} cells came. "
        f"{failure.message} The error's `result` holds them, and `result.missing()` lists the "
        "others.",
        failure.request,
        result,
    )
