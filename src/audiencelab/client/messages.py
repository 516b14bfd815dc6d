"""What passes between an operation, the flow that performs it and the door it goes through.

Plain values without behaviour: no address, no credential, no connection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Generic, TypeVar

__all__ = ["Call", "Head", "NoAnswer", "Patience", "Request", "Retry", "Withheld"]

T = TypeVar("T")


class Retry(Enum):
    """What sending a request twice would do; it belongs to the operation, not to the verb."""

    READ = auto()
    """Nothing: it only reads."""
    COSTLY = auto()
    """Nothing but cost the service a calculation."""
    ASSIGN = auto()
    """Nothing: absolute values are assigned again."""
    CREATE = auto()
    """A second thing would come into being, and no operation could tell."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request without address, credential or connection: what an operation says."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    retry: Retry = Retry.READ


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A request and how to read its answer."""

    request: Request
    parse: Callable[[bytes], T]


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of an answer; header names are in lower case."""

    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a door waits.

    timeout: seconds without a byte; None waits for ever.
    until: the moment, by `time.monotonic`, at which the whole call must be over; None for never.
    called_off: tells whether nobody waits any more; a blocking door asks it while it waits.
    """

    timeout: float | None = None
    until: float | None = None
    called_off: Callable[[], bool] | None = None


class NoAnswer(Exception):
    """What a door raises when no answer, or no whole one, comes; it holds words only.

    timeout: whether it was a matter of time.
    unsent: whether the request has provably not reached the service.
    """

    def __init__(self, words: str, *, timeout: bool = False, unsent: bool = False) -> None:
        super().__init__(words)
        self.words = words
        self.timeout = timeout
        self.unsent = unsent


class Withheld(NoAnswer):
    """What a driver throws into a flow in place of an answer that nobody may see."""
