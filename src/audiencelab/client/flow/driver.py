"""The blocking driver: does what a flow asks through a door, and decides nothing.

Thread-safe as the door is: a driver holds no state of a call.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import suppress
from threading import Event
from typing import Any, Generic, TypeVar

from audiencelab.client.doors import Answer, Door
from audiencelab.client.errors import RequestError
from audiencelab.client.flow.steps import Emit, Flow, Read, Send, Step, Wait
from audiencelab.client.flow.veiling import Guard, is_veiled
from audiencelab.client.messages import Head, NoAnswer, Patience

__all__ = ["Driver", "Run"]

T = TypeVar("T")


class Driver:
    """Runs flows through one door."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def run(self, flow: Flow[T]) -> T:
        """The flow's result; whatever it emits on the way is dropped."""
        run = Run(self._door, flow)
        for _ in run:
            pass
        return run.result

    def start(self, flow: Flow[T]) -> Run[T]:
        """The flow as an iterator over what it emits."""
        return Run(self._door, flow)

    def close(self) -> None:
        self._door.close()


class Run(Generic[T]):
    """One flow under way: iterate over what it emits, then read `result`.

    `close()` abandons it and frees its connection. It may be called from another thread: a wait
    or a read over a network ends there within a second, and any other step is the last one.
    """

    def __init__(self, door: Door, flow: Flow[T]) -> None:
        self._door = door
        self._flow = flow
        self._answer: Answer | None = None
        self._guard = Guard()
        self._steps = self._step_through()
        self._closed = False
        self._waiting: Event | None = None
        self.result: T

    def __iter__(self) -> Iterator[Any]:
        return self._steps

    def close(self) -> None:
        self._closed = True
        if self._waiting is not None:
            self._waiting.set()
        # Under way on another thread, the steps end themselves when they next look.
        with suppress(ValueError):
            self._steps.close()

    def _step_through(self) -> Generator[Any, None, None]:
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
                    sent = self._perform(step)
        except KeyboardInterrupt as stop:
            # Where it struck within says nothing to whoever pressed the button.
            raise stop.with_traceback(None) from None
        finally:
            self._flow.close()
            self._hang_up()

    def _resume(self, sent: Any) -> Step:
        return self._flow.throw(sent) if isinstance(sent, NoAnswer) else self._flow.send(sent)

    def _perform(self, step: Send | Read | Wait) -> Head | bytes | NoAnswer | None:
        try:
            if isinstance(step, Wait):
                self._wait(step.seconds)
                return None
            if isinstance(step, Send):
                self._hang_up()
                patience = step.patience
                self._answer = self._door.send(
                    step.request, Patience(patience.timeout, patience.until, self._is_closed)
                )
                return self._guard.begun(self._answer.head, self._door.secrets)
            assert self._answer is not None, "a flow reads after it has sent"
            return self._guard.came(self._answer.read())
        except NoAnswer as error:
            return error.with_traceback(None)

    def _is_closed(self) -> bool:
        return self._closed

    def _wait(self, seconds: float) -> None:
        self._hang_up()
        self._waiting = Event()
        # Looked at once the event is there: `close` does the two in the other order.
        if not self._closed:
            self._waiting.wait(seconds)

    def _hang_up(self) -> None:
        if self._answer is not None:
            self._answer.close()
            self._answer = None
