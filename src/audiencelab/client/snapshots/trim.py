"""Leaves out of a snapshot what a replay does not need: labels of questions that nothing asks.

A client loads the whole catalogue once, and a recording holds it: questions, answers and
descriptions of the whole survey, used or not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

import msgspec
from msgspec import UNSET

from audiencelab.client.snapshots.format import UNREADABLE, Exchange, Snapshot, encode_lines
from audiencelab.expressions import join_code, split_code
from audiencelab.files import put
from audiencelab.schema.endpoints import FILTER_QUESTIONS, endpoint_of

_COMPUTED = ("format", "version", "exchanges", "sha256")
"""Fields of a header that follow from the exchanges."""


@dataclass(frozen=True, slots=True)
class Trimmed:
    """A snapshot without what is not needed.

    unused: names of the questions that are left out; questions: those that are kept, as recorded.
    not_asked: lines of exchanges that are left out, since a run did not use them.
    """

    snapshot: Snapshot
    exchanges: tuple[Exchange, ...]
    unused: tuple[str, ...]
    questions: tuple[dict[str, Any], ...]
    not_asked: tuple[int, ...] = ()

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all; raises `WriteError`."""
        header = msgspec.structs.asdict(self.snapshot.header)
        for name in _COMPUTED:
            del header[name]
        header["left_out"] += len(self.unused)
        put(path, encode_lines(header, self.exchanges), private=True)


def trim(snapshot: Snapshot, text: str = "", used: Collection[int] | None = None) -> Trimmed:
    """What a replay needs of a snapshot.

    text: code and outputs of the notebook; questions that it names, by name or code, are kept.
    used: indices of the exchanges that a replay of the notebook used; None keeps all.
    """
    indices = [n for n in range(len(snapshot.exchanges)) if used is None or n in used]
    exchanges = [snapshot.exchanges[n] for n in indices]
    asked = {*_strings(msgspec.to_builtins(snapshot.header))}
    for each in exchanges:
        if not is_catalogue(each):
            asked.update(_asked(each))
    unused: dict[str, str] = {}
    kept: dict[str, dict[str, Any]] = {}
    trimmed: list[Exchange] = []
    for each in exchanges:
        if is_catalogue(each):
            answer = msgspec.json.decode(each.content)
            needed: list[Any] = []
            for question in cast("list[dict[str, Any]]", answer["questions"]):
                codes = codes_of(question, snapshot.header.base_namespace)
                name = str(question.get("name", ""))
                if asked.isdisjoint(codes) and not _names(text, (name, *codes)):
                    unused[codes[-1]] = name or codes[0]
                else:
                    kept[codes[-1]] = question
                    needed.append(question)
            each = _with_questions(each, answer, needed)
        trimmed.append(each)
    left = {code: name for code, name in unused.items() if code not in kept}
    lines = tuple(snapshot.line_of(n) for n in range(len(snapshot.exchanges)) if n not in indices)
    return Trimmed(snapshot, tuple(trimmed), tuple(left.values()), tuple(kept.values()), lines)


def is_catalogue(exchange: Exchange) -> bool:
    """Whether an exchange is the whole catalogue, as a client loads it, and complete."""
    if endpoint_of(exchange.method, exchange.path) is not FILTER_QUESTIONS:
        return False
    if exchange.request is not UNSET and {*_fields(exchange.request)} != {"include"}:
        return False
    if exchange.status != 200 or not exchange.complete:
        return False
    try:
        answer = msgspec.json.decode(exchange.content)
        return isinstance(answer["questions"], list)
    except (*UNREADABLE, KeyError, TypeError):
        return False


def codes_of(question: Mapping[str, Any], base_namespace: str) -> tuple[str, ...]:
    """The codes by which requests name a question of the catalogue, the whole one last."""
    code = str(question.get("code", ""))
    namespace = str(question.get("namespace_code") or base_namespace)
    whole = join_code(*split_code(code, namespace))
    return (code, whole) if namespace == base_namespace else (whole,)


def _with_questions(exchange: Exchange, answer: dict[str, Any], questions: list[Any]) -> Exchange:
    if len(questions) == len(answer["questions"]):
        return exchange
    content = msgspec.json.encode({**answer, "questions": questions})
    # A tag is of the whole catalogue, and this is another answer.
    headers = {name: value for name, value in exchange.headers.items() if name != "etag"}
    return msgspec.structs.replace(
        exchange,
        body=content.decode(),
        body_base64="",
        sha256=sha256(content).hexdigest(),
        headers=headers,
    )


def _fields(value: Any) -> Iterable[str]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else ()


def _asked(exchange: Exchange) -> Iterator[str]:
    """All texts of a request: codes of questions are among them."""
    yield from (unquote(part) for part in exchange.path.split("/"))
    yield from _strings(exchange.query)
    if exchange.request is not UNSET:
        yield from _strings(exchange.request)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, each in cast("Mapping[str, Any]", value).items():
            yield name
            yield from _strings(each)
    elif isinstance(value, list | tuple):
        for each in cast("Iterable[Any]", value):
            yield from _strings(each)


def _names(text: str, names: Iterable[str]) -> bool:
    """Whether a text has one of the names as words of its own."""
    return bool(text) and any(
        name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
        for name in names
        if name
    )
