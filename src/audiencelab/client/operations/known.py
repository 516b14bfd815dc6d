"""Which of the service's operations a request is, by its method and path, and what it does.

For requests that nobody built here: written out by a caller, or read from a file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from audiencelab.client.messages import Retry

__all__ = ["Operation", "operation_of"]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation by the name that a client gives it.

    retry: what sending it twice does. is_known: whether it is the service's; else `retry` is what
        HTTP says of its method.
    """

    name: str
    retry: Retry
    is_known: bool = True

    @property
    def reads(self) -> bool:
        """Whether it is known to change nothing: some services act on a GET, whatever HTTP says."""
        return self.is_known and self.retry in (Retry.READ, Retry.COSTLY)


_IDENTIFIER = "[^/]+"
_OPERATIONS = [
    (re.compile(f"{method} {path}"), Operation(name, retry))
    for method, path, name, retry in (
        ("POST", "/v3/questions/filter", "questions.filter", Retry.READ),
        ("GET", f"/v2/questions/{_IDENTIFIER}", "questions.get", Retry.READ),
        ("GET", f"/v2/categories/{_IDENTIFIER}", "categories.get", Retry.READ),
        ("POST", "/v2/query/stats", "stats", Retry.READ),
        ("POST", "/v2/query/crosstab", "crosstab", Retry.READ),
        ("POST", "/v1/charts", "charts.create", Retry.CREATE),
        ("PUT", f"/v1/charts/{_IDENTIFIER}", "charts.update", Retry.ASSIGN),
        ("POST", f"/v1/charts/{_IDENTIFIER}/calculate", "charts.calculate", Retry.COSTLY),
        ("PATCH", f"/v2/saved/audiences/{_IDENTIFIER}", "audiences.update", Retry.ASSIGN),
        ("POST", "/v3/insights/filter", "insights.filter", Retry.READ),
    )
]
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def operation_of(method: str, path: str) -> Operation:
    """The operation; a request of no known one is named as it is, and judged by its method."""
    request = f"{method} {path}"
    for pattern, operation in _OPERATIONS:
        if pattern.fullmatch(request):
            return operation
    if method in _SAFE:
        return Operation(request, Retry.READ, is_known=False)
    retry = Retry.CREATE if method == "POST" else Retry.ASSIGN
    return Operation(request, retry, is_known=False)
