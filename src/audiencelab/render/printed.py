"""A `Tabulation` as static HTML: the whole table, for a page, a mail or a notebook without kernel.

The looks are those of `markup`, and the words and bases those of the workbook. Heat is a veil over
whatever ground there is, so that it suits light and dark paper alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from audiencelab.markup import (
    NET,
    NOTE_LENGTH,
    QUIET,
    Cell,
    Content,
    Html,
    Section,
    card,
    element,
    figure,
    joined,
    muted,
    people,
    percent,
    table,
    text,
)
from audiencelab.render.table_layout import (
    Head,
    Kind,
    Measure,
    Tabulation,
    low_base_mark,
    low_base_note,
)
from audiencelab.results.banner import sections, spans

_BLUE, _ORANGE = "91,155,213", "232,134,46"
_STRONGEST = 0.55
_GAP = "\u00a0"


def tabulation_html(made: Tabulation) -> str:
    """The table as one element with all its styles, ready to be put into a page."""
    heads: list[Content] = ["", *_stub_base_heads(made), *map(_head, made.banner)]
    listed = table(
        heads,
        [*_bases(made), *_body(made)],
        numeric=range(1, len(heads)),
        above=spans(made.banner_heads, len(heads) - len(made.banner)),
        most=None,
    )
    facts = [_figures_line(made), *made.facts]
    return str(card(made.title, listed, *_under(made), subtitle=" · ".join(facts)))


def _figures_line(made: Tabulation) -> str:
    """Which figures stand in a cell, in their order."""
    return ", ".join(measure.label for measure in made.measures)


def _head(head: Head) -> Content:
    return joined(head.name, muted(f" ({head.letter})")) if head.letter else head.name


def _stub_base_heads(made: Tabulation) -> list[Content]:
    return ["People", "Respondents"] if made.stub_bases else []


def _bases(made: Tabulation) -> list[list[Content | Cell]]:
    beside: list[Content] = [""] * len(_stub_base_heads(made))
    sizes = [people(head.size) for head in made.banner]
    samples = [_sample(head) for head in made.banner]
    lines: list[list[Content]] = [
        ["Base: people", *beside, *sizes],
        ["Base: respondents", *beside, *samples],
    ]
    return [[Cell(content, QUIET) for content in line] for line in lines]


def _sample(head: Head) -> str:
    return figure(head.sample, 0) + low_base_mark(head.sample)


def _body(made: Tabulation) -> Iterator[list[Content | Cell] | Section]:
    for line, (head, begun) in enumerate(zip(made.stub, sections(made.stub_heads), strict=True)):
        yield from (Section(name, level) for level, name in begun)
        bases = [Cell(people(head.size), QUIET), Cell(_sample(head), QUIET)]
        yield [
            Cell(head.name, NET if head.net else ""),
            *(bases if made.stub_bases else ()),
            *(_cell(made, line, column) for column in range(len(made.banner))),
        ]


def _cell(made: Tabulation, line: int, column: int) -> Cell:
    """All figures of a cell on one line, the first as text, the others smaller."""
    parts = [_figure(made, measure, line, column) for measure in made.measures]
    index = next((each for each in made.measures if each.kind == "index"), None)
    everyone = made.total and column == 0
    heat = ""
    if index is not None and not everyone and not made.is_blank(index, line, column):
        heat = _heat(float(index.values[line, column]))
    return Cell(joined(*_spaced(parts)), heat)


def _spaced(parts: Sequence[Html]) -> Iterator[Content]:
    for place, part in enumerate(parts):
        if place:
            yield _GAP
            yield element("small", part)
        else:
            yield part


def _figure(made: Tabulation, measure: Measure, line: int, column: int) -> Html:
    if made.is_blank(measure, line, column):
        return joined("")
    value = float(measure.values[line, column])
    shown = _shown(measure.kind, value)
    mark = "" if math.isnan(value) else measure.mark(line, column)
    letters = made.mark_at(line, column) if measure.name == made.compared else ""
    if not letters:
        return joined(shown + mark)
    return joined(shown + mark + _GAP, element("small", letters, style="font-weight:600"))


def _shown(kind: Kind, value: float) -> str:
    if kind == "percentage":
        return percent(value)
    return people(value) if kind == "size" else figure(value, 0)


def _heat(index: float) -> str:
    """A veil of blue below 100 and of orange above, full at half and at twice the share."""
    if math.isnan(index) or index == 100:
        return ""
    strength = min(1.0, abs(math.log2(index / 100))) if index > 0 else 1.0
    colour = _ORANGE if index > 100 else _BLUE
    return f"background:rgba({colour},{strength * _STRONGEST:.2f})"


def _under(made: Tabulation) -> list[Html]:
    heated = any(measure.kind == "index" for measure in made.measures)
    notes = [
        *made.notes,
        low_base_note(made),
        "Index: 100 is the share in the base; blue is below, orange above." if heated else "",
        made.source,
    ]
    style = f"font-size:12px;{QUIET}"
    return [element("div", text(note, most=NOTE_LENGTH), style=style) for note in notes if note]
