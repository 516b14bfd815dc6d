"""Bubbles lie at share and index, are as large as their people, and leave nobody out in silence."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from audiencelab import charts
from audiencelab.charts.selection import with_selection
from audiencelab.tables import CrosstabResult
from tests.charts.test_charts import HOSTILE, texts
from tests.results.samples import counted, crosstab, stats
from tests.tables.test_profile import profile

ROWS = ("Tea", "Coffee", "Water", "Milk")
PEOPLE = np.array([[400.0, 100], [100, 400], [50, 100], [0, 200]])


def table() -> CrosstabResult:
    return counted(ROWS, ("Young", "Old"), PEOPLE)


def drawn(drawing: charts.Chart) -> dict[str, dict[str, float]]:
    """The bubbles by name, as the chart was given them."""
    data = drawing.to_dict()["datasets"].values()
    return {each["name"]: each for one in data for each in one if "radius" in each}


def subtitle(drawing: charts.Chart) -> str:
    return " | ".join(drawing.to_dict()["title"]["subtitle"])


def test_a_bubble_lies_at_the_share_and_the_index_of_its_row() -> None:
    bubbles = drawn(charts.bubble(table(), "Young"))
    young, everyone = PEOPLE[:, 0], PEOPLE.sum(axis=1)
    for row, name in enumerate(ROWS[:3]):
        share = 100 * young[row] / young.sum()
        assert bubbles[name]["share"] == pytest.approx(share)
        base = 100 * everyone[row] / PEOPLE.sum()
        assert bubbles[name]["index"] == pytest.approx(100 * share / base)


def test_a_profile_is_drawn_without_the_rare_and_its_own() -> None:
    names = set(drawn(charts.bubble(profile())))
    assert names == {"Drinks – Tea", "Pets – Cat", "Drinks – Coffee"}


def test_areas_are_people() -> None:
    bubbles = drawn(charts.bubble(table(), "Young"))
    assert bubbles["Tea"]["radius"] ** 2 / bubbles["Coffee"]["radius"] ** 2 == pytest.approx(4)


def test_the_scale_is_logarithmic_and_has_100_in_it() -> None:
    alike = counted(ROWS[:2], ("Young", "Old"), [[100.0, 102], [100, 98]])
    for each in (table(), alike):
        spec = charts.bubble(each, "Young").to_dict()
        [scale] = {
            json.dumps(layer["encoding"]["y"]["scale"])
            for layer in spec["layer"]
            if layer.get("encoding", {}).get("y", {}).get("scale")
        }
        low, high = json.loads(scale)["domain"]
        assert json.loads(scale)["type"] == "log"
        # A little more or less than 100 must not fill the picture.
        assert low <= 80
        assert high >= 125


def test_over_and_under_100_have_colours_of_their_own() -> None:
    bubbles = drawn(charts.bubble(table(), "Young"))
    assert {name: each["side"] for name, each in bubbles.items()} == {
        "Tea": "over",
        "Coffee": "under",
        "Water": "under",
    }


def test_rows_of_nobody_have_no_place_and_are_counted() -> None:
    drawing = charts.bubble(table(), "Young")
    assert "Milk" not in texts(drawing.svg())
    assert "1 of 4 rows with nobody left out" in subtitle(drawing)


def test_the_limit_keeps_the_largest_and_says_so() -> None:
    drawing = charts.bubble(table(), "Young", limit=2)
    assert list(drawn(drawing)) == ["Tea", "Coffee"]
    assert "the 2 largest of 3 rows" in subtitle(drawing)
    for limit in (0, 301):
        with pytest.raises(ValueError, match="at least 1 and at most 300"):
            charts.bubble(table(), "Young", limit=limit)


def test_a_low_base_is_pale_and_starred() -> None:
    drawing = charts.bubble(counted(ROWS, ("Young", "Old"), PEOPLE / 20), "Young")
    assert {"Tea **", "Coffee **"} <= set(texts(drawing.svg()))
    assert 'opacity="0.3"' in drawing.svg()
    assert "fewer than 100 respondents" in subtitle(drawing)
    assert 'opacity="0.3"' not in charts.bubble(table(), "Young").svg()


def test_a_column_is_named_where_there_are_several() -> None:
    assert list(drawn(charts.bubble(table(), "column-2"))) == ["Coffee", "Milk", "Tea", "Water"]
    with pytest.raises(ValueError, match=r"Which column.*'Young', 'Old'"):
        charts.bubble(table())
    with pytest.raises(ValueError, match="No one column 'Middle-aged'"):
        charts.bubble(table(), "Middle-aged")


def test_many_bubbles_are_smaller_and_what_has_no_room_for_its_name_is_counted() -> None:
    rows = tuple(f"An answer with a name of some length {place}" for place in range(100))
    rng = np.random.default_rng(7)
    many = counted(rows, ("Young", "Old"), rng.integers(100, 130, (100, 2)).astype(float))
    drawing = charts.bubble(many, "Young", limit=100)
    assert max(each["radius"] for each in drawn(drawing).values()) < 11
    [unnamed] = map(int, re.findall(r"(\d+) without room for a name", subtitle(drawing)))
    named = [text for text in texts(drawing.svg()) if text.startswith("An answer")]
    assert len(named) == 100 - unnamed


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_hostile_names_are_text_and_nothing_draws_as_nothing(theme: str) -> None:
    svg = charts.bubble(counted((HOSTILE, "Tea"), (HOSTILE,), [[200.0], [300]]), theme=theme).svg()
    assert "<script" not in svg
    assert any("<script>" in text for text in texts(svg))
    assert charts.bubble(crosstab(columns=("Tea",), fill=False), theme=theme).svg()
    one = charts.bubble(counted(("Tea",), ("Young",), [[200.0]]), theme=theme)
    assert math.isclose(drawn(one)["Tea"]["index"], 100)


def test_what_is_no_crosstab_is_refused_with_advice() -> None:
    with pytest.raises(TypeError, match=r"client\.crosstab\(…\) .*returned"):
        charts.bubble(stats())


def test_bubbles_can_be_selected_as_lines_of_the_frame() -> None:
    drawing = charts.bubble(table(), "Old")
    frame = table().to_frame()
    for name, each in drawn(drawing).items():
        line = frame.iloc[int(each["line"])]
        assert (line["row"], line["column"]) == (name, "Old")
    assert with_selection(drawing.to_dict())["params"]
