"""Comparisons as pandas frames; pandas is imported here at the top, as in `frames.tables`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.analysis.comparison import ColumnComparison, Comparison
from audiencelab.analysis.proportions import Margin
from audiencelab.results.banner import joined, named_levels
from audiencelab.results.dtypes import as_figures
from audiencelab.wording import half_up

__all__ = ["COMPARISON_FIGURES", "comparison_frame", "marked_frame", "named_columns"]

COMPARISON_FIGURES = (
    "percentage",
    "other_percentage",
    "difference",
    "standard_error",
    "sample",
    "other_sample",
    "base",
    "other_base",
    "z",
    "p",
    "p_adjusted",
    "level",
    "note",
)
"""Columns of a comparison's frame, after those that name row, column and other."""

Places = NDArray[np.intp]

_OTHER = {
    "column_id": "other_id",
    "column_head": "other_head",
    "column": "other",
    "wave": "previous",
    "wave_label": "previous_label",
}


def comparison_frame(comparison: Comparison) -> pd.DataFrame:
    """See `Comparison.to_frame`."""
    outcome, unit = comparison.outcome, comparison.reading.unit
    rows, tests = np.nonzero(outcome.listed)
    frame = named_columns(comparison.shares.rows, rows)
    frame |= named_columns(comparison.shares.columns, comparison.column[rows, tests])
    others = named_columns(comparison.others, comparison.other[rows, tests])
    frame |= {_OTHER.get(name, name): values for name, values in others.items()}
    first, second = outcome.first, outcome.second
    figures = (
        unit * first.cells.share,
        unit * second.cells.share,
        unit * outcome.difference,
        unit * outcome.error,
        first.cells.sample,
        second.cells.sample,
        first.base,
        second.base,
        outcome.z,
        outcome.p,
        outcome.p_adjusted,
        outcome.level,
        outcome.note,
    )
    frame |= {
        name: as_figures(name, plane[rows, tests])
        for name, plane in zip(COMPARISON_FIGURES, figures, strict=True)
    }
    # Texts as a column of texts, not of objects, also where there are none.
    frame["note"] = pd.Series([str(note) for note in frame["note"]], dtype=_text_type())
    made = pd.DataFrame(frame)
    if outcome.freedom is not None:
        behind_z = list(made).index("z") + 1
        made.insert(behind_z, "degrees_of_freedom", outcome.freedom[rows, tests])
    name = comparison.reading.name
    made = made.rename(columns={"percentage": name, "other_percentage": f"other_{name}"})
    made.attrs.update(comparison.shares.provenance, recipe=comparison.recipe)
    return made


def marked_frame(comparison: Comparison, decimals: int) -> pd.DataFrame:
    """See `ColumnComparison.letters` and the arrows of the others."""
    share = comparison.reading.unit * comparison.shares.cells.share
    marks = comparison.marks()
    texts = [
        [_marked(value, mark, decimals) for value, mark in zip(*line, strict=True)]
        for line in zip(share.tolist(), marks.tolist(), strict=True)
    ]
    columns = comparison.shares.columns
    letters = comparison.heads() if isinstance(comparison, ColumnComparison) else None
    across, down = _index(columns, letters), _index(comparison.shares.rows)
    made = pd.DataFrame(texts, index=down, columns=across)
    made.attrs.update(comparison.shares.provenance, recipe=comparison.recipe)
    return made


def _index(margin: Margin, letters: list[str] | None = None) -> pd.Index[Any]:
    """The names, under their heads, and over their letters."""
    below = {} if letters is None else {"letter": letters}
    named = {**named_levels(margin.heads, _what(margin)), _what(margin): margin.names, **below}
    if len(named) == 1:
        return pd.Index(margin.names, name=_what(margin))
    return pd.MultiIndex.from_arrays(list(named.values()), names=list(named))


def _marked(value: float, mark: str, decimals: int) -> str:
    figure = "–" if np.isnan(value) else f"{half_up(value, decimals):.{decimals}f}"
    return f"{figure} {mark}".rstrip()


def _what(margin: Margin) -> str:
    """What stands in a margin: rows, columns, datapoints, waves."""
    return next(iter(margin.columns)).removesuffix("_id")


def named_columns(margin: Margin, places: Places) -> dict[str, Any]:
    """Names of some of a margin: codes as they are, labels as categoricals in the table's order."""
    columns = dict(margin.columns)
    if margin.heads:  # before the names, as in the table's own frame
        label, names = columns.popitem()
        columns |= {f"{label}_head": tuple(map(joined, margin.heads)), label: names}
    return {
        name: _labels(values, places) if _is_label(name) else _texts(values, places)
        for name, values in columns.items()
    }


def _is_label(name: str) -> bool:
    return name in {"row", "column", "other"} or name.endswith(("_label", "_name", "_head"))


def _labels(values: tuple[str, ...], places: Places) -> pd.Categorical:
    unique = list(dict.fromkeys(values))
    place = {value: position for position, value in enumerate(unique)}
    codes = np.array([place[value] for value in values], dtype=np.intp)
    kind = pd.CategoricalDtype(unique, ordered=True)
    return pd.Categorical.from_codes(codes[places], dtype=kind)


def _texts(values: tuple[str, ...], places: Places) -> Any:
    return pd.Series(list(values), dtype=_text_type()).array.take(places)


def _text_type() -> Any:
    """The type that pandas gives to texts, whichever version it is."""
    return pd.Series(["text"]).dtype
