"""Bound conditions as trees of nodes: whom they hold for, in which waves, and who is valid in them.

The coverage of a node is the waves in which it can hold at all. Of a leaf of a multiple question or
grid, the waves that offered at least `min_count` of its items; of another leaf, the waves that
asked its question; of a range of numbers, those that have numbers; of a `waves` leaf, the waves it
lists (negated: the others). `and` takes the intersection, `or` the union, `not` keeps its child's.

Offered are those of these waves in which a respondent could be in the node at all: of a
single-choice leaf, the waves that offered any of its answers.

Valid in a node are those whose answer is known: who gave any answer of a single question, any point
of the item of a grid, who was asked the item of a multiple question; of a leaf with several items,
valid in each that the wave offered; of a range of numbers, who gave a number or any answer. `and`,
`or` and `not` are as for coverage; everyone is valid in a leaf on waves, on the location, on
`asked`.

A set of waves is an int with bit i set for the survey's i-th wave by start date.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import blake2b
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from audiencelab.schema.scope import BaseOf
from audiencelab.survey.record import Sizes

WaveSet = int
Number = TypeVar("Number", int, NDArray[np.float64])


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
    offered: those of them in which there could be anybody.
    """

    key: bytes
    coverage: WaveSet
    offered: WaveSet


@dataclass(frozen=True, slots=True, eq=False)
class InWaves(Node):
    """Every respondent of the covered waves."""


@dataclass(frozen=True, slots=True, eq=False)
class Valid(Node):
    """Who gave any answer to a question, or any point for each item that a wave offered.

    items: each with the waves that offered it. asked: who was asked the question, and each item
    that a wave offered, whatever the answer was. answers: all of a question of which a respondent
    gives one, so that those who gave any add up from them; () of others.
    """

    question: str
    items: tuple[tuple[str, WaveSet], ...]
    asked: bool
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class InAnswers(Node):
    """At least `min_count` of the datapoints, each with any of the suffixes (none: any at all).

    stored: the survey has this very mask, because there is nothing to choose or to count.
    valid: who is valid in it. is_within: whether it certainly holds for no other respondent.
    """

    question: str
    datapoints: tuple[str, ...]
    suffixes: tuple[str, ...]
    min_count: int
    stored: bool
    valid: Node
    is_within: bool


@dataclass(frozen=True, slots=True, eq=False)
class InRange(Node):
    """Whose number, kept beside the bands of a question, is from `low` to `high`, both included.

    valid: as of `InAnswers`. Everyone in the range is valid in it.
    """

    question: str
    low: float
    high: float
    valid: Node


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


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """A row or a column of a table: who is in it, and whom each of its cells counts within.

    offered: the waves that offered it; a cell has no figure if none of its waves offered both.
    """

    node: Node
    within: Node
    offered: WaveSet

    @classmethod
    def of(cls, node: Node, base_of: BaseOf) -> Counted:
        """A condition; base_of: as of a `Scope`."""
        if base_of == "everyone":
            return cls(node, in_waves(node.coverage), node.offered)
        valid = valid_of(node)
        # The intersection is a mask more for each cell, so it is left out where it changes nothing.
        return cls(node if _is_within(node) else intersection(node, valid), valid, node.offered)

    def __and__(self, other: Counted) -> Counted:
        """Who is in both, counted within those whom both are counted within."""
        nodes, within = (self.node, other.node), (self.within, other.within)
        offered = self.offered & other.offered
        return Counted(intersection(*nodes), _joined(AllOf, within), offered)

    @property
    def coverage(self) -> WaveSet:
        return self.node.coverage


