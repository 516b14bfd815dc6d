"""What a rule does to the objects of a stream: their order, their number, their names, their dress.

Each function takes and gives lines, one JSON object each, so that they can follow one another;
only shuffling waits for the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any
from uuid import UUID

import msgspec

from audiencelab.service.problems import problem_document
from audiencelab.testing.profile import FaultRule

__all__ = ["disturbed", "framed", "lines_of"]

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


def disturbed(lines: Iterator[bytes], rule: FaultRule, chance: Random) -> Iterator[bytes]:
    """The lines as the rule wants them; garbage is a line too."""
    if rule.foreign_ids or rule.no_echo or rule.zero_based:
        lines = _renamed(lines, rule, chance)
    if rule.duplicate:
        lines = _duplicated(lines, rule.duplicate, chance)
    if rule.shuffle:
        lines = _shuffled(lines, chance)
    if rule.garbage_after is not None:
        lines = _interrupted(lines, rule.garbage_after)
    if rule.problem_after is not None:
        lines = _given_up(lines, rule.problem_after)
    return lines


def framed(lines: Iterator[bytes], framing: str) -> Iterator[bytes]:
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


def _renamed(lines: Iterator[bytes], rule: FaultRule, chance: Random) -> Iterator[bytes]:
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


def _duplicated(lines: Iterator[bytes], share: float, chance: Random) -> Iterator[bytes]:
    for line in lines:
        yield line
        if chance.random() < share:
            yield line


def _shuffled(lines: Iterator[bytes], chance: Random) -> Iterator[bytes]:
    collected = list(lines)
    chance.shuffle(collected)
    yield from collected


def _interrupted(lines: Iterator[bytes], after: int) -> Iterator[bytes]:
    for place, line in enumerate(lines):
        if place == after:
            yield _GARBAGE
        yield line


def _given_up(lines: Iterator[bytes], after: int) -> Iterator[bytes]:
    for place, line in enumerate(lines):
        if place == after:
            yield problem_document(500, "The service failed", "The rest is missing on purpose.")
            return
        yield line
