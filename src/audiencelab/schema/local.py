"""What the local operations answer: how sure the figures of a query are, from its respondents.

A service of audiencelab has these operations under `/local/`, in addition to the ten; see
`schema.endpoints`. Each takes the body of a query. A service that withholds figures on few
respondents withholds theirs here: NaN, for a whole table None.
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiencelab.errors import AudienceError
from audiencelab.schema.arrays import Floats


class VarianceError(AudienceError, ValueError):
    """A sample that shows no variance; the message has the reason and the remedy."""


class Linearised(msgspec.Struct, frozen=True, eq=False):
    """Variances by Taylor linearisation, or from replicate weights.

    Arrays are float64[rows, columns], in shares of 1.

    share: of the column, what is in the row. variance: of that share. NaN for an empty column.
    rest_variance: of the same share of everyone else in the base; rest_covariance: of both.
    rest_pooled: of their difference under the share that both have together, see
        `engine.variance.pooled`.
    index_variance: of the logarithm of the index.
    log_odds_variance: of log(share ÷ (1 - share)), from replicate weights; None without them.
    covariance, pooled: of two columns in one row, float64[rows, columns, columns]: how their shares
        vary together, and the variance of their difference under their pooled share. None of a
        table that is too large for them.
    strata, clusters, lonely: their number in the waves that the table rests on; clusters:
        None where respondents were drawn one by one, lonely strata have a single one.
    freedom: clusters (or respondents) less strata, of those with anybody of the cell's column.
        degrees_of_freedom: in the cell that has fewest. rest_freedom: of the column or of its rest,
        whichever has fewer.
    pairs: degrees of freedom of every two columns together, float64[sets, columns, columns], for
        each set of waves that rows rest on; None of a table that is too large for them. set_of:
        the set of each row.
    replicates: their number and method, where variances come from replicate weights.
    raked: whether the margins to which waves were raked are accounted for.
    paired: whether persons in several waves are. common_points: whether these waves were drawn from
        the same clusters, which is accounted for.
    not_drawn: which part of a finite population was not drawn; 1 where none is known.

    A share whose respondents all fall in one cluster has no variance (NaN), because
    nothing shows how it would differ in another.
    """

    share: Floats
    variance: Floats
    rest_variance: Floats
    rest_covariance: Floats
    rest_pooled: Floats
    index_variance: Floats
    log_odds_variance: Floats | None
    covariance: Floats | None
    pooled: Floats | None
    strata: int
    clusters: int | None
    lonely: int
    freedom: Floats
    rest_freedom: Floats
    degrees_of_freedom: int
    set_of: tuple[int, ...]
    pairs: Floats | None
    replicates: str | None = None
    raked: bool = False
    paired: bool = False
    not_drawn: float = 1.0
    common_points: bool = False

    def freedom_of(self, rows: NDArray[Any], first: NDArray[Any], second: NDArray[Any]) -> Floats:
        """Of two columns in a row: clusters less strata, of those with anybody of either column.

        All arrays have one shape. In a table too large for its pairs, the smaller of both.
        """
        if self.pairs is None:
            # Fewer than both have together, and so on the safe side.
            return np.fmin(self.freedom[rows, first], self.freedom[rows, second])
        return self.pairs[np.array(self.set_of, np.intp)[rows], first, second]


class Precision(msgspec.Struct, frozen=True, eq=False):
    """Precision of the column shares of a table; all arrays are float64[rows, columns].

    sample, size: respondents in the column, and their weight on average over the waves of the cell.
    kish, rest_kish: Kish's design effect of the column, and of everyone else in the base.
    linearised: None of a simple random sample, which has equal weights, and no strata, clusters or
        finite population that are known; and where it was not asked for.
    refused: why the declared design shows no variance; "" where it does, or none is declared.
    shared: respondents in every two columns, float64[sets, columns, columns], for each set of rows
        that count within the same people; None of a table that is too large for them.
        shared_of: the set of each row.
    """

    sample: Floats
    size: Floats
    kish: Floats
    rest_kish: Floats
    linearised: Linearised | None = None
    refused: str = ""
    shared: Floats | None = None
    shared_of: tuple[int, ...] = ()


class RowPairs(msgspec.Struct, frozen=True, eq=False):
    """Every two rows of a table in each column, float64[columns, rows, rows].

    variance: of the difference of two shares, means or scores, by the sample's design; NaN where
        the rows rest on different waves, and where all respondents are in one cluster.
    freedom: clusters (or respondents) less strata, of those with anybody of the rows; None where
        no strata, no clusters, no panel and no replicate weights are known.
    both: of shares, the part of the column that is in both rows; None of means and scores, NaN
        where the rows count within different people.
    how: what variances account for, other than strata and clusters.
    """

    variance: Floats
    freedom: Floats | None
    both: Floats | None = None
    how: str = ""


class CellShares(msgspec.Struct, frozen=True, eq=False):
    """Shares of the cells of a table, of those who are in one of its rows and one of its columns.

    share: float64[rows, columns], adding up to 1. covariance: float64[cells, cells], by the design.
    sample: respondents whose weight is not 0; counts: those of each cell, float64[rows, columns].
    freedom: clusters (or respondents) less strata of those.
    how: what covariances account for, other than strata and clusters.
    """

    share: Floats
    covariance: Floats
    sample: int
    counts: Floats
    freedom: float
    how: str = ""


class Adjusted(msgspec.Struct, frozen=True, eq=False):
    """Column shares as if each column had the composition of the base, and the rest of the base.

    Composition is by the cells of crossed questions. Arrays are float64[rows, columns] in shares
    of 1, but where they have other units; see `engine.variance.standardised`.

    share, variance: of the column that is in the row. rest_share, rest_variance, rest_covariance:
        of everyone else in the base, and of both.
    pooled: the variance of the difference of both under the share that they have together.
    freedom, rest_freedom: clusters (or respondents) less strata, of those with anybody of the
        column, or of the rest; NaN, as variances, where all are in one cluster.
    lacking, rest_lacking: the part of the base in cells without respondents of the column, or of
        the rest. Shares are of the other cells.
    fewest, rest_fewest: the fewest respondents of the column in a cell and in the row, or out of
        it, other than 0; the same of the rest. Infinite where there are none.
    cells: their number, of those with anybody of the base.
    empty: how many of them are without a column, float64[columns]. absent: the part of the base
        in these, float64[columns]. alone: the same by each question alone, float64[questions,
        columns]. All are of the whole base, also where rows count those who answered.
    unanswered: the part of the base without an answer to a question, of the same shape.
    how: what variances account for, other than strata and clusters.
    """

    share: Floats
    rest_share: Floats
    variance: Floats
    rest_variance: Floats
    rest_covariance: Floats
    pooled: Floats
    freedom: Floats
    rest_freedom: Floats
    lacking: Floats
    rest_lacking: Floats
    fewest: Floats
    rest_fewest: Floats
    cells: int
    empty: Floats
    absent: Floats
    alone: Floats
    unanswered: Floats
    how: str = ""


class PairsAnswer(msgspec.Struct, frozen=True, eq=False):
    """Every two rows of a table. refused: why they are not compared, where they are not."""

    pairs: RowPairs | None = None
    refused: str = ""


class ItemsAnswer(msgspec.Struct, frozen=True, eq=False):
    """Items against items. refused: why they are not tested together, where they are not."""

    cells: CellShares | None = None
    refused: str = ""


class AdjustedAnswer(msgspec.Struct, frozen=True, eq=False):
    """Adjusted shares. refused: why there are none, where there are none."""

    adjusted: Adjusted | None = None
    refused: str = ""


class NumberRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """The numbers of the respondents of one segment and audience; None if they gave none.

    answered_size: the weighted count of those who gave one; answered_sample: their count. None
    where they are few and withheld. standard_deviation: √(Σw(x - mean)² ÷ Σw).
    """

    answered_size: float | None = None
    answered_sample: float | None = None
    mean: float | None = None
    median: float | None = None
    standard_deviation: float | None = None
    segment: str | None = None
    audience: str | None = None


class QuestionNumbers(msgspec.Struct, frozen=True, omit_defaults=True):
    """The numbers behind the bins of a question.

    datapoints: whose respondents are counted. without: those of them that have no number. whole:
    whether all numbers are; None where it is not known.
    """

    datapoints: tuple[str, ...]
    without: tuple[str, ...]
    rows: tuple[NumberRow, ...]
    whole: bool | None = None


class NumbersAnswer(msgspec.Struct, frozen=True):
    """The numbers of a query's question; None where the survey does not have them all."""

    numbers: QuestionNumbers | None = None
