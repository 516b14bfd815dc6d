"""The subcommand `audiencelab crosstab`: a table of questions without Python code."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from audiencelab.cli.help import OUTPUT, TABULATED, TESTS, Decorator, command, option
from audiencelab.cli.opening import open_client
from audiencelab.cli.output import (
    echo_lines,
    examples,
    options_of,
    text_table,
)
from audiencelab.cli.reading import reading_options
from audiencelab.cli.table_files import (
    ENDINGS,
    TESTED_ENDINGS,
    check_file,
    check_slides,
    check_sources,
    names_of,
    slide_options,
    slides_of,
    write_table,
    written_options,
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
from audiencelab.cli.table_rows import EXTRAS, nest_option, nested, rows_of
from audiencelab.cli.table_text import table_lines
from audiencelab.client import Client
from audiencelab.render.arranging import arranged as in_order
from audiencelab.render.layout import table_layout
from audiencelab.results.arrangement import TableArrangement
from audiencelab.tables import CrosstabResult

_PERCENT = {
    **dict.fromkeys(("pct", "percent", "percentage", "%", "col", "col%", "column%"), "column"),
    **dict.fromkeys(("row%", "rowpct", "row_pct"), "row"),
    **dict.fromkeys(("total%", "table%"), "total"),
}


def _metrics(context: click.Context, parameter: click.Parameter, given: Any) -> list[str]:
    """Metrics, by words that only a shell has."""
    return [_PERCENT.get(each.casefold(), each) for each in listed(context, parameter, given)]


metrics_option = names(
    "--metrics",
    "METRIC,…",
    "column (default), row, total, index, size, sample, se, change.",
    _metrics,
    heading=TABULATED,
)
title_option = option("--title", metavar="WORDS", heading=OUTPUT, help="The title of the table.")


def counting_options(vs: str | None) -> Decorator:
    """The options of commands that print one table; vs: the test by default."""
    return options_of(
        metrics_option,
        *SCOPE.values(),
        *tests(vs).values(),
        option(
            "--independence",
            is_flag=True,
            heading=TESTS,
            help="Test whether rows and columns are related (χ², Rao and Scott), below the table.",
        ),
        *ARRANGED.values(),
        reading_options(),
        *written_options,
        title_option,
        *slide_options,
    )


def check_options(
    out: Path | None, vs: str | None, replace: bool, independence: bool = False, **others: Any
) -> None:
    """Raise a usage error for a file that is not written."""
    check_slides(filter(None, [out]), others["chart"], others["template"])
    if out is None:
        return
    if independence:
        raise click.UsageError("--independence is about a table that is printed: leave --out out.")
    check_file(out, TESTED_ENDINGS if vs not in (None, "none") else ENDINGS, replace=replace)


def _check(sources: tuple[str, ...], rows: list[str], columns: list[str], **others: Any) -> None:
    nest = others["nest"]
    check_sources(sources, ("--rows", rows), ("--columns", columns or nest))
    if not (rows or columns or nest or any(others[name] for name in EXTRAS)):
        listed = (
            f" audiencelab survey info {shlex.quote(sources[0])} lists them." if sources else ""
        )
        raise click.UsageError(f"Name the questions of a table: --rows, --columns or both.{listed}")
    check_options(**others)


@command(
    check=_check,
    epilog=examples(
        "crosstab answers.sav --rows q3 --columns gender,age --test columns -o tables.xlsx",
        "crosstab answers.sav --rows q5 --net 'Satisfied=4|5' --mean q5 --nest region,gender",
        "crosstab answers.sav --rows q5 --columns gender --base 'age>=35 and region=North'",
        "crosstab tracker --rows q5 --columns waves --vs 'previous wave' --correction holm",
        "crosstab answers.sav --rows q2 --columns gender --sort Female --top 5 --decimals 0",
        "crosstab answers.csv --rows q5 --weight wgt --missing 'q5=98,99' --format csv",
        'crosstab --rows "Finding brands" --columns Age --test columns',
    ),
)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@options_of(
    names("--rows", "QUESTION,…", "Questions of the rows, by names or codes.", heading=TABULATED),
    names(
        "--columns",
        "QUESTION,…",
        "Questions of the columns; waves; 'gender > age' nests them.",
        heading=TABULATED,
    ),
    nest_option,
    *EXTRAS.values(),
    counting_options(None),
)
def crosstab(
    sources: tuple[str, ...],
    rows: list[str],
    columns: list[str],
    nest: list[str],
    **options: Any,
) -> None:
    """Cross-tabulate questions of a survey, and print the table or write it to a file.

    SOURCE is a survey folder, or a file of SPSS, Stata, SAS, CSV, Excel, Parquet or Arrow; several
    are waves of one study. Without SOURCE it is the survey that connect() works on.

    Separate questions with commas, or repeat the option.
    """
    added = {name: options.pop(name) for name in EXTRAS}
    tabulate(
        sources,
        lambda client: rows_of(client, names_of(client, rows), added),
        nested(columns, nest),
        options,
    )


def tabulate(
    sources: tuple[str, ...],
    rows: Callable[[Client], list[Any]],
    columns: list[str],
    options: dict[str, Any],
) -> None:
    """Print or write one table; options: those of `counting_options`."""
    out, form, title, quiet = (options.pop(name) for name in ("out", "form", "title", "quiet"))
    metrics, independence = options.pop("metrics"), options.pop("independence")
    how, comparing, slides = arranged(options), tested(options), slides_of(options)
    vs = comparing.pop("vs")
    del options["replace"]
    with open_client(sources, options, quiet=quiet) as client:
        scope = scope_of(client, options, quiet=quiet)
        asked, columns = rows(client), names_of(client, columns)
        table = client.crosstab(asked or None, columns or None, **scope)
        comparison = None if vs is None else table.test(vs=vs, **comparing)
        related = None
        if independence:
            # Without nets and means, which are not answers beside others.
            answers = [each for each in asked if isinstance(each, str)]
            related = client.crosstab(answers, columns, **scope).test_independence()
    shown: dict[str, Any] = {
        "metrics": metrics or ["column"],
        "comparison": comparison,
        "title": title,
        **how,
    }
    if out is not None and out.suffix.casefold() == ".pptx":
        shown |= slides
    if not write_table(table, out, form, shown, quiet=quiet):
        echo_lines(_printed(table, shown))
    if related is not None:
        echo_lines(_independence_lines(related))


def _printed(table: CrosstabResult, shown: dict[str, Any]) -> Iterator[str]:
    """A table as text; shown: the arguments of `to_html`."""
    given = dict(shown)
    how = TableArrangement(**{name: given.pop(name) for name in ARRANGED})
    title = given.pop("title")
    return table_lines(in_order(table_layout(table, **given).titled(title), how))


def _independence_lines(found: Any) -> Iterator[str]:
    yield ""
    yield "Are rows and columns related? χ² with the correction of Rao and Scott."
    columns = ["row_group", "column_group", "F", "df1", "df2", "p"]
    lines = found[columns].to_dict("records")
    yield from text_table(
        ("rows", "columns", "F", "df1", "df2", "p"),
        [
            [
                str(each["row_group"]),
                str(each["column_group"]),
                *(f"{each[name]:.2f}" for name in ("F", "df1", "df2")),
                "<0.001" if each["p"] < 0.0005 else f"{each['p']:.3f}",
            ]
            for each in lines
        ],
    )
    yield from dict.fromkeys(str(each) for each in found.get("note", ()) if each)
