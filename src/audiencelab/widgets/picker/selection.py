"""A picker's selection, as the trait holds it and as the leaves it stands for.

The trait is a list of `{question, datapoints, suffixes}`, one entry a question, in the order of
picking; no datapoints means the question as a whole. Pure: no widget and no catalogue here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict, cast

from audiencelab.errors import AudienceError
from audiencelab.expressions import And, Audience, Expression, Leaf, Q, all_of
from audiencelab.wording import articled

__all__ = [
    "Picked",
    "UnpickableValue",
    "as_expression",
    "audience_selection",
    "checked_selection",
    "leaves_of",
    "selection_of",
    "tuple_code",
]


class Picked(TypedDict):
    """One entry of the `selection` trait."""

    question: str
    datapoints: list[str]
    suffixes: list[str]


class UnpickableValue(AudienceError, ValueError):
    """A value that a picker cannot show; the message says what it can."""


def leaves_of(selection: Iterable[Picked]) -> tuple[Leaf, ...]:
    """One `Q(question, suffixes).any(*datapoints)` for each entry."""
    return tuple(
        Q(entry["question"], entry["suffixes"]).any(*entry["datapoints"]) for entry in selection
    )


def selection_of(value: object) -> list[Picked]:
    """The selection of a leaf or of several; raises `UnpickableValue` or `TypeError`.

    Leaves of one question with the same suffixes are merged, as a picker has one entry each.
    """
    selection: list[Picked] = []
    for place, leaf in enumerate(_leaves(value)):
        _check(leaf, place)
        entry = next((each for each in selection if each["question"] == leaf.question), None)
        if entry is None:
            selection.append(_entry(leaf))
        elif entry["suffixes"] != list(leaf.suffixes):
            raise UnpickableValue(
                f"value[{place}] picks {leaf.question!r} again with other suffixes. A picker "
                "holds one choice of suffixes for each question: use two pickers."
            )
        else:
            whole = not entry["datapoints"] or not leaf.datapoints
            merged = dict.fromkeys([*entry["datapoints"], *leaf.datapoints])
            entry["datapoints"] = [] if whole else list(merged)
    return selection


def audience_selection(value: object) -> list[Picked]:
    """The selection of an audience of people to whom all picked leaves apply; None picks nothing.

    Raises `UnpickableValue` for any other audience, `TypeError` for what is none.
    """
    expression: object = value.expression if isinstance(value, Audience) else value
    if expression is None:
        return []
    if isinstance(expression, And) and not expression.negated:
        expression = expression.children
    leaves = _leaves(expression)
    selection = selection_of(leaves)
    if len(selection) < len(leaves):
        # Merged, "A and B" of one question would have become "A or B".
        raise UnpickableValue(
            "value asks the same question more than once. A picker holds one condition for each "
            "question: use an al.AudienceEditor."
        )
    return selection


def checked_selection(value: object) -> list[Picked]:
    """The trait's raw value, every entry complete; `UnpickableValue` names the place at fault."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise UnpickableValue("selection must be a list of {question, datapoints, suffixes}.")
    checked: list[Picked] = []
    for place, item in enumerate(cast("Sequence[object]", value)):
        fields = cast("Mapping[str, Any]", item if isinstance(item, Mapping) else {})
        question = fields.get("question")
        if not isinstance(question, str) or not question:
            raise UnpickableValue(f"selection[{place}] needs a question code under 'question'.")
        checked.append(
            {
                "question": question,
                "datapoints": _codes(fields, "datapoints", place),
                "suffixes": _codes(fields, "suffixes", place),
            }
        )
    return checked


def as_expression(leaves: Sequence[Leaf]) -> Expression | None:
    """People to whom all leaves apply; None (everyone) when there is none."""
    if len(leaves) < 2:
        return leaves[0] if leaves else None
    return all_of(*leaves)


def tuple_code(leaves: Sequence[Leaf]) -> str:
    """Python that evaluates to the tuple of these leaves, with `audiencelab` as `al`."""
    if len(leaves) < 2:
        return f"({leaves[0].to_code()},)" if leaves else "()"
    return "(\n" + "".join(f"    {leaf.to_code()},\n" for leaf in leaves) + ")"


def _leaves(value: object) -> Sequence[Leaf]:
    if isinstance(value, Leaf):
        return [value]
    if isinstance(value, Iterable) and not isinstance(value, (str, Expression, dict)):
        return [*cast("Iterable[Leaf]", value)]
    raise TypeError(
        "A picker's value is a leaf or several: al.Q('q4').any('q4_2'), or a list of such; "
        f"not {type(cast(object, value)).__name__}. "
        "Nested audiences belong in an al.AudienceEditor."
    )


def _check(leaf: Leaf, place: int) -> None:
    if not isinstance(leaf, Leaf):  # pyright: ignore[reportUnnecessaryIsInstance] -- untyped callers
        raise TypeError(
            f"value[{place}] is {articled(type(leaf).__name__)}, not a leaf such as "
            "al.Q('q4').any('q4_2'). Nested audiences belong in an al.AudienceEditor."
        )
    if leaf.negated or leaf.min_count > 1:
        what = "a negated leaf" if leaf.negated else f"at least {leaf.min_count}"
        raise UnpickableValue(
            f"value[{place}] is {what}; a picker only picks (any of the datapoints). "
            "Use an al.AudienceEditor for it."
        )


def _entry(leaf: Leaf) -> Picked:
    return {
        "question": leaf.question,
        "datapoints": list(dict.fromkeys(leaf.datapoints)),
        "suffixes": list(leaf.suffixes),
    }


def _codes(fields: Mapping[str, Any], name: str, place: int) -> list[str]:
    codes: object = fields.get(name) or []
    if not isinstance(codes, list | tuple):
        raise UnpickableValue(f"selection[{place}][{name!r}] must be a list of codes.")
    return [str(code) for code in cast("Sequence[object]", codes)]
