"""What Excel can hold (text, sheet names, rows and columns), and the formats of a workbook.

The heat runs from blue over white to orange, distinguishable with common colour blindness. A low
base is marked by the number format: the cell still holds the number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeAlias

from audiencelab.errors import AudienceError
from audiencelab.wording import without_controls

ROWS, COLUMNS = 1_048_576, 16_384
TEXT_UNITS, SHEET_NAME_UNITS = 32_767, 31
"""Most UTF-16 units in a cell and in a sheet's name."""

_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")


class WorkbookError(AudienceError, ValueError):
    """A table that no workbook can hold as requested, or a name that Excel refuses."""


def cell_text(value: str) -> str:
    """Text as a cell can hold it: one kind of line end, and only characters that XML can write.

    The others become the replacement character; text beyond Excel's limit ends in "…".
    """
    lines = value.replace("\r\n", "\n").replace("\r", "\n")
    return shortened(without_controls(lines), TEXT_UNITS)


def shortened(value: str, units: int) -> str:
    """At most so many UTF-16 units, the last of them "…" where something is left out."""
    # Half as many characters cannot be too long, which spares nearly all the counting.
    if len(value) <= units // 2 or _units(value) <= units:
        return value
    # Excel counts UTF-16 units; half of a surrogate pair at the cut is dropped.
    kept = value.encode("utf-16-le", errors="surrogatepass")[: 2 * (units - 1)]
    return kept.decode("utf-16-le", errors="ignore") + "…"


def sheet_name(words: str) -> str:
    """A valid sheet name from any text: without forbidden characters, and not too long."""
    allowed = _FORBIDDEN.sub(" ", without_controls(words))
    # Excel refuses names that begin or end with an apostrophe.
    return shortened(" ".join(allowed.split()), SHEET_NAME_UNITS).strip("' ")


def check_sheet_names(names: Iterable[str]) -> None:
    """Raise `WorkbookError` for a name that Excel refuses, saying why."""
    seen: set[str] = set()
    for name in names:
        if fault := _name_fault(name, seen):
            raise WorkbookError(f"Excel takes no sheet named {name[:40]!r}: {fault}.")
        seen.add(name.casefold())


def _name_fault(name: str, seen: set[str]) -> str:
    if not name.strip():
        return "it needs a name"
    if _units(name) > SHEET_NAME_UNITS:
        return f"it has more than {SHEET_NAME_UNITS} characters"
    if _FORBIDDEN.search(name) or without_controls(name) != name:
        return r"none of [ ] : * ? / \ and no control character may be in it"
    if name.startswith("'") or name.endswith("'"):
        return "it may not begin or end with an apostrophe"
    if name.casefold() == "history":
        return "the name is Excel's own"
    if name.casefold() in seen:
        return "there are two of that name (capitals make no difference)"
    return ""


def check_extent(rows: int, columns: int, advice: str) -> None:
    """Raise `WorkbookError`, with advice, for a sheet of more rows or columns than Excel has."""
    for count, most, what in ((rows, ROWS, "rows"), (columns, COLUMNS, "columns")):
        if count > most:
            raise WorkbookError(
                f"The sheet would have {count:,} {what}, and Excel holds {most:,}: {advice}."
            )


def _units(value: str) -> int:
    return len(value.encode("utf-16-le", errors="surrogatepass")) // 2


# -- formats --------------------------------------------------------------------------------------

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

Number: TypeAlias = tuple[str, str, int]
"""The kind of a number's metric, its low-base mark, and its decimals."""

_RULE = "#BFBFBF"
_QUIET = "#595959"
# The space of an absent mark is left free, so that the values of a column are aligned.
_MARKS = {"": "_*_*", "*": '"*"_*', "**": '"**"'}

_GREY = {"font_color": _QUIET}
_TOP, _BOTTOM = {"valign": "top"}, {"valign": "bottom"}
_RIGHT, _CENTER, _INDENTED = {"align": "right"}, {"align": "center"}, {"align": "left", "indent": 1}
_WRAPPED = {"text_wrap": True}
_BOLD = {"bold": True}

