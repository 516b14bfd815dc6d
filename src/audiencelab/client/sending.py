"""Sends requests through one transport, with retries, and reads their responses.

`Sender.fetch` is for one JSON document, `fetch_raw` for a response as it came, and `crosstab`
for a stream of cells, which is resumed where it broke. `ask` adds hints to refusals, and
`load_names` requests the catalogue for the names of codes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from msgspec import UNSET, UnsetType

from audiencelab.client import hints
from audiencelab.client.catalogue import Catalogue
from audiencelab.client.context import ClientContext
from audiencelab.client.errors import (
    ConnectionFailed,
    InvalidResponse,
    RequestError,
    RequestLine,
    RequestRefused,
    RequestTimeout,
    SurveyChanged,
)
from audiencelab.client.exchange import Call, CallAttempts
from audiencelab.client.options import ClientOptions
from audiencelab.client.own_service import (
    NOT_COUNTED,
    asks_for_valid,
    question_asked,
    unknown_asked,
    unknown_base_of,
    unknown_weight,
)
from audiencelab.client.problems import early_end, incomplete
from audiencelab.client.questions import EVERYTHING, build_questions_filter, question_keys
from audiencelab.client.responses import RawResponse
from audiencelab.client.retries import CLOCK, Clock, Retry
from audiencelab.client.stopping import holding
from audiencelab.client.stream.collector import (
    ALL_ROWS,
    CellCollector,
    ContradictingCells,
    CrosstabUpdate,
    missing_request,
)
from audiencelab.client.stream.objects import InvalidStream
from audiencelab.client.transports.base import Response, Transport
from audiencelab.client.transports.recording import RecordingTransport
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience
from audiencelab.expressions.codes import WAVES
from audiencelab.schema import Question
from audiencelab.schema.blocks import CELLS, BlockDecoder
from audiencelab.schema.endpoints import endpoint_of
from audiencelab.schema.http import (
    BASE_OF,
    SURVEY_SCOPE,
    SURVEY_VERSION,
    WEIGHT,
    Request,
    TransportError,
)
from audiencelab.schema.survey_scope import SurveyScope
from audiencelab.tables import CrosstabResult

T = TypeVar("T")

_log = logging.getLogger("audiencelab")

RequestFor = Callable[[Sequence[int], Sequence[int]], Request]
"""Makes the request for a part of a crosstab, by positions from 0; audiences keep their ids."""

_EXPLANATION = 64 * 1024
"""Bytes of an error's body that are read; its explanation is at the beginning."""

_LONGEST = 10.0
"""Maximum seconds to wait for names."""

# Not 403: questions that may not be used are missing from the catalogue, which would call them
# unknown.
_WITH_HINTS = (400, 404, 422)


@dataclass(slots=True)
class HeldVersion:
    """The version of the survey that one result is of, by the header of its answers.

    version: None until an answer came; "" where the service names none.
    has_figures: whether some of the answers had figures, and not names alone.
    """

    version: str | None = None
    has_figures: bool = False


