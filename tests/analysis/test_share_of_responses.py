"""Shares of answers, counted answer by answer over the respondents of the survey."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache

import numpy as np
import pytest

from audiencelab import Client, connect
from audiencelab.survey.answers import unpack
from audiencelab.tables import StatsResult
from tests.analysis.test_derived import scale
from tests.results.samples import NOTHING, row, stats

CHILDREN = "q9"


@cache
def client() -> Client:
    return connect()


@cache
def answers_of_the_survey() -> dict[tuple[str, str], float]:
    """The weight of every answer to the question by gender, one answer at a time."""
    survey = client().service.survey
    found: dict[tuple[str, str], float] = defaultdict(float)
    for wave in survey.waves:
        data = survey.wave(wave.code)
        asked, gender = data.question(CHILDREN), data.question("q2")
        assert asked is not None
        assert gender is not None
        for sex in ("q2_1", "q2_2"):
            of_sex = unpack(gender.datapoint(sex), data.respondents)
            for point in asked.question.datapoints:
                gave = unpack(asked.datapoint(point.code), data.respondents)
                weights: np.ndarray = data.weights[gave & of_sex]
                found[sex, point.code] += float(weights.sum())
    return found


def by_gender() -> StatsResult:
    return client().stats(CHILDREN, splitter="q2", segments=["q2_1", "q2_2"])


def test_they_are_those_of_the_answers_counted_one_by_one() -> None:
    counted = answers_of_the_survey()
    whole = {sex: sum(size for (of, _), size in counted.items() if of == sex) for sex, _ in counted}
    frame = by_gender().shares_of_responses()
    assert len(frame) == 12
    for line in frame.itertuples():
        expected = 100 * counted[line.segment, line.datapoint] / whole[line.segment]
        assert line.response_percentage == pytest.approx(expected)
        assert line.responses_size == pytest.approx(whole[line.segment] / 12)


def test_where_each_gives_one_answer_they_are_shares_of_those_who_answered() -> None:
    some = scale(10, 30, audience=100)
    shares = some.shares_of_responses()["response_percentage"].tolist()
    assert shares == some.rebased_to_answered(disjoint=True).to_wide().iloc[:, 0].tolist()


def test_a_frame_says_whose_percentages_it_has() -> None:
    frame = scale(20, 30, audience=100).shares_of_responses()
    assert frame.columns.tolist() == [
        *("question", "datapoint", "datapoint_label"),
        *("size", "sample", "responses_size", "responses_sample"),
        *("response_percentage", "note"),
    ]
    assert frame["responses_sample"].tolist() == [50, 50]
    assert frame.dtypes[["sample", "responses_sample"]].tolist() == ["int64", "int64"]
    told = json.loads(json.dumps(frame.attrs))
    assert told["rebased"] == "responses"
    assert told["method_note"].startswith("Percent of all answers given")


def test_where_nobody_answered_there_is_no_share() -> None:
    frame = stats(row(figures=NOTHING, waves=[])).shares_of_responses()
    assert frame["response_percentage"].isna().tolist() == [True]
    assert frame["note"].tolist() == ["no answers"]
