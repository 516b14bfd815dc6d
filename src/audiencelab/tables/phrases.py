"""Calls that other programs have for a result: `table.loc["Satisfied", "Female"]`, `.confint()`.

Each is a function of the result, with the arguments that people type. `words.OBJECTS` has the words
that are another name of a member.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import CO_VARKEYWORDS
from types import MethodType
from typing import Any, NamedTuple, TypeVar, cast

import pandas as pd

from audiencelab.keywords import keywords
from audiencelab.lines import code_of, write_instead
from audiencelab.results.banner import whole_names
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.metrics import typed_metric
from audiencelab.tables.called import CalledFrame, CalledNumber
from audiencelab.tables.label_frames import by_last_level, with_labels

F = TypeVar("F", bound=Callable[..., Any])


class Phrase(NamedTuple):
    """What a word means. shown: without a call. needs: the members that a result has for it."""

    function: Callable[..., Any]
    shown: bool
    needs: Sequence[str]


PHRASES: dict[str, list[Phrase]] = {}
"""What words mean, by the word; the first that a result can answer is meant."""


def phrase(result: Any, name: str) -> Callable[[], Any] | None:
    """What reads a word of a result; None for another name, and for what it does not have."""
    kind = result.__class__
    for function, shown, needs in PHRASES.get(name, ()):
        if all(hasattr(kind, each) for each in needs):
            if shown:
                return partial(function, result)
            return partial(MethodType, function, result)
    return None


def _said(
    *words: str, needs: Sequence[str] = ("to_wide",), shown: bool = False
) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        # One that lists its arguments refuses others, which it would not obey.
        any_name = cast(Any, function).__code__.co_flags & CO_VARKEYWORDS
        taken = function if shown or any_name else keywords()(function)
        for word in words:
            PHRASES.setdefault(word, []).append(Phrase(taken, shown, needs))
        return function

    return decorate


# -- A comparison ---------------------------------------------------------------------------------


@_said("letters", "marks", shown=True, needs=("marks",))
def letters(comparison: Any) -> CalledFrame:
    """Percentages with the letters of the columns that they differ from."""
    return CalledFrame(comparison.to_wide())


@_said("pvalues", "p_values", "pvalue", "p_value", "p", shown=True, needs=("marks",))
def p_values(comparison: Any) -> CalledFrame:
    """The p values of every pair."""
    return CalledFrame(comparison.to_frame()[["row", "column", "other", "p", "p_adjusted"]])


@_said("plot", "chart", shown=True, needs=("marks",))
def charts(comparison: Any) -> Any:
    """The charts of the table that was tested."""
    return comparison.source.chart


@_said("summary", "significant", "sig", "print_summary", needs=("marks",))
def significant(comparison: Any, *_: Any, **__: Any) -> pd.DataFrame:
    """The differences that are significant."""
    found = comparison.to_frame()
    return found[found["level"].notna()]


# -- The wide frame by labels ---------------------------------------------------------------------


def flat(result: Any, metric: str = "column") -> pd.DataFrame:
    """The wide frame with the labels alone, after their groups where two have one label."""
    wide: pd.DataFrame = result.to_wide(metric)
    if not isinstance(result, CrosstabData):
        return wide
    return by_last_level(wide)


def metric_or_label(result: Any, given: Any) -> Any:
    """The wide frame of a metric, else a part of the frame by its label; raises as `to_wide`.

    Metrics first: a column that is called like one is in `to_wide()` only.
    """
    try:
        return with_labels(result.to_wide(given))
    except ValueError:
        if isinstance(given, tuple):
            return with_labels(result.to_wide()).loc[given]
        listed = cast("list[Any]", given if isinstance(given, list) else [])
        if listed and all(each in flat(result) for each in listed):
            return flat(result)[listed]
        if not isinstance(given, str):
            raise
        wide = result.to_wide()
        if isinstance(wide.columns, pd.MultiIndex) and given in wide.columns:
            return wide[[given]]
        if (found := by_label(result, given)) is None:
            raise
        return found


def by_label(result: Any, label: str) -> Any:
    """A column of the wide frame by its label, or else a row; None where neither is called so."""
    wide = flat(result)
    if label in wide.columns:
        return wide[label]
    return wide.loc[label] if label in wide.index else None


class _Figures:
    """Estimates by the names of groups, questions and answers."""

    def __init__(self, estimates: Any) -> None:
        self._estimates = estimates

    def __getitem__(self, name: Any) -> Any:
        found = self._estimates
        names: list[Any] = [*name] if isinstance(name, tuple) else [name]
        for each in names:
            found = found[each]
        return found


@_said("loc", "at", shown=True, needs=("standard_error", "low"))
def figures(estimates: Any) -> _Figures:
    """The figures by the names of groups."""
    return _Figures(estimates)


@_said("sort_values", "sort", needs=("standard_error", "low"))
def sorted_figures(estimates: Any, by: Any = "value", ascending: bool = True) -> pd.DataFrame:
    """The figures in their order."""
    frame = estimates.to_frame()
    return frame.sort_values(by if by in frame else "value", ascending=ascending)


@_said("loc", shown=True, needs=("to_frame",))
def loc(result: Any) -> Any:
    """Values by labels of rows and columns."""
    kind = result.__class__
    return with_labels(result.to_wide() if hasattr(kind, "to_wide") else result.to_frame()).loc


@_said("at", shown=True)
def at(result: Any) -> Any:
    """One value by its labels."""
    return with_labels(result.to_wide()).at


@_said("sort_values", "sort", "arrange", "order", "sort_rows", "sort_by", "sorted")
def sort_values(result: Any, by: Any = None, ascending: bool = True, **_: Any) -> pd.DataFrame:
    """The wide frame in the order of columns, or the long one in that of a metric."""
    if isinstance(by, tuple):
        return result.to_wide().sort_values(by, ascending=ascending)
    wide = result.to_frame() if hasattr(result, "marks") else flat(result)
    listed = [by] if isinstance(by, str) else [wide.columns[0]] if by is None else list(by)
    if all(each in wide.columns for each in listed):
        return wide.sort_values(listed, ascending=ascending)
    long, names = result.to_frame(), [_frame_name(each) for each in listed]
    if any(each not in long.columns for each in names):
        known = ", ".join(map(repr, wide.columns[:6]))
        line = f"{code_of(result)}.sort_values({code_of(str(wide.columns[0]))})"
        write_instead(f"No column or metric {listed[0]!r}. Columns are {known}.", line, ValueError)
    return long.sort_values(names, ascending=ascending)


def _frame_name(word: Any) -> Any:
    metric = typed_metric(word)
    return word if metric is None else metric.frame_name or metric.name


@_said("rename", "rename_rows", "rename_columns", "relabel", "set_labels")
def renamed(result: Any, names: Any = None, **named: Any) -> pd.DataFrame:
    """The wide frame with other labels of rows and columns."""
    given: dict[str, str] = {
        **(named.get("index") or {}),
        **(named.get("columns") or {}),
        **(names or {}),
    }
    return flat(result).rename(index=given, columns=given)


@_said("xs", "get")
def part(result: Any, label: Any, *_: Any, **__: Any) -> Any:
    """A column or a row by its label."""
    return metric_or_label(result, label)


@_said("top", "nlargest", "best", needs=("ranked",))
def best(profile: Any, limit: int = 20, *_: Any, **__: Any) -> pd.DataFrame:
    """The answers that differ most from the base."""
    return profile.ranked(limit=limit)


@_said("pivot", "pivot_table", "unstack", "pivot_wider", "spread")
def pivoted(
    result: Any, index: Any = None, columns: Any = None, *_: Any, **__: Any
) -> pd.DataFrame:
    """The wide frame; waves as rows where they are its index."""
    return flat(result).T if "wave" in str(index) else flat(result)


@_said("drop", "drop_rows", "hide", "remove", "exclude", "without")
def dropped(result: Any, labels: Any = None, *_: Any, **named: Any) -> pd.DataFrame:
    """The wide frame without some rows or columns."""
    wide = flat(result)
    labels = named.get("index", named.get("columns", labels))
    listed = [labels] if isinstance(labels, str) else list(labels)
    rows = [each for each in listed if each in wide.index]
    return wide.drop(index=rows, columns=[each for each in listed if each not in rows])


@_said(
    "combine_rows",
    "net",
    "combine",
    "collapse",
    "merge_rows",
    "add_net",
    "group_rows",
    needs=("nets",),
)
@_said("net_rows", "combine_categories", needs=("nets",))
def combined(result: Any, rows: Any, label: str = "", *_: Any, **named: Any) -> Any:
    """The table with a row for several rows together."""
    if isinstance(rows, Mapping):
        return result.nets(rows)
    if isinstance(rows, str) and not isinstance(label, str):
        rows, label = label, rows  # the name comes first
    name = label or named.get("name", "") or " or ".join(rows)
    return result.nets({name: rows})


@_said("top2", "t2b", "T2B", "top_box", "top2box", "top_2_box", "top_two_box", needs=("boxes",))
def top_box(result: Any, count: Any = 2, *_: Any, **__: Any) -> Any:
    """The table with a row for the highest answers."""
    return result.boxes(count if isinstance(count, int) else 2, 0)


@_said("bottom2", "b2b", "B2B", "bottom_box", "bottom2box", "bottom_2_box", needs=("boxes",))
def bottom_box(result: Any, count: Any = 2, *_: Any, **__: Any) -> Any:
    """The table with a row for the lowest answers."""
    return result.boxes(0, count if isinstance(count, int) else 2)


# -- Metrics --------------------------------------------------------------------------------------


def _metric_frame(metric: str) -> Callable[[Any], Any]:
    return lambda result: CalledFrame(result.to_wide(metric))


@_said("prop_table", "proportions", "prop", "props", "percents", "as_percent", "prop_tables")
def proportions(result: Any, margin: Any = None, **named: Any) -> pd.DataFrame:
    """Percentages of rows (1), of columns (2), or of the whole table."""
    margin = named.get("axis", margin)
    words = {1: "row", 2: "column", "rows": "row", "columns": "column", "index": "row"}
    metric = typed_metric(words.get(margin, margin))
    return flat(result, "total" if metric is None else metric.name)


for _metric, _words in (
    ("column", ("pct", "percent", "percentages", "column_pct", "col_pct", "column_percent")),
    ("row", ("row_pct", "row_percent", "row_percentages")),
    ("total", ("total_pct", "total_percent", "cell_pct")),
):
    _said(*_words, shown=True)(_metric_frame(_metric))


@_said("counts", "n", "freq", "frequencies", "count", shown=True)
def counts(result: Any) -> pd.DataFrame:
    """Respondents in each cell."""
    return _Counts(result.to_wide("sample")).of(result)


class _Counts(CalledFrame):
    """Unweighted counts, which `counts(weighted=True)` weighs."""

    _metadata = ("_result",)

    def of(self, result: Any) -> _Counts:
        object.__setattr__(self, "_result", result)
        return self

    def __call__(self, weighted: bool = False, *_: Any, **__: Any) -> pd.DataFrame:
        return self._result.to_wide("size") if weighted else self


@_said(
    "unweighted_base",
    "bases",
    "base_n",
    "base",
    "sample_size",
    "sample_sizes",
    "unweighted_bases",
    shown=True,
    needs=("column_values",),
)
@_said("n_base", "base_sizes", "bases_unweighted", shown=True, needs=("column_values",))
def unweighted_base(result: Any) -> pd.Series[Any]:
    """Respondents in each column."""
    return _base(result, "column_sample")


@_said("weighted_base", "weighted_bases", "base_weighted", shown=True, needs=("column_values",))
def weighted_base(result: Any) -> pd.Series[Any]:
    """Weighted people in each column."""
    return _base(result, "column_size")


def _base(result: Any, metric: str) -> pd.Series[Any]:
    names = whole_names(result.columns, result.column_groups)
    return pd.Series(result.column_values(metric), index=names, name=metric)


# -- How sure -------------------------------------------------------------------------------------


@_said(
    "confint",
    "conf_int",
    "confidence_interval",
    "confidence_intervals",
    "ci",
    "cis",
    needs=("intervals",),
)
@_said("margin_of_error", "moe", "tidy_ci", needs=("intervals",))
def confint(result: Any, level: float = 0.95, *_: Any, **named: Any) -> pd.DataFrame:
    """The frame with intervals."""
    return result.intervals(level, **named)


@_said("se", "SE", "std_err", "stderr", "standard_errors", "standard_error", "sem", shown=True)
def standard_errors(result: Any) -> pd.DataFrame | pd.Series[Any]:
    """Standard errors of the column percentages."""
    kind = result.__class__
    if hasattr(kind, "column_values"):
        return CalledFrame(result.to_wide("se"))
    frame = result.intervals()
    return CalledFrame(frame[[*frame.columns[:4], "column_percentage_se"]])


@_said("deff", "design_effect", "design_effects", "cv", needs=("intervals",))
def design_effects(result: Any, *_: Any, **__: Any) -> None:
    """Refuse with the line of the client that knows the sample."""
    write_instead(
        "Design effects are computed of respondents, which the client has.",
        f"client.design_effects({code_of(result)})",
    )


@_said(
    "chi_square",
    "chisq",
    "chi2",
    "chisq_test",
    "chi_square_test",
    "chi2_contingency",
    needs=("test_independence",),
)
@_said(
    "svychisq",
    "add_p",
    "independence",
    "summary",
    "rao_scott",
    needs=("test_independence",),
)
@_said("chi2_test", "fisher_test", "fisher", needs=("test_independence",))
def chi_square(result: Any, statistic: str = "F", method: str = "rao-scott") -> CalledFrame:
    """Whether rows and columns are related: F of Rao and Scott, and χ²."""
    if statistic.casefold() not in ("f", "chisq", "chi2") or method.casefold() not in _SCOTT:
        write_instead("F of Rao and Scott and χ² are computed.", f"{code_of(result)}.chi_square()")
    return CalledFrame(result.test_independence())


_SCOTT = ("rao-scott", "rao_scott", "chi2", "chisq", "pearson")


@_said("p_value", "pvalue", needs=("test_independence",), shown=True)
def p_value(result: Any) -> Any:
    """The p value of the test of independence, or of each where there are several."""
    found = result.test_independence()
    return CalledNumber(found["p"].iloc[0]) if len(found) == 1 else CalledFrame(found)


@_said(
    "ttest",
    "t_test",
    "z_test",
    "svyttest",
    "compare",
    "compare_columns",
    "pairwise",
    "prop_test",
    needs=("test",),
)
@_said("column_proportions_test", "sig_test", "significance_test", "stat_test", needs=("test",))
def tested(result: Any, **named: Any) -> Any:
    """The differences between columns that are significant."""
    return result.test(**named)


# -- Averages -------------------------------------------------------------------------------------


def _average(column: str) -> Callable[[Any], Any]:
    def read(stats: Any) -> Any:
        found = stats.averages()
        if len(found) == 1:
            return CalledNumber(found[column].iloc[0])
        names = [name for name in found if str(name).endswith("_label") or name == "audience_name"]
        return CalledFrame(found[[*names, column]])

    return read


for _column, _words in (
    ("mean", ("mean", "average", "avg", "means", "svymean")),
    ("median", ("median", "p50")),
    ("standard_deviation", ("std", "sd", "standard_deviation")),
):
    _said(*_words, needs=("averages", "moving_average"), shown=True)(_average(_column))


# -- Files ----------------------------------------------------------------------------------------


@_said(
    "as_gt",
    "gt",
    "as_kable",
    "kable",
    "as_flextable",
    "flextable",
    "as_html",
    "to_gt",
    needs=("to_html",),
)
@_said("great_table", "as_raw_html", needs=("to_html",))
def as_html(result: Any, *_: Any, **__: Any) -> str:
    """The table as HTML, as a page or a document takes it."""
    return result.to_html()


@_said("tidy", "glance", "augment", "results_table", "to_dataframe", needs=("to_frame",))
def tidy(result: Any, *_: Any, **__: Any) -> pd.DataFrame:
    """The long frame, a line for each figure or test."""
    return result.to_frame()


@_said("print", "show", "display", "view", "View", needs=())
def displayed(result: Any, *_: Any, **__: Any) -> Any:
    """The result, which is displayed as the last line of a cell."""
    return result
