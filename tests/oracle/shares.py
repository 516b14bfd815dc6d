"""Respondents of a small survey of regions, for `shares.R` and the test beside it.

python -m tests.oracle.shares | Rscript tests/oracle/shares.R > tests/oracle/shares.json
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
from msgspec.structs import replace

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.codebook import DesignColumns

COUNT = 24
"""Replicate weights."""

_FACTORS = np.array([0.5, 0.75, 1.0, 1.25, 1.5])


def respondents() -> pd.DataFrame:
    """480 respondents of five regions, of which one has three clusters in each of two strata.

    Answers, weights and replicate weights are arithmetic, so that no generator is needed.
    """
    number = np.arange(480)
    stratum = number % 10
    cluster = stratum * 10 + number // 10 % np.where(stratum < 2, 3, 8)
    often = (number * number * 7 + 13 * cluster) % 100 < 15 + cluster % 9 * 6
    frame = pd.DataFrame(
        {
            "region": np.array(["north", "south", "east", "west", "middle"])[stratum // 2],
            "stratum": stratum,
            "cluster": cluster,
            "w": 1 + number * 37 % 11 / 8,
            "often": np.where(often, "yes", "no"),
            "rare": np.where((number * 31 + cluster) % 53 < 2, "yes", "no"),
        }
    )
    for replicate in range(COUNT):
        up = (number * 7919 + replicate * 104_729 + number * replicate * 31) % 101 % 5
        frame[f"rep{replicate + 1}"] = frame["w"] * _FACTORS[up]
    return frame


NAMES = tuple(f"rep{number + 1}" for number in range(COUNT))


def opened(frame: pd.DataFrame | None = None, **design: Any) -> al.Client:
    """The survey in this process; design: what its codebook declares, see `DesignColumns`.

    frame: its respondents if they are others than `respondents`.
    """
    frame = respondents() if frame is None else frame
    drafted = draft_codebook(frame, weight="w", replicates=NAMES, replicate_method="BRR").codebook
    asked = ("region", "often", "rare")
    questions = tuple(each for each in drafted.questions if each.code in asked)
    book = replace(drafted, questions=questions, design=DesignColumns(**design))
    return al.open(frame, codebook=book, quiet=True)


if __name__ == "__main__":
    respondents().to_csv(sys.stdout, index=False, float_format="%.17g")
