"""The standard deviation that is shown: the sample's estimate of the population's.

Services answer the spread of the respondents, √(Σw(x - mean)² ÷ Σw), which design effects, and
errors of a given one, are made of: a recording of any version has it. What is shown is made here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SD_FORMULA = "SD = √(n ÷ (n − 1) · Σw(x − mean)² ÷ Σw), n the respondents with a value"
"""What notes, guides and explanations say of it."""


def standard_deviation(spread: Any, sample: Any) -> Floats:
    """The estimate of `SD_FORMULA`, √ of R's `svyvar`; NaN of one respondent.

    Without weights that of `sd` of R and `std` of pandas. spread: √(Σw(x - mean)² ÷ Σw).
    sample: the respondents with a value.
    """
    counts = np.asarray(sample, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counts > 1, np.sqrt(counts / (counts - 1)), np.nan) * spread


def spread_of(deviation: Any, sample: Any) -> Floats:
    """√(Σw(x - mean)² ÷ Σw) of an estimate: what errors of a given design effect are made of."""
    counts = np.asarray(sample, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counts == 1, 0.0, np.sqrt((counts - 1) / counts) * deviation)
