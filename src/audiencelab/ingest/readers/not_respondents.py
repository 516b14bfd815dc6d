"""Tables without respondents: results of surveys, pivot tables, descriptions of variables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from audiencelab.ingest.codebook import number_of
from audiencelab.ingest.label_tables import label_columns
from audiencelab.ingest.meaning.guess import Guess

LOOKED_AT = 12
"""Rows that are looked at."""

_BASE = re.compile(
    r"(?i)\W*((un)?weighted|base|sample size|total)\W*(n|base|size|count|total|sample|respondents)?"
    r"\W*(:.*|\(.*\))?|n ?="
)
"""The first text in the row of a table that has the numbers of respondents."""

_TOTAL = re.compile(r"(?i)\W*(grand )?total\W*|all( adults| respondents)?|topline")
_PIVOT = re.compile(r"(?i)(row|column) labels|grand total|(sum|count|average) of .+")
_VARIABLE = re.compile(r"(?i)(variable|column|field|question|item)([ _]?(name|number|no|id|code))?")
_MEANING = re.compile(r"(?i)(variable |question )?(label|description|definition|meaning|text)s?")
_FEWEST_NUMBERS, _FEWEST_PIVOT, _MOST_COLUMNS = 2, 2, 8


def not_respondents(rows: Sequence[Sequence[str]], name: str) -> tuple[Guess, ...]:
    """A warning about the first rows of a table, as texts; none of a table of respondents.

    name: of the file or the sheet.
    """
    what = _what_it_is(rows)
    if not what:
        return ()
    said = f"{name} looks like {what}, and not like respondents, a row each: its figures mean "
    said += "nothing. Open the file or sheet with the answers of each respondent"
    code = 'al.open("answers.csv", labels=…)' if what.startswith("a description") else ""
    return (Guess("file", "respondents", said, code, 0),)


def _what_it_is(rows: Sequence[Sequence[str]]) -> str:
    table = [[cell.strip() for cell in row] for row in rows[:LOOKED_AT]]
    header = table[0] if table else []
    found = [cell for row in table for cell in row if _PIVOT.fullmatch(cell)]
    if len({*found}) >= _FEWEST_PIVOT and any("label" in cell.lower() for cell in found):
        return f"a pivot table ({found[0]!r}, {found[1]!r})"
    if len(header) <= _MOST_COLUMNS and _describes(header):
        return f"a description of variables ({', '.join(filter(None, header[:3]))})"
    is_headed = any(_TOTAL.fullmatch(cell) for row in table[:4] for cell in row[1:])
    if not is_headed and 3 * sum(not cell for cell in header) < len(header):
        return ""
    if len(table) - 1 >= 2 and len(rows) < LOOKED_AT and _are_shares(table[1:]):
        return f"a table of results ({header[1]!r} adds up to 100%)"
    # Some rows of titles may be above the numbers of respondents.
    for row in table[1:]:
        texts = [cell for cell in row if cell and number_of(cell) is None]
        numbers = [cell for cell in row if number_of(cell.replace(",", "")) is not None]
        is_alone = len(numbers) >= _FEWEST_NUMBERS and len(texts) <= 2
        if is_alone and any(map(_BASE.fullmatch, texts)):
            return f"a table of results ({texts[-1]!r} beside {len(numbers)} numbers)"
    return ""


def _are_shares(rows: Sequence[Sequence[str]]) -> bool:
    """Whether each column but the first, which names an answer in each row, adds up to 100%."""
    names = [row[0] for row in rows if row]
    columns = [[number_of(cell.rstrip(" %")) for cell in each] for each in zip(*rows, strict=False)]
    if len({*names}) < len(rows) or any(number_of(name) is not None for name in names):
        return False
    sums = [sum(cell or 0 for cell in each) for each in columns[1:] if None not in each]
    is_100 = all(abs(each - 100) <= 1.5 or abs(each - 1) <= 0.015 for each in sums)
    return len(sums) == len(columns) - 1 > 0 and is_100


def _describes(header: Sequence[str]) -> bool:
    if label_columns(header) is not None:
        return True
    return any(map(_VARIABLE.fullmatch, header)) and any(map(_MEANING.fullmatch, header))
