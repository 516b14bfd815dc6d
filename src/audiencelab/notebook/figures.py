"""The figures that a notebook saves beside a crosstab, as tables that can be compared.

A reader of the notebook sees the HTML table, and in JupyterLab these: sizes and samples, of which
the page works out every metric. So both have to hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from audiencelab.frames.saved import CROSSTAB, plane_of

__all__ = ["saved_figures"]

_DIGITS = ".7g"
"""As many as people of a cell are saved with."""


def saved_figures(data: Mapping[str, Any]) -> list[list[list[str]]]:
    """A table for each figure of a saved crosstab: its name and the columns, then a line a row.

    data: an output by MIME type; without a saved crosstab there are no tables. One that cannot be
    read is a table of one cell that says so.
    """
    saved = data.get(CROSSTAB)
    if saved is None:
        return []
    try:
        rows, columns = saved["rows"]["names"], saved["columns"]["names"]
        planes = {name: plane_of(plane) for name, plane in sorted(saved["planes"].items())}
        return [
            _table(name, np.broadcast_to(plane, _shape(name, rows, columns)), rows, columns)
            for name, plane in planes.items()
        ]
    except (AttributeError, KeyError, TypeError, ValueError):
        return [[["The figures saved beside the table cannot be read."]]]


def _shape(name: str, rows: list[str], columns: list[str]) -> tuple[int, int]:
    """Of a figure of the cells; or of the lines of one side."""
    return (
        1 if name.startswith("column_own") else len(rows),
        1 if name.startswith("row_own") else len(columns),
    )


def _table(name: str, plane: Any, rows: list[str], columns: list[str]) -> list[list[str]]:
    called = f"saved {name.replace('_own', '').replace('_', ' ')}"
    across = columns if plane.shape[1] == len(columns) else [called]
    down = rows if plane.shape[0] == len(rows) else [called]
    body = zip(down, plane, strict=True)
    return [
        [called, *map(str, across)],
        *([f"{row} ({called})", *(format(value, _DIGITS) for value in line)] for row, line in body),
    ]
