"""What is on each slide with a chart: native charts and the texts beside them, in points."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple

from audiencelab.render.pptx.native_charts import NativeChart
from audiencelab.render.pptx.native_tables import NativeTable
from audiencelab.render.pptx.shapes import Rect, TextBox


@dataclass(frozen=True, slots=True)
class Page:
    """The contents of one slide, from the left upper corner of its free area.

    rows, columns: those of the layout that are drawn, by which a headline is chosen. label: what
    the values are, if it is not the label of the metric.
    """

    charts: tuple[tuple[Rect, NativeChart], ...]
    texts: tuple[TextBox, ...] = ()
    tables: tuple[NativeTable, ...] = ()
    rows: frozenset[int] = frozenset()
    columns: frozenset[int] = frozenset()
    label: str = ""


class Item(NamedTuple):
    """A category or a panel: its position in the layout, its name, and a line below it."""

    at: int
    name: str
    below: str = ""


class ItemGroup(NamedTuple):
    """Items under one heading; "" for none."""

    head: str
    items: tuple[Item, ...]


def grouped(
    positions: Sequence[int], heads: Callable[[int], str], item: Callable[[int], Item]
) -> list[ItemGroup]:
    """Neighbours with the same heading."""
    return [ItemGroup(head, tuple(map(item, run))) for head, run in groupby(positions, key=heads)]


def parts(count: int, most: int) -> Iterator[range]:
    """A range in parts of about equal length, none longer than `most`; at least one part."""
    number = max(1, -(-count // max(most, 1)))
    ends = [count * part // number for part in range(number + 1)]
    yield from (range(*pair) for pair in pairwise(ends))


def joined_pages(pages: Sequence[Page], height: float, gap: float) -> list[Page]:
    """Pages below each other on one slide, as far as they fit.

    height: of a slide's free area; each page's own height is that of its lowest shape.
    """
    made: list[Page] = []
    used = 0.0
    for page in pages:
        own = lowest(page)
        if made and used + gap + own <= height:
            made[-1] = below(made[-1], page, used + gap)
            used += gap + own
        else:
            made.append(page)
            used = own
    return made


def lowest(page: Page) -> float:
    """The lower edge of what is on a page."""
    boxes = [box for box, _ in page.charts] + [each.box for each in page.texts]
    return max([box.bottom for box in boxes] + [each.box.bottom for each in page.tables])


def below(page: Page, other: Page, down: float) -> Page:
    """Two pages on one slide, the other so far down."""
    return Page(
        (*page.charts, *((box.moved(0, down), chart) for box, chart in other.charts)),
        (*page.texts, *(each.moved(0, down) for each in other.texts)),
        (*page.tables, *(each.moved(0, down) for each in other.tables)),
        page.rows | other.rows,
        page.columns | other.columns,
        page.label,
    )
