"""Zip archives: the one survey in them, and what is refused."""

from __future__ import annotations

import gzip
import os
import random
import shutil
import stat
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from openpyxl import Workbook

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.archives import survey_in
from audiencelab.ingest.cache import imports_folder
from audiencelab.ingest.readers import packed
from audiencelab.survey.errors import SourceError, SurveyError
from tests.messages import fails

EXAMPLES = Path("tests/data/platforms").absolute()
ANSWERS = b"drink,age\n" + b"tea,18\ncoffee,30\ntea,41\n" * 5


def zipped(folder: Path, members: Mapping[str, bytes], name: str = "download.zip") -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in members.items():
            archive.writestr(member, data)
    return path


@pytest.mark.parametrize(
    "beside",
    [
        {},
        {
            "README.md": b"# Drinks",
            "codebook.pdf": b"%PDF",
            "setup.sps": b"GET.",
            "terms.txt": b"-",
        },
        {"__MACOSX/._answers.csv": b"\0", ".hidden.csv": b"a\n1\n"},
        {"notes.xml": b"<html/>", "broken.xml": b"<"},
    ],
    ids=["alone", "papers", "hidden", "other xml"],
)
@pytest.mark.parametrize("inside", ["answers.csv", "ICPSR_1/DS0001/answers.csv", "a\\answers.CSV"])
def test_the_survey_in_an_archive_is_found(
    tmp_path: Path, beside: Mapping[str, bytes], inside: str
) -> None:
    assert survey_in(zipped(tmp_path, {inside: ANSWERS, **beside})).read_bytes() == ANSWERS


def test_files_that_are_read_with_the_survey_are_taken_along(tmp_path: Path) -> None:
    files = {path.name: path.read_bytes() for path in EXAMPLES.glob("triple_s_csv.*")}
    client = al.open(zipped(tmp_path, files), quiet=True)
    assert client.crosstab("gender").to_frame()["sample"].sum() == 150


def test_definitions_and_what_they_describe_are_one_survey(tmp_path: Path) -> None:
    codebook = (
        '<codeBook xmlns="ddi:codebook:2_5"><dataDscr>'
        '<var ID="V1" name="drink"><location StartPos="1" EndPos="1"/></var></dataDscr></codeBook>'
    )
    files = {"a/cps.dat": b"1\n2\n", "a/cps.xml": codebook.encode(), "a/readme.txt": b"-"}
    assert survey_in(zipped(tmp_path, files)).name == "cps.xml"


def test_other_content_under_the_same_name_is_opened_again(tmp_path: Path) -> None:
    for data in (ANSWERS, ANSWERS + b"tea,5\n"):
        assert survey_in(zipped(tmp_path, {"answers.csv": data})).read_bytes() == data


def test_what_is_unpacked_is_private_and_goes_after_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    survey_in(zipped(tmp_path, {"answers.csv": ANSWERS}))
    [folder] = (imports_folder() / "unpacked").iterdir()
    if os.name == "posix":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    os.utime(folder, (1, 1))
    survey_in(zipped(tmp_path, {"answers.csv": ANSWERS + b"tea,5\n"}))
    assert not folder.exists()


@pytest.mark.parametrize(
    "members",
    [
        {"README.md": b"-"},
        {"DS1/answers.csv": ANSWERS, "DS2/answers.csv": ANSWERS},
        {"answers.csv": ANSWERS, "answers.tsv": ANSWERS},
        {"answers.csv": ANSWERS, "../../evil.csv": ANSWERS},
        {"answers.csv": ANSWERS, "/etc/evil.csv": ANSWERS},
        {"answers.csv": ANSWERS, "C:\\evil.csv": ANSWERS},
        {"answers.csv": ANSWERS, "a\\..\\..\\evil.csv": ANSWERS},
        {"a/answers.csv": ANSWERS, "a\\answers.csv": ANSWERS},
    ],
    ids=["none", "several", "formats", "above", "absolute", "drive", "backslashes", "twice"],
)
def test_an_archive_without_one_safe_survey_is_refused(
    tmp_path: Path, members: Mapping[str, bytes]
) -> None:
    path = zipped(tmp_path, members)
    with fails(SourceError):
        survey_in(path)
    assert not [*tmp_path.parent.rglob("evil.csv")]
    # Nothing is left of what failed, or it would be opened as if it were whole.
    again = Path(shutil.copy(path, tmp_path / "again.zip"))
    with fails(SourceError):
        survey_in(again)