class Sender:
    """Sends requests for one client.

    context: what the calls of the client share. options: timeouts, retries, headers.
    held: of the result that the requests are for; None for requests of no result.
    """

    def __init__(
        self,
        transport: Transport,
        context: ClientContext,
        options: ClientOptions,
        clock: Clock = CLOCK,
        held: HeldVersion | None = None,
    ) -> None:
        self.transport = transport
        self.context = context
        self.options = options
        self.held = held
        self._clock = clock

    def check_usable(self) -> None:
        """Raise `RuntimeError` if the client is closed."""
        self.context.check_open()

    def with_options(self, options: ClientOptions) -> Sender:
        """The same with other options."""
        return Sender(self.transport, self.context, options, self._clock, self.held)

    def holding(self, version: str | None = None) -> Sender:
        """The same for the requests of one result, which one version of the survey answers.

        version: of a result that is there already. By default that of the names that are known, so
        that a table has no answers of one version and figures of another.
        """
        # A recording has names of any time in it, so their version is not that of its figures.
        if version is None and self.context.snapshot is None:
            version = self.context.version
        held = HeldVersion(version)
        return Sender(self.transport, self.context, self.options, self._clock, held)

    @property
    def version_fact(self) -> dict[str, str]:
        """What the provenance of a result says of its version; empty where none is named."""
        version = self.held.version if self.held is not None else self.context.version
        return {"survey_version": version} if version else {}

    def with_weight(self, weight: str | UnsetType | None) -> Sender:
        """The same with a weight of the survey; UNSET leaves the client's own."""
        if weight is UNSET:
            return self
        own = replace(self.options.scope, weight=self.context.chosen_weight(weight))
        return self.with_options(self.options.with_scope(own))

    def fetch(self, call: Call[T]) -> tuple[T, RequestLine]:
        """The value of one JSON document, and what identifies the request in later errors."""
        exchange = CallAttempts(call.request, self.options, self._clock, call.retry)
        value = self._repeat(exchange, lambda body: exchange.parse(call, body))
        return value, exchange.line

    def fetch_raw(self, request: Request, retry: Retry) -> RawResponse:
        """A response as it came; raises for every error status."""
        exchange = CallAttempts(request, self.options, self._clock, retry)
        return self._repeat(exchange, exchange.raw)

    def crosstab(
        self,
        request_for: RequestFor,
        result: CrosstabResult,
        *,
        part: slice = ALL_ROWS,
    ) -> Generator[CrosstabUpdate, None]:
        """Fill `result` and yield updates as cells arrive.

        part: the rows to request, where several calls fill one table.

        A stream that breaks is resumed by requesting the missing cells, at once if it brought any,
        after a pause if not. Raises `IncompleteStream` if that does not help.
        """
        self.check_usable()
        rows, columns = missing_request(result, part)
        exchange = CallAttempts(request_for(rows, columns), self.options, self._clock)
        while True:
            had = result.count
            collector = CellCollector(result, rows=rows, columns=columns)
            failure: RequestError | InvalidStream | None = None
            try:
                yield from self._receive_cells(exchange, collector)
            # Not resumed: cells of another version do not belong in this table.
            except SurveyChanged:
                raise
            except (TransportError, RequestError, InvalidStream) as error:
                failure = exchange.failed(error) if isinstance(error, TransportError) else error
            updates, invalid = collector.finish()
            yield from updates
            failure = failure or invalid
            if result.arrived[part].all() and not isinstance(failure, ContradictingCells):
                return
            failed = early_end(collector.unplaced, exchange.line, exchange.headers, failure)
            pause = exchange.pause(failed, progress=result.count > had)
            if pause is None:
                raise incomplete(failed, result)
            self._clock.sleep(pause)
            rows, columns = missing_request(result, part)
            exchange.request = request_for(rows, columns)

    def _repeat(self, exchange: CallAttempts, read: Callable[[bytes], T]) -> T:
        """The response as `read` reads it, by as many attempts as the options allow."""
        self.check_usable()
        while True:
            try:
                return read(self._receive(exchange))
            except RequestError as error:
                failure = error
            pause = exchange.pause(failure)
            if pause is None:
                raise exchange.final(failure)
            self._clock.sleep(pause)

    def _receive_cells(
        self, exchange: CallAttempts, collector: CellCollector
    ) -> Generator[CrosstabUpdate, None]:
        """One attempt: the cells of a successful response."""
        response = self._send(exchange)
        collector.result.provenance |= self.version_fact
        has_blocks = response.headers.get("content-type", "").startswith(CELLS)
        collector.blocks = BlockDecoder() if has_blocks else None
        try:
            for chunk in response.body:
                exchange.received(chunk)
                if update := collector.feed(chunk):
                    yield update
        except BaseException:
            # A body that is read to its end has closed itself.
            response.close()
            raise

    def _receive(self, exchange: CallAttempts) -> bytes:
        """One attempt: the body of a successful response."""
        response = self._send(exchange)
        chunks: list[bytes] = []
        try:
            for chunk in response.body:
                exchange.received(chunk)
                exchange.check_size()
                chunks.append(chunk)
        except TransportError as error:
            failure = exchange.failed(error)
        # Raised after the block, so that the transport's error is not attached to it.
        else:
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)
        finally:
            response.close()
        raise failure

    def _send(self, exchange: CallAttempts) -> Response:
        """Send the request; raises for every error status."""
        exchange.version = (self.held and self.held.version) or ""
        request, timeout = exchange.begin(self.context.edits.headers())
        if WEIGHT in request.headers and not is_ours(self):
            raise LookupError(unknown_weight(self.context))
        if (counts_valid := asks_for_valid(request)) and not is_ours(self):
            raise LookupError(unknown_base_of(self.context))
        transport, recorder = self.transport, self.context.recorder
        if recorder is not None:
            transport = RecordingTransport(transport, recorder)
        try:
            response = transport.send(request, timeout)
        except TransportError as error:
            failure = exchange.failed(error)
        else:
            if not exchange.answered(response.status, response.headers):
                failure = exchange.refused(_explanation(response))
            elif self._is_of_one_version(exchange):
                try:
                    self._learn(exchange.headers, counts_valid=counts_valid)
                    return response
                except AudienceError as error:
                    failure = InvalidResponse(str(error), exchange.line)
                response.close()
            else:
                response.close()
                failure = exchange.changed(self.held and self.held.version)
            # The names of the old version are of no use to the next attempt.
            if isinstance(failure, SurveyChanged):
                self.context.renew(exchange.headers.get(SURVEY_VERSION, ""))
        raise failure

    def _learn(self, headers: Mapping[str, str], *, counts_valid: bool) -> None:
        """Note what the head of an answer says of the survey.

        counts_valid: whether the query asked for it. Raises `AudienceError` for an answer that
        cannot be taken.
        """
        context = self.context
        if (scope := headers.get(SURVEY_SCOPE)) and not context.embedded:
            context.learn(SurveyScope.from_header(scope))
        if counts_valid and headers.get(BASE_OF) != "valid":
            raise AudienceError(NOT_COUNTED)

    def _is_of_one_version(self, exchange: CallAttempts) -> bool:
        """Whether an answer is of the version that its result is of; notes the first.

        Figures without a version, after some that had it, are of another: a proxy may pass some
        requests to a service that knows no versions, and nothing shows that it has the same survey.
        But a gateway may have names from elsewhere, so names and figures are compared only where
        both name a version. In a recording they are not: it answers with names of any time in it.
        """
        context, held, line = self.context, self.held, exchange.line
        found, replayed = exchange.headers.get(SURVEY_VERSION, ""), context.snapshot is not None
        has_figures = endpoint_of(line.method, line.path).weighted
        if not has_figures and (replayed or not found):
            return True
        if replayed or (held is None and found):
            context.renew(found)
        if held is not None and has_figures and found and context.assumed:
            # The call is to name what this survey says.
            context.version, context.assumed = found, False
            return False
        if held is not None:
            before = held.version
            if before is None and not replayed:
                before = context.version
            if before not in (None, found) and (found or held.has_figures):
                return False
            held.version, held.has_figures = found, held.has_figures or has_figures
        if context.version is None:
            context.version = found
        return True


