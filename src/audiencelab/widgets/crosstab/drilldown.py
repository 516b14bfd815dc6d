"""One cell of a table in detail: its audiences, counts, formulas, intervals and test.

All values are the table's; the intervals and the test are those of `CrosstabResult`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from audiencelab.client.catalogue import Catalogue
from audiencelab.client.catalogue.named_code import named_code
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, all_of, as_audience
from audiencelab.expressions.codes import WAVES
from audiencelab.expressions.labels import Labels
from audiencelab.figures import figure, people, people_in, percent
from audiencelab.markup import (
    QUIET,
    Cell,
    card,
    code_block,
    element,
    table,
)
from audiencelab.render.cell_text import signed, value_text
from audiencelab.results.all_waves import in_one_scale, parts_of_waves
from audiencelab.results.arrangement import LOW_BASE, VERY_LOW_BASE, low_base_mark
from audiencelab.results.banner import whole_names
from audiencelab.results.cells import FIGURES
from audiencelab.results.coverage import questions_of
from audiencelab.results.metrics import METRICS, frame_name
from audiencelab.results.who_counts import notes
from audiencelab.tables import CrosstabResult
from audiencelab.tables.comparison import compared
from audiencelab.widgets.crosstab.metrics import part_of
from audiencelab.widgets.crosstab.protocol import CellCount, CellFormula, CellReport, Metric, Role
from audiencelab.wording import half_up

_LEVEL = 0.95
_ALPHA = 0.05
_MOST_DIGITS = 6
"""Digits beyond the usual ones that a count in a formula may need."""
_PREFIXES: dict[Role, str] = {"row": "row_", "column": "column_", "both": "", "base": "base_"}
_FORMULAS = ("index", "column_percentage", "row_percentage", "percentage", "difference")
_LABELS = {name: METRICS[name].label for name in _FORMULAS} | {"difference": "Difference from base"}


class NotCounted(AudienceError):
    """The requested cell has not arrived."""


@dataclass(frozen=True, slots=True)
class Count:
    """One of the four audiences of a cell, counted within the base.

    role: "row", "column", "both" or "base". words: the audience as a sentence.
    size: weighted count. sample: respondents.
    """

    role: Role
    audience: Audience
    words: str
    size: float
    sample: float


@dataclass(frozen=True, slots=True)
class MetricFormula:
    """One metric of the cell, its formula with the cell's numbers, and its confidence interval.

    value, low, high: in the metric's unit, percent or index points; NaN where there is none.
    """

    metric: Metric
    label: str
    value: float
    written: str
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True, slots=True)
class RestTest:
    """The test of the column's share against the rest of the base, both in percent.

    of: the base of the cell.
    """

    share: float
    rest: float
    z: float
    p: float
    freedom: float
    note: str
    of: str = "the base"

    def describe(self) -> str:
        """The outcome in a sentence."""
        if math.isnan(self.z):
            why = f": {self.note}" if self.note else ""
            return f"Not tested against the rest of {self.of}{why}"
        compared = f"{percent(self.share)} here, {percent(self.rest)} in the rest of {self.of}"
        outcome = "significant at 95%" if self.p < _ALPHA else "not significant at 95%"
        p = "< 0.001" if self.p < 0.001 else f"= {half_up(self.p, 3):.3f}"
        freedom = "" if math.isinf(self.freedom) else f"{self.freedom:,g} degrees of freedom, "
        return f"{compared}: {outcome} (z = {signed(self.z, 2)}, {freedom}p {p})"


@dataclass(frozen=True, slots=True)
class CellDetail:
    """A cell of a crosstab in full.

    counts: row, column, both and base. formulas: each metric. level: the intervals' confidence.
    test: against the rest of the base, None without scipy. notes: caveats.
    waves: codes of the waves in the cell; None where the service does not list waves.
    stars: respondents below which a sample is marked `*`, and `**`. labels: names for code.
    """

    counts: tuple[Count, ...]
    formulas: tuple[MetricFormula, ...]
    test: RestTest | None
    notes: tuple[str, ...]
    waves: tuple[str, ...] | None = None
    level: float = _LEVEL
    stars: tuple[float, float] = (LOW_BASE, VERY_LOW_BASE)
    labels: Labels | None = field(default=None, repr=False, compare=False)

    @property
    def row(self) -> Audience:
        """The row's audience."""
        return self.counts[0].audience

    @property
    def column(self) -> Audience:
        """The column's audience."""
        return self.counts[1].audience

    @property
    def both(self) -> Audience:
        """The people in row, column and base, as one audience."""
        return self.counts[2].audience

    @property
    def base(self) -> Audience:
        """The base audience."""
        return self.counts[3].audience

    @property
    def title(self) -> str:
        """Row and column by name."""
        return f"{self.row.name} × {self.column.name}"

    def value(self, metric: str) -> float:
        """One of the formulas' metrics by name; `KeyError` for another."""
        return {each.metric: each.value for each in self.formulas}[metric]

    def to_code(self) -> str:
        """Python that makes the audience of the cell, given `client`, and `audiencelab` as `al`."""
        return named_code(self.both, self.labels if isinstance(self.labels, Catalogue) else None)

    def to_page(self) -> CellReport:
        """The texts of the page's panel."""
        return CellReport(
            title=self.title,
            counts=[self._count_texts(each) for each in self.counts],
            formulas=[_formula_texts(each) for each in self.formulas],
            test=self.test and self.test.describe(),
            notes=list(self.notes),
            waves=None if self.waves is None else list(self.waves),
            code=self.to_code(),
        )

    def __repr__(self) -> str:
        values = ", ".join(
            f"{each.label} {_shown(each.metric, each.value)}" for each in self.formulas[:3]
        )
        return f"<CellDetail {self.title}: {values}, sample {self.counts[2].sample:,.0f}>"

    def _repr_html_(self) -> str:
        page = self.to_page()
        counts = [
            [f"{each.role.capitalize()}: {each.name}", each.words, each.size, each.sample]
            for each in page.counts
        ]
        formulas = [
            [_LABELS[each.metric], each.value, Cell(each.written, QUIET), each.interval]
            for each in page.formulas
        ]
        headers = ["", "Value", "Formula", f"{self.level:.0%} confidence interval"]
        waves = "" if self.waves is None else waves_note(self.waves)
        notes = [page.test, *self.notes, waves]
        form = card(
            self.title,
            table(
                ["", "Audience", "Weighted count", "Count (n)"], counts, numeric=(2, 3), most=None
            ),
            table(headers, formulas, numeric=(1, 3), most=None),
            *(element("div", note, style=QUIET) for note in notes if note),
            code_block(page.code),
        )
        return str(form)

    def _count_texts(self, count: Count) -> CellCount:
        base = self.counts[3].size
        # The cell itself is not a denominator.
        mark = "" if count.role == "both" else low_base_mark(count.sample, self.stars)
        return CellCount(
            role=count.role,
            name=count.audience.name,
            words=count.words,
            size=people(count.size),
            sample=figure(count.sample, 0) + mark,
            share=count.size / base if base > 0 and math.isfinite(count.size) else None,
        )


