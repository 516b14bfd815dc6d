"""A crosstab's stream: bytes cut anywhere, framed anyhow; the oracle is Python's own `json`."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from random import Random
from typing import Any, cast

from audiencelab.client.stream.objects import InvalidStream, ObjectStream
from tests.fuzz.mutating import mutated, mutated_json
from tests.fuzz.targets import Target, refused

__all__ = ["Streams"]

_LIMIT = 4_096
"""Of one object, so that the limit is met with small inputs."""

_SPACE = " \t\r\n"


class Streams(Target):
    """`ObjectStream`: the same objects as `json` finds, up to the first that is none.

    The first byte of an input says how the others are cut.
    """

    name = "streams"
    share = 330

    def seeds(self) -> list[bytes]:
        listed: list[Any] = [None, True, -0.5, {"d": {}}]
        cell = {"a": 1, "b": '}{\\"é', "c": listed, "e": "😀"}
        lines = "".join(json.dumps(cell) + "\n" for _ in range(4))
        back = json.dumps(cell, ensure_ascii=False) * 4
        records = "".join(f"\x1e{json.dumps(cell)}\n" for _ in range(4))
        pretty = "\r\n".join(json.dumps(cell, indent=2) for _ in range(3))
        texts = (lines, back, records, pretty, '{"a":"' + "}{" * 40 + '"}', " \n" * 40 + back)
        return [bytes([place]) + text.encode() for place, text in enumerate(texts)]

    def made(self, random: Random, inputs: list[bytes]) -> bytes:
        data = random.choice(inputs)
        if random.random() < 0.3:
            # An object that is sound, and unlike any other, among its fellows.
            first = data[1:].split(b"\n", 1)[0]
            return bytes([random.randrange(256)]) + (mutated_json(first, random) + b"\n") * 2
        return bytes([random.randrange(256)]) + mutated(data[1:], inputs, random)

    def run(self, data: bytes) -> str:
        cuts, text = Random(data[:1]), data[1:].removeprefix(b"\xef\xbb\xbf")
        found, why = _read(text, cuts)
        if text.replace(b"\x1e", b" ").lstrip(_SPACE.encode()).startswith(b"["):
            return "an array, which the oracle does not follow"
        try:
            expected, whole = _by_json(text)
            known = [_comparable(each) for each in found]
        except RecursionError:
            return "deeper than the oracle follows"
        if why is None:
            assert whole, (found, expected)
            assert known == expected, (found, expected)
            return f"accepted {min(len(found), 5)}"
        # A refusal is right where json finds a fault, and beyond what both take for JSON.
        assert known == expected[: len(known)], (found, expected)
        # What came before the fault is handed out.
        strict = whole or len(known) < len(expected) - 1
        assert not strict or "larger than" in why or _beyond(text), (why, expected)
        return refused(InvalidStream(why))


def _read(text: bytes, random: Random) -> tuple[list[Any], str | None]:
    """The objects, and the words of the refusal if there was one."""
    most = random.choice((0, 1, 5, 40))
    if most > len(text) or random.random() < 0.05:
        cuts = range(len(text))
    else:
        cuts = sorted(random.randrange(len(text) + 1) for _ in range(most))
    stream = ObjectStream(dict[str, Any], max_object=_LIMIT)
    found: list[Any] = []
    try:
        for start, end in pairwise([0, *cuts, len(text)]):
            found += stream.feed(text[start:end])
        while more := stream.finish():
            found += more
    except InvalidStream as error:
        return found, str(error)
    return found, None


def _by_json(data: bytes) -> tuple[list[Any], bool]:
    """The objects that `json` finds one after the other, and whether nothing else was there."""
    found: list[Any] = []
    # What is no UTF-8 is no JSON either; what stands before it may be.
    text = data.decode("utf-8", "surrogateescape").replace("\x1e", " ")
    decoder = json.JSONDecoder(parse_constant=_no_number)
    place = 0
    while True:
        while place < len(text) and text[place] in _SPACE:
            place += 1
        if place == len(text):
            return found, True
        try:
            value, end = decoder.raw_decode(text, place)
            text[place:end].encode()
            if not isinstance(value, dict):
                return found, False
            found.append(_comparable(value))
        except ValueError:
            return found, False
        place = end


def _no_number(word: str) -> Any:
    raise ValueError(word)


def _comparable(value: Any) -> Any:
    """A value as both decoders have it: beyond 64 bits a whole number may be a float."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        return {_comparable(key): _comparable(each) for key, each in members}
    if isinstance(value, list):
        return [_comparable(each) for each in cast("list[Any]", value)]
    if isinstance(value, str):
        # Half of a surrogate pair becomes U+FFFD.
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**64:
        return ("int", value)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    return ("float", number, math.copysign(1, number))


def _beyond(text: bytes) -> bool:
    """What `json` takes for JSON and the specification need not: huge numbers, halves, depth."""
    return any(mark in text for mark in (b"e999", b"\\ud", b"\\uD", b"9" * 300)) or any(
        text.count(bracket) > 900 for bracket in (b"{", b"[")
    )
