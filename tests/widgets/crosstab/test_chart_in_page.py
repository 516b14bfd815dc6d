"""Charts that the page renders: as wide as their element, with values on hover."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from audiencelab.charts.renderer import Spec
from audiencelab.widgets.crosstab.chart_in_page import encoded, page_specification
from audiencelab.widgets.crosstab.charts import draw
from tests.charts.layout import faults, layout
from tests.results.samples import crosstab

SHARES = np.array([[10.0, 20, 15], [40, 5, 30]])


def in_page(kind: Any, width: int) -> Spec:
    table = crosstab(column_percentage=SHARES)
    drawing = draw(table, [0, 1], [0, 1], "column_percentage", kind, width=width)
    return json.loads(encoded(page_specification(drawing)))


@pytest.mark.parametrize("kind", ["bar", "dots", "heatmap"])
def test_a_chart_has_values_on_hover(kind: str) -> None:
    layers = in_page(kind, 500)["layer"]
    shown = {each["field"] for layer in layers for each in layer["encoding"].get("tooltip", ())}
    assert shown == {"label", "group", "value", "n"}


@pytest.mark.parametrize("kind", ["bar", "dots", "heatmap"])
@pytest.mark.parametrize("width", [320, 900])
def test_a_chart_is_as_wide_as_its_element(kind: str, width: int) -> None:
    assert layout(in_page(kind, width)).width <= width + 1


def test_a_heat_map_of_many_columns_scrolls_instead_of_shrinking() -> None:
    columns = tuple(f"Column {number}" for number in range(30))
    table = crosstab(columns=columns)
    drawing = draw(table, [0, 1], range(30), "column_percentage", "heatmap", width=320)
    drawn = layout(page_specification(drawing))
    assert drawn.width > 600
    assert faults(drawing.spec) == []