def _explanation(response: Response) -> bytes:
    """The beginning of an error's body, as far as it comes."""
    body = b""
    try:
        for chunk in response.body:
            body += chunk
            if len(body) >= _EXPLANATION:
                break
    except TransportError:
        # The status is known; a broken explanation of it is not another error.
        pass
    finally:
        response.close()
    return body[:_EXPLANATION]


def ask(sender: Sender, call: Call[T]) -> T:
    """The value of one response; a refusal gets hints from the catalogue."""
    return (ask_with_line(sender, call))[0]


def ask_with_line(sender: Sender, call: Call[T]) -> tuple[T, RequestLine]:
    """The same with what identifies the request, for errors that are found later."""
    try:
        return sender.fetch(call)
    except RequestRefused as error:
        add_hints(sender, error, call.request)
        raise


def add_hints(sender: Sender, error: RequestRefused, request: Request) -> None:
    """Add to an error what the catalogue knows about the codes of its request."""
    if error.status in _WITH_HINTS and (catalogue := catalogue_for_hints(sender)):
        found, whole = hints.find_hints(request, error.faults, catalogue)
        error.hints += tuple(found)
        error.hints_only = whole and sender.context.embedded


def catalogue_for_hints(sender: Sender) -> Catalogue | None:
    """The catalogue, if it is in this process or already loaded."""
    if not sender.context.embedded and sender.context.catalogue is None:
        return None
    try:
        return load_catalogue(sender)
    except AudienceError:
        return None


