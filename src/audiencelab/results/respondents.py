"""What a result asks of the respondents behind it, where these are in the same process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from audiencelab.analysis.design_effects import DesignEffects
    from audiencelab.results.crosstab import CrosstabResult

__all__ = ["Measured", "Respondents"]


@dataclass(frozen=True, slots=True)
class Measured:
    """A result as its tests have to see it.

    result: the result, with samples that leave out respondents of weight 0.
    kish: Kish's design effect of each column, float64[rows, columns].
    effects: its design effects; None where they were not asked for.
    """

    result: Any
    kish: NDArray[np.float64]
    effects: DesignEffects | None


class Respondents(Protocol):
    """The respondents of the survey that a result was counted in."""

    def measure(self, result: Any, *, effects: bool) -> Measured | None:
        """A crosstab or a stats result measured; None where its values are not theirs."""
        ...

    def shared(self, result: CrosstabResult) -> NDArray[np.float64] | None:
        """Which part of each column (across) is in another (down), float64[columns, columns]."""
        ...
