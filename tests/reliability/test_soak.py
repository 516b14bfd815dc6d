"""The soak for seconds: every answer right, memory where it was. `make soak` is the long one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reliability.load import MEGABYTE
from tests.reliability.soak import soak

pytestmark = pytest.mark.slow

SECONDS = 5.0


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads memory from /proc")
def test_eight_clients_for_seconds(tmp_path: Path) -> None:
    load = soak(SECONDS, 8, tmp_path, people=2_400)
    assert load.errors == {}
    assert load.answers
    sizes = [size for _, size in load.memory]
    assert max(sizes) - sizes[0] < 256 * MEGABYTE
    assert load.threads < 64
    report = list(load.lines())
    assert report[-1] == "errors: none"
    assert "a second" in report[0]
