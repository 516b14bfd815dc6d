"""What goes wrong with a notebook as a file."""

from __future__ import annotations

from audiencelab.errors import AudienceError

__all__ = ["NotebookError"]


class NotebookError(AudienceError):
    """The file is no notebook that can be read, run or written."""
