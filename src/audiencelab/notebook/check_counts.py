"""Counts of respondents that the outputs of a cell show: in tables, saved values and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np

from audiencelab.client.context import DEMO_PLACE
from audiencelab.notebook.check_findings import CheckFinding, short, some
from audiencelab.notebook.check_people import columns_of_people
from audiencelab.notebook.html_reading import Table
from audiencelab.notebook.io import specification, text_of
from audiencelab.notebook.output_diff import contents
from audiencelab.render.mime_payload import CROSSTAB, plane_of, planes_of
from audiencelab.render.records import of_output
from audiencelab.results.arrangement import VERY_LOW_BASE, low_base_mark
from audiencelab.results.metrics import METRICS

MOST_SMALL = 4
"""Respondents whom a count may identify: statistical offices publish none of fewer than 5."""

_LABELS = {each.label.lower() for each in METRICS.values() if each.kind == "sample"}
_COUNTED = re.compile(r"(?:(\w+)_)?sample|n|respondents|(?:.* )?count \(n\)|(?:.* )?base \(n\)")
"""Labels of rows and columns that hold counts of respondents."""

_N = re.compile(r"(?<![\w.])n ?= ?(\d[\d,]*)(?![\d.])")
_NUMBER = re.compile(r"(\d{1,3}(?:[,  ’']\d{3})+|\d+)(?:\.0+)?\**")
_COUNT_AND_SHARE = re.compile(rf"{_NUMBER.pattern}\s\(\d+(?:[.,]\d+)?%\)\**")
"""A count with its share, as in "12 (3.4%)"."""

_LETTER = re.compile(r"[^\W\d_]")
_BETWEEN = re.compile(r"\s*\|\s*|\s{2,}")
_VERY_LOW = low_base_mark(0)
_USUAL_METRICS = ("index",)
_SIDES = ("row", "column", "base")


@dataclass(frozen=True, slots=True)
class ShownCount:
    """A count of respondents.

    where: its row or column. value: None for one that only a mark says to be very low.
    is_base: whether shares are of it.
    """

    where: str
    value: int | None
    is_base: bool


class _Chart(msgspec.Struct):
    """The data of a chart."""

    datasets: dict[str, list[dict[str, Any]]] = {}


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts that an output shows, and how many tables and lines were read for them.

    titles: of its tables and of the groups in them. people: columns of frames that name people.
    """

    counts: tuple[ShownCount, ...]
    tables: int
    texts: int
    titles: tuple[str, ...]
    people: tuple[str, ...] = ()


def counts_in(output: Mapping[str, Any], *, all_counts: bool = False) -> Counts:
    """The counts of respondents in an output.

    all_counts: whether numbers of a frame are counts whatever its headers are.
    """
    data = cast("Mapping[str, Any]", output.get("data") or {})
    found = contents([output])
    lines = found.lines
    if "text/markdown" in data and "text/html" not in data:
        lines = text_of(data["text/markdown"]).replace("\\", "").split("\n")
    counts = [*_in_lines(lines)]
    saved = data.get(CROSSTAB)
    if isinstance(saved, Mapping):
        counts += _in_saved(cast("Mapping[str, Any]", saved))
    else:
        for table in found.tables:
            counts += _in_table(table, all_counts and "dataframe" in text_of(data["text/html"]))
    if (chart := specification(data)) is not None:
        counts += _in_chart(chart)
    groups = (cell.strip("* ") for table in found.tables for row in table for cell in row[:1])
    titles = (*(line.strip("* ") for line in lines[:1]), *groups) if found.tables else ()
    if "text/html" not in data and ", dtype: " in (plain := text_of(data.get("text/plain"))):
        titles = plain.split("\n")[:1]  # the name of a series' index
    is_ours = isinstance(saved, Mapping) or bool(of_output(dict(output)))
    frames = [] if is_ours else found.tables
    people = (name for table in frames for name in columns_of_people(table))
    return Counts(tuple(counts), len(found.tables), len(lines), tuple(titles), tuple(people))


def of_demo(outputs: Iterable[Mapping[str, Any]]) -> bool:
    """Whether outputs say that they are of the demo survey, whose respondents are invented."""
    lines = (line for each in outputs for line in contents([each]).lines)
    return any(f"Source: {DEMO_PLACE}" in line for line in lines)


def low_bases(
    path: Path, cell: int, counts: Sequence[ShownCount], minimum_base: int, least: int = 0
) -> Iterator[CheckFinding]:
    """The bases of shares that are under the minimum, and over `least`."""
    low = [
        f"{short(each.where)} ({_VERY_LOW if each.value is None else format(each.value, ',')})"
        for each in counts
        if each.is_base and _is_low(each.value, minimum_base, least)
    ]
    if low:
        words = f"Shares of fewer than {minimum_base:,} respondents: {some(low)}."
        yield CheckFinding("low base", "low", path, cell, words, withhold(minimum_base))


def small_counts(path: Path, cell: int, counts: Sequence[ShownCount]) -> Iterator[CheckFinding]:
    """Counts of so few respondents that those who know them may find them."""
    few = [
        f"{short(each.where)} ({each.value})"
        for each in counts
        if each.value is not None and 1 <= each.value <= MOST_SMALL
    ]
    if few:
        words = f"Counts of 1 to {MOST_SMALL} respondents: {some(few)}."
        yield CheckFinding("small counts", "medium", path, cell, words, withhold(MOST_SMALL + 1))


