"""The engine: audiences over a survey as bit masks, and exact weighted tables of them.

`Engine(survey)` answers `CrosstabSpec` and `StatsSpec`: `binder` binds expressions to the survey as
trees of `nodes`, `masks` evaluates them, `kernel` multiplies, `tabulator` adds up and makes cells
of the sums, and `metrics` has every formula. `variance` and `distributed` are apart from it.
"""

from audiencelab.engine.codes import CodeFault, Codes, MissingCodeError
from audiencelab.engine.engine import Engine
from audiencelab.engine.stats import StatsCell, StatsSpec
from audiencelab.engine.tabulator import CellCounts, CrosstabSpec, CrosstabStripe, TabulationError
from audiencelab.engine.variance import Linearised, Lonely, Precision, VarianceError

__all__ = [
    "CellCounts",
    "CodeFault",
    "Codes",
    "CrosstabSpec",
    "CrosstabStripe",
    "Engine",
    "Linearised",
    "Lonely",
    "MissingCodeError",
    "Precision",
    "StatsCell",
    "StatsSpec",
    "TabulationError",
    "VarianceError",
]
