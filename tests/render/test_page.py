"""A tab book as a page: headings of its contents, panels of wide tables, printed titles."""

from __future__ import annotations

import re
from dataclasses import replace

from audiencelab.analysis.options import DEFAULTS
from audiencelab.render.layout import table_layout
from audiencelab.render.page import book_page
from audiencelab.render.table_layout import TableLayout
from tests.results.samples import crosstab
from tests.who_counts.test_surfaces import Cells

ITEM = "Ich informiere mich vor dem Kauf eines Haushaltsgerätes ausführlich " * 3


def layout(columns: int, title: str = "Tea", section: str = "") -> TableLayout:
    """A table of two groups of columns, with the letters of tests."""
    groups = (("First",),) * (columns // 2) + (("Second",),) * (columns - columns // 2)
    names = tuple(f"c{at}" for at in range(columns))
    table = crosstab(columns=names, column_groups=groups, rows=(ITEM, "b"), base_sample=900)
    made = table_layout(table, metrics=["column"], comparison=table.test(**DEFAULTS))
    return replace(made, title=title, section=section)


def test_contents_have_a_heading_for_each_category() -> None:
    made = {
        "a <b>": layout(4, section="Drinks & food"),
        "b": layout(4, section="Drinks & food"),
        "c": layout(4, section="Media"),
    }
    page = book_page("Book", made)
    contents = page[page.index("<nav") : page.index("</nav>")]
    assert re.findall("<h2>(.*?)</h2>", contents) == ["Drinks &amp; food", "Media"]
    assert re.findall(r"<ol start=(\d)>", contents) == ["1", "3"]
    assert "a &lt;b&gt;" in contents
    assert "http" not in page


def test_a_wide_table_is_divided_between_its_groups() -> None:
    wide = layout(28)
    page = book_page("Book", {"Tea": wide})
    parts = re.findall("<table cellpadding.*?</table>", page)
    assert [part.count("scope=col ") + part.count("scope=col>") for part in parts] == [16, 15]
    # Each part has the names of the rows and its own columns; the first has everyone's.
    shown: list[str] = []
    for part in parts:
        shown += next(row for row in Cells(part).rows if row and row[0] == "b")[1:]
    whole = [f"{value:.1f}%" for value in wide.metrics[0].values[1]]
    assert [cell.split()[0].rstrip("*") for cell in shown] == whole
    assert [groups.count("scope=colgroup") for groups in parts] == [1, 1]
    assert page.count("A letter marks") == 1
    assert len(re.findall("<table cellpadding", book_page("Book", {"Tea": layout(14)}))) == 1


def test_a_printed_page_has_the_title_and_whole_labels() -> None:
    page = book_page("Book", {"Tea": layout(4, title="Tea & cake")})
    assert "<thead><tr><th>Tea &amp; cake</th></tr></thead>" in page
    assert ITEM.strip() in page
    for rule in ("@page{size:A4 landscape", "display:table-header-group", "overflow:visible"):
        assert rule in page
