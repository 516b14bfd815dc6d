from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import audiencelab
from audiencelab.survey import Survey
from tests.service.asking import TOKEN


@pytest.fixture(autouse=True)
def runtime_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens of the tests' servers are not left in the folder of whoever runs them."""
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))


@pytest.fixture(scope="package")
def url(survey: Survey) -> Iterator[str]:
    """The small survey, served over a real socket."""
    with audiencelab.serve(survey, token=TOKEN) as url:
        yield url


@pytest.fixture
def http(url: str) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {TOKEN}", "Accept-Encoding": "identity"}
    with httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=60) as client:
        yield client
