"""Arrays of tables as they are sent and shared: compressed planes, and equal arrays held once."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Hashable, Iterable
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
A = TypeVar("A", bound=NDArray[Any])


CELL_PLANES = (
    "size",
    "sample",
    "row_size",
    "row_sample",
    "column_size",
    "column_sample",
    "base_size",
    "base_sample",
)
"""What was counted for a cell; every metric of the grid is arithmetic on these."""

TELLS_ARRIVAL = "size"
"""The plane by which a page knows the cells that are there."""


def collapsed(plane: Floats, *, gaps: bool) -> Floats:
    """The plane with shape 1 along each axis in which all its numbers are equal.

    gaps: whether NaN has to stay where it is; otherwise a number may stand there as well.
    """
    for axis in (1, 0):
        if plane.shape[axis] < 2:
            continue
        missing = np.isnan(plane)
        first = np.take_along_axis(plane, missing.argmin(axis=axis, keepdims=True), axis=axis)
        alike = (plane == first) | (missing & np.isnan(first) if gaps else missing)
        if bool(alike.all()):
            plane = first
    return plane


_lock = threading.Lock()

_held: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()

_last: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()


def held_once(values: A) -> A:
    """An array of the same shape, type and bits that somebody holds already, or else this one.

    values: contiguous; whichever of the two is returned can only be read from then on.
    """
    key = values.dtype.str, values.shape, hashlib.blake2b(values.data).digest()
    with _lock:
        found: A = _held.setdefault(key, values)
    found.flags.writeable = False
    return found


def hold_alike(holder: object, key: Hashable, names: Iterable[str]) -> None:
    """Give a holder the very parts that the last one of its key has, where they are equal.

    names: attributes whose values nobody changes. key: says only where to look; parts that differ
    stay as they are.
    """
    with _lock:
        last = _last.get((type(holder), key))
        _last[type(holder), key] = holder
    for name in names if last is not None else ():
        part = getattr(last, name)
        if getattr(holder, name) == part:
            setattr(holder, name, part)
