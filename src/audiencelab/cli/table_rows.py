"""Rows behind answers: nets, boxes, means and scores, as options name them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from audiencelab.cli.help import TABULATED, Decorator
from audiencelab.cli.reading import listed
from audiencelab.cli.suggestions import SuggestedCommand
from audiencelab.cli.table_options import names
from audiencelab.client import Client
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.catalogue.labels import find_by_code_or_name
from audiencelab.client.written_answers import WrittenAnswerError, answer_codes
from audiencelab.expressions import Audience

_WORDS = {"top2": "top 2", "bottom2": "bottom 2", "mean": "mean", "median": "median", "nps": "nps"}
"""The options, each with its word in the rows of a tab book."""

_ROWS = "*"
"""The value of an option without one: the questions of the rows."""

_ROW_OF: Mapping[str, Callable[[CatalogueQuestion], Any]] = {
    "top2": lambda question: question.top_box(2),
    "bottom2": lambda question: question.bottom_box(2),
    "mean": lambda question: question.mean(),
    "median": lambda question: question.median(),
    "nps": lambda question: question.nps(),
}


def _as_given(context: click.Context, parameter: click.Parameter, given: Any) -> list[str]:
    del context, parameter
    return list(given)


def _levels(context: click.Context, parameter: click.Parameter, given: Any) -> list[str]:
    del context, parameter
    return [each.replace(">", ",") for each in given]


EXTRAS: dict[str, Decorator] = {
    "net": names(
        "--net",
        "NAME=ANSWER|…",
        "Answers of a row question as one row: 'Satisfied=4|5', or 'q5: Top=Satisfied|Very "
        "satisfied' where several have such answers.",
        _as_given,
        heading=TABULATED,
    ),
    **{
        name: names(
            f"--{name}", "QUESTION,…", text, heading=TABULATED, is_flag=False, flag_value=_ROWS
        )
        for name, text in (
            ("top2", "The two highest answers of a scale as one row."),
            ("bottom2", "The two lowest ones."),
            ("mean", "The mean of numbers, or of a scale."),
            ("median", "The median."),
            ("nps", "The net promoter score of a scale from 0 to 10."),
        )
    },
}
"""The options that add rows."""


def rows_of(client: Client, rows: list[str], options: dict[str, Any]) -> list[Any]:
    """The rows of a crosstab: questions, each followed by what is added to it."""
    added: dict[str, list[Any]] = {}
    for name, make in _ROW_OF.items():
        for each in _asked(name, options[name], rows):
            question = client[each]
            added.setdefault(question.canonical, []).extend(_each(make(question)))
    for each in options["net"]:
        question, title, codes = _net(client, rows, each)
        added.setdefault(question.canonical, [])[:0] = _net_rows(question, title, codes)
    found: list[Any] = []
    for row in rows:
        found.append(row)
        if row in client.catalogue:
            found += added.pop(client[row].canonical, [])
    return [*found, *(row for made in added.values() for row in made)]


def _asked(name: str, given: list[str], rows: list[str]) -> list[str]:
    """The questions of an option; "*", and the 2 of `--top2 2`, are those of the rows."""
    if not any(each == _ROWS or each.isdecimal() for each in given):
        return given
    if not rows or any(each.isdecimal() and each != "2" for each in given):
        raise click.UsageError(f"--{name} is followed by a question: --{name} q5.")
    return rows


def _each(made: Any) -> list[Any]:
    """One row, or a row for each item."""
    return [*made] if isinstance(made, tuple) else [made]


def rules_of(
    client: Client,
    questions: list[str],
    rules: dict[str, list[Any]] | None,
    options: dict[str, Any],
) -> dict[str, list[Any]] | None:
    """The rows of a tab book: rules by kinds and questions, with what is added to questions."""
    found = dict(rules or {})
    for each in found.get("*", ()):
        if each in client.catalogue:
            raise SuggestedCommand(
                f"{each} is a question. --rows are what each table shows.",
                {"--rows": ["--questions"]},
            )

    def rule(question: CatalogueQuestion) -> list[Any]:
        return found.setdefault(question.code, [*found.get("*", ["answers"])])

    for each in options.pop("net"):
        question, title, codes = _net(client, questions, each)
        rule(question).append({title: codes})
    for name, word in _WORDS.items():
        for each in _asked(name, options.pop(name), questions):
            rule(client[each]).append(word)
    return found or None


def _net(client: Client, rows: list[str], text: str) -> tuple[CatalogueQuestion, str, list[str]]:
    """The question of a net, its name, and the codes of its answers."""
    sign = "=" if "=" in text else ":"
    named, sign, answers = text.partition(sign)
    own, colon, title = named.rpartition(":")
    if not sign or not answers.strip() or not title.strip():
        raise click.UsageError(
            f"--net {text!r} is not valid: write 'Satisfied=4|5', or 'q5: Satisfied=4|5'."
        )
    if colon:
        question = client[own.strip()]
        return question, title.strip(), answer_codes(question, _parts(question, answers))
    among = [client[row] for row in rows if row in client.catalogue]
    if not among:
        raise click.UsageError(f"--net {text!r} needs its question: write 'q5: {text}'.")
    found: list[tuple[CatalogueQuestion, list[str]]] = []
    refused: list[WrittenAnswerError] = []
    for question in among:
        try:
            found.append((question, answer_codes(question, _parts(question, answers))))
        except WrittenAnswerError as error:
            refused.append(error)
    if not found:
        raise click.UsageError(f"--net {text!r}: {refused[0]}")
    if len(found) > 1:
        codes = " or ".join(question.code for question, _ in found)
        raise click.UsageError(
            f"--net {text!r} may be of {codes}: write '{found[0][0].code}: {text}'."
        )
    [(question, codes)] = found
    return question, title.strip(), codes


def _parts(question: CatalogueQuestion, text: str) -> list[str]:
    """The answers in a text, between |, commas or +."""
    points = question.suffixes or question.datapoints
    if find_by_code_or_name(text.strip(), points) is not None:
        return [text.strip()]
    return listed(text.replace("+", "|") if "|" not in text and "," not in text else text)


def _net_rows(question: CatalogueQuestion, title: str, codes: list[str]) -> list[Audience]:
    made = question.net(*codes)
    if isinstance(made, Audience):
        return [made.renamed(title)]
    # Of a grid, for each item.
    items = [each.name or each.code for each in question.datapoints]
    return [each.renamed(f"{item}: {title}") for item, each in zip(items, made, strict=True)]


def nested(columns: list[str], nests: list[str]) -> list[str]:
    """The columns with nested ones behind them: "gender,agegrp" as "gender > agegrp"."""
    return [*columns, *(" > ".join(listed(each)) for each in nests)]


nest_option = names(
    "--nest",
    "QUESTION,QUESTION",
    "Columns within columns: 'region,gender' as --columns 'region > gender'.",
    _levels,
    heading=TABULATED,
)
