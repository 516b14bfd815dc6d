"""New versions of a survey: read the old one, write the next beside it, rename.

`revise` does that for every change (derived questions here, weights in `raking`, waves in
`adding`), so that locks, copies and derived questions are handled once.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from audiencelab.expressions import NumberRange
from audiencelab.survey.answers import QuestionBits, Raking
from audiencelab.survey.builder import SurveyBuilder
from audiencelab.survey.catalogue import SurveyCatalogue, SurveyQuestion
from audiencelab.survey.condition_codes import conditions_of
from audiencelab.survey.derivations import (
    Definition,
    Grouping,
    code_of,
    sources_of,
    with_derived,
)
from audiencelab.survey.derived_bits import derived_bits, group_bits, shared_by
from audiencelab.survey.errors import SurveyError
from audiencelab.survey.layout import check_target, writes
from audiencelab.survey.lazy_mapping import LazyMapping
from audiencelab.survey.locks import REPLACED, WriterLock
from audiencelab.survey.raked_margins import with_changed_margins
from audiencelab.survey.reader import Survey, WaveData
from audiencelab.survey.texts import StoredText, Texts
from audiencelab.survey.weights import Weights

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ChangedAnswers:
    """New answers of a wave by full codes of questions.

    bits: None for a question that the wave does not have any more. numbers: of those that have
    some.
    """

    bits: Mapping[str, QuestionBits | None] = field(default_factory=dict[str, QuestionBits | None])
    numbers: Mapping[str, Numbers] = field(default_factory=dict[str, Numbers])


@dataclass(frozen=True, slots=True)
class Revision:
    """The content of the next version.

    catalogue: without the derived questions, which `definitions` add. waves: of this survey and of
    others, whose questions are found by their codes. weights: new ones by wave, float64[n]; waves
    left out keep theirs, and the survey keeps its grid if none are given. raking: the margins that
    new weights were raked to. other_weights, other_rakings: the same of weights beside the usual
    one, by wave and name; those left out stay. report, codebook: None for those of this survey.
    changed: answers by wave, in place of those that it has. texts: columns of text by wave, instead
    of those that it has; None removes one. described: what is known of columns that are new.
    """

    catalogue: SurveyCatalogue
    definitions: tuple[Definition, ...]
    waves: tuple[WaveData, ...]
    weights: Mapping[str, Weights] = field(default_factory=dict[str, Weights])
    raking: Mapping[str, Raking] = field(default_factory=dict[str, Raking])
    provenance: Mapping[str, Any] = field(default_factory=dict[str, Any])
    report: Any = None
    codebook: Any = None
    changed: Mapping[str, ChangedAnswers] = field(default_factory=dict[str, ChangedAnswers])
    texts: Mapping[str, Mapping[str, Texts | None]] = field(
        default_factory=dict[str, Mapping[str, "Texts | None"]]
    )
    described: tuple[StoredText, ...] = ()
    other_weights: Mapping[str, Mapping[str, Weights]] = field(
        default_factory=dict[str, Mapping[str, Weights]]
    )
    other_rakings: Mapping[str, Mapping[str, Raking]] = field(
        default_factory=dict[str, Mapping[str, Raking]]
    )


def revise(
    path: str | Path, plan: Callable[[Survey], Revision], *, out: str | Path | None = None
) -> Survey:
    """Write the next version of a survey, in its folder or at `out`, and open it.

    The lock is held from before the old version is read, so that no other change is lost.
    Raises `SurveyBusyError` if another process is writing, `SurveyError` if the new version cannot
    be written, and whatever `plan` raises; the old version then stays as it is.
    """
    source = Path(path).expanduser().absolute()
    target = source if out is None else Path(out).expanduser().absolute()
    check_target(target, replace=target == source)
    with writes(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    # The lock is on what is written: readers of the source need none.
    lock = WriterLock(target)
    try:
        survey = Survey.open(source)
        return _write(survey, plan(survey), target, lock)
    finally:
        lock.release()


def open_to_change(path: str | Path) -> Survey:
    """Open a survey that is changed next; raises as `Survey.open`, and `SurveyBusyError`.

    The version that a killed writer had moved away is restored first, as by any other writer.
    """
    folder = Path(path).expanduser().absolute()
    moved = f".{glob.escape(folder.name)}.*{REPLACED}"
    if not folder.exists() and any(folder.parent.glob(moved)):
        WriterLock(folder).release()
    return Survey.open(folder)


def derive(survey: Survey, *definitions: Definition, out: str | Path | None = None) -> Survey:
    """Add derived questions to a survey.

    A definition with the code of a derived question replaces it. Use the returned survey from then
    on: the old object knows the old version only.

    survey: the survey to add them to.
    definitions: `Net`, `Bands`, `Cross` or `Grouping`.
    out: a folder for a new survey; by default the new version replaces this one.

    Raises `SurveyError` with every fault of the definitions; `SurveyBusyError`: another process is
    writing the survey.

    >>> young = Net(code="young", name="Young", question="q4",
    ...             datapoints=(NetPoint("Under 35", ("q4_1", "q4_2")),))
    >>> survey = derive(survey, young)
    """
    return revise(survey.path, lambda current: with_definitions(current, definitions), out=out)


def with_definitions(survey: Survey, definitions: Sequence[Definition]) -> Revision:
    """The next version with derived questions, in place of those that have their codes.

    Raises `SurveyError` for a range of numbers that the survey does not keep.
    """
    base = survey.catalogue.base_namespace
    for each in definitions:
        for node in conditions_of(each.expressions) if isinstance(each, Grouping) else ():
            code = survey.catalogue.canonical(node.question)
            if isinstance(node, NumberRange) and code not in survey.numbered:
                raise SurveyError(
                    f"{each.code}: the survey keeps no numbers of respondents for {code}. Name its "
                    "answers in place of a range."
                )
    kept = {code_of(each, base): each for each in (*survey.derived, *definitions)}
    return Revision(asked_questions(survey), tuple(kept.values()), all_waves(survey))


def asked_questions(survey: Survey) -> SurveyCatalogue:
    """The survey's catalogue without its derived questions."""
    catalogue = survey.catalogue
    derived = {code_of(each, catalogue.base_namespace) for each in survey.derived}
    asked = tuple(each for each in catalogue.questions if each.canonical not in derived)
    return msgspec.structs.replace(catalogue, questions=asked)


