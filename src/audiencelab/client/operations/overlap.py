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

from audiencelab.client.operations.arguments import codes
from audiencelab.client.operations.audiences import (
    AudienceLike,
    assign_base_id,
    assign_base_name,
    assign_ids,
    assign_names,
    questions_to_name,
)
from audiencelab.client.operations.queries import (
    CrosstabRequest,
    StatsRequest,
    build_crosstab,
    build_stats,
)
from audiencelab.expressions import Audience, Expression, Labels, all_of
from audiencelab.results.overlap import MOST_AUDIENCES


@dataclass(frozen=True, slots=True)
class OverlapRequest:
    """A checked overlap, and its audiences with an id each."""

    audiences: tuple[Audience, ...]
    base_audience: Audience | None
    locations: list[str] | None
    waves: list[str] | None

    def questions_to_name(self) -> set[str]:
        """The questions whose names make up the names of nameless audiences."""
        return questions_to_name((*self.audiences, self.base_audience))

    def named(self, labels: Labels) -> OverlapRequest:
        """The same with a name for every audience."""
        return replace(
            self,
            audiences=assign_names(self.audiences, labels),
            base_audience=assign_base_name(self.base_audience, labels),
        )

    def coverage(self, question: str, waves: Sequence[str]) -> StatsRequest:
        """A query whose rows list the waves in which each audience was asked.

        question: one that every respondent answers, so that it removes no wave.
        """
        return build_stats(
            question,
            audiences=self.audiences,
            base_audience=self.base_audience,
            locations=self.locations,
            waves=waves,
        )

    def crosstab(self, waves: Sequence[str] | None) -> CrosstabRequest:
        """The combinations of the first half of the audiences against those of the other."""
        half = (len(self.audiences) + 1) // 2
        return build_crosstab(
            rows=_combinations(self.audiences[:half]),
            columns=_combinations(self.audiences[half:]),
            base_audience=self.base_audience,
            locations=self.locations,
            waves=waves,
        )


def build_overlap(
    audiences: Iterable[AudienceLike],
    *,
    base_audience: AudienceLike | None,
    locations: Iterable[str] | None,
    waves: Iterable[str] | None,
) -> OverlapRequest:
    """An overlap; raises `TypeError` for arguments of the wrong type.

    Raises `ValueError` for fewer than 2 or more than 8 audiences and for one that is everyone.
    """
    taken: set[str] = set()
    sent = assign_ids(audiences, "audiences", taken)
    base = assign_base_id(base_audience, taken)
    if not 2 <= len(sent) <= MOST_AUDIENCES:
        raise ValueError(f"overlap() takes 2 to {MOST_AUDIENCES} audiences; got {len(sent)}.")
    for position, audience in enumerate(sent):
        if audience.expression is None:
            raise ValueError(
                f"audiences[{position}] is everyone and contains all the others; leave it out."
            )
    return OverlapRequest(sent, base, codes("locations", locations), codes("waves", waves))


def combined(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of the crosstab's cells by combination: bit i of an index is `audiences[i]`.

    The rows are the lower bits and the columns the upper ones; a cell without a wave is 0.
    """
    return np.nan_to_num(cells.T.ravel())


def _combinations(audiences: Sequence[Audience]) -> list[Audience]:
    """Every way to be in these or not, in the order of `combined`."""
    return [_combination(audiences, bits) for bits in range(2 ** len(audiences))]


def _combination(audiences: Sequence[Audience], bits: int) -> Audience:
    parts: list[Expression] = []
    words: list[str] = []
    for bit, audience in enumerate(audiences):
        if audience.expression is None:
            continue  # pragma: no cover - build_overlap() refuses these
        inside = bits >> bit & 1
        parts.append(audience.expression if inside else ~audience.expression)
        words.append(audience.name if inside else f"not {audience.name}")
    return Audience(", ".join(words), parts[0] if len(parts) == 1 else all_of(*parts))
