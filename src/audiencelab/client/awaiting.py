"""What is to be awaited, and says so to whoever did not.

To Python `client.stats(…)` without `await` is a coroutine, and whatever is done with it next ends
in words about coroutines. These are coroutines all the same: a task, `asyncio.gather` and a
deadline take them as they are. Nothing is decided here.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Generator
from typing import Any, Generic, NoReturn, TypeVar, cast

__all__ = ["Loader", "Steps", "Unawaited", "twin_of"]

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


def twin_of(blocking: Callable[..., Any]) -> Callable[[F], F]:
    """The same call for `await`: documented by its blocking twin, and named by it in advice."""
    group, _, name = blocking.__qualname__.rpartition(".")
    of_client = "client" if group in {"Client", "Analyses"} else f"client.{group.lower()}"

    def take_over(method: F) -> F:
        method.__doc__ = blocking.__doc__
        if not inspect.iscoroutinefunction(method):
            return method

        @functools.wraps(method)
        def call(*arguments: Any, **named: Any) -> Unawaited[Any]:
            return Unawaited(method(*arguments, **named), f"{of_client}.{name}(…)")

        return cast(F, call)

    return take_over


class Unawaited(Coroutine[Any, Any, T]):
    """A coroutine that says how it is awaited when it is taken for its result.

    code: the call, as a reader would write it.
    """

    def __init__(self, coroutine: Coroutine[Any, Any, T], code: str) -> None:
        self._coroutine = coroutine
        self._code = code

    def __await__(self) -> Generator[Any, Any, T]:
        return self._coroutine.__await__()

    def send(self, value: Any) -> Any:
        return self._coroutine.send(value)

    def throw(self, *error: Any) -> Any:
        return self._coroutine.throw(*error)

    def close(self) -> None:
        self._coroutine.close()

    def __repr__(self) -> str:
        return f"<{self._code}, not awaited yet: write await {self._code}>"

    def __getattr__(self, name: str) -> Any:
        # asyncio and debuggers look at a coroutine from within.
        if name.startswith(("_", "cr_")):
            return getattr(self._coroutine, name)
        raise AttributeError(
            f"{self._code} has to be awaited for its .{name}: write (await {self._code}).{name}"
        )

    def __getitem__(self, key: object) -> NoReturn:
        self._refuse()

    def __iter__(self) -> NoReturn:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise TypeError(f"{self._code} has to be awaited first: write await {self._code}")


class Steps(AsyncIterator[T]):
    """What comes step by step, and says so to a plain `for`."""

    def __init__(self, steps: AsyncGenerator[T, None], code: str) -> None:
        self._steps = steps
        self._code = code

    async def __anext__(self) -> T:
        return await anext(self._steps)

    async def aclose(self) -> None:
        """Call the rest off and free the connection."""
        await self._steps.aclose()

    def __repr__(self) -> str:
        return f"<{self._code}, to go through: write async for … in {self._code}>"

    def __iter__(self) -> NoReturn:
        raise TypeError(f"Write async for … in {self._code}; a plain for cannot wait.")

    def __getitem__(self, key: object) -> NoReturn:
        raise TypeError(
            f"It comes step by step and has no items: [each async for each in {self._code}] is a "
            "list of all."
        )


class Loader(Generic[T]):
    """What is called and awaited to be there, and says so when it is used as if it were.

    code: the attribute that it is.
    """

    def __init__(self, load: Callable[[], Coroutine[Any, Any, T]], code: str) -> None:
        self._load = load
        self._code = code

    def __call__(self) -> Coroutine[Any, Any, T]:
        return Unawaited(self._load(), f"{self._code}()")

    def __repr__(self) -> str:
        return f"<{self._code}, to be loaded: {self._advice()}>"

    def __getitem__(self, key: object) -> NoReturn:
        self._refuse()

    def __iter__(self) -> NoReturn:
        self._refuse()

    def __contains__(self, key: object) -> NoReturn:
        self._refuse()

    def __await__(self) -> NoReturn:
        self._refuse()

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(
            f"The {self._name} has to be loaded before its .{name} is there: {self._advice()}"
        )

    def _refuse(self) -> NoReturn:
        raise TypeError(f"The {self._name} has to be loaded first: {self._advice()}")

    @property
    def _name(self) -> str:
        return self._code.rpartition(".")[2]

    def _advice(self) -> str:
        return f"write {self._name} = await {self._code}()"
