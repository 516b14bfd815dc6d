"""Rows and columns of questions that are named before a client is at hand: `al.mean("Age")`.

They are made when a query has looked the questions up, with the methods that those have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any


class ByName:
    """Audiences or statistics of questions, for the rows and columns of a query.

    code: as users write it. make: makes them, given a function that finds a question by its name.
    given: what it was made of, the names of questions among it.
    """

    __slots__ = ("_code", "given", "make")

    def __init__(
        self,
        code: str,
        make: Callable[[Callable[[Any], Any]], Any],
        given: tuple[object, ...],
    ) -> None:
        self._code, self.make, self.given = code, make, given

    def named(self, name: str) -> ByName:
        """The same under another name.

        >>> client.crosstab(al.mean("Age").named("Mean age"), "Gender").rows[0].name
        'Mean age'
        """
        code = f"{self._code}.named({name!r})"
        return ByName(code, lambda find: self.make(find).named(name), self.given)

    def __repr__(self) -> str:
        return self._code


def mean(
    question: str, *items: str | Iterable[str], amounts: Mapping[str, float] | None = None
) -> ByName:
    """The mean of a question's amounts as a row of a crosstab; see `client["Age"].mean`.

    >>> client.crosstab(["Gender", al.mean("Age")], "Market").shape
    (3, 8)
    """
    return of_question("mean", question, *items, amounts=amounts)


def nps(
    question: str,
    *items: str | Iterable[str],
    amounts: Mapping[str, float] | None = None,
    parts: bool = False,
) -> ByName:
    """The net promoter score of a scale from 0 to 10 as a row; see `client["Age"].nps`.

    >>> al.nps("The year ahead", amounts={"Much better": 10, "Much worse": 0})
    al.nps('The year ahead', amounts={'Much better': 10, 'Much worse': 0})
    """
    return of_question("nps", question, *items, amounts=amounts, parts=parts or None)


def top_box(question: str, count: int = 2, *items: str | Iterable[str]) -> ByName:
    """Everyone who gave one of the highest answers of a scale; see `client["Age"].top_box`.

    >>> table = client.crosstab(al.top_box("Feelings about AI", 2), "Gender")
    >>> table.rows[0].name
    'Feelings about AI: top 2 (Very hopeful, Rather hopeful)'
    """
    return of_question("top_box", question, count, *items)


def net(question: str, *answers: str | float | Iterable[str | float]) -> ByName:
    """Everyone who gave one of these answers, as a row or column; see `client["Age"].net`.

    >>> table = client.crosstab(al.net("Age", "16 to 17", "18 to 24").named("Under 25"), "Gender")
    >>> table.rows[0].name
    'Under 25'
    """
    return of_question("net", question, *answers)


def of_question(method: str, question: str, *given: Any, **options: Any) -> ByName:
    """What a method of the question makes, such as `mean`, with these arguments."""
    kept = {name: value for name, value in options.items() if value is not None}
    written = [*map(repr, (question, *given)), *(f"{name}={kept[name]!r}" for name in kept)]
    return ByName(
        f"al.{method}({', '.join(written)})",
        lambda find: getattr(find(question), method)(*given, **kept),
        (question,),
    )
