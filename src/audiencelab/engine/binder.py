"""Expressions bound to one survey: coverage known, equal nodes with equal keys (see `nodes`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from math import inf
from typing import TYPE_CHECKING

from audiencelab.engine.codes import Codes
from audiencelab.engine.nodes import (
    AllOf,
    AnyOf,
    Counted,
    InAnswers,
    InRange,
    Node,
    Valid,
    WaveSet,
    combined,
    in_waves,
    key_of,
    known,
    members,
    negation,
)
from audiencelab.expressions import And, Condition, Expression, Leaf, NumberRange, Or
from audiencelab.expressions.codes import ASKED, WAVES
from audiencelab.schema.queries import DEFAULT_WAVES
from audiencelab.schema.scope import BaseOf
from audiencelab.survey.derivations import DERIVED_FLAG

if TYPE_CHECKING:
    from audiencelab.survey import Survey, SurveyQuestion

_REMEMBERED = 50_000
"""Conditions whose bound node is kept; a whole catalogue has fewer."""


class WaveOrder:
    """The waves of one survey in order of date (codes do not sort by date)."""

    def __init__(self, survey: Survey) -> None:
        waves = survey.waves
        self.codes: tuple[str, ...] = tuple(wave.code for wave in waves)
        self._bits = {code: 1 << position for position, code in enumerate(self.codes)}
        self.every: WaveSet = (1 << len(self.codes)) - 1
        self.accessible = self.set_of(wave.code for wave in waves if wave.accessible)
        latest = [wave.code for wave in waves if wave.accessible][-DEFAULT_WAVES:]
        self.latest = self.set_of(latest)
        """The waves of a crosstab that names none."""

    def set_of(self, codes: Iterable[str]) -> WaveSet:
        """The set of the waves with these codes; raises `KeyError` for an unknown one."""
        return reduce(int.__or__, (self._bits[code] for code in codes), 0)

    def codes_of(self, waves: WaveSet) -> tuple[str, ...]:
        """The codes of a set, in order of date."""
        return tuple(self.codes[position] for position in members(waves))


class Binder:
    """Binds expressions to one survey; safe to use from many threads."""

    def __init__(self, survey: Survey, codes: Codes) -> None:
        self.waves = WaveOrder(survey)
        self._catalogue = survey.catalogue
        self._codes = codes
        self._items = _Items(survey, self.waves)
        self._numbered = survey.numbered
        # The same conditions are used in rows and columns, in one query after another.
        self._bound: dict[Condition, Node] = {}
        self.everyone: Node = in_waves(self.waves.every)

    def bind(self, expression: Expression | None) -> Node:
        """The bound tree; None is everyone. Raises `KeyError` for a code the survey lacks."""
        if expression is None:
            return self.everyone
        if isinstance(expression, Condition):
            return self._bound.get(expression) or self._bind_condition(expression)
        assert isinstance(expression, And | Or)
        children = [self.bind(child) for child in expression.children]
        node = combined(AllOf if isinstance(expression, And) else AnyOf, children)
        return negation(node) if expression.negated else node

    def counted(
        self, expressions: Iterable[Expression | None], base_of: BaseOf
    ) -> tuple[Counted, ...]:
        """Rows or columns of a table; raises as `bind`."""
        return tuple(Counted.of(self.bind(each), base_of) for each in expressions)

    def base(self, expression: Expression | None, base_of: BaseOf) -> Node:
        """A base audience; raises as `bind`."""
        node = self.bind(expression)
        return node if base_of == "everyone" else known(node)

    def datapoints_of(self, question: str) -> tuple[str, ...]:
        """The accessible datapoints of a question in catalogue order; of `waves`, by date."""
        if question == WAVES:
            return self.waves.codes_of(self.waves.accessible)
        points = self._catalogue.question(question).datapoints
        return tuple(point.code for point in points if point.accessible)

    def _bind_condition(self, condition: Condition) -> Node:
        # Access is the service's to refuse; the engine works for anyone who has the survey.
        if any(not fault.forbidden for fault in self._codes.in_condition(condition)):
            raise KeyError(condition)
        if isinstance(condition, NumberRange):
            node = self._range(condition)
        else:
            assert isinstance(condition, Leaf), "a condition is a leaf or a range"
            node = self._in_leaf(condition)
        if len(self._bound) >= _REMEMBERED:
            self._bound.clear()
        self._bound[condition] = node
        return node

    def _in_leaf(self, leaf: Leaf) -> Node:
        if leaf.question != WAVES:
            return self._answers(leaf)
        every = self.waves.every
        listed = self.waves.set_of(leaf.datapoints) if leaf.datapoints else every
        # The coverage itself is inverted: a `Not` would keep the listed waves, and hold for no one
        # there.
        node = in_waves(every & ~listed if leaf.negated else listed)
        # No respondent is in two waves, so a higher count holds for none of them.
        return negation(node) if leaf.min_count > 1 and not leaf.negated else node

    def _range(self, condition: NumberRange) -> Node:
        question = self._catalogue.question(condition.question)
        coverage = self.waves.set_of(self._numbered.get(question.canonical, ()))
        everything = (-inf, inf)

        def node(ends: tuple[float, float], valid: Node) -> InRange:
            key = key_of("range", question.canonical, repr(ends), coverage)
            return InRange(key, coverage, coverage, question.canonical, *ends, valid)

        # A number may be in no band, and an answer off the scale has none.
        answered = self._items.valid(question, [*question.datapoint_positions], coverage)
        valid = combined(AnyOf, [node(everything, answered), answered])
        found = node(condition.closed, valid)
        return negation(found) if condition.negated else found

    def _answers(self, leaf: Leaf) -> Node:
        question = self._catalogue.question(leaf.question)
        listed = sorted(set(leaf.datapoints)) or [point.code for point in question.datapoints]
        suffixes = tuple(sorted(set(leaf.suffixes)))
        coverage, offered = self._items.waves_of(question, listed, leaf.min_count)
        is_location = question.canonical == self._catalogue.location_question
        valid = in_waves(coverage) if is_location else self._items.valid(question, listed, coverage)
        # The key does not depend on the order in which codes were listed.
        node = InAnswers(
            key_of("leaf", question.canonical, repr(tuple(listed)), repr(suffixes), leaf.min_count),
            coverage,
            offered,
            question.canonical,
            tuple(listed),
            suffixes,
            leaf.min_count,
            stored=len(listed) == leaf.min_count == 1 and len(question.suffixes) <= 1,
            valid=valid,
            is_within=_is_within(question, listed, leaf.min_count, valid),
        )
        return negation(node) if leaf.negated else node


def _is_within(
    question: SurveyQuestion, listed: Sequence[str], min_count: int, valid: Node
) -> bool:
    """Whether a leaf certainly holds only for those who are valid in it."""
    if isinstance(valid, Valid) and not valid.items:
        return valid.asked or ASKED not in listed
    # A net of rotated items holds for those who ticked one, asked the others or not.
    return min_count == len(listed) and DERIVED_FLAG not in question.flags


class _Items:
    """The items and answers of questions: which waves offered them, and who is valid in them."""

    def __init__(self, survey: Survey, order: WaveOrder) -> None:
        self._order = order
        # By question and item, the waves that did not offer it.
        self._lacking: dict[str, dict[str, WaveSet]] = {}
        # By question, the items of which a wave knows who was asked them, or that it lacks.
        self._apart: dict[str, set[str]] = {}
        record = survey.record
        for wave in order.codes:
            for question, items in record.not_offered.get(wave, {}).items():
                lacking = self._lacking.setdefault(question, {})
                for item in items:
                    lacking[item] = lacking.get(item, 0) | order.set_of([wave])
                self._apart.setdefault(question, set()).update(items)
            for question, rows in record.asked.get(wave, {}).items():
                self._apart.setdefault(question, set()).update(rows)

    def waves_of(
        self, question: SurveyQuestion, listed: Sequence[str], min_count: int
    ) -> tuple[WaveSet, WaveSet]:
        """Coverage of a leaf, and the waves that offered it."""
        asked = self._order.set_of(question.waves)
        lacking = self._lacking.get(question.canonical)
        if lacking is None:
            return asked, asked
        offering = [asked & ~lacking.get(code, 0) for code in listed]
        if question.kind == "single":
            return asked, reduce(int.__or__, offering)
        enough = [
            1 << at for at in members(asked) if sum(w >> at & 1 for w in offering) >= min_count
        ]
        # Each is another power of two, so their sum is their union.
        return sum(enough), sum(enough)

    def valid(self, question: SurveyQuestion, listed: Sequence[str], coverage: WaveSet) -> Node:
        """Who is valid in a leaf."""
        named = [code for code in listed if code != ASKED]
        if not named:
            return in_waves(coverage)
        code = question.canonical
        # Who gave an answer of a derived question says nothing of those who could have.
        asked = question.kind == "multiple" or DERIVED_FLAG in question.flags
        if asked:
            apart = self._apart.get(code, ())
            named = [item for item in named if item in apart]
        elif question.kind == "single":
            named = []
        every, lacking = self._order.every, self._lacking.get(code, {})
        # Waves that offered none of the answers to a derived single question count all the same.
        none = 0
        if question.kind == "single":
            none = reduce(int.__and__, (lacking.get(item, 0) for item in listed))
        items = tuple((item, every & ~lacking.get(item, 0) | none) for item in named)
        key = key_of("valid", code, repr(items), coverage)
        adds_up = question.kind == "single" and not asked
        answers = tuple(question.datapoint_positions) if adds_up else ()
        return Valid(key, coverage, coverage, code, items, asked, answers)
