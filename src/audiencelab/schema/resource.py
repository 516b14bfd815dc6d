"""The base of all resources, problem documents, and fields that are written in any case."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


class Resource(msgspec.Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """A resource, a result, or a part of one, as a service sends it.

    A field that is None is left out when it is written, and from the repr. Fields that this
    version does not know are ignored when a resource is read.
    """

    def to_dict(self) -> dict[str, Any]:
        """The resource as JSON has it; fields without a value are left out.

        >>> saved = client.service.save_audience(al.Audience("Men", client["Gender"] == "Male"))
        >>> saved.to_dict()["expression"]
        {'question': 'q2', 'datapoints': ['q2_1']}
        """
        return msgspec.to_builtins(self)


def always(default: T) -> T:
    """A field that defaults to `default` (immutable) when read, and is written in any case."""
    # msgspec leaves out a field whose value is its `default`, but never one made by a factory.
    return msgspec.field(default_factory=lambda: default)


class ProblemFault(msgspec.Struct, frozen=True):
    """One fault: a JSON pointer into the request's body, and what is wrong there."""

    pointer: str
    detail: str


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """A problem document; what was submitted is never repeated in it."""

    status: int
    title: str
    type: str = "about:blank"
    detail: str = ""
    errors: list[ProblemFault] = msgspec.field(default_factory=list[ProblemFault])
