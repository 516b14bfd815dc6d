"""What holds for all tests: how properties are tried, and the order in which processes take files.

A property holds however long a busy machine takes for an example, or to make one up.

Thousands of collected tests are a million objects, all in use. To search them takes the garbage
collector a second each time, and finds nothing, so it leaves them out.
"""

from __future__ import annotations

import gc
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests import messages

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.survey import Survey

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

os.environ["SOURCE_DATE_EPOCH"] = "1767225600"
"""Results are counted on 2026-01-01, also those of processes that tests start."""


@pytest.fixture
def not_installed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes a library one that cannot be imported, as where it is not installed."""

    def hide(library: str) -> None:
        for name in [name for name in sys.modules if name.partition(".")[0] == library]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, library, None)

    return hide


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Surveys that are imported go into a folder of the test."""
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def agency_survey() -> Survey:
    """12,000 respondents with German and Japanese labels, twelve waves: see `tests.agency`."""
    # Few tests take it, and all would wait for the import.
    from tests.surveys import fixtures

    return fixtures.agency_survey()


@pytest.fixture(scope="session")
def agency(agency_survey: Survey) -> Client:
    """A client of that survey, weighted by `weight`."""
    import audiencelab as al

    return al.open(agency_survey, weight="weight", quiet=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long files first, where several processes share them: the last ones should end together.

    With --no-loadscope-reorder, or xdist would begin with the files of many tests, and leave to one
    process the few that take longest. A process on its own keeps the order in which files stand.
    """
    if not hasattr(config, "workerinput"):
        return
    tests = Counter(item.path for item in items)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (item.path not in slow, -tests[item.path], str(item.path)))


def pytest_collectstart() -> None:
    """Collect no garbage meanwhile."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Collect the garbage of tests from here on, and of nothing before."""
    gc.freeze()
    gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let messages of errors be written instead of compared."""
    parser.addoption("--write-messages", action="store_true", help="write tests/data/messages.json")


def pytest_configure(config: pytest.Config) -> None:
    """Pass the option to the tests."""
    messages.MESSAGES.writes = config.getoption("--write-messages")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what was found, or hand it to the process that started this one."""
    if messages.MESSAGES.writes:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["messages"] = messages.MESSAGES.found
        else:
            messages.write(messages.MESSAGES.found)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what another process found."""
    messages.MESSAGES.found |= node.workeroutput.get("messages", {})