_STYLES: dict[str, dict[str, Any]] = {
    "title": _BOLD | {"font_size": 14},
    "fact": _GREY,
    "long fact": _GREY | _TOP | _WRAPPED,
    "edge": {},
    "group": _BOLD | _CENTER | _WRAPPED | {"bottom": 1},
    "head": _BOLD | _CENTER | _BOTTOM | _WRAPPED,
    "letter": _CENTER | _GREY,
    "part": _RIGHT | _BOTTOM | _WRAPPED | _GREY,
    "marks head": _INDENTED | _BOTTOM | _GREY,
    "base": _GREY | _RIGHT,
    "bases": _GREY | _CENTER,
    "base name": _GREY,
    "section": _BOLD | _BOTTOM | _WRAPPED,
    "link": _TOP | {"font_color": "#0563C1", "underline": 1},
    "stub": _TOP | _WRAPPED,
    "net": _TOP | _WRAPPED | {"italic": True},
    "figure": _RIGHT | _TOP,
    "letters": _INDENTED | _TOP | _GREY | _WRAPPED,
    # Under the last digit of the value above, which leaves space for a mark.
    "letters below": _RIGHT | _TOP | _GREY | {"num_format": "@_*_*"},
    "line": _GREY | _TOP,
    "note": _GREY,
    "key": _BOLD | _TOP,
    "value": _TOP | _WRAPPED,
}


def number_format(kind: str, decimals: int) -> str:
    """How Excel and PowerPoint write numbers of a kind of metric."""
    places = "." + "0" * decimals if decimals else ""
    match kind:
        case "percentage":
            # A literal sign: values run from 0 to 100, which Excel's own % would multiply by 100.
            return f'0{places}"%"'
        case "index":
            return f"0{places}"
        case "p":
            return f'[<0.001]"<0.001";0{places}'
        case "signed":
            return f"+#,##0{places};-#,##0{places};0{places}"
        case _:
            return f"#,##0{places}"


def _literal(signs: str) -> str:
    return f'"{signs}"' if signs else ""


class Formats:
    """The formats of one workbook, created on first use.

    Excel allows 64,000 formats; this class creates some dozens, whatever the table.
    """

    def __init__(self, book: Any) -> None:
        self._book = book
        self._made: dict[tuple[Any, ...], Any] = {}

    def get(
        self,
        style: str,
        *,
        number: Number | None = None,
        quoted: bool = False,
        ruled: bool = False,
        edge: int = 0,
        indent: int = 0,
        around: tuple[str, str] | None = None,
    ) -> Any:
        """The format of a cell.

        number: its kind, mark and decimals, if it is not text. quoted: text that looks like a
        formula, so that it stays text when it is edited. ruled: with a line above. edge: with a
        line at its left, 1 a thin one and 2 a thick one. around: signs that are shown before and
        after a number, which is not in line with marks then.
        """
        key = (style, number, quoted, ruled, edge, indent, around)
        if key not in self._made:
            properties = {"font_name": "Calibri", "font_size": 10, **_STYLES[style]}
            if ruled:
                properties |= {"top": 1, "top_color": _RULE}
            if edge:
                properties |= {"left": edge, "left_color": _RULE if edge == 1 else _QUIET}
            if indent:
                # An indent of text without an alignment is ignored.
                properties |= {"align": "left", "indent": indent}
            if number:
                kind, mark, decimals = number
                # Each sign has a part of its own.
                parts = number_format(kind, decimals).split(";")
                before, after = ("", _MARKS[mark]) if around is None else map(_literal, around)
                properties["num_format"] = ";".join(f"{before}{part}{after}" for part in parts)
            else:
                properties["quote_prefix"] = quoted
            self._made[key] = self._book.add_format(properties)
        return self._made[key]