def all_waves(survey: Survey) -> tuple[WaveData, ...]:
    """The data of every wave."""
    return tuple(survey.wave(wave.code) for wave in survey.waves)


def _write(survey: Survey, revision: Revision, target: Path, lock: WriterLock) -> Survey:
    definitions = _overlapping(revision)
    catalogue = with_derived(revision.catalogue, definitions)
    manifest = survey.manifest
    with SurveyBuilder(
        target,
        catalogue,
        name=manifest.name,
        description=manifest.description,
        saved_audiences=survey.saved_audiences,
        insights=survey.insights,
        provenance=_provenance(survey, revision, catalogue, definitions),
        derived=definitions,
        record=survey.record,
        codebook=survey.codebook if revision.codebook is None else revision.codebook,
        texts=_described(survey, revision),
        # The old weights lie on the old grid, so that their sums stay the same to the last bit.
        weight_bits=None if revision.weights else manifest.weight_bits,
        replace=target == survey.path,
        lock=lock,
    ) as builder:
        for wave in revision.waves:
            weights = revision.weights.get(wave.code, wave.weights)
            changed = revision.changed.get(wave.code, ChangedAnswers())
            rows = _RevisedWave(wave, catalogue, definitions, changed)
            given = set(rows)
            kept = {
                code: changed.numbers.get(code) if code in changed.bits else wave.numbers(code)
                for code in dict.fromkeys((*wave.numeric, *changed.numbers))
                if code in given
            }
            numbers = {code: each for code, each in kept.items() if each is not None}
            new = revision.other_weights.get(wave.code, {})
            others = {**wave.other_weights, **new}
            # A weight that is replaced loses the margins that the old one was raked to.
            kept_rakings = {
                name: each for name, each in wave.other_rakings.items() if name not in new
            }
            rakings = {**kept_rakings, **revision.other_rakings.get(wave.code, {})}
            # Replicate weights of other weights would give wrong variances.
            design = wave.design
            if wave.code in revision.weights:
                design = replace(design, replicates=None, raking=revision.raking.get(wave.code))
            texts = _texts_of(wave, revision.texts.get(wave.code, {}))
            builder.add_packed_wave(
                wave.wave, weights, rows, design, numbers, others, texts, rakings
            )
        return builder.finish(survey.import_report if revision.report is None else revision.report)


