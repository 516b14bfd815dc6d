"""Which operation a recorded request is, by its method and path: for words, never for sending."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Operation", "operation_of"]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation by the name that a client gives it.

    reads: whether it only reads, so that asking again changes nothing.
    """

    name: str
    reads: bool


_IDENTIFIER = "[^/]+"
_OPERATIONS = [
    (re.compile(f"{method} {path}"), Operation(name, reads))
    for method, path, name, reads in (
        ("POST", "/v3/questions/filter", "questions.filter", True),
        ("GET", f"/v2/questions/{_IDENTIFIER}", "questions.get", True),
        ("GET", f"/v2/categories/{_IDENTIFIER}", "categories.get", True),
        ("POST", "/v2/query/stats", "stats", True),
        ("POST", "/v2/query/crosstab", "crosstab", True),
        ("POST", "/v1/charts", "charts.create", False),
        ("PUT", f"/v1/charts/{_IDENTIFIER}", "charts.update", False),
        ("POST", f"/v1/charts/{_IDENTIFIER}/calculate", "charts.calculate", True),
        ("PATCH", f"/v2/saved/audiences/{_IDENTIFIER}", "audiences.update", False),
        ("POST", "/v3/insights/filter", "insights.filter", True),
    )
]


def operation_of(method: str, path: str) -> Operation:
    """The operation; a request of no known one is named as it is, and nobody knows what it does."""
    request = f"{method} {path}"
    for pattern, operation in _OPERATIONS:
        if pattern.fullmatch(request):
            return operation
    return Operation(request, reads=False)
