"""Services that answer as they like, each behind a client."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from audiencelab.client import connect
from audiencelab.expressions import Q
from audiencelab.schema import METRICS

__all__ = ["TOKEN", "TWO", "URL", "Handler", "Opened", "always", "opening", "row"]

URL = "https://odd.example"
TOKEN = "canary-odd-31c9"

Handler = Callable[[str, dict[str, Any]], Any]
"""From the path and the body of a request to what is answered: JSON, or a whole response."""

Opened = Callable[..., Any]


@contextmanager
def opening() -> Iterator[Opened]:
    """What opens a client of a service that answers by a handler."""
    clients: list[Any] = []

    def open_client(handler: Handler, **options: Any) -> Any:
        http = {"mounts": {"all://": _transport(handler)}}
        clients.append(connect(URL, http=http, **{"token": TOKEN, "retries": 0, **options}))
        return clients[-1]

    yield open_client
    for client in clients:
        client.close()


def _transport(handler: Handler) -> httpx.MockTransport:
    def respond(asked: httpx.Request) -> httpx.Response:
        body = json.loads(asked.content) if asked.content else {}
        found = handler(asked.url.raw_path.decode(), body)
        return found if isinstance(found, httpx.Response) else httpx.Response(200, json=found)

    return httpx.MockTransport(respond)


def always(found: Any) -> Handler:
    return lambda _path, _body: found


def row(datapoint: str, share: float | None = 10.0, **fields: Any) -> dict[str, Any]:
    metrics: dict[str, Any] = dict.fromkeys(METRICS, 1.0) | {"audience_percentage": share}
    return {"datapoint": datapoint, "metrics": metrics, "waves": ["q1_2024"], **fields}


TWO = [Q("q2").any("q2_1"), Q("q2").any("q2_2")]
