"""What is said of files that cannot be read: what they hold, and what to do with them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest.readers.contents import OTHERS
from audiencelab.survey import SurveyError
from tests.messages import fails

FILES: dict[str, bytes] = {
    "empty.sav": b"",
    "text.sav": b"id,gender\n1,2\n",
    "workbook.sav": b"PK\x03\x04" + bytes(60),
    "page.csv": b"<!DOCTYPE html><html><body>Sign in</body></html>",
    "page.sav": b"\n<html><body>Sign in</body></html>",
    "report.parquet": b"%PDF-1.7" + bytes(60),
    "old.xlsx": b"\xd0\xcf\x11\xe0" + bytes(60),
    "cut.sav": b"$FL2@(#) SPSS DATA FILE" + bytes(60),
    "cut.parquet": b"PAR1" + bytes(60),
    "cut.xlsx": b"PK\x03\x04" + bytes(60),
    "cut.dta": b"<stata_dta><header><release>118",
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_read_is_described(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FILES[name])
    with fails(SurveyError):
        al.open(tmp_path / name, quiet=True)


@pytest.mark.parametrize("suffix", [*OTHERS, ".docm", ""])
def test_a_format_that_is_not_read_has_advice(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"data{suffix}").write_bytes(b"x")
    with fails(SurveyError):
        al.open(tmp_path / f"data{suffix}", quiet=True)


def test_a_file_that_is_not_there_has_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "survey 2026.csv").write_text("a\n1\n")
    for name in ("survey2026.CSV", "other.csv", "gone/other.csv"):
        with fails(SurveyError):
            al.open(tmp_path / name, quiet=True)


def test_other_values_than_files_and_frames_are_refused_with_a_frame() -> None:
    frame = pd.DataFrame({"a": [1, 2]})
    for source in (5, None, [1, 2], {"a": [1, 2]}, {1, 2}, frame["a"], frame.to_numpy()):
        with fails(SurveyError):
            al.open(source, quiet=True)
    with fails(SurveyError):
        al.open("https://example.com/data.csv", quiet=True)


def test_arguments_of_other_types_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,w\n1,2\n2,1\n")
    with fails(TypeError):
        al.open(path, weight=2)  # pyright: ignore[reportArgumentType] -- a mistake
    with fails(TypeError):
        al.open(path, order=["b", "a"])  # pyright: ignore[reportArgumentType] -- a mistake
    with fails(SurveyError):
        al.open(path, encoding="utf8x", quiet=True)
    with fails(SurveyError):
        al.open(path, wave="quarter", quiet=True)
