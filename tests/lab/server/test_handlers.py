"""What a handler does that no answer shows."""

from __future__ import annotations

from audiencelab.lab.server.asking import request_in
from audiencelab.lab.server.handlers import AskHandler


def test_a_page_that_goes_away_calls_its_question_off() -> None:
    handler = AskHandler.__new__(AskHandler)
    handler.on_connection_close()  # before its question was read
    handler._request = request_in({"op": "catalogue"})
    assert not handler._request.cancelled
    handler.on_connection_close()
    assert handler._request.cancelled
