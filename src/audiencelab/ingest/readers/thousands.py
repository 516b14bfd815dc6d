"""Numbers with points between thousands, 2.475,14, in files whose decimal sign is the comma."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

_GROUPED = r"[-+]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?"
_NUMBER = re.compile(rf"{_GROUPED}|[-+]?\d+(,\d+)?")
_LIKE_A_NUMBER = re.compile(r"[-+]?[.,]?\d[\d.,]*")
_HAS_POINT = re.compile(_GROUPED)
_IS_CERTAIN = re.compile(r"[-+]?[1-9]\d{0,2}(\.\d{3})+,\d+|[-+]?[1-9]\d{0,2}(\.\d{3}){2,}")
_FEWEST = 10
"""Fewer numbers than this may all have three decimals by chance."""
_MOST = 1_000
"""Numbers that are kept, as examples."""


class Thousands:
    """Whether the numbers of a column have points between thousands, by its cells.

    All that look like numbers must, if they are large enough: 1.5, 0.875 or a day such as
    01.02.2024 say that points mean something else. Other texts, such as "k. A.", say nothing.
    """

    def __init__(self) -> None:
        self._fits = True
        self._is_certain = self._has_long = False
        self.grouped: set[str] = set()
        self._others = 0

    def see(self, cells: Iterable[str]) -> None:
        """Look at some more cells, without blanks around them."""
        for cell in cells if self._fits else ():
            if not _LIKE_A_NUMBER.fullmatch(cell):
                continue
            if not _NUMBER.fullmatch(cell):
                self._fits = False
                return
            if _HAS_POINT.fullmatch(cell):
                if len(self.grouped) < _MOST:
                    self.grouped.add(cell)
                self._is_certain |= _IS_CERTAIN.fullmatch(cell) is not None
            else:
                self._others += 1
                self._has_long |= len(cell.partition(",")[0].lstrip("+-")) > 3

    @property
    def are_written(self) -> bool:
        """Whether points are between thousands, in a file with decimal commas."""
        return self._fits and bool(self.grouped) and (self._is_certain or not self._has_long)

    @property
    def are_certain(self) -> bool:
        """The same, of any file.

        Programs leave out a zero at the end (2.47), or write it in all numbers (9.000); so where
        there are both 2.470 and 9, the point is between thousands.
        """
        has_zeros = any(each.endswith("0") for each in self.grouped)
        is_mixed = has_zeros and self._others > 0 and len(self.grouped) >= _FEWEST
        return self.are_written and (self._is_certain or is_mixed)

    def example(self) -> str:
        """A number as it is written, and as it is read."""
        written = min(self.grouped)
        return f"{written!r} is read as {written.replace('.', '').replace(',', '.')}"


def columns_with_thousands(batches: Iterator[Any]) -> dict[str, Thousands]:
    """What Arrow batches of text show, of the columns with points between thousands."""
    found: dict[str, Thousands] = {}
    for batch in batches:
        for name, array in zip(batch.schema.names, batch.columns, strict=True):
            # Different texts once: a survey has few of them and many rows.
            texts = array.unique().to_pylist()
            found.setdefault(name, Thousands()).see(each.strip() for each in texts if each)
    return {name: each for name, each in found.items() if each.are_written}


def without_points(array: Any) -> Any:
    """An Arrow array of texts in which numbers have no points between thousands."""
    import pyarrow.compute as pc

    functions: Any = pc
    is_number = functions.match_substring_regex(array, rf"^\s*{_GROUPED}\s*$")
    plain = functions.replace_substring(functions.utf8_trim_whitespace(array), ".", "")
    return functions.if_else(is_number, plain, array)