def _is_low(value: int | None, minimum_base: int, least: int) -> bool:
    if value is None:
        return minimum_base >= VERY_LOW_BASE
    return least < value < minimum_base


def withhold(count: int) -> str:
    """The line that withholds figures of fewer respondents."""
    return f"al.open(…, minimum_base={count}), or al.connect(survey=…, minimum_base={count})"


def _in_lines(lines: Iterable[str]) -> Iterator[ShownCount]:
    for line in lines:
        # A label of a chart.
        if "|" not in line and line.endswith(f" {_VERY_LOW}") and not _N.search(line):
            yield ShownCount(line[: -len(_VERY_LOW)].strip(), None, True)
        for each in _N.finditer(line):
            before = line[: each.start()].rstrip(" (,:·")
            yield ShownCount(before[-60:] or line, _whole(each[1]), True)
        # A row of a table in Markdown or in text, whose columns have two spaces between them.
        label, *cells = _BETWEEN.split(line.strip().strip("|"))
        if cells and (counted := _counted(label)):
            values = map(_whole, cells)
            found = [value for value in values if value is not None]
            yield from (ShownCount(label, value, _is_base(counted)) for value in found)


def _in_table(table: Table, all_counts: bool) -> Iterator[ShownCount]:
    """Counts by the labels of their rows and columns."""
    width = max(map(len, table), default=0)
    first = next(
        (n for n, row in enumerate(table) if any(_whole(c) is not None for c in row[1:])), 0
    )
    headers = [row for row in table[:first] if len(row) == width]
    for row in table[first:]:
        texts = [text for cell in row if (text := cell.strip())]
        # Rows of a frame have numbers where they have no names.
        label = next(filter(_LETTER.search, texts), texts[0] if texts else "")
        # A frame with several levels leaves out the left cells that are those of the row above.
        for place in range(1 - len(row), 0):
            names: list[str] = [name for each in headers if (name := each[place].strip())]
            column = names[-1] if names else ""
            of_row = _counted(label)
            of_column = next((found for name in names if (found := _counted(name))), "")
            value = _whole(row[place])
            if value is not None and of_row:
                yield ShownCount(column or "everyone", value, _is_base(of_row))
            elif value is not None and of_column:
                yield ShownCount(label or column, value, _is_base(of_column))
            elif value is not None and all_counts:
                yield ShownCount(f"{label}, {column}", value, is_base=False)
            elif found := _COUNT_AND_SHARE.fullmatch(row[place].strip()):
                yield ShownCount(f"{label}, {column}", int(_digits(found[1])), is_base=False)
            elif row[place].strip().endswith(_VERY_LOW):
                yield ShownCount(f"{label}, {column or 'everyone'}", None, is_base=True)


def _counted(label: str) -> str:
    """A label of counts of respondents in lower case; "" for any other."""
    low = label.lower()
    return low if low in _LABELS or _COUNTED.fullmatch(low) else ""


def _is_base(label: str) -> bool:
    """Whether shares are of what a label counts, and not only counts in their numerator."""
    numerator = label in ("sample", "positive_sample") or "count" in label
    return not numerator


def _whole(text: str) -> int | None:
    """The count that a cell holds; None for any other text."""
    found = _NUMBER.fullmatch(text.strip())
    return int(_digits(found[1])) if found else None


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _in_chart(chart: Mapping[str, Any]) -> Iterator[ShownCount]:
    try:
        records = msgspec.convert(chart, _Chart).datasets
    except msgspec.ValidationError:
        return
    for record in (each for rows in records.values() for each in rows):
        texts = [each for each in record.values() if isinstance(each, str)]
        for name, value in record.items():
            if (label := _counted(name)) and type(value) in (int, float) and np.isfinite(value):
                yield ShownCount(", ".join(texts[:2]) or label, int(value), _is_base(label))


def _in_saved(saved: Mapping[str, Any]) -> Iterator[ShownCount]:
    """Counts that a crosstab saves beside its HTML, where readers see them or can."""
    try:
        rows, columns = (list(map(str, saved[axis]["names"])) for axis in ("rows", "columns"))
        planes = planes_of(saved)
        shape = (len(rows), len(columns))
        samples = {
            name: np.broadcast_to(plane_of(planes[f"{name}_sample".lstrip("_")]), shape)
            for name in ("", *_SIDES)
        }
        shown = list(map(str, saved.get("looks", {}).get("metrics") or _USUAL_METRICS))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return
    sides = {side for name in shown if name in METRICS for side in METRICS[name].rests_on}
    for (row, column), value in np.ndenumerate(samples[""]):
        if 0 < value <= MOST_SMALL:
            yield ShownCount(f"{rows[row]}, {columns[column]}", int(value), is_base=False)
    for side, names, axis in (("row", rows, 1), ("column", columns, 0)):
        if side in sides:
            least = samples[side].min(axis=axis, initial=np.inf, where=samples[side] > 0)
            for name, value in zip(names, least, strict=True):
                if np.isfinite(value):
                    yield ShownCount(name, int(value), is_base=True)
