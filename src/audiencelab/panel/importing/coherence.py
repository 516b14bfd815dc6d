"""Whether the parts of a codebook go together: each fault with its place and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from audiencelab.errors import Fault
from audiencelab.panel.importing.codebook import (
    Codebook,
    CodedQuestion,
    meanings_of,
    suffix_codes,
)

__all__ = ["codebook_faults", "suggestion"]


def codebook_faults(codebook: Codebook) -> Iterator[Fault]:
    """Everything in a codebook that contradicts itself, by JSON pointer."""
    if not codebook.questions:
        yield Fault("/questions", "A codebook needs at least one question.")
    for place, question in enumerate(codebook.questions):
        for fault in _question_faults(question):
            detail = f"{question.code}: {fault.detail}"
            yield Fault(f"/questions/{place}{fault.pointer}", detail)
    yield from _repeated_questions(codebook)
    location = codebook.study.location
    if location is not None and location not in _codes(codebook):
        meant = suggestion(location, _codes(codebook))
        yield Fault("/study/location", f"There is no question {location!r}.{meant}")
    if codebook.wave is not None and codebook.wave.by is not None and codebook.waves:
        yield Fault("/waves", "Waves by day, month, quarter or year are not listed: leave one out.")
    if codebook.wave is not None and any(wave.files for wave in codebook.waves):
        yield Fault("/waves", "Give a wave column or patterns for files, not both.")


def _repeated_questions(codebook: Codebook) -> Iterator[Fault]:
    known: dict[str, int] = {}
    for place, question in enumerate(codebook.questions):
        code = f"{question.namespace or codebook.study.namespace}.{question.code}"
        if known.setdefault(code, place) != place:
            yield Fault(f"/questions/{place}/code", f"The codebook has the question {code} twice.")


def _codes(codebook: Codebook) -> set[str]:
    full = {
        f"{question.namespace or codebook.study.namespace}.{question.code}"
        for question in codebook.questions
    }
    return full | {question.code for question in codebook.questions}


def _question_faults(question: CodedQuestion) -> Iterator[Fault]:
    if question.labels and question.datapoints:
        yield Fault("/labels", "Give labels or datapoints, not both.")
    check = {"single": _single_faults, "multiple": _multiple_faults, "grid": _grid_faults}
    yield from check[question.kind](question)
    if question.kind != "multiple" and question.across:
        yield Fault("/across", "Only a multiple question has values across columns.")
    if question.kind != "grid" and question.suffixes:
        yield Fault("/suffixes", "Only a grid has suffixes.")
    yield from _value_faults(
        "/datapoints",
        [meanings_of(point) for point in question.points] if question.shares_values else [],
    )
    yield from _value_faults("/suffixes", [meanings_of(suffix) for suffix in question.suffixes])


def _single_faults(question: CodedQuestion) -> Iterator[Fault]:
    if question.column is None:
        yield Fault("/column", "A single question needs its column.")
    for place, point in enumerate(question.points):
        if not meanings_of(point) and not point.is_band:
            yield Fault(f"/datapoints/{place}", "Needs a value, values, or a band (min, max).")


def _multiple_faults(question: CodedQuestion) -> Iterator[Fault]:
    if not question.points:
        yield Fault("/datapoints", "A multiple question needs its datapoints.")
    if question.column is not None and question.separator is None:
        yield Fault(
            "/separator",
            f"Column {question.column} is to hold several values: say what stands between them, "
            'such as separator = ";". Where each datapoint has a column, name it there instead.',
        )
    if question.column is None and question.separator is not None:
        yield Fault("/column", "A separator is for one column that holds several values: name it.")
    if question.across and question.column is not None:
        yield Fault("/across", "Give a column or the columns across which values are spread.")
    for place, point in enumerate(question.points):
        if not question.shares_values and point.column is None:
            yield Fault(f"/datapoints/{place}", "Needs its column.")
        if question.shares_values and not meanings_of(point):
            yield Fault(f"/datapoints/{place}", "Needs its value within the cell.")


def _grid_faults(question: CodedQuestion) -> Iterator[Fault]:
    if not question.points or not question.suffixes:
        yield Fault("/suffixes", "A grid needs datapoints (its items) and suffixes (its scale).")
    known = set(suffix_codes(question.suffixes))
    for place, point in enumerate(question.points):
        if (point.column is None) == (not point.columns):
            yield Fault(f"/datapoints/{place}", "Needs a column, or columns by suffix code.")
        for code in point.columns.keys() - known:
            yield Fault(f"/datapoints/{place}/columns", f"There is no suffix {code!r}.")
        if point.column is not None:
            for number, suffix in enumerate(question.suffixes):
                if place == 0 and not meanings_of(suffix):
                    yield Fault(f"/suffixes/{number}", "Needs the value that means it.")


def _value_faults(pointer: str, meanings: list[tuple[str, ...]]) -> Iterator[Fault]:
    seen: set[str] = set()
    for place, values in enumerate(meanings):
        for value in values:
            if value in seen:
                yield Fault(f"{pointer}/{place}", f"The value {value!r} means two things.")
            seen.add(value)


def suggestion(name: str, known: Iterable[str]) -> str:
    """A question after the name that was meant, if one of the known ones is near; else nothing."""
    plain = {each.lower(): each for each in known}
    near = get_close_matches(name.lower(), plain, n=1)
    return f" Did you mean {plain[near[0]]!r}?" if near else ""
