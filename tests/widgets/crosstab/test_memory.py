"""Memory of grids, measured in a separate process without threads of other tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def test_grids_of_one_query_share_one_table() -> None:
    measured = Path(__file__).with_name("made_again.py")
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", measured]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "1 passed" in ended.stdout
