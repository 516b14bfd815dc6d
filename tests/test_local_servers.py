"""Tokens of running servers: found by their own user, kept from everybody else."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest

from audiencelab import local_servers

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
    local_servers.write_token(URL, "tok-1")
    assert local_servers.find_token(URL) == "tok-1"


def test_what_is_kept_is_found() -> None:
    path = local_servers.write_token(URL, "tok-1")
    assert path == local_servers.token_path(URL)
    assert local_servers.find_token(URL) == "tok-1"


def test_nothing_is_found_where_nothing_is_kept() -> None:
    assert local_servers.find_token(URL) is None
    local_servers.write_token(URL, "tok-1")
    assert local_servers.find_token("http://127.0.0.1:8766") is None


@pytest.mark.parametrize("address", ["", "127.0.0.1:8765", "/a/survey", "http://h:port"])
def test_nothing_is_found_for_what_is_no_address(address: str) -> None:
    assert local_servers.find_token(address) is None


@pytest.mark.parametrize(
    "same", ["http://127.0.0.1:8765/", "HTTP://127.0.0.1:8765", "http://127.0.0.1:8765/v2/x"]
)
def test_one_server_has_one_file_however_its_address_is_written(same: str) -> None:
    local_servers.write_token(URL, "tok-1")
    assert local_servers.find_token(same) == "tok-1"


def test_a_name_and_a_number_are_two_addresses() -> None:
    local_servers.write_token(URL, "tok-1")
    assert local_servers.find_token("http://localhost:8765") is None
    assert local_servers.find_token("https://127.0.0.1:8765") is None


def test_an_address_of_version_six_has_a_file_too() -> None:
    assert ":" not in local_servers.write_token("http://[::1]:80", "tok-6").name
    assert local_servers.find_token("http://[::1]") == "tok-6"


def test_the_file_and_its_folder_are_private_whatever_the_umask() -> None:
    before = os.umask(0)
    try:
        path = local_servers.write_token(URL, "tok-1")
    finally:
        os.umask(before)
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)


def test_a_folder_that_stood_open_is_closed() -> None:
    folder = local_servers.token_path(URL).parent
    folder.mkdir()
    folder.chmod(0o755)
    local_servers.write_token(URL, "tok-1")
    assert mode(folder) == 0o700


def test_the_next_server_replaces_what_a_killed_one_left() -> None:
    path = local_servers.write_token(URL, "tok-old")
    local_servers.write_token(URL, "tok-new")
    assert local_servers.find_token(URL) == "tok-new"
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_write_that_fails_leaves_the_old_file_and_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = local_servers.write_token(URL, "tok-old")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        with pytest.raises(local_servers.TokenFileError, match="No space left"):
            local_servers.write_token(URL, "tok-new")
    assert local_servers.find_token(URL) == "tok-old"
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("bits", [0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_refused(bits: int) -> None:
    path = local_servers.write_token(URL, "tok-canary")
    path.chmod(bits)
    with pytest.raises(local_servers.TokenFileError, match="Others can read") as refusal:
        local_servers.find_token(URL)
    assert "tok-canary" not in str(refusal.value)


def test_a_file_of_another_user_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    local_servers.write_token(URL, "tok-1")
    somebody_else = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: somebody_else)
    with pytest.raises(local_servers.TokenFileError, match="belongs to another user"):
        local_servers.find_token(URL)


def test_a_folder_of_another_user_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    local_servers.write_token(URL, "tok-1")
    somebody_else = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: somebody_else)
    with pytest.raises(local_servers.TokenFileError, match="not a folder of your own"):
        local_servers.write_token(URL, "tok-2")


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    path = local_servers.write_token(URL, "tok-1")
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    with pytest.raises(local_servers.TokenFileError, match="not readable"):
        local_servers.find_token(URL)


def test_a_link_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    folder = local_servers.token_path(URL).parent
    folder.symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(local_servers.TokenFileError, match="not a folder of your own"):
        local_servers.write_token(URL, "tok-1")


def test_forgetting_removes_the_file_once_and_for_all() -> None:
    path = local_servers.write_token(URL, "tok-1")
    local_servers.remove_token(URL, "tok-1")
    assert not path.exists()
    local_servers.remove_token(URL, "tok-1")


def test_what_stands_open_is_not_forgotten_for_whoever_opened_it_may_have_put_it_there() -> None:
    path = local_servers.write_token(URL, "tok-1")
    path.chmod(0o644)
    local_servers.remove_token(URL, "tok-1")
    assert path.exists()


def test_a_server_does_not_remove_the_file_of_its_successor() -> None:
    local_servers.write_token(URL, "tok-new")
    local_servers.remove_token(URL, "tok-old")
    assert local_servers.find_token(URL) == "tok-new"
