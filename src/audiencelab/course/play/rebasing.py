"""Base: how the index of the same cells moves with the people that they are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from audiencelab.course.play.drawing import Drawing
from audiencelab.course.play.game import Game, Turn
from audiencelab.course.play.given import TableCells, first_rows, index_text, low_base
from audiencelab.course.play.protocol import PlayControl
from audiencelab.markup import shorten

if TYPE_CHECKING:
    import pandas as pd

_LEFT, _LONG, _ROW, _TOP, _LONGEST = 170, 350, 28, 26, 24


class Base(Game):
    """The index of a row in one or more columns, on one base or another."""

    _title = "Base: the same cells, compared with other people"

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self._tables = first_rows(tables)
        super().__init__([PlayControl("base", "Base", 0, choices=tuple(self._tables))])

    def to_frame(self) -> pd.DataFrame:
        """One row for each column on the chosen base: its index, percentages and respondents."""
        import pandas as pd

        kept = ["index", "column_percentage", "row_base_percentage", "column_sample"]
        return pd.DataFrame(self._chosen[1].values(), list(self._chosen[1]), columns=kept)

    @property
    def _chosen(self) -> tuple[str, TableCells]:
        return list(self._tables.items())[int(self._values["base"])]

    def _turn(self) -> Turn:
        (first_name, first), *_ = self._tables.items()
        name, now = self._chosen
        column = max(first, key=lambda each: (first[each]["index"] > 0, first[each]["index"]))
        cell, index = now[column], index_text(now[column])
        share, rest = f"{cell['column_percentage']:.1f}%", f"{cell['row_base_percentage']:.1f}%"
        words = f"{cell['row']}: {share} of {column}, {rest} of the base “{name}”. "
        words += f"The index is {index}"
        if name != first_name:
            words += f"; on the base “{first_name}” it is {index_text(first[column])}"
        listed = ", ".join(f"{each}: {index_text(of)}" for each, of in now.items())
        alt = f"A scale of the index with a line at 100. On the base “{name}”, {listed}."
        figures = {f"Index of {column}": index, f"Percentage of {column}": share}
        figures |= {f"Percentage of {name}": rest, "Asked (n)": f"{cell['column_sample']:,.0f}"}
        figures |= low_base(now)
        every = [cell["index"] for each in self._tables.values() for cell in each.values()]
        top = max(200, *(50 * int(-(-each // 50)) for each in every if each == each))
        return Turn(_drawn(first, now, top, (first_name, name)), alt, f"{words}.", figures)


def _drawn(first: TableCells, now: TableCells, top: int, names: tuple[str, str]) -> Drawing:
    floor, right = _TOP + _ROW * len(now), _LEFT + _LONG
    drawing, middle = Drawing(floor + 26), _LEFT + 100 * _LONG / top
    drawing.lines("axis", [(_LEFT, floor, right, floor)])
    drawing.lines("truth", [(middle, _TOP, middle, floor)])
    for tick in range(0, top + 1, 50):
        drawing.words(_LEFT + _LONG * tick / top, floor + 18, str(tick), "middle")
    for look, size, x, name in zip(("ghost", "latest"), (7, 11), (10, 200), names, strict=True):
        drawing.piles(look, size, [(x, 10, 1)])
        drawing.words(x + 10, 14, shorten(name, _LONGEST))
    drawing.words(right + 24, 14, "index")
    drawing.words(right + 114, 14, "n", "end")
    for at, (name, cell) in enumerate(now.items()):
        y = _TOP + _ROW * (at + 0.5)
        drawing.words(0, y + 5, shorten(name, _LONGEST))
        drawing.words(right + 24, y + 5, index_text(cell))
        drawing.words(right + 114, y + 5, f"{cell['column_sample']:,.0f}", "end")
        before, after = (_LEFT + _LONG * each["index"] / top for each in (first[name], cell))
        if before == before and after == after:
            drawing.moved(before, after, y)
    return drawing