def _provenance(
    survey: Survey,
    revision: Revision,
    catalogue: SurveyCatalogue,
    definitions: Sequence[Definition],
) -> dict[str, Any]:
    """What is known of the next version, with the margins of weights that it changes."""
    again = {name for each in revision.other_weights.values() for name in each}
    given = {wave.code: wave for wave in revision.waves}

    def is_changed(question: str) -> bool:
        return any(
            _has_other_answers(
                survey.wave(wave.code),
                _RevisedWave(
                    given[wave.code],
                    catalogue,
                    definitions,
                    revision.changed.get(wave.code, ChangedAnswers()),
                ),
                survey.catalogue.canonical(question),
            )
            for wave in survey.waves
            if wave.code in given
        )

    provenance = {**survey.manifest.provenance, **revision.provenance}
    return with_changed_margins(provenance, [*again, *[None] * bool(revision.weights)], is_changed)


def _has_other_answers(before: WaveData, now: _RevisedWave, code: str) -> bool:
    """Whether an answer to a question is gone, or others gave it than before."""
    old = before.question(code)
    new = now[code] if code in {*now} else None
    if old is None or new is None:
        return old is not new
    points = old.question.datapoint_positions
    return not points.keys() <= new.question.datapoint_positions.keys() or any(
        not np.array_equal(old.datapoint(point), new.datapoint(point)) for point in points
    )


def _texts_of(wave: WaveData, changed: Mapping[str, Texts | None]) -> Mapping[str, Texts]:
    """The columns of text that a wave will have; each is read when it is looked up."""
    names = dict.fromkeys((*wave.text_names, *changed))

    def read(name: str) -> Texts:
        found = changed[name] if name in changed else wave.text(name)
        if found is None:
            raise KeyError(name)  # pragma: no cover - only existing columns are looked up
        return found

    return LazyMapping((each for each in names if changed.get(each, ...) is not None), read)


def _described(survey: Survey, revision: Revision) -> tuple[StoredText, ...]:
    """What is known of all columns of text; new descriptions replace old ones."""
    known = {each.name: each for each in (*survey.texts, *revision.described)}
    return tuple(known.values())


def _overlapping(revision: Revision) -> tuple[Definition, ...]:
    """The definitions; groups that share a respondent of any wave are of several answers."""
    definitions = [*revision.definitions]
    for place, definition in enumerate(definitions):
        if not isinstance(definition, Grouping) or definition.several:
            continue
        known = definitions[: place + 1]
        catalogue = with_derived(revision.catalogue, known)
        code = code_of(definition, catalogue.base_namespace)
        for wave in revision.waves:
            changed = revision.changed.get(wave.code, ChangedAnswers())
            found = _RevisedWave(wave, catalogue, known, changed).question(code)
            if found is not None and shared_by(found.matrix).any():
                definitions[place] = msgspec.structs.replace(definition, several=True)
                break
    return tuple(definitions)


