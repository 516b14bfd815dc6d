"""Static HTML, by block: text that is escaped, elements, tables that stay small, cards.

Results, the catalogue and the widgets draw themselves for readers without a kernel, and all of
them draw with this; `escape` is the only function of the package that escapes. What is drawn,
and with which words, is the business of those who call.

Notebooks from elsewhere lose their style sheets, and in JupyterLab also each declaration with a
variable. So elements carry their style themselves, and whatever has to be seen everywhere (rules,
quiet words) is said without a variable, in a way that suits light and dark paper alike.

Every byte is saved with the notebook. What cells share is therefore said once, on the table or
the row, attributes stand without quotes or in single ones, which JSON leaves alone, and a table
ends early rather than outgrow `TABLE_BYTES`. End tags stay: nbconvert reads pages with a parser
that would put each cell into the one before it.

A `Card` and its tables are drawn when they are read: `str(card)` is HTML, and
`render/text_forms.py` writes the same blocks as Markdown and LaTeX.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple
from urllib.parse import quote

from audiencelab.wording import plural, without_controls

ROW_CAP = 30
"""Lines of a table shown before "… and N more"."""

COLUMN_CAP = 12
"""Columns of such a table."""

TABLE_BYTES = 13_000
"""Most that the lines of one table take; with headers and code a widget stays under 20 KB."""

CODE = "code"
"""What Python code in a form says of itself (`data-al`), so that a page can leave it out."""

OUTPUT_BYTES = 20_000
"""Most that one output takes of a saved notebook, without its Markdown."""

HEADING = "font-weight:600"
"""The style of words that stand over others."""

NET = "font-style:italic"
"""The style of a row that holds other rows."""

NOTE_LENGTH = 2_000
"""Most characters of a line under a table: recipes and citations are worth nothing cut."""

GAP = "\u00a0"
"""A space that does not end a line."""

INDENTED = ("", "padding-left:20px", "padding-left:34px")
"""The style of a row's name by how many rows it is under."""

QUIET = "opacity:.7"
"""The style of secondary words: paler ink, whichever the ink is."""

_FAMILY = "var(--jp-ui-font-family,system-ui,sans-serif)"
_MONO = "var(--jp-code-font-family,ui-monospace,monospace)"
_CODE_LENGTH = 2_500
LABEL_LENGTH, WHOLE_LABEL = 120, 400
"""Most characters of a label in a short table, and in a whole one."""

_TABLE = (
    "border-collapse:collapse;border:0;margin:4px 0;font-size:13px;line-height:normal;"
    "color:inherit;background:none;text-align:right;font-variant-numeric:tabular-nums"
)
_BESIDE = "display:inline-table;vertical-align:bottom;margin-right:16px"
"""Parts of a table are beside each other as far as there is space, their rows at one height."""

_RULE = "border-top:1px solid #8885;background:none"
"""No stripes, JupyterLab's or another's: they would shift the colours of a heat map."""
_ROW = f"<tr style='{_RULE}'>"
_BARE = re.compile(r"[\w.:;,()#%+-]+", re.ASCII)
"""Values of attributes that every parser reads without quotes."""

_LEFT = "text-align:left"
_OVER = "text-align:center;border-bottom:1px solid #8888"


_AS_TYPED = {"class": "mathjax_ignore"}
"""Keeps JupyterLab from setting "$25,000 to $35,000" as a formula."""

_ON_PAPER = 7
"""Columns that fit on paper as they are on the screen."""

PRINTED = (
    "<style>@media print{.mathjax_ignore,:has(.mathjax_ignore){overflow:visible!important}"
    ".mathjax_ignore table{display:table!important;font-size:9px!important}}</style>"
)
"""Paper does not scroll: what notebooks put around a wide table must not cut it off."""


class Html(NamedTuple):
    """Markup that is safe to put in a page, and its words; made by this module only."""

    markup: str
    words: str = ""

    def __str__(self) -> str:
        return self.markup


class CodeBlock(Html):
    """Python code as a block of its own."""

    __slots__ = ()


class Cell(NamedTuple):
    """What is in a cell of a table, with a style and a tooltip for this cell alone."""

    content: Content
    style: str = ""
    title: str = ""


