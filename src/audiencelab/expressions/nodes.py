"""The expression tree and its algebra; a node writes itself as JSON, as code and as a sentence.

A node is a `Leaf` (answers to one question) or a combinator (`And`, `Or`) over nodes; every node
can be negated, as in the service's own form. Nodes are immutable and hashable, so they can be
shared, compared and used as cache keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import (
    Any,
    ClassVar,
    Literal,
    NoReturn,
    Self,
    TypeVar,
    cast,
)

from audiencelab.expressions.code_writer import expression_code, leaf_code, own_code
from audiencelab.expressions.codes import ASKED, WAVES, is_whole_number
from audiencelab.expressions.labels import ANY_POINT, CodesOnly, KnowsScales, Labels
from audiencelab.expressions.phrases import phrase, refuse_length
from audiencelab.expressions.sentences import isolate, quantity
from audiencelab.hidden_members import hide_members
from audiencelab.unknown_names import OtherWords

Form = Literal["query", "chart", "saved"]
"""The service's three written forms; the saved one has suffixes as integers, the others as text."""


class Operators(OtherWords):
    """`&` (and), `|` (or), `-` (without) and `^` (one of the two) of expressions and audiences.

    They have no truth value and no sum: `a and b` would silently drop one side, and a sum would
    count people twice who belong to both.
    """

    __slots__ = ()

    def __and__(self, other: Expression | Audience) -> And:
        return _join(And, self, other)

    def __or__(self, other: Expression | Audience) -> Or:
        return _join(Or, self, other)

    def __sub__(self, other: Expression | Audience) -> And:
        return self & ~_expression_of(other, "The right side")

    def __xor__(self, other: Expression | Audience) -> Or:
        left, right = _expression_of(self, "The left side"), _expression_of(other, "The right side")
        return (left - right) | (right - left)

    def __rand__(self, other: object) -> And:
        return _join(And, other, self)

    def __ror__(self, other: object) -> Or:
        return _join(Or, other, self)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "An audience is neither true nor false by itself. Combine audiences with & (and), "
            "| (or) and ~ (not) instead of the words and, or, not; compare two with ==; test for "
            "a missing one with `is None`."
        )

    def __len__(self) -> NoReturn:
        refuse_length(self)

    def _phrase(self, name: str) -> Callable[[], Any] | None:
        return phrase(self, name)

    def __add__(self, other: object) -> NoReturn:
        raise TypeError(
            "Audiences may overlap, so they have no sum. Write a | b for people who belong to at "
            "least one, a & b to both, a - b to the first alone."
        )

    __radd__ = __add__


class Expression(Operators):
    """A boolean expression over questions and datapoints.

    Combine with `&` (and), `|` (or), `~` (not) and `-` (without).
    """

    __slots__ = ()
    negated: bool

    def named(self, name: str) -> Audience:
        """The audience of this expression under a name: `(young & ~daily).named("Young")`.

        >>> al.Q("q4").any("q4_2").named("Young").name
        'Young'
        """
        return Audience(name, self)

    def __invert__(self) -> Self:
        # Every concrete node is a dataclass; the abstract root only lends its operators.
        return replace(cast(Any, self), negated=not self.negated)

    def to_wire(self, form: Form = "query") -> dict[str, Any]:
        """The JSON object of this tree in one of the service's three written forms.

        `"query"` and `"chart"` write suffixes as strings, `"saved"` as integers. Defaults
        (`not: false`, `min_count: 1`) are left out.

        >>> al.Q("q4").any("q4_2").to_wire()
        {'question': 'q4', 'datapoints': ['q4_2']}
        """
        raise NotImplementedError

    def to_code(self) -> str:
        """Python code that evaluates to an equal expression, given `audiencelab` as `al`.

        >>> (al.Q("q4").any("q4_2") & ~al.Q("q2").any("q2_1")).to_code()
        "al.Q('q4').any('q4_2') & ~al.Q('q2').any('q2_1')"
        """
        return expression_code(self, own_code)

    def describe(self, labels: Labels | None = None) -> str:
        """The expression as a sentence: "Age is 18 to 24 or 25 to 34, and Gender is not Male".

        labels: a catalogue, for names instead of codes.

        >>> (client["Age"] == "18 to 24").describe(client.catalogue)
        'Age is 18 to 24'
        """
        return self._sentence(CodesOnly() if labels is None else labels, is_top=True)

    def _sentence(self, labels: Labels, *, is_top: bool) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.to_code()


