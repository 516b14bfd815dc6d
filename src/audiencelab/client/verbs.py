"""The verbs of a survey analyst: means, shares and their like, by groups, with standard errors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Unpack

from audiencelab.client.audiences import AudiencesLike, AxisLike
from audiencelab.client.errors import UnknownCodeError
from audiencelab.client.one_version import of_one_version
from audiencelab.client.operations.estimates import (
    Questions,
    fetch_estimates,
    quantiles_of,
    statistics_of,
    with_arguments,
    written_code,
)
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import Sender
from audiencelab.hidden_members import hide_members
from audiencelab.keywords import keywords
from audiencelab.results.statistic_rows import USUAL_LEVEL
from audiencelab.tables.estimates import Estimates

_CONDITION = re.compile(r"(client\[.+\] == .+)\.$")


@hide_members("estimates_of")
class Verbs:
    """The part of a client that answers with estimates."""

    _sender: Sender

    @keywords(ScopeArguments)
    def mean(
        self,
        questions: Questions,
        by: AxisLike | None = None,
        *,
        level: float = USUAL_LEVEL,
        **given: Unpack[ScopeArguments],
    ) -> Estimates:
        """The mean of the amounts of questions, of everyone and by groups, as `svymean` of R.

        questions: one or several, by codes or names; of a grid there is a mean for each item.
        by: what columns of a crosstab take: a question, several side by side, one within the other
            ("Gender > Age"), "waves". Everyone in the base, "All", always comes first.
        level: the confidence of the intervals.
        base_audience, waves, locations, weight: as for `crosstab`.

        Amounts are the numbers that respondents gave, otherwise those of their answers; who has
        none is left out. Errors and intervals are those of the sample's design. Raises the errors
        of `client["Age"].mean` and of `crosstab`.

        >>> client.mean("Age", waves="latest 1")
        Age: mean 44.87 (95% interval 43.94 to 45.80, n = 2,000)
        >>> ages = client.mean("Age", by="Gender", waves="latest 1")
        >>> ages.to_frame()[["group", "value", "standard_error"]].round(2).values.tolist()[:2]
        [['All', 44.87, 0.48], ['Male', 44.96, 0.71]]
        """
        rows = statistics_of("mean", questions)
        return self._estimates("mean", (questions,), rows, by, level, given)

    @keywords(ScopeArguments)
    def median(
        self,
        questions: Questions,
        by: AxisLike | None = None,
        *,
        level: float = USUAL_LEVEL,
        **given: Unpack[ScopeArguments],
    ) -> Estimates:
        """The median of the amounts of questions; arguments and errors are those of `mean`.

        Its interval is Woodruff's, as that of `svyquantile` of R.

        >>> client.median("Age", waves="latest 1")
        Age: median 39.50 (95% interval 39.50 to 49.50, n = 2,000)
        """
        rows = statistics_of("median", questions)
        return self._estimates("median", (questions,), rows, by, level, given)

    @keywords(ScopeArguments)
    def quantile(
        self,
        questions: Questions,
        probabilities: float | Iterable[float] = 0.5,
        by: AxisLike | None = None,
        *,
        level: float = USUAL_LEVEL,
        **given: Unpack[ScopeArguments],
    ) -> Estimates:
        """Quantiles of the amounts of questions; other arguments and errors are those of `mean`.

        probabilities: the part of the people who are at or below the amount, from 0 to 1: one, or
            several, such as [0.25, 0.5, 0.75].

        >>> [each.value for each in client.quantile("Age", [0.25, 0.75], waves="latest 1")]
        [29.5, 59.5]
        """
        rows, asked = quantiles_of(questions, probabilities), (questions, probabilities)
        return self._estimates("quantile", asked, rows, by, level, given)

    @keywords(ScopeArguments)
    def total(
        self,
        questions: Questions,
        by: AxisLike | None = None,
        *,
        level: float = USUAL_LEVEL,
        **given: Unpack[ScopeArguments],
    ) -> Estimates:
        """The weighted sum of the amounts of questions; arguments and errors are those of `mean`.

        Of several waves it is their average, as all weighted counts are. How many people are in an
        audience is `client.size(audience)`.

        >>> client.total("Children at home", waves="latest 1").sample
        2000.0
        """
        rows = statistics_of("sum", questions)
        return self._estimates("total", (questions,), rows, by, level, given)

    @keywords(ScopeArguments)
    def standard_deviation(
        self,
        questions: Questions,
        by: AxisLike | None = None,
        *,
        level: float = USUAL_LEVEL,
        **given: Unpack[ScopeArguments],
    ) -> Estimates:
        """How far people's amounts are from their mean; arguments and errors are those of `mean`.

        √(Σw(x - mean)² ÷ Σw), without standard error and interval.

        >>> client.standard_deviation("Age", waves="latest 1")
        Age: standard deviation 17.12 (n = 2,000)
        """
        rows = statistics_of("standard_deviation", questions)
        return self._estimates("standard_deviation", (questions,), rows, by, level, given)

    @keywords(ScopeArguments)
    def nps(
        self,
        questions: Questions,
        by: AxisLike | None = None,
        *,
        parts: bool = False,
        level: float = USUAL_LEVEL,
        **given: Unpack[ScopeArguments],
    ) -> Estimates:
        """The net promoter score of scales from 0 to 10; other arguments are those of `mean`.

        parts: promoters, passives and detractors too, in %.

        Raises `ValueError` for amounts that are not on such a scale, and the errors of `mean`. A
        scale of words is given amounts by the question's own `nps`.

        >>> found = client["The year ahead"].nps(
        ...     amounts={"Much better": 10, "Much worse": 0}, by="Gender"
        ... )
        >>> found["All"]
        The year ahead: NPS 47.5 (95% interval 40.7 to 54.2, n = 1,007)
        """
        rows = statistics_of("nps", questions, parts=parts or None)
        return self._estimates("nps", (questions,), rows, by, level, given)

    @keywords(ScopeArguments)
    def proportion(
        self,
        what: AudiencesLike,
        by: AxisLike | None = None,
        *,
        level: float = USUAL_LEVEL,
        **given: Unpack[ScopeArguments],
    ) -> Estimates:
        """The share of people, in %, who gave each answer, or who are in an audience.

        what: a question, for each of its answers; an audience or expression; or a list of these.
        Other arguments and errors are those of `mean` and `crosstab`. Intervals are Wilson's with
        the effective base of the sample's design.

        >>> client.proportion(client["Age"] >= "55 to 64", waves="latest 1")
        Age is 55 to 64 or 65 and over: share 32.6% (95% interval 30.0% to 35.2%, n = 2,000)
        >>> shares = client.proportion("Gender", by="Market", waves="latest 1")
        >>> shares["Female"]["Japan"]
        Gender › Female: share, Japan 52.2% (95% interval 44.8% to 59.4%, n = 200)
        """
        try:
            return self._estimates("proportion", (what,), what, by, level, given)
        except UnknownCodeError as error:
            # The name of an answer, of which the error has the condition.
            condition = _CONDITION.search(str(error))
            if condition is None or not isinstance(what, str):
                raise
            code = with_arguments(f"client.proportion({condition[1]})", by, given)
            raise UnknownCodeError(
                f"{what!r} is an answer and not a question. Write {code}.", [what]
            ) from None

    def _estimates(
        self,
        method: str,
        given: tuple[object, ...],
        rows: AxisLike,
        by: AxisLike | None,
        level: float,
        scope: ScopeArguments,
    ) -> Estimates:
        call = f"client.{method}({', '.join(map(written_code, given))})"
        return self.estimates_of(with_arguments(call, by, scope), rows, by, level, scope)

    @of_one_version
    def estimates_of(
        self,
        code: str,
        rows: AxisLike,
        by: AxisLike | None = None,
        level: float = USUAL_LEVEL,
        scope: ScopeArguments | None = None,
    ) -> Estimates:
        """The figures of rows of a crosstab; code: Python that asks for them again.

        >>> client.estimates_of("", client["Age"].mean()).sample
        8000.0
        """
        return fetch_estimates(self._sender, rows, by, level, scope or {}, code)
