"""The published weighted crosstabs of the masculinity survey of May 2018, cell by cell.

1,615 men were asked; FiveThirtyEight, WNYC Studios and SurveyMonkey published 35 tables, a total
and nine banner columns each, in whole percent of the column. Columns of fewer than 100
respondents were left blank. The rest pins figures with more digits, computed with R's
`survey` package and confirmed by a second program.
"""

from __future__ import annotations

import csv
from typing import Any, NamedTuple

import pytest

from audiencelab.survey import Survey
from tests.oracle.asking import Asker
from tests.surveys.masculinity import GRID, PUBLISHED, published_tables

BANNER = [
    ("age3", "18 - 34"),
    ("age3", "35 - 64"),
    ("age3", "65 and up"),
    ("race2", "White"),
    ("race2", "Non-white"),
    ("kids", "Has children"),
    ("kids", "No children"),
    ("orientation", "Straight"),
    ("orientation", "Gay/Bisexual"),
]

# Who was asked: a table is percentaged on them, through the questions that routed them there.
EMPLOYED = ("q0009", "Employed, working full-time", "Employed, working part-time")
ROUTED = {
    "q0010": EMPLOYED,
    "q0011": EMPLOYED,
    "q0012": EMPLOYED,
    "q0013": ("q0012", "Did not respond at all"),
    "q0014": EMPLOYED,
    "q0015": ("q0014", "A lot", "Some", "Only a little"),
    "q0019": ("q0018", "Always", "Often"),
}

SMALLEST_BASE = 100


class Table(NamedTuple):
    """A published table: the question (or the item of the grid), its rows and their cells."""

    code: str
    title: str
    rows: list[str]
    cells: list[list[float | None]]


@pytest.fixture(scope="module")
def survey(masculinity_survey: Survey) -> Asker:
    return Asker(masculinity_survey)


def tables() -> list[Table]:
    """What was published; None for a blank cell."""
    with PUBLISHED.open(encoding="latin-1", newline="") as file:
        lines = list(csv.reader(file))[2:]
    codes = iter(published_tables())
    found: list[Table] = []
    for line in lines:
        if line[0]:
            found.append(Table(next(codes), line[0], [], []))
        elif line[1]:
            found[-1].rows.append(line[1])
            found[-1].cells.append([_percent(cell) for cell in line[2:]])
    return found


def _percent(cell: str) -> float | None:
    return float(cell.rstrip("%")) if cell.strip() else None


def row_expressions(survey: Asker, table: Table) -> list[dict[str, Any]]:
    catalogue = survey.survey.catalogue
    if not table.code.startswith(GRID):
        return [survey.leaf(table.code, name) for name in table.rows]
    grid = catalogue.question(GRID)
    item = survey.datapoint(grid, table.title)
    return [
        {"question": GRID, "datapoints": [item], "suffixes": [survey.suffix(grid, name)]}
        for name in table.rows
    ]


def test_every_published_cell_is_reproduced_within_rounding(survey: Asker) -> None:
    columns = [None, *(survey.leaf(code, name) for code, name in BANNER)]
    compared = blank = 0
    for table in tables():
        base = survey.leaf(*ROUTED[table.code]) if table.code in ROUTED else None
        found = survey.crosstab(row_expressions(survey, table), columns, base)
        for (row, column), cell in found.items():
            published = table.cells[row][column]
            place = f"{table.title} / {table.rows[row]} / column {column}"
            # Blank means a small base and nothing else, which pins the samples too.
            sample = cell["audiences"]["column"]["sample"]
            assert (published is None) == (sample < SMALLEST_BASE), place
            if published is None:
                blank += 1
                continue
            share = cell["audiences"]["row"]["intersect_percentage"]
            assert abs(share - published) <= 0.5 + 1e-9, place
            compared += 1
    # 1,790 cells of substance, and 30 of the age groups against themselves.
    assert compared == 1_820
    assert blank == 130


def test_the_figures_computed_elsewhere_come_out_to_every_digit(survey: Asker) -> None:
    ages = [survey.leaf("age3", name) for code, name in BANNER if code == "age3"]
    cells = survey.crosstab([survey.leaf("q0001", "Very masculine")], ages)
    found = [cells[0, column] for column in range(3)]
    assert [cell["audiences"]["column"]["sample"] for cell in found] == [133, 855, 627]
    assert [round(cell["intersect"]["size"], 6) for cell in found] == [
        137.988770,
        350.568854,
        112.136680,
    ]
    shares = [cell["audiences"]["row"]["intersect_percentage"] for cell in found]
    assert [round(share, 5) for share in shares] == [29.23597, 41.69413, 37.10603]
    assert [round(cell["intersect"]["index"], 2) for cell in found] == [78.60, 112.10, 99.76]


def test_the_weights_add_up_to_the_respondents(survey: Asker) -> None:
    [cell] = survey.crosstab([None], [None]).values()
    assert cell["base"]["sample"] == 1_615
    assert cell["base"]["size"] == pytest.approx(1_615, abs=1e-6)
