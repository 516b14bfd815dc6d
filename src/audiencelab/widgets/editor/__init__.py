"""The audience editor.

Only `widget` imports the widget libraries; the Jupyter server uses the other modules without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audiencelab.lazy import lazily

if TYPE_CHECKING:
    from audiencelab.widgets.editor.widget import AudienceEditor

__all__ = ["AudienceEditor"]


__getattr__ = lazily(__name__, {"AudienceEditor": "widget"})
