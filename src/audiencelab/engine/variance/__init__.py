"""Variances of a table's shares, from the respondents and the sample's design.

`precise` gives the variance of every column share of a table, and how the shares of one row vary
together. Intervals and tests are the business of `audiencelab.analysis`.
"""

from audiencelab.engine.variance.design import LONELY, Lonely, VarianceError
from audiencelab.engine.variance.precise import precise
from audiencelab.schema.local import Linearised, Precision

__all__ = ["LONELY", "Linearised", "Lonely", "Precision", "VarianceError", "precise"]
