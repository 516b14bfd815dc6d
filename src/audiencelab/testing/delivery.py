"""What a rule does to bytes on their way: cut, split, late; and how a refusal is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from random import Random

from audiencelab.schema.http import PROBLEM, Response
from audiencelab.service.problems import problem_document
from audiencelab.service.streams import BrokenStreamError
from audiencelab.testing.profile import FaultRule

__all__ = ["delivered", "refusal"]


def delivered(
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
    """The answer of a rule that refuses."""
    if rule.body is None:
        kind = PROBLEM
        body = problem_document(status, "Refused", "The fault profile refuses this request.")
    else:
        kind, body = "text/html; charset=utf-8", rule.body.encode()
    headers = {"content-type": kind, "content-length": str(len(body)), **rule.headers}
    if rule.retry_after is not None:
        headers["retry-after"] = _moment(rule.retry_after, rule.retry_after_as)
    return Response(status, headers, iter((body,)))


def _moment(seconds: float, form: str) -> str:
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
