"""Boxes, lines and discs touch as an independent, slower reckoning says."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.charts.label_placement import (
    box_gaps,
    boxes_overlap,
    line_gaps,
    lines_cross,
    lines_meet,
)

Point = tuple[int, int]
Line = tuple[Point, Point]
Box = tuple[int, int, int, int]

WHOLE = st.integers(-20, 20)
POINTS = st.tuples(WHOLE, WHOLE)
BOXES = st.tuples(WHOLE, WHOLE, st.integers(1, 15), st.integers(1, 15)).map(
    lambda box: (box[0], box[1], box[0] + box[2], box[1] + box[3])
)
LINES = st.tuples(POINTS, POINTS).filter(lambda line: line[0] != line[1])


def array(*shapes: object) -> np.ndarray:
    return np.array(shapes, dtype=np.float64)


def along(line: Line) -> np.ndarray:
    """Many points of a line, its ends left out."""
    start, end = array(*line)
    return start + np.linspace(0, 1, 4_001)[1:-1, None] * (end - start)


@given(BOXES, BOXES)
def test_boxes_that_share_an_edge_alone_do_not_overlap(one: Box, other: Box) -> None:
    [[found]] = boxes_overlap(array(one), array(other))
    cells = [
        {(x, y) for x in range(box[0], box[2]) for y in range(box[1], box[3])}
        for box in (one, other)
    ]
    assert found == bool(cells[0] & cells[1])


@given(LINES, BOXES)
def test_a_line_meets_a_box_where_some_of_it_is_inside(line: Line, box: Box) -> None:
    left, top, right, bottom = box
    x, y = along(line).T
    inside = (x > left) & (x < right) & (y > top) & (y < bottom)
    [[found]] = lines_meet(array(line), array(box))
    # Points on it may miss a corner that it cuts, so they prove one way only.
    if inside.any():
        assert found
    near = (x > left - 0.1) & (x < right + 0.1) & (y > top - 0.1) & (y < bottom + 0.1)
    if found:
        assert near.any()


@given(LINES, LINES)
def test_lines_cross_where_each_parts_the_ends_of_the_other(one: Line, other: Line) -> None:
    (a, b), (c, d) = one, other

    def turn(p: Point, q: Point, r: Point) -> int:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    crossing = turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0
    assert bool(lines_cross(array(one), array(other))[0, 0]) == crossing


@given(BOXES, POINTS)
def test_the_gap_of_a_box_is_that_of_its_nearest_point(box: Box, centre: Point) -> None:
    left, top, right, bottom = box
    x, y = centre
    away = math.hypot(max(left - x, 0, x - right), max(top - y, 0, y - bottom))
    # numpy's root of a sum of squares may differ from that of `math` in its last bit.
    found = box_gaps(array(box), array(centre), np.array([2.0]))[0, 0]
    assert math.isclose(found, away - 2, rel_tol=0, abs_tol=1e-12)


@given(LINES, POINTS)
def test_the_gap_of_a_line_is_that_of_its_nearest_point(line: Line, centre: Point) -> None:
    points = np.vstack([along(line), array(*line)])
    nearest = np.hypot(*(points - array(*centre)).T).min()
    found = line_gaps(array(line), array(centre), np.array([2.0]))[0, 0]
    assert math.isclose(found, nearest - 2, abs_tol=0.02)


def test_every_shape_is_set_against_every_other() -> None:
    boxes, lines = array((0, 0, 2, 2), (5, 5, 6, 6)), array(((0, 0), (9, 9)))
    centres, radii = array((1, 1), (5, 5), (9, 0)), np.ones(3)
    assert lines_meet(lines, boxes).tolist() == [[True, True]]
    assert box_gaps(boxes, centres, radii).shape == (2, 3)
    assert line_gaps(lines, centres, radii).shape == (1, 3)
    assert boxes_overlap(boxes, np.empty((0, 4))).shape == (2, 0)
