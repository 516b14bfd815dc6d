"""Arrays of tables as they are sent and shared: compressed planes, and equal arrays kept once."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Hashable, Iterable
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

A = TypeVar("A", bound=NDArray[Any])

CELL_PLANES = tuple(
    f"{of}{what}" for of in ("", "row_", "column_", "base_") for what in ("size", "sample")
)
"""What was counted for a cell; every metric of the page is computed from these."""

TELLS_ARRIVAL = "size"
"""The plane by which a page knows the cells that have arrived."""

_lock = threading.Lock()
# Weak: an array is dropped with the last table that has it.
_interned: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
_last: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()


def compress(plane: NDArray[np.float64], *, gaps: bool) -> NDArray[np.float64]:
    """The plane with length 1 along each axis in which all its values are equal.

    gaps: whether NaN must keep its position; otherwise a value may replace it.
    """
    for axis in (1, 0):
        if plane.shape[axis] < 2:
            continue
        first = plane[:, :1] if axis else plane[:1]
        if bool((plane == first).all()):
            plane = first
            continue
        missing = np.isnan(plane)
        if not missing.any():
            continue
        # The first value of each line that is known, or NaN where none is.
        first = np.take_along_axis(plane, missing.argmin(axis=axis, keepdims=True), axis=axis)
        equal = (plane == first) | (missing & np.isnan(first) if gaps else missing)
        if bool(equal.all()):
            plane = first
    return plane


def intern_array(values: A) -> A:
    """An array of the same shape, type and bits that is in memory already, or else this one.

    values: contiguous. The returned array is read-only.
    """
    # A digest as the key: the bytes themselves would stay in memory twice.
    key = values.dtype.str, values.shape, hashlib.blake2b(values.data).digest()
    with _lock:
        found: A = _interned.setdefault(key, values)
    found.flags.writeable = False
    return found


def intern_attributes(holder: object, key: Hashable, names: Iterable[str]) -> None:
    """Share equal attributes with the last holder of the same key.

    names: attributes whose values nobody changes. Attributes that differ stay as they are.
    """
    with _lock:
        last = _last.get((type(holder), key))
        _last[type(holder), key] = holder
    for name in names if last is not None else ():
        if getattr(holder, name) == getattr(last, name):
            setattr(holder, name, getattr(last, name))
