"""Arguments of operations: codes as a request carries them, and fields that a caller may set."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import wraps
from numbers import Integral
from typing import Any, TypeAlias, TypeVar, cast

from msgspec import UNSET

from audiencelab.schema import Chart, ChartCreated, SavedAudience
from audiencelab.schema.etags import TAGGED, etag_of

F = TypeVar("F", bound=Callable[..., Any])

Seen: TypeAlias = Chart | ChartCreated | SavedAudience | str
"""What shows which version a caller has seen: what a call returned, or an entity tag."""

_ENTITY_TAG = re.compile(r'\*|(W/)?"[!#-~]*"')

_WEIGHT = "The weight is weight='NAME', one of those of al.open(…, weight=['wgt', 'NAME'])."
_BASE = (
    "The base of percentages is base_audience=…, an audience or an expression: "
    "base_audience=client['Age'].any() takes only those who answered."
)
_ELSEWHERE = {
    **dict.fromkeys(("weights", "weighted", "wgt"), _WEIGHT),
    **dict.fromkeys(("bases", "missing", "dropna", "valid", "exclude_missing"), _BASE),
    **dict.fromkeys(
        ("normalize", "values", "aggfunc", "metric"),
        "A table has every metric: table['column'], table['row'], table['total'], table['sample'].",
    ),
    **dict.fromkeys(
        ("margins", "margins_name", "totals"),
        "Tables, workbooks and slides show the total without it. For one in table['column'] too, "
        "write crosstab(rows, ['Total', 'Age']).",
    ),
}
"""Arguments of other programs, and what does the same here."""

_SAME = {
    **dict.fromkeys(("base", "filter", "where", "subset", "universe"), ("base_audience",)),
    **dict.fromkeys(("by", "split", "split_by", "banner"), ("splitter", "columns", "audiences")),
    **dict.fromkeys(("cols", "column", "col"), ("columns",)),
    **dict.fromkeys(("index", "row", "stub"), ("rows",)),
    **dict.fromkeys(("wave", "period", "periods"), ("waves",)),
    **dict.fromkeys(("location", "country", "countries", "market", "markets"), ("locations",)),
    "audience": ("audiences",),
    "answers": ("datapoints",),
    "scale": ("suffixes",),
    "suffixes": ("scale",),
}
"""Words of other programs for the arguments of queries; the first that a method has is meant."""


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


def if_match_header(seen: Seen | None) -> dict[str, str]:
    """The header that lets an update change this version alone.

    Empty for None, and for what a service without entity tags returned. Raises `TypeError` and
    `ValueError` for what no version is known of.
    """
    if seen is None:
        return {}
    if isinstance(seen, TAGGED):
        etag = etag_of(seen)
        return {} if etag is None else {"if-match": etag}
    if not isinstance(seen, str):
        raise TypeError(
            "if_match must be what a call returned, such as a saved audience, or an entity tag; "
            f"got {type(cast(object, seen)).__name__}."
        )
    if not _ENTITY_TAG.fullmatch(seen):
        raise ValueError(
            f"if_match={seen!r} is not valid: an entity tag is in double quotes. Pass what was "
            "read or written before: if_match=saved."
        )
    return {"if-match": seen}


def check_fields(operation: str, given: Mapping[str, object], fields: type, *first: str) -> None:
    """Raise `TypeError` for names that are not a field of a `TypedDict`, with the nearest one.

    first: the arguments before the fields.
    """
    known = [*first, *fields.__annotations__]
    for name in given:
        if name not in known:
            if twice := next((each for each in _SAME.get(name, ()) if each in given), None):
                raise TypeError(
                    f"{operation} got {name!r} and {twice!r}, which mean the same. Leave one out."
                )
            near = get_close_matches(name, known, n=1)
            if name in _ELSEWHERE and "base_audience" in known:
                raise TypeError(f"{operation} takes no argument {name!r}. {_ELSEWHERE[name]}")
            hint = f" Did you mean {near[0]!r}?" if near else f" It takes {', '.join(known)}."
            raise TypeError(f"{operation} takes no argument {name!r}.{hint}")


def takes_other_words(method: F) -> F:
    """Let a query take its arguments by the words that people know them by elsewhere."""
    known = inspect.signature(method).parameters

    @wraps(method)
    def call(*given: Any, **named: Any) -> Any:
        for word in [each for each in named if each not in known]:
            meant = next((each for each in _SAME.get(word, ()) if each in known), word)
            # Given twice, neither is preferred: the word is then refused like any other.
            if meant not in named:
                named[meant] = named.pop(word)
        return method(*given, **named)

    return cast(F, call)


def document_kwargs(fields: type, default: object = UNSET) -> Callable[[F], F]:
    """Show the fields of a `TypedDict` in place of `**fields`, for help and completion.

    default: shown as their default value.
    """

    def document(method: F) -> F:
        signature = inspect.signature(method)
        ordinary = signature.parameters.values()
        positional = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        before = [each for each in ordinary if each.kind in positional]
        after = [each for each in ordinary if each.kind is each.KEYWORD_ONLY]
        named = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                # None is a weight of its own: every respondent counts as one.
                default=UNSET if name == "weight" else default,
                annotation=kind.__forward_arg__,
            )
            for name, kind in fields.__annotations__.items()
        ]
        shown = signature.replace(parameters=[*before, *named, *after])
        vars(method)["__signature__"] = shown
        return method

    return document
