"""Expressions in one wave of a survey that is being written: who is in them, and whom they count.

The rules are those of the engine under `base_of="valid"` (`engine.nodes`): a group of a derived
question has the figures of its expression in a table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from audiencelab.expressions import And, Expression, Leaf, NumberRange, Or
from audiencelab.expressions.codes import ASKED, WAVES
from audiencelab.survey.answers import Bits, QuestionBits, pack, unpack
from audiencelab.survey.derivations import DERIVED_FLAG

Numbers = npt.NDArray[np.float64]


class Answered(Protocol):
    """The answers of one wave, by codes of questions with or without namespace.

    location: the full code of the question that has the locations.
    """

    code: str
    respondents: int
    location: str

    def question(self, code: str) -> QuestionBits | None: ...

    def numbers(self, code: str) -> Numbers | None: ...


class Held(NamedTuple):
    """Who is in an expression, and of whom that is known; both 0 where a wave does not cover it.

    offered: whether anybody of the wave could be in it.
    """

    given: Bits
    known: Bits
    covered: bool = True
    offered: bool = True


def known_of(source: QuestionBits, codes: Sequence[str]) -> tuple[Bits, bool]:
    """Of whom it is known whether they gave any of some answers; whether the wave offered any."""
    question, offered = source.question, [code for code in codes if code not in source.not_offered]
    is_derived, is_single = DERIVED_FLAG in question.flags, question.kind == "single"
    if is_single and not is_derived:
        return np.bitwise_or.reduce(source.matrix, axis=0), bool(offered)
    if question.kind == "grid":
        # Of a grid it is known only if each item has an answer.
        rows = [source.datapoint(code) for code in offered]
    else:
        rows = [source.asked_of(code) for code in offered or codes]
    return np.bitwise_and.reduce(rows or [np.zeros_like(source.asked)], axis=0), bool(offered)


@dataclass(frozen=True)
class Evaluation:
    """Evaluates expressions over the answers of one wave."""

    wave: Answered

    def of(self, expression: Expression) -> Held:
        """Who is in an expression."""
        found = self._plain(expression)
        if not expression.negated or not found.covered:
            return found
        return found._replace(given=self._everyone & ~found.given)

    def counted(self, expression: Expression) -> Held:
        """The same, of those alone of whom it is known."""
        found = self.of(expression)
        return found._replace(given=found.given & found.known)

    def outside(self, expression: Expression) -> Bits:
        """Who is not in an expression for sure, whatever questions they were not asked would say.

        Who is 40 is not in "under 30 and satisfied" without being asked how satisfied they are.
        """
        return self._certain(expression)[1]

    def _certain(self, expression: Expression) -> tuple[Bits, Bits]:
        """Who is in an expression for sure, and who is not."""
        if isinstance(expression, And | Or):
            parts = [self._certain(each) for each in expression.children]
            held, out = (np.array([part[side] for part in parts]) for side in (0, 1))
            every, some = np.bitwise_and.reduce, np.bitwise_or.reduce
            is_and = isinstance(expression, And)
            held, out = (every(held), some(out)) if is_and else (some(held), every(out))
            return (out, held) if expression.negated else (held, out)
        of = self.of(expression)
        return of.given & of.known, of.known & ~of.given

    @property
    def _everyone(self) -> Bits:
        return pack(np.ones(self.wave.respondents, np.bool_))

    def _nobody(self) -> Held:
        none: Bits = np.zeros_like(self._everyone)
        return Held(none, none, covered=False, offered=False)

    def _plain(self, expression: Expression) -> Held:
        """Who is in an expression without its negation."""
        if isinstance(expression, And | Or):
            return self._joined(expression, [self.of(each) for each in expression.children])
        if isinstance(expression, NumberRange):
            return self._range(expression)
        assert isinstance(expression, Leaf), "a condition is a leaf or a range"
        return self._in_wave(expression) if expression.question == WAVES else self._leaf(expression)

    def _joined(self, expression: And | Or, parts: Sequence[Held]) -> Held:
        every = isinstance(expression, And)
        join: Callable[[Sequence[Bits]], Bits]
        join = np.bitwise_and.reduce if every else np.bitwise_or.reduce
        count = all if every else any
        if not count(each.covered for each in parts):
            return self._nobody()
        given, known = join([each.given for each in parts]), join([each.known for each in parts])
        return Held(given, known, offered=count(each.offered for each in parts))

    def _in_wave(self, leaf: Leaf) -> Held:
        """A leaf on waves: the whole wave, or no respondent of a wave that it does not cover."""
        listed = not leaf.datapoints or self.wave.code in leaf.datapoints
        if listed == leaf.negated:
            return self._nobody()
        # The negation of a leaf on waves is the other waves themselves.
        given = np.zeros_like(self._everyone) if leaf.negated else self._everyone
        return Held(given, self._everyone)

    def _range(self, condition: NumberRange) -> Held:
        numbers, bits = (
            self.wave.numbers(condition.question),
            self.wave.question(condition.question),
        )
        if numbers is None or bits is None:
            return self._nobody()
        low, high = condition.closed
        answered: Bits = np.bitwise_or.reduce(bits.matrix, axis=0)
        return Held(pack((numbers >= low) & (numbers <= high)), answered | pack(~np.isnan(numbers)))

    def _leaf(self, leaf: Leaf) -> Held:
        bits = self.wave.question(leaf.question)
        if bits is None:
            return self._nobody()
        question = bits.question
        listed = [*dict.fromkeys(leaf.datapoints)] or [*question.datapoint_positions]
        offered = [code for code in listed if code not in bits.not_offered]
        # A wave covers a leaf of items where it offered as many of them as must hold.
        if question.kind != "single" and len(offered) < leaf.min_count:
            return self._nobody()
        rows = np.array([bits.datapoint(code, leaf.suffixes) for code in listed])
        given: Bits = np.bitwise_or.reduce(rows, axis=0)
        if leaf.min_count > 1:
            held = unpack(rows, self.wave.respondents).sum(axis=0, dtype=np.intp)
            given = pack(held >= leaf.min_count)
        named = [code for code in listed if code != ASKED]
        if not named or question.canonical == self.wave.location:
            return Held(given, self._everyone)
        known, _ = known_of(bits, named)
        return Held(given, known, offered=bool(offered))
