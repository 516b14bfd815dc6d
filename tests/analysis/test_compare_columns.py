"""Every pair of columns: letters, p-values, what is left out, and the recipe that says so."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from audiencelab.analysis.marks import column_letters, letter
from audiencelab.analysis.plan import MOST_TESTS
from audiencelab.expressions import Audience, Q
from audiencelab.results.crosstab import cells_of
from audiencelab.tables import Comparison, CrosstabResult
from tests.analysis.samples import survey
from tests.messages import fails
from tests.results.samples import crosstab, metrics, row, stats

# 20% against 30%, 40% and 26%, of 400 each: p = 0.001, 0.0000 and 0.042 for the first.
LADDER = survey([[20.0, 30.0, 40.0, 26.0]], [400] * 4)


def test_the_larger_share_carries_the_letter_of_the_smaller() -> None:
    assert LADDER.test().to_wide().iloc[0].tolist() == [
        "20.0",
        "30.0 A",
        "40.0 A B D",
        "26.0 A",
    ]


def test_a_small_letter_marks_the_second_level() -> None:
    table = survey([[20.0, 25.0]], [400, 400])  # p = 0.089
    assert table.test().marks().tolist() == [["", "a"]]
    assert table.test(levels=0.95).marks().tolist() == [["", ""]]
    assert table.test(levels=(0.9, 0.8)).marks().tolist() == [["", "A"]]
    assert table.test(levels=(0.8, 0.9)).marks().tolist() == [["", "A"]]


def test_letters_stand_over_their_columns() -> None:
    columns = LADDER.test().to_wide().columns
    assert columns.names == ["column", "letter"]
    assert columns.tolist() == [(f"column {place}", mark) for place, mark in enumerate("ABCD", 1)]


def test_letters_go_on_after_z() -> None:
    assert [letter(place) for place in (0, 25, 26, 51, 52, 701, 702)] == [
        "A", "Z", "AA", "AZ", "BA", "ZZ", "AAA",
    ]  # fmt: skip
    many = survey([[10.0] * 29 + [60.0]], [300] * 30).test()
    assert many.marks()[0, 29].endswith("Y Z AA AB AC")


def test_each_pair_has_a_line_with_its_p_value() -> None:
    frame = LADDER.test().to_frame()
    assert frame.columns.tolist() == [
        "row_id",
        "row",
        "column_id",
        "column",
        "other_id",
        "other",
        "percentage",
        "other_percentage",
        "difference",
        "standard_error",
        "sample",
        "other_sample",
        "base",
        "other_base",
        "z",
        "p",
        "p_adjusted",
        "level",
        "note",
    ]
    first = frame.iloc[0]
    assert (first["column"], first["other"]) == ("column 1", "column 2")
    assert (first["percentage"], first["other_percentage"]) == pytest.approx((20, 30))
    assert first["difference"] == pytest.approx(-10)
    error = (2 * 0.25 * 0.75 / 400) ** 0.5
    assert first["standard_error"] == pytest.approx(100 * error)
    assert first["z"] == pytest.approx(-0.1 / error)
    assert (first["sample"], first["base"], first["level"]) == (400, 400, 0.95)
    assert frame["column"].cat.categories.tolist() == [f"column {place}" for place in range(1, 5)]
    assert len(frame) == 6


def test_the_recipe_says_everything_that_changes_a_figure() -> None:
    assert LADDER.test().method_note == (
        "Two-sided z test of column percentages, every pair of columns, pooled, unweighted bases "
        "(design unknown), no correction, 95% and 90%, bases under 30 respondents left out, "
        "columns taken as different people."
    )
    other = LADDER.test(
        levels=0.99,
        correction="fdr",
        family="table",
        design=1.55,
        pooled=True,
        degrees_of_freedom=1200,
        nets="column 4",
        min_base=0,
    )
    assert other.method_note == (
        "Two-sided t test (1,200 degrees of freedom) of column percentages, every pair of columns, "
        "pooled, effective bases (design effect 1.55), Benjamini-Hochberg over the table, 99%, "
        "without column 4, columns taken as different people."
    )
    assert (
        other.to_frame().attrs["method_note"]
        == other.to_wide().attrs["method_note"]
        == other.method_note
    )
    assert repr(other).endswith(f"{other.method_note}>")


def test_corrections_count_the_tests_of_a_row_or_of_the_table() -> None:
    table = survey([[20.0, 30.0, 40.0], [50.0, 51.0, 52.0]], [400] * 3)
    plain = table.test().to_frame()
    by_row = table.test(correction="bonferroni").to_frame()
    by_table = table.test(correction="bonferroni", family="table").to_frame()
    assert by_row["p_adjusted"].tolist() == np.minimum(3 * plain["p"], 1).tolist()
    assert by_table["p_adjusted"].tolist() == np.minimum(6 * plain["p"], 1).tolist()
    assert by_table["p"].equals(plain["p"])


def test_columns_that_hold_others_have_no_tests_and_no_letter() -> None:
    names = ("Young", "Old", "Top two")
    table = survey([[20.0, 30.0, 25.0], [70.0, 60.0, 65.0]], [400, 400, 800], columns=names)
    with_net = table.test(correction="bonferroni", nets=["Top two"])
    assert with_net.to_wide().columns.get_level_values("letter").tolist() == ["A", "B", ""]
    assert with_net.marks().tolist() == [["", "A", ""], ["B", "", ""]]
    frame = with_net.to_frame()
    assert len(frame) == 2
    assert frame["p_adjusted"].tolist() == frame["p"].tolist()
    assert "without Top two" in with_net.method_note


def test_a_column_of_everyone_is_a_total_whatever_it_is_called() -> None:
    table = survey([[20.0, 30.0, 25.0]], [400, 400, 800], base=800, rest=0.25)
    comparison = table.test()
    assert column_letters(comparison) == ["A", "B", ""]
    assert "without column 3" in comparison.method_note
    assert comparison.to_wide().iloc[0].tolist() == ["20.0", "30.0 A", "25.0"]


@pytest.mark.parametrize("sample", [0, 29])
def test_an_empty_or_low_base_is_not_compared_and_says_so(sample: float) -> None:
    table = survey([[20.0, 30.0, 90.0]], [400, 400, sample])
    comparison = table.test(correction="bonferroni")
    frame = comparison.to_frame()
    assert frame["note"].tolist() == ["", *["base under 30" if sample else "empty column"] * 2]
    assert frame["p"].isna().tolist() == [False, True, True]
    # Its letter stays, so that the others' do not move; and it is no part of the family.
    assert column_letters(comparison) == ["A", "B", "C"]
    assert frame["p_adjusted"].iloc[0] == frame["p"].iloc[0]
    assert comparison.marks().tolist() == [["", "A", ""]]


def test_the_scale_of_weights_changes_nothing_but_weighted_bases() -> None:
    small, large = (
        survey([[20.0, 26.0, 40.0]], [400, 300, 200], people=people) for people in (1, 50_000)
    )
    for options in ({}, {"design": 1.7}, {"pooled": True}):
        first, second = (each.test(**options).to_frame() for each in (small, large))
        assert second["p"].tolist() == pytest.approx(first["p"].tolist())
    # Weights that average 1 make people of respondents; others make everything significant.
    plain = small.test()
    weighted = small.test(base="weighted")
    assert weighted.to_frame()["p"].tolist() == plain.to_frame()["p"].tolist()
    assert "weighted bases, no correction" in weighted.method_note
    inflated = large.test(base="weighted")
    assert (inflated.to_frame()["p"] < 1e-9).all()
    assert "weighted bases (50,000 people a respondent: p-values are far too small)" in (
        inflated.method_note
    )


def test_design_effects_are_given_for_all_by_column_by_name_or_by_cell() -> None:
    def bases(design: Any) -> list[float]:
        frame = LADDER.test(design=design).to_frame()
        return [*frame["base"][:1], *frame["other_base"][:3]]

    assert bases(2) == [200] * 4
    assert bases([1, 2, 4, 8]) == [400, 200, 100, 50]
    by_name = {"column 1": 1, "column-2": 2, "column 3": 4, "column 4": 8}
    assert bases(by_name) == [400, 200, 100, 50]
    assert bases(np.array([[1, 2, 4, 8]])) == [400, 200, 100, 50]
    effects = LADDER.test(design=[1, 2, 4, 8])
    assert "effective bases (design effects 1.00 to 8.00)" in effects.method_note


def test_nothing_differs_where_nothing_varies() -> None:
    same = survey([[0.0, 0.0], [100.0, 100.0]], [400, 300]).test().to_frame()
    assert same["z"].tolist() == [0, 0]
    assert same["p"].tolist() == [1, 1]
    apart = survey([[0.0, 100.0]], [400, 300]).test().to_frame()
    assert np.isfinite(apart["z"]).all()
    assert (apart["p"] < 1e-12).all()


def test_differences_to_0_and_100_percent_are_pooled_and_say_so() -> None:
    table = survey([[0.0, 3.0], [100.0, 90.0], [20.0, 30.0]], [30, 1_000])
    unpooled = table.test(pooled=False).to_frame()
    pooled = table.test(pooled=True).to_frame()
    word = "pooled, for a share of 0 or 100%"
    assert unpooled["note"].tolist() == [word, word, ""]
    assert unpooled["p"].tolist()[:2] == pooled["p"].tolist()[:2]
    assert unpooled["p"][0] > 0.3
    assert unpooled["p"][2] != pooled["p"][2]
    assert pooled["note"].tolist() == ["", "", ""]


def overlapping(shared: float) -> CrosstabResult:
    """The first two columns against themselves, of 400 each, with so many in both."""
    samples = np.array([[400.0, shared], [shared, 400.0]])
    return crosstab(
        ("column 1", "column 2"),
        ("column 1", "column 2"),
        sample=samples,
        row_sample=400.0,
        column_sample=400.0,
    )


def test_respondents_in_both_columns_are_accounted_for() -> None:
    table = survey([[20.0, 26.0]], [400, 400])
    apart, none, half, all_of_them = (
        table.test(**options)
        for options in ({}, *({"overlap": overlapping(shared)} for shared in (0, 200, 400)))
    )
    errors = [each.to_frame()["standard_error"].iloc[0] for each in (apart, none, half)]
    assert errors[0] == errors[1] > 1.3 * errors[2]
    assert all_of_them.to_frame()["standard_error"].iloc[0] < errors[2]
    assert "columns taken as different people" in apart.method_note
    assert "respondents in both columns accounted for" in half.method_note


def test_pairs_that_must_share_respondents_are_named() -> None:
    table = survey([[20.0, 26.0, 30.0]], [500, 400, 50], base=600)
    comparison = table.test()
    assert comparison.to_frame()["note"].tolist() == ["some respondents are in both", "", ""]
    assert comparison.method_note.endswith(
        "columns taken as different people although some share respondents."
    )


def test_the_overlap_is_that_of_the_same_columns() -> None:
    with fails(ValueError):
        survey([[20.0, 26.0, 30.0]], [400] * 3).test(overlap=overlapping(10))


def test_columns_on_different_waves_are_compared_and_say_so() -> None:
    table = survey([[20.0, 30.0]], [400, 400])
    figures = cells_of(table).figures(np.array([0]), np.array([1]))
    figures[0, -1] = 500  # another base: the cell rests on other waves
    cells_of(table).withdraw(np.array([0]), np.array([1]))
    cells_of(table).store(np.array([0]), np.array([1]), figures)
    frame = table.test().to_frame()
    assert frame["note"].tolist() == ["on different waves"]
    assert frame["level"].tolist() == [0.95]


def test_a_service_that_leaves_samples_out_leaves_nothing_to_test() -> None:
    frame = crosstab(column_sample=np.nan).test().to_frame()
    assert frame["p"].isna().all()
    assert set(frame["note"]) == {"no figure"}


def test_a_cell_that_has_not_arrived_is_not_compared() -> None:
    table = survey([[20.0, 30.0, 40.0]], [400] * 3)
    cells_of(table).withdraw(np.array([0]), np.array([1]))
    comparison = table.test()
    assert comparison.to_frame()["note"].tolist() == ["no figure", "", "no figure"]
    assert comparison.to_wide().iloc[0].tolist() == ["20.0", "–", "40.0 A"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"levels": 195}, r"Level 195 is not valid.*between 0\.5 and 1\. Write 0\.95"),
        ({"levels": ()}, "one level or two"),
        ({"levels": (0.99, 0.95, 0.9)}, "one level or two"),
        ({"correction": "tukey"}, "none, bonferroni, holm, benjamini-hochberg"),
        ({"family": "column"}, "row, table"),
        ({"base": "net"}, "unweighted, weighted, effective"),
        ({"base": "effective"}, "design=1.5"),
        ({"base": "weighted", "design": 2}, "leave out"),
        ({"design": -1}, "positive number"),
        ({"design": [1, 2]}, "one for each of the 4 columns"),
        ({"design": {"column 1": 1}}, "none is given for 'column 2'"),
        ({"degrees_of_freedom": 0}, "positive number"),
        ({"nets": "Total"}, "No row or column is called 'Total'"),
        ({"nets": ["column 1", "column 2", "column 3"]}, "no two columns"),
    ],
)
def test_what_cannot_be_chosen_is_refused_with_what_can(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        LADDER.test(**options)


def test_more_tests_than_anybody_reads_are_refused() -> None:
    columns = int((2 * MOST_TESTS) ** 0.5) + 2
    with fails(ValueError):
        survey([[20.0] * columns], [400] * columns).test()


def test_audiences_and_segments_of_a_stats_result_are_columns_too() -> None:
    result = stats(
        *(
            row(point, metrics(share, audience_sample=400), segment=segment)
            for point, shares in (("q1_1", (200, 300)), ("q1_2", (500, 510)))
            for segment, share in zip(("q1_2024", "q2_2024"), shares, strict=True)
        ),
        splitter="q9",
    )
    comparison = result.test()
    assert comparison.to_wide().to_numpy().tolist() == [["20.0", "30.0 A"], ["50.0", "51.0"]]
    assert comparison.to_wide().columns.get_level_values("column").tolist() == [
        "Q1 2024",
        "Q2 2024",
    ]
    frame = comparison.to_frame()
    assert frame["datapoint_label"].tolist() == ["Tea", "Coffee"]
    assert comparison.method_note.startswith("Two-sided z test of audience percentages")


def test_audiences_of_a_stats_result_may_share_respondents_too() -> None:
    audiences = tuple(
        Audience(name, Q("q9").any(f"q9_{place}"), id=f"a-{place}")
        for place, name in enumerate(("column 1", "column 2"))
    )
    result = stats(
        *(
            row("q1_1", metrics(share, audience_sample=400), audience=audience.id)
            for share, audience in zip((200, 260), audiences, strict=True)
        ),
        audiences=audiences,
    )
    apart = result.test().to_frame().iloc[0]
    shared = result.test(overlap=overlapping(200)).to_frame().iloc[0]
    assert shared["standard_error"] < 0.8 * apart["standard_error"]
    assert (shared["column"], shared["other"]) == ("column 1", "column 2")


def test_an_audience_of_everyone_holds_the_others_of_a_stats_result() -> None:
    everyone = Audience("All", id="a-0")
    others = [Audience(name, Q("q9").any(name), id=name) for name in ("Young", "Old")]

    def compared(*segments: str | None) -> Comparison:
        rows = [
            row("q1_1", metrics(share, audience_sample=400), audience=audience.id, segment=segment)
            for segment in segments
            for share, audience in zip((250, 200, 300), (everyone, *others), strict=True)
        ]
        more = {"splitter": "q8"} if segments[0] else {}
        return stats(*rows, audiences=(everyone, *others), **more).test()

    assert column_letters(compared(None)) == ["", "A", "B"]
    assert "without All" in compared(None).method_note
    # Everyone in one segment is nobody of another.
    assert column_letters(compared("q8_1", "q8_2")) == list("ABCDEF")


def test_a_comparison_can_be_kept() -> None:
    comparison = LADDER.test()
    kept = pickle.loads(pickle.dumps(comparison))
    assert kept.to_wide().equals(comparison.to_wide())
    assert kept.method_note == comparison.method_note


@pytest.mark.parametrize(
    ("level", "meant"),
    [
        *[("0.95", 0.95), (195, 0.95), (50, 0.95), (0.05, 0.95), (0.01, 0.99)],
        *[(0, 0.95), (0.5, 0.95), (1, 0.95), (None, 0.95), (True, 0.95)],
    ],
)
def test_a_level_is_a_confidence_level_and_others_are_refused_with_what_was_meant(
    level: Any, meant: float
) -> None:
    with pytest.raises(ValueError, match=rf"between 0\.5 and 1\. Write {meant}\.$"):
        LADDER.test(levels=level if isinstance(level, str) else (level,))
