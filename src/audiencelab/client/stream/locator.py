"""Which place of the table a cell stands for: by id, by echo, or by index.

An id or an echo names an audience of the whole table, whatever part of it the request asked for.
An index counts within the request, and from 0 or from 1 as the service pleases; no cell alone
tells which, so indices are only put down here, with what they give away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience

Places = NDArray[np.intp]

PlaceOf = Callable[[str | None, int], int]
"""From the id of an audience, and what to answer if nobody has it, to its place."""

UNKNOWN = -1
"""The place of a side that neither id nor echo tells."""


class Axis:
    """One side of the table.

    audiences: all of that side, with the ids that were sent.
    requested: whether the side was asked for; one that was not has a single place.
    asked: the places this request asks for, in its order; None for all.
    """

    def __init__(
        self, audiences: Sequence[Audience], *, requested: bool, asked: Sequence[int] | None = None
    ) -> None:
        self._audiences = audiences
        self._requested = requested
        self._asked = np.arange(len(audiences)) if asked is None else np.array(asked, dtype=np.intp)
        self._ids = {audience.id: place for place, audience in enumerate(audiences)}
        self.named = not requested
        """Whether the service names our audiences at all; then indices are not listened to."""
        self._seen_last = self._seen_first = False

    @property
    def place_of(self) -> PlaceOf:
        """Looks up the place of an id."""
        # A side that was not asked for has one place, by whatever name it comes.
        return self._ids.get if self._requested else lambda _id, _default: 0

    def positions(self, ids: Sequence[str]) -> Places:
        """The places of audiences by their ids, `UNKNOWN` for others."""
        return np.array([self.place_of(each, UNKNOWN) for each in ids], dtype=np.intp)

    def match(self, places: Places, echo_of: Callable[[int], msgspec.Raw]) -> Places:
        """The places that ids told, and where they did not, those that echoes tell, if any.

        echo_of: gives the echoed audience of a cell by its number in the batch.
        """
        places = places.copy()
        for cell in np.flatnonzero(places == UNKNOWN).tolist():
            places[cell] = self._match_echo(echo_of(cell))
        self.named = self.named or bool((places != UNKNOWN).any())
        return places

    def keys(
        self, places: Places, indices: Sequence[float | None], is_base: NDArray[np.bool_]
    ) -> Places:
        """What cells are to be kept under until indices can be read: their place, or their index.

        `UNKNOWN` where neither leads to a place. Notes what the indices tell of how they count;
        is_base: whether the side's figures are those of the base.
        """
        last = len(self._asked)
        keys = np.full(len(places), UNKNOWN, dtype=np.intp)
        for place, index in enumerate(indices):
            if index is not None and index == int(index) and 0 <= index <= last:
                keys[place] = int(index)
        self._seen_last |= bool((keys == last).any())
        self._seen_first |= bool(((keys == 0) & ~is_base).any())
        # A service that names our audiences at all, and not this one, means another: its own
        # "all respondents" cell, say. Its index must not put it in a requested place.
        return places if self.named else keys

    def slots(self, index: str) -> tuple[Audience, ...]:
        """An audience for every key there may be; where keys are indices, named after them."""
        if self.named:
            return tuple(self._audiences)
        return tuple(Audience(f"{index} {key}") for key in range(len(self._asked) + 1))

    @property
    def counts_from_one(self) -> bool:
        """Whether some index can only be one that counts from 1."""
        return self._requested and self._seen_last

    @property
    def counts_from_zero(self) -> bool:
        """Whether some cell has index 0 and yet is not of "all base respondents"."""
        return self._requested and self._seen_first

    def resolve(self, keys: Places, first: int) -> Places:
        """The places of what `keys` gave, `first` being the index of the first audience."""
        if self.named:
            return keys
        inside = (keys >= first) & (keys < first + len(self._asked))
        return np.where(inside, self._asked[np.where(inside, keys - first, 0)], UNKNOWN)

    def _match_echo(self, raw: msgspec.Raw) -> int:
        try:
            echo = msgspec.json.decode(raw)
            if not isinstance(echo, dict):
                return UNKNOWN
            fields = cast(dict[str, Any], echo)
            identity = fields.get("id")
            if isinstance(identity, str) and identity in self._ids:
                return self._ids[identity]
            return self._echoes.get(_echo_key(fields), UNKNOWN)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return UNKNOWN

    @cached_property
    def _echoes(self) -> dict[str, int]:
        """Places by name and expression, those left out that two audiences share."""
        keys = [_echo_key(audience.to_wire("query")) for audience in self._audiences]
        counts = Counter(keys)
        return {key: place for place, key in enumerate(keys) if counts[key] == 1}


def first_index(rows: Axis, columns: Axis) -> int | None:
    """The index of the first requested audience, 1 or 0, by what both sides show.

    None where neither shows it: an index 0 whose figures are the base's may be the first audience
    of a service that counts from 0, or the base beside audiences of which the last did not come.
    Taking one for the other would put every figure in its neighbour's place.
    """
    if rows.counts_from_one or columns.counts_from_one:
        return 1
    return 0 if rows.counts_from_zero or columns.counts_from_zero else None


def _echo_key(audience: Mapping[str, Any]) -> str:
    """An audience's name and expression as one comparable text, ids and defaults aside."""
    expression = audience.get("expression")
    text = msgspec.json.encode(_plain(expression), order="deterministic").decode()
    return f"{audience.get('name') or ''}\n{text}"


def _plain(node: Any) -> Any:
    """An expression without the fields that say nothing, suffixes as strings."""
    if not isinstance(node, Mapping):
        return node
    plain: dict[str, Any] = {}
    for key, value in cast(Mapping[str, Any], node).items():
        if value in (None, [], False) or (key == "min_count" and value == 1):
            continue
        plain["datapoints" if key == "options" else key] = _plain_field(key, value)
    return plain


def _plain_field(key: str, value: Any) -> Any:
    if not isinstance(value, list):
        return value
    items = cast(list[Any], value)
    if key in ("and", "or"):
        return [_plain(child) for child in items]
    return [str(each) for each in items] if key == "suffixes" else items
