"""The subcommands `audiencelab stats` and `audiencelab trend`: questions by themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from audiencelab.cli.crosstab import counting_options, tabulate
from audiencelab.cli.help import TABULATED, command
from audiencelab.cli.output import examples, options_of
from audiencelab.cli.table_options import names
from audiencelab.client import Client
from audiencelab.client.catalogue.amounts import numbered_questions
from audiencelab.client.operations.tab_book_rules import OF_SUMMARY, kind_of
from audiencelab.schema.scales import scores_of

_questions = names(
    "--questions",
    "QUESTION,…",
    "Questions, where they are not named behind SOURCE.",
    heading=TABULATED,
)
_words = click.argument("words", nargs=-1, metavar="[SOURCE] [QUESTION]...")


@command(
    epilog=examples(
        "stats answers.sav q5 q2",
        "stats answers.sav income --by region --test columns",
        "stats answers.sav q5 --base 'gender=Female' --sort descending",
        'stats "Feelings about AI" --format markdown',
    )
)
@_words
@options_of(
    _questions,
    names("--by", "QUESTION,…", "Questions of the columns.", heading=TABULATED),
    counting_options(None),
)
def stats(words: tuple[str, ...], questions: list[str], by: list[str], **options: Any) -> None:
    """Print the answers of questions: percentages and counts, and means of numbers and scales.

    SOURCE is as for crosstab; without it, it is the survey that connect() works on.
    """
    sources, asked = _parted(words, questions)
    if not options["metrics"] and not by:
        options["metrics"] = ["column", "sample"]
    tabulate(sources, lambda client: _rows(client, asked), by, options)


@command(
    epilog=examples(
        "trend tracker.sav q2",
        "trend tracker.sav q2 q5 --by gender --base 'age>=35' -o trend.pptx",
        "trend tracker --waves 'latest 4' --questions q5 --levels 95 --metrics column,change",
    )
)
@_words
@options_of(
    _questions,
    names(
        "--by", "QUESTION,…", "Questions whose answers each have their waves.", heading=TABULATED
    ),
    counting_options("previous wave"),
)
def trend(words: tuple[str, ...], questions: list[str], by: list[str], **options: Any) -> None:
    """Print questions over time, each wave tested against the one before it.

    SOURCE is as for crosstab; without it, it is the survey that connect() works on.
    """
    sources, asked = _parted(words, questions)
    groups = [each for each in by if each not in ("wave", "waves")]
    columns = [f"{each} > waves" for each in groups] or ["waves"]
    tabulate(sources, lambda client: _rows(client, asked), columns, options)


def _parted(words: tuple[str, ...], questions: list[str]) -> tuple[tuple[str, ...], list[str]]:
    """The source and the questions of what was typed; raises a usage error without questions."""
    sources: tuple[str, ...] = ()
    if words and ("://" in words[0] or Path(words[0]).expanduser().exists()):
        sources, words = words[:1], words[1:]
    found = [part.strip() for each in words for part in each.split(",")] + questions
    if not found:
        raise click.UsageError("Name the questions: audiencelab stats answers.sav q5.")
    return sources, found


def _rows(client: Client, questions: list[str]) -> list[Any]:
    """The answers of each question, and its mean where it has numbers or a scale."""
    numbers = numbered_questions(client.sender.context.service)
    found: list[Any] = []
    for each in questions:
        found.append(each)
        if each not in client.catalogue:
            continue
        question = client[each]
        scored = scores_of(question.record) or question.code in numbers
        for word in OF_SUMMARY.get(kind_of(question, numbers), ()):
            if scored and word in ("mean", "median"):
                made = getattr(question, word)()
                found += made if isinstance(made, tuple) else [made]
    return found
