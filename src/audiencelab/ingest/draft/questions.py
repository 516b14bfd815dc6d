"""From a column, or a group of columns, to a question of the codebook."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from audiencelab.expressions.codes import WAVES, code_of
from audiencelab.ingest.codebook import (
    CodedDatapoint,
    CodedQuestion,
    CodedSuffix,
    Scalar,
    canonical_value,
    distinct_labels,
    natural,
)
from audiencelab.ingest.draft.roles import is_code
from audiencelab.ingest.draft.scales import round_bands
from audiencelab.ingest.draft.separated import divided, separator_of
from audiencelab.ingest.markup import plain_text
from audiencelab.ingest.meaning.evidence import (
    Answer,
    Evidence,
    evidence_of,
    is_labelled_number,
)
from audiencelab.ingest.meaning.groups import QuestionGroup, item_names
from audiencelab.ingest.meaning.missing import MissingCodes
from audiencelab.ingest.meaning.profile import ColumnProfile, is_number
from audiencelab.ingest.meaning.scales import scale_evidence, with_evidence
from audiencelab.ingest.value_mapping import cell_parts, sorted_values
from audiencelab.schema.scales import Form

_BANDED = 12
"""More numbers than that, without labels, are put into bands."""

IN_BANDS = "single, in bands: "
"""How the reason for such a question begins."""

_LISTED = 40
"""Values without labels are listed in the codebook up to that many, to be given names."""

_SCORES = {"numbers": "middles of bands", "scores": "scores in the file"}

_WHOLE = re.compile(r"-?(0|[1-9]\d{0,14})")


class QuestionCodes:
    """Codes for questions: letters, digits, _ and - alone, each given once.

    names: of all columns; "Âge" does not take the code of a column "Age".
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        # Queries use the first for waves; imports add the second where there is no location.
        self._taken = {WAVES, "location"}
        self._names = {*names}

    def take(self, name: str, *, may_be_location: bool = False) -> str:
        """A code as near to the name as possible."""
        code = clean = clean_code(name) or "question"
        if may_be_location and code == "location":
            return code
        number = 2
        is_other = not name.isascii()
        while code in self._taken or (is_other and code in self._names):
            code = f"{clean}_{number}"
            number += 1
        self._taken.add(code)
        return code


def clean_code(name: str) -> str:
    """A name without what a code must not have."""
    return code_of(plain_text(name))


def scalar(value: str) -> Scalar:
    """A canonical value as a codebook shows it: integers as numbers."""
    return int(value) if _WHOLE.fullmatch(value) and value != "-0" else value


def scalars(values: Iterable[str]) -> tuple[Scalar, ...]:
    """Canonical values as a codebook shows them."""
    return tuple(map(scalar, values))


class Drafted(NamedTuple):
    """A question, why it is that, and what its answers show."""

    question: CodedQuestion
    reason: str
    found: Evidence = Evidence(())


def column_question(column: ColumnProfile, code: str, *, banded: bool) -> Drafted:
    """The question of one column. banded: numbers may be put into bands."""
    name = column.wording or code
    separator = separator_of(column)
    if separator is not None:
        cells = [*divided(column.answers, separator).values()]
        if column.variable.listed_by:
            cells = [cell_parts(value, separator, column.labels) for value in column.answers]
        parts = {part for cell in cells for part in cell}
        known = [*column.labels, *sorted(parts - column.labels.keys(), key=natural)]
        labels = distinct_labels({value: column.label(value) for value in known})
        reason = f'multiple: cells hold several values with "{separator}" between them'
        if odd := [part for part in parts if separator in part and part not in column.labels]:
            reason += f"; one answer each, by how they occur: {', '.join(map(repr, sorted(odd)))}"
        question = CodedQuestion(
            code, name, "multiple", column=column.name, separator=separator, labels=labels
        )
        return Drafted(question, reason)
    if banded and _is_amount(column):
        bands, reason = _in_bands(column)
        question = CodedQuestion(code, name, column=column.name, datapoints=bands, form="numeric")
        found = scale_evidence(question, bands)
        return Drafted(with_evidence(question, found), reason, found)
    return _listed(column, CodedQuestion(code, name, column=column.name))


