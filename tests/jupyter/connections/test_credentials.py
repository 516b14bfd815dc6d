"""Where a connection's credential is said to be, and that nobody is asked for one."""

import builtins
import getpass
import os
import sys
from pathlib import Path

import pytest

from audiencelab.client.connection.credential_chain import find_credential, no_prompt
from audiencelab.client.errors import ConnectionChoiceError
from audiencelab.jupyter.connections import places, sources
from audiencelab.jupyter.connections.checking import check
from audiencelab.jupyter.connections.places import credential_of, deployment, open_client
from tests.jupyter.server.misbehaving import misbehaving

CANARY = "canary-4b7e1f"
TEAM = deployment("team", "https://team.example/api", "file")


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sits at a terminal; to be asked is a failure."""

    def asked(*_: object) -> str:
        raise AssertionError("somebody was asked")

    monkeypatch.setattr(getpass, "getpass", asked)
    monkeypatch.setattr(builtins, "input", asked)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)


def tokens_in(folder: Path) -> Path:
    path = folder / "config" / "audiencelab" / "tokens.toml"
    path.parent.mkdir(parents=True)
    path.write_text(f'"https://team.example" = "{CANARY}"')
    path.chmod(0o600)
    return path


def test_the_demo_survey_needs_none() -> None:
    credential = credential_of(places.demo(is_default=True))
    assert (credential.needed, credential.found, credential.place) == (False, False, None)


@pytest.mark.skipif(os.name == "nt", reason="folders of settings are elsewhere")
def test_its_place_is_told_and_not_what_is_there(tmp_path: Path) -> None:
    path = tokens_in(tmp_path)
    credential = credential_of(TEAM)
    assert credential.found
    assert credential.place == str(path)
    assert CANARY not in repr(credential)


def test_where_there_is_none_advice_says_where_it_goes() -> None:
    credential = credential_of(TEAM)
    assert credential.needed
    assert not credential.found
    assert "tokens.toml" in str(credential.place)
    assert '"https://team.example" = "…"' in credential.advice


@pytest.mark.skipif(os.name == "nt", reason="no modes")
def test_a_file_that_others_can_read_is_named(tmp_path: Path) -> None:
    tokens_in(tmp_path).chmod(0o644)
    credential = credential_of(TEAM)
    assert not credential.found
    assert "Others can read" in credential.advice


@pytest.mark.usefixtures("person")
def test_nobody_is_asked() -> None:
    assert not credential_of(TEAM).found
    with pytest.raises(ConnectionChoiceError, match="there is no terminal or notebook to ask in"):
        open_client(TEAM)
    assert check(TEAM).status == "no credential"


@pytest.mark.usefixtures("person")
def test_beyond_the_block_people_are_asked_again() -> None:
    with no_prompt(), pytest.raises(ConnectionChoiceError):
        find_credential(None, "https://team.example")
    with pytest.raises(AssertionError, match="somebody was asked"):
        find_credential(None, "https://team.example")


def test_a_token_for_nobody_in_particular_goes_to_none_of_several(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One mistyped or hostile address among them would be given the token of another."""
    monkeypatch.setenv("AUDIENCELAB_TOKEN", CANARY)
    with misbehaving() as one, misbehaving() as other:
        file.write_text(f'one = "{one.url}"\n')
        assert check(named("one")).status != "no credential"
        assert CANARY.encode() in one.heads[-1]
        one.heads.clear()

        file.write_text(f'one = "{one.url}"\nother = "{other.url}"\n')
        for name in ("one", "other"):
            found = check(named(name))
            assert found.status == "no credential"
            assert "AUDIENCELAB_BASE_URL" in found.message
            assert not credential_of(named(name)).found
        assert one.heads == other.heads == []

        monkeypatch.setenv("AUDIENCELAB_BASE_URL", one.url)
        assert credential_of(named("one")).found
        assert not credential_of(named("other")).found


def test_several_ways_to_one_deployment_are_one(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIENCELAB_TOKEN", CANARY)
    file.write_text('a = "https://team.example/a"\nb = "https://team.example:443/b"\n')
    assert credential_of(named("a")).found


def named(name: str) -> places.Connection:
    found = sources.known().find(name)
    assert found is not None
    return found
