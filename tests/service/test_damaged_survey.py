"""A survey whose answers were changed on disk is refused, and gives no figure."""

from __future__ import annotations

import logging
import time
from pathlib import Path

import httpx
import msgspec
import pytest

import audiencelab as al
from audiencelab.client.errors import ClientError
from audiencelab.service import Service
from audiencelab.survey import Survey, background_check
from tests.service.asking import TOKEN, ask, crosstab
from tests.service.surveys import build_survey
from tests.survey.formats import flip, to_format_1

MEN = {"id": "men", "expression": {"question": "q2", "datapoints": ["q2_1"]}}
DAMAGED = r"bits\.npy is damaged: the answers to core\.q2 in wave \S+ differ from their checksum"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A survey in which one answer to q2 is another one in every wave."""
    survey = build_survey(tmp_path / "survey")
    for stored in survey.manifest.waves:
        file = survey.path / "waves" / stored.wave.code / "bits.npy"
        words = -(-stored.wave.respondents // 64)
        flip(file, 128 + 8 * words * (stored.questions["core.q2"] + 1))
    return survey.path


def test_a_client_in_this_process_reads_what_is_damaged(folder: Path) -> None:
    client = al.connect(survey=folder)
    with pytest.raises(ClientError, match=DAMAGED):
        client.crosstab("q2", "q2")


def test_another_process_gets_a_problem_and_the_log_has_the_question(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    body = {"rows": [MEN], "columns": [MEN]}
    with (
        caplog.at_level(logging.ERROR, "audiencelab"),
        al.serve(folder, token=TOKEN) as url,
        httpx.Client(base_url=url, headers={"Authorization": TOKEN}, trust_env=False) as http,
    ):
        answer = http.post("/v2/query/crosstab", json=body)
        assert http.get("/v2/questions/q2").status_code == 200
    assert answer.status_code == 500
    assert "The survey's files are damaged" in answer.json()["detail"]
    assert "the answers to core.q2 in wave" in caplog.text


def test_a_damaged_row_far_down_a_table_ends_it(folder: Path) -> None:
    service = Service(Survey.open(folder), [TOKEN])
    everyone = [{"id": f"all {number}", "expression": None} for number in range(900)]
    answer = ask(service, "POST", "/v2/query/crosstab", {"rows": [*everyone, MEN], "columns": []})
    *cells, last = answer.lines if answer.status == 200 else [answer.json]
    assert last["status"] in (500, 503)
    assert not any("men" in msgspec.json.encode(cell).decode() for cell in cells)


def test_damage_to_a_survey_of_format_1_is_refused_after_the_first_answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_check, "_DELAY", 0.05)
    to_format_1(folder)
    service = Service(Survey.open(folder), [TOKEN])
    assert crosstab(service, rows=[MEN], columns=[])
    until = time.monotonic() + 5
    while ask(service, "GET", "/v2/questions/q2").status == 200 and time.monotonic() < until:
        time.sleep(0.01)
    answer = ask(service, "POST", "/v2/query/crosstab", {"rows": [MEN], "columns": []})
    assert answer.status == 500
