"""Control characters in the labels of a chart, at which the library that draws ends the process.

So each is drawn in a process of its own: a kernel must be there afterwards.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

DRAW = r"""
import altair as alt
import nbformat
from pathlib import Path
from audiencelab.charts.renderer import render
from audiencelab.charts.specification import ChartSpecification
from audiencelab.notebook import export

label = "a\x00b\x07c\x1b[31md\x7fe\x85f\ufffeg\u202eh"
data = alt.Data(values=[{"share": 1, label: label}])
chart = alt.Chart(data, title=label).mark_bar().encode(
    x="share:Q", y=alt.Y("name:N", title=label), text=alt.value(label))
spec = chart.to_dict() | {"description": "a chart"}
ours = ChartSpecification(spec)
assert "a\ufffdb\ufffdc" in ours.svg()
assert ours.png().startswith(b"\x89PNG")
assert "a\ufffdb\ufffdc" in render(spec)[0]["image/svg+xml"]
form = "application/vnd.vegalite.v6+json"
output = nbformat.v4.new_output("display_data", {form: spec})
cell = nbformat.v4.new_code_cell("chart", outputs=[output])
nbformat.write(nbformat.v4.new_notebook(cells=[cell]), "study.ipynb")
assert "data:image/svg+xml;base64," in export("study.ipynb").read_text("utf-8")
print("still here")
"""


def test_no_label_ends_the_process(tmp_path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", DRAW], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.stdout == "still here\n", ran.stderr[-2_000:]
