"""Source lines as they are drawn: lines that were wrapped, and whether they agree with a record.

Version, date and software of a source line differ between runs, and so they are compared with the
record of the same output: both were written at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from audiencelab.schema.http import short_version

_BEGINS = re.compile(r"\bSource: ")

_WHOLE = re.compile(
    r".*?\bSource: (?:.*?version [0-9a-f]{8,64}\))?"
    r"(?:.*?, counted \d{4}-\d\d-\d\d(?: with audiencelab \d[\w.+!]*\w)?)?(?:, replayed from \S+)?"
)
"""A text up to the end of its source line, as far as that differs between runs."""

_MOST_LINES = 12


def unwrapped(lines: Sequence[str]) -> list[str]:
    """Lines of text, with a source line that was drawn in several of them in one.

    >>> unwrapped(["Tea", "Source: tea (version", "8941391e), counted", "2026-01-01", "n = 5"])
    ['Tea', 'Source: tea (version 8941391e), counted 2026-01-01', 'n = 5']
    """
    found: list[str] = []
    position = 0
    while position < len(lines):
        count = _wrapped(lines[position : position + _MOST_LINES])
        found.append(" ".join(line.strip() for line in lines[position : position + count]))
        if count == 1:
            found[-1] = lines[position]
        position += count
    return found


def unwrapped_fields(fields: Mapping[str, str]) -> dict[str, str]:
    """Values by their paths, with a source line of several in the first of them."""
    places, values = [*fields], [*fields.values()]
    found: dict[str, str] = {}
    position = 0
    while position < len(values):
        count = _wrapped(values[position : position + _MOST_LINES])
        (found[places[position]],) = unwrapped(values[position : position + count])
        position += count
    return found


def _wrapped(lines: Sequence[str]) -> int:
    """How many of some lines the source line takes up that begins in the first."""
    begins = [*_BEGINS.finditer(f"{lines[0]} ")]
    if not begins or "'" in lines[0][: begins[-1].start()][-1:]:
        return 1
    others = next((n for n, line in enumerate(lines[1:], 1) if _BEGINS.search(line)), len(lines))
    joined = " ".join(line.strip() for line in lines[:others])
    start = [*_BEGINS.finditer(f"{joined} ")][-1].start()
    whole = _WHOLE.match(joined, start)
    end, count = (whole.end() if whole else 0), 1
    while count < others and len(" ".join(line.strip() for line in lines[:count])) < end:
        count += 1
    return count


class Contradiction(NamedTuple):
    """A source line that says another thing than the record beside it. kind: of the fact."""

    kind: str
    said: str
    recorded: str


_FACTS = {
    "version": re.compile(r"\bversion ([0-9a-f]{8,64})\)"),
    "counted": re.compile(r", counted (\d{4}-\d\d-\d\d)\b"),
    "audiencelab": re.compile(r", counted \d{4}-\d\d-\d\d with audiencelab (\d[\w.+!]*\w)"),
}
_ROWS = {"Survey version": "version", "Counted at": "counted", "audiencelab": "audiencelab"}
"""Rows of a sheet of sources."""


def contradictions(
    texts: Sequence[str],
    records: Sequence[Mapping[str, Any]],
    rows: Mapping[str, str] | None = None,
) -> Iterator[Contradiction]:
    """Where the source lines of a form, or a sheet of sources, do not agree with its records.

    >>> record = {"survey_version": "8941391ea8", "counted_at": "2026-11-30T08:00:00+00:00"}
    >>> line = "Source: survey tea (version 8941391e), counted 2019-01-30"
    >>> [each.said for each in contradictions([line], [record])]
    ['2019-01-30']
    """
    if not records:
        return
    known = {
        "version": {str(each.get("survey_version", "")) for each in records},
        "counted": {str(each.get("counted_at", ""))[:10] for each in records},
        "audiencelab": {str(each.get("audiencelab", "")) for each in records},
    }
    joined = " ".join(" ".join(texts).split())
    starts = [each.start() for each in _BEGINS.finditer(joined)]
    said = [
        (kind, found.group(1))
        for start, end in zip(starts, [*starts[1:], len(joined)], strict=False)
        for kind, fact in _FACTS.items()
        if (found := fact.search(joined, start, end))
    ]
    said += [(_ROWS[name], value) for name, value in (rows or {}).items() if name in _ROWS]
    for kind, value in dict.fromkeys(said):
        told = sorted(each for each in known[kind] if each)
        value = value[:10] if kind == "counted" else value
        if told and not any(each.startswith(value) for each in told):
            others = (short_version(each) if kind == "version" else each for each in told)
            yield Contradiction(kind, value, ", ".join(others))
