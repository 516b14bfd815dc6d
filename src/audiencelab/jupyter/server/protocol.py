"""The operations of the sidebar: those of a picker, saved audiences and snippets."""

from __future__ import annotations

from typing import Literal

from audiencelab.widgets.audience_size import AudienceSize
from audiencelab.widgets.picker.protocol import Picked, Picker
from audiencelab.widgets.rpc_types import Args, Code, NoArgs, Operation
from audiencelab.widgets.saved_audiences import SavedList


class SavedId(Args):
    """The id of a saved audience."""

    id: str


class SnippetArgs(Args):
    """What a cell is written for: a selection, or with `kind` "audience" a saved audience."""

    kind: Literal["question", "audience", "crosstab"]
    selection: tuple[Picked, ...] = ()
    id: str = ""


class Sidebar(Picker):
    """Operations of the sidebar."""

    saved_audiences = Operation("saved_audiences", NoArgs, SavedList)
    saved_size = Operation("saved_size", SavedId, AudienceSize)
    snippet = Operation("snippet", SnippetArgs, Code)
