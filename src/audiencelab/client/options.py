"""How calls are made: time allowed, attempts, headers. One frozen value, handed to every flow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["EMBEDDED", "Options"]


@dataclass(frozen=True, slots=True)
class Options:
    """How a client makes its calls.

    timeout: seconds without a byte from the service before an attempt is given up.
    deadline: seconds for a whole call, with all its attempts and the waits between them.
    retries: attempts after the first; a stream is gone on with as long as each brings something,
        unless this is 0.
    headers: sent with every request besides the client's own.
    pauses: whether attempts wait for one another; a service that is replayed needs no rest.
    credential: where the credential comes from, in words, for the error that says it was refused.
    max_body: bytes that an answer may take once its compression is undone, streams apart.

    None for either time means no end.
    """

    timeout: float | None = 60.0
    deadline: float | None = 600.0
    retries: int = 2
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    credential: str = ""
    pauses: bool = True
    max_body: int = 512 * 1024 * 1024


EMBEDDED = Options(timeout=None, deadline=None)
"""For a service in this process: it works until it is done or called off."""
