"""Columns of one stem are one question, whatever number the question itself has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from audiencelab.ingest import draft_codebook

QUESTIONS, ITEMS = range(61, 71), range(1, 11)
NAMINGS = {
    "underscore": "q{}_{}",
    "zeros": "m{:02}_{:02}",
    "row": "Q{}r{}",
    "dot": "q{}.{}",
}


def batteries(naming: str) -> dict[str, list[str]]:
    """The columns of ten batteries of ten items, by the code that a question is to have."""
    pattern = NAMINGS[naming]
    numbers = range(1, 11) if naming == "zeros" else QUESTIONS
    found: dict[str, list[str]] = {}
    for question in numbers:
        columns = [pattern.format(question, item) for item in ITEMS]
        found[columns[0].rstrip("0123456789").rstrip("_.")] = columns
    return found


@pytest.mark.parametrize("labelling", ["nothing", "values", "everything"])
@pytest.mark.parametrize("naming", NAMINGS)
def test_neighbouring_batteries_stay_apart(tmp_path: Path, naming: str, labelling: str) -> None:
    expected = batteries(naming)
    columns = [column for family in expected.values() for column in family]
    ticks = np.random.default_rng(1).integers(1, 3, (40, len(columns)))
    frame = pd.DataFrame(ticks, columns=columns)
    if labelling == "nothing":
        frame = frame.replace({1: "yes", 2: "no"})
        frame.to_csv(path := tmp_path / "survey.csv", index=False)
    else:
        labels = {
            column: f"Which of these, question {code}? - Item {place}"
            for code, family in expected.items()
            for place, column in enumerate(family)
        }
        pyreadstat.write_sav(
            frame,
            path := tmp_path / "survey.sav",
            column_labels=labels if labelling == "everything" else None,
            variable_value_labels={column: {1: "Yes", 2: "No"} for column in columns},
        )
    drafted = draft_codebook(path).codebook
    found = {each.code: [point.column for point in each.points] for each in drafted.questions}
    assert found == expected
    assert {each.kind for each in drafted.questions} == {"multiple"}


def test_three_numbers_are_a_battery_for_each_of_the_first_two(tmp_path: Path) -> None:
    names = [f"q5_{brand}_{item}" for brand in (1, 2, 3) for item in (1, 2)]
    frame = pd.DataFrame({name: [1, 2, 3, 4] for name in names})
    questions = draft_codebook(frame).codebook.questions
    assert [[point.column for point in each.points] for each in questions] == [
        ["q5_1_1", "q5_1_2"],
        ["q5_2_1", "q5_2_2"],
        ["q5_3_1", "q5_3_2"],
    ]


def test_rows_and_columns_that_names_declare_are_a_question_for_each_column() -> None:
    names = [f"q14r{row:02}c{column:02}" for row in (1, 2, 3) for column in (1, 2)]
    frame = pd.DataFrame({name: [1, 2, 3, 4] for name in names})
    questions = draft_codebook(frame).codebook.questions
    assert [[point.column for point in each.points] for each in questions] == [
        ["q14r01c01", "q14r02c01", "q14r03c01"],
        ["q14r01c02", "q14r02c02", "q14r03c02"],
    ]


def kinds(**columns: Sequence[object]) -> list[str]:
    rows = max(120, *map(len, columns.values()))
    frame = pd.DataFrame({name: ([*values] * 60)[:rows] for name, values in columns.items()})
    return [each.kind for each in draft_codebook(frame, banded=False).codebook.questions]


def test_columns_without_labels_are_a_grid_only_with_nearly_the_same_values() -> None:
    single = ["single", "single"]
    assert kinds(q1=["Red", "Blue", "Green"], q2=["Cat", "Dog", "Fish"]) == single
    often, agree = ["Often", "Sometimes", "Never"], ["Agree", "Neutral", "Disagree"]
    assert kinds(a_1=[*often], a_2=[*agree]) == single
    lengths = {f"q{k}": [*range(1, most + 1)] for k, most in enumerate((5, 4, 6, 3), start=1)}
    assert kinds(**lengths) == ["single"] * 4
    assert kinds(q1=[1, 2, 3, 4, 5], q2=[1, 2, 3, 4], q3=[2, 3, 4, 5]) == ["grid"]
    assert kinds(q1=[*range(11)], q2=[*range(2, 11)]) == ["grid"]
    assert kinds(q1=[*often], q2=["Often", "Never"]) == ["grid"]


def test_a_point_that_many_would_have_is_not_missing_by_chance() -> None:
    many = 100
    assert (
        kinds(q1=["Yes", "No", "?"] * many, q2=["Yes", "No", "Maybe", "?"] * many) == ["single"] * 2
    )
    assert kinds(q1=[*range(1, 5)] * many, q2=[*range(1, 6)] * many) == ["single"] * 2
    assert kinds(q1=[*range(11)] * many, q2=[*range(1, 11)] * many) == ["single"] * 2
    rare = [1, *[*range(2, 6)] * many]
    assert kinds(q1=rare, q2=[*range(2, 6)] * many, q3=rare) == ["grid"]


def test_numbers_far_apart_are_those_of_questions() -> None:
    codes = [1, 2, 9, 1, 2, 3]
    assert kinds(q1=codes, q2=codes, q45=codes) == ["single"] * 3
    assert kinds(q1=[1, 2] * 9, q2=[2, 1] * 9, q45=[1, 2] * 9) == ["single"] * 3
    assert kinds(q1=codes, q2=codes, q4=codes) == ["grid"]
    assert kinds(q3_1=codes, q3_2=codes, q3_45=codes) == ["grid"]


def test_items_numbered_on_from_their_question_are_one_question(tmp_path: Path) -> None:
    """A51 … A59, A510 … A513: there is no A509, so 51 is not their number."""
    items = [f"A5{item}" for item in range(1, 14)]
    others = ["A3", "A61", "A62", *(f"A{number}" for number in range(105, 112))]
    ticks = np.random.default_rng(2).integers(0, 2, (60, len(items + others)))
    path = tmp_path / "survey.csv"
    pd.DataFrame(ticks, columns=[*items, *others]).to_csv(path, index=False)
    found = {each.code: each for each in draft_codebook(path).codebook.questions}
    assert [point.column for point in found["A5"].points] == items
    assert [found[name].column for name in others] == others


def test_columns_numbered_through_stay_apart(tmp_path: Path) -> None:
    names = [f"V{number}" for number in (2, *range(111, 120), *range(1100, 1121))]
    path = tmp_path / "survey.csv"
    ticks = np.random.default_rng(3).integers(0, 2, (20, len(names)))
    pd.DataFrame(ticks, columns=names).to_csv(path, index=False)
    assert [each.column for each in draft_codebook(path).codebook.questions] == names
