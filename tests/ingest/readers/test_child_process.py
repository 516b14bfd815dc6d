"""A file is read in a child process: whatever becomes of it, this process goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from inspect import get_annotations
from math import inf
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import psutil
import pyreadstat
import pytest

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.columns import Progress
from audiencelab.ingest.readers import child_process, open_file, read_columns
from audiencelab.ingest.readers.base import SurveyFile
from audiencelab.ingest.readers.child_process import (
    ChildFile,
    NoProcessError,
    end_idle_children,
)
from audiencelab.ingest.readers.platforms import recognise
from audiencelab.ingest.readers.spss_stata_sas import open_statistical
from audiencelab.ingest.sources import Sources
from audiencelab.survey.errors import SourceError
from tests.messages import fails
from tests.survey.spss_sets import declare_sets, dichotomies
from tests.surveys.data import DATA, MRSETS
from tests.waiting import wait_until

_others: set[int] = set()
"""Processes that other tests have started from this one."""


@pytest.fixture(autouse=True)
def _of_other_tests() -> None:
    end_idle_children()
    _others.clear()
    _others.update(children())


def children() -> set[int]:
    """The processes that this one has started, and has not waited for."""
    return {each.pid for each in psutil.Process().children()} - _others


def opened(path: Path) -> tuple[SurveyFile, int]:
    """A file, and the process that has read its header."""
    end_idle_children()
    file = open_file(path, Source())
    assert isinstance(file, ChildFile)
    [process] = children()
    return file, process


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def written_sav(path: Path) -> Path:
    """All that an SPSS file declares: open ranges, missing texts, sets, measures, labels."""
    numbers = [-8.0, -1.0, 1.0, 2.0, 98.0, 99.0]
    frame: Any = pd.DataFrame(
        {"low": numbers, "high": numbers, "both": numbers, "text": [*"abcab", ""]}
        | {"day": pd.to_datetime(["2024-03-01"] * 6), "tv": [1.0, 2.0] * 3, "radio": [1.0] * 6}
    )
    pyreadstat.write_sav(
        frame,
        path,
        file_label="Everything",
        column_labels={"low": "Low \u00e9"},
        variable_value_labels={"low": {-1: "Refused", 1: "Yes"}, "text": {"a": "A", "": "None"}},
        variable_measure={"low": "ordinal", "high": "scale"},
        compress=path.suffix == ".zsav",
        missing_ranges={
            "low": [{"lo": -inf, "hi": -1}],
            "high": [{"lo": 98, "hi": inf}],
            "both": [{"lo": -inf, "hi": 0}, 99],
            "text": ["b", "c"],
        },
    )
    if path.suffix == ".sav":  # the offsets of a .zsav would be wrong
        declare_sets(path, dichotomies("media", "Media", "1", ("tv", "radio")))
    return path


def written_dta(path: Path) -> Path:
    frame: Any = pd.DataFrame({"q": pd.Series([1, 2, "d", "i"], dtype=object), "w": [0.1] * 4})
    pyreadstat.write_dta(frame, path, missing_user_values={"q": ["d", "i"]})
    return path


def metadata(file: SurveyFile) -> dict[str, Any]:
    """Every attribute that describes an opened source, whatever class it has."""
    return {each: getattr(file, each) for each in (*get_annotations(SurveyFile), "header", "rows")}


_STATISTICAL = (".sav", ".zsav", ".dta", ".sas7bdat", ".xpt")
_FILES = [path for path in sorted(DATA.rglob("*")) if path.name.endswith(_STATISTICAL)]
_WRITTEN = {"open.sav": written_sav, "packed.zsav": written_sav, "tags.dta": written_dta}


@pytest.mark.parametrize("name", [*(str(path.relative_to(DATA)) for path in _FILES), *_WRITTEN])
def test_a_file_is_the_same_in_both_processes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _WRITTEN[name](tmp_path / name) if name in _WRITTEN else DATA / name
    file = open_file(path, Source())
    assert isinstance(file, ChildFile)
    alone = open_statistical(path, Source())
    recognise(alone, has_metadata=True)
    assert metadata(file) == metadata(alone)
    for columns in (list(file.header), []):
        here, there = read_columns(alone, columns), read_columns(file, columns)
        assert there.rows == here.rows > 0
        for name, column in there.columns.items():
            assert column.values == here.columns[name].values
            assert column.codes.tolist() == here.columns[name].codes.tolist()


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSEGV], ids=["killed", "crashed"])
def test_a_process_that_ends_while_it_waits_is_replaced(sent: signal.Signals) -> None:
    file, process = opened(MRSETS)
    os.kill(process, sent)
    wait_until(lambda: psutil.Process(process).status() == psutil.STATUS_ZOMBIE)
    assert read_columns(file, file.header).rows == 6
    assert children().isdisjoint({process})


def python_that(folder: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have other code run in place of the child's."""
    end_idle_children()
    (folder / "code.py").write_text(code)
    python = folder / "python"
    python.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{folder / 'code.py'}'\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))


