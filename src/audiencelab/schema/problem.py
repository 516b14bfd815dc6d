"""The body of a failed request: a problem document (RFC 9457) with one entry for each fault."""

from __future__ import annotations

import msgspec

__all__ = ["Problem", "ProblemFault"]


class ProblemFault(msgspec.Struct, frozen=True):
    """One fault: a JSON pointer into the request's body, and what is wrong there."""

    pointer: str
    detail: str


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """A problem document; what was submitted is never repeated in it."""

    status: int
    title: str
    type: str = "about:blank"
    detail: str = ""
    errors: list[ProblemFault] = msgspec.field(default_factory=list[ProblemFault])
