"""A picker's selection: the trait's entries, the leaves and the value they mean, and their names.

The trait is a list of `{question, datapoints, suffixes}`, one entry a question, in the order of
picking; an entry without datapoints means the question as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from audiencelab.client.catalogue import Catalogue
from audiencelab.client.catalogue.code_layout import (
    audience_code,
    commented,
    explained,
    listed_code,
)
from audiencelab.client.catalogue.named_code import named_code
from audiencelab.errors import AudienceError
from audiencelab.expressions import And, Audience, Expression, Leaf, Q, all_of, as_audience
from audiencelab.expressions.nodes import parts_of
from audiencelab.widgets.picker.protocol import Mode, Picked, SelectionArgs
from audiencelab.wording import articled

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.widgets.audience_size import NodeSize, SizeCounter
    from audiencelab.widgets.rpc_types import PageRequest

PickerValue = tuple[Leaf, ...] | Audience | None


class UnpickableValue(AudienceError, ValueError):
    """A value that a picker cannot show; the message says what it can."""


# -- selections from values -----------------------------------------------------------------------


def selection_of(value: object) -> list[Picked]:
    """The selection of one leaf or several; raises `UnpickableValue` or `TypeError`.

    Leaves of one question with the same suffixes are merged into one entry.
    """
    selection: list[Picked] = []
    for position, leaf in enumerate(_leaves(value)):
        _check_leaf(leaf, position)
        entry = next((each for each in selection if each["question"] == leaf.question), None)
        if entry is None:
            selection.append(
                {
                    "question": leaf.question,
                    "datapoints": list(dict.fromkeys(leaf.datapoints)),
                    "suffixes": list(leaf.suffixes),
                }
            )
        elif entry["suffixes"] != list(leaf.suffixes):
            raise UnpickableValue(
                f"value[{position}] picks {leaf.question!r} again with other suffixes. A picker "
                "has one choice of suffixes for each question: use two pickers."
            )
        else:
            whole = not entry["datapoints"] or not leaf.datapoints
            merged = dict.fromkeys([*entry["datapoints"], *leaf.datapoints])
            entry["datapoints"] = [] if whole else list(merged)
    return selection


def audience_selection(value: object) -> list[Picked]:
    """The selection of an audience in which all picked leaves apply; None picks nothing.

    Raises `UnpickableValue` for any other audience, `TypeError` for other types.
    """
    expression: object = value.expression if isinstance(value, Audience) else value
    if expression is None:
        return []
    if isinstance(expression, Expression):
        parts = parts_of(expression, And)
        expression = expression if parts == (expression,) else parts
    leaves = _leaves(expression)
    selection = selection_of(leaves)
    if len(selection) < len(leaves):
        # Merged, "A and B" of one question would have become "A or B".
        raise UnpickableValue(
            "value contains the same question more than once. A picker has one condition for each "
            "question: use an al.AudienceEditor."
        )
    return selection


def checked_selection(value: object) -> list[Picked]:
    """The trait's raw value, every entry complete; `UnpickableValue` names the position."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise UnpickableValue("selection must be a list of {question, datapoints, suffixes}.")
    checked: list[Picked] = []
    for position, item in enumerate(cast("Sequence[object]", value)):
        fields = cast("Mapping[str, Any]", item if isinstance(item, Mapping) else {})
        question = fields.get("question")
        if not isinstance(question, str) or not question:
            raise UnpickableValue(f"selection[{position}] needs a question code under 'question'.")
        datapoints, suffixes = (
            _codes(fields, name, position) for name in ("datapoints", "suffixes")
        )
        checked.append({"question": question, "datapoints": datapoints, "suffixes": suffixes})
    return checked


def _leaves(value: object) -> Sequence[Leaf]:
    if isinstance(value, Leaf):
        return [value]
    if isinstance(value, Iterable) and not isinstance(value, (str, Expression, dict)):
        return [*cast("Iterable[Leaf]", value)]
    raise TypeError(
        "A picker's value must be a leaf or a list of leaves, such as al.Q('q4').any('q4_2'); "
        f"got {type(cast(object, value)).__name__}. Use an al.AudienceEditor for nested audiences."
    )


def _check_leaf(leaf: Leaf, position: int) -> None:
    if not isinstance(leaf, Leaf):
        raise TypeError(
            f"value[{position}] is {articled(type(leaf).__name__)}, not a leaf such as "
            "al.Q('q4').any('q4_2'). Use an al.AudienceEditor for nested audiences."
        )
    if leaf.negated or leaf.min_count > 1:
        what = "a negated leaf" if leaf.negated else f"at least {leaf.min_count}"
        raise UnpickableValue(
            f"value[{position}] is {what}; a picker only picks (any of the datapoints). "
            "Use an al.AudienceEditor."
        )


