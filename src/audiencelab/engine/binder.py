"""Expressions bound to one survey: codes resolved, coverage known, equal nodes with equal keys.

The coverage of a node is the waves in which it can hold at all. Of a leaf, the waves that asked its
question; of a `waves` leaf, the waves it lists (negated: the others). `and` takes the intersection,
`or` the union, `not` keeps its child's.

A set of waves is an int with bit i set for the survey's i-th wave by start date.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.codes import Codes
from audiencelab.expressions import And, Expression, Leaf, Or
from audiencelab.expressions.codes import WAVES
from audiencelab.schema.queries import DEFAULT_WAVES

if TYPE_CHECKING:
    from audiencelab.survey import Survey

WaveSet = int

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

    coverage: the waves in which the node can hold at all; elsewhere it holds for nobody.
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
        combine = _all_of if isinstance(expression, And) else _any_of
        node = combine([self.bind(child) for child in expression.children])
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
        node = self._waves_node(leaf) if leaf.question == WAVES else self._answers(leaf)
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

    def _waves_node(self, leaf: Leaf) -> Node:
        every = self.waves.every
        listed = self.waves.set_of(leaf.datapoints) if leaf.datapoints else every
        node = _in_waves(every & ~listed if leaf.negated else listed)
        # Nobody is in two waves, so a higher count holds for nobody, wherever it covers.
        return _negation(node) if leaf.min_count > 1 and not leaf.negated else node


def intersection(one: Node, other: Node) -> Node:
    """The respondents of both nodes; everyone in all waves of the other adds nothing."""
    for kept, spare in ((one, other), (other, one)):
        if isinstance(spare, InWaves) and kept.coverage & ~spare.coverage == 0:
            return kept
    return _all_of([one, other])


def _in_waves(waves: WaveSet) -> InWaves:
    return InWaves(_key("waves", waves), waves)


def _all_of(children: Sequence[Node]) -> Node:
    """Conjunction; children are sorted and equal ones merged, since neither matters."""
    kept = _distinct(children)
    coverage = reduce(int.__and__, (child.coverage for child in kept))
    key = _key("and", *(child.key for child in kept))
    return kept[0] if len(kept) == 1 else AllOf(key, coverage, kept)


def _any_of(children: Sequence[Node]) -> Node:
    """Disjunction; see `_all_of`."""
    kept = _distinct(children)
    coverage = reduce(int.__or__, (child.coverage for child in kept))
    key = _key("or", *(child.key for child in kept))
    return kept[0] if len(kept) == 1 else AnyOf(key, coverage, kept)


def _negation(child: Node) -> Not:
    """The complement within the child's coverage."""
    return Not(_key("not", child.key), child.coverage, child)


def _distinct(children: Iterable[Node]) -> tuple[Node, ...]:
    by_key = {child.key: child for child in children}
    return tuple(by_key[key] for key in sorted(by_key))


def _key(kind: str, *parts: str | bytes | int) -> bytes:
    """A short name for a node: equal for equal nodes, and for no others in practice (128 bits)."""
    named = [kind.encode()]
    for part in parts:
        encoded = part if isinstance(part, bytes) else str(part).encode()
        named += (len(encoded).to_bytes(8, "little"), encoded)
    return blake2b(b"".join(named), digest_size=16).digest()