def with_form(drafted: Drafted, form: Form) -> Drafted:
    """The question of a column of ranks, which has no top, or of parts of a constant sum."""
    top = "none" if form == "rank" else drafted.question.top
    question = replace(drafted.question, form=form, top=top)
    why = "a rank among its items" if form == "rank" else "a part of a constant sum"
    return Drafted(question, f"{drafted.reason}; {why}")


def _is_amount(column: ColumnProfile) -> bool:
    """Whether a column holds numbers that are put into bands."""
    unlabelled = sum(value not in column.labels for value in column.answers)
    # What the file calls nominal has no sizes, unless it calls everything so.
    are_codes = column.variable.measure == "nominal" and unlabelled <= _LISTED
    return bool(column.numbers) and unlabelled > _BANDED and not (are_codes or is_code(column))


def _in_bands(column: ColumnProfile) -> tuple[tuple[CodedDatapoint, ...], str]:
    # A top code such as "89 or older" is a number like the others; "don't know" is not.
    others = {
        value: label
        for value, label in column.labels.items()
        if not is_labelled_number(value, label)
    }
    numbers = {
        number: count
        for number, count in (column.numbers or {}).items()
        if canonical_value(number) not in others
    }
    bands = round_bands(numbers)
    reason = f"{IN_BANDS}{len(numbers):,} values into {len(bands)} bands"
    return (*bands, *_points(distinct_labels(others))), reason


def _listed(column: ColumnProfile, question: CodedQuestion) -> Drafted:
    """The values of a column one by one."""
    labels, found = _scale([column])
    names = distinct_labels(labels)
    if column.labels:
        reason = f"single: {len(column.labels)} labels in the file"
        odd = [value for value in labels if value not in column.labels]
        shown = f"{', '.join(odd[:8])}{' …' * (len(odd) > 8)}"
        reason += f"; without a label: {shown}" if odd else ""
    else:
        reason = f"single: {len(labels)} value{'s' * (len(labels) != 1)} without labels"
        if len(labels) > _LISTED:
            return Drafted(question, reason)
    if not found.scores:
        question = replace(question, labels=names)
    else:
        scores = {value: found.scores.get(place) for place, value in enumerate(names)}
        question = replace(question, datapoints=_points(names, scores))
        own = _SCORES.get(found.by, "codes")
        reason += f"; a scale, whose {own} are its midpoints"
    return Drafted(with_evidence(question, found), reason, found)


def _scale(columns: Sequence[ColumnProfile]) -> tuple[dict[str, str], Evidence]:
    """The answers of columns in their order, labels by value, and what they show."""
    labels = {value: label for column in columns for value, label in column.labels.items()}
    values = {value: None for column in columns for value in column.answers}
    order = next((column.variable.order for column in columns if column.variable.order), ())
    others = [value for value in values if value not in labels]
    is_ordinal = bool(order) or all(column.variable.measure == "ordinal" for column in columns)
    is_free = not labels and not order
    listed = others if is_free else _in_order(labels, others, order)
    named = {value: labels.get(value) or plain_text(value) for value in listed}
    if is_free and all(map(is_number, listed)):
        # Numbers are their own order and size.
        return {value: value for value in sorted(listed, key=natural)}, Evidence(())
    answers = [Answer(label, value) for value, label in named.items()]
    found = evidence_of(answers, is_free=is_free, is_ordinal=is_ordinal)
    values = [listed[place] for place in found.order]
    return {value: named[value] for value in values}, _with_scores(
        found.in_order(), values, columns
    )


def _with_scores(
    found: Evidence, values: Sequence[str], columns: Sequence[ColumnProfile]
) -> Evidence:
    """The same with the numbers that the file gives the values, if it gives them any."""
    given = columns[0].variable.scores
    if any(column.variable.scores != given for column in columns):
        return found
    own = {place: given[value] for place, value in enumerate(values) if value in given}
    return dataclasses.replace(found, scores=own, by="scores") if own else found


