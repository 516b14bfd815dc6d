"""A recording: from the moment it is started to the file in its place.

The file is looked after before anything is asked and put in place whole at the end, so that a
recording that fails leaves what was there before.
"""

from __future__ import annotations

import os
import platform
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec

from audiencelab._version import __version__
from audiencelab.client.credentials import holds_secret
from audiencelab.client.snapshots.document import (
    EMBEDDED_PLACE,
    Exchange,
    is_snapshot,
    written,
)
from audiencelab.client.snapshots.errors import SnapshotError, SnapshotLeak
from audiencelab.client.snapshots.recording import (
    AsyncRecordingTransport,
    Recorder,
    RecordingTransport,
    moment,
)
from audiencelab.files import WriteError, put
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.client.session import Session

__all__ = ["Recording"]

_starting = threading.Lock()


class Recording:
    """What a client asks and is answered, on its way into a file.

    A context manager: the file is written when the block ends, and not if it raises. In a
    notebook, where no block spans several cells, `start()` in one and `save()` in a later one do
    the same.

    path: the file; what stands there is replaced if it is a snapshot.
    """

    def __init__(
        self,
        path: str | Path,
        transport: RecordingTransport | AsyncRecordingTransport,
        session: Session,
    ) -> None:
        self.path = Path(path).expanduser().absolute()
        self._transport = transport
        self._session = session
        self._recorder = Recorder(self.path)

    def start(self) -> Self:
        """Listen from now on; a recording for the same file, if one is under way, begins anew.

        The client forgets the names it has learnt, so that whatever it needs is asked on record.
        A client that replays this very file has nothing to record: start and save do nothing, so
        that a notebook that records itself is replayed without a change.

        Raises `SnapshotError` if the file could not be written in the end, or if the client is
        being recorded into another one.
        """
        # Whoever runs a notebook's cell again has often no other name left for the first one.
        return self._begin(anew=True)

    def save(self) -> Path:
        """Stop listening and write the file, whole or not at all; returns its path.

        Raises `SnapshotLeak` if the client's credential stands in what was recorded, and
        `SnapshotError` if the file cannot be written or nothing was asked. What was there before
        stays then.
        """
        if self._replayed():
            return self.path
        self._stop()
        try:
            self._write()
        finally:
            self._recorder.release()
        return self.path

    def discard(self) -> None:
        """Stop listening and write nothing. Harmless if nothing is being recorded."""
        if self._transport.recorder is self._recorder:
            self._transport.recorder = None
        self._recorder.release()

    def __len__(self) -> int:
        """How many answers have begun to come so far."""
        return len(self._recorder)

    def __enter__(self) -> Self:
        return self._begin(anew=False)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.save()
        else:
            self.discard()

    def __repr__(self) -> str:
        state = "under way" if self._transport.recorder is self._recorder else "at rest"
        return f"<Recording for {self.path.name}, {state}: {plural(len(self), 'answer')}>"

    def _begin(self, *, anew: bool) -> Self:
        if self._replayed():
            return self
        _check_target(self.path)
        with _starting:
            under_way = self._transport.recorder
            if under_way is not None and not (anew and under_way.path == self.path):
                raise SnapshotError(
                    f"This client is being recorded already, for {under_way.path.name}. Save or "
                    "discard that recording first; one file can hold both."
                )
            self._recorder = Recorder(self.path)
            self._transport.recorder = self._recorder
        self._session.forget()
        return self

    def _write(self) -> None:
        exchanges = self._recorder.exchanges()
        if not exchanges:
            raise SnapshotError(
                f"{self.path.name} was not written: nothing was asked while it was recorded."
            )
        lines = written(self._provenance(exchanges), exchanges)
        if holds_secret(self._recorder.secrets, _searched(lines, exchanges)):
            raise SnapshotLeak(
                f"{self.path.name} was not written: the credential stands in what was recorded. "
                "A name that you gave, or an answer of the service, repeats it. Take it out, or "
                "record with a credential that may be seen."
            )
        _put_in_place(self.path, lines)

    def _replayed(self) -> bool:
        """Whether the client answers from this very file."""
        snapshot = self._session.snapshot
        if snapshot is not None and snapshot.resolve() != self.path.resolve():
            raise SnapshotError(
                f"{self.path} cannot be recorded: this client answers from {snapshot.name}. Copy "
                "that file, or connect to the service to record anew."
            )
        return snapshot is not None

    def _stop(self) -> None:
        with _starting:
            if self._transport.recorder is not self._recorder:
                raise SnapshotError("Nothing is being recorded: call start() first.")
            self._transport.recorder = None

    def _provenance(self, exchanges: tuple[Exchange, ...]) -> dict[str, Any]:
        session = self._session
        return {
            "created": moment(),
            "audiencelab": __version__,
            "python": platform.python_version(),
            "place": EMBEDDED_PLACE if session.embedded else session.place,
            "survey": session.place if session.embedded else None,
            "base_namespace": session.base_namespace,
            "location_question": session.location_question,
            "include_parameter": session.include_parameter,
            "waves": tuple(dict.fromkeys(_waves(exchanges))),
        }


class _Waves(msgspec.Struct):
    """What a query and a row of its answer have in common."""

    waves: list[str] = []


class _StatsAnswer(msgspec.Struct):
    data: list[_Waves]


def _waves(exchanges: tuple[Exchange, ...]) -> Iterator[str]:
    """The waves that answers rest on, as far as requests and answers say so."""
    for exchange in exchanges:
        yield from _requested(exchange.request)
        if exchange.path != "/v2/query/stats" or exchange.status != 200:
            continue
        try:
            answer = msgspec.json.decode(exchange.content, type=_StatsAnswer)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        for row in answer.data:
            yield from row.waves


def _requested(body: Any) -> list[str]:
    try:
        return msgspec.convert(body, _Waves).waves
    except msgspec.ValidationError:
        return []


def _searched(lines: list[bytes], exchanges: tuple[Exchange, ...]) -> Iterator[bytes]:
    """The file as it is written, and the bytes that it only holds encoded."""
    yield from lines
    for exchange in exchanges:
        yield exchange.content
        yield exchange.sent


def _check_target(path: Path) -> None:
    """Raise unless a snapshot may be put there; a real try, since access rights are many."""
    folder = path.parent
    if not folder.is_dir():
        raise SnapshotError(f"{path} cannot be recorded: there is no folder {folder}.")
    if path.exists():
        if not path.is_file():
            raise SnapshotError(f"{path} cannot be recorded: something that is no file is there.")
        if path.stat().st_size and not is_snapshot(path):
            raise SnapshotError(
                f"{path} cannot be recorded: a file is there that is no snapshot, and it is not "
                "replaced. Choose another name, such as analysis.audiencelab.jsonl."
            )
        if not os.access(path, os.W_OK):
            raise SnapshotError(f"{path} cannot be recorded: the file there is read-only.")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        why = error.strerror
    else:
        return
    raise SnapshotError(f"{path} cannot be recorded: {folder} takes no file ({why}).")


def _put_in_place(path: Path, lines: list[bytes]) -> None:
    try:
        put(path, lines, private=True)
    except WriteError as error:
        raise SnapshotError(str(error)) from None
