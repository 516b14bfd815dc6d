"""Whole scales by the words of their answers: their steps, and how their ends are related."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audiencelab.schema.scales import Ends


@dataclass(frozen=True, slots=True)
class KnownScale:
    """What words say of the answers of a question.

    ranks: by place of the answer, its step: a higher one has more of what the question names
        (agreement, satisfaction, frequency, amount); None of an answer that is off the scale, or
        that the words do not place.
    ends: from an attitude to its opposite, or from none to most. has_top: whether more is more of
        what the question names; not of "too much", "about right", "too little".
    is_whole: whether the words place every answer that is not off the scale.
    """

    ranks: tuple[float | None, ...]
    ends: Ends
    has_top: bool = True
    is_whole: bool = True


def known_scale(labels: Sequence[str]) -> KnownScale | None:
    """The scale that labels make, in whatever order they are; None where words show none."""
    from audiencelab.ingest.meaning.scales import known_order

    rising = known_order(labels)
    if not rising:
        return None
    ranks = tuple(float(rising.index(each)) if each in rising else None for each in labels)
    return KnownScale(ranks, "amount")
