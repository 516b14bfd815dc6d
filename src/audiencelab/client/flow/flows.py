"""How one call goes: a generator that yields steps and is sent what came of them.

The flow decides everything (what an error status means, when an answer is whole, whether to try
again); a driver only does what it is told. So the same logic runs under a blocking driver and an
asynchronous one, and a test can walk through it with no network and no time passing.

`fetch` for an answer that is one JSON document, `exchange_whole` for an answer as it came,
`crosstab` for the stream, which is gone on with where it broke. `steps` says what a flow may ask
for, `attempts` how a request is sent and read, `retries` when it is sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from audiencelab.client.errors import (
    IncompleteStream,
    InvalidResponse,
    RequestError,
    RequestLine,
    RequestRefused,
)
from audiencelab.client.flow.attempts import Attempts
from audiencelab.client.flow.problems import form, late_problem, unexpected
from audiencelab.client.flow.retries import AMBIENT, Ambient
from audiencelab.client.flow.steps import Emit, Flow, Wait
from audiencelab.client.messages import Call, Head, Request
from audiencelab.client.options import Options
from audiencelab.client.raw import RawAnswer, shown_headers
from audiencelab.client.stream.cells import (
    ALL_ROWS,
    CellCollector,
    ContradictingCells,
    CrosstabUpdate,
    missing_request,
)
from audiencelab.client.stream.objects import InvalidStream
from audiencelab.results.crosstab import CrosstabResult

__all__ = ["Ask", "crosstab", "exchange_whole", "fetch", "fetch_with_line"]

T = TypeVar("T")

Ask = Callable[[Sequence[int], Sequence[int]], Request]
"""Makes the request for a part of a crosstab, by places from 0; audiences keep their ids."""


def fetch(call: Call[T], options: Options, ambient: Ambient = AMBIENT) -> Flow[T]:
    """A call whose answer is one JSON document, with its retries."""
    return (yield from fetch_with_line(call, options, ambient))[0]


def fetch_with_line(
    call: Call[T], options: Options, ambient: Ambient = AMBIENT
) -> Flow[tuple[T, RequestLine]]:
    """The same with what identifies the request, for errors that are found out later."""
    attempts = Attempts(call.request, options, ambient)
    while True:
        try:
            head = yield from attempts.send()
            body = yield from attempts.read_all()
            attempts.check_items(body)
            return _parsed(call, head, body, attempts), attempts.line
        except RequestError as error:
            failure = error
        yield from _before_the_next(attempts, failure)


def exchange_whole(
    request: Request, options: Options, ambient: Ambient = AMBIENT
) -> Flow[RawAnswer]:
    """A request and its answer as it came, with its retries; raises for every error status."""
    attempts = Attempts(request, options, ambient)
    while True:
        try:
            head = yield from attempts.send()
            body = yield from attempts.read_all()
            return RawAnswer(attempts.line, shown_headers(head.headers), body, attempts.seconds)
        except RequestError as error:
            failure = error
        yield from _before_the_next(attempts, failure)


def crosstab(
    ask: Ask,
    result: CrosstabResult,
    options: Options,
    ambient: Ambient = AMBIENT,
    part: slice = ALL_ROWS,
) -> Flow[CrosstabResult]:
    """The crosstab call: fills `result` and emits a `CrosstabUpdate` as cells arrive.

    part: the rows to ask for, where several calls fill one table.

    A stream that breaks is gone on with by asking for what is missing, at once if it brought
    anything, after a pause if not. Raises `IncompleteStream` if that leads nowhere.
    """
    rows, columns = missing_request(result, part)
    attempts = Attempts(ask(rows, columns), options, ambient)
    while True:
        had = result.count
        try:
            yield from _pour(attempts, CellCollector(result, rows=rows, columns=columns), part)
            failure = None
        except RequestError as error:
            failure = error
        if failure is None:
            return result
        pause = attempts.pause(failure, progress=result.count > had)
        if pause is None:
            raise _ended(failure, result)
        yield Wait(pause)
        rows, columns = missing_request(result, part)
        attempts.request = ask(rows, columns)


def _before_the_next(attempts: Attempts, failure: RequestError) -> Flow[None]:
    """Wait for the next attempt; raises if there is to be none."""
    pause = attempts.pause(failure)
    if pause is None:
        raise attempts.final(failure)
    yield Wait(pause)


def _parsed(call: Call[T], head: Head, body: bytes, attempts: Attempts) -> T:
    try:
        return call.parse(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        detail = str(error).rstrip(".")
        # Sound JSON of another shape would come again just so.
        broken = not isinstance(error, (msgspec.ValidationError, RecursionError))
    raise InvalidResponse(
        unexpected(detail, head.status, head.headers, body), attempts.line, broken=broken
    )


def _pour(attempts: Attempts, collector: CellCollector, part: slice) -> Flow[None]:
    """One attempt at a crosstab; raises unless that part of the table is whole in the end."""
    result = collector.result
    head = yield from attempts.send()
    cut: RequestError | None = None
    strange: InvalidStream | None = None
    try:
        while chunk := (yield from attempts.read()):
            yield from _emit(collector.feed(chunk))
    except RequestError as error:
        cut = error
    except InvalidStream as error:
        strange = error
    try:
        # For a broken stream too: what was known by index alone is kept. What stands behind the
        # last cells is told only once these have been taken.
        while (last := collector.finish()) is not None:
            yield Emit(last)
    except InvalidStream as error:
        strange = strange or error
    if result.arrived[part].all() and not isinstance(strange, ContradictingCells):
        return
    if cut is not None:
        raise cut
    raise _early_end(strange, collector, attempts, head)


def _early_end(
    strange: InvalidStream | None, collector: CellCollector, attempts: Attempts, head: Head
) -> InvalidResponse:
    """A stream that ended by itself, and too early, as an error that may be tried again."""
    if isinstance(strange, ContradictingCells):
        return InvalidResponse(str(strange), attempts.line)
    if strange is not None:
        words, status = late_problem(strange.document)
        # What the service refuses now it will refuse again, its own failures apart.
        broken = status is None or status >= 500 or status in (408, 429)
        words = words or f"{strange} The answer came as {form(head.status, head.headers)}."
        return InvalidResponse(words, attempts.line, broken=broken)
    if collector.nameless:
        words = (
            f"{collector.nameless:,} cells came with neither our ids nor our audiences nor an "
            "index, so it is not known where they belong."
        )
        return InvalidResponse(words, attempts.line)
    if collector.unplaced:
        words = (
            f"{collector.unplaced:,} cells came with neither our ids nor our audiences, and their "
            "indices do not tell whether the service counts from 0 or from 1."
        )
        return InvalidResponse(words, attempts.line)
    return InvalidResponse("The service closed the stream.", attempts.line, broken=True)


def _ended(failure: RequestError, result: CrosstabResult) -> RequestError:
    """What to raise for a crosstab that nothing more will come of."""
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


def _emit(update: CrosstabUpdate | None) -> Flow[None]:
    if update is not None:
        yield Emit(update)
