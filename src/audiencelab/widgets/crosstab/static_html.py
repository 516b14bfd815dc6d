"""Static HTML of a grid: its table as it is on the screen, as far as it fits, escaped.

The page formats its own cells (`js/src/crosstab/metrics/format.ts`, `view/cellStyle.ts`) by
the same rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.figures import figure
from audiencelab.markup import (
    GAP,
    QUIET,
    Card,
    Cell,
    Content,
    Html,
    Table,
    card,
    code_block,
    element,
    joined,
    note,
)
from audiencelab.render.cell_text import base_text, value_text
from audiencelab.render.color_scale import HEAT_STEPS, heat_scales, heat_step
from audiencelab.render.crosstab_layout import HIDDEN, column_cells, row_cells, stub_cells
from audiencelab.render.html import CellContent, banner_table
from audiencelab.render.mime_payload import (
    SavedMarks,
    Saving,
    saved_crosstab,
    saved_rows,
)
from audiencelab.render.room import NOTEBOOK, Room
from audiencelab.render.table_layout import HeaderCell, TableLayout
from audiencelab.results.arrangement import low_base_mark, low_base_words
from audiencelab.results.crosstab import shown_rows, title_of
from audiencelab.results.metrics import FROM_TESTS, METRICS, transposed_metric
from audiencelab.results.provenance import waves_fact, weight_fact, weighted_base
from audiencelab.results.record import sourced
from audiencelab.results.who_counts import base_line, notes
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.formatting import ARROWS_AGAINST, Looks
from audiencelab.widgets.crosstab.marks import CellMarks, StatisticMarks, TableMarks
from audiencelab.widgets.crosstab.metrics import (
    denominator,
    part_of,
    plane,
)
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.crosstab.session import statistic_lines
from audiencelab.widgets.crosstab.static_statistics import statistic_texts, statistics_below
from audiencelab.widgets.crosstab.tiles import bases_vary
from audiencelab.wording import plural

HeatScales = Mapping[str, Mapping[str, float]] | None

_BREAK = Html("<br>", " / ")

_HEAT_OPACITY = 7
"""Opacity of the full colour, in fifteenths: readable on light and on dark paper."""

CODE_AUDIENCES = 20
"""Rows and columns up to which the code of the query is shown."""

_COLOURS = {
    "index": "colour by index: orange over 100, blue under",
    "difference": "colour by difference from the base: orange above, blue below",
    "z": "colour by significance: pale at 95%, stronger at 99%; orange above the rest, blue below",
}


def grid_html(
    shape: tuple[int, int],
    code: str,
    result: CrosstabResult | None,
    looks: Looks,
    base: str,
    marks: TableMarks | None = None,
    *,
    transposed: bool = False,
    room: Room = NOTEBOOK,
    title: str | None = None,
) -> Card:
    """The cells that have arrived, with both bases, and the code of the query.

    shape: how many rows and columns there will be. code: "" shows none.
    marks: those of a complete table. transposed: whether its columns are shown as rows.
    title: None for that of the table with its metrics.
    """
    rows, columns = shape
    if title is None:
        about = "Crosstab" if result is None else title_of(result)
        metrics = map(transposed_metric, looks.metrics) if transposed else looks.metrics
        title = f"{about} · {' / '.join(METRICS[name].label for name in metrics)}"
    blocks = [code_block(code)] if code else []
    if result is None or not result.count:
        uncounted = f"{plural(rows, 'row')} × {plural(columns, 'column')}, not counted yet"
        return card(f"{title} · base: {base}", *blocks, subtitle=uncounted)
    height, width = _most(result, room, transposed=transposed)
    down = np.arange(min(height, len(result.rows)))
    shown = CellMarks() if marks is None else marks.shown(down, np.arange(width), looks)
    found = StatisticMarks()
    if marks is not None and result.statistics is not None:
        found = marks.of_statistics(looks.significance, looks.level)
    facts = [base_line(result), waves_fact(result.provenance), weight_fact(result.provenance)]
    below = [
        *statistics_below(result, found, looks, room, transposed=transposed),
        _notes(result, looks, shown, transposed=transposed),
        *map(note, notes(result)),
        note(sourced(result.provenance).line()),
        *blocks,
    ]
    scales = _scales(result, looks, marks)
    left = room.beside(*below)
    cells = _cells(result, looks, shown, found, scales, left, transposed=transposed)
    return card(title, cells, *below, subtitle=" · ".join(filter(None, facts)))


def _most(result: CrosstabResult, room: Room, *, transposed: bool) -> tuple[int, int]:
    """Rows and columns of the table that may be shown at all."""
    if not transposed:
        return room.most(len(shown_rows(result)), len(result.columns))
    height, width = room.most(*result.shape[::-1])
    return width, height


def _cells(
    result: CrosstabResult,
    looks: Looks,
    marks: CellMarks,
    others: StatisticMarks,
    scales: HeatScales,
    room: Room,
    *,
    transposed: bool,
) -> Table:
    height, width = _most(result, room, transposed=transposed)
    # Only of the visible part: some metrics take a while over a large table.
    shown = part_of(result, range(min(height, len(result.rows))), range(width))
    cells = row_cells(result) if transposed else stub_cells(result)
    rows = [replace(row, net=False) for row in cells[:height]]
    columns = list(column_cells(result)[:width])
    if marks.letters:
        pairs = zip(columns, marks.letters.column_letters, strict=True)
        columns = [replace(column, letter=letter) for column, letter in pairs]
    write = CellWriter(shown, looks, marks, scales)
    listed, statistics = shown_rows(result), statistic_texts(result, others, looks)

    def placed(row: int, column: int) -> CellContent:
        is_statistic, at = listed[row]
        return statistics[at][column] if is_statistic else write(at, column)

    of_all = [line.base for line in statistic_lines(result, None, looks.hide_under)]
    titles = [f"Of the whole base: {of_all[at]}" if other else "" for other, at in listed]
    if transposed:
        titles = [""] * width
    bases = _bases(result, rows, columns, looks)
    stub, banner, hidden = rows, columns, (len(cells) - height, len(result.columns) - width)
    if transposed:
        stub, banner, hidden = banner, stub, (hidden[1], hidden[0])
        bases = [base._replace(rows=base.columns, columns=base.rows) for base in bases]
    return banner_table(
        TableLayout("", tuple(stub), tuple(banner)),
        (lambda row, column: write(column, row)) if transposed else placed,
        # One row each: side by side they would make every column as wide as both.
        bases=[
            [base.label, *(base.total if base is each else "" for each in bases), *base.columns]
            for base in bases
        ],
        beside={
            base.header: [
                Cell(each, room.bases, title)
                for each, title in zip(base.rows, titles, strict=False)
            ]
            for base in bases
        },
        header=lambda each: each.lettered,
        room=room,
        hidden=hidden,
    )


def _scales(result: CrosstabResult, looks: Looks, marks: TableMarks | None) -> HeatScales:
    """The ends of the colour scales: of the whole table where only a part of it is shown."""
    return heat_scales(result if marks is None else marks.result, looks.stars[0])


class _Base(NamedTuple):
    """A kind of base, as texts: of everyone in the base, of each column and of each row."""

    header: str
    label: str
    total: str
    columns: list[str]
    rows: list[str]


def _bases(
    result: CrosstabResult, rows: Sequence[HeaderCell], columns: Sequence[HeaderCell], looks: Looks
) -> list[_Base]:
    """The bases that are shown, the weighted one where there is a weight."""
    weighted = weighted_base(result.provenance)

    def count(sample: float) -> str:
        return base_text(sample, "sample", looks.stars)

    vary = bases_vary(result)

    def respondents(row: HeaderCell) -> str:
        if not vary or row.decimals is not None:
            return count(row.sample)
        return f"{count(row.sample)} of {figure(row.base_sample, 0)}" if row.base_sample else "–"

    found = {
        "weighted": _Base(
            "Weighted base",
            weighted,
            grid_text("size", result.base_size, looks),
            [grid_text("size", each.size, looks) for each in columns],
            [grid_text("size", each.size, looks) for each in rows],
        ),
        "unweighted": _Base(
            "Unweighted base (n)",
            "Unweighted base (n)",
            count(result.base_sample),
            [count(each.sample) for each in columns],
            [respondents(each) for each in rows],
        ),
    }
    return [found[name] for name in looks.show_bases if found[name].label]


_COLUMN_SHARES = ("column_percentage",)
_OF_COLUMN_SHARES = (*_COLUMN_SHARES, "index", "difference", "z")
"""Figures that are above or below a column's average as its shares are."""


