"""Compares the outputs of a cell in two runs.

An output has several MIME types. The most detailed one is compared: a table cell by cell, a chart
by its data or the labels of its marks, anything else line by line. Times, memory addresses and ids,
which differ from run to run without meaning, are left out, and whether a client replays. The
values that a crosstab saves beside its HTML are compared too, since JupyterLab computes every
metric from them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from html.parser import HTMLParser
from itertools import zip_longest
from typing import Any, cast

import numpy as np

from audiencelab.notebook.io import specification, text_of
from audiencelab.render.mime_payload import CROSSTAB, RAISED, plane_of, planes_of
from audiencelab.results.record import without_run

Table = list[list[str]]

_MEANINGLESS = re.compile(
    r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|0x[0-9a-f]+"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b[0-9a-f]{32}\b"
)
_WAY = re.compile(
    r"(?<=Client of )(?:the embedded service, |the snapshot [^,>]+, )|<Recording for [^>]*>"
)
"""How a client reaches its survey, in its repr, and what a recording says of itself: a replayed
notebook has the same figures, and records nothing."""

_FIGURES = re.compile(
    r"\d[\d.,]*|(?<![\w'’])[A-Za-z](?!\w)|[↑↓▲▼△▽*]|\b(?:true|false|none|nan|not|no|yes)\b", re.I
)
"""Numbers, marks of tests, and words that turn a sentence into its opposite."""

_LONGEST = 120
_SAVED_DIGITS = ".7g"
"""As many digits as a crosstab saves its counts with."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two outputs.

    where: the row and the column of a table, or "" for a line of text.
    before, now: the text; "" where a run has none.
    """

    where: str
    before: str
    now: str

    @property
    def is_wording(self) -> bool:
        """Whether other words are with the same numbers, letters of tests and arrows.

        Without a number, words may be the result itself.
        """
        if "Source: " in self.before + self.now:
            return False
        before, now = _FIGURES.findall(self.before), _FIGURES.findall(self.now)
        return before == now and any(each[0].isdigit() for each in before)

    def __str__(self) -> str:
        before, now = _shortened(self.before), _shortened(self.now)
        change = f"{before or 'nothing'} → {now or 'nothing'}"
        return f"{self.where}: {change}" if self.where else change


def compare(
    before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]
) -> tuple[Change, ...]:
    """How the outputs of a cell differ from those before, in reading order.

    before: outputs as a notebook file stores them.
    now: those to compare with.
    """
    old, new = contents(before), contents(now)
    changes = [*_table_changes(old.tables, new.tables), *_line_changes(old.lines, new.lines)]
    # A difference in a table is in its saved values too, and reported once.
    return tuple(changes or _table_changes(old.saved, new.saved))


@dataclass(slots=True)
class Contents:
    """The tables of a cell's outputs, the values saved beside them, and the lines of text."""

    tables: list[Table] = field(default_factory=list[Table])
    saved: list[Table] = field(default_factory=list[Table])
    lines: list[str] = field(default_factory=list[str])


def contents(outputs: Sequence[Mapping[str, Any]]) -> Contents:
    """What is compared of a cell's outputs."""
    found = Contents()
    for output in outputs:
        match output.get("output_type"):
            case "stream":
                # Only the final state of a progress bar is compared.
                lines = text_of(output.get("text")).split("\n")
                found.lines += [line.rpartition("\r")[2] for line in lines]
            case "error":
                found.lines.append(f"{output.get('ename')}: {output.get('evalue')}")
            case _:
                _read(cast("Mapping[str, Any]", output.get("data") or {}), found)
    stripped = (
        _MEANINGLESS.sub("…", _WAY.sub("", without_run(line))).strip() for line in found.lines
    )
    found.lines = [line for line in stripped if line]
    return found


def _read(data: Mapping[str, Any], found: Contents) -> None:
    found.saved += _saved_tables(data)
    chart = specification(data)
    if chart is not None:
        found.lines += _chart_lines(chart)
    elif "text/html" in data:
        page = _Page()
        page.feed(text_of(data["text/html"]))
        page.close()
        found.tables += page.tables
        found.lines += page.lines
    elif "image/svg+xml" in data:
        labels = _LABELS.findall(text_of(data["image/svg+xml"]))
        found.lines += [label or text for label, text in labels]
    elif "text/plain" in data:
        found.lines += text_of(data["text/plain"]).split("\n")


