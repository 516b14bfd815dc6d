"""A result laid out as a table: stub and banner with both bases, metrics, marks, notes.

HTML, workbooks, slides, Markdown and LaTeX are drawn from a `TableLayout` only, so that a result
has the same headers, bases and low-base marks wherever it is shown. Formats, colours
and rounding belong to the renderers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.figures import figure
from audiencelab.render.gaps import Gap
from audiencelab.results import who_counts
from audiencelab.results.arrangement import UNARRANGED, TableArrangement, low_base_words
from audiencelab.results.banner import Groups, full_name, sections
from audiencelab.results.metrics import METRICS, Kind, metric_of
from audiencelab.results.provenance import (
    labelled_size,
    sizes_words,
    weighted_base,
)
from audiencelab.results.record import UNKNOWN, Record, record_of
from audiencelab.results.summary_statistics import PERCENTILES, ValueForm
from audiencelab.results.who import EVERYONE

Floats = NDArray[np.float64]
BaseKind = Literal["size", "sample"]

LARGEST_BASES = "Bases above columns are those of the row with the largest."
LARGEST_SHARES = "Bases above columns are those of the row of shares with the largest."


@dataclass(frozen=True, slots=True)
class HeaderCell:
    """A row of the stub or a column of the banner, with both its bases.

    groups: the groups that it belongs to, outermost first. letter: its letter in tests. codes: its
    id, and the code of its answer, as far as it has them. nested: whether its name is not enough
    outside of its groups.
    size, sample: weighted people and respondents; NaN where the result does not have them.
    base_size, base_sample: the base of a row, where rows have bases of their own.
    net: whether it is a subtotal of others, whose ids are its parts. off_scale: whether it is an
    answer off a scale, such as "Don't know". ordered: whether it is a point of a scale. kind,
    decimals: of a row that is a statistic of amounts, such as a mean: plain numbers without a
    percent sign; "" and None for all others. A column of p values has the kind "p", and no base.
    head: whether a row names those of its group, which come after it. shown: what follows the name
    of a row, such as ", mean (SD)".
    """

    name: str
    groups: Groups = ()
    size: float = float("nan")
    sample: float = float("nan")
    letter: str = ""
    net: bool = False
    decimals: int | None = None
    base_size: float = float("nan")
    base_sample: float = float("nan")
    codes: tuple[str, ...] = ()
    nested: bool = False
    parts: tuple[str, ...] = ()
    off_scale: bool = False
    ordered: bool = False
    kind: str = ""
    head: bool = False
    shown: str = ""

    @property
    def full_name(self) -> str:
        """Its name after its groups."""
        return full_name(self.groups, self.name)

    @property
    def lettered(self) -> str:
        """Its name with its letter, for a row of the stub, and with what its cells show."""
        name = f"{self.name} ({self.letter})" if self.letter else self.name
        return f"{name}{self.shown}"

    def base(self, kind: BaseKind) -> float:
        """One of its bases."""
        return self.size if kind == "size" else self.sample


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """One value of every cell.

    name: the result's own name for it. values: float64[stub, banner], NaN where there is none.
    under: the respondents in each value's denominator, of the same shape; None for counts.
    shown_decimals: the decimals of its values, if they are not the usual ones.
    """

    name: str
    values: Floats
    under: Floats | None = None
    shown_decimals: int | None = None

    @property
    def kind(self) -> Kind:
        """How its values are written."""
        return metric_of(self.name).kind

    @property
    def decimals(self) -> int:
        """The decimals of its values in a table."""
        if self.shown_decimals is not None:
            return self.shown_decimals
        return 0 if self.kind == "index" else metric_of(self.name).decimals

    def is_whole(self, row: int) -> bool:
        """Whether the values of a row are integers."""
        values = self.values[row]
        return all(math.isnan(each) or each.is_integer() for each in values.tolist())

    def part(self, rows: Sequence[int], columns: Sequence[int]) -> Metric:
        """The same metric of some rows and columns."""
        block = np.ix_(rows, columns)
        under = None if self.under is None else self.under[block]
        return replace(self, values=self.values[block], under=under)


class FormedPart(NamedTuple):
    """A value of a cell that is written in a form: its value, its decimals, whether it is shown."""

    form: ValueForm
    value: float
    decimals: int
    is_hidden: bool


_P = (ValueForm("p"),)


@dataclass(frozen=True, slots=True, eq=False)
class TableLayout:
    """A table to render.

    total: whether the banner's first column is everyone in the base. repeated: how many times the
        banner is there, with different weights.
    over_time: whether the other columns are waves by date, along which lines of a chart run.
    stub_bases: whether the bases of the stub are shown, because a metric divides by them.
    own_bases: whether rows have bases of their own, which are shown beside their names.
    sizes: what weighted counts over several waves are, "average of waves". weighted_base: the label
        of weighted bases; "" for a table without a weight, whose bases are respondents alone.
    marks: the marks of tests for each cell (rows × columns of the banner), or none.
    reasons: why cells have no value, likewise; "" where they have one, or where it is not known.
    compared: the metric that was tested. marks_label: the header of its marks.
    facts: base, waves and locations, a sentence each. notes: what a reader has to know.
    missing: why cells have no value and no other note says so, each reason once.
    about: what it is of; its title is that of the table.
    definitions: side, name, and the audience as a sentence and as code.
    section: the category of its question, by which contents of several tables are divided.
    forms: how the cells of each row are written, several metrics as one text such as "12 (34.5%)";
        () where metrics are beside each other. Rows of such a table are named by rows with `head`.
    how: how it was arranged; it says which values are hidden and which are marked. order: the rows
        by their positions before; () for all of them, in their order. shown_note: that of the
        notes that says how many of how many are shown; "" for all.
    """

    title: str
    stub: tuple[HeaderCell, ...]
    banner: tuple[HeaderCell, ...]
    metrics: tuple[Metric, ...] = ()
    total: bool = False
    over_time: bool = False
    stub_bases: bool = False
    own_bases: bool = False
    sizes: str = ""
    weighted_base: str = "Weighted base"
    marks: tuple[tuple[str, ...], ...] = ()
    reasons: tuple[tuple[str, ...], ...] = ()
    compared: str = ""
    marks_label: str = ""
    facts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[Gap, ...] = ()
    about: Record = UNKNOWN
    definitions: tuple[tuple[str, str, str, str], ...] = ()
    how: TableArrangement = UNARRANGED
    order: tuple[int, ...] = ()
    shown_note: str = ""
    section: str = ""
    repeated: int = 1
    forms: tuple[tuple[ValueForm, ...], ...] = ()

    @property
    def record(self) -> Record:
        """What the table is of, for programs."""
        return replace(self.about, title=self.title)

    @property
    def source(self) -> str:
        """The source as one line, for under the table."""
        return self.about.line()

    @property
    def positions(self) -> tuple[int, ...]:
        """The position of each row before the table was arranged."""
        return self.order or tuple(range(len(self.stub)))

    @property
    def stub_groups(self) -> tuple[Groups, ...]:
        """The groups of each row."""
        return tuple(cell.groups for cell in self.stub)

    @property
    def headings(self) -> list[list[tuple[int, str]]]:
        """The groups that begin before each row, with their levels."""
        # Where rows name the groups, these have no lines of their own.
        return [[] for _ in self.stub] if self.forms else sections(self.stub_groups)

    def level(self, row: int) -> int:
        """How far the name of a row is to the right of others."""
        return len(self.stub[row].groups) if self.forms else 0

    def has_base(self, column: int) -> bool:
        """Whether a column is of respondents; p values are not."""
        return self.banner[column].kind != "p"

    def parts_of(self, row: int, column: int) -> list[FormedPart]:
        """The values of a cell of a table whose rows have forms."""
        is_p, made = not self.has_base(column), list[FormedPart]()
        metrics = {metric.name: metric for metric in self.metrics}
        for form in _P if is_p else self.forms[row]:
            metric = metrics[form.metric]
            value, decimals = float(metric.values[row, column]), metric.decimals
            if metric.kind == "number":
                decimals = self.stub[row].decimals or 0
            elif metric.kind == "p":
                decimals = metric_of(metric.name).decimals
            if metric.name in PERCENTILES and self.how.decimals is None and metric.is_whole(row):
                decimals = 0
            under = float("inf") if metric.under is None else float(metric.under[row, column])
            hidden = under < self.how.hide_under or (is_p and math.isnan(value))
            made.append(FormedPart(form, value, decimals, hidden))
        return made

    @property
    def banner_groups(self) -> tuple[Groups, ...]:
        """The groups of each column."""
        return tuple(cell.groups for cell in self.banner)

    @property
    def base(self) -> str:
        """Whom its figures are of, "those who answered Sector"."""
        return self.about.base

    @property
    def base_sample(self) -> float:
        """Respondents in its base; where rows have bases of their own, in the largest of them."""
        return max((cell.sample for cell in self.banner), default=0.0)

    @property
    def bases(self) -> tuple[tuple[str, BaseKind], ...]:
        """The label and the kind of each base that is shown."""
        shown: tuple[tuple[str, BaseKind], ...] = (
            (self.weighted_base, "size"),
            (METRICS["base_sample"].label, "sample"),
        )
        # Without a weight, weighted bases have no label and are not shown.
        return tuple(each for each in shown if each[0])

    @property
    def beside(self) -> tuple[tuple[str, BaseKind, tuple[float, ...]], ...]:
        """The columns between the names of the rows and the cells: label, kind, a base a row."""
        shown: list[tuple[str, BaseKind, tuple[float, ...]]] = []
        for label, kind in self.bases if self.own_bases else ():
            own = tuple(getattr(cell, f"base_{kind}") for cell in self.stub)
            shown.append((label, kind, own))
        for label, kind in self.bases if self.stub_bases else ():
            # The base of a row is not how many are in it.
            name = METRICS[f"row_{kind}"].label if self.own_bases else label
            shown.append((name, kind, tuple(cell.base(kind) for cell in self.stub)))
        # Rows have no weighted base where columns have several weights.
        return tuple(each for each in shown if not all(map(math.isnan, each[2])))

    def row_name(self, row: int) -> str:
        """The name of a row with its own base, for a surface without a column of bases."""
        cell = self.stub[row]
        return with_base(cell.lettered, cell.base_sample) if self.own_bases else cell.lettered

    @property
    def gaps(self) -> tuple[str, ...]:
        """What dashes mean, a line for each reason."""
        rows, columns = names_alone(self.stub), names_alone(self.banner)
        return tuple(gap.note(rows, columns) for gap in self.missing)

    def reason(self, row: int, column: int) -> str:
        """Why a cell has no value, as far as it is known."""
        return self.reasons[row][column] if self.reasons else ""

    def label(self, metric: Metric) -> str:
        """The label of a metric in the header."""
        label, own = metric_of(metric.name).label, metric_of(metric.name).of_statistics
        if not own and self.stub and all(cell.decimals is not None for cell in self.stub):
            return "Value"
        if metric.kind in ("number", "signed"):
            return metric_of(metric.name).label_with_unit
        if metric.kind != "size":
            return label
        # Without a weight, counts of people are those of respondents.
        return labelled_size(label if self.weighted_base else "Count", self.sizes)

    def labels(self, metrics: Sequence[Metric]) -> str:
        """The labels of metrics in a line; "" where the names of rows say what their cells show."""
        return "" if self.forms else ", ".join(map(self.label, metrics))

    @property
    def footnotes(self) -> list[str]:
        """The lines under the table: notes, marks, colours and the source."""
        heated = any(metric.kind == "index" for metric in self.metrics)
        low = low_base_note(self)
        colours = "Index: 100 is the share in the base; blue is below, orange above"
        colours += "; low bases have no colour." if "*" in low else "."
        notes = [*self.notes, *self.gaps, low, colours if heated else "", self.source]
        return [note for note in notes if note]

    def is_blank(self, metric: Metric, row: int, column: int) -> bool:
        """Whether a value is left out: it rests on too few respondents, or belongs elsewhere.

        A row that is a statistic has its value at the first metric alone, beside those metrics that
        it has itself.
        """
        if self.is_gap(metric, column):
            return True
        if self.stub[row].decimals is not None and not self.of_statistic(metric):
            return True
        if not self.how.hide_under or metric.under is None:
            return False
        return bool(metric.under[row, column] < self.how.hide_under)

    def low_mark(self, metric: Metric, row: int, column: int) -> str:
        """`*` or `**` where the denominator of a value is small."""
        return "" if metric.under is None else self.how.star(float(metric.under[row, column]))

    @property
    def value_metric(self) -> Metric | None:
        """The metric at which rows that are statistics have their value."""
        others = (each for each in self.metrics if not metric_of(each.name).of_statistics)
        return next(others, None)

    def of_statistic(self, metric: Metric) -> bool:
        """Whether rows that are statistics show something at a metric."""
        return metric is self.value_metric or metric_of(metric.name).of_statistics

    def mark_at(self, row: int, column: int) -> str:
        """The mark of tests in a cell; "" where its value is left out."""
        compared = next((each for each in self.metrics if each.name == self.compared), None)
        if self.stub[row].decimals is not None:
            compared = self.value_metric
        if not self.marks or compared is None or self.is_blank(compared, row, column):
            return ""
        return self.marks[row][column]

    def is_total(self, column: int) -> bool:
        """Whether a column is everyone in the base."""
        return self.total and column % (len(self.banner) // self.repeated) == 0

    def is_gap(self, metric: Metric, column: int) -> bool:
        """Whether a column has nothing of a metric: everyone of all waves has no wave before."""
        if metric.name != "change" or not self.is_total(column):
            return False
        return bool(np.isnan(metric.values[:, column]).all())

    def is_coloured(self, metric: Metric, row: int, column: int) -> bool:
        """Whether a cell has a colour: an index on a base that is not low, and not the total's."""
        if metric.kind != "index" or self.is_total(column) or self.stub[row].decimals is not None:
            return False
        return not (self.is_blank(metric, row, column) or self.low_mark(metric, row, column))

    def of_statistics(self) -> TableLayout:
        """The rows that are statistics alone, with their values."""
        kept = [row for row, cell in enumerate(self.stub) if cell.decimals is not None]
        first = self.value_metric or self.metrics[0]
        under = None if first.under is None else first.under[kept]
        return replace(
            self,
            stub=tuple(self.stub[row] for row in kept),
            metrics=(replace(first, values=first.values[kept], under=under),),
            marks=(),
            reasons=tuple(self.reasons[row] for row in kept) if self.reasons else (),
        )

    def titled(self, title: str | None) -> TableLayout:
        """The same table under another title, if one is given."""
        if not isinstance(title, str | None):
            raise TypeError(f"title must be a str; got {type(title).__name__}.")
        return self if title is None else replace(self, title=title)


