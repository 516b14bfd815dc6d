"""What differs between a survey and a new wave, or between the files of one import.

`differences` compares one column, `compare` all of them, by labels and by `shares`; `survey` and
`files` say what is compared; `reading` reads a file as the one before was read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audiencelab.ingest.drift.record import Decide, Decision, Drift
from audiencelab.lazy import lazily

if TYPE_CHECKING:
    from audiencelab.ingest.drift.reading import read_as_before
    from audiencelab.ingest.drift.refusals import check_drift, guesses_of, with_breaks
    from audiencelab.ingest.drift.survey import find_drift

__all__ = [
    "Decide",
    "Decision",
    "Drift",
    "check_drift",
    "find_drift",
    "guesses_of",
    "read_as_before",
    "with_breaks",
]

_HOMES = {
    "check_drift": "refusals",
    "find_drift": "survey",
    "guesses_of": "refusals",
    "read_as_before": "reading",
    "with_breaks": "refusals",
}

# Modules of the draft import this package, and those below import the draft's.
__getattr__ = lazily(__name__, _HOMES)
