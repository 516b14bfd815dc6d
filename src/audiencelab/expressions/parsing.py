"""Parsing of the JSON forms of an expression, with every fault at its JSON pointer.

The query and chart forms carry suffixes as strings, the saved-audience form as integers, and there
`options` may replace `datapoints`. All of it is accepted everywhere. Whether questions and
datapoints exist is not checked here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from audiencelab.errors import AudienceError, Fault, list_faults
from audiencelab.expressions.codes import WAVES
from audiencelab.expressions.nodes import And, Audience, Combinator, Expression, Leaf, Or
from audiencelab.expressions.number_range import ENDS, NumberRange, as_end, range_faults

MAX_DEPTH = 64
"""Levels of nesting that parsing accepts; a leaf alone is one level."""

MAX_NODES = 10_000
"""Nodes, leaves and combinators together, that parsing accepts in one tree."""

_COMBINATORS: dict[str, type[Combinator]] = {"and": And, "or": Or}
_LEAF_KEYS = ("datapoints", "options", "suffixes", "min_count")
_NUMBERS = "numbers"
"""The key of a range of numbers, which excludes those of answers."""

_CONDITION_KEYS = (*_LEAF_KEYS, _NUMBERS)
_KEYS = (*_COMBINATORS, "question", *_CONDITION_KEYS, "not")


class InvalidExpression(AudienceError, ValueError):
    """A JSON document that is not an expression; `faults` holds every error with its pointer."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        count = "1 fault" if len(self.faults) == 1 else f"{len(self.faults)} faults"
        super().__init__(list_faults(f"The audience expression has {count}:", self.faults))

    def __reduce__(self) -> tuple[type[InvalidExpression], tuple[tuple[Fault, ...]]]:
        return type(self), (self.faults,)


def parse_expression(
    data: object, *, pointer: str = "", max_depth: int = MAX_DEPTH, max_nodes: int = MAX_NODES
) -> Expression:
    """The expression that a decoded JSON object represents, in any of the three forms.

    pointer: of the object in its document, for the faults.
    Raises `InvalidExpression` with every fault in document order; a document beyond a limit has
    that fault alone.

    >>> al.parse_expression({"question": "q4", "datapoints": ["q4_2"]})
    al.Q('q4').any('q4_2')
    """
    parser = _Parser(pointer, max_depth, max_nodes)
    expression = parser.node(data, pointer, 1)
    if expression is None:
        raise InvalidExpression(parser.faults)
    return expression


def parse_audience(data: object) -> Audience:
    """The audience of a JSON object; raises `InvalidExpression` with every fault."""
    if not isinstance(data, Mapping):
        raise InvalidExpression([Fault("", "An audience must be an object.")])
    fields = cast(Mapping[str, Any], data)
    expression = fields.get("expression")
    if expression is not None:
        expression = parse_expression(expression, pointer="/expression")
    return Audience(
        name=str(fields.get("name") or ""),
        expression=expression,
        id=None if fields.get("id") is None else str(fields["id"]),
    )


@dataclass(slots=True)
class _Parser:
    """Builds a tree and collects the faults of its document in the same walk."""

    root: str
    max_depth: int
    max_nodes: int
    nodes: int = 0
    faults: list[Fault] = field(default_factory=list[Fault])

    def node(self, data: object, pointer: str, depth: int) -> Expression | None:
        """The tree below one node; None if it has faults."""
        self.nodes += 1
        # Raised at once and alone: a document beyond a limit is not walked to its end.
        if self.nodes > self.max_nodes:
            detail = f"The expression has more than {self.max_nodes:,} nodes, the limit."
            raise InvalidExpression([Fault(self.root, detail)])
        if depth > self.max_depth:
            detail = f"The expression is nested deeper than {self.max_depth} levels."
            raise InvalidExpression([Fault(pointer, detail)])
        if not isinstance(data, Mapping):
            self.faults.append(Fault(pointer, "A node must be an object."))
            return None
        # Nearly all leaves need none of the checks below.
        if (leaf := _usual_leaf(cast(Mapping[str, Any], data))) is not None:
            return leaf
        items = cast(Mapping[str, Any], data).items()
        # null means that a member is absent.
        fields = {key: value for key, value in items if value is not None}
        before = len(self.faults)
        self.faults.extend(_node_faults(pointer, fields))
        children = [
            (key, self._children(fields[key], f"{pointer}/{key}", depth))
            for key in _COMBINATORS
            if key in fields
        ]
        if len(self.faults) > before:
            return None
        for key, nodes in children:
            return _COMBINATORS[key](nodes, fields.get("not", False))
        if _NUMBERS in fields:
            ends = {name: end for name, end in fields[_NUMBERS].items() if end is not None}
            return NumberRange(fields["question"], **ends, negated=fields.get("not", False))
        return Leaf(
            question=fields["question"],
            datapoints=tuple(fields.get("datapoints") or fields.get("options") or ()),
            # The saved form has integers; inside, suffixes are text in every form.
            suffixes=tuple(map(str, fields.get("suffixes", ()))),
            min_count=fields.get("min_count", 1),
            negated=fields.get("not", False),
        )

    def _children(self, listed: object, pointer: str, depth: int) -> tuple[Expression, ...]:
        found = [
            self.node(child, f"{pointer}/{index}", depth + 1)
            for index, child in enumerate(_list(listed))
        ]
        return tuple(child for child in found if child is not None)


