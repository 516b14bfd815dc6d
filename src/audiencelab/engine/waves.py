"""Sets of a survey's waves, and which waves a query runs over when it names none.

A set of waves is an int with bit i set for the survey's i-th wave by start date: coverage
(`binding`) and effective waves (`tables`) are then a few `&` and `|`, and sets can be compared
and grouped for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from audiencelab.schema.queries import DEFAULT_WAVES

__all__ = ["WaveOrder", "WaveRecord", "WaveSet", "indicator", "members"]

WaveSet = int


class WaveRecord(Protocol):
    """What is needed of a wave here."""

    @property
    def code(self) -> str: ...
    @property
    def starts(self) -> date: ...
    @property
    def accessible(self) -> bool: ...


class WaveOrder:
    """The waves of one survey in order of date (codes are never sorted by letter)."""

    def __init__(self, waves: Iterable[WaveRecord]) -> None:
        ordered = sorted(waves, key=lambda wave: wave.starts)
        self.codes: tuple[str, ...] = tuple(wave.code for wave in ordered)
        self._place = {code: place for place, code in enumerate(self.codes)}
        self.every: WaveSet = (1 << len(ordered)) - 1
        self.accessible: WaveSet = self.set_of(wave.code for wave in ordered if wave.accessible)

    def set_of(self, codes: Iterable[str]) -> WaveSet:
        """The set of the waves with these codes; raises `KeyError` for an unknown one."""
        waves = 0
        for code in codes:
            waves |= 1 << self._place[code]
        return waves

    def codes_of(self, waves: WaveSet) -> tuple[str, ...]:
        """The codes of a set, in order of date."""
        return tuple(self.codes[place] for place in members(waves))

    @property
    def last_accessible(self) -> WaveSet:
        """The waves of a crosstab that names none."""
        places = list(members(self.accessible))[-DEFAULT_WAVES:]
        return sum(1 << place for place in places)


def members(waves: WaveSet) -> Iterator[int]:
    """The places of the waves in a set, ascending."""
    place = 0
    while waves >> place:
        if waves >> place & 1:
            yield place
        place += 1


def indicator(sets: Iterable[WaveSet], places: tuple[int, ...]) -> NDArray[np.float64]:
    """1.0 where a set holds a wave, else 0.0: float64[sets, places]."""
    rows = [[float(waves >> place & 1) for place in places] for waves in sets]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(places))
