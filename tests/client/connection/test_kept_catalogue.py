"""The catalogue of a remote service: kept in the cache folder, by address and caller."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

import audiencelab as al
from audiencelab.cli import main
from audiencelab.client.credentials import Secret
from audiencelab.client.questions import EVERYTHING, build_questions_filter
from audiencelab.client.snapshots.format import read
from audiencelab.client.transports import kept_catalogue
from audiencelab.client.transports.base import NO_LIMIT, Timeout
from audiencelab.client.transports.kept_catalogue import CatalogueTransport, kept_catalogues
from audiencelab.schema.http import Request, Response, TransportError
from tests.client.conftest import TOKEN, Served

WHOLE = build_questions_filter(None, EVERYTHING).request


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "catalogues"


@dataclass
class Service:
    """A service that tags its catalogue; another body is another tag."""

    body: bytes = b'{"questions":[]}'
    headers: dict[str, str] = field(default_factory=dict[str, str])
    asked: list[Request] = field(default_factory=list[Request])
    breaks: bool = False
    secrets = ()

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        self.asked.append(request)
        tag = f'"{len(self.body)}"'
        if request.headers.get("if-none-match") == tag:
            return Response(304, {"etag": tag, "x-now": "1"}, iter(()))
        return Response(200, {"etag": tag, **self.headers}, self._chunks())

    def _chunks(self) -> Iterator[bytes]:
        yield self.body[:5]
        if self.breaks:
            raise TransportError("The connection broke.")
        yield self.body[5:]

    def close(self) -> None: ...


def asked_by(service: Service, token: str = "token-one", request: Request = WHOLE) -> bytes:
    """What a new client of that credential reads."""
    transport = CatalogueTransport(service, "https://a.example", Secret(token), "Bearer")
    answer = transport.send(request)
    assert answer.status == 200
    return answer.read()


def listening(
    send: Callable[[Request, Timeout], Response], statuses: list[int]
) -> Callable[[Request, Timeout], Response]:
    """The same, which notes the status of each response."""

    def send_and_note(request: Request, timeout: Timeout) -> Response:
        answer = send(request, timeout)
        statuses.append(answer.status)
        return answer

    return send_and_note


def test_a_second_client_gets_what_was_kept_once_the_service_says_304(served: Served) -> None:
    listened: list[int] = []
    for _ in range(2):
        with al.connect(served.url, token=TOKEN) as client:
            inner = cast(Any, client.transport)._inner
            inner.send = listening(inner.send, listened)
            assert client.catalogue["Gender"].code == "q2"
    assert listened == [200, 304]
    [kept] = kept_catalogues()
    assert kept.address == served.url
    assert TOKEN not in kept.file.read_text() + kept.file.name


def test_another_catalogue_takes_its_place() -> None:
    service = Service()
    assert [asked_by(service), asked_by(service)] == [service.body] * 2
    assert "if-none-match" in service.asked[1].headers
    service.body = b'{"questions":[1]}'
    assert [asked_by(service), asked_by(service)] == [service.body] * 2
    assert len(kept_catalogues()) == 1


def test_each_caller_has_a_file_of_its_own_that_only_this_user_may_read(folder: Path) -> None:
    service = Service()
    asked_by(service)
    asked_by(service, "token-two")
    asked_by(service, request=Request("POST", WHOLE.path, "", {"x-team": "a"}, WHOLE.body))
    assert not any("if-none-match" in each.headers for each in service.asked)
    assert len(kept_catalogues()) == 3
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(each.file.stat().st_mode) for each in kept_catalogues()} == {0o600}


def test_only_a_whole_answer_that_may_be_kept_is_kept() -> None:
    service = Service(breaks=True)
    with pytest.raises(TransportError):
        asked_by(service)
    asked_by(Service(headers={"cache-control": "no-store"}))
    asked_by(Service(), request=Request("POST", WHOLE.path, body=b"{}"))
    assert kept_catalogues() == []


def test_a_damaged_file_is_requested_again(folder: Path) -> None:
    service = Service()
    asked_by(service)
    [kept] = kept_catalogues()
    kept.file.write_bytes(kept.file.read_bytes()[:-3])
    assert asked_by(service) == service.body
    kept.file.write_bytes(b"nonsense")
    assert asked_by(service) == service.body


def test_where_nothing_can_be_written_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "file"))
    service = Service()
    assert [asked_by(service), asked_by(service)] == [service.body] * 2


def test_what_was_used_longest_ago_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_catalogue, "MOST_CATALOGUES", 2)
    for token in ("token-one", "token-two", "token-three"):
        asked_by(Service(), token)
    assert len(kept_catalogues()) == 2
    monkeypatch.setattr(kept_catalogue, "MOST_BYTES", 10)
    asked_by(Service(), "token-four")
    assert kept_catalogues() == []


def test_a_recording_holds_the_whole_catalogue_of_a_304(served: Served, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    for _ in range(2):
        with al.connect(served.url, token=TOKEN) as client, client.recording(path):
            assert client.catalogue["Gender"].code == "q2"
    [exchange] = read(path).exchanges
    assert (exchange.status, "q2_1" in exchange.body) == (200, True)
    assert al.connect(snapshot=path).catalogue["Gender"].code == "q2"


def test_the_command_line_lists_and_removes_them(capsys: pytest.CaptureFixture[str]) -> None:
    asked_by(Service())
    for words in (["cache", "list"], ["cache", "clear"], ["cache", "list"]):
        main(words)
    listed, *_, removed, nothing = capsys.readouterr().out.splitlines()
    assert listed.startswith("catalogue of https://a.example  0.0 MB  used 20")
    assert (removed, nothing) == ("Removed 0 surveys and 1 catalogue.", "Nothing is kept.")
