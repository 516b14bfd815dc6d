"""Expressions bound to one survey: codes checked, coverage known, equal nodes with equal keys.

`Codes` finds every fault of the codes that a query names, with a JSON pointer; what to respond (400
or 403) is for the service. Messages name what the catalogue has, never what was submitted. In a
list of codes, None replaces a code whose fault is already known.

The coverage of a node is the waves in which it can hold at all. Of a leaf, the waves that asked its
question; of a `waves` leaf, the waves it lists (negated: the others). `and` takes the intersection,
`or` the union, `not` keeps its child's.

A set of waves is an int with bit i set for the survey's i-th wave by start date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from audiencelab.errors import AudienceError, Fault, list_faults
from audiencelab.expressions import And, Expression, Leaf, Or, walk
from audiencelab.expressions.codes import ASKED, WAVES
from audiencelab.schema.queries import DEFAULT_WAVES
from audiencelab.schema.scope import BaseOf

if TYPE_CHECKING:
    from audiencelab.survey import Survey, SurveyQuestion

WaveSet = int

_REMEMBERED = 50_000
"""Conditions that are known to be valid, and those whose bound node is kept; a whole catalogue
has fewer."""


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


def members(waves: WaveSet) -> Iterator[int]:
    """The positions of the waves in a set, ascending."""
    return (position for position in range(waves.bit_length()) if waves >> position & 1)


def indicator(sets: Iterable[WaveSet], positions: tuple[int, ...]) -> NDArray[np.float64]:
    """1.0 where a set has a wave, else 0.0: float64[sets, positions]."""
    rows = [[float(waves >> position & 1) for position in positions] for waves in sets]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(positions))


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A bound node. Two nodes with equal `key` hold for the same respondents in every wave.

    coverage: the waves in which the node can hold at all; elsewhere it holds for no respondent.
    """

    key: bytes
    coverage: WaveSet


@dataclass(frozen=True, slots=True, eq=False)
class InWaves(Node):
    """Every respondent of the covered waves."""


@dataclass(frozen=True, slots=True, eq=False)
class Answers(Node):
    """At least `min_count` of the datapoints, each with any of the suffixes (none: any at all).

    stored: the survey has this very mask, because there is nothing to choose or to count.
    """

    question: str
    datapoints: tuple[str, ...]
    suffixes: tuple[str, ...]
    min_count: int
    stored: bool


@dataclass(frozen=True, slots=True, eq=False)
class AllOf(Node):
    """Every child."""

    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class AnyOf(Node):
    """At least one child."""

    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Not(Node):
    """Everyone else among all respondents of the covered waves."""

    child: Node


class Binder:
    """Binds expressions to one survey; safe to use from many threads."""

    def __init__(self, survey: Survey, codes: Codes) -> None:
        self.waves = WaveOrder(survey)
        self._catalogue = survey.catalogue
        self._codes = codes
        # The same conditions are used in rows and columns, in one query after another.
        self._bound: dict[Leaf, Node] = {}
        self.everyone: Node = _in_waves(self.waves.every)

    def bind(self, expression: Expression | None) -> Node:
        """The bound tree; None is everyone. Raises `KeyError` for a code the survey lacks."""
        if expression is None:
            return self.everyone
        if isinstance(expression, Leaf):
            return self._bound.get(expression) or self._bind_leaf(expression)
        assert isinstance(expression, And | Or)
        children = [self.bind(child) for child in expression.children]
        node = _combined(AllOf if isinstance(expression, And) else AnyOf, children)
        return _negation(node) if expression.negated else node

    def datapoints_of(self, question: str) -> tuple[str, ...]:
        """The accessible datapoints of a question in catalogue order; of `waves`, by date."""
        if question == WAVES:
            return self.waves.codes_of(self.waves.accessible)
        points = self._catalogue.question(question).datapoints
        return tuple(point.code for point in points if point.accessible)

    def _bind_leaf(self, leaf: Leaf) -> Node:
        # Access is the service's to refuse; the engine works for anyone who has the survey.
        if any(not fault.forbidden for fault in self._codes.in_leaf(leaf)):
            raise KeyError(leaf)
        if leaf.question == WAVES:
            every = self.waves.every
            listed = self.waves.set_of(leaf.datapoints) if leaf.datapoints else every
            node = _in_waves(every & ~listed if leaf.negated else listed)
            # No respondent is in two waves, so a higher count holds for none of them.
            if leaf.min_count > 1 and not leaf.negated:
                node = _negation(node)
        else:
            node = self._answers(leaf)
        if len(self._bound) >= _REMEMBERED:
            self._bound.clear()
        self._bound[leaf] = node
        return node

    def _answers(self, leaf: Leaf) -> Node:
        question = self._catalogue.question(leaf.question)
        listed = sorted(set(leaf.datapoints)) or [point.code for point in question.datapoints]
        suffixes = tuple(sorted(set(leaf.suffixes)))
        # The key does not depend on the order in which codes were listed.
        node = Answers(
            _key("leaf", question.canonical, repr(tuple(listed)), repr(suffixes), leaf.min_count),
            self.waves.set_of(question.waves),
            question.canonical,
            tuple(listed),
            suffixes,
            leaf.min_count,
            stored=len(listed) == leaf.min_count == 1 and len(question.suffixes) <= 1,
        )
        return _negation(node) if leaf.negated else node


