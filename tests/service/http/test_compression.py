"""What `Accept-Encoding` means, and what becomes of a body."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator

import pytest

from audiencelab.service import Response
from audiencelab.service.http.compression import accepts_gzip, compressed


@pytest.mark.parametrize(
    "header",
    ["gzip", "GZIP", "br, gzip", "gzip;q=0.1", "gzip ; q=1", "*", "x-gzip", "identity;q=0.5, gzip"],
)
def test_gzip_is_taken(header: str) -> None:
    assert accepts_gzip(header)


@pytest.mark.parametrize(
    "header",
    [None, "", "br", "identity", "gzip;q=0", "gzip;q=0.000", "*;q=0", "gzip;q=0, *", "gzip;q=no"],
)
def test_gzip_is_not_taken(header: str | None) -> None:
    assert not accepts_gzip(header)


def test_who_would_rather_have_it_plain_gets_it_plain() -> None:
    assert not accepts_gzip("gzip;q=0.5, identity")


def response(*chunks: bytes, length: bool = False) -> Response:
    headers = {"content-type": "text/plain"}
    if length:
        headers["content-length"] = str(sum(map(len, chunks)))
    return Response(200, headers, iter(chunks))


def test_a_packed_body_unpacks_to_the_same_and_loses_its_length() -> None:
    made = compressed(response(b"a" * 5000, length=True), "gzip")
    assert gzip.decompress(made.read()) == b"a" * 5000
    assert made.headers == {
        "content-type": "text/plain",
        "vary": "Accept-Encoding",
        "content-encoding": "gzip",
    }


def test_every_chunk_unpacks_by_itself() -> None:
    chunks = [b"first " * 500, b"second", b"third" * 9]
    made = compressed(response(*chunks), "gzip")
    unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
    assert [unpack.decompress(next(made.body)) for _ in chunks] == chunks


@pytest.mark.parametrize("length", [True, False])
def test_a_tiny_body_stays_as_it_is(length: bool) -> None:
    made = compressed(response(b"tiny", length=length), "gzip")
    assert made.read() == b"tiny"
    assert "content-encoding" not in made.headers


def test_a_tiny_beginning_is_no_tiny_body() -> None:
    made = compressed(response(b"tiny", b"x" * 5000), "gzip")
    assert gzip.decompress(made.read()) == b"tiny" + b"x" * 5000


def test_a_body_breaks_behind_what_came_before_it() -> None:
    def body() -> Iterator[bytes]:
        yield b"tiny"
        raise ValueError("broken")

    made = compressed(Response(200, {}, body()), "gzip")
    unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
    assert unpack.decompress(next(made.body)) == b"tiny"
    with pytest.raises(ValueError, match="broken"):
        next(made.body)


def test_an_empty_body_stays_empty() -> None:
    assert compressed(response(), "gzip").read() == b""
