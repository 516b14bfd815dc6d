"""Jupyter widgets: pick questions, build audiences, read crosstabs.

Every widget has `.value`, `.to_code()` and `.to_frame()`, a deterministic `repr`, and a static
HTML form, so that a notebook can be read without a kernel and reproduced without the widget.
They need the extra `audiencelab[widgets]`; the modules are imported on first use.

Subpackages: `picker`, `editor`, `crosstab` and `workbench`, one for each widget. They share `base`
(the base classes), `rpc` (requests of the page) with `rpc_types` (the same without Jupyter),
`bundle` (the front end), `saved_form` (what a page without a kernel draws), `audience_size` (counts
of an audience) and `saved_audiences`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audiencelab.widgets.crosstab import Crosstab, Deck
    from audiencelab.widgets.editor import AudienceEditor
    from audiencelab.widgets.picker import QuestionPicker
    from audiencelab.widgets.workbench import Workbench

__all__ = ["AudienceEditor", "Crosstab", "Deck", "QuestionPicker", "Workbench"]

_HOMES = {
    "AudienceEditor": "audiencelab.widgets.editor",
    "Crosstab": "audiencelab.widgets.crosstab",
    "Deck": "audiencelab.widgets.crosstab",
    "QuestionPicker": "audiencelab.widgets.picker",
    "Workbench": "audiencelab.widgets.workbench",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
