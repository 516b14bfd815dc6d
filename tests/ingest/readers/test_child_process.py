"""A file is read in a child process: whatever becomes of it, this process goes on."""

from __future__ import annotations

import os
import signal
import sys
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
from audiencelab.ingest.readers import open_file, read_columns
from audiencelab.ingest.readers.base import SurveyFile
from audiencelab.ingest.readers.child_process import ChildFile, NoProcessError
from audiencelab.survey.errors import SourceError
from tests.messages import fails
from tests.survey.spss_sets import declare_sets, dichotomies
from tests.surveys.data import DATA, MRSETS
from tests.waiting import wait_until


def children() -> set[int]:
    """The processes that this one has started, and has not waited for."""
    return {each.pid for each in psutil.Process().children()}


def opened(path: Path) -> tuple[SurveyFile, int]:
    """A file, and the process that waits for the columns to read."""
    before = children()
    file = open_file(path, Source())
    assert isinstance(file, ChildFile)
    [process] = children() - before
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
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with fails(NoProcessError):
        ChildFile(path, Source())
    alone = open_file(path, Source())
    assert not isinstance(alone, ChildFile)
    monkeypatch.undo()
    assert metadata(file) == metadata(alone)
    for columns in (list(file.header), []):
        here, there = read_columns(alone, columns), read_columns(file, columns)
        assert there.rows == here.rows > 0
        for name, column in there.columns.items():
            assert column.values == here.columns[name].values
            assert column.codes.tolist() == here.columns[name].codes.tolist()


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSEGV], ids=["killed", "crashed"])
def test_the_end_of_the_process_is_an_error_that_names_the_file(sent: signal.Signals) -> None:
    file, process = opened(MRSETS)
    os.kill(process, sent)
    wait_until(lambda: psutil.Process(process).status() == psutil.STATUS_ZOMBIE)
    with fails(SourceError):
        read_columns(file, file.header)
    assert read_columns(file, file.header).rows == 6, "the next time, another process reads it"


def python_that(folder: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have other code run in place of the child's."""
    (folder / "code.py").write_text(code)
    python = folder / "python"
    python.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{folder / 'code.py'}'\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))


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


@pytest.mark.parametrize("how", ["closed", "forgotten", "read", "called off"])
def test_no_process_is_left(how: str) -> None:
    file, process = opened(MRSETS)
    assert is_running(process)
    if how == "closed":
        file.close()
    elif how == "read":
        read_columns(file, file.header)
    elif how == "called off":
        begun: Any = file.pieces(file.header, Progress())
        with closing(begun):
            next(begun)
    del file
    wait_until(lambda: not is_running(process))


def test_modules_in_the_working_folder_are_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "survey.sav").write_bytes(MRSETS.read_bytes())
    (tmp_path / "csv.py").write_text("raise SystemExit('not a module of ours')")
    monkeypatch.chdir(tmp_path)
    file = open_file(Path("survey.sav"), Source())
    assert read_columns(file, file.header).rows == 6


def test_where_no_process_can_be_started_this_one_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no python"))
    file = open_file(MRSETS, Source())
    assert not isinstance(file, ChildFile)
    assert read_columns(file, file.header).rows == 6
