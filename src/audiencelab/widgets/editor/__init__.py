"""The audience editor: `widget` is the widget itself, the others are what it alone needs.

The others know nothing of widgets, so that the Jupyter server can use them without the libraries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audiencelab.widgets.editor.widget import AudienceEditor

__all__ = ["AudienceEditor"]


def __getattr__(name: str) -> object:
    if name != "AudienceEditor":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from audiencelab.widgets.editor.widget import AudienceEditor

    return AudienceEditor
