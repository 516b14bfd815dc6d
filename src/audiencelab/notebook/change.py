"""One difference between two outputs, and how people read it."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

SOURCE_LINE = "source line"
"""Where an output contradicts its own record."""

ORDER = "order of outputs"
"""Where a cell has the same outputs in another order."""

_LONGEST = 120
_BESIDE = 24
"""Characters that are shown on each side of what differs in a long line."""

_FEW = 12
"""Characters of which codes are named at most."""


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
        change = f"{before or 'nothing'} → {now or 'nothing'}{_unseen(self.before, self.now)}"
        return f"{self.where}: {change}" if self.where else change


def _unseen(before: str, now: str) -> str:
    """The codes of the characters that differ, where both texts look alike; ""."""
    start, end = _ends(before, now)
    parts = before[start : len(before) - end], now[start : len(now) - end]
    if max(map(len, parts)) > _FEW or all(part.isascii() for part in parts):
        return ""
    if not (_alike(before, now) or (all(map(str.isalpha, parts)) and _scripts(*parts))):
        return ""
    named = [" ".join(f"U+{ord(letter):04X}" for letter in part) or "nothing" for part in parts]
    return f" ({named[0]} → {named[1]})"


def _alike(before: str, now: str) -> bool:
    return _seen(before) == _seen(now)


def _seen(text: str) -> str:
    """A text without its invisible characters, with the letters that it is composed of."""
    letters = unicodedata.normalize("NFKC", text)
    return "".join(each for each in letters if unicodedata.category(each) not in {"Cf", "Cc"})


def _scripts(before: str, now: str) -> bool:
    """Whether two letters are of two scripts, such as Latin and Cyrillic."""
    named = [
        {unicodedata.name(letter, "").split(" ")[0] for letter in part} for part in (before, now)
    ]
    return not named[0] & named[1]


def _ends(before: str, now: str) -> tuple[int, int]:
    """How many characters at the beginning and at the end of two texts are the same."""
    start = 0
    while start < min(len(before), len(now)) and before[start] == now[start]:
        start += 1
    end = 0
    while end < min(len(before), len(now)) - start and before[-1 - end] == now[-1 - end]:
        end += 1
    return start, end


def differing_parts(before: str, now: str) -> tuple[str, str]:
    """Two texts, of long ones the part that differs with a few words on each side."""
    if max(len(before), len(now)) <= _LONGEST:
        return before, now
    start, end = _ends(before, now)
    return _part(before, start, end), _part(now, start, end)


def _part(text: str, start: int, end: int) -> str:
    first, last = max(0, start - _BESIDE), min(len(text), len(text) - end + _BESIDE)
    cut = text[first:last]
    if len(cut) > _LONGEST:
        cut = f"{cut[: _LONGEST - 1]}…"
    return f"{'…' if first else ''}{cut}{'…' if last < len(text) else ''}"
