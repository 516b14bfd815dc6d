"""Options and commands as other programs call them: one table for all commands.

A word that means one of our options, with the same values, is read as it. Of others an error shows
the command that was meant (`suggestions`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import click

from audiencelab.words import ARGUMENTS

OPTIONS: dict[str, tuple[str, ...]] = {
    **ARGUMENTS,
    "by": ("by", "columns", "banner"),
    **dict.fromkeys(
        ("banner", "break", "breaks", "columns", "cols", "group_by", "groupby", "across", "col"),
        ("columns", "banner", "by"),
    ),
    **dict.fromkeys(("rows", "row", "stub", "index", "variable"), ("rows", "questions")),
    **dict.fromkeys(
        ("question", "questions", "variables", "vars", "include", "columns_of", "items"),
        ("questions", "rows"),
    ),
    **dict.fromkeys(
        ("query", "filter", "where", "subset", "select_if", "select", "keep", "universe", "among"),
        ("base_audience",),
    ),
    **dict.fromkeys(("output", "outfile", "to", "save", "output_file", "write"), ("out",)),
    **dict.fromkeys(("excel", "xlsx", "pptx", "powerpoint", "slides", "export"), ("out",)),
    **dict.fromkeys(("force", "overwrite"), ("replace",)),
    **dict.fromkeys(("silent", "no_card"), ("quiet",)),
    **dict.fromkeys(("unweighted", "no_weights"), ("no_weight",)),
    **dict.fromkeys(("weights", "wgt", "wt", "weight_by", "weight_column"), ("weight",)),
    **dict.fromkeys(("psu", "ids", "id", "cluster", "sampling_unit"), ("clusters",)),
    **dict.fromkeys(("stratum", "strat"), ("strata",)),
    **dict.fromkeys(("rep_weights", "repweights", "replicate_weights"), ("replicates",)),
    **dict.fromkeys(("na_values", "missing_values", "user_missing"), ("missing",)),
    **dict.fromkeys(("worksheet", "sheet_name", "tab"), ("sheet",)),
    **dict.fromkeys(("t2b", "top_2", "top_box", "topbox", "top2box"), ("top2",)),
    **dict.fromkeys(("b2b", "bottom_2", "bottom_box", "bottom2box"), ("bottom2",)),
    **dict.fromkeys(("average", "means", "avg"), ("mean",)),
    **dict.fromkeys(("nets", "subtotal", "combine"), ("net",)),
    **dict.fromkeys(("adjust", "p_adjust", "padjust", "p_adjust_method"), ("correction",)),
    **dict.fromkeys(("level", "confidence", "conf_level", "ci_level"), ("levels",)),
    **dict.fromkeys(("sig", "significance", "compare", "versus", "against"), ("vs",)),
    **dict.fromkeys(("metric", "show", "cells", "statistics_of"), ("metrics",)),
    **dict.fromkeys(("name", "caption", "heading"), ("title",)),
    **dict.fromkeys(("hide", "suppress", "mask", "suppress_below"), ("hide_under",)),
    **dict.fromkeys(("plot", "graph", "chart_type", "kind"), ("chart",)),
    **dict.fromkeys(("fmt", "output_format"), ("form",)),
    **dict.fromkeys(("search", "grep", "look_for", "lookfor"), ("find",)),
    **dict.fromkeys(("probs", "quantiles", "percentiles", "q"), ("probabilities",)),
}
"""Words for options, without their dashes, by the names of the options; the first that a command
has is meant."""

COMMANDS: dict[str, str] = {
    **dict.fromkeys(
        ("cross-tab", "crosstabs", "crosstabulate", "xtab", "ctables", "cross", "table", "tables"),
        "crosstab",
    ),
    **dict.fromkeys(("pivot", "pivot-table", "svytable", "svyby"), "crosstab"),
    **dict.fromkeys(("tabbook", "tab_book", "tabs", "banner", "book", "banners"), "tab-book"),
    **dict.fromkeys(
        ("frequencies", "frequency", "freq", "freqs", "value-counts", "value_counts", "tabulate"),
        "stats",
    ),
    **dict.fromkeys(("counts", "tab", "tab1", "fre", "statistics", "topline", "toplines"), "stats"),
    **dict.fromkeys(("info", "open", "read", "load", "show", "head", "glimpse"), "survey info"),
    **dict.fromkeys(("view", "list", "dictionary", "questions", "describe"), "survey info"),
    **dict.fromkeys(("look-for", "lookfor", "search", "find", "variables"), "survey info"),
    **dict.fromkeys(("convert", "save", "to"), "survey export"),
    **dict.fromkeys(("validate", "lint"), "survey check"),
    **dict.fromkeys(("weight", "raking", "calibrate", "rim"), "survey rake"),
    **dict.fromkeys(("append", "add-data"), "survey add-wave"),
    **dict.fromkeys(("average", "means", "avg"), "mean"),
    **dict.fromkeys(("correlate", "corr", "cor", "correlations"), "correlation"),
    **dict.fromkeys(("table1", "tbl-summary", "tbl_svysummary", "summary-table"), "summary"),
    **dict.fromkeys(("summarise", "summarize"), "summary"),
    **dict.fromkeys(("line", "tracking", "over-time", "time-series"), "trend"),
    **dict.fromkeys(("notebook", "jupyter", "jupyterlab", "start", "run", "gui"), "lab"),
    **dict.fromkeys(("server", "api", "http"), "serve"),
    **dict.fromkeys(("demo", "list", "waves", "meta", "metadata", "labels"), "survey info"),
    **{name: f"survey {name}" for name in ("derive", "rake", "add-wave", "with-columns")},
    **dict.fromkeys(("report", "tabbooks"), "tab-book"),
}
"""Words for commands."""

Given = Callable[[str | None, Sequence[str]], "Sequence[str] | None"]
"""Words of ours for the value of an option and all words; None for none."""


class Instead(NamedTuple):
    """What to write instead of an option: words of ours, made of its value, and why.

    value: whether the option has a value. otherwise: the same for a command without those words.
    """

    why: str
    words: Given
    value: bool = True
    otherwise: Instead | None = None


STATISTICS = ("mean", "median", "nps", "top2", "bottom2")
"""The options of a crosstab that are a row of a question."""

_PERCENT = {
    **dict.fromkeys(("columns", "column", "col", "cols", "1"), "column"),
    **dict.fromkeys(("index", "rows", "row", "0"), "row"),
    **dict.fromkeys(("all", "total", "table", "true", ""), "total"),
}


def _percent(value: str | None, words: Sequence[str]) -> Sequence[str]:
    del words
    return ["--metrics", _PERCENT.get((value or "").casefold(), "column")]


def _statistic(value: str | None, words: Sequence[str]) -> Sequence[str]:
    """`--stat mean` is about the questions of the rows."""
    name = {"average": "mean", "avg": "mean", "t2b": "top2", "b2b": "bottom2"}.get(
        (value or "").casefold(), (value or "").casefold()
    )
    if name not in STATISTICS:
        return ["--metrics", {"count": "sample", "n": "sample", "sum": "size"}.get(name, "column")]
    rows = value_of(words, "--rows")
    return [f"--{name}", rows] if rows else [f"--{name}"]


def _formula(value: str | None, words: Sequence[str]) -> Sequence[str]:
    del words
    rows, _, columns = (value or "").partition("~")
    left, right = (",".join(each.replace("*", "+").split("+")) for each in (rows, columns))
    left, right = left.replace(" ", ""), right.replace(" ", "")
    return ["--rows", left, "--columns", right] if left else ["--rows", right]


def _excluded(value: str | None, words: Sequence[str]) -> Sequence[str] | None:
    rows = (value_of(words, "--rows") or _formula_rows(words) or "").partition(",")[0]
    # Without rows, it may be questions that are left out.
    return ["--missing", f"{rows}={value}"] if rows else None


def _formula_rows(words: Sequence[str]) -> str:
    formula = value_of(words, "--formula") or ""
    return formula.partition("~")[0].strip()


def _alpha(value: str | None, words: Sequence[str]) -> Sequence[str]:
    del words
    try:
        return ["--levels", f"{100 * (1 - float(value or '0.05')):g}"]
    except ValueError:
        return ["--levels", "95"]


def _source(value: str | None, words: Sequence[str]) -> Sequence[str]:
    del words
    return [value] if value else []


def _nothing(value: str | None, words: Sequence[str]) -> Sequence[str]:
    del value, words
    return []


def _words(*given: str) -> Given:
    return lambda value, words: given


def _file(ending: str) -> Given:
    """A file of that kind, unless one is named."""

    def made(value: str | None, words: Sequence[str]) -> Sequence[str]:
        del value
        named = any(value_of(words, name) for name in ("-o", "--out", "--output"))
        return [] if named else ["-o", f"table{ending}"]

    return made


def value_of(words: Sequence[str], name: str) -> str:
    """The value of an option among words; "" where it is not there."""
    for at, word in enumerate(words):
        if word == name and at + 1 < len(words):
            return words[at + 1]
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return ""


_ALWAYS = "It is always so"
_TOTALS = "The first column is everyone"
_MARKED = "Letters mark what is significant"

_SHOWN = "Errors and intervals are always shown"

INSTEAD: dict[str, Instead] = {
    **dict.fromkeys(
        ("normalize", "percent", "percentage", "pct", "proportion", "prop", "percents"),
        Instead("Percentages are metrics", _percent),
    ),
    **dict.fromkeys(
        ("stat", "stats", "statistic", "statistics", "aggfunc", "agg", "measure", "values", "func"),
        Instead("Statistics are rows", _statistic),
    ),
    "formula": Instead("Rows and columns are options of their own", _formula),
    **dict.fromkeys(
        ("exclude", "drop", "ignore", "exclude_values"),
        Instead("Answers that do not count are missing codes", _excluded),
    ),
    **dict.fromkeys(
        ("data", "file", "input", "source", "survey", "path", "dataset", "sav", "in"),
        Instead("Files are named behind the command", _source),
    ),
    "alpha": Instead("A level is a confidence level", _alpha),
    **dict.fromkeys(
        ("letters", "sig_letters", "stat_testing"),
        Instead("Letters are of a test", _words("--test", "columns"), value=False),
    ),
    **dict.fromkeys(
        ("chisq", "chi2", "chi_square", "p_value", "pvalue"),
        Instead("That is the test of independence", _words("--independence"), value=False),
    ),
    "csv": Instead("What is printed is a format", _words("--format", "csv"), value=False),
    "json": Instead("What is printed is a format", _words("--format", "json"), value=False),
    "markdown": Instead("What is printed is a format", _words("--format", "markdown"), value=False),
    **dict.fromkeys(
        ("counts", "count", "freq"),
        Instead("Counts are metrics", _words("--metrics", "column,sample"), value=False),
    ),
    **dict.fromkeys(
        ("margins", "totals", "total", "dropna", "na_rm", "na.rm", "labels_only", "observed"),
        Instead(_TOTALS, _nothing, value=False),
    ),
    **dict.fromkeys(
        ("se", "std_err", "standard_errors"),
        Instead(
            "Standard errors are metrics",
            _words("--metrics", "column,se"),
            value=False,
            otherwise=Instead(_SHOWN, _nothing, value=False),
        ),
    ),
    **dict.fromkeys(
        ("ci", "confint", "interval", "intervals", "vartype"),
        Instead(
            "Standard errors are metrics",
            _words("--metrics", "column,se"),
            otherwise=Instead(_SHOWN, _nothing),
        ),
    ),
    **dict.fromkeys(
        ("deff", "design_effect"),
        Instead(
            "A test names its design effects",
            _words("--test", "columns"),
            value=False,
            otherwise=Instead("Errors are those of the design", _nothing, value=False),
        ),
    ),
    **dict.fromkeys(("lines", "rows_shown", "verbose"), Instead(_ALWAYS, _nothing)),
}
"""Words for what has no option with the same values."""

SHORT = {
    "-r": "--rows",
    "-c": "--columns",
    "-b": "--base",
    "-w": "--weight",
    "-t": "--test",
    "-m": "--metrics",
    "-f": "--file",
    "-i": "--input",
    "-d": "--data",
    "-y": "--replace",
    "-p": "--probabilities",
}
"""Letters for options that have none."""

CHOICES: Mapping[tuple[str, str], Instead] = {
    **dict.fromkeys(
        [("vs", word) for word in ("chisq", "chi2", "chi-square", "chi-squared", "independence")],
        Instead("That is the test of independence", _words("--independence")),
    ),
    **dict.fromkeys(
        [("vs", word) for word in ("t", "ttest", "t-test", "z", "z-test", "letters", "all", "yes")],
        Instead("Columns are compared with each other", _words("--test", "columns")),
    ),
    ("vs", "others"): Instead("That is everyone else", _words("--test", "rest")),
    ("vs", "previous"): Instead("That is the wave before", _words("--test", "previous wave")),
    **dict.fromkeys(
        [("correction", word) for word in ("bonf", "bonferoni")],
        Instead("The whole name", _words("--correction", "bonferroni")),
    ),
    **dict.fromkeys(
        [("correction", word) for word in ("bh", "BH")],
        Instead("The whole name", _words("--correction", "fdr")),
    ),
    **dict.fromkeys(
        [("form", word) for word in ("xlsx", "excel")],
        Instead("A file is written with -o", _file(".xlsx")),
    ),
    **dict.fromkeys(
        [("form", word) for word in ("pptx", "powerpoint")],
        Instead("A file is written with -o", _file(".pptx")),
    ),
    ("form", "md"): Instead("The whole name", _words("--format", "markdown")),
    ("form", "tex"): Instead("The whole name", _words("--format", "latex")),
}
"""Values of options that have others, by the name of the option and the value."""


def in_our_words(command: click.Command, given: Sequence[str]) -> list[str]:
    """What was typed, with our options in place of words that mean the same."""
    known = {name for each in command.params for name in each.opts}
    by_name = {each.name: each for each in command.params if isinstance(each, click.Option)}
    found: list[str] = []
    for at, word in enumerate(given):
        if word == "--":
            return [*found, *given[at:]]
        name, sign, value = word.partition("=")
        if name.startswith("--") and name not in known:
            key = name.removeprefix("--").replace("-", "_").casefold()
            words = () if key in INSTEAD else OPTIONS.get(key, ())
            meant = (by_name[each] for each in words if each in by_name)
            if (option := next(meant, None)) is not None:
                word = f"{_long(option)}{sign}{value}"
        found.append(word)
    return found


def _long(option: click.Option) -> str:
    return next(each for each in option.opts if each.startswith("--"))
