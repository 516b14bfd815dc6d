"""What all commands share: printing without terminal escapes, tables of text, options, advice."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from audiencelab.wording import without_controls

Function = TypeVar("Function", bound=Callable[..., Any])

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


def file_argument(name: str, **settings: Any) -> Callable[[Function], Function]:
    """An argument that is a path."""
    return click.argument(name, type=click.Path(path_type=Path), **settings)


def file_option(name: str, metavar: str, text: str) -> Callable[[Function], Function]:
    """An option that is a path; text: its help."""
    return click.option(name, metavar=metavar, type=click.Path(path_type=Path), help=text)


def out_option(
    metavar: str, text: str, *, required: bool = False, multiple: bool = False
) -> Callable[[Function], Function]:
    """The file or folder that a command writes, or several; text: its help."""
    return click.option(
        "-o",
        "--out",
        metavar=metavar,
        type=click.Path(path_type=Path),
        required=required,
        multiple=multiple,
        help=text,
    )


base_of_option = click.option(
    "--base-of",
    type=click.Choice(["valid", "everyone"]),
    help="Who of the base counts in a cell: those who could be in it (valid), or everyone "
    "(default: what the survey says).",
)

quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print errors only.")


def _missing(
    context: click.Context, option: click.Parameter, given: Sequence[str]
) -> dict[str, list[str]] | None:
    """Missing codes by question, "*" for those of all."""
    del context, option
    found: dict[str, list[str]] = {}
    for each in given:
        question, sign, codes = each.rpartition("=")
        own = found.setdefault(question.strip() if sign else "*", [])
        own += [code.strip() for code in codes.split(",") if code.strip()]
    return found or None


_IMPORT_OPTIONS = {
    "weight": click.option(
        "--weight",
        metavar="COLUMN",
        multiple=True,
        help="The weight (default: the one that the file declares, or the only candidate). "
        "Given several times, queries may choose among them, and use the first by default.",
    ),
    "no-weight": click.option("--no-weight", is_flag=True, help="Every respondent weighs 1."),
    "wave": click.option(
        "--wave",
        metavar="COLUMN",
        help="The column that makes the waves; a column of dates makes quarters (default: a "
        "column that is named like a wave). '_w*' where each wave has columns of its own, such as "
        "q1_w1.",
    ),
    "person": click.option(
        "--person",
        metavar="COLUMN",
        help="Of a panel, the column that is the same for a person in all waves, so that tests "
        "between waves use the pairs (default: the row, with --wave '_w*').",
    ),
    "labels": click.option(
        "--labels",
        metavar="FILE",
        help="Labels of columns and values: a table of variables, values and labels (.csv, "
        ".xlsx), a .sav, a codebook of DDI (.xml), a datamap (.txt), or a LimeSurvey structure "
        "(.lss).",
    ),
    "sheet": click.option(
        "--sheet",
        metavar="NAME",
        help="Sheet of a workbook, by its name or its number from 0 (default: the first one that "
        "looks like a table of respondents).",
    ),
    "missing": click.option(
        "--missing",
        metavar="CODE,…",
        multiple=True,
        callback=_missing,
        help="Codes that are not answers, by value or label: 'q3=98,99' of a question or column, "
        "-9 of all. 'q3=': nothing that only looks like one (default: what is certain).",
    ),
    "encoding": click.option(
        "--encoding",
        metavar="NAME",
        help="Encoding of the files, such as latin-1 (default: detected in CSV files, declared by "
        "others).",
    ),
}


def _decide(
    context: click.Context, option: click.Parameter, given: Sequence[str]
) -> dict[str, Any] | None:
    """Decisions by question: a word, a factor, or values of before by new ones."""
    del context, option
    found: dict[str, Any] = {}
    for each in given:
        question, sign, decision = each.partition("=")
        if not (question and sign and decision):
            raise click.BadParameter(f"{each!r} is not valid: write it as q5=labels.")
        found[question.strip()] = _decision(decision.strip())
    return found or None


def _decision(text: str) -> str | float | dict[str, str]:
    if ":" in text:
        pairs = (each.partition(":") for each in text.split(","))
        return {new.strip(): old.strip() for new, _, old in pairs}
    try:
        return float(text)
    except ValueError:
        return text


decide_option = click.option(
    "--decide",
    metavar="QUESTION=…",
    multiple=True,
    callback=_decide,
    help="How a question is read that a file has otherwise than those before: q5=labels, q5=codes, "
    "q5=break (figures of earlier waves do not compare), q5=5:1,4:2 (new values as values of "
    "before), or a factor, q5=0.001.",
)


def import_options(command: Function) -> Function:
    """The options of every command that reads survey files."""
    return import_option(*_IMPORT_OPTIONS)(command)


def import_option(*names: str) -> Callable[[Function], Function]:
    """Some of these options, by name."""

    def with_options(command: Function) -> Function:
        # As with decorators: the one that is applied last comes first in the help.
        for name in reversed(names):
            command = _IMPORT_OPTIONS[name](command)
        return command

    return with_options


# What messages write as arguments, and the options that are named otherwise.
_ARGUMENTS = (
    "base_of codebook decide encoding fay key labels levels locations metrics name person "
    "replace sheet statistics to vs wave waves weight"
)
_RENAMED = {"to": "out", "vs": "test", "base_of": "base-of"}
_CALL = re.compile(r"(?:\b(?:al\.)?open\(…, |\bclient\.add_wave\(…, |\btest\()([^()]*)\)")
_DECIDE = re.compile(r"\bdecide=(\{(?:[^{}]|\{[^{}]*\})*\})")
_DRAFT = re.compile(
    r"\b(?:(?:audiencelab|al)\.ingest\.)?draft_codebook\(…(?:,( [^()]*))?\)\.save\(\"([^\"]+)\"\)"
)
# Its groups: the name, and None or True, a list, a text in quotes, or a bare word. Not after "?",
# "&" and "/", where it is part of an address.
_ARGUMENT = re.compile(
    rf"(?<![?&/])\b({_ARGUMENTS.replace(' ', '|')})="
    r"""(?:(None|True)\b|\[([^\]]*)\]|("[^"]*"|'[^']*')|([\w.]*\w|…)|(?=[,.;: ]))"""
)