_CRASHES = """
import os, signal
from audiencelab.ingest.readers import child_process, spss_stata_sas

class Crashing(spss_stata_sas.SpssFile):
    def __init__(self, path, options):
        if path.stem == "header":
            os.kill(os.getpid(), signal.{sent})
        super().__init__(path, options)

    def pieces(self, columns, progress):
        if self.path.stem == "values":
            os.kill(os.getpid(), signal.{sent})
        yield from super().pieces(columns, progress)

spss_stata_sas.open_statistical = Crashing
child_process.main()
"""
"""A library that crashes on files of two names."""


@pytest.mark.parametrize("sent", ["SIGKILL", "SIGSEGV"])
@pytest.mark.parametrize("where", ["header", "values"])
def test_a_crash_is_an_error_that_names_the_file_and_costs_no_other(
    sent: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python_that(tmp_path, _CRASHES.format(sent=sent), monkeypatch)
    names = [f"{number}.sav" for number in range(3)]
    for name in (*names, f"{where}.sav"):
        (tmp_path / name).write_bytes(MRSETS.read_bytes())
    monkeypatch.chdir(tmp_path)
    before, first = opened(Path(names[0])), open_file(Path(names[1]), Source())
    with fails(SourceError):
        read_columns(file := open_file(Path(f"{where}.sav"), Source()), file.header)
    for file in (before[0], first, open_file(Path(names[2]), Source())):
        assert read_columns(file, file.header).rows == 6
    assert len(children()) == 1, "that of the crash is gone"
    end_idle_children()


def test_a_damaged_file_among_many_is_named_and_the_others_are_read_by_one_process(
    tmp_path: Path,
) -> None:
    octets = MRSETS.read_bytes()
    paths = [tmp_path / f"{number:02d}.sav" for number in range(30)]
    for path in paths:
        path.write_bytes(octets)
    end_idle_children()
    sources = Sources.open(paths)
    [process] = children()
    tables = sources.read_all()
    assert [table.rows for table in tables] == [6] * 30
    assert children() == {process}
    paths[17].write_bytes(octets[:-20])
    damaged = Sources.open(paths)
    with pytest.raises(SourceError, match=r"17\.sav"):
        damaged.read_all()
    assert process not in children()


def test_threads_read_at_the_same_time(tmp_path: Path) -> None:
    def texts(number: int) -> list[str]:
        path = tmp_path / f"{number}.sav"
        frame: Any = pd.DataFrame({"text": [f"{number} {row}" for row in range(2000)]})
        pyreadstat.write_sav(frame, path)
        return [
            value
            for _ in range(3)
            for value in read_columns(open_file(path, Source()), ["text"]).columns["text"].values
        ]

    end_idle_children()
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(texts, range(8)))
    assert found == [[f"{number} {row}" for row in range(2000)] * 3 for number in range(8)]
    assert len(children()) <= 3