@hide_members("own_code")
class Condition(Expression):
    """A node about the answers to one question: a `Leaf` or a `NumberRange`."""

    __slots__ = ()
    question: str

    def own_code(self) -> str:
        """Its code by codes of the catalogue, without its negation.

        >>> (~al.Q("q4").any("q4_2")).own_code()
        "al.Q('q4').any('q4_2')"
        """
        raise NotImplementedError


@dataclass(frozen=True, slots=True, repr=False)
class Leaf(Condition):
    """Respondents who gave at least `min_count` of the `datapoints` of one question.

    question: its code, with or without namespace (`"q4"`, `"core.q4"`).
    datapoints: the codes that count; none listed means every datapoint of the question.
    suffixes: a datapoint counts if it was given with any of these; none means with any at all.
    min_count: how many of the datapoints must hold, at least 1.
    negated: everyone else among the respondents of the waves that asked the question; respondents
        of other waves are in neither the leaf nor its negation.

    Raises `ValueError` for an empty question code or a `min_count` that cannot hold, `TypeError`
    for codes that are not a tuple or list.

    >>> al.Leaf("q4", ("q4_2", "q4_3")) == al.Q("q4").any("q4_2", "q4_3")
    True
    """

    question: str
    datapoints: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    min_count: int = 1
    negated: bool = False

    def __post_init__(self) -> None:
        # One look for nearly all leaves, whose codes are tuples already.
        if type(self.datapoints) is not tuple or type(self.suffixes) is not tuple:
            _keep_tuple(self, "datapoints", self.datapoints, "Q('q4').any('q4_2') makes a leaf.")
            _keep_tuple(
                self, "suffixes", self.suffixes, "Q('q20', suffixes=[1]).any() makes a leaf."
            )
        if not isinstance(self.question, str) or not self.question:
            raise ValueError("A leaf needs a question code, such as Q('q4').")
        if not isinstance(self.min_count, int):
            raise TypeError(f"min_count must be an int; got {self.min_count!r}.")
        if self.min_count < 1:
            raise ValueError(f"min_count must be at least 1, not {self.min_count}.")
        if self.datapoints and self.min_count > len(self.datapoints):
            raise ValueError(
                f"At least {self.min_count} of {len(self.datapoints)} datapoints can never hold: "
                "list more datapoints or lower the number."
            )

    def at_least(self, count: int) -> Leaf:
        """The same datapoints, of which `count` must hold.

        >>> al.Q("q17").any("q17_1", "q17_2", "q17_3").at_least(2)
        al.Q('q17').at_least(2, 'q17_1', 'q17_2', 'q17_3')
        """
        return replace(self, min_count=count)

    def own_code(self) -> str:
        """See `Condition.own_code`.

        >>> al.Q("q4").at_least(2).own_code()
        "al.Q('q4').at_least(2)"
        """
        return leaf_code(self)

    def to_wire(self, form: Form = "query") -> dict[str, Any]:
        written: dict[str, Any] = {"question": self.question}
        if self.datapoints:
            written["datapoints"] = list(self.datapoints)
        if self.suffixes:
            # A suffix such as "01" or "a" stays text, since an integer would lose something.
            written["suffixes"] = [
                int(suffix) if form == "saved" and is_whole_number(suffix) else suffix
                for suffix in self.suffixes
            ]
        if self.min_count != 1:
            written["min_count"] = self.min_count
        if self.negated:
            written["not"] = True
        return written

    def _sentence(self, labels: Labels, *, is_top: bool) -> str:
        question = isolate(labels.question_name(self.question) or self.question)
        if self.question == WAVES:
            question = "wave"
        if self.datapoints == (ASKED,):
            return f"{question} {'was not' if self.negated else 'was'} asked"
        names = [
            isolate(labels.datapoint_name(self.question, code) or code) for code in self.datapoints
        ]
        verb = "is not" if self.negated else "is"
        sentence = f"{question} {verb} {quantity(names, self.min_count)}"
        if self.suffixes:
            suffixes = [
                isolate(labels.suffix_name(self.question, code) or code) for code in self.suffixes
            ]
            sentence += f" ({' or '.join(suffixes)})"
        elif (
            self.datapoints and isinstance(labels, KnowsScales) and labels.has_scale(self.question)
        ):
            sentence += ANY_POINT
        return sentence


