"""The audience editor: `widget` is the widget itself, the others are what it alone needs."""

from audiencelab.widgets.editor.widget import AudienceEditor

__all__ = ["AudienceEditor"]
