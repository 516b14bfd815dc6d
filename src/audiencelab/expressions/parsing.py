"""Parsing the JSON forms of an expression, with every error at its place.

The service writes one tree in three ways. The query and chart forms carry suffixes as strings,
the saved-audience form as integers, and there `options` may replace `datapoints`. All of it is
accepted everywhere. Whether questions and datapoints exist is not checked here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from audiencelab.errors import AudienceError, Fault, list_faults
from audiencelab.expressions.nodes import And, Combinator, Expression, Leaf, Or

MAX_DEPTH = 64
"""Levels of nesting that reading accepts; a leaf alone is one level."""

MAX_NODES = 10_000
"""Nodes, leaves and combinators together, that reading accepts in one tree."""

_COMBINATORS: dict[str, type[Combinator]] = {"and": And, "or": Or}
_LEAF_KEYS = ("datapoints", "options", "suffixes", "min_count")
_KEYS = frozenset((*_COMBINATORS, "question", "not", *_LEAF_KEYS))


class InvalidExpression(AudienceError, ValueError):
    """A JSON document that is not an expression; `faults` holds every error with its pointer."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        count = "1 fault" if len(self.faults) == 1 else f"{len(self.faults)} faults"
        super().__init__(list_faults(f"The audience expression has {count}:", self.faults))

    def __reduce__(self) -> tuple[type[InvalidExpression], tuple[tuple[Fault, ...]]]:
        return type(self), (self.faults,)


def parse_expression(
    data: object, *, max_depth: int = MAX_DEPTH, max_nodes: int = MAX_NODES
) -> Expression:
    """The expression that a JSON object (already decoded) writes, in any of the three forms.

    Raises `InvalidExpression` with every fault of the document, not the first alone.
    """
    if faults := find_faults(data, max_depth=max_depth, max_nodes=max_nodes):
        raise InvalidExpression(faults)
    return _build(cast(Mapping[str, Any], data))


def find_faults(
    data: object, *, max_depth: int = MAX_DEPTH, max_nodes: int = MAX_NODES
) -> list[Fault]:
    """Every fault of a decoded JSON document as an expression, in document order.

    A document past a limit gets that one fault: the rest of it is not looked at.
    """
    faults: list[Fault] = []
    nodes = 0
    # A stack, not recursion: the depth of what arrives is not ours to choose.
    pending: list[tuple[str, object, int]] = [("", data, 1)]
    while pending:
        pointer, node, depth = pending.pop()
        nodes += 1
        if nodes > max_nodes:
            return [Fault("", f"The expression has more than {max_nodes:,} nodes, the limit.")]
        if depth > max_depth:
            return [Fault(pointer, f"The expression is nested deeper than {max_depth} levels.")]
        if not isinstance(node, Mapping):
            faults.append(Fault(pointer, "A node must be an object."))
            continue
        items = cast(Mapping[str, object], node).items()
        fields = {key: value for key, value in items if value is not None}
        faults.extend(_node_faults(pointer, fields))
        children = [
            (f"{pointer}/{key}/{place}", child, depth + 1)
            for key in _COMBINATORS
            for place, child in enumerate(_list(fields.get(key)))
        ]
        pending.extend(reversed(children))
    return faults


def _node_faults(pointer: str, fields: dict[str, object]) -> Iterator[Fault]:
    """The faults of one node, its children left aside."""
    kinds = [key for key in ("and", "or", "question") if key in fields]
    if len(kinds) != 1:
        found = f"has {_quoted(kinds)}" if kinds else "has none of them"
        yield Fault(
            pointer, f"A node needs exactly one of 'and', 'or' and 'question'; this one {found}."
        )
    # Text in JSON; a dictionary of Python's own may have other keys.
    for key in sorted(map(str, set(fields) - _KEYS)):
        yield Fault(f"{pointer}/{_escaped(key)}", f"Unknown field; a node may have {_allowed()}.")
    if "not" in fields and not isinstance(fields["not"], bool):
        yield Fault(f"{pointer}/not", "'not' must be true or false.")
    for key in _COMBINATORS:
        if key in fields and not _list(fields[key]):
            yield Fault(f"{pointer}/{key}", f"'{key}' must be an array of at least one node.")
    if "question" in fields:
        yield from _leaf_faults(pointer, fields)
    elif kinds and (extra := [key for key in _LEAF_KEYS if key in fields]):
        yield Fault(pointer, f"{_quoted(extra)} belongs to a leaf, beside 'question'.")


def _leaf_faults(pointer: str, fields: dict[str, object]) -> Iterator[Fault]:
    if not isinstance(fields["question"], str) or not fields["question"]:
        yield Fault(f"{pointer}/question", "'question' must be a question code.")
    if "datapoints" in fields and "options" in fields:
        yield Fault(f"{pointer}/options", "Give 'datapoints' or 'options', not both.")
    for key in ("datapoints", "options"):
        if key in fields:
            yield from _codes_faults(f"{pointer}/{key}", key, fields[key], allow_integers=False)
    if "suffixes" in fields:
        yield from _codes_faults(
            f"{pointer}/suffixes", "suffixes", fields["suffixes"], allow_integers=True
        )
    if "min_count" in fields:
        yield from _min_count_faults(f"{pointer}/min_count", fields)


def _codes_faults(
    pointer: str, key: str, value: object, *, allow_integers: bool
) -> Iterator[Fault]:
    codes = _list(value)
    if not codes:
        yield Fault(
            pointer,
            f"'{key}' must be an array of at least one code; leave the field out to mean any.",
        )
    for place, code in enumerate(codes):
        if not (isinstance(code, str) and code) and not (allow_integers and _is_integer(code)):
            kind = "a code, as a string or an integer" if allow_integers else "a code, as a string"
            yield Fault(f"{pointer}/{place}", f"Must be {kind}.")


def _min_count_faults(pointer: str, fields: dict[str, object]) -> Iterator[Fault]:
    count = fields["min_count"]
    listed = _list(fields.get("datapoints", fields.get("options")))
    if not _is_integer(count) or cast(int, count) < 1:
        yield Fault(pointer, "'min_count' must be an integer of at least 1.")
    elif listed and cast(int, count) > len(listed):
        yield Fault(pointer, f"'min_count' is above the number of datapoints, {len(listed)}.")


def _build(data: Mapping[str, Any]) -> Expression:
    """The tree of a document that `find_faults` has passed (so recursion is bounded)."""
    negated = bool(data.get("not"))
    for key, kind in _COMBINATORS.items():
        if data.get(key) is not None:
            return kind(tuple(_build(child) for child in data[key]), negated)
    codes = data.get("datapoints")
    return Leaf(
        question=data["question"],
        datapoints=tuple(codes if codes is not None else data.get("options") or ()),
        suffixes=tuple(str(suffix) for suffix in data.get("suffixes") or ()),
        min_count=1 if data.get("min_count") is None else data["min_count"],
        negated=negated,
    )


def _list(value: object) -> list[object]:
    """`value` if it is an array, else nothing: what is no array has no elements to look at."""
    return list(cast(Sequence[object], value)) if isinstance(value, (list, tuple)) else []


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _escaped(key: str) -> str:
    """A key as part of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def _quoted(keys: Sequence[str]) -> str:
    return ", ".join(f"'{key}'" for key in keys)


def _allowed() -> str:
    return _quoted(["and", "or", "question", *_LEAF_KEYS, "not"])
