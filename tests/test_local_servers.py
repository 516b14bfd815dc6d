"""Tokens of running servers: found by their own user, kept from everybody else."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest

from audiencelab.local_servers import (
    TokenFileError,
    find_token,
    is_loopback,
    remove_token,
    token_path,
    write_token,
)
from tests.messages import fails

URL = "http://127.0.0.1:8765"


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runtime").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        *((host, True) for host in ("127.0.0.1", "127.8.0.1", "::1", "[::1]", "localhost")),
        *((host, False) for host in ("localhost.example", "127.0.0.1.example", "0.0.0.0", "")),
    ],
)
def test_loopback_is_this_machine_only(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_what_is_written_is_found_also_without_a_runtime_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_token(URL) is None
    assert write_token(URL, "tok-1") == token_path(URL)
    assert find_token(URL) == "tok-1"
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    write_token(URL, "tok-2")
    assert find_token(URL) == "tok-2"


@pytest.mark.parametrize(
    ("address", "token"),
    [
        ("http://127.0.0.1:8765/", "tok-1"),
        ("HTTP://127.0.0.1:8765", "tok-1"),
        ("http://127.0.0.1:8765/v2/x", "tok-1"),
        ("http://127.0.0.1:8766", None),
        ("http://localhost:8765", None),
        ("https://127.0.0.1:8765", None),
        *((address, None) for address in ("", "127.0.0.1:8765", "/a/survey", "http://h:port")),
    ],
)
def test_a_token_belongs_to_one_address(address: str, token: str | None) -> None:
    write_token(URL, "tok-1")
    assert find_token(address) == token


def test_the_default_port_may_be_left_out() -> None:
    assert ":" not in write_token("http://[::1]:80", "tok-6").name
    assert find_token("http://[::1]") == "tok-6"


def test_the_file_and_its_folder_are_private() -> None:
    folder = token_path(URL).parent
    folder.mkdir()
    folder.chmod(0o755)
    before = os.umask(0)
    try:
        path = write_token(URL, "tok-1")
    finally:
        os.umask(before)
    assert (mode(path), mode(folder)) == (0o600, 0o700)


def test_the_next_server_replaces_what_a_killed_one_left(monkeypatch: pytest.MonkeyPatch) -> None:
    write_token(URL, "tok-old")
    path = write_token(URL, "tok-new")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        with fails(TokenFileError):
            write_token(URL, "tok-lost")
    assert find_token(URL) == "tok-new"
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("bits", [0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_neither_used_nor_removed(bits: int) -> None:
    path = write_token(URL, "tok-canary")
    path.chmod(bits)
    with fails(TokenFileError) as refusal:
        find_token(URL)
    assert "tok-canary" not in str(refusal.value)
    remove_token(URL, "tok-canary")
    assert path.exists()


def test_files_and_folders_of_another_user_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    write_token(URL, "tok-1")
    other = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: other)
    with fails(TokenFileError):
        find_token(URL)
    with fails(TokenFileError):
        write_token(URL, "tok-2")


def test_links_are_not_followed(tmp_path: Path) -> None:
    path = write_token(URL, "tok-1")
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with fails(TokenFileError):
        find_token(URL)
    path.unlink()
    path.parent.rmdir()
    path.parent.symlink_to(tmp_path, target_is_directory=True)
    with fails(TokenFileError):
        write_token(URL, "tok-1")


def test_a_server_removes_its_own_token_and_not_that_of_its_successor() -> None:
    path = write_token(URL, "tok-new")
    remove_token(URL, "tok-old")
    assert find_token(URL) == "tok-new"
    for _ in range(2):
        remove_token(URL, "tok-new")
        assert not path.exists()
