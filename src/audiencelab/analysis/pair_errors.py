"""How sure differences of shares are: by the respondents of both sides, or else by their bases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import located
from audiencelab.analysis.plan import ONE_CLUSTER, Errors, Pairs, errors_of_bases
from audiencelab.analysis.prepare import TestInputs
from audiencelab.analysis.statistics import is_zero_or_full
from audiencelab.results.asking import Ask, Unanswered, query_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData
from audiencelab.results.undefined import WITHHELD
from audiencelab.schema.local import Linearised
from audiencelab.schema.query import CrosstabQuery

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]

_NONE = 1e-18
"""A variance of less than this is the rounding of one that the sample's design fixes at 0."""

# Two blocks are the 200 columns whose pairs the engine computes at once.
_BLOCK = 100
"""Columns of a large table; the pairs of two blocks are asked for together."""

# The limit of `engine.variance.table` for covariances, beyond which a table has none.
_MOST_CELLS = 4_000_000
"""Rows × columns² that are asked for together."""


class _Places(NamedTuple):
    """Rows and columns of pairs in the table that was measured, each [rows, pairs]."""

    rows: Positions
    first: Positions
    second: Positions


class _Variances(NamedTuple):
    """Of differences of two columns: under their pooled share, and of their shares apart.

    freedom: degrees of freedom of both together. All arrays are float64[rows, pairs].
    """

    pooled: Floats
    apart: Floats
    freedom: Floats


def errors_of_pairs(
    ready: TestInputs,
    result: CrosstabData | StatsData,
    pairs: Pairs,
    overlap: Floats | None = None,
    *,
    waves: bool = False,
) -> Errors:
    """Of pairs of columns.

    overlap: the correlation of their shares, as far as the caller knows it, [rows, pairs].
    waves: whether columns are waves, which share only persons of a panel, or clusters. Raises
    `LookupError` for a table that is too large, where its service answers no parts of it.
    """
    found = ready.linearised
    if found is None:
        if overlap is None and ready.measured is not None:
            overlap = _correlations(ready, _places(ready, pairs))
        return errors_of_bases(
            ready.settings,
            pairs.first,
            pairs.second,
            0.0 if overlap is None else overlap,
            known="" if overlap is None or waves else "respondents",
        )
    places = _places(ready, pairs)
    variances = _variances(found, places)
    if variances is None:
        variances = _by_parts(ready, result, places)
    # Where both columns have a variance, but not the pair, the service withholds it.
    unknown = np.isnan(found.variance[places.rows, places.first])
    unknown |= np.isnan(found.variance[places.rows, places.second])
    clustered = found.clusters is not None or found.replicates is not None
    both = "respondents and clusters" if clustered else "respondents"
    shared = "persons" if found.paired else "clusters" if found.common_points else ""
    return Errors(
        _error(ready, pairs, variances.pooled, variances.apart),
        variances.freedom,
        known=shared if waves else both,
        of_bases=False,
        unsure=np.where(unknown, ONE_CLUSTER, WITHHELD),
    )


def errors_of_rest(ready: TestInputs, pairs: Pairs) -> Errors:
    """Of each column and the rest of its base."""
    found = ready.linearised
    if found is None:
        return errors_of_bases(ready.settings, pairs.first, pairs.second)
    apart = found.variance + found.rest_variance - 2 * found.rest_covariance
    return Errors(
        _error(ready, pairs, found.rest_pooled, apart),
        found.rest_freedom,
        known="" if found.clusters is None and found.replicates is None else "clusters",
        of_bases=False,
    )


def _error(ready: TestInputs, pairs: Pairs, pooled: Floats, apart: Floats) -> Floats:
    """The errors under the pooled share, or of the shares apart, except at 0 and 100%."""
    if ready.settings.pooled:
        variance = pooled
    else:
        ends = is_zero_or_full(pairs.first.value) | is_zero_or_full(pairs.second.value)
        variance = np.where(ends, pooled, apart)
    return np.sqrt(np.where(variance < _NONE, 0.0, variance))


def _places(ready: TestInputs, pairs: Pairs) -> _Places:
    assert ready.measured is not None
    down, across = located(ready.measured, ready.table)
    first = pairs.column
    # -1, for no wave before, is not a position; the plan does not make these tests.
    second = np.where(pairs.other < 0, first, pairs.other)
    return _Places(
        np.take_along_axis(down, first, axis=1),
        np.take_along_axis(across, first, axis=1),
        np.take_along_axis(across, second, axis=1),
    )


