"""Reading a survey: memory-mapped bits, opened in milliseconds, shared by any number of threads.

Of a survey elsewhere (`remote`) only what a query needs is fetched.

Everything here is immutable once made. Two threads may make the same object at the same time;
the objects are equal, and one of the two is kept.
"""

from __future__ import annotations

import glob
import time
from collections.abc import Callable, Hashable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self, TypeVar

from audiencelab.schema import SavedAudience
from audiencelab.schema.listing import ListedTuple
from audiencelab.survey import layout
from audiencelab.survey.answers import words_for
from audiencelab.survey.asked import checked_record
from audiencelab.survey.background_check import BackgroundCheck
from audiencelab.survey.catalogue import InsightRecord, SurveyCatalogue, SurveyWave
from audiencelab.survey.derivations import Definition
from audiencelab.survey.errors import DamagedSurveyError, SurveyError, listed
from audiencelab.survey.locks import REPLACED
from audiencelab.survey.record import SurveyRecord
from audiencelab.survey.remote import (
    Folder,
    as_folder,
    identity,
)
from audiencelab.survey.seal import seal_of
from audiencelab.survey.text_files import is_closed, read_texts, without_lost_texts
from audiencelab.survey.texts import StoredText, Texts
from audiencelab.survey.wave_data import WaveData, WaveFiles
from audiencelab.wording import plural

T = TypeVar("T")

Version = Hashable
"""The identity of a manifest's file: inode and time of change, or that of its file system."""


