"""The client: the service's operations with typed arguments, and results to work with.

Long because it is one class, and each argument is documented.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self, Unpack, overload

from msgspec import UNSET, UnsetType

from audiencelab.client.analyses import Analyses
from audiencelab.client.audiences import (
    AudiencesLike,
    AxisLike,
    BaseLike,
)
from audiencelab.client.context import ClientContext
from audiencelab.client.errors import RequestRefused
from audiencelab.client.filtering import Filtering
from audiencelab.client.names import QuestionLike, WavesLike, named_waves, read_once
from audiencelab.client.one_version import of_one_version
from audiencelab.client.operations import queries
from audiencelab.client.operations.audiences import Audiences
from audiencelab.client.operations.catalogue import Categories, Questions
from audiencelab.client.operations.charts import Charts
from audiencelab.client.operations.grids import fetch_question
from audiencelab.client.operations.insights import Insights
from audiencelab.client.operations.names import crosstab_request
from audiencelab.client.operations.queries import StatsArguments
from audiencelab.client.operations.respondents import fetch_respondents
from audiencelab.client.operations.streaming import stream_crosstab
from audiencelab.client.options import (
    ClientOptions,
    change_options,
    differences,
    not_added,
    not_assigned,
)
from audiencelab.client.own_columns import OwnColumns
from audiencelab.client.own_design import OwnDesign
from audiencelab.client.own_reach import OwnReach
from audiencelab.client.own_scope import own_scope
from audiencelab.client.own_survey import OwnSurvey
from audiencelab.client.own_texts import OwnTexts, TextsLike
from audiencelab.client.own_waves import OwnWaves
from audiencelab.client.own_weights import OwnWeights
from audiencelab.client.query_lines import crosstab_line, refuse_columns, stats_line
from audiencelab.client.question_reference import QuestionReference, QuestionReferences
from audiencelab.client.raw_requests import build_raw_request
from audiencelab.client.responses import Listing, Location, RawResponse, Wave
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import (
    Sender,
    add_hints,
    is_ours,
    look_up,
)
from audiencelab.client.snapshots.recording import Recording
from audiencelab.client.streams import CrosstabStream, Progress
from audiencelab.client.summaries import Summaries
from audiencelab.client.transports.base import Transport
from audiencelab.client.transports.recording import RecordingTransport
from audiencelab.client.verbs import Verbs
from audiencelab.expressions import Audience, Expression
from audiencelab.hidden_members import hide_members
from audiencelab.keywords import keywords
from audiencelab.relative_paths import relative_code
from audiencelab.schema import Question
from audiencelab.schema.endpoints import endpoint_of
from audiencelab.schema.http import UNWEIGHTED
from audiencelab.schema.scope import BaseOf
from audiencelab.tables import CrosstabResult, StatsResult
from audiencelab.unknown_names import OtherWords

if TYPE_CHECKING:
    import pandas as pd


_GROUPS = ("audiences", "categories", "charts", "insights", "questions")
"""Operations that a client has as attributes."""


@hide_members("code_in")
class Client(
    OtherWords,
    Analyses,
    Verbs,
    Filtering,
    OwnDesign,
    Summaries,
    OwnSurvey,
    OwnWaves,
    OwnColumns,
    OwnTexts,
    OwnReach,
    OwnWeights,
):
    """The operations of one service. Made by `connect()`; a context manager.

    questions, categories: the catalogue's operations. charts, audiences: what is saved.
    insights: published insights.
    catalogue: every question, loaded once, for lookups.
    """

    def __init__(
        self,
        transport: Transport,
        context: ClientContext,
        options: ClientOptions,
        *,
        owner: bool = True,
    ) -> None:
        self._context = context
        self._options = options
        self._owner = owner
        if owner:
            context.usual = options
        self._sender = Sender(transport, context, options)
        context.join(self)
        if owner:
            context.ask_about = self._question_of
        self.questions = Questions(self._sender)
        self.categories = Categories(self._sender)
        self.charts = Charts(self._sender)
        self.audiences = Audiences(self._sender)
        self.insights = Insights(self._sender)

    def __setattr__(self, name: str, value: object) -> None:
        if not (name.startswith("_") or name in _GROUPS):
            raise AttributeError(not_assigned(name, value))
        super().__setattr__(name, value)

    def __setitem__(self, name: str, value: object) -> None:
        raise TypeError(not_added(name, value))

    @overload
    def __getitem__(self, question: str) -> QuestionReference: ...
    @overload
    def __getitem__(self, question: list[str] | tuple[str, ...]) -> QuestionReferences: ...
    @overload
    def __getitem__(self, question: Expression | Audience) -> Self: ...
    def __getitem__(
        self, question: str | list[str] | tuple[str, ...] | Expression | Audience
    ) -> Any:
        """A question by its name or code, from which expressions are made; several are a tuple.

        With an expression or audience it is `filter`: the client of these people alone. Raises
        `UnknownCodeError` with the nearest questions. The catalogue is loaded once.

            client["Age"] == "18 to 24"
            client["Age"].isin(["18 to 24", "25 to 34"])
        """
        if isinstance(question, list | tuple):
            return QuestionReferences(self[each] for each in question)
        if isinstance(question, Expression | Audience):
            return self.filter(question)
        return QuestionReference(self, self.catalogue[question])

    # Without this Python would iterate by calling `client[0]`, `client[1]`, …
    __iter__ = None

    def __len__(self) -> int:
        """How many respondents there are, in all waves of this client."""
        return int(self.size().sample)

    def __bool__(self) -> bool:
        return True

    def _phrase(self, name: str) -> Callable[[], Any] | None:
        from audiencelab.client.phrases import phrase

        # A remote service is not asked for the catalogue because a name is unknown.
        known = self._context.embedded or self._context.catalogue is not None
        return phrase(self, name, knows_questions=known)

    def _as_line(self) -> str:
        return "client"

    def _ipython_key_completions_(self) -> list[str]:
        # A remote service is not asked while somebody types.
        known = self._context.embedded or self._context.catalogue is not None
        return [question.name for question in self.catalogue] if known else []

    def _question_of(self, code: str) -> Question | None:
        """A question that the catalogue does not have; a closed client's may be asked for it."""
        return None if self._context.closed else look_up(self._sender, code)

    @property
    def sender(self) -> Sender:
        """What sends this client's requests, with its options."""
        return self._sender

    @property
    def transport(self) -> Transport:
        """What this client's requests go through, which knows the address and adds the credential.

        For a program that passes on requests of others unchanged and reads responses while they
        come; it checks nothing and repeats nothing. `request()` is for everything else. Raises
        `RuntimeError` once the client is closed.
        """
        self._context.check_open()
        recorder = self._context.recorder
        return (
            RecordingTransport(self._sender.transport, recorder)
            if recorder
            else self._sender.transport
        )

    @keywords(StatsArguments, instead=stats_line)
    @of_one_version
    def stats(self, question: QuestionLike, **given: Unpack[StatsArguments]) -> StatsResult:
        """Audience metrics for each datapoint of a question.

        question: its code, its name or a question of the catalogue; `datapoints` and `suffixes`
            (points of its scale, any of them) limit it, by codes or names. Of a grid the points of
            the scale are the answers, with a segment for each item, unless `suffixes` names some.
            An item of a grid is a question too, by its code: "q4_1".
        splitter: `"waves"` or a question, for one row in each segment; `segments` limits which
            are returned. `segmented_base` takes each segment as the base.
        audiences: audiences or expressions, for one row for each; a question is one for each of
            its answers.
        locations: by codes or names. waves: codes, names, a year ("2025"), "latest 4" or "all";
            no waves means all accessible ones.
        base_audience: the base of all percentages; None means all respondents. A question is
            everyone who gave any answer to it.
        weight: as for `crosstab`.

        The result has a row for each datapoint × segment × audience. Names are those of the
        catalogue, which is loaded once; codes are shown where it does not come within 10 s. Raises
        `InvalidRequest` (with every fault), `UnknownCodeError` for a name of several questions,
        `AccessDenied`, `NotFound`, and the other errors of `ClientError`. It sends POST
        /v2/query/stats.

        >>> client.stats("Gender", audiences="Age", waves="2025")
        <StatsResult q2: 3 datapoints × 7 audiences, 21 rows, 4 waves: Q1 2025 to Q4 2025, weighted>
        """
        return fetch_question(self._sender, question, given)

    frequencies = stats

    @keywords(ScopeArguments, instead=crosstab_line)
    @of_one_version
    def crosstab(
        self,
        rows: AxisLike | None = None,
        columns: AxisLike | None = None,
        *,
        progress: Progress = None,
        **given: Unpack[ScopeArguments],
    ) -> CrosstabResult:
        """Row audiences against column audiences.

        rows, columns: questions (by code, name or from the catalogue), each a group of its answers,
            a grid a group of the points of its scale for each item;
            audiences or expressions; or lists of these. Groups of your own are mappings, to any
            depth: `{"Gender": genders, "Age": {"Young": young}}`. Rows or columns not given are
            the base audience.
        base_audience: the base of all percentages; None means all respondents. A question is
            everyone who gave any answer to it.
        base_of: who of the base counts in a cell: "everyone", or with "valid" those who could be in
            it, as they answered its questions or were asked its items. By default what the client
            or the survey says: "valid" for one that was imported. Services of another make do not
            know "valid".
        locations: by codes or names. waves: codes, names, a year ("2025"), "latest 4" or "all";
            no waves means all of a survey that was imported, else the latest 4 accessible ones.
        weight: another weight of the survey, by name; None counts all as one. In this
            process, or of a survey that audiencelab serves.
        progress: called with the cells that have arrived and the cells expected; True draws a
            progress bar.

        A name is looked up in the catalogue, which is loaded once. Raises `UnknownCodeError` for
        an unknown question, `IncompleteStream` (which holds what came) unless every cell arrives,
        and the other errors of `ClientError`. It sends POST /v2/query/crosstab, for columns that
        are waves twice: their base is everyone in all requested waves.

        >>> client.crosstab("Pets", ["Gender", "Age"], waves="2025").shape
        (8, 10)
        """
        refuse_columns(rows, columns, given)
        request = crosstab_request(self._sender, rows, columns, given)
        return queries.fetch_crosstab(self._sender, request, progress)

    @keywords(ScopeArguments)
    def crosstab_stream(
        self,
        rows: AxisLike | None = None,
        columns: AxisLike | None = None,
        **given: Unpack[ScopeArguments],
    ) -> CrosstabStream[CrosstabResult]:
        """The same crosstab as an iterator over updates, while `stream.result` fills.

        The request is sent with the first step. `stream.close()` stops it.

        >>> stream = client.crosstab_stream("Gender", "Age")
        >>> [update.arrived for update in stream][-1]
        21
        """
        sender = self._sender
        sender.check_usable()
        rows, columns = read_once(rows), read_once(columns)
        return stream_crosstab(
            sender, lambda sender: crosstab_request(sender, rows, columns, given)
        )

    @of_one_version
    def waves(self) -> Listing[Wave]:
        """The accessible waves by date, with their samples and sizes.

        No operation lists them, so they are read from a stats query by waves over the location
        question. Those of a filtered client have the samples and sizes of its base. Raises
        `UnknownCodeError` where the service does not say which question that is.

        >>> client.waves()[-1].name
        'Q4 2025'
        """
        return queries.fetch_waves_in_base(self._sender)

    @of_one_version
    def locations(self) -> Listing[Location]:
        """The locations, by the codes that `locations=` takes, in the catalogue's order.

        Raises `UnknownCodeError` where the service does not say which question holds them.

        >>> [each.name for each in client.locations()][:2]
        ['United States', 'United Kingdom']
        """
        return queries.fetch_locations(self._sender)

    @keywords(ScopeArguments)
    def respondents(
        self,
        audiences: AudiencesLike | None = None,
        *,
        questions: QuestionLike | Iterable[QuestionLike] = (),
        amounts: QuestionLike | Iterable[QuestionLike] = (),
        text: TextsLike = False,
        **given: Unpack[ScopeArguments],
    ) -> pd.DataFrame:
        """A row for each respondent, for models: key, wave, weight, audiences, amounts, answers.

        The key is the column of the file that names respondents, such as respid, or "row", the row
        of the file, from 1; by it `with_columns` takes what was made of them. Surveys of before
        3.0 have none until they are imported again.

        audiences: as for `stats`; each is a boolean column with its name. It is missing (`pd.NA`)
            in waves that did not ask its questions.
        questions: by codes or names. A single question is a column of its answers' names, and so is
            each item of a grid; a multiple question is a boolean column for each answer, such as
            "Brands: Alba". Answers are missing where a respondent was not asked or gave none.
        amounts: questions by codes or names, each a column of numbers: those that respondents gave,
            if the survey has them, otherwise the midpoints of their answers in the catalogue; of a
            grid one for each item. NaN where a respondent has none.
        text: open answers by the names of their columns or by their labels, each a column of
            strings, missing (`pd.NA`) where a respondent wrote nothing; True for all of them.
            `client.texts` lists them. They are what respondents wrote, unchanged.
        base_audience: the respondents that are returned. waves, locations: as for `stats`: no
            waves means all accessible ones.
        weight: as for `stats`. Respondents whose weight is 0 have no row; with None everyone has.

        Strata and clusters are columns too, where the survey knows them. Rows have no order that
        means anything. Raises `LookupError` where the respondents are not in this process: a
        remote service returns none; and `UnknownCodeError` for a name that nothing has.

            frame = client.respondents([young, daily], questions=["Gender", "Age"])
            smf.wls("daily ~ Gender", frame, weights=frame["weight"])

        >>> frame = client.respondents(client["Age"] == "18 to 24", waves="latest 1")
        >>> frame.shape
        (2000, 3)
        """
        return fetch_respondents(self._sender, audiences, questions, amounts, given, text)

    def request(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, json: Any = None
    ) -> RawResponse:
        """Any path of the service: `client.request("GET", "/v2/questions/core.q4")`.

        path: from the root of the service, not an address. query: parameters, as `str` or what
        `str` makes of them. json: the body, anything that msgspec can encode as JSON.

        It uses the same credential, retries and errors as every other call; an unknown POST is not
        sent twice. The base of a filtered client is not added: `json` says whom it counts. The
        response is unchanged: `status`, `headers`, `body`, `json()`. Raises `ValueError` for an
        invalid path, and the errors of `ClientError`.

        >>> client.request("GET", "/v2/questions/core.q2").status
        200
        """
        request = build_raw_request(method, path, query, json)
        endpoint = endpoint_of(request.method, path)
        if endpoint.weighted:
            headers = {**request.headers, **self._options.scope.headers()}
            request = replace(request, headers=headers)
        try:
            return self._sender.fetch_raw(request, endpoint.retry)
        except RequestRefused as error:
            add_hints(self._sender, error, request)
            raise

    def with_options(
        self,
        *,
        timeout: float | UnsetType | None = UNSET,
        deadline: float | UnsetType | None = UNSET,
        retries: int | UnsetType = UNSET,
        headers: Mapping[str, str] | UnsetType = UNSET,
        max_body: int | UnsetType = UNSET,
        waves: WavesLike | UnsetType = UNSET,
        weight: str | UnsetType | None = UNSET,
        base_of: BaseOf | UnsetType | None = UNSET,
        base_audience: BaseLike | UnsetType | None = UNSET,
    ) -> Self:
        """A client of the same service with other options: `with_options(waves="2025")`.

        timeout: seconds without a byte from the service before an attempt is given up.
        deadline: seconds for a whole call, with all its attempts and the waits between them.
        retries: attempts after the first.
        headers: sent in addition to the current ones.
        max_body: maximum bytes of a response after decompression.
        waves: the waves of every call that names none: codes, names, a year ("2025"), "latest 4"
            or "all". None takes what the survey does: all waves of one that was imported, else the
            latest 4 waves for crosstabs and all waves for everything else.
        weight: the weight of every call, as for `crosstab`.
        base_of: of every call that names none, as for `crosstab`; None takes that of the survey.
        base_audience: the base of every call, in place of that of this client; None is everyone.
            `filter` narrows it, and so does the base that a call names.

        None for either time means no limit. The copy borrows the connections and shares what has
        been learnt (the catalogue, names); closing it leaves the original client open. Raises
        `ValueError` or `TypeError` for invalid values.

        >>> client.with_options(waves="latest 1").size(client["Gender"] == "Female").sample
        1053.0
        """
        options = change_options(
            self._sender.with_weight(weight).options,
            timeout=timeout,
            deadline=deadline,
            retries=retries,
            headers=headers,
            max_body=max_body,
            waves=waves,
            base_of=base_of,
            base_audience=self._own_base(base_audience),
        )
        return type(self)(self._sender.transport, self._context, options, owner=False)

    def recording(self, path: str | Path) -> Recording:
        """Record requests and responses: `with client.recording("my.audiencelab.jsonl"):`.

        path: the file, written when the block ends and not if it raises. `connect()` with
            `snapshot=path` replays it, without a network or a credential.

        Everything that this client and its copies request meanwhile is recorded, on any thread. In
        a notebook `start()` the recording in one cell and `save()` it in another. Raises
        `SnapshotError` if the file cannot be written, before anything is requested, and
        `SnapshotLeak` rather than write the credential.

        >>> with client.recording(folder / "analysis.jsonl"):
        ...     table = client.crosstab("Gender", "Age")
        >>> al.connect(snapshot=folder / "analysis.jsonl").crosstab("Gender", "Age").shape
        (3, 7)
        """
        return Recording(path, self._context)

    def to_code(self) -> str:
        """Python that connects to the same service, given `audiencelab` as `al`.

        It holds no credential: that is found where this client's was, or asked for. Files are
        written as they are found from the working directory, if they are below or near it.

        >>> client.to_code()
        'al.connect()'
        """
        return self.code_in()

    def code_in(self, folder: str | Path | None = None) -> str:
        """The same for a notebook in a folder, by default the working directory.

        >>> client.code_in(folder)
        'al.connect()'
        """
        code = self._context.to_code(self._options.scope, self._options.base_of)
        return relative_code(code, folder)

    @property
    def default_waves(self) -> str | tuple[str, ...] | None:
        """The waves of calls that name none, as they were given or as the survey says.

        None is the service's choice, or that of a survey whose catalogue has not been loaded.
        """
        return self._options.with_scope(self._context.own_scope(self._options)).waves

    @property
    def default_base_of(self) -> BaseOf:
        """Who of the base counts in a cell of calls that do not name it: "everyone" or "valid".

        It is the client's own, else the survey's; of a survey elsewhere the catalogue says it,
        which is loaded once. Raises its errors.

        >>> client.default_base_of
        'everyone'
        """
        return own_scope(self._sender).base_of

    @property
    def counts_valid(self) -> bool:
        """Whether `base_of="valid"` may be given: a service of another make does not know it.

        >>> client.counts_valid
        True
        """
        return is_ours(self._sender)

    @property
    def weights(self) -> tuple[str | None, ...]:
        """What `weight=` takes, this client's own first; None counts every respondent as one.

        Empty where the survey is not in this process, or its weight has no name.

        >>> client.weights
        ('weight', None)
        """
        return self._context.weights_from(self._options.weight)

    def close(self) -> None:
        """Close the connections; the client and its copies cannot be used afterwards.

        >>> al.connect().close()  # which `with al.connect() as client:` does at its end
        """
        if self._owner and not self._context.closed:
            self._context.closed = True
            self._sender.transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        usual = self._context.usual
        changed = differences(self._options, usual) if usual else ""
        about = f", waves {named_waves(window)}" if (window := self.default_waves) else ""
        weight = self._options.weight
        about += "" if weight is UNSET else f", weight {weight or UNWEIGHTED}"
        about += f", with {changed}" if changed else ""
        about += f", base: {base}" if (base := self._base_words()) else ""
        return f"<{type(self).__name__} of {self._context}{about}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "A client holds connections and a credential and cannot be pickled. Call connect() "
            "where it is needed."
        )
