"""A recorded exchange in a few words: what was asked, and how much was received."""

from __future__ import annotations

from contextlib import suppress
from math import prod
from typing import Any, cast
from urllib.parse import unquote

import msgspec
from msgspec import UNSET

from audiencelab.client.snapshots.format import UNREADABLE, Exchange
from audiencelab.client.stream.objects import InvalidStream, ObjectStream
from audiencelab.schema.endpoints import endpoint_of
from audiencelab.schema.http import UNWEIGHTED
from audiencelab.schema.scope import SCOPE_ARGUMENTS, named_weight
from audiencelab.wording import plural


def operation_name(exchange: Exchange) -> str:
    """The operation by its name in the client, such as "questions.filter"."""
    return printable(endpoint_of(exchange.method, exchange.path).name)


def question(exchange: Exchange) -> str:
    """What was asked, such as "q20; splitter waves; base_audience Women"."""
    if exchange.request is UNSET:
        # The code or id in the path, after the version and the resource.
        parts = exchange.path.split("/")[3:]
        return printable(unquote(" ".join(part for part in parts if part != "audiences")))
    request = _fields(exchange.request) | _weight(exchange)
    parts = [
        text if name in ("question", "questions", "name") else f"{name} {text}"
        for name in _ASKED
        if (text := _text(request.get(name)))
    ]
    return printable("; ".join(parts) or "all")


def amount(exchange: Exchange) -> str:
    """How much was received: rows, cells, questions, or the status of a refusal."""
    if exchange.status >= 400:
        return f"refused ({exchange.status})"
    operation = operation_name(exchange)
    if operation == "crosstab":
        return plural(len(cells(exchange.content)), "cell")
    path, noun = _COUNTED.get(operation, ("", ""))
    try:
        found = msgspec.json.decode(exchange.content)
    except UNREADABLE:
        return ""
    if _fields(found).get("refused") and path:
        return "refused by the design"
    for member in path.split("."):
        found = _fields(found).get(member)
    shape = _fields(found).get("shape")
    count = prod(map(int, _list(shape))) if shape else len(_list(found))
    return "" if found is None else plural(count, noun)


def cells(body: bytes) -> list[dict[str, Any]]:
    """The cells of a crosstab's stream that are complete."""
    stream = ObjectStream(dict[str, Any])
    found: list[dict[str, Any]] = []
    with suppress(InvalidStream):
        found += stream.feed(body)
        found += stream.finish()
    return found


def printable(text: str) -> str:
    """The text without control characters, which a terminal would act on."""
    return "".join(char if char.isprintable() else "�" for char in text)


def _weight(exchange: Exchange) -> dict[str, str]:
    """The weight that a request names, as the argument of a call."""
    given = named_weight(exchange.query)
    return {} if given is UNSET else {"weight": given or UNWEIGHTED}


def _text(value: Any) -> str:
    """A code, or the names or codes of several, of which at most three are listed."""
    if isinstance(value, list):
        listed = [_text(each) or "?" for each in _list(value)]
        more = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
        return ", ".join(listed[:3]) + more
    fields = _fields(value)
    if name := fields.get("name") or fields.get("id") or fields.get("question"):
        return str(name)
    if "expression" in fields:
        return _text(fields["expression"])
    if fields:
        return ", ".join(f"{name} {_text(each)}" for name, each in fields.items())
    return "" if value is None else str(value)


def _fields(value: Any) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []


_ASKED = (
    *(
        "question",
        "questions",
        "name",
        "rows",
        "statistics",
        "columns",
        "adjust",
        "splitter",
        "audiences",
    ),
    *SCOPE_ARGUMENTS,
    *("filters", "offset"),
)
"""The fields of a request that are shown, in their order."""

_COUNTED = {
    "stats": ("data", "row"),
    "questions.filter": ("questions", "question"),
    "insights.filter": ("insights", "insight"),
    "charts.calculate": ("stats", "group"),
    "amounts": ("rows", "row"),
    "precision": ("sample", "cell"),
    "pairs": ("pairs.variance", "pair"),
    "items": ("cells.share", "cell"),
    "numbers": ("numbers.rows", "row"),
    "adjusted": ("adjusted.share", "cell"),
}
"""What is counted of a response: a list, or the values of an array."""
