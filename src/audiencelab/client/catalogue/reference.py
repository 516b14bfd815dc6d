"""`client["Age"]`: a question that is compared with answers, and that can ask its client."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from audiencelab.client.catalogue.bands import check_edges, stated_range
from audiencelab.client.catalogue.question import CatalogueQuestion
from audiencelab.expressions import Leaf, is_answers
from audiencelab.schema.scales import midpoints_of

_OF_THE_CLIENT: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(
        ("count", "freq", "frequencies", "value_counts"),
        lambda client, question: partial(client.stats, question),
    ),
    **dict.fromkeys(
        ("by", "crosstab"), lambda client, question: partial(client.crosstab, question)
    ),
    "describe": lambda client, question: client.stats(question).averages,
    **dict.fromkeys(("chart", "plot"), lambda client, question: client.stats(question).chart),
    "trend": lambda client, question: partial(client.trend, question),
}
"""What people ask a question for, and a client answers."""


class QuestionReference(CatalogueQuestion):
    """A question of a client, `client["Age"]`, whose comparison with an answer is an expression.

    `client["Age"] == "18 to 24"` is everyone who gave that answer, and `!=` is its negation; `>=`,
    `>`, `<=` and `<` take the answers whose amounts in the catalogue compare so. `>=` and `<` take
    a number too, with which an answer begins. Two questions are equal if they have one code.

    >>> (client["Age"] >= "55 to 64").datapoints
    ('q4_6', 'q4_7')
    >>> (client["Age"] < 25).datapoints
    ('q4_1', 'q4_2')
    >>> client["Age"].crosstab("Gender")
    <CrosstabResult 7 × 3 cells, waves: latest 4>
    """

    __slots__ = ("_client",)

    def __init__(self, client: Any, question: CatalogueQuestion) -> None:
        super().__init__(question.record, question.code, question.canonical)
        object.__setattr__(self, "_client", client)

    def between(self, low: str | float, high: str | float) -> Leaf:
        """Everyone from one answer to another, both included; raises as `isin`.

        low, high: the answers, or the number that the first begins with and the one that the last
            ends with. Raises `TypeError` for answers without amounts and for other numbers.

        >>> client["Age"].between(18, 34) == client["Age"].between("18 to 24", "25 to 34")
        True
        """
        if isinstance(low, str) and isinstance(high, str):
            above = (self >= low).datapoints
            return self.any([code for code in (self <= high).datapoints if code in above])
        ranges = self._ranges()
        firsts = {first for first, _ in ranges.values()}
        lasts = {last for _, last in ranges.values()}
        if isinstance(low, str) or isinstance(high, str) or not (low in firsts and high in lasts):
            raise self._no_amounts()
        inside = [code for code, (first, last) in ranges.items() if low <= first and last <= high]
        return self.any(inside)

    def unique(self) -> list[str]:
        """The names of the answers, in order; `datapoints` has their codes and amounts.

        >>> client["Age"].unique()[1:3]
        ['18 to 24', '25 to 34']
        """
        return [each.name or each.code for each in self.datapoints]

    def __eq__(self, other: object) -> Any:
        if is_answers(other):
            return self.any(cast(Any, other))
        if isinstance(other, int | float):
            raise self._no_amounts()
        return isinstance(other, CatalogueQuestion) and other.canonical == self.canonical

    def __ne__(self, other: object) -> Any:
        return ~self.any(cast(Any, other)) if is_answers(other) else not self == other

    def __lt__(self, other: object) -> Leaf:
        return self._compare(other, operator.lt, begins=True)

    def __le__(self, other: object) -> Leaf:
        return self._compare(other, operator.le)

    def __gt__(self, other: object) -> Leaf:
        return self._compare(other, operator.gt)

    def __ge__(self, other: object) -> Leaf:
        return self._compare(other, operator.ge, begins=True)

    if not TYPE_CHECKING:  # a type checker would not see a misspelt name any more

        def __getattr__(self, name: str) -> Any:
            if name in _OF_THE_CLIENT:
                return _OF_THE_CLIENT[name](self._client, self)
            return super().__getattr__(name)

    def _compare(
        self, other: object, compare: Callable[[float, float], bool], *, begins: bool = False
    ) -> Leaf:
        """Everyone who gave an answer whose amount compares so with that of the answer `other`.

        begins: `other` may be a number with which an answer begins.
        """
        amounts = midpoints_of(self.datapoints)
        limit = amounts.get(self._datapoint(other).code) if isinstance(other, str) else None
        if begins and isinstance(other, int | float) and self._ranges().keys() == amounts.keys():
            title = f"{self.code!r} ({self.name})"
            check_edges(title, self.datapoints, [-math.inf, other, math.inf])
            limit = float(other)
        if limit is None:
            raise self._no_amounts()
        return self.any([code for code, amount in amounts.items() if compare(amount, limit)])

    def _ranges(self) -> dict[str, tuple[float, float]]:
        """The first and the last number of each answer that names them, by code."""
        found = {each.code: stated_range(each) for each in self.datapoints}
        return {code: ends for code, ends in found.items() if ends is not None}

    def _no_amounts(self) -> TypeError:
        return TypeError(
            f"The answers of {self.code!r} ({self.name}) have names, not amounts. List those you "
            "mean: .isin(['…', '…']); or make bands of their midpoints: .bands(edges=[0, 35, …])."
        )

    __hash__ = CatalogueQuestion.__hash__
