"""Colours of charts and slides can be told apart, by the colour-blind too, and show an order."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from audiencelab.analysis.chart_plan import MAX_SERIES
from audiencelab.charts.theme import look
from audiencelab.render.colours import DARK, LIGHT, Look, scale_colours, series_colours
from audiencelab.schema.scales import Scale
from tests.charts.samples import contrast
from tests.render.sight import SIGHTS, ciede2000, distance

FIVE = tuple("12345")
NO_ONE = frozenset[str]()

both = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.49, -0.001), (50, -2.49, 0.0011), 7.2195),
        ((50, 2.5, 0), (58, 24, 15), 19.4535),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_distances_are_those_that_the_authors_published(
    one: tuple[float, ...], other: tuple[float, ...], expected: float
) -> None:
    assert ciede2000(np.array(one), np.array(other)) == pytest.approx(expected, abs=5e-5)


@both
@pytest.mark.parametrize("sight", SIGHTS)
def test_every_two_series_differ(colours: Look, sight: str) -> None:
    assert len(colours.series) == len(colours.steps) == MAX_SERIES
    assert min(distance(*pair, sight) for pair in combinations(colours.series, 2)) >= 10
    assert min(distance(*pair, sight) for pair in combinations(colours.steps, 2)) >= 8


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("palette", ["blue", "green", "orange", "purple", "grey"])
def test_shades_of_one_hue_differ(theme: str, palette: str) -> None:
    colours = look(theme, palette)
    assert min(distance(*pair) for pair in combinations(colours.series, 2)) >= 6
    assert sorted(colours.steps) == sorted(colours.series)
    strength = [contrast(each, colours.ground) for each in colours.steps]
    assert strength == sorted(strength, reverse=True)


def test_series_with_an_order_are_steps_of_one_ramp() -> None:
    assert series_colours(3, LIGHT, in_order=True) == [LIGHT.steps[at] for at in (0, 2, 5)]
    assert series_colours(8, LIGHT)[:6] == [*LIGHT.series]


@both
@pytest.mark.parametrize("number", range(3, 9))
def test_parts_fade_towards_the_ground_and_neighbours_differ(colours: Look, number: int) -> None:
    answers = tuple(f"s_{at}" for at in range(number))
    scale = Scale(answers, "first", NO_ONE, "amount")
    ramp = scale_colours(scale, answers, colours)
    strength = [contrast(shade, colours.ground) for shade in ramp]
    assert strength == sorted(strength, reverse=True)
    for sight in SIGHTS:
        assert min(distance(*pair, sight) for pair in pairwise(ramp)) >= 4
    assert scale_colours(replace(scale, top=None), answers, colours) == ramp[::-1]


@both
@pytest.mark.parametrize("number", range(3, 9))
@pytest.mark.parametrize("top", ["first", "last", "none", None])
def test_neighbours_around_a_middle_differ(colours: Look, number: int, top: str | None) -> None:
    answers = tuple(f"s_{at}" for at in range(number))
    ramp = scale_colours(Scale(answers, top, NO_ONE, "opposite"), answers, colours)  # type: ignore[arg-type]
    for sight in SIGHTS:
        assert min(distance(*pair, sight) for pair in pairwise(ramp)) >= 6


@both
def test_opposite_ends_have_two_hues_and_other_answers_are_grey(colours: Look) -> None:
    scale = Scale(FIVE, "first", frozenset("6"), "opposite")
    good, fair, middle, poor, bad, outside = scale_colours(scale, "123456", colours)
    assert {good, fair} <= {*colours.favourable}
    assert {poor, bad} <= {*colours.unfavourable}
    assert (middle, outside) == (colours.neutral, colours.outside)
    for strong, weak in ((good, fair), (bad, poor)):
        assert contrast(strong, colours.ground) > contrast(weak, colours.ground)
    turned = scale_colours(replace(scale, top="last"), "12345", colours)
    assert turned == [bad, poor, middle, fair, good]
    assert scale_colours(scale, "245", colours) == [fair, poor, bad], "some keep their colours"


@both
def test_colours_do_not_say_which_end_is_the_top_where_that_is_not_known(colours: Look) -> None:
    ramp = scale_colours(Scale(FIVE, None, NO_ONE, "opposite"), "12345", colours)
    assert not {*ramp} & {*colours.favourable, *colours.unfavourable}
    assert ramp[2] == colours.neutral
