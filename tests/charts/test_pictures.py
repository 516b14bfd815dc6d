"""The code in the guides runs and renders the charts that they show."""

from __future__ import annotations

import re

import pytest

from audiencelab.results.record import without_run
from tests.charts.pictures import DOCS, IMAGES, guides, pictures
from tests.charts.samples import texts

REMEDY = "draw the pictures of the guides again: make pictures"


@pytest.mark.parametrize("guide", [page.name for page in guides()])
def test_the_images_of_a_guide_equal_the_output_of_its_code(guide: str) -> None:
    for extra in ("anywidget", "scipy"):
        pytest.importorskip(extra, reason="guides use the extras widgets and stats")
    [page] = [each for each in guides() if each.name == guide]
    shown = list(pictures(page))
    assert len({picture.name for picture in shown}) == len(shown) > 0
    for picture in shown:
        stored = picture.file.read_text(encoding="utf-8")
        # Where letters stand depends on the fonts of a machine; what they say does not.
        assert words(stored) == words(picture.drawing.svg()), REMEDY


def words(svg: str) -> list[str]:
    return sorted(without_run(" ".join(texts(svg))).split())


def test_every_image_exists_in_both_themes_and_is_used() -> None:
    shown = {
        name
        for page in guides()
        for name in re.findall(r"images/(chart-\S+\.svg)", page.read_text(encoding="utf-8"))
    }
    assert shown == {file.name for file in IMAGES.glob("chart-*.svg")}
    assert {name.replace("-light", "-dark") for name in shown if "-light" in name} == {
        name for name in shown if "-dark" in name
    }


def test_every_kind_of_chart_is_in_the_guide_to_charts() -> None:
    from audiencelab import charts

    page = (DOCS / "how-to" / "charts.md").read_text(encoding="utf-8")
    drawn = set(re.findall(r"al\.charts\.(\w+)\(", page))
    assert set(charts.__all__) - {"Chart"} <= drawn
