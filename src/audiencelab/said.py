"""Words of other programs that are functions here: a table of them, by the word."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import CO_VARKEYWORDS
from types import MethodType
from typing import Any, TypeVar, cast

from audiencelab.keywords import keywords

F = TypeVar("F", bound=Callable[..., Any])


class Phrases:
    """Functions of an object by the words for them: `@said("head")`, `@said("shape", shown=True)`.

    shown: a word that reads a value, without a call.
    """

    def __init__(self) -> None:
        self._calls: dict[str, Callable[..., Any]] = {}
        self._shown: dict[str, Callable[..., Any]] = {}

    def __call__(self, *words: str, shown: bool = False) -> Callable[[F], F]:
        def decorate(function: F) -> F:
            # One that lists its arguments refuses others, which it would not obey.
            any_name = cast(Any, function).__code__.co_flags & CO_VARKEYWORDS
            taken = function if shown or any_name else keywords()(function)
            (self._shown if shown else self._calls).update(dict.fromkeys(words, taken))
            return function

        return decorate

    def of(self, it: object, name: str) -> Callable[[], Any] | None:
        """What reads a word of an object; None for another name."""
        if name in self._shown:
            return partial(self._shown[name], it)
        return partial(MethodType, self._calls[name], it) if name in self._calls else None
