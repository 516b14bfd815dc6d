"""Real surveys as panels, each imported once a session."""

from __future__ import annotations

from tests.surveys.fixtures import hps_panel, masculinity_panel

__all__ = ["hps_panel", "masculinity_panel"]
