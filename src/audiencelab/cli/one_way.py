"""The subcommands `audiencelab stats` and `audiencelab trend`: questions by themselves."""

from __future__ import annotations

from typing import Any

import click

from audiencelab.cli.crosstab import check_options, counting_options, tabulate
from audiencelab.cli.help import TABULATED, command
from audiencelab.cli.output import examples, options_of
from audiencelab.cli.table_files import names_of, parted, questions_option
from audiencelab.cli.table_options import names
from audiencelab.client import Client
from audiencelab.client.catalogue.amounts import numbered_questions
from audiencelab.client.operations.tab_book_rules import OF_SUMMARY, kind_of
from audiencelab.schema.scales import scores_of

_words = click.argument("words", nargs=-1, metavar="[SOURCE] [QUESTION]...")


def _check(words: tuple[str, ...], questions: list[str], **others: Any) -> None:
    parted(words, questions)
    check_options(**others)


@command(
    check=_check,
    epilog=examples(
        "stats answers.sav q5 q2",
        "stats answers.sav income --by region --test columns",
        "stats answers.sav q5 --base 'gender=Female' --sort descending",
        'stats "Feelings about AI" --format markdown',
    ),
)
@_words
@options_of(
    questions_option,
    names("--by", "QUESTION,…", "Questions of the columns.", heading=TABULATED),
    counting_options(None),
)
def stats(words: tuple[str, ...], questions: list[str], by: list[str], **options: Any) -> None:
    """Print the answers of questions: percentages and counts, and means of numbers and scales.

    SOURCE is as for crosstab; without it, it is the survey that connect() works on.
    """
    sources, asked = parted(words, questions)
    if not options["metrics"] and not by:
        options["metrics"] = ["column", "sample"]
    tabulate(sources, lambda client: _rows(client, asked), by, options)


@command(
    check=_check,
    epilog=examples(
        "trend tracker.sav q2",
        "trend tracker.sav q2 q5 --by gender --base 'age>=35' -o trend.pptx",
        "trend tracker --waves 'latest 4' --questions q5 --levels 95 --metrics column,change",
    ),
)
@_words
@options_of(
    questions_option,
    names(
        "--by", "QUESTION,…", "Questions whose answers each have their waves.", heading=TABULATED
    ),
    counting_options("previous wave"),
)
def trend(words: tuple[str, ...], questions: list[str], by: list[str], **options: Any) -> None:
    """Print questions over time, each wave tested against the one before it.

    SOURCE is as for crosstab; without it, it is the survey that connect() works on.
    """
    sources, asked = parted(words, questions)
    groups = [each for each in by if each not in ("wave", "waves")]
    columns = [f"{each} > waves" for each in groups] or ["waves"]
    tabulate(sources, lambda client: _rows(client, asked), columns, options)


def _rows(client: Client, questions: list[str]) -> list[Any]:
    """The answers of each question, and its mean where it has numbers or a scale."""
    numbers = numbered_questions(client.sender.context.service)
    found: list[Any] = []
    for each in names_of(client, questions):
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