def _compared(marks: str, looks: Looks, seen: Sequence[str], *, transposed: bool) -> list[str]:
    """Which figures the marks compare, where the cells show none of them."""
    if not set(seen).isdisjoint(looks.metrics):
        return []
    compared = transposed_metric("column_percentage") if transposed else "column_percentage"
    return [f"{marks} compare {METRICS[compared].label}"]


def _notes(result: CrosstabResult, looks: Looks, marks: CellMarks, *, transposed: bool) -> Html:
    tests, letters = marks
    notes = [_COLOURS[looks.heat]] if looks.heat in _COLOURS else []
    stars = low_base_words(looks.stars)
    if stars and ("unweighted" in looks.show_bases or not set(looks.metrics) <= {"size", "sample"}):
        notes.append(stars)
        if looks.heat in _COLOURS:
            notes.append("low bases have no colour")
    if looks.hide_under:
        notes.append(f"{HIDDEN} fewer than {looks.hide_under:,g}: not shown")
    if looks.significance in ARROWS_AGAINST:
        waves = looks.significance == "previous wave"
        against = "the wave before" if waves else "the rest of the base"
        words = f"▲ ▼ significantly above or below {against} ({looks.level:.0%})"
        short = tests and (tests.problem or tests.short)
        notes.append(f"{words}: {short}" if short else words)
        seen = _COLUMN_SHARES if waves else _OF_COLUMN_SHARES
        notes += _compared("arrows", looks, seen, transposed=transposed)
    if letters is not None:
        notes.append(letters.problem or letters.legend.removesuffix("."))
        if not letters.problem:
            notes += _compared("letters", looks, _COLUMN_SHARES, transposed=transposed)
    if not result.complete:
        notes.append(f"{result.count:,} of {result.expected:,} cells had arrived")
    return element("div", " · ".join(notes), style=QUIET)


