"""The expression tree and its algebra.

A node is a `Leaf` (answers to one question) or a combinator (`And`, `Or`) over nodes; every node
can be negated, as in the service's own form. Nodes are immutable and hashable, so they can be
shared, compared and used as cache keys. How a tree is written as JSON stands in `forms`, as code
or words in `words`; who belongs to it is for a service to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, TypeVar, cast

if TYPE_CHECKING:
    from audiencelab.expressions.words import Labels

__all__ = [
    "And",
    "Combinator",
    "Expression",
    "Leaf",
    "Or",
    "Q",
    "all_of",
    "any_of",
    "no_expression",
    "walk",
]


class Expression:
    """A boolean expression over questions and datapoints.

    Combine with `&` (and), `|` (or) and `~` (not). An expression has no truth value of its own:
    `bool(expression)` raises, since `a and b` would silently drop one side.
    """

    __slots__ = ()
    negated: bool

    def __and__(self, other: Expression) -> And:
        return _join(And, self, other)

    def __or__(self, other: Expression) -> Or:
        return _join(Or, self, other)

    def __rand__(self, other: Any) -> NoReturn:
        raise TypeError(no_expression("The left side", other))

    __ror__ = __rand__

    def __invert__(self) -> Self:
        # Every concrete node is a dataclass; the abstract root only lends its operators.
        return replace(cast(Any, self), negated=not self.negated)

    def __getitem__(self, key: object) -> NoReturn:
        raise TypeError(
            "An expression has no items to look up or go through. Combine two with & (and) or | "
            "(or): catalogue['Gender']['Female'] & catalogue['Age']['18 to 24']. For figures give "
            "it to a client: client.crosstab(rows=[expression])."
        )

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "An audience expression is neither true nor false by itself. Combine expressions "
            "with & (and), | (or) and ~ (not) instead of the words and, or, not; compare two "
            "with ==; test for a missing one with `is None`."
        )

    def to_wire(self, form: Literal["query", "chart", "saved"] = "query") -> dict[str, Any]:
        """The JSON object of this tree in one of the service's three written forms.

        `"query"` and `"chart"` write suffixes as strings, `"saved"` as integers.
        """
        from audiencelab.expressions.forms import write_expression

        return write_expression(self, form)

    def to_code(self) -> str:
        """Python code that evaluates to an equal expression, given `audiencelab` as `al`."""
        from audiencelab.expressions.words import to_code

        return to_code(self)

    def describe(self, labels: Labels | None = None) -> str:
        """The expression as a sentence; `labels` (a catalogue) puts names in place of codes."""
        from audiencelab.expressions.words import describe

        return describe(self, labels)


@dataclass(frozen=True, slots=True, repr=False)
class Leaf(Expression):
    """Respondents who gave at least `min_count` of the `datapoints` of one question.

    question: its code, with or without namespace (`"q4"`, `"core.q4"`).
    datapoints: the codes that count; none listed means every datapoint of the question.
    suffixes: a datapoint counts if it was given with any of these; none means with any at all.
    min_count: how many of the datapoints must hold, at least 1.
    negated: everyone else among the respondents of the waves that asked the question; respondents
        of other waves are in neither the leaf nor its negation.

    Raises `ValueError` for an empty question code or a `min_count` that cannot hold, `TypeError`
    for codes that are no tuple or list.
    """

    question: str
    datapoints: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    min_count: int = 1
    negated: bool = False

    def __post_init__(self) -> None:
        _keep_tuple(self, "datapoints", self.datapoints, "Q('q4').any('q4_2') makes a leaf.")
        _keep_tuple(self, "suffixes", self.suffixes, "Q('q20', suffixes=[1]).any() makes a leaf.")
        if not isinstance(self.question, str) or not self.question:  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
            raise ValueError("A leaf needs a question code, such as Q('q4').")
        if not isinstance(self.min_count, int):  # pyright: ignore[reportUnnecessaryIsInstance] -- as above
            raise TypeError(f"How many must hold is a whole number, not {self.min_count!r}.")
        if self.min_count < 1:
            raise ValueError(f"min_count must be at least 1, not {self.min_count}.")
        if self.datapoints and self.min_count > len(self.datapoints):
            raise ValueError(
                f"At least {self.min_count} of {len(self.datapoints)} datapoints can never hold: "
                "list more datapoints or lower the number."
            )

    def at_least(self, count: int) -> Leaf:
        """The same datapoints, of which `count` must hold."""
        return replace(self, min_count=count)

    def __repr__(self) -> str:
        return self.to_code()


@dataclass(frozen=True, slots=True, repr=False)
class Combinator(Expression):
    """A node over other nodes: `And` or `Or`, of at least one child."""

    children: tuple[Expression, ...]
    negated: bool = False

    def __post_init__(self) -> None:
        maker = "all_of" if isinstance(self, And) else "any_of"
        _keep_tuple(self, "children", self.children, f"{maker}(a, b) takes them one by one.")
        if not self.children:
            raise ValueError(f"{type(self).__name__} needs at least one child expression.")

    def __repr__(self) -> str:
        return self.to_code()


@dataclass(frozen=True, slots=True, repr=False)
class And(Combinator):
    """Respondents to whom every child applies."""


@dataclass(frozen=True, slots=True, repr=False)
class Or(Combinator):
    """Respondents to whom at least one child applies."""


C = TypeVar("C", bound=Combinator)


class Q:
    """A question from which leaves are made: `Q("q4").any("q4_2", "q4_3")`.

    `suffixes` (codes as strings or integers) narrow every leaf to answers given with any of
    them: `Q("q20", suffixes=[1, 2]).any("q20_1")`. A call with no datapoints means every
    datapoint of the question, so `Q("q20").any()` is everyone who gave any answer to it.
    """

    __slots__ = ("_question", "_suffixes")

    def __init__(self, question: str, suffixes: Iterable[str | int] = ()) -> None:
        if not isinstance(question, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
            raise TypeError(f"A question is given by its code, as in Q('q4'), not {question!r}.")
        if isinstance(suffixes, (str, int)):
            raise TypeError(
                f"suffixes must be a list, as in Q({question!r}, suffixes=[{suffixes!r}])."
            )
        self._question = str(question)
        self._suffixes = tuple(str(suffix) for suffix in suffixes)

    def any(self, *datapoints: str) -> Leaf:
        """At least one of the datapoints."""
        return self.at_least(1, *datapoints)

    def all(self, *datapoints: str) -> Leaf:
        """Every one of the datapoints, which must be listed."""
        if not datapoints:
            raise ValueError("Q(…).all needs the datapoints by code: Q('q1').all('q1_1', 'q1_2').")
        return self.at_least(len(datapoints), *datapoints)

    def at_least(self, count: int, *datapoints: str) -> Leaf:
        """At least `count` of the datapoints."""
        if not isinstance(count, int):  # pyright: ignore[reportUnnecessaryIsInstance] -- a forgotten number is the commonest slip
            raise TypeError(
                "The number comes first: Q('q4').at_least(2, 'q4_1', 'q4_2', 'q4_3'); "
                f"{count!r} is none."
            )
        for datapoint in datapoints:
            if not isinstance(datapoint, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- a list passed whole is the commonest slip
                raise TypeError(
                    "Give datapoint codes one by one, as strings: Q('q4').any('q4_2', 'q4_3'). "
                    "Put a * before a list: Q('q4').any(*codes)."
                )
        # Codes out of a numpy array are text of a type that no JSON can be written of.
        return Leaf(self._question, tuple(map(str, datapoints)), self._suffixes, count)

    def __and__(self, other: object) -> NoReturn:
        raise TypeError(no_expression("The left side", self))

    __or__ = __and__

    def __invert__(self) -> NoReturn:
        raise TypeError(no_expression("What ~ negates", self))

    def __call__(self, *answers: object) -> NoReturn:
        key = repr(answers[0]) if answers and isinstance(answers[0], str) else "'…'"
        raise TypeError(f"{self!r} is not called. Say which answers: {self!r}.any({key}).")

    def __getitem__(self, answer: Any) -> NoReturn:
        # It knows no names: what is asked like this is a question of the catalogue.
        key = repr(answer) if isinstance(answer, str) else "'…'"
        raise TypeError(
            f"{self!r} takes answers by code: {self!r}.any('…'). By name they are in the "
            f"catalogue: client.catalogue[{self._question!r}][{key}]."
        )

    def __repr__(self) -> str:
        suffixes = f", suffixes={list(self._suffixes)!r}" if self._suffixes else ""
        return f"Q({self._question!r}{suffixes})"


def all_of(*children: Expression) -> And:
    """`And` over exactly these children; unlike `&` it never merges a nested `And`."""
    return And(_checked(children))


def any_of(*children: Expression) -> Or:
    """`Or` over exactly these children; unlike `|` it never merges a nested `Or`."""
    return Or(_checked(children))


def walk(root: Expression, pointer: str = "") -> Iterator[tuple[str, Expression]]:
    """Every node with its JSON pointer in the written form, parents before children."""
    yield pointer, root
    if isinstance(root, Combinator):
        key = "and" if isinstance(root, And) else "or"
        for place, child in enumerate(root.children):
            yield from walk(child, f"{pointer}/{key}/{place}")


def _join(kind: type[C], left: Expression, right: Any) -> C:
    """`left & right` or `left | right`, flat: the operators are associative, so is the tree."""
    if not isinstance(right, Expression):
        raise TypeError(no_expression("The right side", right))

    def parts(side: Expression) -> tuple[Expression, ...]:
        return side.children if isinstance(side, kind) and not side.negated else (side,)

    return kind(parts(left) + parts(right))


def _keep_tuple(node: Expression, name: str, given: object, instead: str) -> None:
    """Make a list that was given for a field of a node a tuple, as the others are.

    instead: what to write where something else was given; text would be taken letter by letter.
    """
    if isinstance(given, list):
        object.__setattr__(node, name, tuple(cast(list[object], given)))
    elif not isinstance(given, tuple):
        kind, found = type(node).__name__, type(given).__name__
        raise TypeError(f"The {name} of {kind} are a tuple, not {found}. {instead}")


def _checked(children: tuple[Any, ...]) -> tuple[Expression, ...]:
    for place, child in enumerate(children):
        if not isinstance(child, Expression):
            raise TypeError(no_expression(f"Argument {place + 1}", child))
    return children


def no_expression(place: str, found: object) -> str:
    """What to write instead of something that is no expression, by what it is."""
    kind = type(found).__name__
    # By its attribute, as an audience is made of expressions and not the other way round.
    if isinstance(getattr(found, "expression", None), Expression):
        advice = "Take the audience's expression: audience.expression."
    elif hasattr(found, "to_audience"):
        advice = "Take the saved audience's expression: saved.to_audience().expression."
    elif isinstance(found, Q):
        advice = f"Say which answers: {found!r}.any('datapoint'), or .any() for whoever gave one."
    elif isinstance(found, (list, tuple)):
        advice = "Give expressions one by one: put a * before a list, as in any_of(*expressions)."
    else:
        advice = (
            "Build one with Q('code').any('datapoint') or client.catalogue['Question']['Answer'], "
            "or from a JSON object with parse_expression."
        )
    return f"{place} is no expression but of type {kind}. {advice}"
