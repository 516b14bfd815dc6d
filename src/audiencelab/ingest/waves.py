"""Which rows of which files make a wave, and what its respondents weigh."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatch

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.codebook import (
    Codebook,
    CodedWave,
    canonical_value,
    number_of,
    wave_values,
)
from audiencelab.ingest.columns import MISSING, Column
from audiencelab.ingest.readers.base import Table
from audiencelab.ingest.report import Dropped, ImportReport
from audiencelab.ingest.wave_periods import period_code, period_waves
from audiencelab.survey.catalogue import Wave
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError, listed

MOST_WEIGHT = 1e15
"""Weights above this are treated as data errors or codes for "none"."""

_ISO = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")


@dataclass(frozen=True, slots=True)
class Segment:
    """The rows that one file gives to a wave, int[k], and their weights, float64[k]."""

    table: Table
    rows: npt.NDArray[np.intp]
    weights: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WaveRows:
    """A wave and its rows, file by file."""

    wave: Wave
    segments: list[Segment] = field(default_factory=list[Segment])

    def __len__(self) -> int:
        return sum(len(segment.rows) for segment in self.segments)

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """The weights of all rows, float64[n]."""
        return np.concatenate([segment.weights for segment in self.segments])


def divide_into_waves(
    codebook: Codebook, tables: Sequence[Table], report: ImportReport
) -> list[WaveRows]:
    """The waves with rows in them. Rows without a wave or a weight are reported and left out.

    Raises `SourceError` for a weight that is negative or not a number, or a file that lacks the
    weight or wave column; `SurveyError` for waves that cannot be distinguished.
    """
    waves = [WaveRows(wave) for wave in _waves(codebook, tables, report)]
    times = Counter(rows.wave.code for rows in waves)
    if twice := [code for code, count in times.items() if count > 1]:
        raise SurveyError(f"The codebook has the wave {listed(twice)} twice.")
    placing = _placing(codebook, tables, waves)
    for table in tables:
        places = placing(table)
        weights = _weights(codebook, table)
        _report_dropped(report, table, places < 0, _unknown_wave(codebook, table, places < 0))
        _report_dropped(report, table, (places >= 0) & np.isnan(weights), "without a weight")
        for place, wave in enumerate(waves):
            rows = np.flatnonzero((places == place) & ~np.isnan(weights))
            if rows.size:
                wave.segments.append(Segment(table, rows, weights[rows]))
    for wave in waves:
        if not wave.segments:
            report.notes.append(f"wave {wave.wave.code} has no respondents and was left out")
    found = [wave for wave in waves if wave.segments]
    if not found:
        raise SurveyError(
            "No respondent is left: none has both a known wave and a weight."
            + "".join(f"\n  {dropped}" for dropped in report.dropped)
            + "".join(f"\n  {table.name}: it has no rows" for table in tables if not table.rows)
        )
    return found


# ---- which waves there are ----


def _waves(codebook: Codebook, tables: Sequence[Table], report: ImportReport) -> list[Wave]:
    if codebook.waves:
        return [_wave(coded) for coded in codebook.waves]
    if codebook.wave is None:
        day = tables[0].source.dated
        report.notes.append(
            f"the codebook has no waves: everybody is in one, w1. Its date, {day}, is the day when "
            "the first file was last changed, and not that of the fieldwork"
        )
        return [Wave("w1", codebook.study.name or "All respondents", day, day)]
    column = codebook.wave.column
    if codebook.wave.by is not None:
        return period_waves(codebook.wave.by, [_column(table, column) for table in tables])
    found = sorted({value for table in tables for value in _column(table, column).values})
    if not all(_ISO.fullmatch(value) for value in found):
        raise SurveyError(
            f"The values of the wave column {column} are no dates ({listed(found)}): list the "
            "[[waves]] in the codebook, each with its code, value, starts and ends."
        )
    return [_dated(value) for value in found]


def _wave(coded: CodedWave) -> Wave:
    return Wave(
        code=coded.code,
        name=coded.name or coded.code,
        starts=coded.starts,
        ends=coded.ends or coded.starts,
        accessible=coded.accessible,
    )


def _dated(value: str) -> Wave:
    """The wave of a value such as 2024-03 or 2024-03-15."""
    matched = _ISO.fullmatch(value)
    assert matched is not None
    year, month, day = matched.groups()
    try:
        starts = date(int(year), int(month), int(day or 1))
    except ValueError:
        raise SurveyError(f"The wave {value!r} is no date. List the [[waves]] instead.") from None
    return Wave(value, value, starts, starts)


# ---- which rows belong to which wave ----

_Placing = Callable[[Table], npt.NDArray[np.intp]]


def _placing(codebook: Codebook, tables: Sequence[Table], waves: Sequence[WaveRows]) -> _Placing:
    """A function from a table to the place of each row's wave, -1 for none."""
    if codebook.wave is not None:
        places = _value_places(codebook, waves)
        column, by = codebook.wave.column, codebook.wave.by

        def by_value(table: Table) -> npt.NDArray[np.intp]:
            found = _column(table, column)
            codes = found.values if by is None else [period_code(by, each) for each in found.values]
            known = [places.get(code, MISSING) for code in codes]
            return np.array([*known, MISSING])[found.codes]

        return by_value
    files = _file_places(codebook, tables, len(waves))

    def by_file(table: Table) -> npt.NDArray[np.intp]:
        return np.full(table.rows, files[table.origin])

    return by_file


