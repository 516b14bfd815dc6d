"""A crosstab as a notebook saves it: its values, so that it can be displayed without a kernel.

An output holds a table of HTML and, beside it, this payload: the sizes and samples that every
metric is computed from, small enough to be saved. `docs/reference/saved-crosstab.md` describes it;
`js/src/lab/saved` displays it. Of a table that is too large, the first rows and columns are saved.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience
from audiencelab.markup import NOTE_LENGTH, OUTPUT_BYTES, Form, Table, shorten
from audiencelab.render.color_scale import heat_scales
from audiencelab.render.crosstab_layout import statistic_texts
from audiencelab.results.all_waves import in_one_scale, parts_of_waves
from audiencelab.results.arrays import CELL_PLANES, TELLS_ARRIVAL, compress
from audiencelab.results.banner import Groups, is_nested
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.metrics import FROM_TESTS
from audiencelab.results.provenance import (
    continued,
    coverage_facts,
    weight_fact,
    weighted_base,
)
from audiencelab.results.record import sourced
from audiencelab.results.who_counts import BaseWords, base_words

Floats = NDArray[np.float64]

CROSSTAB = "application/vnd.audiencelab.crosstab.v1+json"
"""The MIME type of a saved crosstab."""

VIEW = "application/vnd.audiencelab.view.v1+json"
"""Marks the output of a widget that has saved forms, displayed where the widget is gone.

