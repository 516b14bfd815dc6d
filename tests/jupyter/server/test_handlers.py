"""What a handler does that no answer shows."""

from __future__ import annotations

import asyncio
import inspect
from types import SimpleNamespace
from typing import Any, cast

import pytest

from audiencelab.jupyter.server.asking import request_in
from audiencelab.jupyter.server.handlers import AskHandler
from audiencelab.widgets.rpc_types import Cancelled


def test_a_page_that_goes_away_calls_its_question_off() -> None:
    handler = AskHandler.__new__(AskHandler)
    handler.on_connection_close()  # before its question was read
    handler._request = request_in({"op": "catalogue"})
    assert not handler._request.cancelled
    handler.on_connection_close()
    assert handler._request.cancelled


def test_a_page_that_goes_away_while_its_connection_is_looked_up_is_not_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handler = AskHandler.__new__(AskHandler)
    asked: list[bool] = []

    async def look_up(*_: object) -> str:
        handler.on_connection_close()
        return "a connection"

    async def ask(_: object, answered: Any, *__: object) -> None:
        asked.append(handler._request is not None and handler._request.cancelled)
        raise Cancelled

    handler.office = cast(Any, SimpleNamespace(work=look_up, work_for=ask, connection=None))
    monkeypatch.setattr(AskHandler, "body", lambda _: {"op": "catalogue"})
    asyncio.run(inspect.unwrap(AskHandler.post)(handler, "survey"))
    assert asked == [True]
