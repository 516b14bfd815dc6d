"""Files that are put in place whole: what is in the way is named, with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from audiencelab.files import WriteError, make_folder, put


def test_a_file_where_a_folder_is_to_be_is_told_apart_from_a_folder_that_is_missing(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(WriteError, match="a file has the name of the folder"):
        put(tmp_path / "file" / "table.csv", b"new")
    with pytest.raises(WriteError, match="a file has the name of the folder"):
        make_folder(tmp_path / "file")
    with pytest.raises(WriteError, match="a file has the name of the folder"):
        make_folder(tmp_path / "file" / "below" / "deeper")
    with pytest.raises(WriteError, match="there is no folder"):
        put(tmp_path / "missing" / "table.csv", b"new")
    assert (tmp_path / "file").read_text() == "mine"
