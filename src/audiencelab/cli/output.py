"""What all commands share: printing without terminal escapes, tables of text, some options."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import click

from audiencelab.cli.help import OUTPUT, WHOM, Decorator, option
from audiencelab.wording import without_controls

FINDINGS = 1
"""The exit code of a check that found something: figures that changed, a survey with faults."""

_LONGEST_CELL = 60


def echo(text: str = "", *, err: bool = False) -> None:
    """Print a line; labels and file names come from anywhere, so no escape sequence passes."""
    click.echo(without_controls(text), err=err)


def echo_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print each line as `echo` does."""
    for line in lines:
        echo(line, err=err)


def examples(*lines: str) -> str:
    """An epilog of commands to copy."""
    # The control character keeps click from joining the lines below it.
    return "\n".join(["\b", "Examples:", *(f"  audiencelab {line}" for line in lines)])


def file_argument(name: str, **settings: Any) -> Decorator:
    """An argument that is a path."""
    return click.argument(name, type=click.Path(path_type=Path), **settings)


def file_option(name: str, metavar: str, text: str) -> Decorator:
    """An option that is a path; text: its help."""
    return click.option(name, metavar=metavar, type=click.Path(path_type=Path), help=text)


def out_option(
    metavar: str, text: str, *, required: bool = False, multiple: bool = False
) -> Decorator:
    """The file or folder that a command writes, or several; text: its help."""
    return option(
        "-o",
        "--out",
        heading=OUTPUT,
        metavar=metavar,
        type=click.Path(path_type=Path),
        required=required,
        multiple=multiple,
        help=text,
    )


base_of_option = option(
    "--base-of",
    type=click.Choice(["valid", "everyone"]),
    heading=WHOM,
    help="Who of the base counts in a cell: those who could be in it (valid), or everyone "
    "(default: what the survey says).",
)
quiet_option = option("-q", "--quiet", is_flag=True, heading=OUTPUT, help="Print errors only.")
replace_option = option("--replace", is_flag=True, heading=OUTPUT, help="Replace an existing file.")


def options_of(*options: Decorator) -> Decorator:
    """A decorator of several options, the first of which comes first in the help."""

    def with_options(command: Any) -> Any:
        for each in reversed(options):
            command = each(command)
        return command

    return with_options


def one(names: list[Any]) -> Any:
    """A single name by itself, as in "latest 4"."""
    return names[0] if len(names) == 1 else names


def one_of(given: dict[str, object], *, required: bool = False) -> None:
    """Raise a usage error where several options that exclude each other are given.

    given: the value of each option; one that is empty or None was not given.
    required: whether one of them has to be given.
    """
    names = [name for name, value in given.items() if value not in (None, (), False)]
    if len(names) > 1:
        raise click.UsageError(f"{names[1]} is not allowed with {names[0]}.")
    if required and not names:
        raise click.UsageError(f"Missing option: one of {', '.join(given)}.")


def text_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    width: int | None = None,
    groups: Sequence[str] = (),
) -> Iterator[str]:
    """Aligned columns, numbers to the right; long cells are cut.

    header: the name of each column.
    rows: the cells of each row.
    width: characters of a line, by cutting the last column; None for any number.
    groups: what each column belongs to, written once above the first of neighbours.
    """
    table = [[_cut(cell, _LONGEST_CELL) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    if width is not None:
        left = width - sum(each + 2 for each in widths[:-1])
        widths[-1] = min(widths[-1], max(left, 20))
    right = [all(map(_is_number, column[1:])) for column in zip(*table, strict=True)]
    table.insert(1, ["-" * each for each in widths])
    if any(groups):
        yield _group_line(groups, widths)
    for row in table:
        cells = (
            _cut(cell, size).rjust(size) if numeric else _cut(cell, size).ljust(size)
            for cell, size, numeric in zip(row, widths, right, strict=True)
        )
        yield "  ".join(cells).rstrip()


def _group_line(groups: Sequence[str], widths: Sequence[int]) -> str:
    """The names of groups, each as wide as its columns; a longer one is cut."""
    parts: list[str] = []
    for name, columns in groupby(zip(groups, widths, strict=True), itemgetter(0)):
        sizes = [size for _, size in columns]
        width = sum(sizes) + 2 * len(sizes) - 2
        parts.append(_cut(name, width).ljust(width))
    return "  ".join(parts).rstrip()


def _is_number(cell: str) -> bool:
    return cell.replace(",", "").replace(".", "").isdecimal()


def _cut(cell: str, most: int) -> str:
    return cell if len(cell) <= most else cell[: most - 1] + "…"
