"""A codebook for the masculinity survey of May 2018, made from its files.

    python -m tests.surveys.masculinity DIR     imports it into DIR

Question wordings are read from the published tables, which stand in the questionnaire's order;
datapoints are the values in the raw file.
"""

from __future__ import annotations

import csv
import gzip
import math
import re
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

from audiencelab.ingest import Codebook, import_survey, parse_codebook
from tests.surveys.data import MASCULINITY

SOURCES = (MASCULINITY / "raw-responses.csv.gz",)
PUBLISHED = MASCULINITY / "masculinity-survey.csv"

NOT_SELECTED, NOT_ASKED = "Not selected", "NA"

SINGLE = (
    "q0001", "q0002", "q0005", "q0009", "q0013", "q0014", "q0015", "q0017", "q0018", "q0022",
    "q0024", "q0026", "q0028", "q0029", "age3",
)  # fmt: skip
MULTIPLE = {
    "q0004": 6, "q0008": 12, "q0010": 8, "q0011": 5, "q0012": 7, "q0019": 7, "q0020": 6,
    "q0021": 4, "q0025": 3,
}  # fmt: skip
GRID, GRID_ITEMS = "q0007", 11
SCALE = (
    "Often", "Sometimes", "Rarely", "Never, but open to it", "Never, and not open to it",
    "No answer",
)  # fmt: skip

# Not among the published tables, and so without a published wording.
OTHERS = {
    "q0030": "State",
    "q0034": "Household income",
    "q0035": "Census division",
    "q0036": "Device",
    "race2": "Race, in two groups",
    "racethn4": "Race and ethnicity, in four groups",
    "educ3": "Education, in three groups",
    "educ4": "Education, in four groups",
    "kids": "Children",
    "orientation": "Sexual orientation, in groups",
}

SECTIONS = (
    ("1", "Ideas about masculinity", ("q0001", "q0005")), ("2", "Lifestyle", ("q0007", "q0009")),
    ("3", "Work", ("q0010", "q0015")), ("4", "Relationships", ("q0017", "q0022")),
    ("5", "About you", ("q0024", "zzz")),
)  # fmt: skip


@cache
def published_tables() -> dict[str, tuple[str, tuple[str, ...]]]:
    """The published tables in order: question or grid column → wording, answers."""
    tables: list[tuple[str, list[str]]] = []
    with PUBLISHED.open(encoding="latin-1", newline="") as file:
        for title, answer, *_ in list(csv.reader(file))[2:]:
            if title:
                tables.append((title, []))
            elif answer:
                tables[-1][1].append(mended(answer))
    order = ["q0001", "q0002", "q0004", "q0005"]
    order += [f"{GRID}_{item:04}" for item in range(1, GRID_ITEMS + 1)]
    order += sorted(code for code in {*SINGLE, *MULTIPLE} if code >= "q0008")
    order.append("age3")
    return {
        code: (mended(title), tuple(answers))
        for code, (title, answers) in zip(order, tables, strict=True)
    }


@cache
def raw_values() -> dict[str, tuple[str, ...]]:
    """The values of every column of the raw file, in order of appearance."""
    with gzip.open(SOURCES[0], "rt", encoding="latin-1", newline="") as file:
        rows = list(csv.DictReader(file))
    return {column: tuple(dict.fromkeys(row[column] for row in rows)) for column in rows[0]}


def make_masculinity_codebook() -> Codebook:
    """The codebook of all closed questions and banner variables."""
    return parse_codebook(
        {
            "study": {
                "name": "Masculinity survey, May 2018",
                "description": "FiveThirtyEight, WNYC Studios and SurveyMonkey; adult men.",
                "location": "q0035",
            },
            "source": {
                "encoding": "latin-1",
                "not_asked": [NOT_ASKED],
                "not_selected": [NOT_SELECTED],
            },
            "weight": {"column": "weight"},
            "waves": [
                {"code": "w1", "name": "May 2018", "starts": "2018-05-10", "ends": "2018-05-22"}
            ],
            "categories": [
                {"id": id_, "name": name, "order": int(id_)} for id_, name, _ in SECTIONS
            ],
            "questions": list(_questions()),
        },
        "the codebook of the masculinity survey",
    )  # fmt: skip


def _questions() -> Iterator[dict[str, Any]]:
    names = {code: wording for code, (wording, _) in published_tables().items()}
    names |= OTHERS | {GRID: "How often men do each of these", "age3": "Age"}
    for code in sorted({*SINGLE, *MULTIPLE, *OTHERS, GRID}):
        common = {"code": code, "name": names[code], "categories": [_section(code)]}
        if code == GRID:
            yield common | _grid()
        elif code in MULTIPLE:
            yield common | _multiple(code)
        else:
            yield common | _single(code)


def _section(code: str) -> str:
    return next((id_ for id_, _, (low, high) in SECTIONS if low <= code <= high), "5")


def _single(code: str) -> dict[str, Any]:
    values = [value for value in raw_values()[code] if value != NOT_ASKED]
    if code in published_tables():
        values.sort(key=lambda value: published_tables()[code][1].index(mended(value)))
    else:
        values.sort(key=_natural)
    return {
        "kind": "single",
        "column": code,
        "datapoints": [{"name": mended(value), "value": value} for value in values],
    }


def _multiple(code: str) -> dict[str, Any]:
    columns = [f"{code}_{item:04}" for item in range(1, MULTIPLE[code] + 1)]
    return {
        "kind": "multiple",
        "datapoints": [{"name": mended(_selected(each)), "column": each} for each in columns],
    }


def _selected(column: str) -> str:
    """The one value of an item that means it was selected: its own wording."""
    (value,) = (each for each in raw_values()[column] if each not in (NOT_SELECTED, NOT_ASKED))
    return value


def _natural(value: str) -> tuple[float, str]:
    """Amounts by their first number, then words by letter."""
    number = re.search(r"\d[\d,]*", value)
    return (float(number.group().replace(",", "")) if number else math.inf, value)


def _grid() -> dict[str, Any]:
    columns = [f"{GRID}_{item:04}" for item in range(1, GRID_ITEMS + 1)]
    return {
        "kind": "grid",
        "datapoints": [{"name": published_tables()[each][0], "column": each} for each in columns],
        "suffixes": [{"name": value, "value": value} for value in SCALE],
    }


def mended(text: str) -> str:
    """Curly apostrophes were lost in the file, and stand there as question marks."""
    for lost in ("?s ", "?t ", "?re "):
        text = text.replace(lost, f"'{lost[1:]}")
    return text


if __name__ == "__main__":
    print(import_survey(SOURCES, make_masculinity_codebook(), sys.argv[1], replace=True))
