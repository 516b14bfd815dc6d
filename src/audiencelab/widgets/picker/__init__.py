"""The question picker.

Only `widget` imports the widget libraries; the Jupyter server uses the other modules without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audiencelab.lazy import lazily

if TYPE_CHECKING:
    from audiencelab.widgets.picker.widget import QuestionPicker

__all__ = ["QuestionPicker"]


__getattr__ = lazily(__name__, {"QuestionPicker": "widget"})
