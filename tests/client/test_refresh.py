"""A 401: a function that supplies tokens is asked once more, and the request is sent once more."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

import audiencelab as al
from audiencelab.client import AuthenticationError

OLD, NEW = "canary-old-77e1", "canary-new-90bd"

QUESTION = "/v2/questions/core.q2"


class Supply:
    """Returns the old token as often as it is said to, and then the new one."""

    def __init__(self, old: int) -> None:
        self.calls = 0
        self._old = old
        self._lock = threading.Lock()
        # Nobody goes on before everybody has the old token.
        self._together = threading.Barrier(old)

    def __call__(self) -> str:
        with self._lock:
            self.calls += 1
            is_old = self.calls <= self._old
        if is_old and self._old > 1:
            self._together.wait(30)
        return OLD if is_old else NEW


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with al.serve(al.demo_survey(), token=NEW) as url:
        yield url


def test_a_token_that_ran_out_is_asked_for_once_more(url: str) -> None:
    supply = Supply(1)
    with al.connect(url, token=supply, retries=0) as client:
        response = client.request("GET", QUESTION)
        assert (response.status, response.attempts, supply.calls) == (200, 1, 2)
        assert OLD not in repr(client)
        assert NEW not in repr(client)


def test_a_stream_is_begun_again(url: str) -> None:
    supply = Supply(1)
    with al.connect(url, token=supply, retries=0, waves=["q4_2024"]) as client:
        rows = [al.Q("q2").any("q2_1")]
        with client.crosstab_stream(rows=rows) as stream:
            assert [update.arrived for update in stream][-1] == 1


def test_requests_at_the_same_time_share_one_refresh(url: str) -> None:
    supply = Supply(6)
    with al.connect(url, token=supply, retries=0) as client, ThreadPoolExecutor(6) as threads:
        asked = [threads.submit(client.request, "GET", QUESTION) for _ in range(6)]
        assert {each.result(60).status for each in asked} == {200}
    assert supply.calls == 7


def refusing(answered: list[str]) -> dict[str, httpx.MockTransport]:
    def respond(request: httpx.Request) -> httpx.Response:
        answered.append(request.headers["authorization"])
        return httpx.Response(401)

    return {"all://": httpx.MockTransport(respond)}


@pytest.mark.parametrize(
    ("supply", "sent"),
    [
        pytest.param(lambda: iter([OLD, NEW, "canary-third"]).__next__, [OLD, NEW], id="another"),
        pytest.param(lambda: lambda: OLD, [OLD], id="the same"),
        pytest.param(lambda: OLD, [OLD], id="fixed"),
    ],
)
def test_a_second_401_is_the_error(
    supply: Callable[[], str | Callable[[], str]], sent: list[str]
) -> None:
    answered: list[str] = []
    http = {"mounts": refusing(answered)}
    client = al.connect("https://odd.example", token=supply(), http=http)
    with client, pytest.raises(AuthenticationError) as raised:
        client.request("GET", QUESTION)
    assert answered == [f"Bearer {each}" for each in sent]
    shown = "".join(traceback.TracebackException.from_exception(raised.value).format())
    shown += repr(vars(raised.value))
    assert "canary" not in shown
