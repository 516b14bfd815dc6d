"""The subcommands `audiencelab stats` and `audiencelab trend`: questions by themselves."""

from __future__ import annotations

from typing import Any

import click

from audiencelab.cli.crosstab import check_options, counting_options, tabulate
from audiencelab.cli.help import TABULATED, command
from audiencelab.cli.output import examples, options_of
from audiencelab.cli.table_files import groups_of, names_of, parted, questions_option
from audiencelab.cli.table_options import names
from audiencelab.cli.table_rows import EXTRAS, rows_of
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
    *EXTRAS.values(),
    counting_options(None),
)
def stats(words: tuple[str, ...], questions: list[str], by: list[str], **options: Any) -> None:
    """Print the answers of questions: percentages and counts, and means of numbers and scales.

    SOURCE is as for crosstab; without it, it is the survey that connect() works on.
    """
    words, by = groups_of(words, by)
    sources, asked = parted(words, questions)
    added = {name: options.pop(name) for name in EXTRAS}
    if not options["metrics"] and not by:
        options["metrics"] = ["column", "sample"]
    tabulate(sources, lambda client: _rows(client, asked, added), by, options)


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
    *EXTRAS.values(),
    counting_options("previous wave"),
)
def trend(words: tuple[str, ...], questions: list[str], by: list[str], **options: Any) -> None:
    """Print questions over time, each wave tested against the one before it.

    SOURCE is as for crosstab; without it, it is the survey that connect() works on.
    """
    words, by = groups_of(words, by)
    sources, asked = parted(words, questions)
    added = {name: options.pop(name) for name in EXTRAS}
    groups = [each for each in by if each not in ("wave", "waves")]
    columns = [f"{each} > waves" for each in groups] or ["waves"]
    tabulate(sources, lambda client: _rows(client, asked, added), columns, options)


def _rows(client: Client, questions: list[str], added: dict[str, Any]) -> list[Any]:
    """The answers of each question, and its mean where it has numbers or a scale."""
    listed = names_of(client, questions)
    if any(added.values()):
        return rows_of(client, listed, added)
    numbers = numbered_questions(client.sender.context.service)
    found: list[Any] = []
    for each in listed:
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
