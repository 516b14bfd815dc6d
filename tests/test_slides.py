"""What stands on a slide; `tests/browser/test_slides.py` shows the slides of the course."""

from __future__ import annotations

import nbformat
import pytest

pytest.importorskip("nbconvert")

from tools.slides.__main__ import cell_markup


@pytest.mark.parametrize(
    ("words", "told"),
    [("<Chart: four bars>\nRun this cell to see the chart.", "four bars"), (None, "Chart")],
)
def test_a_chart_is_called_what_it_shows_and_not_how_to_see_it(
    words: str | None, told: str
) -> None:
    data = {"image/svg+xml": "<svg/>"} | ({"text/plain": words} if words else {})
    output = nbformat.v4.new_output("display_data", data)
    markup = cell_markup(nbformat.v4.new_code_cell("chart", outputs=[output]))
    assert f"alt='{told}'" in markup.replace('"', "'")