def _value_places(codebook: Codebook, waves: Sequence[WaveRows]) -> dict[str, int]:
    if not codebook.waves:
        return {rows.wave.code: place for place, rows in enumerate(waves)}
    return {
        value: place for place, coded in enumerate(codebook.waves) for value in wave_values(coded)
    }


def _file_places(codebook: Codebook, tables: Sequence[Table], waves: int) -> Mapping[str, int]:
    if any(coded.files for coded in codebook.waves):
        return {table.origin: _matching_wave(codebook, table) for table in tables}
    if waves == 1:
        return {table.origin: 0 for table in tables}
    if waves != len(tables):
        raise SurveyError(
            f"The codebook has {waves} waves for {len(tables)} files. Name the wave column "
            '([wave] column = "…"), or say which files each wave has (files = "*week47*").'
        )
    return {table.origin: place for place, table in enumerate(tables)}


def _matching_wave(codebook: Codebook, table: Table) -> int:
    found = [
        place
        for place, coded in enumerate(codebook.waves)
        if coded.files and fnmatch(table.name, coded.files)
    ]
    if len(found) != 1:
        count = "no wave's" if not found else "more than one wave's"
        raise SourceError(SourcePlace(table.origin), f"its name matches {count} `files`.")
    return found[0]


# ---- weights ----


def _weights(codebook: Codebook, table: Table) -> npt.NDArray[np.float64]:
    """Weights, float64[rows]; NaN where there is none. Without a weight column all weigh 1."""
    if codebook.weight is None:
        return np.ones(table.rows)
    column = codebook.weight.column
    found = _column(table, column)
    missing = {canonical_value(value) for value in codebook.source.not_asked} | found.missing
    numbers = np.full(len(found.values) + 1, np.nan)
    plain = None if missing.intersection(found.values) else _plain_weights(found.values)
    if plain is not None:
        numbers[:-1] = plain
    else:
        for code, value in enumerate(found.values):
            if value not in missing:
                numbers[code] = _weight(table, column, found, code)
    return numbers[found.codes]


def _plain_weights(values: Sequence[str]) -> npt.NDArray[np.float64] | None:
    """The values as numbers, at once, since there may be millions; None if one is not a weight."""
    try:
        # Numpy reads past an underscore, as Python does.
        numbers = np.array(["nan" if "_" in value else value for value in values], np.float64)
    except ValueError:
        return None
    return numbers if ((numbers >= 0) & (numbers <= MOST_WEIGHT)).all() else None


def _weight(table: Table, column: str, found: Column, code: int) -> float:
    value = found.values[code]
    number = number_of(value)
    if number is not None and 0 <= number <= MOST_WEIGHT:
        return number
    row = int(np.flatnonzero(found.codes == code)[0]) + 1
    advice = ' Is the comma a decimal sign? Then write [source] decimal = ",".'
    raise SourceError(
        SourcePlace(table.origin, row, column, value),
        f"a weight must be a number from 0 to {MOST_WEIGHT:,.0f}, or empty."
        + (advice if "," in value else ""),
    )


def _column(table: Table, column: str) -> Column:
    found = table.columns.get(column)
    if found is None:
        place = SourcePlace(table.origin, column=column)
        raise SourceError(place, "the file has no such column, and the codebook needs it.")
    return found


def _unknown_wave(codebook: Codebook, table: Table, flags: npt.NDArray[np.bool_]) -> str:
    """Why rows have no known wave, with the values of its column."""
    if codebook.wave is None:
        return "without a known wave"
    found = _column(table, codebook.wave.column)
    codes = sorted({int(code) for code in found.codes[flags]})
    values = [repr(found.values[code]) for code in codes if code != MISSING]
    values += ["an empty cell"] if MISSING in codes else []
    return f"without a known wave (column {codebook.wave.column} holds {listed(values)})"


def _report_dropped(
    report: ImportReport, table: Table, flags: npt.NDArray[np.bool_], reason: str
) -> None:
    rows = np.flatnonzero(flags)
    if rows.size:
        report.dropped.append(Dropped(table.name, reason, len(rows), int(rows[0]) + 1))


def columns_of(codebook: Codebook) -> Iterator[str]:
    """Every column that the codebook names."""
    for part in (codebook.weight, codebook.wave):
        if part is not None:
            yield part.column
    yield from codebook.design.columns
    for question in codebook.questions:
        yield from question.columns
