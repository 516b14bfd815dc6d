"""The line of Python that an error ends in, as its reader would write it.

What a reader has a name for is written by that name: `client`, `young`. Everything else writes
itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import get_close_matches
from inspect import currentframe
from os import PathLike, fspath
from types import FrameType
from typing import Any, NoReturn, cast

_PACKAGE = __name__.partition(".")[0]


class PlainCode(str):
    """A piece of code, which is written as it is."""

    __slots__ = ()


class CallCode:
    """A call of a method; of: the code of its object."""

    def __init__(
        self, of: str, method: str, given: Sequence[object] = (), named: Mapping[str, object] = {}
    ) -> None:
        self.of, self.method = of, method
        self.given, self.named = tuple(given), dict(named)

    def argument(self, position: int, name: str) -> Any:
        """An argument by its position or its name; None where it is not given."""
        return self.given[position] if position < len(self.given) else self.named.get(name)

    def __str__(self) -> str:
        arguments = [*map(code_of, self.given)]
        arguments += [f"{name}={code_of(value)}" for name, value in self.named.items()]
        return f"{self.of}.{self.method}({', '.join(arguments)})"


def code_of(value: object) -> str:
    """A value as code: by the name that the caller has for it, else as it writes itself."""
    if isinstance(value, str):
        return str(value) if isinstance(value, PlainCode) else text_code(value)
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if name := name_of(value):
        return name
    if isinstance(value, PathLike):
        return text_code(str(fspath(cast("PathLike[str]", value))))
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return f"{{{', '.join(f'{code_of(key)}: {code_of(each)}' for key, each in pairs)}}}"
    if isinstance(value, list | tuple | set | frozenset):
        return f"[{', '.join(map(code_of, cast('Sequence[object]', value)))}]"
    for own in ("_as_line", "to_code"):
        write: Callable[[object], str] | None = getattr(type(value), own, None)
        if write is not None and (code := write(value)):
            return code
    number = getattr(value, "item", None)  # of numpy
    return repr(number() if callable(number) else value)


def text_code(text: str) -> str:
    """A text in double quotes, as most people write it."""
    return f'"{text}"' if text.isprintable() and not {'"', "\\"} & {*text} else repr(text)


def name_of(value: object) -> str:
    """The name that the caller of the package has for a value, or ""."""
    frame = _caller()
    if frame is None:
        return ""
    for names in (frame.f_locals, frame.f_globals):
        for name, each in names.items():
            if each is value and name.isidentifier() and not name.startswith("_"):
                return name
    return ""


def in_callers_names(text: str) -> str:
    """A text whose lines call the client as the caller does, where that is not `client`."""
    frame = _caller()
    known: dict[str, Any] = {} if frame is None else {**frame.f_globals, **frame.f_locals}
    if "client" in known:
        return text
    names = (name for name, each in known.items() if type(each).__name__ == "Client")
    own = next((name for name in names if not name.startswith("_")), "client")
    return _CLIENT.sub(own, text)


_CLIENT = re.compile(r"""(?<![\w."'])client(?=[.\[])""")


def _caller() -> FrameType | None:
    """The nearest frame outside of the package."""
    frame = currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def write_instead(said: str, line: str, error: type[Exception] = TypeError) -> NoReturn:
    """Raise an error that ends in a line which does what was meant."""
    raise error(in_callers_names(f"{said} Write {line}."))


def near(name: str, known: Collection[str], cutoff: float = 0.6) -> str:
    """The known name that was probably meant, or "" where none is close."""
    return next(iter(get_close_matches(name, known, 1, cutoff)), "")


def one_of(given: object, known: Collection[str]) -> str:
    """The words of which one has to be given, and which of them was probably meant.

    >>> one_of("bonf", ["none", "bonferroni", "holm"])
    "Choose one of none, bonferroni, holm. Did you mean 'bonferroni'?"
    """
    word = given.strip().casefold() if isinstance(given, str) else ""
    begun = [each for each in known if len(word) > 1 and each.startswith(word)]
    meant = begun[0] if len(begun) == 1 else near(word, known)
    return f"Choose one of {', '.join(known)}.{f' Did you mean {meant!r}?' if meant else ''}"