@dataclass(frozen=True, slots=True, eq=False)
class BoundTable:
    """A requested table: rows × columns within the base.

    waves: those requested. sizes: what weighted sizes are, as of a `SurveyRecord`.
    """

    rows: Sequence[Counted]
    columns: Sequence[Counted]
    base: Node
    waves: WaveSet
    sizes: Sizes = "average"

    @property
    def positions(self) -> tuple[int, ...]:
        """The waves that any cell can rest on."""
        return tuple(members(self.waves & self.base.coverage))

    def divisor(self, waves: Number) -> Number | int:
        """What a sum of weights over so many waves is divided by for a size.

        The weights of each wave describe the whole universe once, or a part of it.
        """
        return 1 if self.sizes == "sum" else waves


def valid_of(node: Node) -> Node:
    """Who is valid in a node, of the same coverage."""
    match node:
        case InAnswers() | InRange():
            return node.valid
        case Not():
            return valid_of(node.child)
        case AllOf() | AnyOf():
            return _joined(type(node), [valid_of(child) for child in node.children])
        case _:
            return in_waves(node.coverage)


def known(node: Node) -> Node:
    """The node, each of whose negations holds only for those who are valid in what it negates."""
    match node:
        case Not():
            # In a base "not a woman" means known not to be one; without an answer that is not
            # known.
            return intersection(node, valid_of(node.child))
        case AllOf() | AnyOf():
            return combined(type(node), [known(child) for child in node.children])
        case _:
            return node


def _is_within(node: Node) -> bool:
    """Whether a node certainly holds only for those who are valid in it."""
    match node:
        case InAnswers():
            return node.is_within
        case AllOf() | AnyOf():
            return all(map(_is_within, node.children))
        case _:
            return isinstance(node, InWaves | InRange)


def _joined(kind: type[AllOf | AnyOf], children: Sequence[Node]) -> Node:
    """As `combined`, with everyone of some waves taken together, and left out where it can be."""
    join = int.__and__ if kind is AllOf else int.__or__
    every = [child.coverage for child in children if isinstance(child, InWaves)]
    others = [child for child in children if not isinstance(child, InWaves)]
    if not every:
        return combined(kind, others)
    everyone = in_waves(reduce(join, every))
    if not others:
        return everyone
    rest = combined(kind, others)
    if kind is AllOf:
        return intersection(everyone, rest)
    # In an `or`, everyone of the same waves includes the rest.
    return everyone if rest.coverage & ~everyone.coverage == 0 else combined(kind, [everyone, rest])


def intersection(one: Node, other: Node) -> Node:
    """The respondents of both nodes; everyone in all waves of the other adds nothing."""
    for kept, spare in ((one, other), (other, one)):
        if isinstance(spare, InWaves) and kept.coverage & ~spare.coverage == 0:
            return kept
    return combined(AllOf, [one, other])


def in_waves(waves: WaveSet) -> InWaves:
    """Everyone of some waves."""
    return InWaves(key_of("waves", waves), waves, waves)


def combined(kind: type[AllOf | AnyOf], children: Sequence[Node]) -> Node:
    """Conjunction or disjunction; children are sorted and equal ones merged: neither matters."""
    by_key = {child.key: child for child in children}
    kept = tuple(by_key[key] for key in sorted(by_key))
    if len(kept) == 1:
        return kept[0]
    name, join = ("and", int.__and__) if kind is AllOf else ("or", int.__or__)
    coverage = reduce(join, (child.coverage for child in kept))
    offered = reduce(join, (child.offered for child in kept))
    return kind(key_of(name, *sorted(by_key)), coverage, offered, kept)


def negation(child: Node) -> Not:
    """The complement within the child's coverage."""
    return Not(key_of("not", child.key), child.coverage, child.offered, child)


def key_of(kind: str, *parts: str | bytes | int) -> bytes:
    """A short name for a node: equal for equal nodes, and for no others in practice (128 bits)."""
    named = [kind.encode()]
    for part in parts:
        encoded = part if isinstance(part, bytes) else str(part).encode()
        # With their lengths, so that no two lists of parts are the same bytes.
        named += (len(encoded).to_bytes(8, "little"), encoded)
    return blake2b(b"".join(named), digest_size=16).digest()
