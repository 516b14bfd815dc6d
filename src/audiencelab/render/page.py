"""A page of many tables: contents with links, then a section for each, that prints whole.

Tables that are wider than a printed page are divided between their groups. A table that goes on has
its title and its banner on each printed page: browsers repeat the head of a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby, pairwise
from string import Template

from audiencelab.markup import Html, element, figure, joined, muted, text
from audiencelab.render.gaps import Gap
from audiencelab.render.html import layout_card
from audiencelab.render.table_layout import TableLayout
from audiencelab.results.banner import edges, page_breaks

_COLUMNS = 16
"""Columns that can be read on a landscape page."""

_PAGE = Template("""<!doctype html>
<html lang='en'><head><meta charset='utf-8'>$title<style>
body{font-family:system-ui,sans-serif;margin:2em;color:#000;background:#fff}
h2{font-size:1em;margin:1em 0 .2em}
ol{margin:0}
section{margin-top:3em}
section>table{border-collapse:collapse}
section>table>thead{display:none;text-align:left}
section th[scope=row]{min-width:14em}
@page{size:A4 landscape;margin:12mm 10mm 14mm;
@bottom-right{content:counter(page) " / " counter(pages);font:8pt system-ui,sans-serif}}
@media print{
body{margin:0}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
section{break-before:page;margin:0}
section>p{display:none}
section>table,section table table{width:100%}
section>table>thead{display:table-header-group;font-size:11pt}
section>table>tbody>tr>td>div>div:first-child{display:none}
section div,section table table{font-size:8pt!important;overflow:visible!important}
section table table *{padding:1.5pt 3pt;overflow-wrap:break-word}
section table table tr{break-inside:avoid}
section table table tr:has(th[scope=rowgroup]){break-after:avoid}
section th[scope=row]{min-width:38mm}
}
</style></head><body>$body</body></html>
""")


def book_page(title: str, tables: Mapping[str, TableLayout]) -> str:
    """The tables as one page that needs no network, by their names in the contents.

    The category of tables is above the first of them.
    """
    listed: list[Html] = []
    numbered = enumerate(tables.items(), 1)
    for section, each in groupby(numbered, lambda item: item[1][1].section):
        items = list(each)
        links = [
            element("li", element("a", name, href=f"#table-{number}"), muted(_base(table)))
            for number, (name, table) in items
        ]
        heading = [element("h2", section)] if section else []
        listed += [*heading, element("ol", *links, start=str(items[0][0]))]
    sections = [_section(number, table) for number, table in enumerate(tables.values(), 1)]
    contents = element("nav", *listed, id="contents")
    return page(title, element("h1", title), contents, *sections)


def page(title: str, *body: Html) -> str:
    """A page of its own that needs no network."""
    return _PAGE.substitute(title=element("title", text(title)), body=joined(*body))


def printed_table(title: str, content: Html) -> Html:
    """A table with its other parts, whose title is on every page that it is printed on."""
    return element(
        "table",
        element("thead", element("tr", element("th", title))),
        element("tbody", element("tr", element("td", content))),
        role="presentation",
    )


def _section(number: int, table: TableLayout) -> Html:
    """A table in as many panels as it takes, and a link back to the contents."""
    panels = [printed_table(table.title, Html(str(layout_card(panel)))) for panel in _panels(table)]
    back = element("p", element("a", "Contents", href="#contents"))
    return element("section", *panels, back, id=f"table-{number}")


def _panels(table: TableLayout) -> Iterator[TableLayout]:
    """The columns in parts of a page's width; the notes are below the last."""
    breaks = page_breaks(edges(table.banner_groups), _COLUMNS)
    if not breaks:
        yield table
        return
    width = len(table.banner)
    for first, end in pairwise([0, *breaks, width]):
        columns = range(first, end)
        moved = [Gap(gap.reason, _moved(gap, columns)) for gap in table.missing]
        yield replace(
            table,
            banner=table.banner[first:end],
            total=table.is_total(first),
            repeated=1,
            metrics=tuple(each.part(range(len(table.stub)), columns) for each in table.metrics),
            marks=tuple(row[first:end] for row in table.marks),
            reasons=tuple(row[first:end] for row in table.reasons),
            notes=table.notes if end == width else (),
            missing=tuple(gap for gap in moved if gap.cells),
        )


def _moved(gap: Gap, columns: range) -> tuple[tuple[int | None, int | None], ...]:
    """Its cells in some of the columns, by their positions there."""
    return tuple(
        (row, None if column is None else column - columns.start)
        for row, column in gap.cells
        if column is None or column in columns
    )


def _base(table: TableLayout) -> str:
    """The base of a table, behind its name in the contents."""
    return f" {table.base}, n = {figure(table.base_sample, 0)}"
