"""The audience editor.

Only `widget` imports the widget libraries; the Jupyter server uses the other modules without them.
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
