"""How the sample of a wave was drawn: strata, clusters, persons, population sizes, replicates.

A design that cannot be what it is declared as is refused here: a variance would have to guess.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.codebook import Codebook, DesignColumns, canonical_value, natural
from audiencelab.ingest.columns import MISSING, Column
from audiencelab.ingest.waves import Segment, WaveRows, weights_in
from audiencelab.survey.answers import MOST_OF_PANELS, Codes, Design, Replicates
from audiencelab.survey.errors import SourceError, SourcePlace
from audiencelab.wording import plural

_FILL = (
    "it is named in the design of the sample: fill it, or leave the column out of strata=, "
    "clusters= and fpc=, or of [design] in the codebook."
)


def sample_design(codebook: Codebook, wave: WaveRows) -> Design:
    """Strata, clusters and persons of a wave; unknown where no respondent of the wave has them.

    Raises `SourceError`, with the column, for a single respondent without a stratum, a cluster, a
    person, a population size or a replicate weight, and for a column that cannot be one of them.
    """
    design = codebook.design
    strata, clusters, persons = (
        None if name is None else _numbered(name, wave, codebook)
        for name in (design.strata, design.clusters, design.person)
    )
    if strata is not None and clusters is not None:
        # Units are often numbered from 1 in each stratum.
        if not design.has_common_units:
            units = np.unique(np.stack([strata, clusters]), axis=1, return_inverse=True)[1]
            clusters = units.reshape(-1)
        else:
            # One number for each pair, the same in waves that are imported later, so not an index.
            # The product may overflow, but always in the same way.
            clusters = (strata * 1_000_003 + clusters) % MOST_OF_PANELS
    # A wave without persons, or clusters that recur, is a sample of its own: its numbers need not
    # agree with others.
    recur = design.clusters_recur and clusters is not None
    if design.has_common_units and persons is None and not recur:
        strata, clusters = (
            None if each is None else np.unique(each, return_inverse=True)[1].reshape(-1)
            for each in (strata, clusters)
        )
    fpc = None if design.fpc is None else _measured(codebook, wave, design.fpc)
    drawn = Design(strata, clusters, fpc, _replicates(codebook, wave), persons=persons, recur=recur)
    _check_drawn(drawn, design, wave)
    return drawn


def _check_drawn(drawn: Design, names: DesignColumns, wave: WaveRows) -> None:
    """Raise `SourceError` for strata that are numbers of respondents, and for sizes that misfit."""
    strata, count = drawn.strata, len(wave)
    # Such a column is the number of a respondent, named as strata by mistake.
    if strata is not None and drawn.clusters is None and len(np.unique(strata)) == count > 1:
        raise _error(
            wave,
            names.strata,
            f"each of the {count:,} respondents of wave {wave.wave.code} has another value here, "
            "so that no stratum shows a variance. The strata are another column; a number of "
            f"respondents or of sampling units is clusters: clusters={names.strata!r}.",
        )
    if misfit := drawn.population_error():
        raise _error(
            wave, names.fpc, f"wave {wave.wave.code}: {misfit}, or leave fpc out of the design."
        )


def _replicates(codebook: Codebook, wave: WaveRows) -> Replicates | None:
    """The replicate weights of a wave; a wave of another sample may have none."""
    names = codebook.design.replicates
    found = {name: _measured(codebook, wave, name) for name in names}
    given = {name: weights for name, weights in found.items() if weights is not None}
    if not given:
        return None
    code = wave.wave.code
    for name in names:
        if name not in given or not given[name].any():
            problem = "no value" if name not in given else "a weight of 0 for everyone"
            raise _error(
                wave,
                name,
                f"this replicate weight has {problem} in wave {code}, which has "
                f"{plural(len(given), 'replicate weight')}: fill it, or leave it out of "
                "replicates in [design] of the codebook.",
            )
    method = codebook.design.replicate_method or ""
    return Replicates(np.array([*given.values()]), np.array(codebook.design.scales()), method)


def _error(wave: WaveRows, column: str | None, detail: str) -> SourceError:
    return SourceError(SourcePlace(wave.segments[0].table.origin, column=column), detail)


def _measured(codebook: Codebook, wave: WaveRows, column: str) -> npt.NDArray[np.float64] | None:
    """The numbers in a column, float64[n]; None where no respondent of the wave has one.

    Raises `SourceError` for a single respondent without.
    """
    if not any(column in segment.table.columns for segment in wave.segments):
        return None
    found = [weights_in(codebook, each.table, column)[each.rows] for each in wave.segments]
    without = [np.isnan(each) for each in found]
    if all(each.all() for each in without):
        return None
    _check_filled(wave, without, column)
    return np.concatenate(found)


def _check_filled(wave: WaveRows, without: list[npt.NDArray[np.bool_]], column: str) -> None:
    """Raise `SourceError` where a respondent has no value; without: bool[rows] by segment."""
    for segment, each in zip(wave.segments, without, strict=True):
        if (rows := np.flatnonzero(each)).size:
            have = "has" if len(rows) == 1 else "have"
            raise SourceError(
                SourcePlace(segment.table.origin, int(segment.rows[rows[0]]) + 1, column),
                f"{plural(len(rows), 'respondent')} of this wave {have} no value here, the first "
                f"of them in this row, and {_FILL}",
            )


def _numbered(name: str, wave: WaveRows, codebook: Codebook) -> Codes | None:
    """The index of each respondent's value among those of the wave, in order.

    Of a panel, or of clusters that recur, a number made from the value, which is the same in waves
    that are imported later.
    """
    none = {canonical_value(value) for value in codebook.source.not_asked}
    columns = [segment.table.columns.get(name) for segment in wave.segments]
    values = {value for column in columns if column for value in {*column.values} - column.missing}
    if not codebook.design.has_common_units:
        indices = {value: index for index, value in enumerate(sorted(values - none, key=natural))}
    else:
        indices = {value: _number_of(value) for value in values - none}
    numbers = [
        _segment_numbers(column, indices, segment)
        for column, segment in zip(columns, wave.segments, strict=True)
    ]
    if all((each == MISSING).all() for each in numbers):
        return None
    _check_filled(wave, [each == MISSING for each in numbers], name)
    return np.concatenate(numbers)


def _number_of(value: str) -> int:
    digest = hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    # From the text itself, whose index would change with the values of later waves.
    return int.from_bytes(digest) % MOST_OF_PANELS


def _segment_numbers(column: Column | None, indices: Mapping[str, int], segment: Segment) -> Codes:
    if column is None:
        return np.full(len(segment.rows), MISSING, np.int64)
    own = [MISSING if v in column.missing else indices.get(v, MISSING) for v in column.values]
    return np.array([*own, MISSING], np.int64)[column.take(segment.rows).codes]
