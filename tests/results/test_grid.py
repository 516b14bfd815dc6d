"""Items as rows and the scale as columns, every figure the service's own."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

from audiencelab import Audience, Client, Q, connect
from audiencelab.results.grid import by_item
from audiencelab.results.stats import STATS_FIGURES
from audiencelab.survey.answers import unpack
from audiencelab.tables import GridResult
from tests.messages import fails

CONVICTIONS, APPS = "q22", "q20"
YOUNG = Audience("Under 35", Q("q4").any("q4_1", "q4_2", "q4_3"), "young")
OLD = Audience("65 and over", Q("q4").any("q4_7"), "old")


@cache
def client() -> Client:
    return connect()


@cache
def convictions() -> GridResult:
    return client().grid(CONVICTIONS)


@cache
def by_age() -> GridResult:
    return client().grid(APPS, datapoints=["q20_1", "q20_2"], audiences=[YOUNG, OLD])


def test_items_are_rows_and_the_scale_is_columns() -> None:
    wide = convictions().to_wide()
    assert wide.shape == (16, 5)
    assert (wide.index.name, wide.columns.name) == ("item", "scale")
    assert wide.columns[0] == "Strongly agree"
    # Everyone marked every item, so each row is a whole.
    assert wide.sum(axis=1).tolist() == pytest.approx([100.0] * 16)


def test_every_share_is_that_of_the_respondents() -> None:
    survey, wave = client().service.survey, "q4_2025"
    data = survey.wave(wave)
    found = data.question(CONVICTIONS)
    assert found is not None
    wide = client().grid(CONVICTIONS, waves=[wave]).to_wide(labels=False)
    for item in wide.index:
        for point in wide.columns:
            gave = unpack(found.datapoint(item, [point]), data.respondents)
            share = 100 * np.sum(data.weights[gave]) / np.sum(data.weights)
            assert wide.loc[item, point] == pytest.approx(share)


def test_each_point_is_the_query_for_that_suffix() -> None:
    frame = by_age().to_frame()
    for point, lines in frame.groupby("suffix"):
        alone = client().stats(
            APPS, datapoints=["q20_1", "q20_2"], suffixes=[point], audiences=[YOUNG, OLD]
        )
        assert lines[list(STATS_FIGURES)].to_numpy().tolist() == (
            alone.to_frame()[list(STATS_FIGURES)].to_numpy().tolist()
        )


def test_a_long_frame_names_item_point_and_audience() -> None:
    frame = by_age().to_frame()
    assert frame.columns.tolist()[:9] == [
        *("question", "question_label", "datapoint", "datapoint_label"),
        *("suffix", "suffix_label", "audience", "audience_name", "waves"),
    ]
    assert len(frame) == len(by_age()) == 2 * 5 * 2
    assert frame["datapoint"].tolist()[:10] == ["q20_1"] * 10
    assert frame["suffix"].tolist()[:4] == ["1", "1", "2", "2"]
    told = json.loads(json.dumps(frame.attrs))
    assert (told["operation"], told["scale"]) == ("grid", ["1", "2", "3", "4", "5"])


def test_audiences_stand_under_each_point() -> None:
    wide = by_age().to_wide()
    assert wide.columns.names == ["scale", "audience"]
    assert wide.columns[:2].tolist() == [
        ("Several times a day", "Under 35"),
        ("Several times a day", "65 and over"),
    ]


def test_the_points_asked_for_come_in_their_order() -> None:
    some = client().grid(CONVICTIONS, datapoints=["q22_1"], suffixes=[5, "1", 5])
    assert some.scale == ("5", "1")
    assert some.to_wide().columns.tolist() == ["Strongly disagree", "Strongly agree"]


def test_averages_are_those_of_the_marks() -> None:
    points = {str(place): float(6 - place) for place in range(1, 6)}
    frame = convictions().averages(points)
    assert frame["datapoint"].tolist() == list(convictions().items)
    shares = convictions().to_wide(labels=False) / 100
    mean = shares.mul(list(points.values()), axis="columns").sum(axis=1)
    assert frame["mean"].tolist() == pytest.approx(mean.tolist())
    # By name too, and of those alone who gave a mark that has a midpoint.
    told = by_age().averages({"Several times a day": 60, "2": 30})
    assert (told["answered_size"] < told["column_size"]).all()


AGREEMENT = {"1": 5.0, "2": 4.0, "3": 3.0, "4": 2.0, "5": 1.0}


def test_audiences_are_compared_within_each_item() -> None:
    items = ["q22_3", "q22_1"]
    grid = client().grid(CONVICTIONS, datapoints=items, audiences=[YOUNG, OLD])
    frame = grid.test(AGREEMENT, base="unweighted").to_frame()
    assert frame["datapoint"].tolist() == items
    assert set(frame["column_id"]) | set(frame["other_id"]) == {"young", "old"}
    for item, line in zip(items, frame.to_dict("records"), strict=True):
        # A grid of the item alone, read as a question of one answer.
        alone = by_item(client().grid(CONVICTIONS, datapoints=[item], audiences=[YOUNG, OLD]))
        tested = alone.test(midpoints=AGREEMENT, base="unweighted", disjoint=True)
        [known] = tested.to_frame().to_dict("records")
        figures = ["mean", "other_mean", "difference", "standard_error", "sample", "z", "p"]
        assert [line[name] for name in figures] == [known[name] for name in figures]


def test_items_without_two_audiences_are_not_compared() -> None:
    with fails(ValueError):
        convictions().test(AGREEMENT)


def test_it_shows_whose_percentages_they_are() -> None:
    assert repr(convictions()) == (
        "<GridResult q22: 16 items × scale of 5, 12 waves: Q1 2023 to Q4 2025, weighted>"
    )
    assert (
        "% of the base · Base: all respondents · smallest base n = 24,000"
        in convictions()._repr_html_()
    )
    shown = by_age()._repr_html_()
    assert "% of each audience" in shown
    assert shown.count("Under 35") == 5


def test_a_question_without_a_scale_is_no_grid() -> None:
    with fails(ValueError):
        client().grid("q4")


def test_it_names_its_audience_and_its_base() -> None:
    of_one = client().grid(APPS, datapoints=["q20_1"], audiences=[YOUNG], base_audience=OLD)
    assert "% of Under 35 · Base: 65 and over" in of_one._repr_html_()
    assert "× 2 audiences, 12 waves" in repr(by_age())
