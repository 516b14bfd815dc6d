"""Asking a service in a test: JSON in, JSON out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from audiencelab.service import Request, Service

TOKEN = "a-token-for-tests"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    @property
    def lines(self) -> list[Any]:
        return [msgspec.json.decode(line) for line in self.body.splitlines()]

    @property
    def pointers(self) -> list[str]:
        """The pointers of a problem's faults."""
        return [fault["pointer"] for fault in self.json["errors"]]


def ask(
    service: Service,
    method: str,
    path: str,
    body: Any = None,
    *,
    token: str | None = TOKEN,
    headers: dict[str, str] | None = None,
) -> Answer:
    """One request; `body` is sent as JSON unless it is bytes already."""
    path, _, query = path.partition("?")
    sent = body if isinstance(body, bytes) else b"" if body is None else msgspec.json.encode(body)
    given = {name.lower(): value for name, value in (headers or {}).items()}
    credential = {} if token is None else {"authorization": f"Bearer {token}"}
    request = Request(method, path, query, credential | given, sent)
    response = service.handle(request)
    return Answer(response.status, response.headers, response.read())


def crosstab(service: Service, **body: Any) -> list[Any]:
    answer = ask(service, "POST", "/v2/query/crosstab", body)
    assert answer.status == 200, answer.body
    return answer.lines


def stats(service: Service, **body: Any) -> Any:
    answer = ask(service, "POST", "/v2/query/stats", body)
    assert answer.status == 200, answer.body
    return answer.json
