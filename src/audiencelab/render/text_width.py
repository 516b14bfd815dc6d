"""How wide text is, and where its lines end.

A line may end between words, after hyphens and slashes, and after each letter of Chinese, Japanese
and Korean, but for marks that begin no line, such as "。".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from unicodedata import category, east_asian_width

_WIDE = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\uff60"
_OPEN, _CLOSE = (
    "（「『【〈《〔［｛",
    "、。，．・：；？！）」』】〉》〕］｝ーゝ々〜…っッゃゅょャュョ",
)
_DASH = "/‐–—\\-"
_PARTS = re.compile(
    rf"[ \t\r\n]+|[{_OPEN}]*[{_WIDE}][{_CLOSE}]*|[^ \t\r\n{_WIDE}{_DASH}]*[{_DASH}]+"
    rf"|[^ \t\r\n{_WIDE}{_DASH}]+"
)
"""Spaces but those that do not break, letters of these scripts, and words of others."""


def width(text: str) -> int:
    """The width of a line in characters.

    >>> width("Café"), width("喫茶店")
    (4, 6)
    """
    # Most labels are plain, and need no look at each letter.
    return len(text) if text.isascii() else sum(map(letter_width, text))


@lru_cache(maxsize=65_536)
def letter_width(character: str) -> int:
    """The width of a character where each has one of a fixed width, or two."""
    if category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in ("W", "F") else 1


Width = Callable[[str], float]


def wrapped(text: str, most: float, wide: Width = letter_width) -> list[str]:
    """The lines of a text that are at most so wide; a word that is wider is broken.

    wide: the width of a character, in the unit of `most`.

    >>> wrapped("A rather long name", 10)
    ['A rather', 'long name']
    >>> wrapped("新しい商品やサービス", 8)
    ['新しい商', '品やサー', 'ビス']
    """
    return [line for given in text.splitlines() for line in _lines(given, most, wide)] or [""]


def _lines(text: str, most: float, wide: Width) -> list[str]:
    def measured(part: str) -> float:
        return width(part) if wide is letter_width else sum(map(wide, part))

    if measured(text) <= most:
        return [text]
    lines: list[str] = []
    line = ""
    for word in words_of(text):
        if measured(line + word.rstrip()) <= most:
            line += word
            continue
        if line.strip():
            lines.append(line.rstrip())
        line = word.lstrip()
        while measured(line) > most and (cut := fitting(line, most, wide)) < len(line):
            lines.append(line[:cut])
            line = line[cut:]
    return [*lines, line.rstrip()] if line.strip() else lines


def words_of(text: str) -> list[str]:
    """The parts of a text between which a line may end; spaces are at the end of a part."""
    words: list[str] = []
    for part in _PARTS.findall(text):
        if part.isspace() and words:
            words[-1] += part
        else:
            words.append(part)
    return words


def fitting(text: str, most: float, wide: Width = letter_width) -> int:
    """How many characters fit, at least one; marks without a width stay with their letter."""
    taken = 0.0
    for place, character in enumerate(text):
        taken += wide(character)
        if taken > most and place and wide(character):
            return place
    return len(text)
