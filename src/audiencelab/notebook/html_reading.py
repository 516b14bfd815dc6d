"""Reads a page of HTML: its tables, the text beside them, and how both look."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

Table = list[list[str]]

_SEEN = ("alt", "aria-label", "href", "placeholder", "src", "title", "value")
"""Attributes that readers see, or have read to them."""

_SILENT = {"style", "script"}
_WORD = re.compile(r"[\w-]+")


@dataclass(slots=True)
class ReadPage:
    """What a page says.

    tables: their cells. lines: the text beside them, and what attributes say. looks: the tags with
    their attributes, the style sheets and the scripts, in order; ids are numbered, since programs
    draw them by chance.
    """

    tables: list[Table] = field(default_factory=list[Table])
    lines: list[str] = field(default_factory=list[str])
    looks: list[str] = field(default_factory=list[str])


def read_page(html: str) -> ReadPage:
    """Read a page or a part of one."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    page = parser.page
    page.looks = [_numbered(each, parser.ids) for each in page.looks]
    return page


def numbered_ids(text: str, ids: list[str]) -> str:
    """A text in which ids are replaced by their positions."""
    return _numbered(text, {name: f"id{n}" for n, name in enumerate(dict.fromkeys(ids), 1)})


def _numbered(text: str, ids: dict[str, str]) -> str:
    return _WORD.sub(lambda word: ids.get(word.group(), word.group()), text) if ids else text


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = ReadPage()
        self.ids: dict[str, str] = {}
        self._in_table = 0
        self._silent = ""
        self._open_cell = False
        self._said = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        page, given = self.page, {name: value or "" for name, value in attrs}
        if name := given.get("id"):
            self.ids.setdefault(name, f"id{len(self.ids) + 1}")
        self._look(tag, given)
        said = [f"{name}: {given[name]}" for name in _SEEN if given.get(name)]
        page.lines += [each for each in said if "data:" not in each]
        if tag in _SILENT:
            self._silent = tag
        elif tag == "br":
            self.handle_data("\n")
        elif tag == "table":
            self._in_table += 1
            page.tables.append([])
        elif tag == "tr" and self._in_table:
            page.tables[-1].append([])
        elif tag in {"td", "th"} and self._in_table and page.tables[-1]:
            page.tables[-1][-1].append("")
            self._open_cell = True

    def _look(self, tag: str, given: dict[str, str]) -> None:
        told = "".join(f" {name}={value}" for name, value in sorted(given.items()))
        place = f"{self._said}: " if self._said and told else ""
        self.page.looks.append(f"{place}<{tag}{told}>")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = ""
        elif tag == "table":
            self._in_table = max(0, self._in_table - 1)
        elif tag in {"td", "th"}:
            self._open_cell = False

    def handle_data(self, data: str) -> None:
        page = self.page
        if self._silent:
            page.looks += [line.strip() for line in data.split("\n") if line.strip()]
            return
        if data.strip():
            self._said = data.strip()[:60]
        if self._in_table and self._open_cell:
            page.tables[-1][-1][-1] += data
        elif data.strip():
            page.lines += data.strip().split("\n")
