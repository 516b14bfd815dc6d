"""A condition on the numbers that respondents gave: `Q("age").between(18, 34)`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf, isfinite, nextafter
from numbers import Real
from typing import Any, Literal, cast

from audiencelab.expressions.codes import WAVES
from audiencelab.expressions.labels import Labels
from audiencelab.expressions.nodes import Condition, Form
from audiencelab.expressions.sentences import isolate
from audiencelab.hidden_members import hide_members

Inclusive = Literal["both", "neither", "left", "right"]
"""Which ends belong to a range, as pandas names them."""

LOW_ENDS, HIGH_ENDS = ("min", "above"), ("max", "below")
ENDS = (*LOW_ENDS, *HIGH_ENDS)
"""The ends of a range on the wire, where one is left out for no end on that side."""

_SIGNS = {"min": ">=", "above": ">", "max": "<=", "below": "<"}
_WORDS = {"min": "at least", "above": "above", "max": "at most", "below": "below"}
_INCLUSIVE: dict[tuple[str, ...], str] = {
    ("min", "max"): "",
    ("min", "below"): ", inclusive='left'",
    ("above", "max"): ", inclusive='right'",
    ("above", "below"): ", inclusive='neither'",
}


@hide_members("closed", "code_of", "is_comparison", "own_code")
@dataclass(frozen=True, slots=True, repr=False)
class NumberRange(Condition):
    """Respondents whose own number, kept beside the bands of a question, is in a range.

    question: its code, with or without namespace.
    min, max: ends that belong to the range. above, below: ends that do not.
    negated: everyone else among the respondents of the waves that have numbers.

    Raises `ValueError` for a range that no number is in or that has no end, `TypeError` for ends
    that are not numbers.

    >>> al.Q("age").between(18, 34).ends
    {'min': 18.0, 'max': 34.0}
    """

    question: str
    min: float | None = None
    max: float | None = None
    above: float | None = None
    below: float | None = None
    negated: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.question, str) or not self.question:
            raise ValueError("A range of numbers needs a question code, such as Q('age').")
        if self.question == WAVES:
            raise ValueError("Waves have no numbers: al.Q('waves').any('q1_2025') lists them.")
        given = {name: getattr(self, name) for name in ENDS if getattr(self, name) is not None}
        for name, end in given.items():
            object.__setattr__(self, name, as_end(name, end))
        if fault := next(range_faults(self.ends), None):
            raise ValueError(fault[1])

    @property
    def ends(self) -> dict[str, float]:
        """The ends that it has, by their names."""
        return {name: end for name in ENDS if (end := getattr(self, name)) is not None}

    @property
    def closed(self) -> tuple[float, float]:
        """The lowest and the highest float in the range, infinite without an end."""
        ends = self.ends
        # The next float above an end that does not belong: one closed range holds the same numbers.
        low = nextafter(ends["above"], inf) if "above" in ends else ends.get("min", -inf)
        high = nextafter(ends["below"], -inf) if "below" in ends else ends.get("max", inf)
        return low, high

    @property
    def is_comparison(self) -> bool:
        """Whether its code is a comparison, which needs brackets between other operators."""
        return len(self.ends) == 1 or self.min == self.max is not None

    def to_wire(self, form: Form = "query") -> dict[str, Any]:
        ends = {name: written(end) for name, end in self.ends.items()}
        negation = {"not": True} if self.negated else {}
        return {"question": self.question, "numbers": ends, **negation}

    def own_code(self) -> str:
        return self.code_of(f"al.Q({self.question!r})")

    def code_of(self, subject: str) -> str:
        """The code without its negation. subject: that of the question."""
        ends = {name: repr(written(end)) for name, end in self.ends.items()}
        if self.is_comparison:
            sign = "==" if len(ends) == 2 else _SIGNS[next(iter(ends))]
            return f"{subject} {sign} {next(iter(ends.values()))}"
        return f"{subject}.between({', '.join(ends.values())}{_INCLUSIVE[tuple(ends)]})"

    def _sentence(self, labels: Labels, *, is_top: bool) -> str:
        question = isolate(labels.question_name(self.question) or self.question)
        return f"{question} {'is not' if self.negated else 'is'} {range_words(self.ends)}"


def number_range(question: str, low: Any, high: Any, inclusive: Inclusive = "both") -> NumberRange:
    """The range from one number to another, without infinite ends; raises as `NumberRange`."""
    if inclusive not in ("both", "neither", "left", "right"):
        raise ValueError(
            f"inclusive must be 'both', 'neither', 'left' or 'right'; got {inclusive!r}."
        )
    if is_number(low) and is_number(high) and low > high:
        raise ValueError(
            f"between({low!r}, {high!r}) is not valid: the lower number comes first. "
            f"Write client[{question!r}].between({high!r}, {low!r})."
        )
    ends: dict[str, Any] = {}
    if not _is_infinite(low, -inf):
        ends["min" if inclusive in ("both", "left") else "above"] = low
    if not _is_infinite(high, inf):
        ends["max" if inclusive in ("both", "right") else "below"] = high
    return NumberRange(question, **ends)


def one_end(question: str, end: str, limit: Any) -> NumberRange:
    """The range with one end, by its name. Raises as `NumberRange`."""
    ends: dict[str, Any] = {end: limit}
    return NumberRange(question, **ends)


def as_end(name: str, given: object) -> float:
    """An end as a float; raises `TypeError` for what is not a number, `ValueError` for NaN."""
    if not is_number(given):
        raise TypeError(f"{name} must be a number; got {given!r}.")
    try:
        # Without the sign of a zero, which JSON may lose.
        end = float(cast(float, given)) + 0.0
    except OverflowError:
        # An integer too large for a float; refused below with infinite ones.
        end = inf
    if not isfinite(end):
        raise ValueError(f"{name} must be a finite number; got {given!r}. Leave it out for no end.")
    return end


def is_number(given: object) -> bool:
    """Whether this is a real number; True and False are not."""
    # Numbers of numpy are `Real` too; `bool` is a subclass of `int`.
    return isinstance(given, Real) and not isinstance(given, bool)


def range_faults(ends: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Why finite ends are not a range, each with the name of the end; "" for all of them."""
    if not ends:
        yield "", "A range of numbers needs an end: min, max, above or below."
    for names in (LOW_ENDS, HIGH_ENDS):
        if all(name in ends for name in names):
            yield names[1], f"Give {names[0]!r} or {names[1]!r}, not both."
    low = max((ends[name] for name in LOW_ENDS if name in ends), default=-inf)
    high = min((ends[name] for name in HIGH_ENDS if name in ends), default=inf)
    if low > high or (low == high and ("above" in ends or "below" in ends)):
        first, second = (next(n for n in names if n in ends) for names in (LOW_ENDS, HIGH_ENDS))
        yield first, f"No number is in this range: {first!r} must be lower than {second!r}."


def range_words(ends: Mapping[str, float]) -> str:
    """The words for a range: "18 to 34", "at least 50", "18 to below 35"."""
    words = {name: shown(end) for name, end in ends.items()}
    if len(words) == 1:
        [(name, end)] = words.items()
        return f"{_WORDS[name]} {end}"
    (low, first), (high, last) = words.items()
    if first == last:
        return first
    return f"{'above ' * (low == 'above')}{first} to {'below ' * (high == 'below')}{last}"


def shown(number: float) -> str:
    """A number as people read it: "1990", "25,000", "2.5"."""
    plain = written(number)
    return f"{plain:,}" if abs(plain) >= _GROUPED else f"{plain}"


_GROUPED = 10_000
"""From here digits are grouped; below, most numbers of four digits are years."""


def written(number: float) -> float:
    """The number as JSON and code have it: an integer without a fraction."""
    # Up to 2^53 every integer is a float of its own.
    is_whole = number.is_integer() and abs(number) < 2**53
    return int(number) if is_whole else number


def _is_infinite(given: object, end: float) -> bool:
    return isinstance(given, float) and given == end
