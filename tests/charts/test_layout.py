"""Texts that cannot be read are found, and their boxes are as large as on the picture."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from audiencelab.charts import renderer
from tests.charts.layout import faults, layout


def _texts(*texts: tuple[str, float, float], **style: Any) -> dict[str, Any]:
    values = [{"text": text, "x": x, "y": y} for text, x, y in texts]
    encoding = {
        **{axis: {"field": axis, "type": "quantitative", "scale": None} for axis in "xy"},
        "text": {"field": "text", "type": "nominal"},
    }
    mark = {"type": "text", "align": "left", "fontSize": 10, **style}
    return {"data": {"values": values}, "mark": mark, "encoding": encoding, "width": 200}


@pytest.mark.parametrize(
    ("texts", "style", "expected"),
    [
        ([("one", 10, 50), ("two", 60, 50)], {}, []),
        ([("one", 10, 50), ("two", 18, 52)], {}, ["'one' is on 'two'"]),
        ([("one", 10, 50), ("two", 10, 62)], {}, []),
        ([("one", 10, 50), ("two", 10, 62)], {"angle": 90}, ["'one' is on 'two'"]),
        ([("much longer than that", 10, 50)], {"limit": 40}, ["is cut at its limit"]),
        ([("beyond", 190, 50)], {"clip": True}, ["'beyond' is beyond what is seen"]),
        ([("twice", 10, 50), ("twice", 10, 50)], {}, []),
    ],
)
def test_sees_what_cannot_be_read(
    texts: list[tuple[str, float, float]], style: dict[str, Any], expected: list[str]
) -> None:
    found = faults(_texts(*texts, **style))
    assert len(found) == len(expected)
    assert all(each in fault for each, fault in zip(expected, found, strict=True))


def test_boxes_are_as_wide_as_on_the_picture() -> None:
    spec = _texts(("Wiener Tafel", 20, 50)) | {"config": {"view": {"stroke": None}}}
    laid = layout(spec)
    [text] = laid.texts
    image = Image.open(io.BytesIO(renderer.png(spec, 2.0))).convert("L")
    assert image.size == (2 * laid.width, 2 * laid.height)
    inked = np.argwhere(np.asarray(image) < 128)[:, ::-1] / 2
    assert np.abs(inked.min(axis=0) - text.corners[0]).max() < 3
    assert np.abs(inked.max(axis=0) - text.corners[2]).max() < 3


@pytest.mark.parametrize(("x", "found"), [(20, 0), (50, 1), (90, 0)])
def test_sees_a_label_that_is_wider_than_its_bar(x: int, found: int) -> None:
    bar: dict[str, Any] = {"type": "rect", "x": 10, "x2": 60, "y": 40, "y2": 60}
    spec = {"layer": [{"data": {"values": [{}]}, "mark": bar}, _texts(("27.3%", x, 50))]}
    assert len(faults(spec)) == found


def test_sees_a_label_on_a_point() -> None:
    point: dict[str, Any] = {"type": "point", "x": 30, "y": 48}
    spec = {"layer": [{"data": {"values": [{}]}, "mark": point}, _texts(("27.3%", 20, 50))]}
    assert faults(spec) == ["'27.3%' is on a point or a line"]


def test_sees_a_label_on_a_line() -> None:
    ends = [{"x": 0, "y": 48}, {"x": 100, "y": 48}]
    at = {axis: {"field": axis, "type": "quantitative", "scale": None} for axis in "xy"}
    line = {"data": {"values": ends}, "mark": "line", "encoding": at}
    spec = {"layer": [line, _texts(("27.3%", 20, 50), ("27.4%", 20, 90))]}
    assert faults(spec) == ["'27.3%' is on a point or a line"]
