"""A finding of `check`: where it is, what is there, and the line that mends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from audiencelab.wording import plural

Severity = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """Something to look at before a notebook is shared.

    kind: such as "small counts" or "credential".
    severity: "high" for what identifies a respondent, or is a credential; "medium" for what may
        identify one, or names a user; "low" for all else.
    file: the notebook, or a file beside it.
    cell: counts the code cells, from 1, as `verify` does; 0 for all of the file.
    words: what is there. mend: a command or a line of code.
    """

    kind: str
    severity: Severity
    file: Path
    cell: int
    words: str
    mend: str


def some(found: Sequence[str], noun: str = "") -> str:
    """The first of several, with how many there are: "3 columns: A, B and C"."""
    different = list(dict.fromkeys(found))
    shown = ", ".join(map(short, different[:_SHOWN]))
    more = f" and {len(different) - _SHOWN:,} more" if len(different) > _SHOWN else ""
    return f"{plural(len(different), noun)}: {shown}{more}" if noun else f"{shown}{more}"


def short(text: str, most: int = 60) -> str:
    """A text in one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
