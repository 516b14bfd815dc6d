"""Names in place of codes, as sentences of expressions take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable


class Labels(Protocol):
    """Names for codes, such as a catalogue's; `None` leaves the code."""

    def question_name(self, code: str) -> str | None:
        return None

    def datapoint_name(self, question: str, code: str) -> str | None:
        return None

    def suffix_name(self, question: str, code: str) -> str | None:
        return None


ANY_POINT = " (any point of the scale)"
"""What follows an item of a grid that counts whatever its answer is."""


@runtime_checkable
class KnowsScales(Protocol):
    """Labels that know which questions have a scale beside their answers."""

    def has_scale(self, question: str) -> bool: ...


@runtime_checkable
class WritesCode(Protocol):
    """Labels that know by which code a table is asked for, given `client`."""

    def crosstab_code(
        self,
        rows: Sequence[Any],
        columns: Sequence[Any],
    ) -> str: ...


class CodesOnly(Labels):
    """Labels without any name, so that codes are shown."""
