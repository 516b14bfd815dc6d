"""Pages of tables that need no network: one table, or many with contents, that print whole.

On the screen the head and the names of the rows stay while the page scrolls. On paper a table that
goes on has its title and its banner on each page, because browsers repeat the head of a table, and
the parts of one that is wider than the paper are below each other (`markup.table`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from string import Template

from audiencelab.figures import figure
from audiencelab.markup import (
    Card,
    Html,
    element,
    joined,
    muted,
    text,
)
from audiencelab.render.html import layout_card
from audiencelab.render.record_carriers import in_page
from audiencelab.render.table_layout import TableLayout
from audiencelab.results.record import Record

_WIDE = 7
"""Columns above which a page is landscape."""

_PAGE = Template("""<!doctype html>
<html lang='en'><head><meta charset='utf-8'>
<meta name='viewport' content='width=device-width'>$title<style>
:root{color-scheme:light dark}
body{font-family:system-ui,sans-serif;margin:2em;color:CanvasText;background:Canvas}
h2{font-size:1em;margin:1em 0 .2em}
ol{margin:0}
section{margin-top:3em}
section:only-child{margin:0}
section>table{border-collapse:collapse}
section>table>thead{display:none;text-align:left}
section th[scope=row]{min-width:14em;max-width:26em}
section td>div{overflow:visible!important}
@media screen{
section td>div{white-space:nowrap}
section td>div>div{position:sticky;left:2em;width:max-content;max-width:calc(100vw - 6em)}
section td>div>div,section table table *{white-space:normal}
section table table td{white-space:nowrap}
section table table thead{position:sticky;top:0;z-index:2;box-shadow:0 1px #8888}
section table table thead,section table table thead *{background:Canvas}
section table table :is(th[scope=row],thead tr>:first-child){position:sticky;left:0;z-index:1}
section table table th[scope=row]{background:Canvas}
}
@page{size:A4 $paper;margin:12mm 10mm 14mm;
@bottom-right{content:counter(page) " / " counter(pages);font:8pt system-ui,sans-serif}}
@media print{
:root{color-scheme:light}
body{margin:0}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
section+section,nav+section{break-before:page}
section{margin:0}
section>p{display:none}
section>table{width:100%}
section>table>thead{display:table-header-group;font-size:11pt}
section>table>tbody>tr>td>div>div:first-child{display:none}
section div,section table table{font-size:8pt!important}
section table table{display:table!important;margin:0 0 6mm!important}
section table table *{padding:1.5pt 3pt;overflow-wrap:break-word}
section table table tr{break-inside:avoid}
section table table tr:has(th[scope=rowgroup]){break-after:avoid}
section th[scope=row]{min-width:38mm;max-width:none}
}
</style>$records</head><body>$body</body></html>
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
    back = element("p", element("a", "Contents", href="#contents"))
    sections = [
        _section(table.title, layout_card(table), back, id=f"table-{number}")
        for number, table in enumerate(tables.values(), 1)
    ]
    contents = element("nav", *listed, id="contents")
    records = [table.record for table in tables.values()]
    return _page(title, element("h1", title), contents, *sections, records=records)


def table_page(title: str, form: Card, columns: int, record: Record) -> str:
    """One table as a page of its own; columns: how many it has. record: what it is of."""
    return _page(title, _section(title, form), records=[record], wide=columns > _WIDE)


def _page(title: str, *body: Html, records: Sequence[Record], wide: bool = True) -> str:
    return _PAGE.substitute(
        title=element("title", text(title)),
        body=joined(*body),
        paper="landscape" if wide else "portrait",
        records=in_page(records),
    )


def _section(title: str, form: Card, *after: Html, **attributes: str) -> Html:
    """A table with its other parts, whose title is on every page that it is printed on."""
    printed = element(
        "table",
        element("thead", element("tr", element("th", title))),
        element("tbody", element("tr", element("td", form.element))),
        role="presentation",
    )
    return element("section", printed, *after, **attributes)


def _base(table: TableLayout) -> str:
    """The base of a table, behind its name in the contents."""
    return f" {table.base}, n = {figure(table.base_sample, 0)}"
