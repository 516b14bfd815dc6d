"""Inputs made of others: bytes that are cut, flipped and spliced, and JSON that stays JSON.

Everything is drawn from one generator, so a seed gives the same inputs again.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any, cast

__all__ = ["mutated", "mutated_json"]

_MARKS = (
    *(b"{", b"}", b"[", b"]", b'"', b"\\", b",", b":", b"\n", b"\r\n", b"\x00", b"\x1e", b"\xff"),
    *(b"}{", b'"}', b"\\u0000", b"\\ud800", b"\xed\xa0\x80", b"\xef\xbb\xbf", "€😀".encode()),
    *(b"null", b"true", b"1e999", b"-0.0", b"NaN", b"9" * 30, b"../../", b"=cmd|' /C calc'!A0"),
)
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2**31, 2**63, 2**64, 10**40, 0.5, 1e308, -0.0),
    *("", "a", "0", "01", "9" * 5_000, "\ud800", "\x00", "../../etc", "€😀", "x" * 70_000),
    *([], {}, [[]], [None], {"": None}, {"and": []}, {"__proto__": 1}),
)
_DEEP = '"@deep"'
"""Stands where brackets are put in once the JSON is text, as no writer of JSON goes so deep."""


def mutated(data: bytes, others: list[bytes], random: Random) -> bytes:
    """The bytes with one to four things done to them; parts may come from the others."""
    found = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4))):
        _change(found, others, random)
    return bytes(found)


def _change(found: bytearray, others: list[bytes], random: Random) -> None:
    place = random.randrange(len(found) + 1)
    end = min(len(found), place + random.choice((1, 1, 2, 4, 16, 200)))
    match random.randrange(9):
        case 0 if found:
            found[place - 1] ^= 1 << random.randrange(8)
        case 1 if found:
            found[place - 1] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))
        case 2:
            del found[place:end]
        case 3:
            found[place:place] = found[place:end]
        case 4:
            found[place:place] = random.choice(_MARKS)
        case 5:
            found[place:end] = random.choice(_MARKS)
        case 6:
            del found[place:]
        case 7:
            other = random.choice(others)
            start = random.randrange(len(other) + 1)
            found[place:end] = other[start : start + random.choice((4, 32, 300))]
        case _:
            found[place:end] = bytes(found[place:end]) * random.choice((2, 3, 50))


def mutated_json(data: bytes, random: Random) -> bytes:
    """JSON with some of its values replaced, moved, doubled or dropped; other bytes as they are."""
    try:
        value = json.loads(data)
        for _ in range(random.choice((1, 1, 2, 3))):
            value = _changed(value, random)
        text = json.dumps(value)
    except (ValueError, RecursionError):
        return data
    if _DEEP in text:
        depth = random.choice((3, 62, 63, 64, 65, 400, 3_000))
        opening, closing = random.choice((('{"and":[', "]}"), ("[", "]"), ('{"x":', "}")))
        inside = random.choice(("1", '{"question":"q"}'))
        text = text.replace(_DEEP, opening * depth + inside + closing * depth, 1)
    return text.encode()


def _changed(value: Any, random: Random) -> Any:
    if random.random() < 0.01:
        return json.loads(_DEEP)
    if not isinstance(value, dict | list) or not value or random.random() < 0.12:
        held = cast("Any", value)
        return random.choice((*_VALUES, [held, held], {"not": held}))
    if isinstance(value, list):
        listed = list(cast("list[Any]", value))
        place = random.randrange(len(listed))
        match random.randrange(5):
            case 0:
                del listed[place]
            case 1:
                listed.insert(place, listed[random.randrange(len(listed))])
            case _:
                listed[place] = _changed(listed[place], random)
        return listed
    fields = dict(cast("dict[str, Any]", value))
    name = random.choice(list(fields))
    match random.randrange(6):
        case 0:
            del fields[name]
        case 1:
            fields[random.choice(("", "x", "and", "or", "not", "question", "__class__"))] = fields[
                name
            ]
        case 2:
            fields[name] = fields[random.choice(list(fields))]
        case _:
            fields[name] = _changed(fields[name], random)
    return fields
