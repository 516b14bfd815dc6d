"""A dash or a dot alone among the answers of a column means no answer."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest import Draft, draft_codebook, import_survey
from tests.survey.counting import counts_by_name

REGIONS = ["Pacific", "-", "Mountain", "Pacific", "-", "Pacific"]


def names(draft: Draft, code: str) -> list[str]:
    [question] = (each for each in draft.codebook.questions if each.code == code)
    return [each.name for each in question.suffixes or question.points]


@pytest.mark.parametrize("sign", ["-", "–", "—", "--", ".", ".."])
def test_a_dash_among_texts_is_no_answer_and_no_place(tmp_path: Path, sign: str) -> None:
    path = tmp_path / "a.csv"
    regions = [sign if each == "-" else each for each in REGIONS]
    pd.DataFrame({"US Region": regions, "tea": ["yes", "no"] * 3}).to_csv(path, index=False)
    draft = draft_codebook(path)
    assert names(draft, "US_Region") == ["Mountain", "Pacific"]
    assert draft.codebook.source.missing == (sign,)
    assert draft.codebook.study.location is None
    survey = import_survey(path, draft.codebook, tmp_path / "survey")
    client = al.connect(survey=survey)
    table = client.crosstab("US Region").to_frame()
    # Of the four with an answer; two of six have none.
    assert table["column_percentage"].round(1).tolist() == [25.0, 75.0]
    assert counts_by_name(survey, "US_Region") == {"Mountain": 1, "Pacific": 3}


def test_the_card_says_so_with_the_code_that_changes_it() -> None:
    frame = pd.DataFrame({"US Region": REGIONS})
    draft = draft_codebook(frame)
    [guess] = (each for each in draft.guesses if "'-'" in each.said)
    assert guess.said == "'-' (2 of 6) in US Region taken as no answer"
    assert guess.code == 'al.open(…, missing={"US Region": []})'
    assert guess.said in str(draft.card())
    kept = draft_codebook(frame, missing={"US Region": []})
    assert names(kept, "US_Region") == ["-", "Mountain", "Pacific"]
    assert not any("'-'" in each.said for each in kept.guesses)


def test_scales_and_grids_with_a_dash(tmp_path: Path) -> None:
    words, digits = ["Often", "Never", "Rarely", "-"], ["1", "2", "3", "-"]
    frame = pd.DataFrame(
        {
            "How often? [Tea]": words * 3,
            "How often? [Milk]": words[::-1] * 3,
            "score": digits * 3,
            "income": ["$1 to $49", "$50+", "-"] * 4,
        }
    )
    draft = draft_codebook(frame)
    assert names(draft, "How_often") == ["Never", "Rarely", "Often"]
    assert names(draft, "score") == ["1", "2", "3"]
    assert names(draft, "income") == ["$1 to $49", "$50+"]


@pytest.mark.parametrize(
    "answers", [["+", "-", "0"], ["++", "+", "-", "--"], ["x", "-"], ["yes", "-"], ["*", "-", "?"]]
)
def test_a_dash_beside_other_signs_is_an_answer(tmp_path: Path, answers: list[str]) -> None:
    path = tmp_path / "a.csv"
    # A column in which it means no answer does not change that.
    length = 6 * len(answers)
    pd.DataFrame({"view": answers * 6, "place": (REGIONS * 4)[:length] or REGIONS}).to_csv(
        path, index=False
    )
    draft = draft_codebook(path)
    assert {*names(draft, "view")} == {*answers}
    assert names(draft, "place") == ["Mountain", "Pacific"]
    survey = import_survey(path, draft.codebook, tmp_path / "survey")
    assert counts_by_name(survey, "view") == dict.fromkeys(answers, 6)


def test_items_that_were_not_ticked_may_have_a_dash(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    frame = pd.DataFrame(
        {
            "Which? [Tea]": ["Tea", "-", "Tea", "-"],
            "Which? [Milk]": ["-", "-", "Milk", "Milk"],
            "place": ["North", "South", "-", "South"],
        }
    )
    frame.to_csv(path, index=False)
    draft = draft_codebook(path)
    survey = import_survey(path, draft.codebook, tmp_path / "survey")
    first = draft.codebook.questions[0]
    assert (first.kind, counts_by_name(survey, first.code)) == ("multiple", {"Tea": 2, "Milk": 2})
    table = al.connect(survey=survey).crosstab(first.code).to_frame()
    assert table["column_percentage"].tolist() == [50.0, 50.0]
