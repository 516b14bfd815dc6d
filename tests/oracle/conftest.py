"""Real surveys as surveys, each imported once a session."""

from __future__ import annotations

from tests.surveys.fixtures import hps_survey, masculinity_survey

__all__ = ["hps_survey", "masculinity_survey"]
