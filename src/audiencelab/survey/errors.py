"""Errors of surveys: a folder that is not a survey, answers that do not fit, bad sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audiencelab.errors import AudienceError

__all__ = [
    "SourceError",
    "SourcePlace",
    "SurveyBusyError",
    "SurveyError",
    "SurveyExistsError",
    "listed",
]


class SurveyError(AudienceError):
    """A survey that cannot be read, built or imported; the message names the place and the fix."""


class SurveyExistsError(SurveyError):
    """The target folder is already there, and nobody said that it may be replaced."""


class SurveyBusyError(SurveyError):
    """Somebody else is writing the survey; the message says who."""


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A place in a source file.

    `row` counts data rows from 1, the header left out; `value` is what stands there.
    """

    file: str
    row: int | None = None
    column: str | None = None
    value: str | None = None

    def __str__(self) -> str:
        parts = [self.file]
        if self.row is not None:
            parts.append(f"row {self.row:,}")
        if self.column is not None:
            parts.append(f"column {self.column}")
        if self.value is not None:
            parts.append(f"value {_short(self.value)!r}")
        return ", ".join(parts)


class SourceError(SurveyError):
    """A source file that cannot be imported; `place` says where."""

    def __init__(self, place: SourcePlace, detail: str) -> None:
        self.place = place
        self.detail = detail
        super().__init__(f"{place}: {detail}")

    def __reduce__(self) -> tuple[type[SourceError], tuple[SourcePlace, str]]:
        return type(self), (self.place, self.detail)


def _short(value: str, most: int = 60) -> str:
    return value if len(value) <= most else value[: most - 1] + "…"


def listed(codes: Sequence[str], most: int = 6) -> str:
    """The first few codes of a list, for a message."""
    more = f" and {len(codes) - most} more" if len(codes) > most else ""
    return ", ".join(codes[:most]) + more
