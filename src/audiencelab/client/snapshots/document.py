"""A snapshot as a file: JSON Lines, a header and then one line for each exchange.

It comes from somebody else as often as from ourselves, so reading trusts nothing: a line that is
not exactly what the format says, or whose hashes do not fit, is refused by its number. Nothing in
it is ever executed, and no name in it is used as a name of a file.
`docs/reference/snapshot-format.md` tells the format to people.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, Meta

from audiencelab.client.session import INCLUDE_PARAMETER
from audiencelab.client.snapshots.errors import SnapshotError
from audiencelab.client.snapshots.keys import canonical_json, key_of
from audiencelab.expressions.codes import BASE_NAMESPACE

__all__ = [
    "EMBEDDED_PLACE",
    "FORMAT",
    "FORMAT_VERSION",
    "LINE_LIMIT",
    "Exchange",
    "Header",
    "Snapshot",
    "is_snapshot",
    "read",
    "read_lines",
    "written",
]

FORMAT = "audiencelab-snapshot"
FORMAT_VERSION = 1

EMBEDDED_PLACE = "embedded"
"""The place of a service in the same process."""

LINE_LIMIT = 1 << 29
"""Bytes of one line; an answer larger than this is no answer to keep beside a notebook."""

_HEADER_LIMIT = 1 << 20

T = TypeVar("T")


class Header(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first line: what was recorded, where and with what.

    created: when the recording was written, in UTC.
    audiencelab, python: the versions that recorded.
    place: "embedded", or the address of the deployment.
    survey: the name of the embedded service's survey; recordings of 1.0 call it panel.
    base_namespace, location_question, include_parameter: what the service was known to use; no
        location question where it was not asked for.
    waves: codes of the waves that the recorded answers speak of.
    exchanges: how many lines follow, so that a file that was cut is known for one.
    sha256: of those lines, each with a line feed at its end.
    """

    format: str
    version: int
    created: str
    audiencelab: str
    python: str
    place: str
    exchanges: Annotated[int, Meta(ge=0)]
    sha256: str
    survey: str | None = None
    panel: str | None = None
    base_namespace: str = BASE_NAMESPACE
    location_question: str
    include_parameter: str = INCLUDE_PARAMETER
    waves: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The name of the survey, or the address of the service."""
        return self.survey or self.panel or self.place


class Exchange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request and what came back.

    key: what the request is found by; see `keys`.
    request: the body that was sent, as JSON; `request_base64` holds one that is none.
    body: the body as received, its encoding undone; `body_base64` if it is not UTF-8 text.
    sha256: of the body's bytes.
    complete: whether the body came whole. If not, `broken` says in words why, and `timeout`
        whether it was a matter of time; without words, the client called it off.
    asked: how many times in a row the answer was the same.
    """

    key: str
    when: str
    method: str
    path: str
    query: dict[str, str] = {}
    request: Any = UNSET
    request_base64: str = ""
    status: Annotated[int, Meta(ge=100, le=599)]
    headers: dict[str, str] = {}
    body: str = ""
    body_base64: str = ""
    sha256: str
    complete: bool = True
    broken: str = ""
    timeout: bool = False
    asked: Annotated[int, Meta(ge=1)] = 1

    @property
    def content(self) -> bytes:
        """The body's bytes; raises `ValueError` for what stands for none."""
        return _bytes(self.body, self.body_base64)

    @property
    def sent(self) -> bytes:
        """The request's body, in canonical form where it is JSON."""
        if self.request is UNSET:
            return _bytes("", self.request_base64)
        return canonical_json(self.request)


class Snapshot(msgspec.Struct, frozen=True):
    """A snapshot that was read and found sound. Line numbers count from 1, the header's."""

    path: Path
    header: Header
    exchanges: tuple[Exchange, ...]

    def line_of(self, place: int) -> int:
        """The file's line of the exchange at a place."""
        return place + 2


def read(path: Path, *, line_limit: int = LINE_LIMIT) -> Snapshot:
    """The snapshot of a file; `SnapshotError` names the first line that is wrong."""
    header, *exchanges = _sound(path, line_limit)
    return Snapshot(path, header, tuple(exchanges))


def read_lines(
    path: Path, *, line_limit: int = LINE_LIMIT
) -> Iterator[Header | Exchange | SnapshotError]:
    """The lines of a snapshot one by one, each as what it holds or as what is wrong with it.

    Raises `SnapshotError` if the file is no snapshot, or of another version.
    """
    lines = _lines(path, line_limit)
    header = _header(path, next(lines, b""))
    yield header
    count, digest = 0, sha256()
    for count, line in enumerate(lines, start=1):
        digest.update(line.rstrip(b"\r\n") + b"\n")
        try:
            yield _exchange(line)
        except SnapshotError as error:
            yield SnapshotError(f"{path}, line {count + 1}: {error}")
    if count != header.exchanges:
        yield SnapshotError(
            f"{path} holds {count:,} exchanges, and its first line promises {header.exchanges:,}: "
            "it was cut or added to. Record it again, or take it from where it was whole."
        )
    elif digest.hexdigest() != header.sha256:
        yield SnapshotError(
            f"{path} was changed after it was recorded (the SHA-256 of its lines differs). Record "
            "it again, or take it from where it was whole."
        )


