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

from typing import TYPE_CHECKING

from audiencelab.lazy import lazily

if TYPE_CHECKING:
    from audiencelab.widgets.crosstab import Crosstab, Deck
    from audiencelab.widgets.editor import AudienceEditor
    from audiencelab.widgets.picker import QuestionPicker
    from audiencelab.widgets.workbench import Workbench

__all__ = ["AudienceEditor", "Crosstab", "Deck", "QuestionPicker", "Workbench"]

_HOMES = {
    "AudienceEditor": "editor",
    "Crosstab": "crosstab",
    "Deck": "crosstab",
    "QuestionPicker": "picker",
    "Workbench": "workbench",
}

__getattr__ = lazily(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
