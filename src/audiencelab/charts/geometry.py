"""Do boxes, lines and discs touch? Each with each of many others at once, in pixels.

Boxes are float64[boxes, 4]: left, top, right, bottom. Lines are float64[lines, 2, 2]: both ends.
Discs are their centres, float64[discs, 2], and radii, float64[discs].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Mask", "box_gaps", "boxes_overlap", "line_gaps", "lines_cross", "lines_meet"]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def boxes_overlap(boxes: Floats, others: Floats) -> Mask:
    """bool[boxes, others], true where two share more than an edge."""
    one, other = boxes[:, None], others[None]
    apart = (one[..., :2] >= other[..., 2:]) | (other[..., :2] >= one[..., 2:])
    return ~apart[..., 0] & ~apart[..., 1]


def lines_meet(lines: Floats, boxes: Floats) -> Mask:
    """bool[lines, boxes], true where a line runs through the inside of a box.

    Each pair of opposite edges leaves a stretch of the line between them; the line is inside where
    both stretches are (Liang and Barsky's clipping).
    """
    start, run = lines[:, None, 0], lines[:, None, 1] - lines[:, None, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = (boxes[None, :, :2] - start) / run, (boxes[None, :, 2:] - start) / run
    # A line along an axis is between the edges all the way, or nowhere.
    between = (boxes[None, :, :2] < start) & (start < boxes[None, :, 2:])
    still = np.broadcast_to(run == 0, first.shape)
    enters = np.where(still, np.where(between, -np.inf, np.inf), np.minimum(first, second))
    leaves = np.where(still, np.where(between, np.inf, -np.inf), np.maximum(first, second))
    enter = np.maximum(enters.max(axis=-1), 0)
    return enter < np.minimum(leaves.min(axis=-1), 1)


def lines_cross(lines: Floats, others: Floats) -> Mask:
    """bool[lines, others], true where two cross at a point that is no end of either."""
    one, other = lines[:, None], others[None]
    return _parted(one, other) & _parted(other, one)


def box_gaps(boxes: Floats, centres: Floats, radii: Floats) -> Floats:
    """float64[boxes, discs], how far a box is from a disc's rim; below 0 they overlap."""
    nearest = np.clip(centres[None], boxes[:, None, :2], boxes[:, None, 2:])
    return _lengths(nearest - centres) - radii


def line_gaps(lines: Floats, centres: Floats, radii: Floats) -> Floats:
    """float64[lines, discs], how far a line is from a disc's rim; below 0 it runs through it."""
    start, run = lines[:, None, 0], lines[:, None, 1] - lines[:, None, 0]
    along = ((centres[None] - start) * run).sum(axis=-1) / (run**2).sum(axis=-1)
    nearest = start + np.clip(along, 0, 1)[..., None] * run
    return _lengths(nearest - centres) - radii


def _parted(lines: Floats, others: Floats) -> Mask:
    """Whether the ends of the others lie on different sides of the lines."""
    start, run = lines[..., 0, :], lines[..., 1, :] - lines[..., 0, :]
    to_start, to_end = others[..., 0, :] - start, others[..., 1, :] - start
    turns = (run[..., 0] * to[..., 1] - run[..., 1] * to[..., 0] for to in (to_start, to_end))
    return np.asarray(next(turns) * next(turns) < 0)


def _lengths(vectors: Floats) -> Floats:
    return np.hypot(vectors[..., 0], vectors[..., 1])
