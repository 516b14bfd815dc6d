"""What to write in place of a query with words of other programs: `normalize="index"`.

Such words choose what a table shows, which is chosen of its result here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.lines import CallCode, PlainCode, code_of, write_instead
from audiencelab.results.metrics import typed_metric

_SHOWN = (
    *("cell", "measure", "measures", "metric", "metrics", "statistics", "statistic"),
    *("stat", "stats", "show", "cells"),
)
_SHARES = ("normalize", "percent", "percentage", "percentages", "pct", "proportions", "prop")
_FUNCTIONS = ("aggfunc", "agg", "fun", "func", "FUN", "function")
_LEFT_OUT = ("exclude", "omit", "drop", "leave_out", "ignore")
_NETS = ("nets", "net", "combine", "boxes", "top_box", "box", "top2", "t2b", "T2B")
_TESTS = ("test", "tests", "letters", "sig", "significance", "stat_test", "compare")

_SURE = (
    "se",
    "std_error",
    "standard_errors",
    "ci",
    "intervals",
    "confint",
    "moe",
    "method",
    "level",
)

_ARRANGED = ("title", "decimals", "sort", "top", "rename", "hide_under", "stars")

_OF_TABLES = {
    *_ARRANGED,
    "values",
    *_SHOWN,
    *_SHARES,
    *_FUNCTIONS,
    *_LEFT_OUT,
    *_NETS,
    *_TESTS,
    *_SURE,
}

EXTRA = ""
"""The word for arguments without a name that a call does not take."""

_BY_SHARE = {"index": "row", "columns": "column", "all": "total", "cell": "total", "col": "column"}

VERBS = {
    **dict.fromkeys(("mean", "average", "avg", "means", "svymean"), "mean"),
    **dict.fromkeys(("median", "p50"), "median"),
    **dict.fromkeys(("sum", "total", "svytotal"), "total"),
    **dict.fromkeys(("quantile", "percentile", "svyquantile"), "quantile"),
    **dict.fromkeys(("std", "sd", "stdev"), "standard_deviation"),
    **dict.fromkeys(("nps",), "nps"),
    **dict.fromkeys(("proportion", "prop", "svyciprop"), "proportion"),
}
"""The verbs of a client by the words for their functions."""


def crosstab_line(call: CallCode, words: Mapping[str, Any]) -> str:
    """The line for a crosstab with words for what is shown, left out, or added up."""
    if _OF_TABLES.isdisjoint(words):
        return ""
    rows, columns = call.argument(0, "rows"), call.argument(1, "columns")
    function = _first(words, _FUNCTIONS)
    if "values" in words:
        by = [each for each in (rows, columns) if each is not None]
        groups = " > ".join(by) if all(isinstance(each, str) for each in by) else by
        return _verb_line(_verb(function), words["values"], groups)
    shown = _first(words, _SHOWN) or function
    if (verb := _statistic_in(shown)) and rows is not None:
        return _verb_line(verb, rows, columns)
    if (left_out := _first(words, _LEFT_OUT)) is not None and isinstance(rows, str):
        base = f"~client[{code_of(rows)}].isin({code_of(_listed(left_out))})"
        if isinstance(left_out, str):
            base = f"client[{code_of(rows)}] != {code_of(left_out)}"
        call.named["base_audience"] = PlainCode(base)
    behind = (_nets(words), _metrics(words, shown), _sure(words), _test(words), _arranged(words))
    return f"{call}{''.join(behind)}"


def question_crosstab_line(call: CallCode, words: Mapping[str, Any]) -> str:
    """The same of the crosstab of one question."""
    given = (PlainCode(call.of), *call.given)
    return crosstab_line(CallCode("client", "crosstab", given, call.named), words)


def refuse_columns(rows: Any, columns: Any, named: Mapping[str, Any]) -> None:
    """Raise `TypeError` for columns of a frame, with the questions of their names in the line."""
    if not (_is_column(rows) or _is_column(columns)):
        return
    sides = [_question_of(each) if _is_column(each) else each for each in (rows, columns)]
    write_instead(
        "Rows and columns are questions of the client, not columns of a frame.",
        str(CallCode("client", "crosstab", [each for each in sides if each is not None], named)),
    )


def _is_column(given: Any) -> bool:
    # A question reads words for members of a column, too.
    return (
        not isinstance(given, CatalogueQuestion)
        and hasattr(given, "name")
        and hasattr(given, "to_numpy")
        and hasattr(given, "dtype")
    )


def _question_of(column: Any) -> Any:
    """The question of a column by its name; of bins of `pd.cut` the question's bins."""
    name = str(column.name)
    bins: Any = getattr(column.dtype, "categories", None)
    if not hasattr(bins, "left"):
        return name
    # Bins of pandas include their upper ends, by default, and ours their lower ones.
    edges = bins.left if bins.closed == "left" else bins.left + 1
    listed = [int(each) if float(each).is_integer() else float(each) for each in edges]
    return PlainCode(f"client[{code_of(name)}].bins({code_of(listed)})")


