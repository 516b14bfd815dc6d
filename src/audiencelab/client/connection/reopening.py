"""Open the source of a client again, with other arguments of `al.open`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from audiencelab.import_card import with_arguments

C = TypeVar("C")


@dataclass(frozen=True)
class Reopening(Generic[C]):
    """Opens a source again.

    given: the arguments that it was opened with. open: a client of it by arguments; None where the
    source, a frame, is gone.
    """

    given: Mapping[str, Any]
    open: Callable[[Mapping[str, Any]], C | None]

    def __call__(
        self, changed: Mapping[str, Any], without: Collection[tuple[str, str]] = ()
    ) -> C | None:
        """A client with other arguments. without: those that are left out, or a question of one."""
        arguments = {
            name: kept
            for name, value in self.given.items()
            if (name, "") not in without
            and (kept := _without(value, [key for each, key in without if each == name])) != {}
        }
        arguments = with_arguments(arguments, changed)
        # The folder that was named holds the survey by the arguments before.
        arguments.pop("to", None)
        return self.open(arguments)


def _without(value: Any, keys: Collection[str]) -> Any:
    if not keys or not isinstance(value, Mapping):
        return value
    named = cast("Mapping[str, Any]", value)
    return {key: each for key, each in named.items() if key not in keys}
