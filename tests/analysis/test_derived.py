"""Nets, scores and averages: sums of answers nobody gives together, checked against the service.

The service counts an OR audience exactly, so a net that is added up has to be that audience; the
averages are checked against the respondents' own values, repeated by their weights.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiencelab import Audience, Client, Q, connect
from audiencelab.analysis.disjointness import OverlappingAnswers
from audiencelab.schema import METRICS, StatsRow
from audiencelab.schema.scales import Scale, Top
from audiencelab.tables import StatsResult
from tests.messages import fails
from tests.results.samples import NOTHING, metrics, row, stats


@cache
def client() -> Client:
    return connect()


def scale(*samples: int, audience: int | None = None, **more: Any) -> StatsResult:
    """Answers q1_1, q1_2, … of an audience, as many people as respondents."""
    whole = sum(samples) if audience is None else audience
    rows = [
        row(
            f"q1_{place}",
            metrics(
                positive_size=float(sample),
                positive_sample=sample,
                audience_size=float(whole),
                audience_sample=whole,
                audience_percentage=100 * sample / whole if whole else 0.0,
                audience_index=100.0,
                datapoint_size=float(sample),
                datapoint_sample=sample,
            ),
        )
        for place, sample in enumerate(samples, 1)
    ]
    return stats(*rows, **more)


def with_top(result: StatsResult, top: Top) -> StatsResult:
    """The same with its answers as the points of a scale."""
    points = tuple(each for each in result.datapoints if each.startswith("q1_"))
    return replace(result, labels=replace(result.labels, scale=Scale(points, top, frozenset())))


# ---- whether answers may be added up ----

SHARES = {"audience_index": 100.0, "audience_size": 1_000.0}


def test_more_answers_than_respondents_cannot_be_added_up_whatever_is_said() -> None:
    many = scale(30, 80, audience=100)
    with fails(OverlappingAnswers):
        many.nets({"Any": ["q1_1"]}, disjoint=True)
    with fails(OverlappingAnswers):
        many.averages({"q1_1": 1.0}, disjoint=True)


def test_fewer_answers_prove_nothing_and_somebody_has_to_say_it() -> None:
    some = scale(30, 50, audience=100)
    with fails(OverlappingAnswers):
        some.nets({"Any": ["q1_1", "q1_2"]})
    assert some.nets({"Any": ["q1_1", "q1_2"]}, disjoint=True).rows[-1].metrics.positive_size == 80


def test_as_many_answers_by_chance_do_not_weigh_as_much_and_prove_nothing() -> None:
    """Of twelve respondents some gave two answers and some none, which comes to twelve answers."""
    chance = stats(
        *(
            row(
                f"q1_{place}",
                metrics(size, positive_sample=6, audience_sample=12, datapoint_size=size, **SHARES),
            )
            for place, size in enumerate((460.0, 500.0), 1)
        )
    )
    with fails(OverlappingAnswers):
        chance.nets({"Any": ["q1_1", "q1_2"]})
    assert chance.nets({"Any": ["q1_1", "q1_2"]}, disjoint=True).rows[-1].datapoint == "Any"


def test_sizes_that_a_service_rounds_to_whole_people_still_prove_it() -> None:
    rounded = stats(
        *(
            row(
                f"q1_{place}",
                metrics(
                    size, positive_sample=40, audience_sample=120, datapoint_size=size, **SHARES
                ),
            )
            for place, size in enumerate((333.0, 333.0, 333.0), 1)
        )
    )
    assert rounded.nets({"Any": ["q1_1", "q1_2"]}).rows[-1].metrics.positive_size == 666


def test_one_column_of_single_answers_proves_nothing_against_its_base() -> None:
    """Twelve people of this audience gave one answer each; the base gave more than it has people.

    An index of 100 says that the base is ten times the audience: 10,000 people, 11,500 answers.
    """
    given = {"positive_sample": 6, "audience_sample": 12, "audience_index": 100.0}
    answers = [
        row("q1_1", metrics(500.0, datapoint_size=5_000.0, **given)),
        row("q1_2", metrics(500.0, datapoint_size=6_500.0, **given)),
    ]
    with fails(OverlappingAnswers):
        stats(*answers).nets({"Any": ["q1_1", "q1_2"]}, disjoint=True)


def test_every_column_with_respondents_has_to_prove_it() -> None:
    def column(name: str, *samples: int, audience: int) -> list[StatsRow]:
        rows = scale(*samples, audience=audience).rows
        return [msgspec.structs.replace(each, audience=name) for each in rows]

    single, some = column("a-1", 30, 70, audience=100), column("a-2", 30, 50, audience=90)
    empty = column("a-3", 0, 0, audience=0)
    assert stats(*single, *empty).nets({"Any": ["q1_1"]}).rows
    with fails(OverlappingAnswers):
        stats(*single, *some, *empty).nets({"Any": ["q1_1"]})


# ---- nets ----


def test_a_net_is_what_the_service_counts_for_any_of_its_answers() -> None:
    young, women = ["q4_1", "q4_2", "q4_3"], Q("q2").any("q2_2")
    people = [Audience("Women", women, "w"), Audience("Young women", women & Q("q4").any(*young))]
    result = client().stats("q4", audiences=people[:1], splitter="s2").nets({"Young": young})
    counted = client().stats("s2", audiences=people)
    by_audience = counted.to_wide("size", labels=False)
    young_id = counted.audiences[1].id
    found = {line.segment: line for line in result.rows if line.datapoint == "Young"}
    for market, line in found.items():
        assert line.metrics.positive_size == pytest.approx(by_audience.loc[market, young_id])
        share = 100 * by_audience.loc[market, young_id] / by_audience.loc[market, "w"]
        assert line.metrics.audience_percentage == pytest.approx(share)


def test_a_nets_index_is_its_share_over_that_of_the_base() -> None:
    women = Audience("Women", Q("q2").any("q2_2"), "w")
    young = ["q4_1", "q4_2", "q4_3"]
    result = client().stats("q4", audiences=[women]).nets({"Young": young})
    net = result.rows[-1].metrics
    cell = client().crosstab(
        rows=[Audience("Young", Q("q4").any(*young))],
        columns=[women],
        waves=[wave.code for wave in client().waves()],
    )
    assert net.audience_index == pytest.approx(cell.values("index")[0, 0])
    assert net.datapoint_percentage == pytest.approx(cell.values("row_percentage")[0, 0])


def test_nets_stand_in_every_table_and_are_named_in_the_provenance() -> None:
    result = scale(20, 30, 50).nets({"Hot": ["Tea", "q1_2"]})
    frame = result.to_frame()
    assert frame["datapoint_label"].tolist() == ["Tea", "Coffee", "q1_3", "Hot"]
    assert frame["column_percentage"].tolist() == [20, 30, 50, 50]
    assert json.loads(json.dumps(frame.attrs))["nets"] == {"Hot": ["q1_1", "q1_2"]}
    assert result.to_wide().loc["Hot"].tolist() == [50]


def test_a_column_that_was_not_asked_has_a_net_without_figures() -> None:
    result = stats(row(figures=NOTHING, waves=[])).nets({"Net": ["q1_1"]})
    assert result.to_frame()["note"].tolist() == ["no wave in common"] * 2


@pytest.mark.parametrize(
    ("named", "fault"),
    [
        ({"Net": ["q1_9"]}, "No one answer 'q1_9'"),
        ({"Net": []}, "needs answers"),
        ({"q1_1": ["q1_2"]}, "is a row already"),
    ],
)
def test_a_net_that_cannot_be_made_says_why(named: dict[str, list[str]], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        scale(50, 50).nets(named)


def test_boxes_are_the_ends_of_the_scale() -> None:
    five = scale(10, 20, 30, 25, 15)
    rising = with_top(five, "last").boxes(2, 1)
    told = {line.datapoint: line.metrics.audience_percentage for line in rising.rows[-2:]}
    assert told == {"Top 2 (q1_5, q1_4)": 40, "Bottom 1 (Tea)": 10}
    falling = with_top(five, "first").boxes(2, 1)
    assert [line.metrics.audience_percentage for line in falling.rows[-2:]] == [30, 15]
    with fails(ValueError):
        five.boxes(4, 2)
    with fails(ValueError):
        five.boxes(2, 1)
    with fails(ValueError):
        with_top(five, "none").boxes(1, 0)


def test_nets_are_no_answers_whatever_is_made_of_the_result_next() -> None:
    few = scale(10, 20, audience=100)
    with_net = few.nets({"Either": ["q1_1", "q1_2"]}, disjoint=True)
    again = with_top(with_net, "last").boxes(top=1, bottom=1, disjoint=True)
    assert again.datapoints == ("q1_1", "q1_2", "Either", "Top 1 (Coffee)", "Bottom 1 (Tea)")
    assert [each.metrics.positive_sample for each in again] == [10, 20, 30, 20, 10]
    assert again.provenance["nets"] == {
        "Either": ["q1_1", "q1_2"],
        "Top 1 (Coffee)": ["q1_2"],
        "Bottom 1 (Tea)": ["q1_1"],
    }
    rebased = with_net.rebased_to_answered(disjoint=True)
    assert [each.metrics.audience_sample for each in rebased] == [30, 30, 30]
    assert rebased.rows[-1].metrics.audience_percentage == 100
    assert rebased.base_audience == few.rebased_to_answered(disjoint=True).base_audience
    points = {"q1_1": 1.0, "q1_2": 2.0}
    averages = with_net.averages(points, disjoint=True)
    assert averages.equals(few.averages(points, disjoint=True))
    assert averages.attrs["left_out"] == []
    with fails(ValueError):
        with_net.nets({"More": ["Either"]}, disjoint=True)


def test_one_answer_alone_is_meant_whole_and_not_letter_by_letter() -> None:
    one = scale(10, 20, 30).nets({"Any": "Coffee"})
    assert one.rows[-1].metrics.positive_sample == 20
    assert one.provenance["nets"] == {"Any": ["q1_2"]}


def test_a_net_score_is_the_difference_of_two_shares_of_everyone() -> None:
    frame = scale(10, 20, 30, audience=100).net_score(["q1_3"], ["Tea"], disjoint=True)
    assert frame.loc[0, ["positive_percentage", "negative_percentage", "net_score"]].tolist() == [
        30,
        10,
        20,
    ]
    assert frame["column_sample"].tolist() == [100]
    assert "gave neither count as 0" in frame.attrs["method_note"]
    with fails(ValueError):
        scale(50, 50).net_score(["q1_1", "q1_2"], ["q1_1"])


# ---- of those who answered ----


@pytest.mark.parametrize("base", [None, Audience("Women", Q("q2").any("q2_2"))])
def test_rebasing_gives_what_the_service_gives_for_that_base(base: Audience | None) -> None:
    young = Audience("Young", Q("q4").any("q4_1", "q4_2", "q4_3"), "y")
    asked: dict[str, Any] = {"question": "q12", "audiences": [young], "splitter": "s2"}
    ours = client().stats(**asked, base_audience=base).rebased_to_answered(disjoint=True)
    theirs = client().stats(**asked, base_audience=ours.base_audience)
    for name in METRICS:
        figures = [[getattr(line.metrics, name) for line in each.rows] for each in (ours, theirs)]
        assert figures[0] == pytest.approx(figures[1])


def test_a_rebased_result_says_so_everywhere() -> None:
    result = scale(10, 30, audience=100).rebased_to_answered(disjoint=True)
    frame = result.to_frame()
    assert frame["column_percentage"].tolist() == [25, 75]
    assert frame["column_sample"].tolist() == [40, 40]
    assert frame.attrs["rebased"] == "answered"
    assert "Answered Drinks" in result.to_html()
    assert result.rebased_to_answered().to_frame().equals(frame)
    with fails(OverlappingAnswers):
        scale(10, 30, audience=100).rebased_to_answered()


# ---- averages ----

COUNTS = st.lists(st.integers(0, 40), min_size=2, max_size=6).filter(any)


@given(COUNTS, st.data())
@settings(max_examples=60)
def test_averages_are_those_of_the_respondents_own_values(counts: list[int], data: Any) -> None:
    points = data.draw(
        st.lists(st.integers(-50, 50), min_size=len(counts), max_size=len(counts), unique=True)
    )
    values = np.repeat(np.array(points, float), counts)
    codes = {f"q1_{place}": float(point) for place, point in enumerate(points, 1)}
    [line] = scale(*counts).averages(codes).itertuples()
    sd = values.std(ddof=1) if len(values) > 1 else np.nan
    assert line.mean == pytest.approx(values.mean())
    assert line.standard_deviation == pytest.approx(sd, abs=1e-9, nan_ok=True)
    assert line.median == pytest.approx(np.median(values))
    assert line.standard_error == pytest.approx(values.std() / np.sqrt(len(values)), abs=1e-9)
    assert (line.answered_sample, line.column_sample) == (len(values), len(values))


def test_an_answer_without_a_midpoint_is_left_out_and_named() -> None:
    frame = scale(10, 30, 60).averages({"Tea": 1, "Coffee": 5})
    assert frame["mean"].tolist() == [4]
    assert frame["answered_sample"].tolist() == [40]
    assert frame["column_sample"].tolist() == [100]
    assert frame.attrs["left_out"] == ["q1_3"]


def test_a_design_effect_widens_the_standard_error_alone() -> None:
    plain, wide = (scale(50, 50).averages({"q1_1": 0, "q1_2": 1}, design=deff) for deff in (1, 4))
    assert wide["standard_error"].tolist() == (2 * plain["standard_error"]).tolist()
    assert wide["mean"].tolist() == plain["mean"].tolist()
    assert "design effect 4" in wide.attrs["method_note"]


def test_nobody_has_no_average() -> None:
    frame = stats(row(figures=NOTHING)).averages({"q1_1": 3})
    assert frame[["mean", "median", "standard_error"]].isna().all(axis=None)
    assert frame["note"].tolist() == ["no answers"]


@pytest.mark.parametrize("value", ["3", None, float("nan"), float("inf")])
def test_a_midpoint_is_a_number(value: Any) -> None:
    with fails(ValueError):
        stats(row()).averages({"q1_1": value})


def test_the_catalogue_tells_the_midpoints() -> None:
    result = client().stats("q4", splitter="q2")
    frame = result.averages(client().catalogue["Age"])
    points = {each.code: each.midpoint.value for each in client().catalogue["Age"].datapoints}
    sizes = result.to_wide("size", labels=False)
    expected = (sizes.T * [points[code] for code in sizes.index]).T.sum() / sizes.sum()
    assert frame["mean"].tolist() == pytest.approx(expected.tolist())
    assert frame["segment_label"].tolist()[0] == "Male"
    with fails(ValueError):
        client().stats("q2").averages(client().catalogue["Gender"])


# ---- several waves ----


def trend(*figures: tuple[int, int]) -> StatsResult:
    """People with the answer and people, by wave; none of either where it was not asked."""
    rows = [
        row(
            "q1_1",
            metrics(
                positive_size=float(positive),
                positive_sample=positive,
                audience_size=float(people),
                audience_sample=people,
                audience_percentage=100 * positive / people if people else 0.0,
            ),
            segment=f"q{place}_2024",
            waves=[f"q{place}_2024"] if people else [],
        )
        for place, (positive, people) in enumerate(figures, 1)
    ]
    return stats(*rows, splitter="waves")


def test_a_moving_average_is_that_of_all_people_of_the_waves() -> None:
    frame = trend((10, 100), (30, 100), (20, 200), (100, 100)).moving_average(2).to_frame()
    share = frame["column_percentage"].tolist()
    assert np.isnan(share[0])
    assert share[1:] == pytest.approx([20, 100 * 50 / 300, 40])
    assert frame["column_sample"].tolist()[1:] == [200, 300, 300]
    assert frame["column_size"].tolist()[1:] == [100, 150, 150]
    assert frame["note"].tolist() == ["too few waves before it", "", "", ""]


def test_a_wave_that_did_not_ask_is_left_out_and_said() -> None:
    frame = trend((10, 100), (0, 0), (30, 100)).moving_average(2).to_frame()
    assert frame["column_percentage"].tolist()[1:] == [10, 30]
    assert frame["waves_counted"].tolist() == [1, 1, 1]
    assert frame["note"].tolist()[1:] == ["1 of 2 waves"] * 2


def test_over_all_waves_it_is_the_figure_of_all_waves() -> None:
    whole = client().stats("q4")
    by_wave = client().stats("q4", splitter="waves")
    frame = by_wave.moving_average(len(by_wave.segments)).to_frame()
    last = frame[frame["segment"] == by_wave.segments[-1]]
    expected = whole.to_frame()
    assert last["column_percentage"].tolist() == pytest.approx(
        expected["column_percentage"].tolist()
    )
    assert last["column_sample"].tolist() == expected["column_sample"].tolist()
    assert last["column_size"].tolist() == pytest.approx(expected["column_size"].tolist())


def test_a_moving_average_needs_waves() -> None:
    with fails(ValueError):
        scale(1, 2).moving_average()
    with fails(ValueError):
        trend((1, 2), (1, 2)).moving_average()
    for slip in ("2", 2.0, True):
        with fails(ValueError):
            trend((1, 2), (1, 2)).moving_average(slip)  # type: ignore[arg-type]  # as typed


@pytest.mark.parametrize(
    ("slip", "advice"),
    [
        (lambda result: result.boxes(top="2"), "numbers of answers; got '2'"),
        (lambda result: result.nets(["q1_1"]), "Nets need names"),
        (lambda result: result.nets({"Low": None}), "Answers must be a list"),
        (lambda result: result.averages(3), "Give a midpoint for each answer"),
    ],
    ids=["boxes", "nets", "net", "averages"],
)
def test_a_slip_is_told_what_to_write(slip: Any, advice: str) -> None:
    with pytest.raises(TypeError, match=advice):
        slip(scale(10, 20, 30))
