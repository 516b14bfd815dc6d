"""Calls over HTTP by the blocking and the asynchronous client, on real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from audiencelab.client import errors
from audiencelab.client.context import ClientContext
from audiencelab.client.credentials import Secret
from audiencelab.client.exchange import Call
from audiencelab.client.on_threads import Steps, Workers
from audiencelab.client.options import ClientOptions
from audiencelab.client.sending import Sender
from audiencelab.client.transports.http import HTTPTransport, TokenAuth
from audiencelab.tables import CrosstabResult
from tests.client.scripted import asking

__all__ = ["TOKEN", "Ask", "Way", "awaiting", "blocking", "crosstab", "fetch", "sender"]

TOKEN = "canary-token"

SETTINGS = {"trust_env": False}


@dataclass
class Ask:
    """One call; `first` runs before it is made."""

    call: Call[Any] | CrosstabResult
    options: ClientOptions
    first: Callable[[], object] = lambda: None


Way = Callable[[str, Sequence[Ask]], list[Any]]


def fetch(
    call: Call[Any], options: ClientOptions, first: Callable[[], object] = lambda: None
) -> Ask:
    return Ask(call, options, first)


def crosstab(result: CrosstabResult, options: ClientOptions) -> Ask:
    return Ask(result, options)


def sender(url: str, options: ClientOptions | None = None) -> Sender:
    transport = HTTPTransport(url, auth=TokenAuth(Secret(TOKEN)), settings=SETTINGS)
    return Sender(transport, ClientContext(url), options or ClientOptions())


def blocking(url: str, asked: Sequence[Ask]) -> list[Any]:
    client, outcomes = sender(url), list[Any]()
    for each in asked:
        each.first()
        by = client.with_options(each.options)
        try:
            if isinstance(each.call, Call):
                outcomes.append(by.fetch(each.call)[0])
            else:
                list(by.crosstab(asking, each.call))
                outcomes.append(each.call)
        except errors.ClientError as error:
            outcomes.append(error)
    client.transport.close()
    return outcomes


def awaiting(url: str, asked: Sequence[Ask]) -> list[Any]:
    async def run() -> list[Any]:
        client, outcomes = sender(url), list[Any]()
        workers = Workers(client.context)
        for each in asked:
            await asyncio.to_thread(each.first)
            by = client.with_options(each.options)
            try:
                if isinstance(each.call, Call):
                    outcomes.append((await workers.run(by.fetch, each.call))[0])
                else:
                    steps = Steps(by.crosstab(asking, each.call), workers)
                    _ = [update async for update in steps]
                    outcomes.append(each.call)
            except errors.ClientError as error:
                outcomes.append(error)
        client.transport.close()
        workers.close()
        return outcomes

    return asyncio.run(run())