class Section(NamedTuple):
    """A line of a table that names the rows after it; level: how many such lines stand over it."""

    name: str
    level: int = 0


class WrittenValue(NamedTuple):
    """A value as it is written, with its low-base mark, and the marks of its tests."""

    text: str
    marks: str = ""

    def __str__(self) -> str:
        return f"{self.text} {self.marks}".strip()


def escape(value: str) -> str:
    """Text as HTML, safe in element content and in quoted attributes."""
    return html.escape(without_controls(value), quote=True)


def shorten(value: str, most: int) -> str:
    """At most so many characters, the last of them "…" where something is left out."""
    return value if len(value) <= most else value[: most - 1] + "…"


def text(value: Content, *, most: int = 400) -> Block:
    """Words as HTML, cut where they are longer than anybody reads; markup passes unchanged."""
    if not isinstance(value, str):
        return value
    words = shorten(value, most)
    return Html(escape(words), words)


def element(tag: str, *content: Content, style: str = "", **attributes: str) -> Html:
    """One element around its content; attributes that are empty are left out."""
    inner = joined(*content)
    opened = _opened(tag, **attributes, style=style)
    return Html(f"{opened}{inner.markup}</{tag}>", inner.words)


def _opened(tag: str, **attributes: str) -> str:
    """The start of an element, with the attributes that are not empty."""
    written = (f" {name}={_attribute(value)}" for name, value in attributes.items() if value)
    return f"<{tag}{''.join(written)}>"


def _attribute(value: str) -> str:
    return value if _BARE.fullmatch(value) else f"'{escape(value)}'"


def joined(*content: Content) -> Html:
    """Words and elements one after the other, without an element around them."""
    parts = [text(part) for part in content]
    return Html("".join([part.markup for part in parts]), "".join([part.words for part in parts]))


def values(*shown: WrittenValue) -> Html:
    """The content of a cell: a value, then others in small print."""
    first, *others = map(_value, shown)
    small = [f"{GAP}<small>{other}</small>" for other in others]
    return Html("".join([first, *small]), " / ".join(map(str, shown)))


def _value(shown: WrittenValue) -> str:
    if not shown.marks:
        return _written(shown.text)
    # Marks stay on one line, below their value where a column is narrow.
    return f"{_written(shown.text)} <b>{_written(shown.marks.replace(' ', GAP))}</b>"


_written = lru_cache(2_048)(escape)
"""A value as HTML; a table repeats many."""


def image(svg: str, words: str) -> Html:
    """An image within the form, which loads nothing and runs nothing; words: what it shows."""
    source = f"data:image/svg+xml,{quote(svg)}"
    return Html(_opened("img", src=source, alt=words, style="max-width:100%"), words)


def muted(value: Content) -> Html:
    """Secondary words, paler than the rest."""
    return element("span", value, style=QUIET)


def note(words: str, style: str = "") -> Html:
    """A line under a table."""
    return element("div", text(words, most=NOTE_LENGTH), style=f"{style}{QUIET}")


def code_block(code: str) -> Html:
    """Python code, as typed."""
    return _code(code, "6px 0 0", QUIET)


def code_line(code: str) -> Html:
    """Code to copy, after the words that it is about: one click selects all of it."""
    return _code(code, "0 0 0 1em", f"user-select:all;display:inline-block;{QUIET}")


def _code(code: str, margin: str, more: str) -> Html:
    style = f"margin:{margin};font-family:{_MONO};font-size:12px;white-space:pre-wrap;{more}"
    made = element("pre", text(code, most=_CODE_LENGTH), style=style, **{"data-al": CODE})
    return CodeBlock(*made)


