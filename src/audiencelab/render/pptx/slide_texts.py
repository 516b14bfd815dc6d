"""What slides say beside charts and tables: the line at the foot, the notes, the first slide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audiencelab.figures import figure
from audiencelab.render.pptx.pages import Page
from audiencelab.render.pptx.plans import SlidePlan
from audiencelab.render.pptx.shapes import LINE, fitted, lines_of
from audiencelab.render.table_layout import TableLayout, low_base_note
from audiencelab.results.who_counts import PAGE
from audiencelab.wording import plural

FOOT = 8.5
"""The size of the text at the foot of a slide, in points."""

_LINES = {True: 2, False: 4}
"""Lines at the foot of a chart, and of a table, whose dashes need to be explained."""

_ALWAYS = 2
"""Parts of a foot that are always there: what the values are, and whose."""

_MOST_LEGENDS = 2

_LEGENDS = ("A letter marks", "▲")
"""How notes on tests begin."""


@dataclass(frozen=True, slots=True)
class Headline:
    """A finding as text, with the row and the column of the layout that it is about."""

    words: str
    row: int
    column: int


@dataclass(frozen=True, slots=True, eq=False)
class SlideTable:
    """A table with what its slides show.

    plan: of its chart; None for the table alone. headlines: its findings, the best first.
    tables: whether the table itself has a slide. headline: words of the caller's own instead.
    code: the Python that makes the table. method: of the tests behind the headlines. question: the
    title of its chart, where that draws everyone and no column; "" for that of the table.
    """

    layout: TableLayout
    plan: SlidePlan | None = None
    headlines: tuple[Headline, ...] = ()
    tables: bool = True
    headline: str = ""
    code: str = ""
    method: str = ""
    question: str = ""

    def headline_of(self, page: Page) -> str:
        """The headline of a slide: a finding about what most of it is about; "" for none."""
        stub = self.layout.stub
        counts = Counter(stub[row].groups[:1] for row in page.rows)
        most = max(counts.values(), default=0)
        of_page = (
            each.words
            for each in self.headlines
            if each.row in page.rows
            and each.column in page.columns
            and counts[stub[each.row].groups[:1]] == most
        )
        return self.headline or next(of_page, "")


def label_of(table: SlideTable, *, is_chart: bool) -> str:
    """What the values of a slide are."""
    layout = table.layout
    return layout.labels(layout.metrics[:1] if is_chart else layout.metrics)


# -- the foot -------------------------------------------------------------------------------------


def foot_of(
    table: SlideTable, width: float, *, is_chart: bool, is_finding: bool = False, more: str = ""
) -> str:
    """Base, waves and weight, what has to be known of the values, the method, and the source.

    Source and marks are never cut; all notes are in those of the speaker. more: what else is not on
    the slide.
    """
    first = [label_of(table, is_chart=is_chart), *_facts(table.layout)]
    if is_chart and table.plan:
        # What draws more rows is for those who write Python.
        notes = table.layout.shown_note, table.plan.plan.note.partition("; top=")[0]
        first += [*(note.removesuffix(".") for note in notes), more]
    if is_finding:
        first.append(table.method)
    noted = [note for note in table.layout.notes if PAGE not in note]
    long = [] if is_chart else [*table.layout.gaps, *map(_short, reversed(noted))]
    ends = [low_base_note(table.layout), table.layout.source]
    whole = _joined([*first, *long, *ends])
    most = _LINES[is_chart]
    if lines_of(whole, width, FOOT) <= most:
        return whole
    end = _joined(ends)
    room = width * most - width * lines_of(end, width, FOOT)
    shown = [part for part in (*first, *long) if part]
    # Whole sentences are left out; the first two, what is shown of whom, are cut at worst.
    while len(shown) > _ALWAYS and lines_of(_joined(shown), max(room, width), FOOT) > 1:
        shown.pop()
    return _joined([fitted(_joined(shown), max(room, width), FOOT, 1), end])


def _short(note: str) -> str:
    """A note, of one on tests what marks mean; its method is in the notes of the speaker."""
    if not note.startswith(_LEGENDS):
        return note
    unknown = "design unknown" if "design unknown" in note else ""
    return ", ".join(filter(None, (note.partition(". ")[0], unknown)))


def foot_height(text: str, width: float) -> float:
    """The height of a foot, in points: at least that of two lines."""
    return max(2, lines_of(text, width, FOOT)) * LINE * FOOT + 3


def _joined(parts: Sequence[str]) -> str:
    return " · ".join(filter(None, parts))


def _facts(layout: TableLayout) -> Iterator[str]:
    base, *others = layout.facts or ("",)
    sample = layout.base_sample
    # NaN, and an empty base, have no number.
    yield f"{base}, n = {figure(sample, 0)}" if base and sample > 0 else base
    yield from others


# -- notes and the first slide --------------------------------------------------------------------


def notes_of(table: SlideTable, question: str) -> list[str]:
    """Everything that is known of a table, and its code."""
    layout = table.layout
    lines = [question, *layout.facts, *layout.footnotes]
    if table.headlines:
        lines.append(f"{table.method}.")
    if table.code:
        lines += ["", table.code]
    return lines


def about(tables: Sequence[SlideTable]) -> list[str]:
    """What all tables have in common: base, waves, weight, what marks mean, source."""
    layouts = [table.layout for table in tables]
    common = [fact for fact in layouts[0].facts if all(fact in each.facts for each in layouts)]
    most = max((each.base_sample for each in layouts), default=0.0)
    lines = [f"{plural(len(tables), 'table')}, up to {figure(most, 0)} respondents", *common]
    lines += sorted({low_base_note(each) for each in layouts})
    notes = [note for each in layouts if each.marks for note in each.notes]
    # The first sentence of the note on tests says what marks are.
    legends = {note.partition(". ")[0] for note in notes if note.startswith(_LEGENDS)}
    lines += sorted(legends)[:_MOST_LEGENDS]
    lines += dict.fromkeys(each.source for each in layouts)
    return [line for line in lines if line]
