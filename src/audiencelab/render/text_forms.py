"""Static HTML as Markdown and as LaTeX, for documents that pandoc, nbconvert or Quarto write.

A result, a comparison or a widget has one static form, drawn from its `TableLayout`. The text forms
are read from it: they have its title, facts, tables, marks and notes, and nothing else.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import zip_longest
from textwrap import wrap
from typing import Literal

from audiencelab.markup import NET
from audiencelab.wording import harmless

BlockKind = Literal["text", "item", "code"]

_BLOCKS: dict[str, BlockKind] = {
    "div": "text",
    "p": "text",
    "h1": "text",
    "li": "item",
    "pre": "code",
}
_GAP = "\u00a0"

_LABEL_WIDTH = 30
"""Characters of the rows' names, above which they are broken into lines."""

_WORD_PAGE, _MOST_ON_IT, _BESIDE = 76, 90, 2
"""Characters of a row in a Word document of pandoc, those of the longest words that it is narrowed
to, and of the space beside a cell."""

_LEAST_WIDTH = 6
"""Characters of the narrowest column."""

_SIZES = ((85, "footnotesize"), (115, "scriptsize"))
"""The size of a LaTeX table by the characters of its widest row; wider ones are tiny."""

_WIDEST = 150
"""Characters of a row that fit on a page in the smallest size."""

_ROWS_ON_PAGE = 40


@dataclass(slots=True)
class TextCell:
    """A cell of a table: its text, the columns it spans, and how it is shown."""

    text: str = ""
    span: int = 1
    left: bool = False
    net: bool = False
    heading: bool = False


@dataclass(slots=True)
class TextTable:
    """A table as rows of cells; the last of `head` are the headers, those before it groups."""

    head: list[list[TextCell]] = field(default_factory=list[list[TextCell]])
    body: list[list[TextCell]] = field(default_factory=list[list[TextCell]])


@dataclass(slots=True)
class TextBlock:
    """A paragraph, an item of a list, or code."""

    kind: BlockKind
    text: str = ""


class _Reader(HTMLParser):
    """Reads what `audiencelab.markup` writes into blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[TextBlock | TextTable] = []
        self._table: TextTable | None = None
        self._rows: list[list[TextCell]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        if tag == "table":
            self._table = TextTable()
            self.blocks.append(self._table)
        elif self._table is None:
            if tag in _BLOCKS:
                self.blocks.append(TextBlock(_BLOCKS[tag]))
        elif tag in ("thead", "tbody"):
            self._rows = self._table.head if tag == "thead" else self._table.body
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("th", "td"):
            style = named.get("style", "")
            cell = TextCell(
                span=int(named.get("colspan", "1")),
                left="text-align:left" in style,
                net=NET in style,
                heading=named.get("scope") == "rowgroup",
            )
            self._rows[-1].append(cell)
        elif tag == "small" and (cell := self._rows[-1][-1]).text.endswith(_GAP):
            # Another metric of the cell; marks of tests have an ordinary space before them.
            cell.text = f"{cell.text.removesuffix(_GAP)} / "

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._table = None
        elif self._table is None and tag in _BLOCKS:
            # What follows an element within another belongs to the outer one.
            self.blocks.append(TextBlock("text"))

    def handle_data(self, data: str) -> None:
        if self._table is not None:
            if self._rows and self._rows[-1]:
                self._rows[-1][-1].text += data
        elif self.blocks and isinstance(last := self.blocks[-1], TextBlock):
            last.text += data
        else:
            self.blocks.append(TextBlock("text", data))


def read_blocks(html: str) -> list[TextBlock | TextTable]:
    """The paragraphs and tables of a static form, the title first."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return [
        block
        for block in reader.blocks
        if (block.body if isinstance(block, TextTable) else block.text.strip())
    ]


def _plain(text: str) -> str:
    return " ".join(text.replace(_GAP, " ").split())


# -- Markdown -------------------------------------------------------------------------------------

_MARKDOWN = re.compile(r"[\\`*_\[\]<>|$~^&#@]")
_LINE_START = re.compile(r"(?<=^)([+-]|\d+[.)])(?=\s)")


def markdown(html: str) -> str:
    """A static form as Markdown, with pipe tables that CommonMark's extensions and pandoc read."""
    parts: list[str] = []
    for number, block in enumerate(read_blocks(html)):
        if isinstance(block, TextTable):
            parts += _markdown_tables(block)
        elif block.kind == "code":
            parts.append(f"```python\n{block.text.strip()}\n```")
        else:
            text = _LINE_START.sub(r"\\\1", markdown_text(block.text))
            text = f"**{text}**" if number == 0 else text
            parts.append(f"- {text}" if block.kind == "item" else text)
    return "\n\n".join(parts) + "\n"


