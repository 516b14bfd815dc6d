"""Services that repeat the credential: no result, error, traceback or pickle says it on."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterator

import pytest

import audiencelab as al
from audiencelab.client.errors import InvalidResponse, RequestError
from tests.client.test_canary import assert_absent, verbose
from tests.jupyter.server.jupyter import CANARY
from tests.jupyter.server.misbehaving import Deployment, misbehaving

REFUSALS = ("echo-in-an-error", "echo-as-a-fault", "echo-as-text", "echo-as-its-id")


@pytest.fixture(scope="module")
def evil() -> Iterator[Deployment]:
    with misbehaving() as server:
        yield server


def blocking(url: str, mode: str) -> RequestError:
    with (
        al.connect(url, token=CANARY, retries=0) as client,
        pytest.raises(RequestError) as caught,
    ):
        client.questions.get(f"core.{mode}")
    return caught.value


def awaited(url: str, mode: str) -> RequestError:
    async def ask() -> None:
        async with al.connect_async(url, token=CANARY, retries=0) as client:
            await client.questions.get(f"core.{mode}")

    with pytest.raises(RequestError) as caught:
        asyncio.run(ask())
    return caught.value


@pytest.mark.parametrize("mode", REFUSALS)
@pytest.mark.parametrize("ask", [blocking, awaited])
def test_no_error_repeats_the_credential(evil: Deployment, mode: str, ask) -> None:
    error = ask(evil.url, mode)
    assert error.status in (401, 422)
    assert CANARY.encode() in evil.heads[-1], "it was sent, or nothing is shown here"
    assert_absent(str(error), repr(error), pickle.dumps(error), repr(vars(error)), secret=CANARY)
    assert_absent(verbose(error), secret=CANARY)
    assert "held the credential" in str(error)


def test_other_words_of_a_refusal_are_shown(evil: Deployment) -> None:
    assert "Nothing of that name." in str(blocking(evil.url, "refused-in-words"))


ANSWERS = ("echo", "echo-in-two", "echo-as-its-id-though-well")


def read(client: al.Client, mode: str) -> object:
    return client.questions.get(f"core.{mode}")


def read_raw(client: al.Client, mode: str) -> object:
    return client.request("GET", f"/v2/questions/core.{mode}")


@pytest.mark.parametrize("mode", ANSWERS)
@pytest.mark.parametrize("ask", [read, read_raw])
def test_no_answer_that_repeats_the_credential_is_shown(evil: Deployment, mode: str, ask) -> None:
    before = len(evil.heads)
    with al.connect(evil.url, token=CANARY) as client, pytest.raises(InvalidResponse) as caught:
        ask(client, mode)
    assert_said_by_nobody(caught.value)
    assert len(evil.heads) == before + 1, "it would be said again"


@pytest.mark.parametrize("mode", ANSWERS)
def test_nor_is_one_that_was_awaited(evil: Deployment, mode: str) -> None:
    async def ask() -> None:
        async with al.connect_async(evil.url, token=lambda: CANARY) as client:
            await client.questions.get(f"core.{mode}")

    with pytest.raises(InvalidResponse) as caught:
        asyncio.run(ask())
    assert_said_by_nobody(caught.value)


def assert_said_by_nobody(error: RequestError) -> None:
    assert "held the credential" in str(error)
    assert_absent(str(error), repr(error), pickle.dumps(error), repr(vars(error)), secret=CANARY)
    assert_absent(verbose(error), secret=CANARY)


def test_other_headers_than_those_shown_may_say_what_they_like(evil: Deployment) -> None:
    with al.connect(evil.url, token=CANARY) as client:
        answer = client.request("GET", "/v2/questions/core.echo-in-a-header")
    assert_absent(repr(answer), pickle.dumps(answer), answer.body, secret=CANARY)
