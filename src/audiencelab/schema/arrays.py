"""Arrays of float64 in JSON documents, to the last bit."""

from __future__ import annotations

import math
from typing import Any, Self, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_FLOAT = np.dtype("<f8")


class FloatArray(msgspec.Struct, frozen=True):
    """An array of 64-bit floats, NaN included.

    shape: of the array. kept: of the values that are sent: 1 along an axis whose values repeat.
    data: these values, little-endian in row-major order; base64 in JSON.
    """

    shape: tuple[int, ...]
    kept: tuple[int, ...]
    data: bytes

    @classmethod
    def of(cls, values: NDArray[Any]) -> Self:
        """The form of an array in which it is sent."""
        kept = without_repeats(values)
        return cls(values.shape, kept.shape, np.ascontiguousarray(kept).tobytes())

    def read(self) -> Floats:
        """The array, read-only; raises `ValueError` where shapes and data do not agree."""
        if len(self.data) != _FLOAT.itemsize * math.prod(self.kept):
            raise ValueError(f"{len(self.data):,} bytes are not an array of shape {self.kept}")
        kept = np.frombuffer(self.data, _FLOAT).reshape(self.kept)
        return np.broadcast_to(kept, self.shape)


def without_repeats(values: NDArray[Any]) -> Floats:
    """The values as float64, with length 1 along each axis along which they repeat."""
    found = np.asarray(values, _FLOAT)
    for axis, length in enumerate(found.shape):
        # Compared as bits, so that every float comes out as it went in.
        bits = np.moveaxis(found, axis, 0).view(np.uint64)
        # The first and the last alone show it for most.
        if length > 1 and np.array_equal(bits[0], bits[-1]) and bool((bits == bits[:1]).all()):
            found = found[(slice(None),) * axis + (slice(1),)]
    return found


def encode(value: object) -> bytes:
    """The JSON of a value that holds arrays."""
    return msgspec.json.encode(value, enc_hook=_encoded)


def _encoded(value: object) -> FloatArray:
    if isinstance(value, np.ndarray):
        return FloatArray.of(cast("Floats", value))
    raise NotImplementedError(type(value).__name__)


def decoded(_: type, value: Any) -> Floats:
    """The hook with which msgspec decodes values that hold arrays.

    Raises `ValueError`, of which msgspec makes a `ValidationError`.
    """
    return msgspec.convert(value, FloatArray).read()