def nets_note(stub: Sequence[HeaderCell]) -> str:
    """What the rows that are nets hold, as far as their names do not say it; "" without nets."""
    names = {cell.codes[0]: cell.name for cell in stub if cell.codes}
    nets = [cell for cell in stub if cell.net]
    held = {cell.full_name: [names[each] for each in cell.parts if each in names] for cell in nets}
    said: dict[str, dict[str, str]] = {}
    for cell in nets:
        rows = held[cell.full_name]
        if not all(name in cell.name for name in rows):
            said.setdefault(cell.name, {})[cell.full_name] = ", ".join(rows)
    parts: list[str] = []
    for name, each in said.items():
        # Nets of one name may hold the same rows in every group.
        alike = len(each) > len({*each.values()}) == 1
        parts += (
            [f"{name}: {min(each.values())}"] if alike else [f"{n}: {r}" for n, r in each.items()]
        )
    listed = f" {'; '.join(parts)}." if parts else ""
    return f"Rows in italics hold others.{listed}" if nets else ""


def names_alone(side: Sequence[HeaderCell]) -> list[str]:
    """The names to use outside of the table: after their groups where nested, or named alike."""
    seen = Counter(cell.name for cell in side)
    return [cell.full_name if cell.nested or seen[cell.name] > 1 else cell.name for cell in side]


