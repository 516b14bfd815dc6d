"""What the types of an answer have in common: fields that this version does not know survive.

A service may be newer than its client. A field without a place in a wire type is kept in `extra`,
goes through copying, pickling and comparing, and comes back out of `to_dict`.

Decoding a resource refuses unknown fields, which costs nothing and so tells when there is one;
whoever reads another's answers then decodes what is known and calls `keep_unknown`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Any, ClassVar, NamedTuple, NoReturn, Self, Union, cast, get_args, get_origin

import msgspec

__all__ = ["ByAttribute", "Part", "Resource", "keep_unknown", "parts", "struct_in"]

_SHOWN = 4
"""Fields that are named where none of them was meant."""


class ByAttribute:
    """What has its fields as attributes, and says so to whoever takes it for their JSON object."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __getitem__(self, key: object) -> NoReturn:
        kind, fields = type(self).__name__, type(self).__match_args__
        if isinstance(key, str) and key in fields:
            raise TypeError(f"The fields of {kind} are attributes: .{key} in place of [{key!r}].")
        listed = [f".{name}" for name in fields[:_SHOWN]] + ["…"] * (len(fields) > _SHOWN)
        raise TypeError(f"The fields of {kind} are attributes: {', '.join(listed)}.")


class Resource(
    ByAttribute,
    msgspec.Struct,
    frozen=True,
    omit_defaults=True,
    repr_omit_defaults=True,
    forbid_unknown_fields=True,
    dict=True,
):
    """A resource, a result, or a part of one, as a service sends it.

    Its repr names the fields that say something: most of a chart's thirty hold nothing.
    """

    _extra: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    @property
    def extra(self) -> Mapping[str, Any]:
        """Fields of the answer that this version does not know, by name; mostly none. JSON."""
        return self._extra

    def to_dict(self) -> dict[str, Any]:
        """The resource as JSON has it, `extra` included, and so on in every part of it.

        A field that has nothing to say is left out, whether it was null or was not there.
        """
        written: dict[str, Any] = msgspec.to_builtins(self)
        for resource, its in _resources(self, written):
            its.update(msgspec.to_builtins(dict(resource.extra)))
        return written

    # msgspec knows of no other state than the fields: what copies or compares says so here.

    def __eq__(self, other: object) -> bool:
        equal = super().__eq__(other)
        return self._extra == cast(Self, other)._extra if equal is True else equal

    __ne__ = object.__ne__
    __hash__ = msgspec.Struct.__hash__

    def __copy__(self) -> Self:
        return self.__replace__()

    def __replace__(self, **changes: Any) -> Self:
        return _with_extra(msgspec.structs.replace(self, **changes), self._extra)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._pickled(), dict(self._extra))

    def _pickled(self) -> dict[str, Any]:
        """The fields that a pickle holds; the others come back as their defaults."""
        return msgspec.structs.asdict(self)


class Part(NamedTuple):
    """A field that holds a struct, or a list of them: its name in Python, and the struct's type."""

    attribute: str
    kind: type[msgspec.Struct]


@cache
def parts(kind: type[msgspec.Struct]) -> Mapping[str, Part]:
    """The fields of a type that hold structs, by their names in JSON."""
    return {
        field.encode_name: Part(field.name, held)
        for field in msgspec.structs.fields(kind)
        if (held := struct_in(field.type))
    }


def struct_in(annotation: Any) -> type[msgspec.Struct] | None:
    """The struct of `X`, `X | None` or `list[X]`; None where there is no struct."""
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return annotation
    if get_origin(annotation) in (list, Union, UnionType):
        inner = [each for each in get_args(annotation) if each is not NoneType]
        return struct_in(inner[0]) if len(inner) == 1 else None
    return None


def keep_unknown(value: object, written: Any) -> None:
    """Put what the JSON holds beyond the known fields into the resources read from it.

    value: a resource, or a struct or list that holds some, and nobody else has seen yet.
    written: the decoded JSON that it was read from.
    """
    for resource, its in _resources(value, written):
        known = resource.__struct_encode_fields__
        if unknown := {name: each for name, each in its.items() if name not in known}:
            _with_extra(resource, unknown)


def _resources(value: object, written: Any) -> Iterator[tuple[Resource, dict[str, Any]]]:
    """Every resource in a value, with the JSON object that it stands for."""
    if isinstance(value, list):
        for each, its in zip(cast(list[object], value), written, strict=True):
            yield from _resources(each, its)
    elif isinstance(value, msgspec.Struct):
        if isinstance(value, Resource):
            yield value, written
        for name, part in parts(type(value)).items():
            if held := getattr(value, part.attribute):
                yield from _resources(held, written[name])


def _with_extra(resource: Resource, extra: Mapping[str, Any]) -> Any:
    if extra:
        # Frozen for everybody else; what is written here was part of the answer.
        vars(resource)["_extra"] = MappingProxyType(dict(extra))
    return resource


def _rebuild(kind: type[Resource], fields: dict[str, Any], extra: dict[str, Any]) -> Resource:
    return _with_extra(kind(**fields), extra)
