"""Opening a store: what is made, what is brought up to date, and what is refused untouched."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from audiencelab.service import store as module
from audiencelab.service.store import (
    APPLICATION_ID,
    MIGRATIONS,
    Store,
    StoreBusyError,
    StoreError,
)
from tests.messages import fails
from tests.service.store.processes import open_on_a_full_disk, started

VERSION = len(MIGRATIONS)


def put(file: Path, *ids: str) -> None:
    with Store.open(file) as store, store.writing() as documents:
        for each in ids:
            documents.put("charts", each, each.encode())


def ids(file: Path) -> list[str]:
    with Store.open(file) as store, store.reading() as documents:
        return [each for each, _ in documents.every("charts")]


def edit(file: Path, *statements: str) -> None:
    """Change a database as another program would."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def told(file: Path, pragma: str) -> object:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(f"PRAGMA {pragma}").fetchone()[0]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


# What is made


def test_a_store_is_made_where_there_is_none_and_found_again(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    put(file, "a", "b")
    assert ids(file) == ["a", "b"]
    assert (told(file, "user_version"), told(file, "application_id")) == (VERSION, APPLICATION_ID)
    assert (told(file, "journal_mode"), told(file, "integrity_check")) == ("wal", "ok")


def test_a_closed_store_is_one_file(tmp_path: Path) -> None:
    put(tmp_path / "store.db", "a")
    ids(tmp_path / "store.db")
    assert set(contents(tmp_path)) == {"store.db"}


@pytest.mark.parametrize(
    "name", ["a b?mode=ro#1%41&x.db", "ü.db", "'; --.db", os.fsdecode(b"\xff")]
)
def test_any_name_will_do(tmp_path: Path, name: str) -> None:
    put(tmp_path / name, "a")
    assert ids(tmp_path / name) == ["a"]
    assert set(contents(tmp_path)) == {name}


def test_an_acknowledged_write_is_not_in_a_cache(tmp_path: Path) -> None:
    full = 2
    for _ in range(2):
        with Store.open(tmp_path / "store.db") as store:
            assert store._connection.execute("PRAGMA synchronous").fetchone() == (full,)


def test_who_writes_meanwhile_is_waited_for_as_long_as_patience_lasts(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    put(file, "a")
    edit(file, "PRAGMA journal_mode=DELETE")
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        # SQLite waits by itself for the first, and not for the second.
        for begun in ("BEGIN EXCLUSIVE", "BEGIN IMMEDIATE"):
            other.execute(begun)
            with fails(StoreBusyError):
                Store.open(file, patience=0.0)
            ending = threading.Timer(0.05, other.execute, ["ROLLBACK"])
            ending.start()
            Store.open(file, patience=30.0).close()
            ending.join()
            other.execute("PRAGMA journal_mode=DELETE")
    assert ids(file) == ["a"]


# What is brought up to date


def test_each_script_runs_once_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "store.db"
    put(file, "a")
    scripts = ("CREATE TABLE more (x);", "INSERT INTO more VALUES (1); INSERT INTO more VALUES (2)")
    monkeypatch.setattr(module, "MIGRATIONS", (*MIGRATIONS, *scripts))
    for _ in range(2):
        assert ids(file) == ["a"]
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT x FROM more").fetchall() == [(1,), (2,)]
    assert told(file, "user_version") == VERSION + 2


def test_a_script_that_fails_leaves_the_store_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "store.db"
    put(file, "a")
    before = contents(tmp_path)
    with monkeypatch.context() as later:
        scripts = (*MIGRATIONS, "CREATE TABLE more (x); CREATE TABLE charts (x);")
        later.setattr(module, "MIGRATIONS", scripts)
        with fails(StoreError):
            Store.open(file)
    assert contents(tmp_path) == before
    assert ids(file) == ["a"]


# What is refused


def newer(file: Path) -> None:
    put(file, "a")
    edit(file, f"PRAGMA user_version={VERSION + 1}", "CREATE TABLE later (x)")


def foreign(file: Path) -> None:
    edit(file, "CREATE TABLE theirs (x)", "INSERT INTO theirs VALUES (1)")


def foreign_by_mark(file: Path) -> None:
    edit(file, "PRAGMA application_id=7", "PRAGMA user_version=1")


def damaged(file: Path) -> None:
    put(file, *(f"{number:0200}" for number in range(300)))
    pages = bytearray(file.read_bytes())
    pages[5 * 4096 : 6 * 4096] = bytes(range(256)) * 16
    file.write_bytes(pages)


def cut_off(file: Path) -> None:
    put(file, *(f"{number:0200}" for number in range(300)))
    file.write_bytes(file.read_bytes()[:20_000])


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "a newer version": (newer, "written by a newer audiencelab .* Upgrade audiencelab"),
    "another program's": (foreign, "another program's database"),
    "another program's, empty": (foreign_by_mark, "another program's database"),
    "a short text": (lambda file: file.write_text("hello"), "is not a store"),
    "a long text": (lambda file: file.write_text("hello" * 10_000), "is not a store"),
    "zeros": (lambda file: file.write_bytes(bytes(8192)), "is not a store"),
    "damaged pages": (damaged, "is damaged"),
    "a part of a store": (cut_off, "is damaged"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_sound_store_is_refused_and_left_byte_for_byte(
    tmp_path: Path, name: str
) -> None:
    make, words = REFUSED[name]
    file = tmp_path / "store.db"
    make(file)
    before = contents(tmp_path)
    with pytest.raises(StoreError, match=words) as caught:
        Store.open(file)
    assert str(file) in str(caught.value)
    assert contents(tmp_path) == before


def test_a_place_where_no_file_can_be_says_so(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a file").touch()
    for path, words in {
        tmp_path: "is a folder",
        tmp_path / "no" / "store.db": "there is no folder",
        tmp_path / "a file" / "store.db": "there is no folder",
        tmp_path / "pipe": "is not a regular file",
        Path("/dev/null"): "is not a regular file",
    }.items():
        with pytest.raises(StoreError, match=words):
            Store.open(path)


@contextmanager
def nobody() -> Iterator[None]:
    """As a user who may not do everything, even if the tests run as one who may."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


@pytest.mark.parametrize("at", ["store.db", "."])
def test_a_read_only_file_or_folder_says_so(at: str) -> None:
    # Not below pytest's own folder, which nobody else may enter.
    with TemporaryDirectory() as name:
        folder, file = Path(name), Path(name) / "store.db"
        put(file, "a")
        before = contents(folder)
        folder.chmod(0o777)
        file.chmod(0o666)
        (folder / at).chmod(0o555)
        with nobody(), fails(StoreError):
            Store.open(file)
        folder.chmod(0o700)
        assert contents(folder) == before


def test_a_disk_without_room_for_a_new_store_says_so(tmp_path: Path) -> None:
    with started(open_on_a_full_disk, tmp_path / "store.db") as (_, heard):
        assert heard.poll(60)
        name, words = heard.recv()
    assert name == "StoreFullError"
    assert "store.db could not be" in words
    assert "full" in words
    # What it began is no hindrance once there is room.
    put(tmp_path / "store.db", "a")
