"""Two who change the same chart or audience: the second one learns of the first."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import audiencelab as al
from audiencelab.client import Client, NotFound
from audiencelab.client.errors import RequestLine, SavedMeanwhile
from audiencelab.client.problems import refusal_of
from audiencelab.service import Service
from tests.client.every_transport import TRANSPORTS, through

GENDER = al.Q("q2").any("q2_1")


def second_of_two(client: Any) -> list[str]:
    """What a client meets that has not seen the update before its own, and what it does then."""
    made = client.charts.create("Chart", attributes=[("q4", "q4_2")])
    first = client.charts.update(made.id, name="First", if_match=made)
    outcomes: list[str] = []
    try:
        client.charts.update(made.id, name="Second", if_match=made)
    except SavedMeanwhile as error:
        outcomes.append(f"{error.status}: {error}")
    client.charts.update(made.id, name="Second", if_match=first)
    client.charts.update(made.id, name="Third")
    return outcomes


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_second_of_two_is_refused(transport: str, tmp_path: Path) -> None:
    with through(transport, al.demo_survey(), second_of_two, tmp_path) as client:
        (outcome,) = second_of_two(client)
    assert outcome.startswith("412: ")
    assert "Someone else saved this in the meantime (412)." in outcome
    assert "Read it again and repeat the change, or write over theirs" in outcome


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Client, Client, str]]:
    """Two clients of one served service, and the id of an audience that it has."""
    store = tmp_path / "store.db"
    with Service(al.demo_survey(), store=store) as service:
        kept = service.save_audience(al.Audience("Kept", GENDER))
    with al.serve(store=store) as url, al.connect(url) as ana, al.connect(url) as bea:
        yield ana, bea, kept.id


def test_two_clients_of_a_served_service_lose_no_update(two: tuple[Client, Client, str]) -> None:
    ana, bea, identity = two
    seen = ana.audiences.update(identity, name="Ana's")
    theirs = bea.audiences.update(identity, shared=True)
    with pytest.raises(SavedMeanwhile) as raised:
        ana.audiences.update(identity, name="Ana's again", if_match=seen)
    assert pickle.loads(pickle.dumps(raised.value)).status == 412
    assert bea.audiences.update(identity, position=3.0, if_match=theirs).name == "Ana's"
    # Without it, as ever.
    assert ana.audiences.update(identity, name="Ana's again").shared
    with pytest.raises(NotFound):
        ana.audiences.update("8d5a3c0e-2f55-4f0e-9c41-6f0b7a1d2e93", name="x", if_match=seen)


def test_what_the_service_of_this_process_returns_has_a_tag() -> None:
    with al.connect() as client:
        service = client.service
        kept = service.save_audience(al.Audience("Kept", GENDER))
        read = service.saved_audience(kept.id)
        listed = next(each for each in service.saved_audiences() if each.id == kept.id)
        assert kept == read == listed
        for seen in (kept, read, listed):
            written = client.audiences.update(kept.id, name="Kept", if_match=seen)
            with pytest.raises(SavedMeanwhile):
                client.audiences.update(kept.id, name="No", if_match='"older"')
            kept = written
            read = listed = written
        made = client.charts.create("Chart")
        client.charts.update(made.id, name="One", if_match=service.chart(made.id))
        (chart,) = (each for each in service.charts() if each.id == made.id)
        assert client.charts.update(made.id, name="Two", if_match=chart) == made.id
        assert "etag" not in repr(chart)
        assert "etag" not in chart.to_dict()


def test_a_service_without_tags_is_written_to_as_ever() -> None:
    heard: list[httpx.Headers] = []

    def respond(request: httpx.Request) -> httpx.Response:
        heard.append(request.headers)
        return httpx.Response(200, json={"id": "c-1"} if request.method == "POST" else "c-1")

    mounts = {"all://": httpx.MockTransport(respond)}
    with al.connect("https://odd.example", token="t-123456", http={"mounts": mounts}) as client:
        made = client.charts.create("Chart")
        assert client.charts.update(made.id, name="Other", if_match=made) == "c-1"
    assert [*map(bool, heard)] == [True, True]
    assert not any("if-match" in headers for headers in heard)


@pytest.mark.parametrize(("given", "error"), [(3, TypeError), ("c-1", ValueError)])
def test_what_is_not_a_version_is_refused_before_anything_is_sent(
    given: Any, error: type[Exception]
) -> None:
    with al.connect() as client, pytest.raises(error, match="if_match"):
        client.charts.update("c-1", name="Other", if_match=given)


def test_a_write_that_was_tried_before_may_be_refused_by_itself() -> None:
    line = RequestLine("PUT", "/v1/charts/c-1", status=412, attempts=2)
    assert "your own change" in str(refusal_of(line, {}, b""))
