"""Labels overlap no labels, points, rules or edges; their placement is deterministic."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from audiencelab.charts.label_placement import (
    Plane,
    Spot,
    place_labels,
    short_names,
)
from audiencelab.charts.wrapping import text_width

PLANE = Plane(400, 300, (0, 1), (0, 1), across=(0.5,))
HEIGHT = 15
PLACES = st.lists(
    st.tuples(st.integers(10, 390), st.integers(10, 290)), min_size=1, max_size=14, unique=True
)


CROWD = [
    *[(239, 88), (184, 106), (162, 91), (247, 64), (233, 84), (199, 87), (182, 67)],
    *[(250, 73), (207, 90), (167, 96), (213, 108), (248, 60), (153, 117), (227, 108)],
]
"""Points so close that the lines of their names would cross if nothing kept them apart."""


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
@example(CROWD, "A name")
def test_labels_overlap_nothing(places: list[tuple[int, int]], name: str) -> None:
    spots = [spot for spot in named(places, name) if spot is not None]
    width = text_width(name)
    boxes = np.array([box_of(spot, width) for spot in spots]).reshape(-1, 4)
    lines = np.array([line_of(spot) for spot in spots if not math.isnan(spot.tip_x)])
    lines = lines.reshape(-1, 2, 2)
    points = np.array(places, dtype=float)
    for one, other in combinations(boxes, 2):
        assert (one[2:] <= other[:2]).any() or (other[2:] <= one[:2]).any()
    for box in boxes:
        left, top, right, bottom = box
        assert min(left, top) >= 0
        assert right <= PLANE.width
        assert bottom <= PLANE.height
        assert (bottom <= 150) or (top >= 150), "the rule runs at 150 pixels"
        nearest = np.clip(points, box[:2], box[2:])
        assert (np.hypot(*(nearest - points).T) >= 5 - 1e-9).all()
        for line in lines:
            x, y = along(line).T
            assert not ((x > left) & (x < right) & (y > top) & (y < bottom)).any()
    for line in lines:
        # A line begins at the rim of its own point, and keeps off all others.
        near = np.hypot(*(along(line)[:, None] - points).transpose(2, 0, 1)).min(axis=0)
        assert (near < 5.9).sum() == 1
    for one, other in combinations(lines, 2):
        assert not crossing(*one, *other)


def along(line: np.ndarray) -> np.ndarray:
    """Many points of a line, its ends left out."""
    return line[0] + np.linspace(0, 1, 501)[1:-1, None] * (line[1] - line[0])


def crossing(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> bool:
    def turn(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0


@settings(max_examples=20)
@given(PLACES)
def test_the_placement_is_deterministic(places: list[tuple[int, int]]) -> None:
    assert repr(named(places)) == repr(named(places))


def test_an_isolated_label_is_right_of_its_point_and_left_at_the_edge() -> None:
    [spot] = named([(100, 100)])
    assert spot is not None
    assert (round(spot.x), spot.y, spot.align) == (109, 100, "left")
    [spot] = named([(390, 100)])
    assert spot is not None
    assert (round(spot.x), spot.align) == (381, "right")


def test_a_label_among_others_has_a_line() -> None:
    ring = [(200 + round(16 * math.cos(a)), 90 + round(16 * math.sin(a))) for a in range(6)]
    middle = named([*ring, (200, 90)])[-1]
    free = named([(200, 90)])[0]
    assert free is not None
    assert math.isnan(free.tip_x)
    assert middle is None or not math.isnan(middle.tip_x)


def test_no_label_is_on_a_rule() -> None:
    # The rule runs at 150 pixels: beside the point the name would be struck through.
    [spot] = named([(200, 150)])
    assert spot is not None
    assert abs(spot.y - 150) >= HEIGHT / 2


def test_labels_without_space_are_omitted_and_the_first_has_priority() -> None:
    tight = Plane(80, 30, (0, 1), (0, 1))
    points, radii = np.array([[10.0, 15], [12, 15]]), np.full(2, 4.0)
    for order in ([0, 1], [1, 0]):
        spots = place_labels(tight, points, radii, ["Name", "Name"], order)
        assert spots.count(None) == 1


def test_unlabelled_points_are_avoided() -> None:
    points, radii = np.array([[100.0, 100], [120, 100]]), np.full(2, 5.0)
    spots = place_labels(PLANE, points, radii, ["Name", "Other"], [0])
    assert spots[1] is None
    assert spots[0] is not None
    left, top, right, bottom = box_of(spots[0], text_width("Name"))
    assert right < 115 or left > 125 or bottom < 95 or top > 105


def test_the_width_of_a_text_counts_wide_and_combining_characters() -> None:
    assert text_width("ab") == 2 * text_width("a")
    assert text_width("漢字") > 1.8 * text_width("ab")
    assert text_width("e\u0301") == text_width("e")


def test_labels_are_truncated_unless_two_would_be_equal() -> None:
    long = "What is said of it at such a length that nobody would read it to the end"
    assert short_names([long, "Tea"]) == ["What is said of it at such a le…", "Tea"]
    assert short_names([f"{long}, today", f"{long}, once"]) == [f"{long}, today", f"{long}, once"]
