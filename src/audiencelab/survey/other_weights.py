"""Weights of a wave beside the usual one, and the margins that they were raked to, as files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from audiencelab.survey import layout
from audiencelab.survey.answers import Raking
from audiencelab.survey.array_files import ArrayFiles
from audiencelab.survey.weights import (
    Weights,
    check_grid,
    check_weights,
    choose_weight_bits,
    to_grid,
)


class OtherWeights(NamedTuple):
    """Of a wave, by name: float64[n], NaN for none; and the margins of those that were raked."""

    weights: Mapping[str, Weights]
    rakings: Mapping[str, Raking]

    def ordered(self, order: npt.NDArray[np.intp]) -> OtherWeights:
        """The same for the respondents in another order."""
        rakings = {name: each.ordered(order) for name, each in self.rakings.items()}
        return OtherWeights({name: each[order] for name, each in self.weights.items()}, rakings)

    def checked(self, wave: str) -> OtherWeights:
        """Itself; raises `SurveyError` for weights and margins that are not valid."""
        for each in self.weights.values():
            check_weights(wave, each[~np.isnan(each)])
        for name, raking in self.rakings.items():
            raking.check(wave, len(self.weights[name]))
        return self


def write_other_weights(
    files: ArrayFiles, waves: Mapping[str, OtherWeights]
) -> tuple[layout.OtherWeight, ...]:
    """Write the other weights of all waves, each on a grid of its own; a wave may lack some."""
    names = dict.fromkeys(name for others in waves.values() for name in others.weights)
    found: list[layout.OtherWeight] = []
    for number, name in enumerate(names, start=1):
        known = {
            wave: others.weights[name] for wave, others in waves.items() if name in others.weights
        }
        # No sum mixes two weights, so each has the grid that fits it best.
        weight_bits = choose_weight_bits([each[~np.isnan(each)] for each in known.values()])
        for wave, weights in known.items():
            check_grid(wave, weights, weight_bits)
            place = {"wave": wave, "number": number}
            files.save(layout.OTHER_WEIGHTS.format(**place), to_grid(weights, weight_bits))
            if (raking := waves[wave].rakings.get(name)) is not None:
                files.save(layout.OTHER_RAKED_FROM.format(**place), raking.weights)
                files.save(layout.OTHER_RAKED.format(**place), raking.categories)
        found.append(layout.OtherWeight(name, weight_bits))
    return tuple(found)
