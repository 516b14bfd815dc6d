"""How two requests differ, in words: for whoever asked what a snapshot does not hold."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from msgspec import UNSET

from audiencelab.client.operations.registry import operation_of

__all__ = ["Asked", "differences", "distance", "nearest", "value_differences"]

_LENGTH = 60
_ABSENT = object()


class Asked:
    """A request as it is compared: method, path, query and the body as a JSON value."""

    __slots__ = ("body", "method", "path", "query")

    def __init__(self, method: str, path: str, query: Mapping[str, str], body: Any) -> None:
        self.method = method
        self.path = path
        self.query = dict(query)
        self.body: Any = None if body is UNSET else body


def nearest(asked: Asked, recorded: Sequence[Asked]) -> int | None:
    """The place of the recorded request that differs least, the last of several equals.

    Only requests of the same operation come into question; None if there is none.
    """
    alike = [place for place, each in enumerate(recorded) if _same_operation(asked, each)]
    if not alike:
        return None
    return min(reversed(alike), key=lambda place: distance(recorded[place], asked))


def distance(recorded: Asked, asked: Asked) -> int:
    """In how many places two requests differ."""
    return sum(1 for _ in _all_differences(recorded, asked))


def differences(recorded: Asked, asked: Asked, *, most: int = 5) -> tuple[str, ...]:
    """A line for each difference: its place, as a JSON pointer into the body, and both values."""
    return _lines(_all_differences(recorded, asked), "asked", most)


def value_differences(recorded: Any, now: Any, *, most: int = 3) -> tuple[str, ...]:
    """The same for two answers, as JSON values.

    A service may add fields to its answers: one that was not recorded is not compared.
    """
    return _lines(_of_values("", recorded, now, may_grow=True), "now", most)


def _lines(found: Iterable[tuple[str, Any, Any]], word: str, most: int) -> tuple[str, ...]:
    lines = [
        f"{place or 'the whole'}: recorded {_shown(before)}, {word} {_shown(now)}"
        for place, before, now in found
    ]
    more = [f"… and {len(lines) - most:,} more"] if len(lines) > most else []
    return (*lines[:most], *more)


def _same_operation(one: Asked, other: Asked) -> bool:
    return operation_of(one.method, one.path) == operation_of(other.method, other.path)


def _all_differences(recorded: Asked, asked: Asked) -> Iterator[tuple[str, Any, Any]]:
    if recorded.path != asked.path:
        yield "the path", recorded.path, asked.path
    for place, before, now in _of_values("", recorded.query, asked.query):
        yield f"the query {place}", before, now
    for place, before, now in _of_values("", recorded.body, asked.body):
        yield place or "the whole body", before, now


def _of_values(
    place: str, before: Any, now: Any, *, may_grow: bool = False
) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(before, dict) and isinstance(now, dict):
        mine, theirs = cast(dict[str, Any], before), cast(dict[str, Any], now)
        for name in sorted(mine if may_grow else mine.keys() | theirs.keys()):
            step = name.replace("~", "~0").replace("/", "~1")
            yield from _of_values(
                f"{place}/{step}",
                mine.get(name, _ABSENT),
                theirs.get(name, _ABSENT),
                may_grow=may_grow,
            )
    elif isinstance(before, list) and isinstance(now, list):
        lists = cast(list[Any], before), cast(list[Any], now)
        yield from _of_lists(place, *lists, may_grow=may_grow)
    elif not _equal(before, now):
        yield place, before, now


def _of_lists(
    place: str, before: list[Any], now: list[Any], *, may_grow: bool
) -> Iterator[tuple[str, Any, Any]]:
    for number in range(max(len(before), len(now))):
        yield from _of_values(
            f"{place}/{number}",
            before[number] if number < len(before) else _ABSENT,
            now[number] if number < len(now) else _ABSENT,
            may_grow=may_grow,
        )


def _equal(before: Any, now: Any) -> bool:
    # As JSON has it: true is not 1, and 1.0 is.
    return isinstance(before, bool) is isinstance(now, bool) and before == now


def _shown(value: Any) -> str:
    if value is _ABSENT:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LENGTH else text[: _LENGTH - 1] + "…"
