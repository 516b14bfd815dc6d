"""The snapshot file: JSON Lines, a header and then one line for each exchange.

A snapshot may come from anywhere, so checksums and keys are checked when it is read. Nothing in it
is executed, and no name in it is used as the name of a file. `docs/reference/snapshot-format.md`
documents the format.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import parse_qsl

import msgspec
from msgspec import UNSET, Meta, UnsetType

from audiencelab.client.errors import ClientError
from audiencelab.client.options import INCLUDE_PARAMETER
from audiencelab.errors import AudienceError
from audiencelab.expressions.codes import BASE_NAMESPACE, wave_name
from audiencelab.import_card import ImportCard
from audiencelab.schema.http import EDITS, WEIGHT, Request
from audiencelab.schema.scope import DEFAULT_SCOPE, Scope
from audiencelab.schema.survey_scope import SurveyScope

FORMAT = "audiencelab-snapshot"
FORMAT_VERSION = 1

EMBEDDED_PLACE = "embedded"
"""The header's `place` for a service in the same process."""

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are not the JSON expected."""

_MOST_HEADER_BYTES = 1 << 20

T = TypeVar("T")


class SnapshotError(ClientError):
    """A snapshot that cannot be read, recorded or written; the message names file and line."""


class OpenedSource(msgspec.Struct, frozen=True, omit_defaults=True):
    """What `open()` opened.

    name: of the file or folder, without the folders that it is in; empty for a frame.
    arguments: how it was imported, as code by the names of the arguments.
    card: what its import took for granted. lines: what 2.0 printed instead.
    frame: a checksum of what a frame contains; empty for files and folders.
    """

    name: str = ""
    arguments: dict[str, str] = {}
    card: ImportCard | None = None
    lines: tuple[str, ...] = ()
    frame: str = ""


class Header(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first line: what was recorded, where and with what.

    created: when the recording was written, in UTC.
    audiencelab, python: the versions that recorded.
    place: "embedded", or the address of the remote service.
    survey: the name of the embedded service's survey; 1.0 wrote it as `panel`.
    base_namespace, location_question, include_parameter: as the recording client knew them; no
        location question if it was not needed.
    waves: codes of the waves in the recorded requests and responses.
    wave_names: names of waves that their codes do not say, by code.
    waves_by_date: codes of all waves of the survey, by date; 1.0 and 2.0 did not write them.
    weight, weights: the usual weight of the survey, and all that it has if these are several.
    scope: whom the client's calls count that name nothing themselves, as `Scope.to_json` writes it;
        its waves are as the client or the survey names them. 1.0 and 2.0 did not write it.
    sizes: "sum" where sizes over several waves are sums of them.
    minimum_base: counts of fewer respondents are withheld.
    study: what the study says of itself, by `STUDY_FIELDS`.
    opened: the source, of a client of `open()`.
    edits: those that the recording client made, in order.
    left_out: questions that `trim` took out of the catalogue.
    exchanges: how many lines follow. sha256: of those lines, each with its line feed.
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
    wave_names: dict[str, str] = {}
    waves_by_date: tuple[str, ...] = ()
    weight: str = ""
    weights: tuple[str, ...] = ()
    scope: dict[str, Any] | UnsetType = UNSET
    sizes: Literal["average", "sum"] = "average"
    minimum_base: int = 0
    study: dict[str, str] = {}
    opened: OpenedSource | None = None
    edits: tuple[dict[str, Any], ...] = ()
    left_out: int = 0

    @property
    def client_scope(self) -> Scope | None:
        """The scope of the recording client; None if it was not recorded."""
        return None if self.scope is UNSET else Scope.from_json(self.scope)

    @property
    def survey_scope(self) -> SurveyScope:
        """What calls of the recording client counted; recordings of before count everyone."""
        own = self.client_scope or DEFAULT_SCOPE
        names = {code: self.wave_names.get(code) or wave_name(code) for code in self.waves_by_date}
        return SurveyScope(
            base_of=own.base_of,
            waves="all" if own.waves == ("all",) else "",
            sizes=self.sizes,
            wave_names=names,
            minimum_base=self.minimum_base,
            study=self.study,
        )

    @property
    def source(self) -> str:
        """The name of the survey, or the address of the remote service."""
        return self.survey or self.panel or self.place


class Exchange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request and its response.

    key: what the request is found by; see `key_of`.
    request: the body that was sent, as JSON; `request_base64` holds one that is not JSON.
    body: the body as received, decompressed; `body_base64` if it is not UTF-8 text.
    sha256: of the body's bytes.
    complete: whether the body was received completely. If not, `broken` says why and `timeout`
        whether a timeout was exceeded; with neither, the client closed the response.
    asked: how many times in a row the response was the same.
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
        """The response's body; raises `ValueError` for invalid base64."""
        return base64.b64decode(self.body_base64, validate=True) or self.body.encode()

    @property
    def sent(self) -> bytes:
        """The request's body, in canonical form if it is JSON."""
        if self.request is UNSET:
            return base64.b64decode(self.request_base64, validate=True)
        return canonical_json(self.request)


class Snapshot(msgspec.Struct, frozen=True):
    """A snapshot that was read without an error."""

    path: Path
    header: Header
    exchanges: tuple[Exchange, ...]

    def line_of(self, index: int) -> int:
        """The line of an exchange in the file, from 1; the header is line 1."""
        return index + 2


