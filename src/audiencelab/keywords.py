"""Arguments by name: shown in signatures, and taken by the words of other programs too.

A method takes the fields of a `TypedDict` by `**given: Unpack[Fields]`, which type checkers read;
`@keywords(Fields)` shows them to `help`, completion and `inspect.signature`, and refuses others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from inspect import CO_VARARGS, CO_VARKEYWORDS, Parameter, signature, unwrap
from math import inf
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, cast

from msgspec import UNSET, UnsetType

from audiencelab.lines import CallCode, code_of, in_callers_names, near
from audiencelab.words import (
    ANY,
    ARGUMENTS,
    ARGUMENTS_INSTEAD,
    DONE_ANYWAY,
    LOOKS,
    UNNAMED_INSTEAD,
    VALUES,
    VALUES_INSTEAD,
)

NONE: Mapping[Any, str] = {}

A = TypeVar("A")
F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")
T = TypeVar("T")

Instead = Callable[[CallCode, Mapping[str, Any]], str]
"""The line to write in place of a call with words that it does not take, given the call without
them and their values; "" where none is known."""

Note = Callable[[str, Sequence[Any], Mapping[str, Any], Any], None]
"""Takes a call: the name of the method, its arguments by position and by name, and what it
returned."""


def _nothing(*_: object) -> None:
    """Note nothing of a call."""


def keywords(
    fields: type | None = None,
    usual: Mapping[str, object] | UnsetType | None = None,
    instead: Instead | None = None,
    note: Note = _nothing,
) -> Callable[[F], F]:
    """Show the fields of a `TypedDict` in a method's signature, and raise `TypeError` for others.

    fields: what the method unpacks with `**`; None for a method that lists its arguments.
    usual: defaults by name, which the method is called with; or what is shown for every field.
    instead: the line that an error about words of other programs ends in.
    note: called after each call.
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
        unnamed = [each.name for each in own if each.kind is not each.KEYWORD_ONLY]
        plain = [each for each in own if each.kind <= each.POSITIONAL_OR_KEYWORD]
        needed = [each.name for each in plain if each.default is each.empty]
        most = inf if any(each.kind is each.VAR_POSITIONAL for each in own) else len(unnamed)
        valued = not VALUES.keys().isdisjoint(known)

        @wraps(method)
        def call(*given: Any, **named: Any) -> Any:
            name = _called(method, given)
            if len(given) > most:
                refused = _too_many(name, known, len(unnamed) - (unnamed[:1] == ["self"]))
                extra = {"": given[len(unnamed) :]}
                line = "" if instead is None else instead(_call_of(method, given, named), extra)
                if not line and unnamed[-1] == "columns":
                    at = len(unnamed) - 1
                    line = str(_call_of(method, (*given[:at], list(given[at:])), named))
                raise TypeError(f"{refused} Write {line}." if line else refused)
            if twice := [each for each in unnamed[: len(given)] if each in named]:
                raise TypeError(f"{name} got {twice[0]!r} twice, without its name and with it.")
            if any(name not in known for name in named):
                named = _taken(method, given, named, known, instead)
            if valued:
                given, named = _valued(method, unnamed, given, named)
            if lacking := [name for name in needed[len(given) :] if name not in named]:
                raise TypeError(
                    f"{name} needs {' and '.join(map(repr, lacking))}. It takes {', '.join(known)}."
                )
            made = method(*given, **{**defaults, **named})
            note(method.__name__, given, named, made)
            return made

        vars(call)["__signature__"] = shown
        return cast(F, call)

    return decorate


def take_words(kind: type) -> None:
    """Let public methods of a class, and of its bases in this package, take words for arguments."""
    package = __name__.partition(".")[0]
    for base in kind.__mro__:
        for name, method in [*vars(base).items()] if base.__module__.startswith(package) else ():
            if name.startswith("_") or not isinstance(method, FunctionType):
                continue
            # One that takes any name is left alone, and so is one that takes words already.
            done = vars(method).keys() & {"__signature__", _TAKES_WORDS}
            if not done and not unwrap(method).__code__.co_flags & CO_VARKEYWORDS:
                setattr(base, name, _taking(method))


