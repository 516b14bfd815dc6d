"""Writing a survey: wave by wave into a temporary folder, which then takes its name at once.

Nothing is visible at the target before `finish`. An abandoned builder removes its temporary
folder; the next writer removes that of a process that was killed. A survey has one writer at a
time.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from audiencelab.files import make_private
from audiencelab.schema import SavedAudience
from audiencelab.survey import layout
from audiencelab.survey.answers import (
    WORD,
    Answers,
    Bits,
    Design,
    QuestionBits,
    Raking,
    checked_numbers,
    location_order,
    pack_answers,
    words_for,
)
from audiencelab.survey.array_files import ArrayFiles
from audiencelab.survey.asked import AskedWriter
from audiencelab.survey.catalogue import InsightRecord, SurveyCatalogue, SurveyQuestion, SurveyWave
from audiencelab.survey.derivations import Definition
from audiencelab.survey.errors import SurveyError, SurveyExistsError, listed
from audiencelab.survey.layout import writes
from audiencelab.survey.lazy_mapping import LazyMapping
from audiencelab.survey.locks import BUILDING, REPLACED, WriterLock
from audiencelab.survey.other_weights import OtherWeights, write_other_weights
from audiencelab.survey.reader import Survey
from audiencelab.survey.record import SurveyRecord
from audiencelab.survey.text_files import TextWriter
from audiencelab.survey.texts import StoredText, Texts
from audiencelab.survey.weights import (
    Weights,
    check_grid,
    check_weights,
    choose_weight_bits,
    grid_holds,
    sum_of_squares,
    to_grid,
)


@dataclass(frozen=True, slots=True)
class _Written:
    """A wave whose bits are on disk and whose weights wait for the grid. others: other weights."""

    stored: layout.StoredWave
    weights: Weights
    others: OtherWeights


class SurveyBuilder:
    """Writes one survey.

    with SurveyBuilder("my-survey", catalogue, name="My survey") as builder:
        builder.add_wave(wave, weights, {"q4": codes, "q9": Answers(flags, asked)})
        survey = builder.finish()

    path: the folder to make.
    catalogue: the questions; their `waves` are filled in here.
    name: the study's name; by default that of the folder.
    description: of the study.
    saved_audiences: audiences that come with the survey.
    insights: insights that come with it.
    provenance: where the data came from, any JSON values.
    derived: the definitions of those of its questions that are derived.
    record: whose defaults of queries the survey has; the rest comes from the answers.
    codebook: what an import made its questions of, any JSON value.
    texts: what is known of its columns of text.
    weight_bits: the grid to keep, where all weights sum exactly on it and none is too small.
    replace: whether a survey at `path` may be replaced.
    wait: seconds to wait for another writer.
    lock: a lock that is held already, and released by the builder.

    Raises `SurveyExistsError`: the folder exists, and is not a survey or may not be replaced;
    `SurveyBusyError`: another process writes it and does not finish within `wait` seconds.
    """

    def __init__(
        self,
        path: str | Path,
        catalogue: SurveyCatalogue,
        *,
        name: str = "",
        description: str = "",
        saved_audiences: Iterable[SavedAudience] = (),
        insights: Iterable[InsightRecord] = (),
        provenance: Mapping[str, Any] | None = None,
        derived: Iterable[Definition] = (),
        record: SurveyRecord | None = None,
        codebook: Any = None,
        texts: Iterable[StoredText] = (),
        weight_bits: int | None = None,
        replace: bool = False,
        wait: float = 0.0,
        lock: WriterLock | None = None,
    ) -> None:
        self.path = Path(path).expanduser().absolute()
        self.catalogue = catalogue
        catalogue.check()
        layout.check_target(self.path, replace=replace)
        self._replace = replace
        self._name, self._description = name or self.path.name, description
        self._saved_audiences, self._insights = tuple(saved_audiences), tuple(insights)
        self._provenance = dict(provenance or {})
        self._derived, self._codebook = tuple(derived), codebook
        self._weight_bits = weight_bits
        self._waves: list[_Written] = []
        with writes(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = lock or self._locked(wait)
        prefix = f".{self.path.name}."
        with writes(self.path):
            made = tempfile.mkdtemp(prefix=prefix, suffix=BUILDING, dir=self.path.parent)
        self._folder = Path(made)
        self._files = ArrayFiles(self._folder, self.path)
        self._asked = AskedWriter(record or SurveyRecord(), self._files)
        self._texts = TextWriter(self._folder, texts)
        # Also when a builder is forgotten or Python ends; it holds the folder and the lock, not the
        # builder.
        self._remove = weakref.finalize(self, _abandon, self._folder, self._lock)

    def __enter__(self) -> SurveyBuilder:
        return self

    def __exit__(self, *_: object) -> None:
        self.abandon()

    def abandon(self) -> None:
        """Remove what was written; the target stays as it was. Does nothing after `finish`."""
        self._remove()

    def add_wave(
        self,
        wave: SurveyWave,
        weights: npt.ArrayLike,
        answers: Mapping[str, Answers | npt.NDArray[Any]],
        design: Design | None = None,
        numbers: Mapping[str, npt.NDArray[np.float64]] | None = None,
        other_weights: Mapping[str, Weights] | None = None,
        texts: Mapping[str, Texts] | None = None,
    ) -> None:
        """Write one wave, its respondents sorted by location.

        wave: its code, name and dates.
        weights: float64[n], each finite and at least 0.
        answers: by question code (with or without namespace); a question left out was not
            asked in this wave. The values are `Answers`, or arrays if everyone was asked. A
            mapping may make its values when they are looked up: each is looked up once.
        design: strata, clusters and the numbers of persons, where they are known.
        numbers: by question code, float64[n], of single questions whose answers are bands of
            numbers: the number of each respondent, NaN for none.
        other_weights: by name, float64[n], NaN for respondents who have none.
        texts: by name, a column of text; one value a respondent.

        Raises `SurveyError`: answers that do not fit their question, unknown questions, bad
        weights, a wave given twice.
        """
        weighed = np.asarray(weights, dtype=np.float64)
        self._check_wave(wave, weighed)
        given = {self.catalogue.canonical(code): code for code in answers}
        if unknown := sorted(given.keys() - {each.canonical for each in self.catalogue.questions}):
            raise SurveyError(f"Wave {wave.code} answers unknown questions: {listed(unknown)}.")
        location = self.catalogue.location_question
        if location not in given:
            raise SurveyError(f"Wave {wave.code} lacks the location question, {location}.")
        # Looked up once: a mapping may make its values then, and a second look would do so again.
        first = Answers.of(answers[given[location]])
        placed = self.catalogue.question(location)
        first.check(wave.code, placed, len(weighed))
        order = location_order(first, placed)

        def packed(question: SurveyQuestion) -> QuestionBits:
            code = question.canonical
            found = first if code == location else Answers.of(answers[given[code]])
            found.check(wave.code, question, len(weighed))
            return pack_answers(question, found, order)

        unsorted = texts or {}
        texts = LazyMapping(unsorted, lambda name: unsorted[name].ordered(order))
        others = OtherWeights(other_weights or {}, {})
        self._add(wave, weighed, given, packed, design, numbers, order, others, texts)
        if design is not None:
            design.check_population(wave.code)

    def add_packed_wave(
        self,
        wave: SurveyWave,
        weights: Weights,
        rows: Mapping[str, Bits | QuestionBits],
        design: Design | None = None,
        numbers: Mapping[str, npt.NDArray[np.float64]] | None = None,
        other_weights: Mapping[str, Weights] | None = None,
        texts: Mapping[str, Texts] | None = None,
        other_rakings: Mapping[str, Raking] | None = None,
    ) -> None:
        """Write a wave whose respondents are sorted already, from bits such as a reader gives.

        wave: its code, name and dates.
        weights: float64[n].
        rows: by full question code, its bits, or uint64[1 + k, words]: who was asked, then the
            answers. A mapping may make values when they are looked up: each is, once.
        design: as for `add_wave`.
        numbers: as for `add_wave`.
        other_weights: as for `add_wave`.
        texts: as for `add_wave`, sorted.
        other_rakings: by name, the margins that other weights were raked to.
        """
        self._check_wave(wave, weights)
        order = np.arange(len(weights))

        def packed(each: SurveyQuestion) -> QuestionBits:
            found = rows[each.canonical]
            return found if isinstance(found, QuestionBits) else QuestionBits(each, found)

        others = OtherWeights(other_weights or {}, other_rakings or {})
        self._add(wave, weights, rows, packed, design, numbers, order, others, texts or {})

    def finish(self, report: Any = None) -> Survey:
        """Round the weights, write the rest, give the folder its name, and open it.

        report: what an import read and dropped; any JSON value, kept as `import.json`.

        Raises `SurveyError`: weights that are too small beside the others; `SurveyExistsError`: the
        target was made by another program meanwhile.
        """
        if not self._waves:
            raise SurveyError("A survey needs at least one wave.")
        # Codes of waves do not sort by date.
        waves = sorted(self._waves, key=lambda each: each.stored.wave.dates)
        weights, weight_bits = [wave.weights for wave in waves], self._weight_bits
        # One grid for all waves: only then are sums over waves exact.
        if weight_bits is None or not grid_holds(weights, weight_bits):
            weight_bits = choose_weight_bits(weights)
        stored: list[layout.StoredWave] = []
        with writes(self.path):
            for wave in waves:
                code = wave.stored.wave.code
                # The grid is known only when all waves are, so weights are written last.
                check_grid(code, wave.weights, weight_bits)
                on_grid = to_grid(wave.weights, weight_bits)
                self._files.save(layout.WEIGHTS.format(wave=code), on_grid)
                squares = sum_of_squares(on_grid)
                stored.append(msgspec.structs.replace(wave.stored, squared_weights=squares))
            by_wave = {each.stored.wave.code: each.others for each in waves}
            others = write_other_weights(self._files, by_wave)
            self._write_records(stored, report)
            self._write_manifest(stored, weight_bits, others)
            self._take_place()
        return Survey.open(self.path)

    def _locked(self, wait: float) -> WriterLock:
        lock = WriterLock(self.path, wait=wait)
        try:
            # The other writer may have made what was to be made here.
            layout.check_target(self.path, replace=self._replace)
        except SurveyError:
            lock.release()
            raise
        return lock

    # ---- a wave ----

    def _check_wave(self, wave: SurveyWave, weights: Weights) -> None:
        if not layout.names_folder(wave.code):
            raise SurveyError(f"{wave.code!r} cannot be a wave's code: it names a folder.")
        if any(wave.code == written.stored.wave.code for written in self._waves):
            raise SurveyError(f"Wave {wave.code} is given twice.")
        if wave.ends < wave.starts:
            raise SurveyError(f"Wave {wave.code} ends ({wave.ends}) before it starts.")
        if weights.ndim != 1 or not len(weights):
            raise SurveyError(
                f"Wave {wave.code} needs one weight for each respondent, at least one."
            )
        check_weights(wave.code, weights)

    def _add(
        self,
        wave: SurveyWave,
        weights: Weights,
        given: Iterable[str],
        packed: Callable[[SurveyQuestion], QuestionBits],
        design: Design | None,
        numbers: Mapping[str, npt.NDArray[np.float64]] | None,
        order: npt.NDArray[Any],
        others: OtherWeights,
        texts: Mapping[str, Texts],
    ) -> None:
        respondents = len(weights)
        with writes(self.path):
            (self._folder / layout.BITS.format(wave=wave.code)).parent.mkdir(parents=True)
        counted = msgspec.structs.replace(wave, respondents=respondents)
        questions = self._write_bits(counted, given, packed)
        rows = sum(1 + self.catalogue.question(code).rows for code in questions)
        numeric = self._write_numbers(counted, questions, numbers or {}, order)
        known = design or Design()
        known.check(wave.code, respondents)
        replication = self._write_design(wave.code, known.ordered(order))
        stored = layout.StoredWave(
            counted,
            rows,
            questions,
            numbers=numeric,
            replication=replication,
            texts=self._texts.wave(wave.code, respondents, texts),
            clusters_recur=known.recur,
        )
        checked = others.ordered(order).checked(wave.code)
        self._waves.append(_Written(stored, weights[order], checked))

    def _write_design(self, wave: str, design: Design) -> layout.Replication | None:
        """Write what is known of the sample's design; returns the scales of replicate weights."""
        files: dict[str, npt.NDArray[Any] | None] = {
            layout.DESIGN.format(wave=wave, column=name): codes
            for name, codes in design.columns().items()
        }
        replicates = design.replicates
        files[layout.FPC.format(wave=wave)] = design.fpc
        files[layout.REPLICATES.format(wave=wave)] = replicates and replicates.weights
        if design.raking is not None:
            files[layout.RAKED_FROM.format(wave=wave)] = design.raking.weights
            files[layout.RAKED.format(wave=wave)] = design.raking.categories
        for name, array in files.items():
            if array is not None:
                self._files.save(name, array)
        if replicates is None:
            return None
        return layout.Replication(replicates.method, tuple(replicates.scales.tolist()))

    def _write_bits(
        self,
        wave: SurveyWave,
        given: Iterable[str],
        packed: Callable[[SurveyQuestion], QuestionBits],
    ) -> dict[str, int]:
        """Write who was asked and answered each question; returns where its rows begin."""
        codes = set(given)
        asked = [each for each in self.catalogue.questions if each.canonical in codes]
        # One row more in each question, for who was asked.
        starts = accumulate((1 + each.rows for each in asked), initial=0)
        firsts = {each.canonical: start for each, start in zip(asked, starts, strict=False)}
        name, width = layout.BITS.format(wave=wave.code), words_for(wave.respondents)
        with (
            self._files.rows(name, WORD.str, width) as rows,
            self._asked.wave(wave.code, wave.respondents) as items,
        ):
            for found in map(packed, asked):
                rows.append(found.rows)
                items.add(found)
        return firsts

    def _write_numbers(
        self,
        wave: SurveyWave,
        questions: Mapping[str, int],
        given: Mapping[str, npt.NDArray[np.float64]],
        order: npt.NDArray[Any],
    ) -> dict[str, int]:
        """Write the numbers of each question; returns its row."""
        codes = {self.catalogue.canonical(each): each for each in given}
        if odd := sorted(codes.keys() - questions.keys()):
            raise SurveyError(f"Wave {wave.code} has numbers of {listed(odd)}, not asked in it.")
        with self._files.rows(
            layout.NUMBERS.format(wave=wave.code), "<f8", wave.respondents
        ) as rows:
            for code, each in codes.items():
                rows.append(
                    checked_numbers(wave, self.catalogue.question(code), given[each])[order]
                )
        return {code: row for row, code in enumerate(codes)}

    # ---- the rest ----

    def _write_records(self, waves: list[layout.StoredWave], report: Any) -> None:
        asked = {
            question.canonical: tuple(
                stored.wave.code for stored in waves if question.canonical in stored.questions
            )
            for question in self.catalogue.questions
        }
        records: dict[str, object] = {
            layout.CATALOGUE: self.catalogue.with_waves(asked),
            layout.AUDIENCES: self._saved_audiences,
            layout.INSIGHTS: self._insights,
            layout.DERIVED: self._derived or None,
            layout.RECORD: self._asked.record,
            layout.IMPORT_REPORT: report,
            layout.CODEBOOK: self._codebook,
        }
        for name, value in records.items():
            if value is not None:
                layout.write_json(self._folder / name, value)

    def _write_manifest(
        self,
        waves: list[layout.StoredWave],
        weight_bits: int,
        other_weights: tuple[layout.OtherWeight, ...],
    ) -> None:
        folder, crc32 = self._folder, self._files.checksums
        # Sorted, so that the manifest does not depend on the file system.
        written = sorted(filter(Path.is_file, folder.rglob("*")))
        names = [path.relative_to(folder).as_posix() for path in written]
        files = {name: layout.stored_file(folder / name, crc32.get(name, ())) for name in names}
        manifest = layout.Manifest(
            layout.FORMAT,
            layout.FORMAT_VERSION,
            name=self._name,
            description=self._description,
            weight_bits=weight_bits,
            waves=tuple(waves),
            files=files,
            provenance=self._provenance,
            other_weights=other_weights,
            texts=self._texts.written,
        )
        layout.write_manifest(self._folder, manifest)

    def _take_place(self) -> None:
        """Rename the finished folder to the target, after moving an old one out of the way."""
        make_private(self._folder, like=self.path, closed=layout.TEXT)
        old = None
        if self._replace and self.path.exists():
            # A name that `locks` restores from, if this process is killed before the next rename.
            old = self._folder.with_suffix(REPLACED)
            self.path.rename(old)
        try:
            self._folder.rename(self.path)
        except OSError as error:
            if old is not None:  # pragma: no cover - a disk that fails between two renamings
                old.rename(self.path)
            if self.path.exists():
                raise SurveyExistsError(f"{self.path} was made by another program.") from error
            raise SurveyError(f"{self.path} cannot be made: {error.strerror}.") from error
        # From here on the folder is the survey, which must not be removed.
        self._remove.detach()
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)
        self._lock.release()


def _abandon(folder: Path, lock: WriterLock) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    lock.release()
