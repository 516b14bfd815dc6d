"""A transport that returns scripted responses, and a clock on which time passes only in sleeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
import pytest

from audiencelab.client import errors
from audiencelab.client.context import ClientContext
from audiencelab.client.exchange import Call
from audiencelab.client.options import ClientOptions
from audiencelab.client.responses import RawResponse
from audiencelab.client.retries import Clock
from audiencelab.client.sending import Sender
from audiencelab.client.transports.base import NO_LIMIT, Timeout
from audiencelab.schema.endpoints import Retry
from audiencelab.schema.http import Request, Response, TransportError
from audiencelab.tables import CrosstabResult


class Head(NamedTuple):
    """The beginning of a response; chunks of its body follow, and `b""` ends it."""

    status: int
    headers: Mapping[str, str]


Script = list[Head | bytes | TransportError]

REQUEST = Request("POST", "/v2/query/stats", "include=secret-query", {}, b"{}")
CALL = Call(REQUEST, msgspec.json.Decoder(dict[str, int]).decode)

ONCE = ClientOptions(retries=0)

OK: Script = [Head(200, {}), b'{"a": 1}', b""]
CUT = TransportError("The connection broke.")
UNSENT = TransportError("Unreachable.", unsent=True)


@dataclass
class World:
    """Time passes when the client sleeps, or when the service is slow (`answer_takes`)."""

    time: float = 1_000.0
    chance: float = 1.0
    answer_takes: float = 0.0
    sent: list[Request] = field(default_factory=list[Request])
    timeouts: list[Timeout] = field(default_factory=list[Timeout])
    waits: list[float] = field(default_factory=list[float])
    updates: list[Any] = field(default_factory=list[Any])
    script: Iterator[Head | bytes | TransportError] = field(default_factory=lambda: iter(()))
    secrets = ()

    def fetch(self, call: Call[Any], script: Script, options: ClientOptions | None = None) -> Any:
        return self.sender(script, options).fetch(call)[0]

    def fetch_raw(self, script: Script, options: ClientOptions | None = None) -> RawResponse:
        return self.sender(script, options).fetch_raw(REQUEST, Retry.READ)

    def crosstab(
        self,
        result: CrosstabResult,
        script: Script,
        options: ClientOptions | None = None,
        part: slice = slice(None),
    ) -> CrosstabResult:
        updates = self.sender(script, options).crosstab(asking, result, part=part)
        self.updates.extend(updates)
        return result

    def sender(self, script: Script, options: ClientOptions | None = None) -> Sender:
        self.script = iter(script)
        clock = Clock(
            lambda: self.time,
            lambda: 1_700_000_000.0,
            lambda: self.chance,
            lambda: "id",
            self.sleep,
        )
        return Sender(
            self, ClientContext("https://service.example"), options or ClientOptions(), clock
        )

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        self.sent.append(request)
        self.timeouts.append(timeout)
        self.time += self.answer_takes
        answer = next(self.script, None)
        if isinstance(answer, TransportError):
            raise answer
        assert isinstance(answer, Head), "sent more often than expected"
        return Response(answer.status, dict(answer.headers), self.body())

    def close(self) -> None: ...

    def body(self) -> Iterator[bytes]:
        for chunk in self.script:
            if isinstance(chunk, TransportError):
                raise chunk
            assert isinstance(chunk, bytes)
            if not chunk:
                return
            yield chunk


def fetch(script: Script, options: ClientOptions | None = None, call: Call[Any] = CALL) -> Any:
    return World().fetch(call, script, options)


def asking(rows: Sequence[int], columns: Sequence[int]) -> Request:
    """A request that shows in its body what it asks for."""
    body = msgspec.json.encode([list(rows), list(columns)])
    return Request("POST", "/v2/query/crosstab", body=body)


def posting(retry: Retry) -> Call[dict[str, int]]:
    request = Request("POST", "/v1/charts", body=b"{}")
    return Call(request, msgspec.json.Decoder(dict[str, int]).decode, retry)


def refused(status: int, body: bytes) -> errors.RequestError:
    """The error that a refusal becomes."""
    with pytest.raises(errors.RequestError) as caught:
        fetch([Head(status, {}), body], ONCE)
    return caught.value
