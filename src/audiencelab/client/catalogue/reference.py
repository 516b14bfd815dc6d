"""`client["Age"]`: a question that is compared with answers, and that can ask its client."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from audiencelab.client.catalogue.comparisons import asked_whole, counts_anybody
from audiencelab.client.catalogue.question import CatalogueQuestion
from audiencelab.expressions import Audience, Expression, is_answers, is_number

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
    `>`, `<=` and `<` take the answers whose amounts in the catalogue compare so. A number is
    compared with those that respondents gave, where the survey keeps them, otherwise with points of
    a scale and edges of answers. Two questions are equal with one code.

    >>> (client["Age"] >= "55 to 64").datapoints
    ('q4_6', 'q4_7')
    >>> (client["Age"] < 25).datapoints
    ('q4_1', 'q4_2')
    >>> client["Age"].crosstab("Gender")
    <CrosstabResult 7 × 3 cells, waves: latest 4>
    """

    __slots__ = ("_client",)

    def __init__(self, client: Any, question: CatalogueQuestion) -> None:
        super().__init__(question.record, question.code, question.canonical, question.item_of)
        object.__setattr__(self, "_client", client)

    def unique(self) -> list[str]:
        """The names of the answers, in order; `datapoints` has their codes and amounts.

        >>> client["Age"].unique()[1:3]
        ['18 to 24', '25 to 34']
        """
        return [each.name or each.code for each in self.datapoints]

    def __eq__(self, other: object) -> Any:
        if is_answers(other) or is_number(other):
            return self.any(cast(Any, other))
        return isinstance(other, CatalogueQuestion) and other.canonical == self.canonical

    def __ne__(self, other: object) -> Any:
        found = self == other
        return ~found if isinstance(found, Expression) else not found

    if not TYPE_CHECKING:  # a type checker would not see a misspelt name any more

        def __getattr__(self, name: str) -> Any:
            if name in _OF_THE_CLIENT:
                return _OF_THE_CLIENT[name](self._client, self)
            return super().__getattr__(name)

    def _has_whole_numbers(self) -> bool:
        asked = asked_whole(self, self._client)
        return super()._has_whole_numbers() if asked is None else asked

    def _has_anybody(self, audience: Audience) -> bool:
        assert audience.expression is not None, "a bin has a condition"
        return counts_anybody(audience.expression, self._client)

    __hash__ = CatalogueQuestion.__hash__
