"""Hypothesis strategies for what a service may send: any wire type."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import msgspec
from hypothesis import strategies as st
from msgspec.structs import FieldInfo

__all__ = ["documents"]

texts = st.text(max_size=3)
whole_numbers = st.integers(-(2**63), 2**63 - 1)
numbers = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | whole_numbers | numbers | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)

PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: texts,
    int: whole_numbers,
    float: numbers,
    bool: st.booleans(),
    Any: values.filter(lambda value: value is not None),
    dict[str, Any]: st.dictionaries(texts, values, max_size=2),
}


@st.composite
def documents(draw: st.DrawFn, kind: type[msgspec.Struct], depth: int = 3) -> dict[str, Any]:
    """The JSON of a wire type as it is written.

    depth: how far lists and optional fields that hold wire types go down.
    """
    fields = msgspec.structs.fields(kind)
    document = {
        field.encode_name: draw(_values_of(field.type, depth))
        for field in fields
        if not _may_be_left_out(field) or draw(st.booleans())
    }
    for field in fields:
        # What equals the default is written as a field left out.
        if _may_be_left_out(field) and document.get(field.encode_name) == field.default:
            document.pop(field.encode_name, None)
    return document


def _may_be_left_out(field: FieldInfo) -> bool:
    return field.default is not msgspec.NODEFAULT


def _values_of(annotation: Any, depth: int) -> st.SearchStrategy[Any]:
    if annotation in PLAIN:
        return PLAIN[annotation]
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return documents(annotation, depth - 1)
    options = [each for each in get_args(annotation) if each is not NoneType]
    if get_origin(annotation) in (Union, UnionType):
        return st.one_of([_values_of(each, depth) for each in options])
    assert get_origin(annotation) is list, annotation
    [item] = options
    if depth == 0 and item not in PLAIN and get_origin(item) is None:
        return st.just([])
    return st.lists(_values_of(item, depth), max_size=2)
