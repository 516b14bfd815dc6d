"""Encode answers: check the codebook's questions against the values, and pack them into bits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from math import isfinite

import numpy as np
import numpy.typing as npt
from msgspec import structs

from audiencelab.ingest.asked_of import AskedOf, in_doubt
from audiencelab.ingest.codebook import (
    EVERY_WAVE,
    Codebook,
    CodedDatapoint,
    CodedQuestion,
    canonical_value,
    datapoint_codes,
    distinct_labels,
    meanings_of,
    number_of,
    suffix_codes,
)
from audiencelab.ingest.codebook_checks import unknown_wave
from audiencelab.ingest.columns import Progress
from audiencelab.ingest.keys import ImportedKeys
from audiencelab.ingest.later_answers import LaterAnswers, later_answers
from audiencelab.ingest.markup import plain_text
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.meaning.scales import scale_flags
from audiencelab.ingest.readers.base import ReadColumns
from audiencelab.ingest.records import RecordsOfFile
from audiencelab.ingest.report import ImportReport, Offered, TickedSet
from audiencelab.ingest.texts import texts_of
from audiencelab.ingest.value_mapping import MOST_ANSWERS, QuestionRules, found_values, rules_for
from audiencelab.ingest.waves import WaveRows
from audiencelab.schema import Datapoint, Suffix, Value
from audiencelab.survey.answers import (
    Answers,
    Design,
    QuestionBits,
    location_order,
    pack_answers,
    words_for,
)
from audiencelab.survey.builder import SurveyBuilder
from audiencelab.survey.catalogue import SurveyCatalogue, SurveyNamespace, SurveyQuestion
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.lazy_mapping import LazyMapping
from audiencelab.survey.texts import Texts

_EVERYWHERE = "location"
"""Code of the location question of a survey that has none of its own."""

_PASSED_ON = (
    "code", "name", "kind", "accessible", "categories", "description", "knowledge_base", "message",
    "notice", "warning", "unit",
)  # fmt: skip


class CodedSurvey:
    """The codebook's questions with their rules, and the catalogue made of them.

    codebook: the one given, with the answers that were found where it lists none.
    """

    def __init__(self, codebook: Codebook, tables: Sequence[ReadColumns]) -> None:
        self.rules: dict[str, QuestionRules] = {}
        self.asked_of: dict[str, AskedOf] = {}
        self.later: dict[str, LaterAnswers] = {}
        effective: list[CodedQuestion] = []
        self._questions: dict[str, SurveyQuestion] = {}
        # Which waves offered an answer is not inferred then.
        self.is_pinned = codebook.pinned is not None
        for order, question in enumerate(codebook.questions, start=1):
            if not question.points:
                found = found_values(question, tables, codebook.source)
                named = distinct_labels({each: plain_text(each) for each in found})
                question = structs.replace(question, labels=named)
            effective.append(question)
            points = question.points
            if not points:
                raise SurveyError(
                    f"Question {question.code} has no datapoints, and column {question.column} "
                    "holds no values to make them from."
                )
            if (most := max(len(points), len(question.suffixes))) > MOST_ANSWERS:
                raise SurveyError(
                    f"Question {question.code} has {most:,} answers, and {MOST_ANSWERS:,} are the "
                    "most. Put numbers into bands (min, max), and leave free text out."
                )
            made = survey_question(question, codebook, order)
            self.rules[made.canonical] = rules_for(question, points, codebook.source)
            self._questions[made.canonical] = made
            if question.asked_of:
                self.asked_of[made.canonical] = AskedOf(question)
        self.codebook = structs.replace(codebook, questions=tuple(effective))
        base, location = codebook.study.namespace, codebook.study.location
        self.everywhere = location is None
        self.location = location or _EVERYWHERE
        if "." not in self.location:
            self.location = f"{base}.{self.location}"
        if self.everywhere:
            if self.location in self._questions:
                raise SurveyError(
                    f"The codebook has a question {_EVERYWHERE!r}, but does not name it as the "
                    f'location: add location = "{_EVERYWHERE}" to [study].'
                )
            self._questions[self.location] = SurveyQuestion(
                namespace_code=base,
                code=_EVERYWHERE,
                name="Location",
                kind="single",
                datapoints=(Datapoint(f"{_EVERYWHERE}_all", "All"),),
                description="This survey tells no locations apart.",
            )

    def answers(self, code: str, wave: WaveRows) -> Answers:
        """The answers of a wave's respondents to one question."""
        # Without a question of locations there is one, "All", for everyone.
        if self.everywhere and code == self.location:
            return Answers(np.zeros(len(wave), np.int8))
        rules, segments = self.rules[code], wave.segments
        # Of all files of the wave: one that holds nothing but ticks does not show it alone.
        unticked, texts = rules.unticked(segments), rules.texts(segments)
        pieces = [rules.answers(segment, unticked, texts) for segment in segments]
        found = pieces[0] if len(pieces) == 1 else _joined(pieces)
        if code in self.asked_of:
            found = self.asked_of[code].apply(found, wave.wave.code, segments)
        gone = rules.not_offered(wave.wave.code, () if self.is_pinned else segments)
        if code in self.later:
            gone = tuple(dict.fromkeys([*gone, *self.later[code].of(wave.wave.code)]))
        return replace(found, not_offered=gone)

    def was_asked(self, code: str, wave: WaveRows) -> bool:
        """Whether any respondent of a wave was asked a question."""
        # An empty cell means the same in every file, so each can be looked at alone.
        if not any(map(self.rules[code].was_asked, wave.segments)):
            return False
        return code not in self.asked_of or bool(self.answers(code, wave).asked_by(len(wave)).any())

    def numbers(self, code: str, wave: WaveRows) -> npt.NDArray[np.float64]:
        """The numbers of a wave's respondents, of a question that has them; NaN for none."""
        return np.concatenate([self.rules[code].numbers(segment) for segment in wave.segments])

    def catalogue(self, asked: Mapping[str, Iterable[str]]) -> SurveyCatalogue:
        """The catalogue of the questions that were asked in some wave. asked: by wave."""
        codebook = self.codebook
        codes = {code for each in asked.values() for code in each}
        used = dict.fromkeys(each.namespace_code for each in self._questions.values())
        return SurveyCatalogue(
            questions=tuple(each for code, each in self._questions.items() if code in codes),
            location_question=self.location,
            base_namespace=codebook.study.namespace,
            namespaces=codebook.namespaces or tuple(map(SurveyNamespace, used)),
            categories=codebook.categories,
            datasets=codebook.datasets,
        )


