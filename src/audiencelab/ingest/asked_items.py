"""Who was asked each item of a question, as its columns are read one after another."""

from __future__ import annotations

import numpy as np

from audiencelab.survey.answers import Flags


class ItemsAsked:
    """Who was asked each of some items: flags bool[rows], shared by items that are alike."""

    def __init__(self, points: int, rows: int) -> None:
        self._flags: list[Flags | None] = [None] * points
        self._rows = rows
        self._last: Flags | None = None

    def add(self, point: int, flags: Flags) -> None:
        """Respondents who were asked an item, by one of its columns."""
        if (known := self._flags[point]) is not None:
            flags = known | flags
        # Items mostly have the same respondents: one array for all that are alike, one after
        # another.
        if self._last is None or not np.array_equal(flags, self._last):
            self._last = flags
        self._flags[point] = self._last

    def unlike(self, asked: Flags) -> Flags | None:
        """bool[rows, points]; None where all are those who were asked the question."""
        given = [each for each in self._flags if each is not None]
        if not given:
            return None
        alike = len(given) == len(self._flags) and len({*map(id, given)}) == 1
        if alike and np.array_equal(given[0], asked):
            return None
        none_asked = np.zeros(self._rows, np.bool_)
        return np.stack([none_asked if each is None else each for each in self._flags]).T
