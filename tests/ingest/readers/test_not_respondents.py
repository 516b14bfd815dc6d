"""Tables of results, pivot tables and descriptions of variables are named, respondents never."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audiencelab.ingest import draft_codebook
from audiencelab.ingest.readers.not_respondents import not_respondents
from audiencelab.survey import SurveyError
from tests.messages import fails

DATA = Path(__file__).parents[2] / "data"
NOTEBOOKS = Path(__file__).parents[3] / "notebooks" / "data"

TOPLINE = [
    ["AMONG 1,345 ADULTS", "", "Total", "Gender", ""],
    ["", "", "", "Male", "Female"],
    ["Which issue matters most?", "Unweighted N", 1345, 652, 693],
    ["", "Health care", 0.238, 0.187, 0.286],
    ["", "Jobs", 0.23, 0.25, 0.212],
    ["", "Something else", 0.532, 0.563, 0.502],
]
CROSSTAB = [
    ["", "Total", "Male", "Female"],
    ["Base: all", 2999, 1438, 1561],
    ["Sky diving", "38%", "40%", "35%"],
    ["Base jumping", "46%", "44%", "47%"],
]
SHARES = [
    ["Answer", "Total", "Men"],
    ["Approve", 40, "39%"],
    ["Disapprove", 45, "48%"],
    ["Not sure", 15, "13%"],
]
PIVOT = [
    ["Count of id", "Column Labels", "", ""],
    ["Row Labels", "no", "yes", "Grand Total"],
    ["f", 3, 4, 7],
    ["m", 2, 4, 6],
    ["Grand Total", 5, 8, 13],
]
CODEBOOK = [
    ["Variable", "Label", "Type"],
    ["q1", "Do you drink tea?", "single"],
    ["q2", "How often?", "single"],
    ["age", "Age in years", "number"],
]


def warnings(path: Path, sheet: str | None = None) -> list[str]:
    guesses = draft_codebook(path, strict=False, sheet=sheet).guesses
    return [each.said for each in guesses if (each.subject, each.severity) == ("respondents", 0)]


def saved(folder: Path, suffix: str, *tables: Sequence[Sequence[object]]) -> Path:
    path = folder / f"a{suffix}"
    if suffix == ".csv":
        pd.DataFrame(tables[0]).to_csv(path, index=False, header=False)
        return path
    writer: Any = pd.ExcelWriter
    with writer(path) as book:
        for number, table in enumerate(tables):
            pd.DataFrame(table).to_excel(book, sheet_name=f"T{number}", index=False, header=False)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
@pytest.mark.parametrize(
    ("table", "said"),
    [
        (TOPLINE, "a table of results ('Unweighted N' beside 3 numbers)"),
        (CROSSTAB, "a table of results ('Base: all' beside 3 numbers)"),
        (SHARES, "a table of results ('Total' adds up to 100%)"),
        (PIVOT, "a pivot table ('Count of id', 'Column Labels')"),
        (CODEBOOK, "a description of variables (Variable, Label, Type)"),
    ],
)
def test_what_is_not_respondents_is_the_first_line(
    suffix: str, table: Sequence[Sequence[object]], said: str, tmp_path: Path
) -> None:
    path = saved(tmp_path, suffix, table)
    [warning] = warnings(path)
    name = "a.csv" if suffix == ".csv" else "the sheet 'T0'"
    assert warning.startswith(f"{name} looks like {said}, and not like respondents")
    first = next(iter(draft_codebook(path, strict=False).card().lines))
    assert (first.subject, first.said[:20]) == ("respondents", warning[:20])


def test_results_in_another_sheet_are_named_unless_a_sheet_is_chosen(tmp_path: Path) -> None:
    answers = [["id", "tea"], *([str(each), "yes"] for each in range(5))]
    path = saved(tmp_path, ".xlsx", TOPLINE, answers, CODEBOOK)
    assert len(warnings(path, sheet="T0")) == 1
    assert warnings(path, sheet="T1") == []


def test_an_empty_sheet_is_refused(tmp_path: Path) -> None:
    with fails(SurveyError):
        draft_codebook(saved(tmp_path, ".xlsx", [[]]))


def made() -> dict[str, pd.DataFrame]:
    """Twenty tables of respondents."""
    random = np.random.default_rng(4)
    tables: dict[str, pd.DataFrame] = {}
    for rows in (5, 12, 30):
        tables[f"short {rows}"] = pd.DataFrame(
            {"name": [f"Person {each}" for each in range(rows)], "Total": random.random(rows)}
            | {f"q{each}": random.integers(1, 6, rows) for each in range(3)}
        )
        tables[f"matrix {rows}"] = pd.DataFrame(random.integers(0, 2, (rows, 8)))
        tables[f"numbers {rows}"] = pd.DataFrame(random.random((rows, 5)), columns=[*"abcde"])
        words = ["Never", "Sometimes", "Always"]
        tables[f"Likert {rows}"] = pd.DataFrame(
            random.choice(words, (rows, 40)), columns=[f"Statement {each}" for each in range(40)]
        )
        tables[f"texts {rows}"] = pd.DataFrame(
            {"Variable of interest": ["a", "b", "a", "c", "b"] * (rows // 5 + 1)}
        ).assign(label=lambda frame: np.arange(len(frame)) % 3)
    tables["petrol"] = pd.DataFrame(
        {"brand": ["Total", "Shell", "Total"] * 4, "age": range(12), "sum": range(12)}
    )
    tables["base"] = pd.DataFrame({"Base": ["base", "top"] * 5, "x": range(10), "y": range(10)})
    tables["totals"] = pd.DataFrame({"id": range(9), "Total": range(9), "Grand total": range(9)})
    tables["sample"] = pd.DataFrame({"sample size": [*"SML"] * 3, "n": range(9), "w": range(9)})
    tables["percent"] = pd.DataFrame({"id": [*"abcdef"], "x": ["5%"] * 6, "total": ["100%"] * 6})
    return tables


def test_tables_of_respondents_are_not_warned_of() -> None:
    for name, table in made().items():
        cells = table.astype(str).to_numpy().tolist()
        assert not_respondents([[*map(str, table.columns)], *cells], name) == (), name


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in (*DATA.rglob("*.csv"), *DATA.rglob("*.tab"), *NOTEBOOKS.rglob("*.csv"))
        if not path.stem.endswith("labels")
    ],
    ids=lambda path: path.name,
)
def test_files_of_respondents_are_not_warned_of(path: Path) -> None:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        lines = [next(file, "").rstrip("\n").split(",") for _ in range(12)]
    assert not_respondents(lines, path.name) == ()


def test_a_row_of_texts_below_the_names_is_the_labels(tmp_path: Path) -> None:
    names = ["area", "year", "people", "homes", "rooms"]
    texts = ["Name of the area", "Year of the data", "All people", "All homes", "All rooms"]
    rows = [["North", 1990, 5, 2, 9], ["South", 1990, 7, 3, 12], ["West", 1990, 8, 3, 9]]
    draft = draft_codebook(saved(tmp_path, ".csv", [names, texts, *rows]))
    assert draft.respondents == 3
    assert {"All people", "Name of the area"} <= {each.name for each in draft.codebook.questions}
    answers = [["yes", "tea", "often", "f", "x"], ["no", "milk", "never", "m", "y"]]
    assert draft_codebook(saved(tmp_path, ".csv", [names, *answers])).respondents == 2
