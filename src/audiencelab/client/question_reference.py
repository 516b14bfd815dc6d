"""`client["Age"]`: a question that is compared with answers, and that can ask its client."""

from __future__ import annotations

from typing import Any, Unpack, cast

from audiencelab.client.asked_statistics import AskedAmounts
from audiencelab.client.audiences import AxisLike
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.catalogue.comparisons import asked_whole, counts_anybody
from audiencelab.client.operations.queries import GridArguments, StatsArguments
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.streams import Progress
from audiencelab.expressions import Audience, Expression, is_answers, is_number
from audiencelab.keywords import keywords
from audiencelab.tables import CrosstabResult, StatsResult


class QuestionReference(AskedAmounts, CatalogueQuestion):
    """A question of a client, `client["Age"]`, whose comparison with an answer is an expression.

    `client["Age"] == "18 to 24"` is everyone who gave that answer, and `!=` is its negation; `>=`,
    `>`, `<=` and `<` take the answers whose amounts in the catalogue compare so. A number is
    compared with those that respondents gave, where the survey keeps them, otherwise with points of
    a scale and edges of answers. Two questions are equal with one code.

    >>> (client["Age"] >= "55 to 64").datapoints
    ('q4_6', 'q4_7')
    >>> (client["Age"] < 25).datapoints
    ('q4_1', 'q4_2')
    """

    __slots__ = ("_client",)
    _client: Any

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

    @keywords(StatsArguments)
    def stats(self, **given: Unpack[StatsArguments]) -> StatsResult:
        """The metrics of each answer; arguments and errors are those of `Client.stats`.

        >>> client["Gender"].stats(waves="2025")
        <StatsResult q2: 3 datapoints, 3 rows, 4 waves: Q1 2025 to Q4 2025>
        """
        return self._client.stats(self, **given)

    @keywords(ScopeArguments)
    def crosstab(
        self,
        columns: AxisLike | None = None,
        *,
        progress: Progress = None,
        **given: Unpack[ScopeArguments],
    ) -> CrosstabResult:
        """The answers as rows of a crosstab; arguments and errors are those of `Client.crosstab`.

        >>> client["Age"].crosstab("Gender").shape
        (7, 3)
        """
        return self._client.crosstab(self, columns, progress=progress, **given)

    @keywords(GridArguments)
    def trend(self, **given: Unpack[GridArguments]) -> StatsResult:
        """The question over time; arguments and errors are those of `Client.trend`.

        >>> client["Gender"].trend(waves="2025")
        <StatsResult q2: 3 datapoints × 4 segments, 12 rows, 4 waves: Q1 2025 to Q4 2025>
        """
        return self._client.trend(self, **given)

    def _has_whole_numbers(self) -> bool:
        asked = asked_whole(self, self._client)
        return super()._has_whole_numbers() if asked is None else asked

    def _has_anybody(self, audience: Audience) -> bool:
        assert audience.expression is not None, "a bin has a condition"
        return counts_anybody(audience.expression, self._client)

    # A class that defines `__eq__` loses the one that it inherits.
    __hash__ = CatalogueQuestion.__hash__