def cell_detail(
    result: CrosstabResult,
    row: int,
    column: int,
    *,
    base: Audience | None = None,
    labels: Labels | None = None,
    waves: Sequence[str] | None = None,
    stars: tuple[float, float] = (LOW_BASE, VERY_LOW_BASE),
) -> CellDetail:
    """The cell at a position (from 0) of a table that may be growing.

    base: the base of this cell; None is that of the table.
    waves: codes of its waves, where they are known. stars: respondents below which a
        denominator gets a warning, and a stronger one.

    Raises `NotCounted` for a cell that has not arrived.
    """
    if not result.arrived[row, column]:
        raise NotCounted("This cell has not been counted yet.")
    one = part_of(result, [row], [column])
    cell = {name: float(one.values(name)[0, 0]) for name in FIGURES}
    base = as_audience(result.base_audience if base is None else base)
    who = _who_answered(one)
    those = "those" if base.expression is None else base.name
    names = (
        whole_names(result.rows, result.row_groups)[row],
        whole_names(result.columns, result.column_groups)[column],
    )
    counts = _counts(one, names, cell, base, labels, who)
    ends, note = _intervals(one)
    return CellDetail(
        counts,
        tuple(_formulas(one, cell, ends)),
        _test(one, f"{those} {who}" if who else "the base"),
        (*_notes(counts, note, stars), *notes(one)),
        None if waves is None else tuple(waves),
        stars=stars,
        labels=labels,
    )


def waves_note(waves: Sequence[str]) -> str:
    """The waves of a cell as text."""
    if not waves:
        return "The questions have no requested wave in common"
    if len(waves) == 1:
        return f"Based on wave {waves[0]}"
    listed = ", ".join(waves) if len(waves) <= 6 else f"{waves[0]} to {waves[-1]}"
    return f"Based on {len(waves)} waves: {listed}"


def _who_answered(one: CrosstabResult) -> str:
    """Who of the base counts in the cell, "who answered both Sector and Gender"; or ""."""
    if not one.who.valid:
        return ""
    codes = dict.fromkeys(code for each in (*one.rows, *one.columns) for code in questions_of(each))
    names = [one.who.name(code) for code in codes if code != WAVES]
    if len(names) > 2:
        return f"who answered all {len(names)} questions"
    both = "both " if len(names) == 2 else ""
    return f"who answered {both}{' and '.join(names)}" if names else ""


