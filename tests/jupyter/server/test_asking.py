"""What a page may ask of a connection, whoever answers: never the credential."""

from __future__ import annotations

import pytest

import audiencelab as al
from audiencelab.errors import AudienceError
from audiencelab.jupyter.server.asking import Desk, request_in
from audiencelab.widgets.requests import Answer

TOKEN = "canary-0d7be4411c"


@pytest.mark.parametrize(
    "answer",
    [{"name": f"for {TOKEN}"}, Answer(None, [f"for {TOKEN}".encode()])],
    ids=["data", "buffers"],
)
def test_an_answer_that_holds_the_credential_is_not_given(answer: object) -> None:
    with al.serve(token=TOKEN) as url, al.connect(url, token=TOKEN) as client:
        desk = Desk(client)
        desk.on("tell", lambda _: answer)
        desk.on("greet", lambda _: len(client.waves()))
        assert desk.answer(request_in({"op": "greet"})).data
        with pytest.raises(AudienceError, match="held the credential") as caught:
            desk.answer(request_in({"op": "tell"}))
    assert TOKEN not in str(caught.value)