def table(
    headers: Sequence[Content],
    rows: Iterable[Row],
    *,
    numeric: Iterable[int] = (),
    above: Sequence[Sequence[tuple[Content, int]]] = (),
    most: int | None = ROW_CAP,
    hidden: int = 0,
    hidden_columns: int = 0,
    noun: str = "row",
    length: int = LABEL_LENGTH,
    breaks: Sequence[int] = (),
) -> Table:
    """A table of the first rows, as many as fit, and a last line that counts the others.

    The first column names the rows, and a `Section` those after it. Columns numbered in `numeric`
    stand to the right.
    above: lines of what is above the headers, each with how many of them it spans.
    most: how many rows to show at most; None shows them all, however many bytes they take.
    hidden, hidden_columns: how many the caller has left out already. noun: what a row is.
    length: most characters of a label. breaks: the columns that begin another part of the table,
    which has the names of the rows again and is beside the part before, or below it.
    """
    sizes = most, (hidden, hidden_columns), noun, length, breaks
    return Table(headers, list(rows), frozenset(numeric), above, *sizes)


@dataclass(eq=False)
class Table:
    """A table to be drawn; `table` documents the fields."""

    headers: Sequence[Content]
    rows: Sequence[Row]
    right: frozenset[int]
    above: Sequence[Sequence[tuple[Content, int]]]
    most: int | None
    hidden: tuple[int, int]
    noun: str
    length: int
    breaks: Sequence[int] = ()

    words = ""
    """It has cells in place of words."""

    @property
    def shown(self) -> Sequence[Row]:
        """The rows that are shown."""
        return self.rows if self.most is None else self.rows[: len(self._parts[0])]

    @property
    def more(self) -> str:
        """How many rows and columns are not shown, as text; "" for none."""
        rows, columns = self.hidden
        left = self.rows[len(self.shown) :]
        rows += sum(not isinstance(row, Section) for row in left)
        more = [(rows, f"more {self.noun}"), (columns, "more column")]
        words = " and ".join(plural(count, noun) for count, noun in more if count > 0)
        return f"… and {words}" if words else ""

    @cached_property
    def _columns(self) -> list[list[int]]:
        """The columns of each part, that of the names first."""
        edges = pairwise([1, *self.breaks, len(self.headers)])
        names = [0][: len(self.headers)]
        return [[*names, *range(first, end)] for first, end in edges]

    @cached_property
    def _parts(self) -> list[list[str]]:
        """The rows that are shown, as markup, in each part."""
        written = [
            list(map(self._writer(chosen), self.rows[: self.most])) for chosen in self._columns
        ]
        return written if self.most is None else [_fitting(written[0])]

    def _writer(self, chosen: Sequence[int]) -> Callable[[Row], str]:
        """Writes some columns of a row."""
        right = frozenset(at for at, column in enumerate(chosen) if column in self.right)
        width, is_whole = str(len(chosen)), len(chosen) == len(self.headers)

        def write(row: Row) -> str:
            if isinstance(row, Section):
                return _section(row, width, self.length)
            cells = row if is_whole else [row[column] for column in chosen]
            return _row(cells, right, self.length)

        return write

    @cached_property
    def markup(self) -> str:
        """The table as one element, or its parts as one each."""
        last = len(self._parts) - 1
        return "".join(self._part(at, self.more if at == last else "") for at in range(last + 1))

    def _part(self, at: int, more: str) -> str:
        chosen, body = self._columns[at], "".join(self._parts[at])
        if more:
            cell = _opened("td", colspan=str(len(chosen)), style=f"{_LEFT};{QUIET}")
            body += f"{_ROW}{cell}{text(more).markup}</td></tr>"
        head = [
            element(
                "th",
                text(self.headers[column], most=self.length),
                scope="col",
                style="" if column in self.right else _LEFT,
            )
            for column in chosen
        ]
        above = (_chosen(line, chosen) for line in self.above)
        top = [element("tr", *(_over(*each, self.length) for each in line)) for line in above]
        lines = (element("thead", *top, element("tr", *head)), Html(body))
        style = f"{_TABLE};{_BESIDE}" if self.breaks else _TABLE
        return element("table", *lines, cellpadding="6", style=style).markup

    def __str__(self) -> str:
        return self.markup


def _chosen(
    line: Sequence[tuple[Content, int]], columns: Sequence[int]
) -> list[tuple[Content, int]]:
    """What is above some of the columns, each with how many of them it spans."""
    spread = [number for number, (_, span) in enumerate(line) for _ in range(span)]
    runs = groupby(spread[column] for column in columns)
    return [(line[number][0], len(list(run))) for number, run in runs]


