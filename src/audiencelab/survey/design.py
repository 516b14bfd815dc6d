"""How the sample of a wave was drawn, as far as a variance needs it: strata and clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from audiencelab.survey.errors import SurveyError

__all__ = ["Codes", "Design"]

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Design:
    """Strata and primary sampling units of n respondents; None where they are not known.

    strata, clusters: int32[n], any numbers of at least 0, the same for respondents of the same
    stratum or cluster. Clusters of different strata have different numbers.
    """

    strata: Codes | None = None
    clusters: Codes | None = None

    def columns(self) -> dict[str, Codes]:
        """The columns that are known, by name."""
        both = {"strata": self.strata, "clusters": self.clusters}
        return {name: codes for name, codes in both.items() if codes is not None}

    def check(self, wave: str, respondents: int) -> None:
        """Raise `SurveyError` unless there is one number of at least 0 for each respondent."""
        for name, codes in self.columns().items():
            if codes.shape != (respondents,) or not np.issubdtype(codes.dtype, np.integer):
                raise SurveyError(
                    f"Wave {wave}: `{name}` must hold one whole number for each of the "
                    f"{respondents:,} respondents."
                )
            if codes.min() < 0 or codes.max() > np.iinfo(np.int32).max:
                raise SurveyError(f"Wave {wave}: `{name}` must be numbers from 0 to 2^31 - 1.")

    def ordered(self, order: npt.NDArray[Any]) -> Design:
        """The same for the respondents in another order."""
        found = {name: codes[order].astype(np.int32) for name, codes in self.columns().items()}
        return Design(found.get("strata"), found.get("clusters"))
