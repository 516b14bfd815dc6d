"""The positions of a crosstab's cells: by id, by echo, or by index.

A cell is found by the audience ids that were sent, else by the audience that the service echoes,
else by index. Indices count within the request, from 0 or from 1 as the service pleases; one cell
alone does not show which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from math import nan
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience

Positions = NDArray[np.intp]

UNKNOWN = -1
"""The position of an audience that neither its id nor its echo shows."""


class StreamAxis:
    """One axis of the table.

    audiences: all of the axis, with the ids that were sent.
    requested: whether the axis was requested; one that was not has a single position.
    asked: the positions that this request asks for, in its order; None for all.
    named: whether the service names our audiences by id or echo; its indices are then ignored.
    counts_from_zero, counts_from_one: whether some index shows it.
    """

    def __init__(
        self, audiences: Sequence[Audience], *, requested: bool, asked: Sequence[int] | None = None
    ) -> None:
        self._audiences = audiences
        self._requested = requested
        self._asked = np.arange(len(audiences)) if asked is None else np.array(asked, dtype=np.intp)
        self._ids = {audience.id: position for position, audience in enumerate(audiences)}
        self.named = not requested
        self.counts_from_zero = self.counts_from_one = False
        self.position_of: Callable[[str | None, int], int] = (
            self._ids.get if requested else lambda _id, _default: 0
        )

    def positions(self, ids: Sequence[str]) -> Positions:
        """The positions of audiences by their ids, `UNKNOWN` for others."""
        return np.array([self.position_of(each, UNKNOWN) for each in ids], dtype=np.intp)

    def has_id(self, identity: str | None) -> bool:
        """Whether an id is that of a requested audience."""
        return self._requested and bool(identity) and identity in self._ids

    def has_echo(self, echo: msgspec.Raw) -> bool:
        """Whether an echo is that of a requested audience."""
        return self._requested and self._match_echo(echo) != UNKNOWN

    def match(self, positions: Positions, echoes: Sequence[msgspec.Raw]) -> Positions:
        """The positions known by ids, and of the other cells those that their echoes show."""
        positions = positions.copy()
        for cell in np.flatnonzero(positions == UNKNOWN).tolist():
            positions[cell] = self._match_echo(echoes[cell])
        self.named = self.named or bool((positions != UNKNOWN).any())
        return positions

    def keys(
        self, positions: Positions, indices: Sequence[float | None], is_base: NDArray[np.bool_]
    ) -> Positions:
        """The positions of cells, or where the axis is not named, their indices.

        `UNKNOWN` where there is no valid index. Notes what the indices show of how they count;
        is_base: whether the axis' values are those of the base.
        """
        last = len(self._asked)
        given = np.array([nan if each is None else each for each in indices], dtype=float)
        valid = (given >= 0) & (given <= last) & (given == np.floor(given))
        # Counted from 1 the last index is the number of audiences, which no index from 0 reaches.
        keys = np.where(valid, given, UNKNOWN).astype(np.intp)
        self.counts_from_one |= self._requested and bool((keys == last).any())
        self.counts_from_zero |= self._requested and bool(((keys == 0) & ~is_base).any())
        # Another audience of a service that names ours, such as its own "all respondents", must
        # not get a requested position by its index.
        return positions if self.named else keys

    def slots(self, index: str) -> tuple[Audience, ...]:
        """An audience for every possible key; where keys are indices, named after them."""
        if self.named:
            return tuple(self._audiences)
        return tuple(Audience(f"{index} {key}") for key in range(len(self._asked) + 1))

    def resolve(self, keys: Positions, first: int) -> Positions:
        """The positions of keys, where `first` is the index of the first audience."""
        if self.named:
            return keys
        inside = (keys >= first) & (keys < first + len(self._asked))
        return np.where(inside, self._asked[np.where(inside, keys - first, 0)], UNKNOWN)

    def _match_echo(self, raw: msgspec.Raw) -> int:
        try:
            echo = msgspec.json.decode(raw, type=dict[str, Any])
            identity = echo.get("id")
            if isinstance(identity, str) and identity in self._ids:
                return self._ids[identity]
            return self._echoes.get(_echo_key(echo), UNKNOWN)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return UNKNOWN

    @cached_property
    def _echoes(self) -> dict[bytes, int]:
        """Positions by name and expression, without those that two audiences share."""
        keys = [_echo_key(audience.to_wire("query")) for audience in self._audiences]
        counts = Counter(keys)
        return {key: position for position, key in enumerate(keys) if counts[key] == 1}


def first_index(rows: StreamAxis, columns: StreamAxis) -> int | None:
    """The index of the first requested audience, 1 or 0, as both axes show it.

    None where neither shows it: an index 0 with the values of the base may be the first audience
    of a service that counts from 0, or the base where the last audience did not come.
    """
    if rows.counts_from_one or columns.counts_from_one:
        return 1
    return 0 if rows.counts_from_zero or columns.counts_from_zero else None


def _echo_key(audience: dict[str, Any]) -> bytes:
    """An audience's name and expression in one spelling, without ids and defaults."""
    plain = [str(audience.get("name") or ""), _plain(audience.get("expression"))]
    return msgspec.json.encode(plain, order="deterministic")


def _plain(node: Any) -> Any:
    """An expression without empty fields and defaults, its codes as strings."""
    if isinstance(node, list):
        return [_plain(each) for each in cast(list[Any], node)]
    if isinstance(node, dict):
        return {
            "datapoints" if name == "options" else name: _plain(each)
            for name, each in cast(dict[str, Any], node).items()
            if each not in (None, [], False) and (name, each) != ("min_count", 1)
        }
    return str(node)
