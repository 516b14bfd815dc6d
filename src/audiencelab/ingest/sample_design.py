"""Strata and clusters of a wave, from the columns that the codebook names."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.codebook import DesignColumns, Source, canonical_value
from audiencelab.ingest.columns import MISSING, Column
from audiencelab.ingest.value_mapping import natural
from audiencelab.ingest.waves import Segment, WaveRows
from audiencelab.survey.answers import Codes, Design
from audiencelab.survey.errors import SourceError, SourcePlace


def design_of(columns: DesignColumns, wave: WaveRows, source: Source) -> Design:
    """Strata and clusters of a wave's respondents; unknown in a wave where no respondent has them.

    Raises `SourceError` for a single respondent without a stratum or a cluster: a variance would
    have to guess one.
    """
    strata = _numbers(columns.strata, wave, source)
    clusters = _numbers(columns.clusters, wave, source)
    if strata is not None and clusters is not None:
        # Units are often numbered from 1 in each stratum.
        units = np.unique(np.stack([strata, clusters]), axis=1, return_inverse=True)[1]
        clusters = units.reshape(-1).astype(np.int32)
    return Design(strata, clusters)


def _numbers(name: str | None, wave: WaveRows, source: Source) -> Codes | None:
    """The place of each respondent's value among those of the wave, in order."""
    if name is None:
        return None
    none = {canonical_value(value) for value in source.not_asked}
    columns = [segment.table.columns.get(name) for segment in wave.segments]
    known = {value for column in columns if column for value in {*column.values} - column.missing}
    places = {value: place for place, value in enumerate(sorted(known - none, key=natural))}
    numbers = [
        _segment_numbers(column, places, segment)
        for column, segment in zip(columns, wave.segments, strict=True)
    ]
    if all((each == MISSING).all() for each in numbers):
        return None
    for segment, each in zip(wave.segments, numbers, strict=True):
        if (without := np.flatnonzero(each == MISSING)).size:
            raise _unknown(name, segment, without)
    return np.concatenate(numbers)


def _segment_numbers(column: Column | None, places: Mapping[str, int], segment: Segment) -> Codes:
    """The place of each row's value, `MISSING` where it has none."""
    if column is None:
        return np.full(len(segment.rows), MISSING, np.int32)
    own = [MISSING if v in column.missing else places.get(v, MISSING) for v in column.values]
    # One more place at the end: an empty cell is the code -1.
    return np.array([*own, MISSING], np.int32)[column.take(segment.rows).codes]


def _unknown(name: str, segment: Segment, without: npt.NDArray[np.intp]) -> SourceError:
    return SourceError(
        SourcePlace(segment.table.origin, int(segment.rows[without[0]]) + 1, name),
        f"{len(without):,} respondents of this wave have no value here, the first of them in this "
        "row, and [design] in the codebook names the column: fill it, or leave it out there.",
    )
