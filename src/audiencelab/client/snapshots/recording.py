"""`Recording` writes what a client asks and receives into a snapshot file."""

from __future__ import annotations

import os
import platform
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import msgspec

from audiencelab._version import __version__
from audiencelab.client.context import ClientContext
from audiencelab.client.snapshots.format import (
    EMBEDDED_PLACE,
    UNREADABLE,
    Exchange,
    SnapshotError,
    encode_lines,
    is_snapshot,
)
from audiencelab.client.snapshots.recorder import Recorder, now
from audiencelab.client.veil import holds_secret
from audiencelab.files import WriteError, put
from audiencelab.relative_paths import relative_path
from audiencelab.schema.endpoints import QUERY_STATS
from audiencelab.wording import plural

_starting = threading.Lock()


class SnapshotLeak(SnapshotError):
    """The credential occurs in what was recorded, so that the snapshot was not written."""


class Recording:
    """Records a client's requests and responses and writes them into a file.

    A context manager: the file is written when the block ends, and not if it raises. In a
    notebook, where no block spans several cells, `start()` in one and `save()` in a later one do
    the same.

    path: the file; an existing one is replaced if it is a snapshot.
    """

    def __init__(self, path: str | Path, context: ClientContext) -> None:
        self.path = Path(path).expanduser().absolute()
        self._context = context
        self._recorder = Recorder(self.path)

    def start(self) -> Self:
        """Start to record; a recording into the same file that is under way starts again.

        The client forgets the names that it has loaded, so that everything it needs is recorded.
        For a client that replays this very file, start and save do nothing: a notebook that
        records itself is replayed without a change.

        Raises `SnapshotError` if the file cannot be written, or if the client is being recorded
        into another one.

        >>> recording = client.recording(folder / "analysis.jsonl").start()
        >>> recording.discard()
        """
        # A notebook's cell that is run again has often lost the name of its first recording.
        return self._start(restart=True)

    def save(self) -> Path:
        """Stop and write the file, whole or not at all; returns its path from here, if it is near.

        Raises `SnapshotLeak` if the client's credential occurs in what was recorded, and
        `SnapshotError` if the file cannot be written or nothing was asked. An existing file is
        left as it is then.

        >>> recording = client.recording(folder / "analysis.jsonl").start()
        >>> table = client.crosstab("Gender", "Age")
        >>> recording.save().name
        'analysis.jsonl'
        """
        if self._is_replayed():
            return relative_path(self.path)
        with _starting:
            if self._context.recorder is not self._recorder:
                raise SnapshotError("Nothing is being recorded: call start() first.")
            self._context.recorder = None
        recorder, self._recorder = self._recorder, Recorder(self.path)
        _write(recorder, self._context)
        return relative_path(self.path)

    def discard(self) -> None:
        """Stop and write nothing. Does nothing if nothing is being recorded.

        >>> recording = client.recording(folder / "analysis.jsonl").start()
        >>> recording.discard()
        """
        if self._context.recorder is self._recorder:
            self._context.recorder = None
        self._recorder = Recorder(self.path)

    def __len__(self) -> int:
        """How many responses have begun so far."""
        return len(self._recorder.entries)

    def __enter__(self) -> Self:
        return self._start(restart=False)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.save()
        else:
            self.discard()

    def __repr__(self) -> str:
        state = "recording" if self._context.recorder is self._recorder else "not recording"
        return f"<Recording for {self.path.name}, {state}: {plural(len(self), 'response')}>"

    def _start(self, *, restart: bool) -> Self:
        if self._is_replayed():
            return self
        _check_target(self.path)
        with _starting:
            current = self._context.recorder
            if current is not None and not (restart and current.path == self.path):
                raise SnapshotError(
                    f"This client is being recorded already, for {current.path.name}. Save or "
                    "discard that recording first; one file can hold both."
                )
            self._recorder = Recorder(self.path)
            self._context.recorder = self._recorder
        self._context.forget()
        return self

    def _is_replayed(self) -> bool:
        """Whether the client answers from this very file."""
        snapshot = self._context.snapshot
        if snapshot is not None and snapshot.resolve() != self.path.resolve():
            raise SnapshotError(
                f"{self.path.name} cannot be recorded: this client answers from {snapshot.name}. "
                "Copy that file, or connect to the service to record again."
            )
        return snapshot is not None


