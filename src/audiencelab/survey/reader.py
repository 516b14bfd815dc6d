"""Reading a survey: memory-mapped bits, opened in milliseconds, shared by any number of threads.

Of a survey elsewhere (`remote`) only what a query needs is fetched.

Everything here is immutable once made. Two threads may make the same object at the same time;
the objects are equal, and one of the two is kept.
"""

from __future__ import annotations

import glob
import mmap
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from audiencelab.schema import SavedAudience
from audiencelab.schema.listing import Listing
from audiencelab.survey import layout
from audiencelab.survey.answers import (
    Bits,
    Design,
    Flags,
    QuestionBits,
    Raking,
    Replicates,
    pack,
    unpack,
    words_for,
)
from audiencelab.survey.catalogue import Catalogue, InsightRecord, Wave
from audiencelab.survey.derivations import Definition
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.locks import REPLACED
from audiencelab.survey.remote import (
    ODD_HEADER,
    READS_HEADER,
    Folder,
    RemoteArray,
    as_folder,
    identity,
)
from audiencelab.survey.seal import seal_of
from audiencelab.survey.weights import Weights, sum_of_squares
from audiencelab.wording import plural

T = TypeVar("T")

Version = Hashable
"""The identity of a manifest's file: inode and time of change, or that of its file system."""


