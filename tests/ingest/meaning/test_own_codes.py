"""Missing codes of one column, by numbers alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest

from audiencelab.ingest import Draft, draft_codebook, from_frame
from tests.survey.counting import counts

FIVE = {1: 30, 2: 30, 3: 30, 4: 30, 5: 30}
TEN = dict.fromkeys(range(11), 10)
AGES = dict.fromkeys(range(18, 90), 2)


def drafted(name: str, counts: Mapping[int, int]) -> Draft:
    values = [value for value, count in counts.items() for _ in range(count)]
    return draft_codebook(pd.DataFrame({name: values}))


@pytest.mark.parametrize(
    ("points", "codes"),
    [
        (FIVE, {9: 5}),
        (FIVE, {8: 5, 9: 5}),
        (FIVE, {7: 1, 8: 1, 9: 1}),
        (FIVE, {99: 3}),
        (FIVE, {98: 40, 99: 40}),
        (FIVE, {997: 3, 999: 2}),
        (FIVE, {-1: 3}),
        (FIVE, {-9: 3, -8: 2}),
        (TEN, {77: 4, 88: 5, 99: 1}),
        ({0: 30, 1: 30}, {9: 4}),
        ({0: 30, 1: 30, 2: 4, 3: 10}, {-98: 4, -99: 4}),
        ({1: 10, 2: 10, 4: 10}, {99: 4}),
    ],
)
def test_codes_beside_a_scale_are_no_answers(
    points: Mapping[int, int], codes: Mapping[int, int]
) -> None:
    draft = drafted("x", {**points, **codes})
    [question] = draft.codebook.questions
    assert question.missing == tuple(sorted(codes))
    assert [int(point.name) for point in question.points] == [*points]
    shown = ", ".join(map(str, sorted(codes)))
    [line] = draft.reasons["missing"]
    assert f"{shown} in x" in line


@pytest.mark.parametrize(
    ("name", "counts", "possible"),
    [
        ("age", AGES | {99: 9}, "99 (9 of "),
        ("x", AGES | {999: 9}, "999 (9 of "),
        ("income", {100 * n: 2 for n in range(20)} | {-9: 3}, "-9 (3 of "),
        ("hours", FIVE | {99: 40}, "99 (40 of "),
        ("how many children", FIVE | {-1: 4}, "-1 (4 of "),
        ("shop", FIVE | {8: 60}, "8 (60 of "),
        ("x", FIVE | {96: 4, 98: 40}, "98 (40 of "),
        ("age", AGES, ""),
        ("age", AGES | {99: 1}, ""),
        ("x", {-1: 5, 0: 5, 1: 5}, ""),
        ("x", {-2: 5, -1: 5, 1: 5, 2: 5, 3: 5}, ""),
        ("x", TEN, ""),
        ("x", {1: 2, 2: 2, 3: 2, 9: 1}, "9 (1 of "),
        ("rooms", {0: 9, 1: 9, 2: 9, 3: 9, 8: 1}, "8 (1 of "),
        ("kids", {0: 90, 1: 90, 2: 90, 9: 7}, "9 (7 of "),
    ],
)
def test_other_numbers_are_answers_and_reported_if_they_may_be_codes(
    name: str, counts: Mapping[int, int], possible: str
) -> None:
    draft = drafted(name, counts)
    [question] = draft.codebook.questions
    assert question.missing == ()
    found = [guess.said for guess in draft.guesses if guess.subject in ("missing", "outlier")]
    assert len(found) == bool(possible)
    assert not possible or found[0].startswith(possible)


def test_a_labelled_number_is_not_a_code(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("variable,value,label\nx,99,Ninety-nine\n")
    rows = "\n".join(str(value) for value in FIVE for _ in range(9)) + "\n99\n"
    (tmp_path / "s.csv").write_text("x\n" + rows)
    [question] = draft_codebook(
        tmp_path / "s.csv", labels=tmp_path / "labels.csv"
    ).codebook.questions
    assert question.missing == ()


def test_codes_of_one_item_are_those_of_its_grid() -> None:
    frame = pd.DataFrame({"g_1": [1, 2, 3, 4, 5, 5, 9] * 10, "g_2": [1, 2, 4, 5, 1, 9, 9] * 10})
    [grid] = draft_codebook(frame).codebook.questions
    assert (grid.kind, grid.missing) == ("grid", (9,))
    assert [each.value for each in grid.suffixes] == [1, 2, 3, 4, 5]
    frame = pd.DataFrame({"g_1": [0, 1, 2, 3, 4, 5, 6, 9] * 10, "g_2": [*range(2, 10)] * 10})
    [grid] = draft_codebook(frame).codebook.questions
    assert grid.missing == (), "9 is a point of the other item"


def test_codes_are_in_no_answer_and_in_no_set(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "q": [1, 2, 3, 4, 5] * 20 + [99] * 10,
            "m_1": [0, 1] * 50 + [9] * 10,
            "m_2": [0] * 60 + [1] * 50,
        }
    )
    survey = from_frame(frame, draft_codebook(frame).codebook, tmp_path / "survey")
    assert counts(survey, "q") == {f"q_{value}": 20 for value in (1, 2, 3, 4, 5)}
    assert counts(survey, "m") == {"m_1": 50, "m_2": 50}


@pytest.mark.parametrize(
    ("points", "shown"),
    [
        ((-1, 0, 1), "-1 beside 0 and 1 in trend_1, trend_2 may be a missing code"),
        ((-2, -1, 0, 1, 2), ""),
        ((-2, -1, 0, 1, 2, 3), ""),
    ],
)
def test_a_scale_around_0_in_several_columns_keeps_its_lower_half(
    points: tuple[int, ...], shown: str
) -> None:
    values = [*points] * 20
    draft = draft_codebook(pd.DataFrame({"trend_1": values, "trend_2": values[::-1]}))
    assert draft.codebook.source.missing == ()
    [grid] = draft.codebook.questions
    assert [suffix.value for suffix in grid.suffixes] == [*points]
    checks = draft.reasons["check"]
    assert [line[: len(shown)] for line in checks] == ([shown] if shown else [])


def test_one_below_a_scale_from_1_is_missing_beside_a_scale_around_0() -> None:
    columns = {"trend": [-1, 0, 1] * 40, "up": [1, -1, 0] * 40, "q": [-1, 1, 2, 3, 4, 5] * 20}
    draft = draft_codebook(pd.DataFrame(columns))
    found = {question.code: question.missing for question in draft.codebook.questions}
    assert found == {"trend": (), "up": (), "q": (-1,)}


@pytest.mark.parametrize("points", [(-1, 0, 1, 2, 3), (-1, 0, 5), (-9, 0, 1)])
def test_negative_numbers_beside_other_scales_are_missing_in_several_columns(
    points: tuple[int, ...],
) -> None:
    values = [*points] * 20
    draft = draft_codebook(pd.DataFrame({"a_1": values, "a_2": values[::-1]}))
    assert draft.codebook.source.missing == (points[0],)
