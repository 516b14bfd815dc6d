"""The ids inside a drawing: of gradients and of the edges where marks are cut off.

Vega counts them through the whole life of the process. So the same chart drawn twice would differ,
and two charts of different processes in one page could take each other's edges. Here they are
named after the drawing instead.
"""

from __future__ import annotations

import hashlib
import re

__all__ = ["name_after_content"]

_COUNTED = re.compile(r'(?<=\bid=")(?:clip|gradient_)\d+(?=")')
_USED = re.compile(r"(?:clip|gradient_)\d+\b")
_LENGTH = 8


def name_after_content(svg: str) -> str:
    """The drawing with ids that the same drawing always has, and no other one."""
    counted = list(dict.fromkeys(_COUNTED.findall(svg)))
    if not counted:
        return svg
    order = {name: str(place) for place, name in enumerate(counted)}
    # Only what is also an id: a label may read "clip1" too, and then it names no other thing.
    content = _USED.sub(lambda found: order.get(found[0], found[0]), svg)
    stem = hashlib.sha256(content.encode()).hexdigest()[:_LENGTH]
    for name, place in order.items():
        svg = svg.replace(f'id="{name}"', f'id="d{stem}-{place}"')
        svg = svg.replace(f'="url(#{name})"', f'="url(#d{stem}-{place})"')
    return svg
