"""Validation of a survey: files, bits, weights, codes.

`check_survey` reads every file once, question by question, and changes nothing. A finding that
matters means that figures may be wrong; the others are worth knowing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from audiencelab.survey import layout
from audiencelab.survey.answers import Bits, QuestionBits, unpack, words_for
from audiencelab.survey.catalogue import SurveyQuestion
from audiencelab.survey.derivations import DERIVED_FLAG
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.reader import Survey, WaveData
from audiencelab.survey.text_files import is_closed
from audiencelab.survey.weights import TOTAL_BITS, Weights, effective_base, to_grid


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding; where: a wave, a question, or both, "" for the whole survey."""

    where: str
    detail: str
    matters: bool = True


@dataclass(frozen=True, slots=True)
class WeightSummary:
    """The weights of a wave, or of one location in it (`location` is "" for the whole wave).

    unweighted: respondents of weight 0. variation: standard deviation over mean (CV).
    effective_base: (Σw)² / Σw², Kish's effective sample size.
    """

    wave: str
    location: str
    respondents: int
    unweighted: int
    total: float
    least: float
    most: float
    variation: float
    effective_base: float

    @classmethod
    def of(cls, wave: str, location: str, weights: Weights) -> WeightSummary:
        """The summary of at least one weight."""
        mean = float(weights.mean())
        return cls(
            wave,
            location,
            len(weights),
            int(np.count_nonzero(weights == 0)),
            float(weights.sum()),
            float(weights.min()),
            float(weights.max()),
            float(weights.std()) / mean if mean else 0.0,
            effective_base(weights),
        )


@dataclass(slots=True)
class QuestionCoverage:
    """Respondents over all waves that have a question."""

    question: SurveyQuestion
    waves: list[str] = field(default_factory=list[str])
    respondents: int = 0
    asked: int = 0
    answered: int = 0


@dataclass(frozen=True, slots=True)
class SurveyCheck:
    """The findings of a check; `sound` if none of them matters."""

    findings: tuple[Finding, ...]
    weights: tuple[WeightSummary, ...]
    coverage: tuple[QuestionCoverage, ...]

    @property
    def sound(self) -> bool:
        """Whether no finding means that figures may be wrong."""
        return not any(finding.matters for finding in self.findings)


def check_survey(survey: Survey) -> SurveyCheck:
    """Check files, bits, weights and codes of a survey. Every byte of it is read.

    Raises `SurveyError` only for a catalogue that cannot be read.
    """
    return _Check(survey).run()


