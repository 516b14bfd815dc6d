"""The public result of a crosstab."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from audiencelab.analysis.options import Against, ProportionTestOptions, TestOptions, takes_options
from audiencelab.analysis.statistics import Correction
from audiencelab.results.crosstab import CrosstabData
from audiencelab.tables.base import Exporting
from audiencelab.tables.comparison import ColumnComparison, RestComparison

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.analysis.correspondence import Correspondence
    from audiencelab.analysis.intervals import IntervalMethod
    from audiencelab.analysis.options import DesignEffect
    from audiencelab.render.table_layout import Comparison, TableLayout


class CrosstabResult(CrosstabData, Exporting):
    """Row audiences against column audiences; it grows while cells arrive.

    `CrosstabData` documents the fields. Nets, boxes and scores add rows up, which is right only
    where no respondent is in two of them. Different answers to one single question are added up,
    those to one multiple question are not: `OverlappingAnswers` shows what to ask the service.
    Where the kinds of the questions (`kinds`) do not decide it, the counts do: rows that are
    answers of one question, as many as respondents in the base and in every column, are added up;
    otherwise pass `disjoint=True` if you know that no respondent is in two of them.
    """

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """A long frame, one line a cell that has arrived, rows first, in the order asked for.

        Sizes are weighted people, samples respondents, percentages run from 0 to 100 and an
        index of 100 is the base. `row` and `column` are ordered categoricals. A figure without
        a denominator is NaN, and `note` says why. `attrs` hold the provenance. A side with heads
        has them in a line, "Gender by age › Female", in `row_head` or `column_head`; a table with
        nets marks their lines in `row_net`.
        """
        from audiencelab.results.to_pandas import crosstab_frame

        return crosstab_frame(self)

    def to_wide(
        self,
        metric: str | Sequence[str] = "index",
        *,
        labels: bool = True,
        blank_under: float = 0,
    ) -> pd.DataFrame:
        """A table of one figure or several, rows down and columns across.

        metric: one of `FIGURES`, or several, which then stand beside each other under each column
            as a second level `metric`; `ValueError` names them otherwise.
        labels: audience names in the margins (True) or ids (False).
        blank_under: leave out (NaN) what rests on fewer respondents, as published tables do; a
            column percentage rests on the column's, an index on the smaller of row and column.
            Counts stay.

        Heads stand above the names as levels of their own, `column_head`, `column_head_2` … (and
        `row_head` …), outermost first, "" where there is none.
        """
        from audiencelab.results.to_pandas import crosstab_wide

        return crosstab_wide(self, metric, labels=labels, blank_under=blank_under)

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

        Raises `ValueError` for what cannot be chosen.
        """
        from audiencelab.analysis.intervals import (
            IntervalOptions,
            crosstab_intervals,
        )

        options = IntervalOptions.of(level, method, degrees_of_freedom, design_effect)
        return crosstab_intervals(self, options, design_effect)

    @takes_options(ProportionTestOptions)
    def compare_columns(
        self,
        levels: float | Sequence[float] = (0.95, 0.90),
        correction: Correction = "none",
        *,
        overlap: CrosstabData | None = None,
        within_heads: bool = True,
        **options: Unpack[ProportionTestOptions],
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

        Raises `ValueError` for what cannot be chosen.
        """
        from audiencelab.analysis.compare import compare_columns

        made = compare_columns(
            self,
            overlap,
            within_heads=within_heads,
            levels=levels,
            correction=correction,
            **options,
        )
        return ColumnComparison.of(made)

    @takes_options(ProportionTestOptions)
    def compare_to_rest(
        self,
        levels: float | Sequence[float] = (0.95, 0.90),
        correction: Correction = "none",
        *,
        against: Against = "rest",
        **options: Unpack[ProportionTestOptions],
    ) -> RestComparison:
        """Test each column against everyone else in the base, within each row.

        against: "rest", the base without the column; or "base", all of it. The column is a part
            of the base, so that both have the same statistic: only what is shown differs.
        The other arguments are those of `compare_columns`; the rest has its column's design
        effect, or its own where it was computed. Their degrees of freedom are those of the base.
        """
        from audiencelab.analysis.compare import compare_to_rest

        made = compare_to_rest(self, against, levels=levels, correction=correction, **options)
        return RestComparison.of(made)

    @takes_options(TestOptions)
    def standouts(
        self,
        limit: int = 20,
        correction: Correction = "fdr",
        *,
        level: float = 0.95,
        **options: Unpack[TestOptions],
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
            self, limit, levels=level, correction=correction, family="table", **options
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

        return correspondence(self, supplementary)

    def nets(self, named: Mapping[str, Sequence[str]], *, disjoint: bool = False) -> CrosstabData:
        """The same table with rows for subtotals, each after the rows under the same heads.

        named: the rows of each net, by name or id: `{"Any app": ["Loopa", "row-2"]}`. A name that
            stands under several heads is told with them: "Women › Young".

        Sizes and samples add up, percentages and index are taken of the sums. A net is in every
        table and frame under its name: `row_nets` and the frame's `row_net` tell it, its
        `row_index` is -1, and comparisons leave it out, for it holds other rows. Its audience is
        what to ask the service for instead. Raises `OverlappingAnswers`, and `ValueError` for rows
        that are not there, that rest on different waves, or of a table under way.
        """
        from audiencelab.analysis.nets import row_nets

        return row_nets(self, named, disjoint=disjoint)

    def boxes(
        self, top: int = 2, bottom: int = 2, *, low_first: bool = True, disjoint: bool = False
    ) -> CrosstabData:
        """The same table with rows for the best and the worst answers of a scale.

        top, bottom: how many answers of each end; 0 for none. Rows under heads are a scale for each
            head.
        low_first: whether the rows run from the lowest to the highest.
        """
        from audiencelab.analysis.nets import row_boxes

        return row_boxes(self, top, bottom, low_first=low_first, disjoint=disjoint)

    def net_score(
        self, positive: Sequence[str], negative: Sequence[str], *, disjoint: bool = False
    ) -> pd.DataFrame:
        """The column percentage of some rows less that of others, in points, for each column.

        Percentages are of everyone in the column; those in neither count as 0. Both bases stand
        beside it; `attrs` hold recipe and provenance.
        """
        from audiencelab.analysis.nets import row_score

        return row_score(self, positive, negative, disjoint=disjoint)

    def _repr_html_(self) -> str:
        from audiencelab.render.html import crosstab_html

        return crosstab_html(self)

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """A table for everybody, and its figures for a page that can sort and switch them."""
        from audiencelab.render.mime_payload import CROSSTAB, Saving, room_beside, saved_crosstab

        data: dict[str, Any] = {"text/plain": repr(self), "text/html": self._repr_html_()}
        nets = [place for place, is_net in enumerate(self.row_nets) if is_net]
        # The figures that the table of HTML has, too.
        looks = {"metrics": ["column_percentage", "index"]}
        saved = saved_crosstab(self, room_beside(*data.values()), Saving(looks, (nets, ())))
        return (data if saved is None else {**data, CROSSTAB: saved}), {}

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
