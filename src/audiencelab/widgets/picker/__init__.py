"""The question picker: `widget` is the widget itself, the others are what it alone needs."""

from audiencelab.widgets.picker.widget import QuestionPicker

__all__ = ["QuestionPicker"]
