"""Which waves a file brings to a survey: by the survey's wave column, or the next period."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

import numpy as np
from msgspec import structs

from audiencelab.ingest.codebook import (
    EVERY_WAVE,
    Codebook,
    CodedQuestion,
    CodedWave,
    WaveColumn,
    meanings_of,
    wave_values,
)
from audiencelab.ingest.columns import Progress
from audiencelab.ingest.draft.questions import clean_code
from audiencelab.ingest.draft.roles import find_date, is_wave_name, may_be_wave
from audiencelab.ingest.draft.told import Told
from audiencelab.ingest.draft.waves import DraftedWaves
from audiencelab.ingest.meaning.guess import Guess, quoted
from audiencelab.ingest.meaning.profile import ColumnProfile, is_number, profile_columns
from audiencelab.ingest.readers import ReadColumns
from audiencelab.ingest.sources import Sources
from audiencelab.ingest.wave_names import Period, at, next_period, period_of
from audiencelab.ingest.waves import dates_of, period_wave
from audiencelab.survey.catalogue import SurveyWave, placeholder, placeholder_number
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.reader import Survey

_Columns = Mapping[str, ColumnProfile]


@dataclass(slots=True)
class NewWaves:
    """The waves that a file brings.

    column: of the file, that says them; None where all of it is one wave. waves: in the order of
    time; of a column of dates they are periods. renamed: the survey's own wave, where it gets a
    name now. question: the question of the survey whose column says the waves from now on.
    known: values of the column that mean waves of the survey, with their respondents in the file.
    """

    column: WaveColumn | None
    waves: tuple[CodedWave, ...]
    renamed: SurveyWave | None = None
    question: str = ""
    own: CodedWave | None = None
    known: dict[str, int] = field(default_factory=dict[str, int])
    guesses: list[Guess] = field(default_factory=list[Guess])

    def reading(self, book: Codebook) -> Codebook:
        """The codebook as it reads the file."""
        by_date = self.column is not None and self.column.by is not None
        codes = {EVERY_WAVE, *(each.code for each in self.waves)}
        questions = tuple(_offered_in(each, codes) for each in book.questions)
        waves = () if by_date else self.waves
        return structs.replace(book, wave=self.column, waves=waves, questions=questions)

    def joined(self, book: Codebook) -> Codebook:
        """The survey's codebook with the waves; those of a file of their own are by its values."""
        if book.wave is not None and book.wave.by is not None:
            return book
        new = {each.code for each in self.waves}
        # A codebook may list waves that had no respondents yet.
        own = book.waves if self.own is None else (self.own,)
        mine = tuple(each for each in own if each.code not in new)
        wave = self.column if self.question else book.wave
        questions = tuple(each for each in book.questions if each.code != self.question)
        return structs.replace(book, wave=wave, waves=(*mine, *self.waves), questions=questions)


def _offered_in(question: CodedQuestion, waves: Container[str]) -> CodedQuestion:
    """The question without what its answers say of other waves."""
    if not any(each.waves for each in question.datapoints):
        return question
    points = tuple(
        structs.replace(each, waves=tuple(wave for wave in each.waves if wave in waves))
        for each in question.datapoints
    )
    return structs.replace(question, datapoints=points)


def find_new_waves(
    survey: Survey, book: Codebook, sources: Sources, columns: _Columns, given: str | None
) -> NewWaves:
    """The waves of a file that is added; rows of waves that the survey has are taken out of it.

    columns: the file's. given: the name of the wave, or the column that makes the waves.
    Raises `SurveyError` for a wave that the survey has, and where the next one is not certain.
    """
    return _Finding(survey, book, sources, columns).find(given)


