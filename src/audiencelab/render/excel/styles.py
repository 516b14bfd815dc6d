"""Formats and colours of a workbook: made once each, by what they say rather than by place.

The heat runs from blue over white to orange, which the common kinds of colour blindness tell
apart, and stays pale enough for black figures. A low base is marked by the number's format alone:
the cell still holds the number.
"""

from __future__ import annotations

from typing import Any

HEAT = {
    "type": "3_color_scale",
    "min_type": "num",
    "mid_type": "num",
    "max_type": "num",
    "min_value": 50,
    "mid_value": 100,
    "max_value": 200,
    "min_color": "#8DB8E2",
    "mid_color": "#FFFFFF",
    "max_color": "#F2A65A",
}
"""Blue at half the base's share, white at 100, orange at twice of it."""

_FONT = {"font_name": "Calibri", "font_size": 10}
_RULE = "#BFBFBF"
_QUIET = "#595959"

_NUMBERS = {
    "percentage": '0.0"%"',
    "index": "0",
    "size": "#,##0",
    "sample": "#,##0",
}

# What a mark does not take is left free, so that the figures of a column stay in line.
_MARKS = {"": "_*_*", "*": '"*"_*', "**": '"**"'}

_STYLES: dict[str, dict[str, Any]] = {
    "title": {"bold": True, "font_size": 14},
    "fact": {"font_color": _QUIET},
    "edge": {},
    "group": {"bold": True, "align": "center", "text_wrap": True, "bottom": 1},
    "head": {"bold": True, "align": "center", "valign": "bottom", "text_wrap": True},
    "corner": {"bold": True, "valign": "bottom"},
    "letter": {"align": "center", "font_color": _QUIET},
    "part": {"align": "right", "valign": "bottom", "text_wrap": True, "font_color": _QUIET},
    "marks head": {"align": "left", "indent": 1, "valign": "bottom", "font_color": _QUIET},
    "base": {"font_color": _QUIET, "align": "right"},
    "bases": {"font_color": _QUIET, "align": "center"},
    "base name": {"font_color": _QUIET},
    "section": {"bold": True, "valign": "bottom"},
    "stub": {"valign": "top", "text_wrap": True},
    "net": {"valign": "top", "text_wrap": True, "italic": True},
    "figure": {"align": "right", "valign": "top"},
    "letters": {"align": "left", "indent": 1, "valign": "top", "font_color": _QUIET},
    # Under the last digit of the figure above it, whose mark has room beside it.
    "letters below": {
        "align": "right",
        "valign": "top",
        "font_color": _QUIET,
        "num_format": "@_*_*",
    },
    "line": {"font_color": _QUIET, "valign": "top"},
    "note": {"font_color": _QUIET},
    "key": {"bold": True, "valign": "top"},
    "value": {"valign": "top", "text_wrap": True},
}


class Looks:
    """The formats of one workbook, each made when it is first wanted.

    Excel holds 64,000 of them; here there are some dozens, whatever the table.
    """

    def __init__(self, book: Any) -> None:
        self._book = book
        self._made: dict[tuple[Any, ...], Any] = {}

    def style(
        self,
        name: str,
        *,
        quoted: bool = False,
        ruled: bool = False,
        edge: int = 0,
        indent: int = 0,
    ) -> Any:
        """Text of one kind.

        quoted: text that looks like a formula, so that it stays text when somebody edits it.
        ruled: with a line above. edge: with a line at its left, 1 a thin one and 2 a thick one.
        """
        key = (name, quoted, ruled, edge, indent)
        lines = _ruled(ruled) | _edged(edge) | ({"indent": indent} if indent else {})
        return self._format(key, _STYLES[name] | lines, quote_prefix=quoted)

    def number(
        self,
        kind: str,
        mark: str = "",
        *,
        style: str = "figure",
        ruled: bool = False,
        edge: int = 0,
    ) -> Any:
        """A figure of one kind, marked for its base."""
        key = ("number", kind, mark, style, ruled, edge)
        shown = _NUMBERS[kind] + _MARKS[mark]
        return self._format(key, _STYLES[style] | _ruled(ruled) | _edged(edge), num_format=shown)

    def _format(self, key: tuple[Any, ...], *properties: dict[str, Any], **more: Any) -> Any:
        if key not in self._made:
            joined = dict(_FONT)
            for each in (*properties, more):
                joined |= each
            self._made[key] = self._book.add_format({k: v for k, v in joined.items() if v != ""})
        return self._made[key]


def _ruled(ruled: bool) -> dict[str, Any]:
    return {"top": 1, "top_color": _RULE} if ruled else {}


def _edged(edge: int) -> dict[str, Any]:
    return {"left": edge, "left_color": _RULE if edge == 1 else _QUIET} if edge else {}
