"""Objects that are numbers to Python too: `float`, `round`, formats, comparisons, sums."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any, SupportsFloat, cast

import numpy as np
from numpy.typing import NDArray


class NumberLike:
    """Mixin of what has one value: it is rounded, formatted, compared and reckoned with.

    `round(x, 1)`, `f"{x:.1f}"`, `x > 50`, `x - 5` and `x / other` are those of the value.
    """

    __slots__ = ()

    @abstractmethod
    def __float__(self) -> float: ...

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(float(self), dtype)

    def __round__(self, decimals: int | None = None) -> float:
        return round(float(self), decimals or 0)

    def __format__(self, how: str) -> str:
        return format(float(self), how) if how else str(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Real) and not isinstance(other, bool):
            return float(self) == float(other)
        return super().__eq__(other)

    __hash__ = object.__hash__

    def __lt__(self, other: Any) -> bool:
        return float(self) < _number(other)

    def __le__(self, other: Any) -> bool:
        return float(self) <= _number(other)

    def __gt__(self, other: Any) -> bool:
        return float(self) > _number(other)

    def __ge__(self, other: Any) -> bool:
        return float(self) >= _number(other)

    def __add__(self, other: Any) -> float:
        return float(self) + _number(other)

    def __radd__(self, other: Any) -> float:
        return _number(other) + float(self)

    def __sub__(self, other: Any) -> float:
        return float(self) - _number(other)

    def __rsub__(self, other: Any) -> float:
        return _number(other) - float(self)

    def __mul__(self, other: Any) -> float:
        return float(self) * _number(other)

    def __rmul__(self, other: Any) -> float:
        return _number(other) * float(self)

    def __truediv__(self, other: Any) -> float:
        return float(self) / _number(other)

    def __rtruediv__(self, other: Any) -> float:
        return _number(other) / float(self)

    def __neg__(self) -> float:
        return -float(self)

    def __abs__(self) -> float:
        return abs(float(self))


def _number(given: object) -> float:
    return float(cast(SupportsFloat, given))
