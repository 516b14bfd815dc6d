"""Real surveys as surveys, made once for all test processes.

A survey is kept in the user's cache folder under a key of its sources and of the code that made
it, so that a change to either makes it anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from filelock import FileLock

import audiencelab.survey
from audiencelab.ingest import Codebook, import_survey
from audiencelab.survey import Survey, SurveyError
from audiencelab.survey.demo import cache_folder
from tests.surveys import hps, masculinity


@pytest.fixture(scope="session")
def hps_survey() -> Survey:
    """The Household Pulse Survey, four waves, 24,762 respondents."""
    return _survey("hps", hps.SOURCES, hps.make_hps_codebook)


@pytest.fixture(scope="session")
def masculinity_survey() -> Survey:
    """The masculinity survey, one wave, 1,615 respondents."""
    return _survey("masculinity", masculinity.SOURCES, masculinity.make_masculinity_codebook)


def _survey(name: str, sources: Sequence[Path], make_codebook: Callable[[], Codebook]) -> Survey:
    target = cache_folder() / "tests" / f"{name}-{_key(sources)}"
    target.parent.mkdir(parents=True, exist_ok=True)
    # One test process makes it, and the others wait: a survey that is being written is refused.
    with FileLock(f"{target}.making"):
        try:
            return Survey.open(target)
        except SurveyError:
            return import_survey(sources, make_codebook(), target, replace=target.exists())


def _key(sources: Sequence[Path]) -> str:
    key = hashlib.sha256()
    package = Path(audiencelab.survey.__file__).parent.parent
    code = [path for part in ("ingest", "survey") for path in (package / part).rglob("*.py")]
    for path in (*sorted(code), *sorted(Path(__file__).parent.glob("*.py"))):
        key.update(path.read_bytes())
    for path in sources:
        stat = path.stat()
        key.update(f"{path.name} {stat.st_size} {stat.st_mtime_ns}".encode())
    return key.hexdigest()[:16]