class _Check:
    """One pass over a survey."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._findings: list[Finding] = []
        self._weights: list[WeightSummary] = []
        questions = survey.catalogue.questions
        self._coverage = {question.canonical: QuestionCoverage(question) for question in questions}
        self._used = {each.canonical: np.zeros(each.rows, np.bool_) for each in questions}

    def run(self) -> SurveyCheck:
        if changed := self._survey.changed_files():
            self._report("", f"changed since they were written: {listed(changed)}")
        try:
            self._survey.catalogue.check()
        except SurveyError as error:
            self._report("", str(error))
        for stored in self._survey.manifest.waves:
            self._check_wave(stored)
        total = sum(summary.total for summary in self._weights if not summary.location)
        # In steps of the grid.
        if math.ldexp(total, self._survey.manifest.weight_bits) >= 2.0**TOTAL_BITS:
            self._report("", "the weights together are too heavy for their grid to sum exactly")
        for question in self._survey.catalogue.questions:
            self._check_codes(question)
        # Stable: those that matter come first, each kind in the order of the pass.
        self._findings.sort(key=lambda finding: not finding.matters)
        return SurveyCheck(
            tuple(self._findings), tuple(self._weights), tuple(self._coverage.values())
        )

    def _report(self, where: str, detail: str, *, matters: bool = True) -> None:
        self._findings.append(Finding(where, detail, matters))

    def _check_wave(self, stored: layout.StoredWave) -> None:
        code = stored.wave.code
        try:
            wave = self._survey.wave(code)
            wave.design.check(code, stored.wave.respondents)
            wave.design.check_population(code)
            _ = wave.weights, wave.other_weights
        except SurveyError as error:
            self._report(code, str(error))
            return
        words = words_for(stored.wave.respondents)
        if wave.shape != (stored.rows, words) or wave.weights.shape != (stored.wave.respondents,):
            self._report(
                code,
                f"its files have {wave.shape} and {len(wave.weights)} weights, the manifest "
                f"{(stored.rows, words)} and {stored.wave.respondents}",
            )
            return
        for question in self._survey.catalogue.questions:
            where = f"{code}, {question.canonical}"
            try:
                found = wave.question(question.canonical)
                wave.numbers(question.canonical)
            except SurveyError as error:
                self._report(where, str(error))
                continue
            if (found is not None) != (code in question.waves):
                self._report(where, "manifest and catalogue disagree about its waves")
            if found is not None:
                self._check_question(wave, found)
        self._check_texts(wave)
        self._check_weights(wave)

    def _check_texts(self, wave: WaveData) -> None:
        if wave.text_names and is_closed(self._survey.folder, f"{layout.TEXT}/{wave.code}"):
            self._report(wave.code, "its texts may be read by another user only", matters=False)
            return
        for name in wave.text_names:
            try:
                found = wave.text(name)
                _ = found and found.to_list()
            except SurveyError as error:
                self._report(f"{wave.code}, text {name}", str(error))
            except UnicodeDecodeError:
                self._report(f"{wave.code}, text {name}", "it is not valid UTF-8")

    # ---- bits ----

    def _check_question(self, wave: WaveData, found: QuestionBits) -> None:
        question, n = found.question, wave.respondents
        where = f"{wave.code}, {question.canonical}"
        answered = np.zeros_like(found.asked)
        twice = np.zeros_like(found.asked)
        outside = np.zeros_like(found.asked)
        padding = int(_past(found.asked, n))
        for number, row in enumerate(found.matrix):
            # Row by row, in the memory of a few rows: a question may have thousands of answers.
            twice |= answered & row
            answered |= row
            outside |= row & ~found.asked
            padding |= _past(row, n)
            self._used[question.canonical][number] |= bool(row.any())
        asked = _count(found.asked)
        if padding:
            self._report(where, "bits past the last respondent are set")
        if count := _count(outside):
            self._report(where, f"{count:,} respondents answered without being asked")
        if question.kind == "single" and (count := _count(twice)):
            self._report(where, f"{count:,} respondents gave more than the one answer allowed")
        if not asked:
            self._report(where, "no respondent was asked", matters=False)
        self._check_items(where, wave, found)
        covered = self._coverage[question.canonical]
        covered.waves.append(wave.code)
        covered.respondents += n
        covered.asked += asked
        covered.answered += _count(answered)

    def _check_items(self, where: str, wave: WaveData, found: QuestionBits) -> None:
        # Those of a derived question hold whose answers can be known: its answers are in both.
        is_derived = DERIVED_FLAG in found.question.flags
        for item, bits in found.items.items():
            if _past(bits, wave.respondents):
                self._report(where, "bits past the last respondent are set")
            if count := _count(bits & ~found.asked):
                self._report(where, f"{count:,} respondents were asked {item} and not the question")
            if not is_derived and (count := _count(found.datapoint(item) & ~bits)):
                detail = f"{count:,} respondents answered {item} without being asked it"
                self._report(where, detail)

    # ---- weights ----

    def _check_weights(self, wave: WaveData) -> None:
        weights = wave.weights
        if bad := int(np.count_nonzero(~(np.isfinite(weights) & (weights >= 0)))):
            self._report(wave.code, f"{bad:,} weights are not finite numbers of at least 0")
            return
        if not np.array_equal(to_grid(weights, self._survey.manifest.weight_bits), weights):
            self._report(
                wave.code, "weights are off the survey's grid, so that sums depend on their order"
            )
        whole = WeightSummary.of(wave.code, "", weights)
        self._weights.append(whole)
        if whole.unweighted:
            self._report(
                wave.code,
                f"{whole.unweighted:,} of {whole.respondents:,} respondents weigh 0",
                matters=False,
            )
        self._check_locations(wave)
        self._check_design(wave)

    def _check_design(self, wave: WaveData) -> None:
        strata, clusters = wave.design.strata, wave.design.clusters
        if strata is None or clusters is None:
            return
        pairs = np.unique(np.stack([strata, clusters]), axis=1)
        if pairs.shape[1] > len(np.unique(clusters)):
            self._report(wave.code, "a cluster is in more than one stratum")
        lonely = int(np.count_nonzero(np.unique(pairs[0], return_counts=True)[1] == 1))
        if lonely:
            self._report(
                wave.code,
                f"{lonely:,} strata have a single cluster, from which no variance follows",
                matters=False,
            )

    def _check_locations(self, wave: WaveData) -> None:
        try:
            found = wave.question(self._survey.catalogue.location_question)
        except SurveyError:
            return  # reported with the questions
        if found is None:
            self._report(wave.code, "it lacks the location question")
            return
        flags = unpack(found.matrix, wave.respondents)
        # Respondents in no location come after the last.
        locations = np.where(flags.any(axis=0), flags.argmax(axis=0), len(flags))
        if (np.diff(locations) < 0).any():
            self._report(wave.code, "its respondents are not sorted by location")
        for number, point in enumerate(found.question.datapoints):
            if (there := locations == number).any():
                name = point.name or point.code
                self._weights.append(WeightSummary.of(wave.code, name, wave.weights[there]))
        if nowhere := int(np.count_nonzero(locations == len(found.question.datapoints))):
            self._report(wave.code, f"{nowhere:,} respondents are in no location", matters=False)

    # ---- codes ----

    def _check_codes(self, question: SurveyQuestion) -> None:
        bare = [each.code for each in question.datapoints if each.name in ("", each.code)]
        bare += [f"suffix {each.code}" for each in question.suffixes if not each.name]
        if not question.name:
            self._report(question.canonical, "it has no name", matters=False)
        if bare:
            self._report(question.canonical, f"without a label: {listed(bare)}", matters=False)
        if not self._coverage[question.canonical].waves:
            self._report(question.canonical, "no wave asked it", matters=False)
        elif unused := list(_unused(question, self._used[question.canonical])):
            self._report(question.canonical, f"no respondent gave {listed(unused)}", matters=False)


def _unused(question: SurveyQuestion, used: npt.NDArray[np.bool_]) -> Iterator[str]:
    """The datapoints that no respondent gave, then such suffixes."""
    cells = used.reshape(len(question.datapoints), -1)
    for point, row in zip(question.datapoints, cells, strict=True):
        if not row.any():
            yield point.code
    for suffix, column in zip(question.suffixes, cells.T, strict=False):
        if not column.any():
            yield f"suffix {suffix.code}"


def _past(row: Bits, respondents: int) -> bool:
    """Whether a bit past the last respondent is set."""
    last = respondents % 64
    return bool(last and int(row[-1]) >> last)


def _count(row: Bits) -> int:
    return int(np.bitwise_count(row).sum())
