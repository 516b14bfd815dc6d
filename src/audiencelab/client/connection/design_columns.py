"""The columns of a design as people write them: names, columns of a frame, formulas of R."""

from __future__ import annotations

from typing import Any, cast

from msgspec import UNSET, UnsetType

_NONE = ("", "0", "1")
"""Formulas of R for a sample without clusters: `~0` and `~1`."""


def column_named(argument: str, given: Any) -> str | UnsetType | None:
    """The name of a column that was given by name, as `frame["psu"]`, or as R's "~psu".

    None, and R's 1 or "~1", for a sample without. Raises `TypeError` for anything else, and
    `ValueError` for several columns.
    """
    if given is None or given is UNSET:
        return given
    name = getattr(given, "name", given)
    if isinstance(name, int) and not isinstance(name, bool) and str(name) in _NONE:
        return None
    if isinstance(name, list | tuple) and len(listed := [*cast("list[Any]", name)]) == 1:
        name = listed[0]
    if not isinstance(name, str):
        raise TypeError(
            f"{argument} must be the name of one column; got {type(given).__name__}. A column that "
            "you make holds what is in several: "
            'frame["stratum"] = frame["region"].astype(str) + frame["size"].astype(str).'
        )
    formula = name.strip()
    if not formula.startswith("~"):
        return name
    name = formula[1:].strip()
    if name in _NONE:
        return None
    stages = [each.strip() for each in name.replace(":", "+").split("+")]
    if len(stages) > 1:
        raise ValueError(
            f"{argument}={given!r} is not valid: variances rest on the units that were drawn "
            f"first, in one column. Write al.open(source, {argument}={stages[0]!r})."
        )
    return name