def _codes(fields: Mapping[str, Any], name: str, position: int) -> list[str]:
    codes: object = fields.get(name) or []
    if not isinstance(codes, list | tuple):
        raise UnpickableValue(f"selection[{position}][{name!r}] must be a list of codes.")
    return [str(code) for code in cast("Sequence[object]", codes)]


# -- values of selections -------------------------------------------------------------------------


def leaves_of(selection: Iterable[Picked]) -> tuple[Leaf, ...]:
    """One `Q(question, suffixes).any(*datapoints)` for each entry."""
    return tuple(
        Q(entry["question"], entry["suffixes"]).any(*entry["datapoints"]) for entry in selection
    )


def as_expression(leaves: Sequence[Leaf]) -> Expression | None:
    """People to whom all leaves apply; None (everyone) without leaves."""
    if len(leaves) < 2:
        return leaves[0] if leaves else None
    return all_of(*leaves)


def value_of(selection: Sequence[Picked], mode: Mode, client: Client) -> PickerValue:
    """A leaf for each picked question, or in `"audience"` mode one named audience."""
    leaves = leaves_of(selection)
    if mode != "audience":
        return leaves
    if not leaves:
        return None
    try:
        labels = client.catalogue
    except AudienceError:
        # Codes are used as names where the service has no catalogue.
        labels = None
    return as_audience(as_expression(leaves), labels)


def code_of(value: PickerValue, names: AnswerNames | None) -> str:
    """Python that evaluates to a value, given `client` and `al`; by codes without names."""
    if value is None:
        return "None"
    catalogue = names and names.catalogue
    if isinstance(value, Audience):
        return named_code(value, catalogue)
    named = [explained(leaf, catalogue, names.words(leaf) if names else "") for leaf in value]
    if len(named) < 2:
        return "".join(commented(f"({code},)", words) for code, words in named) or "()"
    return "(\n" + "".join(commented(f"    {code},", words) + "\n" for code, words in named) + ")"


def cell_code(value: PickerValue, names: AnswerNames) -> str:
    """Python for a cell that assigns a value to a variable, given `client` and `al`."""
    if value is None:
        return "audience = None"
    if isinstance(value, Audience):
        return audience_code(value, names.catalogue)
    written = (explained(leaf, names.catalogue, names.words(leaf)) for leaf in value)
    return listed_code("picked", ((words, code) for code, words in written))


def count_selection(counter: SizeCounter, request: PageRequest[SelectionArgs]) -> NodeSize:
    """The size of the selection in a request."""
    expression = as_expression(leaves_of(request.args.selection))
    return counter.count([expression], request.check)[0]


# -- names ----------------------------------------------------------------------------------------


class AnswerNames:
    """Names of leaves from the catalogue of `client`; codes where a name is not known."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def catalogue(self) -> Catalogue:
        """The catalogue that has the names."""
        return self._client.catalogue

    def words(self, leaf: Leaf) -> str:
        """Question and answers."""
        return f"{self.question(leaf)}: {self.answers(leaf)}"

    def question(self, leaf: Leaf) -> str:
        """The question's name."""
        return self._client.catalogue.question_name(leaf.question) or leaf.question

    def datapoint(self, leaf: Leaf) -> str:
        """The name of the leaf's only datapoint."""
        code = leaf.datapoints[0]
        return self._client.catalogue.datapoint_name(leaf.question, code) or code

    def answers(self, leaf: Leaf) -> str:
        """All datapoints of a leaf, and its suffixes in brackets."""
        catalogue = self._client.catalogue
        named = [catalogue.datapoint_name(leaf.question, code) or code for code in leaf.datapoints]
        return (", ".join(named) or "any answer") + self._suffixes(leaf)

    def distinct(self, answers: Sequence[Leaf]) -> list[str]:
        """A name for each one-datapoint leaf; duplicates are prefixed with their question."""
        short = [self.datapoint(leaf) + self._suffixes(leaf) for leaf in answers]
        times = Counter(short)
        return [
            f"{self.question(leaf)}: {name}" if times[name] > 1 else name
            for leaf, name in zip(answers, short, strict=True)
        ]

    def all_datapoints(self, question: str) -> tuple[str, ...]:
        """The codes of every datapoint of a question, in catalogue order."""
        audiences = self._client.catalogue.audiences(question)
        leaves = [each.expression for each in audiences if isinstance(each.expression, Leaf)]
        return tuple(code for leaf in leaves for code in leaf.datapoints)

    def _suffixes(self, leaf: Leaf) -> str:
        catalogue = self._client.catalogue
        named = [catalogue.suffix_name(leaf.question, code) or code for code in leaf.suffixes]
        return f" ({', '.join(named)})" if named else ""