def low_base_note(layout: TableLayout) -> str:
    """What marks and blanks mean, where there are some; otherwise ""."""
    resting = [
        metric.under[~np.isnan(metric.values)]
        for metric in layout.metrics
        if metric.under is not None
    ]
    lowest = min((float(each.min()) for each in resting if each.size), default=float("inf"))
    marked = lowest
    if layout.forms:
        # Cells that have counts of their own are not marked, but the bases are.
        bases = [cell.sample for cell in layout.banner]
        bases += [base for _, kind, own in layout.beside if kind == "sample" for base in own]
        marked = min((base for base in bases if not math.isnan(base)), default=float("inf"))
    hidden = layout.how.hide_under
    blank = f"Blank: fewer than {hidden:,g} respondents in the denominator."
    notes = [
        blank if lowest < hidden else "",
        low_base_words(layout.how.stars, "base" if layout.forms else "denominator")
        if layout.how.star(marked)
        else "",
    ]
    return " ".join(filter(None, notes))


def notes_on_bases(result: Any, notes: Sequence[str] | None = None) -> list[str]:
    """Who counts in a result: sentences on its bases, and the page that explains them.

    notes: the sentences, where they are known.
    """
    notes = who_counts.notes(result) if notes is None else notes
    who = getattr(result, "who", EVERYONE)
    page = f'See "{who_counts.PAGE}" in the documentation.'
    return [*notes, page] if notes or who.valid else []


def with_base(name: str, respondents: float) -> str:
    """A name with the respondents in its base, as far as they are known."""
    return name if math.isnan(respondents) else f"{name} (n = {figure(respondents, 0)})"


def have_own_bases(stub: Sequence[HeaderCell]) -> bool:
    """Whether the rows of a stub have different bases."""
    bases = {(cell.base_size, cell.base_sample) for cell in stub if cell.base_sample > 0}
    return len(bases) > 1


def provenance_fields(result: object, base: str, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a `TableLayout` that name the source."""
    return {
        "about": record_of(result, base=base.removeprefix("Base: ")),
        "sizes": sizes_words(provenance),
        "weighted_base": weighted_base(provenance),
    }
