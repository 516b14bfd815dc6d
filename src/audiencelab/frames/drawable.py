"""Specifications of charts as a picture can hold them.

A picture in SVG is XML, which knows no control characters; the library that draws ends the whole
process, kernel and all, where one stands in a label.
"""

from __future__ import annotations

import re
from typing import Any, cast

__all__ = ["drawable"]

_UNDRAWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def drawable(part: Any) -> Any:
    """A specification, or a part of one, in which such characters are shown as `�`."""
    if isinstance(part, str):
        return _UNDRAWABLE.sub("\ufffd", part)
    if isinstance(part, dict):
        fields = cast("dict[Any, Any]", part)
        return {drawable(name): drawable(value) for name, value in fields.items()}
    if isinstance(part, list):
        return [drawable(each) for each in cast("list[Any]", part)]
    return part
