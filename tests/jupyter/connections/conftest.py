"""A user of a machine who has named nothing yet."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the user's connections will stand; tokens are looked for in files of the test alone."""
    for name in [name for name in os.environ if name.startswith("AUDIENCELAB_")]:
        if name != "AUDIENCELAB_CACHE":
            monkeypatch.delenv(name)
    monkeypatch.setenv("AUDIENCELAB_CONNECTIONS", str(tmp_path / "connections.toml"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setitem(sys.modules, "keyring", None)  # as where it is not installed
    return tmp_path / "connections.toml"
