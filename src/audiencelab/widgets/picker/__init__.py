"""The question picker.

Only `widget` imports the widget libraries; the Jupyter server uses the other modules without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audiencelab.widgets.picker.widget import QuestionPicker

__all__ = ["QuestionPicker"]


def __getattr__(name: str) -> object:
    if name != "QuestionPicker":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from audiencelab.widgets.picker.widget import QuestionPicker

    return QuestionPicker
