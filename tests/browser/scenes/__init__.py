"""The scenes of the guides' screenshots: name, code of the cell, and actions.

A room for each widget; `tests.browser.screenshots` takes them.
"""

from __future__ import annotations

from tests.browser.scenes.editor import EDITOR_SCENES
from tests.browser.scenes.grid import GRID_SCENES
from tests.browser.scenes.picker import PICKER_SCENES
from tests.browser.scenes.scene import WINDOW, Scene, Shown
from tests.browser.scenes.workbench import WORKBENCH_SCENES

__all__ = ["GREY", "SCENES", "WINDOW", "Scene", "Shown"]

# Scenes whose numbers are old, and are meant to be.
GREY = {"editor-unfinished"}

SCENES: dict[str, tuple[str, Scene]] = {
    **PICKER_SCENES,
    **EDITOR_SCENES,
    **GRID_SCENES,
    **WORKBENCH_SCENES,
}
