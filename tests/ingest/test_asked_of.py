"""Who was asked a question by conditions on other columns: figures as plain counts have them."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import audiencelab as al
from audiencelab.ingest import import_survey, parse_codebook
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.report import ImportReport
from audiencelab.survey import SurveyError
from tests.messages import fails

Row = dict[str, str]

TRIED = ("patch", "gum", "none")


pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """Respondents who smoke (1), do not (0) or did not say; only the first were asked more."""
    found: list[Row] = []
    for number in range(300):
        smokes = ("1", "0", "0", "")[number % 4]
        ticks = [smokes == "1" and (number // 4 + place) % 3 == 0 for place in range(3)]
        row = {"smokes": smokes, "sex": "fm"[number % 7 > 2]}
        found.append(row | {n: f"{int(each)}" for n, each in zip(TRIED, ticks, strict=True)})
    return found


def table(path: Path, rows: list[Row]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def codebook(*conditions: dict[str, Any], waves: int = 0) -> Any:
    points = [{"name": name, "column": name} for name in TRIED]
    tried = {"code": "tried", "name": "Tried", "kind": "multiple", "datapoints": points}
    tried |= {"selected": [1], "not_selected": [0], "universe": "smokers"}
    listed = [{"code": f"w{each}", "starts": f"2024-0{each}-01"} for each in range(1, waves + 1)]
    return parse_codebook(
        {
            "waves": listed,
            "questions": [
                {"code": "smokes", "name": "Smokes", "column": "smokes"},
                {"code": "sex", "name": "Sex", "column": "sex"},
                tried | ({"asked_of": list(conditions)} if conditions else {}),
            ],
        }
    )


def figures(client: Any, columns: str = "sex") -> dict[tuple[str, str], tuple[int, float]]:
    """Cells of the crosstab: sample, and part of the column."""
    frame = client.crosstab("tried", columns).to_frame()
    return {
        (row, column): (count, round(part, 6))
        for row, column, count, part in frame[
            ["row", "column", "sample", "column_percentage"]
        ].to_numpy()
    }


def counted(
    rows: list[Row], asked: Callable[[Row], bool]
) -> dict[tuple[str, str], tuple[int, float]]:
    cells: dict[tuple[str, str], tuple[int, float]] = {}
    for sex in "fm":
        base = [row for row in rows if row["sex"] == sex and asked(row)]
        for name in TRIED:
            ticked = sum(row[name] == "1" for row in base)
            cells[name, sex] = (ticked, round(100 * ticked / len(base), 6))
    return cells


def opened(folder: Path, rows: list[Row], book: Any) -> Any:
    return al.connect(survey=import_survey(table(folder / "a.csv", rows), book, folder / "a"))


def told(client: Any, subject: str = "base") -> list[Guess]:
    guesses = client.import_report.guesses
    return [each for each in guesses if (each.about, each.subject) == ("tried", subject)]


def test_those_of_whom_a_condition_is_false_were_not_asked(tmp_path: Path, rows: list[Row]) -> None:
    client = opened(tmp_path, rows, codebook({"column": "smokes", "values": [1]}))
    assert figures(client) == counted(rows, lambda row: row["smokes"] == "1")
    [line] = told(client)
    assert line.said == "asked of smokers: 225 of 300 were not, and have 'not chosen' in the file"
    # An edit makes the answers again from those that the survey holds.
    client.edit("tried", labels={"none": "Nothing"})
    client.edit("tried", order=["gum"])
    found, expected = figures(client), counted(rows, lambda row: row["smokes"] == "1")
    assert found["gum", "f"] == expected["gum", "f"]
    assert found["Nothing", "m"] == expected["none", "m"]


def test_an_empty_cell_is_a_value_and_all_conditions_must_be_true(
    tmp_path: Path, rows: list[Row]
) -> None:
    conditions = ({"column": "smokes", "values": ["", 1]}, {"column": "sex", "values": ["f", "m"]})
    client = opened(tmp_path, rows, codebook(*conditions))
    assert figures(client) == counted(rows, lambda row: row["smokes"] != "0")


def test_an_answer_counts_as_asked_though_a_condition_is_false(
    tmp_path: Path, rows: list[Row]
) -> None:
    odd = [row | ({"gum": "1"} if number < 6 else {}) for number, row in enumerate(rows)]
    client = opened(tmp_path, odd, codebook({"column": "smokes", "values": [1]}))
    expected = counted(odd, lambda row: row["smokes"] == "1" or row["gum"] == "1")
    assert figures(client) == expected
    assert [each.said for each in told(client)] == [
        "asked of smokers: 221 of 300 were not, and have 'not chosen' in the file",
        "4 gave an answer and are not smokers: they count as asked",
    ]


def test_a_wave_in_which_no_one_was_asked_does_not_have_the_question(
    tmp_path: Path, rows: list[Row]
) -> None:
    none = [row | dict.fromkeys(TRIED, "0") | {"smokes": "0"} for row in rows]
    files = [table(tmp_path / "w1.csv", none), table(tmp_path / "w2.csv", rows)]
    book = codebook({"column": "smokes", "values": [1]}, waves=2)
    survey = import_survey(files, book, tmp_path / "a")
    assert [wave.questions for wave in ImportReport.of(survey).waves] == [2 + 1, 3 + 1]


def test_a_file_without_the_column_of_a_condition_is_told(tmp_path: Path, rows: list[Row]) -> None:
    without = [{name: row[name] for name in ("sex", *TRIED)} for row in rows]
    files = [table(tmp_path / "w1.csv", without), table(tmp_path / "w2.csv", rows)]
    book = codebook({"column": "smokes", "values": [1]})
    survey = import_survey(files, book, tmp_path / "a")
    [_, line] = sorted(told(al.connect(survey=survey)), key=lambda each: -each.severity)
    assert line.severity == 0
    assert line.said == (
        "asked of smokers, and there is no column smokes of w1.csv: all count as asked there"
    )


@pytest.mark.parametrize("blank", ["0", ""])
def test_a_question_of_some_that_all_count_as_asked_is_told_first(
    tmp_path: Path, rows: list[Row], blank: str
) -> None:
    rows = [{n: blank if n in TRIED and v == "0" else v for n, v in row.items()} for row in rows]
    client = opened(tmp_path, rows, codebook())
    [line] = told(client)
    assert line.severity == 0
    assert line.said == (
        "asked of smokers, and all 300 count as asked: the file has 'not chosen' for the others, "
        "too (225 chose nothing). In the codebook: asked_of"
    )
    assert line.code == 'al.ingest.draft_codebook(…).save("survey.toml")'


def test_a_file_that_shows_who_was_asked_is_believed(tmp_path: Path, rows: list[Row]) -> None:
    rows = [row | (dict.fromkeys(TRIED, "") if row["smokes"] != "1" else {}) for row in rows]
    client = opened(tmp_path, rows, codebook())
    assert figures(client) == counted(rows, lambda row: row["smokes"] == "1")
    assert told(client) == []


@pytest.mark.parametrize(
    "condition",
    [{"column": "smoke", "values": [1]}, {"column": "smokes", "values": []}],
    ids=["unknown column", "no values"],
)
def test_conditions_that_cannot_be_true_are_refused(
    tmp_path: Path, rows: list[Row], condition: dict[str, Any]
) -> None:
    path = table(tmp_path / "a.csv", rows)
    with fails(SurveyError):
        import_survey(path, codebook(condition), tmp_path / "a")
