"""What is typed at a drawing as if it were an altair chart: told where that is, and the way on."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import altair as alt
import pytest

from audiencelab import charts
from tests.results.samples import NOTHING, by_wave, crosstab, row, stats


def bars() -> Any:
    return charts.bar(stats(row()))


@pytest.mark.parametrize("name", ["properties", "configure_axis", "show", "display"])
def test_a_wrong_name_is_answered_with_the_right_ones(name: str) -> None:
    with pytest.raises(AttributeError, match=r"display\(chart\); \.save.*\.altair is the altair"):
        getattr(bars(), name)
    assert not hasattr(bars(), "_repr_png_")


def test_drawings_are_joined_in_the_way_that_the_error_tells() -> None:
    others = (charts.trend(by_wave(["q1_2024"])), charts.heatmap(crosstab()))
    for join in (lambda one, other: one | other, lambda one, other: one & other):
        with pytest.raises(TypeError, match=r"without its theme: .* one\.config = alt\.Undefined"):
            join(bars(), others[0])
        for drawing in others:
            one, other = bars().altair.copy(), drawing.altair.copy()
            theme = one.config
            one.config = other.config = alt.Undefined
            both = join(one, other).configure(**theme.to_dict())
            assert charts.Chart(both, "both").svg().startswith("<svg")
    with pytest.raises(TypeError, match="combined as altair charts"):
        _ = bars() + bars()


EMOJI = "\N{GRINNING FACE}" * 40


@pytest.mark.parametrize("draw", [charts.bar, charts.heatmap, charts.dots])
def test_names_of_emoji_too_long_for_their_place_are_drawn(draw: Any) -> None:
    """Vega cuts a label between the two halves of such a character, which cannot be drawn."""
    for name in (EMOJI, f"A{EMOJI}", f"{EMOJI[:20]} and so on, and so on, and so on {EMOJI}"):
        svg = draw(crosstab(("Tea", name), (name, f"{name}!"))).svg()
        assert "\N{GRINNING FACE}" in svg


def test_names_of_emoji_that_differ_are_not_drawn_as_one() -> None:
    svg = charts.heatmap(crosstab(("Tea",), (EMOJI, f"{EMOJI}!", f"{EMOJI}?"))).svg()
    labels = {each for each in re.findall(">([^<]*)<", svg) if "\N{GRINNING FACE}" in each}
    assert len(labels) == 3


@pytest.mark.parametrize("draw", [charts.bar, charts.heatmap, charts.dots, charts.stack])
def test_an_empty_base_is_said_in_place_of_an_empty_plot(draw: Any) -> None:
    if draw is not charts.stack:
        empty = crosstab(base_size=0, base_sample=0, column_size=0, column_sample=0, row_size=0)
        assert "No figures: empty base" in draw(empty).svg()
    nobody = stats(row(figures=NOTHING), row("q1_2", figures=NOTHING))
    assert "No figures: empty base" in draw(nobody).svg()
    assert "No figures" not in charts.bar(stats(row(), row("q1_2", figures=NOTHING))).svg()


def test_it_is_copied_and_pickled_as_ever() -> None:
    drawing = bars()
    for made in (copy.copy(drawing), pickle.loads(pickle.dumps(drawing))):
        assert made.svg() == drawing.svg()
