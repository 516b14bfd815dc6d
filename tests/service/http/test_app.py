"""The application over real HTTP: what is the service's, what is HTTP's, and what limits both."""

from __future__ import annotations

import socket
import zlib
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import msgspec

from audiencelab import __version__
from audiencelab.schema.blocks import CELLS, BlockDecoder
from audiencelab.service import Limits, Service
from audiencelab.service.openapi import document
from audiencelab.survey import Survey
from tests.service.asking import TOKEN
from tests.service.http.test_streams import served

QUESTION = "/v2/questions/core.q2"
STATS = "/v2/query/stats"
CROSSTAB = "/v2/query/crosstab"


def audiences(count: int) -> list[dict[str, object]]:
    expression = {"question": "q2", "datapoints": ["q2_1"]}
    return [{"id": f"a{place}", "expression": expression} for place in range(count)]


def exchange(url: str, sent: bytes) -> bytes:
    """Everything that a server answers to these bytes until it closes the connection."""
    place = urlsplit(url)
    with socket.create_connection((place.hostname, place.port), timeout=60) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def head(method: str, path: str, *headers: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: x", f"Authorization: Bearer {TOKEN}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def test_a_crosstab_arrives_whole(http: httpx.Client) -> None:
    answer = http.post(CROSSTAB, json={"rows": audiences(40), "columns": audiences(30)})
    assert answer.headers["content-type"] == "application/x-ndjson"
    cells = msgspec.json.Decoder().decode_lines(answer.content)
    assert {(cell["row_index"], cell["column_index"]) for cell in cells} == {
        (row, column) for row in range(1, 41) for column in range(1, 31)
    }


def test_an_encoded_slash_is_part_of_its_segment(http: httpx.Client) -> None:
    answer = http.get("/v2/questions/core%2Fq2")
    assert answer.status_code == 404
    assert answer.json()["detail"] == "No question has this code."


def test_health_needs_no_credential_and_tells_nothing_of_the_survey(url: str) -> None:
    answer = httpx.get(f"{url}/health", trust_env=False, timeout=60)
    assert answer.json() == {"status": "ok", "version": __version__}


def test_the_interface_needs_no_credential(url: str) -> None:
    answer = httpx.get(f"{url}/openapi.json", trust_env=False, timeout=60)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.json() == document()


def test_head_is_a_get_without_its_body(http: httpx.Client) -> None:
    whole, headers = http.get(QUESTION), http.head(QUESTION)
    assert headers.status_code == 200
    assert headers.headers["content-length"] == str(len(whole.content))
    assert headers.content == b""
    assert http.head(STATS).status_code == 405


def test_options_lists_the_methods_and_opens_nothing_to_other_sites(url: str) -> None:
    origin = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "POST"}
    answer = httpx.options(url + QUESTION, headers=origin, trust_env=False, timeout=60)
    assert (answer.status_code, answer.headers["allow"]) == (204, "GET, HEAD, OPTIONS")
    assert (
        httpx.options(url + STATS, trust_env=False, timeout=60).headers["allow"] == "POST, OPTIONS"
    )
    assert not [name for name in answer.headers if name.startswith("access-control")]


# -- gzip


def test_gzip_when_asked_for(http: httpx.Client) -> None:
    body = {"rows": audiences(20), "columns": audiences(20)}
    plain = http.post(CROSSTAB, json=body)
    packed = http.post(CROSSTAB, json=body, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == plain.content
    assert "content-encoding" not in plain.headers
    assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"


def test_each_chunk_of_a_packed_stream_can_be_read_when_it_comes(http: httpx.Client) -> None:
    body = {"rows": audiences(60), "columns": audiences(60)}
    wanted = {"Accept-Encoding": "gzip"}
    unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
    with http.stream("POST", CROSSTAB, json=body, headers=wanted) as answer:
        parts = [unpack.decompress(chunk) for chunk in answer.iter_raw()]
    assert parts[0].startswith(b"{")
    assert len(parts) > 3


def test_columnar_blocks_are_not_packed(http: httpx.Client) -> None:
    body = {"rows": audiences(60), "columns": audiences(60)}
    wanted = {"Accept-Encoding": "gzip", "Accept": CELLS}
    answer = http.post(CROSSTAB, json=body, headers=wanted)
    assert answer.headers["content-type"] == CELLS
    assert "content-encoding" not in answer.headers
    decoder = BlockDecoder()
    assert (
        sum(len(block.rows) * len(block.columns) for block in decoder.feed(answer.content)) == 3600
    )
    assert decoder.is_complete


# -- limits


def over_the_limit() -> Iterator[bytes]:
    """A body with no declared length that never ends by itself."""
    while True:
        yield b" " * 65536


def test_a_body_over_the_limit_is_refused_while_it_is_sent(http: httpx.Client) -> None:
    answer = http.post(STATS, content=over_the_limit())
    assert answer.status_code == 413
    assert f"{Limits().body:,}" in answer.json()["detail"]


def test_a_declared_length_over_the_limit_is_refused_before_any_of_it(url: str) -> None:
    sent = head("POST", STATS, "Content-Length: 1000000000000", "X-Request-Id: abc-2")
    answer = exchange(url, sent)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"x-request-id: abc-2\r\n" in answer.lower()


def stranger(path: str = STATS) -> bytes:
    """A request whose body never comes, by somebody whom the service does not know."""
    known = head("POST", path, "Content-Length: 1000")
    return known.replace(TOKEN.encode(), b"somebody-else") + b"{"


def test_the_body_of_a_stranger_is_not_waited_for(url: str) -> None:
    assert exchange(url, stranger()).startswith(b"HTTP/1.1 401 ")


def test_strangers_do_not_take_the_turn_of_those_who_are_known(survey: Survey) -> None:
    with Service(survey, [TOKEN]) as service, served(service, max_concurrent=1) as url:
        place = urlsplit(url)
        with socket.create_connection((place.hostname, place.port), timeout=60) as connection:
            connection.sendall(stranger())
            assert connection.recv(1024).startswith(b"HTTP/1.1 401 ")
            answer = httpx.post(
                url + STATS,
                json={"question": "q2"},
                headers={"Authorization": f"Bearer {TOKEN}"},
                trust_env=False,
            )
        assert answer.status_code == 200


def test_it_is_not_asked_to_go_on_either(url: str) -> None:
    sent = head("POST", STATS, "Content-Length: 1000000000000", "Expect: 100-continue")
    assert b"100 Continue" not in exchange(url, sent)
