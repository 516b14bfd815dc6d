"""Static HTML, by block: text that is escaped, elements, tables that stay small, cards.

Results, the catalogue and the widgets draw themselves for readers without a kernel, and all of
them draw with this; `escape` is the only function of the package that escapes. What is drawn,
and with which words, is the business of those who call.

Notebooks from elsewhere lose their style sheets, and in JupyterLab also each declaration with a
variable. So elements carry their style themselves, and whatever has to be seen everywhere (rules,
quiet words) is said without a variable, in a way that suits light and dark paper alike.

Every byte is saved with the notebook. What cells share is therefore said once, on the table or
the row, attributes stand in single quotes, which JSON leaves alone, and a table ends early rather
than outgrow `TABLE_BYTES`.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from audiencelab.wording import half_up, harmless, plural

ROW_CAP = 30
"""Lines of a table shown before "… and N more"."""

COLUMN_CAP = 12
"""Columns of a table shown before "… and N more"."""

TABLE_BYTES = 13_000
"""Most that the lines of one table take; with headers and code a widget stays under 20 KB."""

CODE = "code"
"""What Python code in a form says of itself (`data-al`), so that a page can leave it out."""

CUT_BYTES = 10_000
"""Most that the lines of a crosstab take that are too many anyway: its figures are saved beside it,
and a page that can draw them shows more lines of those."""

OUTPUT_BYTES = 20_000
"""Most that one output takes of a saved notebook, without Markdown and LaTeX, which add a third."""

HEADING = "font-weight:600"
"""The style of words that stand over others."""

NET = "font-style:italic"
"""The style of a row that holds other rows."""

NOTE_LENGTH = 2_000
"""Most characters of a line under a table: a recipe is worth nothing without its end."""

QUIET = "opacity:.7"
"""The style of secondary words: paler ink, whichever the ink is."""

_FAMILY = "var(--jp-ui-font-family,system-ui,sans-serif)"
_MONO = "var(--jp-code-font-family,ui-monospace,monospace)"
_INK = "var(--jp-content-font-color1,inherit)"
_CODE_LENGTH = 2_500
_LABEL_LENGTH = 120
_TABLE = (
    "border-collapse:collapse;border:0;margin:4px 0;font-size:13px;line-height:normal;"
    "color:inherit;background:none;text-align:right;font-variant-numeric:tabular-nums"
)
_RULE = "border-top:1px solid #8885;background:none"
"""No stripes, JupyterLab's or another's: they would shift the colours of a heat map."""
_LEFT = "text-align:left"
_OVER = "text-align:center;border-bottom:1px solid #8888"


_AS_TYPED = {"class": "mathjax_ignore"}
"""Keeps JupyterLab from setting "$25,000 to $35,000" as a formula."""

_SCALES = ((1e9, "B"), (1e6, "M"), (1e3, "K"))
SHORT_COUNT = 9_999.5
"""Below this, a number of people needs no unit."""


@dataclass(frozen=True, slots=True)
class Html:
    """Markup that is safe to put in a page; made by this module only."""

    markup: str

    def __str__(self) -> str:
        return self.markup


Content = str | Html


@dataclass(frozen=True, slots=True)
class Cell:
    """What is in a cell of a table, with a style and a tooltip for this cell alone."""

    content: Content
    style: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A line of a table that names the rows after it; level: how many such lines stand over it."""

    name: str
    level: int = 0


def escape(value: str) -> str:
    """Text as HTML, safe in element content and in quoted attributes."""
    return html.escape(harmless(value), quote=True)


def shorten(value: str, most: int) -> str:
    """At most so many characters, the last of them "…" where something is left out."""
    return value if len(value) <= most else value[: most - 1] + "…"


def text(value: Content, *, most: int = 400) -> Html:
    """Words as HTML, cut where they are longer than anybody reads; markup passes unchanged."""
    if isinstance(value, Html):
        return value
    return Html(escape(shorten(value, most)))


def element(tag: str, *content: Content, style: str = "", **attributes: str) -> Html:
    """One element around its content; attributes that are empty are left out."""
    named = {**attributes, "style": style}
    written = "".join(f" {name}='{escape(value)}'" for name, value in named.items() if value)
    return Html(f"<{tag}{written}>{joined(*content)}</{tag}>")


def joined(*content: Content) -> Html:
    """Words and elements one after the other, without an element around them."""
    return Html("".join(str(text(part)) for part in content))


def muted(value: Content) -> Html:
    """Secondary words, paler than the rest."""
    return element("span", value, style=QUIET)


def code_block(code: str) -> Html:
    """Python code, as typed."""
    return _code(code, "6px 0 0", QUIET)


def code_line(code: str) -> Html:
    """Code to copy, after the words that it is about: one click selects all of it."""
    return _code(code, "0 0 0 1em", f"user-select:all;display:inline-block;{QUIET}")


def _code(code: str, margin: str, more: str) -> Html:
    style = f"margin:{margin};font-family:{_MONO};font-size:12px;white-space:pre-wrap;{more}"
    return element("pre", text(code, most=_CODE_LENGTH), style=style, **{"data-al": CODE})


