"""Mappings whose values are computed when they are looked up: one at a time is in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


class LazyMapping(Mapping[str, T]):
    """A mapping whose values are computed when they are looked up, and not kept."""

    def __init__(self, keys: Iterable[str], compute: Callable[[str], T]) -> None:
        self._keys = tuple(keys)
        self._compute = compute

    def __getitem__(self, key: str) -> T:
        return self._compute(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)
