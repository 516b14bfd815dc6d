"""The blocking driver: does what a flow asks over an HTTP client, and decides nothing.

Thread-safe as the HTTP client is: a driver holds no state of a call. Exceptions of the HTTP
library end here; a flow is told of them in words, so that no request (and no header of it) can
hang on an error that a notebook shows or pickles.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from audiencelab.client.flow import Emit, Flow, Head, NoAnswer, Read, Request, Send
from audiencelab.client.http import (
    URL,
    HttpClient,
    HttpFailure,
    HttpResponse,
    describe_failure,
)

__all__ = ["Driver", "Run"]

T = TypeVar("T")


@lru_cache(maxsize=256)
def _absolute(base: str, path: str, query: tuple[tuple[str, str], ...]) -> URL:
    """The whole address; kept, since taking addresses apart is most of a small call's cost."""
    return URL(f"{base.rstrip('/')}{path}{f'?{urlencode(query)}' if query else ''}")


class Driver:
    """Runs flows over one HTTP client."""

    def __init__(self, http: HttpClient) -> None:
        self._http = http

    def run(self, flow: Flow[T]) -> T:
        """The flow's result; whatever it emits on the way is dropped."""
        run = Run(self._http, flow)
        for _ in run:
            pass
        return run.result

    def start(self, flow: Flow[T]) -> Run[T]:
        """The flow as an iterator over what it emits."""
        return Run(self._http, flow)

    def close(self) -> None:
        self._http.close()


class Run(Generic[T]):
    """One flow under way: iterate over what it emits, then read `result`.

    `close()` abandons it and frees its connection. It may be called from another thread; the step
    under way there is the last one.
    """

    def __init__(self, http: HttpClient, flow: Flow[T]) -> None:
        self._http = http
        self._flow = flow
        self._response: HttpResponse | None = None
        self._chunks: Iterator[bytes] = iter(())
        self._steps = self._step_through()
        self._closed = False
        self.result: T

    def __iter__(self) -> Iterator[Any]:
        return self._steps

    def close(self) -> None:
        self._closed = True
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
                sent = None
                if isinstance(step, Emit):
                    yield step.value
                else:
                    sent = self._perform(step)
        finally:
            self._flow.close()
            self._hang_up()

    def _resume(self, sent: Any) -> Send | Read | Emit:
        return self._flow.throw(sent) if isinstance(sent, NoAnswer) else self._flow.send(sent)

    def _perform(self, step: Send | Read) -> Head | bytes | NoAnswer:
        try:
            return self._send(step.request) if isinstance(step, Send) else next(self._chunks, b"")
        except HttpFailure as error:
            words, timeout = describe_failure(error)
            return NoAnswer(words, timeout=timeout)

    def _send(self, request: Request) -> Head:
        self._hang_up()
        headers = dict(request.headers)
        if request.body is not None:
            headers["content-type"] = "application/json"
        url = _absolute(str(self._http.base_url), request.path, tuple(request.query.items()))
        prepared = self._http.build_request(
            request.method, url, content=request.body, headers=headers
        )
        response = self._http.send(prepared, stream=True)
        self._response = response
        # An empty chunk would read as the end.
        self._chunks = filter(None, response.iter_bytes())
        return Head(response.status_code, dict(response.headers))

    def _hang_up(self) -> None:
        if self._response is not None:
            self._response.close()
            self._response = None