def table(
    headers: Sequence[Content],
    rows: Iterable[Sequence[Content | Cell] | Section],
    *,
    numeric: Iterable[int] = (),
    above: Sequence[Sequence[tuple[Content, int]]] = (),
    most: int | None = ROW_CAP,
    hidden: int = 0,
    noun: str = "row",
    cut: int = TABLE_BYTES,
) -> Html:
    """A table of the first rows, as many as fit, and a last line that counts the others.

    The first column names the rows, and a `Section` those after it. Columns numbered in `numeric`
    stand to the right.
    above: lines of what is above the headers, each with how many of them it spans.
    most: how many rows to show at most; None shows them all, however many bytes they take.
    hidden: how many rows the caller has left out already. noun: what a row is.
    cut: bytes that the rows may take where not all of them fit.
    """
    right = frozenset(numeric)
    listed = list(rows)
    written = [
        _section(row, len(headers))
        if isinstance(row, Section)
        else element("tr", *(_cell(*each, right) for each in enumerate(row)), style=_RULE)
        for row in listed[:most]
    ]
    body = written if most is None else _fitting(written, cut)
    more = sum(not isinstance(row, Section) for row in listed[len(body) :]) + hidden
    if more > 0:
        words = text(f"… and {plural(more, f'more {noun}')}")
        last = element("td", words, colspan=str(len(headers)), style=f"{_LEFT};{QUIET}")
        body.append(element("tr", last, style=_RULE))
    head = [
        element("th", _label(name), scope="col", style="" if place in right else _LEFT)
        for place, name in enumerate(headers)
    ]
    top = [element("tr", *(_over(*each) for each in line)) for line in above]
    lines = (element("thead", *top, element("tr", *head)), element("tbody", *body))
    return element("table", *lines, cellpadding="6", style=_TABLE)


def _over(name: Content, span: int) -> Html:
    if not name:
        return element("td", colspan=str(span))
    return element("th", _label(name), colspan=str(span), scope="colgroup", style=_OVER)


def card(title: Content, *content: Content, subtitle: str = "") -> Html:
    """The whole of a static form: a heading, a quiet line under it, and what follows."""
    parts = [element("div", title, style=HEADING)]
    if subtitle:
        parts.append(element("div", subtitle, style=QUIET))
    style = f"font-family:{_FAMILY};font-size:13px;line-height:1.5;color:{_INK};overflow-x:auto"
    return element("div", *parts, *content, style=style, **_AS_TYPED)


def _section(section: Section, width: int) -> Html:
    style = f"{_LEFT};{HEADING};padding-left:{6 + 12 * section.level}px"
    if not section.name:
        return element("tr", element("td", "\u00a0", colspan=str(width)))
    name = element("th", _label(section.name), scope="rowgroup", colspan=str(width), style=style)
    return element("tr", name, style=_RULE)


def _cell(place: int, given: Content | Cell, right: frozenset[int]) -> Html:
    cell = given if isinstance(given, Cell) else Cell(given)
    content = _label(cell.content)
    styles = ["" if place in right else _LEFT, cell.style]
    if place:
        style = ";".join(filter(None, styles))
        return element("td", content, title=cell.title, style=style)
    if "font-weight" not in cell.style:
        styles.append("font-weight:400")
    return element("th", content, scope="row", style=";".join(filter(None, styles)))


def _label(content: Content) -> Html:
    return text(content, most=_LABEL_LENGTH)


def _fitting(rows: Sequence[Html], cut: int) -> list[Html]:
    """All rows if there is room for them; else as many as `cut` bytes hold, and at least one."""
    weights = [len(row.markup.encode()) for row in rows]
    if sum(weights) <= TABLE_BYTES:
        return list(rows)
    kept: list[Html] = []
    for row, weight in zip(rows, weights, strict=True):
        cut -= weight
        if kept and cut < 0:
            break
        kept.append(row)
    return kept


def figure(value: float, decimals: int = 1) -> str:
    """A number for display; a dash where there is none."""
    return "–" if math.isnan(value) else f"{half_up(value, decimals):,.{decimals}f}"


def at_least(value: float, decimals: int, unit: str) -> str:
    """A number with its unit; one that is small, but not zero, never reads as zero."""
    least = 10.0**-decimals
    small = 0 < value < least / 2
    return f"{'<' if small else ''}{figure(least if small else value, decimals)}{unit}"


def percent(value: float, decimals: int = 1) -> str:
    """A share of 100 for display; a dash where there is none."""
    return "–" if math.isnan(value) else at_least(value, decimals, "%")


def people(value: float, decimals: int = 1) -> str:
    """A weighted number of people in few digits: 1.2M, 640.0K, 812; a dash where there is none."""
    if math.isnan(value) or value < SHORT_COUNT:
        return figure(value, 0)
    # Where rounding tips over: 999,950 is written 1.0M and not 1,000.0K.
    tip = 1 - 0.5e-3 / 10**decimals
    worth, unit = next(scale for scale in _SCALES if value >= tip * scale[0])
    return f"{figure(value / worth, decimals)}{unit}"
