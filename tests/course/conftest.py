"""A desk for each test: a folder of its own, and nobody signed in."""

from __future__ import annotations

from pathlib import Path

import pytest

from audiencelab.course import students


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that checks keep their record in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(students, "_signed_in", [])
    return tmp_path
