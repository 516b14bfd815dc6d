"""`client["Age"].mean()`: a row of a crosstab that can ask its client for its figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Unpack, cast

from audiencelab.client.audiences import AudiencesLike, AxisLike
from audiencelab.client.catalogue.amounts import AmountRows
from audiencelab.client.catalogue.question_part import OneOrEach
from audiencelab.client.names import QuestionLike
from audiencelab.client.scope import ScopeArguments
from audiencelab.errors import AudienceError
from audiencelab.keywords import keywords
from audiencelab.results.estimates import shown
from audiencelab.results.numberlike import NumberLike
from audiencelab.results.statistic_rows import USUAL_LEVEL, Statistic
from audiencelab.tables.estimates import Estimates

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.client.verbs import Verbs

Amounts = Mapping[str, float] | None

_FIELDS = tuple(each.name for each in fields(Statistic))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class AskedStatistic(NumberLike, Statistic):
    """A row of a crosstab, and the figure that it is for everyone in the base.

    client: what is asked for the figure, each time that it is needed.

    >>> round(client["Age"].mean(), 1)
    44.9
    >>> client["Age"].mean() > 40
    True
    """

    client: Any = field(default=None)

    @property
    def plain(self) -> Statistic:
        """The row alone, as tables keep it."""
        return Statistic(**{name: getattr(self, name) for name in _FIELDS})

    @property
    def estimates(self) -> Estimates:
        """The figure with its standard error and interval."""
        return self.client.estimates_of(f"client{self.code}", [self.plain])

    @property
    def value(self) -> float:
        """The figure."""
        return self.estimates.value

    def __float__(self) -> float:
        return self.value

    def to_frame(self) -> pd.DataFrame:
        """The figure with its standard error and interval, as a frame of one line.

        >>> client["Age"].mean().to_frame()["sample"].tolist()
        [8000.0]
        """
        return self.estimates.to_frame()

    def __eq__(self, other: object) -> bool:
        return self.plain == other.plain if isinstance(other, Statistic) else super().__eq__(other)

    __hash__ = Statistic.__hash__

    def __repr__(self) -> str:
        context, figure = self.client.sender.context, ""
        # A service elsewhere is not asked by what is only looked at.
        if not context.closed and (context.embedded or context.snapshot is not None):
            try:
                [line] = self.estimates
                figure = f" = {shown(line, line.value)}"
                if line.is_averaged:
                    figure += f" (average of waves; {shown(line, line.total)} in all)"
            except (AudienceError, LookupError, TypeError, ValueError):
                pass
        return f"<Statistic {self.name}{figure}>"

    def __reduce__(self) -> Any:
        return self.plain.__reduce__()


class AskedAmounts(AmountRows):
    """The statistics of a question of a client: rows of a crosstab that know their figures.

    With `by=`, or another argument of a verb of the client, each is that verb's answer:
    `client["Age"].mean(by="Gender")` is `client.mean("Age", by="Gender")`.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        _client: Verbs

    @keywords(ScopeArguments)
    def mean(
        self,
        *items: str | Iterable[str],
        amounts: Amounts = None,
        by: AxisLike | None = None,
        level: float = USUAL_LEVEL,
        **asked: Unpack[ScopeArguments],
    ) -> OneOrEach:
        """The mean of the question's amounts: a number, a row of a crosstab, or by groups.

        items, amounts: as for a question of the catalogue, whose `mean` has the errors too.
        by, level, base_audience, waves, locations, weight: as for `Client.mean`, which answers if
            one of them is given.

        >>> client["Age"].mean()
        <Statistic Age: mean = 44.91>
        >>> client["Age"].mean(by="Gender")["Female"].sample
        4213.0
        """
        return self._answer(super().mean(*items, amounts=amounts), by, level, asked)

    @keywords(ScopeArguments)
    def median(
        self,
        *items: str | Iterable[str],
        amounts: Amounts = None,
        by: AxisLike | None = None,
        level: float = USUAL_LEVEL,
        **asked: Unpack[ScopeArguments],
    ) -> OneOrEach:
        """The median of the question's amounts; see `mean`.

        >>> client["Age"].median()
        <Statistic Age: median = 39.50>
        """
        return self._answer(super().median(*items, amounts=amounts), by, level, asked)

    @keywords(ScopeArguments)
    def percentile(
        self,
        percent: float,
        *items: str | Iterable[str],
        amounts: Amounts = None,
        by: AxisLike | None = None,
        level: float = USUAL_LEVEL,
        **asked: Unpack[ScopeArguments],
    ) -> OneOrEach:
        """The amount that `percent` of the people are at or below; see `mean`.

        >>> client["Age"].percentile(90)
        <Statistic Age: 90th percentile = 71.00>
        """
        return self._answer(super().percentile(percent, *items, amounts=amounts), by, level, asked)

    @keywords(ScopeArguments)
    def quantile(
        self,
        probabilities: float | Iterable[float] = 0.5,
        by: AxisLike | None = None,
        *,
        level: float = USUAL_LEVEL,
        **asked: Unpack[ScopeArguments],
    ) -> Estimates:
        """Quantiles of the question's amounts; arguments and errors are those of `Client.quantile`.

        >>> client["Age"].quantile([0.25, 0.75])["value"].tolist()
        [29.5, 59.5]
        """
        return self._client.quantile(
            cast(QuestionLike, self), probabilities, by, level=level, **asked
        )

    @keywords(ScopeArguments)
    def sum(
        self,
        *items: str | Iterable[str],
        amounts: Amounts = None,
        by: AxisLike | None = None,
        level: float = USUAL_LEVEL,
        **asked: Unpack[ScopeArguments],
    ) -> OneOrEach:
        """The weighted sum of the question's amounts, on average over the waves; see `mean`.

        >>> client["Children at home"].sum()
        <Statistic Children at home: sum = 263,805,979 (average of waves; 1,055,223,915 in all)>
        """
        return self._answer(super().sum(*items, amounts=amounts), by, level, asked)

    @keywords(ScopeArguments)
    def standard_deviation(
        self,
        *items: str | Iterable[str],
        amounts: Amounts = None,
        by: AxisLike | None = None,
        level: float = USUAL_LEVEL,
        **asked: Unpack[ScopeArguments],
    ) -> OneOrEach:
        """How far people's amounts are from their mean, √(Σw(x - mean)² ÷ Σw); see `mean`.

        >>> client["Age"].standard_deviation()
        <Statistic Age: standard deviation = 17.09>
        """
        return self._answer(super().standard_deviation(*items, amounts=amounts), by, level, asked)

    @keywords(ScopeArguments)
    def nps(
        self,
        *items: str | Iterable[str],
        amounts: Amounts = None,
        parts: bool = False,
        by: AxisLike | None = None,
        level: float = USUAL_LEVEL,
        **asked: Unpack[ScopeArguments],
    ) -> OneOrEach:
        """The net promoter score of a scale from 0 to 10; see `mean`.

        The percentage of amounts from 9 up (promoters) less that of amounts up to 6 (detractors),
        of the respondents who have an amount. parts: promoters, passives and detractors too.

        Raises `ValueError` for amounts that are not on such a scale.

        >>> client["The year ahead"].nps(amounts={"Much better": 10, "Much worse": 0})
        <Statistic The year ahead: NPS = 47.5>
        """
        return self._answer(super().nps(*items, amounts=amounts, parts=parts), by, level, asked)

    @keywords(ScopeArguments)
    def proportion(
        self,
        answer: str | float | None = None,
        by: AxisLike | None = None,
        *,
        level: float = USUAL_LEVEL,
        **asked: Unpack[ScopeArguments],
    ) -> Estimates:
        """The share of each answer, in %; arguments and errors are those of `Client.proportion`.

        answer: one of them alone, by its name or code.

        >>> client["Gender"].proportion("Female", by="Market")["Japan"]
        Gender is Female: share, Japan 51.3% (95% interval 47.5% to 55.1%, n = 800).
        Base: all respondents · 4 waves: Q1 2025 to Q4 2025 · Weighted
        """
        what = cast(AudiencesLike, self if answer is None else self.any(answer))
        return self._client.proportion(what, by, level=level, **asked)

    @keywords(ScopeArguments)
    def describe(
        self,
        by: AxisLike | None = None,
        *,
        level: float = USUAL_LEVEL,
        **asked: Unpack[ScopeArguments],
    ) -> Estimates:
        """Mean, standard deviation and quartiles of the question's amounts, as `Client.describe`.

        >>> client["Age"].describe(waves="latest 1")["median"].value
        39.5
        """
        return self._client.describe(cast(QuestionLike, self), by, level=level, **asked)

    @keywords(ScopeArguments)
    def correlation(
        self,
        other: QuestionLike,
        by: AxisLike | None = None,
        *,
        level: float = USUAL_LEVEL,
        **asked: Unpack[ScopeArguments],
    ) -> Estimates:
        """The correlation with another question's amounts, as `Client.correlation`.

        >>> client["Age"].correlation("Sleep", waves="latest 1")
        """
        question = cast(QuestionLike, self)
        return self._client.correlation(question, other, by, level=level, **asked)

    def _answer(
        self, rows: OneOrEach, by: AxisLike | None, level: float, scope: ScopeArguments
    ) -> OneOrEach:
        listed = cast("tuple[Statistic, ...]", rows if isinstance(rows, tuple) else (rows,))
        if by is not None or level != USUAL_LEVEL or scope:
            return self._client.estimates_of("", [*listed], by, level, scope)
        made = tuple(
            AskedStatistic(**{name: getattr(row, name) for name in _FIELDS}, client=self._client)
            for row in listed
        )
        return made if isinstance(rows, tuple) else made[0]
