"""A recorded exchange in a few words: what was asked, and how much came.

A snapshot may come from anywhere, so nothing that is not printable reaches a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, cast
from urllib.parse import unquote

import msgspec
from msgspec import UNSET

from audiencelab.client.operations.registry import operation_of
from audiencelab.client.snapshots.document import Exchange
from audiencelab.client.stream.objects import InvalidStream, ObjectStream
from audiencelab.wording import plural

__all__ = ["amount", "cells", "operation_name", "printable", "question"]


def operation_name(exchange: Exchange) -> str:
    """The operation by the name that a client gives it."""
    return printable(operation_of(exchange.method, exchange.path).name)


def question(exchange: Exchange) -> str:
    """What was asked."""
    request = _fields(None if exchange.request is UNSET else exchange.request)
    say = _ASKED.get(operation_name(exchange))
    return printable(say(request) if say else _identifier(exchange.path))


def amount(exchange: Exchange) -> str:
    """How much came: rows, cells, questions, or the status of a refusal."""
    if exchange.status >= 400:
        return f"refused ({exchange.status})"
    operation = operation_name(exchange)
    if operation == "crosstab":
        return plural(len(cells(exchange.content)), "cell")
    member, noun = _COUNTED.get(operation, ("", ""))
    try:
        answer = _fields(msgspec.json.decode(exchange.content))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    return plural(len(_list(answer.get(member))), noun) if member in answer else ""


def cells(body: bytes) -> list[dict[str, Any]]:
    """The objects of a crosstab's stream, as many as are whole."""
    stream = ObjectStream(dict[str, Any])
    found: list[dict[str, Any]] = []
    with suppress(InvalidStream):
        found += stream.feed(body)
        found += stream.finish()
    return found


def printable(text: str) -> str:
    """The text without what could command a terminal."""
    return "".join(char if char.isprintable() else "�" for char in text)


def _stats(request: dict[str, Any]) -> str:
    parts = [str(request.get("question", ""))]
    if splitter := request.get("splitter"):
        parts.append(f"by {splitter}")
    if audiences := _names(request.get("audiences")):
        parts.append(f"for {audiences}")
    return " ".join(parts) + _scope(request)


def _crosstab(request: dict[str, Any]) -> str:
    rows, columns = _names(request.get("rows")), _names(request.get("columns"))
    return f"{rows or 'the base'} × {columns or 'the base'}{_scope(request)}"


def _questions(request: dict[str, Any]) -> str:
    asked = [str(_fields(each).get("question", "")) for each in _list(request.get("questions"))]
    return _some(asked) or "all questions"


def _insights(request: dict[str, Any]) -> str:
    filters = _fields(request.get("filters"))
    parts = [f"{name} {_codes(value) or value}" for name, value in filters.items()]
    return ", ".join([*parts, f"from {request.get('offset', 0)}"])


def _scope(request: dict[str, Any]) -> str:
    base = _fields(request.get("base_audience")).get("name")
    said = {"base": base, **{name: _codes(request.get(name)) for name in ("locations", "waves")}}
    return "".join(f"; {name} {words}" for name, words in said.items() if words)


def _names(audiences: Any) -> str:
    listed = (_fields(each) for each in _list(audiences))
    return _some(str(each.get("name") or each.get("id") or "?") for each in listed)


def _codes(listed: Any) -> str:
    return _some(map(str, _list(listed)))


def _some(words: Iterable[str], most: int = 3) -> str:
    listed = list(words)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def _identifier(path: str) -> str:
    """The code or id in a path that has one."""
    parts = [part for part in path.split("/")[3:] if part not in ("calculate", "audiences")]
    return unquote(parts[-1]) if parts else ""


def _fields(value: Any) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []


_ASKED: dict[str, Callable[[dict[str, Any]], str]] = {
    "stats": _stats,
    "crosstab": _crosstab,
    "questions.filter": _questions,
    "insights.filter": _insights,
    "charts.create": lambda request: str(request.get("name", "")),
}

_COUNTED = {
    "stats": ("data", "row"),
    "questions.filter": ("questions", "question"),
    "insights.filter": ("insights", "insight"),
    "charts.calculate": ("stats", "group"),
}