class WaveData:
    """The respondents of one wave: their weights and all their answers.

    respondents: n. words: 64-bit words in a row of bits, ceil(n / 64).
    weights: `float64[n]`, multiples of 2^-weight_bits. Respondents are sorted by location.
    design: their strata and clusters, where they are known.
    other_weights: by name, `float64[n]`, NaN for respondents who have none.
    numeric: full codes of the questions whose answers are kept as numbers too.

    It may be a part of the wave (`Survey.part`), and then describes those respondents only.
    """

    def __init__(
        self,
        stored: layout.StoredWave,
        respondents: int,
        catalogue: Catalogue,
        weights: Weights,
        bits: Bits | RemoteArray | _SomeBits,
        design: Design,
        numbers: npt.NDArray[np.float64] | RemoteArray | None = None,
        others: Callable[[], dict[str, Weights]] = dict,
    ) -> None:
        self.wave = stored.wave
        self.code = stored.wave.code
        self.respondents = respondents
        self.words = words_for(respondents)
        self.weights = weights
        self.design = design
        whole = respondents == stored.wave.respondents
        self._squared_weights = stored.squared_weights if whole else None
        self._bits = bits
        self._numbers = numbers
        self._others = others
        self.numeric = stored.numbers
        self._catalogue = catalogue
        self._rows = stored.questions
        self._questions: dict[str, QuestionBits] = {}

    def question(self, code: str) -> QuestionBits | None:
        """The answers to a question (by code, with or without namespace).

        None if this wave did not ask it, or if there is no such question.
        """
        found = self._questions.get(code)
        if found is None and (rows := self._rows_of(self._catalogue.canonical(code))) is not None:
            made = QuestionBits(self._catalogue.question(code), self._bits[slice(*rows)])
            # Fetched rows are kept by the array that fetched them, which can also drop them.
            fetched = isinstance(self._bits, RemoteArray)
            found = made if fetched else self._questions.setdefault(code, made)
        return found

    def numbers(self, code: str) -> npt.NDArray[np.float64] | None:
        """The numbers that respondents answered, `float64[n]`; NaN for none.

        None where the question has no numbers in this wave.
        """
        row = self.numeric.get(self._catalogue.canonical(code))
        if row is None or self._numbers is None:
            return None
        return self._numbers[row : row + 1][0]

    def fetch(self, questions: Iterable[str]) -> None:
        """Fetch the answers to several questions at once, if the survey is elsewhere."""
        if isinstance(self._bits, RemoteArray):
            blocks = [self._rows_of(self._catalogue.canonical(code)) for code in questions]
            self._bits.gather([block for block in blocks if block is not None])

    def _rows_of(self, canonical: str) -> tuple[int, int] | None:
        """The rows of a question; None if this wave did not ask it."""
        first = self._rows.get(canonical)
        if first is None:
            return None
        return first, first + 1 + self._catalogue.question(canonical).rows

    @property
    def fetched_bytes(self) -> int:
        """The memory of answers that were fetched from elsewhere; 0 for mapped ones."""
        return self._bits.nbytes if isinstance(self._bits, RemoteArray) else 0

    def release(self) -> None:
        """Give back the memory of mapped files; they are read again when needed.

        The system would do so too, but only when memory is short, and limits on this process
        count it until then.
        """
        for array in (self._bits, self.weights):
            owner: object = array
            while isinstance(owner, np.ndarray):
                owner = owner.base
            # Not every system supports this.
            if isinstance(owner, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
                owner.madvise(mmap.MADV_DONTNEED)

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and words of the file of bits."""
        return self._bits.shape

    @property
    def size(self) -> float:
        """The weighted size of the wave: the sum of its weights."""
        return float(self.weights.sum())

    @cached_property
    def other_weights(self) -> dict[str, Weights]:
        return self._others()

    def reweighted(self, stored: layout.StoredWave, weights: Weights) -> WaveData:
        """The respondents who have one of these weights, `float64[n]`, NaN for none.

        stored: the record of the wave that they make.
        """
        kept, bits, numbers = ~np.isnan(weights), self._bits, self._numbers
        # Replicate weights and margins are those of the usual weight.
        design = replace(self.design, replicates=None, raking=None)
        if not kept.all():
            rows = np.flatnonzero(kept)
            weights, design = weights[rows], design.ordered(rows)
            bits = _SomeBits(bits, kept)
            numbers = None if numbers is None else numbers[:][:, rows]
        return WaveData(stored, len(weights), self._catalogue, weights, bits, design, numbers)

    @cached_property
    def persons(self) -> npt.NDArray[np.int64] | None:
        """The numbers of its persons, each once, ascending; None where they are not known."""
        known = self.design.persons
        return None if known is None else np.unique(np.asarray(known, np.int64))

    @cached_property
    def squared_weights(self) -> float:
        """Σw², for variances and effective bases; rounded once, and not on the weights' grid."""
        known = self._squared_weights
        return sum_of_squares(self.weights) if known is None else known


class _SomeBits:
    """Rows of bits of some respondents (kept: bool[n]), made from all when they are read."""

    def __init__(self, bits: Bits | RemoteArray | _SomeBits, kept: Flags) -> None:
        self._bits = bits
        self._kept = kept
        rows: int = bits.shape[0]
        self.shape: tuple[int, ...] = (rows, words_for(int(np.count_nonzero(kept))))

    def __getitem__(self, rows: slice) -> Bits:
        return pack(unpack(self._bits[rows], len(self._kept))[:, self._kept])


class Survey:
    """A survey on disk, made with `Survey.open`, `SurveyBuilder`, `demo_survey` or an import."""

    def __init__(self, folder: Folder, manifest: layout.Manifest, version: Version) -> None:
        self.folder = folder
        self.manifest = manifest
        self.version = version
        self._stored = {stored.wave.code: stored for stored in manifest.waves}
        self._waves: dict[str, WaveData] = {}

    @classmethod
    def open(cls, path: str | Path) -> Survey:
        """Open the survey in a folder; its files are mapped when they are used.

        Args:
            path: The folder, or an address that fsspec reads (`"s3://bucket/survey"`), of which
                only what a query needs is fetched.

        Raises:
            SurveyError: there is no survey, it has a newer format, or has lost files (of an address
                they are missed when they are read). `verify` compares checksums, which reads
                everything.

        Example:
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
        if isinstance(folder, Path):
            lost = [
                name
                for name, stored in manifest.files.items()
                if not (folder / name).is_file() or (folder / name).stat().st_size != stored.octets
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
        flags, waves, derived questions, saved audiences and insights. It does not cover the
        survey's name, its folder, its sources or the time of the import.

        Example:
            >>> demo_survey().seal == demo_survey().seal
            True
        """
        return seal_of(
            self.manifest, self.catalogue, self.saved_audiences, self.insights, self.derived
        )

    @property
    def name(self) -> str:
        """The study's name."""
        return self.manifest.name

    @cached_property
    def waves(self) -> Listing[Wave]:
        """The waves, the earliest first."""
        return Listing(
            (stored.wave for stored in self.manifest.waves), ("code", "name", "respondents")
        )

    @cached_property
    def catalogue(self) -> Catalogue:
        """What was asked."""
        return self._read(layout.CATALOGUE, Catalogue)

    @cached_property
    def saved_audiences(self) -> Listing[SavedAudience]:
        """The audiences that came with the survey."""
        read = self._read(layout.AUDIENCES, tuple[SavedAudience, ...])
        return Listing(read, ("id", "name", "description"))

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
    def derived(self) -> tuple[Definition, ...]:
        """The definitions of its derived questions."""
        known = layout.DERIVED in self.manifest.files
        return self._read(layout.DERIVED, tuple[Definition, ...]) if known else ()

    def _read(self, name: str, kind: type[T]) -> T:
        read = layout.read_json(self.folder / name, kind)
        self._check_version()
        return read

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
        _ = self.saved_audiences, self.insights, self.derived
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
        everyone = stored.wave.respondents
        # The last part takes all that the files contain, so that a check sees excess data.
        last = stop >= words_for(everyone)

        def vector(name: str) -> Any:
            file, first, end = self.folder / name, 64 * start, None if last else 64 * stop
            if isinstance(file, Path):
                return _map(file)[first:end]
            return RemoteArray(file, first, end)[:][0]

        def column(name: str) -> Any:
            file = layout.DESIGN.format(wave=wave, column=name)
            return vector(file) if file in self.manifest.files else None

        def others() -> dict[str, Weights]:
            named = enumerate(self.manifest.other_weights, start=1)
            files = {
                each.name: layout.OTHER_WEIGHTS.format(wave=wave, number=number)
                for number, each in named
            }
            return {
                name: vector(file) for name, file in files.items() if file in self.manifest.files
            }

        def numbers(name: str) -> Any:
            return _rows(self.folder / name, 64 * start, None if last else 64 * stop)

        fpc, replication = layout.FPC.format(wave=wave), stored.replication
        raking, raked_from = None, layout.RAKED_FROM.format(wave=wave)
        if raked_from in self.manifest.files:
            raking = Raking(vector(raked_from), numbers(layout.RAKED.format(wave=wave))[:])
        found = WaveData(
            stored,
            min(64 * stop, everyone) - 64 * start,
            self.catalogue,
            vector(layout.WEIGHTS.format(wave=wave)),
            _rows(self.folder / layout.BITS.format(wave=wave), start, None if last else stop),
            Design(
                column("strata"),
                column("clusters"),
                vector(fpc) if fpc in self.manifest.files else None,
                replication
                and Replicates(
                    numbers(layout.REPLICATES.format(wave=wave))[:],
                    np.array(replication.scales),
                    replication.method,
                ),
                raking,
                column("persons"),
            ),
            numbers(layout.NUMBERS.format(wave=wave)) if stored.numbers else None,
            others,
        )
        self._check_version()
        return found

    def changed_files(self) -> list[str]:
        """The files that differ from their checksums; every byte is read."""
        changed = [
            name
            for name, stored in self.manifest.files.items()
            if layout.stored_file(self.folder / name) != stored
        ]
        if not layout.is_sealed(self.folder, self.manifest):
            changed.insert(0, layout.MANIFEST)
        return changed

    def verify(self) -> None:
        """Compare every file with its checksum; `SurveyError` names those that differ."""
        if changed := self.changed_files():
            raise SurveyError(
                f"{self.folder}: changed since it was written: {listed(changed)}. Import it again."
            )

    def __repr__(self) -> str:
        waves = plural(len(self.waves), "wave")
        respondents = plural(sum(wave.respondents for wave in self.waves), "respondent")
        return f"<Survey {self.name!r}: {waves}, {respondents}>"


def version_of(folder: Folder) -> Version:
    """What distinguishes this version of a survey from the next, whose manifest is another file."""
    if not isinstance(folder, Path):
        return identity(folder / layout.MANIFEST)
    try:
        found = (folder / layout.MANIFEST).stat()
    except (FileNotFoundError, NotADirectoryError):
        return (0, 0)
    return (found.st_ino, found.st_mtime_ns)


def _wait_for_replacement(folder: Path) -> None:
    """Between two renames there is no survey for an instant; a killed writer leaves it so."""
    moved, old = f".{glob.escape(folder.name)}.*{REPLACED}", None
    for _ in range(50):
        if folder.exists() or (old := next(folder.parent.glob(moved), None)) is None:
            return
        time.sleep(0.01)
    raise SurveyError(
        f"{folder} does not exist, because its replacement was interrupted. It is complete at "
        f"{old}: rename that, or write the survey again, which restores it first."
    )


def _rows(file: Folder, start: int, stop: int | None) -> Any:
    if isinstance(file, Path):
        return _map(file)[:, start:stop]
    return RemoteArray(file, start, stop)


def _map(path: Path) -> Any:
    """The array of a file, mapped and read-only, as a plain ndarray (memmaps slice slowly)."""
    try:
        with READS_HEADER:
            return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except (OSError, *ODD_HEADER) as error:
        raise SurveyError(f"{path} is damaged ({error}). Import the survey again.") from None
