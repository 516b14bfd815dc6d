"""The credential of a connection, and checks of its service; neither prompts nor quotes a token."""

import builtins
import getpass
import os
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import audiencelab as al
from audiencelab.client.connection.credential_chain import find_credential, no_prompt
from audiencelab.client.errors import ConnectionChoiceError
from audiencelab.jupyter.connections.connection import (
    credential_status,
    demo_connection,
    open_client,
    remote_connection,
)
from audiencelab.jupyter.connections.health import check
from audiencelab.survey import demo_survey
from audiencelab.testing import FaultProfile, FaultRule
from tests.jupyter.connections.test_registry import found
from tests.jupyter.server.misbehaving import misbehaving
from tests.messages import fails

CANARY = "canary-4b7e1f"
TEAM = remote_connection("team", "https://team.example/api", "file")


# -- credentials -----------------------------------------------------------------------------------


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sits at a terminal; a prompt is a failure."""

    def prompt(*_: object) -> str:
        raise AssertionError("prompted")

    monkeypatch.setattr(getpass, "getpass", prompt)
    monkeypatch.setattr(builtins, "input", prompt)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    path = tmp_path / "config" / "audiencelab" / "tokens.toml"
    path.parent.mkdir(parents=True)
    path.write_text(f'"https://team.example" = "{CANARY}"')
    path.chmod(0o600)
    return path


def test_the_demo_survey_needs_no_credential() -> None:
    credential = credential_status(demo_connection(is_default=True))
    assert (credential.needed, credential.found, credential.location) == (False, False, None)


@pytest.mark.skipif(os.name == "nt", reason="no modes, and other folders of settings")
def test_the_file_of_a_credential_is_shown_and_not_the_credential(tokens: Path) -> None:
    credential = credential_status(TEAM)
    assert (credential.found, credential.location) == (True, str(tokens))
    assert CANARY not in repr(credential)
    tokens.chmod(0o644)
    credential = credential_status(TEAM)
    assert not credential.found
    assert "Others can read" in credential.advice


@pytest.mark.usefixtures("person")
def test_a_missing_credential_is_advised_and_not_prompted_for() -> None:
    credential = credential_status(TEAM)
    assert (credential.needed, credential.found) == (True, False)
    assert "tokens.toml" in str(credential.location)
    assert '"https://team.example" = "…"' in credential.advice
    with fails(ConnectionChoiceError):
        open_client(TEAM)
    assert check(TEAM).status == "no credential"
    with no_prompt(), pytest.raises(ConnectionChoiceError):
        find_credential(None, "https://team.example")
    with fails(AssertionError):
        find_credential(None, "https://team.example")


def test_a_token_without_an_address_is_sent_to_none_of_several(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One mistyped or hostile address among them would receive the token of another."""
    monkeypatch.setenv("AUDIENCELAB_TOKEN", CANARY)
    with misbehaving() as one, misbehaving() as other:
        file.write_text(f'one = "{one.url}"\n')
        assert check(found("one")).status != "no credential"
        assert CANARY.encode() in one.heads[-1]
        one.heads.clear()

        file.write_text(f'one = "{one.url}"\nother = "{other.url}"\n')
        for name in ("one", "other"):
            result = check(found(name))
            assert result.status == "no credential"
            assert "AUDIENCELAB_BASE_URL" in result.message
            assert not credential_status(found(name)).found
        assert one.heads == other.heads == []

        monkeypatch.setenv("AUDIENCELAB_BASE_URL", one.url)
        assert credential_status(found("one")).found
        assert not credential_status(found("other")).found


def test_several_paths_of_one_origin_are_one(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_TOKEN", CANARY)
    file.write_text('a = "https://team.example/a"\nb = "https://team.example:443/b"\n')
    assert credential_status(found("a")).found


# -- checks ----------------------------------------------------------------------------------------


def test_a_token_without_permission_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_TOKEN", CANARY)
    profile = FaultProfile(rules=(FaultRule(status=403),))
    with al.serve(token=CANARY, faults=profile) as url:
        result = check(remote_connection("team", url, "file"))
    assert result.status == "refused"
    assert result.message.startswith("The service refuses this token: ")
    assert CANARY not in result.message


def test_a_token_is_not_sent_over_plain_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_TOKEN", CANARY)
    result = check(remote_connection("plain", "http://research.example", "file"))
    assert result.status == "refused"
    assert "reached over plain HTTP" in result.message
    assert CANARY not in result.message


def test_an_unknown_error_is_named_and_not_quoted() -> None:
    @contextmanager
    def fail(_: object):
        raise ZeroDivisionError(f"with {CANARY}")
        yield

    result = check(remote_connection("team", "https://team.example", "file"), fail)
    assert result.status == "broken"
    assert result.message == "https://team.example cannot be used (ZeroDivisionError)."


def test_a_snapshot_is_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "analysis.jsonl"
    with al.connect(survey=demo_survey(2_400)) as client, client.recording(path):
        waves, questions = client.waves(), client.catalogue.questions
    monkeypatch.setenv("AUDIENCELAB_SNAPSHOT", str(path))
    result = check(found("environment"))
    assert (result.status, result.waves) == ("ready", len(waves))
    assert result.questions == len(questions)
