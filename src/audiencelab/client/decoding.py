"""Decoding of JSON responses to typed values.

Lenient, since many services write `null` for a field without a value: an optional field is then
left out, and an array is empty. A number without a fraction (`3.0`) is an integer, and a category
may be given by its id alone. Required fields stay required.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from types import UnionType
from typing import Any, NamedTuple, TypeVar, Union, cast, get_args, get_origin

import msgspec

from audiencelab.schema import Category, Value

T = TypeVar("T")


def reader(kind: type[T]) -> Callable[[bytes], T]:
    """A function from the bytes of a response to a value; raises what msgspec raises."""
    decoder = msgspec.json.Decoder(kind)

    def read(body: bytes) -> T:
        try:
            return decoder.decode(body)
        except msgspec.ValidationError:
            # Only now, so that a response without nulls costs nothing more.
            return msgspec.convert(_normalize(msgspec.json.decode(body), kind), kind)

    return read


BOM = b"\xef\xbb\xbf"
_HALF = re.compile(
    rb"\\(?:(u[dD][89abAB]..\\u[dD][c-fC-F]..)|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""A pair of surrogates, half of one, or any other escape of JSON."""


def legible(text: bytes) -> bytes:
    """JSON without a byte order mark, and with U+FFFD for each half of a surrogate pair.

    JavaScript writes halves where a label was cut within an emoji.
    """
    text = text.removeprefix(BOM)
    if b"\\ud" not in text.lower():
        return text
    return _HALF.sub(lambda found: rb"\ufffd" if found[2] else found[0], text)


def read_legible(read: Callable[[bytes], T], text: bytes) -> T:
    """What `read` makes of JSON, as it came or else `legible`; raises what `read` raises."""
    try:
        return read(text)
    # A subclass of `DecodeError`: the JSON is well-formed, so other bytes would not help.
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        other = legible(text)
        if other == text:
            raise
    return read(other)


def unwrap(body: bytes, field: str) -> bytes:
    """The object that has this field: the whole response, or what it holds under `data`."""
    fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    return bytes(fields["data"]) if "data" in fields and field not in fields else body


class _Shape(NamedTuple):
    """What a field may hold. item: the kind of a list's items."""

    item: Any
    struct: type[msgspec.Struct] | None
    is_integer: bool


def check_about(noun: str, came: str, asked: str) -> None:
    """Raise `ValidationError` for a response about something else; `asked` is an id or a code."""
    # UUIDs are written with capitals or without.
    if came.casefold() != asked.casefold():
        raise msgspec.ValidationError(f"it is about the {noun} {came!r}, not about {asked!r}")


@cache
def _shape(kind: Any) -> _Shape:
    members = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    items = [get_args(each)[0] for each in members if get_origin(each) is list]
    structs = [
        each for each in members if isinstance(each, type) and issubclass(each, msgspec.Struct)
    ]
    return _Shape(
        items[0] if items else None,
        structs[0] if structs else None,
        int in members and float not in members,
    )


@cache
def _fields(kind: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    return {each.encode_name: each for each in msgspec.structs.fields(kind)}


def _normalize(value: Any, kind: Any) -> Any:
    """JSON in the form of the wire types; JSON of another shape is left for msgspec to refuse."""
    shape = _shape(kind)
    if isinstance(value, float) and shape.is_integer and value.is_integer():
        return int(value)
    if isinstance(value, list) and shape.item is not None:
        by_id = shape.item is Category
        return [
            {"id": each} if by_id and isinstance(each, str) else _normalize(each, shape.item)
            for each in cast(list[Any], value)
        ]
    if isinstance(value, dict) and shape.struct is not None:
        return _normalize_object(cast(dict[str, Any], value), shape.struct)
    return cast(Any, value)


def _normalize_object(written: dict[str, Any], kind: type[msgspec.Struct]) -> dict[str, Any]:
    # Beside an error a null is not an empty list.
    failed = written.get("error") or written.get("errors")
    usual: dict[str, Any] = {}
    for name, field in _fields(kind).items():
        shape, each = _shape(field.type), written.get(name)
        if each is None or (shape.struct is Value and _is_empty(each)):
            if name in written and field.required and shape.item is not None and not failed:
                usual[name] = []
        else:
            usual[name] = _normalize(each, field.type)
    return usual


def _is_empty(value: Any) -> bool:
    return isinstance(value, dict) and cast(dict[str, Any], value).get("value") is None
