"""What a rule does to the lines of a stream and to the bytes of a body."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from random import Random
from typing import Any
from uuid import UUID

import msgspec

from audiencelab.schema.http import PROBLEM, Response
from audiencelab.service.responses import BrokenStreamError, problem_document
from audiencelab.testing.rules import FaultRule

_GARBAGE = b"<html><body>Bad gateway: {unfinished \xff\n"

_RECORD_SEPARATOR = b"\x1e"


def lines_of(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Chunks that were cut anywhere, as whole lines without their ends."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
    if rest:
        yield rest


def mutate(lines: Iterator[bytes], rule: FaultRule, chance: Random) -> Iterator[bytes]:
    """The lines as the rule wants them; garbage is a line too."""
    if rule.foreign_ids or rule.no_echo or rule.zero_based:
        lines = _rename(lines, rule, chance)
    if rule.duplicate:
        lines = _duplicate(lines, rule.duplicate, chance)
    if rule.shuffle:
        lines = _shuffle(lines, chance)
    if rule.garbage_after is not None:
        lines = _insert_garbage(lines, rule.garbage_after)
    if rule.problem_after is not None:
        lines = _give_up(lines, rule.problem_after)
    return lines


def frame(lines: Iterator[bytes], framing: str) -> Iterator[bytes]:
    """The lines as bytes on the way, one chunk each."""
    for line in lines:
        if framing == "sequence":
            yield _RECORD_SEPARATOR + line + b"\n"
        elif framing == "joined":
            yield line
        elif framing == "pretty" and line != _GARBAGE:
            yield msgspec.json.format(line, indent=2) + b"\n"
        else:
            yield line + b"\n"


def _rename(lines: Iterator[bytes], rule: FaultRule, chance: Random) -> Iterator[bytes]:
    made_up: dict[tuple[str, str], str] = {}
    for line in lines:
        cell: dict[str, Any] = msgspec.json.decode(line)
        if "audiences" not in cell:
            yield line  # the service's own problem
            continue
        for side in ("row", "column"):
            if rule.foreign_ids:
                figures = cell["audiences"][side]
                key = (side, figures["audience"])
                if key not in made_up:
                    made_up[key] = str(UUID(int=chance.getrandbits(128), version=4))
                figures["audience"] = made_up[key]
            if rule.no_echo:
                cell.pop(side, None)
            if rule.zero_based:
                cell[f"{side}_index"] = max(0, cell[f"{side}_index"] - 1)
        yield msgspec.json.encode(cell)


def _duplicate(lines: Iterator[bytes], share: float, chance: Random) -> Iterator[bytes]:
    for line in lines:
        yield line
        if chance.random() < share:
            yield line


def _shuffle(lines: Iterator[bytes], chance: Random) -> Iterator[bytes]:
    collected = list(lines)
    chance.shuffle(collected)
    yield from collected


def _insert_garbage(lines: Iterator[bytes], after: int) -> Iterator[bytes]:
    for number, line in enumerate(lines):
        if number == after:
            yield _GARBAGE
        yield line


def _give_up(lines: Iterator[bytes], after: int) -> Iterator[bytes]:
    for number, line in enumerate(lines):
        if number == after:
            yield problem_document(500, "The service failed", "The rest is missing on purpose.")
            return
        yield line


def deliver(
    chunks: Iterator[bytes], rule: FaultRule, chance: Random, sleep: Callable[[float], None]
) -> Iterator[bytes]:
    """The bytes as they arrive."""
    if rule.cut_after is not None:
        chunks = _cut(chunks, rule.cut_after, broken=rule.cut == "broken")
    if rule.split is not None:
        chunks = _split(chunks, rule.split, chance)
    for chunk in chunks:
        if rule.pause:
            sleep(rule.pause)
        yield chunk


def refusal(rule: FaultRule, status: int) -> Response:
    """The response of a rule that refuses."""
    if rule.body is None:
        kind = PROBLEM
        body = problem_document(status, "Refused", "The fault profile refuses this request.")
    else:
        kind, body = "text/html; charset=utf-8", rule.body.encode()
    headers = {"content-type": kind, "content-length": str(len(body))}
    headers |= {name.lower(): value for name, value in rule.headers.items()}
    if rule.retry_after is not None:
        headers["retry-after"] = _retry_after(rule.retry_after, rule.retry_after_as)
    return Response(status, headers, iter((body,)))


def _retry_after(seconds: float, form: str) -> str:
    if form == "date":
        return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)
    return f"{seconds:.3f}" if form == "fraction" else f"{seconds:.0f}"


def _cut(chunks: Iterator[bytes], after: int, *, broken: bool) -> Iterator[bytes]:
    left = after
    for chunk in chunks:
        if len(chunk) > left:
            if left:
                yield chunk[:left]
            break
        left -= len(chunk)
        yield chunk
    else:
        return
    if broken:
        raise BrokenStreamError("The fault profile cuts this answer.")


def _split(chunks: Iterator[bytes], most: int, chance: Random) -> Iterator[bytes]:
    for chunk in chunks:
        start = 0
        while start < len(chunk):
            stop = start + chance.randint(1, most)
            yield chunk[start:stop]
            start = stop
