"""Errors of surveys: a folder that is not a survey, answers that do not fit, bad sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audiencelab.errors import AudienceError


class SurveyError(AudienceError):
    """A survey cannot be read, built or imported; the message names the location and the fix."""


class DamagedSurveyError(SurveyError):
    """Files of a survey differ from their checksums; the message names what is damaged."""


class SurveyExistsError(SurveyError):
    """The target folder exists already, and may not be replaced."""


class SurveyBusyError(SurveyError):
    """Another process is writing the survey; the message names it."""


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A location in a source file.

    `row` counts data rows from 1, without the header; `value` is the value there.
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
            value = self.value if len(self.value) <= 60 else f"{self.value[:59]}…"
            parts.append(f"value {value!r}")
        return ", ".join(parts)


class SourceError(SurveyError):
    """A source file cannot be imported; `place` is where."""

    def __init__(self, place: SourcePlace, detail: str) -> None:
        self.place = place
        self.detail = detail
        super().__init__(f"{place}: {detail}")

    def __reduce__(self) -> tuple[type[SourceError], tuple[SourcePlace, str]]:
        return type(self), (self.place, self.detail)


def listed(codes: Sequence[str], most: int = 6) -> str:
    """The first few codes of a list, for a message."""
    more = f" and {len(codes) - most} more" if len(codes) > most else ""
    return ", ".join(codes[:most]) + more
