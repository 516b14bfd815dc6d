"""Names that stand twice in one object of a body: one of the two would be dropped unseen.

JSON leaves open which of them counts, and a decoder takes the last. Looked for at the speed of
the decoder: what was read is written again, and has fewer names if some were repeated.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

import msgspec

from audiencelab.errors import Fault
from audiencelab.service.fields import tellable

__all__ = ["repeated_names"]

_NAME_ENDS = b'":'

# What is written again has neither white space before a colon nor the two signs escaped by number,
# so the count would not be the same.
_SPACED = re.compile(rb'"\s+:')
_BY_NUMBER = re.compile(rb"\\u00(?:22|3[aA])")


class _Object(dict[str, Any]):
    """An object of a body, with the names that it repeats."""

    repeated: tuple[str, ...] = ()


def repeated_names(body: bytes, read: Any) -> list[Fault]:
    """A fault for each name that an object of the body repeats.

    read: the same body as it was decoded.
    """
    if not (_SPACED.search(body) or (b"\\u00" in body and _BY_NUMBER.search(body))):
        written = msgspec.json.encode(read)
        if body.count(_NAME_ENDS) == written.count(_NAME_ENDS):
            return []
    try:
        return list(_faults(json.loads(body, object_pairs_hook=_object), ""))
    except (RecursionError, ValueError):
        # Nested deeper, or with longer numbers, than any declaration allows: refused for that.
        return []


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    made = _Object(pairs)
    if len(made) < len(pairs):
        counted = Counter(name for name, _ in pairs)
        made.repeated = tuple(name for name, count in counted.items() if count > 1)
    return made


def _faults(value: Any, pointer: str) -> Iterator[Fault]:
    if isinstance(value, _Object):
        for name in value.repeated:
            place = f"{pointer}/{name}" if tellable(name) else pointer
            yield Fault(place, "This field is there more than once; give it once.")
        for name, each in value.items():
            yield from _faults(each, f"{pointer}/{name}" if tellable(name) else pointer)
    elif isinstance(value, list):
        for place, each in enumerate(cast(list[Any], value)):
            yield from _faults(each, f"{pointer}/{place}")
