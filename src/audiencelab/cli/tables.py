"""The subcommands `audiencelab crosstab` and `audiencelab tab-book`: tables without Python code."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, cast, get_args

import click

from audiencelab.cli.imported import echo_card
from audiencelab.cli.output import (
    Function,
    base_of_option,
    echo,
    echo_lines,
    examples,
    import_options,
    one_of,
    out_option,
    quiet_option,
    text_table,
)
from audiencelab.client import Client
from audiencelab.client.connection.connect import connect
from audiencelab.client.connection.opening import open as open_survey
from audiencelab.files import put
from audiencelab.ingest.report import ImportReport
from audiencelab.markup import figure
from audiencelab.render.layout import table_layout
from audiencelab.render.table_layout import TableLayout, low_base_note
from audiencelab.results.arrangement import ArrangementOptions, TableArrangement
from audiencelab.survey.layout import MANIFEST
from audiencelab.tables import CrosstabResult

Versus = Literal["columns", "rest", "total", "previous wave"]


def _open(
    sources: tuple[str, ...],
    quiet: bool,
    *,
    weight: tuple[str, ...],
    no_weight: bool,
    **chosen: Any,
) -> Client:
    """The client of the files; what their import assumed is printed beside the table."""
    one_of({"--weight": weight, "--no-weight": no_weight})
    given: dict[str, Any] = {name: each for name, each in chosen.items() if each is not None}
    # Without either option the import chooses; None, of --no-weight, is a choice of its own.
    if weight or no_weight:
        given["weight"] = _one(list(weight)) or None
    if not sources:
        if given:
            option = "no-weight" if no_weight and min(given) == "weight" else min(given)
            raise click.UsageError(f"--{option} is about a SOURCE: name it.")
        return connect()
    client = open_survey(_one(list(sources)), quiet=True, **given)
    # A service and a survey folder were imported before: there is nothing to tell about them.
    is_survey = "://" in sources[0] or (Path(sources[0]).expanduser() / MANIFEST).is_file()
    if not (quiet or is_survey):
        files = " ".join(map(shlex.quote, sources))
        # A snapshot that answers for the files has no report of its own.
        with suppress(LookupError):
            card = ImportReport.of(client.service.survey).card()
            echo_card(card, f"audiencelab codebook {files} -o survey.toml", err=True)
    return client


def _one(names: list[str]) -> str | list[str]:
    """A single name by itself, as in "latest 4"."""
    return names[0] if len(names) == 1 else names


def _listed(context: click.Context, option: click.Parameter, given: Any) -> Any:
    """The names of an option that may be repeated, or hold several between commas."""
    del context, option
    return [name for each in given for part in each.split(",") if (name := part.strip())]


def _window(context: click.Context, option: click.Parameter, given: Any) -> Any:
    """Listed names; a single one by itself, as in "latest 4"."""
    return _one(_listed(context, option, given))


def _rules(context: click.Context, option: click.Parameter, given: Any) -> Any:
    """The rows of tables by kinds and questions, "scale=answers,top 2"; "*" for all others."""
    rules: dict[str, list[str]] = {}
    for each in given:
        key, _, rows = each.rpartition("=")
        rules.setdefault(key.strip() or "*", []).extend(_listed(context, option, [rows]))
    return rules or None


def _names(
    option: str, metavar: str, text: str, read: Callable[..., Any] = _listed
) -> Callable[[Function], Function]:
    return click.option(option, multiple=True, callback=read, metavar=metavar, help=text)


_SCOPE = {
    "waves": _names(
        "--waves", "WAVE,…", '"latest 4", "2025", "all", or codes and names of waves.', _window
    ),
    "locations": _names("--locations", "LOCATION,…", "Codes or names of locations (default: all)."),
    "base_of": base_of_option,
}
"""The options that say whom a query counts, by the argument of the query that each one is."""


def _asked(options: dict[str, Any], quiet: bool) -> dict[str, Any]:
    """The arguments of queries that both commands share, taken out of a command's options."""
    scope = {name: options.pop(name) or None for name in _SCOPE}
    return scope | {"progress": True if sys.stderr.isatty() and not quiet else None}


def _renamed(context: click.Context, option: click.Parameter, given: Any) -> dict[str, str]:
    """Old and new names, each pair as "OLD=NEW"."""
    pairs = [each.partition("=") for each in given]
    if any(not sign for _, sign, _ in pairs):
        raise click.BadParameter("write OLD=NEW, such as --rename Female=Women", context, option)
    return {old.strip(): new.strip() for old, _, new in pairs}


_ARRANGED = {
    "sort": click.option(
        "--sort", metavar="ORDER", help="descending, ascending, label, or the name of a column."
    ),
    "top": click.option("--top", type=int, metavar="ROWS", help="Show the largest rows only."),
    "decimals": click.option("--decimals", type=int, help="Of percentages and means (default: 1)."),
    "hide_under": click.option(
        "--hide-under", type=float, default=0, metavar="N", help="Hide values on fewer respondents."
    ),
    "rename": click.option(
        "--rename", multiple=True, callback=_renamed, metavar="OLD=NEW", help="A name to change."
    ),
}
"""The options that arrange a table, by the argument that each one is."""


