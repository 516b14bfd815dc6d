"""Write tables as TOML with comments, one field a line.

tomlkit writes the values and keys: for whole documents it takes fifteen times as long.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

_WIDTH = 98

Table = Mapping[str, Any]


def toml_text(
    tables: Mapping[str, Table | Sequence[Table]],
    comments: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """The TOML of tables and lists of tables, by name.

    comments: by what they explain: "" comes first, a name above its first table, "name/q1" above
    the table of that code, "end" last.
    """
    known = comments or {}
    blocks = [_comments(known.get("", ()))]
    for name, part in tables.items():
        if isinstance(part, Mapping):
            title = [f"[{name}]"] if part else []
            blocks.append([*_comments(known.get(name, ())), *title, *_fields(name, part)])
            continue
        for index, each in enumerate(part):
            above = [*known.get(name, ())] if index == 0 else []
            above += known.get(f"{name}/{each.get('code')}", ())
            blocks.append([*_comments(above), f"[[{name}]]", *_fields(name, each)])
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


def _fields(name: str, table: Table) -> Iterator[str]:
    """The fields of a table; those that are tables themselves come last."""
    for field, value in table.items():
        if isinstance(value, list | tuple) and value and isinstance(value[0], Mapping):
            yield f"{_key(field)} = ["
            yield from (f"  {_value(each)}," for each in cast(Sequence[Any], value))
            yield "]"
        elif not isinstance(value, Mapping):
            yield f"{_key(field)} = {_value(value)}"
    for field, value in table.items():
        # In TOML whatever follows the title of a table belongs to that table.
        if isinstance(value, Mapping) and value:
            yield f"[{name}.{_key(field)}]"
            yield from (f"{_key(key)} = {_value(each)}" for key, each in cast(Table, value).items())


def _value(value: Any) -> str:
    """A value on one line."""
    import tomlkit

    if isinstance(value, Mapping):
        members = cast(Table, value).items()
        inside = ", ".join(f"{_key(key)} = {_value(each)}" for key, each in members)
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_value, cast(Sequence[Any], value)))}]"
    # Below 10^15, where every whole float64 has its own integer: 3 reads better than 3.0.
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return tomlkit.item(value).as_string()


def _key(key: str) -> str:
    import tomlkit

    return tomlkit.key(key).as_string()
