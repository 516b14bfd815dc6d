"""Check whether the parts of a codebook fit together; each fault has a JSON pointer and advice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from audiencelab.errors import Fault
from audiencelab.ingest.codebook import (
    Codebook,
    CodedQuestion,
    Scalar,
    Source,
    canonical_value,
    meanings_of,
    suffix_codes,
    wave_values,
)


def codebook_faults(codebook: Codebook) -> Iterator[Fault]:
    """Everything in a codebook that contradicts itself, by JSON pointer."""
    if not codebook.questions:
        yield Fault("/questions", "A codebook needs at least one question.")
    source = codebook.source
    for value in _both(source.not_asked, source.not_selected):
        yield Fault("/source", f"{value!r} is in both not_asked and not_selected of [source].")
    for place, question in enumerate(codebook.questions):
        for detail in _two_lists(question, source):
            yield Fault(f"/questions/{place}", f"{question.code}: {detail}")
        for fault in _question_faults(question):
            detail = f"{question.code}: {fault.detail}"
            yield Fault(f"/questions/{place}{fault.pointer}", detail)
    yield from _repeated_questions(codebook)
    location, codes = codebook.study.location, _codes(codebook)
    if location is not None and location not in codes:
        elsewhere = [code for code in codes if code.endswith(f".{location}")]
        meant = suggestion(location, codes)
        if elsewhere:
            meant = f" Did you mean {min(elsewhere)!r}?"
        yield Fault("/study/location", f"There is no question {location!r}.{meant}")
    if codebook.wave is not None and codebook.wave.by is not None and codebook.waves:
        yield Fault("/waves", "Waves by day, month, quarter or year are not listed: leave one out.")
    if codebook.wave is not None and any(wave.files for wave in codebook.waves):
        yield Fault("/waves", "Give a wave column or patterns for files, not both.")
    yield from _wave_faults(codebook)


def _both(first: Iterable[Scalar], second: Iterable[Scalar]) -> list[str]:
    known = set(map(canonical_value, second))
    return [value for value in dict.fromkeys(map(canonical_value, first)) if value in known]


def _two_lists(question: CodedQuestion, source: Source) -> Iterator[str]:
    """Values that a question would read as both, by its own lists or those of [source]."""
    not_asked, not_selected = question.not_asked, question.not_selected
    if not_asked is not None and not_selected is not None:
        for value in _both(not_asked, not_selected):
            yield f"{value!r} is in both not_asked and not_selected of the question."
    elif not_selected is not None:
        for value in _both(source.not_asked, not_selected):
            yield (
                f"{value!r} is in the not_asked of [source] and in the not_selected of the "
                "question. Remove it from one of them, or give the question a not_asked of its own."
            )
    elif not_asked is not None:
        for value in _both(not_asked, source.not_selected):
            yield (
                f"{value!r} is in the not_asked of the question and in the not_selected of "
                "[source]. Remove it from one, or give the question a not_selected of its own."
            )


def _wave_faults(codebook: Codebook) -> Iterator[Fault]:
    known: set[str] = set()
    for place, wave in enumerate(codebook.waves):
        if wave.code in known:
            yield Fault(f"/waves/{place}/code", f"The codebook has the wave {wave.code} twice.")
        known.add(wave.code)
    if codebook.wave is not None and len(known) == len(codebook.waves):
        yield from _value_faults("/waves", [wave_values(wave) for wave in codebook.waves])


def _repeated_questions(codebook: Codebook) -> Iterator[Fault]:
    known: dict[str, int] = {}
    for place, question in enumerate(codebook.questions):
        code = f"{question.namespace or codebook.study.namespace}.{question.code}"
        if known.setdefault(code, place) != place:
            yield Fault(f"/questions/{place}/code", f"The codebook has the question {code} twice.")


def _codes(codebook: Codebook) -> set[str]:
    """The codes by which a question can be named: in full, or bare in the study's namespace."""
    base = codebook.study.namespace
    full = {f"{question.namespace or base}.{question.code}" for question in codebook.questions}
    return full | {code.removeprefix(f"{base}.") for code in full}


def _question_faults(question: CodedQuestion) -> Iterator[Fault]:
    if question.labels and question.datapoints:
        yield Fault("/labels", "Give labels or datapoints, not both.")
    check = {"single": _single_faults, "multiple": _multiple_faults, "grid": _grid_faults}
    yield from check[question.kind](question)
    if question.kind != "multiple" and question.across:
        yield Fault("/across", "Only a multiple question has values across columns.")
    if question.kind != "multiple" and question.separator is not None:
        yield Fault("/separator", "Only a multiple question has several values in one cell.")
    if question.kind != "grid" and question.suffixes:
        yield Fault("/suffixes", "Only a grid has suffixes.")
    if question.kind != "grid" and question.shares_values:
        yield from _column_faults(question)
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
    if question.separator == "":
        yield Fault("/separator", "Needs the sign or signs that stand between two values.")
    if question.column is None and question.separator is not None:
        yield Fault("/column", "A separator is for one column that holds several values: name it.")
    if question.across and question.column is not None:
        yield Fault("/across", "Give a column or the columns across which values are spread.")
    for place, point in enumerate(question.points):
        if not question.shares_values and point.column is None:
            yield Fault(f"/datapoints/{place}", "Needs its column.")
        if question.shares_values and not meanings_of(point):
            yield Fault(f"/datapoints/{place}", "Needs its value within the cell.")


def _column_faults(question: CodedQuestion) -> Iterator[Fault]:
    """A datapoint's own column beside the question's own columns: it would be ignored."""
    for place, point in enumerate(question.points):
        if point.column is not None:
            yield Fault(
                f"/datapoints/{place}/column",
                "The question's answers stand in its own columns: leave this one out.",
            )


def _grid_faults(question: CodedQuestion) -> Iterator[Fault]:
    if not question.points or not question.suffixes:
        yield Fault("/suffixes", "A grid needs datapoints (its items) and suffixes (its scale).")
    if question.column is not None:
        yield Fault("/column", "Each item of a grid has a column of its own: name it there.")
    known = set(suffix_codes(question.suffixes))
    for place, point in enumerate(question.points):
        if (point.column is None) == (not point.columns):
            yield Fault(f"/datapoints/{place}", "Needs a column, or columns by suffix code.")
        for code in point.columns.keys() - known:
            yield Fault(f"/datapoints/{place}/columns", f"There is no suffix {code!r}.")
    if any(point.column is not None for point in question.points):
        for place, suffix in enumerate(question.suffixes):
            if not meanings_of(suffix):
                yield Fault(f"/suffixes/{place}", "Needs the value that means it.")


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
