"""R's `apistrat` with made-up replicate weights, for `replicates.R` and the test beside it.

python -m tests.oracle.replicates | Rscript tests/oracle/replicates.R > tests/oracle/replicates.json
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

COUNT = 24
SCHOOLS = Path(__file__).with_name("apistrat.csv")
SIZES = {"E": 4421, "M": 1018, "H": 755}
"""Schools of each type in the population."""


def schools() -> pd.DataFrame:
    """The sample: type (the stratum), two answers, weights, fpc, and replicate weights."""
    table = pd.read_csv(SCHOOLS)
    number = np.arange(len(table))
    frame = pd.DataFrame(
        {
            "stype": table["stype"],
            "pw": table["pw"],
            "fpc": table["stype"].map(SIZES),
            "api00": table["api00"],
            "enroll": table["enroll"],
            "awards": table["awards"],
            "grade": np.where(table["api00"] >= 650, "high", "low"),
            "size": np.where(table["enroll"] >= 500, "large", "small"),
        }
    )
    for replicate in range(COUNT):
        # Some weights fall and others rise, as in Fay's method; the last replicates are alike.
        at = min(replicate, COUNT - 4)
        up = (number * 7919 + at * 104_729 + number * at * 31) % 101 % 5
        factor = np.array([0.5, 0.75, 1.0, 1.25, 1.5])[up]
        frame[f"rep{replicate + 1}"] = (table["pw"] * factor).round(6)
    return frame


if __name__ == "__main__":
    schools().to_csv(sys.stdout, index=False)