def in_options(text: str) -> str:
    """Text with its advice for Python as options: `weight="wgt"` becomes `--weight wgt`."""
    text = _DECIDE.sub(_decided, text)
    text = _CALL.sub(r"\1", _DRAFT.sub(r"audiencelab codebook SOURCE\1 -o \2", text))
    return _ARGUMENT.sub(_option, text)


def _decided(found: re.Match[str]) -> str:
    """Decisions as options: `decide={"q5": "labels"}` becomes `--decide q5=labels`."""
    try:
        given: dict[str, Any] = ast.literal_eval(found[1])
    except (SyntaxError, ValueError):
        return found[0]
    written: list[str] = []
    for question, decision in given.items():
        text = f"{decision}"
        if isinstance(decision, dict):
            pairs = cast("dict[object, object]", decision).items()
            text = ",".join(f"{new}:{old}" for new, old in pairs)
        written.append(f"--decide {shlex.quote(f'{question}={text}')}")
    return " ".join(written)


def _option(found: re.Match[str]) -> str:
    name, flag, several, quoted, bare = found.groups()
    option = f"--{_RENAMED.get(name, name)}"
    if flag:
        return option if flag == "True" else f"--no-{name}"
    values = (several or quoted or bare or "").split(", ")
    return " ".join(f"{option} {_shell_word(each)}".rstrip() for each in values)


def _shell_word(value: str) -> str:
    word = value.strip("\"'")
    return shlex.quote(word) if " " in word else word


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
