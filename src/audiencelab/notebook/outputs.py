"""What the outputs of a cell say, in a form in which two runs can be compared.

An output comes in several forms. The one that says most is read: a table cell by cell, a chart by
the words and figures of its marks, anything else line by line. What differs from run to run and
means nothing (times, addresses in memory, ids) is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from html.parser import HTMLParser
from itertools import zip_longest
from typing import Any, cast

from audiencelab.notebook.charts import specification
from audiencelab.notebook.figures import saved_figures

__all__ = ["Change", "compare"]

Table = list[list[str]]

_MEANINGLESS = re.compile(
    r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|0x[0-9a-f]+"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b[0-9a-f]{32}\b"
)
_LONGEST = 120


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that an output says otherwise than before.

    where: the row and the column of a table, or "" for a line of text.
    before, now: the words; "" for what was not there, or is no longer.
    """

    where: str
    before: str
    now: str

    def __str__(self) -> str:
        before, now = _shortened(self.before), _shortened(self.now)
        said = f"{before or 'nothing'} → {now or 'nothing'}"
        return f"{self.where}: {said}" if self.where else said


def compare(
    before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]
) -> tuple[Change, ...]:
    """How what a cell puts out now differs from what it put out before, in reading order.

    before, now: outputs as a notebook file holds them.
    """
    old, new = _told(before), _told(now)
    changes: list[Change] = []
    for mine, other in zip_longest(old.tables, new.tables, fillvalue=list[list[str]]()):
        changes += _in_tables(mine, other)
    changes += _in_lines(old.lines, new.lines)
    if not changes:
        # What moved in a table moved in its figures too, and is told once.
        for mine, other in zip_longest(old.figures, new.figures, fillvalue=list[list[str]]()):
            changes += _in_tables(mine, other)
    return tuple(changes)


@dataclass(slots=True)
class _Told:
    """All that the outputs of a cell say: their tables, and the lines beside them.

    figures: what is saved beside tables, to be worked with on a page.
    """

    tables: list[Table] = field(default_factory=list[Table])
    figures: list[Table] = field(default_factory=list[Table])
    lines: list[str] = field(default_factory=list[str])


def _told(outputs: Sequence[Mapping[str, Any]]) -> _Told:
    told = _Told()
    for output in outputs:
        match output.get("output_type"):
            case "stream":
                # What a progress bar overwrote was never meant to stay.
                said = [line.rpartition("\r")[2] for line in _text(output.get("text")).split("\n")]
                told.lines += said
            case "error":
                told.lines.append(f"{output.get('ename')}: {output.get('evalue')}")
            case _:
                _read(cast("Mapping[str, Any]", output.get("data") or {}), told)
    told.lines = [kept for line in told.lines if (kept := _MEANINGLESS.sub("…", line).strip())]
    return told


def _read(data: Mapping[str, Any], told: _Told) -> None:
    told.figures += saved_figures(data)
    chart = specification(data)
    if chart is not None:
        told.lines += _figures_of(chart)
    elif "text/html" in data:
        page = _Page()
        page.feed(_text(data["text/html"]))
        page.close()
        told.tables += page.tables
        told.lines += page.lines
    elif "image/svg+xml" in data:
        told.lines += _words_of_picture(_text(data["image/svg+xml"]))
    elif "text/plain" in data:
        told.lines += _text(data["text/plain"]).split("\n")


def _text(written: object) -> str:
    """Text of a notebook file, which may hold it line by line."""
    return "".join(cast("list[str]", written)) if isinstance(written, list) else str(written or "")


def _figures_of(spec: Mapping[str, Any]) -> list[str]:
    """A chart's title and its own data, a line for each record.

    Names of data sets are made up anew each time.
    """
    rest = {key: value for key, value in spec.items() if key != "datasets"}
    rows = [row for rows in spec.get("datasets", {}).values() for row in rows]
    told = [*filter(None, [rest.get("title")]), *rows] if rows else [rest]
    return [json.dumps(each, sort_keys=True) for each in told]


_LABELS = re.compile(r'aria-label="([^"]*)"|<text[^>]*>([^<]*)</text>')


def _words_of_picture(svg: str) -> list[str]:
    return [label or text for label, text in _LABELS.findall(svg)]


class _Page(HTMLParser):
    """Reads tables and the text beside them; style sheets and scripts say nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[Table] = []
        self.lines: list[str] = []
        self._in_table = 0
        self._silent = 0
        self._open_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"style", "script"}:
            self._silent += 1
        elif tag == "table":
            self._in_table += 1
            self.tables.append([])
        elif tag == "tr" and self._in_table:
            self.tables[-1].append([])
        elif tag in {"td", "th"} and self._in_table and self.tables[-1]:
            self.tables[-1][-1].append("")
            self._open_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in {"style", "script"}:
            self._silent = max(0, self._silent - 1)
        elif tag == "table":
            self._in_table = max(0, self._in_table - 1)
        elif tag in {"td", "th"}:
            self._open_cell = False

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        if self._in_table and self._open_cell:
            self.tables[-1][-1][-1] += _MEANINGLESS.sub("…", data)
        elif data.strip():
            self.lines += data.strip().split("\n")


def _in_tables(before: Table, now: Table) -> Iterator[Change]:
    if len(before) != len(now) or [len(row) for row in before] != [len(row) for row in now]:
        # Cell by cell nothing would stand beside what it was.
        yield Change("the table", _shape(before), _shape(now))
        return
    for number, (old, new) in enumerate(zip(before, now, strict=True)):
        for place, (mine, other) in enumerate(zip(old, new, strict=True)):
            if mine.strip() != other.strip():
                yield Change(_where(before, number, place), mine.strip(), other.strip())


def _shape(table: Table) -> str:
    columns = max(map(len, table), default=0)
    return f"{len(table)} lines of {columns} cells" if table else ""


def _where(table: Table, number: int, place: int) -> str:
    """A cell by its row and its column; tables name them in the first of each."""
    row = next((cell.strip() for cell in table[number] if cell.strip()), f"line {number + 1}")
    # A line of heads over several columns has fewer cells: the first as wide as this row is below.
    heads = [line for line in table[:number] if len(line) == len(table[number])]
    column = heads[0][place].strip() if heads else ""
    return f"{row}, {column or f'column {place + 1}'}" if place else f"line {number + 1}"


def _in_lines(before: list[str], now: list[str]) -> Iterator[Change]:
    for kind, a, b, c, d in SequenceMatcher(None, before, now, autojunk=False).get_opcodes():
        if kind != "equal":
            for mine, other in zip_longest(before[a:b], now[c:d], fillvalue=""):
                yield Change("", mine, other)


def _shortened(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
