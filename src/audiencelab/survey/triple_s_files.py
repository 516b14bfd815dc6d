"""Respondents as triple-S 2.0: definitions in XML (.sss), and the data beside them (.csv).

The Survey Interchange Standard of triple-s.org, which most survey programs read. A question with
several answers is one variable whose cell has a 0 or 1 for each of them; a blank cell is a
respondent who was not asked. Who was asked some of the answers only has 0 for the others, and an
import counts these as asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

import numpy as np
from numpy.typing import NDArray

from audiencelab._version import __version__
from audiencelab.survey.export_columns import (
    SELECTED,
    WAVE,
    WEIGHT,
    AnswerColumn,
    design_columns,
    weight_columns,
)
from audiencelab.survey.reader import Survey

_QUOTED = ("multiple", "character")
"""Kinds whose cells are text: a program must not read 0101 as a number."""


@dataclass(frozen=True, slots=True)
class TripleSVariable:
    """A variable, and a cell for each respondent.

    kind: "single", "multiple", "quantity" or "character". use: "weight", or "".
    labels: the label of each code.
    """

    name: str
    label: str
    kind: str
    cells: Sequence[str]
    use: str = ""
    labels: Mapping[int, str] = field(default_factory=dict[int, str])


def _single_cells(values: NDArray[np.int32]) -> list[str]:
    """Cells of codes; -1 is blank."""
    return ["" if value < 0 else str(value) for value in values.tolist()]


def _multiple_cells(columns: Sequence[NDArray[np.int32]]) -> list[str]:
    """Cells with a 0 or 1 for each answer; blank for respondents who were not asked (-1)."""
    rows = np.stack(columns, axis=1)
    # triple-S has no sign for a single answer that was not asked: it becomes 0 beside those that
    # were.
    blank = np.all(rows < 0, axis=1)
    signs: list[list[str]] = np.where(rows > 0, "1", "0").tolist()
    return ["" if none else "".join(row) for none, row in zip(blank, signs, strict=True)]


def _number_cells(values: NDArray[np.float64]) -> list[str]:
    """Cells of numbers, exact; NaN is blank."""
    # Without an exponent, as `_ends` counts the digits after the point.
    return ["" if np.isnan(each) else np.format_float_positional(each, trim="-") for each in values]


def variables_of(survey: Survey, columns: list[AnswerColumn]) -> list[TripleSVariable]:
    """The variables of a triple-S file: a question of several answers is one of them."""
    waves = [survey.wave(wave.code) for wave in survey.waves]
    names = np.repeat([wave.code for wave in waves], [wave.respondents for wave in waves])
    made = [TripleSVariable(WAVE, "Wave", "character", names.tolist())]

    def add_numbers(name: str, label: str, parts: Iterable[Any], use: str = "") -> None:
        found = [
            np.full(wave.respondents, np.nan) if part is None else np.asarray(part, np.float64)
            for wave, part in zip(waves, parts, strict=True)
        ]
        cells = _number_cells(np.concatenate(found))
        made.append(TripleSVariable(name, label, "quantity", cells, use))

    add_numbers(WEIGHT, "Weight", (wave.weights for wave in waves), "weight")
    for name, column in weight_columns(survey).items():
        add_numbers(column, name, (wave.other_weights.get(name) for wave in waves), "weight")
    for name, column in design_columns(survey).items():
        add_numbers(
            column, column.capitalize(), (wave.design.columns().get(name) for wave in waves)
        )
    # The columns of a question follow each other, as `groupby` needs.
    for key, members in groupby(columns, _variable_of):
        listed_columns = list(members)
        values = [np.concatenate([each.values(wave) for wave in waves]) for each in listed_columns]
        first = listed_columns[0]
        if len(key) == 1:
            none = {0: "No answer"} if (values[0] == 0).any() else {}
            cells, labels = _single_cells(values[0]), {**none, **first.labels}
            made.append(TripleSVariable(first.name, first.label, "single", cells, labels=labels))
            continue
        question, item = first.question, key[1]
        points = question.suffixes if item else question.datapoints
        labels = {number: point.name for number, point in enumerate(points, start=1)}
        name, label = (item, first.label.rpartition(": ")[0]) if item else (
            question.code, question.name
        )  # fmt: skip
        made.append(
            TripleSVariable(name, label, "multiple", _multiple_cells(values), labels=labels)
        )
    for question in survey.catalogue.questions:
        numbers = [wave.numbers(question.canonical) for wave in waves]
        if any(each is not None for each in numbers):
            add_numbers(f"{question.code}_number", f"{question.name}, as a number", numbers)
    return made


def _variable_of(column: AnswerColumn) -> tuple[str, ...]:
    """What the columns of one triple-S variable share: a question, or an item of a grid."""
    if column.labels is not SELECTED:
        return (column.name,)
    item = "" if column.suffix is None else f"{column.question.code}_{column.datapoint}"
    return column.question.canonical, item


def write_definitions(
    path: Path, data: str, title: str, variables: Sequence[TripleSVariable]
) -> None:
    """Write the .sss file; data: the name of the file beside it."""
    root = Element("sss", version="2.0")
    SubElement(root, "origin").text = f"audiencelab {__version__}"
    survey = SubElement(root, "survey")
    SubElement(survey, "title").text = title
    # `skip` is the row of names above the data.
    record = SubElement(survey, "record", ident="R", href=data, format="csv", skip="1")
    for number, variable in enumerate(variables, start=1):
        record.append(_definition(variable, number))
    indent(root)
    ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def write_data(path: Path, variables: Sequence[TripleSVariable]) -> None:
    """Write the .csv file, with the names in its first row."""
    columns = [
        list(map(_quoted, each.cells)) if each.kind in _QUOTED else each.cells for each in variables
    ]
    with path.open("w", encoding="utf-8", newline="") as opened:
        opened.write(",".join(_quoted(each.name) for each in variables) + "\r\n")
        opened.writelines(",".join(row) + "\r\n" for row in zip(*columns, strict=True))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if text else ""


def _definition(variable: TripleSVariable, number: int) -> Element:
    made = Element("variable", ident=str(number), type=variable.kind)
    if variable.use:
        made.set("use", variable.use)
    SubElement(made, "name").text = variable.name
    SubElement(made, "label").text = variable.label
    SubElement(made, "position", start=str(number))
    if variable.kind == "character":
        longest = max(map(len, variable.cells), default=1)
        SubElement(made, "size").text = str(max(1, longest))
        return made
    values = SubElement(made, "values")
    if variable.kind == "quantity":
        low, high = _ends([each for each in variable.cells if each])
        SubElement(values, "range", {"from": low, "to": high})
    for code, words in variable.labels.items():
        SubElement(values, "value", code=str(code)).text = words
    return made


def _ends(numbers: Sequence[str]) -> tuple[str, str]:
    """The smallest and the largest number, with as many decimals as any has."""
    decimals = max((len(each.partition(".")[2]) for each in numbers), default=0)
    low, high = (end(map(float, numbers), default=0.0) for end in (min, max))
    return f"{low:.{decimals}f}", f"{high:.{decimals}f}"
