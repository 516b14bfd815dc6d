"""A result laid out as analysts print it: stub down, banner across, both bases, figures, notes.

Workbooks and HTML tables are drawn of a `Tabulation` and of nothing else, so that the same result
has the same heads, bases and low-base marks wherever it is shown. What is not here: formats,
colours and rounding, which are the business of those who draw; and figures of its own, for every
number is the result's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from audiencelab.results.banner import Heads
from audiencelab.results.undefined import checked_fewest

Floats = NDArray[np.float64]
Kind = Literal["percentage", "index", "size", "sample"]

LOW_BASE = 100
"""Respondents in the denominator below which a figure is marked `*`."""

VERY_LOW_BASE = 30
"""Respondents in the denominator below which a figure is marked `**`."""

LOW_BASE_NOTE = (
    f"* fewer than {LOW_BASE} respondents in the denominator, ** fewer than {VERY_LOW_BASE}"
)
"""What the marks mean."""

MEASURE_NAMES = {
    "column_percentage": "Column %",
    "row_percentage": "Row %",
    "percentage": "Base %",
    "index": "Index",
    "size": "People",
    "sample": "Respondents",
    "row_size": "Row, people",
    "row_sample": "Row, respondents",
    "row_base_percentage": "Row, % of base",
    "column_size": "Column, people",
    "column_sample": "Column, respondents",
    "column_base_percentage": "Column, % of base",
    "base_size": "Base, people",
    "base_sample": "Base, respondents",
    "audience_percentage": "Audience %",
    "datapoint_percentage": "Datapoint %",
    "audience_index": "Index",
    "positive_size": "People",
    "positive_sample": "Respondents",
    "audience_size": "Audience, people",
    "audience_sample": "Audience, respondents",
    "datapoint_size": "Datapoint, people",
    "datapoint_sample": "Datapoint, respondents",
}
"""What a figure is called above its column: the one list of such names."""

_PERCENT = " %"


def in_words(measure: str) -> str:
    """What a figure is called where it stands alone, as under the title of a picture."""
    head = MEASURE_NAMES[measure]
    if head.endswith(_PERCENT):
        return f"% of {head.removesuffix(_PERCENT).lower()}"
    return "Index (base = 100)" if head == "Index" else head


class Comparison(Protocol):
    """Tests between the columns of a table, as far as a table shows them."""

    @property
    def method_note(self) -> str:
        """What was tested, and how, in a sentence."""
        ...

    @property
    def legend(self) -> str:
        """What the marks mean."""
        ...

    def column_letters(self) -> Sequence[str]:
        """The letter that each column goes by, "" for one that has none."""
        ...

    def marks(self) -> NDArray[np.object_]:
        """What to set beside each percentage, as texts [rows, columns]."""
        ...


@dataclass(frozen=True, slots=True)
class Head:
    """One line of the stub or one column of the banner, with both its bases.

    above: the heads that it stands under, outermost first. letter: what tests call it.
    size, sample: weighted people and respondents; NaN where the result does not say.
    net: whether it is a subtotal of others.
    """

    name: str
    above: Heads = ()
    size: float = float("nan")
    sample: float = float("nan")
    letter: str = ""
    net: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """One figure of every cell.

    name: the result's own name for it. values: float64[stub, banner], NaN where there is none.
    under: the respondents in each value's denominator, of the same shape; None for counts, which
        rest on nothing else.
    """

    name: str
    values: Floats
    under: Floats | None = None

    @property
    def label(self) -> str:
        """What the figure is called above its column."""
        return MEASURE_NAMES[self.name]

    @property
    def kind(self) -> Kind:
        """How the figure is written."""
        kinds: tuple[Kind, ...] = ("percentage", "index", "size", "sample")
        return next(kind for kind in kinds if self.name.endswith(kind))

    def mark(self, line: int, column: int) -> str:
        """`*` or `**` where the denominator is small."""
        return "" if self.under is None else low_base_mark(float(self.under[line, column]))

    def rests_on_fewer(self, line: int, column: int, respondents: float) -> bool:
        """Whether the denominator holds fewer than so many respondents."""
        return self.under is not None and bool(self.under[line, column] < respondents)


@dataclass(frozen=True, slots=True, eq=False)
class Tabulation:
    """See the module.

    total: whether the banner's first column is everyone in the base.
    stub_bases: whether the stub's own bases are to be shown, because some figure divides by them.
    marks: what tests say of each cell (rows × columns of the banner), or none.
    compared: the measure that was tested. marks_label: what stands above its marks.
    facts: base, waves and locations, a sentence each. notes: what a reader has to know.
    source: one line for under the table. provenance: all there is to say of it, as pairs.
    definitions: side, name, and who that is: as a sentence and as code.
    blank_under: the respondents that a figure must rest on at least to be shown.
    """

    title: str
    stub: tuple[Head, ...]
    banner: tuple[Head, ...]
    measures: tuple[Measure, ...]
    total: bool = False
    stub_bases: bool = False
    marks: tuple[tuple[str, ...], ...] = ()
    compared: str = ""
    marks_label: str = ""
    facts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    source: str = ""
    provenance: tuple[tuple[str, str], ...] = ()
    definitions: tuple[tuple[str, str, str, str], ...] = ()
    asked_at: str = ""
    blank_under: float = 0

    @property
    def stub_heads(self) -> tuple[Heads, ...]:
        """What each line of the stub stands under."""
        return tuple(head.above for head in self.stub)

    @property
    def banner_heads(self) -> tuple[Heads, ...]:
        """What each column of the banner stands under."""
        return tuple(head.above for head in self.banner)

    def is_blank(self, measure: Measure, line: int, column: int) -> bool:
        """Whether a figure is left out because too few respondents stand behind it."""
        return self.blank_under > 0 and measure.rests_on_fewer(line, column, self.blank_under)

    def mark_at(self, line: int, column: int) -> str:
        """What tests say of a cell; nothing where its figure is left out."""
        compared = next((each for each in self.measures if each.name == self.compared), None)
        if not self.marks or compared is None or self.is_blank(compared, line, column):
            return ""
        return self.marks[line][column]

    def blanked(self, under: float) -> Tabulation:
        """The same table without the figures that rest on fewer respondents."""
        return replace(self, blank_under=checked_fewest(under))

    def titled(self, title: str | None) -> Tabulation:
        """The same table under another title, if one is given; `TypeError` for what is no text."""
        if not isinstance(title, str | None):  # pyright: ignore[reportUnnecessaryIsInstance] -- untyped callers
            raise TypeError(f"title is a text, not {type(title).__name__}.")
        return self if title is None else replace(self, title=title)


def under_group(group: str) -> Heads:
    """The heads of what stands in a group, or in none ("")."""
    return (group,) if group else ()


def low_base_mark(sample: float) -> str:
    """`**` under 30 respondents, `*` under 100, nothing otherwise or where it is not known."""
    if sample < VERY_LOW_BASE:
        return "**"
    return "*" if sample < LOW_BASE else ""


def low_base_note(tabulation: Tabulation) -> str:
    """What marks and blanks mean, where there are some; otherwise nothing."""
    lowest = min((_least(measure) for measure in tabulation.measures), default=float("inf"))
    blanks = lowest < tabulation.blank_under
    blank = f"Blank: fewer than {tabulation.blank_under:,g} respondents in the denominator."
    told = [blank if blanks else "", LOW_BASE_NOTE if lowest < LOW_BASE else ""]
    return " ".join(filter(None, told))


def _least(measure: Measure) -> float:
    """The fewest respondents that a figure rests on."""
    if measure.under is None:
        return float("inf")
    resting = measure.under[~np.isnan(measure.values)]
    return float(resting.min()) if resting.size else float("inf")