_TAKES_WORDS = "takes_words"


def _taking(method: F) -> F:
    inner = unwrap(method)
    code = inner.__code__
    known = frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    needed = code.co_varnames[: code.co_argcount - len(inner.__defaults__ or ())]
    most = inf if code.co_flags & CO_VARARGS else code.co_argcount

    @wraps(method)
    def call(*given: Any, **named: Any) -> Any:
        # Only a call that does not fit needs the signature.
        fits = len(given) <= most and named.keys() <= known
        if fits and all(name in named for name in needed[len(given) :]):
            return method(*given, **named)
        return keywords()(method)(*given, **named)

    vars(call)[_TAKES_WORDS] = True
    return cast(F, call)


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


def _called(method: Callable[..., Any], given: Sequence[Any]) -> str:
    """The name of a method, or of the class that it makes an object of."""
    return type(given[0]).__name__ if method.__name__ == "__init__" else method.__name__


def _too_many(method: str, known: Sequence[str], unnamed: int) -> str:
    if method in UNNAMED_INSTEAD:
        return f"{method} takes its arguments by name, and no file. {UNNAMED_INSTEAD[method]}"
    first, others = ", ".join(known[:unnamed]) or "nothing", ", ".join(known[unnamed:])
    if not others:
        return f"{method} takes {first}, and got more."
    return (
        f"{method} takes {first} without a name, several of them as a list. "
        f"Give the others by name: {others}."
    )


def _named(parameters: Mapping[str, Parameter]) -> list[str]:
    """The arguments that can be given by name."""
    several = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return [n for n, each in parameters.items() if n != "self" and each.kind not in several]


def meant(method: str, given: Collection[str], known: Collection[str]) -> list[tuple[str, str]]:
    """The words that a method does not take, each with the argument that it means.

    It sees no values, which a traceback could show. Raises `TypeError` for a word that means none,
    or one that is given as well.
    """
    found, others = _renamed(given, known)
    if twice := _twice(method, given, found):
        raise TypeError(twice)
    if others:
        word = others[0]
        instead = _sentence(_instead(word, known), ...)
        hint = instead if instead and "{" not in instead else _hint(word, known)
        raise TypeError(f"{method} takes no argument {word!r}. {hint}")
    return [*found.items()]


def _renamed(given: Collection[str], known: Collection[str]) -> tuple[dict[str, str], list[str]]:
    """The words of a call by the arguments that they mean, and those that mean none."""
    found: dict[str, str] = {}
    others: list[str] = []
    for word in given:
        if word in known:
            continue
        words = () if _instead(word, known) else ARGUMENTS.get(word, ())
        if name := next((each for each in words if each in known), ""):
            found[word] = name
        else:
            others.append(word)
    return found, others


def _twice(method: str, given: Collection[str], found: Mapping[str, str]) -> str:
    """What an error says of an argument that a call has by two names; "" for none."""
    seen = {name: name for name in given if name not in found}
    for word, name in found.items():
        if name in seen:
            return f"{method} got {word!r} and {name!r}, which mean the same. Leave one out."
        seen[name] = word
    return ""


def _taken(
    method: Callable[..., Any],
    given: Sequence[Any],
    named: Mapping[str, Any],
    known: Collection[str],
    instead: Instead | None,
) -> dict[str, Any]:
    """The arguments by our names, without words that ask for what is done anyway."""
    named = {
        name: value
        for name, value in named.items()
        if name in known or not _is_done(name, value, known)
    }
    renamed, words = _renamed(named, known)
    if twice := _twice(_called(method, given), named, renamed):
        raise TypeError(twice)
    others = {word: named[word] for word in words}
    # In the order in which they were given.
    ours = {
        renamed.get(name, name): round(1 - value, 12) if name == "alpha" else value
        for name, value in named.items()
        if name not in words
    }
    if others:
        call = _call_of(method, given, ours)
        raise TypeError(in_callers_names(_refusal(call, others, known, instead)))
    return ours


