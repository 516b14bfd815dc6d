"""What results can be asked about their differences: margins, tests, what stands out.

Mixins of methods alone; results derive from them, and the work is done in `significance`, which
is opened when something is asked, for it needs scipy. The options that tests share are spelled out
in each method, as in `GridResult`: it is these signatures that completion and `help()` show.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.analysis.correspondence import Correspondence
    from audiencelab.analysis.derived import Midpoints
    from audiencelab.analysis.interval_frames import LineEffect
    from audiencelab.analysis.significance import (
        Against,
        AverageComparison,
        Base,
        ColumnComparison,
        Correction,
        DesignEffect,
        Family,
        IntervalMethod,
        RestComparison,
        WaveComparison,
        ZeroOrFull,
    )
    from audiencelab.results.crosstab import CrosstabResult
    from audiencelab.results.stats import StatsResult

__all__ = ["CrosstabDifferences", "MetricMargins", "StatsDifferences"]


class CrosstabDifferences:
    """What a crosstab can be asked."""

    __slots__ = ()

    def intervals(
        self,
        level: float = 0.95,
        method: IntervalMethod = "wilson",
        design_effect: DesignEffect | None = None,
        *,
        degrees_of_freedom: float | None = None,
    ) -> pd.DataFrame:
        """The long frame of `to_frame()`, with a margin beside every percentage and index.

        After each of them come three columns: `…_se`, its standard error, and `…_low` and
        `…_high`, the ends of its interval; all in the figure's own unit. `attrs` hold the recipe.

        level: the confidence, such as 0.95.
        method: of percentages: "wilson", "logit", or "beta" (Korn and Graubard's, which is
            Clopper and Pearson's where there is no design). Indices have the Wilson intervals of
            the shares that they are made of.
        design_effect: divides the samples. One number; or one for each column (in their order, or
            by name or id) or cell, or `client.design_effects(result)`. All but one number make
            margins of `column_percentage` and `index` alone, for they say nothing of rows and
            base.
        degrees_of_freedom: of a t distribution in place of the normal one; those of the design
            where its effects were computed.

        Raises `ValueError` for what cannot be chosen, and `ImportError` without scipy.
        """
        from audiencelab.analysis.interval_frames import (
            IntervalOptions,
            crosstab_intervals,
        )

        options = IntervalOptions.of(level, method, degrees_of_freedom, design_effect)
        return crosstab_intervals(_crosstab(self), options, design_effect)

    def compare_columns(
        self,
        levels: float | Sequence[float] = (0.95, 0.90),
        correction: Correction = "none",
        *,
        family: Family = "row",
        base: Base | None = None,
        design_effect: DesignEffect | None = None,
        pooled: bool = True,
        degrees_of_freedom: float | None = None,
        nets: str | Sequence[str] = (),
        min_base: float = 30,
        zero_or_full: ZeroOrFull = "test",
        overlap: CrosstabResult | None = None,
        within_heads: bool = True,
    ) -> ColumnComparison:
        """Test every pair of columns within each row: do their column percentages differ?

        levels: one or two levels of confidence, such as 0.95. At the stricter one the larger
            share carries the other column's letter as a capital, at the other as a small one.
        correction: of p-values for how many tests there are: "none", "bonferroni", "holm", or
            "benjamini-hochberg" (also "fdr").
        family: the tests that belong together: those of a "row", or of the whole "table".
        base: what counts as a case: "unweighted" respondents; "effective" ones, which are those
            divided by the design effect; or "weighted" people, right only for weights that
            average 1. Left out, it is effective where a design effect is known.
        design_effect: one number, one for each column (in order, or by name or id), one for each
            cell, or `client.design_effects(result)`. Left out, it is computed where the survey's
            respondents are in this process: linearised where strata or clusters are known,
            otherwise Kish's where weights differ. Elsewhere the bases are unweighted, and the
            recipe says "design unknown".
        pooled: whether the error is that of one share for both, as in a score test; otherwise
            each share has its own.
        degrees_of_freedom: of a t distribution in place of the normal one, for all tests. Left
            out, where effects are linearised, clusters less strata of those in either column.
        nets: names or ids of rows and columns that hold others. Such columns are not compared;
            such rows, and those that `nets()` made, are tested but not counted in a family. One
            that is everyone in the base is left out always.
        min_base: no test with a column of fewer respondents; the line's `note` says so.
            Respondents of weight 0 do not count.
        overlap: the crosstab of the same columns against themselves, where they share
            respondents: `client.crosstab(rows=columns, columns=columns)`. How those in both
            answered is approximated; linearised design effects count it exactly.
        within_heads: where columns stand under heads, whether only those under the same heads are
            compared; the letters and the families of a row then begin again with each.
        zero_or_full: a share of 0 or 100 % is tested like others ("test"), or its pairs are left
            out ("skip"), as in SPSS.

        Raises `ValueError` for what cannot be chosen, and `ImportError` without scipy.
        """
        from audiencelab.analysis import significance

        return significance.compare_columns(
            _crosstab(self),
            overlap,
            within_heads=within_heads,
            levels=levels,
            correction=correction,
            family=family,
            base=base,
            design_effect=design_effect,
            pooled=pooled,
            degrees_of_freedom=degrees_of_freedom,
            nets=nets,
            min_base=min_base,
            zero_or_full=zero_or_full,
        )

    def compare_to_rest(
        self,
        levels: float | Sequence[float] = (0.95, 0.90),
        correction: Correction = "none",
        *,
        against: Against = "rest",
        family: Family = "row",
        base: Base | None = None,
        design_effect: DesignEffect | None = None,
        pooled: bool = True,
        degrees_of_freedom: float | None = None,
        nets: str | Sequence[str] = (),
        min_base: float = 30,
        zero_or_full: ZeroOrFull = "test",
    ) -> RestComparison:
        """Test each column against everyone else in the base, within each row.

        against: "rest", the base without the column; or "base", all of it. The column is a part
            of the base, so that both have the same statistic: only what is shown differs.
        The other arguments are those of `compare_columns`; the rest has its column's design
        effect, or its own where it was computed. Their degrees of freedom are those of the base.
        """
        from audiencelab.analysis import significance

        return significance.compare_to_rest(
            _crosstab(self),
            against,
            levels=levels,
            correction=correction,
            family=family,
            base=base,
            design_effect=design_effect,
            pooled=pooled,
            degrees_of_freedom=degrees_of_freedom,
            nets=nets,
            min_base=min_base,
            zero_or_full=zero_or_full,
        )

    def standouts(
        self,
        limit: int = 20,
        correction: Correction = "fdr",
        *,
        level: float = 0.95,
        base: Base | None = None,
        design_effect: DesignEffect | None = None,
        pooled: bool = True,
        degrees_of_freedom: float | None = None,
        nets: str | Sequence[str] = (),
        min_base: float = 30,
    ) -> pd.DataFrame:
        """What is interesting: the cells whose columns differ significantly from everyone else.

        Every cell is tested against the rest of its base, as by `compare_to_rest`, and all tests
        are one family; a difference also has to hold by its likelihood ratio, and no computed
        design effect is taken to be below Kish's. Those that hold are ranked by `at_least`: by how
        many points they differ at the least, by an interval as strict as the tests were. Each line
        has its `statement` in words. Cells whose row and column ask the same question differ by
        definition and are left out; so is a column that is the complement of another. `attrs`
        hold the recipe.

        limit: how many lines to give. level: the confidence; with "fdr", at most 1 - level of
            all that is listed is expected to be chance. The other arguments are those of
            `compare_columns`.
        """
        from audiencelab.analysis.highlights import standouts

        return standouts(
            _crosstab(self),
            limit,
            levels=level,
            correction=correction,
            family="table",
            base=base,
            design_effect=design_effect,
            pooled=pooled,
            degrees_of_freedom=degrees_of_freedom,
            nets=nets,
            min_base=min_base,
            zero_or_full="test",
        )

    def correspondence(self, supplementary: str | Sequence[str] = ()) -> Correspondence:
        """Rows and columns as points, by how their profiles differ (correspondence analysis).

        supplementary: names or ids of rows and columns that get a place but make no dimension,
            because they hold others. The table's own nets, and whoever is everyone in the base, are
            some always.

        It rests on weighted people. Answers that people give together may be rows: that is common
        practice, and the recipe says so. Raises `ValueError` for a table with cells missing, with
        fewer than two rows or columns, or without differences between its rows.
        `charts.correspondence` draws it.
        """
        from audiencelab.analysis.correspondence import correspondence

        return correspondence(_crosstab(self), supplementary)


class MetricMargins:
    """What every result of the nine metrics can be asked."""

    __slots__ = ()

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
        from audiencelab.analysis.interval_frames import (
            IntervalOptions,
            metric_intervals,
        )

        options = IntervalOptions.of(level, method, degrees_of_freedom, design_effect)
        return metric_intervals(cast(Any, self), options, design_effect)


class StatsDifferences(MetricMargins):
    """What a stats result can be asked besides."""

    __slots__ = ()

    def compare_columns(
        self,
        levels: float | Sequence[float] = (0.95, 0.90),
        correction: Correction = "none",
        *,
        family: Family = "row",
        base: Base | None = None,
        design_effect: DesignEffect | None = None,
        pooled: bool = True,
        degrees_of_freedom: float | None = None,
        nets: str | Sequence[str] = (),
        min_base: float = 30,
        zero_or_full: ZeroOrFull = "test",
        overlap: CrosstabResult | None = None,
    ) -> ColumnComparison:
        """Test every pair of audiences, segments or both, the columns of `to_wide()`.

        The arguments are those of `CrosstabResult.compare_columns`; what is compared is the
        audience percentage of each datapoint.
        """
        from audiencelab.analysis import significance

        return significance.compare_columns(
            _stats(self),
            overlap,
            levels=levels,
            correction=correction,
            family=family,
            base=base,
            design_effect=design_effect,
            pooled=pooled,
            degrees_of_freedom=degrees_of_freedom,
            nets=nets,
            min_base=min_base,
            zero_or_full=zero_or_full,
        )

    def compare_averages(
        self,
        midpoints: Midpoints,
        levels: float | Sequence[float] = (0.95, 0.90),
        correction: Correction = "none",
        *,
        base: Base | None = None,
        design_effect: DesignEffect | None = None,
        pooled: bool = False,
        degrees_of_freedom: float | None = None,
        nets: str | Sequence[str] = (),
        min_base: float = 30,
        overlap: CrosstabResult | None = None,
        disjoint: bool = False,
    ) -> AverageComparison:
        """Test every pair of audiences, segments or both: do the means of their answers differ?

        midpoints, disjoint: as for `averages`, whose means these are, of those who gave an answer
            that has a midpoint. They are also the respondents that bases count.
        pooled: Student's t test, as if both varied alike; otherwise Welch's.
        degrees_of_freedom: for all tests, in place of those that the bases come to.
        The other arguments are those of `CrosstabResult.compare_columns`.

        Raises `OverlappingAnswers` where answers cannot be averaged, `ValueError` for what cannot
        be chosen, and `ImportError` without scipy.
        """
        from audiencelab.analysis.compare_averages import compare_averages

        return compare_averages(
            _stats(self),
            midpoints,
            overlap,
            disjoint=disjoint,
            levels=levels,
            correction=correction,
            family="row",
            base=base,
            design_effect=design_effect,
            pooled=pooled,
            degrees_of_freedom=degrees_of_freedom,
            nets=nets,
            min_base=min_base,
            zero_or_full="test",
        )

    def compare_waves(
        self,
        levels: float | Sequence[float] = (0.95, 0.90),
        correction: Correction = "none",
        *,
        family: Family = "row",
        base: Base | None = None,
        design_effect: DesignEffect | None = None,
        pooled: bool = True,
        degrees_of_freedom: float | None = None,
        nets: str | Sequence[str] = (),
        min_base: float = 30,
        zero_or_full: ZeroOrFull = "test",
    ) -> WaveComparison:
        """Test each wave against the one before it, within each datapoint (and audience).

        A wave that did not ask is passed over: the next one is compared with the last that did,
        and the frame names it. Waves are taken as separate samples. For a result with
        `splitter="waves"`, in the order of its segments; the other arguments are those of
        `CrosstabResult.compare_columns`, with design effects by wave, and a family "row" is a
        trend.

        Raises `ValueError` for another splitter and what cannot be chosen, and `ImportError`
        without scipy.
        """
        from audiencelab.analysis import significance

        return significance.compare_waves(
            _stats(self),
            levels=levels,
            correction=correction,
            family=family,
            base=base,
            design_effect=design_effect,
            pooled=pooled,
            degrees_of_freedom=degrees_of_freedom,
            nets=nets,
            min_base=min_base,
            zero_or_full=zero_or_full,
        )


def _crosstab(result: object) -> CrosstabResult:
    return cast("CrosstabResult", result)


def _stats(result: object) -> StatsResult:
    return cast("StatsResult", result)
