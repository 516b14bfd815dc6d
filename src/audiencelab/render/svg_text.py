"""The text of images: its fonts, and text of chart specifications that can be rendered.

SVG is XML, which has no control characters: the renderer aborts the whole process (the kernel)
where a label has one. It also fails where it truncates a label within a character above U+FFFF,
such as an emoji: such labels are shortened here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, cast

from audiencelab.wording import without_controls

_BEYOND = re.compile("[\U00010000-\U0010ffff]")

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
FONT_OF_EAST_ASIAN = f"'Hiragino Sans', 'Yu Gothic UI', 'Noto Sans CJK JP', {FONT}"
"""For images: their renderer replaces a letter that the first font lacks from any other, which may
have serifs. Browsers take a sans-serif one."""

_LIMIT = 160.0
"""Pixels that Vega gives a label by default."""

_EAST_ASIAN = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]")

_WIDE, _NARROW = 20.0, 10.0
"""Pixels of an emoji and of a letter, overestimated, so that Vega does not truncate again."""


def font_of(text: str) -> str:
    """The fonts of an image with this text."""
    return FONT_OF_EAST_ASIAN if _EAST_ASIAN.search(text) else FONT


def drawable(part: Any) -> Any:
    """A specification, or a part of one, in which such characters are replaced by `�`.

    Labels with characters beyond U+FFFF that are too long are shortened; different ones stay
    different.
    """
    clean = _mapped(part, without_controls)
    if not isinstance(clean, dict):
        return clean
    spec = cast("dict[str, Any]", clean)
    short = _short_labels(spec)
    return {
        name: value if name == "title" else _mapped(value, lambda text: short.get(text, text))
        for name, value in spec.items()
    }


def _mapped(part: Any, change: Callable[[str], str]) -> Any:
    """The same part with all its text changed, also that of keys."""
    if isinstance(part, str):
        return change(part)
    if isinstance(part, dict):
        fields = cast("dict[Any, Any]", part)
        return {_mapped(name, change): _mapped(value, change) for name, value in fields.items()}
    if isinstance(part, list):
        return [_mapped(each, change) for each in cast("list[Any]", part)]
    return part


def _short_labels(spec: dict[str, Any]) -> dict[str, str]:
    """Labels that Vega would cut within a character, each with a shorter one of its own."""
    values = list(_fields(spec))
    texts = {value for _, value in values if isinstance(value, str) and _BEYOND.search(value)}
    if not texts:
        return {}
    limits = [value for name, value in values if name in ("labelLimit", "limit")]
    # The least limit in the specification, whichever labels it is of.
    room = min([float(v) for v in limits if isinstance(v, int | float) and v > 0] or [_LIMIT])
    taken = {value for _, value in values if isinstance(value, str)}
    short: dict[str, str] = {}
    for text in sorted(text for text in texts if _width(text) > room):
        number, cut = 1, _cut(text, room)
        while cut in taken or cut in short.values():
            number += 1
            mark = f" ({number})"
            cut = _cut(text, room - _NARROW * len(mark)) + mark
        short[text] = cut
    return short


def _cut(text: str, room: float) -> str:
    # Less the space of the ellipsis.
    left, length = room - _NARROW, 0
    for character in text:
        left -= _width(character)
        if left < 0:
            break
        length += 1
    return f"{text[:length]}…"


def _width(text: str) -> float:
    beyond = len(_BEYOND.findall(text))
    return _WIDE * beyond + _NARROW * (len(text) - beyond)


def _fields(part: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every plain value with its key, without those of titles, which have no limit.

    Labels that an expression writes have their lines, which are no longer than their limit.
    """
    if isinstance(part, dict):
        fields = cast("dict[str, Any]", part)
        for key, value in fields.items():
            if key != "title" and not (key == "labelLimit" and "labelExpr" in fields):
                yield from _fields(value, key)
    elif isinstance(part, list):
        for each in cast("list[Any]", part):
            yield from _fields(each, name)
    else:
        yield name, part
