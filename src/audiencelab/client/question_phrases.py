"""Calls that other programs have for one question: `client["q5"].value_labels`, `.top2()`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from audiencelab.client.grouped import Grouped
from audiencelab.expressions import Expression
from audiencelab.lines import CallCode, PlainCode, code_of, write_instead
from audiencelab.said import Phrases
from audiencelab.schema.scales import scale_of

if TYPE_CHECKING:
    import pandas as pd

said = Phrases()


def phrase(question: Any, name: str) -> Callable[[], Any] | None:
    """What reads a word of a question; None for another name."""
    return said.of(question, name)


_OF_SEVERAL = {
    **{
        verb: verb
        for verb in ("mean", "median", "quantile", "total", "nps", "proportion", "describe")
    },
    **dict.fromkeys(("corr", "correlations", "cor", "correlation"), "correlation"),
    **dict.fromkeys(("average", "avg", "means"), "mean"),
    **dict.fromkeys(("std", "sd"), "standard_deviation"),
    **dict.fromkeys(("crosstab", "value_counts", "stats", "frequencies"), "crosstab"),
    "sum": "total",
}
"""Words for what a client does with several questions."""


def phrase_of_several(questions: Any, name: str) -> Callable[[], Any] | None:
    """What reads a word of several questions; None for another name."""
    method = _OF_SEVERAL.get(name)
    if method is None or not questions:
        return None
    client = questions[0].client
    return lambda: partial(getattr(client, method), list(questions))


# -- Labels ---------------------------------------------------------------------------------------


@said("label", "var_label", "variable_label", "title", "text", "question_text", shown=True)
def label(question: Any) -> str:
    """The label of the variable."""
    return question.name


@said("value_labels", "val_labels", "labels", "levels", "factor_levels", "cat", shown=True)
def value_labels(question: Any) -> dict[Any, str]:
    """The labels of the answers by their values in the file."""
    return {_value(each.code): each.name for each in question.datapoints}


def _value(code: str) -> Any:
    value = code.rpartition("_")[2]
    return int(value) if value.isdecimal() else value


@said("na_values", "na_range", "missing_values", "missing", "user_missing", shown=True)
def missing_values(question: Any) -> list[str]:
    """The answers off the scale, such as "Don't know", which count in no mean."""
    off = scale_of(question.record).off
    return [each.name for each in question.suffixes or question.datapoints if each.code in off]


@said("kind", "type", "measure", shown=True)
def kind(question: Any) -> str:
    """How many answers respondents give: single, multiple, or a point of a scale to each item."""
    return question.record.kind or ""


@said("nunique", "n_distinct", "nlevels")
def nunique(question: Any) -> int:
    """How many answers there are."""
    return len(question.datapoints)


# -- Respondents ----------------------------------------------------------------------------------


@said("as_factor", "to_factor", "astype", "to_series", "to_pandas", "to_numpy", "tolist", "to_list")
@said("as_numeric", "to_numeric", "map", "apply", "head", "tail", "zap_labels", "array", "to_frame")
def answers(question: Any, *_: Any, **__: Any) -> pd.Series[Any] | pd.DataFrame:
    """The answer of each respondent; use `client.stats` for shares, which are weighted."""
    from audiencelab.client.frame_phrases import answers_of

    frame = answers_of(question.client, question)
    return frame.iloc[:, 0] if frame.shape[1] == 1 else frame


@said("isna", "isnull", "is_na", "is_null", "isnan")
def without_answer(question: Any) -> Expression:
    """Everyone who gave no answer."""
    return ~question.any()


@said("notna", "notnull", "is_not_null", "answered", "valid", "dropna")
def with_answer(question: Any, *_: Any) -> Expression:
    """Everyone who gave an answer."""
    return question.any()


# -- Groups, boxes, recodes -----------------------------------------------------------------------


@said("groupby", "group_by", "split_by")
def grouped(question: Any, by: Any, *_: Any) -> Grouped:
    """The question by groups."""
    return Grouped(question.client, by, question)


@said("recode", "replace", "case_when", "collapse", "fct_collapse", "combine", "relevel")
def recode(question: Any, answers: Any, **named: Any) -> Any:
    """Join answers, for all calls of the client."""
    return question.client.recode(question.code, answers, **named)


@said("relabel", "rename_categories", "set_labels", "add_value_labels")
def relabel(question: Any, labels: Any) -> Any:
    """Give answers other names, for all calls of the client."""
    return question.client.relabel(question.code, labels)


@said("top2", "top_2", "t2b", "T2B", "top_2_box", "top2box", "top2_box", "top_two", "top_two_box")
def top2(question: Any) -> Any:
    """Refuse a box of two with the line of its share."""
    _box(question, "top_box", 2)


@said("bottom2", "bottom_2", "b2b", "B2B", "bottom_2_box", "bottom2box", "low2", "bottom_two_box")
def bottom2(question: Any) -> Any:
    """See `top2`."""
    _box(question, "bottom_box", 2)


@said("top3", "t3b", "T3B", "top_3", "top3box", "top_3_box")
def top3(question: Any) -> Any:
    """See `top2`."""
    _box(question, "top_box", 3)


@said("top1", "top", "t1b", "T1B", "top_1", "top1box")
def top1(question: Any) -> Any:
    """See `top2`."""
    _box(question, "top_box", 1)


def _box(question: Any, method: str, count: int) -> None:
    box = f"{code_of(question)}.{method}({count})"
    size = "crosstab" if question.suffixes else "size"
    write_instead(f"{box} is the box, a row or column of tables.", f"client.{size}({box})")


# -- Tables, tests, charts ------------------------------------------------------------------------


@said("confidence_interval", "confidence_intervals", "confint", "conf_int", "ci", "intervals")
@said("margin_of_error", "moe", "se")
def intervals(question: Any, level: float = 0.95, *_: Any, **named: Any) -> pd.DataFrame:
    """The share of each answer with its standard error and interval."""
    return question.stats().intervals(level, **named)


@said("chisq_test", "chi2", "chi_square", "svychisq", "test_independence")
def chi_square(question: Any, other: Any) -> pd.DataFrame:
    """Whether the question and another are related."""
    return question.client.crosstab(question, other).test_independence()


@said("anova", "oneway", "aov")
def anova(question: Any, by: Any) -> Any:
    """Whether the mean differs among all groups."""
    return question.client.anova(question, by)


@said("ttest", "t_test", "svyttest", "test")
def t_test(question: Any, by: Any = "waves", **named: Any) -> Any:
    """Whether the mean differs between groups; options are those of `test`."""
    return question.client.mean(question, by).test(**named)


@said("corr", "correlate", "cor")
def correlated(question: Any, other: Any = None, *_: Any, **named: Any) -> Any:
    """The correlation with another question."""
    if other is None:
        write_instead("A correlation is of two questions.", f"client.describe({code_of(question)})")
    return question.correlation(other, by=named.get("by"))


@said("var", "variance")
def variance(question: Any, *_: Any, **__: Any) -> float:
    """The square of the standard deviation, R's `svyvar`."""
    return float(question.standard_deviation()) ** 2


