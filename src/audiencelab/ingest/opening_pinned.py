"""Open a source by a codebook that is pinned beside the notebook, which the first call writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from audiencelab._version import __version__
from audiencelab.import_card import ImportCard
from audiencelab.ingest.cache import digest_of
from audiencelab.ingest.codebook import Codebook
from audiencelab.ingest.draft import draft_codebook
from audiencelab.ingest.drift.files import settle_labels
from audiencelab.ingest.encode import CodedSurvey
from audiencelab.ingest.kept import codebook_of
from audiencelab.ingest.meaning.guess import Guess, Severity, worst_first
from audiencelab.ingest.opening import Opened, bytes_of, existing, open_source
from audiencelab.ingest.pinned_differences import checksum_of, comparable, differences
from audiencelab.ingest.pinning import (
    arguments_of,
    as_pinned,
    check_arguments,
    content_of,
    pin_path,
    pin_survey,
    pinned_codebook,
    stated,
    version_guesses,
    write_pinned,
)
from audiencelab.ingest.readers.excel import ExcelFile
from audiencelab.ingest.report import ImportReport
from audiencelab.ingest.sources import Sources
from audiencelab.survey.errors import SurveyError

_OF_READING = ("labels", "sheet", "encoding", "name", "study", "to")
"""Arguments that are about more than what columns mean: each call may have its own."""

_DECIDE = "decide"
"""The argument that decides what columns mean where files are read, and not in the codebook."""

_SUBJECT = "pinned"


class _Today(NamedTuple):
    """What an import takes for granted by itself: a codebook that states all of it, its guesses."""

    codebook: Codebook
    guesses: Sequence[Guess]


def open_pinned(source: Any, pin: bool | str | Path, given: Mapping[str, Any]) -> Opened:
    """A source as a survey that its pinned codebook makes; the first call writes the codebook.

    given: the other arguments of `open_source`.

    Raises `SurveyError` for arguments that the codebook contradicts, and where it cannot be
    written; otherwise as `open_source`.
    """
    if given.get("codebook") is not None:
        raise SurveyError(
            "pin= is not valid with codebook=, which declares what columns mean: leave one out."
        )
    if found := existing(source):
        raise SurveyError(
            f"pin= is about an import, and {found.address} is a survey already: what its columns "
            "mean is in it, and no version guesses it again. Leave pin= out."
        )
    path = pin_path(source, pin, given.get("name", ""))
    reading = {name: given[name] for name in _OF_READING if name in given}
    deciding = {name: each for name, each in given.items() if name not in reading}
    files = digest_of(*bytes_of(source, given.get("labels"), given.get("sheet")))[:32]
    book = pinned_codebook(path)
    if book is not None:
        check_arguments(path, book, deciding)
        arguments = {**arguments_of(book), **deciding}
        return _opened(source, path, _checked(book, files), reading, arguments, files)
    first = open_source(source, **{name: each for name, each in given.items() if name != "to"})
    sources = _sources(source, deciding, reading)
    book = codebook_of(first.survey)
    if len(sources.files) == 1 and isinstance(file := sources.files[0], ExcelFile):
        # Which sheet looks like respondents is a guess too.
        book = replace(book, source=replace(book.source, sheet=file.sheet))
    settle_labels(sources, codebook=book)
    book = pin_survey(book, first.survey, sources.read(book.columns), deciding, files)
    today = _today(source, deciding, reading)
    assert book.pinned is not None
    book = replace(book, pinned=replace(book.pinned, guesses=checksum_of(today.codebook)))
    opened = _opened(source, path, book, reading, deciding, files, today)
    if opened.survey.seal != first.survey.seal:
        raise SurveyError(
            f"{path} was not written: a codebook cannot say all that this import took for granted, "
            "and figures would differ. Leave pin= out."
        )
    write_pinned(path, book, opened.survey)
    return opened


def unread_pin(source: Any, name: str) -> str:
    """The codebook that pins a source, for a call that does not read it; "" where there is none."""
    try:
        path = pin_path(source, pin=True, name=name)
        book = pinned_codebook(path)
    except SurveyError:
        return ""
    return str(path) if book is not None and book.pinned is not None else ""


def _checked(book: Codebook, files: str) -> Codebook:
    """A codebook without the version of a survey that it need not make: it or the files changed."""
    pinned = book.pinned
    if pinned is None or (pinned.files == files and pinned.codebook == content_of(book)):
        return book
    return replace(book, pinned=replace(pinned, survey=""))


def _opened(
    source: Any,
    path: Path,
    book: Codebook,
    reading: Mapping[str, Any],
    arguments: Mapping[str, Any],
    files: str,
    today: _Today | None = None,
) -> Opened:
    def guesses() -> list[Guess]:
        try:
            found = today or _today(source, arguments, reading)
        except SurveyError as error:
            return [_told(f"by itself audiencelab {__version__} would not read this: {error}", 1)]
        return [*_guesses(found, book, files, path)]

    try:
        decide = arguments.get(_DECIDE)
        opened = open_source(source, codebook=book, guesses=guesses, decide=decide, **reading)
    except SurveyError as error:
        error.args = (f"{error} {path} decides what columns mean: change it, or remove it.",)
        raise
    return opened._replace(card=_card(opened, path, book))


def _card(opened: Opened, path: Path, book: Codebook) -> ImportCard:
    report = ImportReport.of(opened.survey)
    report.guesses = worst_first([*version_guesses(opened.survey), *report.guesses])
    card = report.card()
    by = f" (pinned with audiencelab {book.pinned.audiencelab})" if book.pinned else ""
    return replace(card, facts=(f"codebook {path}{by}", *card.facts))


# ---- what would be taken for granted without it ----


def _sources(source: Any, arguments: Mapping[str, Any], reading: Mapping[str, Any]) -> Sources:
    named = {name: reading.get(name) for name in ("encoding", "labels", "sheet")}
    sources = Sources.open(source, None, **named)
    sources.decide = arguments.get(_DECIDE) or {}
    return sources


def _today(source: Any, arguments: Mapping[str, Any], reading: Mapping[str, Any]) -> _Today:
    sources = _sources(source, arguments, reading)
    drafted = {name: each for name, each in arguments.items() if name != _DECIDE}
    draft = draft_codebook(sources, **drafted, strict=False)
    tables = sources.read(draft.codebook.columns)
    book = CodedSurvey(draft.codebook, tables).codebook
    questions = tuple(stated(each, book, tables) for each in book.questions)
    return _Today(replace(book, questions=questions), draft.guesses)


def _guesses(today: _Today, book: Codebook, files: str, path: Path) -> Iterator[Guess]:
    """The guesses that hold, without what only a new draft changes, and those that would be other.

    Where neither the guesses nor the files have changed, a codebook differs because it was edited.
    """
    found = [*differences(comparable(book), comparable(today.codebook))]
    pinned = book.pinned
    if pinned is not None and found and checksum_of(today.codebook) != pinned.guesses:
        has_changed = ", and the data are not those of then" if pinned.files != files else ""
        said = f"{path} decides{has_changed}; by itself audiencelab {__version__} would take"
        yield Guess(_SUBJECT, _SUBJECT, said, severity=1, moved=1.0)
        yield from (Guess(each.about, _SUBJECT, each.said, severity=1) for each in found)
    elif pinned is not None and pinned.files != files:
        said = "the data are not those that it was pinned with; its questions and answers fit them"
        yield Guess(_SUBJECT, _SUBJECT, said, severity=2)
    differing = {each.about for each in found}
    for guess in today.guesses:
        if guess.about not in differing and guess.subject not in differing:
            yield as_pinned(guess)


def _told(said: str, severity: Severity) -> Guess:
    return Guess(_SUBJECT, _SUBJECT, said, severity=severity)
