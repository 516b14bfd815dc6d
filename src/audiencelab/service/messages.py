"""What comes in and what goes out: a request and a response, free of any transport."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

__all__ = ["JSON", "NDJSON", "PROBLEM", "Request", "Response"]

JSON = "application/json"
NDJSON = "application/x-ndjson"
PROBLEM = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    path: as it stands in the request line, still percent-encoded, without the query.
    query: what follows the `?`, as sent. headers: names in any case.
    in_process: whether it comes from this process, where the respondents are at hand, and may be
        answered with what no operation of the interface has.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    in_process: bool = False

    def header(self, name: str) -> str | None:
        """The value of a header, whatever the case of its name; None if it was not sent."""
        wanted = name.lower()
        return next((value for key, value in self.headers.items() if key.lower() == wanted), None)


@dataclass(frozen=True, slots=True)
class Response:
    """One response; `body` is made while it is read, and closing it stops the work behind it.

    A caller that does not read the body to its end should call `close`.
    """

    status: int
    headers: list[tuple[str, str]]
    body: Iterator[bytes]

    def close(self) -> None:
        """Stop making the body."""
        close = getattr(self.body, "close", None)
        if close is not None:
            close()

    def read(self) -> bytes:
        """The whole body."""
        return b"".join(self.body)
