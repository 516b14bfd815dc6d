"""What the module is asked for as functions of other programs: columns of a frame, a design."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from audiencelab.client.connection.opening import open  # noqa: A004 -- al.open


def of_columns(of_a_source: Callable[..., Any]) -> Callable[..., Any]:
    """A crosstab of a source, or of columns of a frame as `pd.crosstab` takes them."""

    def crosstab(rows: Any = None, columns: Any = None, *given: Any, **named: Any) -> Any:
        rows = named.pop("index", rows)
        if not _is_column(rows):
            return of_a_source(rows, columns, *given, **named)
        weight = next((named.pop(word) for word in ("weights", "weight") if word in named), None)
        sides = [[each] if _is_column(each) else list(each) for each in (rows, columns)]
        return _of_frame(sides[0], sides[1], weight, named)

    return crosstab


def _is_column(given: Any) -> bool:
    return hasattr(given, "name") and hasattr(given, "to_numpy") and hasattr(given, "index")


def _of_frame(rows: list[Any], columns: list[Any], weight: Any, named: dict[str, Any]) -> Any:
    import pandas as pd

    named_columns = {str(each.name): each for each in (*rows, *columns)}
    frame = pd.DataFrame(named_columns)
    if weight is not None:
        frame["weight"] = weight
    # As pandas counts them: every value of a column is one.
    client = open(
        frame,
        weight=None if weight is None else "weight",
        missing={name: [] for name in named_columns},
        quiet=True,
    )
    asked = [[str(each.name) for each in side] for side in (rows, columns)]
    shares = {"index": "row", "columns": "column", True: "total", "all": "total"}
    metric = shares.get(named.pop("normalize", None), "")
    table = client.crosstab(*asked, **named)
    return table[metric] if metric else table


def opened_by_design(*given: Any, **named: Any) -> Any:
    """The client of data with a design in the words of R: formulas are columns."""
    data = named.pop("data", None)
    given = tuple(each for each in given if data is None or not isinstance(each, str))
    source = given[0] if data is None else data
    plain = {name: _column(each) for name, each in named.items()}
    if "id" in plain:
        plain["clusters"] = plain.pop("id")
    return open(source, **{name: each for name, each in plain.items() if each is not None})


def _column(given: Any) -> Any:
    """The column of "~psu"; None for "~1", which names none."""
    if not isinstance(given, str):
        return None if isinstance(given, int) and not isinstance(given, bool) else given
    name = given.strip().lstrip("~").strip()
    return None if name in ("1", "0") else name