def group_question(group: QuestionGroup, code: str, missing: MissingCodes) -> Drafted:
    """The question of a group of columns. missing: what means no answer in any column."""
    if group.kind == "spread":
        question = CodedQuestion(
            code=code,
            name=group.name,
            kind="multiple",
            across=tuple(column.name for column in group.columns),
            labels=distinct_labels(_scale(group.columns)[0]),
        )
        return Drafted(question, group.reason)
    common, by_columns = item_names(group.columns)
    own = group.items or [""] * len(by_columns)
    names = [name or other for name, other in zip(own, by_columns, strict=True)]
    often = Counter(names)
    points = tuple(
        CodedDatapoint(
            name=name if often[name] == 1 else f"{name} ({number})",
            code=item,
            column=column.name,
        )
        for number, (name, item, column) in enumerate(
            zip(names, _item_codes(group, code), group.columns, strict=True), start=1
        )
    )
    if group.kind == "grid":
        labels, found = _scale(group.columns)
        suffixes = tuple(
            CodedSuffix(name=name, value=scalar(value), midpoint=found.scores.get(place))
            for place, (value, name) in enumerate(distinct_labels(labels).items())
        )
        name = common or group.name
        question = CodedQuestion(code, name, kind="grid", datapoints=points, suffixes=suffixes)
        return Drafted(with_evidence(question, found), group.reason, found)
    question = CodedQuestion(
        code=code,
        name=group.name if group.name != group.code else common or group.name,
        kind="multiple",
        datapoints=points,
        selected=scalars(group.selected),
        not_selected=_not_selected(group, missing),
    )
    return Drafted(question, group.reason)


def _not_selected(group: QuestionGroup, missing: MissingCodes) -> tuple[Scalar, ...] | None:
    """The values that mean "not chosen" in a set; None where those of any column are all.

    Beside ticks alone, a missing code is what means it.
    """
    others = sorted({*group.not_selected}.difference(missing.not_selected), key=natural)
    if not group.not_selected:
        own = {code for column in group.columns for code in column.own_codes}
        given = {code for column in group.columns for code in column.given_codes or ()}
        found = {value for column in group.columns for value in column.counts}
        others = sorted(({*missing.missing, *own} - given) & found, key=natural)
    return scalars([*missing.not_selected, *others]) if others else None


def _item_codes(group: QuestionGroup, code: str) -> list[str]:
    """A code for each item, from its column's name."""
    codes: list[str] = []
    for number, column in enumerate(group.columns, start=1):
        own = clean_code(column.name)
        codes.append(own if own and own not in codes else f"{code}_{number}")
    # A made-up code may be the name of a later column; then all of them are numbered.
    if len(set(codes)) == len(codes):
        return codes
    return [f"{code}_{number}" for number in range(1, len(codes) + 1)]


def _in_order(labels: Mapping[str, str], found: Iterable[str], order: Sequence[str]) -> list[str]:
    """Labelled values as the file has them; by size where a scale is labelled at its ends alone."""
    others = {*found} - labels.keys()
    # Of 1 to 10 with labels at 1 and 10, the file lists the two alone. Labels that begin with their
    # codes are in the order of these, however the file lists them.
    are_numbers = others or 2 * sum(map(_names_code, labels, labels.values())) > len(labels)
    if are_numbers and not order and all(map(_WHOLE.fullmatch, [*labels, *others])):
        return sorted([*labels, *others], key=natural)
    return [*labels, *sorted_values(others, order)]


def _names_code(value: str, label: str) -> bool:
    return re.match(rf"\W*{re.escape(value)}(?!\d)", label) is not None


def _points(
    labels: Mapping[str, str], midpoints: Mapping[str, float | None] | None = None
) -> tuple[CodedDatapoint, ...]:
    known = midpoints or {}
    return tuple(
        CodedDatapoint(name=name, value=scalar(value), midpoint=known.get(value))
        for value, name in labels.items()
    )
