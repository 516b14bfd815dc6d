"""Arguments of operations: codes as a request carries them, and fields that a caller may set."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from numbers import Integral
from typing import Any, TypeVar

from msgspec import UNSET

F = TypeVar("F", bound=Callable[..., Any])

_WEIGHT = "The weight is chosen where the survey is opened: al.open(…, weight='wgt')."
_BASE = (
    "The base of percentages is base_audience=…, an audience or an expression: "
    "base_audience=client['Age'].any() takes only those who answered."
)
_ELSEWHERE = {
    **dict.fromkeys(("weight", "weights", "weighted", "wgt"), _WEIGHT),
    **dict.fromkeys(("base", "bases", "missing", "dropna", "valid", "exclude_missing"), _BASE),
}
"""Arguments of other programs, and what does the same here."""


def codes(name: str, given: Iterable[str | int] | None) -> list[str] | None:
    """Codes as `str`; None stays None and an empty list stays empty."""
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"{name} must be a list of codes, such as [{given!r}]; got {given!r}.")
    listed = list(given)
    for position, each in enumerate(listed):
        if not isinstance(each, (str, Integral)):
            raise TypeError(
                f"{name}[{position}] must be a code (str or int); got {type(each).__name__}. "
                f"Pass codes: {name}=[each.code for each in …]."
            )
    return [str(each) for each in listed]


def code(name: str, given: str) -> str:
    """The code of one question; raises `TypeError` for anything but a `str`."""
    if not isinstance(given, str):
        raise TypeError(
            f"{name} must be the code of one question, such as 'q4'; got {type(given).__name__}. "
            "A question of the catalogue has it as .code."
        )
    # A str of a numpy array has a type that msgspec does not encode.
    return str(given)


def check_fields(operation: str, given: Mapping[str, object], fields: type, *first: str) -> None:
    """Raise `TypeError` for names that are not a field of a `TypedDict`, with the nearest one.

    first: the arguments before the fields.
    """
    known = [*first, *fields.__annotations__]
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            if name in _ELSEWHERE and "base_audience" in known:
                raise TypeError(f"{operation} takes no argument {name!r}. {_ELSEWHERE[name]}")
            hint = f" Did you mean {near[0]!r}?" if near else f" It takes {', '.join(known)}."
            raise TypeError(f"{operation} takes no argument {name!r}.{hint}")


def document_kwargs(fields: type, default: object = UNSET) -> Callable[[F], F]:
    """Show the fields of a `TypedDict` in place of `**fields`, for help and completion.

    default: shown as their default value.
    """

    def document(method: F) -> F:
        signature = inspect.signature(method)
        ordinary = signature.parameters.values()
        before = [each for each in ordinary if each.kind is each.POSITIONAL_OR_KEYWORD]
        after = [each for each in ordinary if each.kind is each.KEYWORD_ONLY]
        named = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=kind.__forward_arg__,
            )
            for name, kind in fields.__annotations__.items()
        ]
        shown = signature.replace(parameters=[*before, *named, *after])
        vars(method)["__signature__"] = shown
        return method

    return document
