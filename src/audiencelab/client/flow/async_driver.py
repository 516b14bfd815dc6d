"""The asynchronous driver: does what a flow asks through a door, for `await`; decides nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from types import AsyncGeneratorType
from typing import Any, Generic, TypeVar, cast

from audiencelab.client.doors import AsyncAnswer, AsyncDoor
from audiencelab.client.errors import RequestError
from audiencelab.client.flow.steps import Emit, Flow, Read, Send, Step, Wait
from audiencelab.client.flow.veiling import Guard, is_veiled
from audiencelab.client.messages import Head, NoAnswer

__all__ = ["AsyncDriver", "AsyncRun"]

T = TypeVar("T")


class AsyncDriver:
    """Runs flows through one door."""

    def __init__(self, door: AsyncDoor) -> None:
        self._door = door

    async def run(self, flow: Flow[T]) -> T:
        """The flow's result; whatever it emits on the way is dropped."""
        run = AsyncRun(self._door, flow)
        async for _ in run:
            pass
        return run.result

    def start(self, flow: Flow[T]) -> AsyncRun[T]:
        """The flow as an iterator over what it emits."""
        return AsyncRun(self._door, flow)

    async def close(self) -> None:
        await self._door.close()


class AsyncRun(Generic[T]):
    """One flow under way: iterate over what it emits, then read `result`.

    `close()`, or cancelling the task that iterates, abandons it and frees its connection. Closed by
    another task, the iteration ends.
    """

    def __init__(self, door: AsyncDoor, flow: Flow[T]) -> None:
        self._door = door
        self._flow = flow
        self._answer: AsyncAnswer | None = None
        self._guard = Guard()
        self._steps = cast("AsyncGeneratorType[Any, None]", self._step_through())
        self._closed = False
        self._under_way: asyncio.Timeout | None = None
        self.result: T

    def __aiter__(self) -> AsyncGenerator[Any, None]:
        return self._steps

    async def close(self) -> None:
        self._closed = True
        if self._under_way is not None:
            # Another task is in the middle of a step: it is over now, and the others with it.
            self._under_way.reschedule(asyncio.get_running_loop().time())
        elif not self._steps.ag_running:
            # Else another task is ending it already, and hanging up.
            await self._steps.aclose()

    async def _step_through(self) -> AsyncGenerator[Any, None]:
        sent: Any = None
        try:
            while not self._closed:
                try:
                    step = self._resume(sent)
                except StopIteration as stop:
                    self.result = stop.value
                    return
                except RequestError as error:
                    if self._guard.alarmed or is_veiled(error, self._door.secrets):
                        # The frames within hold what the service said.
                        raise error.with_traceback(None) from None
                    raise
                sent = None
                if isinstance(step, Emit):
                    yield step.value
                else:
                    sent = await self._perform(step)
        finally:
            self._flow.close()
            await self._hang_up()

    def _resume(self, sent: Any) -> Step:
        return self._flow.throw(sent) if isinstance(sent, NoAnswer) else self._flow.send(sent)

    async def _perform(self, step: Send | Read | Wait) -> Head | bytes | NoAnswer | None:
        try:
            async with asyncio.timeout(None) as self._under_way:
                return await self._take(step)
        except NoAnswer as error:
            return error.with_traceback(None)
        except TimeoutError:
            if not self._closed:
                raise
            return None
        finally:
            self._under_way = None

    async def _take(self, step: Send | Read | Wait) -> Head | bytes | NoAnswer | None:
        if isinstance(step, Wait):
            await self._hang_up()
            await asyncio.sleep(step.seconds)
            return None
        if isinstance(step, Send):
            await self._hang_up()
            self._answer = await self._door.send(step.request, step.patience)
            return self._guard.begun(self._answer.head, self._door.secrets)
        assert self._answer is not None, "a flow reads after it has sent"
        return self._guard.came(await self._answer.read())

    async def _hang_up(self) -> None:
        if self._answer is not None:
            answer, self._answer = self._answer, None
            await answer.close()