# -- cells ---------------------------------------------------------------------------------------


class CellWriter:
    """Writes cells of one table: stacked values with marks, on their colour.

    marks: of the same cells, as far as they are shown and known.
    scales: ends of the colour scales, of the whole table if `result` is a part of it.
    """

    def __init__(
        self,
        result: CrosstabResult,
        looks: Looks,
        marks: CellMarks,
        scales: HeatScales,
    ) -> None:
        self._arrived = result.arrived
        self._empty = result.values("base_sample") == 0
        self._lines = [_line(result, name, looks, marks) for name in looks.metrics]
        self._heat = _heat(result, looks, marks, scales)
        self._sign = _signs(result, looks, marks)

    def __call__(self, row: int, column: int) -> Content | Cell:
        if not self._arrived[row, column]:
            return Cell("…", QUIET)
        if self._empty[row, column]:
            return Cell("–", QUIET)
        first, *others = (line(row, column) for line in self._lines)
        below = (part for other in others for part in (_BREAK, other))
        return Cell(joined(self._sign(row, column), first, *below), self._heat(row, column))


def grid_text(metric: str, value: float, looks: Looks) -> str:
    """A value as the page writes it."""
    return value_text(metric, value, looks.decimals, looks.units)


def _line(
    result: CrosstabResult, metric: str, looks: Looks, marks: CellMarks
) -> Callable[[int, int], str]:
    """How one metric of a cell is written, with its mark in front to keep numbers aligned."""
    tests, letters = marks
    if metric == "letters":
        return lambda row, column: "" if letters is None else letters.marks[row, column]
    if metric in FROM_TESTS:
        values = np.full(result.shape, np.nan) if tests is None else tests.plane(metric)
    else:
        values = plane(result, metric)
    respondents = denominator(result, metric)

    def line(row: int, column: int) -> str:
        value = float(values[row, column])
        if math.isnan(value):
            return "–"
        few = math.inf if respondents is None else float(respondents[row, column])
        if few < looks.hide_under:
            return HIDDEN
        mark = low_base_mark(few, looks.stars)
        return f"{mark}{GAP if mark else ''}{grid_text(metric, value, looks)}"

    return line


def _signs(result: CrosstabResult, looks: Looks, marks: CellMarks) -> Callable[[int, int], str]:
    """The arrow or the letters of a cell, in front of its first value to keep numbers aligned."""
    tests, letters = marks
    space = GAP
    if looks.significance == "letters" and "letters" in looks.metrics:
        # They have a line of their own.
        return lambda row, column: ""
    if looks.significance == "letters" and letters is not None:
        # Above the value where a column is narrow.
        found, respondents, space = letters.marks, None, " "
    elif looks.significance in ARROWS_AGAINST and tests is not None:
        waves = looks.significance == "previous wave"
        found = tests.arrows(looks.level, waves=waves)
        respondents = denominator(result, "column_percentage" if waves else "z")
    else:
        return lambda row, column: ""

    def sign(row: int, column: int) -> str:
        # A hidden value must not be visible as an arrow.
        few = math.inf if respondents is None else float(respondents[row, column])
        mark = "" if few < looks.hide_under else _joined_letters(found[row, column])
        return f"{mark}{space}" if mark else ""

    return sign