@hide_members("MAKER", "SIGN")
@dataclass(frozen=True, slots=True, repr=False)
class Combinator(Expression):
    """A node over other nodes: `And` or `Or`, of at least one child."""

    _WORD: ClassVar[str]
    """The word between the children, which is also their key in JSON."""
    SIGN: ClassVar[str]
    MAKER: ClassVar[str]

    children: tuple[Expression, ...]
    negated: bool = False

    def __post_init__(self) -> None:
        _keep_tuple(self, "children", self.children, f"{self.MAKER}(a, b) takes them one by one.")
        if not self.children:
            raise ValueError(f"{type(self).__name__} needs at least one child expression.")

    def to_wire(self, form: Form = "query") -> dict[str, Any]:
        written: dict[str, Any] = {self._WORD: [child.to_wire(form) for child in self.children]}
        return written | ({"not": True} if self.negated else {})

    def _sentence(self, labels: Labels, *, is_top: bool) -> str:
        parts = [child._sentence(labels, is_top=False) for child in self.children]
        # Without brackets around the whole, a comma before the word keeps "a or b, and c" readable.
        comma = "," if is_top and not self.negated else ""
        joined = f"{comma} {self._WORD} ".join(parts)
        if self.negated:
            return f"not ({joined})"
        return joined if is_top or len(parts) == 1 else f"({joined})"


@dataclass(frozen=True, slots=True, repr=False)
class And(Combinator):
    """Respondents to whom every child applies.

    >>> type(al.Q("q4").any("q4_2") & al.Q("q2").any("q2_2")).__name__
    'And'
    """

    _WORD = "and"
    SIGN = "&"
    MAKER = "all_of"


@dataclass(frozen=True, slots=True, repr=False)
class Or(Combinator):
    """Respondents to whom at least one child applies.

    >>> type(al.Q("q4").any("q4_2") | al.Q("q2").any("q2_2")).__name__
    'Or'
    """

    _WORD = "or"
    SIGN = "|"
    MAKER = "any_of"


@dataclass(frozen=True, slots=True, repr=False)
class Audience(Operators):
    """A named audience; it prints as the code that makes it.

    Audiences combine as expressions do, to an expression: `(young & ~daily).named("Young")`.

    name: what people read in tables and charts.
    expression: who belongs to it; None means everyone. `Audience(expression)` has no name yet.
    id: its identifier in requests and responses; a client assigns one before sending.

    Raises `TypeError` for a name or an id that is not a str, or another kind of expression.

    >>> al.Audience("Young", client["Age"] == "18 to 24")
    al.Audience(name='Young', expression=al.Q('q4').any('q4_2'))
    """

    name: str = ""
    expression: Expression | None = None
    id: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.name, (Expression, Audience)) and self.expression is None:
            object.__setattr__(self, "expression", self.name)
            object.__setattr__(self, "name", "")
        if isinstance(self.expression, Audience):
            object.__setattr__(self, "expression", self.expression.expression)
        if not isinstance(self.name, str):
            raise TypeError(
                f"name of an audience must be a str; got {type(self.name).__name__}: "
                "al.Audience(name='Young', expression=…)."
            )
        if self.expression is not None and not isinstance(self.expression, Expression):
            raise TypeError(not_an_expression("The audience's expression", self.expression))
        if self.id is not None and not isinstance(self.id, str):
            # Responses hold it as text, and cells are matched by it.
            raise TypeError(
                f"id of an audience must be a str; got {type(self.id).__name__}: id=str(…)."
            )

    def __repr__(self) -> str:
        return self.to_code()

    def to_wire(self, form: Form = "query") -> dict[str, Any]:
        """The audience as a JSON object of the service; absent parts are left out.

        >>> al.Audience("All").to_wire()
        {'name': 'All'}
        """
        written: dict[str, Any] = {"name": self.name} if self.name else {}
        if self.id is not None:
            written["id"] = self.id
        if self.expression is not None:
            written["expression"] = self.expression.to_wire(form)
        return written

    def to_code(self) -> str:
        """Python code that evaluates to an equal audience, given `audiencelab` as `al`.

        >>> al.Audience("Young", al.Q("q4").any("q4_2")).to_code()
        "al.Audience(name='Young', expression=al.Q('q4').any('q4_2'))"
        """
        parts = [f"name={self.name!r}"] if self.name else []
        if self.expression is not None:
            parts.append(f"expression={self.expression.to_code()}")
        if self.id is not None:
            parts.append(f"id={self.id!r}")
        return f"al.Audience({', '.join(parts)})"

    def describe(self, labels: Labels | None = None) -> str:
        """Who belongs to the audience, as a sentence.

        >>> al.Audience("Young", client["Age"] == "18 to 24").describe(client.catalogue)
        'Age is 18 to 24'
        """
        return "everyone" if self.expression is None else self.expression.describe(labels)

    def renamed(self, name: str) -> Audience:
        """The same people under another name.

        >>> al.Audience("Young").renamed("The young").name
        'The young'
        """
        return replace(self, name=name)

    named = renamed

    def __invert__(self) -> Expression:
        return ~_expression_of(self, "The audience")


