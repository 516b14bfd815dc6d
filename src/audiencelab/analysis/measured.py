"""What weights and the sample's design do to a result, as its service answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import DesignEffects, effects_of
from audiencelab.analysis.proportions import Proportions, proportions_of
from audiencelab.results.asking import Ask, Unanswered, query_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData
from audiencelab.schema.local import Precision
from audiencelab.schema.query import CrosstabQuery

Floats = NDArray[np.float64]

UNKNOWN = "design unknown"

_ROUNDING = 1e-6
"""Shares of 1, and parts of sizes, that are nearer to each other than this are equal."""


class ColumnEffects(NamedTuple):
    """Kish's design effect of each column, float64[rows, columns], and the `DesignEffects`.

    unknown: why there are none, for a method note; "" where there are. effects: None where they
    were not asked for.
    """

    kish: Floats | None = None
    effects: DesignEffects | None = None
    unknown: str = ""


def measured(result: CrosstabData | StatsData, *, effects: bool) -> ColumnEffects:
    """A result measured by its service; effects: whether as `DesignEffects`."""
    asked = own_rows(result) if isinstance(result, StatsData) else result
    query = query_of(asked)
    if result.ask is None or query is None:
        return ColumnEffects(unknown=UNKNOWN)
    try:
        found = result.ask.precision(query, effects=effects)
    except Unanswered as error:
        return ColumnEffects(unknown=f"{UNKNOWN}: {error}".rstrip("."))
    if isinstance(result, StatsData) and asked is not result:
        found = with_nets(found, result)
    table = proportions_of(result)
    if not agrees(table, found):
        return ColumnEffects(unknown=UNKNOWN)
    return ColumnEffects(found.kish, effects_of(table, found) if effects else None)


def require_recorded(result: CrosstabData | StatsData) -> None:
    """Raise `Unanswered` for a replayed result whose design was not recorded.

    A test without it is another one than that of the survey.
    """
    query = query_of(own_rows(result) if isinstance(result, StatsData) else result)
    if result.ask is None or query is None:
        return
    try:
        result.ask.precision(query)
    except Unanswered as error:
        if error.is_unrecorded:
            raise Unanswered(
                f"{error}. Without the sample's design it would be another test. "
                "Write table.test(design=None)."
            ) from None


def kish_of_columns(result: StatsData, columns: Sequence[str]) -> tuple[Floats | None, str]:
    """Kish's design effect of each column, by their ids; None, and why, where it is not known."""
    found = measured(result, effects=False)
    if found.kish is None:
        return None, found.unknown
    known = dict(zip(proportions_of(result).columns.ids, found.kish.T, strict=True))
    # Rows may count different respondents; the largest effect is the cautious one.
    return np.array([np.fmax.reduce(known[column]) for column in columns]), ""


def shared_columns(result: CrosstabData) -> Floats | None:
    """Which part of each column (across) is in another (down), float64[columns, columns]."""
    query = query_of(result)
    if result.ask is None or not isinstance(query, CrosstabQuery):
        return None
    try:
        shared = result.ask.precision(query).shared
    except Unanswered:
        return None
    if shared is None:
        return None
    # shared is float64[sets of rows, columns, columns]: rows of a set count the same respondents.
    both = shared.max(axis=0)
    own = np.diag(both)
    return np.divide(both, own, out=np.zeros_like(both), where=own > 0)


def asking(result: CrosstabData, what: str) -> tuple[Ask, CrosstabQuery]:
    """What asks for a table, and its query; what: the test that needs them.

    Raises `LookupError` where the table has none.
    """
    query = query_of(result)
    if result.ask is None or not isinstance(query, CrosstabQuery):
        raise LookupError(
            f"{what} needs the respondents, and those of this table are neither in this process "
            "nor those of a service of audiencelab. Open the survey itself: al.open(folder)."
        )
    return result.ask, query


def agrees(table: Proportions, precision: Precision) -> bool:
    """Whether an answer is about the values of a table: nets of answers that overlap are not."""
    known = ~np.isnan(table.cells.value)
    if table.shape != precision.sample.shape:
        return False
    # NaN is what the service withholds.
    known &= ~np.isnan(precision.sample)
    same_size = np.abs(table.cells.size - precision.size) <= _ROUNDING * precision.size
    if not (same_size & (table.cells.sample == precision.sample))[known].all():
        return False
    if precision.linearised is None:
        return True
    apart = np.abs(table.cells.value - precision.linearised.share)[known]
    return bool((apart < _ROUNDING).all())


def own_rows(result: StatsData) -> StatsData:
    """The result without nets; the same object if it has none."""
    nets = result.provenance.get("nets", ())
    if not nets:
        return result
    return replace(result, rows=tuple(row for row in result.rows if row.datapoint not in nets))


def with_nets(precision: Precision, result: StatsData) -> Precision:
    """The precision of a result with nets, from that of its own rows.

    A net has Kish's design effects of its columns. Its variance does not follow from those of its
    members, so nothing is linearised.
    """
    # Members of a net have one base, so the first has that of all.
    first = [each[0] for each in _members(result)]
    return structs.replace(
        precision,
        sample=precision.sample[first],
        size=precision.size[first],
        kish=precision.kish[first],
        rest_kish=precision.rest_kish[first],
        shared_of=tuple(precision.shared_of[each] for each in first) if precision.shared_of else (),
        linearised=None,
    )


def _members(result: StatsData) -> list[list[int]]:
    """For each row of the table, the positions of the own rows that it adds up."""
    nets = result.provenance["nets"]
    codes = [code for code in result.datapoints if code not in nets]

    def of(code: str) -> list[int]:
        if code in nets:
            return [position for each in nets[code] for position in of(each)]
        return [codes.index(code)]

    return [of(code) for code in result.datapoints]
