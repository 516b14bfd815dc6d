"""A door whose answers a test writes itself, and files made of what went through it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from audiencelab.client import Client
from audiencelab.client.credentials import Secret
from audiencelab.client.messages import Head, NoAnswer, Patience, Request
from audiencelab.client.snapshots import REPLAY, open_replay, replayed_session
from audiencelab.client.snapshots.document import (
    Exchange,
    Snapshot,
    read,
    written,
)
from audiencelab.client.snapshots.recording import Recorder, RecordingDoor

WAIT = Patience()


@dataclass
class Scripted:
    """One answer: its chunks, then its end, or the failure given."""

    chunks: list[bytes]
    failure: NoAnswer | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def head(self) -> Head:
        return Head(self.status, self.headers)

    def read(self) -> bytes:
        if self.chunks:
            return self.chunks.pop(0)
        if self.failure is not None:
            raise self.failure
        return b""

    def close(self) -> None:
        pass


class ScriptedDoor:
    """Gives the answers in order, whatever is asked."""

    def __init__(self, answers: Iterable[Scripted], secrets: tuple[Secret, ...] = ()) -> None:
        self.answers = list(answers)
        self.secrets = secrets

    def send(self, request: Request, patience: Patience) -> Scripted:
        return self.answers.pop(0)

    def close(self) -> None:
        pass


def ask(path: str = "/v2/query/stats", body: bytes | None = b'{"question":"q4"}') -> Request:
    return Request("POST", path, {}, body)


def heard(asked: Iterable[tuple[Request, Scripted]], most: int = 1 << 30) -> tuple[Exchange, ...]:
    """What a recorder keeps of these, each read for at most so many chunks."""
    asked = list(asked)
    door = RecordingDoor(ScriptedDoor(answer for _, answer in asked))
    door.recorder = Recorder(Path("a.jsonl"))
    for request, _ in asked:
        answer = door.send(request, WAIT)
        try:
            for _ in range(most):
                if not answer.read():
                    break
        except NoAnswer:
            pass
        answer.close()
    return door.recorder.exchanges()


PROVENANCE = {
    "created": "2026-01-02T03:04:05Z",
    "audiencelab": "1",
    "python": "3.12.0",
    "place": "embedded",
    "survey": "a survey",
    "location_question": "s2",
}


def put(path: Path, exchanges: tuple[Exchange, ...]) -> Path:
    path.write_bytes(b"".join(written(PROVENANCE, exchanges)))
    return path


def stored(folder: Path, exchanges: tuple[Exchange, ...]) -> Snapshot:
    """The exchanges written to a file and read from it."""
    return read(put(folder / "a.audiencelab.jsonl", exchanges))


def replaying(path: Path) -> Client:
    door, _ = open_replay(path)
    return Client(door, replayed_session(door.snapshot), REPLAY)
