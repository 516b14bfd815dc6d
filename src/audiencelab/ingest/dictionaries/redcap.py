"""The data dictionary of a REDCap project, as its online designer and its API write it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from audiencelab.ingest.codebook import AskedCondition, canonical_value
from audiencelab.ingest.columns import Variable
from audiencelab.ingest.dictionaries.base import Dictionary
from audiencelab.ingest.dictionaries.conditions import simple_conditions
from audiencelab.ingest.dictionaries.tables import Rows, rows_of
from audiencelab.ingest.readers.base import distinct_names
from audiencelab.ingest.readers.redcap import FORM_STATUS, RECORD

_HEADERS = {
    "name": ("variablefieldname", "fieldname"),
    "form": ("formname",),
    "kind": ("fieldtype",),
    "section": ("sectionheader",),
    "label": ("fieldlabel",),
    "choices": ("choicescalculationsorsliderlabels", "selectchoicesorcalculations"),
    "validation": ("textvalidationtypeorshowslidernumber",),
    "identifier": ("identifier",),
    "logic": ("branchinglogicshowfieldonlyif", "branchinglogic"),
    "matrix": ("matrixgroupname",),
}
"""The columns that are read, by their letters alone."""

_NECESSARY = ("name", "form", "kind", "label")
_LISTS = ("radio", "dropdown", "checkbox")
_FIXED = {
    "yesno": {"1": "Yes", "0": "No"},
    "truefalse": {"1": "True", "0": "False"},
}
_TICKED = {"0": "Unchecked", "1": "Checked"}
_NO_QUESTION = {
    "notes": "free text: a box of notes",
    "file": "a file",
    "sql": "values of a query, which the dictionary does not list",
}
_IDENTIFIER = "marked as an identifier in the dictionary"
_TEXTS = {
    "email": "an address of email",
    "phone": "a telephone number",
    "time": "a time of day",
}
"""Validated texts that are not answers, by how the name of the validation begins."""

_TERM = re.compile(
    r"\[(?P<name>\w+)(?:\((?P<code>[^()]+)\))?\]\s*(?P<sign>=|<>|!=)\s*"
    r"(?P<quote>[\"']?)(?P<value>[^\"'\s)]*)(?P=quote)"
)
"""A comparison in branching logic: `[sex] = "0"`, and `[race(2)] = "1"` of a checkbox."""


class _Field(NamedTuple):
    """A row of the dictionary."""

    name: str
    form: str
    kind: str
    section: str
    label: str
    choices: str
    validation: str
    identifier: str
    logic: str
    matrix: str

    @property
    def answers(self) -> dict[str, str]:
        """The labels of its choices, by code."""
        if self.kind in _FIXED:
            return _FIXED[self.kind]
        return dict(_choices(self.choices)) if self.kind in _LISTS else {}


def redcap_dictionary(path: Path) -> Dictionary | None:
    """A data dictionary of REDCap; None for any other table."""
    fields = _fields(rows_of(path))
    return Dictionary(path.name, _variables(fields, path.name)) if fields else None


def _fields(rows: Rows) -> list[_Field]:
    plain = [re.sub(r"[^a-z]", "", cell.lower()) for cell in rows[0]] if rows else []
    places = {
        key: next((plain.index(name) for name in names if name in plain), len(plain))
        for key, names in _HEADERS.items()
    }
    if any(places[key] == len(plain) for key in _NECESSARY):
        return []
    found: list[_Field] = []
    for row in rows[1:]:
        # Beyond the last column is an empty cell, for columns that the dictionary lacks.
        cells = [*map(str.strip, row), *[""] * (len(plain) + 1 - len(row))]
        field = _Field(**{key: cells[place] for key, place in places.items()})
        found += [field] if field.name else []
    return found


def _choices(text: str) -> Iterator[tuple[str, str]]:
    """Code and label of each choice in `1, Tea | 2, Coffee`."""
    for choice in text.split("|"):
        code, comma, label = choice.partition(",")
        if code.strip():
            yield canonical_value(code.strip()), label.strip() if comma else code.strip()


def _variables(fields: Sequence[_Field], dictionary: str) -> dict[str, Variable]:
    """The columns of all fields and forms, by the names and the labels that headers have."""
    by_name = {field.name: field for field in fields}
    headings = {field.matrix: field.section for field in reversed(fields) if field.section}
    first = fields[0].name
    columns: list[tuple[str, str, Variable]] = []
    for field, following in zip(fields, [*fields[1:], None], strict=True):
        universe = _TERM.sub(lambda term: _in_words(term, by_name), " ".join(field.logic.split()))
        if field.name == first:
            columns.append((field.name, field.label, Variable(field.label, no_question=RECORD)))
        elif field.kind == "checkbox":
            asked_of = simple_conditions(field.logic, _condition)
            columns += _checkbox(field, universe, asked_of, dictionary)
        elif field.kind != "descriptive":
            variable = _variable(field, headings.get(field.matrix, ""), dictionary)
            columns.append((field.name, field.label, replace(variable, universe=universe)))
        if following is None or following.form != field.form:
            status = Variable(no_question=FORM_STATUS)
            columns.append((f"{field.form}_complete", "Complete?", status))
    labels = distinct_names([label for _, label, _ in columns])
    said = [variable for _, _, variable in columns]
    # Names last: where one is the label of another field, headers have names more often.
    return dict(zip(labels, said, strict=True)) | {name: each for name, _, each in columns}


def _checkbox(
    field: _Field, universe: str, asked_of: tuple[AskedCondition, ...], dictionary: str
) -> Iterator[tuple[str, str, Variable]]:
    """The columns of a checkbox: one for each choice, whose code is a part of its name."""
    for code, label in field.answers.items():
        own = _of_choice(code)
        variable = Variable(
            label=f"{field.label} - {label}",
            labels=_TICKED,
            stem=field.name,
            text=field.label,
            universe=universe,
            asked_of=asked_of,
            listed_by=dictionary,
        )
        header = f"{field.label} (choice={label})"
        for name in dict.fromkeys((f"{field.name}___{own}", f"{field.name}___{code.lower()}")):
            yield name, header if name.endswith(own) else name, variable


def _variable(field: _Field, heading: str, dictionary: str) -> Variable:
    answers, kind = field.answers, field.validation.lower()
    why = _NO_QUESTION.get(field.kind, "")
    if field.kind == "text":
        why = next((reason for sign, reason in _TEXTS.items() if kind.startswith(sign)), "")
    if field.kind in ("text", "notes") and field.identifier.lower() == "y":
        why = _IDENTIFIER
    is_amount = field.kind in ("calc", "slider") or kind.startswith(("integer", "number"))
    label = f"{heading} - {field.label}" if field.matrix and heading else field.label
    return Variable(
        label=label,
        labels=answers,
        measure="scale" if is_amount else "",
        is_date=kind.startswith("date"),
        stem=field.matrix if answers else "",
        no_question=why,
        text=heading if field.matrix else "",
        listed_by=dictionary if answers else "",
    )


def _of_choice(code: str) -> str:
    """The code of a choice as it is in the name of its column."""
    return re.sub(r"[^a-z0-9]", "_", code.lower())


def _condition(text: str) -> AskedCondition | None:
    """A comparison of branching logic; an empty cell is not any answer, and not ticked."""
    term = _TERM.fullmatch(text)
    # Without quotes only a number is a value.
    if term is None or not (term["quote"] or re.fullmatch(r"-?\d+(\.\d+)?", term["value"])):
        return None
    value = canonical_value(term["value"])
    if not term["code"]:
        is_equal, values = term["sign"] == "=", (value,)
        return AskedCondition(term["name"], *((values,) if is_equal else ((), values)))
    if value not in _TICKED:
        return None
    column = f"{term['name']}___{_of_choice(term['code'])}"
    is_ticked = (value == "1") == (term["sign"] == "=")
    return AskedCondition(column, *((("1",),) if is_ticked else ((), ("1",))))


def _in_words(term: re.Match[str], fields: Mapping[str, _Field]) -> str:
    """A comparison with the labels of field and answer in place of name and code."""
    field = fields.get(term["name"])
    if field is None or not term["quote"]:
        return term[0]
    if term["code"]:
        choice = field.answers.get(canonical_value(term["code"]), term["code"])
        is_ticked = (term["value"] == "1") == (term["sign"] == "=")
        return f"{field.label}: {'' if is_ticked else 'not '}{choice}"
    answer = field.answers.get(canonical_value(term["value"]), term["value"])
    return f"{field.label} {'=' if term['sign'] == '=' else '≠'} {answer}"