def _usual_leaf(data: Mapping[str, Any]) -> Leaf | None:
    """The leaf of an object with a question and datapoints alone, as nearly all are.

    None for any other node, and for one with a fault.
    """
    question, listed = data.get("question"), data.get("datapoints")
    if len(data) != 2 or type(question) is not str or type(listed) is not list:
        return None
    codes = cast(list[object], listed)
    if not question or not codes or not all(type(code) is str and code for code in codes):
        return None
    return Leaf(question, tuple(cast(list[str], codes)))


def _node_faults(pointer: str, fields: dict[str, Any]) -> Iterator[Fault]:
    """The faults of one node, without its children's."""
    kinds = [key for key in ("and", "or", "question") if key in fields]
    if len(kinds) != 1:
        found = f"has {_quoted(kinds)}" if kinds else "has none of them"
        yield Fault(
            pointer, f"A node needs exactly one of 'and', 'or' and 'question'; this one {found}."
        )
    # Strings in JSON; a dictionary of Python's own may have other keys.
    for key in sorted(str(key) for key in fields if key not in _KEYS):
        escaped = key.replace("~", "~0").replace("/", "~1")
        yield Fault(f"{pointer}/{escaped}", f"Unknown field; a node may have {_quoted(_KEYS)}.")
    if "not" in fields and not isinstance(fields["not"], bool):
        yield Fault(f"{pointer}/not", "'not' must be true or false.")
    for key in _COMBINATORS:
        if key in fields and not _list(fields[key]):
            yield Fault(f"{pointer}/{key}", f"'{key}' must be an array of at least one node.")
    if "question" in fields:
        yield from _leaf_faults(pointer, fields)
    elif kinds and (extra := [key for key in _CONDITION_KEYS if key in fields]):
        yield Fault(pointer, f"{_quoted(extra)} belongs to a leaf, beside 'question'.")


def _leaf_faults(pointer: str, fields: dict[str, Any]) -> Iterator[Fault]:
    if not isinstance(fields["question"], str) or not fields["question"]:
        yield Fault(f"{pointer}/question", "'question' must be a question code.")
    yield from _range_faults(pointer, fields) if _NUMBERS in fields else ()
    yield from _answer_faults(pointer, fields)


def _answer_faults(pointer: str, fields: dict[str, Any]) -> Iterator[Fault]:
    if "datapoints" in fields and "options" in fields:
        yield Fault(f"{pointer}/options", "Give 'datapoints' or 'options', not both.")
    for key in ("datapoints", "options", "suffixes"):
        if key not in fields:
            continue
        listed, kind = fields[key], " or an integer" if key == "suffixes" else ""
        if not isinstance(listed, (list, tuple)) or not listed:
            yield Fault(
                f"{pointer}/{key}",
                f"'{key}' must be an array of at least one code; leave the field out to mean any.",
            )
            continue
        for index, code in enumerate(cast(Sequence[Any], listed)):
            is_code = isinstance(code, str) and code
            # A bool is an int as well, but not of this very type.
            if not is_code and not (kind and type(code) is int):
                yield Fault(f"{pointer}/{key}/{index}", f"Must be a code, as a string{kind}.")
    count = fields.get("min_count", 1)
    if type(count) is not int or count < 1:
        yield Fault(f"{pointer}/min_count", "'min_count' must be an integer of at least 1.")
        return
    listed = fields.get("datapoints", fields.get("options"))
    if isinstance(listed, (list, tuple)) and 0 < (most := len(cast(Sequence[Any], listed))) < count:
        yield Fault(
            f"{pointer}/min_count", f"'min_count' is above the number of datapoints, {most}."
        )


def _range_faults(pointer: str, fields: dict[str, Any]) -> Iterator[Fault]:
    at = f"{pointer}/{_NUMBERS}"
    if fields["question"] == WAVES:
        yield Fault(at, "Waves have no numbers; list them as 'datapoints'.")
    if extra := [key for key in _LEAF_KEYS if key in fields]:
        yield Fault(at, f"Give '{_NUMBERS}' or {_quoted(extra)}, not both.")
    if not isinstance(fields[_NUMBERS], Mapping):
        yield Fault(at, f"'{_NUMBERS}' must be an object with {_quoted(ENDS)}.")
        return
    given = cast(Mapping[object, object], fields[_NUMBERS]).items()
    ends: dict[str, float] = {}
    faulty = False
    for name, end in ((name, end) for name, end in given if end is not None):
        if name not in ENDS:
            faulty = True
            yield Fault(at, f"Unknown field in '{_NUMBERS}'; it may have {_quoted(ENDS)}.")
            continue
        try:
            ends[cast(str, name)] = as_end(cast(str, name), end)
        except (TypeError, ValueError):
            faulty = True
            yield Fault(f"{at}/{name}", "Must be a finite number.")
    if not faulty:
        for name, detail in range_faults(ends):
            yield Fault(f"{at}/{name}" if name else at, detail)


def _list(value: object) -> Sequence[Any]:
    """`value` if it is an array, else nothing."""
    return cast(Sequence[Any], value) if isinstance(value, (list, tuple)) else ()


def _quoted(keys: Sequence[str]) -> str:
    return ", ".join(f"'{key}'" for key in keys)
