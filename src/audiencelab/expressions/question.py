"""A question from which expressions are made: `Q("q4").any("q4_2")`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeGuard, cast

from audiencelab.expressions.nodes import Leaf
from audiencelab.expressions.number_range import (
    Inclusive,
    NumberRange,
    is_number,
    number_range,
    one_end,
)


class Q:
    """A question from which leaves are made: `Q("q4").any("q4_2", "q4_3")`.

    In a query of a client the names of the catalogue do as well: `Q("Age") == "18 to 24"`.
    `suffixes` (codes as strings or integers) narrow every leaf to answers given with any of
    them: `Q("q20", suffixes=[1, 2]).any("q20_1")`. A call with no datapoints means every
    datapoint of the question, so `Q("q20").any()` is everyone who gave any answer to it.

    >>> al.Q("q4") == "q4_2"
    al.Q('q4').any('q4_2')
    """

    __slots__ = ("_question", "_suffixes")

    def __init__(self, question: str, suffixes: Iterable[str | int] = ()) -> None:
        if not isinstance(question, str):
            raise TypeError(f"question must be a code, as in Q('q4'); got {question!r}.")
        # A `str` is iterable, and would be taken apart into letters.
        if isinstance(suffixes, (str, int)):
            raise TypeError(
                f"suffixes must be a list, as in Q({question!r}, suffixes=[{suffixes!r}])."
            )
        self._question = str(question)
        self._suffixes = tuple(str(suffix) for suffix in suffixes)

    def any(self, *datapoints: str | Iterable[str]) -> Leaf:
        """At least one of the datapoints, given one by one or as a list.

        >>> al.Q("q4").any(["q4_2", "q4_3"])
        al.Q('q4').any('q4_2', 'q4_3')
        """
        return self.at_least(1, *datapoints)

    def all(self, *datapoints: str | Iterable[str]) -> Leaf:
        """Every one of the datapoints, which must be listed.

        >>> al.Q("q17").all("q17_1", "q17_2")
        al.Q('q17').all('q17_1', 'q17_2')
        """
        listed = one_by_one(datapoints)
        if not listed:
            raise ValueError("Q(…).all needs the datapoints by code: Q('q1').all('q1_1', 'q1_2').")
        return self.at_least(len(listed), listed)

    def at_least(self, count: int, *datapoints: str | Iterable[str]) -> Leaf:
        """At least `count` of the datapoints.

        >>> al.Q("q17").at_least(2, "q17_1", "q17_2", "q17_3")
        al.Q('q17').at_least(2, 'q17_1', 'q17_2', 'q17_3')
        """
        if not isinstance(count, int):
            raise TypeError(
                f"The number comes first: Q({self._question!r}).at_least(2, 'code', 'code', …); "
                f"got {count!r}."
            )
        return Leaf(self._question, one_by_one(datapoints), self._suffixes, count)

    def isin(self, *datapoints: str | Iterable[str]) -> Leaf:
        """The same as `any`, as pandas calls it.

        >>> al.Q("q4").isin(["q4_2", "q4_3"])
        al.Q('q4').any('q4_2', 'q4_3')
        """
        return self.any(*datapoints)

    def between(self, low: float, high: float, inclusive: Inclusive = "both") -> NumberRange:
        """Everyone whose number is from `low` to `high`; `inclusive` as in pandas.

        Of a question whose respondents' own numbers the survey keeps. A client writes the answers
        of a question without them, if they begin and end there.

        Raises `TypeError` for what is not a number, `ValueError` where the higher one comes first.

        >>> al.Q("age").between(18, 34)
        al.Q('age').between(18, 34)
        """
        return number_range(self._numbered(), low, high, inclusive)

    def __eq__(self, answer: object) -> Any:
        """Everyone who gave this answer or number, or any of a list: `Q("q4") == "q4_2"`."""
        if is_number(answer):
            return self.between(cast(float, answer), cast(float, answer))
        # Python then compares by identity, so that a `Q` can be in lists and dictionaries.
        return self.any(cast(Any, answer)) if is_answers(answer) else NotImplemented

    def __ne__(self, answer: object) -> Any:
        found = self.__eq__(answer)
        return found if found is NotImplemented else ~found

    def __lt__(self, limit: float) -> NumberRange:
        return self._ended("below", "<", limit)

    def __le__(self, limit: float) -> NumberRange:
        return self._ended("max", "<=", limit)

    def __gt__(self, limit: float) -> NumberRange:
        return self._ended("above", ">", limit)

    def __ge__(self, limit: float) -> NumberRange:
        return self._ended("min", ">=", limit)

    def _ended(self, end: str, sign: str, limit: float) -> NumberRange:
        question = self._numbered()
        if not is_number(limit):
            raise TypeError(
                f"{self!r} {sign} must be followed by a number; got {limit!r}. Answers in order "
                f"are compared by client[{question!r}] {sign} …, or listed: {self!r}.any(…)."
            )
        return one_end(question, end, limit)

    def _numbered(self) -> str:
        if self._suffixes:
            raise TypeError(f"{self!r} has suffixes, and a number has none: Q({self._question!r}).")
        return self._question

    def __hash__(self) -> int:
        # Python removes the hash of a class that defines `__eq__`.
        return hash((self._question, self._suffixes))

    def __repr__(self) -> str:
        suffixes = f", suffixes={list(self._suffixes)!r}" if self._suffixes else ""
        return f"Q({self._question!r}{suffixes})"


def is_list(given: object) -> TypeGuard[Iterable[object]]:
    """Whether this is several values; a `str` is one."""
    return isinstance(given, Iterable) and not isinstance(given, str)


def is_answers(given: object) -> bool:
    """Whether `question == given` compares with an answer, or with any of a list of them."""
    return isinstance(given, str | list | tuple | set | frozenset)


def one_by_one(given: tuple[str | Iterable[str], ...]) -> tuple[str, ...]:
    """Codes or names that were given one by one, in lists, or both.

    Raises `TypeError` for what is not a `str`, and `ValueError` for an empty list.
    """
    found: list[str] = []
    for each in given:
        listed = list(each) if is_list(each) else [each]
        for code in listed:
            if not isinstance(code, str):
                raise TypeError(
                    f"Answers must be str, as in any('q4_2', 'q4_3'); got {type(code).__name__}."
                )
            # Codes taken from a numpy array are of a str type that JSON cannot encode.
            found.append(str(code))
    if given and not found:
        raise ValueError("The list of answers is empty. any() without a list means any answer.")
    return tuple(found)
