"""The workbench: picker, editor, crosstab grid and chart in one widget."""

from audiencelab.widgets.workbench.widget import Workbench

__all__ = ["Workbench"]
