"""Respondent-level data on disk: the panel that the embedded service answers from.

Open one with `Panel.open`, make one with `PanelBuilder`, import a survey with `audiencelab
import`, or take the generated `demo_panel`. What is asked of a panel (audiences, tables) is the
engine's work, not done here.

Rooms: `catalogue` what was asked, `layout` the files, `reader` and `builder`, `demo` the
generated panel, `importing` surveys from files and frames, `commands` the command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audiencelab.panel.answers import Answers
from audiencelab.panel.builder import PanelBuilder
from audiencelab.panel.catalogue import (
    Catalogue,
    PanelCategory,
    PanelNamespace,
    PanelQuestion,
)
from audiencelab.panel.errors import PanelError, PanelExistsError, SourceError, SourcePlace
from audiencelab.panel.layout import Manifest
from audiencelab.panel.reader import Panel, QuestionBits, WaveData
from audiencelab.panel.records import InsightRecord, Wave

if TYPE_CHECKING:
    from audiencelab.panel.demo import demo_panel
    from audiencelab.panel.importing import draft_codebook, from_frame

__all__ = [
    "Answers",
    "Catalogue",
    "InsightRecord",
    "Manifest",
    "Panel",
    "PanelBuilder",
    "PanelCategory",
    "PanelError",
    "PanelExistsError",
    "PanelNamespace",
    "PanelQuestion",
    "QuestionBits",
    "SourceError",
    "SourcePlace",
    "Wave",
    "WaveData",
    "demo_panel",
    "draft_codebook",
    "from_frame",
]


def __getattr__(name: str) -> Any:
    # The generator, its questionnaire and the import are only needed by those who ask for them.
    if name == "demo_panel":
        from audiencelab.panel.demo import demo_panel

        return demo_panel
    if name in ("draft_codebook", "from_frame"):
        from audiencelab.panel import importing

        return getattr(importing, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
