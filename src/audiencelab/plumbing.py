"""Members that other modules of the package need and its users do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")


def plumbing(*names: str) -> Callable[[type[T]], type[T]]:
    """Leave members of a class out of completion, and out of the names that are promised."""

    def decorate(kind: type[T]) -> type[T]:
        marked = cast(Any, kind)
        marked.__plumbing__ = names
        marked.__dir__ = _shown
        return kind

    return decorate


def hidden(kind: type) -> set[str]:
    """The members of a class, its own and inherited, that are plumbing."""
    return {name for base in kind.__mro__ for name in vars(base).get("__plumbing__", ())}


def _shown(each: object) -> list[str]:
    return sorted({*object.__dir__(each)} - hidden(type(each)))