def markdown_text(text: str) -> str:
    """Text on one line of Markdown, in which nothing formats, links or loads."""
    return _MARKDOWN.sub(r"\\\g<0>", _plain(harmless(text)))


def _markdown_tables(table: TextTable) -> Iterator[str]:
    """A table with one row of headers, in which groups are part of the names, in parts if wide."""
    headers = _full_headers(table)
    widths, least = _widths(table, headers), _longest_words(table, headers)
    for others in _pages([width + _BESIDE for width in least], _MOST_ON_IT):
        chosen = (0, *others)
        shown = [widths[column] for column in chosen]
        if sum(shown) + _BESIDE * len(shown) > _WORD_PAGE:
            # Cells are broken between words, and names where there is space for no more.
            shown = [least[column] + _BESIDE for column in chosen]
            spare = max(0, _WORD_PAGE - sum(shown))
            shown[0] = max(shown[0], min(widths[0], shown[0] + spare))
        yield "\n".join(_markdown_table(table, headers, shown, chosen))


def _longest_words(table: TextTable, headers: Sequence[str]) -> list[int]:
    """The characters of the longest word in each column, and one more."""
    rows = [headers, *([cell.text for cell in row] for row in table.body)]
    return [
        1 + max(len(word) for row in rows for word in ("", *"".join(row[at : at + 1]).split()))
        for at in range(len(headers))
    ]


def _markdown_table(
    table: TextTable, headers: Sequence[str], widths: Sequence[int], chosen: Sequence[int]
) -> Iterator[str]:
    """Some columns of a table, the names of its rows first."""
    yield _pipes([markdown_text(headers[column]) for column in chosen])
    # Pandoc divides the page by the dashes where a line is long.
    yield _pipes(
        [
            f":{'-' * width}" if _alignment(table, column) else f"{'-' * width}:"
            for width, column in zip(widths, chosen, strict=True)
        ]
    )
    for row in table.body:
        first, *others = row
        name = markdown_text(first.text)
        if name and first.heading:
            name = f"**{name}**"
        elif name and first.net:
            name = f"*{name}*"
        texts = [name, *(markdown_text(cell.text) for cell in others)]
        texts += [""] * (len(headers) - len(texts))
        yield _pipes([texts[column] for column in chosen])


