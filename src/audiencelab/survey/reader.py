"""Reading a survey: memory-mapped bits, opened in milliseconds, shared by any number of threads.

Of a survey that stands elsewhere (`addresses`) only what is asked for is fetched.

Everything here is immutable once made. Two threads may make the same thing at the same time;
they make it alike, and one of the two is kept.
"""

from __future__ import annotations

import glob
import mmap
import time
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from audiencelab.expressions.codes import ASKED
from audiencelab.schema import SavedAudience
from audiencelab.schema.listing import Listing
from audiencelab.survey import layout
from audiencelab.survey.addresses import ODD_HEADER, Folder, RemoteArray, as_folder
from audiencelab.survey.bits import Bits, words_for
from audiencelab.survey.catalogue import Catalogue, SurveyQuestion
from audiencelab.survey.design import Design
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.locks import REPLACED
from audiencelab.survey.recipes import Recipe
from audiencelab.survey.records import InsightRecord, Wave
from audiencelab.survey.weights import Weights, sum_of_squares
from audiencelab.wording import plural

__all__ = ["QuestionBits", "Survey", "WaveData"]

T = TypeVar("T")


class QuestionBits:
    """The answers to one question in one wave.

    asked: `uint64[words]`, who was asked.
    matrix: `uint64[k, words]`, one row for each datapoint, or each datapoint × suffix (the
    suffixes of the first datapoint first). Rows are views of the file, and read-only.
    rows: both together, `uint64[1 + k, words]`.
    """

    __slots__ = ("asked", "matrix", "question", "rows")

    def __init__(self, question: SurveyQuestion, rows: Bits) -> None:
        self.question = question
        self.rows: Bits = rows
        self.asked: Bits = rows[0]
        self.matrix: Bits = rows[1:]

    def datapoint(self, code: str, suffixes: Sequence[str] = ()) -> Bits:
        """Who gave the datapoint with any of the suffixes (none listed: with any at all).

        code: of a datapoint; `ASKED` is who was asked.
        `uint64[words]`, read-only or fresh. `KeyError` for a code that is not the question's.
        """
        if code == ASKED:
            return self.asked
        place = self.question.datapoint_positions[code]
        width = max(1, len(self.question.suffixes))
        block = self.matrix[place * width : (place + 1) * width]
        if suffixes:
            block = block[[self.question.suffix_positions[suffix] for suffix in suffixes]]
        return block[0] if len(block) == 1 else np.bitwise_or.reduce(block, axis=0)


