"""A package that is not as it was made is named by what is wrong, before anything in it is used."""

from __future__ import annotations

import io
import json
import stat
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from audiencelab.notebook import NotebookError
from audiencelab.notebook.package import verify_package
from audiencelab.notebook.package.about import ABOUT
from audiencelab.notebook.package.archive import SUMS, unpack, write_archive

ABOUT_IT = {
    "format": "audiencelab-package",
    "version": 1,
    "title": "Tea",
    "details": {},
    "date": "2026-01-01",
    "notebooks": [{"path": "tea.ipynb"}],
    "data": "included",
    "python": "3.12.1",
    "machine": "",
    "duration": "",
    "packages": {"audiencelab": "3.0.0"},
    "services": [],
    "summary": [],
    "problems": [],
    "files": {"tea.ipynb": "notebook", "data/tea.csv": "data", SUMS: "sums"},
    "left_out": [],
    "exhibits": [],
}
CONTENTS: dict[str, bytes | Path] = {
    "tea.ipynb": b"{}",
    "data/tea.csv": b"tea\n1\n2\n",
    ABOUT: json.dumps(ABOUT_IT).encode(),
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    path = tmp_path / "tea.zip"
    write_archive(path, CONTENTS)
    return path


def rewritten(package: Path, changes: Mapping[str, bytes | None]) -> Path:
    """The package with other contents, added or removed files, as any program writes a zip."""
    with zipfile.ZipFile(package) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    with zipfile.ZipFile(package, "w") as archive:
        for name, content in {**files, **changes}.items():
            if content is not None:
                archive.writestr(name, content)
    return package


def about(**changes: object) -> bytes:
    return json.dumps({**ABOUT_IT, **changes}).encode()


def test_the_same_files_are_the_same_bytes_and_are_unpacked_as_they_were(
    package: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again.zip"
    write_archive(again, dict(reversed(CONTENTS.items())))
    assert package.read_bytes() == again.read_bytes()
    found = unpack(package, folder := tmp_path / "empty")
    assert found.notebooks[0].path == "tea.ipynb"
    assert (folder / "data" / "tea.csv").read_bytes() == CONTENTS["data/tea.csv"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"data/tea.csv": b"tea\n1\n3\n"}, "data/tea.csv was changed: its SHA-256"),
        ({"data/tea.csv": None}, "data/tea.csv is missing."),
        ({"more.csv": b"1"}, f"more.csv was added: {SUMS} does not list it."),
        ({ABOUT: None}, "is not a package of audiencelab"),
        ({ABOUT: about(title="Coffee")}, f"{ABOUT} was changed"),
        (
            {ABOUT: about(version=2)},
            "is a package of format 2, and this audiencelab reads format 1",
        ),
        ({ABOUT: about(version=0)}, "is a package of format 0"),
        ({ABOUT: about(format="other")}, "does not name the format"),
        ({ABOUT: about(notebooks=[{"path": "other.ipynb"}])}, "other.ipynb is missing."),
        (
            {ABOUT: about(notebooks=[{"path": "tea.ipynb", "written": [["tea.xlsx"]]}])},
            "tea.xlsx is missing.",
        ),
        ({ABOUT: about(notebooks=[])}, f"{ABOUT} names no notebook"),
        ({ABOUT: b"{"}, f"{ABOUT} cannot be read"),
        ({ABOUT: about(notebooks=3)}, f"{ABOUT} cannot be read"),
        ({SUMS: None}, f"has no {SUMS}"),
        ({SUMS: b"nothing"}, "has a line that is not a checksum and a path"),
        ({"../outside.py": b"1"}, "'../outside.py' is outside of the package"),
        ({"/etc/passwd": b"1"}, "'/etc/passwd' is outside of the package"),
        ({"C:/outside": b"1"}, "is outside of the package"),
        ({"a\\..\\..\\b": b"1"}, "is outside of the package"),
        ({"DATA/Tea.csv": b"1"}, "is in it twice."),
    ],
)
def test_what_is_wrong_is_named(
    package: Path, tmp_path: Path, changes: dict[str, bytes | None], said: str
) -> None:
    with pytest.raises(NotebookError) as error:
        verify_package(rewritten(package, changes))
    assert said in str(error.value)
    assert not (tmp_path / "outside.py").exists()


def link(archive: zipfile.ZipFile) -> None:
    member = zipfile.ZipInfo("link")
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    archive.writestr(member, "/etc/passwd")


def bomb(archive: zipfile.ZipFile) -> None:
    for number in range(40):
        member = zipfile.ZipInfo(f"zeros-{number}")
        member.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(member, bytes(4 << 20))


@pytest.mark.parametrize(
    ("add", "said"), [(link, "'link' is a link"), (bomb, "is not unpacked: it has")]
)
def test_links_and_bombs_are_refused(
    package: Path, add: Callable[[zipfile.ZipFile], None], said: str
) -> None:
    with zipfile.ZipFile(package, "a") as archive:
        add(archive)
    with pytest.raises(NotebookError, match=said):
        verify_package(package)


def test_what_is_not_a_whole_zip_is_said_to_be_none(package: Path, tmp_path: Path) -> None:
    written = package.read_bytes()
    for content in (b"", b"no zip", written[: len(written) // 2], written[:-30]):
        package.write_bytes(content)
        with pytest.raises(NotebookError, match="is not a zip that can be read"):
            verify_package(package)
    with pytest.raises(NotebookError, match="there is no such package"):
        verify_package(tmp_path / "none.zip")
    # A file whose compressed bytes were changed: damage of the disk, not of an author.
    flipped = bytearray(written)
    flipped[written.index(b"tea.ipynb") + 12] ^= 0xFF
    package.write_bytes(flipped)
    with pytest.raises(NotebookError):
        verify_package(package)


def test_an_encrypted_file_is_named(package: Path) -> None:
    written = bytearray(package.read_bytes())
    with zipfile.ZipFile(io.BytesIO(written)) as opened:
        at = opened.start_dir
    # The flag of the first file in the directory of the zip.
    written[at + 8] |= 1
    package.write_bytes(written)
    with pytest.raises(NotebookError, match="is encrypted, which no package is"):
        verify_package(package)
