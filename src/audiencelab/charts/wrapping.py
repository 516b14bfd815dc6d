"""Text of charts: how wide it is, and broken into lines, Latin and full-width alike."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from audiencelab.charts.renderer import Spec
from audiencelab.charts.theme import SIZE, SMALL
from audiencelab.render.text_width import fitting, wrapped

LINE = 1.2
"""Height of a line of text relative to the font size."""

_NARROW, _LETTER, _CAPITAL, _BROAD, _FULL = 0.34, 0.58, 0.7, 0.9, 1.05
"""Width of characters relative to the font size, generous for common fonts without serifs."""

_EMOJI = 1.3
_NARROW_ONES = frozenset("iljftrI|!.,:;'`´’‘“”\"()[]{}/\\· \u00a0-–")
_BROAD_ONES = frozenset("mwMW%@&—…—½")

_SPACES = re.compile(r"[ \t\r\n\f\v]+")
_ELLIPSIS = "…"

BOLD = 1.07
"""Width of bold letters relative to regular ones."""


def text_width(text: str, size: float = SMALL) -> float:
    """About how many pixels a text is wide, rather more than less, in the common fonts."""
    return size * sum(map(_ems, text))


@lru_cache(4096)
def _ems(character: str) -> float:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0.0
    if character >= "\U0001f000":
        return _EMOJI
    if unicodedata.east_asian_width(character) in "WF":
        return _FULL
    if character in _NARROW_ONES:
        return _NARROW
    if character in _BROAD_ONES:
        return _BROAD
    return _CAPITAL if character.isupper() else _LETTER


_KEPT = "\u00a0=\u00a0"
"""No line ends within "n = 1,200"."""


def broken(text: str, pixels: float, size: float = SMALL, most: int = 3) -> list[str]:
    """A text in lines of at most so many pixels; the last of `most` ends in "…" if text is left."""
    kept = wrapped(_one_line(text).replace(" = ", _KEPT), pixels / size, _ems)
    lines = [line.replace(_KEPT, " = ") for line in kept]
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], cut(" ".join(lines[most - 1 :]), pixels, size)]


def cut(text: str, pixels: float, size: float = SMALL) -> str:
    """A text on one line of at most so many pixels, with "…" in place of what is left out."""
    line = _one_line(text)
    if text_width(line, size) <= pixels:
        return line
    return line[: fitting(line, pixels / size - _ems(_ELLIPSIS), _ems)].rstrip() + _ELLIPSIS


def broken_apart(
    texts: Sequence[str], pixels: float, size: float = SMALL, most: int = 3
) -> list[list[str]]:
    """Texts in lines, of which no two alike are cut to the same: they keep their ends."""
    made = [broken(text, pixels, size, most) for text in texts]
    alike = Counter(map(tuple, made))
    return [
        _with_end(text, lines, pixels, size)
        if alike[tuple(lines)] > 1 and lines[-1].endswith(_ELLIPSIS)
        else lines
        for text, lines in zip(texts, made, strict=True)
    ]


def _with_end(text: str, lines: list[str], pixels: float, size: float) -> list[str]:
    """The same lines, the last of which leaves out the middle of what is left of a text."""
    half = (pixels / size - _ems(_ELLIPSIS)) / 2
    start = lines[-1][: fitting(lines[-1], half, _ems)].rstrip(f" {_ELLIPSIS}")
    ending = _one_line(text)[::-1]
    end = ending[: fitting(ending, half, _ems)][::-1].lstrip()
    return [*lines[:-1], f"{start}{_ELLIPSIS}{end}"]


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", text).strip()


def folded(texts: Sequence[str]) -> tuple[str, list[str]]:
    """The words that all texts begin with, and the texts without them; "" where those are few.

    >>> folded(["How likely are you to buy a car?", "How likely are you to buy a bike?"] * 2)[0]
    'How likely are you to buy a'
    """
    if len({*texts}) < _FEWEST_FOLDED:
        return "", list(texts)
    words = [text.split() for text in texts]
    count = 0
    while all(len(each) > count + 1 and each[count] == words[0][count] for each in words):
        count += 1
    shared, rest = " ".join(words[0][:count]), [" ".join(each[count:]) for each in words]
    # A number alone does not name a row.
    named = all(any(map(str.isalpha, each)) for each in rest)
    return (shared, rest) if named and len(shared) >= _LEAST_FOLDED else ("", list(texts))


def folded_note(shared: str, title: str = "") -> list[str]:
    """A line about words that names leave out, unless the title has them."""
    words = shared.rstrip(" –:")
    return [f"All rows begin with “{words} …”"] if words and words not in title else []


_FEWEST_FOLDED, _LEAST_FOLDED = 2, 16
"""Different texts, and characters that they share, from which the shared words are written once."""


# -- names of rows ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RowNames:
    """RowNames beside the rows of a plot, in lines.

    lines: of each row by its key, which identifies it in the data. pixels: how wide they are
    together with the gap to the plot. size: of the font. bold: keys of headings.
    """

    lines: Mapping[str, Sequence[str]]
    pixels: float
    size: float = SIZE
    bold: Sequence[str] = ()

    @property
    def height(self) -> float:
        """Pixels of the highest name."""
        return max(map(len, self.lines.values()), default=1) * self.size * LINE

    def axis(self, row: float) -> Spec:
        """The axis that writes them, left of a plot whose rows have so many pixels."""
        line = self.size * LINE
        offsets: dict[float, dict[str, int]] = {}
        for key, lines in self.lines.items():
            # Vega puts the first line where the only one would be: the block is moved upwards.
            # Headings are at the rows below them.
            below = max(row - len(lines) * line - GAP, 0) / 2 if key in self.bold else 0
            if offset := below - (len(lines) - 1) * line / 2:
                offsets.setdefault(round(offset, 1), {})[key] = 1
        shown: dict[str, object] = {
            key: lines[0] if len(lines) == 1 else list(lines) for key, lines in self.lines.items()
        }
        made: Spec = {
            "labelExpr": f"{json.dumps(shown)}[datum.value]",
            "labelLineHeight": line,
            # Fonts of a page may be a little wider than those that the names were folded for.
            "labelLimit": round(1.06 * self.pixels, 1),
            "labelPadding": GAP,
            "minExtent": round(self.pixels, 1),
            "maxExtent": round(self.pixels, 1),
            "grid": False,
        }
        if self.size != SIZE:
            made["labelFontSize"] = self.size
        if offsets:
            conditions = [
                {"test": f"{json.dumps(keys)}[datum.value] === 1", "value": offset}
                for offset, keys in offsets.items()
            ]
            made["labelOffset"] = {"condition": conditions, "value": 0}
        if self.bold:
            test = f"{json.dumps(dict.fromkeys(self.bold, 1))}[datum.value] === 1"
            bold = {"condition": {"test": test, "value": 600}, "value": "normal"}
            made["labelFontWeight"] = bold
        return made


GAP = 7
"""Pixels between names and plot."""


def names_beside(
    texts: Mapping[str, str],
    pixels: float,
    *,
    size: float = SIZE,
    most: int = 3,
    bold: Sequence[str] = (),
) -> RowNames:
    """RowNames of rows in lines, by key, in a column of at most so many pixels."""
    wide = {key: BOLD if key in bold else 1.0 for key in texts}
    made = broken_apart(list(texts.values()), (pixels - GAP) / (BOLD if bold else 1), size, most)
    lines = dict(zip(texts, made, strict=True))
    widest = max(
        (wide[key] * text_width(each, size) for key, found in lines.items() for each in found),
        default=0.0,
    )
    return RowNames(lines, min(pixels, widest + GAP), size, tuple(bold))
