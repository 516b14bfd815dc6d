"""Write a codebook as TOML, with comments.

The text reads back as the same codebook; fields that have their default are left out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, cast

import msgspec
import tomlkit

from audiencelab.ingest.codebook import Codebook

_TABLES = ("study", "source", "weight", "design", "wave")
_LISTS = ("waves", "categories", "datasets", "namespaces", "questions")
_WIDTH = 98


def codebook_toml(codebook: Codebook, reasons: Mapping[str, Sequence[str]] | None = None) -> str:
    """The codebook's TOML.

    reasons: comments by what they explain: "" comes first, "study", "source", "weight", "design",
    "wave" and "waves" above those tables, "questions/q1" above the question of that code, "end"
    last.
    """
    known = reasons or {}
    blocks = [_comments(known.get("", ()))]
    for name in _TABLES:
        part = getattr(codebook, name)
        members = [] if part is None else list(_members(name, part))
        blocks.append(
            [*_comments(known.get(name, ())), *([f"[{name}]"] if members else []), *members]
        )
    for name in _LISTS:
        for index, part in enumerate(getattr(codebook, name)):
            key = f"questions/{part.code}" if name == "questions" else name
            comments = known.get(key, ()) if name == "questions" or index == 0 else ()
            blocks.append([*_comments(comments), f"[[{name}]]", *_members(name, part)])
    blocks.append(_comments(known.get("end", ())))
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _comments(texts: Sequence[str]) -> list[str]:
    """Texts as comment lines; characters that TOML does not allow in comments become blanks."""
    lines: list[str] = []
    for text in texts:
        indent = "# " + " " * (len(text) - len(text.lstrip(" ")))
        plain = "".join(sign if sign.isprintable() else " " for sign in text)
        wrapped = textwrap.wrap(
            " ".join(plain.split()),
            _WIDTH,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines += wrapped or ["#"]
    return lines


def _members(name: str, part: msgspec.Struct) -> Iterator[str]:
    """The fields of a table, one a line; labels are a table of their own, and come last."""
    members = _fields(part)
    labels = members.pop("labels", {})
    for field, value in members.items():
        if field in ("datapoints", "suffixes"):
            yield f"{field} = ["
            yield from (f"  {_toml(each)}," for each in value)
            yield "]"
        else:
            yield f"{field} = {_toml(value)}"
    if labels:
        yield f"[{name}.labels]"
        yield from (f"{_key(key)} = {_toml(each)}" for key, each in labels.items())


def _fields(part: msgspec.Struct) -> dict[str, Any]:
    """The fields that differ from their defaults, by the names in which they are written."""
    return {
        written: value
        for name, written, default in _defaults(type(part))
        if (value := getattr(part, name)) != default or default is msgspec.NODEFAULT
    }


@cache
def _defaults(kind: type[msgspec.Struct]) -> list[tuple[str, str, Any]]:
    """Each field's name, the name in which it is written, and its default."""
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


def _toml(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, msgspec.Struct):
        value = _fields(value)
    if isinstance(value, dict):
        members = cast(dict[str, Any], value).items()
        inside = ", ".join(f"{_key(key)} = {_toml(each)}" for key, each in members)
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, cast(Sequence[Any], value)))}]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return tomlkit.item(value).as_string()


def _key(key: str) -> str:
    return tomlkit.key(key).as_string()
