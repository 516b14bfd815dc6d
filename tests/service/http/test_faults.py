"""Faults over a real connection: what a client really meets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

import audiencelab
from audiencelab.survey import Survey
from audiencelab.testing import FaultProfile, FaultRule
from tests.messages import fails
from tests.service.asking import TOKEN

MEN = {"question": "q2", "datapoints": ["q2_1"]}
AUDIENCES = [{"id": f"a{place}", "expression": MEN} for place in range(40)]
BODY = {"rows": AUDIENCES, "columns": AUDIENCES}


def post(url: str, encoding: str = "identity") -> httpx.Response:
    headers = {"Authorization": f"Bearer {TOKEN}", "Accept-Encoding": encoding}
    return httpx.post(
        f"{url}/v2/query/crosstab", json=BODY, headers=headers, trust_env=False, timeout=60
    )


def profile(**rule: object) -> FaultProfile:
    return FaultProfile(rules=(FaultRule(**rule),))  # type: ignore[arg-type] -- the tests' own


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_a_clean_cut_is_no_error_of_http(survey: Survey, encoding: str) -> None:
    with audiencelab.serve(survey, token=TOKEN, faults=profile(cut_after=5000)) as url:
        assert len(post(url, encoding).content) == 5000


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_a_broken_one_is(survey: Survey, encoding: str) -> None:
    faults = profile(cut_after=5000, cut="broken")
    with (
        audiencelab.serve(survey, token=TOKEN, faults=faults) as url,
        fails(httpx.RemoteProtocolError),
    ):
        post(url, encoding)


def test_the_command_takes_a_profile(survey: Survey, tmp_path: Path) -> None:
    file = tmp_path / "faults.toml"
    file.write_text("[[rules]]\nstatus = 418\n")
    options = ["--survey", str(survey.path), "--token", TOKEN, "--faults", str(file)]
    with subprocess.Popen(
        [sys.executable, "-m", "audiencelab", "serve", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=dict(os.environ),
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert post(url).status_code == 418
        process.terminate()
