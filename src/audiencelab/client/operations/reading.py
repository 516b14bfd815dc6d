"""How an answer's JSON becomes a typed value.

Liberal in what it accepts. Many services write `null` where a field has nothing to say, an
optional text or an empty array, and that is read as the field left out. A service may know
fields that we do not: they are kept as `extra`. A field that must be there still must.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import msgspec

from audiencelab.wire import keep_unknown, parts, struct_in

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
            # Looked at again only then, so that an answer without nulls and without fields that
            # are new to us costs nothing more.
            return _read_leniently(msgspec.json.decode(body), kind)

    return read


def _read_leniently(written: Any, kind: type[T]) -> T:
    struct = struct_in(kind)
    value = msgspec.convert(_known(written, struct) if struct else written, kind)
    keep_unknown(value, written)
    return value


def _known(written: Any, kind: type[msgspec.Struct]) -> Any:
    """The same JSON without the fields that are null or not known to the type.

    An item of an array that is null stays, and what is of another shape stays for msgspec to name.
    """
    if isinstance(written, list):
        return [_known(each, kind) for each in cast(list[Any], written)]
    if not isinstance(written, dict):
        return written
    names = kind.__struct_encode_fields__
    fields = cast(dict[str, Any], written)
    known = {name: each for name, each in fields.items() if each is not None and name in names}
    for name, part in parts(kind).items():
        if name in known:
            known[name] = _known(known[name], part.kind)
    return known
