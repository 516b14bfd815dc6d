"""A column against the rest of its base, and a wave against the one before."""

from __future__ import annotations

import pytest

from tests.analysis.samples import survey, trend
from tests.messages import fails
from tests.results.samples import by_wave, crosstab, stats


def test_a_cell_above_the_rest_points_up() -> None:
    table = survey([[20.0, 26.5, 50.0]], [400, 400, 400], base=1_600, rest=0.2)
    comparison = table.test(vs="rest")
    assert comparison.marks().tolist() == [["▼", "", "▲"]]
    assert comparison.to_wide().iloc[0].tolist() == ["20.0 ▼", "26.5", "50.0 ▲"]


def test_the_rest_is_everyone_else_in_the_base() -> None:
    table = survey([[20.0, 40.0]], [400, 200], base=1_000, rest=0.1)
    first = table.test(vs="rest").to_frame().iloc[0]
    # 80 of 200 in the other column, and 40 of the 400 in neither.
    assert first["other_percentage"] == pytest.approx(100 * 120 / 600)
    assert (first["other"], first["other_sample"]) == ("rest", 600)
    error = (0.2 * 0.8 / 400 + 0.2 * 0.8 / 600) ** 0.5
    assert first["standard_error"] == pytest.approx(100 * error)


def test_against_the_base_it_is_the_same_test() -> None:
    """As the formula for a part and its whole: p q (1/n - 1/N), pooled."""
    table = survey([[20.0, 40.0]], [400, 200], base=1_000, rest=0.1)
    rest = table.test(vs="rest", pooled=True).to_frame().iloc[0]
    base = table.test(vs="total", pooled=True).to_frame().iloc[0]
    whole = 0.2
    assert base["other_percentage"] == pytest.approx(100 * whole)
    assert base["other_sample"] == 1_000
    assert base["standard_error"] == pytest.approx(
        100 * (whole * (1 - whole) * (1 / 400 - 1 / 1_000)) ** 0.5
    )
    assert (base["z"], base["p"]) == pytest.approx((rest["z"], rest["p"]))


def test_the_recipe_names_what_it_is_set_against() -> None:
    table = survey([[20.0, 40.0]], [400, 200], base=1_000)
    assert table.test(vs="rest", correction="fdr", family="table").method_note == (
        "Two-sided z test of column percentages, each column against the rest of its base, "
        "pooled, unweighted bases (design unknown), Benjamini-Hochberg over the table, "
        "95% and 90%, bases under 30 respondents left out."
    )
    base = table.test(vs="total").method_note
    assert "each column against the whole base, of which it is a part" in base
    with fails(ValueError):
        table.test(vs="base")  # pyright: ignore[reportArgumentType] -- what is refused


def test_a_small_rest_is_a_low_base() -> None:
    table = survey([[20.0]], [400], base=420)
    assert table.test(vs="rest").to_frame()["note"].tolist() == ["base under 30"]


def test_figures_that_a_service_rounds_make_no_share_beyond_0_and_100() -> None:
    table = crosstab(
        ("row",),
        ("column",),
        size=100.4,
        row_size=100.0,
        column_size=100.0,
        base_size=300.0,
        column_sample=100,
        base_sample=300,
    )
    line = table.test(vs="rest").to_frame().iloc[0]
    assert (line["percentage"], line["other_percentage"]) == (100, 0)


def test_each_wave_is_compared_with_the_one_before() -> None:
    comparison = trend([20.0, 30.0, 31.0, 25.5]).test(vs="previous wave")
    assert comparison.to_wide().iloc[0].tolist() == ["20.0", "30.0 ▲", "31.0", "25.5 ▽"]
    frame = comparison.to_frame()
    assert frame["wave"].tolist() == ["w2", "w3", "w4"]
    assert frame["previous"].tolist() == ["w1", "w2", "w3"]
    assert frame["datapoint_label"].tolist() == ["Tea"] * 3
    assert frame["difference"].tolist() == pytest.approx([10, 1, -5.5])


def test_a_wave_that_did_not_ask_is_passed_over() -> None:
    comparison = trend([20.0, None, 30.0]).test(vs="previous wave")
    frame = comparison.to_frame()
    assert frame["wave"].tolist() == ["w2", "w3"]
    assert frame["previous"].tolist() == ["w1", "w1"]
    assert frame["note"].tolist() == ["no wave in common", ""]
    assert comparison.to_wide().iloc[0].tolist() == ["20.0", "–", "30.0 ▲"]


def test_waves_are_taken_as_separate_samples() -> None:
    assert trend([20.0, 30.0]).test(vs="previous wave", correction="holm").method_note == (
        "Two-sided z test of audience percentages, each wave against the one before it that asked, "
        "pooled, unweighted bases (design unknown), Holm within each row, 95% and 90%, bases "
        "under 30 respondents left out, waves taken as separate samples."
    )


def test_design_effects_of_waves_go_by_their_names() -> None:
    effects = {"w1": 1.0, "w2": 4.0}
    frame = trend([20.0, 30.0]).test(vs="previous wave", design=effects).to_frame()
    assert (frame["base"].iloc[0], frame["other_base"].iloc[0]) == (100, 400)


def test_datapoints_and_audiences_have_a_trend_each() -> None:
    result = by_wave(["q1_2024", "q2_2024"], datapoints=2)
    frame = result.test(vs="previous wave").to_frame()
    assert frame["datapoint"].tolist() == ["q1_1", "q1_2"]
    assert frame["wave_label"].tolist() == ["Q2 2024"] * 2


def test_without_waves_there_is_nothing_to_compare() -> None:
    with fails(ValueError):
        stats().test(vs="previous wave")
    with fails(ValueError):
        stats(splitter="waves").test(vs="previous wave")
