"""How an answer's JSON becomes a typed value.

Liberal in what it accepts: many services write `null` where a field has nothing to say, an
optional text or an empty array, and that is read as the field left out. A field that must be
there still must.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import msgspec

__all__ = ["reader"]

T = TypeVar("T")


def reader(kind: type[T]) -> Callable[[bytes], T]:
    """A function from the bytes of an answer to a value of a wire type.

    It raises what msgspec raises: `DecodeError` for what is no JSON, `ValidationError` for JSON
    of another shape.
    """
    decoder = msgspec.json.Decoder(kind)

    def read(body: bytes) -> T:
        try:
            return decoder.decode(body)
        except msgspec.ValidationError:
            # Looked at again only then, so that an answer without such nulls costs nothing more.
            return msgspec.convert(_without_nulls(msgspec.json.decode(body)), kind)

    return read


def _without_nulls(value: Any) -> Any:
    """The same JSON without the fields that are null; an item of an array that is null stays."""
    if isinstance(value, dict):
        fields = cast(dict[str, Any], value)
        return {key: _without_nulls(each) for key, each in fields.items() if each is not None}
    if isinstance(value, list):
        return [_without_nulls(each) for each in cast(list[Any], value)]
    return value
