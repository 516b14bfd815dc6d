"""Compare a new wave with a survey: with the last wave of it that asked each question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from audiencelab.ingest.added_columns import without_added
from audiencelab.ingest.codebook import Codebook, CodedQuestion
from audiencelab.ingest.columns import Column, Variable
from audiencelab.ingest.draft.roles import why_left_out
from audiencelab.ingest.drift.asked import LabelledColumn, WhoWasAsked
from audiencelab.ingest.drift.compare import (
    WaveColumns,
    check_decisions,
    compare,
    unknown_decisions,
)
from audiencelab.ingest.drift.of_questions import QuestionColumns, named_values
from audiencelab.ingest.drift.record import Decide, Drift
from audiencelab.ingest.drift.seen import Seen, plain
from audiencelab.ingest.kept import codebook_of
from audiencelab.ingest.meaning.profile import ColumnProfile, joint_variables, profile_of
from audiencelab.ingest.report import ImportReport
from audiencelab.ingest.sources import Sources
from audiencelab.ingest.stored_columns import is_answer, is_unticked, segment_of
from audiencelab.survey.reader import Survey, WaveData

_ADD = "client.add_wave(…"


def find_drift(
    survey: Survey, sources: Sources, decide: Decide | None = None, *, is_one_wave: bool = True
) -> list[Drift]:
    """Every drift between a survey and the files of a new wave.

    sources: opened with the codebook of the survey; all their columns are read, and they know the
    answers of the survey then. decide: how columns are read, by question or column. is_one_wave:
    whether all of it is one wave.

    Raises `SurveyError` for a decision about what is neither a question nor a column.
    """
    decide = decide or {}
    check_decisions(decide)
    book = without_added(survey, codebook_of(survey))
    tables = sources.tables or sources.read_all()
    columns = QuestionColumns(book)
    stored = {each.profile.name: each for each in _stored(survey, book, columns)}
    _know_answers(sources, stored)
    variables = joint_variables(sources.files)
    others = {*book.columns} - columns.questions.keys()
    unused = {n for file in ImportReport.of(survey).sources for n in file.unused_columns}
    now: dict[str, Seen] = {}
    for name in dict.fromkeys(name for table in tables for name in table.columns):
        profile = profile_of(name, tables, variables.get(name) or Variable())
        is_asked = name in columns.questions
        # What an earlier file had too made no question then, unless it was empty.
        is_left = name in others or (name in unused and not profile.labels)
        if is_asked or (not is_left and why_left_out(profile) is None):
            now[name] = Seen.of(profile)
    now = columns.joined(now)
    if len(tables) == 1 and is_one_wave:
        now = columns.with_asked(now, tables[0])
    before = columns.joined(
        {
            name: replace(
                Seen.of(_labelled(each, now[name]) if name in now else each.profile),
                asked=each.asked,
            )
            for name, each in stored.items()
        }
    )
    old, new = WaveColumns(before, columns.questions), WaveColumns(now, {})
    unknown_decisions(decide, (old, new))
    return compare(old, new, decide, _ADD)


class _Stored(NamedTuple):
    """A column of a survey in the last wave that asked its question."""

    question: CodedQuestion
    profile: ColumnProfile
    asked: WhoWasAsked | None


def _stored(survey: Survey, book: Codebook, columns: QuestionColumns) -> Iterator[_Stored]:
    read = ImportReport.of(survey).read
    for question in book.questions:
        for wave in reversed(survey.waves):
            data = survey.wave(wave.code)
            table = _columns_of(survey, data, question)
            if table is None:
                continue
            for name, column in table.items():
                if name not in columns.questions:
                    continue
                counts = {value: n for value, n in column.counted() if is_answer(value)}
                if question.kind == "multiple" and (unticked := columns.unticked(name)):
                    rest = sum(n for value, n in column.counted() if is_unticked(value))
                    counts |= {unticked: rest} if rest else {}
                profile = ColumnProfile(name, data.respondents, counts, read.variable(name))
                others = partial(_others, survey, data, book, question)
                yield _Stored(question, profile, columns.asked(name, column, others))
            break


def _columns_of(
    survey: Survey, data: WaveData, question: CodedQuestion
) -> Mapping[str, Column] | None:
    """The columns of a question in a wave; None where it was not asked there."""
    code = survey.catalogue.canonical(
        f"{question.namespace}.{question.code}" if question.namespace else question.code
    )
    bits, numbers = data.question(code), data.numbers(code)
    if bits is None:
        return None
    if numbers is None and any(point.is_band for point in question.points):
        # A survey of before keeps bands alone, and no number of a respondent.
        return {}
    return segment_of([(question, bits, numbers)], data.respondents).table.columns


def _others(
    survey: Survey, data: WaveData, book: Codebook, question: CodedQuestion
) -> Iterator[LabelledColumn]:
    """The columns of the other questions of a wave."""
    for each in book.questions:
        if each is not question:
            names = named_values(each)
            for name, column in (_columns_of(survey, data, each) or {}).items():
                yield LabelledColumn(name, column, names)


def _know_answers(sources: Sources, stored: Mapping[str, _Stored]) -> None:
    """Let the columns of sources know what is an answer in the survey, and no code that is new."""
    known = {
        name: frozenset((*each.profile.counts, *named_values(each.question)))
        for name, each in stored.items()
        if each.question.kind != "multiple"
    }
    for file in sources.files:
        file.variables = {
            **file.variables,
            **{
                name: replace(file.variables.get(name) or Variable(), answers=answers)
                for name, answers in known.items()
                if name in file.header
            },
        }


def _labelled(stored: _Stored, now: Seen) -> ColumnProfile:
    """A column of the survey with the labels of its codebook, where its files had none."""
    column = stored.profile
    if column.variable.labels:
        return column
    labels = _of_book(stored.question, now)
    return replace(column, variable=replace(column.variable, labels=labels))


def _of_book(question: CodedQuestion, now: Seen) -> dict[str, str]:
    """The names of the codebook that are labels of the new file.

    Other names may be the codebook's own, and say nothing of what the file before had.
    """
    known = {*map(plain, now.labels.values()), *map(plain, now.counts)}
    named = {} if question.kind == "multiple" else named_values(question)
    return {v: name for v, name in named.items() if name != v and plain(name) in known}
