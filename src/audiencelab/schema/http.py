"""HTTP requests and responses as plain values, shared by the client's transports and the service.

Header names are lower case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

JSON = "application/json"
NDJSON = "application/x-ndjson"
PROBLEM = "application/problem+json"


WEIGHT = "audiencelab-weight"
"""The header in which a client names the weight to a service in its own process.

Percent-encoded; empty for no weight. No other service is asked for a weight.
"""


EDITS = "audiencelab-edits"
"""The header in which a client says how many edits of the survey its request is after, and which.

A snapshot finds its answer by it: the same request may be made before and after an edit.
"""


SURVEY_VERSION = "survey-version"
"""The header of an answer that names the version of the survey it is of: hex digits.

Equal versions have equal figures: respondents, the record of what was asked, weights, design,
derived questions and minimum base. No other service sends it.
"""


IF_SURVEY_VERSION = "if-survey-version"
"""The header of a request that only this version of the survey may answer."""


def short_version(version: str) -> str:
    """The version of a survey as people read it, such as `4c3f0b2e`; of none "no named version"."""
    return version[:8] or "no named version"


SURVEY_CHANGED = "survey_changed"
"""The type of the problem (412) with which another version refuses such a request."""


BASE_OF = "base-of"
"""The header of an answer that repeats who of the base counted in a cell, where it was asked for.

A service that does not know the field counts everyone and does not send it: such an answer is not
taken.
"""


SURVEY_SCOPE = "survey-scope"
"""The header of the catalogue with what a query of the survey counts that names nothing.

Percent-encoded JSON: `base_of`, `waves` ("all", or "" for the default of the operation), `sizes`,
and `wave_names`, the name of each accessible wave by its code, in order of date. No other service
sends it.
"""


UNWEIGHTED = "none, everybody counts as one"
"""How surveys and results name no weight."""


class TransportError(Exception):
    """No response arrived, or not all of it. Holds text only, no object of the HTTP library.

    timeout: whether a timeout was exceeded.
    unsent: whether the request provably did not reach the service.
    """

    def __init__(self, message: str, *, timeout: bool = False, unsent: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.timeout = timeout
        self.unsent = unsent


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    path: as in the request line, percent-encoded, without the query.
    query: the part after the `?`, as sent.
    headers: by name in lower case.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Response:
    """One response; `body` is made while it is read. Header names are lower case.

    Reading the body raises `TransportError` where the response breaks. Closing it stops the work
    behind the body, so a caller that does not read to the end should.

    details: what the log of a server says of it and the caller does not see: `operation`,
        `caller`, `rows` and `columns` of a table, `id` of what was written.
    """

    status: int
    headers: dict[str, str]
    body: Iterator[bytes]
    details: dict[str, Any] = field(default_factory=dict[str, Any])

    def close(self) -> None:
        """Stop making the body."""
        if hasattr(self.body, "close"):
            self.body.close()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] -- generators have it

    def read(self) -> bytes:
        """The whole body."""
        return b"".join(self.body)
