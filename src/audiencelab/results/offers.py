"""Which waves offered what an audience asks for, by the offers that a result knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from audiencelab.expressions import And, Audience, Expression, Leaf, walk
from audiencelab.expressions.codes import WAVES
from audiencelab.expressions.nodes import Combinator
from audiencelab.results.who import Offer, WhoCounts

Waves = frozenset[str]

OTHERS = "*"
"""All the waves that are not named, where it is not known which a result counts."""


def waves_counted(who: WhoCounts, requested: Iterable[str], audiences: Iterable[Audience]) -> Waves:
    """The waves of a result: those requested; where that is not known, all that are named."""
    if known := frozenset(requested):
        return known
    named = {
        wave for each in who.offered.values() for offer in each.values() for wave in offer.waves
    }
    for audience in audiences:
        leaves = (leaf for leaf in leaves_of(audience) if leaf.question == WAVES)
        named |= {wave for leaf in leaves for wave in leaf.datapoints}
    return frozenset({*named, OTHERS})


def leaves_of(audience: Audience) -> Iterator[Leaf]:
    """The conditions of an audience."""
    nodes = () if audience.expression is None else walk(audience.expression)
    return (node for _, node in nodes if isinstance(node, Leaf))


def offered_waves(
    expression: Expression | None, who: WhoCounts, kinds: Mapping[str, str], every: Waves
) -> Waves:
    """The waves, of all that a result counts, that offered what an expression asks for."""
    return _combined(expression, every, lambda leaf: _leaf_waves(leaf, who, kinds, every))


def named_waves(expression: Expression | None, every: Waves) -> Waves:
    """The waves, of all that a result counts, that an expression limits its respondents to."""
    return _combined(
        expression, every, lambda leaf: _listed(leaf, every) if leaf.question == WAVES else every
    )


def items_offered(audience: Audience, who: WhoCounts, wave: str) -> frozenset[tuple[str, str]]:
    """The answers and items that an audience lists together with others and a wave offered.

    Of those alone that some wave did not offer.
    """
    return frozenset(
        (leaf.question, item)
        for leaf in leaves_of(audience)
        if len(leaf.datapoints) != 1
        for item, offer in who.offered.get(leaf.question, {}).items()
        if (not leaf.datapoints or item in leaf.datapoints) and wave in offer.waves
    )


def listed_together(audience: Audience, who: WhoCounts) -> bool:
    """Whether an audience lists several answers or items of which some wave did not offer one."""
    return any(
        len(leaf.datapoints) != 1 and leaf.question in who.offered for leaf in leaves_of(audience)
    )


def offers_of(audience: Audience, who: WhoCounts) -> dict[str, Offer]:
    """The answers and items of an audience that some waves did not offer, by code."""
    return {
        f"{leaf.question}/{item}": offer
        for leaf in leaves_of(audience)
        for item, offer in who.offered.get(leaf.question, {}).items()
        if not leaf.datapoints or item in leaf.datapoints
    }


def _combined(
    expression: Expression | None, every: Waves, of_leaf: Callable[[Leaf], Waves]
) -> Waves:
    if isinstance(expression, Leaf):
        return of_leaf(expression)
    if isinstance(expression, Combinator):
        # Negation changes nothing here: "not" covers what its child covers.
        parts = [_combined(child, every, of_leaf) for child in expression.children]
        both = isinstance(expression, And)
        return parts[0].intersection(*parts) if both else parts[0].union(*parts)
    return every


def _listed(leaf: Leaf, every: Waves) -> Waves:
    listed = frozenset(leaf.datapoints) if leaf.datapoints else every
    return every - listed if leaf.negated else every & listed


def _leaf_waves(leaf: Leaf, who: WhoCounts, kinds: Mapping[str, str], every: Waves) -> Waves:
    if leaf.question == WAVES:
        return _listed(leaf, every)
    offers = who.offered.get(leaf.question)
    if not offers or not leaf.datapoints:
        return every
    # One answer offered is enough: respondents give no more than one.
    needed = 1 if kinds.get(leaf.question) == "single" else leaf.min_count
    known = [offers.get(item) for item in leaf.datapoints]
    return frozenset(
        wave
        for wave in every
        if sum(offer is None or wave in offer.waves for offer in known) >= needed
    )