def load_catalogue(sender: Sender) -> Catalogue:
    """Every question with its datapoints and its categories, requested once for each client."""
    context = sender.context
    if context.catalogue is not None:
        return context.catalogue
    # Calls of other threads wait for the one request.
    with holding(context.loading):
        if context.catalogue is not None:
            return context.catalogue
        answer, _ = sender.fetch(build_questions_filter(None, EVERYTHING))
        return context.keep_catalogue(answer.questions)


def load_names(sender: Sender, codes: Iterable[str]) -> bool:
    """Load the catalogue, if there are questions to name; returns whether names may be others now.

    Never raises for a failure, and waits 10 s at most: codes are shown where no names come. Only a
    survey that has changed raises `SurveyChanged`, as the figures are of another version then.
    """
    context = sender.context
    if context.catalogue is not None or context.nameless or not set(codes) - {WAVES}:
        return False
    try:
        load_catalogue(in_short(sender))
    except SurveyChanged:
        raise
    except AudienceError as error:
        if not _may_come_later(error, sender.options.deadline):
            _log.info("No catalogue, so codes are shown as names: %s", error)
            context.do_without_catalogue()
    return True


def look_up(sender: Sender, code: str) -> Question | None:
    """A question that the catalogue does not have; None if it is unknown or does not come."""
    key = question_keys([code], sender.context.names.canonical)
    try:
        answer, _ = in_short(sender).fetch(build_questions_filter(key, ["datapoints"]))
    except AudienceError:
        return None
    return next(iter(answer.questions), None)


def in_short(sender: Sender) -> Sender:
    """The same for what a call can do without: one attempt of 10 s at most."""
    deadline = sender.options.deadline
    limit = deadline and min(deadline, _LONGEST)
    return sender.with_options(replace(sender.options, retries=0, deadline=limit))


def _may_come_later(error: AudienceError, deadline: float | None) -> bool:
    """Whether a later request may bring the names; deadline: of the call that failed."""
    if isinstance(error, RequestRefused):
        return error.status is None or error.status >= 500 or error.status == 429
    if isinstance(error, RequestTimeout):
        return deadline is not None and deadline < _LONGEST
    return isinstance(error, ConnectionFailed)


def is_ours(sender: Sender) -> bool:
    """Whether a service of audiencelab answers, which has the local operations and weights.

    Its answers say so; where none has come yet, the catalogue is requested.
    """
    context = sender.context
    if context.has_local is None:
        load_catalogue(sender)
    return bool(context.has_local)


def require_respondents(sender: Sender, audiences: Iterable[Audience | None]) -> None:
    """Raise `LookupError` for audiences with `asked`, which only a service of ours can answer.

    A snapshot holds the responses that were given when it was recorded.
    """
    if (question := question_asked(audiences)) and not is_ours(sender):
        raise LookupError(unknown_asked(question, sender.context))
