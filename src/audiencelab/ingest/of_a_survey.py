"""Whether a file is of a survey, and what errors of a file that is added to one call it."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager

from audiencelab.ingest.codebook import Codebook, CodedQuestion
from audiencelab.ingest.sources import Sources
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.reader import Survey

_FOUND = 0.5
"""The part of the survey's columns, or of the file's, that the other has at least."""

_DRAFT = re.compile(r"\nTo leave them out, draft[^\n]*")
"""Advice that is not for waves: they have the codebook of their survey."""

OPEN, ADD = "al.open(…", "client.add_wave(…"
"""How code of guesses begins, of an import and of this call."""


def check_columns(survey: Survey, book: Codebook, sources: Sources) -> None:
    """Raise `SurveyError` for a file without rows or locations, or of another survey.

    Of another one most columns are others; letters in another case make no difference here.
    """
    names = {*sources.names}
    if not any(table.rows for table in sources.tables):
        raise SurveyError(f"{called(sources)} has no rows.")
    last = survey.waves[-1].code
    asked = {each.canonical for each in survey.catalogue.questions if last in each.waves}
    base = book.study.namespace
    mine = {
        column
        for each in book.questions
        if f"{each.namespace or base}.{each.code}" in asked
        for column in each.columns
    }
    folded = {name.casefold() for name in names}
    both = {name for name in mine if name.casefold() in folded}
    if len(both) < _FOUND * min(len(mine), len(names)) or not both:
        raise SurveyError(
            f"{called(sources)} is not of this survey: {len(both)} of {len(mine)} columns of "
            f"its last wave are in it. It lacks {listed(sorted(mine - names))}; its own are "
            f"{listed(sorted(names - mine))}. Add it with a codebook that says what they mean: "
            'client.add_wave(…, codebook="other.toml").'
        )
    [place] = [e for e in book.questions if _is_location(book, e)] or [None]
    if place is not None and not {name.casefold() for name in place.columns} & folded:
        raise SurveyError(
            f"{called(sources)} has no column {place.columns[0]!r}, which holds the locations of "
            "the survey, and every wave needs them. Rename the column that has them."
        )


def _is_location(book: Codebook, question: CodedQuestion) -> bool:
    code = f"{question.namespace or book.study.namespace}.{question.code}"
    return book.study.location in (code, question.code)


def called(sources: Sources) -> str:
    """What a sentence calls the file that it begins with."""
    name = sources.files[0].name
    return name if sources.files[0].checksum() else f"{name[:1].upper()}{name[1:]}"


@contextmanager
def of_this_call() -> Generator[None]:
    """Let errors of a draft name the arguments of this call."""
    try:
        yield
    except SurveyError as error:
        text = _DRAFT.sub("", str(error))
        if text == str(error) and OPEN not in text:
            raise
        raise SurveyError(text.replace(OPEN, ADD)) from None
