"""The next file of a survey that goes on: read without a codebook, as the survey reads its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest import add_wave
from audiencelab.ingest.kept import codebook_of
from audiencelab.ingest.report import ImportReport
from audiencelab.survey import Survey, SurveyError
from tests.messages import fails


def rows(seed: int, count: int = 60, **columns: Any) -> pd.DataFrame:
    """Respondents with a single answer, a scale, a set, numbers and a weight."""
    rng = np.random.default_rng(seed)
    made = {
        "gender": rng.choice(["Female", "Male"], count),
        "tea": rng.choice(["Often", "Rarely", "Never"], count),
        **{f"brand_{n}": rng.integers(0, 2, count) for n in (1, 2, 3)},
        "age": rng.integers(18, 80, count),
        "weight": rng.uniform(0.5, 1.5, count).round(2),
    }
    return pd.DataFrame({**made, **columns})


def written(folder: Path, name: str, frame: pd.DataFrame) -> Path:
    frame.to_csv(folder / name, index=False)
    return folder / name


def opened(folder: Path, source: Any) -> Path:
    al.open(source, to=folder / "survey", quiet=True)
    return folder / "survey"


def waves(path: Path) -> list[tuple[str, str, int]]:
    return [(e.name, f"{e.starts}", e.respondents) for e in Survey.open(path).waves]


def counts(path: Path, question: str, wave: int = -1) -> dict[str, int]:
    survey = Survey.open(path)
    found = survey.wave(survey.waves[wave].code).question(question)
    assert found is not None
    points = found.question.datapoints
    return {e.name: int(np.bitwise_count(found.datapoint(e.code)).sum()) for e in points}


@pytest.fixture
def quarters(tmp_path: Path) -> Path:
    both = [rows(1, quarter="2025Q3"), rows(2, quarter="2025Q4")]
    return opened(tmp_path, written(tmp_path, "first.csv", pd.concat(both)))


def test_values_of_the_wave_column_that_are_new_are_waves(quarters: Path) -> None:
    third = rows(3, 50, quarter="2026Q1")
    added = add_wave(quarters, third)
    assert added.names == ("2026Q1",)
    assert waves(quarters)[-1] == ("2026Q1", "2026-01-01", 50)
    assert counts(quarters, "tea") == third["tea"].value_counts().to_dict()
    several = pd.concat([rows(4, quarter="2026Q2"), rows(5, quarter="2026Q3")])
    assert add_wave(quarters, several).names == ("2026Q2", "2026Q3")


def test_rows_of_waves_that_are_there_are_left_out(quarters: Path) -> None:
    before = counts(quarters, "tea", 0)
    every = pd.concat([rows(n, quarter=f"2025Q{n}") for n in (3, 4)] + [rows(9, quarter="2026Q1")])
    added = add_wave(quarters, every)
    assert added.names == ("2026Q1",)
    assert counts(quarters, "tea", 0) == before
    assert counts(quarters, "tea") == rows(9)["tea"].value_counts().to_dict()
    said = [each.said for each in added.report.guesses if each.subject == "left out"]
    assert said == [
        "120 rows of the frame are of waves that the survey has (quarter: 2025Q3, 2025Q4), "
        "and are left out"
    ]
    with fails(SurveyError):
        add_wave(quarters, rows(10, quarter="2025Q4"))


def test_new_columns_items_and_answers_join_and_what_is_gone_is_not_asked(quarters: Path) -> None:
    third = rows(3, quarter="2026Q1", brand_4=[1, 0] * 30, coffee=["Yes", "No", "No"] * 20)
    third = third.drop(columns="age").assign(tea=["Cold", *third["tea"][1:]])
    add_wave(quarters, third)
    survey = Survey.open(quarters)
    brands = survey.catalogue.question("brand")
    assert [each.name for each in brands.datapoints][-1] == "brand_4"
    assert counts(quarters, "brand")["brand_4"] == 30
    assert survey.record.not_offered["quarter_2025Q3"]["core.brand"] == ("brand_4",)
    assert counts(quarters, "coffee") == {"Yes": 20, "No": 40}
    assert survey.catalogue.question("coffee").waves == ("quarter_2026Q1",)
    kinds = {(each.kind, each.question) for each in ImportReport.of(survey).drift}
    assert kinds >= {("new question", "coffee"), ("new answer", "brand"), ("gone question", "age")}
    assert [each.name for each in survey.catalogue.question("tea").datapoints][-1] == "Cold"
    assert "quarter_2026Q1" not in survey.catalogue.question("age").waves
    # The next file is read with what this one brought.
    add_wave(quarters, rows(4, quarter="2026Q2", brand_4=0, coffee="No"))
    assert counts(quarters, "coffee") == {"Yes": 0, "No": 60}


def test_edits_hold_for_the_next_wave(quarters: Path) -> None:
    client = al.open(quarters)
    client.edit("tea", labels={"Often": "Every day"}).recode("gender", {"All": ["Female", "Male"]})
    third = rows(3, quarter="2026Q1")
    add_wave(quarters, third)
    assert counts(quarters, "gender") == {"All": 60}
    assert counts(quarters, "tea")["Every day"] == (third["tea"] == "Often").sum()


def test_files_one_by_one_are_what_they_are_together(tmp_path: Path) -> None:
    files = [written(tmp_path, f"w{n}.csv", rows(n, 60 + n)) for n in (1, 2, 3)]
    al.open(files, to=tmp_path / "together", quiet=True)
    path = opened(tmp_path, files[0])
    for file in files[1:]:
        add_wave(path, file)
    one, other = Survey.open(tmp_path / "together"), Survey.open(path)
    assert same(one, other)
    assert [(each.code, each.name, each.starts) for each in other.waves] == [
        (each.code, each.name, each.starts) for each in one.waves
    ]
    al.open(files[:2], to=tmp_path / "two", quiet=True)
    add_wave(tmp_path / "two", files[2])
    assert same(one, Survey.open(tmp_path / "two"))


def same(one: Survey, other: Survey) -> bool:
    """Whether all bits, numbers and weights of two surveys are the same; not the drafted bands."""
    assert [e.canonical for e in one.catalogue.questions] == [
        e.canonical for e in other.catalogue.questions
    ]
    for mine, theirs in zip(one.waves, other.waves, strict=True):
        a, b = one.wave(mine.code), other.wave(theirs.code)
        assert np.array_equal(a.weights, b.weights)
        for question in one.catalogue.questions:
            left, right = a.question(question.canonical), b.question(question.canonical)
            assert left is not None
            assert right is not None
            # Bands are drafted of what is there, of one file or of all.
            assert np.array_equal(left.rows, right.rows) or question.code == "age"
            numbers = a.numbers(question.canonical), b.numbers(question.canonical)
            assert (numbers[0] is None) == (numbers[1] is None)
            if numbers[0] is not None and numbers[1] is not None:
                assert np.array_equal(numbers[0], numbers[1], equal_nan=True)
    return True


PERIODS: dict[str, tuple[Sequence[str], str, list[str]]] = {
    "by the file's name": (
        ["tracker_2025Q4.csv"],
        "tracker_2026Q2.csv",
        ["Q4 2025 2025-10-01", "Q2 2026 2026-04-01"],
    ),
    "the next one": (
        ["tracker_2025Q4.csv"],
        "new.csv",
        ["Q4 2025 2025-10-01", "Q1 2026 2026-01-01"],
    ),
    "an earlier period": (
        ["tracker_2025Q4.csv", "tracker_2026Q1.csv"],
        "tracker_2025Q3.csv",
        ["Q3 2025 2025-07-01", "Q4 2025 2025-10-01", "Q1 2026 2026-01-01"],
    ),
    "files by their periods": (
        ["Tracker November 2025.csv", "Tracker Oktober 2025.csv"],
        "Tracker Januar 2026.csv",
        ["2025-10 2025-10-01", "2025-11 2025-11-01", "2026-01 2026-01-01"],
    ),
    "a file each": (["a.csv", "b.csv"], "c.csv", ["a.csv", "b.csv", "c.csv"]),
}


@pytest.mark.parametrize("name", PERIODS)
def test_the_wave_of_a_file_without_a_column(tmp_path: Path, name: str) -> None:
    first, last, expected = PERIODS[name]
    files = [written(tmp_path, each, rows(n)) for n, each in enumerate(first)]
    path = opened(tmp_path, files if len(files) > 1 else files[0])
    add_wave(path, written(tmp_path, last, rows(8)))
    found = [f"{each} {day}" if day[:2] == "20" else each for each, day, _ in waves(path)]
    assert found == expected


def test_gaps_and_earlier_waves_are_told(tmp_path: Path) -> None:
    first = [written(tmp_path, f"kaffee Welle {n}.csv", rows(n)) for n in (2, 3)]
    path = opened(tmp_path, first)
    told: list[tuple[str, int]] = []
    for number in (5, 1):
        source = written(tmp_path, f"kaffee Welle {number}.csv", rows(number))
        guesses = add_wave(path, source).report.guesses
        told += [(each.said, each.severity) for each in guesses if each.subject == "waves"]
    assert (
        "kaffee Welle 5.csv follows kaffee Welle 3.csv: the survey has no wave between them",
        2,
    ) in told
    said = "kaffee Welle 1.csv is before kaffee Welle 5.csv by its name, and comes after it"
    assert (f"{said}: the waves have no dates", 1) in told


def test_frames_are_numbered_and_a_column_of_one_period_becomes_the_wave(tmp_path: Path) -> None:
    path = opened(tmp_path, rows(1))
    add_wave(path, rows(2))
    add_wave(path, rows(3))
    assert [name for name, _, _ in waves(path)] == ["Wave 1", "Wave 2", "Wave 3"]
    al.open(rows(1, quarter="Q4 2025"), to=tmp_path / "other", quiet=True)
    add_wave(tmp_path / "other", rows(2, quarter="Q1 2026"))
    assert [each[:2] for each in waves(tmp_path / "other")] == [
        ("Q4 2025", "2025-10-01"),
        ("Q1 2026", "2026-01-01"),
    ]
    with fails(SurveyError):
        add_wave(opened(tmp_path / "third", rows(1, wave=7)), rows(2, wave=7))
    survey = Survey.open(tmp_path / "other")
    assert "core.quarter" not in [each.canonical for each in survey.catalogue.questions]
    assert codebook_of(survey).wave is not None
    add_wave(tmp_path / "other", rows(3, quarter="Q2 2026"))
    assert len(waves(tmp_path / "other")) == 3


def test_a_wave_is_named(quarters: Path) -> None:
    add_wave(quarters, rows(3), wave="Q2 2026")
    add_wave(quarters, rows(4), wave="After the strike")
    assert [each[:2] for each in waves(quarters)[2:]] == [
        ("Q2 2026", "2026-04-01"),
        ("After the strike", "2026-07-01"),
    ]
    with fails(SurveyError):
        add_wave(quarters, rows(5), wave="Q2 2026")


def test_the_weight_is_the_surveys(quarters: Path) -> None:
    third = rows(3, quarter="2026Q1").rename(columns={"weight": "w"})
    with fails(SurveyError):
        add_wave(quarters, third)
    add_wave(quarters, third, weight="w")
    survey = Survey.open(quarters)
    assert np.allclose(survey.wave("quarter_2026Q1").weights, third["w"], rtol=1e-9)
    add_wave(quarters, rows(4, quarter="2026Q2").drop(columns="weight"), weight=None)
    assert set(Survey.open(quarters).wave("quarter_2026Q2").weights) == {1.0}


REFUSED: dict[str, tuple[pd.DataFrame, dict[str, Any]]] = {
    "another survey": (pd.DataFrame({"x": [1, 2], "y": [2, 3], "gender": ["f", "m"]}), {}),
    "no rows": (rows(3, 0, quarter="2026Q1"), {}),
    "no such weight": (rows(3, quarter="2026Q1"), {"weight": "wgt"}),
    "a name without letters": (rows(3), {"wave": " "}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_go_with_the_survey_is_refused(quarters: Path, name: str) -> None:
    frame, given = REFUSED[name]
    before = Survey.open(quarters).manifest
    with fails(SurveyError):
        add_wave(quarters, frame, **given)
    assert Survey.open(quarters).manifest == before
    assert not list(quarters.parent.glob(".*"))


def test_a_period_that_is_not_certain_is_refused(tmp_path: Path) -> None:
    both = pd.concat([rows(1, year="2021"), rows(2, year="2023")])
    path = opened(tmp_path, written(tmp_path, "first.csv", both))
    with fails(SurveyError):
        add_wave(path, rows(3))
    add_wave(path, rows(3), wave="2025")
    assert [name for name, _, _ in waves(path)] == ["year 2021", "year 2023", "2025"]


def test_a_file_without_the_locations_is_refused(tmp_path: Path) -> None:
    both = [rows(n, region=["North", "South"] * 30, quarter=f"2025Q{n}") for n in (3, 4)]
    path = opened(tmp_path, pd.concat(both))
    with fails(SurveyError):
        add_wave(path, rows(3, quarter="2026Q1"))


def test_a_key_that_was_left_out_is_no_question_in_two_files(tmp_path: Path) -> None:
    path = opened(tmp_path, rows(1, id=range(60)))
    add_wave(path, [written(tmp_path, f"{n}.csv", rows(n, id=range(60))) for n in (2, 3)])
    assert "core.id" not in [e.canonical for e in Survey.open(path).catalogue.questions]


def test_the_same_file_changes_nothing_and_a_dry_run_writes_nothing(
    quarters: Path, tmp_path: Path
) -> None:
    third = written(tmp_path, "third.csv", rows(3, quarter="2026Q1"))
    before = Survey.open(quarters).manifest
    tried = add_wave(quarters, third, dry_run=True)
    assert (tried.names, tried.report.waves[0].respondents) == (("2026Q1",), 60)
    assert Survey.open(quarters).manifest == before
    add_wave(quarters, third)
    after = Survey.open(quarters).manifest
    assert add_wave(quarters, third).is_repeated
    assert add_wave(quarters, tmp_path / "first.csv").is_repeated
    assert Survey.open(quarters).manifest == after
    # A frame is known by its content.
    add_wave(quarters, rows(4, quarter="2026Q2"))
    assert add_wave(quarters, rows(4, quarter="2026Q2")).is_repeated


def test_the_report_is_of_all_files(quarters: Path) -> None:
    add_wave(quarters, rows(3, quarter="2026Q1"))
    report = ImportReport.of(Survey.open(quarters))
    assert [each.respondents for each in report.waves] == [60, 60, 60]
    assert report.facts[:2] == ["weighted by weight", "3 waves"]


@pytest.mark.parametrize("words", [False, True])
def test_a_point_that_nobody_gave_before_is_where_it_belongs(tmp_path: Path, words: bool) -> None:
    points = ["Very bad", "Bad", "Neither", "Good", "Very good"] if words else [1, 2, 3, 4, 5]
    answers = [points[1:] * 15, points * 12]
    paths = [written(tmp_path, f"w{n}.csv", rows(n, liked=each)) for n, each in enumerate(answers)]
    client = al.open(paths[0], to=tmp_path / "survey", weight=None, quiet=True)
    client.add_wave(paths[1], weight=None, quiet=True)
    for found in (client, al.open(tmp_path / "survey", quiet=True)):
        table = found.crosstab("liked", "waves").boxes(top=2, bottom=2).to_wide("sample")
        assert table.to_numpy().tolist() == [
            *([0, 12], [15, 12], [15, 12], [15, 12], [15, 12]),
            *([30, 24], [15, 24]),
        ]


def test_words_that_a_wave_did_not_offer_have_no_value_in_it(tmp_path: Path) -> None:
    old = ["Alba"] * 60 + ["Bern"] * 60
    new = ["Alba"] * 50 + ["Bern"] * 50 + ["Caro"] * 20
    paths = [
        written(tmp_path, f"w{n}.csv", rows(n, 120, buys=each)) for n, each in enumerate((old, new))
    ]
    client = al.open(paths[0], to=tmp_path / "survey", weight=None, quiet=True)
    client.add_wave(paths[1], weight=None, quiet=True)
    shown = client.crosstab("buys", "waves").to_wide("column_percentage").round()
    assert shown.fillna(-1).to_numpy().tolist() == [[50, 42], [50, 42], [-1, 17]]