def _joined(pieces: Sequence[Answers]) -> Answers:
    """The answers of some respondents, then of others."""
    asked = [piece.asked_by(len(piece.values)) for piece in pieces]
    items = None
    if any(piece.items is not None for piece in pieces):
        points = pieces[0].values.shape[1]
        items = np.concatenate(
            [
                # Without a record of items, all who were asked the question were asked each.
                np.repeat(own[:, None], points, axis=1) if piece.items is None else piece.items
                for piece, own in zip(pieces, asked, strict=True)
            ]
        )
    values = np.concatenate([piece.values for piece in pieces])
    return Answers(values, np.concatenate(asked), items)


def survey_question(question: CodedQuestion, codebook: Codebook, order: int) -> SurveyQuestion:
    """The question of the catalogue that a question of a codebook makes."""
    points = question.points
    datasets = question.datasets
    if datasets is None:
        datasets = tuple(dataset.code for dataset in codebook.datasets[:1])
    codes, midpoints = datapoint_codes(question, points), midpoints_of(question)
    of_scale = suffix_codes(question.suffixes)
    suffixes = zip(count(1), of_scale, question.suffixes, midpoints, strict=False)
    if question.kind == "grid":
        midpoints = [point.midpoint for point in points]
    scale = (question.suffixes, of_scale) if question.kind == "grid" else (points, codes)
    flags = scale_flags(question, *scale, is_stated=codebook.pinned is not None)
    return SurveyQuestion(
        namespace_code=question.namespace or codebook.study.namespace,
        datapoints=tuple(
            Datapoint(code, point.name, point.accessible, _value(midpoint), Value(number))
            for number, code, point, midpoint in zip(
                count(1), codes, points, midpoints, strict=False
            )
        ),
        suffixes=tuple(
            Suffix(code, suffix.name, _value(midpoint), Value(number))
            for number, code, suffix, midpoint in suffixes
        ),
        datasets=datasets,
        order=order,
        flags=tuple(dict.fromkeys([*question.flags, *flags])),
        **{name: getattr(question, name) for name in _PASSED_ON},
    )


