"""The zip of a package: the same bytes of the same files, checked before anything in it is used.

No name in it decides where a file is written outside the folder that it is unpacked into, and no
more is unpacked than a file of its size may hold. Nothing in it is run here.
"""

from __future__ import annotations

import hashlib
import re
import stat
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PureWindowsPath

import msgspec

from audiencelab.files import put
from audiencelab.ingest.readers.packed import most_unpacked, too_large
from audiencelab.notebook.io import NotebookError
from audiencelab.notebook.package.about import ABOUT, FORMAT, VERSION, About

SUMS = "SHA256SUMS"
"""The checksums of all other files, as `sha256sum --check` reads them."""

_MOST_FILES = 10_000
_TIME = (2000, 1, 1, 0, 0, 0)
"""The time of every file: a zip knows none before 1980, wherever it is unpacked."""

_CHUNK = 1 << 20
_SUM = re.compile(r"([0-9a-f]{64}) [ *](.+)")


class _Format(msgspec.Struct):
    format: str = ""
    version: object = None


def write_archive(target: Path, contents: Mapping[str, bytes | Path]) -> None:
    """Write a zip of contents by their paths in it, and their checksums; raises `WriteError`."""
    sums = {path: _digest(content) for path, content in contents.items()}
    listed = "".join(f"{sums[path]}  {path}\n" for path in sorted(sums))
    with tempfile.TemporaryFile() as made:
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path, content in sorted({**contents, SUMS: listed.encode()}.items()):
                member = zipfile.ZipInfo(path, _TIME)
                member.compress_type, member.create_system = zipfile.ZIP_DEFLATED, 3
                member.external_attr = (stat.S_IFREG | 0o644) << 16
                with archive.open(member, "w", force_zip64=True) as opened:
                    for chunk in _chunks(content):
                        opened.write(chunk)
        made.seek(0)
        put(target, iter(lambda: made.read(_CHUNK), b""))


def is_archive(path: Path) -> bool:
    """Whether a file is a zip, or is named like one."""
    return path.suffix.lower() == ".zip" or (path.is_file() and zipfile.is_zipfile(path))


def unpack(archive: Path, folder: Path) -> About:
    """Unpack a package into an empty folder, checked; what it says of itself.

    Raises `NotebookError` that lists all that is wrong: a file that is not a package, or is one of
    another format; a file in it that was changed, is missing or was added; names outside of it.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = _members(opened, archive)
            about = _about(opened, members, archive)
            _unpack_all(opened, members, about, folder, archive)
            return about
    except FileNotFoundError:
        raise NotebookError(f"{archive}: there is no such package.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise NotebookError(
            f"{archive} is not a zip that can be read, or is damaged: {error}. Get it again."
        ) from None


def _members(opened: zipfile.ZipFile, archive: Path) -> dict[str, zipfile.ZipInfo]:
    """The files in a zip by their paths; `NotebookError` for what no package has."""
    listed = [each for each in opened.infolist() if not each.is_dir()]
    size = sum(each.file_size for each in listed)
    if len(listed) > _MOST_FILES or size > most_unpacked(archive):
        raise NotebookError(
            f"{archive} is not unpacked: it has {len(listed):,} files; {too_large(archive)}."
        )
    known: dict[str, str] = {}
    faults: list[str] = []
    for member in listed:
        name = member.filename
        same = unicodedata.normalize("NFC", name).casefold()
        if not is_inside(name):
            faults.append(f"{name!r} is outside of the package. Do not use it.")
        elif stat.S_ISLNK(member.external_attr >> 16):
            faults.append(f"{name!r} is a link, which no package has.")
        elif member.flag_bits & 1:
            faults.append(f"{name!r} is encrypted, which no package is.")
        elif same in known:
            faults.append(f"{name!r} is in it twice.")
        known[same] = name
    _raise(archive, faults)
    return {each.filename: each for each in listed}


def is_inside(name: str) -> bool:
    """Whether a name is that of a file in the folder, on every system."""
    # As Windows reads names, which takes / and \ for the same.
    path = PureWindowsPath(name)
    is_plain = not any(ord(each) < 32 or each in '\\:*?"<>|' for each in name)
    return is_plain and bool(path.parts) and not path.anchor and ".." not in path.parts


def _about(opened: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo], archive: Path) -> About:
    if ABOUT not in members:
        raise NotebookError(
            f"{archive} is not a package of audiencelab: it has no {ABOUT}. `audiencelab package "
            "analysis.ipynb` makes one."
        )
    written = opened.read(members[ABOUT])
    try:
        found = msgspec.json.decode(written, type=_Format)
        if found.format != FORMAT:
            raise NotebookError(f"{archive}: {ABOUT} does not name the format {FORMAT!r}.")
        if found.version != VERSION:
            raise NotebookError(
                f"{archive} is a package of format {found.version}, and this audiencelab reads "
                f"format {VERSION}. Install the audiencelab that its requirements.txt names."
            )
        about = msgspec.json.decode(written, type=About)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NotebookError(f"{archive}: {ABOUT} cannot be read: {error}.") from None
    if not about.notebooks:
        raise NotebookError(f"{archive}: {ABOUT} names no notebook.")
    return about


def _unpack_all(
    opened: zipfile.ZipFile,
    members: Mapping[str, zipfile.ZipInfo],
    about: About,
    folder: Path,
    archive: Path,
) -> None:
    sums = _sums(opened, members, archive)
    needed = {*about.files, *sums, *(each.path for each in about.notebooks), ABOUT}
    needed |= {each.snapshot for each in about.notebooks if each.snapshot}
    needed |= {file for each in about.notebooks for cell in each.written for file in cell}
    faults = [f"{name} is missing." for name in sorted(needed - {*members})]
    for name, member in sorted(members.items()):
        if name == SUMS:
            continue
        if name not in sums:
            faults.append(f"{name} was added: {SUMS} does not list it.")
        elif _unpacked(opened, member, folder / name) != sums[name]:
            faults.append(f"{name} was changed: its SHA-256 is not the one in {SUMS}.")
    _raise(archive, faults)


def _sums(
    opened: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo], archive: Path
) -> dict[str, str]:
    if SUMS not in members:
        raise NotebookError(f"{archive} has no {SUMS}, so that nothing in it can be checked.")
    text = opened.read(members[SUMS]).decode("utf-8", errors="replace")
    found = [_SUM.fullmatch(line) for line in text.splitlines()]
    if not all(found):
        raise NotebookError(f"{archive}: {SUMS} has a line that is not a checksum and a path.")
    return {each[2]: each[1] for each in found if each}


def _unpacked(opened: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> str:
    """Write a file of a zip; its checksum."""
    target.parent.mkdir(parents=True, exist_ok=True)
    made = hashlib.sha256()
    with opened.open(member) as packed, target.open("xb") as unpacked:
        while chunk := packed.read(_CHUNK):
            made.update(chunk)
            unpacked.write(chunk)
    return made.hexdigest()


def _raise(archive: Path, faults: list[str]) -> None:
    if faults:
        listed = "".join(f"\n  {each}" for each in faults)
        raise NotebookError(f"{archive} is not as it was packaged. Nothing in it was run.{listed}")


def _digest(content: bytes | Path) -> str:
    made = hashlib.sha256()
    for chunk in _chunks(content):
        made.update(chunk)
    return made.hexdigest()


def _chunks(content: bytes | Path) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
