"""How sure a table's shares are: their variances from the respondents and the sample's design.

`precise` gives the variance of every column share of a table, and what the shares of one row have
to do with one another. It is asked by `Engine.precision`; intervals, tests and their words are
the business of `frames.significance`.

Rooms, from the ground: `design` a wave's strata and clusters, `sample` those of all waves of a
table, `kish` what weights alone cost, `totals` how the totals of a row vary together, `linearised`
from totals to shares, differences and indices, `table` all of it for rows × columns.
"""

from audiencelab.engine.variance.design import LONELY, Lonely, VarianceError
from audiencelab.engine.variance.table import Linearised, Precision, precise

__all__ = ["LONELY", "Linearised", "Lonely", "Precision", "VarianceError", "precise"]