def request_key(request: Request) -> str:
    """The key of a request, 64 hexadecimal digits."""
    body = canonical(request.body) or request.body
    return key_of(request.method, request.path, query_of(request), body)


def key_of(method: str, path: str, query: Mapping[str, str], body: bytes) -> str:
    """The SHA-256 of what was asked; `body` is canonical JSON if it is JSON.

    Left out is what differs between two runs of a notebook: the address, the credential, the
    request's id, the idempotency key, and how the JSON of the body is written.
    """
    asked = json.dumps(sorted(query.items()), ensure_ascii=True, separators=(",", ":"))
    return sha256(b"\n".join((f"{method} {path}".encode(), asked.encode(), body))).hexdigest()


def query_of(request: Request) -> dict[str, str]:
    """The values of a request's query by name, with the weight and the edits that it names."""
    named = {name: request.headers[name] for name in (WEIGHT, EDITS) if name in request.headers}
    return dict(parse_qsl(request.query, keep_blank_values=True)) | named


def canonical(body: bytes) -> bytes | None:
    """The JSON of a body in the canonical form of RFC 8785.

    None for a body that has none: it is not JSON, or holds integers that a double does not hold.
    """
    try:
        return canonical_json(json.loads(body))
    except (ValueError, RecursionError):
        return None


def canonical_json(value: Any) -> bytes:
    """A decoded JSON value in the form of RFC 8785; raises `ValueError` if it has none."""
    # Needed only while recording or replaying.
    import rfc8785

    return rfc8785.dumps(value)


def read(path: Path) -> Snapshot:
    """The snapshot in a file; raises `SnapshotError` that names the first line that is wrong."""
    parts: list[Any] = []
    for part in read_lines(path):
        if isinstance(part, SnapshotError):
            raise part
        parts.append(part)
    header, *exchanges = parts
    return Snapshot(path, header, tuple(exchanges))


def read_header(path: Path) -> Header:
    """The header of a snapshot, of which nothing else is read; raises `SnapshotError`."""
    header = next(read_lines(path))
    assert isinstance(header, Header)
    return header


def read_lines(path: Path) -> Iterator[Header | Exchange | SnapshotError]:
    """The lines of a snapshot one by one, each as its contents or as an error.

    Raises `SnapshotError` if the file is not a snapshot, or of another version.
    """
    if not path.is_file():
        why = "is not a file" if path.exists() else "does not exist"
        raise SnapshotError(
            f'The snapshot {path} {why}. `with client.recording("{path.name}"):` makes one.'
        )
    with path.open("rb") as file:
        # A file of another kind may be one long line.
        header = _header(path, file.readline(_MOST_HEADER_BYTES))
        yield header
        count, digest = 0, sha256()
        for count, line in enumerate(file, start=1):
            # A copy with other line ends (CRLF) is the same snapshot.
            digest.update(line.rstrip(b"\r\n") + b"\n")
            try:
                yield _exchange(line)
            except SnapshotError as error:
                yield SnapshotError(f"{path}, line {count + 1}: {error}")
    if count != header.exchanges:
        yield SnapshotError(
            f"{path} holds {count:,} exchanges, and its header names {header.exchanges:,}: lines "
            "were removed or added. Record it again, or take an unchanged copy."
        )
    elif digest.hexdigest() != header.sha256:
        yield SnapshotError(
            f"{path} was changed after it was recorded (the SHA-256 of its lines differs). Record "
            "it again, or take an unchanged copy."
        )


def encode_lines(provenance: Mapping[str, Any], exchanges: Iterable[Exchange]) -> list[bytes]:
    """The lines of a snapshot's file; `provenance` holds the header's other fields."""
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
    """Whether a file begins like a snapshot of any version."""
    try:
        with path.open("rb") as file:
            return _decode(file.readline(_MOST_HEADER_BYTES), _Format).format == FORMAT
    except (SnapshotError, OSError):
        return False


class _Format(msgspec.Struct):
    format: str = ""
    version: Any = None


def _header(path: Path, line: bytes) -> Header:
    try:
        # By itself first: the header of another version may have another form.
        found = _decode(line, _Format)
    except SnapshotError:
        found = _Format()
    if found.format != FORMAT:
        raise SnapshotError(
            f"{path} is not a snapshot: its first line does not name the format {FORMAT!r}."
        )
    if found.version != FORMAT_VERSION:
        raise SnapshotError(
            f"{path} is not a snapshot of format {FORMAT_VERSION}, the one that this audiencelab "
            "reads. Upgrade audiencelab, or record it again with this one."
        )
    try:
        header = _decode(line, Header)
        _ = header.client_scope
        return header
    except AudienceError as error:
        message = str(error)
    raise SnapshotError(f"{path}, line 1: {message}")


def _exchange(line: bytes) -> Exchange:
    exchange = _decode(line, Exchange)
    try:
        content = exchange.content
        key = key_of(exchange.method, exchange.path, exchange.query, exchange.sent)
    except (ValueError, RecursionError):
        raise SnapshotError("a body in it is not valid base64 or canonical JSON.") from None
    if sha256(content).hexdigest() != exchange.sha256:
        raise SnapshotError("the response is not the recorded one (its SHA-256 differs).")
    if key != exchange.key:
        raise SnapshotError("the request is not the recorded one (its key differs).")
    return exchange


def _decode(line: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.ValidationError as error:
        message = f"{error}."
    except UNREADABLE:
        message = "is not JSON; it was cut or changed."
    raise SnapshotError(message)
