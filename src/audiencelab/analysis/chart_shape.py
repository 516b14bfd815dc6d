"""A result as far as its chart depends on it: answers, columns, waves and scales."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from audiencelab.analysis.compare_waves import one_waves
from audiencelab.analysis.disjointness import (
    columns_of,
    own_rows,
    require_disjoint,
    require_separate,
)
from audiencelab.expressions import And, Expression, Leaf
from audiencelab.expressions.codes import WAVES
from audiencelab.expressions.nodes import parts_of
from audiencelab.results.banner import Groups
from audiencelab.results.crosstab import CrosstabData, has_total, of_statistics_alone
from audiencelab.results.grid import ITEM
from audiencelab.results.statistic_rows import PARTS_OF_NPS, Statistic
from audiencelab.results.stats import StatsData
from audiencelab.schema.scales import Scale

FEWEST_POINTS = 3
"""Points of a scale from which its order is visible."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its position, its groups, and the answer that it counts."""

    position: int
    groups: Groups
    answer: Leaf | None

    @property
    def point(self) -> str:
        """The code of the answer on its scale; "" for anything but a single answer."""
        return _point(self.answer)

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
    waves: positions of columns that are a wave each. axes: position, name and axis of each
        statistic that is drawn instead of shares; statistics of one axis are drawn on it.
    answers: what each column asks for, a single answer by its question.
    separate: whether each respondent is in at most one of some rows. share: of a row in the base.
    """

    rows: tuple[Row, ...]
    columns: tuple[tuple[int, Groups], ...]
    waves: frozenset[int]
    axes: tuple[tuple[int, str, Any], ...]
    scale_of: Callable[[str], Scale | None]
    separate: Callable[[Sequence[int]], bool]
    share: Callable[[], Sequence[float]]
    answers: Mapping[int, Mapping[str, str]] = field(default_factory=dict[int, Mapping[str, str]])

    def in_order(self, columns: Sequence[int]) -> bool:
        """Whether columns differ by points of one scale, such as ages."""
        asked = [self.answers.get(at, {}) for at in columns]
        questions = dict.fromkeys(question for each in asked for question in each)
        varying = [each for each in questions if len({one.get(each) for one in asked}) > 1]
        scale = self.scale_of(varying[0]) if len(varying) == 1 else None
        if scale is None or not scale.is_ordered or len(asked) < FEWEST_POINTS:
            return False
        return {one.get(varying[0]) for one in asked} <= {*scale.points}

    @property
    def is_over_time(self) -> bool:
        """Whether each column is a wave."""
        return bool(self.columns) and all(at in self.waves for at, _ in self.columns)


def shape_of(
    result: CrosstabData | StatsData, *, with_total: bool = False, statistic: str | None = None
) -> Shape:
    """The shape of a result.

    with_total: whether everyone in the base is a column. statistic: the kind of the statistics of a
    table that are drawn instead of its shares, "" for any; those of a table without shares are in
    any case.
    """
    if isinstance(result, StatsData):
        return _of_stats(result)
    return _of_table(result, with_total=with_total, statistic=statistic)


def _of_table(table: CrosstabData, *, with_total: bool, statistic: str | None) -> Shape:
    alone = of_statistics_alone(table)
    expressions = [each.expression for each in table.rows]
    rows = tuple(Row(at, table.row_groups[at], _leaf(expressions[at])) for at in own_rows(table))
    first = 1 if has_total(table) and len(table.columns) > 1 and not with_total else 0
    drawn = table.statistics if alone or statistic is not None else None
    kinds = drawn.kinds if drawn is not None else []

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
        tuple(
            (at, each.short_name, _axis(each))
            for at, each in enumerate(drawn.rows if drawn is not None else ())
            if not statistic or kinds[at] == statistic
        ),
        table.scales.get,
        separate,
        lambda: table.row_values("row_base_percentage").tolist(),
        {at: _answers(each.expression) for at, each in enumerate(table.columns)},
    )


def _answers(expression: Expression | None) -> dict[str, str]:
    """The single answers that an audience asks for, by question, without its waves."""
    if expression is None:
        return {}
    if isinstance(expression, Leaf):
        point = "" if expression.question == WAVES else _point(expression)
        return {expression.question: point} if point else {}
    parts = parts_of(expression, And)
    return {} if len(parts) < 2 else dict(each for part in parts for each in _answers(part).items())


def _point(leaf: Leaf | None) -> str:
    """The code of the only answer that a leaf takes; "" for anything else."""
    if leaf is None or leaf.negated or leaf.min_count != 1:
        return ""
    codes = leaf.suffixes or leaf.datapoints
    return str(codes[0]) if len(codes) == 1 else ""


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
