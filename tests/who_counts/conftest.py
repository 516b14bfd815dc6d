"""The twelve cases, each opened once a session, its files read in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import audiencelab as al
from audiencelab.ingest import readers
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import SurveyFile
from tests.who_counts.asking import table
from tests.who_counts.cases import CASES, Case


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Case], Path]:
    """The folder of the survey of a case."""
    parent = tmp_path_factory.mktemp("cases")
    return lambda case: parent / case.name / "survey"


@pytest.fixture(scope="session")
def clients(folder: Callable[[Case], Path]) -> Iterator[Callable[[Case], al.Client]]:
    """Opens a case, or returns its client if it is open."""
    found: dict[str, al.Client] = {}

    def in_this_process(
        path: Path, options: Source, opener: Callable[[Path, Source], SurveyFile]
    ) -> SurveyFile:
        return opener(path, options)

    def opened(case: Case) -> al.Client:
        if case.name not in found:
            with pytest.MonkeyPatch.context() as patched:
                # A child process for each file takes a second, and these files are not damaged.
                patched.setattr(readers, "_open_in_child", in_this_process)
                folder(case).parent.mkdir()
                found[case.name] = case.open(folder(case).parent)
        return found[case.name]

    yield opened
    for client in found.values():
        client.close()


@pytest.fixture(scope="session", params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


@pytest.fixture(scope="session")
def client(case: Case, clients: Callable[[Case], al.Client]) -> al.Client:
    return clients(case)


@pytest.fixture(scope="session")
def result(case: Case, client: al.Client) -> al.CrosstabResult:
    """All rows and columns of a case."""
    return table(client, case)
