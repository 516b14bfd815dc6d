"""The static form of a widget: escaped HTML with inline styles, for readers without a kernel.

Everything that text passes through on its way into HTML is here, and `escape` is the only
function that escapes. Style sheets and scripts are stripped from untrusted notebooks, so each
element carries its style itself, with JupyterLab's variables and fall-backs for other hosts.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Html", "card", "code_block", "element", "escape", "muted", "table", "text"]

_FAMILY = "var(--jp-ui-font-family, system-ui, sans-serif)"
_MONO = "var(--jp-code-font-family, ui-monospace, monospace)"
_INK = "var(--jp-content-font-color1, inherit)"
_QUIET = "var(--jp-content-font-color2, #616161)"
_LINE = "var(--jp-border-color2, #e0e0e0)"
_CELL = f"padding:2px 10px 2px 0;border-bottom:1px solid {_LINE};font-variant-numeric:tabular-nums;"


@dataclass(frozen=True, slots=True)
class Html:
    """Markup that is safe to put in a page; made by this module only."""

    markup: str

    def __str__(self) -> str:
        return self.markup


Content = str | Html


def escape(value: str) -> str:
    """Text as HTML, safe in element content and in quoted attributes."""
    return html.escape(value, quote=True)


def text(value: Content, *, most: int = 300) -> Html:
    """A label as HTML, cut where it is longer than anybody reads; markup passes unchanged."""
    if isinstance(value, Html):
        return value
    return Html(escape(value if len(value) <= most else value[: most - 1] + "…"))


def element(tag: str, *content: Content, style: str = "", **attributes: str) -> Html:
    """One element around its content; `style` and attributes are escaped like everything else."""
    named = {"style": style, **attributes}
    written = "".join(f' {name}="{escape(value)}"' for name, value in named.items() if value)
    return Html(f"<{tag}{written}>{''.join(str(text(part)) for part in content)}</{tag}>")


def muted(value: Content) -> Html:
    """Secondary words in the quiet colour."""
    return element("span", value, style=f"color:{_QUIET}")


def code_block(code: str) -> Html:
    """Python code, as typed."""
    style = f"margin:6px 0 0;font-family:{_MONO};font-size:12px;white-space:pre-wrap;color:{_QUIET}"
    return element("pre", text(code, most=4_000), style=style)


def table(
    heads: Sequence[Content],
    rows: Iterable[Sequence[Content]],
    *,
    numeric: Iterable[int] = (),
    most: int = 50,
) -> Html:
    """A table with at most `most` rows; the columns numbered in `numeric` stand to the right."""
    listed = list(rows)
    right = frozenset(numeric)

    def align(column: int) -> str:
        return f"{_CELL}text-align:{'right' if column in right else 'left'};"

    head = [
        element("th", name, style=f"{align(i)}font-weight:600", scope="col")
        for i, name in enumerate(heads)
    ]
    body = [
        element("tr", *(element("td", cell, style=align(i)) for i, cell in enumerate(row)))
        for row in listed[:most]
    ]
    if len(listed) > most:
        more = element("td", muted(f"… and {len(listed) - most:,} more"), colspan=str(len(heads)))
        body.append(element("tr", more))
    return element(
        "table",
        element("thead", element("tr", *head)),
        element("tbody", *body),
        style="border-collapse:collapse;font-size:13px;margin:4px 0;background:none",
    )


def card(title: Content, *content: Content) -> Html:
    """The whole static form of a widget: a heading line and what follows."""
    heading = element("div", title, style="font-weight:600;margin-bottom:4px")
    style = f"font-family:{_FAMILY};font-size:13px;line-height:1.5;color:{_INK};padding:4px 0"
    return element("div", heading, *content, style=style)
