"""Encode answers: check the codebook's questions against the values, and pack them into bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.codebook import (
    Codebook,
    CodedDatapoint,
    CodedQuestion,
    canonical_value,
    datapoint_codes,
    meanings_of,
    number_of,
    suffix_codes,
)
from audiencelab.ingest.columns import Column, Progress
from audiencelab.ingest.readers.base import Table
from audiencelab.ingest.report import ImportReport
from audiencelab.ingest.value_mapping import (
    MOST_PLACES,
    QuestionRules,
    found_points,
    rules_for,
    unknown_values,
)
from audiencelab.ingest.waves import Segment, WaveRows
from audiencelab.schema import Datapoint, Suffix, Value
from audiencelab.survey.answers import (
    Answers,
    Bits,
    Design,
    location_order,
    pack_answers,
    words_for,
)
from audiencelab.survey.builder import SurveyBuilder
from audiencelab.survey.catalogue import Catalogue, SurveyNamespace, SurveyQuestion
from audiencelab.survey.errors import SurveyError

_EVERYWHERE = "location"
"""Code of the location question of a survey that has none of its own."""


class Questionnaire:
    """The codebook's questions with their rules, and the catalogue that comes of them."""

    def __init__(self, codebook: Codebook, tables: Sequence[Table]) -> None:
        self._codebook = codebook
        base = codebook.study.namespace
        self.rules: dict[str, QuestionRules] = {}
        self._questions: dict[str, SurveyQuestion] = {}
        for order, question in enumerate(codebook.questions, start=1):
            points = question.points or found_points(question, tables, codebook.source)
            if not points:
                raise SurveyError(
                    f"Question {question.code} has no datapoints, and column {question.column} "
                    "holds no values to make them from."
                )
            if (most := max(len(points), len(question.suffixes))) > MOST_PLACES:
                raise SurveyError(
                    f"Question {question.code} has {most:,} answers, and {MOST_PLACES:,} are the "
                    "most. Put numbers into bands (min, max), and leave free text out."
                )
            made = _survey_question(question, points, codebook, order)
            self.rules[made.canonical] = rules_for(question, points, codebook.source)
            self._questions[made.canonical] = made
        location = codebook.study.location
        self.location = f"{base}.{location or _EVERYWHERE}"
        if location is not None and "." in location:
            self.location = location
        self.everywhere = location is None
        if self.everywhere:
            self._add_everywhere(base)

    def _add_everywhere(self, namespace: str) -> None:
        if self.location in self._questions:
            raise SurveyError(
                f"The codebook has a question {_EVERYWHERE!r} without saying that it is the "
                f'location: add location = "{_EVERYWHERE}" to [study].'
            )
        self._questions[self.location] = SurveyQuestion(
            namespace_code=namespace,
            code=_EVERYWHERE,
            name="Location",
            kind="single",
            datapoints=(Datapoint(f"{_EVERYWHERE}_all", "All"),),
            description="This survey tells no locations apart.",
        )

    def was_asked(self, code: str, wave: WaveRows) -> bool:
        """Whether a question was asked of any respondent of a wave."""
        rules = self.rules[code]
        # An empty cell means the same in every file, so each can be looked at alone.
        return any(rules.was_asked(_columns(rules, segment)) for segment in wave.segments)

    def answers(self, code: str, wave: WaveRows) -> Answers:
        """The answers of a wave's respondents to one question."""
        if self.everywhere and code == self.location:
            return Answers(np.zeros(len(wave), np.int8))
        rules = self.rules[code]
        pieces = [
            rules.answers(_columns(rules, segment), len(segment.rows)) for segment in wave.segments
        ]
        if len(pieces) == 1:
            return pieces[0]
        return Answers(
            np.concatenate([piece.values for piece in pieces]),
            np.concatenate([piece.asked_by(len(piece.values)) for piece in pieces]),
        )

    def numbers(self, code: str, wave: WaveRows) -> npt.NDArray[np.float64]:
        """The numbers of a wave's respondents, of a question that has them; NaN for none."""
        rules = self.rules[code]
        pieces = [
            rules.numbers(_columns(rules, segment), len(segment.rows)) for segment in wave.segments
        ]
        return np.concatenate(pieces)

    def catalogue(self, kept: Mapping[str, tuple[str, ...]]) -> Catalogue:
        """The catalogue of the questions that were asked at all."""
        codebook = self._codebook
        asked = {code for codes in kept.values() for code in codes}
        namespaces = codebook.namespaces or tuple(
            SurveyNamespace(code)
            for code in dict.fromkeys(each.namespace_code for each in self._questions.values())
        )
        return Catalogue(
            questions=tuple(each for code, each in self._questions.items() if code in asked),
            location_question=self.location,
            base_namespace=codebook.study.namespace,
            namespaces=namespaces,
            categories=codebook.categories,
            datasets=codebook.datasets,
        )


def _columns(rules: QuestionRules, segment: Segment) -> dict[str, Column]:
    return {
        name: column.take(segment.rows)
        for name in rules.columns
        if (column := segment.table.columns.get(name)) is not None
    }


