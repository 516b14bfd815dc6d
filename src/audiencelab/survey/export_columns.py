"""The columns of an exported survey: what each holds, and its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from audiencelab.schema import Datapoint, Suffix
from audiencelab.survey.answers import Bits, QuestionBits, unpack
from audiencelab.survey.catalogue import SurveyQuestion
from audiencelab.survey.derivations import DERIVED_FLAG
from audiencelab.survey.reader import Survey, WaveData

WAVE = "wave"
WEIGHT = "weight"
DESIGN = {"strata": "stratum", "clusters": "cluster", "persons": "person"}
"""The columns of a sample design, in the survey and in the file."""

Rename = Callable[[str, Iterable[str]], str]
"""Makes a name that a format allows, and that is not among those taken."""


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """A column: rows of a question's matrix, and the number and label of each in a cell.

    datapoint, suffix: what the column belongs to; None where its cells distinguish them.
    """

    name: str
    label: str
    question: SurveyQuestion
    rows: tuple[int, ...]
    labels: Mapping[int, str]
    datapoint: str | None = None
    suffix: str | None = None

    def values(self, wave: WaveData) -> npt.NDArray[np.int32]:
        """The wave's cells, int32[n]: -1 where not asked, 0 where asked and not chosen.

        An item counts by who was asked it, but one of a derived question by the question.
        """
        found, n = wave.question(self.question.canonical), wave.respondents
        if found is None:
            return np.full(n, -1, np.int32)
        values = np.zeros(n, np.int32)
        for number, row in zip(self.labels, self.rows, strict=True):
            values[unpack(found.matrix[row], n)] = number
        # Last, so that it also holds where bits outside of `asked` are set.
        values[~unpack(self._asked(found), n)] = -1
        return values

    def _asked(self, found: QuestionBits) -> Bits:
        if self.datapoint is None or DERIVED_FLAG in self.question.flags:
            return found.asked
        return found.asked_of(self.datapoint)


def columns_of(survey: Survey, rename: Rename | None = None) -> list[AnswerColumn]:
    """The columns of all questions, with names that differ; rename: makes an allowed name."""
    taken = _taken(survey) | {*weight_columns(survey, rename).values()}
    columns: list[AnswerColumn] = []
    for question in survey.catalogue.questions:
        for column in answer_columns(survey, question):
            # A name that no column has: with the namespace if need be, then with a number.
            name = column.name
            if name in taken:
                name = f"{question.namespace_code}.{name}"
            columns.append(replace(column, name=_free(name, taken, rename)))
    return columns


def weight_columns(survey: Survey, rename: Rename | None = None) -> dict[str, str]:
    """The columns of all weights but the first, by their names; rename: as in `columns_of`."""
    taken = _taken(survey)
    names = [each.name for each in survey.manifest.other_weights]
    return {name: _free(name, taken, rename) for name in names}


def _taken(survey: Survey) -> set[str]:
    """The columns whose names are always the same."""
    return {WAVE, WEIGHT, *design_columns(survey).values(), *measure_names(survey)}


def _free(name: str, taken: set[str], rename: Rename | None) -> str:
    """The name, with a number if it is taken; it is taken then."""
    number, free = 2, name if rename is None else rename(name, taken)
    while free in taken:
        number, free = number + 1, f"{name}_{number}"
    taken.add(free)
    return free


def design_columns(survey: Survey) -> dict[str, str]:
    """The columns of the design that some wave has."""
    known = {name for wave in survey.waves for name in survey.wave(wave.code).design.columns()}
    return {name: column for name, column in DESIGN.items() if name in known}


def answer_columns(survey: Survey, question: SurveyQuestion) -> Iterator[AnswerColumn]:
    """The columns of a question: one, or one for each item or each of its cells."""
    width = max(1, len(question.suffixes))
    if question.kind == "single":
        labels = _numbered(question.datapoints)
        yield AnswerColumn(
            question.code, question.name, question, tuple(range(question.rows)), labels
        )
        return
    for number, point in enumerate(question.datapoints):
        # A datapoint's code often begins with that of its question, which is not written twice.
        name = (
            point.code if point.code.startswith(question.code) else f"{question.code}_{point.code}"
        )
        label = f"{question.name}: {point.name}"
        rows = tuple(range(number * width, (number + 1) * width))
        if question.kind == "multiple":
            yield AnswerColumn(name, label, question, rows, SELECTED, point.code)
        elif not _several(survey, question, rows):
            labels = _numbered(question.suffixes)
            yield AnswerColumn(name, label, question, rows, labels, point.code)
        else:
            for suffix, row in zip(question.suffixes, rows, strict=True):
                cell, words = f"{name}_{suffix.code}", f"{label}: {suffix.name}"
                yield AnswerColumn(cell, words, question, (row,), SELECTED, point.code, suffix.code)


SELECTED = {1: "Selected"}


def _numbered(answers: Sequence[Datapoint | Suffix]) -> dict[int, str]:
    return {number: answer.name for number, answer in enumerate(answers, start=1)}


def _several(survey: Survey, question: SurveyQuestion, rows: tuple[int, ...]) -> bool:
    """Whether a respondent has more than one suffix of an item."""
    for code in question.waves:
        found = survey.wave(code).question(question.canonical)
        if found is None:
            continue
        block = found.matrix[rows[0] : rows[-1] + 1]
        seen = np.zeros_like(block[0])
        for row in block:
            # Two points of the scale for one item: a column with one value cannot hold both.
            if (seen & row).any():
                return True
            seen |= row
    return False


def measure_names(survey: Survey) -> list[str]:
    """The columns of the fpc and of replicate weights, as far as any wave has them."""
    designs = [survey.wave(wave.code).design for wave in survey.waves]
    most = max((len(each.replicates.scales) for each in designs if each.replicates), default=0)
    fpc = ["fpc"] if any(each.fpc is not None for each in designs) else []
    return [*fpc, *(f"replicate_{number}" for number in range(1, most + 1))]
