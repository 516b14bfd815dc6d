"""The report of an import: what was read and dropped, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from audiencelab.ingest.meaning.guess import Guess


class SourceRead(msgspec.Struct, frozen=True):
    """A source file as it was read."""

    file: str
    sha256: str
    rows: int
    columns: int
    unused_columns: list[str]


class WaveRead(msgspec.Struct, frozen=True):
    """A wave as it was made."""

    code: str
    respondents: int
    size: float
    questions: int


class Dropped(msgspec.Struct, frozen=True):
    """Respondents left out, with the first of their rows (data rows count from 1)."""

    file: str
    reason: str
    respondents: int
    first_row: int

    def __str__(self) -> str:
        return (
            f"{self.file}: {_respondents(self.respondents)} {self.reason} "
            f"(first at row {self.first_row:,})"
        )


class UnknownValue(msgspec.Struct, frozen=True):
    """A value that the codebook does not know; its respondents count as asked, nothing chosen."""

    file: str
    question: str
    column: str
    value: str
    respondents: int
    first_row: int


class TickedSet(msgspec.Struct, frozen=True):
    """A multiple question whose columns hold ticks alone; an empty cell means "not ticked".

    respondents: those with an empty cell in all of them, who count as asked.
    """

    question: str
    name: str
    items: int
    value: str
    respondents: int

    def __str__(self) -> str:
        return (
            f"{self.name} ({self.question}, {self.items} items of {self.value} and blank): "
            f"{_respondents(self.respondents)} with all blanks "
            f"{'counts' if self.respondents == 1 else 'count'} as asked and ticked none"
        )


class Offered(msgspec.Struct, frozen=True):
    """An answer or item that some of the waves of its question did not offer."""

    code: str
    name: str
    offered: int
    waves: int

    def __str__(self) -> str:
        number = f"{self.offered} of {self.waves} waves" if self.offered else "no wave"
        return f"{self.name} ({self.code}): offered in {number}"


class ImportReport(msgspec.Struct):
    """The whole report. Lists are empty where there is nothing to say.

    guesses: what the import took for granted, each with the code that changes it.
    """

    sources: list[SourceRead] = msgspec.field(default_factory=list[SourceRead])
    waves: list[WaveRead] = msgspec.field(default_factory=list[WaveRead])
    dropped: list[Dropped] = msgspec.field(default_factory=list[Dropped])
    unknown_values: list[UnknownValue] = msgspec.field(default_factory=list[UnknownValue])
    empty_questions: list[str] = msgspec.field(default_factory=list[str])
    ticked_sets: list[TickedSet] = msgspec.field(default_factory=list[TickedSet])
    offered: list[Offered] = msgspec.field(default_factory=list[Offered])
    notes: list[str] = msgspec.field(default_factory=list[str])
    guesses: list[Guess] = msgspec.field(default_factory=list[Guess])

    def to_json(self) -> dict[str, Any]:
        """The report as plain JSON."""
        return msgspec.to_builtins(self)

    def lines(self, most: int = 12) -> Iterator[str]:
        """The report as text, long lists cut after `most` entries."""
        for source in self.sources:
            unused = len(source.unused_columns)
            yield (
                f"read      {source.file}: {source.rows:,} rows, {source.columns - unused} of "
                f"{source.columns} columns used"
            )
        yield from _cut(
            [
                f"wave      {wave.code}: {_respondents(wave.respondents)}, "
                f"{wave.size:,.0f} weighted, {wave.questions} questions"
                for wave in self.waves
            ],
            most,
            "wave      … and {} more waves (all of them in import.json)",
        )
        for dropped in self.dropped:
            yield f"dropped   {dropped}"
        yield from _cut(
            [
                f"unknown   {each.file}: {each.question}, column {each.column}: value "
                f"{each.value!r} in {each.respondents:,} rows (first {each.first_row:,})"
                for each in self.unknown_values
            ],
            most,
            "unknown   … and {} more values (all of them in import.json)",
        )
        if self.empty_questions:
            shown = ", ".join(self.empty_questions[:most])
            more = len(self.empty_questions) - most
            others = f" and {more} more" if more > 0 else ""
            yield f"left out  asked of no respondent: {shown}{others}"
        for title, found in (("sets", self.ticked_sets), ("offered", self.offered)):
            lines = [f"{title:<10}{each}" for each in found]
            yield from _cut(lines, most, f"{title:<10}… and {{}} more (all of them in import.json)")
        yield from (f"note      {note}" for note in self.notes)


def _respondents(number: int) -> str:
    return f"{number:,} respondent{'s' * (number != 1)}"


def _cut(lines: list[str], most: int, more: str) -> Iterator[str]:
    yield from lines[:most]
    if len(lines) > most:
        yield more.format(len(lines) - most)
