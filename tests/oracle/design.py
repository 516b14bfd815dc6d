"""Write the respondents that `design.R` reads, as CSV on standard output."""

from __future__ import annotations

import sys

import pandas as pd

from tests.surveys.hps import SOURCES

COLUMNS = [
    "WEEK", "PWEIGHT", "EST_ST", "REGION", "TBIRTH_YEAR", "RHISPANIC", "EGENID_BIRTH", "EXPNS_DIF",
]  # fmt: skip


def read_weeks() -> list[pd.DataFrame]:
    """Every respondent of the sample, by week; `number` counts them from 0."""
    weeks = [pd.read_parquet(source, columns=COLUMNS).astype({"EST_ST": int}) for source in SOURCES]
    return [week.rename_axis("number").reset_index() for week in weeks]


if __name__ == "__main__":
    pd.concat(read_weeks()).to_csv(sys.stdout, index=False)