def _is_done(word: str, value: object, known: Collection[str]) -> bool:
    """Whether a word asks for what is done without it."""
    tables = (table for argument, table in DONE_ANYWAY.items() if not argument or argument in known)
    return any(
        done == ANY or any(value is each for each in done)
        for table in tables
        if (done := table.get(word)) is not None
    )


def _call_of(
    method: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]
) -> CallCode:
    module, is_method = method.__module__, "." in method.__qualname__.rpartition("<locals>.")[2]
    if method.__name__ == "__init__":
        return CallCode("al", _called(method, given), given[1:], named)
    if is_method:
        return CallCode(code_of(given[0]), method.__name__, given[1:], named)
    part = ".charts" if ".charts." in module else ""
    return CallCode(f"al{part}", method.__name__, given, named)


def _refusal(
    call: CallCode, others: Mapping[str, Any], known: Collection[str], instead: Instead | None
) -> str:
    words = ", ".join(map(repr, others))
    said = f"{call.method} takes no argument{'s' * (len(others) > 1)} {words}."
    if line := "" if instead is None else instead(call, others):
        return f"{said} Write {line}."
    for word, value in others.items():
        if sentence := _sentence(_instead(word, known), value):
            return f"{said} {_filled(sentence, call, value)}"
    close = next((hit for word in others if (hit := near(word, known))), "")
    if close:
        return f"{said} Did you mean {close!r}?"
    if others.keys() <= LOOKS:
        return f"{said} It takes {', '.join(known)}. Without: Write {call}."
    return f"{said} {_hint(next(iter(others)), known)}"


def _hint(word: str, known: Collection[str]) -> str:
    close = near(word, known)
    return f"Did you mean {close!r}?" if close else f"It takes {', '.join(known)}."


def _instead(word: str, known: Collection[str]) -> str | Mapping[Any, str]:
    """What to write in place of a word that means no argument; "" where that is not known."""
    tables = (table for argument, table in ARGUMENTS_INSTEAD.items() if argument in known)
    return next((table[word] for table in tables if word in table), "")


def _sentence(given: str | Mapping[Any, str], value: object) -> str:
    """The sentence for a value of a word; that of "" is for every other value."""
    if isinstance(given, str):
        return given
    key = value.casefold() if isinstance(value, str) else value
    return next((each for of, each in given.items() if of is key or of == key), given.get("", ""))


def _filled(sentence: str, call: CallCode, value: object) -> str:
    if "{" not in sentence:
        return sentence
    first = code_of(call.given[0]) if call.given else ""
    written = {"{call}": str(call), "{of}": call.of, "{value}": code_of(value)}
    written |= {"{first}": first, "{method}": call.method}
    for mark, code in written.items():
        sentence = sentence.replace(mark, code)
    return sentence


def _valued(
    method: Callable[..., Any], unnamed: Sequence[str], given: Sequence[Any], named: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with the values of other programs as ours."""
    places = dict(enumerate(unnamed[: len(given)]))
    values = {**{places[at]: given[at] for at in places}, **named}
    for name, value in values.items():
        key: Any = value.casefold() if isinstance(value, str) else value
        if name not in VALUES or not isinstance(key, str | bool):
            continue
        values[name] = VALUES[name].get(key, value)
        if sentence := VALUES_INSTEAD.get(name, NONE).get(key, ""):
            others = {other: each for other, each in values.items() if other != name}
            call = _call_of(method, [others.pop(unnamed[0])] if given else (), others)
            raise ValueError(f"{name}={value!r} is not valid. {_filled(sentence, call, value)}")
    own = (values[places[at]] if at in places else given[at] for at in range(len(given)))
    return tuple(own), {name: values[name] for name in named}
