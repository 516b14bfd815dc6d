"""What a check says of a service that is not ready, and that it quotes nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

import audiencelab as al
from audiencelab.jupyter.connections import places
from audiencelab.jupyter.connections.checking import Check, check, told
from audiencelab.jupyter.connections.sources import known
from audiencelab.survey import demo_survey
from audiencelab.testing import FaultProfile, FaultRule

TOKEN = "canary-5be20c17aa"


def test_a_token_that_may_not_do_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_TOKEN", TOKEN)
    profile = FaultProfile(rules=(FaultRule(status=403),))
    with al.serve(token=TOKEN, faults=profile) as url:
        found = check(places.deployment("team", url, "file"))
    assert found.status == "refused"
    assert found.message.startswith("The service refuses this token: ")
    assert TOKEN not in found.message


def test_a_credential_is_not_sent_where_all_can_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_TOKEN", TOKEN)
    found = check(places.deployment("plain", "http://research.example", "file"))
    assert found.status == "refused"
    assert "reached over plain HTTP" in found.message
    assert TOKEN not in found.message


def test_an_error_of_something_else_is_named_and_not_quoted() -> None:
    def asked() -> Check:
        raise ZeroDivisionError(f"with {TOKEN}")

    found = told(places.deployment("team", "https://team.example", "file"), asked)
    assert found.status == "broken"
    assert found.message == "https://team.example cannot be used (ZeroDivisionError)."


def test_a_snapshot_is_ready_with_what_it_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "analysis.jsonl"
    with al.connect(survey=demo_survey(2_400)) as client, client.recording(file):
        waves, questions = client.waves(), client.catalogue.questions
    monkeypatch.setenv("AUDIENCELAB_SNAPSHOT", str(file))
    connection = known().find("environment")
    assert connection is not None
    found = check(connection)
    assert (found.status, found.waves) == ("ready", len(waves))
    assert found.questions == len(questions)