def _variances(found: Linearised, places: _Places) -> _Variances | None:
    """None of a table that is too large for its pairs."""
    if found.pooled is None or found.covariance is None:
        return None
    rows, first, second = places
    own = found.variance[rows, first] + found.variance[rows, second]
    freedom = found.freedom_of(*places)
    return _Variances(found.pooled[places], own - 2 * found.covariance[places], freedom)


def _correlations(ready: TestInputs, places: _Places) -> Floats | None:
    """Of two columns that are worth as many respondents as their bases, by who is in both."""
    assert ready.measured is not None
    answer = ready.measured.precision
    if answer.shared is None:
        return None
    rows, first, second = places
    sets = np.array(answer.shared_of, np.intp)[rows]
    # The diagonal has the respondents of the column itself.
    both, one, other = (
        answer.shared[sets, *each] for each in ((first, second), (first, first), (second, second))
    )
    # NaN where the service withholds who is in both, 0 for an empty column.
    unknown = np.where(np.isnan(both), np.nan, 0.0)
    return np.divide(both, np.sqrt(one * other), out=unknown, where=one * other > 0)


def _by_parts(ready: TestInputs, result: CrosstabData | StatsData, places: _Places) -> _Variances:
    """The variances of a table that is too large for all its pairs at once, asked for in parts."""
    query, ask = query_of(result), result.ask
    if not ready.automatic:
        raise ValueError(
            "These design effects do not have pairs of so many columns. Leave out design=: then "
            "the sample's own are computed in parts."
        )
    if ask is not None and isinstance(query, CrosstabQuery):
        size = _BLOCK
        # 100, 25, 6 and 1: a service that refuses a part may answer a smaller one.
        while size:
            found = _in_blocks(ask, query, places, size)
            if found is not None:
                return found
            size //= 4
    raise LookupError(
        "Pairs of so many columns are not known. Compare fewer columns, or each with everyone "
        'else: test(vs="rest").'
    )


def _in_blocks(ask: Ask, query: CrosstabQuery, places: _Places, size: int) -> _Variances | None:
    """None where a part is too large, too; size: columns of a block."""
    found = _Variances(*np.full((3, *places.rows.shape), np.nan))
    for rows, pairs in _blocks(places, size):
        first, second = places.first[rows[0], pairs], places.second[rows[0], pairs]
        columns: list[int] = sorted({*first.tolist(), *second.tolist()})
        at_rows: list[int] = rows.tolist()
        part = replace(
            query,
            rows=tuple(query.rows[row] for row in at_rows),
            columns=tuple(query.columns[column] for column in columns),
        )
        try:
            linearised = ask.precision(part).linearised
        except Unanswered:
            return None
        shape = (len(rows), len(pairs))
        at = {column: place for place, column in enumerate(columns)}
        one, other = (
            np.broadcast_to(np.array([at[column] for column in each], np.intp), shape)
            for each in (first.tolist(), second.tolist())
        )
        inner = _Places(np.indices(shape)[0], one, other)
        variances = None if linearised is None else _variances(linearised, inner)
        if variances is None:
            return None
        for whole, some in zip(found, variances, strict=True):
            whole[np.ix_(rows, pairs)] = some
    return found


def _blocks(places: _Places, size: int) -> Iterator[tuple[Positions, Positions]]:
    """Rows and pairs that are asked for together: of two blocks of columns each."""
    # A part has the columns of two blocks, and an answer is rows × columns².
    step = max(1, _MOST_CELLS // (2 * size) ** 2)
    # Rows have other pairs where one was not asked in some wave.
    columns = np.concatenate([places.first, places.second], axis=1)
    _, which = np.unique(columns, axis=0, return_inverse=True)
    for number in range(int(which.max(initial=-1)) + 1):
        alike = np.flatnonzero(which == number)
        blocks = np.stack([places.first[alike[0]], places.second[alike[0]]]) // size
        for both in np.unique(blocks, axis=1).T:
            pairs = np.flatnonzero((blocks == both[:, None]).all(axis=0))
            for start in range(0, len(alike), step):
                yield alike[start : start + step], pairs
