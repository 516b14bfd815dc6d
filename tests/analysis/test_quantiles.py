"""Groups of about as many people: cuts between whole answers, and what came of them."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.analysis.disjointness import OverlappingAnswers
from audiencelab.analysis.quantiles import QuantileGroups, quantile_groups
from audiencelab.expressions import Audience, Q
from audiencelab.tables import StatsResult
from tests.messages import fails
from tests.results.samples import HOSTILE, metrics, row, stats


def asked(sizes: list[float], respondents: int | None = None) -> StatsResult:
    """A question of one answer each, given by so many people and a hundredth of the respondents."""
    samples = [int(size) for size in sizes]
    whole = sum(samples) if respondents is None else respondents
    total = sum(sizes)
    return stats(
        *(
            row(
                f"q1_{number}",
                metrics(
                    size,
                    positive_sample=sample,
                    audience_sample=whole,
                    audience_size=float(total),
                    datapoint_size=size,
                    audience_index=100.0 if size else 0.0,
                ),
            )
            for number, (size, sample) in enumerate(zip(sizes, samples, strict=True), start=1)
        )
    )


def midpoints(count: int) -> dict[str, float]:
    return {f"q1_{number}": float(number) for number in range(1, count + 1)}


def made(sizes: list[float], count: int) -> QuantileGroups:
    return quantile_groups(asked(sizes), midpoints(len(sizes)), count)


def test_cuts_come_nearest_to_equal_parts_and_say_what_came_of_it() -> None:
    groups = made([20, 20, 20, 20, 10, 10], 3)
    assert list(groups) == [
        Audience("Lower third", Q("q1").any("q1_1", "q1_2")),
        Audience("Middle third", Q("q1").any("q1_3")),
        Audience("Upper third", Q("q1").any("q1_4", "q1_5", "q1_6")),
    ]
    frame = groups.to_frame()
    assert frame["percentage"].tolist() == [40.0, 20.0, 40.0]
    assert frame["aimed"].tolist() == pytest.approx([100 / 3] * 3)
    assert frame["size"].tolist() == [40.0, 20.0, 40.0]
    assert frame["sample"].tolist() == [40.0, 20.0, 40.0]
    assert frame["answers"][0] == "Tea; Coffee"
    assert "cut where the cumulative shares" in frame.attrs["method_note"]


def test_answers_go_by_their_midpoints_not_by_their_places() -> None:
    groups = quantile_groups(asked([10, 20, 30]), {"q1_1": 9, "q1_2": 1, "q1_3": 5}, 2)
    assert [each.expression for each in groups] == [
        Q("q1").any("q1_2"),
        Q("q1").any("q1_3", "q1_1"),
    ]


def test_answers_of_one_amount_are_in_one_group() -> None:
    """Half would be reached within the second amount, which three answers share."""
    amounts = {"q1_1": 1.0, "q1_2": 2.0, "q1_3": 2.0, "q1_4": 2.0, "q1_5": 3.0}
    lower, upper = quantile_groups(asked([20, 20, 10, 15, 35]), amounts, 2)
    assert lower.expression == Q("q1").any("q1_1", "q1_2", "q1_3", "q1_4")
    assert upper.expression == Q("q1").any("q1_5")
    with fails(ValueError):
        quantile_groups(asked([20, 20, 10, 15, 35]), amounts, 4)


def test_what_has_no_midpoint_is_in_no_group() -> None:
    groups = quantile_groups(asked([10, 20, 30]), {"q1_1": 1, "q1_3": 5}, 2)
    assert groups.left_out == ("Coffee",)
    assert groups.percentages.tolist() == [25.0, 75.0]
    assert groups.method_note.endswith("left out: Coffee.")


def test_without_midpoints_answers_stand_as_they_are_listed_and_it_says_so() -> None:
    groups = quantile_groups(asked([30, 30, 30]), {}, 3)
    assert [each.expression for each in groups] == [Q("q1").any(f"q1_{n}") for n in (1, 2, 3)]
    assert "which have no midpoints" in groups.method_note


@pytest.mark.parametrize(
    ("count", "first", "last"),
    [
        (2, "Lower half", "Upper half"),
        (3, "Lower third", "Upper third"),
        (4, "Lowest quarter", "Highest quarter"),
        (5, "Lowest fifth", "Highest fifth"),
        (7, "Group 1 of 7", "Group 7 of 7"),
        (10, "Lowest tenth", "Highest tenth"),
    ],
)
def test_groups_have_the_names_that_people_use(count: int, first: str, last: str) -> None:
    names = [each.name for each in made([10.0] * 10, count)]
    assert (names[0], names[-1], len(set(names))) == (first, last, count)


@given(
    st.lists(st.integers(0, 60), min_size=2, max_size=9).filter(lambda sizes: sum(sizes) > 0),
    st.integers(2, 5),
)
def test_no_other_cuts_are_nearer(sizes: list[int], count: int) -> None:
    given_answers = [place for place, size in enumerate(sizes) if size]
    if len(given_answers) < count:
        with pytest.raises(ValueError, match=f"do not make {count} groups"):
            made(list(map(float, sizes)), count)
        return
    groups = made(list(map(float, sizes)), count)
    assert groups.sizes.min() > 0
    assert groups.sizes.sum() == sum(sizes)

    def distance(ends: tuple[int, ...]) -> float:
        reached = [sum(sizes[: end + 1]) / sum(sizes) for end in ends]
        return sum(abs(share - k / count) for k, share in enumerate(reached, start=1))

    nearest = min(map(distance, combinations(given_answers[:-1], count - 1)))
    shares = groups.percentages.cumsum()[:-1] / 100
    found = sum(abs(share - k / count) for k, share in enumerate(shares, start=1))
    assert found == pytest.approx(nearest, abs=1e-12)
    # Every answer is in one group, and groups are neighbours.
    codes = [each.expression.datapoints for each in groups]  # type: ignore[union-attr]  # each is a leaf
    places = [int(code.removeprefix("q1_")) for group in codes for code in group]
    assert places == list(range(1, len(sizes) + 1))
    assert all(one[-1] != two[0] for one, two in pairwise(codes))


def test_a_question_of_several_answers_is_refused() -> None:
    with fails(OverlappingAnswers):
        quantile_groups(asked([60, 60], respondents=100), {}, 2)
    with fails(OverlappingAnswers):
        quantile_groups(asked([30, 30], respondents=100), {}, 2)
    assert len(quantile_groups(asked([30, 30], respondents=100), {}, 2, disjoint=True)) == 2


@pytest.mark.parametrize("count", [1, 0, 2.0, True, "3"])
def test_the_number_of_groups_is_two_or_more(count: int) -> None:
    with fails(ValueError):
        made([10, 10, 10], count)


def test_one_column_is_grouped() -> None:
    two = stats(row(audience="a"), row("q1_2", audience="a"), audiences=(Audience("A", id="a"),))
    with fails(ValueError):
        quantile_groups(two, {}, 2)


def test_it_shows_itself_in_words_and_as_a_table() -> None:
    groups = made([10, 20, 30], 2)
    assert repr(groups).splitlines()[0] == "Lower half: 50.0% (Tea; Coffee)"
    shown = groups._repr_html_()
    assert "aimed at 50.0" in shown
    hostile = QuantileGroups(
        HOSTILE,
        tuple(each.renamed(HOSTILE) for each in groups),
        ((HOSTILE,), (HOSTILE,)),
        groups.sizes,
        groups.samples,
        (),
        HOSTILE,
        {},
    )
    assert "<script" not in hostile._repr_html_()
