"""A transport whose answers a test writes itself, and files made of what went through it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from audiencelab.client import Client
from audiencelab.client.credentials import Secret
from audiencelab.client.snapshots.format import Exchange, Snapshot, encode_lines, read
from audiencelab.client.snapshots.recorder import Recorder
from audiencelab.client.snapshots.replay import REPLAY, open_replay, replayed_context
from audiencelab.client.transports.base import NO_LIMIT, Timeout
from audiencelab.client.transports.recording import RecordingTransport
from audiencelab.schema.http import Request, Response, TransportError


@dataclass
class Scripted:
    """One answer: its chunks, then its end, or the failure given."""

    chunks: list[bytes]
    failure: TransportError | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def response(self) -> Response:
        return Response(self.status, self.headers, self._body())

    def _body(self) -> Iterator[bytes]:
        while self.chunks:
            yield self.chunks.pop(0)
        if self.failure is not None:
            raise self.failure


class ScriptedTransport:
    """Gives the answers in order, whatever is asked."""

    def __init__(self, answers: Iterable[Scripted], secrets: tuple[Secret, ...] = ()) -> None:
        self.answers = list(answers)
        self.secrets = secrets

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        return self.answers.pop(0).response()

    def close(self) -> None:
        pass


def ask(path: str = "/v2/query/stats", body: bytes = b'{"question":"q4"}') -> Request:
    return Request("POST", path, body=body)


def heard(asked: Iterable[tuple[Request, Scripted]], most: int = 1 << 30) -> tuple[Exchange, ...]:
    """What a recorder keeps of these, each read for at most so many chunks."""
    asked = list(asked)
    recorder = Recorder(Path("a.jsonl"))
    transport = RecordingTransport(ScriptedTransport(answer for _, answer in asked), recorder)
    for request, _ in asked:
        response = transport.send(request)
        with suppress(TransportError):
            for _ in islice(response.body, most):
                pass
        response.close()
    return recorder.exchanges()


PROVENANCE = {
    "created": "2026-01-02T03:04:05Z",
    "audiencelab": "1",
    "python": "3.12.0",
    "place": "embedded",
    "survey": "a survey",
    "location_question": "s2",
}


def put(path: Path, exchanges: tuple[Exchange, ...]) -> Path:
    path.write_bytes(b"".join(encode_lines(PROVENANCE, exchanges)))
    return path


def stored(folder: Path, exchanges: tuple[Exchange, ...]) -> Snapshot:
    """The exchanges written to a file and read from it."""
    return read(put(folder / "a.audiencelab.jsonl", exchanges))


def replaying(path: Path) -> Client:
    transport, _ = open_replay(path)
    return Client(transport, replayed_context(transport.snapshot), REPLAY)
