"""Static forms as Markdown and as LaTeX, for documents that pandoc, nbconvert or Quarto write.

A result, a comparison or a widget has one form, a `Card`. HTML and text are drawn from it, so that
they have the same title, facts, tables, marks and notes. Notebooks save Markdown, from which
programs make documents of any kind; LaTeX is written only where it is asked for.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import zip_longest
from textwrap import wrap
from typing import Any, NamedTuple

from audiencelab.markup import (
    GAP,
    HEADING,
    INDENTED,
    NET,
    Card,
    Cell,
    CodeBlock,
    Form,
    Section,
    Table,
    label_words,
)
from audiencelab.results.record import metadata_of
from audiencelab.wording import without_controls

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


class TextRow(NamedTuple):
    """A row as texts, or a line across the table: a heading, or what is left out.

    A heading may have cells of its own. level: how far its name is to the right.
    """

    cells: list[str]
    net: bool = False
    heading: bool = False
    level: int = 0


class TextTable:
    """What a table shows: groups above its headers, the headers, and its rows."""

    def __init__(self, table: Table) -> None:
        self.above = [
            [(label_words(name, table.length), span) for name, span in groups]
            for groups in table.above
        ]
        self.headers = [label_words(name, table.length) for name in table.headers]
        self.right = table.right
        self.body = [_text_row(row, table.length) for row in table.shown]
        if table.more:
            self.body.append(TextRow([table.more]))

    @cached_property
    def full_headers(self) -> list[str]:
        """The names of columns after their groups, except a group that all columns are in."""
        names = self.headers
        for groups in reversed(self.above):
            spread = [name for name, span in groups for _ in range(span)]
            if len(set(spread) - {""}) > 1:
                pairs = zip_longest(spread, names, fillvalue="")
                names = [" › ".join(filter(None, pair)) for pair in pairs]
        return names

    def widths(self, headers: Sequence[str]) -> list[int]:
        """The characters of each column: of its widest cell, and of the longest word above it."""
        widths = [max([_LEAST_WIDTH, *map(len, header.split())]) + 1 for header in headers]
        whole = (cells for cells, *_ in self.body if len(cells) == len(headers))
        for at, column in enumerate(zip(*whole, strict=True)):
            widths[at] = max(widths[at], 1 + max(map(len, column)))
        widths[0] = min(widths[0], _LABEL_WIDTH)
        return widths

    def longest_words(self) -> list[int]:
        """The characters of the longest word in each column, and one more."""
        rows = [self.full_headers, *(cells for cells, *_ in self.body)]
        columns = (" ".join(column).split() for column in zip_longest(*rows, fillvalue=""))
        return [1 + max(map(len, words), default=0) for words in columns]


def _text_row(row: Sequence[Any] | Section, most: int) -> TextRow:
    if isinstance(row, Section):
        return TextRow([label_words(row.name, most)], heading=bool(row.name))
    cells = [label_words(each.content if isinstance(each, Cell) else each, most) for each in row]
    style = row[0].style if isinstance(row[0], Cell) else ""
    levels = (at for at, each in enumerate(INDENTED) if each and each in style)
    return TextRow(cells, NET in style, HEADING in style, next(levels, 0))


def _plain(text: str) -> str:
    return " ".join(without_controls(text).replace(GAP, " ").split())


# -- Markdown -------------------------------------------------------------------------------------

_MARKDOWN = re.compile(r"(<(?=(?i:.*data-cite))|\\(?=[()]))|[\\`*_\[\]<>|$~^&#@]")
_AS_IT_IS = re.compile(r"(?:[0-9A-Za-z.,%/–]+(?: (?!$)|$))*")
"""Values and words that have nothing to escape; most cells of a table are."""

_LINE_START = re.compile(r"(?<=^)([+-]|\d+[.)])(?=\s)")

_ENTITIES = {"\\": "&#92;", "<": "&lt;"}
"""nbconvert reads a citation in a tag behind a backslash too, and mathematics behind two."""

_NOT_IN_FONTS = re.compile(r"[▲▼△▽≥≤]+\d*")
"""Signs that the usual fonts of LaTeX have in mathematics alone."""


def markdown(form: Form, *, printed: bool = False) -> str:
    """A static form as Markdown, with pipe tables that CommonMark's extensions and pandoc read.

    printed: for a notebook, which pandoc may print: arrows are formulas, so that LaTeX has them,
        and tables have no bytes that programs do not need.
    """
    parts: list[str] = []
    for number, block in enumerate(form.blocks):
        if isinstance(block, CodeBlock):
            parts.append(f"```python\n{block.words.strip()}\n```")
            continue
        if isinstance(block, Table):
            made = list(_markdown_tables(TextTable(block), short=printed))
        else:
            text = _LINE_START.sub(r"\\\1", markdown_text(block.words))
            made = [f"**{text}**" if text and number == 0 else text]
        parts += [_NOT_IN_FONTS.sub(r"$\g<0>$", part) for part in made] if printed else made
    return "\n\n".join(filter(None, parts)) + "\n"


def markdown_text(text: str) -> str:
    """Text on one line of Markdown, in which nothing formats, links or loads."""
    if _AS_IT_IS.fullmatch(text):
        return text
    return _MARKDOWN.sub(
        lambda found: _ENTITIES[found[0]] if found[1] else f"\\{found[0]}", _plain(text)
    )


def _markdown_tables(table: TextTable, *, short: bool) -> Iterator[str]:
    """A table with one row of headers, in which groups are part of the names, in parts if wide."""
    line = _short_line if short else _line
    widths, least = table.widths(table.full_headers), table.longest_words()
    rows = list(_markdown_rows(table))
    for others in _pages([width + _BESIDE for width in least], _MOST_ON_IT):
        chosen = (0, *others)
        shown = [widths[column] for column in chosen]
        if sum(shown) + _BESIDE * len(shown) > _WORD_PAGE:
            # Cells are broken between words, and names where there is space for no more.
            shown = [least[column] + _BESIDE for column in chosen]
            spare = max(0, _WORD_PAGE - sum(shown))
            shown[0] = max(shown[0], min(widths[0], shown[0] + spare))
        # Pandoc divides the page by the dashes and colons where a line is long.
        shown = [width // 2 for width in shown] if short else shown
        rules = [
            f"{'-' * width}:" if column in table.right else f":{'-' * width}"
            for width, column in zip(shown, chosen, strict=True)
        ]
        head, *body = ([row[column] for column in chosen] for row in rows)
        yield "\n".join(map(line, (head, rules, *body)))


def _markdown_rows(table: TextTable) -> Iterator[list[str]]:
    """The headers and the rows, with as many cells each as there are columns."""
    yield list(map(markdown_text, table.full_headers))
    for cells, net, heading, _ in table.body:
        texts = list(map(markdown_text, cells))
        if texts[0] and (net or heading):
            texts[0] = f"**{texts[0]}**" if heading else f"*{texts[0]}*"
        yield texts + [""] * (len(table.headers) - len(texts))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _short_line(cells: Sequence[str]) -> str:
    # Some readers take a backslash for an escape of the line beside it, though one is before it.
    texts = (f"{cell} " if not cell or cell.endswith("\\") else cell for cell in cells)
    return f"|{'|'.join(texts)}|"


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


def latex(form: Form) -> str:
    """A static form as LaTeX that needs no package but amssymb, and longtable for long tables.

    A table that is too wide for a page continues below, with the names of its rows.
    """
    parts: list[str] = []
    for number, block in enumerate(form.blocks):
        if isinstance(block, Table):
            parts += _latex_tables(TextTable(block))
        elif isinstance(block, CodeBlock):
            parts.append(f"\\begin{{verbatim}}\n{block.words.strip()}\n\\end{{verbatim}}")
        elif text := _latex_text(block.words):
            small = rf"\noindent{{\footnotesize {text}\par}}"
            parts.append(small if number else rf"\noindent\textbf{{{text}}}")
    return "\n\n".join(parts) + "\n"


def _latex_text(text: str) -> str:
    escaped = _RESERVED.sub(lambda found: _LATEX[found[0]], _plain(text))
    # A star at the beginning of a row would belong to the end of the row before it.
    return _LIGATURE.sub(r"\1{}", f"{{}}{escaped}" if escaped.startswith("*") else escaped)


def _latex_tables(table: TextTable) -> Iterator[str]:
    widths = table.widths(table.headers)
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
    columns = "".join("r" if at in table.right else "l" for at in (0, *chosen))
    head = [line for groups in table.above for line in _latex_groups(groups, chosen)]
    names = [_stacked(table.headers[at], widths[at], "b") for at in (0, *chosen)]
    head.append(f"{' & '.join(names)} \\\\")
    body: list[str] = []
    for (first, *others), net, heading, level in table.body:
        name = _stacked(first, _LABEL_WIDTH, "t")
        if not others:
            name = f"\\textbf{{{_latex_text(first)}}}" if heading else name
            body.append(f"\\multicolumn{{{width}}}{{@{{}}l}}{{{name}}} \\\\")
            continue
        name = f"\\textbf{{{name}}}" if heading else f"\\textit{{{name}}}" if net else name
        name = r"\quad " * level + name
        cells = (_latex_text(others[at - 1]) for at in chosen)
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


def _latex_groups(groups: Sequence[tuple[str, int]], chosen: range) -> Iterator[str]:
    """The groups above the headers, each with a rule below it."""
    spread = [number for number, (_, span) in enumerate(groups) for _ in range(span)]
    cells, rules, at = [""], list[str](), 2
    for column in chosen:
        if column > chosen.start and spread[column] == spread[column - 1]:
            continue
        span = sum(spread[other] == spread[column] for other in chosen)
        name, _ = groups[spread[column]]
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


class TextForms:
    """Mixin of what has a static form: HTML, and the same as Markdown, which `print` shows."""

    __slots__ = ()

    @abstractmethod
    def _card(self) -> Card: ...

    def __str__(self) -> str:
        return self._repr_markdown_()

    def _repr_html_(self) -> str:
        return str(self._card())

    def _repr_markdown_(self) -> str:
        return markdown(self._card(), printed=True)

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """All forms of one card, so that it is made once for a display, and what it is of."""
        return shown_forms(self, self._card())


def shown_forms(shown: object, form: Form) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a notebook saves of what it shows: the forms by MIME type, and what it is of."""
    forms = {
        "text/plain": repr(shown),
        "text/html": str(form),
        "text/markdown": markdown(form, printed=True),
    }
    return forms, metadata_of(shown, title=title_of(form))


def title_of(form: Form) -> str:
    """The title of a static form, its first words."""
    first = next(iter(form.blocks), None)
    return "" if first is None or isinstance(first, Table) else first.words
