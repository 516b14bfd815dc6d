"""The public result of the analysts' verbs: figures with standard errors and intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from audiencelab.analysis.options import DEFAULTS, TestOptions, Versus
from audiencelab.keywords import keywords
from audiencelab.results.estimates import EstimatesData
from audiencelab.results.record import sourced
from audiencelab.results.table_code import note_call
from audiencelab.tables.base import Exporting
from audiencelab.tables.charting import ResultCharts
from audiencelab.tables.comparison import Comparison
from audiencelab.tables.crosstab import CrosstabResult

if TYPE_CHECKING:
    from audiencelab.markup import Card


class Estimates(EstimatesData, Exporting):
    """Means, medians, shares and their like, each with its standard error and interval.

    A single figure is a number: `float(it)`, `round(it, 1)`, `f"{it:.1f}"`, `it > 50`, and `value`,
    `standard_error`, `low`, `high`, `sample`. `it["Female"]` are the figures of a group (or of a
    question, an item, an answer) by its name. `table` is the crosstab that they were read from;
    charts, tests and files are those of it.

    >>> client.mean("Age", by="Gender", waves="latest 1")
    Mean of Age by Gender
                                         mean    se    95% interval      n
      All                               44.87  0.48  43.94 to 45.80  2,000
      Male                              44.96  0.71  43.57 to 46.35    931
      Female                            44.93  0.65  43.66 to 46.20  1,053
      Non-binary or another identity  36.34**  2.69  30.61 to 42.07     16
    Base: all respondents · Wave: Q4 2025 · 95% intervals by t, 1 stratum, each respondent a cluster
    * fewer than 100 respondents in the base, ** fewer than 30
    >>> round(client.mean("Age", waves="latest 1"), 1)
    44.9
    """

    __slots__ = ()

    @property
    def chart(self) -> ResultCharts:
        """The figures as a chart: `.points()` of means and scores, `.bar()` and others of shares.

        >>> client.mean("Age", by="Gender").chart.points()
        <Chart: points of 1 statistic, 3 columns>
        """
        return self._crosstab.chart

    @keywords(TestOptions, DEFAULTS, note=note_call)
    def test(self, vs: Versus = "columns", **options: Unpack[TestOptions]) -> Comparison:
        """Test the groups against each other; arguments and errors are those of a crosstab's.

        >>> client.mean("Age", by="Market").test().to_wide().iloc[0].tolist()[:2]
        ['45.25 F', '45.58 F']
        """
        return self._crosstab.test(vs, **options)

    @property
    def _crosstab(self) -> CrosstabResult:
        return self.table

    def _written(self) -> CrosstabResult:
        return self.table

    def __repr__(self) -> str:
        from audiencelab.render.estimates import estimates_text

        return estimates_text(self)

    def __str__(self) -> str:
        return f"{self!r}\n{sourced(self.table.provenance).line()}"

    def _card(self) -> Card:
        from audiencelab.render.estimates import estimates_card

        return estimates_card(self)
