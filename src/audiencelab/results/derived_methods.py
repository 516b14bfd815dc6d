"""What can be worked out from a result alone, as methods; the work is done in `derived`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.analysis.derived import Midpoints
    from audiencelab.results.crosstab import CrosstabResult
    from audiencelab.results.stats import StatsResult

__all__ = ["CrosstabDeriving", "Deriving"]


class Deriving:
    """Nets, boxes, rebasing, scores, averages and moving averages of a stats result.

    All but moving averages and shares of responses add people up, so they need a question of
    which every respondent gives one answer at most. The kind of the question decides (`kind`):
    answers to a single question are added up, and for others `OverlappingAnswers` shows how to ask
    the service. Where the service does not say the kind, figures decide: as many answers as
    respondents are one each, more are not, and for fewer say `disjoint=True` if you know that the
    question takes one answer.
    """

    __slots__ = ()

    def nets(self, named: Mapping[str, Sequence[str]], *, disjoint: bool = False) -> StatsResult:
        """The same result with rows for subtotals of answers, after those of the answers.

        named: the answers of each net, by code or by name: `{"Any app": ["q20_1", "Loopa"]}`.

        Sizes and samples add up, percentages and index are taken of the sums. A net is in every
        table and frame like an answer, under its name; leave it out of comparisons (`nets=`), for
        it holds others. What is worked out from the new result adds up its answers alone. Raises
        `OverlappingAnswers` and `ValueError`.
        """
        from audiencelab.analysis import derived

        return derived.nets(self._stats(), named, disjoint=disjoint)

    def boxes(
        self, top: int = 2, bottom: int = 2, *, low_first: bool = True, disjoint: bool = False
    ) -> StatsResult:
        """The same result with rows for the best and the worst answers of a scale.

        top, bottom: how many answers of each end; 0 for none.
        low_first: whether the result's answers run from the lowest to the highest.
        """
        from audiencelab.analysis import derived

        return derived.boxes(self._stats(), top, bottom, low_first=low_first, disjoint=disjoint)

    def rebased_to_answered(self, *, disjoint: bool = False) -> StatsResult:
        """The same result with percentages of those who gave one of its answers.

        Respondents who were not asked, or gave none of the answers that the result holds, leave
        the denominator; `base_audience` and the provenance say so. With all answers of a question
        it is what the service gives for `base_audience=al.answered(question)`, which is also the
        way for questions of several answers. Raises `OverlappingAnswers`.
        """
        from audiencelab.analysis import derived

        return derived.rebased_to_answered(self._stats(), disjoint=disjoint)

    def shares_of_responses(self) -> pd.DataFrame:
        """What part of all answers given each answer is, in percent: they add up to 100.

        For questions of which people give several. Whoever gave three answers counts three times,
        and whoever gave none does not count. One line for each datapoint × segment × audience:
        `response_percentage` is of `responses_size`, the answers that the result holds; ask with
        `datapoints=` to leave "none of these" out. Its `attrs` hold recipe and provenance.
        """
        from audiencelab.analysis import derived

        return derived.shares_of_responses(self._stats())

    def net_score(
        self, positive: Sequence[str], negative: Sequence[str], *, disjoint: bool = False
    ) -> pd.DataFrame:
        """The percentage of some answers less that of others, in points, for each column.

        Percentages are of everyone in the audience; those who gave neither count as 0. One line
        for each segment × audience, with both bases; `attrs` hold recipe and provenance.
        """
        from audiencelab.analysis import derived

        return derived.net_score(self._stats(), positive, negative, disjoint=disjoint)

    def averages(
        self, midpoints: Midpoints, *, design_effect: float = 1.0, disjoint: bool = False
    ) -> pd.DataFrame:
        """Mean, median and standard deviation of answers that stand for amounts.

        midpoints: the catalogue's question (`client.catalogue["Age"]`); or what each answer stands
            for, by code or name.
        design_effect: by how much the survey's design widens the standard error's square.

        Where a survey in this process keeps the numbers behind a question's bands, as imports do,
        averages by the catalogue's question are those of the numbers, and `method` is "numbers".
        Everywhere else they are those of the midpoints, and `method` is "midpoints".

        One line for each segment × audience. `answered_size` and `answered_sample` are those who
        gave an answer that has a number or midpoint, and the figures are of them alone;
        `attrs["left_out"]` names the other answers. mean = Σwm / Σw with w people and m numbers or
        midpoints; the standard deviation is √(Σw(m − mean)² / Σw), the mean's standard error that
        by √(design effect / respondents), and the median the value that half of the people are at
        or below.
        """
        from audiencelab.analysis import derived

        return derived.averages(
            self._stats(), midpoints, design_effect=design_effect, disjoint=disjoint
        )

    def moving_average(self, waves: int = 4) -> pd.DataFrame:
        """Audience percentages over each wave and those before it, so many in all.

        The result must have `splitter="waves"`, with the earliest wave first: "before" goes by
        the order in which the waves were asked for, which is by date if none are named.
        A percentage is that of all people of these waves together, so a larger wave counts for
        more; sizes are averages over waves, samples sums. A wave that did not ask is left out,
        and `waves_counted` and `note` say so; the first waves, with too few before them, have no
        figures.
        """
        from audiencelab.analysis import derived

        return derived.moving_average(self._stats(), waves)

    def _stats(self) -> StatsResult:
        return cast(Any, self)


class CrosstabDeriving:
    """Nets, boxes and scores of a crosstab's rows.

    They add rows up, which is right only where nobody is in two of them. Different answers to one
    single question are added up, and those to one multiple question are not: `OverlappingAnswers`
    shows what to ask the service. Where the kinds of the questions (`kinds`) do not decide it,
    figures do: rows that are answers of one question, as many as respondents in the base and in
    every column, are added up; otherwise say `disjoint=True` if you know that nobody is in two.
    """

    __slots__ = ()

    def nets(self, named: Mapping[str, Sequence[str]], *, disjoint: bool = False) -> CrosstabResult:
        """The same table with rows for subtotals, each after the rows under the same heads.

        named: the rows of each net, by name or id: `{"Any app": ["Loopa", "row-2"]}`. A name that
            stands under several heads is told with them: "Women › Young".

        Sizes and samples add up, percentages and index are taken of the sums. A net is in every
        table and frame under its name: `row_nets` and the frame's `row_net` tell it, its
        `row_index` is -1, and comparisons leave it out, for it holds other rows. Its audience is
        what to ask the service for instead. Raises `OverlappingAnswers`, and `ValueError` for rows
        that are not there, that rest on different waves, or of a table under way.
        """
        from audiencelab.analysis import derived

        return derived.row_nets(self._crosstab(), named, disjoint=disjoint)

    def boxes(
        self, top: int = 2, bottom: int = 2, *, low_first: bool = True, disjoint: bool = False
    ) -> CrosstabResult:
        """The same table with rows for the best and the worst answers of a scale.

        top, bottom: how many answers of each end; 0 for none. Rows under heads are a scale for each
            head.
        low_first: whether the rows run from the lowest to the highest.
        """
        from audiencelab.analysis import derived

        return derived.row_boxes(
            self._crosstab(), top, bottom, low_first=low_first, disjoint=disjoint
        )

    def net_score(
        self, positive: Sequence[str], negative: Sequence[str], *, disjoint: bool = False
    ) -> pd.DataFrame:
        """The column percentage of some rows less that of others, in points, for each column.

        Percentages are of everyone in the column; those in neither count as 0. Both bases stand
        beside it; `attrs` hold recipe and provenance.
        """
        from audiencelab.analysis import derived

        return derived.row_score(self._crosstab(), positive, negative, disjoint=disjoint)

    def _crosstab(self) -> CrosstabResult:
        return cast(Any, self)
