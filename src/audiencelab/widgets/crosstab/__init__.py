"""The crosstab grid: `widget` is the widget itself, the others are what it alone needs."""

from audiencelab.widgets.crosstab.widget import CrosstabGrid

__all__ = ["CrosstabGrid"]
