"""Which differences hold: intervals of percentages, tests between columns, and their recipes.

All of it is worked out from what a service returns, people and respondents of each cell, so it
works with any deployment. Results open it with methods of their own (`compare_columns`,
`intervals`, …); whoever wants the formulas finds each in one place.

Rooms: `shares` the table that is tested, `bases` how much a respondent counts, `design` and
`design_tables` what the sample cost where its respondents are at hand, `sampled` and `preparing`
what they know of a result, `difference` the z test and `means` the t test, `corrections` for many
tests, `outcome` all of it carried out; `comparing` who is compared with whom, `averages` the same
of means, `comparison` what comes of it, `letters`, `tables` and `html` how it is shown, `standouts`
what is interesting in it; `settings` the options and the recipe; `intervals` and `interval_frames`
the margins of percentages and indices; `distribution`, where scipy is needed.
"""

from audiencelab.analysis.compare import (
    Against,
    compare_columns,
    compare_to_rest,
    compare_waves,
)
from audiencelab.analysis.comparison import (
    AverageComparison,
    ColumnComparison,
    Comparison,
    RestComparison,
    WaveComparison,
)
from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.analysis.effective_base import Base, DesignEffect
from audiencelab.analysis.intervals import IntervalMethod
from audiencelab.analysis.multiple_testing import Correction
from audiencelab.analysis.options import Family, ZeroOrFull
from audiencelab.analysis.proportions import crosstab_shares, stats_shares

__all__ = [
    "Against",
    "AverageComparison",
    "Base",
    "ColumnComparison",
    "Comparison",
    "Correction",
    "DesignEffect",
    "DesignEffects",
    "Family",
    "IntervalMethod",
    "RestComparison",
    "WaveComparison",
    "ZeroOrFull",
    "compare_columns",
    "compare_to_rest",
    "compare_waves",
    "crosstab_shares",
    "stats_shares",
]