def _counts(
    one: CrosstabResult,
    names: tuple[str, str],
    cell: Mapping[str, float],
    base: Audience,
    labels: Labels | None,
    who: str,
) -> tuple[Count, ...]:
    row, column = (
        replace(audience, name=name)
        for (audience,), name in zip((one.rows, one.columns), names, strict=True)
    )
    named = [each.name for each in (row, column) if each.expression is not None]
    # Including the base, so that its size is that of the cell.
    parts = [each.expression for each in (row, column, base) if each.expression is not None]
    name = " × ".join(named) or base.name
    both = Audience(name, all_of(*dict.fromkeys(parts)) if parts else None)
    return tuple(
        Count(
            role,
            Audience(audience.name, audience.expression),
            f"{audience.describe(labels)} {who if role == 'base' else ''}".rstrip(),
            cell[f"{_PREFIXES[role]}size"],
            cell[f"{_PREFIXES[role]}sample"],
        )
        for role, audience in zip(_PREFIXES, (row, column, both, base), strict=True)
    )


def _formulas(
    one: CrosstabResult, cell: Mapping[str, float], ends: Mapping[str, tuple[float, float]]
) -> Iterator[MetricFormula]:
    row, column, both, base = (cell[f"{prefix}size"] for prefix in _PREFIXES.values())
    parts = parts_of_waves(one, in_one_scale(one))
    down, across = (
        float(parts[name][0, 0]) if name in parts else 1.0 for name in ("row_part", "column_part")
    )
    # People of a wave as they are where the part of the waves cancels out, as in the widget.
    counts: dict[Metric, tuple[float, ...]] = {
        "index": (both, column, row, base),
        "column_percentage": (both * down, column),
        "row_percentage": (both * across, row),
        "percentage": (both * down * across, base),
        "difference": (both * down, column, row * down, base),
    }
    values = {**cell, "difference": cell["column_percentage"] - cell["row_base_percentage"]}
    for metric, sizes in counts.items():
        formula = _written(metric, sizes, _shown(metric, values[metric]))
        yield MetricFormula(metric, _LABELS[metric], values[metric], formula, *ends.get(metric, ()))


def _written(metric: Metric, sizes: Sequence[float], shown: str) -> str:
    """A formula with counts in as few digits as give the value that is shown.

    Rounded counts may give another.
    """
    texts = [people(size) for size in sizes]
    for more in range(1, _MOST_DIGITS + 1):
        if _shown(metric, _value(metric, [people_in(text) for text in texts])) == shown:
            break
        texts = [people(size, more=more) for size in sizes]
    first, *others = (" ÷ ".join(pair) for pair in zip(texts[::2], texts[1::2], strict=True))
    if metric == "index":
        return f"100 × ({first}) ÷ ({others[0]})"
    return f"100 × ({first} − {others[0]})" if others else f"100 × {first}"


def _value(metric: Metric, sizes: Sequence[float]) -> float:
    """What a formula gives."""
    pairs = list(zip(sizes[::2], sizes[1::2], strict=True))
    first, *others = (part / whole if whole else math.nan for part, whole in pairs)
    if not others:
        return 100 * first
    if metric == "difference":
        return 100 * (first - others[0])
    return 100 * first / others[0] if others[0] else math.nan


def _intervals(one: CrosstabResult) -> tuple[dict[str, tuple[float, float]], str]:
    """The ends of each interval, or the reason why there are none; empty without scipy."""
    try:
        found = one.intervals(_LEVEL).iloc[0]
    except ImportError:
        return {}, str(one.to_frame().iloc[0]["note"])
    names = {name: frame_name(name) for name in _FORMULAS[:4]}
    ends = {
        metric: (float(found[f"{name}_low"]), float(found[f"{name}_high"]))
        for metric, name in names.items()
        if f"{name}_low" in found
    }
    return ends, str(found["note"])


def _test(one: CrosstabResult, of: str) -> RestTest | None:
    try:
        tested = compared(one, "rest").to_frame()
    except ImportError:
        return None
    if tested.empty:
        return None
    found = tested.iloc[0]
    values = (float(found[name]) for name in ("percentage", "other_percentage", "z", "p"))
    freedom = float(found.get("degrees_of_freedom", math.inf))
    return RestTest(*values, freedom=freedom, note=str(found["note"]), of=of)


def _notes(counts: Sequence[Count], note: str, stars: tuple[float, float]) -> Iterator[str]:
    """Caveats, the most important first."""
    if note:
        yield f"No value: {note}"
    advice = {"*": "its shares are uncertain", "**": "its shares are only indicative"}
    for each in counts:
        mark = low_base_mark(each.sample, stars)
        if mark and each.role != "both":
            few = f"{each.sample:,.0f} respondents are in the {each.role} “{each.audience.name}”"
            yield f"Only {few}: {advice[mark]}"


def _formula_texts(formula: MetricFormula) -> CellFormula:
    low, high = (_shown(formula.metric, end) for end in (formula.low, formula.high))
    known = not math.isnan(formula.low) and not math.isnan(formula.high)
    return CellFormula(
        formula.metric,
        _shown(formula.metric, formula.value),
        formula.written,
        f"{low} – {high}" if known else "",
    )


def _shown(metric: str, value: float) -> str:
    written = value_text(metric, value)
    return f"{written} points" if metric == "difference" and not math.isnan(value) else written
