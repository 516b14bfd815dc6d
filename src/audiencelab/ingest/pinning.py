"""Pin the codebook of an import: a file says all that was taken for granted, and is read later on.

A later version of audiencelab, whose guesses may be other ones, makes the same survey of it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from contextlib import suppress
from glob import has_magic
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from audiencelab._version import __version__
from audiencelab.files import WriteError, put_new
from audiencelab.ingest.cache import digest_of
from audiencelab.ingest.codebook import (
    Codebook,
    CodedQuestion,
    Pinned,
    Scalar,
    datapoint_codes,
    meanings_of,
)
from audiencelab.ingest.codebook_files import codebook_toml, load_codebook, parse_codebook
from audiencelab.ingest.draft.questions import scalars
from audiencelab.ingest.kept import codebook_of
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.meaning.scales import as_stated
from audiencelab.ingest.readers import ReadColumns
from audiencelab.ingest.versions import changes_of
from audiencelab.survey.errors import SurveyError
from audiencelab.survey.reader import Survey

FORMAT = 1
SUFFIX = ".codebook.toml"

_BY_COLUMN = ("weight", "wave", "strata", "clusters", "fpc", "person", "key")
"""Arguments that a codebook says too, so that its own words settle whether they contradict it."""

_HEAD = (
    "What columns mean, as it was taken for granted when this file was written.",
    "It is read in place of all guesses wherever pin=True names it. Put right what is wrong here;",
    "remove the file to have it written again.",
)


def pin_path(source: Any, pin: bool | str | Path, name: str) -> Path:
    """The file of a pinned codebook: as it is named, else after the source, in the working folder.

    Raises `SurveyError` where nothing names it.
    """
    if not isinstance(pin, bool):
        path = Path(pin).expanduser()
        if path.suffix.lower() != ".toml":
            raise SurveyError(
                f'pin={str(pin)!r} is not valid: it is the name of a .toml file. Write pin="{path}'
                f'{SUFFIX}", or pin=True for the name of the source.'
            )
        return path
    is_file = isinstance(source, str | Path) and not has_magic(str(source))
    given = Path(source).expanduser().absolute().name if is_file else name
    stem = given.partition(".")[0] if is_file else given
    if not stem or set(stem) & set('/\\:*?"<>|\0'):
        are_files = isinstance(source, str | Path | list | tuple)
        raise SurveyError(
            "pin=True is not valid here: the codebook is called after the source, and "
            f"{'these are several files' if are_files else 'a frame has no name'}. Write "
            f'pin="survey{SUFFIX}".'
        )
    return Path(f"{stem}{SUFFIX}")


def pinned_codebook(path: Path) -> Codebook | None:
    """The codebook of a file; None where there is none.

    Raises `SurveyError` for one that cannot be read, or that a newer version has pinned.
    """
    if not path.is_file():
        return None
    book = load_codebook(path)
    if book.pinned is not None and book.pinned.format > FORMAT:
        raise SurveyError(
            f"{path} was pinned by audiencelab {book.pinned.audiencelab}, in a form that is newer "
            f"than {__version__} reads. Upgrade audiencelab, or name another file with pin=."
        )
    return book


def content_of(book: Codebook) -> str:
    """A checksum of what a codebook says, however its file is written."""
    return digest_of(msgspec.json.encode(replace(book, pinned=None)).decode())[:32]


# ---- writing ----


def pin_survey(
    book: Codebook,
    survey: Survey,
    tables: Sequence[ReadColumns],
    arguments: Mapping[str, Any],
    files: str,
) -> Codebook:
    """The codebook that makes a survey again of the same files, without any guess.

    book, tables: what the survey was made of. arguments: of `open`, for the draft. files: their
    checksum.
    """
    questions = (stated(each, book, tables) for each in book.questions)
    questions = (_with_offers(each, book, survey) for each in questions)
    pinned = Pinned(__version__, FORMAT, as_codes(arguments), files)
    book = replace(book, questions=tuple(questions), pinned=pinned)
    # As it will be read: the same numbers and texts, whatever they were here.
    book = parse_codebook(msgspec.to_builtins(book))
    return replace(book, pinned=replace(pinned, codebook=content_of(book)))


def write_pinned(path: Path, book: Codebook, survey: Survey) -> None:
    """Write a codebook with the version of the survey that it made.

    Raises `SurveyError` where it cannot be written.
    """
    assert book.pinned is not None
    book = replace(book, pinned=replace(book.pinned, survey=survey.seal))
    try:
        # Another process may have written it meanwhile.
        with suppress(FileExistsError):
            put_new(path, codebook_toml(book, {"": _HEAD}).encode())
    except WriteError as error:
        raise SurveyError(f'{error} pin="FOLDER/{path.name}" names another file.') from None


def stated(question: CodedQuestion, book: Codebook, tables: Sequence[ReadColumns]) -> CodedQuestion:
    """A question that says what the words of its answers and the labels of its files decided."""
    return _with_declared(as_stated(question), book, tables)


def _with_declared(
    question: CodedQuestion, book: Codebook, tables: Sequence[ReadColumns]
) -> CodedQuestion:
    """A question with the values that its files declare missing: their labels say what is meant."""
    answers = {
        value for part in (*question.points, *question.suffixes) for value in meanings_of(part)
    }
    # The codebook's own words come before those of a file.
    answers |= {str(each) for each in question.selected} | {""}
    not_asked, missing = set[str](), set[str]()
    for name in question.columns:
        for table in tables:
            if (column := table.columns.get(name)) is not None:
                not_asked |= column.not_asked - answers
                missing |= (column.missing - column.not_asked) - answers
    both = not_asked & missing
    own = book.source.not_asked if question.not_asked is None else question.not_asked
    return replace(
        question,
        not_asked=_joined(own, not_asked - both) if not_asked - both else question.not_asked,
        missing=_joined(question.missing, missing - both),
    )


def _joined(own: Sequence[Scalar], more: set[str]) -> tuple[Scalar, ...]:
    known = {str(each) for each in own}
    return (*own, *scalars(sorted(each for each in more if each not in known)))


def _with_offers(question: CodedQuestion, book: Codebook, survey: Survey) -> CodedQuestion:
    """A question with the waves that offered each answer, where not all of them did."""
    if question.kind != "single":
        return question
    code = f"{question.namespace or book.study.namespace}.{question.code}"
    offers = survey.record.offers
    waves = next((e.waves for e in survey.catalogue.questions if e.canonical == code), ())
    codes = datapoint_codes(question, question.points)
    points = [
        replace(point, waves=offered)
        if len(offered := tuple(w for w in waves if offers(w, code, own))) < len(waves)
        else point
        for own, point in zip(codes, question.points, strict=True)
    ]
    if tuple(points) == question.points:
        return question
    return replace(question, labels={}, datapoints=tuple(points))


# ---- reading ----


def as_codes(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Arguments of `open` as code."""
    return {name: repr(value) for name, value in arguments.items()}