def _pipes(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _full_headers(table: TextTable) -> list[str]:
    """The names of columns after their groups, except a group that all columns are in."""
    *above, last = table.head
    names = [cell.text for cell in last]
    for groups in reversed(above):
        spread = [cell.text for cell in groups for _ in range(cell.span)]
        if len(set(spread) - {""}) > 1:
            pairs = zip_longest(spread, names, fillvalue="")
            names = [" › ".join(filter(None, pair)) for pair in pairs]
    return names


def _alignment(table: TextTable, column: int) -> bool:
    """Whether a column is set to the left."""
    return [row for row in (table.head[-1], *table.body) if len(row) > column][-1][column].left


def _widths(table: TextTable, headers: Sequence[str]) -> list[int]:
    """The characters of each column: of its widest cell, and of the longest word above it."""
    widths = [max([_LEAST_WIDTH, *map(len, header.split())]) + 1 for header in headers]
    for row in table.body:
        if len(row) == len(headers):
            for column, cell in enumerate(row):
                widths[column] = max(widths[column], len(cell.text) + 1)
    widths[0] = min(widths[0], _LABEL_WIDTH)
    return widths


# -- LaTeX ----------------------------------------------------------------------------------------

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedblright{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "▲": r"$\blacktriangle$",
    "▼": r"$\blacktriangledown$",
    "△": r"$\vartriangle$",
    "▽": r"$\triangledown$",
    "›": r"$>$",
    "×": r"$\times$",
    "÷": r"$\div$",
    "−": r"$-$",
    "√": r"$\surd$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "→": r"$\rightarrow$",
    "…": r"\ldots{}",
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
}
_RESERVED = re.compile("[" + re.escape("".join(_LATEX)) + "]")
_LIGATURE = re.compile(r"([-',])(?=\1)")


def latex(html: str) -> str:
    """A static form as LaTeX that needs no package but amssymb, and longtable for long tables.

    A table that is too wide for a page continues below, with the names of its rows.
    """
    parts: list[str] = []
    for number, block in enumerate(read_blocks(html)):
        if isinstance(block, TextTable):
            parts += _latex_tables(block)
        elif block.kind == "code":
            parts.append(f"\\begin{{verbatim}}\n{block.text.strip()}\n\\end{{verbatim}}")
        elif number == 0:
            parts.append(f"\\noindent\\textbf{{{_latex_text(block.text)}}}")
        else:
            mark = r"\textbullet{} " if block.kind == "item" else ""
            parts.append(f"\\noindent{{\\footnotesize {mark}{_latex_text(block.text)}\\par}}")
    return "\n\n".join(parts) + "\n"


def _latex_text(text: str) -> str:
    escaped = _RESERVED.sub(lambda found: _LATEX[found[0]], _plain(text))
    # A star at the beginning of a row would belong to the end of the row before it.
    return _LIGATURE.sub(r"\1{}", f"{{}}{escaped}" if escaped.startswith("*") else escaped)


def _latex_tables(table: TextTable) -> Iterator[str]:
    widths = _widths(table, [cell.text for cell in table.head[-1]])
    for chosen in _pages(widths, _WIDEST):
        width = widths[0] + sum(widths[at] for at in chosen)
        size = next((name for most, name in _SIZES if width <= most), "tiny")
        yield _latex_table(table, chosen, widths, size)


def _pages(widths: Sequence[int], widest: int) -> Iterator[range]:
    """The columns beside the names in parts of about equal width, each of which fits on a page."""
    whole = sum(widths[1:])
    parts = -(-whole // (widest - widths[0])) or 1
    start, width = 1, 0
    for end in range(2, len(widths) + 1):
        width += widths[end - 1]
        if end == len(widths) or width + widths[end] / 2 > whole / parts:
            yield range(start, end)
            start, width = end, 0
    if len(widths) == 1:
        yield range(1, 1)


def _latex_table(table: TextTable, chosen: range, widths: Sequence[int], size: str) -> str:
    """Some columns of a table beside the names of its rows."""
    width = 1 + len(chosen)
    columns = "".join("l" if _alignment(table, at) else "r" for at in (0, *chosen))
    head = [line for groups in table.head[:-1] for line in _latex_groups(groups, chosen)]
    names = [_stacked(table.head[-1][at].text, widths[at], "b") for at in (0, *chosen)]
    head.append(f"{' & '.join(names)} \\\\")
    body: list[str] = []
    for row in table.body:
        first = row[0]
        wrapped = _stacked(first.text, _LABEL_WIDTH, "t")
        if first.heading or len(row) == 1:
            name = f"\\textbf{{{_latex_text(first.text)}}}" if first.heading else wrapped
            body.append(f"\\multicolumn{{{width}}}{{@{{}}l}}{{{name}}} \\\\")
            continue
        name = f"\\textit{{{wrapped}}}" if first.net else wrapped
        cells = (_latex_text(row[at].text) for at in chosen)
        body.append(f"{' & '.join((name, *cells))} \\\\")
    kind, end_of_head = "tabular", "\\hline"
    if len(body) > _ROWS_ON_PAGE:
        kind, end_of_head = "longtable", "\\hline\\endhead"
    lines = [
        f"{{\\{size}\\setlength{{\\tabcolsep}}{{3pt}}\\noindent",
        f"\\begin{{{kind}}}{{@{{}}{columns}@{{}}}}",
        "\\hline",
        *head,
        end_of_head,
        *body,
        "\\hline",
        f"\\end{{{kind}}}\\par}}",
    ]
    return "\n".join(lines)


def _latex_groups(groups: Sequence[TextCell], chosen: range) -> Iterator[str]:
    """The groups above the headers, each with a rule below it."""
    spread = [number for number, cell in enumerate(groups) for _ in range(cell.span)]
    cells, rules, at = [""], list[str](), 2
    for column in chosen:
        if column > chosen.start and spread[column] == spread[column - 1]:
            continue
        span = sum(spread[other] == spread[column] for other in chosen)
        name = groups[spread[column]].text
        cells.append(f"\\multicolumn{{{span}}}{{c}}{{{_latex_text(name)}}}" if name else "")
        cells += [""] * (0 if name else span - 1)
        rules += [f"\\cline{{{at}-{at + span - 1}}}"] if name else []
        at += span
    yield f"{' & '.join(cells)} \\\\ {''.join(rules)}"


def _stacked(text: str, width: int, place: str) -> str:
    """Text in lines of a width, without a package: a table of one column."""
    lines = [_latex_text(line) for line in wrap(_plain(text), max(width, 1))]
    if len(lines) < 2:
        return "".join(lines)
    side, stack = ("r" if place == "b" else "l"), r" \\ ".join(lines)
    return f"\\begin{{tabular}}[{place}]{{@{{}}{side}@{{}}}}{stack}\\end{{tabular}}"


def text_forms(html: str) -> dict[str, str]:
    """A static form as Markdown and LaTeX, by MIME type."""
    return {"text/markdown": markdown(html), "text/latex": latex(html)}


class TextForms:
    """Mixin of what has a static HTML form: the same form as Markdown and as LaTeX."""

    __slots__ = ()

    @abstractmethod
    def _repr_html_(self) -> str: ...

    def _repr_markdown_(self) -> str:
        return markdown(self._repr_html_())

    def _repr_latex_(self) -> str:
        return latex(self._repr_html_())
