"""The public results of a statistics query and of a chart's calculation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, SupportsIndex, Unpack, overload

from audiencelab.analysis.averages import Midpoints, averages, keep_averages
from audiencelab.analysis.boxes import boxes
from audiencelab.analysis.compare import compare
from audiencelab.analysis.compare_averages import compare_averages
from audiencelab.analysis.interval_formulas import IntervalMethod
from audiencelab.analysis.intervals import LineEffect, intervals_of
from audiencelab.analysis.measured import require_recorded
from audiencelab.analysis.moving_averages import moving_average
from audiencelab.analysis.nets import net_score, nets
from audiencelab.analysis.on_scale import Of, stats_on_scale
from audiencelab.analysis.options import DEFAULTS, TestOptions, Versus
from audiencelab.analysis.prepare import left_to_us
from audiencelab.analysis.rebase import rebased_to_answered, shares_of_responses
from audiencelab.analysis.reliability import Rule
from audiencelab.keywords import keywords
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.metric_names import ShortName, own_name, own_names
from audiencelab.results.stats import StatsData
from audiencelab.results.table_code import note_call, of_call
from audiencelab.tables.base import Exporting
from audiencelab.tables.charting import ResultCharts
from audiencelab.tables.comparison import Comparison, public
from audiencelab.tables.moving_average import MovingAverage

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.markup import Card


class StatsResult(StatsData, Exporting):
    """One row for each datapoint × segment × audience, in the order requested.

    `StatsData` documents the fields. Nets, scores, averages and rebasing add answers up, which is
    right only if no respondent gives two of them. Answers to a single question are added up; for
    other kinds `OverlappingAnswers` shows what to ask the service. If the `kind` is not known, the
    counts decide: as many answers as respondents are one each, more are not, and for fewer pass
    `disjoint=True` if you know that the question takes one answer.
    """

    __slots__ = ()

    @property
    def chart(self) -> ResultCharts:
        """The result as a chart: `.bar()`, `.dots()`, `.heatmap()`, `.stack()`, `.trend()`.

        Charts combine with `|` and `&`.
        """
        return ResultCharts(self, ("auto", "bar", "dots", "heatmap", "stack", "trend"))

    def to_frame(self) -> pd.DataFrame:
        """A long frame, one line a row, with the metrics of a crosstab and their bases.

        Sizes are weighted people, samples respondents, percentages run from 0 to 100, and an index
        of 100 is the base. Labels are ordered categoricals in the order requested. A metric without
        a denominator is NaN, and `note` says why. `attrs` hold the provenance.

        >>> client.stats("Gender").to_frame()[["datapoint_label", "sample"]].values.tolist()[:2]
        [['Male', 11185], ['Female', 12617]]
        """
        from audiencelab.results.to_pandas import stats_frame

        return stats_frame(self)

    def to_wide(
        self,
        metric: str | Sequence[str] = "column",
        *,
        labels: bool = True,
        hide_under: float = 0,
    ) -> pd.DataFrame:
        """A table of one metric or several: datapoints down; segments, audiences or both across.

        metric: "column", "row" or "total" (%), "index", "size", "sample", as of a crosstab, or
            another of the frame; several are a last level `metric`.
        labels: names (True) or codes (False).
        hide_under: NaN for values that rest on fewer respondents, except counts. An audience
            percentage rests on the audience, an index on the smaller of audience and datapoint.

        Raises `ValueError` for other metrics.

        >>> client.stats("Gender", splitter="waves").to_wide("column").shape
        (3, 12)
        """
        from audiencelab.results.to_pandas import stats_wide

        one = isinstance(metric, str)
        metric = own_name(self, metric) if one else own_names(self, metric)
        return stats_wide(self, metric, labels=labels, hide_under=hide_under)

    @overload
    def __getitem__(self, metric: ShortName | list[str]) -> pd.DataFrame: ...
    @overload
    def __getitem__(self, metric: str) -> Any: ...
    def __getitem__(self, metric: str | list[str]) -> Any:
        """The wide frame of one metric: `stats["column"]`; or a part of it by its label.

        >>> client.stats("Gender")["column"].round(1).iloc[:, 0].tolist()
        [48.1, 51.0, 0.8]
        """
        from audiencelab.tables.phrases import metric_or_label

        return metric_or_label(self, metric)

    def _ipython_key_completions_(self) -> list[str]:
        return ["column", "row", "total", "index", "size", "sample"]

    def intervals(
        self,
        level: float = 0.95,
        method: IntervalMethod = "wilson",
        design: LineEffect | None = "auto",
        *,
        degrees_of_freedom: float | None = None,
        precision: Rule | None = None,
    ) -> pd.DataFrame:
        """The frame of `to_frame()` with intervals of both percentages and the index.

        See `CrosstabResult.intervals`; `design` is "auto", None, one number, one for each line, or
        `client.design_effects(result)`, which are about `column_percentage` and `index` alone.

        >>> frame = client.stats("Gender").intervals()
        >>> frame[["column_percentage_low", "column_percentage_high"]].iloc[0].round(1).tolist()
        [47.3, 48.9]
        """
        return intervals_of(self, level, method, design, degrees_of_freedom, precision)

    @keywords(TestOptions, DEFAULTS, note=note_call)
    def test(
        self,
        vs: Versus = "columns",
        *,
        midpoints: Midpoints | None = None,
        disjoint: bool = False,
        **options: Unpack[TestOptions],
    ) -> Comparison:
        """Test percentages, or means, within each datapoint: which differences are significant?

        vs: "columns" compares every pair of audiences, segments or both, the columns of
            `to_wide()`. "previous wave" compares each wave with the one before it that asked: the
            result needs `splitter="waves"`, waves are in the order of its segments, and a family
            "row" is a trend. Waves are separate samples, unless the survey knows the persons of a
            panel.
        midpoints: compare the means of the answers instead, which are amounts as for `averages`;
            bases count those who gave an answer that has one.
        disjoint: as for `averages`, with midpoints.
        options: `levels`, `correction`, `design` and others; `TestOptions` documents them.

        >>> trend = client.stats("Finding brands", splitter="waves")
        >>> trend.test(vs="previous wave").to_wide().T["Search engines"].tolist()[-4:]
        ['38.7', '36.2', '37.8', '35.9']

        Raises `OverlappingAnswers` for answers that cannot be averaged, and `ValueError` for
        options that are not valid.
        """
        if midpoints is None:
            if left_to_us(options):
                require_recorded(self)
            return public(compare(self, vs, options))
        return public(compare_averages(self, midpoints, options, vs, disjoint=disjoint))

    @of_call
    def nets(
        self, named: Mapping[str, Sequence[str]], *, of: Of = None, disjoint: bool = False
    ) -> Self:
        """The same result with rows for subtotals of answers, after those of the answers.

        named: the answers of each net, by code or by name: `{"Any app": ["q20_1", "Loopa"]}`.
        of: "scale" for shares of those whose answer is a point of the scale; "Don't know" and
            other answers off the scale leave the result and its base, which says so.

        Sizes and samples add up; percentages and index are those of the sums. Nets are in every
        table and frame under their names; what is computed from the new result adds up its answers
        alone. Raises `OverlappingAnswers` and `ValueError`.

        >>> stats = client.stats("Age").nets({"Under 35": ["16 to 17", "18 to 24", "25 to 34"]})
        >>> stats["sample"].T["Under 35"].tolist()
        [9654.0]
        """
        return nets(stats_on_scale(self, of, disjoint=disjoint), named, disjoint=disjoint)

    @of_call
    def boxes(
        self, top: int = 2, bottom: int = 2, *, of: Of = None, disjoint: bool = False
    ) -> Self:
        """The same result with rows for the best and the worst answers of a scale.

        top, bottom: the number of answers at each end; 0 for none.
        of: as for `nets`. The survey decides which end is the top, as for `client["Age"].top_box`.

        The name of a box lists its answers. Answers off the scale, such as "Don't know", are in
        none. Raises `ValueError` where nothing shows which end is the top.

        >>> client.stats("The year ahead").boxes(2, 1)["sample"].index.tolist()[-2:]
        ['Top 2 (Much better, A little better)', 'Bottom 1 (Much worse)']
        """
        return boxes(stats_on_scale(self, of, disjoint=disjoint), top, bottom, disjoint=disjoint)

    def net_score(
        self,
        positive: Sequence[str],
        negative: Sequence[str],
        *,
        of: Of = None,
        disjoint: bool = False,
    ) -> pd.DataFrame:
        """The percentage of some answers less that of others, in points, for each column.

        Percentages are of the base of the answers; respondents who gave neither count as 0. of: as
        for `nets`. One line for each segment × audience, with both bases; `attrs` hold method note
        and provenance.

        >>> score = client.stats("The year ahead").net_score(["Much better"], ["Much worse"])
        >>> score["net_score"].round(1).tolist()
        [4.7]
        """
        of_whom = stats_on_scale(self, of, disjoint=disjoint)
        return net_score(of_whom, positive, negative, disjoint=disjoint)

    @of_call
    def rebased_to_answered(self, *, disjoint: bool = False) -> Self:
        """The same result with percentages of those who gave one of its answers.

        Respondents who gave none of them, asked or not, leave the denominator; `base_audience` and
        the provenance say so. With all answers of a question it equals the service's result for
        `base_audience=al.answered(question)`, which also works for several answers. Raises
        `OverlappingAnswers`.

        >>> base = client.stats("The year ahead").rebased_to_answered().base_audience
        >>> base is not None and base.name
        'Answered The year ahead'
        """
        return rebased_to_answered(self, disjoint=disjoint)

    def shares_of_responses(self) -> pd.DataFrame:
        """Each answer's part of all answers given, in percent: they add up to 100.

        For questions with several answers: a respondent with three answers counts three times, one
        without any does not count. One line for each datapoint × segment × audience:
        `response_percentage` is of `responses_size`, the answers in the result; use `datapoints=`
        to leave "none of these" out. `attrs` hold method note and provenance.

        >>> shares = client.stats("Pets").shares_of_responses()["response_percentage"]
        >>> round(float(shares.sum()), 6)
        100.0
        """
        return shares_of_responses(self)

    def averages(
        self,
        midpoints: Midpoints | None = None,
        *,
        design: float | Literal["auto"] = "auto",
        level: float = 0.95,
        disjoint: bool = False,
    ) -> pd.DataFrame:
        """Mean, median and standard deviation of answers that stand for amounts.

        midpoints: the amount of each answer, by code or name; by default those of the catalogue.
            A question of the catalogue (`client["Age"]`) brings its own.
        design: "auto" for the sample's own design, as `svymean` of R and a row of means of a
            crosstab have it; a simple random sample, with "design unknown" in the method note, for
            a service that is not one of audiencelab; or a number, so many times the variance of a
            simple random sample.
        level: the confidence of the intervals, such as 0.95.

        If the survey keeps the numbers behind the question's bins, averages by the
        catalogue's midpoints are those of the numbers, and `method` is "numbers"; otherwise
        "midpoints".

        One line for each segment × audience. `answered_size` and `answered_sample` are those who
        gave an answer with a number or midpoint; `attrs["left_out"]` names the other answers. With
        people w and numbers m: mean = Σwm / Σw, SD = √(n ÷ (n − 1) · Σw(m − mean)² ÷ Σw); half of
        the people are at or below the median. `standard_error` is the mean's, `mean_low` and
        `mean_high` the ends of its t interval with these `degrees_of_freedom`, `median_low` and
        `median_high` those of the median's by Woodruff's method (by the sample's design alone).

        >>> client.stats("Age").averages(client["Age"])["mean"].round(1).tolist()
        [44.9]
        """
        return averages(self, midpoints, design=design, level=level, disjoint=disjoint)

    @keywords(note=note_call)
    def moving_average(
        self, waves: int = 4, *, level: float = 0.95, across_breaks: bool = False
    ) -> MovingAverage:
        """Audience percentages over each wave and those before it, `waves` in all.

        level: the confidence of the intervals, such as 0.95.
        across_breaks: whether windows have figures in which the question, an audience or the base
            changed its meaning: such figures mix answers to two questions.

        The result needs `splitter="waves"`, with the earliest wave first. A percentage is of all
        people of these waves together, so larger waves count for more; sizes are averages over
        waves, samples sums. Waves that did not ask are left out (`waves_counted`, `note`); the
        first waves, with too few before them, and windows that hold a break have no figures.

        Intervals are Wilson's, by the sample's design. Changes account for the respondents that
        two windows share; `test()` compares with the wave before, or with the last window that
        shares no wave.

        >>> trend = client.stats("Gender", splitter="waves")
        >>> trend.moving_average(4)["column"]["Q1–Q4 2025"].round(1).tolist()
        [48.1, 51.0, 0.8]
        """
        return moving_average(MovingAverage, self, waves, level, across_breaks=across_breaks)

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        keep_averages(self)
        return super().__reduce_ex__(protocol)

    def _card(self) -> Card:
        from audiencelab.render.cards import stats_card

        return stats_card(self)


class ChartCalculationResult(ChartCalculationData, Exporting):
    """One group for each attribute of the chart, with figures or with the reason for none.

    `ChartCalculationData` documents the fields.
    """

    __slots__ = ()

    @property
    def chart(self) -> ResultCharts:
        """The result as a chart: `.bar()`, `.dots()`, `.heatmap()`, `.trend()`."""
        return ResultCharts(self, ("auto", "bar", "dots", "heatmap", "trend"))

    def to_frame(self) -> pd.DataFrame:
        """A long frame: one line for each attribute × audience × segment, in the chart's order.

        The metrics are those of `StatsResult.to_frame`. A group that failed is one line
        without metrics; `code`, `error_type` and `note` say why. `attrs` hold the provenance.

        >>> made = client.charts.create("Age", attributes=[("q4", "q4_2")])
        >>> client.charts.calculate(made.id).to_frame()["sample"].tolist()
        [3517]
        """
        from audiencelab.results.to_pandas import calculation_frame

        return calculation_frame(self)

    def intervals(
        self,
        level: float = 0.95,
        method: IntervalMethod = "wilson",
        design: Literal["auto"] | float | Sequence[float] | None = "auto",
        *,
        degrees_of_freedom: float | None = None,
        precision: Rule | None = None,
    ) -> pd.DataFrame:
        """See `StatsResult.intervals`; `design` is "auto", None, one number, or one for each line.

        Respondents are not known, so that "auto" takes a simple random sample and says so.

        >>> made = client.charts.create("Age", attributes=[("q4", "q4_2")])
        >>> list(client.charts.calculate(made.id).intervals().filter(like="column_percentage_"))
        ['column_percentage_se', 'column_percentage_low', 'column_percentage_high']
        """
        return intervals_of(self, level, method, design, degrees_of_freedom, precision)

    def _card(self) -> Card:
        from audiencelab.render.cards import calculation_card

        return calculation_card(self)
