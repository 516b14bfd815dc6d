"""Decoding of JSON responses to typed values.

Lenient, since many services write `null` for a field without a value: an optional field is then
left out, and an array is empty. A number without a fraction (`3.0`) is an integer, and a category
may be given by its id alone. Required fields stay required.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import UnionType
from typing import Any, NamedTuple, TypeVar, Union, cast, get_args, get_origin

import msgspec

from audiencelab.schema import Category, Value

T = TypeVar("T")

_FAILURES = ("error", "errors")
"""Fields beside which a null is not an empty list: the service failed."""


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
            # Looked at again only then, so that an answer without nulls costs nothing more.
            return msgspec.convert(_usual(msgspec.json.decode(body), kind), kind)

    return read


def unwrap(body: bytes, field: str) -> bytes:
    """The object that has this field: the whole answer, or what it holds under `data`.

    Raises what `reader` raises for what is not an object.
    """
    fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    return bytes(fields["data"]) if "data" in fields and field not in fields else body


class _Field(NamedTuple):
    """A field of a wire type: whether it must be there, and what it may hold."""

    required: bool
    kind: Any
    item: Any
    struct: type[msgspec.Struct] | None
    is_integer: bool


@cache
def _fields(kind: type[msgspec.Struct]) -> dict[str, _Field]:
    return {
        each.encode_name: _field(each.type, required=each.required)
        for each in msgspec.structs.fields(kind)
    }


@cache
def _field(annotation: Any, *, required: bool = True) -> _Field:
    union = get_origin(annotation) in (Union, UnionType)
    members = get_args(annotation) if union else (annotation,)
    items = [get_args(each)[0] for each in members if get_origin(each) is list]
    return _Field(
        required,
        annotation,
        items[0] if items else None,
        next((each for each in members if _is_struct(each)), None),
        int in members and float not in members,
    )


def _usual(value: Any, annotation: Any) -> Any:
    """The same JSON in the form that the wire types have: no nulls that say nothing, integers.

    What is of another shape stays for msgspec to name, and so do fields not known to the type.
    """
    expected = _field(annotation)
    if isinstance(value, float) and expected.is_integer and value.is_integer():
        return int(value)
    if isinstance(value, list) and expected.item is not None:
        by_id = expected.item is Category
        return [
            {"id": each} if by_id and isinstance(each, str) else _usual(each, expected.item)
            for each in cast(list[Any], value)
        ]
    if isinstance(value, dict) and expected.struct is not None:
        return _usual_object(cast(dict[str, Any], value), expected.struct)
    return cast(Any, value)


def _usual_object(written: dict[str, Any], kind: type[msgspec.Struct]) -> dict[str, Any]:
    fields, usual = _fields(kind), dict[str, Any]()
    failed = any(written.get(name) for name in _FAILURES)
    for name, each in written.items():
        field = fields.get(name)
        if field is None:
            usual[name] = each
        elif each is None or (field.struct is Value and _is_empty(each)):
            if field.required and field.item is not None and not failed:
                usual[name] = []
        else:
            usual[name] = _usual(each, field.kind)
    return usual


def _is_empty(value: Any) -> bool:
    return isinstance(value, dict) and cast(dict[str, Any], value).get("value") is None


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)
