"""The subcommand `audiencelab summary`: many questions by groups, the first table of a paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from audiencelab.cli.help import TABULATED, TESTS, command, option
from audiencelab.cli.opening import open_client
from audiencelab.cli.output import echo_lines, examples, one, options_of, text_table
from audiencelab.cli.reading import reading_options
from audiencelab.cli.table_files import (
    ENDINGS,
    check_file,
    names_of,
    questions_option,
    source_of,
    write_table,
    written_options,
)
from audiencelab.cli.table_options import ARRANGED, SCOPE, arranged, names, scope_of
from audiencelab.results.record import record_of
from audiencelab.tables.summary import SummaryTable


def _statistics(context: click.Context, parameter: click.Parameter, given: Any) -> Any:
    """One for all numbers, or by kinds and questions: "age=median (q1, q3)"."""
    del context, parameter
    pairs = [each.rpartition("=") for each in given]
    if len(pairs) == 1 and not pairs[0][1]:
        return pairs[0][2]
    return {key.strip() or "numeric": words.strip() for key, _, words in pairs} or None


def _check(out: Path | None, replace: bool, **others: Any) -> None:
    del others
    if out is not None:
        check_file(out, ENDINGS, replace=replace)


@command(
    check=_check,
    epilog=examples(
        "summary answers.sav age income q5 --by gender",
        "summary answers.sav --by region --statistics 'median (q1, q3)' -o table1.xlsx",
        "summary answers.sav age q2 --by gender --base 'q5>=4' --no-tests --format markdown",
    ),
)
@click.argument("words", nargs=-1, metavar="[SOURCE] [QUESTION]...")
@options_of(
    questions_option,
    names("--by", "QUESTION,…", "Groups: questions, 'gender > age'.", heading=TABULATED),
    option(
        "--statistics",
        multiple=True,
        callback=_statistics,
        metavar="[KIND=]WORDS",
        heading=TABULATED,
        help="mean (sd), median (q1, q3), range … of numbers, n (%) of answers; KIND is numeric, "
        "categorical, scale or a question.",
    ),
    option("--no-overall", is_flag=True, heading=TABULATED, help="No column of everyone."),
    option(
        "--no-missing", is_flag=True, heading=TABULATED, help="No rows of those without answer."
    ),
    *SCOPE.values(),
    option("--no-tests", is_flag=True, heading=TESTS, help="No column p."),
    *ARRANGED.values(),
    reading_options(),
    *written_options,
)
def summary(
    words: tuple[str, ...],
    questions: list[str],
    by: list[str],
    statistics: Any,
    no_overall: bool,
    no_missing: bool,
    no_tests: bool,
    **options: Any,
) -> None:
    """Summarise questions by groups: mean (SD) of numbers, n (%) of answers, with tests.

    SOURCE is as for crosstab; without QUESTION all are summarised.
    """
    sources, asked = source_of(words)
    out, form, quiet = (options.pop(each) for each in ("out", "form", "quiet"))
    del options["replace"]
    how = arranged(options)
    with open_client(sources, options, quiet=quiet) as client:
        scope = scope_of(client, options, quiet=quiet)
        table = client.summary_table(
            names_of(client, [*asked, *questions]) or None,
            one(names_of(client, by)) or None,
            statistics=statistics,
            tests=not no_tests,
            overall=not no_overall,
            missing=not no_missing,
            **how,
            **scope,
        )
    if not write_table(table, out, form, {}, quiet=quiet):
        echo_lines(_lines(table))


def _lines(table: SummaryTable) -> Iterator[str]:
    wide = table.to_wide()
    cells: list[list[str]] = []
    before = ""
    for (question, row), texts in zip(wide.index, wide.to_numpy().tolist(), strict=True):
        if question != before:
            cells.append([f"[{question}]", *[""] * len(texts)])
        before = question
        cells.append([str(row), *map(str, texts)])
    # The line below the title: base, waves, weight and locations.
    _, _, facts, *_ = table.to_markdown().splitlines()
    yield table.title
    yield ""
    yield from text_table(["", *map(str, wide.columns)], cells)
    yield ""
    yield facts
    yield from table.notes
    yield record_of(table).line()
