"""Arguments by name: shown in signatures, and taken by the words of other programs too.

A method takes the fields of a `TypedDict` by `**given: Unpack[Fields]`, which type checkers read;
`@keywords(Fields)` shows them to `help`, completion and `inspect.signature`, and refuses others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from inspect import Parameter, signature
from math import inf
from typing import Any, ParamSpec, TypeVar, cast

from msgspec import UNSET, UnsetType

from audiencelab.unknown_names import near
from audiencelab.words import ARGUMENTS, ARGUMENTS_ALWAYS, ARGUMENTS_INSTEAD, UNNAMED_INSTEAD

A = TypeVar("A")
F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")
T = TypeVar("T")


def keywords(
    fields: type | None = None, usual: Mapping[str, object] | UnsetType | None = None
) -> Callable[[F], F]:
    """Show the fields of a `TypedDict` in a method's signature, and raise `TypeError` for others.

    fields: what the method unpacks with `**`; None for a method that lists its arguments.
    usual: defaults by name, which the method is called with; or what is shown for every field.
    """
    kinds = {} if fields is None else fields.__annotations__
    defaults: dict[str, object] = {}
    if isinstance(usual, Mapping):
        shown_usual = defaults = {name: each for name, each in usual.items() if name in kinds}
    else:
        # None is a value of its own where a field can be unset, such as a weight.
        texts = {name: kind.__forward_arg__ for name, kind in kinds.items()}
        shown_usual = {n: UNSET if "UnsetType" in text else usual for n, text in texts.items()}
    added = [
        Parameter(
            name, Parameter.KEYWORD_ONLY, default=each, annotation=kinds[name].__forward_arg__
        )
        for name, each in shown_usual.items()
    ]

    def decorate(method: F) -> F:
        found = signature(method)
        own = [each for each in found.parameters.values() if each.kind is not each.VAR_KEYWORD]
        shown = found.replace(parameters=[*own, *added])
        known = _named(shown.parameters)
        unnamed = [each for each in own if each.kind is not each.KEYWORD_ONLY]
        most = inf if any(each.kind is each.VAR_POSITIONAL for each in own) else len(unnamed)
        plain = [each for each in unnamed if each.kind is each.POSITIONAL_OR_KEYWORD]
        needed = [each.name for each in plain if each.default is each.empty]

        @wraps(method)
        def call(*given: Any, **named: Any) -> Any:
            if len(given) > most:
                raise TypeError(_too_many(method.__name__, known, len(unnamed) - 1))
            for word, name in meant(method.__name__, [*named], known):
                value = named.pop(word)
                if name == word:
                    continue
                named[name] = round(1 - value, 12) if word == "alpha" else value
            if lacking := [name for name in needed[len(given) :] if name not in named]:
                raise TypeError(
                    f"{method.__name__} needs {' and '.join(map(repr, lacking))}. "
                    f"It takes {', '.join(known)}."
                )
            return method(*given, **{**defaults, **named})

        vars(call)["__signature__"] = shown
        return cast(F, call)

    return decorate


def fields_of(kind: Callable[P, A]) -> Callable[[Callable[[A], T]], Callable[P, T]]:
    """Give a function of one record the record's fields as its arguments."""

    def decorate(function: Callable[[A], T]) -> Callable[P, T]:
        shown = signature(kind)
        known = _named(shown.parameters)

        @wraps(function)
        def call(*given: P.args, **named: P.kwargs) -> T:
            try:
                for word, name in meant(function.__name__, [*named], known):
                    named[name] = named.pop(word)
                record = kind(*given, **named)
            finally:
                # A verbose traceback would print a token, which is a plain str in these.
                del given, named
            return function(record)

        returned = function.__annotations__["return"]
        vars(call)["__signature__"] = shown.replace(return_annotation=returned)
        return call

    return decorate


def _too_many(method: str, known: Sequence[str], unnamed: int) -> str:
    if method in UNNAMED_INSTEAD:
        return f"{method} takes its arguments by name, and no file. {UNNAMED_INSTEAD[method]}"
    first = ", ".join(known[:unnamed]) or "nothing"
    return (
        f"{method} takes {first} without a name, several of them as a list. "
        f"Give the others by name: {', '.join(known[unnamed:])}."
    )


def _named(parameters: Mapping[str, Parameter]) -> list[str]:
    """The arguments that can be given by name."""
    several = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return [n for n, each in parameters.items() if n != "self" and each.kind not in several]


def meant(method: str, given: Collection[str], known: Collection[str]) -> list[tuple[str, str]]:
    """The words that a method does not take, each with the argument that it means.

    A word of what the method always does means itself, and is left out. It sees no values, which a
    traceback could show. Raises `TypeError` for a word that means none, or one that is given too.
    """
    found: dict[str, str] = {}
    for word in given:
        if word not in known:
            if ARGUMENTS_ALWAYS.get(word) in known:
                found[word] = word
                continue
            words = () if _instead(word, known) else ARGUMENTS.get(word, ())
            name = next((each for each in words if each in known), "")
            if not name or name in given or name in found.values():
                raise TypeError(_refusal(method, word, name, known))
            found[word] = name
    return [*found.items()]


def _refusal(method: str, word: str, name: str, known: Collection[str]) -> str:
    if name:
        return f"{method} got {word!r} and {name!r}, which mean the same. Leave one out."
    if instead := _instead(word, known):
        return f"{method} takes no argument {word!r}. {instead}"
    close = near(word, known)
    hint = f"Did you mean {close!r}?" if close else f"It takes {', '.join(known)}."
    return f"{method} takes no argument {word!r}. {hint}"


def _instead(word: str, known: Collection[str]) -> str:
    """What to write in place of a word that means no argument; "" where that is not known."""
    tables = (table for argument, table in ARGUMENTS_INSTEAD.items() if argument in known)
    return next((table[word] for table in tables if word in table), "")
