"""A result as far as its chart depends on it: answers, columns, waves and scales."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from audiencelab.analysis.compare_waves import one_waves
from audiencelab.analysis.disjointness import (
    columns_of,
    own_rows,
    require_disjoint,
    require_separate,
)
from audiencelab.expressions import Expression, Leaf
from audiencelab.expressions.codes import WAVES
from audiencelab.results.banner import Groups
from audiencelab.results.crosstab import CrosstabData, has_total, of_statistics_alone
from audiencelab.results.grid import ITEM
from audiencelab.results.statistic_rows import PARTS_OF_NPS, Statistic
from audiencelab.results.stats import StatsData
from audiencelab.schema.scales import Scale


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its position, its groups, and the answer that it counts."""

    position: int
    groups: Groups
    answer: Leaf | None

    @property
    def point(self) -> str:
        """The code of the answer on its scale; "" for anything but a single answer."""
        leaf = self.answer
        if leaf is None or leaf.negated or leaf.min_count != 1:
            return ""
        codes = leaf.suffixes or leaf.datapoints
        return str(codes[0]) if len(codes) == 1 else ""

    @property
    def item(self) -> tuple[str, ...]:
        """What its scale is about: a question, or an item of a grid."""
        leaf = self.answer
        if leaf is None:
            return ()
        return (leaf.question, *(leaf.datapoints if leaf.suffixes else ()))


@dataclass(frozen=True, slots=True)
class Shape:
    """A result as far as its chart depends on it.

    rows: those of shares, without nets. columns: position and groups, without everyone in the base.
    waves: positions of columns that are a wave each. axes: name and axis of each statistic of a
        table that has no shares; statistics of one axis are drawn on it.
    separate: whether each respondent is in at most one of some rows. share: of a row in the base.
    """

    rows: tuple[Row, ...]
    columns: tuple[tuple[int, Groups], ...]
    waves: frozenset[int]
    axes: tuple[tuple[str, Any], ...]
    scale_of: Callable[[str], Scale | None]
    separate: Callable[[Sequence[int]], bool]
    share: Callable[[], Sequence[float]]

    @property
    def is_over_time(self) -> bool:
        """Whether each column is a wave."""
        return bool(self.columns) and all(at in self.waves for at, _ in self.columns)


def shape_of(
    result: CrosstabData | StatsData, *, with_total: bool = False, with_statistics: bool = False
) -> Shape:
    """The shape of a result.

    with_total: whether everyone in the base is a column. with_statistics: whether the statistics of
    a table are drawn instead of its shares; those of a table without shares are in any case.
    """
    if isinstance(result, StatsData):
        return _of_stats(result)
    return _of_table(result, with_total=with_total, with_statistics=with_statistics)


def _of_table(table: CrosstabData, *, with_total: bool, with_statistics: bool) -> Shape:
    alone = of_statistics_alone(table)
    expressions = [each.expression for each in table.rows]
    rows = tuple(Row(at, table.row_groups[at], _leaf(expressions[at])) for at in own_rows(table))
    first = 1 if has_total(table) and len(table.columns) > 1 and not with_total else 0
    drawn = table.statistics if alone or with_statistics else None

    def separate(drawn: Sequence[int]) -> bool:
        try:
            require_separate(table, "the stack", drawn, disjoint=False)
        except ValueError:
            return False
        return True

    return Shape(
        () if drawn is not None else rows,
        tuple((at, table.column_groups[at]) for at in range(first, len(table.columns))),
        frozenset(at for at, wave in enumerate(one_waves(table)) if wave is not None),
        tuple((each.short_name, _axis(each)) for each in (drawn.rows if drawn is not None else ())),
        table.scales.get,
        separate,
        lambda: table.row_values("row_base_percentage").tolist(),
    )


def _leaf(expression: Expression | None) -> Leaf | None:
    return expression if isinstance(expression, Leaf) else None


def _of_stats(result: StatsData) -> Shape:
    columns, codes = columns_of(result), result.datapoints
    added = result.provenance.get("nets", {})

    def separate(drawn: Sequence[int]) -> bool:
        asked = [column for column in columns if column.waves]
        try:
            require_disjoint(result, asked, disjoint=False)
        except ValueError:
            return False
        return len(drawn) > 1

    def share() -> list[float]:
        shown = columns[0].rows if columns else {}
        return [shown[code].metrics.positive_size if code in shown else 0.0 for code in codes]

    # The answers of a grid by item are points of its scale, which has an order in any case.
    by_item, scale = result.splitter == ITEM, result.labels.scale
    if by_item and scale is None:
        scale = Scale(codes, None, frozenset())

    def answer(code: str) -> Leaf:
        if by_item:
            return Leaf(result.question, (ITEM,), (code,))
        return Leaf(result.question, (code,))

    return Shape(
        tuple(Row(at, (), answer(code)) for at, code in enumerate(codes) if code not in added),
        # Audiences are panels of segments.
        tuple(
            (at, (result.audience_name(each.audience),) if each.audience and each.segment else ())
            for at, each in enumerate(columns)
        ),
        frozenset(range(len(columns)) if result.splitter == WAVES else ()),
        (),
        lambda _: scale,
        separate,
        share,
    )


def _axis(statistic: Statistic) -> Any:
    """What statistics have in common that are drawn on one axis."""
    kind = statistic.kind
    if kind == "nps":
        return kind
    if kind in PARTS_OF_NPS:
        return "%"
    # Medians are on the axis of means.
    what = "value" if kind in ("mean", "percentile") else kind
    return what, statistic.amounts or statistic.question
