"""The catalogue of a remote service, kept in the user's cache folder and renewed by its `ETag`.

A service that tags the answer is asked with `If-None-Match`, and what is kept is read where it
answers 304. A file belongs to one address and one credential, whose hash is in its name: two
callers may see different questions. Only this user may read it, and no credential is in it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path

import msgspec

from audiencelab.client.credentials import Secret
from audiencelab.client.exchange import REQUEST_ID
from audiencelab.client.questions import EVERYTHING, build_questions_filter
from audiencelab.client.transports.base import NO_LIMIT, Timeout, Transport
from audiencelab.files import WriteError, cache_folder, put
from audiencelab.schema.http import JSON, Request, Response

MOST_CATALOGUES = 20
MOST_BYTES = 128 << 20
"""Of all catalogues together; those used longest ago are removed first."""

_LARGEST = 32 << 20
"""Bytes of a catalogue that is kept."""

_WHOLE = build_questions_filter(None, EVERYTHING).request


class KeptHeader(msgspec.Struct, frozen=True):
    """The first line of a file: what the lines after it are. sha256: of these bytes."""

    address: str
    etag: str
    sha256: str


@dataclass(frozen=True, slots=True)
class KeptCatalogue:
    """One file. used: when it was last read or written, in seconds since 1970; size: in bytes."""

    file: Path
    address: str
    used: float
    size: int


def kept_catalogues() -> list[KeptCatalogue]:
    """All catalogues that are kept, the one used last first."""
    found: list[KeptCatalogue] = []
    with suppress(OSError):
        for file in _folder().glob("*.catalogue"):
            with suppress(OSError, msgspec.DecodeError), file.open("rb") as lines:
                entry = msgspec.json.decode(lines.readline(), type=KeptHeader)
                about = os.fstat(lines.fileno())
                found.append(KeptCatalogue(file, entry.address, about.st_mtime, about.st_size))
    return sorted(found, key=lambda each: each.used, reverse=True)


def clear_catalogues() -> int:
    """Remove all catalogues that are kept; returns how many there were."""
    found = kept_catalogues()
    for each in found:
        each.file.unlink(missing_ok=True)
    return len(found)


class CatalogueTransport:
    """Passes requests to `inner`; the one for the whole catalogue by what is kept of it.

    address: of the service. token, scheme: what the service knows the caller by.
    """

    def __init__(self, inner: Transport, address: str, token: Secret, scheme: str | None) -> None:
        self._inner = inner
        self._address = address
        # No variable holds the token, which a verbose traceback would print.
        self._caller = hashlib.sha256(f"{address}\0{scheme}\0{token.reveal()}".encode())

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return self._inner.secrets

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        if (request.method, request.path, request.body) != (
            _WHOLE.method,
            _WHOLE.path,
            _WHOLE.body,
        ) or "if-none-match" in request.headers:
            return self._inner.send(request, timeout)
        file = self._file(request)
        held = _read(file)
        if held is not None:
            headers = {**request.headers, "if-none-match": held[0].etag}
            request = replace(request, headers=headers)
        response = self._inner.send(request, timeout)
        if held is not None and response.status == HTTPStatus.NOT_MODIFIED:
            response.close()
            with suppress(OSError):
                # Its time is what decides which are removed first.
                os.utime(file)
            headers = {**response.headers, "etag": held[0].etag, "content-type": JSON}
            headers.pop("content-length", None)
            return Response(HTTPStatus.OK, headers, iter((held[1],)))
        etag = response.headers.get("etag")
        if response.status == HTTPStatus.OK and etag and _may_be_kept(response):
            return replace(response, body=_KeptBody(response, file, self._address, etag))
        return response

    def close(self) -> None:
        self._inner.close()

    def _file(self, request: Request) -> Path:
        """The file of a caller: its headers may say who it is as well as its token."""
        known = self._caller.copy()
        for name, value in sorted(request.headers.items()):
            # These differ between requests and do not identify a caller.
            if name != REQUEST_ID and not name.startswith("if-"):
                known.update(f"\0{name}:{value}".encode(errors="surrogatepass"))
        return _folder() / f"{known.hexdigest()[:32]}.catalogue"


class _KeptBody:
    """The body of a response, which is written to a file once it has been read to its end."""

    def __init__(self, response: Response, file: Path, address: str, etag: str) -> None:
        self._chunks = iter(response.body)
        self._kept: list[bytes] = []
        self._size = 0
        self._file, self._address, self._etag = file, address, etag
        self.close = response.close

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            chunk = next(self._chunks)
        except StopIteration:
            if self._size <= _LARGEST:
                _write(self._file, self._address, self._etag, b"".join(self._kept))
            raise
        self._size += len(chunk)
        if self._size <= _LARGEST:
            self._kept.append(chunk)
        return chunk


def _folder() -> Path:
    return cache_folder() / "catalogues"


def _may_be_kept(response: Response) -> bool:
    return "no-store" not in response.headers.get("cache-control", "").lower()


def _read(file: Path) -> tuple[KeptHeader, bytes] | None:
    """What is kept in a file; None where there is nothing, or not what was written."""
    try:
        head, _, body = file.read_bytes().partition(b"\n")
        entry = msgspec.json.decode(head, type=KeptHeader)
    except (OSError, msgspec.DecodeError):
        return None
    return (entry, body) if hashlib.sha256(body).hexdigest() == entry.sha256 else None


def _write(file: Path, address: str, etag: str, body: bytes) -> None:
    """Keep a catalogue, where the folder can be written to."""
    head = msgspec.json.encode(KeptHeader(address, etag, hashlib.sha256(body).hexdigest()))
    with suppress(OSError, WriteError):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.parent.chmod(0o700)
        put(file, (head, b"\n", body), private=True)
        size = 0
        for number, each in enumerate(kept_catalogues()):
            size += each.size
            if number >= MOST_CATALOGUES or size > MOST_BYTES:
                each.file.unlink(missing_ok=True)
