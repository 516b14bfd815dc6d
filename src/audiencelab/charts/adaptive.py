"""A drawing in the colours of light and of dark paper, whichever it is put on.

JupyterLab and exported pages show a drawing as an image, into which no style sheet of the page
reaches, but its `color-scheme` does; in a page that holds the drawing itself, so does the page's.
A reader that knows neither keeps the light colours.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from audiencelab.charts.theme import DARK, LIGHT, Look

__all__ = ["adapting", "darkened"]

_PAINT = re.compile(r'\b(fill|stroke|stop-color)="(#[0-9a-fA-F]{3,8}|rgb\([^")]*\))"')
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_LENGTH = 8


def darkened(spec: dict[str, Any]) -> dict[str, Any]:
    """The chart with the dark colours where it has the light ones."""
    pairs = dict(_pairs())
    told = json.dumps(spec)
    return json.loads(_COLOUR.sub(lambda found: pairs.get(found[0], found[0]), told))


def adapting(light: str, dark: str) -> str:
    """The light drawing, which becomes the dark one on dark ground; the two differ in colours only.

    Marks keep their light colours as attributes, over which the rules of a style sheet stand.
    """
    seen: dict[tuple[str, str], Counter[str]] = {}
    for one, other in zip(_PAINT.finditer(light), _PAINT.finditer(dark), strict=False):
        seen.setdefault((one[1], one[2]), Counter())[other[2]] += 1
    name = f"d{hashlib.sha256(light.encode()).hexdigest()[:_LENGTH]}"
    rules = [
        f'.{name} [{paint}="{old}"]{{{paint}:light-dark({old},{new})}}'
        for (paint, old), found in seen.items()
        if (new := found.most_common(1)[0][0]) != old
    ]
    # Inside a page the root is the page's own, whose scheme is left alone.
    style = f"<style>svg:root{{color-scheme:light dark}}{''.join(rules)}</style>"
    head, _, rest = light.partition(">")
    named = head.replace('class="', f'class="{name} ', 1)
    return f"{named}>{style}{rest}"


def _pairs() -> Iterator[tuple[str, str]]:
    """Each light colour with the dark one that has its place; the first place of a colour rules."""
    found: dict[str, str] = {}
    for light, dark in zip(_colours(LIGHT), _colours(DARK), strict=True):
        found.setdefault(light, dark)
    return iter(found.items())


def _colours(look: Look) -> Iterator[str]:
    for field in fields(look):
        value = getattr(look, field.name)
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            yield from value