def intersection(one: Node, other: Node) -> Node:
    """The respondents of both nodes; everyone in all waves of the other adds nothing."""
    for kept, spare in ((one, other), (other, one)):
        if isinstance(spare, InWaves) and kept.coverage & ~spare.coverage == 0:
            return kept
    return _combined(AllOf, [one, other])


def _in_waves(waves: WaveSet) -> InWaves:
    return InWaves(_key("waves", waves), waves)


def _combined(kind: type[AllOf | AnyOf], children: Sequence[Node]) -> Node:
    """Conjunction or disjunction; children are sorted and equal ones merged: neither matters."""
    by_key = {child.key: child for child in children}
    kept = tuple(by_key[key] for key in sorted(by_key))
    if len(kept) == 1:
        return kept[0]
    name, join = ("and", int.__and__) if kind is AllOf else ("or", int.__or__)
    coverage = reduce(join, (child.coverage for child in kept))
    return kind(_key(name, *sorted(by_key)), coverage, kept)


def _negation(child: Node) -> Not:
    """The complement within the child's coverage."""
    return Not(_key("not", child.key), child.coverage, child)


def _key(kind: str, *parts: str | bytes | int) -> bytes:
    """A short name for a node: equal for equal nodes, and for no others in practice (128 bits)."""
    named = [kind.encode()]
    for part in parts:
        encoded = part if isinstance(part, bytes) else str(part).encode()
        named += (len(encoded).to_bytes(8, "little"), encoded)
    return blake2b(b"".join(named), digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class CodeFault(Fault):
    """A code that is not valid where it is used.

    forbidden: the survey has it, and the caller may not use it. unknown: the survey does not have
        it.
    """

    forbidden: bool = False
    unknown: bool = False

    def under(self, prefix: str) -> CodeFault:
        return replace(self, pointer=prefix + self.pointer)

    def at(self, pointer: str) -> CodeFault:
        """The same fault at another position."""
        return replace(self, pointer=pointer)


class UnknownCodeError(AudienceError, LookupError):
    """A query of the engine that names codes the survey lacks; `faults` has all of them."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(list_faults("The survey cannot answer this:", self.faults))

    def __reduce__(self) -> tuple[type[UnknownCodeError], tuple[tuple[Fault, ...]]]:
        return type(self), (self.faults,)


class Codes:
    """The codes of one survey."""

    def __init__(self, survey: Survey) -> None:
        self._catalogue = survey.catalogue
        # The same conditions are used in rows and columns, in one query after another.
        self._valid: set[Leaf] = set()
        self._waves = {wave.code: wave.accessible for wave in survey.waves}

    def in_expression(self, expression: Expression | None) -> Iterator[CodeFault]:
        """Every fault of every leaf, with its pointer from the expression's root."""
        for pointer, node in walk(expression) if expression is not None else ():
            if isinstance(node, Leaf) and node not in self._valid:
                yield from (fault.under(pointer) for fault in self.in_leaf(node))

    def in_leaf(self, leaf: Leaf) -> list[CodeFault]:
        """The faults of one condition, with pointers from it."""
        faults = list(self._leaf_faults(leaf))
        if not faults:
            if len(self._valid) >= _REMEMBERED:
                self._valid.clear()
            self._valid.add(leaf)
        return faults

    def in_question(self, pointer: str, code: str) -> Iterator[CodeFault]:
        """The fault of a question code, if it has one; `waves` has none."""
        question = self._find(code)
        if question is None and code != WAVES:
            yield CodeFault(pointer, "No question has this code.", unknown=True)
        elif question is not None and not question.accessible:
            yield CodeFault(pointer, f"The question {question.canonical} is not accessible.", True)

    def in_datapoints(
        self, pointer: str, question: str, codes: Sequence[str | None]
    ) -> Iterator[CodeFault]:
        """Faults of datapoints; none if there is no such question."""
        found = self._find(question)
        if question == WAVES:
            yield from self.in_waves(pointer, codes)
        elif found is not None:
            yield from _faults(
                *(pointer, codes, _points(found)),
                f"The question {found.canonical} has no datapoint of this code.",
                f"The datapoint {{}} of {found.canonical} is not accessible.",
            )

    def in_suffixes(
        self, pointer: str, question: str, codes: Sequence[str | None]
    ) -> Iterator[CodeFault]:
        """Faults of suffixes; none if there is no such question."""
        found = self._find(question)
        if codes and (question == WAVES or (found is not None and not found.suffixes)):
            yield CodeFault(pointer, "This question has no suffixes; leave them out.")
        elif found is not None:
            known = {suffix.code: True for suffix in found.suffixes}
            yield from _faults(
                pointer, codes, known.get, "The question has no suffix of this code."
            )

    def in_waves(self, pointer: str, codes: Sequence[str | None]) -> Iterator[CodeFault]:
        """Codes that are not waves, and waves that may not be used."""
        unknown, forbidden = "No wave has this code.", "The wave {} is not accessible."
        return _faults(pointer, codes, self._waves.get, unknown, forbidden)

    def in_base_of(self, pointer: str, base_of: BaseOf) -> Iterator[CodeFault]:
        """The fault of a `Scope.base_of` that is not computed."""
        if base_of != "everyone":
            yield CodeFault(
                pointer,
                f"{base_of!r} is not available: percentages are of everyone in the base. For the "
                "respondents who answered a question, take al.answered(question) as base_audience.",
            )

    def in_locations(self, pointer: str, codes: Sequence[str | None]) -> Iterator[CodeFault]:
        """Codes that are not locations, and locations that may not be used."""
        if codes:
            location = _points(self._catalogue.question(self._catalogue.location_question))
            unknown, forbidden = "No location has this code.", "The location {} is not accessible."
            yield from _faults(pointer, codes, location, unknown, forbidden)

    def in_datasets(self, pointer: str, codes: Sequence[str | None]) -> Iterator[CodeFault]:
        """Codes that are not datasets."""
        known = {dataset.code: True for dataset in self._catalogue.datasets}
        return _faults(pointer, codes, known.get, "No dataset has this code.")

    def _leaf_faults(self, leaf: Leaf) -> Iterator[CodeFault]:
        yield from self.in_question("/question", leaf.question)
        listed: Sequence[str | None] = leaf.datapoints
        found = self._find(leaf.question)
        if leaf.question != WAVES:
            listed = [None if code == ASKED else code for code in listed]
        yield from self.in_datapoints("/datapoints", leaf.question, listed)
        yield from self.in_suffixes("/suffixes", leaf.question, leaf.suffixes)
        most = len(set(leaf.datapoints)) or (len(found.datapoints) if found is not None else 0)
        if most and leaf.min_count > most:
            yield CodeFault(
                "/min_count", f"'min_count' is above the number of different datapoints, {most}."
            )

    def _find(self, code: str) -> SurveyQuestion | None:
        try:
            return None if code == WAVES else self._catalogue.question(code)
        except KeyError:
            return None


def _points(question: SurveyQuestion) -> Callable[[str], bool | None]:
    """Whether a datapoint is accessible; None for an unknown one."""

    def accessible(code: str) -> bool | None:
        known = code in question.datapoint_positions
        return question.datapoint(code).accessible if known else None

    return accessible


def _faults(
    pointer: str,
    codes: Sequence[str | None],
    accessible: Callable[[str], bool | None],
    unknown: str,
    forbidden: str = "",
) -> Iterator[CodeFault]:
    """Faults of listed codes; accessible: whether a code may be used, None for an unknown one."""
    for at, code in enumerate(codes):
        usable = True if code is None else accessible(code)
        if usable is None:
            yield CodeFault(f"{pointer}/{at}", unknown, unknown=True)
        elif not usable:
            yield CodeFault(f"{pointer}/{at}", forbidden.replace("{}", code or ""), True)
