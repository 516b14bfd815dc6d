"""R's `apistrat` with made-up clusters, for `raked.R` and the test beside it.

python -m tests.oracle.raked | Rscript tests/oracle/raked.R > tests/oracle/raked.json
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

SCHOOLS = Path(__file__).with_name("apistrat.csv")
MARGINS = {
    "stype": {"E": 4421, "M": 1018, "H": 755},
    "awards": {"Yes": 3700, "No": 2494},
}
"""Schools of each type, and those with awards, in the population."""


def schools() -> pd.DataFrame:
    """The sample: type, awards, two answers, a stratum, a cluster in it, and the weight."""
    table = pd.read_csv(SCHOOLS)
    number = np.arange(len(table))
    return pd.DataFrame(
        {
            "stype": table["stype"],
            "awards": table["awards"],
            "grade": np.where(table["api00"] >= 650, "high", "low"),
            "api00": table["api00"],
            "enroll": table["enroll"],
            "size": np.where(table["enroll"] >= 500, "large", "small"),
            "stratum": 1 + number % 3,
            "cluster": 1 + number % 60,
            "pw": table["pw"].round(3),
        }
    )


if __name__ == "__main__":
    schools().to_csv(sys.stdout, index=False)
