"""A token is taken from the first place that has one, and from none that others can read."""

from __future__ import annotations

import getpass
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from audiencelab import local_servers
from audiencelab.client import ConnectionChoiceError, Secret
from audiencelab.client.connection.credential_chain import (
    FoundToken,
    find_credential,
    user_token_file,
)
from tests.client.connection.conftest import ADDRESS, AnswerWith

ELSEWHERE = "https://other.example"


def found(address: str = ADDRESS) -> tuple[str, str]:
    credential = find_credential(None, address)
    assert isinstance(credential.token, Secret)
    return credential.token.reveal(), credential.source


def refusal(address: str = ADDRESS) -> str:
    with pytest.raises(ConnectionChoiceError) as caught:
        find_credential(None, address)
    return str(caught.value)


@pytest.fixture
def file(settings: Path) -> Path:
    """The user's own file of tokens, theirs alone."""
    settings.mkdir()
    path = settings / "tokens.toml"
    path.write_text(f'"{ADDRESS}/" = "tok-file"\n"http://127.0.0.1:8000" = "tok-local"\n')
    path.chmod(0o600)
    return path


def test_the_argument_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_TOKEN", "tok-env")
    given = Secret("tok-given")
    assert find_credential(given, ADDRESS) == FoundToken(given, "the token given to connect()")
    function = find_credential(lambda: "tok-function", ADDRESS).token
    assert not isinstance(function, str)
    assert function().reveal() == "tok-function"


def test_each_place_outranks_the_next(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    file: Path,
    keyring: dict[tuple[str, str], Any],
    terminal: AnswerWith,
) -> None:
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setenv("AUDIENCELAB_TOKEN", "tok-env")
    local_servers.write_token(ADDRESS, "tok-server")
    keyring["audiencelab", ADDRESS] = "tok-ring"
    terminal("tok-typed")

    assert found() == ("tok-env", "AUDIENCELAB_TOKEN")
    monkeypatch.delenv("AUDIENCELAB_TOKEN")
    assert found() == ("tok-server", "a running server of yours")
    local_servers.remove_token(ADDRESS, "tok-server")
    assert found() == ("tok-file", str(file))
    file.unlink()
    assert found() == ("tok-ring", f"the keyring (service 'audiencelab', user '{ADDRESS}')")
    keyring.clear()
    assert found() == ("tok-typed", "a prompt")


def test_where_there_is_none_every_place_is_named(settings: Path) -> None:
    words = refusal()
    assert "needs a credential" in words
    assert [line.strip() for line in words.splitlines()[1:]] == [
        "AUDIENCELAB_TOKEN: not set",
        "a running server of yours: nothing for this address",
        f"{settings / 'tokens.toml'}: no such file",
        f"the keyring (service 'audiencelab', user '{ADDRESS}'): "
        "the package keyring is not installed",
        "a prompt: there is no terminal or notebook to ask in",
    ]


@pytest.mark.parametrize(
    ("address", "token"),
    [
        (ADDRESS, "tok-file"),
        (f"{ADDRESS}:443/api/v1", "tok-file"),
        ("https://RESEARCH.example", "tok-file"),
        ("http://127.0.0.1:8000/", "tok-local"),
        ("http://127.0.0.1:8001", None),
        ("http://research.example", None),
        (f"{ADDRESS}:8443", None),
        (f"{ADDRESS}.evil.example", None),
        (ELSEWHERE, None),
    ],
)
@pytest.mark.usefixtures("file")
def test_a_token_goes_to_the_origin_it_was_kept_for_and_to_no_other(
    address: str, token: str | None
) -> None:
    if token is None:
        assert "tok-" not in refusal(address)
    else:
        assert found(address)[0] == token


def test_the_environments_token_belongs_to_the_environments_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AUDIENCELAB_TOKEN", "tok-env")
    monkeypatch.setenv("AUDIENCELAB_BASE_URL", ADDRESS + "/api")
    assert found()[0] == "tok-env"
    assert "belongs to the address in AUDIENCELAB_BASE_URL" in refusal(ELSEWHERE)
    monkeypatch.setenv("AUDIENCELAB_BASE_URL", "https://research.example:port")
    assert "belongs to the address in AUDIENCELAB_BASE_URL" in refusal()


