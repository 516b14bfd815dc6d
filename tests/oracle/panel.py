"""Two and three waves of a made-up panel, for `panel.R` and the test beside it.

python -m tests.oracle.panel | Rscript tests/oracle/panel.R > tests/oracle/panel.json
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

PERSONS = 240
REPLICATES = 20


def panel() -> pd.DataFrame:
    """A row for each person and wave; about a fifth of the persons missed each wave.

    An answer (y), a number (score), a region that stays, a stratum, a cluster in it, a weight of
    the wave, and replicate weights of a jackknife of groups of persons.
    """
    rng = np.random.default_rng(17)
    person = np.arange(PERSONS)
    taste = rng.normal(size=PERSONS)
    weight = rng.uniform(0.5, 2.0, PERSONS)
    stratum = 1 + person % 3
    waves: list[pd.DataFrame] = []
    for wave in (1, 2, 3):
        was_there = rng.random(PERSONS) < 0.8
        lean = taste + 0.8 * rng.normal(size=PERSONS) + 0.15 * wave
        frame = pd.DataFrame(
            {
                "wave": wave,
                "pid": 5000 + 7 * person,
                "region": np.where(person % 2 == 0, "north", "south"),
                "stratum": stratum,
                "cluster": 1 + person // 3 % 12,
                "y": np.where(lean > 0.3, "yes", "no"),
                "score": np.round(5 + 2 * lean, 1),
                "pw": np.round(weight * rng.uniform(0.9, 1.1, PERSONS), 3),
            }
        )
        for group in range(REPLICATES):
            factor = np.where(person % REPLICATES == group, 0, REPLICATES / (REPLICATES - 1))
            frame[f"rep{group + 1}"] = frame["pw"] * factor
        waves.append(frame[was_there])
    # The order of respondents says nothing.
    return pd.concat(waves).sample(frac=1, random_state=3).reset_index(drop=True)


if __name__ == "__main__":
    panel().to_csv(sys.stdout, index=False)
