"""What holds for all tests: a property holds however long a busy machine takes for an example."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
