"""Work is read as learning platforms hand it out, and nothing is unpacked."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from audiencelab.course.submissions import HandedIn, handed_in, named

DATA = b'{"format": 1, "students": {}}'


def packed(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as opened:
        for name, data in files.items():
            opened.writestr(name, data)
    return made.getvalue()


def of(root: Path, files: dict[str, bytes]) -> dict[str, HandedIn]:
    archive = root / "work.zip"
    archive.write_bytes(packed(**files))
    found = {each.path.removeprefix(f"{archive}/"): each for each in handed_in(archive)}
    # The same from a folder in which the zip file was put, or unpacked.
    assert [each.data for each in handed_in(root)] == [each.data for each in found.values()]
    assert [*root.iterdir()] == [archive]
    return found


def test_moodle(tmp_path: Path) -> None:
    ada = packed(**{"ada/course-progress.json": DATA, "__MACOSX/ada/._course-progress.json": b"x"})
    found = of(
        tmp_path,
        {
            "Ada Lovelace_12_assignsubmission_file_/ada.zip": ada,
            "Grace Hopper_34_assignsubmission_file_course-progress.json": DATA,
            "Zoë O'Brien_56_assignsubmission_file_/grace.zip": ada,
            "Emmy Noether_78_assignsubmission_file_/lesson.ipynb": b"{}",
            "Kim Lee_79_assignsubmission_onlinetext_/onlinetext.html": b"my answer is 7",
        },
    )
    without = [found.pop(name) for name in list(found) if found[name].fault]
    assert [each.person for each in without] == ["Emmy Noether 78", "Kim Lee 79"]
    assert all("handed in without course-progress.json" in each.fault for each in without)
    assert {each.person: each.whose for each in found.values()} == {
        "Ada Lovelace 12": ("Ada Lovelace",),
        "Grace Hopper 34": ("Grace Hopper",),
        "Zoë O'Brien 56": ("Zoë O'Brien",),  # the name of the file is not that of the student
    }
    assert all(each.data == DATA and not each.fault for each in found.values())
    assert "Ada Lovelace_12_assignsubmission_file_/ada.zip/ada/course-progress.json" in found


def test_canvas(tmp_path: Path) -> None:
    found = of(
        tmp_path,
        {
            "lovelaceada_LATE_12_901_course-progress-1.json": DATA,
            "hoppergrace_34_902_my work.zip": packed(**{"a/b/course-progress (1).json": DATA}),
        },
    )
    assert {each.person for each in found.values()} == {"lovelaceada 12", "hoppergrace 34"}


def test_folders_and_zips_by_hand(tmp_path: Path) -> None:
    found = of(tmp_path, {"monday/ada.zip": packed(**{"course-progress.json": DATA})})
    (only,) = found.values()
    assert (only.whose[-2:], only.person) == (("monday", "ada"), "")


def test_the_zip_files_of_otter_are_of_their_folders(tmp_path: Path) -> None:
    name = "lesson-2-percentages-and-bases_2026_12_01T01_57_38_890793.zip"
    found = of(tmp_path, {f"ada/{name}": packed(**{"course-progress.json": DATA})})
    (only,) = found.values()
    assert (only.person, only.whose[-2]) == ("", "ada")


def test_notebooks_without_a_record_are_named_once_by_folder(tmp_path: Path) -> None:
    names = ["ada/course-progress.json", "ada/1/a.ipynb", "eve/a.ipynb", "eve/b.ipynb"]
    found = of(tmp_path, {f"class/{name}": DATA for name in names})
    assert list(found) == ["class/ada/course-progress.json", "class/eve/b.ipynb"]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("ada.zip", b"PK no zip", "cannot be read as a zip file"),
        ("ada.rar", b"", "ask for a zip file"),
        ("course-progress.json", b" " * 5_000_001, "is too large for a record of progress"),
    ],
)
def test_what_cannot_be_read_is_told(name: str, data: bytes, said: str, tmp_path: Path) -> None:
    (only,) = of(tmp_path, {f"../../ada/{name}": data}).values()
    assert f"work.zip/ada/{name} " in only.fault
    assert said in only.fault


def test_an_encrypted_zip_file_is_told(tmp_path: Path) -> None:
    whole = bytearray(packed(**{"course-progress.json": DATA}))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        whole[whole.index(signature) + flags] |= 1
    (only,) = of(tmp_path, {"ada.zip": bytes(whole)}).values()
    assert "encrypted" in only.fault


def test_zip_files_in_each_other_have_an_end(tmp_path: Path) -> None:
    data = DATA
    for _ in range(6):
        data = packed(**{"a.zip": data})
    (only,) = of(tmp_path, {"a.zip": data}).values()
    assert "too deep in other zip files" in only.fault


def test_names_of_macos(tmp_path: Path) -> None:
    """Its zip files have UTF-8, and do not say so."""
    made = packed(**{"zoë/course-progress.json": DATA})
    said = made.replace(b"\x00\x08\x00\x00\x00", b"\x00\x00\x00\x00\x00", 1)
    (tmp_path / "z.zip").write_bytes(said)
    with zipfile.ZipFile(tmp_path / "z.zip") as opened:
        opened.filelist[0].flag_bits &= ~0x800
    (only,) = handed_in(tmp_path / "z.zip")
    assert only.whose[-1] == "zoë"


@pytest.mark.parametrize(
    ("folder", "student", "sure"),
    [
        ("ada-lovelace", "ada lovelace", 2),
        ("Lovelace, Ada", "ada lovelace", 2),
        ("lovelaceada", "ada lovelace", 2),
        ("hoppergrace", "grace", 1),
        ("Zoe O Brien", "zoë o'brien", 2),
        ("joannasmith", "ann", 0),
        ("joanna-smith", "ann", 0),
        ("数学", "数学", 2),
        ("ada", "ada 2", 0),
        ("x", "…", 0),
    ],
)
def test_whose_a_folder_is(folder: str, student: str, sure: int) -> None:
    assert named(["monday", folder], student) == sure