class _RevisedWave(Mapping[str, QuestionBits]):
    """The bits of a wave's questions as the new catalogue has them, made when looked up."""

    def __init__(
        self,
        wave: WaveData,
        catalogue: SurveyCatalogue,
        definitions: Sequence[Definition],
        changed: ChangedAnswers,
    ) -> None:
        self.code = wave.code
        self.respondents = wave.respondents
        self.location = catalogue.location_question
        self._wave = wave
        self._changed = changed.bits
        self._numbers = changed.numbers
        self._catalogue = catalogue
        self._definitions = {code_of(each, catalogue.base_namespace): each for each in definitions}
        self._groups: dict[str, QuestionBits | None] = {}

    def __getitem__(self, code: str) -> QuestionBits:
        definition = self._definitions.get(code)
        if definition is not None:
            # A source may be derived itself; definitions only name questions before them, so this
            # ends.
            if isinstance(definition, Grouping):
                found = self._grouped(code, definition)
                assert found is not None, "only existing questions are looked up"
                return found
            sources = [self[self._catalogue.canonical(each)] for each in sources_of(definition)]
            return derived_bits(definition, self._catalogue.question(code), sources)
        found = self._changed[code] if code in self._changed else self._wave.question(code)
        if found is None:
            raise KeyError(code)  # pragma: no cover - only existing questions are looked up
        return _fitted(found, self._catalogue.question(code))

    def __iter__(self) -> Iterator[str]:
        return (each.canonical for each in self._catalogue.questions if self._has(each.canonical))

    def __len__(self) -> int:  # pragma: no cover - every Mapping has one
        return sum(1 for _ in self)

    def _has(self, code: str) -> bool:
        """A wave has a derived question if it asked all that it is made from."""
        definition = self._definitions.get(code)
        if definition is None:
            known = self._changed[code] if code in self._changed else self._wave.question(code)
            return known is not None
        if isinstance(definition, Grouping):
            return self._grouped(code, definition) is not None
        return all(self._has(self._catalogue.canonical(each)) for each in sources_of(definition))

    def question(self, code: str) -> QuestionBits | None:
        """The answers to a question, by its code with or without namespace."""
        canonical = self._catalogue.canonical(code)
        return self[canonical] if self._has(canonical) else None

    def numbers(self, code: str) -> Numbers | None:
        """The numbers of a question that has some."""
        canonical = self._catalogue.canonical(code)
        if canonical in self._changed:
            return self._numbers.get(canonical)
        return self._wave.numbers(canonical)

    def _grouped(self, code: str, definition: Grouping) -> QuestionBits | None:
        """The bits of groups; None where the wave covers none of them. Made once."""
        if code not in self._groups:
            made = group_bits(definition, self._catalogue.question(code), self)
            self._groups[code] = made
        return self._groups[code]


def _fitted(found: QuestionBits, question: SurveyQuestion) -> QuestionBits:
    """A question's bits in the order of another catalogue; answers new to the wave are empty.

    Items that are new to the wave were not offered in it; of new answers that is not known.
    """
    old = found.question
    points, suffixes = list(question.datapoint_positions), list(question.suffix_positions)
    # Nothing moved: the rows stay views of the old file, and are not copied.
    if [*old.datapoint_positions] == points and [*old.suffix_positions] == suffixes:
        return QuestionBits(question, found.rows, found.items, found.not_offered)
    rows = np.zeros((1 + question.rows, found.rows.shape[1]), found.rows.dtype)
    rows[0] = found.asked
    cells = [(point, suffix) for point in points for suffix in suffixes or [None]]
    for number, (point, suffix) in enumerate(cells, start=1):
        if point in old.datapoint_positions and (suffix is None or suffix in old.suffix_positions):
            rows[number] = found.datapoint(point, () if suffix is None else (suffix,))
    new = [point for point in points if point not in old.datapoint_positions]
    gone = () if question.kind == "single" else new
    return QuestionBits(question, rows, found.items, (*found.not_offered, *gone))
