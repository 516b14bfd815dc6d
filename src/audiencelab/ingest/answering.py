"""What respondents answered, question by question: looked over first, then packed into bits.

Both are tasks for `Workers`: some questions, of all waves or of one. A task finds the survey in
memory, or in the file that `hand_out` wrote for processes.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.questionnaire import Questionnaire
from audiencelab.ingest.report import ImportReport, UnknownValue
from audiencelab.ingest.tables import Progress, Table
from audiencelab.ingest.values import unknown_values
from audiencelab.ingest.waves import Segment, WaveRows
from audiencelab.ingest.workers import Tell, Workers
from audiencelab.survey.answers import Answers, Bits, location_order, pack_answers, words_for
from audiencelab.survey.catalogue import Catalogue, SurveyQuestion
from audiencelab.survey.errors import SurveyError
from audiencelab.survey.layout import writes

__all__ = ["SurveyRows", "WaveBits", "WaveNumbers", "hand_out", "look_over"]

_CELLS_A_TASK = 4 << 20
"""So that a task is much more work than handing it over."""

Order = npt.NDArray[np.intp]
T = TypeVar("T")


@dataclass(frozen=True)
class SurveyRows:
    """All that answers are made from."""

    questionnaire: Questionnaire
    waves: Sequence[WaveRows]

    @property
    def respondents(self) -> int:
        """How many rows the waves have together."""
        return sum(map(len, self.waves))


def hand_out(survey: SurveyRows, folder: Path, workers: Workers) -> SurveyRows | Path:
    """The survey as tasks take it: itself, or for processes a file in the folder."""
    if workers.jobs == 1:
        return survey
    path = folder / "survey"
    with writes(folder), path.open("wb") as file:
        pickle.dump(_lean(survey), file, pickle.HIGHEST_PROTOCOL)
    return path


def _lean(survey: SurveyRows) -> SurveyRows:
    """The survey without what only this process needs: a million weights are a million texts."""
    wanted = {name for rules in survey.questionnaire.rules.values() for name in rules.columns}
    tables: dict[str, Table] = {}

    def lean(segment: Segment) -> Segment:
        table = tables.get(segment.table.place)
        if table is None:
            columns = {name: each for name, each in segment.table.columns.items() if name in wanted}
            table = tables[segment.table.place] = replace(
                segment.table, columns=columns, variables={}
            )
        return Segment(table, segment.rows, np.zeros(0))

    waves = [WaveRows(each.wave, [lean(part) for part in each.segments]) for each in survey.waves]
    return SurveyRows(survey.questionnaire, waves)


@lru_cache(maxsize=1)
def _read(path: Path) -> SurveyRows:
    with path.open("rb") as file:
        survey = pickle.load(file)
    assert isinstance(survey, SurveyRows)
    return survey


def _taken(at: SurveyRows | Path) -> SurveyRows:
    return at if isinstance(at, SurveyRows) else _read(at)


# ---- looking over ----


def look_over(
    survey: SurveyRows,
    at: SurveyRows | Path,
    workers: Workers,
    progress: Progress,
    report: ImportReport,
) -> dict[str, tuple[str, ...]]:
    """The questions that each wave asked of somebody; unknown values go to the report.

    Raises `SurveyError` for a wave in which nobody has a location.
    """
    questionnaire = survey.questionnaire
    codes = list(questionnaire.rules)
    tasks = [_Look(at, batch) for batch in _batches(codes, survey.respondents)]
    progress.start("looking over", sum(map(questionnaire.columns, codes)) * survey.respondents)
    kept: dict[str, list[str]] = {rows.wave.code: [] for rows in survey.waves}
    looked = (each for batch in workers.map(_look, tasks, progress) for each in batch)
    for code, (asked, unknown) in zip(codes, looked, strict=True):
        report.unknown_values.extend(unknown)
        if not any(asked):
            report.empty_questions.append(code)
        for wave, there in zip(kept, asked, strict=True):
            if there:
                kept[wave].append(code)
    progress.done()
    location = questionnaire.location
    if questionnaire.everywhere:
        kept = {wave: [*codes, location] for wave, codes in kept.items()}
    elif missing := [wave for wave, codes in kept.items() if location not in codes]:
        raise SurveyError(
            f"The location question {location} has no answers in {', '.join(missing)}."
        )
    return {wave: tuple(codes) for wave, codes in kept.items()}


@dataclass(frozen=True)
class _Look:
    at: SurveyRows | Path
    codes: Sequence[str]


def _look(task: _Look, tell: Tell) -> list[tuple[list[bool], list[UnknownValue]]]:
    """Of each question, whether each wave asked it of somebody, and the unknown values."""
    survey = _taken(task.at)
    found: list[tuple[list[bool], list[UnknownValue]]] = []
    for code in task.codes:
        rules = survey.questionnaire.rules[code]
        asked = [survey.questionnaire.was_asked(code, wave) for wave in survey.waves]
        unknown = [
            value
            for wave in survey.waves
            for segment in wave.segments
            for value in unknown_values(code, rules, segment)
        ]
        found.append((asked, unknown))
        tell(survey.questionnaire.columns(code) * survey.respondents)
    return found


def _batches(questions: Sequence[T], respondents: int) -> Iterator[Sequence[T]]:
    step = max(1, _CELLS_A_TASK // max(1, respondents))
    for first in range(0, len(questions), step):
        yield questions[first : first + step]


# ---- packing ----


class WaveBits(Mapping[str, Bits]):
    """The bits of a wave's questions, respondents by location, as a builder looks them up.

    Questions are packed in the order of the catalogue, and must be looked up in it. order: of the
    wave's respondents; also of their weights.
    """

    def __init__(
        self,
        survey: SurveyRows,
        at: SurveyRows | Path,
        place: int,
        asked: Sequence[str],
        catalogue: Catalogue,
        workers: Workers,
        progress: Progress,
    ) -> None:
        wave, questionnaire = survey.waves[place], survey.questionnaire
        location = catalogue.question(questionnaire.location)
        located = questionnaire.answers(location.canonical, wave)
        located.check(wave.wave.code, location, len(wave))
        self.order = location_order(located, location)
        given = set(asked)
        self._questions = [each for each in catalogue.questions if each.canonical in given]
        order: Order | Path = self.order
        if isinstance(at, Path):
            order = at.with_name(f"order-{place}.npy")
            with writes(at.parent):
                np.save(order, self.order)
        tasks = [_Pack(at, place, order, batch) for batch in _batches(self._questions, len(wave))]
        packed = workers.map(_pack, tasks, progress)
        self._bits = (bits for batch in packed for bits in batch)
        self._next = iter(self._questions)

    @property
    def octets(self) -> int:
        """How many bytes of bits there are."""
        rows = sum(1 + question.rows for question in self._questions)
        return rows * words_for(len(self.order)) * 8

    def __getitem__(self, code: str) -> Bits:
        expected = next(self._next, None)
        if expected is None or expected.canonical != code:
            raise KeyError(code)  # pragma: no cover - the builder asks for all, in order
        return next(self._bits)

    def __iter__(self) -> Iterator[str]:
        return (question.canonical for question in self._questions)

    def __len__(self) -> int:  # pragma: no cover - every Mapping has one
        return len(self._questions)


class WaveNumbers(Mapping[str, npt.NDArray[np.float64]]):
    """The numbers behind the bands of a wave, made when looked up; respondents in `order`."""

    def __init__(self, survey: SurveyRows, place: int, asked: Sequence[str], order: Order) -> None:
        self._questionnaire = survey.questionnaire
        self._wave = survey.waves[place]
        rules = survey.questionnaire.rules
        self._codes = [code for code in asked if code in rules and rules[code].has_numbers]
        self._order = order

    def __getitem__(self, code: str) -> npt.NDArray[np.float64]:
        return self._questionnaire.numbers(code, self._wave)[self._order]

    def __iter__(self) -> Iterator[str]:
        return iter(self._codes)

    def __len__(self) -> int:  # pragma: no cover - every Mapping has one
        return len(self._codes)


@dataclass(frozen=True)
class _Pack:
    """Questions of the wave at `place`. order: of its respondents, or a file with it."""

    at: SurveyRows | Path
    place: int
    order: Order | Path
    questions: Sequence[SurveyQuestion]


def _pack(task: _Pack, tell: Tell) -> list[Bits]:
    survey = _taken(task.at)
    wave = survey.waves[task.place]
    order = np.load(task.order, mmap_mode="r") if isinstance(task.order, Path) else task.order
    packed: list[Bits] = []
    for question in task.questions:
        answers: Answers = survey.questionnaire.answers(question.canonical, wave)
        answers.check(wave.wave.code, question, len(wave))
        packed.append(pack_answers(question, answers, order))
        tell(packed[-1].nbytes)
    return packed
