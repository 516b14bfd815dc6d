"""`client["Age"]`: a question that is compared with answers, and that can ask its client."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from audiencelab.client.catalogue.numbers import holds, spans_of, within
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
    `>`, `<=` and `<` take the answers whose amounts in the catalogue compare so. They take a number
    too: a point of a scale, or the edge of an answer. Two questions are equal with one code.

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

        low, high: the answers, or numbers. Raises `TypeError` for answers without amounts, and
            `ValueError` for a number within an answer.

        >>> client["Age"].between(18, 34) == client["Age"].between("18 to 24", "25 to 34")
        True
        """
        above = (self >= low).datapoints
        return self.any([code for code in (self <= high).datapoints if code in above])

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
            return self.any(cast(Any, other))
        return isinstance(other, CatalogueQuestion) and other.canonical == self.canonical

    def __ne__(self, other: object) -> Any:
        is_answer = is_answers(other) or isinstance(other, int | float)
        return ~self.any(cast(Any, other)) if is_answer else not self == other

    def __lt__(self, other: object) -> Leaf:
        return self._compare(other, operator.lt)

    def __le__(self, other: object) -> Leaf:
        return self._compare(other, operator.le)

    def __gt__(self, other: object) -> Leaf:
        return self._compare(other, operator.gt)

    def __ge__(self, other: object) -> Leaf:
        return self._compare(other, operator.ge)

    if not TYPE_CHECKING:  # a type checker would not see a misspelt name any more

        def __getattr__(self, name: str) -> Any:
            if name in _OF_THE_CLIENT:
                return _OF_THE_CLIENT[name](self._client, self)
            return super().__getattr__(name)

    def _compare(self, other: object, compare: Callable[[float, float], bool]) -> Leaf:
        """Everyone who gave an answer whose amounts compare so with an answer or a number."""
        amounts = midpoints_of(self.datapoints)
        if isinstance(other, str):
            limit = amounts.get(self._datapoint(other).code)
            spans = {code: (amount, amount) for code, amount in amounts.items()}
        else:
            limit = float(other) if isinstance(other, int | float) else None
            spans = spans_of(self.datapoints)
        if limit is None or not amounts:
            raise self._no_amounts()
        edge, starts = limit, {first for first, _ in spans.values()}
        found = {
            code: holds(span, lambda amount: compare(amount, edge), starts)
            for code, span in spans.items()
        }
        if mixed := next((code for code, held in found.items() if held is None), None):
            raise within(self, limit, mixed)
        return self.any([code for code, held in found.items() if held])

    def _no_amounts(self) -> TypeError:
        return TypeError(
            f"The answers of {self.code!r} ({self.name}) have no amounts in the catalogue. List "
            "those you mean: .isin(['…', '…'])."
        )

    __hash__ = CatalogueQuestion.__hash__
