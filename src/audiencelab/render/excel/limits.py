"""What Excel can take: text, names of sheets, rows and columns.

Excel refuses or "repairs" a file that goes beyond; so text is cut where it must be, and what
cannot be cut is an error that says what to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from audiencelab.errors import AudienceError

ROWS, COLUMNS = 1_048_576, 16_384
TEXT_UNITS = 32_767
"""Most UTF-16 units in a cell."""

SHEET_NAME_UNITS = 31
_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")


class WorkbookError(AudienceError, ValueError):
    """A table that no workbook can hold as asked, or a name that Excel refuses."""


def cell_text(value: str) -> str:
    """Text as a cell can hold it: line ends of one kind, nothing XML has no way to write.

    A control character or half of a surrogate pair becomes the replacement character, so that it
    is seen; text beyond Excel's limit ends in "…".
    """
    told = _UNWRITABLE.sub("\ufffd", value.replace("\r\n", "\n").replace("\r", "\n"))
    return shortened(told, TEXT_UNITS)


def shortened(value: str, units: int) -> str:
    """At most so many UTF-16 units, the last of them "…" where something is left out."""
    # A text of half as many characters cannot be too long, which spares nearly all the count.
    if len(value) <= units // 2 or _units(value) <= units:
        return value
    kept = value.encode("utf-16-le", errors="surrogatepass")[: 2 * (units - 1)]
    return kept.decode("utf-16-le", errors="ignore") + "…"


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
    if _FORBIDDEN.search(name) or _UNWRITABLE.search(name):
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