It is empty: the widget's own form says which widget it is (`js/src/lab/saved/view.ts`).
"""

VERSION = 1

_AXES = ("rows", "columns")

_MAX_COLUMNS, _MAX_NOTES = 40, 6
_NAME_LENGTH, _GROUP_LENGTH, _SENTENCE_LENGTH = 120, 80, 400
_MAX_BYTES = 12_000
"""Bytes of one saved table, however small its HTML is."""

_CELL_BYTES = 8
"""Bytes of one saved cell at the least: its size and its sample, in base64."""

RAISED = {"level": 100, "previous": 100}
"""What is added to a plane whose values may be negative."""

_TYPES = {"uint16": "<u2", "float32": "<f4", "float64": "<f8"}


class SavedMarks(NamedTuple):
    """The tests of the first cells of a table.

    planes: float64[rows, columns]: `level`, from -99 to 99, -100 for a cell without a test; those
        of `FROM_TESTS` that are shown; and `letters`, positions in the words `texts`.
    words: texts about them.
    """

    planes: Mapping[str, Floats]
    words: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Saving:
    """The parts of a saved table that are not values.

    looks: the formatting of its cells, by the names of the grid's settings, where not the default.
    nets: positions of the rows and of the columns that are subtotals of others.
    scope: waves and locations, as a sentence.
    marks: the tests of the first `saved_rows(width)` rows of the first `width` columns, by width.
    heat: the ends of the colour scales; None: those of the values.
    words: the words about the bases; None: those of the table.
    """

    looks: Mapping[str, Any] = field(default_factory=dict[str, Any])
    nets: tuple[Sequence[int], Sequence[int]] = ((), ())
    scope: str = ""
    marks: Callable[[int], SavedMarks] | None = None
    heat: Mapping[str, Mapping[str, float]] | None = None
    words: BaseWords | None = None


def saved_rows(width: int) -> int:
    """Rows of so many columns that are saved at most."""
    return max(1, _MAX_BYTES // (_CELL_BYTES * width))


def saved_crosstab(
    result: CrosstabData, room: int, saving: Saving | None = None
) -> dict[str, Any] | None:
    """The table as a notebook saves it, as a JSON value of at most `room` bytes.

    None where nothing has arrived, or where not even one row fits.
    """
    if not result.count:
        return None
    room, saving = min(room, _MAX_BYTES), saving or Saving()
    common = _common(result, saving)
    first = min(len(result.columns), _MAX_COLUMNS)
    # All columns if a table of that width is useful, then fewer and fewer.
    for width in sorted({max(1, first >> halvings) for halvings in range(6)}, reverse=True):
        # All rows, and then by bisection the largest height that fits and the least that does not.
        height, too_many = 0, min(len(result.rows), room // (4 * width)) + 1
        made, middle = None, too_many - 1
        while too_many - height > 1:
            part = {**common, **_part(result, middle, width, saving)}
            if json_bytes(part) <= room:
                height, made = middle, part
            else:
                too_many = middle
            middle = (height + too_many) // 2
        if made is not None and (height == len(result.rows) or height >= width or width == 1):
            return made
    return None


def room_beside(*saved: object) -> int:
    """Bytes left in an output after its other forms."""
    return OUTPUT_BYTES - sum(map(json_bytes, saved))


def shown_beside(form: Form, saved: dict[str, Any] | None) -> dict[str, Any]:
    """A saved table by its MIME type; {} for a part of one that the form shows whole."""
    whole = not any(isinstance(block, Table) and block.more for block in form.blocks)
    if saved is None or (whole and any(len(saved[x]["names"]) < saved[x]["count"] for x in _AXES)):
        return {}
    return {CROSSTAB: saved}


def json_bytes(value: object) -> int:
    """Bytes of a value in a notebook file, with some for its key."""
    return len(json.dumps(value, ensure_ascii=False).encode()) + 60


def _common(result: CrosstabData, saving: Saving) -> dict[str, Any]:
    base = result.base_audience
    line, notes = saving.words or base_words(result)
    scales = saving.heat or heat_scales(result, *saving.looks.get("stars", ())[:1])
    # Six digits: further digits may differ between machines.
    heat = scales and {
        name: {end: float(f"{value:.6g}") for end, value in ends.items()}
        for name, ends in scales.items()
    }
    fields = {
        "version": VERSION,
        "base": {
            "name": shorten(base.name if base is not None else "All", _NAME_LENGTH),
            **({} if base is None else {"sentence": shorten(base.describe(), _SENTENCE_LENGTH)}),
            "size": _number(result.base_size),
            "sample": _number(result.base_sample),
        },
        "heat": heat,
        "looks": dict(saving.looks),
        "base_line": shorten(line, _SENTENCE_LENGTH),
        "answered": result.who.valid,
        "weighted_base": weighted_base(result.provenance),
        "notes": [shorten(each, _SENTENCE_LENGTH) for each in notes[:_MAX_NOTES]],
        "scope": shorten(saving.scope or _scope(result), _SENTENCE_LENGTH),
        "source": shorten(sourced(result.provenance).line(short=True), NOTE_LENGTH),
    }
    return {name: value for name, value in fields.items() if value}


def _scope(result: CrosstabData) -> str:
    """Waves, some locations and weight, as a sentence."""
    known = result.provenance
    chosen = None if known.get("locations") == "all" else known.get("locations")
    weight = weight_fact(known)
    facts = [each for each in coverage_facts({**known, "locations": chosen}) if each != weight]
    return " · ".join(map(continued, filter(None, (*facts, weight))))


def _part(result: CrosstabData, height: int, width: int, saving: Saving) -> dict[str, Any]:
    rows, columns = slice(0, height), slice(0, width)
    # The mask is read first: a stream fills the planes before it marks their cells.
    arrived = result.arrived[rows, columns].copy()
    # Written in full, or in thousands, 616,490,371 people have more digits than float32.
    in_full = saving.looks.get("units") in ("full", "thousands")
    planes: dict[str, Any] = {}
    shown = in_one_scale(result)
    kept: dict[str, Floats] = {}
    for name in CELL_PLANES:
        values = np.where(arrived, shown.values(name)[rows, columns], np.nan)
        kept[name] = compress(values, gaps=name == TELLS_ARRIVAL)
        dtype = "float64" if in_full and name == "size" else "float32"
        planes[name] = _packed(name, kept[name], dtype)
    for name, part in parts_of_waves(result, shown).items():
        planes[name] = _packed(name, compress(part[rows, columns], gaps=False), "float32")
    words: dict[str, Any] = {}
    if saving.marks is not None and height <= saved_rows(width):
        marks = saving.marks(width)
        for name, plane in marks.planes.items():
            values, dtype = plane[:height], "float32" if name in FROM_TESTS else "uint16"
            planes[name] = _packed(name, values + RAISED.get(name, 0), dtype)
        words = {"marks": dict(marks.words)}
    for what in ("size", "sample"):
        down, over = result.row_values(f"row_{what}"), result.column_values(f"column_{what}")
        for side, own in (("row", down[rows, None]), ("column", over[None, columns])):
            same = np.array_equal(kept[f"{side}_{what}"], own)
            planes[f"{side}{'' if same else '_own'}_{what}"] = _packed(what, own, "float64")
        base = result.row_values(f"base_{what}")
        if result.complete and (base != base[:1]).any():
            planes[f"row_own_base_{what}"] = _packed(what, base[rows, None], "float64")
    return {
        "rows": _axis(result.rows, result.row_groups, height, saving.nets[0]),
        "columns": _axis(result.columns, result.column_groups, width, saving.nets[1]),
        "planes": planes,
        **words,
        **_statistics(result, width, saving),
    }


def _statistics(result: CrosstabData, width: int, saving: Saving) -> dict[str, Any]:
    """The rows of statistics, as they are written."""
    if result.statistics is None:
        return {}
    texts = statistic_texts(result, saving.looks.get("hide_under", 0))
    lines = [
        {"name": shorten(name, _NAME_LENGTH), "base": base, "cells": cells[:width]}
        for name, (base, *cells) in texts
    ]
    note = shorten(result.statistics_note, _SENTENCE_LENGTH)
    return {"statistics": {"lines": lines, "note": note}}


def _axis(
    audiences: Sequence[Audience], groups: Sequence[Groups], count: int, nets: Sequence[int]
) -> dict[str, Any]:
    axis: dict[str, Any] = {
        "count": len(audiences),
        "names": [shorten(audience.name, _NAME_LENGTH) for audience in audiences[:count]],
    }
    if any(groups[:count]):
        axis["heads"] = [
            [[shorten(group, _GROUP_LENGTH) for group in path], len(list(run))]
            for path, run in groupby(groups[:count])
        ]
    if any(map(is_nested, audiences[:count], groups[:count])):
        axis["nested"] = True
    shown = [position for position in nets if position < count]
    return {**axis, "nets": shown} if shown else axis


def _packed(name: str, values: Floats, dtype: str) -> dict[str, Any]:
    """A plane of values. dtype: of people; float32 has seven digits, enough for any share."""
    if "sample" in name:
        # Samples are integers, but some services return fractions.
        # NaN (withheld by the service) fails each of these comparisons.
        small = ((values >= 0) & (values < 2**16) & (values == np.floor(values))).all()
        dtype = "uint16" if small else "float64"
    with np.errstate(over="ignore"):
        packed = np.ascontiguousarray(values, dtype=_TYPES[dtype]).tobytes()
    data = base64.b64encode(packed).decode()
    return {"dtype": dtype, "shape": list(values.shape), "data": data}


def plane_of(saved: Mapping[str, Any]) -> Floats:
    """The values of a saved plane. Raises `ValueError` for other content."""
    try:
        packed = base64.b64decode(saved["data"], validate=True)
        values = np.frombuffer(packed, dtype=_TYPES[saved["dtype"]])
        shape: tuple[int, ...] = tuple(saved["shape"])
        return values.reshape(shape).astype(np.float64)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError("This is not a plane of a saved table.") from error


def planes_of(saved: Mapping[str, Any]) -> dict[str, Any]:
    """The planes of a saved table, with those of whole rows and columns that cells have too."""
    planes: Mapping[str, Any] = saved["planes"]
    own = {
        f"{side}_own_{what}": planes[f"{side}_{what}"]
        for side in ("row", "column")
        for what in ("size", "sample")
    }
    return {**own, **planes}


def _number(value: float) -> float | None:
    return (int(value) if value.is_integer() else float(value)) if np.isfinite(value) else None