def test_a_token_of_a_running_server_that_others_can_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    local_servers.write_token(ADDRESS, "tok-server").chmod(0o644)
    text = refusal()
    assert "Others can read" in text
    assert "tok-server" not in text


def test_the_file_can_be_elsewhere_and_must_then_be_there(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert user_token_file() == file
    other = tmp_path / "mine.toml"
    monkeypatch.setenv("AUDIENCELAB_TOKEN_FILE", str(other))
    assert f"AUDIENCELAB_TOKEN_FILE names {other}, which does not exist" in refusal()
    file.rename(other)
    assert found() == ("tok-file", str(other))


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners here")
def test_a_file_of_others_or_that_others_can_read_is_refused(
    file: Path, as_another_user: Callable[[], None]
) -> None:
    for mode in (0o640, 0o604, 0o660):
        file.chmod(mode)
        assert f"chmod 600 '{file}'" in refusal()
    file.chmod(0o600)
    assert found()[0] == "tok-file"
    as_another_user()
    assert f"{file} belongs to another user" in refusal()
    file.unlink()
    file.mkdir()
    assert f"{file} cannot be read: " in refusal()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'"https://research.example" = tok-bare-word', "not valid TOML (at line 1"),
        (b"\xff\xfe", "not valid TOML"),
        (f'"{ADDRESS}" = 17'.encode(), "is not a string"),
        (f'"{ADDRESS}" = {{ token = "tok-inner" }}'.encode(), "is not a string"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_that_quotes_nothing_of_it(
    file: Path, content: bytes, words: str
) -> None:
    file.write_bytes(content)
    text = refusal()
    assert words in text
    assert "tok-" not in text


@pytest.mark.parametrize("answer", [None, "", RuntimeError("locked"), 17])
def test_a_keyring_without_an_answer_has_none(
    keyring: dict[tuple[str, str], Any], answer: Any
) -> None:
    keyring["audiencelab", ADDRESS] = answer
    assert "the keyring" in refusal()


@pytest.mark.parametrize(
    "answer", ["", EOFError(), NotImplementedError(), getpass.GetPassWarning("it would be seen")]
)
def test_a_person_who_does_not_answer_has_none(terminal: AnswerWith, answer: object) -> None:
    terminal(answer)
    assert "a prompt" in refusal()


@pytest.mark.parametrize(
    ("token", "words"),
    [
        (" ", "is empty"),
        ("tok\n", "control character"),
        ("tok\u00e4", "plain ASCII"),
        (" tok", "begins or ends with a space"),
    ],
)
def test_a_token_that_cannot_be_sent_is_refused_by_its_place(
    monkeypatch: pytest.MonkeyPatch, token: str, words: str
) -> None:
    monkeypatch.setenv("AUDIENCELAB_TOKEN", token)
    text = refusal()
    assert words in text
    assert "AUDIENCELAB_TOKEN" in text


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_notebook_that_runs_by_itself_asks_nobody() -> None:
    source = f"import audiencelab as al; al.connect({ADDRESS!r})"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    with pytest.raises(CellExecutionError) as caught:
        NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    assert caught.value.ename == "ConnectionChoiceError"
    assert "there is no terminal or notebook to ask in" in caught.value.evalue


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal to act")
def test_who_sits_at_a_terminal_is_asked_and_nothing_is_echoed() -> None:
    import pty

    source = (
        "import os, sys; "
        "from audiencelab.client.connection.credential_chain import find_credential as find; "
        f"found = find(None, {ADDRESS!r}); "
        "sys.exit(7 if found.token.reveal() == 'tok-typed' else 1)"
    )
    screen, end = pty.openpty()
    command = [sys.executable, "-c", source]
    # Without a terminal of its own to control, the process asks where its input is.
    with subprocess.Popen(
        command, stdin=end, stdout=end, stderr=end, start_new_session=True
    ) as process:
        os.close(end)
        shown = b""
        while b"Token for" not in shown:
            shown += os.read(screen, 1024)
        os.write(screen, b"tok-typed\n")
        with suppress(OSError):  # how a terminal ends
            while more := os.read(screen, 1024):
                shown += more
    os.close(screen)
    assert process.returncode == 7, shown
    assert b"tok-typed" not in shown
