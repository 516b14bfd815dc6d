"""The analyses of a client: what it offers beyond the service's operations, made of several."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack, cast, overload

from msgspec import UNSET

from audiencelab.analysis.quantiles import QuantileGroups, quantile_groups
from audiencelab.client.audiences import (
    AudienceLike,
    AudiencesLike,
    AxisLike,
    assign_names,
    to_audience,
    to_base,
)
from audiencelab.client.names import QuestionLike, names_in
from audiencelab.client.one_version import Attempts, of_one_version
from audiencelab.client.operations.call_code import call_code
from audiencelab.client.operations.design_effects import design_effects
from audiencelab.client.operations.grids import fetch_grid, fetch_question
from audiencelab.client.operations.names import (
    as_written,
    crosstab_request,
    names_for,
    read_scope,
    stats_request,
)
from audiencelab.client.operations.overlap import fetch_overlap
from audiencelab.client.operations.profile import (
    QuestionsLike,
    fill_profile,
    list_questions,
)
from audiencelab.client.operations.queries import (
    GridArguments,
    StatsArguments,
    build_stats,
    fetch_crosstab,
    fetch_stats,
    fetch_waves,
    whole_survey,
)
from audiencelab.client.operations.tab_book import WeightsLike, fetch_tab_book
from audiencelab.client.operations.tab_book_rules import RowsLike
from audiencelab.client.query_lines import book_line, size_line, stats_line
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import (
    Sender,
    load_names,
    require_respondents,
)
from audiencelab.client.stream.collector import CrosstabUpdate
from audiencelab.client.streams import CrosstabStream, Progress, reporting
from audiencelab.expressions import within
from audiencelab.expressions.codes import WAVES
from audiencelab.hidden_members import hide_members
from audiencelab.keywords import keywords
from audiencelab.results.coverage import questions_of, waves_asked, waves_offered
from audiencelab.results.provenance import sizes_words, wave_names
from audiencelab.results.size import AudienceSize, sizes_frame
from audiencelab.schema.queries import LATEST_WAVES
from audiencelab.tables import (
    Coverage,
    CrosstabResult,
    GridResult,
    OverlapResult,
    ProfileResult,
    StatsResult,
    TabBook,
)
from audiencelab.tables.tab_book import check_ending

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.analysis.design_effects import DesignEffects, DesignMethod, Lonely


@hide_members("counts_valid", "default_base_of", "default_waves", "sender", "transport")
class Analyses:
    """The analyses of a client."""

    _sender: Sender

    @overload
    def size(
        self,
        audience: AudienceLike | None = None,
        **given: Unpack[ScopeArguments],
    ) -> AudienceSize: ...
    @overload
    def size(
        self,
        audience: AudiencesLike,
        **given: Unpack[ScopeArguments],
    ) -> pd.DataFrame: ...
    @keywords(ScopeArguments, instead=size_line)
    @of_one_version
    def size(
        self,
        audience: AudiencesLike | None = None,
        **given: Unpack[ScopeArguments],
    ) -> AudienceSize | pd.DataFrame:
        """How many people are in an audience: weighted, as respondents, and as % of the base.

        audience: an audience, an expression or a condition as text, "Gender = Female"; without it,
            everybody in the base. Of several, or of a question with its answers, the result is a
            frame with a row for each: `size`, `sample` and `percentage`.
        base_audience, waves, locations, weight: as for `crosstab`: no waves means the latest 4.

        One crosstab query; raises its errors.

        >>> client.size(client["Age"].isin(["18 to 24", "25 to 34"])).sample
        2863.0
        >>> client.size("Gender")["sample"].tolist()
        [3727.0, 4213.0, 60.0]
        """
        audience = as_written(self._sender, audience)
        request = crosstab_request(self._sender, audience, None, given)
        if request.statistics:
            raise TypeError(
                f"{request.statistics[0].statistic.name!r} is a statistic of amounts, which has no "
                "size. As a row of a table: client.crosstab(…)."
            )
        table = fetch_crosstab(self._sender, request, all_waves=False)
        if audience is not None and not isinstance(audience, AudienceLike):
            return sizes_frame(table)
        [size], [sample], [share] = (
            table.values(metric)[0] for metric in ("size", "sample", "column_percentage")
        )
        return AudienceSize(
            table.rows[0],
            float(size),
            float(sample),
            float(share),
            table.base_size,
            table.base_sample,
            ", ".join(wave_names(table.provenance)) or LATEST_WAVES,
            str(table.provenance.get("weight", "")),
            table.provenance.get("survey_version", ""),
            sizes_words(table.provenance),
            call_code(self._sender, "client.size()", [audience], {}, request.scope),
        )

    count = size

    @keywords(ScopeArguments)
    @of_one_version
    def overlap(
        self,
        audiences: AudiencesLike,
        *more: AudienceLike,
        **given: Unpack[ScopeArguments],
    ) -> OverlapResult:
        """The overlap of audiences: how many people are in exactly which of them.

        audiences, more: 2 to 8 audiences or expressions, as a list or one by one.
        base_audience, waves, locations, weight: as for `crosstab`.

        Every value counts the same waves, those in which all of the audiences were asked, so
        that combinations add up to the audiences, to their union and to the base; the result's
        `notes` name the waves that are left out. Raises `ValueError` for another number of
        audiences and where no wave is left, and the errors of `crosstab`. One crosstab query.

        >>> client.overlap(client["Pets"] == "Dog", client["Pets"] == "Cat").union.sample
        4427.0
        """
        every = cast(AudiencesLike, [audiences, *more]) if more else audiences
        return fetch_overlap(self._sender, every, given)

    @keywords(ScopeArguments)
    def profile(
        self,
        audience: AudienceLike | str,
        questions: QuestionsLike = None,
        *,
        adjust: QuestionsLike = None,
        progress: Progress = None,
        **given: Unpack[ScopeArguments],
    ) -> ProfileResult:
        """An audience against every answer of the catalogue, by as many crosstabs as needed.

        audience: an audience, an expression or a condition as text, "Gender = Female".
        questions: codes or names, or a part of the catalogue (`catalogue.search("radio")`,
            `catalogue.tree["Media"]`); None means every accessible question. An item of a grid
            counts with any point of the scale, and its label says so; "q4_1" is the item's points.
        adjust: questions of one answer, such as `["Age", "Gender"]`. The result has the shares too
            that the audience would have with the composition of the base by their answers, crossed
            (direct standardisation), with standard errors as R's `svystandardize`. It needs the
            respondents: a survey in this process, or one that audiencelab serves.
        base_audience, waves, locations, weight: as for `crosstab`: no waves means the latest 4.
        progress: called with the answers that have arrived and the answers expected; True draws a
            progress bar.

        Raises `UnknownCodeError` for an unknown question, `ValueError` where no answer is left, for
        a question to adjust for that takes several answers, and for an audience that is absent in
        cells of more than 5% of the base; `LookupError` for adjust with a service of others; and
        the errors of `crosstab`. A deadline applies to each request.

        >>> client.profile(client["Age"] == "18 to 24", ["Pets", "Interests"]).count
        44
        >>> cat = client.profile(client["Pets"] == "Cat", "Sleep", adjust=["Age", "Gender"])
        >>> cat.to_frame()[["audience_percentage", "adjusted_percentage"]].iloc[0].round(1).tolist()
        [6.0, 6.1]
        """
        with self.profile_stream(audience, questions, adjust=adjust, **given) as stream:
            # The first update has the number of answers.
            first = next(stream)
            with reporting(progress, first.expected, "answers") as report:
                for update in stream:
                    report(update)
            return stream.result

    @keywords(ScopeArguments)
    def profile_stream(
        self,
        audience: AudienceLike | str,
        questions: QuestionsLike = None,
        *,
        adjust: QuestionsLike = None,
        **given: Unpack[ScopeArguments],
    ) -> CrosstabStream[ProfileResult]:
        """The same profile as an iterator over updates, while `stream.result` fills.

        The first update comes once the catalogue is loaded, before any answer. `stream.close()`
        stops it.

        >>> stream = client.profile_stream(client["Age"] == "18 to 24", "Pets")
        >>> [update.arrived for update in stream][-1]
        8
        """
        sender = self._sender.with_weight(given.get("weight", UNSET))
        sender.check_usable()
        of = to_audience("audience", as_written(sender, audience))
        listed = list_questions(questions)
        composed_of = () if adjust is None else list_questions(adjust, "adjust") or ()
        base = within(sender.options.scope.base, to_base(given.get("base_audience")))
        result = ProfileResult((), CrosstabResult((), (of,), base))

        def fill(sender: Sender) -> Generator[CrosstabUpdate, None]:
            found = to_audience("audience", of, names_for(sender, names_in(of)))
            scope = read_scope(sender, given)
            updates = fill_profile(sender, found, listed, scope, result, composed_of)
            with closing(updates):
                yield from updates

        return CrosstabStream(result, Attempts(sender).updates(fill))

    @keywords(ScopeArguments, instead=book_line)
    @of_one_version
    def tab_book(
        self,
        banner: AxisLike,
        questions: QuestionsLike = None,
        *,
        rows: RowsLike | None = None,
        weights: WeightsLike = None,
        to: str | os.PathLike[str] | None = None,
        progress: Progress = None,
        **given: Unpack[ScopeArguments],
    ) -> TabBook:
        """A table of every question by the same banner: a tab book.

        banner: the columns of all tables, as for `crosstab`.
        questions: codes or names, or a part of the catalogue (`catalogue.search("radio")`); None
            means every accessible question. A question on a scale has a group of rows for each
            item.
        rows: what each table shows, by default the answers: a rule for every question,
            `["answers", "top 2", "mean"]`, or rules by kinds and by questions, `{"scale":
            ["answers", "top 2", "bottom 2", "mean"], "nps": "nps", "Age": {"Under 35": ["16 to
            17", "18 to 24", "25 to 34"]}}`. Kinds are "single", "multiple", "scale" (words in an
            order that the survey states), "grid", "number", "nps" (0 to 10), and "*" for all
            others. Rows are "answers", "top 2", "bottom 2", "any", "mean", "median", "sum",
            "standard deviation", percentiles such as "p90", "nps", "nps parts", nets by name, rows
            of a crosstab such as `al.top_box("q5", 3)`, and "summary", what a kind usually has
            below its answers. Statistics need the respondents: a survey in this process, or one
            that audiencelab serves. A grid without "answers" has a row for each item.
        weights: several weights of the survey, None for unweighted figures: each table has the
            banner once for each of them, tested by itself. `book.weights` has the tables.
        to: a file to write, with tests between the columns: .xlsx with a sheet for each question,
            or .html, both with a contents page, or .pptx with editable charts and tables.
            `TabBook` has the options.
        base_audience, waves, locations, weight: as for `crosstab`: no waves means the latest 4.
        progress: called with the cells that have arrived and the cells expected; True draws a
            progress bar.

        As many crosstab queries as needed, of up to 1,000 rows each. Where the survey does not say
        which end of a scale is the top, its boxes are not shown, and a note has the code that says
        it. Raises `ValueError` for another ending of `to` and for what is not a row, and the errors
        of `crosstab`.

        >>> book = client.tab_book(["Gender", "Age"], ["Pets", "Sleep"], to="book.xlsx")
        >>> book
        <TabBook of 2 tables × 10 columns>
        >>> book = client.tab_book("Gender", ["Trust in sources"], rows={"grid": ["top 2"]})
        >>> book["Trust in sources"].row_groups[0][1]
        'Top 2 (Trust completely, Trust mostly)'
        """
        if to is not None:
            check_ending(to)
        book = fetch_tab_book(self._sender, banner, questions, given, progress, rows, weights)
        if to is not None:
            book.save(to)
        return book

    @keywords(GridArguments, instead=stats_line)
    @of_one_version
    def trend(self, question: QuestionLike, **given: Unpack[GridArguments]) -> StatsResult:
        """A question over time: `stats` with a row in each wave, for `.test` and `.chart.trend`.

        question and the other arguments: as for `stats`; it raises the same errors. Of a grid it
            takes one item by its code, or the points that count as `suffixes`.

        >>> client.trend("Gender", waves="2025")
        <StatsResult q2: 3 datapoints × 4 segments, 12 rows, 4 waves: Q1 2025 to Q4 2025, weighted>
        """
        return fetch_question(self._sender, question, {**given, "splitter": WAVES})

    @keywords(GridArguments)
    @of_one_version
    def grid(self, question: QuestionLike, **given: Unpack[GridArguments]) -> GridResult:
        """A question of items on one scale: items as rows, the points of the scale as columns.

        question: its code or name; `datapoints` limits the items, `suffixes` the points, in this
            order.
        audiences, locations, waves, base_audience, weight: as for `stats`.

        One stats query for each point, so every value is the service's own. Raises `ValueError`
        for a question without a scale, and the errors of `stats`.

        >>> client.grid("Trust in sources")
        <GridResult media.m21: 10 items × scale of 5, 12 waves: Q1 2023 to Q4 2025, weighted>
        """
        return fetch_grid(self._sender, question, given)

    @keywords(ScopeArguments)
    @of_one_version
    def quantile_groups(
        self,
        question: QuestionLike,
        count: int,
        *,
        disjoint: bool = False,
        **given: Unpack[ScopeArguments],
    ) -> QuantileGroups:
        """A question's answers in groups of about equal size: lower, middle and upper third.

        question: one (code or name) whose answers are amounts, or a scale with a known top; others
            are in the order of the list. Answers off the scale are in no group.
        count: number of groups; 3 for terciles, 4 for quartiles, 5 for quintiles, 10 for deciles.
        base_audience, waves, locations, weight: whose answers are counted, as for `stats`.
        disjoint: True if the question takes one answer only, where the counts do not show it.

        Answers are not divided, so groups are as equal as answers allow: cuts are made where the
        cumulative shares come nearest to equal parts, and `to_frame()` lists what each group holds.
        Iterate over the result, or pass it to a crosstab, for its audiences. Raises
        `OverlappingAnswers` for a question of several answers, and `ValueError` where there are
        fewer answers than groups, or a scale has no known top; otherwise as `stats`.

        >>> client.quantile_groups("Short video a day", 3).percentages.round(1).tolist()
        [27.5, 44.0, 28.5]
        """
        query = stats_request(self._sender, question, cast(StatsArguments, given))
        result = fetch_stats(self._sender, query)
        found = quantile_groups(result, result.labels.midpoints, count, disjoint=disjoint)
        asked = [question, count]
        options = {"disjoint": disjoint or None}
        code = call_code(self._sender, "client.quantile_groups()", asked, options, query.scope)
        return replace(found, made=code)

    @of_one_version
    def coverage(self, audience: AudienceLike) -> Coverage:
        """The waves in which an audience's questions were asked, and the waves that count for it.

        An audience joined by "or" also counts waves that asked one of its questions only, where it
        is smaller than elsewhere: its `mixed` waves; one of several items also those that offered
        some of them. `whole` lists the others, for `waves=`. Of a filtered client it is that of
        those in its base. One stats query for each question; raises what `stats` raises.

        >>> client.coverage(client["Trust in sources"].any())
        <Coverage of Trust in sources is any answer: 12 of 12 waves count>
        """
        context = self._sender.context
        given = to_audience("audience", audience)
        found = to_audience("audience", given, names_for(self._sender, names_in(given)))
        named = within(self._sender.options.scope.base, found)
        assert named is not None
        require_respondents(self._sender, (named,))
        codes = questions_of(named)
        load_names(self._sender, codes)
        listed = fetch_waves(self._sender)
        asked: dict[str, frozenset[str]] = {}
        items: dict[str, dict[str, frozenset[str]]] = {}
        for code in codes:
            query = build_stats(code, whole_survey(self._sender), splitter=WAVES)
            result = fetch_stats(self._sender, query, asks_who=False)
            asked[code] = waves_asked(result.rows)
            if offered := waves_offered(result.rows, asked[code], result.kind):
                items[code] = offered
        names = {code: context.names.question_name(code) or code for code in codes}
        names |= {
            f"{code}/{item}": context.names.datapoint_name(code, item) or item
            for code, offered in items.items()
            for item in offered
        }
        names |= {wave.code: wave.name for wave in listed}
        [named] = assign_names([named], context.describe)
        code = call_code(self._sender, "client.coverage()", [named], {})
        return Coverage(named, tuple(wave.code for wave in listed), asked, names, items, code)

    def design_effects(
        self,
        result: CrosstabResult | StatsResult,
        method: DesignMethod = "auto",
        *,
        lonely: Lonely = "adjust",
    ) -> DesignEffects:
        """The design effects of a result, computed from the respondents of the survey.

        For every `design=`, such as that of `result.intervals(design=effects)`. Tests
        compute them by themselves.

        result: of this client's survey, unchanged.
        method: "replicates", from the replicate weights of the survey; "taylor", with weights,
            strata, clusters, and the overlap of columns; "kish", by the weights alone; "auto" is
            the first of "replicates" and "taylor" that the survey has.
        lonely: how a stratum of a single cluster is treated: "adjust" compares it with the whole
            sample, "certainty" takes it as certain, "fail" raises.

        Raises `LookupError` for a service that is not one of audiencelab, and for a snapshot that
        does not hold them; `ValueError` for a result with values of another survey, and for a
        sample without variance.

        >>> table = client.crosstab("Gender", "Age", waves="latest 1")
        >>> client.design_effects(table).effects.shape
        (3, 7)
        """
        self._sender.check_usable()
        return design_effects(self._sender, result, method, lonely)