def _survey_question(
    question: CodedQuestion, points: Sequence[CodedDatapoint], codebook: Codebook, order: int
) -> SurveyQuestion:
    datasets = question.datasets
    if datasets is None:
        datasets = tuple(dataset.code for dataset in codebook.datasets[:1])
    return SurveyQuestion(
        namespace_code=question.namespace or codebook.study.namespace,
        code=question.code,
        name=question.name,
        kind=question.kind,
        datapoints=tuple(
            Datapoint(code, point.name, point.accessible, _value(midpoint), Value(place))
            for place, (code, point, midpoint) in enumerate(
                zip(
                    datapoint_codes(question, points),
                    points,
                    _midpoints(question, points),
                    strict=True,
                ),
                start=1,
            )
        ),
        suffixes=tuple(
            Suffix(code, suffix.name, _value(suffix.midpoint), Value(place))
            for place, (code, suffix) in enumerate(
                zip(suffix_codes(question.suffixes), question.suffixes, strict=True), start=1
            )
        ),
        accessible=question.accessible,
        categories=question.categories,
        datasets=datasets,
        description=question.description,
        knowledge_base=question.knowledge_base,
        message=question.message,
        notice=question.notice,
        warning=question.warning,
        unit=question.unit,
        flags=question.flags,
        order=order,
    )


def _midpoints(question: CodedQuestion, points: Sequence[CodedDatapoint]) -> Sequence[float | None]:
    """The midpoints as given; where all datapoints of a single question are numbers, those."""
    given = [point.midpoint for point in points]
    if question.kind != "single" or any(midpoint is not None for midpoint in given):
        return given
    own = [_own_number(point) for point in points]
    return given if None in own else own


def _own_number(point: CodedDatapoint) -> float | None:
    """The number that a datapoint is, if its one value is that and its name says no more."""
    values = meanings_of(point)
    if point.is_band or values != (canonical_value(point.name),):
        return None
    number = number_of(values[0])
    return number if number is not None and isfinite(number) else None


def _value(number: float | None) -> Value | None:
    return None if number is None else Value(number)


# ---- checking and writing ----

T = TypeVar("T")


def asked_questions(
    questionnaire: Questionnaire, waves: Sequence[WaveRows], report: ImportReport
) -> dict[str, tuple[str, ...]]:
    """The questions that each wave asked, by wave; unknown values go to the report.

    Raises `SurveyError` for a wave in which no respondent has a location.
    """
    asked: dict[str, list[str]] = {rows.wave.code: [] for rows in waves}
    for code, rules in questionnaire.rules.items():
        there = [wave.wave.code for wave in waves if questionnaire.was_asked(code, wave)]
        for wave in there:
            asked[wave].append(code)
        if not there:
            report.empty_questions.append(code)
        for wave in waves:
            for segment in wave.segments:
                report.unknown_values.extend(unknown_values(code, rules, segment))
    location = questionnaire.location
    if questionnaire.everywhere:
        asked = {wave: [*codes, location] for wave, codes in asked.items()}
    elif missing := [wave for wave, codes in asked.items() if location not in codes]:
        raise SurveyError(
            f"The location question {location} has no answers in {', '.join(missing)}."
        )
    return {wave: tuple(codes) for wave, codes in asked.items()}


def write_wave(
    builder: SurveyBuilder,
    questionnaire: Questionnaire,
    wave: WaveRows,
    asked: Iterable[str],
    design: Design,
    progress: Progress,
) -> None:
    """Pack the answers of a wave, respondents ordered by location, one question at a time."""
    catalogue, code = builder.catalogue, wave.wave.code
    codes = set(asked)
    questions = {each.canonical: each for each in catalogue.questions if each.canonical in codes}
    location = catalogue.question(questionnaire.location)
    located = questionnaire.answers(location.canonical, wave)
    located.check(code, location, len(wave))
    order = location_order(located, location)
    rows = sum(1 + question.rows for question in questions.values())
    progress.start(f"writing {code}", rows * words_for(len(wave)) * 8)
    done = 0

    def bits(canonical: str) -> Bits:
        nonlocal done
        question = questions[canonical]
        answers = questionnaire.answers(canonical, wave)
        answers.check(code, question, len(wave))
        packed = pack_answers(question, answers, order)
        done += packed.nbytes
        progress.at(done)
        return packed

    rules = questionnaire.rules
    numbered = [each for each in questions if each in rules and rules[each].has_numbers]
    builder.add_packed_wave(
        wave.wave,
        wave.weights[order],
        _Computed(questions, bits),
        design.ordered(order),
        _Computed(numbered, lambda canonical: questionnaire.numbers(canonical, wave)[order]),
    )
    progress.done()


class _Computed(Mapping[str, T]):
    """A mapping whose values are computed when they are looked up, and not kept."""

    def __init__(self, keys: Iterable[str], compute: Callable[[str], T]) -> None:
        self._keys = tuple(keys)
        self._compute = compute

    def __getitem__(self, key: str) -> T:
        return self._compute(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)
