"""The endpoints of the service: method, path, and what sending a request twice does.

The client builds its requests from them, and the service finds its operations by them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from urllib.parse import quote, unquote

from audiencelab.schema.http import Request

_PARAMETER = re.compile(r"{(\w+)}")


class Retry(Enum):
    """What sending a request twice does; it belongs to the operation, not to the HTTP method."""

    READ = auto()
    """Nothing: it only reads."""
    COSTLY = auto()
    """Nothing, but the service calculates again."""
    ASSIGN = auto()
    """Nothing: absolute values are assigned again."""
    CREATE = auto()
    """A second object would be created, and no operation could tell."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an operation is reached.

    name: of the method of a client that sends it.
    path: a template such as `/v2/questions/{question_code}`; a parameter is one whole segment.
    weighted: whether its figures depend on the weight that the caller chooses.
    tagged: whether its answers have an `ETag`, so that a caller who kept one need not get it again.
    """

    name: str
    method: str
    path: str
    retry: Retry = Retry.READ
    weighted: bool = False
    tagged: bool = False

    @property
    def writes(self) -> bool:
        """Whether it changes what the service stores."""
        return self.retry in (Retry.ASSIGN, Retry.CREATE)

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters in the path."""
        return _PARAMETER.findall(self.path)

    def match(self, path: str) -> dict[str, str] | None:
        """The decoded parameters of a path; None for a path of another endpoint.

        path: percent-encoded, so that an encoded slash stays part of its segment.
        """
        if not (found := _pattern(self.path).fullmatch(path)):
            return None
        return {name: unquote(value) for name, value in found.groupdict().items()}

    def request(
        self,
        *parameters: str,
        query: str = "",
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> Request:
        """A request to it; `parameters` in the order of the path, not yet encoded."""
        path = self.path
        for name, value in zip(self.parameters, parameters, strict=True):
            # A slash in a code is encoded, as each parameter is one segment of the path.
            path = path.replace(f"{{{name}}}", quote(value, safe=""))
        return Request(self.method, path, query, headers or {}, body)


FILTER_QUESTIONS = Endpoint("questions.filter", "POST", "/v3/questions/filter", tagged=True)
GET_QUESTION = Endpoint("questions.get", "GET", "/v2/questions/{question_code}", tagged=True)
GET_CATEGORY = Endpoint("categories.get", "GET", "/v2/categories/{category_id}", tagged=True)
QUERY_STATS = Endpoint("stats", "POST", "/v2/query/stats", weighted=True)
QUERY_CROSSTAB = Endpoint("crosstab", "POST", "/v2/query/crosstab", weighted=True)
QUERY_AMOUNTS = Endpoint("amounts", "POST", "/local/amounts", weighted=True)
QUERY_PRECISION = Endpoint("precision", "POST", "/local/precision", weighted=True)
QUERY_PAIRS = Endpoint("pairs", "POST", "/local/pairs", weighted=True)
QUERY_ITEMS = Endpoint("items", "POST", "/local/items", weighted=True)
QUERY_ADJUSTED = Endpoint("adjusted", "POST", "/local/adjusted", weighted=True)
QUERY_NUMBERS = Endpoint("numbers", "POST", "/local/numbers", weighted=True)
CREATE_CHART = Endpoint("charts.create", "POST", "/v1/charts", Retry.CREATE)
UPDATE_CHART = Endpoint("charts.update", "PUT", "/v1/charts/{id}", Retry.ASSIGN)
CALCULATE_CHART = Endpoint(
    "charts.calculate", "POST", "/v1/charts/{id}/calculate", Retry.COSTLY, weighted=True
)
UPDATE_SAVED_AUDIENCE = Endpoint(
    "audiences.update", "PATCH", "/v2/saved/audiences/{id}", Retry.ASSIGN
)
FILTER_INSIGHTS = Endpoint("insights.filter", "POST", "/v3/insights/filter")

ENDPOINTS = (
    FILTER_QUESTIONS,
    GET_QUESTION,
    GET_CATEGORY,
    QUERY_STATS,
    QUERY_CROSSTAB,
    QUERY_AMOUNTS,
    QUERY_PRECISION,
    QUERY_PAIRS,
    QUERY_ITEMS,
    QUERY_NUMBERS,
    QUERY_ADJUSTED,
    CREATE_CHART,
    UPDATE_CHART,
    CALCULATE_CHART,
    UPDATE_SAVED_AUDIENCE,
    FILTER_INSIGHTS,
)

_RETRY_BY_METHOD = {
    "GET": Retry.READ,
    "HEAD": Retry.READ,
    "OPTIONS": Retry.READ,
    "POST": Retry.CREATE,
}


def endpoint_of(method: str, path: str) -> Endpoint:
    """The endpoint that a request is for.

    A request that fits none gets one of its own, which is not in `ENDPOINTS`; what a retry of it
    does follows from the method.
    """
    for endpoint in ENDPOINTS:
        if endpoint.method == method and _pattern(endpoint.path).fullmatch(path):
            return endpoint
    # PUT, PATCH and DELETE have the same effect if they are sent twice.
    return Endpoint(f"{method} {path}", method, path, _RETRY_BY_METHOD.get(method, Retry.ASSIGN))


@cache
def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(_PARAMETER.sub(r"(?P<\1>[^/]+)", template))
