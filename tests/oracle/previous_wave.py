"""The respondents of `tests.analysis.waves`, for `previous_wave.R`; see there."""

from __future__ import annotations

import sys

from tests.analysis.waves import respondents

if __name__ == "__main__":
    respondents().to_csv(sys.stdout, index=False)