def arguments_of(book: Codebook) -> dict[str, Any]:
    """The arguments that a codebook was pinned with; only literals are read."""
    found: dict[str, Any] = {}
    for name, code in ({} if book.pinned is None else book.pinned.arguments).items():
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            found[name] = ast.literal_eval(code)
    return found


def check_arguments(path: Path, book: Codebook, given: Mapping[str, Any]) -> None:
    """Raise `SurveyError` for an argument that a pinned codebook contradicts.

    given: the arguments that were given, which decide what columns mean.
    """
    declared, before = _declared(book), {} if book.pinned is None else book.pinned.arguments
    for name, value in given.items():
        if name in _BY_COLUMN and _is_declared(declared[name], value):
            continue
        if name not in _BY_COLUMN and before.get(name) == repr(value):
            continue
        if name in _BY_COLUMN:
            said = f"says {name}={declared[name]!r}"
        else:
            said = f"was pinned {f'with {name}={before[name]}' if name in before else 'without it'}"
        raise SurveyError(
            f"{name}={value!r} is not valid: {path} decides it, and {said}. Leave {name}= out, "
            f"change it in {path}, or remove that file to pin it again with {name}={value!r}."
        )


def _is_declared(declared: object, given: Any) -> bool:
    return given == declared or given == [declared]


def _declared(book: Codebook) -> dict[str, Any]:
    """What a codebook says of the columns that arguments name."""
    weights = [*book.weight.columns] if book.weight else [None]
    design = book.design
    return {
        "weight": weights if len(weights) > 1 else weights[0],
        "wave": book.source.wide or (book.wave.column if book.wave else None),
        "strata": design.strata,
        "clusters": design.clusters,
        "fpc": design.fpc,
        "person": design.person,
        "key": book.key.column if book.key else "row",
    }


def as_pinned(guess: Guess) -> Guess:
    """A guess that the codebook holds, without what only another import would change."""
    choices = tuple(each for each in guess.choices if not each.opens)
    if len(choices) < len(guess.choices):
        choices = ()
    code = "" if guess.code.startswith(("al.open(…", "al.ingest.draft_codebook(…")) else guess.code
    return replace(guess, code=code, choices=choices)


def version_guesses(survey: Survey) -> list[Guess]:
    """That a pinned codebook makes another survey than it made before, if it does."""
    book = None if survey.codebook is None else codebook_of(survey)
    if book is None or book.pinned is None or not book.pinned.survey or changes_of(survey):
        return []
    if book.pinned.survey == survey.seal:
        return []
    said = (
        f"the same data and codebook make another survey with audiencelab {__version__} than with "
        f"{book.pinned.audiencelab}: figures may differ"
    )
    return [Guess("pinned", "pinned", said, severity=0)]