def _write(recorder: Recorder, context: ClientContext) -> None:
    exchanges = recorder.exchanges()
    if not exchanges:
        raise SnapshotError(
            f"{recorder.path.name} was not written: nothing was asked while it was recorded."
        )
    lines = encode_lines(_provenance(context, exchanges), exchanges)
    # The file, and the bytes that it holds in base64 or escaped.
    bodies = (part for each in exchanges for part in (each.content, each.sent))
    if holds_secret(recorder.secrets, (*lines, *bodies)):
        raise SnapshotLeak(
            f"{recorder.path.name} was not written: the credential occurs in what was recorded. "
            "A name that you gave repeats it. Take it out, or record with a credential that may be "
            "seen."
        )
    try:
        put(recorder.path, lines, private=True)
    except WriteError as error:
        message = str(error)
    else:
        return
    raise SnapshotError(message)


def _provenance(context: ClientContext, exchanges: tuple[Exchange, ...]) -> dict[str, Any]:
    return {
        "created": now(),
        "audiencelab": __version__,
        "python": platform.python_version(),
        "place": EMBEDDED_PLACE if context.embedded else context.place,
        "survey": context.place if context.embedded else None,
        "base_namespace": context.base_namespace,
        "location_question": context.location_question,
        "include_parameter": context.include_parameter,
        "waves": tuple(dict.fromkeys(_waves(exchanges))),
        "wave_names": dict(context.wave_names),
        "waves_by_date": context.waves_by_date,
        "weight": context.weight,
        "weights": context.weights,
        "scope": context.own_scope(context.usual).to_json() if context.usual else msgspec.UNSET,
        "sizes": context.survey_scope.sizes if context.survey_scope else "average",
        "minimum_base": context.survey_scope.minimum_base if context.survey_scope else 0,
        "study": context.survey_scope.study if context.survey_scope else {},
        "opened": context.source,
        "edits": tuple(context.edits.made),
    }


class _Waves(msgspec.Struct):
    """What a query and a row of its response have in common."""

    waves: list[str] = []


class _StatsRows(msgspec.Struct):
    data: list[_Waves]


def _waves(exchanges: tuple[Exchange, ...]) -> Iterator[str]:
    """The waves that requests name and rows of statistics rest on."""
    for exchange in exchanges:
        with suppress(msgspec.ValidationError):
            yield from msgspec.convert(exchange.request, _Waves).waves
        if exchange.path != QUERY_STATS.path or exchange.status != 200:
            continue
        try:
            rows = msgspec.json.decode(exchange.content, type=_StatsRows).data
        except UNREADABLE:
            continue
        for row in rows:
            yield from row.waves


def _check_target(path: Path) -> None:
    """Raise `SnapshotError` unless a snapshot can be written there, before hours are recorded."""
    folder = path.parent
    if not folder.is_dir():
        why = f"the folder {relative_path(folder)} does not exist"
    elif path.exists() and (path.is_dir() or (path.stat().st_size and not is_snapshot(path))):
        why = (
            "another file is there that is not a snapshot, and it is not replaced. Choose another "
            "name, such as analysis.audiencelab.jsonl"
        )
    elif path.exists() and not os.access(path, os.W_OK):
        why = "the file is read-only"
    else:
        try:
            # Access rights are of many kinds; only writing shows that it is possible.
            with tempfile.TemporaryFile(dir=folder):
                return
        except OSError as error:
            why = f"{relative_path(folder)} is not writable ({error.strerror})"
    raise SnapshotError(f"{relative_path(path)} cannot be recorded: {why}.")
