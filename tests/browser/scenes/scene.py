"""The type of a scene of the guides."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from playwright.sync_api import Locator, ViewportSize

from tests.browser.page import NotebookPage

__all__ = ["WIDE", "WINDOW", "Scene", "Shown"]

# What a page of the guides shows in its own size, and what takes the room of a screen.
WINDOW: ViewportSize = {"width": 1010, "height": 1100}
WIDE: ViewportSize = {"width": 1560, "height": 1000}

Shown = tuple[Locator, ...]
"""Elements that the screenshot must contain, in addition to the widget."""

Scene = Callable[[NotebookPage], Iterator[Shown]]
"""Brings a widget, whose cell has just run, into a state."""
