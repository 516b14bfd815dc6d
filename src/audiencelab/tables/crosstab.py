"""The public result of a crosstab."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, Unpack, cast, overload

from audiencelab.analysis.boxes import row_boxes
from audiencelab.analysis.computed import COMPUTED, OF_STATISTICS, notes_on
from audiencelab.analysis.correspondence import Correspondence, correspondence
from audiencelab.analysis.independence import independence_frame
from audiencelab.analysis.interval_formulas import IntervalMethod
from audiencelab.analysis.intervals import intervals_of
from audiencelab.analysis.measured import require_recorded
from audiencelab.analysis.nets import row_nets, row_score
from audiencelab.analysis.on_scale import Of, crosstab_on_scale
from audiencelab.analysis.options import (
    DEFAULTS,
    Design,
    DesignOptions,
    TestOptions,
    Versus,
)
from audiencelab.analysis.prepare import left_to_us
from audiencelab.analysis.reliability import Rule
from audiencelab.analysis.statistics import Correction
from audiencelab.hidden_members import hide_members
from audiencelab.keywords import keywords
from audiencelab.render.text_forms import shown_forms
from audiencelab.results.asking import Lonely
from audiencelab.results.cells import Floats
from audiencelab.results.crosstab import CrosstabData, of_statistics_alone
from audiencelab.results.metric_names import ShortName, own_name, own_names
from audiencelab.results.table_code import note_call, of_call
from audiencelab.results.who_counts import base_words
from audiencelab.tables.base import Exporting
from audiencelab.tables.charting import ResultCharts
from audiencelab.tables.comparison import Comparison, compared

if TYPE_CHECKING:
    import pandas as pd
    from pandas.io.formats.style import Styler

    from audiencelab.markup import Card


@hide_members("styled")
class CrosstabResult(CrosstabData, Exporting):
    """Row audiences against column audiences; it grows while cells arrive.

    `CrosstabData` documents the fields. Nets, boxes and scores add rows up, which is right only if
    no respondent is in two of them. Answers to one single question are added up; for a multiple
    question `OverlappingAnswers` shows what to ask the service. If the `kinds` of the questions are
    not known, the counts decide: answers of one question that are as many as the respondents, in
    the base and in every column, are added up. Otherwise pass `disjoint=True` if you know it.
    """

    __slots__ = ()

    @property
    def chart(self) -> ResultCharts:
        """The result as a chart: `.bar()`, `.dots()`, `.heatmap()` and others.

        `.profile()` and `.bubble()` are of one column, `.correspondence()` is a map of rows and
        columns. Charts combine with `|` and `&`.
        """
        kinds = ("auto", "bar", "dots", "stack", "trend", "points", "heatmap", "profile", "bubble")
        return ResultCharts(self, (*kinds, "correspondence"))

    def values(self, metric: str) -> Floats:
        """One metric as float64[rows, columns], NaN where there is no value.

        Those of `FIGURES` are read-only views, which fill while a stream runs. `ValueError` names
        the metrics otherwise.

        >>> client.crosstab("Gender", "Age").values("sample")[0, :2].tolist()
        [142.0, 540.0]
        """
        # A list that is given by mistake cannot be looked up.
        compute = COMPUTED.get(metric) if isinstance(cast(object, metric), str) else None
        return super().values(metric) if compute is None else compute(self)

    def to_frame(self) -> pd.DataFrame:
        """A long frame, one line for each cell that has arrived, rows first.

        Sizes are weighted people, samples respondents, percentages run from 0 to 100, and an index
        of 100 is the base. `row` and `column` are ordered categoricals. A metric without a
        denominator is NaN, and `note` says why. `row_group` and `column_group` hold groups ("Gender
        by age › Female"), `row_net` marks nets, `attrs` hold the provenance.

        >>> table = client.crosstab("Gender", "Age", waves="latest 1")
        >>> table.to_frame()[["row", "column", "sample"]].iloc[0].tolist()
        ['Male', '16 to 17', np.int64(38)]
        """
        from audiencelab.results.to_pandas import crosstab_frame

        return self._asked_lines(crosstab_frame(self))

    def styled(self) -> Styler:
        """The wide frame as a `Styler` of pandas, which refuses percentages as shares of 1.

        >>> client.crosstab("Gender", "Age").styled().format("{:.0f}").columns.size
        7
        """
        from audiencelab.results.styled import styled

        return styled(self.to_wide())

    def to_wide(
        self,
        metric: str | Sequence[str] = "column",
        *,
        labels: bool = True,
        hide_under: float = 0,
    ) -> pd.DataFrame:
        """A table of one metric or several, rows down and columns across.

        metric: "column", "row" or "total" (%), "index", "size", "sample", "change", "se", or
            another of `FIGURES`; several are a last level `metric` under each column. "se" is the
            standard error of the column percentage in points, as `intervals` has it: `attrs` say by
            which design, or why there is none. In a table with rows of means it is theirs. "change"
            is the column percentage less that of the same column one wave before, in points (of a
            mean, in its own unit): NaN where there is none and across a break, as `attrs` say.
        labels: audience names (True) or ids (False).
        hide_under: NaN for values that rest on fewer respondents, except counts. A column
            percentage rests on the column, an index on the smaller of row and column.

        Groups are levels above the names, `column_group`, `column_group_2` … (and `row_group` …),
        outermost first, "" where there is none; `["18 to 24"]` finds a column without its groups.
        Raises `ValueError` for other metrics.

        >>> client.crosstab("Gender", "Age").to_wide("sample").shape
        (3, 7)
        """
        from audiencelab.results.to_pandas import crosstab_wide
        from audiencelab.tables.label_frames import with_labels

        one = isinstance(metric, str)
        metric = own_name(self, metric) if one else own_names(self, metric)
        of_statistics = OF_STATISTICS.get(metric) if isinstance(metric, str) else None
        own = None if of_statistics is None else of_statistics(self)
        made = crosstab_wide(self, metric, labels=labels, hide_under=hide_under, own=own)
        if notes := notes_on(self, [metric] if isinstance(metric, str) else metric):
            made.attrs["method_note"] = " ".join(notes)
        return with_labels(made)

    @overload
    def __getitem__(self, metric: ShortName | list[str]) -> pd.DataFrame: ...
    @overload
    def __getitem__(self, metric: str) -> Any: ...
    def __getitem__(self, metric: str | list[str]) -> Any:
        """The wide frame of one metric: `table["index"]`; see `to_wide`.

        A column, a group of columns or a row that is not called like a metric is that part of the
        wide frame: `table["Age"]` is `table.to_wide()[["Age"]]`, `table["Female"]` a series.
        """
        from audiencelab.tables.phrases import metric_or_label

        return metric_or_label(self, metric)

    def _ipython_key_completions_(self) -> list[str]:
        return ["column", "row", "total", "index", "size", "sample"]

    def intervals(
        self,
        level: float = 0.95,
        method: IntervalMethod = "wilson",
        design: Design = "auto",
        *,
        degrees_of_freedom: float | None = None,
        precision: Rule | None = None,
    ) -> pd.DataFrame:
        """The frame of `to_frame()` with intervals of every percentage and index.

        Each is followed by its standard error `…_se` and the ends of its interval, `…_low` and
        `…_high`, in its own unit. In rows of statistics the interval is that of `value`, of means
        and net promoter scores. `attrs` hold the method note.

        level: the confidence, such as 0.95.
        method: of percentages: "wilson", "logit", or "beta" (Korn and Graubard's, without a design
            Clopper and Pearson's). Indices use Wilson intervals of their proportions.
        design: "auto" for the sample's own design: linearised errors, or those of replicate
            weights; where the service is not one of audiencelab, a simple random sample with
            "design unknown" in the method note. None for a simple random sample; one design effect;
            one for each column (in order, or by name or id) or cell; or
            `client.design_effects(result)`. All but "auto", None and one number are about
            `column_percentage` and `index` alone, which then have the only intervals.
        degrees_of_freedom: of a t distribution instead of the normal one; by default those of the
            respondents of each column, as R's `degf(subset(design, column))`.
        precision: a rule on which percentages are precise enough to be published. "nchs" adds the
            column `reliability`: "ok", "suppress", "review" or "complement" for each column
            percentage, by the standards of the National Center for Health Statistics.

        A figure whose respondents leave less than one degree of freedom has no interval. The method
        note has the number of these, and the reason why a percentage has no intervals at all.

        Raises `ValueError` for options that are not valid.

        >>> frame = client.crosstab("Gender", "Age").intervals(level=0.9)
        >>> frame[["column_percentage_low", "column_percentage_high"]].iloc[0].round(1).tolist()
        [43.7, 54.9]
        """
        found = intervals_of(self, level, method, design, degrees_of_freedom, precision)
        return self._asked_lines(found)

    def _asked_lines(self, frame: pd.DataFrame) -> pd.DataFrame:
        """A frame without the base, which is the only row of shares beside statistics alone."""
        if not of_statistics_alone(self):
            return frame
        kept = frame[frame["statistic"] != ""].reset_index(drop=True)
        kept.attrs = frame.attrs
        return kept.assign(row=kept["row"].cat.remove_unused_categories())

    @keywords(TestOptions, DEFAULTS, note=note_call)
    def test(self, vs: Versus = "columns", **options: Unpack[TestOptions]) -> Comparison:
        """Test column percentages within each row: which differences are significant?

        vs: what each column is compared with: every other column ("columns"), everyone else in
            the base ("rest"), or the whole base ("total"). The column is a part of the base, so
            the statistics of "rest" and "total" are the same: only what is shown differs. Or
            "rows", to compare every two rows of a group within each column: answers of a
            question, or items of a grid, whose respondents are the same (McNemar's test). Means
            of items are compared by paired t tests. Or "previous wave", to compare each column of
            one wave with the same column in the last wave before it that asked, as for
            `client.trend(question)`; other columns are not tested.
        options: `levels`, `correction`, `design` and others; `TestOptions` documents them.

        By default the design of the sample is taken into account if the respondents are in this
        process; the method note says how.

        >>> table = client.crosstab("Finding brands", "Age")
        >>> table.test().to_wide().iloc[0].tolist()[:3]
        ['44.8 D E F G', '41.9 D E F G', '42.0 D E F G']
        >>> table.test(vs="rest", correction="holm").method_note.split(", ")[1]
        'each column against the rest of its base'
        >>> table.test(vs="rows").to_wide().iloc[0].tolist()[:1]
        ['44.8 B C E F G I J M N O P Q R T']

        Raises `ValueError` for options that are not valid, and for "previous wave" where no column
        is one wave; `LookupError` for rows that may share respondents where the service does not
        say how many do.
        """
        if left_to_us(options):
            require_recorded(self)
        return compared(self, vs, **options)

    def test_independence(self, *, lonely: Lonely = "adjust") -> pd.DataFrame:
        """Test whether answers of rows and columns are related: χ² with Rao and Scott's correction.

        One line for each group of rows and each group of columns, of respondents who are in one of
        both: `F` with `df1` and `df2` degrees of freedom and its `p`, as `svychisq` of R computes
        them from strata, clusters and weights; `chi2`, Pearson's statistic of the weighted shares
        of `sample` respondents, with its own `df`. `note` names small expected counts.

        lonely: how strata of a single cluster are treated; see `Client.design_effects`.

        Raises `LookupError` for a service that is not one of audiencelab, and `ValueError` for
        rows or columns that share respondents, such as answers of a multiple question.

        >>> table = client.crosstab("The year ahead", ["Gender", "Age"], waves="latest 1")
        >>> table.test_independence()[["column_group", "p"]].round(3).values.tolist()
        [['Gender', 0.387], ['Age', 0.0]]
        """
        return independence_frame(self, lonely)

    @keywords(DesignOptions, DEFAULTS)
    def standouts(
        self,
        limit: int = 20,
        correction: Correction = "fdr",
        *,
        level: float = 0.95,
        **options: Unpack[DesignOptions],
    ) -> pd.DataFrame:
        """The cells whose columns differ significantly from everyone else, ranked.

        Every cell is tested against the rest of its base (`test(vs="rest")`), and all tests are one
        family. A difference also has to hold by its likelihood ratio. The ranking is by `at_least`,
        the nearer end of each difference's interval, as strict as the tests were; `statement` puts
        it in words. Cells of one question with itself are left out, and columns that are the
        complement of another. `attrs` hold the method note.

        limit: the number of lines. level: the confidence; with "fdr", at most 1 - level of the
            lines are expected to be chance. Other options are those of `test`.

        >>> client.crosstab("Finding brands", "Age").standouts(limit=3)["statement"].iloc[0]
        'Finding brands › Short videos: 68.2% of Age › 16 to 17, 28.5% of the rest (+39.7 points)'
        """
        from audiencelab.analysis.highlights import standouts

        return standouts(
            self, limit, levels=level, correction=correction, family="table", **options
        )

    @of_call
    def correspondence(self, supplementary: str | Sequence[str] = ()) -> Correspondence:
        """Rows and columns as points, by how their profiles differ (correspondence analysis).

        supplementary: names or ids of rows and columns that get a position but make no dimension,
            because they include others. Nets and totals always are.

        It rests on weighted people. Rows may be answers that people give together, as is common
        practice; the method note says so. Raises `ValueError` for a table with missing cells, with
        fewer than two rows or columns, or without differences between its rows.
        `charts.correspondence` draws it.

        >>> points = client.crosstab("Finding brands", "Age").correspondence()
        >>> points.percentages[:2].round(1).tolist()
        [96.1, 1.9]
        """
        return correspondence(self, supplementary)

    @of_call
    def nets(
        self, named: Mapping[str, Sequence[str]], *, of: Of = None, disjoint: bool = False
    ) -> Self:
        """The same table with rows for subtotals, each after the rows of its group.

        named: the rows of each net, by name or id: `{"Any app": ["Loopa", "row-2"]}`; a name in
            several groups with its group: "Women › Young".
        of: "scale" for shares of those whose answer is a point of the scale; "Don't know" and
            other answers off the scale leave the table and its base, which says so.

        Sizes and samples add up; percentages and index are those of the sums. `row_nets` and the
        frame's `row_net` mark nets, their `row_index` is -1, and their audiences can be sent to the
        service. Raises `OverlappingAnswers`, and `ValueError` for unknown rows, rows on different
        waves, and incomplete tables.

        >>> table = client.crosstab("Age", "Gender")
        >>> table.nets({"Under 35": ["16 to 17", "18 to 24", "25 to 34"]}).row_nets
        (False, False, False, False, False, False, False, True)
        """
        of_whom = crosstab_on_scale(self, of, disjoint=disjoint)
        return row_nets(of_whom, named, disjoint=disjoint)

    @of_call
    def boxes(
        self, top: int = 2, bottom: int = 2, *, of: Of = None, disjoint: bool = False
    ) -> Self:
        """The same table with rows for the best and the worst answers of a scale.

        top, bottom: the number of answers at each end; 0 for none. Each group of rows is a scale.
        of: as for `nets`. The survey decides which end is the top, as for `client["Age"].top_box`.

        The name of a box lists its answers. Answers off the scale, such as "Don't know", are in
        none. Raises `ValueError` where nothing shows which end is the top.

        >>> client.crosstab("The year ahead", "Gender").boxes(2, 0).rows[-1].name
        'Top 2 (Much better, A little better)'
        """
        of_whom = crosstab_on_scale(self, of, disjoint=disjoint)
        return row_boxes(of_whom, top, bottom, disjoint=disjoint)

    def net_score(
        self,
        positive: Sequence[str],
        negative: Sequence[str],
        *,
        of: Of = None,
        disjoint: bool = False,
    ) -> pd.DataFrame:
        """The column percentage of some rows less that of others, in points, for each column.

        Percentages are of the base of the rows; respondents in neither count as 0. of: as for
        `nets`. Both bases are columns of the frame; `attrs` hold method note and provenance.

        >>> table = client.crosstab("The year ahead", "Gender")
        >>> table.net_score(["Much better"], ["Much worse"])["net_score"].round(1).tolist()
        [6.1, 6.2, 6.9]
        """
        of_whom = crosstab_on_scale(self, of, disjoint=disjoint)
        return row_score(of_whom, positive, negative, disjoint=disjoint)

    def _card(self) -> Card:
        from audiencelab.render.html import crosstab_card

        return crosstab_card(self)

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """A static table, the values for a page that can sort and switch them, and text forms."""
        from audiencelab.render.html import crosstab_card
        from audiencelab.render.mime_payload import (
            Saving,
            room_beside,
            saved_crosstab,
            shown_beside,
        )

        words = base_words(self)
        form = crosstab_card(self, words)
        data, metadata = shown_forms(self, form)
        if of_statistics_alone(self):
            # The payload is of shares, and the only row of these is the base.
            return data, metadata
        nets = [place for place, is_net in enumerate(self.row_nets) if is_net]
        looks = {"metrics": ["column_percentage", "index"]}
        saved = saved_crosstab(
            self,
            room_beside(data["text/plain"], data["text/html"]),
            Saving(looks, (nets, ()), words=words),
        )
        return data | shown_beside(form, saved), metadata
