"""Fields that a caller may set: written out in a signature, and refused when nobody knows them.

An update tells a field that is left out from one that is cleared, so its fields come as keyword
arguments of which only the given ones are there.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar, cast

from msgspec import UNSET

__all__ = ["by_name", "check_fields", "spelled_out"]

F = TypeVar("F", bound=Callable[..., Any])


def by_name(example: str) -> Callable[[F], F]:
    """Says, to whoever gives more arguments by position than there are, how they are written."""

    def name(method: F) -> F:
        positional = [
            each
            for each in inspect.signature(method).parameters.values()
            if each.kind is each.POSITIONAL_OR_KEYWORD
        ]

        @functools.wraps(method)
        def call(*arguments: Any, **named: Any) -> Any:
            if len(arguments) > len(positional):
                raise TypeError(f"Give them by name: {method.__name__}({example}).")
            return method(*arguments, **named)

        return cast(F, call)

    return name


def spelled_out(fields: type) -> Callable[[F], F]:
    """Shows the fields of a `TypedDict` in place of `**fields`, for help and for completion."""

    def spell(method: F) -> F:
        signature = inspect.signature(method)
        ordinary = [
            each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD
        ]
        named = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=UNSET, annotation=kind.__forward_arg__
            )
            for name, kind in fields.__annotations__.items()
        ]
        shown = signature.replace(parameters=[*ordinary, *named])
        vars(method)["__signature__"] = shown
        return method

    return spell


def check_fields(operation: str, given: Mapping[str, object], fields: type) -> None:
    """Raise `TypeError` for names that are no field, with the nearest that is."""
    known = list(fields.__annotations__)
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else f" It takes {', '.join(known)}."
            raise TypeError(f"{operation} takes no argument {name!r}.{hint}")
