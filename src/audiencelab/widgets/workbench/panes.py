"""How a workbench is laid out, as small numbers that a reload and a second view keep."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypedDict, cast

from audiencelab.errors import AudienceError
from audiencelab.widgets.crosstab.chart import KINDS

__all__ = ["Panes", "checked_panes"]

_LEAST, _MOST = 80, 4_000


class Panes(TypedDict):
    """Pixels of the rail at the side, of the chart beside the table, and of the whole.

    kind: of the chart; the empty one is whichever suits the cells.
    """

    rail: int
    chart: int
    height: int
    kind: str


_USUAL: Panes = {"rail": 360, "chart": 420, "height": 640, "kind": ""}


def checked_panes(value: object) -> Panes:
    """`value` with what it does not say as usual, and no pane lost out of sight.

    What is no mapping says nothing. Raises `AudienceError` for a size that is no number, and for
    a kind of chart that there is not.
    """
    given = cast("Mapping[str, Any]", value if isinstance(value, Mapping) else {})
    panes: dict[str, Any] = {**_USUAL, **{name: given[name] for name in _USUAL if name in given}}
    if panes["kind"] not in ("", *KINDS):
        raise AudienceError(f"panes: no chart {panes['kind']!r}; choose of {', '.join(KINDS)}.")
    for name in ("rail", "chart", "height"):
        size = panes[name]
        is_number = isinstance(size, int | float) and not isinstance(size, bool)
        if not is_number or not math.isfinite(size):
            raise AudienceError(f"panes: {name} is a number of pixels, not {size!r}.")
        panes[name] = round(min(max(size, _LEAST), _MOST))
    return cast("Panes", panes)
