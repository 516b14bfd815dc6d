"""Ordered answers have ordered shades, and a total of the two at the top."""

from __future__ import annotations

from typing import Any

import pytest

from audiencelab import charts, connect
from audiencelab.charts.stacks import Scale, read_scale, shades
from audiencelab.charts.theme import DARK, LIGHT, Look
from tests.charts.test_charts import contrast, texts

AGREEMENT = [
    "Strongly agree",
    "Agree",
    "Neither agree nor disagree",
    "Disagree",
    "Strongly disagree",
]
OFTEN = ["Several times a day", "About once a day", "Several times a week", "Less often"]


def found(answers: list[str], *, known: bool = False) -> Scale:
    scale = read_scale(answers, known=known)
    assert scale is not None
    return scale


def test_agreement_is_a_scale_of_two_ends_in_either_order() -> None:
    assert found(AGREEMENT).top == ("Strongly agree", "Agree")
    assert found(AGREEMENT[::-1]).top == ("Agree", "Strongly agree")
    assert found(["Much worse", "Worse", "The same", "Better", "Much better"]).descending is False


def test_answers_without_an_order_are_not_a_scale() -> None:
    assert read_scale(["Dog", "Cat", "Fish", "Bird"], known=False) is None
    assert read_scale(["Yes", "No"], known=True) is None


def test_a_grid_s_scale_has_an_order_and_its_top_is_what_happens_most() -> None:
    assert found(OFTEN, known=True).top == tuple(OFTEN[:2])
    assert found(["Never", "Rarely", "Sometimes", "Often"], known=True).top == (
        "Sometimes",
        "Often",
    )


def test_a_total_of_the_top_two_needs_four_answers() -> None:
    assert found(["Agree", "Neither", "Disagree"]).top == ()


def luminance_against(ground: str, colours: list[str]) -> list[float]:
    return [contrast(colour, ground) for colour in colours]


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("number", range(3, 9))
def test_shades_fall_towards_the_ground_and_are_all_different(colours: Look, number: int) -> None:
    answers = [f"Step {place}" for place in range(number)]
    ramp = shades(found(answers, known=True), answers, colours)
    strength = luminance_against(colours.ground, ramp)
    assert strength == sorted(strength, reverse=True)
    assert len(set(ramp)) == number


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_two_ends_have_two_hues_and_what_is_outside_the_scale_is_grey(colours: Look) -> None:
    answers = [*AGREEMENT, "Don't know"]
    good, fair, middle, poor, bad, outside = shades(found(answers), answers, colours)
    assert {good, fair} <= {*colours.favourable}
    assert {poor, bad} <= {*colours.unfavourable}
    assert (middle, outside) == (colours.neutral, colours.outside)
    for strong, weak in ((good, fair), (bad, poor)):
        assert contrast(strong, colours.ground) > contrast(weak, colours.ground)
    turned = answers[:5][::-1]
    assert shades(found(turned), turned, colours) == [bad, poor, middle, fair, good]


def test_a_stack_of_a_scale_shows_the_total_of_its_top_two() -> None:
    with connect() as client:
        grid = client.grid("q22", datapoints=["q22_1"])
        drawing: Any = charts.stack(grid)
        shares = grid.to_frame().set_index("suffix_label")["audience_percentage"]
    total = shares["Strongly agree"] + shares["Somewhat agree"]
    shown = texts(drawing.svg())
    assert f"{total:.1f}%" in shown
    assert any("total: Strongly agree + Somewhat agree" in each for each in shown)
