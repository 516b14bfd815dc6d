"""Results as tables: what comes back from a query, with labels, both bases and its provenance.

A result keeps the figures as they arrived (columns, not objects) and turns into a pandas frame
on request; pandas is imported then, not before. Nothing here sends a request or draws.
"""

from audiencelab.frames.beside import side_by_side
from audiencelab.frames.calculation import ChartCalculationResult
from audiencelab.frames.coverage import Coverage
from audiencelab.frames.crosstab import FIGURES, CrosstabResult
from audiencelab.frames.grid import GridResult
from audiencelab.frames.insights import InsightsPage
from audiencelab.frames.overlap import OverlapResult
from audiencelab.frames.profile import ProfileResult
from audiencelab.frames.rebase import answered, asked
from audiencelab.frames.stats import Provenance, StatsLabels, StatsResult

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
