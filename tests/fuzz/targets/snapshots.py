"""Snapshots, which colleagues send: read, and replayed if they are sound."""

from __future__ import annotations

import json
from hashlib import sha256
from random import Random
from typing import Any
from urllib.parse import urlencode

import msgspec

from audiencelab.client.snapshots.format import Exchange, SnapshotError, encode_lines, key_of, read
from audiencelab.client.snapshots.replay import ReplayTransport, SnapshotMiss, replayed_context
from audiencelab.client.snapshots.summary import amount, operation_name, question
from audiencelab.schema.http import Request
from tests.fuzz.mutating import mutated, mutated_json
from tests.fuzz.targets import Target, refused

__all__ = ["Snapshots"]

_PROVENANCE: dict[str, Any] = {
    "created": "2026-01-01T00:00:00Z",
    "audiencelab": "1.0.0",
    "python": "3.12.0",
    "place": "embedded",
    "survey": "demo",
    "base_namespace": "core",
    "location_question": "q1",
    "waves": ("w1",),
}
_ANSWERS: tuple[tuple[str, str, Any, bytes], ...] = (
    ("POST", "/v2/query/stats", {"question": "q2"}, b'{"data":[]}'),
    ("POST", "/v2/query/crosstab", {"rows": [], "columns": []}, b'{"a":1}\n{"a":2}\n'),
    ("POST", "/v3/questions/filter", {"questions": [{"question": "q"}]}, b'{"questions":[]}'),
    ("GET", "/v2/questions/core.q4", None, b'{"question":{"code":"q4"}}'),
    ("GET", "/v2/questions/q5", None, b"\xff\xfe"),
)


def _line(method: str, path: str, request: Any, body: bytes) -> Exchange:
    sent = b"" if request is None else json.dumps(request, separators=(",", ":")).encode()
    told: dict[str, Any] = {} if request is None else {"request": request}
    told |= {"body": body.decode()} if body[0] < 0x80 else {"body_base64": "//4="}
    return Exchange(
        key=key_of(method, path, {}, sent),
        when="2026-01-01T00:00:00Z",
        method=method,
        path=path,
        status=200,
        sha256=sha256(body).hexdigest(),
        **told,
    )


class Snapshots(Target):
    """`format.read`, and of what it takes every answer, every miss and every line of words."""

    name = "snapshots"
    share = 60

    def seeds(self) -> list[bytes]:
        exchanges = [_line(*each) for each in _ANSWERS]
        return [
            b"".join(encode_lines(_PROVENANCE, some))
            for some in (exchanges, exchanges[:1], exchanges[3:])
        ]

    def made(self, random: Random, inputs: list[bytes]) -> bytes:
        data = random.choice(inputs)
        if random.random() < 0.25:
            return mutated(data, inputs, random)
        lines = data.split(b"\n")
        place = random.randrange(len(lines))
        lines[place] = mutated_json(lines[place], random)
        # Most of them with sums that are right, so that the reader looks further.
        return _summed(lines) if random.random() < 0.8 else b"\n".join(lines)

    def run(self, data: bytes) -> str:
        path = self.folder / "snapshot.audiencelab.jsonl"
        path.write_bytes(data)
        try:
            snapshot = read(path)
        except SnapshotError as error:
            return refused(error)
        replayed_context(snapshot)
        door = ReplayTransport(snapshot)
        for exchange in snapshot.exchanges:
            told = f"{operation_name(exchange)} {question(exchange)} {amount(exchange)}"
            assert told.isprintable(), told
            query = urlencode(exchange.query)
            request = Request(exchange.method, exchange.path, query, body=exchange.sent)
            for asked in (request, Request("GET", "/v2/questions/q9")):
                try:
                    door.send(asked).read()
                except SnapshotMiss as error:
                    refused(error)
        return f"accepted {min(len(snapshot.exchanges), 5)}"


def _summed(lines: list[bytes]) -> bytes:
    """The lines with checksums and keys as they have to be, where they can be worked out."""
    made: list[bytes] = []
    for line in lines[1:]:
        try:
            fields: dict[str, Any] = json.loads(line)
            body = str(fields.get("body", "")).encode("utf-8", "replace")
            if "body_base64" not in fields:
                fields["sha256"] = sha256(body).hexdigest()
            sent = b""
            if "request" in fields:
                sent = json.dumps(fields["request"], separators=(",", ":"), sort_keys=True).encode()
            fields["key"] = key_of(fields["method"], fields["path"], fields.get("query", {}), sent)
            made.append(json.dumps(fields).encode())
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            made.append(line)
    kept = [line for line in made if line]
    try:
        header: dict[str, Any] = msgspec.json.decode(lines[0], type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return b"\n".join([lines[0], *kept])
    header["exchanges"] = len(kept)
    header["sha256"] = sha256(b"".join(line + b"\n" for line in kept)).hexdigest()
    return b"".join(line + b"\n" for line in (json.dumps(header).encode(), *kept))
