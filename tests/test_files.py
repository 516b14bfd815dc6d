"""Files that are put in place whole: what is in the way is named, with what to do."""

from __future__ import annotations

from pathlib import Path

from audiencelab.files import WriteError, make_folder, put
from tests.messages import fails


def test_a_file_where_a_folder_is_to_be_is_told_apart_from_a_folder_that_is_missing(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("mine")
    with fails(WriteError):
        put(tmp_path / "file" / "table.csv", b"new")
    with fails(WriteError):
        make_folder(tmp_path / "file")
    with fails(WriteError):
        make_folder(tmp_path / "file" / "below" / "deeper")
    with fails(WriteError):
        put(tmp_path / "missing" / "table.csv", b"new")
    assert (tmp_path / "file").read_text() == "mine"
