"""What simulations are given: numbers, or tables of a survey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from audiencelab.course.errors import CourseError
from audiencelab.course.play.protocol import PlayControl
from audiencelab.results.arrangement import low_base_mark, low_base_words

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.results.arrow import HasFrame


TableCells = dict[str, dict[str, Any]]
"""By column, each by the columns of its frame."""


class TwoGroups(NamedTuple):
    """Two groups that share all people between them.

    people, interviews: the share of the first one in per cent. answers: the percentage of each
    group that gives an answer. n: interviews. groups: their names.
    """

    people: float
    interviews: float
    answers: tuple[float, float]
    n: int
    groups: tuple[str, str]


def share_control(share: float | HasFrame) -> PlayControl:
    """The slider of the true share: a number, or the column percentage of a table's first cell."""
    if isinstance(share, int | float):
        return percent("share", "True share", share)
    cell = cells_of(share).iloc[0]
    return percent(
        "share", f"True share: {cell['row']}", round(float(cell["column_percentage"]), 1)
    )


def percent(name: str, label: str, value: float) -> PlayControl:
    """A slider of percentages from 1 to 99, with tenths where the first value has them."""
    return PlayControl(name, label, value, 1, 99, 1 if value == int(value) else 0.1, "%")


def size_control(n: int) -> PlayControl:
    """The slider of the respondents of a survey."""
    return PlayControl("n", "People asked (n)", n, 50, 4_000, 50)


def two_groups(table: HasFrame) -> TwoGroups:
    """The groups in the two columns of a crosstab of one row."""
    cells = cells_of(table)
    sizes, samples = (cells[each].tolist() for each in ("column_size", "column_sample"))
    if len(cells) != 2 or 0 in (*sizes, *samples):
        raise CourseError(
            "weights needs a crosstab of one row and two columns that share all people between "
            f"them; got {len(cells)} cells. Write client.crosstab(answer, [young, ~young])."
        )
    people, interviews = (round(100 * each[0] / sum(each), 1) for each in (sizes, samples))
    answers, groups = (tuple(cells[each]) for each in ("column_percentage", "column"))
    return TwoGroups(people, interviews, answers, int(sum(samples)), groups)


def mean_of(values: Sequence[float], shares: Sequence[float]) -> float:
    """The mean of values that groups have, of shares in per cent."""
    return sum(value * share for value, share in zip(values, shares, strict=True)) / 100


def both(shares: Sequence[float]) -> str:
    """The shares of two groups as text."""
    return " : ".join(f"{each:.3g}%" for each in shares)


def first_rows(tables: Mapping[str, Any]) -> dict[str, TableCells]:
    """The first row of each table; raises `CourseError` unless all have the same columns."""
    rows = {name: _first_row(each) for name, each in tables.items()}
    if len(rows) < 2 or len({tuple(each) for each in rows.values()}) > 1:
        raise CourseError(
            "base needs crosstabs of the same columns on two or more bases. Write "
            'course.play.base({"Everyone": table, "Parents": table_of_parents}).'
        )
    return rows


def index_text(cell: Mapping[str, Any]) -> str:
    """The index of a cell, with the mark of a low base."""
    if cell["index"] != cell["index"]:
        return "–"
    return f"{cell['index']:.0f} {low_base_mark(cell['column_sample'])}".strip()


def low_base(cells: TableCells) -> dict[str, str]:
    """What the marks of a low base mean, where there is one."""
    marked = any("*" in index_text(each) for each in cells.values())
    return {"Low base": low_base_words()} if marked else {}


def _first_row(table: Any) -> TableCells:
    cells = cast("list[dict[str, Any]]", cells_of(table).to_dict("records"))
    return {str(each["column"]): each for each in cells if each["row"] == cells[0]["row"]}


def cells_of(table: Any) -> pd.DataFrame:
    """The cells of a crosstab; raises `CourseError` for anything else."""
    frame: Any = table.to_frame() if hasattr(table, "to_frame") else None
    if frame is None or not {"row", "column_percentage"} <= set(frame.columns) or frame.empty:
        raise CourseError(
            "Give a percentage, such as 37, or a table of client.crosstab(rows, columns); got "
            f"{type(table).__name__}."
        )
    return frame