def test_links_in_an_archive_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "download.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("passwords.csv")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("answers.csv", ANSWERS)
    assert survey_in(path).read_bytes() == ANSWERS


def test_an_encrypted_archive_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"answers.csv": ANSWERS})
    data = bytearray(path.read_bytes())
    # The flags of the file in its own header and in the directory.
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        struct.pack_into("<H", data, data.index(signature) + offset, 1)
    path.write_bytes(data)
    with fails(SourceError):
        survey_in(path)


@pytest.mark.parametrize("damage", ["cut", "flipped", "text", "empty"])
def test_a_damaged_archive_is_refused(tmp_path: Path, damage: str) -> None:
    noise = random.Random(1).randbytes(4000).hex().encode()
    path = zipped(tmp_path, {"answers.csv": ANSWERS + noise})
    data = bytearray(path.read_bytes())
    if damage == "flipped":
        data[len(data) // 2] ^= 255
    made = {"cut": data[: len(data) // 2], "flipped": data, "text": b"answers", "empty": b""}
    path.write_bytes(made[damage])
    with fails(SourceError):
        survey_in(path)


def test_an_archive_that_would_fill_the_disk_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "_SMALL", 1 << 20)
    path = zipped(tmp_path, {"answers.csv": b"tea,18\n" * 2_000_000})
    with pytest.raises(SourceError, match="it unpacks to more than"):
        survey_in(path)


def test_a_size_that_an_archive_does_not_keep_to_is_damage(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"answers.csv": b"tea,18\n" * 20_000})
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, data.index(b"PK\1\2") + 24, 50)
    path.write_bytes(data)
    with fails(SourceError):
        survey_in(path)


@pytest.mark.parametrize("name", ["answers.tar", "answers.tar.gz", "answers.7z", "answers.sav.gz"])
def test_other_archives_are_to_be_unpacked_first(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"-")
    with fails(SurveyError):
        al.open(path, quiet=True)


@pytest.mark.parametrize("is_honest", [True, False])
@pytest.mark.parametrize(
    "data",
    [b"drink,age\n" + b"\n" * 1_200_000, b"a,b\n" + b"1,2\n" * 300_000],
    ids=["blank lines", "rows"],
)
def test_a_gzip_file_that_would_fill_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, is_honest: bool
) -> None:
    monkeypatch.setattr(packed, "_SMALL", 1 << 20)
    path = tmp_path / "a.csv.gz"
    made = gzip.compress(data)
    # A file that names another size than it has is read to what is plausible.
    path.write_bytes(made if is_honest else made[:-4] + bytes(4))
    with pytest.raises(SourceError, match="it unpacks to more than"):
        draft_codebook(path)


def test_damage_of_a_gzip_file_is_not_called_a_wrong_row(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(b"a,b\n" + b"1,2\n" * 100_000))
    data[len(data) // 2] ^= 255
    path = tmp_path / "a.csv.gz"
    path.write_bytes(data)
    with fails(SourceError):
        draft_codebook(path)


def test_a_damaged_workbook_is_named(tmp_path: Path) -> None:
    book = Workbook()
    for row in range(200):
        book.worksheets[0].append([f"drink {row}", row])
    book.save(path := tmp_path / "a.xlsx")
    data = bytearray(path.read_bytes())
    part = data.index(b"xl/worksheets/sheet1.xml")
    data[part + 60 : part + 400 : 7] = b"\0" * 49
    path.write_bytes(data)
    with pytest.raises(SourceError, match=r"a\.xlsx: cannot be read"):
        draft_codebook(path)


def test_a_workbook_that_would_fill_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "_SMALL", 1 << 20)
    book = Workbook()
    book.worksheets[0].append(["drink", "age"])
    book.save(path := tmp_path / "a.xlsx")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet2.xml", b" " * 10_000_000)
    with pytest.raises(SourceError, match="it unpacks to more than"):
        draft_codebook(path)
