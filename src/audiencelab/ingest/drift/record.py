"""A drift: what differs between a wave and those before it, with what decides how it is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

DriftKind: TypeAlias = Literal[
    "new question",
    "gone question",
    "renamed question",
    "new answer",
    "gone answer",
    "renamed answer",
    "moved codes",
    "turned scale",
    "points",
    "words",
    "missing codes",
    "type",
    "range",
    "asked",
    "decided",
]

Decision: TypeAlias = Literal["codes", "labels", "break"] | Mapping[str | int, str | int] | float
"""How a column with a drift is read: "codes": a code means what it meant; "labels": an answer is
what its label says; "break": as labels, and figures of earlier waves do not compare; a mapping from
values of the new file to values of before; a number that values are multiplied by."""

Decide: TypeAlias = Mapping[str, Decision]
"""Decisions by question or column."""


class Drift(msgspec.Struct, frozen=True, omit_defaults=True):
    """One drift.

    kind: what differs. question: its code, or the column where no question has it. detail: a
    sentence with labels and shares. wave: the code of the first wave that is different. is_break:
    whether figures of earlier waves do not compare. refuses: whether a figure would change its
    meaning, so that nothing is imported until `fix` decides it. fix: a line of code.
    column, value, label: where it is in the file. also: other columns of which the same is true.
    reads: values of the file, and those of before that they are read as, or would be by `fix`.
    missing, answers: values that are read as missing codes, and as answers, whatever the file
    declares. was: the name that its column had before.

    >>> Drift("new answer", "q5", "6 is 'Dora' (4%), a new answer").kind
    'new answer'
    """

    kind: DriftKind
    question: str
    detail: str
    wave: str = ""
    is_break: bool = False
    refuses: bool = False
    fix: str = ""
    column: str = ""
    value: str = ""
    label: str = ""
    also: tuple[str, ...] = ()
    reads: dict[str, str] = {}
    missing: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    was: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of the file that it is about."""
        return (self.column, *self.also) if self.column else ()
