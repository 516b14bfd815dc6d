"""What the process answers in which files are read, asked of it in this one."""

from __future__ import annotations

from pathlib import Path

import pytest

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import reader_process
from audiencelab.ingest.readers.reader_process import Opened, Part, Request, Rows
from audiencelab.survey.errors import SourceError, SurveyError
from tests.ingest.readers.scripted import Scripted


def answers(folder: Path, script: str, *columns: str) -> list[Opened | Part | Rows | Exception]:
    path = folder / "survey.scripted"
    path.write_text(script, "utf-8")
    request = Request(folder, Path(path.name), Source(), Scripted, columns or None)
    return list(reader_process._Reader().answers(request))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader goes to the folder from which a request comes; this process comes back."""
    monkeypatch.chdir(tmp_path)


def test_a_header_and_a_column_are_told_with_the_rows(tmp_path: Path) -> None:
    opened, rows = answers(tmp_path, "- -")
    assert isinstance(opened, Opened)
    assert opened.header == ("process", "other")
    assert rows == Rows(0, 0)
    first, second, rows = answers(tmp_path, "- -", "process")
    assert isinstance(first, Part)
    assert isinstance(second, Part)
    octets = (tmp_path / "survey.scripted").stat().st_size
    assert [first.octets, second.octets] == [0, octets // 2]
    assert rows == Rows(4, octets)


def test_an_error_is_the_last_answer(tmp_path: Path) -> None:
    [refused] = answers(tmp_path, "refuse -")
    assert type(refused) is SurveyError
    assert str(refused) == "It is refused."
    [exhausted] = answers(tmp_path, "exhaust -")
    assert isinstance(exhausted, SourceError)
    assert str(exhausted) == "survey.scripted: there is too little memory for it."
    _, failed = answers(tmp_path, "- fail", "process")
    assert isinstance(failed, LookupError)
    assert "in pieces" in "".join(failed.__notes__), "where it was, which no pickle tells"