class WaveData:
    """The respondents of one wave: their weights and all their answers.

    respondents: n. words: 64-bit words in a row of bits, ceil(n / 64).
    weights: `float64[n]`, multiples of 2^-weight_bits. Respondents stand sorted by location.
    design: their strata and clusters, where they are known.
    numeric: full codes of the questions whose answers are kept as numbers too.

    It may be a part of the wave (`Survey.part`), and then tells of those respondents alone.
    """

    def __init__(
        self,
        stored: layout.StoredWave,
        respondents: int,
        catalogue: Catalogue,
        weights: Weights,
        bits: Bits | RemoteArray,
        design: Design,
        numbers: npt.NDArray[np.float64] | RemoteArray | None = None,
    ) -> None:
        self.wave = stored.wave
        self.code = stored.wave.code
        self.respondents = respondents
        self.words = words_for(self.respondents)
        self.weights = weights
        self.design = design
        whole = self.respondents == stored.wave.respondents
        self._squared_weights = stored.squared_weights if whole else None
        self._bits = bits
        self._numbers = numbers
        self.numeric = stored.numbers
        self._catalogue = catalogue
        self._rows = stored.questions
        self._questions: dict[str, QuestionBits] = {}

    def question(self, code: str) -> QuestionBits | None:
        """The answers to a question (by code, with or without namespace).

        None if this wave did not ask it, or if there is no such question.
        """
        canonical = self._catalogue.canonical(code)
        found = self._questions.get(canonical)
        if found is None and (place := self._place(canonical)) is not None:
            made = QuestionBits(self._catalogue.question(canonical), self._bits[slice(*place)])
            # What was fetched is kept by whoever fetched it, who can also let go of it.
            mapped = isinstance(self._bits, np.ndarray)
            found = self._questions.setdefault(canonical, made) if mapped else made
        return found

    def numbers(self, code: str) -> npt.NDArray[np.float64] | None:
        """The numbers that respondents answered, `float64[n]`; NaN for who gave none.

        None where the question has no numbers in this wave.
        """
        row = self.numeric.get(self._catalogue.canonical(code))
        if row is None or self._numbers is None:
            return None
        return self._numbers[row : row + 1][0]

    def fetch(self, questions: Iterable[str]) -> None:
        """Fetch the answers to several questions at once, where they stand elsewhere."""
        if isinstance(self._bits, RemoteArray):
            places = [self._place(self._catalogue.canonical(code)) for code in questions]
            self._bits.gather([place for place in places if place is not None])

    def _place(self, canonical: str) -> tuple[int, int] | None:
        """The rows of a question; None if this wave did not ask it."""
        first = self._rows.get(canonical)
        if first is None:
            return None
        return first, first + 1 + self._catalogue.question(canonical).rows

    @property
    def fetched_bytes(self) -> int:
        """What is held of answers that were fetched from elsewhere; 0 of those that are mapped."""
        return self._bits.nbytes if isinstance(self._bits, RemoteArray) else 0

    def release(self) -> None:
        """Give back the memory of what was read of mapped files; it is read again when needed.

        The system would do so too, but only when memory is short, and whoever limits this process
        counts it until then.
        """
        for array in (self._bits, self.weights):
            owner: object = array
            while isinstance(owner, np.ndarray):
                owner = owner.base
            # Not every system takes advice.
            if isinstance(owner, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
                owner.madvise(mmap.MADV_DONTNEED)

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and words of the file of bits, as they stand on disk."""
        return self._bits.shape

    @property
    def size(self) -> float:
        """The universe of the wave: the sum of its weights."""
        return float(self.weights.sum())

    @cached_property
    def squared_weights(self) -> float:
        """Σw², for variances and effective bases; not on the weights' grid, but rounded once."""
        known = self._squared_weights
        return sum_of_squares(self.weights) if known is None else known


class Survey:
    """A survey on disk, made with `Survey.open`, `SurveyBuilder`, `demo_survey` or an import."""

    def __init__(self, folder: Folder, manifest: layout.Manifest, version: layout.Version) -> None:
        self.folder = folder
        self.manifest = manifest
        self._version = version
        self._stored = {stored.wave.code: stored for stored in manifest.waves}
        self._waves: dict[str, WaveData] = {}

    @classmethod
    def open(cls, path: str | Path) -> Survey:
        """Open the survey in a folder; what it holds is mapped when it is used.

        path: the folder, or an address that fsspec reads (`"s3://bucket/survey"`), of which only
        what is asked for is fetched.
        Raises `SurveyError` if there is no survey, it is of a newer format, or has lost files (of
        an address they are missed when they are read). Checksums are compared by `verify`, since
        that reads everything.
        """
        folder = as_folder(path)
        if isinstance(folder, Path):
            _wait_for_replacement(folder)
        try:
            version = layout.version_of(folder)  # before: one that comes now is noticed later
            manifest = layout.read_manifest(folder)
        except Exception as error:
            if isinstance(folder, Path) or isinstance(error, SurveyError):
                raise
            # Each kind of file system has errors of its own.
            raise SurveyError(f"{folder} cannot be read: {error}") from error
        if isinstance(folder, Path) and (lost := _lost_files(folder, manifest)):
            raise SurveyError(
                f"{folder} is damaged: missing or cut short: {listed(lost)}. Import it again."
            )
        return cls(folder, manifest, version)

    @property
    def path(self) -> Path:
        """The survey's folder; `SurveyError` if it is none of this machine's."""
        if isinstance(self.folder, Path):
            return self.folder
        raise SurveyError(
            f"{self.folder} is read where it stands, and not written. Copy it to a folder of this "
            "machine first."
        )

    @property
    def address(self) -> str:
        """Where the survey is found from any folder: its absolute path, or the address given."""
        return str(self.folder.absolute() if isinstance(self.folder, Path) else self.folder)

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of the manifest, and so of the whole survey, since every file's stands in it."""
        found = layout.stored_file(self.folder / layout.MANIFEST).sha256
        self._check_version()
        return found

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
        if layout.IMPORT_REPORT not in self.manifest.files:
            return None
        return self._read(layout.IMPORT_REPORT, dict[str, Any])

    @cached_property
    def derived(self) -> tuple[Recipe, ...]:
        """How its derived questions were made."""
        if layout.DERIVED not in self.manifest.files:
            return ()
        return self._read(layout.DERIVED, tuple[Recipe, ...])

    def _read(self, name: str, kind: type[T]) -> T:
        read = layout.read_json(self.folder / name, kind)
        self._check_version()
        return read

    @property
    def is_current(self) -> bool:
        """Whether the folder still holds this version, and neither another one nor none."""
        return layout.version_of(self.folder) == self._version

    def hold(self) -> Self:
        """Take hold of all waves and records, to read on if another version takes their place.

        Returns the survey itself. Raises `SurveyError` if that has happened already.
        """
        for wave in self.waves:
            self.wave(wave.code)
        _ = self.saved_audiences, self.insights
        return self

    def _check_version(self) -> None:
        """Raise `SurveyError` if another version has come; its files are not this manifest's."""
        if not self.is_current:
            raise SurveyError(
                f"{self.folder} was replaced by another version while it was open. Open it again."
            )

    def wave(self, code: str) -> WaveData:
        """The respondents of a wave; `KeyError` if there is no such wave.

        `SurveyError` if the survey was replaced meanwhile; waves that were looked at before stay.
        """
        found = self._waves.get(code)
        if found is None:
            found = self.part(code, 0, words_for(self._stored[code].wave.respondents))
            found = self._waves.setdefault(code, found)
        return found

    def part(self, wave: str, start: int, stop: int) -> WaveData:
        """The respondents in some of a wave's 64-bit words (`stop` exclusive), as their own wave.

        Nothing is copied of a survey on this machine, and no more than these respondents fetched of
        another. `KeyError` if there is no such wave; `SurveyError` as `wave`.
        """
        stored = self._stored[wave]
        everyone = stored.wave.respondents
        # The last part takes whatever the files hold, so that a check sees it if it is too much.
        last = stop >= words_for(everyone)

        def vector(name: str) -> Any:
            return _vector(self.folder / name, 64 * start, None if last else 64 * stop)

        def column(name: str) -> Any:
            file = layout.DESIGN.format(wave=wave, column=name)
            return vector(file) if file in self.manifest.files else None

        def numbers(name: str) -> Any:
            return _rows(self.folder / name, 64 * start, None if last else 64 * stop)

        found = WaveData(
            stored,
            min(64 * stop, everyone) - 64 * start,
            self.catalogue,
            vector(layout.WEIGHTS.format(wave=wave)),
            _rows(self.folder / layout.BITS.format(wave=wave), start, None if last else stop),
            Design(column("strata"), column("clusters")),
            numbers(layout.NUMBERS.format(wave=wave)) if stored.numbers else None,
        )
        self._check_version()
        return found

    def derive(self, *recipes: Recipe, out: str | Path | None = None) -> Survey:
        """Add derived questions (`Net`, `Bands`, `Cross`); returns the survey's new version.

        out: a folder for a new survey; in the place of this one where it is left out. Go on with
        what is returned: this object knows the old version alone.
        Raises `SurveyError` with every fault of the recipes, `SurveyBusyError` if somebody else is
        writing the survey.
        """
        from audiencelab.survey.revising import derive

        return derive(self, recipes, out=out)

    def changed_files(self) -> list[str]:
        """The files that are not as they were written; every byte is read."""
        sealed = layout.is_sealed(self.folder, self.manifest)
        return [
            *([] if sealed else [layout.MANIFEST]),
            *(
                name
                for name, stored in self.manifest.files.items()
                if layout.stored_file(self.folder / name) != stored
            ),
        ]

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


def _wait_for_replacement(folder: Path) -> None:
    """Between two renames the folder is missing for an instant; a killed writer leaves it so."""
    old = None
    for _ in range(50):
        if folder.exists() or (old := _moved_away(folder)) is None:
            return
        time.sleep(0.01)
    raise SurveyError(
        f"{folder} is not there, because its replacement was interrupted. It stands whole at "
        f"{old}: rename that, or write the survey again, which puts it back first."
    )


def _moved_away(folder: Path) -> Path | None:
    return next(folder.parent.glob(f".{glob.escape(folder.name)}.*{REPLACED}"), None)


def _lost_files(folder: Path, manifest: layout.Manifest) -> list[str]:
    return [
        name
        for name, stored in manifest.files.items()
        if not (folder / name).is_file() or (folder / name).stat().st_size != stored.octets
    ]


def _vector(file: Folder, start: int, stop: int | None) -> Any:
    if isinstance(file, Path):
        return _map(file)[start:stop]
    return RemoteArray(file, start, stop)[:][0]


def _rows(file: Folder, start: int, stop: int | None) -> Any:
    if isinstance(file, Path):
        return _map(file)[:, start:stop]
    return RemoteArray(file, start, stop)


def _map(path: Path) -> Any:
    """An array of a file, mapped and read-only, as a plain ndarray (memmaps slice slowly)."""
    try:
        return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except (OSError, *ODD_HEADER) as error:
        raise SurveyError(f"{path} is damaged ({error}). Import the survey again.") from None
