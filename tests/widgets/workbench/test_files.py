"""Files of a workbench: whole or not at all, and nobody else's is ever lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audiencelab.widgets.workbench.document import FORMAT, BrokenStudy
from audiencelab.widgets.workbench.files import (
    free_path,
    read_file,
    safe_name,
    write_file,
    write_study,
)

STUDY = {"format": FORMAT, "version": 1}


def test_a_document_replaces_a_document(tmp_path: Path) -> None:
    path = tmp_path / "study.audiencelab.json"
    write_study(path, {**STUDY, "note": 1})
    write_study(path, {**STUDY, "note": "Köln"})
    assert read_file(path) == {**STUDY, "note": "Köln"}
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("text", ["my notes", "{}", "[1]", '{"format": "another"}'])
def test_any_other_file_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.json"
    path.write_text(text)
    with pytest.raises(FileExistsError, match=r"notes\.json"):
        write_study(path, STUDY)
    assert path.read_text() == text


def test_what_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    path = write_study(tmp_path / "study.json", STUDY)
    with pytest.raises(TypeError):
        write_file(path, {**STUDY, "note": object()})
    assert read_file(path) == STUDY
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("data", [b"{", b"\xff\xfe", b"", b"[" * 200_000, b"9" * 5_000])
def test_a_file_of_something_else_is_told_by_its_name(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "study.json"
    path.write_bytes(data)
    with pytest.raises(BrokenStudy, match=r"study\.json"):
        read_file(path)


def test_a_free_place_is_found(tmp_path: Path) -> None:
    found = []
    for _ in range(3):
        path = free_path("table", ".ipynb", tmp_path)
        path.write_text(json.dumps({}))
        found.append(path.name)
    assert found == ["table.ipynb", "table-2.ipynb", "table-3.ipynb"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Gender (2) × Age", "gender-2-age"),
        ("../../etc/passwd", "etc-passwd"),
        ("CON: a\\b", "con-a-b"),
        ("Männer", "männer"),
        ("…", "workbench"),
        ("a " * 200, ("a-" * 40).strip("-")),
    ],
)
def test_a_name_is_safe_on_any_system(words: str, name: str) -> None:
    assert safe_name(words) == name