def midpoints_of(question: CodedQuestion) -> Sequence[float | None]:
    """The midpoints as given; where all answers, or points of a scale, are numbers, those."""
    points = question.suffixes if question.kind == "grid" else question.points
    given = [point.midpoint for point in points]
    # One midpoint that is given shows that the others were left out on purpose.
    if question.kind == "multiple" or any(midpoint is not None for midpoint in given):
        return given
    own: list[float] = []
    for point in points:
        # An answer is a number if it has that one value and no other name.
        number = number_of(canonical_value(point.name))
        is_named = meanings_of(point) == (canonical_value(point.name),)
        is_band = isinstance(point, CodedDatapoint) and point.is_band
        if is_band or not is_named or number is None or not isfinite(number):
            return given
        own.append(number)
    return own


def _value(number: float | None) -> Value | None:
    return None if number is None else Value(number)


def asked_questions(
    questionnaire: CodedSurvey, waves: Sequence[WaveRows], report: ImportReport
) -> dict[str, list[str]]:
    """The questions that each wave asked, by wave; unknown values go to the report.

    Raises `SurveyError` for a wave in which no respondent has a location, and for a datapoint that
    an unknown wave offered.
    """
    _check_offered(questionnaire, [wave.wave.code for wave in waves])
    asked: dict[str, list[str]] = {rows.wave.code: [] for rows in waves}
    for code, rules in questionnaire.rules.items():
        found = [wave for wave in waves if questionnaire.was_asked(code, wave)]
        for wave in found:
            asked[wave.wave.code].append(code)
        if not found:
            report.empty_questions.append(code)
        # A region that joins later is not an answer that was not offered before.
        if code != questionnaire.location and not questionnaire.is_pinned:
            questionnaire.later[code] = later_answers(rules, found)
            report.guesses += questionnaire.later[code].guesses
        for wave in waves:
            for segment in wave.segments:
                report.unknown_values.extend(rules.unknown_values(code, segment))
    location = questionnaire.location
    if questionnaire.everywhere:
        return {wave: [*codes, location] for wave, codes in asked.items()}
    if missing := [wave for wave, codes in asked.items() if location not in codes]:
        raise SurveyError(
            f"The location question {location} has no answers in {', '.join(missing)}."
        )
    return asked


def _check_offered(questionnaire: CodedSurvey, waves: Sequence[str]) -> None:
    for rules in questionnaire.rules.values():
        for point in rules.points:
            for wave in {*point.waves}.difference(waves, [EVERY_WAVE]):
                raise SurveyError(unknown_wave(rules.question, point, wave, waves))


