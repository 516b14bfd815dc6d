"""The options of opening files, each named as the argument of `audiencelab.open` that it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args

import click

from audiencelab.cli.help import READING, Decorator, option
from audiencelab.cli.output import one, one_of
from audiencelab.ingest.codebook import ReplicateMethod
from audiencelab.ingest.draft.kinds import GivenKind


def _codes(
    context: click.Context, parameter: click.Parameter, given: Sequence[str]
) -> dict[str, list[str]] | None:
    """Missing codes by question, "*" for those of all."""
    del context, parameter
    found: dict[str, list[str]] = {}
    for each in given:
        question, sign, codes = each.rpartition("=")
        own = found.setdefault(question.strip() if sign else "*", [])
        own += listed(codes)
    return found or None


def by_question(
    example: str, read: Callable[[str], Any]
) -> Callable[[click.Context, click.Parameter, Sequence[str]], dict[str, Any] | None]:
    """A callback for values by question, `q5=…`; `read` makes one of a text, None of no value."""

    def values(
        context: click.Context, parameter: click.Parameter, given: Sequence[str]
    ) -> dict[str, Any] | None:
        del context, parameter
        found: dict[str, Any] = {}
        for each in given:
            question, _, text = each.partition("=")
            value = read(text.strip())
            if not question.strip() or value is None:
                raise click.BadParameter(f"{each!r} is not valid: write it as {example}.")
            found[question.strip()] = value
        return found or None

    return values


def listed(text: str) -> list[str]:
    """The names in a text, between | where one has a comma, otherwise between commas."""
    parts = text.split("|" if "|" in text else ",")
    return [part.strip() for part in parts if part.strip()]


def _kind(text: str) -> str | None:
    return text if text in get_args(GivenKind) else None


def _decision(text: str) -> str | float | dict[str, str] | None:
    if not text:
        return None
    if ":" in text:
        pairs = (each.partition(":") for each in text.split(","))
        return {new.strip(): old.strip() for new, _, old in pairs}
    try:
        return float(text)
    except ValueError:
        return text


def _column(name: str, text: str, **settings: Any) -> Decorator:
    return option(f"--{name}", metavar="COLUMN", heading=READING, help=text, **settings)


OPTIONS: dict[str, Decorator] = {
    "weight": _column(
        "weight",
        "The weight (default: the one that the file declares, or the only candidate). Of several, "
        "queries use the first by default.",
        multiple=True,
    ),
    "no_weight": option(
        "--no-weight", is_flag=True, heading=READING, help="Every respondent weighs 1."
    ),
    "wave": _column(
        "wave",
        "The column that makes the waves; dates make quarters (default: one that is named like a "
        "wave). '_w*' where each wave has columns of its own, such as q1_w1.",
    ),
    "person": _column(
        "person",
        "Of a panel, the column that is the same for a person in all waves, so that tests between "
        "waves use the pairs (default: the row, with --wave '_w*').",
    ),
    "strata": _column(
        "strata", "The stratum of each respondent (default: one that is named so; none for none)."
    ),
    "clusters": _column(
        "clusters",
        "The primary sampling unit of each (default: one that is named so; none for none).",
    ),
    "clusters_recur": option(
        "--clusters-recur",
        is_flag=True,
        default=None,
        heading=READING,
        help="The same code of a cluster is the same sampling point in several waves.",
    ),
    "fpc": _column("fpc", "How many units the stratum has in the population, or which part of it."),
    "replicates": _column(
        "replicates", "Replicate weights, or a pattern such as 'pwgtp*'.", multiple=True
    ),
    "replicate_method": option(
        "--replicate-method",
        type=click.Choice(get_args(ReplicateMethod)),
        metavar="METHOD",
        heading=READING,
        help=f"How they were made: {', '.join(get_args(ReplicateMethod))}.",
    ),
    "fay": option("--fay", type=float, heading=READING, help="The factor of the method Fay."),
    "missing": option(
        "--missing",
        metavar="CODE,…",
        multiple=True,
        callback=_codes,
        heading=READING,
        help="Codes that are not answers, by value or label: 'q3=98,99' of a question, -9 of all. "
        "'q3=': nothing that only looks like one (default: what is certain).",
    ),
    "order": option(
        "--order",
        metavar="QUESTION=ANSWER,…",
        multiple=True,
        callback=by_question("q5=Never,Often,Always", lambda text: listed(text) or None),
        heading=READING,
        help="The answers of a question in their order: 'q5=Never,Sometimes,Often'.",
    ),
    "kind": option(
        "--kind",
        metavar="QUESTION=KIND",
        multiple=True,
        callback=by_question("q4=multiple", _kind),
        heading=READING,
        help=f"What columns of one stem are, 'q4=multiple': {', '.join(get_args(GivenKind))} "
        "(default: guessed).",
    ),
    "labels": option(
        "--labels",
        metavar="FILE",
        heading=READING,
        help="Labels of columns and values: a table of variables, values and labels (.csv, .xlsx), "
        "a .sav, a codebook of DDI (.xml), a datamap (.txt), or a LimeSurvey structure (.lss).",
    ),
    "sheet": option(
        "--sheet",
        metavar="NAME",
        heading=READING,
        help="Sheet of a workbook, by its name or its number from 0 (default: the first one that "
        "looks like a table of respondents).",
    ),
    "encoding": option(
        "--encoding",
        metavar="NAME",
        heading=READING,
        help="Encoding of the files, such as latin-1 (default: detected in CSV files, declared by "
        "others).",
    ),
    "decide": option(
        "--decide",
        metavar="QUESTION=…",
        multiple=True,
        callback=by_question("q5=labels", _decision),
        heading=READING,
        help="How a question is read that a file has otherwise than those before: q5=labels, "
        "q5=codes, q5=break (figures of earlier waves do not compare), q5=5:1,4:2 (new values as "
        "values of before), or a factor, q5=0.001.",
    ),
    "pin": option(
        "--pin",
        is_flag=True,
        default=None,
        heading=READING,
        help="Go by the codebook SOURCE.codebook.toml in the working folder, which the first call "
        "writes: a later version then gives the same figures.",
    ),
    "codebook": option(
        "--codebook",
        metavar="FILE",
        heading=READING,
        help="What the columns mean (.toml or .json).",
    ),
}
"""The options by the argument that each one is; `no_weight` is `weight=None`."""


def arguments_of(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `open` and of a draft, of the options that were given."""
    weight, no_weight = given.pop("weight"), given.pop("no_weight")
    one_of({"--weight": weight, "--no-weight": no_weight})
    found = {name: each for name, each in given.items() if each not in (None, ())}
    for name in ("strata", "clusters"):
        # None is a choice of its own: the default is a column that is named so.
        if str(found.get(name, "")).casefold() == "none":
            found[name] = None
    if "replicates" in found:
        found["replicates"] = one(list(found["replicates"]))
    if [each.casefold() for each in weight] == ["none"]:
        weight, no_weight = (), True
    if weight or no_weight:
        found["weight"] = one(list(weight)) or None
    return found


def reading_options(*names: str) -> Decorator:
    """Some of these options, by default all."""

    def with_options(command: Any) -> Any:
        # As with decorators: the one that is applied last comes first in the help.
        for name in reversed(names or tuple(OPTIONS)):
            command = OPTIONS[name](command)
        return command

    return with_options
