"""The overlap of several audiences as one crosstab: the first half of them against the other.

Each side lists every way to be in its audiences or not, so each cell is one exact combination,
and `n` audiences take about `2 × 2 ** (n / 2)` expressions instead of `2 ** n`. Every expression
of a cell mentions every audience, so all cells rest on the waves in which all of it was asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from audiencelab.client.operations.audiences import (
    AudienceLike,
    identified,
    identified_base,
    named,
    named_base,
    questions_to_name,
)
from audiencelab.client.operations.codes import codes
from audiencelab.client.operations.queries import CrosstabPlan, StatsPlan, crosstab, stats
from audiencelab.expressions import Audience, Expression, Labels, all_of
from audiencelab.results.overlaps import MOST_AUDIENCES

__all__ = ["OverlapPlan", "combined", "overlap"]


@dataclass(frozen=True, slots=True)
class OverlapPlan:
    """An overlap, found well-formed, and its audiences with an id each."""

    audiences: tuple[Audience, ...]
    base_audience: Audience | None
    locations: list[str] | None
    waves: list[str] | None

    def questions_to_name(self) -> set[str]:
        """The questions whose names make up the names of nameless audiences."""
        return questions_to_name((*self.audiences, self.base_audience))

    def named(self, labels: Labels) -> OverlapPlan:
        """The same with a name for every audience."""
        return replace(
            self,
            audiences=named(self.audiences, labels),
            base_audience=named_base(self.base_audience, labels),
        )

    def coverage(self, question: str, waves: Sequence[str]) -> StatsPlan:
        """A query whose rows tell in which of the waves each audience was asked.

        question: one that every respondent answers, so that it takes no wave away.
        """
        return stats(
            question,
            audiences=self.audiences,
            base_audience=self.base_audience,
            locations=self.locations,
            waves=waves,
        )

    def crosstab(self, waves: Sequence[str] | None) -> CrosstabPlan:
        """The combinations of the first half of the audiences against those of the other."""
        half = (len(self.audiences) + 1) // 2
        return crosstab(
            rows=_combinations(self.audiences[:half]),
            columns=_combinations(self.audiences[half:]),
            base_audience=self.base_audience,
            locations=self.locations,
            waves=waves,
        )


def overlap(
    audiences: Iterable[AudienceLike],
    *,
    base_audience: AudienceLike | None,
    locations: Iterable[str] | None,
    waves: Iterable[str] | None,
) -> OverlapPlan:
    """Plan an overlap.

    Raises `TypeError` for arguments of another kind, and `ValueError` for fewer than 2 or more
    than 8 audiences and for one that is everyone.
    """
    taken: set[str] = set()
    sent = identified(audiences, "audiences", taken)
    base = identified_base(base_audience, taken)
    if not 2 <= len(sent) <= MOST_AUDIENCES:
        raise ValueError(f"An overlap is one of 2 to {MOST_AUDIENCES} audiences, not {len(sent)}.")
    for place, audience in enumerate(sent):
        if audience.expression is None:
            raise ValueError(
                f"audiences[{place}] is everyone, and so holds all the others: leave it out."
            )
    return OverlapPlan(sent, base, codes("locations", locations), codes("waves", waves))


def combined(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Figures of the crosstab's cells by combination: bit i of a place is `audiences[i]`.

    The rows hold the lower bits and the columns the upper ones; a cell without a wave holds
    nobody.
    """
    return np.nan_to_num(cells.T.ravel())


def _combinations(audiences: Sequence[Audience]) -> list[Audience]:
    """Every way to be in these or not, in the order of `combined`."""
    return [_combination(audiences, bits) for bits in range(2 ** len(audiences))]


def _combination(audiences: Sequence[Audience], bits: int) -> Audience:
    parts: list[Expression] = []
    words: list[str] = []
    for place, audience in enumerate(audiences):
        if audience.expression is None:
            continue  # pragma: no cover - overlap() lets none of these pass
        inside = bits >> place & 1
        parts.append(audience.expression if inside else ~audience.expression)
        words.append(audience.name if inside else f"not {audience.name}")
    return Audience(", ".join(words), parts[0] if len(parts) == 1 else all_of(*parts))
