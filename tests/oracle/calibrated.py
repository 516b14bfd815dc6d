"""R's `apistrat` with gaps in the answers, for `calibrated.R` and the test beside it.

python -m tests.oracle.calibrated | Rscript tests/oracle/calibrated.R > tests/oracle/calibrated.json
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

from tests.oracle.raked import schools

SCHOOLS = 6194
CAP, FLOOR, TRIM = 1.9, 0.45, 1.7
STYPE = {"E": 4421, "M": 1018, "H": 755}
AWARDS = {"Yes": 3700, "No": 2494}
SIZE = {"large": 3000, "small": 3194}
CELLS = {
    ("E", "Yes"): 2800, ("E", "No"): 1621, ("M", "Yes"): 500,
    ("M", "No"): 518, ("H", "Yes"): 300, ("H", "No"): 455,
}  # fmt: skip


def gaps() -> pd.DataFrame:
    """The sample; every ninth school says nothing of its awards."""
    frame = schools()
    frame.loc[np.arange(len(frame)) % 9 == 4, "awards"] = None
    return frame


if __name__ == "__main__":
    gaps().to_csv(sys.stdout, index=False)
