"""A crosstab as a notebook saves it: its figures, so that it can be read anew with no kernel.

An output holds a table of HTML, which everybody can show, and beside it this: the sizes and samples
that every metric is worked out from, small enough to be saved, plain enough to be read by anybody.
`docs/reference/saved-crosstab.md` describes it; `js/src/lab/saved` draws it.

A table that is too large is saved in part, its first rows and columns, and says how many there are.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience
from audiencelab.markup import OUTPUT_BYTES, shorten
from audiencelab.render.color_scale import heat_scales
from audiencelab.results.arrays import CELL_PLANES, TELLS_ARRIVAL, compress
from audiencelab.results.banner import Heads
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.provenance import source_line

Floats = NDArray[np.float64]

CROSSTAB = "application/vnd.audiencelab.crosstab.v1+json"
"""The MIME type of a saved crosstab."""

VIEW = "application/vnd.audiencelab.view.v1+json"
"""Marks the output of a widget that has saved forms, to be shown where the widget is gone.

It holds nothing: the widget's own form says which widget it is (`js/src/lab/saved/view.ts`).
"""

VERSION = 1

_MOST_COLUMNS = 40
_NAME_LENGTH = 120
_HEAD_LENGTH = 80
_SENTENCE_LENGTH = 400
_MOST_BYTES = 12_000
"""Of one saved table, however little its HTML takes."""


@dataclass(frozen=True, slots=True)
class Saving:
    """What of a table is saved beside its figures.

    looks: how its cells look, by the names of the grid's settings; what is not named is as usual.
    nets: places of the rows and of the columns that are subtotals of others.
    scope: waves and locations, in words.
    """

    looks: Mapping[str, Any] = field(default_factory=dict[str, Any])
    nets: tuple[Sequence[int], Sequence[int]] = ((), ())
    scope: str = ""


def saved_crosstab(
    result: CrosstabData, room: int, saving: Saving | None = None
) -> dict[str, Any] | None:
    """The table as a notebook saves it, in `room` bytes at most; a value that JSON can hold.

    None where nothing has arrived, or where there is no room for a single row.
    """
    if not result.count:
        return None
    room = min(room, _MOST_BYTES)
    saving = saving or Saving()
    common = _common(result, saving)
    for width in _widths(len(result.columns)):
        # The next part would have one row more than there is room for.
        fits, too_many = 0, min(len(result.rows), room // (4 * width)) + 1
        made = None
        while too_many - fits > 1:
            height = (fits + too_many) // 2
            tried = {**common, **_part(result, height, width, saving)}
            if json_bytes(tried) <= room:
                fits, made = height, tried
            else:
                too_many = height
        if made is not None and (fits == len(result.rows) or fits >= width or width == 1):
            return made
    return None


def room_beside(*saved: object) -> int:
    """Bytes that are left of an output when the other forms of it are saved too."""
    return OUTPUT_BYTES - sum(map(json_bytes, saved))


def json_bytes(value: object) -> int:
    """Bytes of a value as a notebook file holds it, with some for the name that it goes by."""
    return len(json.dumps(value, ensure_ascii=False).encode()) + 60


def _widths(columns: int) -> list[int]:
    """Columns to try: all of them if a table of so many is worth reading, then ever fewer."""
    first = min(columns, _MOST_COLUMNS)
    return sorted({max(1, first >> halvings) for halvings in range(6)}, reverse=True)


def _common(result: CrosstabData, saving: Saving) -> dict[str, Any]:
    """What is the same however much of the table is saved."""
    base = result.base_audience
    told = {
        "version": VERSION,
        "base": {
            "name": _name(base.name if base else "All"),
            "sentence": "" if base is None else shorten(base.describe(), _SENTENCE_LENGTH),
            "size": _number(result.base_size),
            "sample": _number(result.base_sample),
        },
        "heat": _shortened(heat_scales(result)),
        "looks": dict(saving.looks),
        "scope": shorten(saving.scope, _SENTENCE_LENGTH),
        "source": shorten(source_line(result.provenance, dated=False), _SENTENCE_LENGTH),
    }
    return {name: value for name, value in told.items() if value}


def _part(result: CrosstabData, height: int, width: int, saving: Saving) -> dict[str, Any]:
    rows, columns = slice(0, height), slice(0, width)
    # The mask first: a stream fills the planes before it marks their cells.
    arrived = result.arrived[rows, columns].copy()
    # Written in full, or in thousands, 616,490,371 people have more digits than are kept as a rule.
    in_full = {"size"} if saving.looks.get("units") in ("full", "thousands") else set[str]()
    planes = {
        name: _plane(
            name,
            np.where(arrived, result.values(name)[rows, columns], np.nan),
            "float64" if name in in_full else "float32",
        )
        for name in CELL_PLANES
    }
    for what in ("size", "sample"):
        down, over = result.row_values(f"row_{what}"), result.column_values(f"column_{what}")
        planes[f"row_own_{what}"] = _exact(what, down[rows, None])
        planes[f"column_own_{what}"] = _exact(what, over[None, columns])
    nets = saving.nets
    return {
        "rows": _side(result.rows, result.row_heads, height, nets[0]),
        "columns": _side(result.columns, result.column_heads, width, nets[1]),
        "planes": planes,
    }


def _side(
    audiences: Sequence[Audience], heads: Sequence[Heads], count: int, nets: Sequence[int]
) -> dict[str, Any]:
    """Names, and what stands over them, of the first lines of a side; and how many there are."""
    told: dict[str, Any] = {
        "count": len(audiences),
        "names": [_name(audience.name) for audience in audiences[:count]],
    }
    if any(heads[:count]):
        told["heads"] = [
            [[shorten(head, _HEAD_LENGTH) for head in path], len(list(lines))]
            for path, lines in groupby(heads[:count])
        ]
    kept = [place for place in nets if place < count]
    return {**told, "nets": kept} if kept else told


def _name(name: str) -> str:
    return shorten(name, _NAME_LENGTH)


def _plane(name: str, values: Floats, dtype: str) -> dict[str, Any]:
    """A figure of all cells. dtype: of people; float32 has seven digits, enough for any share."""
    plane = compress(values, gaps=name == TELLS_ARRIVAL)
    return _counts(plane) if "sample" in name else _written(plane, dtype)


def _exact(what: str, values: Floats) -> dict[str, Any]:
    """A figure of the lines themselves, which is shown as it is."""
    return _counts(values) if what == "sample" else _written(values, "float64")


def _counts(values: Floats) -> dict[str, Any]:
    """Respondents: whole numbers as a rule, though a service may answer others."""
    known = np.nan_to_num(values, nan=0.0)
    small = bool(((known >= 0) & (known < 2**16) & (known == np.floor(known))).all())
    return _written(known, "uint16") if small else _written(values, "float64")


_TYPES = {"uint16": "<u2", "float32": "<f4", "float64": "<f8"}


def _written(values: Floats, dtype: str) -> dict[str, Any]:
    with np.errstate(over="ignore"):
        packed = np.ascontiguousarray(values, dtype=_TYPES[dtype]).tobytes()
    data = base64.b64encode(packed).decode()
    return {"dtype": dtype, "shape": list(values.shape), "data": data}


def plane_of(written: Mapping[str, Any]) -> Floats:
    """A plane of a saved table as it was written. Raises `ValueError` for what is none."""
    try:
        packed = base64.b64decode(written["data"], validate=True)
        values = np.frombuffer(packed, dtype=_TYPES[written["dtype"]])
        shape: tuple[int, ...] = tuple(written["shape"])
        return values.reshape(shape).astype(np.float64)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError("This is no plane of a saved table.") from error


def _shortened(scales: dict[str, dict[str, float]] | None) -> dict[str, dict[str, float]] | None:
    """Ends of colours in six digits: of more, the last may differ from machine to machine."""
    return scales and {
        name: {end: float(f"{value:.6g}") for end, value in ends.items()}
        for name, ends in scales.items()
    }


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