@said("min", "minimum", "max", "maximum", "range")
def extremes(question: Any, *_: Any, **__: Any) -> None:
    """Refuse the least and the largest amount with the line of what respondents gave."""
    frame = CallCode("client", "respondents", (), {"amounts": question.code})
    write_instead(
        "The least and the largest amount are of respondents, without weights.",
        f'{frame}.iloc[:, -1].agg(["min", "max"])',
    )


@said("mode")
def mode(question: Any, *_: Any, **__: Any) -> None:
    """Refuse the mode with the line of the shares, of which it is the largest."""
    line = CallCode("client", "proportion", (question.code,))
    write_instead(
        "The mode is the answer with the largest share.",
        f'{line}.to_frame().sort_values("value", ascending=False)',
    )


@said("hist", "histogram", "density", "kde")
def histogram(question: Any, bins: int = 10) -> Any:
    """Bars of equal bins of the numbers of the question."""
    return question.client.histogram(question, bins)


@said("bar", "barh", "barplot", "pie", "boxplot")
def plot(question: Any, *_: Any, **named: Any) -> Any:
    """A chart of the answers."""
    by = named.get("by", named.get("hue"))
    result = question.stats() if by is None else question.crosstab(by)
    return result.chart.bar()


@said("size", "sample_size")
def size(question: Any, *_: Any, **__: Any) -> Any:
    """How many people gave each answer."""
    return question.client.size(question)


@said("sort_values", "nlargest", "sort")
def sorted_answers(question: Any, *_: Any, **__: Any) -> Any:
    """Refuse an order of answers with the line of their shares in order."""
    call = CallCode("client", "stats", (PlainCode(code_of(question)),))
    line = f'{call}.to_frame().sort_values("column_percentage", ascending=False)'
    write_instead("A question has the order of its answers; tables are sorted.", line)
