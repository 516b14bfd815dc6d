"""Results as tables: what comes back from a query, with labels, both bases and its provenance.

A result keeps the figures as they arrived (columns, not objects) and turns into a pandas frame
on request; pandas is imported then, not before. Nothing here sends a request or draws.
"""

from audiencelab.analysis.concat import side_by_side
from audiencelab.results.bases import answered, asked
from audiencelab.results.chart_result import ChartCalculationResult
from audiencelab.results.coverage import Coverage
from audiencelab.results.crosstab import FIGURES, CrosstabResult
from audiencelab.results.grid import GridResult
from audiencelab.results.insights import InsightsPage
from audiencelab.results.overlaps import OverlapResult
from audiencelab.results.profile import ProfileResult
from audiencelab.results.stats import Provenance, StatsLabels, StatsResult

__all__ = [
    "FIGURES",
    "ChartCalculationResult",
    "Coverage",
    "CrosstabResult",
    "GridResult",
    "InsightsPage",
    "OverlapResult",
    "ProfileResult",
    "Provenance",
    "StatsLabels",
    "StatsResult",
    "answered",
    "asked",
    "side_by_side",
]
