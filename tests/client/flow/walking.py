"""Walking through a flow by hand: a world that gives its answers, and in which no time passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from audiencelab.client import errors
from audiencelab.client.flow import Emit, Read, Send, Wait, fetch
from audiencelab.client.flow.retries import Ambient
from audiencelab.client.messages import Call, Head, NoAnswer, Request, Retry
from audiencelab.client.options import Options

REQUEST = Request("POST", "/v2/query/stats", {"include": "secret-query"}, b"{}")
CALL = Call(REQUEST, msgspec.json.Decoder(dict[str, int]).decode)

Answer = list[Head | bytes | NoAnswer]

ONCE = Options(retries=0)


@dataclass
class World:
    """A world in which time passes only when the flow waits, or when a door is slow."""

    time: float = 1_000.0
    chance: float = 1.0
    answer_takes: float = 0.0
    sent: list[Request] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    emitted: list[Any] = field(default_factory=list)

    def ambient(self) -> Ambient:
        return Ambient(
            lambda: self.time, lambda: 1_700_000_000.0, lambda: self.chance, lambda: "id"
        )

    def walk(self, flow: Any, answers: Answer) -> Any:
        """Play the driver; when the answers are used up, every body has ended."""
        supply: Iterator[Head | bytes | NoAnswer] = iter(answers)
        given: Any = None
        try:
            while True:
                step = flow.throw(given) if isinstance(given, NoAnswer) else flow.send(given)
                given = None
                match step:
                    case Emit(value):
                        self.emitted.append(value)
                    case Wait(seconds):
                        self.waits.append(seconds)
                        self.time += seconds
                    case Send(request):
                        self.sent.append(request)
                        self.time += self.answer_takes
                        given = next(supply, None)
                        assert given is not None, "asked once more than expected"
                    case Read():
                        given = next(supply, b"")
        except StopIteration as stop:
            return stop.value


def walk(flow: Any, answers: Answer) -> tuple[Any, list[Any]]:
    """The flow's result and what it emitted."""
    world = World()
    return world.walk(flow, answers), world.emitted


def posting(retry: Retry) -> Call[dict[str, int]]:
    request = Request("POST", "/v1/charts", {}, b"{}", retry=retry)
    return Call(request, msgspec.json.Decoder(dict[str, int]).decode)


OK: Answer = [Head(200, {}), b'{"a": 1}', b""]
CUT = NoAnswer("The connection broke.")
UNSENT = NoAnswer("Unreachable.", unsent=True)


def refused(status: int, body: bytes) -> errors.RequestError:
    """The error that a refusal becomes."""
    with pytest.raises(errors.RequestError) as caught:
        walk(fetch(CALL, ONCE), [Head(status, {}), body])
    return caught.value
