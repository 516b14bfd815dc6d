"""Our engine, with each of its kernels; every table from an engine that has no mask yet."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from audiencelab.engine import Engine, kernel
from tests.bench.engine.survey import BenchSurvey
from tests.bench.engine.way import Table, Way

__all__ = ["OursNumba", "OursNumpy"]


class OursNumba(Way):
    name = "ours-numba"
    says = "audiencelab[fast]: packed bits mapped from the survey, compiled kernel"
    octets_per_answer = 0.25

    def __init__(self, survey: BenchSurvey, side: int) -> None:
        assert kernel.wait_for_compiled() is not None, "numba is not installed"
        self._survey = survey

    def table(self, rows: int, columns: int) -> Table:
        engine = Engine(self._survey.survey)
        stripes = list(engine.crosstab(self._survey.spec(rows, columns)))
        counts = np.concatenate([stripe.intersect.sample for stripe in stripes])
        sizes = np.concatenate([stripe.intersect.size for stripe in stripes])
        # A size is an average over waves; the others add up.
        return Table(counts, sizes * len(self._survey.waves))

    def first_cell(self, side: int) -> bool:
        next(Engine(self._survey.survey).crosstab(self._survey.spec(side, side)))
        return True


class OursNumpy(OursNumba):
    name = "ours-numpy"
    says = "audiencelab without the extra: the same, with numpy alone"
    environment = MappingProxyType({kernel.KERNEL_VARIABLE: "numpy"})

    def __init__(self, survey: BenchSurvey, side: int) -> None:
        assert kernel.wait_for_compiled() is None
        self._survey = survey
