"""What the page gets of a query: its parts in a few names, and the steps that can be undone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from msgspec import UNSET

from audiencelab.client.catalogue.amounts import numbered_questions, statistic_rows
from audiencelab.client.names import named_waves
from audiencelab.errors import AudienceError
from audiencelab.expressions import Condition, as_audience
from audiencelab.expressions.codes import WAVES, wave_name
from audiencelab.expressions.labels import Labels
from audiencelab.markup import shorten
from audiencelab.schema.scope import Scope
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.protocol import (
    AxisSummary,
    CodesSummary,
    QuerySummary,
    WeightChoices,
)
from audiencelab.widgets.crosstab.query import PARTS, GridQuery
from audiencelab.widgets.crosstab.wave_columns import has_waves
from audiencelab.widgets.picker.protocol import CodeName
from audiencelab.widgets.who_counts import who_counts

if TYPE_CHECKING:
    from audiencelab.client import Catalogue, Client

MAX_STEPS = 100
"""Maximum number of steps that can be undone."""

_SUMMARY_NAMES = 6
_SUMMARY_LENGTH = 48
"""Names of an axis in the summary for the page, and the maximum length of each."""


@dataclass(frozen=True, slots=True)
class History:
    """The present query, at most `MAX_STEPS` before it, and those that were undone.

    The nearest to the present is the last of either. Each method returns a new history.
    """

    now: GridQuery
    past: tuple[GridQuery, ...] = ()
    future: tuple[GridQuery, ...] = ()

    def then(self, query: GridQuery) -> History:
        """The history after a step, which drops undone steps; an equal query is not a step."""
        if query == self.now:
            return self
        return History(query, (*self.past, self.now)[-MAX_STEPS:])

    def undo(self) -> History:
        """One step back, if there is one."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (*self.future, self.now))

    def redo(self) -> History:
        """One step forward, if there is one."""
        if not self.future:
            return self
        return History(self.future[-1], (*self.past, self.now), self.future[:-1])


def name_of_wave(code: str, labels: Catalogue | None) -> str:
    """The name of a wave in the catalogue, or one made of its code."""
    return (labels.datapoint_name(WAVES, code) if labels else None) or wave_name(code)


def summary_of(
    history: History, labels: Callable[[], Catalogue | None], client: Client
) -> QuerySummary:
    """The query in a few names, for the bar above the table."""
    query, window = history.now, named_waves(client.default_waves)

    scope = query.scope
    bases = query.bases or (() if scope.base is None else (scope.base,))
    return QuerySummary(
        rows=_axis_summary(query.rows or AxisAudiences(), labels),
        columns=_axis_summary(query.columns or AxisAudiences(), labels),
        bases=[_cut(as_audience(base).name) for base in bases[:_SUMMARY_NAMES]],
        base_count=len(bases),
        side_by_side=bool(query.bases),
        who_counts=who_counts(client, scope.base_of),
        waves=_codes_summary(
            scope.waves or (window and (window,)) or None, partial(name_of_wave, labels=labels())
        ),
        locations=_codes_summary(scope.locations, str),
        weight=_weight_summary(query, client.weights),
        undo=_changed_part(query, history.past[-1]) if history.past else None,
        redo=_changed_part(query, history.future[-1]) if history.future else None,
        wave_columns=has_waves(query.columns),
        statistics=list(
            dict.fromkeys(
                (each.groups or (each.statistic.name,))[0] for each in query.statistics.places
            )
        ),
        scored=scored_questions(query, labels, client),
        single=_single(scope, client),
    )


def _single(scope: Scope, client: Client) -> tuple[Literal["waves", "locations"], ...]:
    """Of what there is one and none is chosen; not known of other services without a request."""
    found: list[Literal["waves", "locations"]] = []
    # A client that only streams crosstabs, or is closed, lists neither.
    with suppress(AudienceError, AttributeError, LookupError, RuntimeError):
        _ = client.service
        if scope.waves is None and len(client.waves()) < 2:
            found.append("waves")
        if scope.locations is None and len(client.locations()) < 2:
            found.append("locations")
    return tuple(found)


def scored_questions(
    query: GridQuery, labels: Callable[[], Catalogue | None], client: Client
) -> list[CodeName]:
    """The questions of the rows that have amounts, whose mean is not a row yet."""
    try:
        numbers = numbered_questions(client.service)
    except LookupError:  # Statistics are computed from respondents in this process.
        return []
    if (catalogue := labels()) is None:
        return []
    known = {each.name for each in query.statistics}
    leaves = (each.expression for each in query.rows or ())
    codes = dict.fromkeys(leaf.question for leaf in leaves if isinstance(leaf, Condition))
    found = [catalogue[code] for code in codes if code in catalogue]
    return [
        CodeName(question.code, _cut(question.name))
        for question in found
        if {each.name for each in statistic_rows(question, "mean", numbers)} - known
    ]


def _axis_summary(axis: AxisAudiences, labels: Callable[[], Labels | None]) -> AxisSummary:
    items = zip(axis, axis.groups, strict=True)
    names = list(dict.fromkeys(groups[0] if groups else item.name for item, groups in items))
    question = axis.question
    catalogue = labels() if question else None
    name = catalogue.question_name(question) if catalogue else None
    return AxisSummary(
        count=len(axis),
        question=_cut(name or question),
        names=[_cut(name) for name in names[:_SUMMARY_NAMES]],
        more=max(0, len(names) - _SUMMARY_NAMES),
    )


def _codes_summary(
    codes: tuple[str, ...] | None, named: Callable[[str], str]
) -> CodesSummary | None:
    return CodesSummary(len(codes), [_cut(named(code)) for code in codes[:3]]) if codes else None


def _weight_summary(query: GridQuery, weights: tuple[str | None, ...]) -> WeightChoices | None:
    """None where there is no choice: a weight, and none of them, are one."""
    if len(weights) < 3:
        return None
    chosen = query.scope.weight
    return WeightChoices(weights[0] if chosen is UNSET else chosen, list(weights))


def _cut(name: str) -> str:
    return shorten(name, _SUMMARY_LENGTH)


def _changed_part(one: GridQuery, other: GridQuery) -> str:
    """The first part in which two queries differ."""
    parts, others = one.parts, other.parts
    return next((name for name in PARTS if parts[name] != others[name]), PARTS[0])
