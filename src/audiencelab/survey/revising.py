"""New versions of a survey: read the old one, write the next beside it, rename.

`revise` does that for every change (derived questions here, waves in `adding`, weights in
`raking`), so that there is one place where locks, copies and derived questions meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from audiencelab.survey.bits import Bits
from audiencelab.survey.builder import SurveyBuilder
from audiencelab.survey.catalogue import Catalogue, SurveyQuestion
from audiencelab.survey.deriving import code_of, derived_rows, sources_of, with_derived
from audiencelab.survey.layout import check_target
from audiencelab.survey.locks import WriterLock
from audiencelab.survey.reader import QuestionBits, Survey, WaveData
from audiencelab.survey.recipes import Recipe
from audiencelab.survey.weights import Weights
from audiencelab.survey.writing import writes

__all__ = ["Revision", "asked_questions", "derive", "revise"]


@dataclass(frozen=True, slots=True)
class Revision:
    """What the next version holds.

    catalogue: without the derived questions, which come from the recipes. waves: of this survey and
    of others, whose questions are found by their codes. weights: new ones by wave, float64[n];
    waves left out keep theirs, and the survey keeps its grid if none are given.
    """

    catalogue: Catalogue
    recipes: tuple[Recipe, ...]
    waves: tuple[WaveData, ...]
    weights: Mapping[str, Weights] = field(default_factory=dict[str, Weights])
    provenance: Mapping[str, Any] = field(default_factory=dict[str, Any])
    report: Any = None


def revise(
    path: str | Path, plan: Callable[[Survey], Revision], *, out: str | Path | None = None
) -> Survey:
    """Write the next version of a survey, in its place or at `out`, and open it.

    The lock is held from before the old version is read, so that no other change is lost.
    Raises `SurveyBusyError` if somebody else is writing, `SurveyError` if the new version cannot be
    written, and whatever `plan` raises; the old version then stays as it is.
    """
    source = Path(path).expanduser().absolute()
    target = source if out is None else Path(out).expanduser().absolute()
    check_target(target, replace=target == source)
    with writes(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    lock = WriterLock(target)
    try:
        survey = Survey.open(source)
        return _write(survey, plan(survey), target, lock)
    finally:
        lock.release()


def derive(survey: Survey, recipes: Sequence[Recipe], *, out: str | Path | None = None) -> Survey:
    """Add derived questions to a survey, in its place or as a new survey at `out`.

    A recipe with the code of a derived question takes its place. Returns the new version; go on
    with that.
    Raises `SurveyError` with every fault of the recipes.
    """

    def plan(current: Survey) -> Revision:
        base = current.catalogue.base_namespace
        kept = {code_of(recipe, base): recipe for recipe in current.derived}
        kept |= {code_of(recipe, base): recipe for recipe in recipes}
        waves = tuple(current.wave(wave.code) for wave in current.waves)
        return Revision(asked_questions(current), tuple(kept.values()), waves)

    return revise(survey.path, plan, out=out)


def asked_questions(survey: Survey) -> Catalogue:
    """The survey's catalogue without its derived questions."""
    catalogue = survey.catalogue
    derived = {code_of(recipe, catalogue.base_namespace) for recipe in survey.derived}
    return msgspec.structs.replace(
        catalogue,
        questions=tuple(each for each in catalogue.questions if each.canonical not in derived),
    )


def _write(survey: Survey, revision: Revision, target: Path, lock: WriterLock) -> Survey:
    catalogue = with_derived(revision.catalogue, revision.recipes)
    manifest = survey.manifest
    with SurveyBuilder(
        target,
        catalogue,
        name=manifest.name,
        description=manifest.description,
        saved_audiences=survey.saved_audiences,
        insights=survey.insights,
        provenance={**manifest.provenance, **revision.provenance},
        derived=revision.recipes,
        weight_bits=None if revision.weights else manifest.weight_bits,
        replace=target == survey.path,
        lock=lock,
    ) as builder:
        for wave in revision.waves:
            weights = revision.weights.get(wave.code, wave.weights)
            rows = _RevisedWave(wave, catalogue, revision.recipes)
            kept = {code: wave.numbers(code) for code in wave.numeric}
            numbers = {code: each for code, each in kept.items() if each is not None}
            builder.add_packed_wave(wave.wave, weights, rows, wave.design, numbers)
        return builder.finish(survey.import_report if revision.report is None else revision.report)


class _RevisedWave(Mapping[str, Bits]):
    """The rows of a wave's questions as the new catalogue has them, made when looked up."""

    def __init__(self, wave: WaveData, catalogue: Catalogue, recipes: Sequence[Recipe]) -> None:
        self._wave = wave
        self._catalogue = catalogue
        self._recipes = {code_of(recipe, catalogue.base_namespace): recipe for recipe in recipes}

    def __getitem__(self, code: str) -> Bits:
        question = self._catalogue.question(code)
        recipe = self._recipes.get(code)
        if recipe is not None:
            return derived_rows(recipe, [self._source(each) for each in sources_of(recipe)])
        found = self._wave.question(code)
        if found is None:
            raise KeyError(code)  # pragma: no cover - only what is there is asked for
        return _fitted(found, question)

    def __iter__(self) -> Iterator[str]:
        return (each.canonical for each in self._catalogue.questions if self._has(each.canonical))

    def __len__(self) -> int:  # pragma: no cover - every Mapping has one
        return sum(1 for _ in self)

    def _has(self, code: str) -> bool:
        """A wave has a derived question if it asked all that it is made from."""
        recipe = self._recipes.get(code)
        if recipe is None:
            return self._wave.question(code) is not None
        return all(self._has(self._catalogue.canonical(each)) for each in sources_of(recipe))

    def _source(self, code: str) -> QuestionBits:
        question = self._catalogue.question(code)
        return QuestionBits(question, self[question.canonical])


def _fitted(found: QuestionBits, question: SurveyQuestion) -> Bits:
    """A question's rows in the order of another catalogue; what the wave did not know is empty."""
    old = found.question
    if [*old.datapoint_positions] == [*question.datapoint_positions] and [
        *old.suffix_positions
    ] == [*question.suffix_positions]:
        return found.rows
    rows = np.zeros((1 + question.rows, found.rows.shape[1]), found.rows.dtype)
    rows[0] = found.asked
    cells = [(point, suffix) for point in _codes(question) for suffix in _suffixes(question)]
    for place, (point, suffix) in enumerate(cells, start=1):
        if point in old.datapoint_positions and (suffix is None or suffix in old.suffix_positions):
            rows[place] = found.datapoint(point, () if suffix is None else (suffix,))
    return rows


def _codes(question: SurveyQuestion) -> list[str]:
    return list(question.datapoint_positions)


def _suffixes(question: SurveyQuestion) -> list[str | None]:
    return list(question.suffix_positions) or [None]
