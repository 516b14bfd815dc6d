"""One cell of a table in detail: its audiences, counts, formulas, intervals and test.

`CrosstabGrid.drill` returns a `CellDetail`, and the page's panel shows one. All values are the
table's; the intervals and the test are those of `frames.significance`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, all_of
from audiencelab.expressions.nodes import Labels
from audiencelab.markup import (
    QUIET,
    Cell,
    Html,
    card,
    code_block,
    element,
    figure,
    people,
    percent,
    table,
)
from audiencelab.render.table_layout import LOW_BASE, VERY_LOW_BASE
from audiencelab.results.crosstab import FIGURES
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.metrics import part_of
from audiencelab.wording import half_up

_LEVEL = 0.95
_ALPHA = 0.05


class NotCounted(AudienceError):
    """The requested cell has not arrived."""


@dataclass(frozen=True, slots=True)
class Count:
    """One of the four audiences of a cell, counted within the base.

    role: "row", "column", "both" or "base". words: the audience as a sentence.
    size: weighted count. sample: respondents.
    """

    role: str
    audience: Audience
    words: str
    size: float
    sample: float


@dataclass(frozen=True, slots=True)
class Formula:
    """One metric of the cell, its formula with the cell's numbers, and its confidence interval.

    value, low, high: in the metric's unit, percent or index points; NaN where there is none.
    """

    metric: str
    label: str
    value: float
    written: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RestTest:
    """The test of the column's share against everyone else in the base, both in percent."""

    share: float
    rest: float
    z: float
    p: float
    note: str

    def describe(self) -> str:
        """The outcome in a sentence."""
        if math.isnan(self.z):
            return f"Not tested against the rest of the base{f': {self.note}' if self.note else ''}"
        compared = f"{percent(self.share)} here, {percent(self.rest)} of everyone else in the base"
        sure = "hardly chance" if self.p < _ALPHA else "may be chance"
        return f"{compared}: {sure} (z = {_signed(self.z, 2)}, p {_p(self.p)})"