C = TypeVar("C", bound=Combinator)


def all_of(*children: Expression | Audience) -> And:
    """`And` over exactly these children; unlike `&` it never merges a nested `And`.

    >>> al.all_of(al.Q("q4").any("q4_2"), al.Q("q2").any("q2_2"))
    al.Q('q4').any('q4_2') & al.Q('q2').any('q2_2')
    """
    return And(_children(children))


def any_of(*children: Expression | Audience) -> Or:
    """`Or` over exactly these children; unlike `|` it never merges a nested `Or`.

    >>> al.any_of(al.Q("q4").any("q4_2"), al.Q("q2").any("q2_2"))
    al.Q('q4').any('q4_2') | al.Q('q2').any('q2_2')
    """
    return Or(_children(children))


def _children(given: tuple[object, ...]) -> tuple[Expression, ...]:
    """The expressions of what was given one by one, or as one list."""
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        given = tuple(cast(list[object], given[0]))
    return tuple(
        _expression_of(each, f"Argument {number}") for number, each in enumerate(given, start=1)
    )


def walk(root: Expression, pointer: str = "") -> Iterator[tuple[str, Expression]]:
    """Every node with its JSON pointer in the written form, parents before children."""
    yield pointer, root
    if isinstance(root, Combinator):
        word = "and" if isinstance(root, And) else "or"
        for index, child in enumerate(root.children):
            yield from walk(child, f"{pointer}/{word}/{index}")


def parts_of(expression: Expression, kind: type[Combinator]) -> tuple[Expression, ...]:
    """The children of an `And`, or of an `Or`; any other expression is its own only part.

    So is a negated one: ~(a & b) is not ~a & ~b, and what holds for a or b need not hold for it.
    """
    if isinstance(expression, kind) and not expression.negated:
        return expression.children
    return (expression,)


def _join(kind: type[C], left: object, right: object) -> C:
    """`left & right` or `left | right`, flat: the operators are associative, so is the tree."""
    sides = (_expression_of(left, "The left side"), _expression_of(right, "The right side"))
    return kind(tuple(part for side in sides for part in parts_of(side, kind)))


def _expression_of(given: object, subject: str) -> Expression:
    """The expression, or that of an audience; raises `TypeError`, `ValueError` for everyone."""
    if hasattr(given, "to_audience"):
        given = cast(Any, given).to_audience()
    if isinstance(given, Audience):
        if given.expression is None:
            raise ValueError(f"{subject} is everyone, which has no condition; leave it out.")
        return given.expression
    if not isinstance(given, Expression):
        raise TypeError(not_an_expression(subject, given))
    return given


def _keep_tuple(node: Expression, name: str, given: object, instead: str) -> None:
    """Turn a list given for a field of a node into a tuple.

    instead: what to write instead of another type; a str would be split into letters.
    """
    if isinstance(given, list):
        # The dataclass is frozen; nodes change only while they are made.
        object.__setattr__(node, name, tuple(cast(list[object], given)))
    elif not isinstance(given, tuple):
        kind, found = type(node).__name__, type(given).__name__
        raise TypeError(f"{name} of {kind} must be a tuple; got {found}. {instead}")


def not_an_expression(subject: str, found: object) -> str:
    """The message for a value that is not an expression, with what to write instead."""
    kind = type(found).__name__
    if kind == "Q":
        advice = (
            f"Name its answers: {found!r}.any('datapoint'), or .any() for everyone who gave one."
        )
    else:
        advice = (
            "Build one with Q('code').any('datapoint') or client['Question'] == 'Answer', or from "
            "a JSON object with parse_expression."
        )
    return f"{subject} must be an expression; got {kind}. {advice}"
