"""A table of the crosstab widget as CSV: as it is shown, or one line for each cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.marks import legend, marks
from audiencelab.csv_injection import defused_field
from audiencelab.results.banner import full_name, levels
from audiencelab.results.cells import FIGURES
from audiencelab.results.metrics import METRICS, frame_name
from audiencelab.results.provenance import coverage_facts, weighted_base
from audiencelab.results.record import record_of
from audiencelab.results.statistic_rows import STATISTIC_FIGURES
from audiencelab.results.who_counts import base_line, notes
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.export_cells import ExportCells
from audiencelab.widgets.crosstab.metrics import denominator
from audiencelab.widgets.crosstab.tiles import bases_vary


def as_csv(cells: ExportCells) -> bytes:
    """The table as it is shown: rows down, columns across, both bases; a block for each metric.

    Numbers are in full precision, a missing value is an empty field. A byte order mark at the
    start makes Excel read UTF-8.
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    for number, metric in enumerate(cells.planes):
        if number:
            writer.writerow([])
        writer.writerows(_block(cells, metric))
    if (whole := cells.statistics_of) is not None:
        writer.writerow([])
        tested = cells.comparison if any(cells.letters) else None
        others = None if tested is None else tested.statistics
        letters = None if others is None else marks(others)
        lines = _statistics_block(whole, cells.hide_under, letters)
        writer.writerows(lines if cells.beside is None else zip(*lines, strict=True))
    result = cells.result
    told = [base_line(result), *coverage_facts(result.provenance), *notes(result)]
    told += [*_letter_notes(cells), record_of(result).line()]
    writer.writerow([])
    writer.writerows([defused_field(each)] for each in told if each)
    return written.getvalue().encode("utf-8-sig")


def _letter_notes(cells: ExportCells) -> list[str]:
    """What letters mean and how they were tested, where the file has letters."""
    found = cells.comparison if any(cells.letters) else None
    return [] if found is None else [legend(found), found.whole_note]


def as_long_csv(cells: ExportCells) -> bytes:
    """One line for each cell, with every metric of `to_frame()`, whichever are shown.

    Values below `hide_under` are missing.
    """
    frame = cells.result.to_frame()
    statistics = cells.result.statistics
    # The lines of the frame are its cells, row by row, and those of statistics among them.
    arrived = np.nonzero(cells.result.arrived)
    shares = np.ones(len(frame), bool) if statistics is None else frame["statistic"] == ""
    lines = np.flatnonzero(shares)
    for name in FIGURES:
        respondents = denominator(cells.result, name)
        if cells.hide_under and respondents is not None:
            few = lines[respondents[arrived] < cells.hide_under]
            frame.loc[few, frame_name(name)] = np.nan
    if statistics is not None:
        few = ~shares & (frame["answered_sample"] < cells.hide_under)
        frame.loc[few, list(STATISTIC_FIGURES[:3])] = np.nan
    for name in frame.select_dtypes(exclude="number"):
        frame[name] = [defused_field(str(each)) for each in frame[name]]
    return frame.to_csv(index=False).encode("utf-8-sig")


def _block(cells: ExportCells, metric: str) -> Iterator[list[object]]:
    """One metric as lines: its name in the corner, with groups and bases."""
    result = cells.result
    base = result.base_audience.name if result.base_audience is not None else "All"
    columns = [each.name for each in result.columns]
    if metric == "letters" and any(cells.letters):
        columns = [
            f"{name} ({letter})" if letter else name
            for name, letter in zip(columns, cells.letters, strict=True)
        ]
    size, sample = result.column_values("column_size"), result.column_values("column_sample")
    groups = levels(result.row_groups)
    indent = [""] * len(groups)
    own = result.row_values("base_sample") if bases_vary(result) else None
    blank = [] if own is None else [""]
    weighted = [""] * _is_weighted(result)
    for names in levels(result.column_groups):
        yield [*indent, "", *weighted, "", *blank, *map(defused_field, names)]
    yield [
        *indent,
        METRICS[metric].label_with_unit,
        *("Weighted base" for _ in weighted),
        "Unweighted base (n)",
        *([] if own is None else ["Unweighted base of the row (n)"]),
        *map(defused_field, columns),
    ]
    if weighted:
        name = defused_field(f"Weighted base: {base}")
        yield [*indent, name, _field(result.base_size), "", *blank, *map(_field, size)]
    name = defused_field(f"Unweighted base (n): {base}")
    whole = _field(result.base_sample)
    yield [*indent, name, *weighted, whole, *(whole for _ in blank), *map(_field, sample)]
    values = cells.planes[metric]
    row_size, row_sample = result.row_values("row_size"), result.row_values("row_sample")
    for at, row in enumerate(result.rows):
        names = [*(level[at] for level in groups), row.name]
        yield [
            *map(defused_field, names),
            *(_field(row_size[at]) for _ in weighted),
            _field(row_sample[at]),
            *([] if own is None else [_field(own[at])]),
            *map(_field, values[at]),
        ]


def _statistics_block(
    result: CrosstabResult, hide_under: float, letters: NDArray[Any] | None
) -> Iterator[list[object]]:
    """Rows of statistics as lines, with the bases of those who gave an amount.

    letters: of their cells, each row in a line of its own below its values.
    """
    statistics = result.statistics
    assert statistics is not None
    blank = [""] * len(levels(statistics.groups))
    weighted = [""] * _is_weighted(result)
    names = [defused_field(full_name(*each)) for each in zip(
        result.column_groups, (column.name for column in result.columns), strict=True
    )]  # fmt: skip
    bases = [*("Weighted base" for _ in weighted), "Unweighted base (n)"]
    yield [*blank, "Statistic", *bases, *names, "Base"]
    value, sample = statistics.values("value"), statistics.values("answered_sample")
    shown = np.where(sample < hide_under, np.nan, value)
    groups = levels(statistics.groups)
    wholes = [statistics.base(name) for name in ("answered_size", "answered_sample", "value")]
    for at, row in enumerate(statistics.rows):
        size, count, whole = (float(each[at]) for each in wholes)
        whole = np.nan if count < hide_under else whole
        yield [
            *map(defused_field, [*(level[at] for level in groups), row.name]),
            *map(_field, (*(size for _ in weighted), count, *shown[at], whole)),
        ]
        if letters is not None:
            named = [*(level[at] for level in groups), f"{row.name}: letters"]
            marked = np.where(sample[at] < hide_under, "", letters[at])
            yield [*map(defused_field, named), *weighted, "", *marked.tolist(), ""]


def _is_weighted(result: CrosstabResult) -> bool:
    """Whether weighted bases are not those of respondents."""
    return bool(weighted_base(result.provenance))


def _field(value: object) -> object:
    """A number as Python writes it, integers without a point; "" for NaN."""
    if isinstance(value, str):
        return value
    number = float(cast(float, value))
    if not np.isfinite(number):
        return ""
    return int(number) if number.is_integer() else number