@dataclass(frozen=True, slots=True)
class CellDetail:
    """A cell of a crosstab in full.

    counts: row, column, both and base. formulas: each metric. level: the intervals' confidence.
    test: against the rest of the base, None without scipy. notes: caveats.
    waves: codes of the waves in the cell; None where the service does not list waves.
    low_base: respondents below which a sample is marked `*`, and `**`.
    """

    counts: tuple[Count, ...]
    formulas: tuple[Formula, ...]
    test: RestTest | None
    notes: tuple[str, ...]
    waves: tuple[str, ...] | None = None
    level: float = _LEVEL
    low_base: tuple[float, float] = (LOW_BASE, VERY_LOW_BASE)

    @property
    def row(self) -> Audience:
        """The row's audience."""
        return self._of("row").audience

    @property
    def column(self) -> Audience:
        """The column's audience."""
        return self._of("column").audience

    @property
    def both(self) -> Audience:
        """The people in row, column and base, as one audience."""
        return self._of("both").audience

    @property
    def base(self) -> Audience:
        """The base audience."""
        return self._of("base").audience

    @property
    def title(self) -> str:
        """Row and column by name."""
        return f"{self.row.name} × {self.column.name}"

    def value(self, metric: str) -> float:
        """One of the formulas' metrics by name; `KeyError` for another."""
        return {each.metric: each.value for each in self.formulas}[metric]

    def to_code(self) -> str:
        """Python that makes the audience of the cell, given `audiencelab` as `al`."""
        return self.both.to_code()

    def to_page(self) -> dict[str, Any]:
        """The JSON of the page's panel: texts and numbers."""
        return {
            "title": self.title,
            "counts": [
                {
                    "role": each.role,
                    "name": each.audience.name,
                    "words": each.words,
                    "size": people(each.size),
                    "sample": figure(each.sample, 0) + self._mark(each),
                    "share": _share(each.size, self._of("base").size),
                }
                for each in self.counts
            ],
            "formulas": [
                {
                    "metric": each.metric,
                    "value": _shown(each.metric, each.value),
                    "written": each.written,
                    "interval": _interval(each),
                }
                for each in self.formulas
            ],
            "test": None if self.test is None else self.test.describe(),
            "notes": list(self.notes),
            "waves": None if self.waves is None else list(self.waves),
            "code": self.to_code(),
        }

    def _of(self, role: str) -> Count:
        return next(each for each in self.counts if each.role == role)

    def _mark(self, count: Count) -> str:
        """Marks of a sample that is a denominator; the cell itself is none."""
        low, very_low = self.low_base
        if count.role == "both" or not count.sample < low:
            return ""
        return "**" if count.sample < very_low else "*"

    def __repr__(self) -> str:
        values = ", ".join(
            f"{each.label} {_shown(each.metric, each.value)}" for each in self.formulas[:3]
        )
        both = self._of("both")
        return f"<CellDetail {self.title}: {values}, sample {both.sample:,.0f}>"

    def _repr_html_(self) -> str:
        counted = table(
            ["", "Who", "People", "Respondents"],
            [
                [
                    f"{each.role.capitalize()}: {each.audience.name}",
                    each.words,
                    people(each.size),
                    figure(each.sample, 0) + self._mark(each),
                ]
                for each in self.counts
            ],
            numeric=(2, 3),
            most=None,
        )
        formulas = table(
            ["", "Value", "Formula", f"{self.level:.0%} interval"],
            [
                [
                    each.label,
                    _shown(each.metric, each.value),
                    Cell(each.written, QUIET),
                    _interval(each),
                ]
                for each in self.formulas
            ],
            numeric=(1, 3),
            most=None,
        )
        notes = [element("div", each, style=QUIET) for each in self._remarks()]
        return str(card(self.title, counted, formulas, *notes, code_block(self.to_code())))

    def _remarks(self) -> Iterator[Html | str]:
        if self.test is not None:
            yield self.test.describe()
        yield from self.notes
        if self.waves is not None:
            yield waves_note(self.waves)


def cell_detail(
    result: CrosstabResult,
    row: int,
    column: int,
    *,
    base: Audience | None = None,
    labels: Labels | None = None,
    waves: Sequence[str] | None = None,
    low_base: tuple[float, float] = (LOW_BASE, VERY_LOW_BASE),
) -> CellDetail:
    """The cell at a position (from 0) of a table that may be growing.

    base: the base of this cell; None is that of the table.
    waves: codes of its waves, where they are known. low_base: respondents below which a
        denominator gets a warning, and a stronger one.

    Raises `NotCounted` for a cell that has not arrived.
    """
    if not result.arrived[row, column]:
        raise NotCounted("This cell has not been counted yet.")
    one = part_of(result, [row], [column])
    cell = {name: float(one.values(name)[0, 0]) for name in FIGURES}
    counts = _counts(one, cell, base or result.base_audience or Audience("All"), labels)
    margins, note = _intervals(one)
    return CellDetail(
        counts,
        tuple(_formulas(cell, margins)),
        _test(one),
        tuple(_notes(counts, note, low_base)),
        None if waves is None else tuple(waves),
        low_base=low_base,
    )


def waves_note(waves: Sequence[str]) -> str:
    """The waves of a cell in words."""
    if not waves:
        return "The questions share no wave of those asked for"
    if len(waves) == 1:
        return f"Rests on wave {waves[0]}"
    listed = ", ".join(waves) if len(waves) <= 6 else f"{waves[0]} to {waves[-1]}"
    return f"Rests on {len(waves)} waves: {listed}"


