"""The client: the service's operations with typed arguments, and results to work with.

It builds nothing and decides nothing itself: operations make the requests, a flow decides how a
call goes, a driver performs it. Safe to use from several threads at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NoReturn, Self, TypeVar

from audiencelab._version import __version__
from audiencelab.audience import Audience
from audiencelab.audience.codes import BASE_NAMESPACE, WAVES
from audiencelab.client import flow, hints
from audiencelab.client.catalogue import Catalogue
from audiencelab.client.cells import CellCollector, CrosstabUpdate
from audiencelab.client.doors import Door
from audiencelab.client.driver import Driver, Run
from audiencelab.client.endpoints import Categories, Questions
from audiencelab.client.errors import RequestRefused
from audiencelab.client.labels import QuestionBook, wave_name
from audiencelab.client.messages import Call, Request
from audiencelab.client.operations import queries
from audiencelab.client.operations.audiences import AudienceLike
from audiencelab.client.options import Options
from audiencelab.errors import AudienceError
from audiencelab.frames import CrosstabResult, StatsLabels, StatsResult

__all__ = ["Client", "CrosstabStream", "Location", "Wave"]

T = TypeVar("T")

LOCATION_QUESTION = "s2"
"""The question whose datapoints are the locations, unless the service is known to differ."""

_EVERYTHING = {"categories": True, "datapoints": True, "taxonomy_paths": True}


@dataclass(frozen=True, slots=True)
class Wave:
    """A wave of the survey. sample: its respondents; size: the people they stand for."""

    code: str
    name: str
    sample: float
    size: float


@dataclass(frozen=True, slots=True)
class Location:
    """A location of the survey, by the code that `locations=` takes."""

    code: str
    name: str


class Client:
    """The operations of one service. Made by `connect()`; a context manager.

    questions, categories: the catalogue's operations.
    catalogue: every question, loaded once, to look things up in.
    """

    def __init__(
        self,
        door: Door,
        *,
        place: str,
        embedded: bool,
        options: Options,
        base_namespace: str = BASE_NAMESPACE,
        location_question: str = LOCATION_QUESTION,
    ) -> None:
        self._driver = Driver(door)
        self._options = options
        self._place = place
        self._embedded = embedded
        self._base_namespace = base_namespace
        self._location_question = location_question
        self._catalogue_lock = threading.Lock()
        self.questions = Questions(self._run, lambda code: self._book.canonical(code))
        self.categories = Categories(self._run)
        self._book = QuestionBook(
            lambda code: self.questions.get(code, include=["datapoints"]), base_namespace
        )

    @cached_property
    def catalogue(self) -> Catalogue:
        """Every question with its datapoints and its place in the tree, loaded when first used."""
        with self._catalogue_lock:
            if "catalogue" in self.__dict__:
                return self.__dict__["catalogue"]
            answer = self.questions.filter(include=_EVERYTHING)
            self._book.add(answer.questions)
            # Stored under the lock, so that a second thread finds it and does not load again.
            self.__dict__["catalogue"] = Catalogue(answer.questions, self._base_namespace)
            return self.__dict__["catalogue"]

    def stats(
        self,
        question: str,
        *,
        datapoints: Iterable[str] | None = None,
        suffixes: Iterable[str | int] | None = None,
        splitter: str | None = None,
        segments: Iterable[str] | None = None,
        segmented_base: bool | None = None,
        audiences: Iterable[AudienceLike] | None = None,
        locations: Iterable[str] | None = None,
        waves: Iterable[str] | None = None,
        base_audience: AudienceLike | None = None,
    ) -> StatsResult:
        """Audience metrics for each datapoint of a question (POST /v2/query/stats).

        question: its code; `datapoints` and `suffixes` limit it (suffixes mean "any of them").
        splitter: `"waves"` or a question code, for one row in each segment; `segments` limits
            which are returned. `segmented_base` takes each segment as the base.
        audiences: audiences or expressions, for one row for each.
        locations, waves: codes to filter by; no waves means all accessible ones.
        base_audience: whom everything is taken of; None means all respondents.

        The result has a row for each datapoint × segment × audience. Raises `InvalidRequest`
        (with every fault), `AccessDenied`, `NotFound`, and the other errors of `ClientError`.
        """
        plan = queries.stats(
            question=question,
            datapoints=datapoints,
            suffixes=suffixes,
            splitter=splitter,
            segments=segments,
            segmented_base=segmented_base,
            audiences=audiences,
            locations=locations,
            waves=waves,
            base_audience=base_audience,
            labels=self._book,
        )
        answer = self._run(plan.call)
        result = StatsResult(
            question=answer.meta.question or question,
            rows=tuple(answer.data),
            splitter=splitter,
            audiences=plan.audiences,
            base_audience=plan.base_audience,
            labels=self._stats_labels(question, splitter, (row.segment for row in answer.data)),
            meta=answer.meta,
        )
        result.provenance.update(
            self._provenance("stats", plan.base_audience, locations),
            question=question,
            waves=list(result.waves),
        )
        return result

    def crosstab(
        self,
        *,
        rows: Iterable[AudienceLike] | None = None,
        columns: Iterable[AudienceLike] | None = None,
        base_audience: AudienceLike | None = None,
        waves: Iterable[str] | None = None,
        locations: Iterable[str] | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> CrosstabResult:
        """Row audiences against column audiences (POST /v2/query/crosstab).

        rows, columns: audiences or expressions; a side that is not given is the base audience.
        base_audience: whom everything is taken of; None means all respondents.
        waves, locations: codes to filter by; no waves means the last four accessible ones.
        progress: called with the cells that have arrived and the cells expected.

        Raises `IncompleteStream` (which holds what came) unless every cell arrives, and the
        other errors of `ClientError`.
        """
        with self.crosstab_stream(
            rows=rows,
            columns=columns,
            base_audience=base_audience,
            waves=waves,
            locations=locations,
        ) as stream:
            for update in stream:
                if progress is not None:
                    progress(update.arrived, update.expected)
            return stream.result

    def crosstab_stream(
        self,
        *,
        rows: Iterable[AudienceLike] | None = None,
        columns: Iterable[AudienceLike] | None = None,
        base_audience: AudienceLike | None = None,
        waves: Iterable[str] | None = None,
        locations: Iterable[str] | None = None,
    ) -> CrosstabStream:
        """The same crosstab as an iterator over updates, while `stream.result` fills.

        The request is sent with the first step. `stream.close()` calls it off.
        """
        locations = queries.codes("locations", locations)
        waves = queries.codes("waves", waves)
        plan = queries.crosstab(
            rows=rows,
            columns=columns,
            base_audience=base_audience,
            locations=locations,
            waves=waves,
            labels=self._book,
        )
        result = CrosstabResult(
            plan.rows,
            plan.columns,
            plan.base_audience,
            plan.rows_requested,
            plan.columns_requested,
            self._provenance("crosstab", plan.base_audience, locations)
            | {"waves": waves or "the last four accessible"},
        )
        run = self._driver.start(flow.crosstab(plan.request, CellCollector(result), self._options))
        return CrosstabStream(run, result, lambda error: self._advise(error, plan.request))

    def waves(self) -> tuple[Wave, ...]:
        """The accessible waves by date, with their samples and sizes.

        No operation lists them, so they are read off a stats query by waves over the location
        question, which every respondent answers.
        """
        result = self.stats(question=self._location_question, splitter=WAVES)
        first = {row.segment: row.metrics for row in reversed(result.rows) if row.segment}
        return tuple(
            Wave(code, wave_name(code), first[code].audience_sample, first[code].audience_size)
            for code in result.segments
        )

    def locations(self) -> tuple[Location, ...]:
        """The locations that queries may use: datapoints of the location question."""
        question = self.questions.get(self._location_question, include=["datapoints"])
        known = question.datapoints or ()
        return tuple(Location(each.code, each.name) for each in known if each.accessible)

    def close(self) -> None:
        """Free the connections; the client cannot be used afterwards."""
        self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client of {'the embedded service, ' if self._embedded else ''}{self._place}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "A client holds connections and a credential and is not pickled. Call connect() "
            "where it is needed."
        )

    # -- inside ------------------------------------------------------------------------------

    def _run(self, call: Call[T]) -> T:
        try:
            return self._driver.run(flow.fetch(call, self._options))
        except RequestRefused as error:
            self._advise(error, call.request)
            raise

    def _advise(self, error: RequestRefused, request: Request) -> None:
        """Add what the catalogue knows better; asking a distant service for it is not worth it."""
        if error.status not in (400, 403, 404, 422):
            return
        if not self._embedded and "catalogue" not in self.__dict__:
            return
        try:
            error.hints += hints.find_hints(request, error.faults, self.catalogue)
        except AudienceError:
            return

    def _stats_labels(
        self, question: str, splitter: str | None, segments: Iterable[str | None]
    ) -> StatsLabels:
        by_question = splitter is not None and splitter != WAVES
        return StatsLabels(
            question=self._book.question_name(question) or "",
            datapoints=self._book.datapoints(question) if question != WAVES else {},
            segments=self._book.datapoints(splitter or "")
            if by_question
            else {code: wave_name(code) for code in segments if code},
            splitter=(self._book.question_name(splitter) or "") if splitter else "",
        )

    def _provenance(
        self, operation: str, base: Audience | None, locations: Iterable[str] | None
    ) -> dict[str, Any]:
        return {
            "operation": operation,
            "service": "embedded" if self._embedded else self._place,
            "panel": self._place if self._embedded else None,
            "base_audience": base.name if base else "All",
            "locations": queries.codes("locations", locations) or "all",
            "asked_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "audiencelab": __version__,
        }


class CrosstabStream:
    """A crosstab under way: iterate over its updates, read `result` at any time.

    result: the table, filling as cells arrive. A context manager; `close()` calls it off.
    """

    def __init__(
        self,
        run: Run[CrosstabResult],
        result: CrosstabResult,
        advise: Callable[[RequestRefused], None],
    ) -> None:
        self._run = run
        self._updates = iter(run)
        self._advise = advise
        self.result = result

    def __iter__(self) -> Iterator[CrosstabUpdate]:
        return self

    def __next__(self) -> CrosstabUpdate:
        try:
            return next(self._updates)
        except RequestRefused as error:
            self._advise(error)
            raise

    def close(self) -> None:
        """Call the rest off and free the connection; what has arrived stays in `result`."""
        self._run.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
