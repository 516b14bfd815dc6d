"""Names are clear of each other, of points, rules and edges, and always in the same place."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from audiencelab.charts.label_placement import (
    Plane,
    Spot,
    box_gaps,
    boxes_overlap,
    line_gaps,
    lines_cross,
    lines_meet,
    place_labels,
    short_names,
    text_width,
)

PLANE = Plane(400, 300, (0, 1), (0, 1), across=(0.5,))
HEIGHT = 15
PLACES = st.lists(
    st.tuples(st.integers(10, 390), st.integers(10, 290)), min_size=1, max_size=14, unique=True
)


def named(places: list[tuple[int, int]], name: str = "A name") -> list[Spot | None]:
    points, radii = np.array(places, dtype=float), np.full(len(places), 5.0)
    return place_labels(PLANE, points, radii, [name] * len(places), range(len(places)))


def box_of(spot: Spot, width: float) -> list[float]:
    left = spot.x - {"left": 0.0, "center": 0.5, "right": 1.0}[spot.align] * width
    return [left, spot.y - HEIGHT / 2, left + width, spot.y + HEIGHT / 2]


def line_of(spot: Spot) -> list[list[float]]:
    return [[spot.rim_x, spot.rim_y], [spot.tip_x, spot.tip_y]]


@settings(max_examples=60)
@given(PLACES, st.sampled_from(["A", "A name", "A rather long name of it"]))
def test_nothing_touches_anything(places: list[tuple[int, int]], name: str) -> None:
    spots = [spot for spot in named(places, name) if spot is not None]
    width = text_width(name)
    boxes = np.array([box_of(spot, width) for spot in spots]).reshape(-1, 4)
    lines = np.array([line_of(spot) for spot in spots if not math.isnan(spot.tip_x)])
    lines = lines.reshape(-1, 2, 2)
    points, radii = np.array(places, dtype=float), np.full(len(places), 5.0)
    assert not (boxes_overlap(boxes, boxes) & ~np.eye(len(boxes), dtype=bool)).any()
    assert (box_gaps(boxes, points, radii) >= -1e-9).all()
    assert not lines_meet(PLANE.rules(), boxes).any()
    assert not lines_meet(lines, boxes).any()
    assert not lines_cross(lines, lines).any()
    # A line begins at the rim of its own point, and keeps off all others.
    assert ((line_gaps(lines, points, radii) < 0.9).sum(axis=1) == 1).all()
    assert (boxes[:, :2] >= 0).all()
    assert (boxes[:, 2:] <= [PLANE.width, PLANE.height]).all()


@settings(max_examples=20)
@given(PLACES)
def test_the_same_points_are_named_the_same_way(places: list[tuple[int, int]]) -> None:
    assert repr(named(places)) == repr(named(places))


def test_a_lonely_point_is_named_at_its_right_and_at_the_edge_at_its_left() -> None:
    [spot] = named([(100, 100)])
    assert spot is not None
    assert (round(spot.x), spot.y, spot.align) == (109, 100, "left")
    [spot] = named([(390, 100)])
    assert spot is not None
    assert (round(spot.x), spot.align) == (381, "right")


def test_a_name_with_others_around_its_point_has_a_line() -> None:
    ring = [(200 + round(16 * math.cos(a)), 90 + round(16 * math.sin(a))) for a in range(6)]
    middle = named([*ring, (200, 90)])[-1]
    free = named([(200, 90)])[0]
    assert free is not None
    assert math.isnan(free.tip_x)
    assert middle is None or not math.isnan(middle.tip_x)


def test_no_name_stands_on_a_rule() -> None:
    # The rule runs at 150 pixels: beside the point the name would be struck through.
    [spot] = named([(200, 150)])
    assert spot is not None
    assert abs(spot.y - 150) >= HEIGHT / 2


def test_what_has_no_room_has_no_name_and_what_comes_first_has_the_first_choice() -> None:
    tight = Plane(60, 30, (0, 1), (0, 1))
    points, radii = np.array([[10.0, 15], [12, 15]]), np.full(2, 4.0)
    for order in ([0, 1], [1, 0]):
        spots = place_labels(tight, points, radii, ["Name", "Name"], order)
        assert spots.count(None) == 1


def test_points_that_are_not_asked_for_are_not_named_but_kept_clear() -> None:
    points, radii = np.array([[100.0, 100], [120, 100]]), np.full(2, 5.0)
    spots = place_labels(PLANE, points, radii, ["Name", "Other"], [0])
    assert spots[1] is None
    assert spots[0] is not None
    assert box_gaps(np.array([box_of(spots[0], text_width("Name"))]), points, radii).min() > 0


def test_the_width_of_a_text_counts_wide_and_combining_characters() -> None:
    assert text_width("ab") == 2 * text_width("a")
    assert text_width("漢字") > 1.8 * text_width("ab")
    assert text_width("e\u0301") == text_width("e")


def test_names_are_cut_unless_that_makes_two_alike() -> None:
    long = "What is said of it at such a length that nobody would read it to the end"
    assert short_names([long, "Tea"]) == ["What is said of it at such a le…", "Tea"]
    assert short_names([f"{long}, today", f"{long}, once"]) == [f"{long}, today", f"{long}, once"]


# -- geometry, against an independent, slower calculation ------------------------------------------

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