def _counts(
    one: CrosstabResult, cell: Mapping[str, float], base: Audience, labels: Labels | None
) -> tuple[Count, ...]:
    row, column = one.rows[0], one.columns[0]
    named = [each for each in (row, column) if each.expression is not None]
    name = " × ".join(each.name for each in named) or base.name
    # Including the base, so that its size is that of the cell.
    parts = [each.expression for each in (row, column, base) if each.expression is not None]
    both = Audience(name, all_of(*dict.fromkeys(parts)) if parts else None)
    figures = {"row": "row_", "column": "column_", "both": "", "base": "base_"}
    audiences = {"row": row, "column": column, "both": both, "base": base}
    return tuple(
        Count(
            role,
            Audience(audiences[role].name, audiences[role].expression),
            audiences[role].describe(labels),
            cell[f"{prefix}size"],
            cell[f"{prefix}sample"],
        )
        for role, prefix in figures.items()
    )


def _formulas(
    cell: Mapping[str, float], margins: Mapping[str, tuple[float, float]]
) -> Iterator[Formula]:
    both, row, column, base = (
        people(cell[name]) for name in ("size", "row_size", "column_size", "base_size")
    )
    written = {
        "index": ("Index", f"100 × ({both} ÷ {column}) ÷ ({row} ÷ {base})"),
        "column_percentage": ("Column %", f"100 × {both} ÷ {column}"),
        "row_percentage": ("Row %", f"100 × {both} ÷ {row}"),
        "percentage": ("% of base", f"100 × {both} ÷ {base}"),
    }
    nothing = (math.nan, math.nan)
    for metric, (label, formula) in written.items():
        yield Formula(metric, label, cell[metric], formula, *margins.get(metric, nothing))
    apart = cell["column_percentage"] - cell["row_base_percentage"]
    formula = f"100 × ({both} ÷ {column} − {row} ÷ {base})"
    yield Formula("difference", "Difference from base", apart, formula, *nothing)


def _intervals(one: CrosstabResult) -> tuple[dict[str, tuple[float, float]], str]:
    """The ends of each interval, or the reason why there are none; empty without scipy."""
    try:
        line = one.intervals(_LEVEL).iloc[0]
    except ImportError:
        return {}, str(one.to_frame().iloc[0]["note"])
    names = ("index", "column_percentage", "row_percentage", "percentage")
    ends = {name: (float(line[f"{name}_low"]), float(line[f"{name}_high"])) for name in names}
    return ends, str(line["note"])


def _test(one: CrosstabResult) -> RestTest | None:
    try:
        tested = one.compare_to_rest(min_base=0).to_frame()
    except ImportError:
        return None
    if tested.empty:
        return None
    line = tested.iloc[0]
    share, rest, z, p = (float(line[name]) for name in ("percentage", "other_percentage", "z", "p"))
    return RestTest(share, rest, z, p, str(line["note"]))


def _notes(counts: Sequence[Count], note: str, low_base: tuple[float, float]) -> Iterator[str]:
    """Caveats, the most important first."""
    if note:
        yield f"No value: {note}"
    low, very_low = low_base
    for each in counts:
        if each.role == "both" or not each.sample < low:
            continue
        few = f"{each.sample:,.0f} respondents are in the {each.role} “{each.audience.name}”"
        if each.sample < very_low:
            yield f"Only {few}: take its shares as a hint"
        else:
            yield f"Only {few}: its shares are rough"


def _shown(metric: str, value: float) -> str:
    if metric == "index":
        return figure(value)
    if metric == "difference":
        return "–" if math.isnan(value) else f"{_signed(value, 1)} points"
    return percent(value)


def _signed(value: float, decimals: int) -> str:
    return f"{half_up(value, decimals):+,.{decimals}f}".replace("-", "−")


def _interval(formula: Formula) -> str:
    if math.isnan(formula.low) or math.isnan(formula.high):
        return ""
    return f"{_shown(formula.metric, formula.low)} – {_shown(formula.metric, formula.high)}"


def _share(size: float, base: float) -> float | None:
    return size / base if base > 0 and math.isfinite(size) else None


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
