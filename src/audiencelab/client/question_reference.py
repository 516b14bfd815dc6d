"""`client["Age"]`: a question that is compared with answers, and that can ask its client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, Unpack, cast

from audiencelab.client.asked_statistics import AskedAmounts
from audiencelab.client.audiences import AxisLike
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.catalogue.comparisons import asked_whole, counts_anybody
from audiencelab.client.operations.queries import GridArguments, StatsArguments
from audiencelab.client.query_lines import question_crosstab_line, stats_line
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.streams import Progress
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Expression, is_answers, is_number
from audiencelab.hidden_members import hide_members
from audiencelab.keywords import keywords
from audiencelab.lines import text_code, write_instead
from audiencelab.tables import CrosstabResult, StatsResult
from audiencelab.unknown_names import OtherWords


@hide_members("client")
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
        super().__init__(
            question.record,
            question.code,
            question.canonical,
            question.item_of,
            question.file_coded,
        )
        object.__setattr__(self, "_client", client)

    def __iter__(self) -> NoReturn:
        # pandas takes what can be iterated for a column.
        write_instead(
            "A question has no column of its own; its tables are client.crosstab(rows, columns).",
            f"client.respondents(questions=[{text_code(self.code)}])",
        )

    @property
    def client(self) -> Any:
        """The client that the question asks."""
        return self._client

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"A question does not change: client[{self.code!r}].{name} = … is not valid. A "
            f"survey of one's own is edited. Write client.edit({self.code!r}, "
            f"name={str(value)!r})."
        )

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

    def _in_brackets(self, other: object) -> Any:
        """Refuse what `client["gender"] == "Female" & client["age"] > 30` does first."""
        raise TypeError(
            "& and | come before == and >, so each condition needs brackets: "
            "(client['a'] == 'x') & (client['b'] > 30). "
            f"Everyone with an answer: Write client[{self.code!r}].any()."
        )

    __and__ = __rand__ = __or__ = __ror__ = _in_brackets

    @keywords(StatsArguments, instead=stats_line)
    def stats(self, **given: Unpack[StatsArguments]) -> StatsResult:
        """The metrics of each answer; arguments and errors are those of `Client.stats`.

        >>> client["Gender"].stats(waves="2025")
        <StatsResult q2: 3 datapoints, 3 rows, 4 waves: Q1 2025 to Q4 2025, weighted>
        """
        return self._client.stats(self, **given)

    @keywords(ScopeArguments, instead=question_crosstab_line)
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

    @keywords(GridArguments, instead=stats_line)
    def trend(self, **given: Unpack[GridArguments]) -> StatsResult:
        """The question over time; arguments and errors are those of `Client.trend`.

        >>> client["Gender"].trend(waves="2025")
        <StatsResult q2: 3 datapoints × 4 segments, 12 rows, 4 waves: Q1 2025 to Q4 2025, weighted>
        """
        return self._client.trend(self, **given)

    def _repr_html_(self) -> str:
        context = self._client.sender.context
        # A service elsewhere is not asked by what is only looked at.
        if context.closed or not context.embedded or self.suffixes:
            return super()._repr_html_()
        try:
            rows = self.stats().rows
        except (AudienceError, LookupError, ValueError):
            return super()._repr_html_()
        return self._listed(
            {
                row.datapoint: (row.metrics.audience_percentage, row.metrics.positive_sample)
                for row in rows
            }
        )

    def _refuse_arithmetic(self, _: object = None) -> NoReturn:
        write_instead(
            "A question has no numbers of its own; those of respondents are in a frame.",
            f"client.respondents(amounts=[{text_code(self.code)}])",
        )

    __add__ = __sub__ = __mul__ = __truediv__ = __pow__ = _refuse_arithmetic
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __neg__ = __abs__ = _refuse_arithmetic

    def _has_whole_numbers(self) -> bool:
        asked = asked_whole(self, self._client)
        return super()._has_whole_numbers() if asked is None else asked

    def _has_anybody(self, audience: Audience) -> bool:
        assert audience.expression is not None, "a bin has a condition"
        return counts_anybody(audience.expression, self._client)

    def _phrase(self, name: str) -> Callable[[], Any] | None:
        from audiencelab.client.question_phrases import phrase

        return phrase(self, name)

    def _as_line(self) -> str:
        return f"client[{text_code(self.code)}]"

    # A class that defines `__eq__` loses the one that it inherits.
    __hash__ = CatalogueQuestion.__hash__


class QuestionReferences(tuple[QuestionReference, ...], OtherWords):
    """Questions of a client, `client[["age", "income"]]`, with its verbs for all of them.

    >>> client[["Age", "Children at home"]].mean(waves="latest 1").to_frame().shape
    (2, 9)
    """

    __slots__ = ()

    def _phrase(self, name: str) -> Callable[[], Any] | None:
        from audiencelab.client.question_phrases import phrase_of_several

        return phrase_of_several(self, name)
