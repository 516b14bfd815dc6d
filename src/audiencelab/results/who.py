"""Who of the base counts in the cells of a result, and what is known of those who do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience
from audiencelab.schema.breaks import Break
from audiencelab.schema.scope import BaseOf


class Offer(NamedTuple):
    """An answer or item that some waves of its question did not offer.

    name: what it is called. waves: the codes of the waves that offered it.
    """

    name: str
    waves: tuple[str, ...]


class NotAsked(NamedTuple):
    """How many respondents of a base were not asked a question, and how many there are."""

    respondents: float
    of: float


class Described(NamedTuple):
    """A base audience, and its expression in the names of questions and answers."""

    audience: Audience
    words: str


@dataclass(frozen=True, slots=True)
class WhoCounts:
    """Who of the base counts in a cell, and what is known of the questions of a result.

    base_of: "everyone", or with "valid" those who could have been in the cell.
    names: the names of the questions, by code as the expressions have it.
    offered: by question and code, the answers and items that some waves did not offer.
    asked: by question, the codes of the waves that asked it, where some did not.
    routed: the questions that some respondents of a wave were not asked.
    not_asked: by question, respondents of the base who were not asked it, where they count.
    base: the base audience that was asked for, described by names; None for everyone.
    waves: the codes of all waves of the survey, by date; () where they are not known.
    breaks: by question, the waves from which it is another one than before.
    beside: whether the columns are those of tables side by side, each with a base of its own.
    misses_whole: whether a recording does not have the figures of All.
    minimum_base: counts of fewer respondents are withheld by the service.
    """

    base_of: BaseOf = "everyone"
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    offered: Mapping[str, Mapping[str, Offer]] = field(
        default_factory=dict[str, Mapping[str, Offer]]
    )
    asked: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    routed: frozenset[str] = frozenset()
    not_asked: Mapping[str, NotAsked] = field(default_factory=dict[str, NotAsked])
    base: Described | None = None
    waves: tuple[str, ...] = ()
    breaks: Mapping[str, tuple[Break, ...]] = field(default_factory=dict[str, tuple[Break, ...]])
    beside: bool = False
    misses_whole: bool = False
    minimum_base: int = 0

    @property
    def valid(self) -> bool:
        """Whether a cell counts those who could have been in it."""
        return self.base_of == "valid"

    def shown(self, counts: Any) -> NDArray[np.float64]:
        """Counts of respondents that are subtracted from others; NaN where they are withheld.

        The service withholds those that it counts itself.
        """
        found = np.asarray(counts, dtype=np.float64)
        return np.where((found > 0) & (found < self.minimum_base), np.nan, found)

    def name(self, question: str) -> str:
        """The name of a question, or its code where the name is not known."""
        return self.names.get(question) or question


EVERYONE = WhoCounts()
"""Everyone in the base counts in every cell."""
