"""The Household Pulse Survey, weeks 47 to 50, and its codebook."""

from __future__ import annotations

from audiencelab.ingest import Codebook, load_codebook
from tests.surveys.data import HPS

SOURCES = tuple(sorted(HPS.glob("week*.parquet")))
CODEBOOK = HPS / "codebook.toml"

WAVES = (
    ("w47", "Week 47", 47, "2022-06-29", "2022-07-11"),
    ("w48", "Week 48", 48, "2022-07-27", "2022-08-08"),
    ("w49", "Week 49", 49, "2022-09-14", "2022-09-26"),
    ("w50", "Week 50", 50, "2022-10-05", "2022-10-17"),
)


def make_hps_codebook() -> Codebook:
    """The codebook, parsed."""
    return load_codebook(CODEBOOK)
