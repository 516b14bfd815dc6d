"""Specifications of charts as a picture can hold them.

A picture in SVG is XML, which knows no control characters; the library that draws ends the whole
process, kernel and all, where one stands in a label. It also fails where it shortens a label to
its limit and cuts through a character beyond U+FFFF, such as an emoji: these are shortened here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

_UNDRAWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_BEYOND = re.compile("[\U00010000-\U0010ffff]")

_LIMIT = 160.0
"""Pixels that Vega gives a label where a chart does not say it."""

_WIDE, _NARROW = 20.0, 10.0
"""Pixels of an emoji and of a letter, rather too many than too few: Vega must not cut again."""


def drawable(part: Any) -> Any:
    """A specification, or a part of one, in which such characters are shown as `�`.

    Labels with characters beyond U+FFFF that are too long for their place are shortened; those
    that differ still do.
    """
    clean = _cleaned(part)
    return _shortened(cast("dict[str, Any]", clean)) if isinstance(clean, dict) else clean


def _cleaned(part: Any) -> Any:
    if isinstance(part, str):
        return _UNDRAWABLE.sub("\ufffd", part)
    if isinstance(part, dict):
        fields = cast("dict[Any, Any]", part)
        return {_cleaned(name): _cleaned(value) for name, value in fields.items()}
    if isinstance(part, list):
        return [_cleaned(each) for each in cast("list[Any]", part)]
    return part


def _shortened(spec: dict[str, Any]) -> dict[str, Any]:
    limits = [value for name, value in _fields(spec) if name in ("labelLimit", "limit")]
    room = min(
        [float(each) for each in limits if isinstance(each, int | float) and each > 0] or [_LIMIT]
    )
    texts = {value for _, value in _fields(spec) if isinstance(value, str)}
    long = [text for text in sorted(texts) if _BEYOND.search(text) and _width(text) > room]
    if not long:
        return spec
    short: dict[str, str] = {}
    for text in long:
        number, cut = 1, _cut(text, room)
        while cut in texts or cut in short.values():
            number += 1
            mark = f" ({number})"
            cut = _cut(text, room - _NARROW * len(mark)) + mark
        short[text] = cut
    return {
        name: value if name == "title" else _replaced(value, short) for name, value in spec.items()
    }


def _cut(text: str, room: float) -> str:
    """The first characters that fit into so many pixels, the last of them an ellipsis."""
    left, kept = room - _NARROW, ""
    for character in text:
        left -= _width(character)
        if left < 0:
            break
        kept += character
    return f"{kept}…"


def _width(text: str) -> float:
    beyond = len(_BEYOND.findall(text))
    return _WIDE * beyond + _NARROW * (len(text) - beyond)


def _fields(part: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every value in a specification that holds no others, by the name that it stands under."""
    if isinstance(part, dict):
        for key, value in cast("dict[str, Any]", part).items():
            # A title has no limit, and room for what is long.
            if key != "title":
                yield from _fields(value, key)
    elif isinstance(part, list):
        for each in cast("list[Any]", part):
            yield from _fields(each, name)
    else:
        yield name, part


def _replaced(part: Any, texts: dict[str, str]) -> Any:
    if isinstance(part, str):
        return texts.get(part, part)
    if isinstance(part, dict):
        fields = cast("dict[Any, Any]", part)
        return {name: _replaced(value, texts) for name, value in fields.items()}
    if isinstance(part, list):
        return [_replaced(each, texts) for each in cast("list[Any]", part)]
    return part
