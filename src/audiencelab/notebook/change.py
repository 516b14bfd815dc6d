"""One difference between two outputs, and how people read it."""

from __future__ import annotations

from dataclasses import dataclass

SOURCE_LINE = "source line"
"""Where an output contradicts its own record."""

_LONGEST = 120
_BESIDE = 24
"""Characters that are shown on each side of what differs in a long line."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two outputs.

    where: the row and the column of a table, the path of a value, or "" for a line of text.
    before, now: the text; "" where a run has none.
    form: the form of the output that differs ("HTML", "Markdown form", "image", "saved widget"),
        or the file.
    is_wording: whether these are other words of another version of audiencelab with the same
        numbers, and not a base, wave, weight, method, label or side of a comparison.
    repeated: whether a form of the same output that comes before says it too.
    """

    where: str
    before: str
    now: str
    form: str = ""
    is_wording: bool = False
    repeated: bool = False

    def __str__(self) -> str:
        before, now = differing_parts(self.before, self.now)
        change = f"{before or 'nothing'} → {now or 'nothing'}"
        return f"{self.where}: {change}" if self.where else change


def differing_parts(before: str, now: str) -> tuple[str, str]:
    """Two texts, of long ones the part that differs with a few words on each side."""
    if max(len(before), len(now)) <= _LONGEST:
        return before, now
    start = 0
    while start < min(len(before), len(now)) and before[start] == now[start]:
        start += 1
    end = 0
    while end < min(len(before), len(now)) - start and before[-1 - end] == now[-1 - end]:
        end += 1
    return _part(before, start, end), _part(now, start, end)


def _part(text: str, start: int, end: int) -> str:
    first, last = max(0, start - _BESIDE), min(len(text), len(text) - end + _BESIDE)
    cut = text[first:last]
    if len(cut) > _LONGEST:
        cut = f"{cut[: _LONGEST - 1]}…"
    return f"{'…' if first else ''}{cut}{'…' if last < len(text) else ''}"
