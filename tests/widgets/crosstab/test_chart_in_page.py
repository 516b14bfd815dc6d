"""Charts that the page renders: as wide as their element, with values on hover."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import numpy as np
import pytest

from audiencelab.charts.heatmaps import heatmap
from audiencelab.charts.renderer import Spec
from audiencelab.widgets.crosstab.chart_in_page import encoded, page_specification
from audiencelab.widgets.crosstab.charts import draw
from tests.results.samples import crosstab

SHARES = np.array([[10.0, 20, 15], [40, 5, 30]])


def in_page(kind: Any, width: float, columns: int = 2) -> Spec:
    table = crosstab(column_percentage=SHARES)
    wide = partial(draw, table, [0, 1], range(columns), "column_percentage", kind, "light")
    return json.loads(encoded(page_specification(wide, width)))


@pytest.mark.parametrize("kind", ["bar", "dots", "heatmap"])
def test_a_chart_fills_its_element_and_has_values_on_hover(kind: str) -> None:
    spec = in_page(kind, 500)
    assert spec["width"] == "container"
    fields = {
        each["field"] for layer in spec["layer"] for each in layer["encoding"].get("tooltip", ())
    }
    row, column = ("row", "column") if kind == "heatmap" else ("label", "group")
    assert fields == {row, column, "text"}


def test_a_heat_map_of_many_columns_scrolls_instead_of_shrinking() -> None:
    table = crosstab(column_percentage=SHARES)
    narrowest = heatmap(table, "column_percentage", width=60)
    assert narrowest.to_dict()["width"] == {"step": 48}
    wide = heatmap(table, "column_percentage", width=600)
    assert page_specification(lambda width=None: wide, 300)["width"] == {"step": 200}


def test_the_title_wraps_at_the_width() -> None:
    narrow, wide = (in_page("dots", width)["title"]["subtitle"] for width in (200, 900))
    assert len(narrow) > len(wide)
    assert " ".join(narrow) == " ".join(wide)
