"""The workbench: `widget` is the widget itself, the others are what it alone needs."""

from audiencelab.widgets.workbench.widget import Workbench

__all__ = ["Workbench"]
