"""How wide text is in characters of a fixed width, and where its lines end.

Letters of Chinese, Japanese and Korean are twice as wide as others, and a line may end after each.
"""

from __future__ import annotations

import re
from unicodedata import category, east_asian_width

_WIDE = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\uff60"
_PARTS = re.compile(rf"\s+|[{_WIDE}]|[^\s{_WIDE}]+")
"""Spaces, single letters of these scripts, and words of others."""


def width(text: str) -> int:
    """The width of a line in characters.

    >>> width("Café"), width("喫茶店")
    (4, 6)
    """
    # Most labels are plain, and need no look at each letter.
    return len(text) if text.isascii() else sum(map(_wide, text))


def wrapped(text: str, most: float) -> list[str]:
    """The lines of a text that are at most so wide; a word that is wider is broken.

    >>> wrapped("A rather long name", 10)
    ['A rather', 'long name']
    >>> wrapped("新しい商品やサービス", 8)
    ['新しい商', '品やサー', 'ビス']
    """
    return [line for given in text.splitlines() for line in _lines(given, max(most, 2))] or [""]


def _lines(text: str, most: float) -> list[str]:
    if width(text) <= most:
        return [text]
    lines: list[str] = []
    line = ""
    for word in _words(text):
        if width(line + word.rstrip()) <= most:
            line += word
            continue
        if line.strip():
            lines.append(line.rstrip())
        line = word.lstrip()
        while width(line) > most:
            cut = _fitting(line, most)
            lines.append(line[:cut])
            line = line[cut:]
    return [*lines, line.rstrip()] if line.strip() else lines


def _words(text: str) -> list[str]:
    """The text in parts between which a line may end; spaces are at the end of a part."""
    words: list[str] = []
    for part in _PARTS.findall(text):
        if part.isspace() and words:
            words[-1] += part
        else:
            words.append(part)
    return words


def _fitting(text: str, most: float) -> int:
    """How many characters fit, at least one."""
    taken = 0.0
    for place, character in enumerate(text):
        taken += _wide(character)
        if taken > most:
            return max(place, 1)
    return len(text)


def _wide(character: str) -> int:
    if category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in ("W", "F") else 1