class AskedReport:
    """Counts, wave by wave, blanks in sets of ticks, and what was not offered."""

    def __init__(self, questionnaire: CodedSurvey) -> None:
        self._rules = questionnaire.rules
        self._asked_of = questionnaire.asked_of
        self._later = questionnaire.later
        universes = {each.question.universe for each in questionnaire.rules.values()}
        # One universe of all questions is that of the survey.
        self._has_universes = len(universes) > 1
        self._everyone: dict[str, tuple[int, int]] = {}
        self._blank = dict[str, int]()
        self._without = Counter[tuple[str, str]]()
        self._unticked = defaultdict[tuple[str, str], list[str]](list)
        self._waves = Counter[str]()

    def add(self, found: QuestionBits, wave: WaveRows) -> None:
        """A question of a wave."""
        code = found.question.canonical
        self._waves[code] += 1
        # Those that only the answers show have lines of their own.
        later = self._later[code].of(wave.wave.code) if code in self._later else ()
        self._without.update((code, each) for each in found.not_offered if each not in later)
        rules = self._rules.get(code)
        if rules is None or not rules.are_ticks:
            return
        none = found.asked & ~np.bitwise_or.reduce(found.matrix, axis=0)
        count = int(np.bitwise_count(none).sum())
        if count and self._is_of_some(rules.question) and _is_of_all(found, wave):
            rows, without = self._everyone.get(code, (0, 0))
            self._everyone[code] = (rows + len(wave), without + count)
        if rules.unticked(wave.segments) == "blank":
            self._blank[code] = self._blank.get(code, 0) + count
            for point in found.question.datapoints:
                if point.code not in found.not_offered and not found.datapoint(point.code).any():
                    self._unticked[code, point.code].append(wave.wave.code)

    def _is_of_some(self, question: CodedQuestion) -> bool:
        """Whether some were asked, which no condition of the codebook decides."""
        is_set = question.kind == "multiple" and not question.asked_of
        return is_set and bool(question.universe) and self._has_universes

    def to(self, report: ImportReport, catalogue: SurveyCatalogue) -> None:
        """Write the lines of all waves."""
        for code, respondents in self._blank.items():
            question, coded = catalogue.question(code), self._rules[code].question
            values = {*map(canonical_value, coded.selected)}
            value = values.pop() if len(values) == 1 else "a value"
            items = len(question.datapoints)
            report.ticked_sets.append(
                TickedSet(question.code, question.name, items, value, respondents)
            )
        for code, (rows, without) in self._everyone.items():
            report.guesses.append(in_doubt(self._rules[code].question, rows, without))
        for each in self._asked_of.values():
            report.guesses += each.guesses()
        for (code, point), unticked in self._unticked.items():
            if len(unticked) < self._waves[code]:
                name = catalogue.question(code).datapoint(point).name
                said = (
                    f"no respondent of {listed(unticked)} ticked {name} ({point}); if it was not "
                    "offered there, list the waves that did as its `waves` in the codebook"
                )
                report.guesses.append(Guess(code, "not offered", said, severity=1))
        for (code, point), without in self._without.items():
            waves, name = self._waves[code], catalogue.question(code).datapoint(point).name
            report.offered.append(Offered(point, name, waves - without, waves))


def _is_of_all(found: QuestionBits, wave: WaveRows) -> bool:
    """Whether no cell of a set of ticks shows that its respondent was not asked."""
    # In exports of REDCap empty cells are of forms that were not begun.
    is_redcap = any(isinstance(each.table.source, RecordsOfFile) for each in wave.segments)
    return is_redcap or int(np.bitwise_count(found.asked).sum()) == len(wave)


def write_wave(
    builder: SurveyBuilder,
    questionnaire: CodedSurvey,
    wave: WaveRows,
    asked: Iterable[str],
    design: Design,
    keys: ImportedKeys,
    progress: Progress,
    report: AskedReport,
) -> None:
    """Pack the answers of a wave, respondents ordered by location, one question at a time."""
    catalogue, code, codes = builder.catalogue, wave.wave.code, set(asked)
    questions = {each.canonical: each for each in catalogue.questions if each.canonical in codes}
    location = catalogue.question(questionnaire.location)
    # The location first: it gives the order of respondents for all other columns.
    located = questionnaire.answers(location.canonical, wave)
    located.check(code, location, len(wave))
    order = location_order(located, location)
    rows = sum(1 + question.rows for question in questions.values())
    progress.rows = len(wave)
    progress.start(f"writing {code}", rows * words_for(len(wave)) * 8)
    done = 0

    def packed(canonical: str) -> QuestionBits:
        nonlocal done
        question = questions[canonical]
        answers = questionnaire.answers(canonical, wave)
        answers.check(code, question, len(wave))
        found = pack_answers(question, answers, order)
        report.add(found, wave)
        done += found.rows.nbytes
        progress.at(done)
        return found

    rules = questionnaire.rules
    numbered = [each for each in questions if each in rules and rules[each].has_numbers]
    builder.add_packed_wave(
        wave.wave,
        wave.weights[order],
        LazyMapping(questions, packed),
        design.ordered(order),
        # One question at a time is in memory, however many there are.
        LazyMapping(numbered, lambda canonical: questionnaire.numbers(canonical, wave)[order]),
        {name: each[order] for name, each in wave.other_weights.items()},
        _with_keys(texts_of(questionnaire.codebook, wave, order), keys.of(wave, order)),
    )
    progress.done()


def _with_keys(texts: Mapping[str, Texts], keys: Mapping[str, Texts]) -> Mapping[str, Texts]:
    """Columns of text with those of keys; each text is made when it is looked up."""
    names = dict.fromkeys((*texts, *keys))
    return LazyMapping(names, lambda name: keys[name] if name in keys else texts[name])
