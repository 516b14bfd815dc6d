"""Large surveys as surveys, made once for all test processes.

A survey is kept in the user's cache folder under a key of its sources and of the code that made
it, so that a change to either makes it anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

import pytest
from filelock import FileLock

import audiencelab as al
import audiencelab.survey
from audiencelab.ingest import Codebook, import_survey
from audiencelab.survey import Survey, SurveyError
from audiencelab.survey.demo import cache_folder
from tests import agency, agency_texts
from tests.surveys import hps, masculinity


@pytest.fixture(scope="session")
def hps_survey() -> Survey:
    """The Household Pulse Survey, four waves, 24,762 respondents."""
    return _kept("hps", (*hps.SOURCES, hps.CODEBOOK), _imported(hps.SOURCES, hps.make_hps_codebook))


@pytest.fixture(scope="session")
def masculinity_survey() -> Survey:
    """The masculinity survey, one wave, 1,615 respondents."""
    sources, codebook = masculinity.SOURCES, masculinity.make_masculinity_codebook
    return _kept("masculinity", (*sources, masculinity.CODEBOOK), _imported(sources, codebook))


def agency_survey() -> Survey:
    """The survey of `tests.agency`, imported from its .sav file: the fixture of all tests."""
    return _kept("agency", [Path(agency.__file__), Path(agency_texts.__file__)], _agency)


def _agency(target: Path) -> Survey:
    rmtree(target, ignore_errors=True)
    with TemporaryDirectory() as folder:
        file = agency.Agency().write(Path(folder) / "agency.sav")
        al.open(file, weight=agency.WEIGHTS, to=target, name=agency.NAME, quiet=True)
    return Survey.open(target)


def _imported(
    sources: Sequence[Path], make_codebook: Callable[[], Codebook]
) -> Callable[[Path], Survey]:
    def make(target: Path) -> Survey:
        return import_survey(sources, make_codebook(), target, replace=target.exists())

    return make


def _kept(name: str, sources: Sequence[Path], make: Callable[[Path], Survey]) -> Survey:
    target = cache_folder() / "tests" / f"{name}-{_key(sources)}"
    target.parent.mkdir(parents=True, exist_ok=True)
    # One test process makes it, and the others wait: a survey that is being written is refused.
    with FileLock(f"{target}.making"):
        try:
            return Survey.open(target)
        except SurveyError:
            return make(target)


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
