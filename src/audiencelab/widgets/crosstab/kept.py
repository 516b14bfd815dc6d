"""What is kept of a query when the survey that answers it has changed, and what is gone."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from audiencelab.expressions import Audience, Expression, Leaf, walk
from audiencelab.expressions.codes import ASKED, WAVES
from audiencelab.expressions.nodes import Condition
from audiencelab.widgets.crosstab.axis import AxisAudiences, as_axis
from audiencelab.widgets.crosstab.placed import PlacedStatistics
from audiencelab.widgets.crosstab.query import GridQuery

if TYPE_CHECKING:
    from audiencelab.client import Catalogue


@dataclass(frozen=True)
class Kept:
    """A query of which all codes exist, and the names of what is gone from it."""

    query: GridQuery
    gone: tuple[str, ...] = ()


class QueryKeeper:
    """Keeps of queries what a survey still has.

    before, now: its catalogue before and after the change. waves: the codes of its waves now.
    """

    def __init__(self, before: Catalogue, now: Catalogue, waves: Container[str]) -> None:
        self._before = before
        self._now = now
        self._waves = waves

    def of(self, query: GridQuery) -> Kept:
        """The query without what is gone; a question that has changed is there as it is now."""
        gone: list[str] = []
        rows, columns = (self._axis(axis, gone) for axis in (query.rows, query.columns))
        bases = [each for each in query.bases or () if self._has(each, gone)]
        statistics = [each for each in query.statistics if all(map(self._is_same, each.questions))]
        gone += [each.name for each in query.statistics if each not in statistics]
        placed = query.statistics.carried(query.rows, rows).places
        kept = PlacedStatistics(each for each in placed if each.statistic in statistics)
        scope = query.scope
        if scope.base is not None and not self._has(scope.base, gone):
            scope = replace(scope, base=None)
        if scope.waves and not all(each in self._waves or " " in each for each in scope.waves):
            gone.append("the chosen waves")
            scope = replace(scope, waves=None)
        made = GridQuery(rows, columns, scope, tuple(bases) or None, kept)
        return Kept(made, tuple(dict.fromkeys(gone)))

    def knows(self, expression: Expression | None) -> bool:
        """Whether all codes of an expression exist, and mean the same kind of answers."""
        return all(map(self._knows, _conditions(expression)))

    def _axis(self, axis: AxisAudiences | None, gone: list[str]) -> AxisAudiences | None:
        if axis is None:
            return None
        parts: list[AxisAudiences] = []
        names, at = axis.full_names, 0
        put: set[str] = set()
        while at < len(axis):
            whole = self._whole(axis, at)
            others = self._other_kinds(axis[at])
            if whole is not None:
                count, made = whole
                parts.append(made)
                at += count
                continue
            if self.knows(axis[at].expression):
                parts.append(axis.take([at]))
            elif not others:
                gone.append(names[at])
            for code in others:
                made = None if code in put else as_axis([code], "rows", lambda: self._now)
                parts += [made] if made else []
                put.add(code)
            at += 1
        return _joined(parts)

    def _whole(self, axis: AxisAudiences, at: int) -> tuple[int, AxisAudiences] | None:
        """How many items from here on are all answers of a question, and what these are now."""
        first = axis[at].expression
        if not isinstance(first, Leaf) or not self._is_same(first.question):
            return None
        before, now = self._before.of_code(first.question), self._now.of_code(first.question)
        if before is None or now is None or before.suffixes:
            return None
        listed, count = before.audiences(), len(before.datapoints)
        items = axis[at : at + count]
        groups = axis.groups[at : at + count]
        if [*items] != [*listed] or len({*groups}) > 1 or any(axis.nets[at : at + count]):
            return None
        return count, AxisAudiences(now.audiences(), [groups[0]] * len(now.datapoints))

    def _other_kinds(self, item: Audience) -> list[str]:
        """The questions of an item that are of another kind now."""
        codes = dict.fromkeys(node.question for node in _conditions(item.expression))
        return [code for code in codes if self._now.of_code(code) and not self._is_same(code)]

    def _has(self, audience: Audience, gone: list[str]) -> bool:
        if self.knows(audience.expression):
            return True
        gone.append(audience.name)
        return False

    def _is_same(self, code: str) -> bool:
        if code == WAVES:
            return True
        before, now = self._before.of_code(code), self._now.of_code(code)
        return now is not None and (before is None or before.record.kind == now.record.kind)

    def _knows(self, node: Condition) -> bool:
        if node.question == WAVES:
            return all(wave in self._waves for wave in getattr(node, "datapoints", ()))
        question = self._now.of_code(node.question)
        if question is None or not self._is_same(node.question):
            return False
        if not isinstance(node, Leaf):
            return True
        points = {ASKED, *(each.code for each in question.datapoints)}
        suffixes = {each.code for each in question.suffixes}
        return points.issuperset(node.datapoints) and suffixes.issuperset(node.suffixes)


def _conditions(expression: Expression | None) -> Iterable[Condition]:
    nodes = () if expression is None else (node for _, node in walk(expression))
    return [node for node in nodes if isinstance(node, Condition)]


def _joined(parts: Sequence[AxisAudiences]) -> AxisAudiences:
    return AxisAudiences(
        [item for part in parts for item in part],
        [groups for part in parts for groups in part.groups],
        [net for part in parts for net in part.nets],
    )