class _Finding:
    def __init__(self, survey: Survey, book: Codebook, sources: Sources, columns: _Columns) -> None:
        self._survey = survey
        self._book = book
        self._sources = sources
        self._columns = columns
        self._file = sources.files[0].name
        self._is_file = bool(sources.files[0].path.suffix)
        self._codes = {wave.code for wave in survey.waves}

    def find(self, given: str | None) -> NewWaves:
        book, columns = self._book, self._columns
        if given is not None and given in columns:
            by = book.wave.by if book.wave and book.wave.column == given else None
            return self._by_column(WaveColumn(given, by))
        if given is not None:
            return self._one(self._named(given), None)
        if book.wave is not None and book.wave.column in columns:
            return self._by_column(book.wave)
        if (question := self._constant()) is not None:
            found = self._by_column(WaveColumn(question))
            return self._of_constant(found, question)
        return self._next()

    # ---- by a column ----

    def _by_column(self, wave: WaveColumn) -> NewWaves:
        column = self._columns[wave.column]
        if wave.by is not None:
            return self._by_date(wave, column)
        named = {value: each.code for each in self._book.waves for value in wave_values(each)}
        # A list that the codebook makes of the values has them as codes.
        named |= {} if self._book.waves else {each: each for each in self._codes}
        theirs = {v: named[v] for v in column.counts if named.get(v) in self._codes}
        self._check_new(column, theirs)
        known = {value: column.counts[value] for value in theirs}
        left = self._without(column, known)
        declared = [each for each in self._book.waves if each.code not in self._codes]
        if declared and {v for each in declared for v in wave_values(each)} >= left.counts.keys():
            return NewWaves(wave, tuple(declared), known=known)
        told = Told()
        drafted = DraftedWaves(self._sources, told, {})
        _, waves = drafted.of(self._left(), wave.column)
        return self._told(NewWaves(wave, tuple(self._dated(waves)), known=known), wave.column)

    def _by_date(self, wave: WaveColumn, column: ColumnProfile) -> NewWaves:
        days = dates_of(column.counts)
        made = {v: period_wave(wave.by or "day", day) for v, day in days.items()}
        theirs = {v: each.name for v, each in made.items() if each.code in self._codes}
        self._check_new(column, theirs)
        known = {value: column.counts[value] for value in theirs}
        self._without(column, known)
        waves = {each.code: each for value, each in made.items() if value not in known}
        coded = [CodedWave(e.code, e.starts, e.ends, e.name) for e in waves.values()]
        coded.sort(key=lambda each: each.starts)
        return self._told(NewWaves(wave, tuple(coded), known=known), wave.column)

    def _told(self, found: NewWaves, column: str) -> NewWaves:
        names = listed([each.name for each in found.waves])
        found.guesses.append(Guess("waves", "waves", f"{names}: by {column}", severity=3))
        if found.known:
            count = sum(found.known.values())
            said = (
                f"{count:,} rows of {self._file} are of waves that the survey has "
                f"({column}: {listed(list(found.known))}), and are left out"
            )
            found.guesses.append(Guess("file", "left out", said, severity=2))
        return found

    def _check_new(self, column: ColumnProfile, known: Mapping[str, str]) -> None:
        """Raise `SurveyError` where all rows are of waves that the survey has."""
        if known.keys() >= column.counts.keys():
            waves = [wave.name for wave in self._survey.waves]
            have = listed(codes) if (codes := [*dict.fromkeys(known.values())]) else listed(waves)
            raise SurveyError(
                f"The survey has {have} already: {column.name} of {self._file} holds "
                f"{listed(list(column.counts)) or 'nothing'}. If all of it is another wave, name "
                f"that: client.add_wave(…, wave={quoted(self._likely())})."
            )

    def _without(self, column: ColumnProfile, known: Mapping[str, int]) -> ColumnProfile:
        """The column without the rows of waves that the survey has, which the sources lose."""
        if not known:
            return column
        self._sources.tables = [_without_rows(t, column.name, known) for t in self._sources.tables]
        left = {value: n for value, n in column.counts.items() if value not in known}
        return ColumnProfile(column.name, sum(left.values()), left, column.variable)

    def _left(self) -> dict[str, ColumnProfile]:
        return profile_columns(self._sources, Progress())

    def _constant(self) -> str | None:
        """The column of waves that made a question of one answer while there was one wave."""
        if self._book.wave is not None or len(self._survey.waves) > 1:
            return None
        found: dict[str, set[str]] = {}
        for question in self._book.questions:
            name = question.column
            if name is None or len(question.points) != 1 or not may_be_wave(name):
                continue
            if (column := self._columns.get(name)) is not None and column.is_full:
                found[name] = {*meanings_of(question.points[0])}
        named = [name for name in found if is_wave_name(name)]
        # A year and a quarter beside each other: neither of them is the wave alone.
        candidates = named[:1] or (list(found) if len(found) == 1 else [])
        for name in candidates:
            column = self._columns[name]
            if found[name].isdisjoint(column.counts):
                return name
            if named:
                self._check_new(column, dict.fromkeys(found[name], f"{name} {min(found[name])}"))
        return None

    def _of_constant(self, found: NewWaves, column: str) -> NewWaves:
        [question] = [each for each in self._book.questions if each.column == column]
        [point] = question.points
        [value, *_] = meanings_of(point)
        [wave] = self._survey.waves
        name = point.name if not is_number(value) or point.name != value else f"{column} {value}"
        found.question = question.code
        period = period_of(name)
        if not wave.is_dated and period is not None and (span := period.span):
            wave = structs.replace(wave, starts=span[0], ends=span[1])
        found.renamed = structs.replace(wave, name=name)
        found.own = CodedWave(wave.code, wave.starts, wave.ends, name, value=value)
        said = f"the wave that the survey has is called {name!r}, by its column {column}"
        found.guesses.append(Guess("waves", "waves", said, severity=3))
        return found

    # ---- one wave ----

    def _next(self) -> NewWaves:
        """The wave by the file's name, or the next one."""
        renamed, names = self._own_name(), [wave.name for wave in self._survey.waves]
        if renamed is not None:
            names = [renamed.name]
        stem = self._sources.files[0].path.stem if self._is_file else ""
        of_file = period_of(stem) if stem else None
        if self._is_file and self._are_files(names):
            self._check_name(self._file)
            return self._one(self._file, renamed, why="each file is a wave")
        following = next_period(names)
        last = period_of(names[-1])
        is_alike = bool(of_file and last and of_file.unit == last.unit)
        is_there = bool(last and of_file and at(last, of_file.nth).name in names)
        is_placed = is_alike and self._is_dated(names) and not is_there
        if of_file and last and is_alike and (of_file.nth > last.nth or is_placed):
            name = at(last, of_file.nth).name
            return self._one(name, renamed, why=f"by the name of {self._file}", period=of_file)
        if of_file and last and is_alike and of_file.unit != "number":
            options = self._options([at(last, of_file.nth), *following.names])
            raise SurveyError(
                f"{self._file} is called by {of_file.text}, and the last wave of the survey is "
                f"{names[-1]}. Name the wave: {options}."
            )
        if last is None and of_file is not None and of_file.span is not None:
            return self._one(of_file.text, renamed, why=f"by the name of {self._file}")
        if len(following.names) != 1:
            options = following.names or [Period("number", 0, "Wave 2", str)]
            raise SurveyError(
                f"The wave of {self._file} is not certain: {following.why}. "
                f"Name it: {self._options(options)}."
            )
        return self._one(following.names[0].name, renamed, why=following.why)

    def _options(self, periods: Sequence[Period]) -> str:
        written = [f"client.add_wave(…, wave={quoted(each.name)})" for each in periods]
        return " or ".join(dict.fromkeys(written))

    def _likely(self) -> str:
        names = [wave.name for wave in self._survey.waves]
        found = next_period(names).names
        return found[0].name if found else f"Wave {len(names) + 1}"

    def _are_files(self, names: Sequence[str]) -> bool:
        """Whether the waves are called by the files that they were read from."""
        read = {each["file"] for each in self._survey.manifest.provenance.get("sources", ())}
        return {*names} <= read

    def _own_name(self) -> SurveyWave | None:
        """The survey's only wave with the name that it gets, where it has that of the survey."""
        if self._book.wave is not None or len(self._survey.waves) > 1:
            return None
        [wave] = self._survey.waves
        if any(each.value is not None or each.values or each.files for each in self._book.waves):
            return None
        if wave.code != "w1":
            return None
        read = self._survey.manifest.provenance.get("sources", ())
        file = read[0]["file"] if len(read) == 1 else ""
        stem, sign, _ = file.rpartition(".")
        found = period_of(stem) if sign else None
        if found is not None and (span := found.span) is not None:
            starts, ends = (wave.starts, wave.ends) if wave.is_dated else span
            return structs.replace(wave, name=found.text, starts=starts, ends=ends)
        return structs.replace(wave, name=file if sign else "Wave 1")

    def _named(self, given: str) -> str:
        name = given.strip()
        if not name:
            raise SurveyError('wave="" is not valid: write the name of the wave.')
        self._check_name(name)
        return name

    def _check_name(self, name: str) -> None:
        if any(name in (wave.name, wave.code) for wave in self._survey.waves):
            raise SurveyError(
                f"The survey has a wave {name!r} already. Give another name: "
                f"client.add_wave(…, wave={quoted(self._likely())})."
            )

    def _one(
        self,
        name: str,
        renamed: SurveyWave | None,
        *,
        why: str = "",
        period: Period | None = None,
    ) -> NewWaves:
        if not why and renamed is None:
            renamed = self._own_name()
        self._check_name(name)
        period = period or period_of(name)
        span = period.span if period else None
        days = self._interview_days()
        starts, ends = span or days or (placeholder(1), None)
        wave = CodedWave(self._code(name), starts, ends, name)
        [wave] = self._dated([wave], renamed)
        own = renamed and CodedWave(renamed.code, renamed.starts, renamed.ends, renamed.name)
        found = NewWaves(None, (wave,), renamed, own=own)
        if why:
            code = f"client.add_wave(…, wave={quoted(name)})"
            found.guesses.append(Guess("waves", "waves", f"{name}: {why}", code))
        found.guesses += self._of_order(name, period, renamed)
        if renamed is not None:
            said = f"the wave that the survey has is called {renamed.name!r} now"
            found.guesses.append(Guess("waves", "waves", said, severity=3))
        return found

    def _is_dated(self, names: Sequence[str]) -> bool:
        """Whether dates put the wave of a period among those of the survey."""
        is_one = len(self._survey.waves) == 1 and self._own_name() is not None
        return all(wave.is_dated for wave in self._survey.waves) or (
            is_one and all((found := period_of(each)) and found.span for each in names)
        )

    def _of_order(
        self, name: str, period: Period | None, renamed: SurveyWave | None
    ) -> Iterator[Guess]:
        """What the name of a wave says of its position: before the last one, or after a gap."""
        names = [wave.name for wave in self._survey.waves] if renamed is None else [renamed.name]
        last = period_of(names[-1])
        if period is None or last is None or period.unit != last.unit:
            return
        if period.nth < last.nth:
            said = f"{name} is before {names[-1]} by its name"
            if self._is_dated(names) and period.span:
                yield Guess("waves", "waves", f"{said}, and so in the order of time", severity=2)
            else:
                said += ", and comes after it: the waves have no dates"
                code = "al.open([…]) with all files in the order of time"
                yield Guess("waves", "waves", said, code, severity=1)
        following = [each.nth for each in next_period(names).names]
        if following and period.nth > max(following):
            said = f"{name} follows {names[-1]}: the survey has no wave between them"
            yield Guess("waves", "waves", said, severity=2)

    def _interview_days(self) -> tuple[date, date] | None:
        column = find_date(self._columns.values())
        days = [*dates_of(column.answers).values()] if column else []
        return (min(days), max(days)) if days else None

    def _code(self, name: str) -> str:
        numbers = [code[1:] for code in self._codes if code[:1] == "w" and code[1:].isdecimal()]
        if len(numbers) == len(self._codes):
            return f"w{max(map(int, numbers)) + 1}"
        code = clean = clean_code(name).lower() or "wave"
        number = 2
        while code in self._codes:
            code, number = f"{clean}_{number}", number + 1
        return code

    def _dated(
        self, waves: Sequence[CodedWave], renamed: SurveyWave | None = None
    ) -> Iterator[CodedWave]:
        """New waves after those of the survey, where neither the file nor a name dates them."""
        last = renamed or self._survey.waves[-1]
        for each in waves:
            own = SurveyWave(each.code, "", each.starts, each.ends or each.starts)
            if not own.is_dated:
                own = _after(own, last)
                last = own
            yield structs.replace(each, starts=own.starts, ends=own.ends)


def _after(wave: SurveyWave, last: SurveyWave) -> SurveyWave:
    """A wave without dates, after the last one of a survey: a placeholder would be before dates."""
    if last.is_dated:
        starts = last.ends + timedelta(days=1)
        return structs.replace(wave, starts=starts, ends=starts + (last.ends - last.starts))
    number = max(placeholder_number(wave.starts), placeholder_number(last.starts) + 1)
    return structs.replace(wave, starts=placeholder(number), ends=placeholder(number))


def _without_rows(table: ReadColumns, name: str, values: Mapping[str, int]) -> ReadColumns:
    """A table without the rows that have some values in a column."""
    column = table.columns.get(name)
    if column is None:
        return table
    gone = [code for code, value in enumerate(column.values) if value in values]
    rows = np.flatnonzero(~np.isin(column.codes, gone))
    taken = {each: found.take(rows) for each, found in table.columns.items()}
    return ReadColumns(table.source, len(rows), taken)