def _over(name: Content, span: int, most: int) -> Html:
    if not name:
        return element("td", colspan=str(span) if span > 1 else "")
    return element("th", text(name, most=most), colspan=str(span), scope="colgroup", style=_OVER)


def card(title: Content, *content: Content, subtitle: str = "") -> Card:
    """The whole of a static form: a heading, a quiet line under it, and what follows."""
    return Card((element("div", title, style=HEADING), *_under(subtitle), *map(text, content)))


def _under(subtitle: str) -> Iterable[Html]:
    return [element("div", subtitle, style=QUIET)] if subtitle else []


@dataclass(eq=False)
class Card:
    """A static form to be drawn: its paragraphs and tables, the title first."""

    blocks: tuple[Block, ...]

    @property
    def element(self) -> Html:
        """The form as one element."""
        style = f"font-family:{_FAMILY};font-size:13px;line-height:1.5;overflow-x:auto"
        style += ";print-color-adjust:exact" if self._tables else ""
        return element("div", *self.blocks, style=style, **_AS_TYPED)

    @property
    def markup(self) -> str:
        """The form, with how it is printed if it is wide."""
        is_wide = any(len(each.headers) > _ON_PAPER for each in self._tables)
        return f"{PRINTED if is_wide else ''}{self.element}"

    @property
    def _tables(self) -> list[Table]:
        return [block for block in self.blocks if isinstance(block, Table)]

    def __str__(self) -> str:
        return self.markup


class Cards(tuple["Form", ...]):
    """Static forms below each other."""

    __slots__ = ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The paragraphs and tables of all of them."""
        return tuple(block for each in self for block in each.blocks)

    def __str__(self) -> str:
        return "".join(map(str, self))


Form = Card | Cards
Block = Html | Table
Content = str | Block
Row = Sequence[Content | Cell] | Section


def _section(section: Section, width: str, most: int) -> str:
    style = f"{_LEFT};{HEADING};padding-left:{6 + 12 * section.level}px"
    if not section.name:
        return element("tr", element("td", GAP, colspan=width)).markup
    label = text(section.name, most=most)
    name = element("th", label, scope="rowgroup", colspan=width, style=style)
    return f"{_ROW}{name.markup}</tr>"


def _row(row: Sequence[Content | Cell], right: frozenset[int], most: int) -> str:
    last = row[-1]
    shared = last.style if isinstance(last, Cell) else ""
    if shared and all(isinstance(each, Cell) and each.style == shared for each in row):
        opened = f"<tr style='{_RULE};{shared}'>"
    else:
        opened, shared = _ROW, ""
    cells = [_cell(place, each, right, shared, most) for place, each in enumerate(row)]
    return f"{opened}{''.join(cells)}</tr>"


def _cell(place: int, given: Content | Cell, right: frozenset[int], said: str, most: int) -> str:
    content, style, title = given if isinstance(given, Cell) else (given, "", "")
    style = "" if style == said else style
    left = "" if place in right else _LEFT
    if place:
        styles = f"{left};{style}" if left and style else left or style
        opened = _td(title=title, style=styles) if title or styles else "<td>"
        return f"{opened}{text(content, most=most).markup}</td>"
    if "font-weight" not in style:
        style = f"{style};font-weight:400" if style else "font-weight:400"
    return (
        f"{_th(style=f'{left};{style}' if left else style)}{text(content, most=most).markup}</th>"
    )


@lru_cache(512)
def _td(**attributes: str) -> str:
    return _opened("td", **attributes)


@lru_cache(512)
def _th(**attributes: str) -> str:
    return _opened("th", scope="row", **attributes)


def label_words(content: Content, most: int) -> str:
    """The words of a cell or a header; most: characters of a label."""
    return shorten(content, most) if isinstance(content, str) else content.words


def _fitting(rows: Sequence[str]) -> list[str]:
    """As many rows as `TABLE_BYTES` hold, and at least one."""
    left, kept = TABLE_BYTES, list[str]()
    for row in rows:
        left -= len(row.encode())
        if kept and left < 0:
            break
        kept.append(row)
    return kept
