"""What an import is given about answers: `missing={"q3": [98, 99], "*": [-9]}`, `order=`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

from audiencelab.ingest.answers import find_answer, is_number_text, no_answer
from audiencelab.ingest.codebook import (
    Codebook,
    CodedQuestion,
    Scalar,
    canonical_value,
    meanings_of,
    natural,
)
from audiencelab.ingest.codebook_checks import suggestion
from audiencelab.ingest.edits import Edit, edited
from audiencelab.ingest.markup import composed
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.survey.errors import SurveyError, listed

GivenMissing: TypeAlias = Scalar | Sequence[Scalar] | Mapping[str, Scalar | Sequence[Scalar]]
"""Codes of every column, or codes by question; "*" is every column."""

GivenOrder: TypeAlias = Mapping[str, Sequence[Scalar]]
"""Answers in their order, by question; those that are not named follow."""

EVERYWHERE = "*"

_Columns: TypeAlias = Mapping[str, ColumnProfile]


@dataclass(frozen=True)
class Given:
    """Columns with the codes given for them, and the codes given for all of them.

    unused: guesses about codes that no row has, beside others that some have.
    """

    columns: dict[str, ColumnProfile]
    everywhere: tuple[str, ...] = ()
    unused: tuple[Guess, ...] = ()


def by_question(missing: GivenMissing | None) -> dict[str, list[Scalar]]:
    """Given codes by the question, or "*"."""
    if missing is None:
        return {}
    given = missing if isinstance(missing, Mapping) else {EVERYWHERE: missing}
    return {
        composed(key): [
            *map(
                _plain,
                [codes] if isinstance(codes, str) or not isinstance(codes, Iterable) else codes,
            )
        ]
        for key, codes in cast(Mapping[str, Scalar | Sequence[Scalar]], given).items()
    }


def _plain(code: Any) -> Scalar:
    """A number of numpy as one of Python."""
    return code.item() if hasattr(code, "item") else code


def with_missing(columns: _Columns, drafted: Codebook, missing: GivenMissing | None) -> Given:
    """Columns without the codes that are given as missing, by value or label.

    drafted: the codebook of the columns as they are. A question with an empty list has no codes but
    those that the files declare.

    Raises `SurveyError` for a question, column or code that is not there, and for codes that half
    of the answers or more have.
    """
    found, everywhere, unused = dict(columns), list[str](), list[Guess]()
    for key, given_codes in by_question(missing).items():
        codes, absent = _held_codes(key, given_codes, drafted, found)
        if absent:
            about = "file" if key == EVERYWHERE else key
            said = f"{listed(absent)} given as missing: no row has {'them' if absent[1:] else 'it'}"
            unused.append(Guess(about, "missing", said, severity=2))
        if key == EVERYWHERE:
            for code in codes:
                held = {name: values for name in found if (values := _held(code, found[name]))}
                if not held:
                    known = {value for column in found.values() for value in column.counts}
                    advice = suggestion(canonical_value(code), known)
                    raise SurveyError(f"missing=[{code!r}] is not valid: no column has it.{advice}")
                _check_share(f"missing=[{code!r}]", [found[name] for name in held], held, "")
                for name, values in held.items():
                    found[name] = _without(found[name], values)
                # A label means other values in other columns, so only a value is a code of the
                # whole file.
                if any(canonical_value(code) in values for values in held.values()):
                    everywhere.append(canonical_value(code))
            continue
        question, names = _named(key, drafted, found)
        given = f"missing={{{key!r}: {codes!r}}}"
        values = {each for code in codes for each in _values(code, question, names, found, given)}
        own = [found[name] for name in names]
        _check_share(given, own, dict.fromkeys(names, values), f" to {_shown(key, question)}")
        found |= {name: _without(found[name], values) for name in names}
    return Given(found, tuple(everywhere), tuple(unused))


def _held_codes(
    key: str, codes: Sequence[Scalar], drafted: Codebook, columns: _Columns
) -> tuple[list[Scalar], list[str]]:
    """The codes, without numbers that no row has where others of the list are there; and these.

    A list of codes often serves several questions; a code that is not there alone is a slip.
    """
    question, names = (None, [*columns]) if key == EVERYWHERE else _named(key, drafted, columns)
    absent = [
        code
        for code in codes
        if is_number_text(canonical_value(code))
        and not any(_held(code, columns[name]) for name in names)
        and (question is None or not question.points or find_answer(question, code) is None)
    ]
    if len(absent) == len(codes):
        return [*codes], []
    return [code for code in codes if code not in absent], [
        canonical_value(each) for each in absent
    ]


def in_given_order(drafted: Codebook, order: GivenOrder) -> tuple[Codebook, frozenset[str]]:
    """The codebook with the answers of some questions in another order, and their codes.

    Raises `SurveyError` for a question or an answer that is not there.
    """
    codes: list[str] = []
    for key, names in order.items():
        if (question := question_named(key, drafted)) is None:
            raise SurveyError(no_question(f"order={{{key!r}: …}}", key, drafted))
        if isinstance(names, str):
            raise SurveyError(
                f"order={{{key!r}: {names!r}}} is not valid: write a list of answers."
            )
        named = tuple(map(_plain, names))
        drafted = edited(drafted, Edit(questions=(question.code,), order=named))
        codes.append(question.code)
    return drafted, frozenset(codes)


def question_named(key: str, drafted: Codebook) -> CodedQuestion | None:
    """The question with a code, else the one that reads a column, else the one with a name."""
    questions, key = drafted.questions, composed(key)
    found = [each for each in questions if each.code == key]
    found += [each for each in questions if key in each.columns]
    found += [each for each in questions if each.name.casefold() == key.casefold()]
    return next(iter(found), None)


def no_question(argument: str, key: str, drafted: Codebook, columns: Iterable[str] = ()) -> str:
    """The message about a name that no question has."""
    known = {name for each in drafted.questions for name in (each.code, each.name, *each.columns)}
    advice = suggestion(key, {*known, *columns})
    return f"{argument} is not valid: no question or column is called {key!r}.{advice}"


def _named(
    key: str, drafted: Codebook, columns: _Columns
) -> tuple[CodedQuestion | None, Sequence[str]]:
    """The question that is meant, None for a column that makes none, and its columns."""
    question = question_named(key, drafted)
    if question is not None:
        return question, [name for name in question.columns if name in columns]
    if key in columns:
        return None, [key]
    raise SurveyError(no_question(f"missing={{{key!r}: …}}", key, drafted, columns))


def _values(
    code: Scalar,
    question: CodedQuestion | None,
    names: Iterable[str],
    columns: _Columns,
    given: str,
) -> Collection[str]:
    """The values that a code or label means in some columns."""
    held = {value for name in names for value in _held(code, columns[name])}
    # The answers of a set are its items, and a number is within a band.
    is_set = question is not None and question.kind == "multiple" and not question.shares_values
    is_banded = question is not None and any(point.is_band for point in question.points)
    if held or question is None or is_set or is_banded:
        if not held:
            known = {value for name in names for value in columns[name].counts}
            advice = suggestion(canonical_value(code), known)
            raise SurveyError(f"{given} is not valid: no row has {code!r}.{advice}")
        return held
    place = find_answer(question, code) if question.points else None
    answers = question.suffixes if question.kind == "grid" else question.points
    if place is None or not meanings_of(answers[place]):
        raise SurveyError(f"{given}: {no_answer(question, code)}")
    return meanings_of(answers[place])


def _held(code: Scalar, column: ColumnProfile) -> Collection[str]:
    """The values of a column that a code means: those of a label, else the value itself."""
    text = canonical_value(code)
    labels = {value: label.strip() for value, label in column.variable.labels.items()}
    if isinstance(code, str):
        exact = {value for value, label in labels.items() if label == text}
        alike = {value for value, label in labels.items() if label.casefold() == text.casefold()}
        alike |= {value for value in column.counts if value.casefold() == text.casefold()}
        # In this order: the very label, the very value, and only then without regard to case.
        return exact or ({text} if text in column.counts else alike)
    if text in column.counts or text not in labels:
        return {text} & column.counts.keys()
    # A code of the codebook that the rows write in another form has its label: 9999 for 999.9.
    return {value for value, label in labels.items() if label == labels[text]}


def _without(column: ColumnProfile, values: Collection[str]) -> ColumnProfile:
    return replace(column, given_codes=frozenset([*(column.given_codes or ()), *values]))


def _check_share(
    given: str, columns: Iterable[ColumnProfile], values: Mapping[str, Collection[str]], of: str
) -> None:
    """Raise `SurveyError` for codes that half of the answers or more have."""
    have = everyone = 0
    for column in columns:
        codes = values[column.name]
        have += (own := sum(column.counts.get(code, 0) for code in codes))
        everyone += own + sum(n for each, n in column.answers.items() if each not in codes)
        everyone += column.others
    # Half or more are hardly a missing code, and all bases would change: a slip is likelier.
    if have and 2 * have >= everyone:
        codes = sorted({code for each in values.values() for code in each}, key=natural)
        raise SurveyError(
            f"{given} is not valid: {listed(codes)} {'is' if len(codes) == 1 else 'are'} "
            f"{have:,} of {everyone:,} answers{of}, half or more. Name missing codes alone; "
            "people who were not asked are for client.edit(…, not_asked=[…])."
        )


def _shown(key: str, question: CodedQuestion | None) -> str:
    return key if question is None or question.name == key else f"{key} ({question.name})"
