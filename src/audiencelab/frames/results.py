"""Both result types under one name, for those who want the types alone."""

from audiencelab.frames.crosstab import CrosstabResult
from audiencelab.frames.stats import StatsResult

__all__ = ["CrosstabResult", "StatsResult"]
