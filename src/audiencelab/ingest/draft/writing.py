"""A codebook as TOML, with comments where there is something to say.

What is written reads back as the same codebook; a field that has its default is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any, cast

import msgspec

from audiencelab.ingest.codebook import Codebook

__all__ = ["codebook_toml", "comment_lines"]

_TABLES = ("study", "source", "weight", "design", "wave")
_LISTS = ("waves", "categories", "datasets", "namespaces", "questions")
_WIDTH = 96


def codebook_toml(codebook: Codebook, reasons: Mapping[str, Sequence[str]] | None = None) -> str:
    """The codebook's TOML.

    reasons: comments by place: "" stands first, "study", "source", "weight", "design", "wave" and
    "waves" over those tables, "end" last, and "questions/q1" over the question of that code.
    """
    said = reasons or {}
    blocks = [[line for each in said.get("", ()) for line in comment_lines(each)]]
    blocks += [_table(name, getattr(codebook, name), said.get(name, ())) for name in _TABLES]
    for name in _LISTS:
        for place, part in enumerate(getattr(codebook, name)):
            key = f"questions/{part.code}" if name == "questions" else name
            comments = said.get(key, ()) if name == "questions" or place == 0 else ()
            blocks.append([*_comments(comments), f"[[{name}]]", *_members(name, part)])
    blocks.append(_comments(said.get("end", ())))
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def comment_lines(text: str) -> Iterator[str]:
    """Text as comment lines of a bearable length; what TOML forbids in comments is left out."""
    indent = " " * (len(text) - len(text.lstrip(" ")))
    line = ""
    for word in "".join(sign if sign.isprintable() else " " for sign in text).split():
        if line and len(line) + len(word) >= _WIDTH:
            yield f"# {indent}{line}"
            line = ""
        line = f"{line} {word}" if line else word
    yield f"# {indent}{line}".rstrip()


def _comments(texts: Sequence[str]) -> list[str]:
    return [line for text in texts for line in comment_lines(text)]


def _table(name: str, part: Any, comments: Sequence[str]) -> list[str]:
    members = [] if part is None else list(_members(name, part))
    if not members:
        return _comments(comments)
    return [*_comments(comments), f"[{name}]", *members]


def _members(name: str, part: msgspec.Struct) -> Iterator[str]:
    """The fields of a table, one a line; tables in it last, as TOML wants them."""
    later: list[tuple[str, dict[str, Any]]] = []
    for field, value in _fields(part):
        if field == "labels":
            later.append((field, cast(dict[str, Any], value)))
        elif field in ("datapoints", "suffixes"):
            yield f"{field} = ["
            yield from (f"  {_value(each)}," for each in value)
            yield "]"
        else:
            yield f"{field} = {_value(value)}"
    for field, table in later:
        yield f"[{name}.{field}]"
        yield from (f"{_key(key)} = {_value(each)}" for key, each in table.items())


def _fields(part: msgspec.Struct) -> Iterator[tuple[str, Any]]:
    """The fields that differ from their defaults, in order."""
    for name, written, default in _defaults(type(part)):
        value = getattr(part, name)
        if default is msgspec.NODEFAULT or value != default:
            yield written, value


@cache
def _defaults(kind: type[msgspec.Struct]) -> list[tuple[str, str, Any]]:
    """Each field's name, as it is written, and default; looked up once for thousands of tables."""
    return [
        (
            field.name,
            field.encode_name,
            field.default
            if field.default_factory is msgspec.NODEFAULT
            else field.default_factory(),
        )
        for field in msgspec.structs.fields(kind)
    ]


def _value(value: Any) -> str:
    if isinstance(value, msgspec.Struct):
        return _inline(dict(_fields(value)))
    if isinstance(value, dict):
        return _inline(cast(dict[str, Any], value))
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_value, cast(Sequence[Any], value)))}]"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _inline(table: Mapping[str, Any]) -> str:
    members = ", ".join(f"{_key(key)} = {_value(value)}" for key, value in table.items())
    return f"{{ {members} }}" if members else "{}"


def _key(key: str) -> str:
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare else _text(key)


def _text(text: str) -> str:
    # JSON escapes as TOML does, but for one sign that TOML wants escaped too.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