def stats_line(call: CallCode, words: Mapping[str, Any]) -> str:
    """The line for statistics of a question, or its shares over time, with such words."""
    question = call.argument(0, "question")
    if EXTRA in words:
        return _of_extra(call, words[EXTRA])
    asked = code_of(question) if question is not None else call.of
    shown = _first(words, _SHOWN) or _first(words, _FUNCTIONS)
    if verb := _statistic_in(shown):
        by = call.named.get("splitter", call.named.get("audiences"))
        if call.method == "trend":
            by = "waves" if by is None else f"{by} > waves" if isinstance(by, str) else by
        named = {} if by is None else {"by": by}
        if question is None:
            return str(CallCode(call.of, verb, (), named))
        return str(CallCode("client", verb, (PlainCode(asked),), named))
    if words.get("normalize") is False:
        return f'{call}["sample"]'
    if sure := _sure(words):
        return f"{call}{sure}"
    if {*words} & {"sort", "ascending"}:
        return f'{call}.to_frame().sort_values("column_percentage", ascending=False)'
    return f"{call}{_nets(words)}{_metrics(words, shown)}" if _nets(words) or shown else ""


def _of_extra(call: CallCode, extra: tuple[Any, ...]) -> str:
    """The line for a second question without a name: a crosstab of both."""
    first = CallCode(call.of, call.method, call.given[: -len(extra)], call.named)
    over_time = call.method == "trend" and str(extra[0]).casefold() in ("wave", "waves", "date")
    if over_time or call.given[0] is extra[0]:
        return str(first)
    return str(CallCode(call.of, "crosstab", (call.given[0], *extra[:1]), call.named))


def size_line(call: CallCode, words: Mapping[str, Any]) -> str:
    """The line for the number of people by groups."""
    by = next(
        (words[each] for each in ("by", "group", "group_by", "groupby") if each in words), None
    )
    if by is None:
        return ""
    audience = call.argument(0, "audience")
    table = CallCode(call.of, "crosstab", (audience, by), _without(call.named, "audience"))
    # Weighted counts are the average of the waves; others add them up.
    return f'{table}["size"] * len(client.waves())'


def rake_line(call: CallCode, words: Mapping[str, Any]) -> str:
    """The line for targets that are named as arguments: `rake(region={…})`."""
    given: Any = call.argument(0, "targets")
    others: dict[Any, Any] = {} if given is None else given
    if not all(isinstance(each, Mapping) for each in (others, *words.values())):
        return ""
    targets = {**others, **words}
    return str(CallCode(call.of, "rake", (targets,), _without(call.named, "targets")))


def book_line(call: CallCode, words: Mapping[str, Any]) -> str:
    """The line for a tab book with words for what its cells show."""
    shown = _first(words, (*_SHARES, *_SHOWN))
    if shown is None:
        return ""
    metrics = _metric_names(shown)
    return f"{call}" if metrics == ["column"] else f"{call}.to_html(metrics={code_of(metrics)})"


def _first(words: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((words[name] for name in names if words.get(name) is not None), None)


def _listed(given: Any) -> list[Any]:
    is_one = isinstance(given, str) or not isinstance(given, Iterable)
    return [given] if is_one else [*cast("Iterable[Any]", given)]


def _verb(function: object) -> str:
    name = getattr(function, "__name__", function)
    return VERBS.get(str(name).casefold(), "mean")


def _verb_line(verb: str, questions: Any, by: Any) -> str:
    named = {} if by is None or by == [] else {"by": by}
    return str(CallCode("client", verb, (questions,), named))


def _statistic_in(shown: Any) -> str:
    """The verb of a statistic among what is to be shown; "" where it is shares and counts."""
    names = (str(getattr(each, "__name__", each)).casefold() for each in _listed(shown))
    return next((VERBS[name] for name in names if name in VERBS), "")


def _nets(words: Mapping[str, Any]) -> str:
    nets: object = _first(words, _NETS)
    if isinstance(nets, Mapping):
        return f".nets({code_of(cast('Mapping[str, Any]', nets))})"
    return "" if nets is None else ".boxes(2, 0)"


def _metrics(words: Mapping[str, Any], shown: Any) -> str:
    names = _metric_names(_first(words, _SHARES) if shown is None else shown)
    if words.get("normalize") is False:
        names = ["sample"]
    return f"[{code_of(names[0] if len(names) == 1 else names)}]" if names else ""


def _metric_names(shown: Any) -> list[str]:
    """The short names of metrics that a table has, of those that are to be shown."""
    found: list[str] = []
    for each in _listed(shown):
        word = "total" if each is True else _BY_SHARE.get(str(each).casefold(), each)
        metric = typed_metric(word)
        if metric is not None and metric.typed[0] not in found:
            found.append(metric.typed[0])
    return found


def _sure(words: Mapping[str, Any]) -> str:
    """How sure the figures are, which a table shows where it is asked."""
    named = {name: words[name] for name in ("level", "method") if name in words}
    if named or _first(words, ("ci", "intervals", "confint", "moe")):
        level = ", ".join(f"{name}={code_of(each)}" for name, each in named.items())
        return f".intervals({level})"
    return '["se"]' if _first(words, ("se", "std_error", "standard_errors")) else ""


def _arranged(words: Mapping[str, Any]) -> str:
    """How a table is written, which the writing takes."""
    named = {name: words[name] for name in _ARRANGED if name in words}
    return (
        f".to_html({', '.join(f'{name}={code_of(each)}' for name, each in named.items())})"
        * bool(named)
    )


def _test(words: Mapping[str, Any]) -> str:
    return ".test()" if _first(words, _TESTS) else ""


def _without(named: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {other: each for other, each in named.items() if other != name}
