"""Respondent-level data on disk: the panel that the embedded service answers from.

Open one with `Panel.open`, make one with `PanelBuilder`, import a survey with `audiencelab
import`, or take the generated `demo_panel`. What is asked of a panel (audiences, tables) is the
engine's work, not done here.

Rooms: `catalogue` what was asked, `answers`, `weights` and `design` what was answered, by whom,
`layout` the files, `reader` and `builder`, `addresses` panels that stand elsewhere, `demo` the
generated panel, `importing` surveys from files and frames. A panel is looked over by `checking`
and handed on by `exporting`; its next version is written by `revising`: `recipes` and `deriving`
for derived questions, `adding` for waves, `raking` for weights, under one of `locks`. `toml`
parses what people write.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from audiencelab.panel.answers import Answers
from audiencelab.panel.builder import PanelBuilder
from audiencelab.panel.catalogue import (
    Catalogue,
    PanelCategory,
    PanelNamespace,
    PanelQuestion,
)
from audiencelab.panel.design import Design
from audiencelab.panel.errors import (
    PanelBusyError,
    PanelError,
    PanelExistsError,
    SourceError,
    SourcePlace,
)
from audiencelab.panel.layout import Manifest
from audiencelab.panel.reader import Panel, QuestionBits, WaveData
from audiencelab.panel.recipes import Band, Bands, Cross, Net, NetPoint, load_recipes
from audiencelab.panel.records import InsightRecord, Wave

if TYPE_CHECKING:
    from audiencelab.panel.adding import add_wave
    from audiencelab.panel.checking import check_panel
    from audiencelab.panel.demo import demo_panel
    from audiencelab.panel.exporting import export_panel
    from audiencelab.panel.importing import draft_codebook, from_frame
    from audiencelab.panel.raking import rake

__all__ = [
    "Answers",
    "Band",
    "Bands",
    "Catalogue",
    "Cross",
    "Design",
    "InsightRecord",
    "Manifest",
    "Net",
    "NetPoint",
    "Panel",
    "PanelBuilder",
    "PanelBusyError",
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
    "add_wave",
    "check_panel",
    "demo_panel",
    "draft_codebook",
    "export_panel",
    "from_frame",
    "load_recipes",
    "rake",
]

_LAZY = {
    "add_wave": "adding",
    "check_panel": "checking",
    "demo_panel": "demo",
    "draft_codebook": "importing",
    "export_panel": "exporting",
    "from_frame": "importing",
    "rake": "raking",
}


def __getattr__(name: str) -> Any:
    # What generates, imports, checks and changes panels is only needed by those who ask for it.
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
