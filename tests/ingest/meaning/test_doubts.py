"""What an import doubts of answers: missing codes, outliers, text among numbers; with figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.meaning.guess import Guess

N = 400
R = np.arange(N)
AGES = 18 + R % 70
INCOMES = 1000 * (12 + R % 61)


def doubts(values: Any, name: str = "x", **options: Any) -> list[Guess]:
    found = draft_codebook(pd.DataFrame({name: values}), **options).guesses
    return [each for each in found if each.subject in ("missing", "outlier", "numbers")]


def some(values: Any, *codes: Any) -> Any:
    """Values of which the first are others."""
    return [*codes, *values[len(codes) :]]


def test_a_negative_code_among_amounts_with_decimals_is_shown() -> None:
    spent = some(R % 60 + 0.5, *[-9.0] * 26)
    [guess] = doubts(spent, "spent")
    mean, other = sum(spent) / N, sum(spent[26:]) / (N - 26)
    said = f"-9 (26 of 400) may not be an answer: mean {mean:.1f} with, {other:.1f} without"
    assert (guess.said, guess.severity) == (said, 0)
    assert doubts(some(R % 60 + 0.5, -9.25, -3.5, -1.0), "balance") == []


def test_a_possible_code_is_shown_with_both_means_and_what_settles_it() -> None:
    hours = some(R % 7, *[98] * 15, *[99] * 6)
    [guess] = doubts(hours, "hours")
    mean, other = sum(hours) / N, sum(each for each in hours if each < 98) / (N - 21)
    assert guess.said == (
        f"98 and 99 (21 of 400) may not be an answer: mean {mean:.2f} with, {other:.2f} without"
    )
    assert (guess.about, guess.code, guess.severity) == (
        "hours",
        'client.edit("hours", missing=[98, 99])',
        0,
    )
    assert doubts(hours, "hours", missing={"hours": [98, 99]}) == []
    assert doubts(hours, "hours", missing={"hours": []}) == []
    [guess] = doubts(some(AGES, *[999] * 9), "age")
    assert guess.code == 'al.open(…, missing={"age": [999]})', "999 is within a band"


@pytest.mark.parametrize(
    ("name", "values", "far"),
    [
        ("age", some(AGES, 199, 130), "130 and 199 (2 of 400)"),
        ("income", some(INCOMES, *[9_999_999] * 3), "9,999,999 (3 of 400)"),
        ("kids", some(R % 4, 40), "40 (1 of 400)"),
        ("change", some(R % 50 - 25, -8000), "-8000 (1 of 400)"),
        ("rate", some(R % 5 + 1, 55, 55), "55 (2 of 400)"),
        ("age", AGES, ""),
        ("year of birth", 1990 - R % 60, ""),
        ("income", np.round(np.exp(10 + np.sin(R) * 2)), ""),
        ("x", [1, 2, 3, 50], ""),
    ],
)
def test_numbers_far_from_all_others_are_shown_and_kept(name: str, values: Any, far: str) -> None:
    found = [each for each in doubts(values, name) if each.subject == "outlier"]
    assert [each.said.partition(" far from")[0] for each in found] == ([far] if far else [])
    mean = al.open(pd.DataFrame({name: values}), quiet=True)
    code = mean.catalogue.questions[0].code
    table = mean.crosstab([mean[code].mean()])
    assert table.statistics is not None
    assert table.statistics.values("value").item() == pytest.approx(sum(values) / len(values))


def test_top_codes_of_nines_may_be_many() -> None:
    [guess] = doubts(some(INCOMES * 7, *[999_999_999] * 120), "inctot")
    assert guess.said.startswith("999,999,999 (120 of 400)")
    assert (guess.subject, guess.severity) == ("missing", 0)


def test_answers_of_people_whom_a_question_is_not_about_are_shown_with_both_shares() -> None:
    labels = ["Very satisfied", "Rather satisfied", "Rather dissatisfied", "Very dissatisfied"]
    values = [*(labels * 20), *labels[:1] * 5, *["Not applicable"] * 20, *["Never used it"] * 100]
    found = doubts(values, "q")
    assert [each.code for each in found] == [
        'client.edit("q", missing=["Not applicable"])',
        'client.edit("q", missing=["Never used it"])',
    ]
    assert found[0].said == (
        "'Not applicable' (20 of 205, 9.8%) is in the base: 'Very satisfied' 12.2% with it, "
        "13.5% without"
    )
    often = [*(["Rarely", "Sometimes", "Often"] * 20), *["Never used it"] * 20]
    assert doubts(often, "q") == [], "the lowest of frequencies"
    assert doubts([*(["1", "2 children", "3"] * 20), *["No children"] * 20], "q") == []


def test_text_among_numbers_is_missing_where_that_is_certain_and_else_said() -> None:
    frame = pd.DataFrame({"age": some([str(each) for each in AGES], "14 and a half")})
    draft = draft_codebook(frame)
    [question] = draft.codebook.questions
    assert question.missing == ("14 and a half",)
    assert all(point.is_band for point in question.points)
    [guess] = doubts(frame["age"], "age")
    assert guess.said == ("'14 and a half' (1): 1 of 400 answers, no numbers; taken as no answer")
    assert (guess.code, guess.severity) == ('al.open(…, missing={"age": []})', 1)
    [guess] = doubts(some([str(each) for each in AGES], *["-"] * 100), "age")
    assert guess.said.startswith("'-' (100): 100 of 400 answers")
    text = some([str(each) for each in AGES], *["about ten"] * 20)
    [guess] = doubts(text, "age")
    assert guess.said.endswith("read as text")
    assert guess.code == 'al.open(…, missing={"age": ["about ten"]})'
    draft = draft_codebook(pd.DataFrame({"age": text}), missing={"age": ["about ten"]})
    assert draft.codebook.questions[0].points[0].is_band


def test_refusals_beside_bands_of_numbers_are_said_to_be_in_the_base(tmp_path: Path) -> None:
    income = [float(each) for each in some(INCOMES, *[-9] * 20, *[9_999_999] * 16)]
    path = tmp_path / "s.sav"
    labels = {"income": {-9.0: "No answer", 9_999_999.0: "Refused"}}
    pyreadstat.write_sav(pd.DataFrame({"income": income}), path, variable_value_labels=labels)
    [guess] = [each for each in draft_codebook(path).guesses if each.subject == "missing"]
    said = (
        "-9 'No answer' (20) and 9999999 'Refused' (16) are in the base (9.0%): all bands are 91.0%"
    )
    assert (guess.said, guess.severity) == (said, 1)
    assert guess.code == 'client.edit("income", missing=[-9, 9999999])'
    client = al.open(path, quiet=True)
    client.edit("income", missing=[-9, 9999999])
    shares = client.crosstab("income")
    assert "Refused" not in str(shares)
    assert not [each for each in client.import_report.guesses if each.subject == "missing"]


def test_codes_without_labels_say_that_they_are_read_as_numbers() -> None:
    frame = pd.DataFrame(
        {"q1": 1 + R % 5, "q9": R % 11, "q17": 1 + R % 3, "number_of_visits": R % 6, "x": R % 2}
    )
    client = al.open(frame, quiet=True)
    guesses = [each for each in client.import_report.guesses if each.subject == "codes"]
    assert [each.about for each in guesses] == ["q1", "q9", "q17"]
    assert {each.said for each in guesses} == {
        "codes without labels are read as numbers: the highest is the top"
    }
    assert guesses[0].code == 'client.edit("q1", top="first")'
    [line] = [each for each in client.import_report.card().lines if each.subject == "codes"]
    assert line.said.startswith("q1, q9, q17: codes without labels")
    client.edit("q1", top="first")
    assert "q1" not in [e.about for e in client.import_report.guesses if e.subject == "codes"]


def test_text_among_few_numbers_is_said_and_is_no_scale_of_words() -> None:
    visits = pd.DataFrame({"visits": some([str(each) for each in R % 15], "lots", "12ish")})
    draft = draft_codebook(visits)
    [guess] = [each for each in draft.guesses if each.about == "visits"]
    assert guess.said == "'lots' (1), '12ish' (1): 2 of 400 answers, no numbers; read as text"
    assert guess.code == 'al.open(…, missing={"visits": ["lots", "12ish"]})'
    draft = draft_codebook(visits, missing={"visits": ["lots", "12ish"]})
    assert draft.codebook.questions[0].form == "numeric"
    for texts in (["Don't know"], ["Not at all likely", "Extremely likely"]):
        assert doubts(some([str(each) for each in 1 + R % 9], *texts)) == []


def test_ages_that_are_all_too_high_are_no_outliers() -> None:
    assert [each.subject for each in doubts([500 + each % 9 for each in R], "age")] == []


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("How many of the last 7 days did you eat rice?", 0),
        ("Combien des sept derniers jours ?", 0),
        ("Days per week with rice", 0),
        ("rice", 1),
    ],
)
@pytest.mark.parametrize("most", [3, 5])
def test_seven_days_of_a_week_are_an_answer(name: str, codes: int, most: int) -> None:
    days = some(R % (most + 1), *[7] * 9)
    question = draft_codebook(pd.DataFrame({name: days})).codebook.questions[0]
    assert len(doubts(days, name)) + len(question.missing) >= codes
    if not codes:
        assert doubts(days, name) == []
        assert question.missing == ()
        assert "7" in {f"{value}" for point in question.points for value in [point.value]}
