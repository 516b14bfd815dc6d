"""The subcommand `audiencelab tab-book`: a table of every question by the same columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from audiencelab.cli.crosstab import title_option
from audiencelab.cli.help import TABULATED, command
from audiencelab.cli.opening import open_client
from audiencelab.cli.output import (
    echo,
    examples,
    options_of,
    out_option,
    quiet_option,
    replace_option,
)
from audiencelab.cli.reading import reading_options
from audiencelab.cli.table_files import (
    check_file,
    check_slides,
    check_sources,
    names_of,
    slide_options,
    slides_of,
)
from audiencelab.cli.table_options import (
    ARRANGED,
    SCOPE,
    arranged,
    listed,
    names,
    scope_of,
    tested,
    tests,
)
from audiencelab.cli.table_rows import EXTRAS, nest_option, nested, rules_of
from audiencelab.files import put


def _rules(context: click.Context, parameter: click.Parameter, given: Any) -> Any:
    """The rows of tables by kinds and questions, "scale=answers,top 2"; "*" for all others."""
    rules: dict[str, list[str]] = {}
    for each in given:
        key, _, rows = each.rpartition("=")
        rules.setdefault(key.strip() or "*", []).extend(listed(context, parameter, [rows]))
    return rules or None


def _check(
    sources: tuple[str, ...],
    banner: list[str],
    nest: list[str],
    out: tuple[Path, ...],
    replace: bool,
    **others: Any,
) -> None:
    check_slides(out, others["chart"], others["template"])
    check_sources(sources, ("--banner", banner or nest))
    if not (banner or nest):
        raise click.UsageError("Name the questions of the columns: --banner gender,age.")
    for each in out:
        check_file(each, (".xlsx", ".pptx", ".html"), replace=replace)


@command(
    "tab-book",
    check=_check,
    epilog=examples(
        "tab-book answers.sav --banner gender,age -o book.xlsx",
        'tab-book answers.sav --banner gender --rows "scale=answers,top 2,mean" -o book.xlsx',
        "tab-book answers.sav --banner gender --base 'region=North|South' -o north.xlsx",
        'tab-book tracker --banner waves --vs "previous wave" -o book.xlsx -o deck.pptx',
        "tab-book answers.sav --banner gender --sort descending --min-base 30 -o book.xlsx",
        "tab-book answers.csv --banner gender --weight wgt --missing 98,99 -o book.xlsx",
        'tab-book --banner Gender --questions "Finding brands,Pets" --test none -o book.html',
    ),
)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@options_of(
    names(
        "--banner",
        "QUESTION,…",
        "Questions of the columns; waves; 'gender > age' nests them.",
        heading=TABULATED,
    ),
    nest_option,
    names(
        "--questions", "QUESTION,…", "Questions of the tables (default: all).", heading=TABULATED
    ),
    names(
        "--rows",
        "[KIND=]ROW,…",
        "answers, summary, top 2, bottom 2, any, mean, median, nps, p90 …; KIND is single, "
        "multiple, scale, grid, number, nps or a question (default: answers).",
        _rules,
        heading=TABULATED,
    ),
    *EXTRAS.values(),
    names(
        "--weights",
        "WEIGHT,…",
        'Several weights side by side; "unweighted" counts each respondent as one.',
        heading=TABULATED,
    ),
    names(
        "--metrics",
        "METRIC,…",
        "column (default), row, total, index, size, sample, se, change.",
        heading=TABULATED,
    ),
    *SCOPE.values(),
    *tests("columns").values(),
    *ARRANGED.values(),
    reading_options(),
    out_option(
        "FILE",
        "An .xlsx, .pptx or .html file; repeat it for several.",
        required=True,
        multiple=True,
    ),
    title_option,
    *slide_options,
    replace_option,
    quiet_option,
)
def tab_book(
    sources: tuple[str, ...],
    banner: list[str],
    nest: list[str],
    questions: list[str],
    rows: dict[str, list[Any]] | None,
    weights: list[str],
    metrics: list[str],
    out: tuple[Path, ...],
    title: str | None,
    replace: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Write a table of every question by the same columns, with a contents page.

    SOURCE is as for crosstab. Separate questions with commas, or repeat the option. --banner waves
    --vs "previous wave" shows each wave and its change.
    """
    del replace  # read by `_check`
    how, comparing, slides = arranged(options), tested(options), slides_of(options)
    named = [None if each == "unweighted" else each for each in weights]
    with open_client(sources, options, quiet=quiet) as client:
        scope = scope_of(client, options, quiet=quiet)
        questions = names_of(client, questions)
        rules = rules_of(client, questions, rows, options)
        book = client.tab_book(
            names_of(client, nested(banner, nest)),
            questions or None,
            rows=rules,
            weights=named or None,
            **scope,
        )
        shown: dict[str, Any] = {"metrics": metrics or None, **comparing, **how}
        shown |= {} if title is None else {"title": title}
        for each in out:
            ending = each.suffix.casefold()
            if ending == ".xlsx":
                book.to_excel(each, **shown)
            elif ending == ".pptx":
                book.to_pptx(each, **shown, **slides)
            else:
                put(each, book.to_html(**shown).encode())
    for each in () if quiet else out:
        echo(f"wrote     {each}: {len(book):,} tables")
