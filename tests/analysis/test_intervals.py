"""Intervals: their algebra, other programs' figures, and how often they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.analysis.interval_formulas import METHODS, index_interval, share_interval
from audiencelab.schema import CalcData, StatsGroup
from audiencelab.tables import ChartCalculationResult
from tests.analysis.samples import survey, trend
from tests.messages import fails
from tests.results.samples import crosstab, metrics, row, stats

SHARES = st.integers(0, 1_000).map(lambda thousandths: thousandths / 1_000)
BASES = st.floats(1, 1e6)
LEVELS = st.floats(0.5, 0.999)

FIGURES = (
    "total_percentage",
    "index",
    "column_percentage",
    "row_percentage",
    "row_base_percentage",
    "column_base_percentage",
)


@pytest.mark.parametrize("method", METHODS)
@given(share=st.floats(0.001, 0.999), base=BASES, level=LEVELS)
def test_an_interval_holds_its_share_and_stays_within_0_and_1(
    method: str, share: float, base: float, level: float
) -> None:
    _, low, high = share_interval(np.array(share), np.array(base), level, method)
    assert 0 <= low <= share * (1 + 1e-9)
    assert share * (1 - 1e-9) <= high <= 1


@pytest.mark.parametrize("method", METHODS)
@given(share=SHARES, base=BASES)
def test_an_interval_of_the_complement_is_the_mirror_image(
    method: str, share: float, base: float
) -> None:
    _, low, high = share_interval(np.array(share), np.array(base), 0.95, method)
    _, mirrored_low, mirrored_high = share_interval(
        np.array(1 - share), np.array(base), 0.95, method
    )
    assert mirrored_low == pytest.approx(1 - high, abs=1e-6, nan_ok=True)
    assert mirrored_high == pytest.approx(1 - low, abs=1e-6, nan_ok=True)


@pytest.mark.parametrize("method", ["wilson", "beta"])
@given(base=BASES, level=LEVELS)
def test_nobody_and_everybody_are_ends_of_their_intervals_to_the_bit(
    method: str, base: float, level: float
) -> None:
    _, low, high = share_interval(np.array([0.0, 1.0]), np.array(base), level, method)
    assert low[0] == 0 < high[0]
    assert low[1] < 1 == high[1]


@pytest.mark.parametrize("method", METHODS)
def test_intervals_hold_the_truth_as_often_as_they_say(method: str) -> None:
    random = np.random.default_rng(2018)
    for share, base in ((0.5, 100), (0.2, 300), (0.05, 1_000)):
        found = random.binomial(base, share, 20_000) / base
        _, low, high = share_interval(found, np.full(found.shape, base), 0.95, method)
        held = float(((low <= share) & (share <= high)).mean())
        # Counts are whole numbers, so no interval can hold it exactly as often.
        assert 0.935 < held < 0.975


def test_indices_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(7)
    part, share, rest, base = 0.3, 0.24, 0.15, 2_000
    truth = share / (part * share + (1 - part) * rest)
    column = random.binomial(base, part, 20_000)
    inside = random.binomial(column, share) / column
    outside = random.binomial(base - column, rest) / (base - column)
    _, low, high = index_interval(inside, column, outside, base - column, column / base, 0.95)
    held = float(((low <= truth) & (truth <= high)).mean())
    assert 0.945 < held < 0.955


def test_the_base_has_an_index_of_100_with_no_margin() -> None:
    whole = survey([[40.0]], [500], base=500)
    line = whole.intervals().iloc[0]
    assert (line["index_low"], line["index_high"], line["index_se"]) == pytest.approx((100, 100, 0))


def test_nobody_has_an_index_of_0_and_an_upper_end() -> None:
    """As if the upper end of the share were the share, and all else as it is."""
    line = survey([[0.0, 40.0]], [100, 100]).intervals().iloc[0]
    share = line["column_percentage_high"] / 100
    rest = line["row_size"] / (line["base_size"] - line["column_size"])
    part = line["column_size"] / line["base_size"]
    assert line["index_low"] == 0
    assert line["index_high"] == pytest.approx(100 * share / (part * share + (1 - part) * rest))
    assert np.isnan(line["index_se"])


SMALL = [
    (0.1, 0.02, 0.02),
    (0.1, 0.5, 0.95),
    (0.25, 0.05, 0.05),
    (0.5, 0.05, 0.05),
    (0.5, 0.1, 0.02),
    (0.5, 0.98, 0.9),
    (0.5, 0.02, 0.3),
    (0.75, 0.3, 0.1),
    (0.75, 0.95, 0.5),
    (0.9, 0.1, 0.3),
    (0.9, 0.02, 0.3),
]


@pytest.mark.parametrize(("part", "share", "rest"), SMALL)
def test_indices_of_120_respondents_hold_the_truth_in_93_of_100(
    part: float, share: float, rest: float
) -> None:
    """Symmetric intervals of the delta method hold it in 90 to 93 of 100 in seven of these."""
    random = np.random.default_rng(119)
    truth = share / (part * share + (1 - part) * rest)
    column = random.binomial(120, part, 40_000)
    column = column[(column > 0) & (column < 120)]
    inside = random.binomial(column, share) / column
    outside = random.binomial(120 - column, rest) / (120 - column)
    some = (inside > 0) | (outside > 0)  # nobody at all has no index
    _, low, high = index_interval(inside, column, outside, 120 - column, column / 120, 0.95)
    held = (low <= truth) & (truth <= high)
    assert held[some].mean() > 0.93


def test_margins_stand_beside_their_figures() -> None:
    result = survey([[20.0, 30.0], [50.0, 55.0]], [120, 240])
    frame = result.intervals()
    expected: list[str] = []
    for name in result.to_frame().columns:
        expected += [name]
        if name in FIGURES:
            expected += [f"{name}_se", f"{name}_low", f"{name}_high"]
    assert frame.columns.tolist() == expected
    assert frame[result.to_frame().columns].equals(result.to_frame())
    for name in FIGURES:
        assert (frame[f"{name}_low"] < frame[name]).all()
        assert (frame[f"{name}_high"] > frame[name]).all()


def test_the_recipe_names_level_methods_and_base() -> None:
    result = survey([[20.0, 30.0]], [120, 240])
    assert result.intervals().attrs["method_note"] == (
        "95% intervals: percentages by Wilson, indices by the Wilson intervals of "
        "the shares in them, "
        "unweighted bases (design effect 1), design unknown."
    )
    other = result.intervals(0.9, "logit", design=2, degrees_of_freedom=120)
    assert other.attrs["method_note"] == (
        "90% intervals: percentages by logit, indices by the Wilson intervals of "
        "the shares in them, "
        "effective bases (design effect 2), t with 120 degrees of freedom."
    )
    assert other.attrs["operation"] == "crosstab"


def test_a_design_effect_of_4_doubles_each_standard_error() -> None:
    result = survey([[20.0, 30.0]], [120, 240])
    plain, design = result.intervals(), result.intervals(design=4)
    for name in FIGURES:
        assert design[f"{name}_se"].tolist() == pytest.approx((2 * plain[f"{name}_se"]).tolist())


def test_design_effects_of_columns_say_nothing_of_rows_and_base() -> None:
    result = survey([[20.0, 30.0]], [120, 240], columns=("Young", "Old"))
    by_place = result.intervals(design=[1, 4])
    assert [name for name in by_place if name.endswith("_se")] == [
        "index_se",
        "column_percentage_se",
    ]
    by_name = result.intervals(design={"Old": 4, "column-1": 1})
    assert by_name.equals(by_place)
    errors = by_place["column_percentage_se"].to_numpy()
    plain = result.intervals()["column_percentage_se"].to_numpy()
    assert (errors / plain).tolist() == pytest.approx([1, 2])


def test_an_empty_column_has_no_margin_and_its_note() -> None:
    frame = crosstab(column_size=0, column_sample=0).intervals()
    assert frame[["column_percentage_low", "index_low", "index_se"]].isna().all(axis=None)
    assert (frame["note"] == "empty column").all()


def test_a_result_with_nothing_in_it_has_no_margins_and_no_fault() -> None:
    for empty in (crosstab(fill=False), stats()):
        frame = empty.intervals()
        assert len(frame) == 0
        assert sum(name.endswith("_low") for name in frame) in (3, 6)


def test_a_stats_row_has_the_margins_of_the_same_figures() -> None:
    """The base follows from the four sizes, though a stats row does not list it."""
    line = trend([36.0], sample=500).intervals(method="logit").iloc[0]
    part = 500 / 5_000
    rest = (0.3 * 5_000 - 0.36 * 500) / 4_500
    error, low, high = index_interval(*map(np.array, (0.36, 500, rest, 4_500, part)), 0.95)
    assert line["index_se"] == pytest.approx(100 * error)
    assert (line["index_low"], line["index_high"]) == pytest.approx((100 * low, 100 * high))
    _, low, high = share_interval(np.array(0.36), np.array(500), 0.95, "logit")
    assert line["column_percentage_low"] == pytest.approx(100 * low)
    assert line["column_percentage_high"] == pytest.approx(100 * high)


def test_a_stats_row_of_0_percent_takes_its_base_from_its_neighbours() -> None:
    """Its index tells nothing of it; rows of the same waves have the same base."""
    some = {"audience_size": 1_000.0, "audience_sample": 100}
    of_it = {"datapoint_size": 400.0, "datapoint_sample": 40}
    nobody = metrics(0.0, positive_sample=0)
    neighbours = [
        row("q1_2", metrics(50.0, **some, **of_it)),
        row("q1_3", metrics(250.0, **some, **of_it)),
    ]
    index = "index_high"
    alone = stats(row(figures=nobody)).intervals()
    assert np.isnan(alone[index][0])
    line = stats(row(figures=nobody), *neighbours).intervals().iloc[0]
    # A base of 2,000: 250 of 1,000 are 125 times what 400 of it are.
    high = line["column_percentage_high"] / 100
    assert line[index] == pytest.approx(100 * high / (0.5 * high + 0.5 * 400 / 1_000))
    assert line["index_low"] == 0
    elsewhere = [row("q1_2", metrics(50.0), waves=["q2_2024"])]
    assert np.isnan(stats(row(figures=nobody), *elsewhere).intervals()[index][0])


def test_shares_that_a_service_rounds_beyond_everyone_have_their_margin() -> None:
    rounded = crosstab(
        ("row",),
        ("column",),
        size=100.4,
        row_size=100.4,
        column_size=100.0,
        base_size=300.0,
        column_sample=100,
        base_sample=300,
    )
    line = rounded.intervals().iloc[0]
    assert line["column_percentage_se"] == 0
    assert line["column_percentage_high"] == 100
    assert line["column_percentage_low"] == pytest.approx(96.3, abs=0.05)


def test_a_charts_calculation_has_the_margins_of_its_groups_and_none_of_what_failed() -> None:
    figures = metrics()
    calculation = ChartCalculationResult(
        "c-1",
        (
            StatsGroup(group_id=0, attributes=[], data=[CalcData(figures, waves=["q1_2024"])]),
            StatsGroup(group_id=1, attributes=[], code=404, error="Unknown datapoint."),
        ),
    )
    frame = calculation.intervals(design=[2, 1])
    stats_line = stats(row(figures=figures)).intervals(design=2).iloc[0]
    margins = [name for name in frame if name.endswith(("_se", "_low", "_high"))]
    assert len(margins) == 9
    assert frame.loc[0, margins].tolist() == stats_line[margins].tolist()
    assert frame.loc[1, margins].isna().all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"level": 195}, "between 0.5 and 1"),
        ({"method": "wald"}, "wilson, logit, beta"),
        ({"design": 0}, "positive number"),
        ({"design": [1, 2, 3]}, "one for each of the 2 columns"),
        ({"design": {"Nobody": 2}}, "no column is called 'Nobody'"),
        ({"degrees_of_freedom": -1}, "positive number"),
    ],
)
def test_what_cannot_be_chosen_is_refused_with_what_can(
    options: dict[str, object], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        survey([[20.0, 30.0]], [120, 240]).intervals(**options)  # pyright: ignore[reportArgumentType] -- as a notebook would


def test_the_lines_of_a_stats_result_have_effects_in_order_and_not_by_name() -> None:
    with fails(ValueError):
        stats(row()).intervals(design={"Tea": 1.3})  # type: ignore[arg-type] -- a slip
