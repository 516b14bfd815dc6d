"""Check whether the parts of a codebook fit together; each error has a JSON pointer and advice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from itertools import combinations

from audiencelab.errors import Fault, list_faults
from audiencelab.ingest.codebook import (
    EVERY_WAVE,
    Codebook,
    CodedDatapoint,
    CodedQuestion,
    DesignColumns,
    Scalar,
    Source,
    canonical_value,
    meanings_of,
    suffix_codes,
    wave_values,
)
from audiencelab.ingest.meaning.scales import unknown_off_scale
from audiencelab.schema.scales import UNKNOWN_TOP
from audiencelab.survey.errors import SurveyError

_Rules = Iterable[tuple[object, str, str]]
"""What is wrong if it is true, a JSON pointer, and what to write instead."""


def check_codebook(
    codebook: Codebook, origin: str = "codebook", line_of: Callable[[str], str] | None = None
) -> None:
    """Raise `SurveyError` with everything in a codebook that contradicts itself.

    origin: what it is called in messages. line_of: the line of a pointer, as a message names it.
    """
    codes = [wave.code for wave in codebook.waves]
    faults = [*_broken(_codebook_rules(codebook)), *_repeated("waves", codes)]
    # A code that is there twice is a fault already, and would show here as an ambiguous value.
    if codebook.wave is not None and len({*codes}) == len(codes):
        faults += _ambiguous("/waves", [wave_values(wave) for wave in codebook.waves])
    faults += _broken(_design_rules(codebook.design))
    faults += _unknown_waves(codebook, codes)
    faults += _broken(_text_rules(codebook))
    for index, question in enumerate(codebook.questions):
        for fault in _question_faults(question, codebook.source):
            detail = f"{question.code}: {fault.detail}"
            faults.append(Fault(f"/questions/{index}{fault.pointer}", detail))
    base = codebook.study.namespace
    faults += _repeated(
        "questions", [f"{q.namespace or base}.{q.code}" for q in codebook.questions]
    )
    if faults:
        if line_of is not None:
            faults = [Fault(each.pointer, each.detail + line_of(each.pointer)) for each in faults]
        raise SurveyError(list_faults(f"{origin} is not consistent:", faults))


def suggestion(name: str, known: Iterable[str]) -> str:
    """A question after the name that was meant, if one of the known ones is near; else nothing."""
    plain = {each.lower(): each for each in known}
    near = get_close_matches(name.lower(), plain, n=1)
    return f" Did you mean {plain[near[0]]!r}?" if near else ""


def _broken(rules: _Rules) -> Iterator[Fault]:
    return (Fault(pointer, detail) for is_wrong, pointer, detail in rules if is_wrong)


def _codebook_rules(codebook: Codebook) -> _Rules:
    source, wave, location = codebook.source, codebook.wave, codebook.study.location
    yield not codebook.questions, "/questions", "A codebook needs at least one question."
    for first, second in combinations(("not_asked", "not_selected", "missing"), 2):
        for value in _both(getattr(source, first), getattr(source, second)):
            yield True, "/source", f"{value!r} is in both {first} and {second} of [source]."
    advice = "Waves by day, month, quarter or year are not listed: leave one out."
    yield wave and wave.by and codebook.waves, "/waves", advice
    by_file = any(each.files for each in codebook.waves)
    yield wave and by_file, "/waves", "Give a wave column or patterns for files, not both."
    base = codebook.study.namespace
    full = {f"{question.namespace or base}.{question.code}" for question in codebook.questions}
    # The location may be named with its namespace, or without the base namespace.
    codes = full | {code.removeprefix(f"{base}.") for code in full}
    if location is not None and location not in codes:
        elsewhere = [code for code in codes if code.endswith(f".{location}")]
        meant = f" Did you mean {min(elsewhere)!r}?" if elsewhere else suggestion(location, codes)
        yield True, "/study/location", f"There is no question {location!r}.{meant}"


def _design_rules(design: DesignColumns) -> _Rules:
    replicates = design.replicates
    repeated = next((name for name in replicates if replicates.count(name) > 1), None)
    yield repeated, "/design/replicates", f"Column {repeated} is listed twice."
    advice = "A single replicate weight shows no variance: list the columns of all, or none."
    yield len(replicates) == 1, "/design/replicates", advice
    try:
        if replicates:
            design.scales()
    except SurveyError as error:
        yield True, "/design/replicate_method", str(error)
    for name in ("replicate_method", "fay", "replicate_scale", "replicate_scales"):
        given = getattr(design, name) not in (None, ())
        advice = (
            f"{name} is of replicate weights: list their columns as replicates, or leave it out."
        )
        yield given and not replicates, f"/design/{name}", advice
    both = design.strata is not None and design.strata == design.clusters
    advice = f"Column {design.strata} is named as strata too, so that each has a single cluster."
    yield both, "/design/clusters", advice
    advice = "clusters_recur is about a column of clusters: name it as clusters, or leave it out."
    yield design.clusters_recur and design.clusters is None, "/design/clusters_recur", advice


def _text_rules(codebook: Codebook) -> _Rules:
    base = codebook.study.namespace
    codes = {q.code for q in codebook.questions}
    codes |= {f"{q.namespace or base}.{q.code}" for q in codebook.questions}
    columns = [each.column for each in codebook.texts]
    for index, each in enumerate(codebook.texts):
        pointer = f"/texts/{index}"
        twice = f"Column {each.column} is listed twice."
        yield each.column in columns[:index], f"{pointer}/column", twice
        unknown = f"There is no question {each.question!r}." + suggestion(each.question, codes)
        yield each.question and each.question not in codes, f"{pointer}/question", unknown


def _unknown_waves(codebook: Codebook, codes: Iterable[str]) -> Iterator[Fault]:
    """Waves of datapoints that are not in the codebook; without a list the import knows them."""
    known = {*codes}
    for index, question in enumerate(codebook.questions if known else ()):
        for place, point in enumerate(question.datapoints):
            pointer = f"/questions/{index}/datapoints/{place}/waves"
            for code in point.waves:
                if code not in known and code != EVERY_WAVE:
                    yield Fault(pointer, unknown_wave(question, point, code, known))


def unknown_wave(
    question: CodedQuestion, point: CodedDatapoint, code: str, known: Iterable[str]
) -> str:
    """The message about a wave of a datapoint that the survey does not have."""
    waves = ", ".join(sorted(known))
    return (
        f"{question.code}, {point.name!r}: there is no wave {code!r}. The waves are {waves}."
        + suggestion(code, known)
    )


def _repeated(part: str, codes: list[str]) -> Iterator[Fault]:
    known: set[str] = set()
    for index, code in enumerate(codes):
        if code in known:
            detail = f"The codebook has the {part.removesuffix('s')} {code} twice."
            yield Fault(f"/{part}/{index}/code", detail)
        known.add(code)


def _both(first: Iterable[Scalar], second: Iterable[Scalar]) -> list[str]:
    known = set(map(canonical_value, second))
    return [value for value in dict.fromkeys(map(canonical_value, first)) if value in known]


# ---- questions ----


def _question_faults(question: CodedQuestion, source: Source) -> Iterator[Fault]:
    points = question.points
    yield from _broken(_missing_code_rules(question, source))
    yield from _broken(_field_rules(question, points))
    codes = {*suffix_codes(question.suffixes)} if question.kind == "grid" else set[str]()
    for index, point in enumerate(points):
        pointer = f"/datapoints/{index}"
        yield from _broken(_point_rules(question, point, pointer, codes))
    # With a column for every cell it is the column that means the point of the scale.
    if question.kind == "grid" and any(point.column is not None for point in points):
        for index, suffix in enumerate(question.suffixes):
            if not meanings_of(suffix):
                yield Fault(f"/suffixes/{index}", "Needs the value that means it.")
    if question.shares_values:
        yield from _ambiguous("/datapoints", [meanings_of(point) for point in points])
    yield from _ambiguous("/suffixes", [meanings_of(suffix) for suffix in question.suffixes])


def _missing_code_rules(question: CodedQuestion, source: Source) -> _Rules:
    """Values that a question would read as both, by its own lists or those of [source]."""
    asked, selected = question.not_asked, question.not_selected
    for value in _both(question.missing, [*(asked or ()), *(selected or ()), *question.selected]):
        detail = f"{value!r} is in missing, and in not_asked, not_selected or selected."
        yield True, "/missing", f"{detail} Remove it from one of them."
    answers = question.suffixes if question.kind == "grid" else question.points
    for value in _both(question.missing, [v for each in answers for v in meanings_of(each)]):
        detail = f"{value!r} is in missing, and means an answer. Remove it from one of them."
        yield True, "/missing", detail
    in_asked = "the question" if asked is not None else "[source]"
    in_selected = "the question" if selected is not None else "[source]"
    # The lists of [source] against each other are checked once, above, and not for each question.
    if asked is None and selected is None:
        return
    detail = f"is in the not_asked of {in_asked} and in the not_selected of {in_selected}. "
    own = "not_asked" if asked is None else "not_selected"
    detail += f"Remove it from one of them, or give the question a {own} of its own."
    if in_asked == in_selected:
        detail = "is in both not_asked and not_selected of the question."
    not_asked = source.not_asked if asked is None else asked
    for value in _both(not_asked, source.not_selected if selected is None else selected):
        yield True, "", f"{value!r} {detail}"


def _field_rules(q: CodedQuestion, points: tuple[CodedDatapoint, ...]) -> _Rules:
    has_column, has_separator = q.column is not None, q.separator is not None
    yield q.labels and q.datapoints, "/labels", "Give labels or datapoints, not both."
    for place, condition in enumerate(q.asked_of):
        advice = f"The condition on {condition.column} needs values or not_values."
        is_wrong = bool(condition.values) == bool(condition.not_values)
        yield is_wrong, f"/asked_of/{place}", advice
    if q.kind == "single":
        yield not has_column, "/column", "A single question needs its column."
    if q.kind == "multiple":
        advice = f"Column {q.column} holds several values: give what separates them, such as "
        advice += 'separator = ";". Where each datapoint has a column, name it there instead.'
        yield not points, "/datapoints", "A multiple question needs its datapoints."
        yield has_column and not has_separator, "/separator", advice
        yield q.separator == "", "/separator", "A separator between values must not be empty."
        advice = "A separator is for one column that holds several values: name it."
        yield has_separator and not has_column, "/column", advice
        advice = "Give a column or the columns across which values are spread."
        yield q.across and has_column, "/across", advice
    else:
        advice = "Only a multiple question has several values in one cell."
        yield has_separator, "/separator", advice
        yield q.across, "/across", "Only a multiple question has values across columns."
    if q.kind == "grid":
        advice = "A grid needs datapoints (its items) and suffixes (its scale)."
        yield not (points and q.suffixes), "/suffixes", advice
        yield has_column, "/column", "Each item of a grid has a column of its own: name it there."
    else:
        yield q.suffixes, "/suffixes", "Only a grid has suffixes."
    yield from _scale_rules(q, points)


def _scale_rules(q: CodedQuestion, points: tuple[CodedDatapoint, ...]) -> _Rules:
    is_scale = q.kind != "multiple"
    advice = "Answers to a multiple question are not a scale: leave top, ends and off_scale out."
    yield not is_scale and (q.top or q.ends or q.off_scale), "", advice
    for value in unknown_off_scale(q) if is_scale and points else ():
        yield True, "/off_scale", f"{value!r} is not the value of an answer."
    advice = 'A scale from none to most has a top: write "first" or "last", or leave ends out.'
    yield q.top == "none" and q.ends == "amount", "/top", advice
    advice = f"Answers of the form {q.form!r} do not make a scale: leave top and ends out."
    yield (
        q.form in ("rank", "sum") and (q.ends or q.top not in (None, "none", UNKNOWN_TOP)),
        "/form",
        advice,
    )


def _point_rules(
    question: CodedQuestion, point: CodedDatapoint, pointer: str, suffixes: set[str]
) -> _Rules:
    if question.kind == "grid":
        is_wrong = (point.column is None) == (not point.columns)
        yield is_wrong, pointer, "Needs a column, or columns by suffix code."
        for code in point.columns.keys() - suffixes:
            yield True, f"{pointer}/columns", f"There is no suffix {code!r}."
        return
    has_meaning = bool(meanings_of(point))
    if question.kind == "single":
        is_wrong = not has_meaning and not point.is_band
        yield is_wrong, pointer, "Needs a value, values, or a band (min, max)."
    elif question.shares_values:
        yield not has_meaning, pointer, "Needs its value within the cell."
    else:
        yield point.column is None, pointer, "Needs its column."
    advice = "The question's answers are in its own columns: leave this one out."
    yield question.shares_values and point.column is not None, f"{pointer}/column", advice


def _ambiguous(pointer: str, meanings: list[tuple[str, ...]]) -> Iterator[Fault]:
    seen: set[str] = set()
    for index, values in enumerate(meanings):
        for value in values:
            if value in seen:
                yield Fault(f"{pointer}/{index}", f"The value {value!r} means two things.")
            seen.add(value)
