"""Results as users see them: data of `results` with the methods of `analysis` and `render`.

A result keeps figures in typed arrays and becomes a pandas frame on request; pandas is imported
then, not before.
"""

from audiencelab.analysis.concat import side_by_side
from audiencelab.analysis.correspondence import Correspondence
from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.analysis.disjointness import OverlappingAnswers
from audiencelab.analysis.options import TestOptions
from audiencelab.analysis.quantiles import QuantileGroups
from audiencelab.results.arrangement import ArrangementOptions
from audiencelab.results.coverage import Coverage, answered, asked
from audiencelab.results.insights import InsightsPage
from audiencelab.results.overlap import People
from audiencelab.tables.comparison import Comparison
from audiencelab.tables.crosstab import CrosstabResult
from audiencelab.tables.estimates import Estimates
from audiencelab.tables.grid import GridResult
from audiencelab.tables.moving_average import MovingAverage
from audiencelab.tables.overlap import OverlapResult
from audiencelab.tables.profile import ProfileResult
from audiencelab.tables.stats import ChartCalculationResult, StatsResult
from audiencelab.tables.summary import SummaryTable
from audiencelab.tables.tab_book import TabBook
from audiencelab.tables.turf import TurfResult

__all__ = [
    "ArrangementOptions",
    "ChartCalculationResult",
    "Comparison",
    "Correspondence",
    "Coverage",
    "CrosstabResult",
    "DesignEffects",
    "Estimates",
    "GridResult",
    "InsightsPage",
    "MovingAverage",
    "OverlapResult",
    "OverlappingAnswers",
    "People",
    "ProfileResult",
    "QuantileGroups",
    "StatsResult",
    "SummaryTable",
    "TabBook",
    "TestOptions",
    "TurfResult",
    "answered",
    "asked",
    "side_by_side",
]
