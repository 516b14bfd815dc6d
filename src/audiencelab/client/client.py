"""The client: the service's operations with typed arguments, and results to work with.

It builds nothing and decides nothing itself: `calls` holds what the operations do, a flow decides
how a request goes, a driver performs it. Safe to use from several threads at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn, Self, TypeVar

from msgspec import UNSET, UnsetType

from audiencelab.client.analyses import Analyses
from audiencelab.client.calls import asking, names, queries
from audiencelab.client.calls.queries import Location, Wave
from audiencelab.client.catalogue import Catalogue
from audiencelab.client.doors import Door
from audiencelab.client.endpoints import Audiences, Categories, Charts, Insights, Questions
from audiencelab.client.flow import Flow
from audiencelab.client.flow.driver import Driver, Run
from audiencelab.client.following import CrosstabStream
from audiencelab.client.listing import Listing
from audiencelab.client.operations import queries as plans
from audiencelab.client.operations.audiences import AudienceLike
from audiencelab.client.operations.fields import by_name
from audiencelab.client.operations.raw import written_out
from audiencelab.client.operations.sides import Side
from audiencelab.client.options import Options, change_options
from audiencelab.client.progress import Progress, reporting
from audiencelab.client.raw import RawAnswer
from audiencelab.client.session import Session
from audiencelab.client.snapshots import Recording, RecordingDoor
from audiencelab.schema import Question
from audiencelab.tables import (
    CrosstabResult,
    StatsResult,
)

__all__ = ["Client"]

T = TypeVar("T")


class Client(Analyses):
    """The operations of one service. Made by `connect()`; a context manager.

    questions, categories: the catalogue's operations. charts, audiences: what is saved there.
    insights: what is published there.
    catalogue: every question, loaded once, to look things up in.
    """

    def __init__(
        self, door: Door, session: Session, options: Options, *, owner: bool = True
    ) -> None:
        super().__init__(session, options, owner=owner)
        # A copy made by `with_options` stands behind the same door, and is recorded with it.
        self._door = door if isinstance(door, RecordingDoor) else RecordingDoor(door)
        self._driver = Driver(self._door)
        session.join(self)
        if owner:
            session.ask_about = self._question_of
        self.questions = Questions(self._run, session, options)
        self.categories = Categories(self._run, session, options)
        self.charts = Charts(self._run, session, options)
        self.audiences = Audiences(self._run, session, options)
        self.insights = Insights(self._run, self._start, session, options)

    # An attribute like any other once it is there: completion reads no other kind.
    @cached_property
    def catalogue(self) -> Catalogue:
        """Every question with its datapoints and its place in the tree, loaded when first used."""
        with self._session.loading:
            return self._run(asking.load_catalogue(self._session, self._options))

    @property
    def door(self) -> Door:
        """What this client's requests go through, which knows the address and adds the credential.

        For a program that passes on requests of others as they are and reads answers while they
        come; it checks nothing and tries nothing twice. `request()` is for everybody else. Raises
        `RuntimeError` once the client is closed.
        """
        self._check_usable()
        return self._door

    @by_name("question, datapoints=[…], audiences=[…]")
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
        plan = plans.stats(
            question,
            datapoints=datapoints,
            suffixes=suffixes,
            splitter=splitter,
            segments=segments,
            segmented_base=segmented_base,
            audiences=audiences,
            locations=locations,
            waves=waves,
            base_audience=base_audience,
        )
        return self._run(queries.stats(self._session, self._options, plan))

    @by_name("rows=[…], columns=[…]")
    def crosstab(
        self,
        *,
        rows: Side | None = None,
        columns: Side | None = None,
        base_audience: AudienceLike | None = None,
        waves: Iterable[str] | None = None,
        locations: Iterable[str] | None = None,
        progress: Progress = None,
    ) -> CrosstabResult:
        """Row audiences against column audiences (POST /v2/query/crosstab).

        rows, columns: audiences or expressions; a side that is not given is the base audience.
            Under heads, as a banner has them: `{"Gender": genders, "Age": ages}`, to any depth;
            what has no head stands beside them, `[everyone, {"Gender": genders}]`.
        base_audience: whom everything is taken of; None means all respondents.
        waves, locations: codes to filter by; no waves means the last four accessible ones.
        progress: called with the cells that have arrived and the cells expected; True draws a
            progress bar.

        Raises `IncompleteStream` (which holds what came) unless every cell arrives, and the
        other errors of `ClientError`.
        """
        with (
            self.crosstab_stream(
                rows=rows,
                columns=columns,
                base_audience=base_audience,
                waves=waves,
                locations=locations,
            ) as stream,
            reporting(progress, stream.result.expected) as report,
        ):
            for update in stream:
                report(update)
            return stream.result

    @by_name("rows=[…], columns=[…]")
    def crosstab_stream(
        self,
        *,
        rows: Side | None = None,
        columns: Side | None = None,
        base_audience: AudienceLike | None = None,
        waves: Iterable[str] | None = None,
        locations: Iterable[str] | None = None,
    ) -> CrosstabStream[CrosstabResult]:
        """The same crosstab as an iterator over updates, while `stream.result` fills.

        The request is sent with the first step. `stream.close()` calls it off.
        """
        plan = plans.crosstab(
            rows=rows,
            columns=columns,
            base_audience=base_audience,
            waves=waves,
            locations=locations,
        )
        table = queries.crosstab_table(self._session, plan)
        run = self._start(queries.crosstab(self._session, self._options, plan, table))
        return CrosstabStream(run, table)

    def waves(self) -> Listing[Wave]:
        """The accessible waves by date, with their samples and sizes.

        No operation lists them, so they are read off a stats query by waves over the location
        question, which every respondent answers.
        """
        return self._run(queries.waves(self._session, self._options))

    def locations(self) -> Listing[Location]:
        """The locations that queries may use: datapoints of the location question."""
        return self._run(queries.locations(self._session, self._options))

    def request(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, json: Any = None
    ) -> RawAnswer:
        """Any path of the service: `client.request("GET", "/v2/questions/core.q4")`.

        path: from the root of the service, never an address. query: parameters, as text or what
        `str` makes of them. json: the body, anything that msgspec can write as JSON.

        It goes with the same credential, attempts and errors as every other call; a POST that is
        none of the operations is not sent twice. The answer is as it came: `status`, `headers`,
        `body`, `json()`. Raises `ValueError` for what is no path, and the errors of `ClientError`.
        """
        request = written_out(method, path, query, json)
        return self._run(asking.ask_raw(self._session, self._options, request))

    def with_options(
        self,
        *,
        timeout: float | UnsetType | None = UNSET,
        deadline: float | UnsetType | None = UNSET,
        retries: int | UnsetType = UNSET,
        headers: Mapping[str, str] | UnsetType = UNSET,
        max_body: int | UnsetType = UNSET,
    ) -> Self:
        """A client of the same service whose calls go otherwise: `with_options(deadline=5)`.

        timeout: seconds without a byte from the service before an attempt is given up.
        deadline: seconds for a whole call, with all its attempts and the waits between them.
        retries: attempts after the first.
        headers: sent besides those that are sent already.
        max_body: bytes that an answer may take once its compression is undone.

        None for either time means no end. The copy borrows the connections and shares what has
        been learnt (the catalogue, names); closing it leaves the client it was made of open.
        Raises `ValueError` or `TypeError` for what cannot be.
        """
        options = change_options(
            self._options,
            timeout=timeout,
            deadline=deadline,
            retries=retries,
            headers=headers,
            max_body=max_body,
        )
        return type(self)(self._door, self._session, options, owner=False)

    def recording(self, path: str | Path) -> Recording:
        """Record what is asked and answered: `with client.recording("my.audiencelab.jsonl"):`.

        path: the file, put in place when the block ends and not if it raises. `connect()` with
            `snapshot=path` answers from it, with no network and no credential.

        Everything that this client and its copies ask meanwhile is heard, on any thread. In a
        notebook `start()` the recording in one cell and `save()` it in another. Raises
        `SnapshotError` where no file could be written, before anything is asked, and
        `SnapshotLeak` rather than write the credential.
        """
        return Recording(path, self._door, self._session)

    def close(self) -> None:
        """Free the connections; the client and its copies cannot be used afterwards."""
        if self._owner and not self._session.closed:
            self._session.closed = True
            self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __aenter__(self) -> NoReturn:
        raise TypeError(
            "A Client is entered with `with client:`; connect_async() gives one for `async with`."
        )

    def __aexit__(self, *_: object) -> None:
        """Python looks for it before it calls `__aenter__`."""

    def _question_of(self, code: str) -> Question | None:
        """A question that the catalogue does not have; it may be looked up in a closed client's."""
        if self._session.closed:
            return None
        return self._run(names.look_up(self._session, self._options, code))

    def _run(self, flow: Flow[T]) -> T:
        self._check_usable()
        return self._driver.run(flow)

    def _start(self, flow: Flow[T]) -> Run[T]:
        self._check_usable()
        return self._driver.start(flow)
