"""Real surveys as panels, made once for all test processes.

A panel is kept in the user's cache folder under a key of its sources and of the code that made
it, so that a change to either makes it anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from filelock import FileLock

import audiencelab.panel
from audiencelab.panel import Panel, PanelError
from audiencelab.panel.demo import cache_folder
from audiencelab.panel.importing import Codebook, import_survey
from tests.surveys import hps, masculinity


@pytest.fixture(scope="session")
def hps_panel() -> Panel:
    """The Household Pulse Survey, four waves, 24,762 respondents."""
    return _panel("hps", hps.SOURCES, hps.make_hps_codebook)


@pytest.fixture(scope="session")
def masculinity_panel() -> Panel:
    """The masculinity survey, one wave, 1,615 respondents."""
    return _panel("masculinity", masculinity.SOURCES, masculinity.make_masculinity_codebook)


def _panel(name: str, sources: Sequence[Path], make_codebook: Callable[[], Codebook]) -> Panel:
    target = cache_folder() / "tests" / f"{name}-{_key(sources)}"
    target.parent.mkdir(parents=True, exist_ok=True)
    # One test process makes it, and the others wait: a panel that is being written is refused.
    with FileLock(f"{target}.making"):
        try:
            return Panel.open(target)
        except PanelError:
            return import_survey(sources, make_codebook(), target, replace=target.exists())


def _key(sources: Sequence[Path]) -> str:
    key = hashlib.sha256()
    code = Path(audiencelab.panel.__file__).parent.rglob("*.py")
    for path in (*sorted(code), *sorted(Path(__file__).parent.glob("*.py"))):
        key.update(path.read_bytes())
    for path in sources:
        stat = path.stat()
        key.update(f"{path.name} {stat.st_size} {stat.st_mtime_ns}".encode())
    return key.hexdigest()[:16]
