"""Cells of a crosstab stream, put where they belong, however the service names the places.

A cell is matched by the audience ids that were sent; where a service makes up ids of its own, by
the audience it echoes; where it echoes none, by index. Ids and figures alone are decoded, and
each batch is appended to the result's arrays: cells are not kept as objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import nan
from operator import attrgetter
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiencelab.audience import Audience
from audiencelab.client.streams import MAX_OBJECT, ObjectStream
from audiencelab.frames.crosstab import FIGURES, CrosstabResult

__all__ = ["CellCollector", "CrosstabUpdate"]

Places = NDArray[np.intp]
Floats = NDArray[np.float64]

_UNKNOWN = -1


# What is needed of a `wire.CrosstabCell`, as types that the garbage collector may leave alone:
# it would otherwise walk through every cell of a batch again and again.


class _Side(msgspec.Struct, gc=False):
    audience: str | None = ""
    size: float = nan
    sample: float = nan
    percentage: float = nan
    intersect_percentage: float = nan


class _Sides(msgspec.Struct, gc=False):
    row: _Side
    column: _Side


class _Base(msgspec.Struct, gc=False):
    size: float
    sample: float


class _Intersect(msgspec.Struct, gc=False):
    size: float
    sample: float
    percentage: float
    index: float


class _Cell(msgspec.Struct, gc=False):
    """One object of the stream; the echoed audiences stay undecoded until they matter."""

    audiences: _Sides
    base: _Base
    intersect: _Intersect
    row: msgspec.Raw = msgspec.Raw(b"null")
    column: msgspec.Raw = msgspec.Raw(b"null")
    row_index: float | None = None
    column_index: float | None = None


_WIRE_PATHS = {
    "size": "intersect.size",
    "sample": "intersect.sample",
    "percentage": "intersect.percentage",
    "index": "intersect.index",
    # The share of a column is told by the row's side: 100 × intersect ÷ column size.
    "column_percentage": "audiences.row.intersect_percentage",
    "row_percentage": "audiences.column.intersect_percentage",
    "row_size": "audiences.row.size",
    "row_sample": "audiences.row.sample",
    "row_base_percentage": "audiences.row.percentage",
    "column_size": "audiences.column.size",
    "column_sample": "audiences.column.sample",
    "column_base_percentage": "audiences.column.percentage",
    "base_size": "base.size",
    "base_sample": "base.sample",
}
_figures_of = attrgetter(*(_WIRE_PATHS[name] for name in FIGURES))


def _read_figures(cells: Sequence[_Cell]) -> Floats:
    """The figures of the cells, float64[cells, len(FIGURES)]."""
    # An iterator, not a list of tuples: numpy reads it in two thirds of the time.
    flat = chain.from_iterable(map(_figures_of, cells))
    shape = len(cells), len(FIGURES)
    return np.fromiter(flat, np.float64, shape[0] * shape[1]).reshape(shape)


@dataclass(frozen=True, slots=True, eq=False)
class CrosstabUpdate:
    """Cells that have just arrived.

    result: the table, which grows in place. rows, columns: the new cells' places, from 0.
    arrived, expected: how many cells have come, and how many make the table whole.
    """

    result: CrosstabResult
    rows: Places
    columns: Places
    arrived: int
    expected: int


class CellCollector:
    """Bytes in, a growing `CrosstabResult` out.

    result: an empty table whose audiences have the ids that were sent.
    unplaced: cells that came by index alone and have no sure place, once the stream has ended.
    """

    def __init__(self, result: CrosstabResult, *, max_object: int = MAX_OBJECT) -> None:
        self.result = result
        self._stream = ObjectStream(_Cell, max_object=max_object)
        self._rows = _Axis(result.rows, requested=result.rows_requested)
        self._columns = _Axis(result.columns, requested=result.columns_requested)
        self._waiting: list[_Waiting] = []
        self.unplaced = 0

    def feed(self, chunk: bytes) -> CrosstabUpdate | None:
        """Keep what these bytes complete; None if nothing new came. Raises `InvalidStream`."""
        return self._keep(self._stream.feed(chunk))

    def finish(self) -> CrosstabUpdate | None:
        """Keep the last cells, those known by index alone included. Raises `InvalidStream`."""
        update = self._keep(self._stream.finish())
        late = self._place_by_index()
        return late or update

    def _keep(self, cells: list[_Cell]) -> CrosstabUpdate | None:
        if not cells:
            return None
        sides = [cell.audiences for cell in cells]
        rows = self._rows.match([side.row for side in sides], lambda place: cells[place].row)
        columns = self._columns.match(
            [side.column for side in sides], lambda place: cells[place].column
        )
        figures = _read_figures(cells)
        known = (rows != _UNKNOWN) & (columns != _UNKNOWN)
        if not known.all():
            self._wait(cells, rows, columns, figures, ~known)
            rows, columns, figures = rows[known], columns[known], figures[known]
        return self._store(rows, columns, figures)

    def _store(self, rows: Places, columns: Places, figures: Floats) -> CrosstabUpdate | None:
        new = self.result.store(rows, columns, figures)
        if not len(new):
            return None
        result = self.result
        return CrosstabUpdate(result, rows[new], columns[new], result.count, result.expected)

    def _wait(
        self,
        cells: Sequence[_Cell],
        rows: Places,
        columns: Places,
        figures: Floats,
        unknown: NDArray[np.bool_],
    ) -> None:
        """Put cells aside until the whole stream shows how its indices count."""
        for place in np.flatnonzero(unknown).tolist():
            cell = cells[place]
            base = cell.base
            self._rows.see_index(cell.row_index, cell.audiences.row, base)
            self._columns.see_index(cell.column_index, cell.audiences.column, base)
            self._waiting.append(
                _Waiting(
                    (int(rows[place]), cell.row_index),
                    (int(columns[place]), cell.column_index),
                    figures[place],
                )
            )

    def _place_by_index(self) -> CrosstabUpdate | None:
        if not self._waiting:
            return None
        first = _first_index(self._rows, self._columns)
        if first is None:
            self.unplaced = len(self._waiting)
            return None
        rows = np.array([self._rows.resolve(*each.row, first) for each in self._waiting])
        columns = np.array([self._columns.resolve(*each.column, first) for each in self._waiting])
        figures = np.array([each.figures for each in self._waiting])
        known = (rows != _UNKNOWN) & (columns != _UNKNOWN)
        self._waiting.clear()
        return self._store(rows[known], columns[known], figures[known])


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """A cell of which a side is known by index alone: (place or unknown, index) for each side."""

    row: tuple[int, float | None]
    column: tuple[int, float | None]
    figures: Floats


class _Axis:
    """One side of the table: which place an id, an echo or an index stands for."""

    def __init__(self, audiences: Sequence[Audience], *, requested: bool) -> None:
        self._audiences = audiences
        self._length = len(audiences)
        self._requested = requested
        self._ids = {audience.id: place for place, audience in enumerate(audiences)}
        self._named = False
        self._indices: set[float] = set()
        self._first_is_base = True

    def match(self, sides: Sequence[_Side], echo_of: Callable[[int], msgspec.Raw]) -> Places:
        """The places by id, or by echo; `_UNKNOWN` where neither says."""
        if not self._requested:
            # A side that was not asked for has one place, by whatever name it comes.
            return np.zeros(len(sides), dtype=np.intp)
        ids = self._ids
        places = [ids.get(side.audience, _UNKNOWN) for side in sides]
        if _UNKNOWN in places:
            for place, found in enumerate(places):
                if found == _UNKNOWN:
                    places[place] = self._match_echo(echo_of(place))
        found = np.array(places, dtype=np.intp)
        self._named = self._named or bool((found != _UNKNOWN).any())
        return found

    def _match_echo(self, raw: msgspec.Raw) -> int:
        try:
            echo = msgspec.json.decode(raw)
            if not isinstance(echo, dict):
                return _UNKNOWN
            fields = cast(dict[str, Any], echo)
            identity = fields.get("id")
            if isinstance(identity, str) and identity in self._ids:
                return self._ids[identity]
            return self._echoes.get(_echo_key(fields), _UNKNOWN)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return _UNKNOWN

    @cached_property
    def _echoes(self) -> dict[str, int]:
        """Places by name and expression, those left out that two audiences share."""
        keys = [_echo_key(audience.to_wire("query")) for audience in self._audiences]
        counts = Counter(keys)
        return {key: place for place, key in enumerate(keys) if counts[key] == 1}

    def see_index(self, index: float | None, side: _Side, base: _Base) -> None:
        if index is None:
            return
        self._indices.add(index)
        if index == 0 and (side.size, side.sample) != (base.size, base.sample):
            self._first_is_base = False

    @property
    def counts_from_one(self) -> bool:
        """Whether some index can only be one that counts from 1."""
        return self._requested and self._length in self._indices

    @property
    def counts_from_zero(self) -> bool:
        """Whether some cell has index 0 and yet is not of "all base respondents"."""
        return self._requested and 0 in self._indices and not self._first_is_base

    def resolve(self, place: int, index: float | None, first: int) -> int:
        """The place of a side by its index, `first` being that of the first audience."""
        if place != _UNKNOWN:
            return place
        # A service that names our audiences at all, and not this one, means another: its own
        # "all respondents" cell, say. Its index must not put it in a requested place.
        if index is None or self._named or index != int(index):
            return _UNKNOWN
        found = int(index) - first
        return found if 0 <= found < self._length else _UNKNOWN


def _first_index(rows: _Axis, columns: _Axis) -> int | None:
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
    for key, value in node.items():  # pyright: ignore[reportUnknownVariableType]
        if value in (None, [], False) or (key == "min_count" and value == 1):
            continue
        if key in ("and", "or") and isinstance(value, list):
            value = [_plain(child) for child in value]  # pyright: ignore[reportUnknownVariableType]
        if key == "suffixes" and isinstance(value, list):
            value = [str(each) for each in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        plain["datapoints" if key == "options" else str(key)] = value  # pyright: ignore[reportUnknownArgumentType]
    return plain
