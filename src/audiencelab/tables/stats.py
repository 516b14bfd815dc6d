"""The public results of a statistics query and of a chart's calculation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from audiencelab.analysis.options import ProportionTestOptions, TestOptions, takes_options
from audiencelab.analysis.statistics import Correction
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData
from audiencelab.tables.base import Exporting
from audiencelab.tables.comparison import AverageComparison, ColumnComparison, WaveComparison

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.analysis.averages import Midpoints
    from audiencelab.analysis.intervals import IntervalMethod, LineEffect
    from audiencelab.render.table_layout import Comparison, TableLayout


class StatsResult(StatsData, Exporting):
    """One row for each datapoint × segment × audience, in the order requested.

    `StatsData` documents the fields. All derived figures but moving averages and shares of
    responses add answers up, so they need a question to which every respondent gives one answer at
    most. The kind of the question decides (`kind`): answers to a single question are added up, and
    for others `OverlappingAnswers` shows how to ask the service. Where the service does not report
    the kind, the counts decide: as many answers as respondents are one each, more are not, and for
    fewer pass `disjoint=True` if you know that the question takes one answer.
    """

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """A long frame, one line a row, with the nine metrics under the service's names.

        Sizes are weighted people, samples respondents, percentages run from 0 to 100 and an
        index of 100 is the base. Labels are ordered categoricals in the order asked for. A
        metric without a denominator is NaN, and `note` says why. `attrs` hold the provenance.
        """
        from audiencelab.results.to_pandas import stats_frame

        return stats_frame(self)

    def to_wide(
        self,
        metric: str | Sequence[str] = "audience_percentage",
        *,
        labels: bool = True,
        blank_under: float = 0,
    ) -> pd.DataFrame:
        """A table of one metric or several: datapoints down; segments, audiences or both across.

        metric: one of the nine (`audiencelab.schema.METRICS`), or several, which then stand beside
            each other as a last level `metric`; `ValueError` names them otherwise.
        labels: names in the margins (True) or codes (False).
        blank_under: leave out (NaN) what rests on fewer respondents, as published tables do; an
            audience percentage rests on the audience's, an index on the smaller of audience and
            datapoint. Counts stay.
        """
        from audiencelab.results.to_pandas import stats_wide

        return stats_wide(self, metric, labels=labels, blank_under=blank_under)

    def intervals(
        self,
        level: float = 0.95,
        method: IntervalMethod = "wilson",
        design_effect: LineEffect | None = None,
        *,
        degrees_of_freedom: float | None = None,
    ) -> pd.DataFrame:
        """The long frame of `to_frame()`, with a margin beside both percentages and the index.

        See `CrosstabResult.intervals`; here a design effect is one number, one for each line, or
        what `client.design_effects(result)` computed, which is about `audience_percentage` and
        `audience_index` alone.
        """
        from audiencelab.analysis.intervals import (
            IntervalOptions,
            metric_intervals,
        )

        options = IntervalOptions.of(level, method, degrees_of_freedom, design_effect)
        return metric_intervals(self, options, design_effect)

    @takes_options(ProportionTestOptions)
    def compare_columns(
        self,
        levels: float | Sequence[float] = (0.95, 0.90),
        correction: Correction = "none",
        *,
        overlap: CrosstabData | None = None,
        **options: Unpack[ProportionTestOptions],
    ) -> ColumnComparison:
        """Test every pair of audiences, segments or both, the columns of `to_wide()`.

        The arguments are those of `CrosstabResult.compare_columns`; what is compared is the
        audience percentage of each datapoint.
        """
        from audiencelab.analysis.compare import compare_columns

        made = compare_columns(self, overlap, levels=levels, correction=correction, **options)
        return ColumnComparison.of(made)

    @takes_options(TestOptions, pooled=False)
    def compare_averages(
        self,
        midpoints: Midpoints,
        levels: float | Sequence[float] = (0.95, 0.90),
        correction: Correction = "none",
        *,
        overlap: CrosstabData | None = None,
        disjoint: bool = False,
        **options: Unpack[TestOptions],
    ) -> AverageComparison:
        """Test every pair of audiences, segments or both: do the means of their answers differ?

        midpoints, disjoint: as for `averages`, whose means these are, of those who gave an answer
            that has a midpoint. They are also the respondents that bases count.
        pooled: Student's t test, as if both varied alike; otherwise Welch's.
        degrees_of_freedom: for all tests, in place of those that the bases come to.
        The other arguments are those of `CrosstabResult.compare_columns`.

        Raises `OverlappingAnswers` where answers cannot be averaged, `ValueError` for what cannot
        be chosen.
        """
        from audiencelab.analysis.compare import compare_averages

        made = compare_averages(
            self,
            midpoints,
            overlap,
            disjoint=disjoint,
            levels=levels,
            correction=correction,
            **options,
        )
        return AverageComparison.of(made)

    @takes_options(ProportionTestOptions)
    def compare_waves(
        self,
        levels: float | Sequence[float] = (0.95, 0.90),
        correction: Correction = "none",
        **options: Unpack[ProportionTestOptions],
    ) -> WaveComparison:
        """Test each wave against the one before it, within each datapoint (and audience).

        A wave that did not ask is passed over: the next one is compared with the last that did,
        and the frame names it. Waves are taken as separate samples. For a result with
        `splitter="waves"`, in the order of its segments; the other arguments are those of
        `CrosstabResult.compare_columns`, with design effects by wave, and a family "row" is a
        trend.

        Raises `ValueError` for another splitter and what cannot be chosen.
        """
        from audiencelab.analysis.compare import compare_waves

        made = compare_waves(self, levels=levels, correction=correction, **options)
        return WaveComparison.of(made)

    def nets(self, named: Mapping[str, Sequence[str]], *, disjoint: bool = False) -> StatsData:
        """The same result with rows for subtotals of answers, after those of the answers.

        named: the answers of each net, by code or by name: `{"Any app": ["q20_1", "Loopa"]}`.

        Sizes and samples add up, percentages and index are taken of the sums. A net is in every
        table and frame like an answer, under its name; leave it out of comparisons (`nets=`), for
        it holds others. What is worked out from the new result adds up its answers alone. Raises
        `OverlappingAnswers` and `ValueError`.
        """
        from audiencelab.analysis.nets import nets

        return nets(self, named, disjoint=disjoint)

    def boxes(
        self, top: int = 2, bottom: int = 2, *, low_first: bool = True, disjoint: bool = False
    ) -> StatsData:
        """The same result with rows for the best and the worst answers of a scale.

        top, bottom: how many answers of each end; 0 for none.
        low_first: whether the result's answers run from the lowest to the highest.
        """
        from audiencelab.analysis.nets import boxes

        return boxes(self, top, bottom, low_first=low_first, disjoint=disjoint)

    def net_score(
        self, positive: Sequence[str], negative: Sequence[str], *, disjoint: bool = False
    ) -> pd.DataFrame:
        """The percentage of some answers less that of others, in points, for each column.

        Percentages are of everyone in the audience; those who gave neither count as 0. One line
        for each segment × audience, with both bases; `attrs` hold recipe and provenance.
        """
        from audiencelab.analysis.nets import net_score

        return net_score(self, positive, negative, disjoint=disjoint)

    def rebased_to_answered(self, *, disjoint: bool = False) -> StatsData:
        """The same result with percentages of those who gave one of its answers.

        Respondents who were not asked, or gave none of the answers that the result holds, leave
        the denominator; `base_audience` and the provenance say so. With all answers of a question
        it is what the service gives for `base_audience=al.answered(question)`, which is also the
        way for questions of several answers. Raises `OverlappingAnswers`.
        """
        from audiencelab.analysis.rebase import rebased_to_answered

        return rebased_to_answered(self, disjoint=disjoint)

    def shares_of_responses(self) -> pd.DataFrame:
        """What part of all answers given each answer is, in percent: they add up to 100.

        For questions of which people give several. Whoever gave three answers counts three times,
        and whoever gave none does not count. One line for each datapoint × segment × audience:
        `response_percentage` is of `responses_size`, the answers that the result holds; ask with
        `datapoints=` to leave "none of these" out. Its `attrs` hold recipe and provenance.
        """
        from audiencelab.analysis.rebase import shares_of_responses

        return shares_of_responses(self)

    def averages(
        self, midpoints: Midpoints, *, design_effect: float = 1.0, disjoint: bool = False
    ) -> pd.DataFrame:
        """Mean, median and standard deviation of answers that stand for amounts.

        midpoints: the catalogue's question (`client.catalogue["Age"]`); or what each answer stands
            for, by code or name.
        design_effect: by how much the survey's design widens the standard error's square.

        Where a survey in this process keeps the numbers behind a question's bands, as imports do,
        averages by the catalogue's question are those of the numbers, and `method` is "numbers".
        Everywhere else they are those of the midpoints, and `method` is "midpoints".

        One line for each segment × audience. `answered_size` and `answered_sample` are those who
        gave an answer that has a number or midpoint, and the figures are of them alone;
        `attrs["left_out"]` names the other answers. mean = Σwm / Σw with w people and m numbers or
        midpoints; the standard deviation is √(Σw(m − mean)² / Σw), the mean's standard error that
        by √(design effect / respondents), and the median the value that half of the people are at
        or below.
        """
        from audiencelab.analysis.averages import averages

        return averages(self, midpoints, design_effect=design_effect, disjoint=disjoint)

    def moving_average(self, waves: int = 4) -> pd.DataFrame:
        """Audience percentages over each wave and those before it, so many in all.

        The result must have `splitter="waves"`, with the earliest wave first: "before" goes by
        the order in which the waves were asked for, which is by date if none are named.
        A percentage is that of all people of these waves together, so a larger wave counts for
        more; sizes are averages over waves, samples sums. A wave that did not ask is left out,
        and `waves_counted` and `note` say so; the first waves, with too few before them, have no
        figures.
        """
        from audiencelab.analysis.averages import moving_average

        return moving_average(self, waves)

    def _repr_html_(self) -> str:
        from audiencelab.render.cards import stats_html

        return stats_html(self)

    def _table_layout(
        self,
        metrics: Sequence[str] | None,
        comparison: Comparison | None = None,
        row_groups: Sequence[str] = (),
        column_groups: Sequence[str] = (),
    ) -> TableLayout:
        from audiencelab.render.layout import table_layout

        return table_layout(
            self,
            metrics=metrics,
            comparison=comparison,
            row_groups=row_groups,
            column_groups=column_groups,
        )


class ChartCalculationResult(ChartCalculationData, Exporting):
    """One group for each attribute of the chart, with figures or with the reason for none.

    `ChartCalculationData` documents the fields.
    """

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """A long frame: one line for each attribute × audience × segment, in the chart's order.

        The nine metrics have the service's names: sizes are weighted people, samples respondents,
        percentages run from 0 to 100 and an index of 100 is the base. A group that failed is one
        line without figures; `code` and `error_type` tell what happened and `note` says it. A
        metric without a denominator is NaN, with the reason in `note`. `attrs` hold the
        provenance.
        """
        from audiencelab.results.to_pandas import calculation_frame

        return calculation_frame(self)

    def intervals(
        self,
        level: float = 0.95,
        method: IntervalMethod = "wilson",
        design_effect: LineEffect | None = None,
        *,
        degrees_of_freedom: float | None = None,
    ) -> pd.DataFrame:
        """See `StatsResult.intervals`; a design effect is one number, or one for each line."""
        from audiencelab.analysis.intervals import (
            IntervalOptions,
            metric_intervals,
        )

        options = IntervalOptions.of(level, method, degrees_of_freedom, design_effect)
        return metric_intervals(self, options, design_effect)

    def _repr_html_(self) -> str:
        from audiencelab.render.cards import calculation_html

        return calculation_html(self)

    def _table_layout(
        self,
        metrics: Sequence[str] | None,
        comparison: Comparison | None = None,
        row_groups: Sequence[str] = (),
        column_groups: Sequence[str] = (),
    ) -> TableLayout:
        from audiencelab.render.layout import table_layout

        return table_layout(
            self,
            metrics=metrics,
            comparison=comparison,
            row_groups=row_groups,
            column_groups=column_groups,
        )