def _joined_letters(mark: str) -> str:
    """Without spaces; letters of more than 26 columns, such as AB, need the space between them."""
    return mark if max(map(len, mark.split(" "))) > 1 else mark.replace(" ", "")


def _heat(
    result: CrosstabResult, looks: Looks, marks: CellMarks, scales: HeatScales
) -> Callable[[int, int], str]:
    """The colour behind a cell: orange above its base, blue below; paler the nearer."""
    if looks.heat == "none" or (looks.heat == "z" and marks.tests is None):
        return lambda row, column: ""
    values = marks.tests.level if looks.heat == "z" and marks.tests else plane(result, looks.heat)
    respondents = denominator(result, looks.heat)

    def style(row: int, column: int) -> str:
        few = math.inf if respondents is None else float(respondents[row, column])
        # A hidden value must not be visible as a colour, and a low base would show noise.
        plain = few < max(looks.hide_under, looks.stars[0])
        step = 0 if plain else heat_step(float(values[row, column]), looks.heat, scales)
        opacity = math.floor(abs(step) * _HEAT_OPACITY / HEAT_STEPS + 0.5)
        # One digit for each of red, green, blue and opacity: short, as every cell repeats it.
        return f"background:#{'e82' if step > 0 else '27c'}{opacity:x}" if opacity else ""

    return style


# -- saved in a notebook --------------------------------------------------------------------------


def saved_grid(
    query: GridQuery,
    result: CrosstabResult | None,
    looks: Looks,
    axes: tuple[AxisAudiences, AxisAudiences],
    room: int,
    marks: TableMarks | None = None,
) -> dict[str, Any] | None:
    """The values as a notebook saves them, as JSON; None if none fit into `room` bytes.

    With the marks of a complete table, of which `result` may be a part.
    """
    if result is None:
        return None
    rows, columns = ([at for at, is_net in enumerate(axis.nets) if is_net] for axis in axes)
    scope, counted = query.scope, result.provenance.get("waves")
    if isinstance(counted, list | tuple):
        scope = replace(scope, waves=tuple(cast("list[str]", counted)))
    # The weight may be that of the client, and not in the query.
    words = replace(query, scope=scope).scope_words(
        names=result.provenance.get("wave_names"), weight=weight_fact(result.provenance)
    )

    @cache
    def marks_of(width: int) -> SavedMarks:
        assert marks is not None
        height = min(len(result.rows), saved_rows(width))
        shown = marks.shown(np.arange(height), np.arange(width), looks)
        return _saved_marks(shown, looks)

    saving = Saving(
        looks=looks.saved,
        nets=(rows, columns),
        scope=words,
        marks=None if marks is None else marks_of,
        heat=_scales(result, looks, marks),
    )
    return saved_crosstab(result, room, saving)


def _saved_marks(shown: CellMarks, looks: Looks) -> SavedMarks:
    tests, letters = shown
    planes: dict[str, NDArray[np.float64]] = {}
    words: dict[str, Any] = {}
    if tests is not None:
        # Levels end at 99 on either side; -100 is read as a cell without a test.
        planes["level"] = np.where(np.isnan(tests.z), -100, tests.level)
        words |= {"method": tests.method, "short": tests.short, "problem": tests.problem}
        if looks.significance == "previous wave" and tests.previous is not None:
            planes["previous"] = tests.previous
            words["previous_method"] = tests.previous_method
        planes |= {name: tests.plane(name) for name in looks.metrics if name in FROM_TESTS}
    if letters is not None:
        texts, which = np.unique(letters.marks.astype(str), return_inverse=True)
        planes["letters"] = which.reshape(letters.marks.shape).astype(np.float64)
        words |= {
            "texts": texts.tolist(),
            "column_letters": list(letters.column_letters),
            "letters_legend": letters.legend,
            "letters_method": letters.method,
            "no_letters": letters.problem,
        }
    return SavedMarks(planes, {name: word for name, word in words.items() if word})