def _arranged(options: dict[str, Any]) -> ArrangementOptions:
    """The arrangement of tables, taken out of a command's options and checked."""
    given = {name: options.pop(name) for name in _ARRANGED}
    try:
        TableArrangement(**given)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return cast(ArrangementOptions, given)


def _of_a_survey(command: Function) -> Function:
    """The arguments and options of both commands.

    The last argument of a command collects those of `_open`, `_SCOPE` and `_ARRANGED`.
    """
    options = (
        click.argument("sources", nargs=-1, metavar="[SOURCE]..."),
        _names("--metrics", "METRIC,…", "column (default), row, total, index, size, sample."),
        _names("--levels", "PERCENT,…", "Confidence levels of the tests (default: 95 and 90)."),
        *_ARRANGED.values(),
        *_SCOPE.values(),
        import_options,
        click.option("--codebook", metavar="FILE", help="What the columns mean (.toml or .json)."),
        click.option("--replace", is_flag=True, help="Replace an existing file."),
        quiet_option,
    )
    # Decorators apply from the last one up, and the help has them in this order.
    for option in reversed(options):
        command = option(command)
    return command


@click.command(
    epilog=examples(
        "crosstab answers.sav --rows q3 --columns gender,age --test columns -o tables.xlsx",
        'crosstab --rows "Finding brands" --columns Age --test columns',
    )
)
@_names("--rows", "QUESTION,…", "The questions of the rows, by names or codes.")
@_names("--columns", "QUESTION,…", "The questions of the columns; 'gender > age' nests them.")
@click.option(
    "--test",
    "--vs",
    type=click.Choice(get_args(Versus)),
    help="What each column is compared with; letters or arrows show the result.",
)
@out_option("FILE", "An .xlsx, .pptx, .csv or .html file (default: print the table).")
@_of_a_survey
def crosstab(
    sources: tuple[str, ...],
    rows: list[str],
    columns: list[str],
    metrics: list[str],
    test: Versus | None,
    levels: list[str],
    out: Path | None,
    replace: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Cross-tabulate questions of a survey, and print the table or write it to a file.

    SOURCE is a survey folder, or a file of SPSS, Stata, SAS, CSV, Excel, Parquet or Arrow; several
    are waves of one study. Without SOURCE it is the survey that connect() works on.

    Separate questions with commas, or repeat the option.
    """
    if not rows and not columns:
        raise click.UsageError("Name the questions of a table: --rows, --columns or both.")
    if out is not None:
        tested_forms = (".xlsx", ".pptx", ".html")
        _check_file(out, tested_forms if test else (*tested_forms, ".csv"), replace)
    asked, arranged = _asked(options, quiet), _arranged(options)
    with _open(sources, quiet, **options) as client:
        table = client.crosstab(rows or None, columns or None, **asked)
        tested = None if test is None else table.test(vs=test, levels=_levels(levels))
    shown = metrics or ["column"]
    if out is None:
        how = TableArrangement(**arranged)
        layout = table_layout(table, metrics=shown, comparison=tested, arrangement=how)
        echo_lines(_table_lines(layout))
        return
    options = {"metrics": shown, "comparison": tested, **arranged}
    put(out, _file(table, options, out.suffix.casefold()))
    if not quiet:
        echo(f"wrote     {out}")


@click.command(
    "tab-book",
    epilog=examples(
        "tab-book answers.sav --banner gender,age -o book.xlsx",
        'tab-book --banner Gender --questions "Finding brands,Pets" --test none -o book.html',
        'tab-book tracker --banner waves --vs "previous wave" -o book.xlsx -o deck.pptx',
        'tab-book answers.sav --banner gender --rows "scale=answers,top 2,mean" -o book.xlsx',
    ),
)
@_names("--banner", "QUESTION,…", "The questions of the columns; 'gender > age' nests them.")
@_names("--questions", "QUESTION,…", "The questions of the tables (default: all).")
@_names(
    "--rows",
    "[KIND=]ROW,…",
    "answers, summary, top 2, bottom 2, any, mean, median, nps, p90 …; KIND is single, multiple, "
    "scale, grid, number, nps or a question (default: answers).",
    _rules,
)
@_names(
    "--weights",
    "WEIGHT,…",
    'Several weights side by side; "unweighted" counts each respondent as one.',
)
@click.option(
    "--test",
    "--vs",
    type=click.Choice([*get_args(Versus), "none"]),
    default="columns",
    help="What each column is compared with (default: columns).",
)
@out_option(
    "FILE", "An .xlsx, .pptx or .html file; repeat it for several.", required=True, multiple=True
)
@_of_a_survey
def tab_book(
    sources: tuple[str, ...],
    banner: list[str],
    questions: list[str],
    rows: dict[str, list[str]] | None,
    weights: list[str],
    metrics: list[str],
    test: Versus | Literal["none"],
    levels: list[str],
    out: tuple[Path, ...],
    replace: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Write a table of every question by the same columns, with a contents page.

    SOURCE is as for crosstab. Separate questions with commas, or repeat the option. --banner waves
    --vs "previous wave" shows each wave and its change.
    """
    if not banner:
        raise click.UsageError("Name the questions of the columns: --banner gender,age.")
    for each in out:
        _check_file(each, (".xlsx", ".pptx", ".html"), replace)
    asked, arranged = _asked(options, quiet), _arranged(options)
    with _open(sources, quiet, **options) as client:
        named = [None if each == "unweighted" else each for each in weights]
        book = client.tab_book(banner, questions or None, rows=rows, weights=named or None, **asked)
        shown: dict[str, Any] = {
            "metrics": metrics or None,
            "vs": None if test == "none" else test,
            "levels": _levels(levels),
            **arranged,
        }
        for each in out:
            ending = each.suffix.casefold()
            if ending == ".xlsx":
                book.to_excel(each, **shown)
            elif ending == ".pptx":
                book.to_pptx(each, **shown)
            else:
                put(each, book.to_html(**shown).encode())
    for each in () if quiet else out:
        echo(f"wrote     {each}: {len(book):,} tables")


def _check_file(out: Path, endings: tuple[str, ...], replace: bool) -> None:
    if out.suffix.casefold() not in endings:
        tests = "" if ".csv" in endings else ", which hold tests"
        listed = f"{', '.join(endings[:-1])} or {endings[-1]}"
        raise click.UsageError(f"{out} must end in {listed}{tests}.")
    if out.exists() and not replace:
        raise click.UsageError(f"{out} exists: add --replace, or choose another name.")


def _levels(levels: list[str]) -> list[float]:
    try:
        return [float(each.removesuffix("%")) for each in levels or ("95", "90")]
    except ValueError as error:
        raise click.UsageError(f"--levels: {error}.") from None


def _file(table: CrosstabResult, options: dict[str, Any], suffix: str) -> bytes:
    """The contents of the file; a .csv has every metric of each cell."""
    if suffix in (".xlsx", ".pptx"):
        file = BytesIO()
        write = table.to_excel if suffix == ".xlsx" else table.to_pptx
        write(file, **options)
        return file.getvalue()
    if suffix == ".html":
        return table.to_html(**options).encode()
    return (table.to_csv() or "").encode()


def _table_lines(layout: TableLayout) -> Iterator[str]:
    """The table as text: a row for each row and metric, then the unweighted base of each column."""
    several = len(layout.metrics) > 1
    stub = [
        [layout.row_name(row), *([layout.label(metric)] if several else [])]
        for row in range(len(layout.stub))
        for metric in layout.metrics
    ]
    stub.append(["Base (n)", *([""] if several else [])])
    columns = [_column(layout, column) for column in range(len(layout.banner))]
    cells = [[*names, *values] for names, *values in zip(stub, *columns, strict=True)]
    # From the end, so that rows before it stay where they are.
    blank = [""] * (len(cells[0]) - 1)
    for row, name in reversed(_headings(layout)):
        cells.insert(row * len(layout.metrics), [name, *blank])
    corner = ["" for _ in stub[0]]
    named = [f"{cell.name} ({cell.letter})" if cell.letter else cell.name for cell in layout.banner]
    groups = [", ".join(cell.groups) for cell in layout.banner]
    yield layout.title
    yield ""
    yield from text_table([*corner, *named], cells, groups=[*corner, *groups])
    yield ""
    facts = layout.facts if several else (layout.label(layout.metrics[0]), *layout.facts)
    yield f"{'. '.join(facts)}."
    yield from filter(None, (*layout.notes, *layout.gaps, low_base_note(layout), layout.source))


def _headings(layout: TableLayout) -> list[tuple[int, str]]:
    """The groups of a stub of several, each with the number of its first row."""
    groups = [cell.groups for cell in layout.stub]
    if len({*groups}) < 2:
        return []
    starts = [at for at, each in enumerate(groups) if at == 0 or each != groups[at - 1]]
    return [(at, f"[{' › '.join(groups[at])}]") for at in starts if groups[at]]


def _column(layout: TableLayout, column: int) -> list[str]:
    """A column as it is read: figures under each other, marks of bases and of tests behind."""
    figures: list[str] = []
    marks: list[str] = []
    for row in range(len(layout.stub)):
        for metric in layout.metrics:
            is_blank = layout.is_blank(metric, row, column)
            value = float(metric.values[row, column])
            figures.append("" if is_blank else figure(value, metric.decimals))
            tested = layout.mark_at(row, column) if metric.name == layout.compared else ""
            marks.append(
                f"{'' if is_blank else layout.low_mark(metric, row, column)} {tested}".rstrip()
            )
    figures.append(f"{layout.banner[column].sample:,.0f}")
    marks.append("")
    widest = max(map(len, figures))
    return [f"{figure:>{widest}}{mark}" for figure, mark in zip(figures, marks, strict=True)]