def written(provenance: dict[str, Any], exchanges: Iterable[Exchange]) -> list[bytes]:
    """The lines of a snapshot's file; `provenance` is what the header says besides its format."""
    lines = [msgspec.json.encode(exchange) + b"\n" for exchange in exchanges]
    header = Header(
        format=FORMAT,
        version=FORMAT_VERSION,
        exchanges=len(lines),
        sha256=sha256(b"".join(lines)).hexdigest(),
        **provenance,
    )
    return [msgspec.json.encode(header) + b"\n", *lines]


def is_snapshot(path: Path) -> bool:
    """Whether a file begins as a snapshot of any version does."""
    try:
        return _fields(next(_lines(path, _HEADER_LIMIT), b"")).get("format") == FORMAT
    except (SnapshotError, OSError):
        return False


def _sound(path: Path, line_limit: int) -> Iterator[Any]:
    for part in read_lines(path, line_limit=line_limit):
        if isinstance(part, SnapshotError):
            raise part
        yield part


def _lines(path: Path, limit: int) -> Iterator[bytes]:
    if not path.is_file():
        why = "is no file" if path.exists() else "is not there"
        raise SnapshotError(
            f'The snapshot {path} {why}. `with client.recording("{path.name}"):` makes one.'
        )
    with path.open("rb") as file:
        number = 0
        while line := file.readline(limit + 1):
            number += 1
            if len(line) > limit:
                raise SnapshotError(f"{path}, line {number}: is longer than {limit:,} bytes.")
            yield line


def _header(path: Path, line: bytes) -> Header:
    try:
        fields = _fields(line)
    except SnapshotError:
        fields = {}
    if fields.get("format") != FORMAT:
        raise SnapshotError(
            f"{path} is no snapshot: its first line does not name the format {FORMAT!r}."
        )
    if fields.get("version") != FORMAT_VERSION:
        raise SnapshotError(
            f"{path} is not a snapshot of format {FORMAT_VERSION}, the one that this audiencelab "
            "reads. Upgrade audiencelab, or record it again with this one."
        )
    try:
        return _converted(fields, Header)
    except SnapshotError as error:
        words = str(error)
    raise SnapshotError(f"{path}, line 1: {words}")


def _exchange(line: bytes) -> Exchange:
    exchange = _converted(_fields(line), Exchange)
    if exchange.complete and exchange.broken:
        raise SnapshotError("it came whole and broke off, and it cannot have done both.")
    try:
        content, sent = exchange.content, exchange.sent
    except (ValueError, RecursionError):
        raise SnapshotError("a body in it is not what the format allows.") from None
    try:
        key = key_of(exchange.method, exchange.path, exchange.query, sent)
    except UnicodeEncodeError:
        raise SnapshotError("the request's method or path is not UTF-8 text.") from None
    if sha256(content).hexdigest() != exchange.sha256:
        raise SnapshotError("the answer is not the one that was recorded (its SHA-256 differs).")
    if key != exchange.key:
        raise SnapshotError("the request is not the one that was recorded (its key differs).")
    return exchange


def _fields(line: bytes) -> dict[str, Any]:
    """The JSON object of a line, if it is one and says nothing twice."""
    try:
        value = json.loads(line.decode(), object_pairs_hook=_unique, parse_constant=_no_number)
    except UnicodeDecodeError:
        raise SnapshotError("is not UTF-8 text.") from None
    except _Fault as fault:
        raise SnapshotError(str(fault)) from None
    except (ValueError, RecursionError):
        raise SnapshotError("is not JSON; it was cut or changed.") from None
    if not isinstance(value, dict):
        raise SnapshotError("is not a JSON object.")
    return value  # pyright: ignore[reportUnknownVariableType] -- json gives no types


class _Fault(ValueError):
    """Valid for the JSON parser, and yet not for us."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise _Fault("says the same thing twice (a JSON object with two equal names).")
    return fields


def _no_number(_: str) -> Any:
    raise _Fault("holds a number that is none (NaN or Infinity).")


def _converted(fields: dict[str, Any], kind: type[T]) -> T:
    known = getattr(kind, "__struct_encode_fields__", ())
    if unknown := sorted(fields.keys() - set(known)):
        raise SnapshotError(f"holds a field that this version does not know, {unknown[0][:40]!r}.")
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        words = str(error)
    except UnicodeEncodeError:
        words = "holds half a character (a lone surrogate)"
    raise SnapshotError(f"{words}.")


def _bytes(text: str, encoded: str) -> bytes:
    if text and encoded:
        raise ValueError("one body, written twice")
    try:
        return base64.b64decode(encoded, validate=True) if encoded else text.encode()
    except binascii.Error as error:
        raise ValueError(str(error)) from None
