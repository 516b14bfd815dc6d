"""Tokens of running servers: found by their own user, kept from everybody else."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest

from audiencelab import tokens

URL = "http://127.0.0.1:8765"


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_without_a_session_there_is_a_folder_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tokens.keep(URL, "tok-1")
    assert tokens.find(URL) == "tok-1"


def test_what_is_kept_is_found() -> None:
    path = tokens.keep(URL, "tok-1")
    assert path == tokens.served_token_path(URL)
    assert tokens.find(URL) == "tok-1"


def test_nothing_is_found_where_nothing_is_kept() -> None:
    assert tokens.find(URL) is None
    tokens.keep(URL, "tok-1")
    assert tokens.find("http://127.0.0.1:8766") is None


@pytest.mark.parametrize("address", ["", "127.0.0.1:8765", "/a/survey", "http://h:port"])
def test_nothing_is_found_for_what_is_no_address(address: str) -> None:
    assert tokens.find(address) is None


@pytest.mark.parametrize(
    "same", ["http://127.0.0.1:8765/", "HTTP://127.0.0.1:8765", "http://127.0.0.1:8765/v2/x"]
)
def test_one_server_has_one_file_however_its_address_is_written(same: str) -> None:
    tokens.keep(URL, "tok-1")
    assert tokens.find(same) == "tok-1"


def test_a_name_and_a_number_are_two_addresses() -> None:
    tokens.keep(URL, "tok-1")
    assert tokens.find("http://localhost:8765") is None
    assert tokens.find("https://127.0.0.1:8765") is None


def test_an_address_of_version_six_has_a_file_too() -> None:
    assert ":" not in tokens.keep("http://[::1]:80", "tok-6").name
    assert tokens.find("http://[::1]") == "tok-6"


def test_the_file_and_its_folder_are_private_whatever_the_umask() -> None:
    before = os.umask(0)
    try:
        path = tokens.keep(URL, "tok-1")
    finally:
        os.umask(before)
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)


def test_a_folder_that_stood_open_is_closed() -> None:
    folder = tokens.served_token_path(URL).parent
    folder.mkdir()
    folder.chmod(0o755)
    tokens.keep(URL, "tok-1")
    assert mode(folder) == 0o700


def test_the_next_server_replaces_what_a_killed_one_left() -> None:
    path = tokens.keep(URL, "tok-old")
    tokens.keep(URL, "tok-new")
    assert tokens.find(URL) == "tok-new"
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_write_that_fails_leaves_the_old_file_and_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tokens.keep(URL, "tok-old")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        with pytest.raises(tokens.TokenFileError, match="No space left"):
            tokens.keep(URL, "tok-new")
    assert tokens.find(URL) == "tok-old"
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("bits", [0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_refused(bits: int) -> None:
    path = tokens.keep(URL, "tok-canary")
    path.chmod(bits)
    with pytest.raises(tokens.TokenFileError, match="Others can read") as refusal:
        tokens.find(URL)
    assert "tok-canary" not in str(refusal.value)


def test_a_file_of_another_user_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens.keep(URL, "tok-1")
    somebody_else = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: somebody_else)
    with pytest.raises(tokens.TokenFileError, match="belongs to another user"):
        tokens.find(URL)


def test_a_folder_of_another_user_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens.keep(URL, "tok-1")
    somebody_else = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: somebody_else)
    with pytest.raises(tokens.TokenFileError, match="not a folder of your own"):
        tokens.keep(URL, "tok-2")


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    path = tokens.keep(URL, "tok-1")
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    with pytest.raises(tokens.TokenFileError, match="not readable"):
        tokens.find(URL)


def test_a_link_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    folder = tokens.served_token_path(URL).parent
    folder.symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(tokens.TokenFileError, match="not a folder of your own"):
        tokens.keep(URL, "tok-1")


def test_forgetting_removes_the_file_once_and_for_all() -> None:
    path = tokens.keep(URL, "tok-1")
    tokens.forget(URL, "tok-1")
    assert not path.exists()
    tokens.forget(URL, "tok-1")


def test_what_stands_open_is_not_forgotten_for_whoever_opened_it_may_have_put_it_there() -> None:
    path = tokens.keep(URL, "tok-1")
    path.chmod(0o644)
    tokens.forget(URL, "tok-1")
    assert path.exists()


def test_a_server_does_not_remove_the_file_of_its_successor() -> None:
    tokens.keep(URL, "tok-new")
    tokens.forget(URL, "tok-old")
    assert tokens.find(URL) == "tok-new"
