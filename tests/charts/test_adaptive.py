"""A drawing as a notebook shows it: in the colours of the page's theme."""

from __future__ import annotations

import re

import pytest

import audiencelab as al
from audiencelab.charts.renderer import adapt as adapting
from audiencelab.charts.theme import DARK, LIGHT
from tests.results.samples import crosstab


def shown(drawing: al.charts.Chart) -> str:
    return drawing._repr_mimebundle_()["image/svg+xml"]


def without_rules(svg: str) -> str:
    return re.sub(r"<style>.*?</style>", "", re.sub(r'class="d[0-9a-f]{8} ', 'class="', svg))


@pytest.mark.parametrize("kind", ["bar", "heatmap"])
def test_a_shown_drawing_has_the_colours_of_both_themes(kind: str) -> None:
    table = crosstab()
    drawing = getattr(al.charts, kind)(table, "index")
    svg = shown(drawing)
    assert f'[fill="{LIGHT.ground}"]{{fill:light-dark({LIGHT.ground},{DARK.ground})}}' in svg
    assert f"light-dark({LIGHT.ink},{DARK.ink})" in svg
    # What knows of no themes reads the light drawing.
    assert without_rules(svg) == drawing.svg()


def test_a_dark_drawing_stays_dark() -> None:
    table = crosstab()
    drawing = al.charts.bar(table, "index", theme="dark")
    assert shown(drawing) == drawing.svg()
    assert "light-dark(" not in drawing.svg()


def test_only_what_differs_gets_a_rule() -> None:
    light = '<svg class="marks"><path fill="#ffffff" stroke="#123456"/></svg>'
    svg = adapting(light, light.replace("#ffffff", "#111111"))
    assert svg.count("light-dark(") == 1
    assert 'stroke="#123456"' in svg
