"""A credential that a service repeats appears in nothing that its answers become."""

from __future__ import annotations

import base64
import json
import pickle
import re
from collections.abc import Callable
from html import escape
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.client import ClientError, Secret
from audiencelab.client.credentials import DOTS
from audiencelab.client.veil import SHORTEST, Veil, holds_secret, veiled
from tests.client.odd_services import TOKEN, Opened, always
from tests.client.test_canary import verbose
from tests.client.test_odd_services import OPERATIONS

WRITINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "json": lambda text: json.dumps({"message": text}),
    "json in json": lambda text: json.dumps({"body": json.dumps({"echo": text})}),
    "escaped": lambda text: "".join(f"\\u{ord(each):04X}" for each in text),
    "slashes": lambda text: json.dumps(text).replace("/", "\\/"),
    "percent": lambda text: quote(text, safe=""),
    "percent, lower": lambda text: re.sub("%..", lambda code: code[0].lower(), quote(text)),
    "html": escape,
    "base64": lambda text: base64.b64encode(f"Bearer {text}".encode()).decode(),
    "base64 of two": lambda text: base64.urlsafe_b64encode(f"ab:{text}".encode()).decode(),
}
tokens = st.text(
    st.characters(codec="ascii", categories=["L", "N", "P", "S"]), min_size=SHORTEST, max_size=40
)


@pytest.mark.parametrize("write", WRITINGS.values(), ids=WRITINGS)
@given(token=tokens, size=st.integers(1, 80))
def test_dots_take_its_place_wherever_the_bytes_are_cut(
    write: Callable[[str], str], token: str, size: int
) -> None:
    data, secrets = f"before {write(token)} after".encode(), [Secret(token)]
    veil = Veil(secrets)
    shown = b"".join(veil.feed(data[at : at + size]) for at in range(0, len(data), size))
    shown += veil.rest()
    assert not holds_secret(secrets, [shown])
    assert DOTS.encode() in shown
    assert shown.startswith(b"before ")
    assert shown.endswith(b" after")


@given(token=tokens, data=st.binary(max_size=300), size=st.integers(1, 80))
def test_other_bytes_stay(token: str, data: bytes, size: int) -> None:
    veil = Veil([Secret(token)])
    shown = b"".join(veil.feed(data[at : at + size]) for at in range(0, len(data), size))
    if not holds_secret([Secret(token)], [data]):
        assert shown + veil.rest() == data


def test_without_a_credential_or_with_a_short_one_nothing_is_changed() -> None:
    assert veiled([], TOKEN) == TOKEN
    assert veiled([Secret("test")], "a test") == "a test"
    assert Veil([]).feed(b"a test") == b"a test"


def problem(status: int, **fields: Any) -> httpx.Response:
    return httpx.Response(status, json={"title": "No", **fields})


HALF = json.dumps({"status": 500, "title": "Failed", "detail": f"for {TOKEN}"})
ANSWERS: dict[str, Any] = {
    "problem": problem(401, detail=f"Unknown token {TOKEN}"),
    "faults": problem(400, errors=[{"pointer": f"/{TOKEN}", "detail": TOKEN}]),
    "text": httpx.Response(500, text=f"Authorization: Bearer {TOKEN}"),
    "page": httpx.Response(200, html=f"<h1>You sent {TOKEN}</h1>"),
    "escaped": httpx.Response(400, content=json.dumps({"detail": quote(f"/{TOKEN}+")})),
    "base64": problem(403, detail=base64.b64encode(f"Bearer {TOKEN}".encode()).decode()),
    "type": httpx.Response(200, content=b"{}", headers={"content-type": f"text/{TOKEN}"}),
    "id": httpx.Response(404, headers={"x-request-id": TOKEN}),
    "redirect": httpx.Response(302, headers={"location": f"https://{TOKEN}.example/"}),
    "other shape": {TOKEN: {TOKEN: TOKEN}, "question": {"code": [TOKEN]}, "detail": TOKEN},
    "stream": httpx.Response(200, content=HALF),
    "number": httpx.Response(200, content=f'{{"question": {{"code": {TOKEN}'),
}


def copied(answer: Any) -> Any:
    """A response of httpx is sent once."""
    if not isinstance(answer, httpx.Response):
        return answer
    return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("operation", ["questions.get", "crosstab", "charts.create"])
def test_no_error_has_it(opened: Opened, operation: str, answer: Any) -> None:
    client = opened(lambda _path, _body: copied(answer))
    with pytest.raises(ClientError) as caught:
        OPERATIONS[operation](client)
    error = caught.value
    shown = [str(error), repr(error), verbose(error), repr(vars(error))]
    assert not holds_secret([Secret(TOKEN)], [*map(str.encode, shown), pickle.dumps(error)])


def test_no_answer_has_it(opened: Opened) -> None:
    client = opened(always(httpx.Response(200, json={"echo": TOKEN}, headers={"etag": TOKEN})))
    response = client.request("GET", "/v2/questions/core.q2")
    assert response.json() == {"echo": DOTS}
    assert not holds_secret([Secret(TOKEN)], [pickle.dumps(response), repr(response).encode()])
