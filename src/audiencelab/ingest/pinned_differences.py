"""What an import would take for granted today, beside what a pinned codebook says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from audiencelab.ingest.codebook import (
    Codebook,
    CodedQuestion,
    Scalar,
    canonical_value,
    datapoint_codes,
    meanings_of,
    suffix_codes,
)
from audiencelab.survey.errors import listed

_SHOWN = 3


class GuessedOtherwise(NamedTuple):
    """What is other: about: the code of a question, or the part of the codebook."""

    about: str
    said: str


def comparable(book: Codebook) -> Codebook:
    """A codebook without what only an import finds, and without how it is written."""
    return replace(
        book,
        study=replace(book.study, name="", description=""),
        questions=tuple(map(_plain, book.questions)),
        texts=(),
        pinned=None,
    )


def _plain(question: CodedQuestion) -> CodedQuestion:
    points = tuple(
        replace(point, code=code, value=None, values=tuple(meanings_of(point)), waves=())
        for code, point in zip(
            datapoint_codes(question, question.points), question.points, strict=True
        )
    )
    suffixes = tuple(
        replace(each, code=code, value=None, values=tuple(meanings_of(each)))
        for code, each in zip(suffix_codes(question.suffixes), question.suffixes, strict=True)
    )
    return replace(
        question,
        labels={},
        datapoints=points,
        suffixes=suffixes,
        breaks=(),
        missing=_sorted(question.missing),
        not_asked=None if question.not_asked is None else _sorted(question.not_asked),
        off_scale=None if question.off_scale is None else _sorted(question.off_scale),
    )


def _sorted(values: Iterable[Scalar]) -> tuple[str, ...]:
    return tuple(sorted({*map(canonical_value, values)}))


def differences(pinned: Codebook, today: Codebook) -> Iterator[GuessedOtherwise]:
    """What today's guesses would change of a pinned codebook, both in their comparable form."""
    weights = [book.weight.columns if book.weight else ("no weight",) for book in (pinned, today)]
    yield from _of("weight", "", *map(listed, weights))
    waves = [book.wave.column if book.wave else "no column" for book in (pinned, today)]
    yield from _of("wave", "", *waves)
    named = [
        listed([each.name or each.code for each in book.waves], _SHOWN) for book in (pinned, today)
    ]
    if named[0] == named[1] and pinned.waves != today.waves:
        yield GuessedOtherwise("waves", "their dates or values")
    yield from _of("waves", "", *named)
    for name in ("strata", "clusters", "fpc", "person"):
        yield from _of("design", name, *(getattr(each.design, name) for each in (pinned, today)))
    keys = [book.key.column if book.key else "the row" for book in (pinned, today)]
    yield from _of("key", "", *keys)
    for name in ("missing", "not_asked", "not_selected"):
        both = [_sorted(getattr(each.source, name)) for each in (pinned, today)]
        yield from _of("missing", name.replace("_", " "), *map(_listed, both))
    yield from _of("location", "", pinned.study.location, today.study.location)
    yield from _of_questions(pinned, today)


def _of_questions(pinned: Codebook, today: Codebook) -> Iterator[GuessedOtherwise]:
    old = {each.code: each for each in pinned.questions}
    new = {each.code: each for each in today.questions}
    for code, question in new.items():
        if code not in old:
            yield GuessedOtherwise(code, "a question that the codebook does not have")
        elif question != old[code]:
            said = [*_of_question(old[code], question)]
            yield GuessedOtherwise(code, ", ".join(said) or "written otherwise")
    for code in old.keys() - new.keys():
        yield GuessedOtherwise(code, "not a question of its own")


def _of_question(old: CodedQuestion, new: CodedQuestion) -> Iterator[str]:
    for name in ("kind", "top", "ends", "form", "name", "universe"):
        before, now = getattr(old, name), getattr(new, name)
        if before != now:
            yield f"{name} {_word(now)}, not {_word(before)}"
    for name in ("missing", "not_asked", "off_scale"):
        before, now = ({*(getattr(each, name) or ())} for each in (old, new))
        words = name.replace("_", " ")
        if more := sorted(now - before):
            yield f"{_listed(more)} {words}"
        if less := sorted(before - now):
            yield f"{_listed(less)} not {words}"
    yield from _of_answers(old, new)
    if {*old.columns} != {*new.columns}:
        yield f"of {len({*new.columns})} columns, not {len({*old.columns})}"
    if old.asked_of != new.asked_of:
        yield "other conditions of who was asked"


def _of_answers(old: CodedQuestion, new: CodedQuestion) -> Iterator[str]:
    before = {each.code: each for each in (*old.points, *old.suffixes)}
    now = {each.code: each for each in (*new.points, *new.suffixes)}
    if more := [each.name for code, each in now.items() if code not in before]:
        yield f"with {_listed(more)}"
    if less := [each.name for code, each in before.items() if code not in now]:
        yield f"without {_listed(less)}"
    both = [code for code in before if code in now]
    if both != [code for code in now if code in before]:
        yield "answers in another order"
    renamed = [now[code].name for code in both if now[code].name != before[code].name]
    if renamed:
        yield f"named {_listed(renamed)}"
    if any(now[code].midpoint != before[code].midpoint for code in both):
        yield "other numbers for means"


def _of(about: str, words: str, before: Any, now: Any) -> Iterator[GuessedOtherwise]:
    if before != now:
        said = f"{_word(now)}, not {_word(before)}"
        yield GuessedOtherwise(about, f"{words} {said}".strip())


def _word(value: Any) -> str:
    return "none" if value in (None, "", ()) else str(value)


def _listed(values: Sequence[str]) -> str:
    return listed([repr(each) for each in values], _SHOWN) if values else ""


def checksum_of(book: Codebook) -> str:
    """A checksum of the comparable form of a codebook, in any order of its fields."""
    from audiencelab.ingest.cache import digest_of

    return digest_of(msgspec.json.encode(comparable(book), order="sorted").decode())[:32]
