"""The report of an import: what was read and dropped, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from audiencelab.import_card import ImportCard, code_of_call
from audiencelab.ingest.card import card_lines, every_line
from audiencelab.ingest.drift.as_read import AsRead
from audiencelab.ingest.drift.record import Drift
from audiencelab.ingest.meaning.guess import Guess, worst_first
from audiencelab.survey.errors import listed

if TYPE_CHECKING:
    from audiencelab.survey.reader import Survey


ONE_WAVE = "all respondents are in one wave; the date of the fieldwork is not known"
"""The guess of a file without waves, which is no longer true once another is added."""


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


class TickedSet(msgspec.Struct, frozen=True, omit_defaults=True):
    """A multiple question whose columns hold ticks alone; an empty cell means "not ticked".

    respondents: those with an empty cell in all of them, who count as asked.
    """

    question: str
    name: str
    items: int
    value: str
    respondents: int

    @property
    def said(self) -> str:
        """Who counts as asked, and ticked none."""
        counts = "counts" if self.respondents == 1 else "count"
        return (
            f"{self.respondents:,} with all blanks {counts} as asked and ticked none "
            f"({self.items} items of {self.value} and blank)"
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

    guesses: what the import took for granted, the worst first, each with the code that changes it.
    facts: short ones of the survey that it made. drift: what differs between its waves, also among
    the guesses. read: what the files say of their columns.

    >>> report = ImportReport(guesses=[Guess("q5", "missing", "99 (41 of 2,600) is an answer")])
    >>> print(report.card())
    Import of no file: 0 respondents
      missing          q5: 99 (41 of 2,600) is an answer
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
    facts: list[str] = msgspec.field(default_factory=list[str])
    drift: list[Drift] = msgspec.field(default_factory=list[Drift])
    read: AsRead = AsRead()

    @classmethod
    def of(cls, survey: Survey) -> ImportReport:
        """The report of a survey; an empty one of a survey that was not imported."""
        found = msgspec.convert(survey.import_report or {}, cls)
        # 2.0 and before wrote lists alone.
        return found if found.facts else found.concluded(())

    def concluded(self, facts: Iterable[str]) -> ImportReport:
        """The report with these facts, and with guesses of all that its lists name."""
        guesses = worst_first([*self.guesses, *self._named()])
        return msgspec.structs.replace(self, guesses=guesses, facts=[*facts])

    def with_wave(self, new: ImportReport, facts: Iterable[str]) -> ImportReport:
        """The report with that of a further file, without repetitions.

        facts: of the survey with both.
        """
        read = self.read.with_later(new.read)
        joined: dict[str, Any] = {"facts": [*facts], "read": read}
        for name in {*self.__struct_fields__} - joined.keys():
            own, more = getattr(self, name), getattr(new, name)
            joined[name] = [*own, *(each for each in more if each not in own)]
        told: list[Guess] = joined["guesses"]
        joined["guesses"] = worst_first([each for each in told if each.said != ONE_WAVE])
        return ImportReport(**joined)

    def of_files(self, checksums: Collection[str], waves: Collection[str]) -> ImportReport:
        """The report with some of its files and waves alone, by checksum and by code."""
        return msgspec.structs.replace(
            self,
            sources=[each for each in self.sources if each.sha256 in checksums],
            waves=[each for each in self.waves if each.code in waves],
        )

    def of_call(self, source: str, given: Mapping[str, str]) -> ImportReport:
        """The report with code that runs, of a call of `al.open` with these arguments, as code."""
        guesses = [
            msgspec.structs.replace(each, code=code_of_call(each.code, source, given))
            for each in self.guesses
        ]
        return msgspec.structs.replace(self, guesses=guesses)

    def to_json(self) -> dict[str, Any]:
        """The report as plain JSON."""
        return msgspec.to_builtins(self)

    def card(self) -> ImportCard:
        """What is worth knowing first, in 12 lines at most, with a count of the rest."""
        return ImportCard(self._title, tuple(self.facts), card_lines(self.guesses))

    def __repr__(self) -> str:
        return "\n".join(self.whole().text(most=None))

    def _repr_html_(self) -> str:
        return self.whole().html(most=None)

    @property
    def _title(self) -> str:
        names = listed([each.file for each in self.sources], 3) or "no file"
        respondents = sum(each.respondents for each in self.waves)
        return f"Import of {names}: {_respondents(respondents)}"

    def whole(self) -> ImportCard:
        """Everything that was read, dropped and taken for granted, by subject."""
        read = [
            f"{each.file}: {each.rows:,} rows, {each.columns - len(each.unused_columns):,} of "
            f"{each.columns:,} columns used"
            for each in self.sources
        ]
        waves = [
            f"{each.code}: {_respondents(each.respondents)}, {each.size:,.0f} weighted, "
            f"{each.questions:,} questions"
            for each in self.waves
        ]
        return ImportCard(self._title, (*read, *waves, *self.facts), every_line(self.guesses))

    def _named(self) -> Iterator[Guess]:
        """A guess of each thing that the lists name."""
        for dropped in self.dropped:
            yield Guess("file", "left out", str(dropped), severity=1)
        for value in self.unknown_values:
            said = f"{value.value!r} in {value.column}: {_respondents(value.respondents)}"
            said += f", first at row {value.first_row:,}, asked and without an answer"
            yield Guess(value.question, "unknown value", said, severity=1)
        for ticked in self.ticked_sets:
            doubtful = 1 if ticked.respondents else 2
            yield Guess(ticked.question, "several answers", ticked.said, severity=doubtful)
        for offered in self.offered:
            yield Guess("file", "not offered", str(offered))
        if self.empty_questions:
            said = f"asked of no respondent: {listed(self.empty_questions)}"
            yield Guess("file", "left out", said)
        for note in self.notes:
            yield Guess("file", "note", note)


def _respondents(number: int) -> str:
    return f"{number:,} respondent{'s' * (number != 1)}"
