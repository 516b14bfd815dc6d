"""How sure each percentage of a result is.

A service answers how precise column percentages are. Row percentages are those of the table with
rows and columns swapped, and percentages of the base those of one column with all rows, columns and
cells. Both are asked for too, and taken where their values are those of the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import effects_of_shares, located
from audiencelab.analysis.precision import TablePrecision
from audiencelab.results.asking import Unanswered, base_query, query_of, turned_query
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData
from audiencelab.schema.local import Precision
from audiencelab.schema.query import CrosstabQuery

Floats = NDArray[np.float64]
Places = tuple[NDArray[np.intp], NDArray[np.intp]]

_ROUNDING = 1e-6
"""Shares of 1 that are nearer to each other than this are equal."""

_OTHERS = "the service counts other respondents for them"
_LARGE = "the table is too large for them"


class Sure(NamedTuple):
    """What intervals of proportions are made of; arrays of one shape.

    effects: design effects, 0 where the design fixes the proportion, NaN for no interval. freedom:
    degrees of freedom, infinite for the normal distribution. log_odds_error: the standard error of
    log odds, if replicate weights show it. not_drawn: which part of a finite population was not
    drawn; None where design effects are not computed of the respondents.
    """

    effects: Floats
    freedom: Floats
    log_odds_error: Floats | None = None
    not_drawn: float | None = None

    def at(self, places: Places) -> Sure:
        """Those at some positions."""
        error = None if self.log_odds_error is None else self.log_odds_error[places]
        return Sure(self.effects[places], self.freedom[places], error, self.not_drawn)

    def most(self, sample: Floats) -> Floats | None:
        """The largest base of an interval, which is that of a simple random sample; None for any.

        sample: respondents in the denominators.
        """
        if self.not_drawn is None:
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            # Of a finite population, a simple random sample is worth more than its respondents.
            return sample / self.not_drawn

    def capped(self, base: Floats, sample: Floats) -> Floats:
        """A base not larger than that."""
        most = self.most(sample)
        return base if most is None else np.minimum(base, most)


class Shares(NamedTuple):
    """Proportions of 1, and the respondents in their denominators; arrays of one shape."""

    value: Floats
    sample: Floats


Asked = Sure | str
"""How sure some percentages are, or why that is not known."""


class LinearisedShares(NamedTuple):
    """What linearisation, or replicate weights, show of the lines of a frame.

    index_error: the standard error of the logarithm of each index. rest_freedom: degrees of
    freedom of the column or of its rest, whichever has fewer; both are NaN where the service counts
    no others in the base, as for columns that are waves.
    """

    index_error: Floats
    rest_freedom: Floats


def sure_of(precision: TablePrecision) -> Sure:
    """Of the column percentages of a table, [rows, columns]."""
    found = None if precision.computed is None else precision.computed.precision.linearised
    error = None
    if found is not None and found.log_odds_variance is not None:
        error = _of_table(precision, np.sqrt(found.log_odds_variance))
    # Kish's effects know of no finite population, so all of it counts as not drawn.
    not_drawn = None if precision.computed is None else 1.0
    if found is not None:
        not_drawn = found.not_drawn
    return Sure(precision.effects, precision.freedom, error, not_drawn)


def linearised_of(precision: TablePrecision, lines: Places) -> LinearisedShares | None:
    """Of some lines, by their rows and columns in the table; None where nothing is linearised."""
    found = None if precision.computed is None else precision.computed.precision.linearised
    if found is None:
        return None
    # Within one cluster nothing is known of the index either.
    alone = np.isnan(found.rest_variance) & ~np.isnan(found.index_variance)
    error, freedom = (
        _of_table(precision, np.where(alone, np.nan, each))[lines]
        for each in (np.sqrt(found.index_variance), found.rest_freedom)
    )
    return LinearisedShares(error, freedom)


def _of_table(precision: TablePrecision, values: Floats) -> Floats:
    """Values of the cells that design effects are of, as the table has its cells."""
    assert precision.computed is not None
    return values[located(precision.computed, precision.table)]


def sure_of_others(
    result: CrosstabData | StatsData, shares: Mapping[str, Shares], lines: Places
) -> dict[str, Asked]:
    """Of row percentages, and of percentages of the base, by their names, as the frame has them.

    shares: those of each line of the frame. lines: its row and column in the table.
    """
    query = query_of(result)
    # Nets are rows that no query has.
    if query is None or result.provenance.get("nets"):
        return dict.fromkeys(shares, _OTHERS)
    rows, columns = lines
    found: dict[str, Asked] = {}
    if "row_percentage" in shares:
        turned = _answer(result, turned_query(query))
        found["row_percentage"] = _sure(turned, shares["row_percentage"], (columns, rows))
    of_base = {name for name in shares if name != "row_percentage"}
    if of_base and isinstance(query, CrosstabQuery):
        one = _answer(result, base_query(query))
        height, width = len(query.rows), len(query.columns)
        places = {
            # The rows of `base_query`: the table's rows, its columns, then its cells, row by row.
            "row_base_percentage": rows,
            "column_base_percentage": height + columns,
            "total_percentage": height + width + rows * width + columns,
        }
        found |= {
            name: _sure(one, shares[name], (places[name], np.zeros_like(rows))) for name in of_base
        }
    return found


def _answer(result: CrosstabData | StatsData, query: CrosstabQuery | None) -> Precision | str:
    if query is None:
        return _LARGE
    assert result.ask is not None
    try:
        return result.ask.precision(query)
    except Unanswered as error:
        return str(error)


def _sure(answer: Precision | str, shares: Shares, places: Places) -> Asked:
    """Of the shares at some positions of an answer; NaN where it is about others."""
    if isinstance(answer, str):
        return answer
    found = answer.linearised
    effects = effects_of_shares(
        *shares, None if found is None else found.variance[places], answer.kish[places]
    )
    same = answer.sample[places] == shares.sample
    if found is not None:
        same &= np.abs(found.share[places] - shares.value) < _ROUNDING
    if not same.any() and len(same):
        return _OTHERS
    log_odds = None if found is None else found.log_odds_variance
    return Sure(
        np.where(same, effects, np.nan),
        np.full(same.shape, np.inf) if found is None else found.freedom[places],
        None if log_odds is None else np.sqrt(log_odds[places]),
        1.0 if found is None else found.not_drawn,
    )