def test_two_files_are_read_in_turns() -> None:
    one, other = open_file(MRSETS, Source()), open_file(MRSETS, Source())
    pairs = zip(
        one.pieces(one.header, Progress()), other.pieces(one.header, Progress()), strict=True
    )
    for here, there in pairs:
        assert here.column == there.column
        assert here.codes.tolist() == there.codes.tolist()


def test_a_forked_process_has_children_of_its_own() -> None:
    code = f"""
import os
from pathlib import Path
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import open_file, read_columns
file = open_file(Path({str(MRSETS)!r}), Source())
forked = os.fork()
for _ in range(3):
    assert read_columns(file, file.header).rows == 6
if forked:
    assert os.waitpid(forked, 0)[1] == 0
    assert read_columns(file, file.header).rows == 6
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


@pytest.mark.parametrize(
    "message",
    [b"\xc1", msgspec.msgpack.encode({"header": [1], "rows": None})],
    ids=["not MessagePack", "of another form"],
)
def test_a_message_that_cannot_be_decoded_is_a_defect_and_not_a_damaged_file(
    message: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = len(message).to_bytes(8) + message
    python_that(tmp_path, f"import sys; sys.stdout.buffer.write({sent!r})", monkeypatch)
    with pytest.raises(RuntimeError, match=r"cannot be decoded.*defect of audiencelab.*report"):
        open_file(MRSETS, Source())


def test_an_exception_of_ours_in_the_other_process_is_a_defect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python_that(tmp_path, "raise TypeError('of ours')", monkeypatch)
    with fails(RuntimeError):
        open_file(MRSETS, Source())


def test_a_file_that_is_cut_short_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "cut.sav"
    octets = MRSETS.read_bytes()
    path.write_bytes(octets[: len(octets) - 20])
    with fails(SourceError):
        read_columns(file := open_file(path, Source()), file.header)


def test_no_process_is_left_when_nothing_is_read_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child_process, "_IDLE", 0.1)
    file, _ = opened(MRSETS)
    wait_until(lambda: not children())
    assert read_columns(file, file.header).rows == 6
    wait_until(lambda: not children())


def test_no_process_is_left_of_a_reading_that_is_called_off() -> None:
    file, process = opened(MRSETS)
    begun: Any = file.pieces(file.header, Progress())
    with closing(begun):
        next(begun)
        assert children() == {process}
    assert not children()


def test_no_process_is_left_when_this_one_is_killed() -> None:
    code = f"""
import os, psutil
from pathlib import Path
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import open_file
open_file(Path({str(MRSETS)!r}), Source())
print(psutil.Process().children()[0].pid, flush=True)
os.kill(os.getpid(), 9)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    wait_until(lambda: not is_running(int(ended.stdout)))


def test_modules_in_the_working_folder_are_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "survey.sav").write_bytes(MRSETS.read_bytes())
    (tmp_path / "csv.py").write_text("raise SystemExit('not a module of ours')")
    monkeypatch.chdir(tmp_path)
    file = open_file(Path("survey.sav"), Source())
    assert read_columns(file, file.header).rows == 6
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "survey.sav").write_bytes(written_dta(tmp_path / "it.dta").read_bytes())
    monkeypatch.chdir(tmp_path / "other")
    with fails(SourceError):
        open_file(Path("survey.sav"), Source())


@pytest.mark.parametrize(
    ("name", "value"), [("executable", "/no/python"), ("executable", ""), ("frozen", True)]
)
def test_where_no_process_can_be_started_this_one_reads(
    name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_idle_children()
    monkeypatch.setattr(sys, name, value, raising=False)
    with fails(NoProcessError):
        ChildFile(MRSETS, Source())
    file = open_file(MRSETS, Source())
    assert not isinstance(file, ChildFile)
    assert read_columns(file, file.header).rows == 6
