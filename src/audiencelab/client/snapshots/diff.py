"""The differences of two requests, or of two responses, as JSON values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from math import isclose
from typing import Any, NamedTuple, cast

from audiencelab.schema.endpoints import endpoint_of

_MOST_CHARACTERS = 60
_ROUNDING = 1e-12
_NOTHING = 1e-18
"""A covariance that is 0 but for rounding, in shares of 1, squared."""

_ABSENT = object()

Difference = tuple[str, Any, Any]
"""A JSON pointer with the value before and the value now."""


class ComparedRequest(NamedTuple):
    """The parts of a request that are compared; the body as a JSON value."""

    method: str
    path: str
    query: Mapping[str, str]
    body: Any


def nearest(asked: ComparedRequest, recorded: Sequence[ComparedRequest]) -> int | None:
    """The index of the recorded request of the same operation that differs least, if any.

    Of several it is the last one.
    """
    endpoint = endpoint_of(asked.method, asked.path)
    alike = [
        index
        for index, each in enumerate(recorded)
        if endpoint_of(each.method, each.path) == endpoint
    ]
    if not alike:
        return None
    return min(reversed(alike), key=lambda index: distance(recorded[index], asked))


def distance(recorded: ComparedRequest, asked: ComparedRequest) -> int:
    """The number of values that differ between two requests."""
    return sum(1 for _ in _of_requests(recorded, asked))


def request_differences(
    recorded: ComparedRequest, asked: ComparedRequest, *, most: int = 5
) -> tuple[str, ...]:
    """One line for each difference: its JSON pointer into the body, and both values."""
    return _lines(_of_requests(recorded, asked), "asked", most)


def value_differences(recorded: Any, now: Any, *, most: int = 3) -> tuple[str, ...]:
    """The same for two JSON values; fields that were not recorded are not compared.

    A newer service may add fields to its responses, and another machine adds up in another order,
    so that variances differ in their last digits.
    """
    return _lines(_of_values("", recorded, now, may_grow=True), "now", most)


def _lines(found: Iterable[Difference], word: str, most: int) -> tuple[str, ...]:
    lines = [
        f"{pointer or 'the whole'}: recorded {_shown(before)}, {word} {_shown(now)}"
        for pointer, before, now in found
    ]
    more = [f"… and {len(lines) - most:,} more"] if len(lines) > most else []
    return (*lines[:most], *more)


def _of_requests(recorded: ComparedRequest, asked: ComparedRequest) -> Iterator[Difference]:
    if recorded.path != asked.path:
        yield "the path", recorded.path, asked.path
    for pointer, before, now in _of_values("", dict(recorded.query), dict(asked.query)):
        yield f"the query {pointer}", before, now
    for pointer, before, now in _of_values("", recorded.body, asked.body):
        yield pointer or "the whole body", before, now


def _of_values(
    pointer: str, before: Any, now: Any, *, may_grow: bool = False
) -> Iterator[Difference]:
    if isinstance(before, dict) and isinstance(now, dict):
        mine, others = cast(dict[str, Any], before), cast(dict[str, Any], now)
        names = sorted(mine if may_grow else mine.keys() | others.keys())
        pairs = [
            (_escape(name), mine.get(name, _ABSENT), others.get(name, _ABSENT)) for name in names
        ]
    elif isinstance(before, list) and isinstance(now, list):
        pairs = _pairs(cast(list[Any], before), cast(list[Any], now))
    else:
        if not _equal(before, now, nearly=may_grow):
            yield pointer, before, now
        return
    for step, one, other in pairs:
        yield from _of_values(f"{pointer}/{step}", one, other, may_grow=may_grow)


def _pairs(before: list[Any], now: list[Any]) -> list[Difference]:
    both = zip_longest(before, now, fillvalue=_ABSENT)
    return [(str(index), one, other) for index, (one, other) in enumerate(both)]


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _equal(before: Any, now: Any, *, nearly: bool) -> bool:
    # As in JSON: true is not 1, and 1.0 is.
    if isinstance(before, bool) is not isinstance(now, bool):
        return False
    if nearly and isinstance(before, float) and isinstance(now, float):
        return isclose(before, now, rel_tol=_ROUNDING, abs_tol=_NOTHING)
    return before == now


def _shown(value: Any) -> str:
    if value is _ABSENT:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"
