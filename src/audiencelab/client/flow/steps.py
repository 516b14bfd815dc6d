"""The steps of a call: what a flow asks its driver to do, one at a time.

A flow is a generator of steps and is sent what came of each. Nothing here does or decides anything.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from audiencelab.client.messages import Patience, Request

__all__ = ["Emit", "Flow", "Read", "Send", "Step", "Wait"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Send:
    """Step: send this request; the driver sends back a `Head`, or throws `NoAnswer`."""

    request: Request
    patience: Patience


@dataclass(frozen=True, slots=True)
class Wait:
    """Step: let this many seconds pass."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Read:
    """Step: the next bytes of the answer; the driver sends back `b""` at its end."""


@dataclass(frozen=True, slots=True)
class Emit:
    """Step: hand this to the caller, who may be gone."""

    value: Any


Step = Send | Read | Wait | Emit
Flow = Generator[Step, Any, T]
