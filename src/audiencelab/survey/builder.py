"""Writing a survey: waves one by one into a temporary folder, which then takes its name at once.

Nothing is seen at the target before `finish`; a builder that is left takes its temporary folder
with it, and the next writer clears away that of a process that was killed. A survey has one writer
at a time. Where answers come from is not known here.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from audiencelab.files import make_private
from audiencelab.schema import SavedAudience
from audiencelab.survey import layout
from audiencelab.survey.answers import Answers, location_order, pack_answers
from audiencelab.survey.bits import WORD, Bits, words_for
from audiencelab.survey.catalogue import Catalogue, SurveyQuestion
from audiencelab.survey.design import Design
from audiencelab.survey.errors import SurveyError, SurveyExistsError, listed
from audiencelab.survey.locks import BUILDING, REPLACED, WriterLock
from audiencelab.survey.reader import Survey
from audiencelab.survey.recipes import Recipe
from audiencelab.survey.records import InsightRecord, Wave
from audiencelab.survey.weights import (
    Weights,
    check_grid,
    check_weights,
    choose_weight_bits,
    grid_holds,
    sum_of_squares,
    to_grid,
)
from audiencelab.survey.writing import writes

__all__ = ["SurveyBuilder"]


@dataclass(frozen=True, slots=True)
class _Written:
    """A wave whose bits are on disk and whose weights wait for the grid."""

    stored: layout.StoredWave
    weights: Weights


class SurveyBuilder:
    """Writes one survey.

    with SurveyBuilder("my-survey", catalogue, name="My survey") as builder:
        builder.add_wave(wave, weights, {"q4": codes, "q9": Answers(flags, asked)})
        survey = builder.finish()

    path: the folder to make; SurveyExistsError if it is there, unless it is a survey and may
        be replaced; SurveyBusyError if somebody else writes it and does not finish within
        `wait` seconds.
    catalogue: what was asked; its questions' `waves` are filled in here.
    derived: the recipes of those of its questions that were made from others.
    weight_bits: the grid to keep, as long as all weights sum exactly on it and none is too small
        for it.
    lock: held already, and given over to the builder.
    """

    def __init__(
        self,
        path: str | Path,
        catalogue: Catalogue,
        *,
        name: str = "",
        description: str = "",
        saved_audiences: Iterable[SavedAudience] = (),
        insights: Iterable[InsightRecord] = (),
        provenance: Mapping[str, Any] | None = None,
        derived: Iterable[Recipe] = (),
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
        self._name = name or self.path.name
        self._description = description
        self._saved_audiences = tuple(saved_audiences)
        self._insights = tuple(insights)
        self._provenance = dict(provenance or {})
        self._derived = tuple(derived)
        self._weight_bits = weight_bits
        self._waves: list[_Written] = []
        with writes(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = lock or self._locked(wait)
        with writes(self.path):
            prefix = f".{self.path.name}."
            made = tempfile.mkdtemp(prefix=prefix, suffix=BUILDING, dir=self.path.parent)
        self._folder = Path(made)
        self._remove = weakref.finalize(self, _let_go, self._folder, self._lock)

    def __enter__(self) -> SurveyBuilder:
        return self

    def __exit__(self, *_: object) -> None:
        self.abandon()

    def abandon(self) -> None:
        """Drop what was written; the target stays as it was. Harmless after `finish`."""
        self._remove()

    def add_wave(
        self,
        wave: Wave,
        weights: npt.ArrayLike,
        answers: Mapping[str, Answers | npt.NDArray[Any]],
        design: Design | None = None,
        numbers: Mapping[str, npt.NDArray[np.float64]] | None = None,
    ) -> None:
        """Write one wave; its respondents are sorted by location on the way.

        weights: float64[n], each finite and at least 0.
        answers: by question code (with or without namespace); a question left out was not asked
        in this wave. The values are `Answers`, or bare arrays that mean everyone was asked. A
        mapping may make its values when they are looked up: each is asked for once.
        design: strata and clusters, where they are known.
        numbers: by question code, float64[n], of single questions whose answers are bands of
        numbers: the number of each respondent, NaN for none.

        Raises `SurveyError` for answers that do not fit their question, unknown questions, bad
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
        first = Answers.of(answers[given[location]])
        placed = self.catalogue.question(location)
        first.check(wave.code, placed, len(weighed))
        order = location_order(first, placed)
        made = _Lookup(answers, {location: first})

        def rows(question: SurveyQuestion) -> Bits:
            found = made.take(question.canonical, given[question.canonical])
            found.check(wave.code, question, len(weighed))
            return pack_answers(question, found, order)

        stored = self._write_bits(wave, len(weighed), given, rows)
        stored = self._write_numbers(stored, numbers or {}, order)
        self._write_design(wave, len(weighed), design, order)
        self._waves.append(_Written(stored, weighed[order]))

    def add_packed_wave(
        self,
        wave: Wave,
        weights: Weights,
        rows: Mapping[str, Bits],
        design: Design | None = None,
        numbers: Mapping[str, npt.NDArray[np.float64]] | None = None,
    ) -> None:
        """Write a wave whose respondents are sorted already, from bits such as a reader gives.

        weights: float64[n]. rows: uint64[1 + k, words] by full question code: who was asked, then
        the answers. numbers: as for `add_wave`. Mappings may make their values when they are
        looked up: each is asked for once.
        """
        self._check_wave(wave, weights)
        stored = self._write_bits(
            wave, len(weights), rows, lambda question: rows[question.canonical]
        )
        as_given = np.arange(len(weights))
        stored = self._write_numbers(stored, numbers or {}, as_given)
        self._write_design(wave, len(weights), design, as_given)
        self._waves.append(_Written(stored, weights))

    def finish(self, report: Any = None) -> Survey:
        """Round the weights, write the rest, give the folder its name, and open it.

        report: what an import read and dropped; any JSON value, kept as `import.json`.
        Raises `SurveyError` for weights that are too small to be kept beside the others,
        and `SurveyExistsError` if something took the target's place meanwhile.
        """
        if not self._waves:
            raise SurveyError("A survey needs at least one wave.")
        waves = sorted(self._waves, key=_written_dates)
        weight_bits = self._choose_weight_bits([wave.weights for wave in waves])
        stored: list[layout.StoredWave] = []
        with writes(self.path):
            for wave in waves:
                path = self._folder / layout.WEIGHTS.format(wave=wave.stored.wave.code)
                check_grid(wave.stored.wave.code, wave.weights, weight_bits)
                on_grid = to_grid(wave.weights, weight_bits)
                np.save(path, on_grid)
                squares = sum_of_squares(on_grid)
                stored.append(msgspec.structs.replace(wave.stored, squared_weights=squares))
            self._write_records(tuple(stored), report)
            self._write_manifest(tuple(stored), weight_bits)
            self._take_place()
        return Survey.open(self.path)

    def _locked(self, wait: float) -> WriterLock:
        lock = WriterLock(self.path, wait=wait)
        try:
            # Whoever was waited for may have made what was to be made here.
            layout.check_target(self.path, replace=self._replace)
        except SurveyError:
            lock.release()
            raise
        return lock

    def _choose_weight_bits(self, weights: list[Weights]) -> int:
        kept = self._weight_bits
        if kept is not None and grid_holds(weights, kept):
            return kept
        return choose_weight_bits(weights)

    def _write_design(
        self, wave: Wave, respondents: int, design: Design | None, order: npt.NDArray[Any]
    ) -> None:
        known = design or Design()
        known.check(wave.code, respondents)
        for name, codes in known.ordered(order).columns().items():
            path = self._folder / layout.DESIGN.format(wave=wave.code, column=name)
            with writes(self.path):
                np.save(path, codes)

    def _write_numbers(
        self,
        stored: layout.StoredWave,
        given: Mapping[str, npt.NDArray[np.float64]],
        order: npt.NDArray[Any],
    ) -> layout.StoredWave:
        code, respondents = stored.wave.code, stored.wave.respondents
        codes = {self.catalogue.canonical(each): each for each in given}
        if odd := sorted(codes.keys() - stored.questions.keys()):
            raise SurveyError(f"Wave {code} has numbers of {listed(odd)}, which it did not ask.")
        if not codes:
            return stored
        path = self._folder / layout.NUMBERS.format(wave=code)
        with writes(self.path), path.open("wb") as file:
            shape = (len(codes), respondents)
            header = {"descr": "<f8", "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(file, header)
            for canonical, each in codes.items():
                numbers = np.asarray(given[each], dtype="<f8")
                self._check_numbers(f"Wave {code}, {canonical}", canonical, numbers, respondents)
                numbers[order].tofile(file)
        rows = {canonical: row for row, canonical in enumerate(codes)}
        return msgspec.structs.replace(stored, numbers=rows)

    def _check_numbers(
        self, place: str, code: str, numbers: npt.NDArray[np.float64], respondents: int
    ) -> None:
        if self.catalogue.question(code).kind != "single":
            raise SurveyError(f"{place}: only a single question has numbers.")
        if numbers.shape != (respondents,) or np.isinf(numbers).any():
            raise SurveyError(
                f"{place}: numbers must be float64[{respondents}], each finite or NaN; got "
                f"{numbers.dtype}{list(numbers.shape)}."
            )

    def _check_wave(self, wave: Wave, weights: Weights) -> None:
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

    def _write_bits(
        self,
        wave: Wave,
        respondents: int,
        given: Iterable[str],
        rows_of: Callable[[SurveyQuestion], Bits],
    ) -> layout.StoredWave:
        codes = set(given)
        asked = [each for each in self.catalogue.questions if each.canonical in codes]
        rows = sum(1 + question.rows for question in asked)
        path = self._folder / layout.BITS.format(wave=wave.code)
        shape = (rows, words_for(respondents))
        first, firsts = 0, dict[str, int]()
        with writes(self.path):
            path.parent.mkdir(parents=True)
        # Not mapped: what is written would count as this process's memory until the end.
        with writes(self.path), path.open("wb") as file:
            header = {"descr": WORD.str, "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(file, header)
            for question in asked:
                firsts[question.canonical] = first
                rows_of(question).tofile(file)
                first += 1 + question.rows
        counted = msgspec.structs.replace(wave, respondents=respondents)
        return layout.StoredWave(counted, rows, firsts)

    def _write_records(self, waves: tuple[layout.StoredWave, ...], report: Any) -> None:
        asked = {
            question.canonical: tuple(
                stored.wave.code for stored in waves if question.canonical in stored.questions
            )
            for question in self.catalogue.questions
        }
        layout.write_json(self._folder / layout.CATALOGUE, self.catalogue.with_waves(asked))
        layout.write_json(self._folder / layout.AUDIENCES, self._saved_audiences)
        layout.write_json(self._folder / layout.INSIGHTS, self._insights)
        if self._derived:
            layout.write_json(self._folder / layout.DERIVED, self._derived)
        if report is not None:
            layout.write_json(self._folder / layout.IMPORT_REPORT, report)

    def _write_manifest(self, waves: tuple[layout.StoredWave, ...], weight_bits: int) -> None:
        files = {
            path.relative_to(self._folder).as_posix(): layout.stored_file(path)
            for path in sorted(self._folder.rglob("*"))
            if path.is_file()
        }
        manifest = layout.Manifest(
            format=layout.FORMAT,
            version=layout.FORMAT_VERSION,
            name=self._name,
            description=self._description,
            weight_bits=weight_bits,
            waves=waves,
            files=files,
            provenance=self._provenance,
        )
        layout.write_manifest(self._folder, manifest)

    def _take_place(self) -> None:
        """Rename the finished folder to the target, moving an old one out of the way first."""
        make_private(self._folder, like=self.path)
        old = None
        if self._replace and self.path.exists():
            old = self._folder.with_suffix(REPLACED)
            self.path.rename(old)
        try:
            self._folder.rename(self.path)
        except OSError as error:
            if old is not None:  # pragma: no cover - a disk that fails between two renamings
                old.rename(self.path)
            if self.path.exists():
                raise SurveyExistsError(f"{self.path} was made by somebody else.") from error
            raise SurveyError(f"{self.path} cannot be made: {error.strerror}.") from error
        self._remove.detach()
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)
        self._lock.release()


class _Lookup:
    """Answers by full code, each looked up once and then let go."""

    def __init__(
        self, answers: Mapping[str, Answers | npt.NDArray[Any]], made: dict[str, Answers]
    ) -> None:
        self._answers = answers
        self._made = made

    def take(self, canonical: str, code: str) -> Answers:
        made = self._made.pop(canonical, None)
        return Answers.of(self._answers[code]) if made is None else made


def _let_go(folder: Path, lock: WriterLock) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    lock.release()


def _written_dates(written: _Written) -> tuple[date, date]:
    return written.stored.wave.starts, written.stored.wave.ends
