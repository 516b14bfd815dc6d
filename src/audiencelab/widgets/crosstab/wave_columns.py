"""Waves as columns of a grid: alone, or within each column; and the columns without them again."""

from __future__ import annotations

from collections.abc import Mapping

from audiencelab.expressions import Audience, Expression, Leaf, all_of, nest
from audiencelab.expressions.codes import WAVES
from audiencelab.expressions.nodes import And, parts_of
from audiencelab.results.banner import Groups
from audiencelab.widgets.crosstab.axis import AxisAudiences, as_axis


def has_waves(columns: AxisAudiences | None) -> bool:
    """Whether columns are waves, or are within waves."""
    return any(_split(each)[0] for each in columns or ())


def with_waves(columns: AxisAudiences | None, waves: Mapping[str, str]) -> AxisAudiences | None:
    """The waves within each column, which becomes a group; the waves alone without columns.

    waves: names by code. Columns that are waves already become these.
    """
    plain = without_waves(columns)
    alone = as_axis(WAVES, "columns", lambda: None, waves=lambda: waves) or AxisAudiences()
    if not plain:
        return alone
    found: list[tuple[Audience, Groups]] = []
    for column, above in zip(plain, plain.groups, strict=True):
        [within] = nest([column], list(alone)).values()
        found += ((each, (*above, column.name)) for each in within)
    return AxisAudiences((each for each, _ in found), (groups for _, groups in found))


def without_waves(columns: AxisAudiences | None) -> AxisAudiences | None:
    """The columns within which waves are; None for waves alone."""
    if columns is None or not has_waves(columns):
        return columns
    found: dict[tuple[Audience, Groups], None] = {}
    for column, groups in zip(columns, columns.groups, strict=True):
        is_wave, others = _split(column)
        if not is_wave:
            found[column, groups] = None
        elif others or len(groups) > 1:
            rest = others[0] if len(others) == 1 else all_of(*others) if others else None
            found[Audience(groups[-1] if groups else "", rest), groups[:-1]] = None
    audiences, above = [each for each, _ in found], [groups for _, groups in found]
    return AxisAudiences(audiences, above) or None


def _split(column: Audience) -> tuple[bool, list[Expression]]:
    """Whether a column is one wave, and its other conditions."""
    given = column.expression
    parts = [] if given is None else [*parts_of(given, And)]
    waves = [each for each in parts if _is_wave(each)]
    return len(waves) == 1, [each for each in parts if not _is_wave(each)]


def _is_wave(given: Expression) -> bool:
    if not isinstance(given, Leaf) or given.question != WAVES:
        return False
    return not given.negated and len(given.datapoints) == 1
