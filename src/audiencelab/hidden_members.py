"""Members that other modules of the package need and its users do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")


def hide_members(*names: str) -> Callable[[type[T]], type[T]]:
    """Leave members of a class out of completion, and out of the names that are promised."""

    def decorate(kind: type[T]) -> type[T]:
        marked = cast(Any, kind)
        marked.__hidden_members__ = names
        marked.__dir__ = _shown
        return kind

    return decorate


def hidden_members(kind: type) -> set[str]:
    """The members of a class, its own and inherited, that are hidden."""
    return {name for base in kind.__mro__ for name in vars(base).get("__hidden_members__", ())}


def _shown(each: object) -> list[str]:
    return sorted({*object.__dir__(each)} - hidden_members(type(each)))
