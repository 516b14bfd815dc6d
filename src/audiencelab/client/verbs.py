"""The verbs of a survey analyst: means, shares and their like, by groups, with standard errors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Unpack, cast, overload

from audiencelab.client.audiences import AudiencesLike, AxisLike
from audiencelab.client.errors import UnknownCodeError
from audiencelab.client.names import QuestionLike
from audiencelab.client.one_version import of_one_version
from audiencelab.client.operations.call_code import call_code
from audiencelab.client.operations.estimates import (
    Questions,
    descriptions_of,
    fetch_estimates,
    matrix_of,
    numbered_in,
    pair_of,
    pairs_of,
    quantiles_of,
    statistics_of,
    totals_of,
)
from audiencelab.client.operations.names import as_written
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import Sender
from audiencelab.hidden_members import hide_members
from audiencelab.keywords import keywords
from audiencelab.results.statistic_rows import USUAL_LEVEL, Statistic
from audiencelab.tables.estimates import Estimates

if TYPE_CHECKING:
    import pandas as pd

_CONDITION = re.compile(r"(client\[.+\] == .+)\.$")


@hide_members("estimates_of", "row_of")
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
        Age: mean 44.87 (95% interval 43.94 to 45.80, n = 2,000).
        Base: all respondents · Wave: Q4 2025 · Weighted
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
        Age: median 39.50 (95% interval 39.50 to 49.50, n = 2,000).
        Base: all respondents · Wave: Q4 2025 · Weighted
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
        what: AudiencesLike,
        by: AxisLike | None = None,
        *,
        level: float = USUAL_LEVEL,
        **given: Unpack[ScopeArguments],
    ) -> Estimates:
        """Weighted totals, as `svytotal` of R: sums of amounts, or numbers of people.

        what: a question with numbers, for their sum; a question of other answers, for the people
            who gave each; an audience or expression, for the people in it; or a list of these.
        Other arguments and errors are those of `mean`.

        Of several waves the value is their average, as all weighted counts are here, and `total` in
        the frame adds the waves up.

        >>> client.total("Children at home", waves="latest 1").sample
        2000.0
        >>> client.total(client["Gender"] == "Female", waves="latest 1").sample
        1053.0
        """
        rows = totals_of(self._sender, what)
        return self._estimates("total", (what,), rows, by, level, given)

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

        √(n ÷ (n - 1) · Σw(x - mean)² ÷ Σw), n the respondents with a number: the root of R's
        `svyvar`, without weights `std()` of pandas. It has neither standard error nor interval.

        >>> client.standard_deviation("Age", waves="latest 1")
        Age: standard deviation 17.12 (n = 2,000). Base: all respondents · Wave: Q4 2025 · Weighted
        """
        rows = statistics_of("standard_deviation", questions)
        return self._estimates("standard_deviation", (questions,), rows, by, level, given)

    @keywords(ScopeArguments)
    def describe(
        self,
        questions: Questions | None = None,
        by: AxisLike | None = None,
        *,
        level: float = USUAL_LEVEL,
        **given: Unpack[ScopeArguments],
    ) -> Estimates:
        """Mean, standard deviation and quartiles of questions; other arguments are those of `mean`.

        questions: None means all whose answers are numbers, bands or grades.

        >>> found = client.describe("Age", waves="latest 1")
        >>> found.to_frame()[["statistic", "value"]].round(1).values.tolist()[:2]
        [['mean', 44.9], ['standard deviation', 17.1]]
        """
        asked = (questions,)
        if questions is None:
            questions, asked = numbered_in(self._sender), ()
        return self._estimates("describe", asked, descriptions_of(questions), by, level, given)

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
        The year ahead: NPS 47.5 (95% interval 40.7 to 54.2, n = 1,007).
        Base: all respondents · 4 waves: Q1 2025 to Q4 2025 · Weighted · 'A little worse', 'About
        the same', 'A little better' have no number: 6,993 left out
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

        what: a question, for each of its answers; an audience or expression, also as a text such
            as "Gender = Female and Age = 18 to 24"; or a list of these.
        Other arguments and errors are those of `mean` and `crosstab`. Intervals are Wilson's with
        the effective base of the sample's design.

        >>> client.proportion(client["Age"] >= "55 to 64", waves="latest 1")
        Age is 55 to 64 or 65 and over: share 32.6% (95% interval 30.0% to 35.2%, n = 2,000).
        Base: all respondents · Wave: Q4 2025 · Weighted
        >>> shares = client.proportion("Gender", by="Market", waves="latest 1")
        >>> shares["Female"]["Japan"]
        Gender › Female: share, Japan 52.2% (95% interval 44.8% to 59.4%, n = 200).
        Base: all respondents · Wave: Q4 2025 · Weighted
        """
        try:
            rows = as_written(self._sender, what)
            return self._estimates("proportion", (what,), rows, by, level, given)
        except UnknownCodeError as error:
            # The name of an answer, of which the error has the condition.
            condition = _CONDITION.search(str(error))
            if condition is None or not isinstance(what, str):
                raise
            named = {"by": by, **given}
            code = call_code(self._sender, f"client.proportion({condition[1]})", (), named)
            raise UnknownCodeError(
                f"{what!r} is an answer and not a question. Write {code}.", [what]
            ) from None

    @overload
    def correlation(
        self,
        questions: QuestionLike,
        other: QuestionLike,
        by: AxisLike | None = None,
        *,
        level: float = USUAL_LEVEL,
        **given: Unpack[ScopeArguments],
    ) -> Estimates: ...
    @overload
    def correlation(
        self,
        questions: Questions,
        other: None = None,
        by: None = None,
        *,
        level: float = USUAL_LEVEL,
        **given: Unpack[ScopeArguments],
    ) -> pd.DataFrame: ...
    @keywords(ScopeArguments)
    def correlation(
        self,
        questions: Questions,
        other: QuestionLike | None = None,
        by: AxisLike | None = None,
        *,
        level: float = USUAL_LEVEL,
        **given: Unpack[ScopeArguments],
    ) -> Estimates | pd.DataFrame:
        """The weighted correlation of two questions' amounts, or the matrix of several.

        questions, other: two questions, by codes or names. A list of questions, or a grid, whose
            items are taken, without other is the matrix of every two of them, a frame.
        Other arguments and errors are those of `mean`.

        Pearson's coefficient, as `cov2cor(svyvar(…))` of R, of those who have both amounts; NaN
        where one of them does not vary. Its error is linearised, and its interval is made of
        Fisher's z, so that it ends before 1.

        >>> client.correlation("Age", "Sleep", waves="latest 1")
        Age and Sleep: correlation 0.040 (95% interval -0.013 to 0.092, n = 2,000).
        Base: all respondents · Wave: Q4 2025 · Weighted
        >>> client.correlation(["Age", "Sleep"], waves="latest 1").shape
        (2, 2)
        """
        listed = [*questions] if isinstance(questions, list | tuple) else questions
        if other is None and isinstance(listed, list) and len(listed) == 2 and by is not None:
            questions, other = listed
        if other is not None:
            row = pair_of(self._sender, "correlation", cast(QuestionLike, questions), other)
            return self._estimates("correlation", (questions, other), [row], by, level, given)
        names, rows = pairs_of(self._sender, listed)
        if by is not None:
            first, *others = map(repr, names)
            raise ValueError(
                "Groups are for the correlation of two questions. "
                f"Write client.correlation({first}, {(others or [first])[0]}, by={by!r})."
            )
        return matrix_of(
            names, self._estimates("correlation", (questions,), rows, by, level, given)
        )

    @keywords(ScopeArguments)
    def ratio(
        self,
        numerator: QuestionLike,
        denominator: QuestionLike,
        by: AxisLike | None = None,
        *,
        level: float = USUAL_LEVEL,
        **given: Unpack[ScopeArguments],
    ) -> Estimates:
        """The weighted sum of one question's amounts ÷ that of another, as `svyratio` of R.

        Of those who have both amounts. Other arguments and errors are those of `mean`.

        >>> client.ratio("Children at home", "Age", waves="latest 1")
        Children at home ÷ Age: ratio 0.010 (95% interval 0.008 to 0.011, n = 2,000).
        Base: all respondents · Wave: Q4 2025 · Weighted
        """
        row = pair_of(self._sender, "ratio", numerator, denominator)
        return self._estimates("ratio", (numerator, denominator), [row], by, level, given)

    def row_of(self, kind: str, *given: Any) -> Statistic:
        """The row of a crosstab of a correlation or a ratio, or of the people in an audience.

        >>> client.row_of("ratio", "Children at home", "Age")
        <Statistic Children at home ÷ Age: ratio>
        """
        if kind != "sum":
            return pair_of(self._sender, kind, *given)
        [[row]] = cast("list[list[Statistic]]", totals_of(self._sender, [*given]))
        return row

    def _estimates(
        self,
        method: str,
        given: tuple[object, ...],
        rows: AxisLike,
        by: AxisLike | None,
        level: float,
        scope: ScopeArguments,
    ) -> Estimates:
        return self.estimates_of(f"client.{method}()", rows, by, level, scope, given)

    @of_one_version
    def estimates_of(
        self,
        call: str,
        rows: AxisLike,
        by: AxisLike | None = None,
        level: float = USUAL_LEVEL,
        scope: ScopeArguments | None = None,
        given: tuple[object, ...] = (),
    ) -> Estimates:
        """The figures of rows of a crosstab; see `fetch_estimates`.

        >>> client.estimates_of("", client["Age"].mean()).sample
        8000.0
        """
        return fetch_estimates(self._sender, rows, by, level, scope or {}, call, given)