def _saved_tables(data: Mapping[str, Any]) -> list[Table]:
    """A table for each array of a saved crosstab; one of one cell where they cannot be read."""
    saved = data.get(CROSSTAB)
    if saved is None:
        return []
    try:
        rows, columns = saved["rows"]["names"], saved["columns"]["names"]
        return [
            _saved_table(name, _saved_values(saved, name), rows, columns)
            for name in sorted(planes_of(saved))
        ]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return [[["The values saved beside the table cannot be read."]]]


def _saved_values(saved: Mapping[str, Any], name: str) -> Any:
    """The values of an array as they are meant; letters as text."""
    values = plane_of(planes_of(saved)[name]) - RAISED.get(name, 0)
    if name != "letters":
        return values
    return np.array(saved["marks"]["texts"], dtype=object)[values.astype(np.intp)]


def _saved_table(name: str, plane: Any, rows: list[str], columns: list[str]) -> Table:
    """The name and the columns, then each row; an array of one axis has one row or column."""
    title = f"saved {name.replace('_own', '').replace('_', ' ')}"
    down = [title] if name.startswith("column_own") else rows
    across = [title] if name.startswith("row_own") else columns
    values = np.broadcast_to(plane, (len(down), len(across)))
    table = [[title, *map(str, across)]]
    for row, line in zip(down, values, strict=True):
        texts = (each if isinstance(each, str) else format(each, _SAVED_DIGITS) for each in line)
        table.append([f"{row} ({title})", *texts])
    return table


def _chart_lines(spec: Mapping[str, Any]) -> list[str]:
    """A chart's title and data, a line for each record; names of data sets are random."""
    rest = {key: value for key, value in spec.items() if key != "datasets"}
    rows = [row for rows in spec.get("datasets", {}).values() for row in rows]
    parts = [*filter(None, [rest.get("title")]), *rows] if rows else [rest]
    return [json.dumps(each, sort_keys=True) for each in parts]


_LABELS = re.compile(r'aria-label="([^"]*)"|<text[^>]*>([^<]*)</text>')


class _Page(HTMLParser):
    """Reads tables and the text beside them, without style sheets and scripts."""

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


def _table_changes(before: list[Table], now: list[Table]) -> Iterator[Change]:
    for old, new in zip_longest(before, now, fillvalue=list[list[str]]()):
        if [len(row) for row in old] != [len(row) for row in new]:
            # Tables of different shapes are compared where both have a row and a column.
            yield Change("the table", _shape(old), _shape(new))
            cells, others = _cells(old), _cells(new)
            for where in (each for each in cells if each in others):
                if cells[where] != others[where]:
                    yield Change(where, cells[where], others[where])
            continue
        for number, (mine, other) in enumerate(zip(old, new, strict=True)):
            for column, (was, this) in enumerate(zip(mine, other, strict=True)):
                if was.strip() != this.strip():
                    yield Change(_where(old, number, column), was.strip(), this.strip())


def _shape(table: Table) -> str:
    columns = max(map(len, table), default=0)
    return f"{len(table)} lines of {columns} cells" if table else ""


def _cells(table: Table) -> dict[str, str]:
    """The values of a table by row and column, without those of a name that two have."""
    places = [
        (_where(table, number, column), text.strip())
        for number, row in enumerate(table)
        for column, text in enumerate(row)
        if column
    ]
    counted = Counter(where for where, _ in places)
    return {where: text for where, text in places if counted[where] == 1}


def _where(table: Table, number: int, column: int) -> str:
    """A cell by its row and its column, which tables name in the first cell of each."""
    row = next((cell.strip() for cell in table[number] if cell.strip()), f"line {number + 1}")
    # A header of groups has fewer cells: the first row as wide as this one names the columns.
    headers = [line for line in table[:number] if len(line) == len(table[number])]
    name = headers[0][column].strip() if headers else ""
    return f"{row}, {name or f'column {column + 1}'}" if column else f"line {number + 1}"


def _line_changes(before: list[str], now: list[str]) -> Iterator[Change]:
    # By default difflib ignores lines that come often, where there are 200 or more.
    for kind, a, b, c, d in SequenceMatcher(None, before, now, autojunk=False).get_opcodes():
        if kind != "equal":
            for mine, other in zip_longest(before[a:b], now[c:d], fillvalue=""):
                yield Change("", mine, other)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
