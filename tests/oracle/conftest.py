"""Real surveys as panels, each imported once a session; skipped where the data is not there."""

from __future__ import annotations

from tests.surveys.fixtures import hps_panel, masculinity_panel

__all__ = ["hps_panel", "masculinity_panel"]
