"""Rows of statistics in the static form of a grid: among others, or below a transposed table."""

from __future__ import annotations

from audiencelab.markup import GAP, QUIET, Block, Table, element, table
from audiencelab.render.crosstab_layout import HIDDEN
from audiencelab.render.room import Room, fitted
from audiencelab.results.arrangement import low_base_mark
from audiencelab.results.banner import whole_names
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.formatting import Looks
from audiencelab.widgets.crosstab.marks import StatisticMarks
from audiencelab.widgets.crosstab.session import statistic_columns, statistic_lines


def statistic_texts(result: CrosstabResult, marks: StatisticMarks, looks: Looks) -> list[list[str]]:
    """The cells of rows of statistics, with their marks in front as those of shares."""
    if result.statistics is None:
        return []
    samples = result.statistics.figures[-1][:, 1:].tolist()
    texts: list[list[str]] = []
    for line, respondents in zip(
        statistic_lines(result, marks.marks, looks.hide_under), samples, strict=True
    ):
        split = (cell.partition(" ")[::2] for cell in line.cells)
        stars = (low_base_mark(each, looks.stars) for each in respondents)
        texts.append(
            [
                value if value == HIDDEN else GAP.join(filter(None, (mark, star, value)))
                for (value, mark), star in zip(split, stars, strict=True)
            ]
        )
    return texts


def statistics_below(
    result: CrosstabResult,
    marks: StatisticMarks,
    looks: Looks,
    room: Room,
    *,
    transposed: bool,
) -> list[Block]:
    """What is below the cells about rows of statistics; of a transposed table these rows."""
    if result.statistics is None:
        return []
    note = element("div", result.statistics_note, style=QUIET)
    if not transposed:
        return [note]
    names = whole_names(result.columns, result.column_groups)
    columns = statistic_columns(names, marks.column_letters)
    lines = statistic_lines(result, marks.marks, looks.hide_under)

    def draw(height: int, width: int) -> Table:
        return table(
            ["", "Base", *columns[:width]],
            [[each.name, each.base, *each.cells[:width]] for each in lines[:height]],
            numeric=range(1, 2 + width),
            most=None,
            hidden=len(lines) - height,
            hidden_columns=len(columns) - width,
            length=room.length,
        )

    return [fitted(room, len(lines), len(columns), draw), note]