class Survey:
    """A survey on disk, made with `Survey.open`, `SurveyBuilder`, `demo_survey` or an import."""

    def __init__(self, folder: Folder, manifest: layout.Manifest, version: Version) -> None:
        self.folder = folder
        self.manifest = manifest
        self.version = version
        self._stored = {stored.wave.code: stored for stored in manifest.waves}
        self._waves: dict[str, WaveData] = {}
        self._background_check: BackgroundCheck | None = None

    @classmethod
    def open(cls, path: str | Path) -> Survey:
        """Open the survey in a folder; its files are mapped when they are used.

        path: the folder, or an address that fsspec reads (`"s3://bucket/survey"`), of which
            only what a query needs is fetched.

        Raises `SurveyError`: there is no survey, it has a newer format, or has lost files (of an
        address they are missed when they are read). `verify` compares checksums, which reads
        everything.

        >>> Survey.open("my-survey").waves
        """
        folder = as_folder(path)
        if isinstance(folder, Path):
            _wait_for_replacement(folder)
        try:
            version = version_of(folder)  # first, to notice a replacement from now on
            manifest = layout.read_manifest(folder)
        except Exception as error:
            if isinstance(folder, Path) or isinstance(error, SurveyError):
                raise
            # Each file system has errors of its own.
            raise SurveyError(f"{folder} cannot be read: {error}") from error
        manifest = without_lost_texts(folder, manifest)
        if isinstance(folder, Path):
            # Sizes cost one look at each file here; elsewhere each would be a request.
            lost = [
                name
                for name, stored in manifest.files.items()
                if not is_closed(folder, name) and not _is_whole(folder / name, stored.octets)
            ]
            if lost:
                raise SurveyError(
                    f"{folder} is damaged: missing or cut short: {listed(lost)}. Import it again."
                )
        return cls(folder, manifest, version)

    @property
    def path(self) -> Path:
        """The survey's folder; `SurveyError` if it is not on this machine."""
        if isinstance(self.folder, Path):
            return self.folder
        raise SurveyError(
            f"{self.folder} is read only, since it is not on this machine. Copy it to a folder of "
            "this machine first."
        )

    @property
    def address(self) -> str:
        """The survey's absolute path, or the address given."""
        return str(self.folder.absolute() if isinstance(self.folder, Path) else self.folder)

    @cached_property
    def seal(self) -> str:
        """A checksum of the content, 64 hex digits: equal surveys have the same, others another.

        It covers answers, numbers, weights, the design, questions with their labels, midpoints and
        flags, waves, derived questions, saved audiences, insights, and the record of who counts by
        default and of what the waves did not offer. It does not cover text, the
        survey's name, its folder, its sources or the time of the import.

        >>> demo_survey().seal == demo_survey().seal
        True
        """
        return seal_of(
            self.manifest,
            self.catalogue,
            self.saved_audiences,
            self.insights,
            self.derived,
            self.record,
        )

    @property
    def name(self) -> str:
        """The study's name."""
        return self.manifest.name

    @cached_property
    def waves(self) -> ListedTuple[SurveyWave]:
        """The waves, the earliest first."""
        return ListedTuple(
            (stored.wave for stored in self.manifest.waves), ("code", "name", "respondents")
        )

    @cached_property
    def catalogue(self) -> SurveyCatalogue:
        """What was asked."""
        return self._read(layout.CATALOGUE, SurveyCatalogue)

    @cached_property
    def numbered(self) -> Mapping[str, tuple[str, ...]]:
        """The questions whose respondents' own numbers are kept: the waves that have them."""
        found: dict[str, tuple[str, ...]] = {}
        for stored in self.manifest.waves:
            for code in stored.numbers:
                found[code] = (*found.get(code, ()), stored.wave.code)
        return found

    @property
    def texts(self) -> tuple[StoredText, ...]:
        """The columns of text, open answers and keys; empty where a copy left them out."""
        return self.manifest.texts

    @cached_property
    def saved_audiences(self) -> ListedTuple[SavedAudience]:
        """The audiences that came with the survey."""
        read = self._read(layout.AUDIENCES, tuple[SavedAudience, ...])
        return ListedTuple(read, ("id", "name", "description"))

    @cached_property
    def insights(self) -> tuple[InsightRecord, ...]:
        """The insights that came with the survey."""
        return self._read(layout.INSIGHTS, tuple[InsightRecord, ...])

    @cached_property
    def import_report(self) -> dict[str, Any] | None:
        """What the import read and dropped; None for a survey that was not imported."""
        known = layout.IMPORT_REPORT in self.manifest.files
        return self._read(layout.IMPORT_REPORT, dict[str, Any]) if known else None

    @cached_property
    def codebook(self) -> dict[str, Any] | None:
        """The codebook that an import made it with, as its JSON; None where none was kept."""
        known = layout.CODEBOOK in self.manifest.files
        return self._read(layout.CODEBOOK, dict[str, Any]) if known else None

    @cached_property
    def record(self) -> SurveyRecord:
        """Who counts by default, and who was asked each item.

        Raises `SurveyError` for a record of other waves, questions or items than the survey has.
        """
        # Surveys of before have no record, and neither has one with nothing but defaults.
        if layout.RECORD not in self.manifest.files:
            return SurveyRecord()
        read = self._read(layout.RECORD, SurveyRecord)
        return checked_record(self.folder / layout.RECORD, read, self.manifest, self.catalogue)

    @cached_property
    def derived(self) -> tuple[Definition, ...]:
        """The definitions of its derived questions."""
        known = layout.DERIVED in self.manifest.files
        return self._read(layout.DERIVED, tuple[Definition, ...]) if known else ()

    def _read_text(self, wave: layout.StoredWave, name: str) -> Texts | None:
        try:
            return read_texts(self.folder, self.manifest, wave, name)
        finally:
            # First, as below.
            self._check_version()

    def _read(self, name: str, kind: type[T]) -> T:
        try:
            return layout.read_json(self.folder / name, kind, self.manifest.files.get(name))
        finally:
            # First, since the files of another version have other checksums.
            self._check_version()

    @property
    def is_current(self) -> bool:
        """Whether the folder still contains this version."""
        return version_of(self.folder) == self.version

    def reopen(self) -> Survey:
        """The version that is in the folder now."""
        return Survey.open(self.path)

    def pin(self) -> Self:
        """Open all waves and records, to read on if another version replaces them.

        Returns the survey itself. Raises `SurveyError` if that has happened already.
        """
        for wave in self.waves:
            self.wave(wave.code)
        # Looking at them reads them, and cached properties keep what was read.
        _ = self.saved_audiences, self.insights, self.derived, self.record, self.codebook
        return self

    def _check_version(self) -> None:
        """Raise `SurveyError` if the survey was replaced: its files belong to another manifest."""
        if not self.is_current:
            raise SurveyError(
                f"{self.folder} was replaced by another version while it was open. Open it again."
            )

    def wave(self, code: str) -> WaveData:
        """The respondents of a wave; `KeyError` if there is no such wave.

        `SurveyError` if the survey was replaced meanwhile; waves that were opened before stay.
        """
        found = self._waves.get(code)
        if found is None:
            found = self.part(code, 0, words_for(self._stored[code].wave.respondents))
            found = self._waves.setdefault(code, found)
        return found

    def part(self, wave: str, start: int, stop: int) -> WaveData:
        """The respondents in some of a wave's 64-bit words (`stop` exclusive), as their own wave.

        Of a survey on this machine nothing is copied; of another only these respondents are
        fetched. `KeyError` if there is no such wave; `SurveyError` as `wave`.
        """
        stored = self._stored[wave]
        read = partial(self._read_text, stored)
        files = WaveFiles(self.folder, self.manifest, stored, start, stop, read)
        # Mapped first, compared after: mapped files stay those of this version, even once replaced.
        found = files.data(self.catalogue, self.record)
        self._check_version()
        return found

    def changed_files(self, goes_on: Callable[[], bool] = lambda: True) -> list[str]:
        """The files that differ from their checksums; every byte is read while `goes_on`."""
        changed = [
            name
            for name, stored in self.manifest.files.items()
            if not is_closed(self.folder, name)
            and layout.stored_file(self.folder / name, stored.crc32, goes_on) != stored
        ]
        if not layout.is_sealed(self.folder, self.manifest):
            changed.insert(0, layout.MANIFEST)
        return changed

    def verify(self) -> None:
        """Compare every file with its checksum; `SurveyError` names those that differ."""
        if changes := self.changes():
            raise DamagedSurveyError(changes)

    def changes(self, goes_on: Callable[[], bool] = lambda: True) -> str:
        """The files that differ from their checksums, as a sentence; "" if none does."""
        changed = self.changed_files(goes_on)
        if not changed:
            return ""
        return f"{self.folder}: changed since it was written: {listed(changed)}. Import it again."

    def check_in_background(self) -> None:
        """Begin to compare a survey of format 1 with its checksums, at the first call.

        Its blocks have none that could be compared when they are read. A survey that is not on this
        machine is not compared, since all of it would be fetched. Raises `SurveyError` at every
        call once files that differ were found.
        """
        if self.manifest.version > 1 or not isinstance(self.folder, Path):
            return
        if self._background_check is None:
            self._background_check = BackgroundCheck(self.changes, lambda: self.is_current)
        if self._background_check.found:
            raise DamagedSurveyError(self._background_check.found)

    def __repr__(self) -> str:
        waves = plural(len(self.waves), "wave")
        respondents = plural(sum(wave.respondents for wave in self.waves), "respondent")
        return f"<Survey {self.name!r}: {waves}, {respondents}>"


def _is_whole(path: Path, octets: int) -> bool:
    return path.is_file() and path.stat().st_size == octets


def version_of(folder: Folder) -> Version:
    """What distinguishes this version of a survey from the next, whose manifest is another file."""
    if not isinstance(folder, Path):
        return identity(folder / layout.MANIFEST)
    try:
        found = (folder / layout.MANIFEST).stat()
    except (FileNotFoundError, NotADirectoryError):
        return (0, 0)
    # Both, since a file system may give a new file the number of one that was removed.
    return (found.st_ino, found.st_mtime_ns)


def _wait_for_replacement(folder: Path) -> None:
    """Between two renames there is no survey for an instant; a killed writer leaves it so."""
    moved, old = f".{glob.escape(folder.name)}.*{REPLACED}", None
    # Half a second in all: two renames take far less.
    for _ in range(50):
        if folder.exists() or (old := next(folder.parent.glob(moved), None)) is None:
            return
        time.sleep(0.01)
    raise SurveyError(
        f"{folder} does not exist, because its replacement was interrupted. It is complete at "
        f"{old}: rename that, or write the survey again, which restores it first."
    )
