"""From an expression to a tree bound to one survey: codes resolved, coverage known, keys ready.

Binding is where the meaning of an expression for a survey is settled, apart from the answers
themselves: which question a code names, in which waves each node can hold at all (its coverage),
and which nodes are the same, so that `masks` evaluates each of them once.

Coverage of a leaf is the waves that asked its question; of a `waves` leaf, the waves it lists
(negated: the others). `and` takes the intersection, `or` the union, `not` keeps its child's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from audiencelab.engine.waves import WaveOrder, WaveSet
from audiencelab.expressions import And, Expression, Leaf, Or
from audiencelab.expressions.codes import WAVES
from audiencelab.wording import articled

if TYPE_CHECKING:
    from audiencelab.survey import Survey

__all__ = ["AllOf", "Answers", "AnyOf", "Binder", "InWaves", "Node", "Not", "both"]


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

    stored: the survey has the very mask, since there is nothing to choose or to count.
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


_REMEMBERED = 50_000
"""Conditions of which the bound node is known; a whole catalogue has fewer."""


class Binder:
    """Binds expressions to one survey; safe to use from many threads."""

    def __init__(self, survey: Survey, waves: WaveOrder) -> None:
        self._catalogue = survey.catalogue
        self._waves = waves
        # The same conditions come again and again: in rows and columns, in one query after another.
        self._bound: dict[Leaf, Node] = {}
        self.everyone: Node = in_waves(waves.every)

    def bind(self, expression: Expression | None) -> Node:
        """The bound tree; None is everyone.

        Raises `KeyError` for a code that the survey does not have: `Codes.in_expression` names
        every such code beforehand.
        """
        if expression is None:
            return self.everyone
        if isinstance(expression, Leaf):
            return self._bound.get(expression) or self._remember(expression)
        if isinstance(expression, And):
            node = all_of([self.bind(child) for child in expression.children])
        elif isinstance(expression, Or):
            node = any_of([self.bind(child) for child in expression.children])
        else:  # pragma: no cover - there is no other expression
            raise TypeError(f"An expression is needed, not {articled(type(expression).__name__)}.")
        return negation(node) if expression.negated else node

    def datapoints_of(self, question: str) -> tuple[str, ...]:
        """The accessible datapoints of a question in catalogue order; of `waves`, by date.

        What a query that lists none is answered with: the others would be refused by name.
        """
        if question == WAVES:
            return self._waves.codes_of(self._waves.accessible)
        points = self._catalogue.question(question).datapoints
        return tuple(point.code for point in points if point.accessible)

    def _remember(self, leaf: Leaf) -> Node:
        node = self._bind_leaf(leaf)
        if len(self._bound) >= _REMEMBERED:
            self._bound.clear()
        self._bound[leaf] = node
        return node

    def _bind_leaf(self, leaf: Leaf) -> Node:
        if leaf.question == WAVES:
            return self._bind_waves(leaf)
        question = self._catalogue.question(leaf.question)
        listed = sorted(set(leaf.datapoints)) or [point.code for point in question.datapoints]
        node = answers(
            question.canonical,
            tuple(listed),
            tuple(sorted(set(leaf.suffixes))),
            leaf.min_count,
            self._waves.set_of(question.waves),
            stored=len(listed) == leaf.min_count == 1 and len(question.suffixes) <= 1,
        )
        return negation(node) if leaf.negated else node

    def _bind_waves(self, leaf: Leaf) -> Node:
        listed = self._waves.set_of(leaf.datapoints) if leaf.datapoints else self._waves.every
        # Nobody is in two waves, so a higher count holds for nobody, wherever it covers.
        coverage = self._waves.every & ~listed if leaf.negated else listed
        nobody = leaf.min_count > 1 and not leaf.negated
        return negation(in_waves(coverage)) if nobody else in_waves(coverage)


def both(one: Node, other: Node) -> Node:
    """The respondents of two nodes; everyone in all waves of the other adds nothing."""
    for kept, spare in ((one, other), (other, one)):
        if isinstance(spare, InWaves) and kept.coverage & ~spare.coverage == 0:
            return kept
    return all_of([one, other])


def in_waves(waves: WaveSet) -> InWaves:
    """Every respondent of a set of waves."""
    return InWaves(_key("waves", str(waves)), waves)


def answers(
    question: str,
    datapoints: tuple[str, ...],
    suffixes: tuple[str, ...],
    min_count: int,
    coverage: WaveSet,
    *,
    stored: bool,
) -> Answers:
    """A leaf; its key does not depend on the order in which codes were listed."""
    parts = (question, repr(datapoints), repr(suffixes), str(min_count))
    key = _key("leaf", *parts)
    return Answers(key, coverage, question, datapoints, suffixes, min_count, stored)


def all_of(children: Sequence[Node]) -> Node:
    """Conjunction; children are sorted and equal ones merged, since neither matters."""
    kept = _distinct(children)
    if len(kept) == 1:
        return kept[0]
    coverage = kept[0].coverage
    for child in kept:
        coverage &= child.coverage
    return AllOf(_key("and", *(child.key for child in kept)), coverage, kept)


def any_of(children: Sequence[Node]) -> Node:
    """Disjunction; see `all_of`."""
    kept = _distinct(children)
    if len(kept) == 1:
        return kept[0]
    coverage = 0
    for child in kept:
        coverage |= child.coverage
    return AnyOf(_key("or", *(child.key for child in kept)), coverage, kept)


def negation(child: Node) -> Not:
    """The complement within the child's coverage."""
    return Not(_key("not", child.key), child.coverage, child)


def _distinct(children: Iterable[Node]) -> tuple[Node, ...]:
    by_key = {child.key: child for child in children}
    return tuple(by_key[key] for key in sorted(by_key))


def _key(kind: str, *parts: str | bytes) -> bytes:
    """A short name for a node: equal for equal nodes, and for no others in practice (128 bits)."""
    named = [kind.encode()]
    for part in parts:
        encoded = part if isinstance(part, bytes) else part.encode()
        named += (len(encoded).to_bytes(8, "little"), encoded)
    return blake2b(b"".join(named), digest_size=16).digest()
