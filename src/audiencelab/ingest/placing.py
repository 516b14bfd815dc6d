"""Where answers that are new to a question belong: by size, by the words of a scale, by code.

The rule is that of a draft: files one by one have the answers in the order that they have together.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec import structs

from audiencelab.ingest.answers import answer_codes, answers_of
from audiencelab.ingest.codebook import (
    Codebook,
    CodedDatapoint,
    CodedQuestion,
    CodedSuffix,
    meanings_of,
    natural,
    number_of,
)
from audiencelab.ingest.encode import midpoints_of
from audiencelab.ingest.meaning.evidence import Answer, evidence_of
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.meaning.scales import scale_evidence, scale_flags
from audiencelab.schema import Datapoint, Question, Suffix, Value
from audiencelab.schema.scales import ENDS_FLAG, OFF_SCALE_FLAG, TOP_FLAG, UNKNOWN_TOP, scale_of
from audiencelab.survey.catalogue import SurveyCatalogue, SurveyQuestion

Part = TypeVar("Part", Datapoint, Suffix)

_OF_SCALES = (TOP_FLAG, ENDS_FLAG, OFF_SCALE_FLAG)


@dataclass(slots=True)
class Placed:
    """A codebook and its catalogue with new answers in their order, and what is not certain."""

    book: Codebook
    catalogue: SurveyCatalogue
    guesses: list[Guess] = field(default_factory=list[Guess])


def place_answers(old: SurveyCatalogue, joined: SurveyCatalogue, book: Codebook) -> Placed:
    """Move answers that a survey's questions did not have to where their order belongs.

    joined, book: the catalogue and the codebook with the new answers last. Codes stay. Where the
    order of a scale is not known, the answer stays last, and the scale has no top.
    """
    placed = Placed(book, joined)
    before = {each.canonical: each for each in old.questions}
    made = {each.canonical: each for each in joined.questions}
    questions = [*book.questions]
    for number, coded in enumerate(questions):
        code = f"{coded.namespace or book.study.namespace}.{coded.code}"
        mine = before.get(code)
        if mine is None or (coded.kind == "multiple" and not coded.shares_values):
            continue
        known = {each.code for each in (mine.suffixes or mine.datapoints)}
        if known >= {*answer_codes(coded)} or len(known) < 2:
            continue
        found = _Placing(coded, known, mine)
        questions[number], placed.guesses = found.coded, [*placed.guesses, *found.guesses]
        made[code] = found.catalogued(made[code])
    placed.book = structs.replace(book, questions=tuple(questions))
    placed.catalogue = structs.replace(joined, questions=tuple(made.values()))
    return placed


class _Placing:
    """The new answers of one question. known: codes that it had, in `mine`."""

    def __init__(self, coded: CodedQuestion, known: Collection[str], mine: SurveyQuestion) -> None:
        self.guesses: list[Guess] = []
        self._question = coded
        self._answers = _with_midpoints(answers_of(coded), answer_codes(coded), mine)
        self._codes = answer_codes(coded)
        self._old = [place for place, code in enumerate(self._codes) if code in known]
        scale = scale_of(
            Question(
                coded.code,
                datapoints=[*mine.datapoints],
                suffixes=[*mine.suffixes],
                flags=[*mine.flags],
            )
        )
        self._is_scale = coded.kind != "multiple" and scale.top in ("first", "last")
        self._off = scale_evidence(coded, self._answers).off if coded.kind != "multiple" else ()
        self._known = known
        self._is_known, self._is_unscored = True, False
        self.coded = self._placed()

    def catalogued(self, question: SurveyQuestion) -> SurveyQuestion:
        """The question of the catalogue with its answers in that order."""
        codes, flags = answer_codes(self.coded), self._flags(question)
        changed = {
            code: midpoint
            for code, midpoint in zip(codes, midpoints_of(self.coded), strict=True)
            if self._is_unscored or code not in self._known
        }
        if question.kind == "grid":
            suffixes = _in_order(question.suffixes, codes, changed)
            return structs.replace(question, suffixes=suffixes, flags=flags)
        points = _in_order(question.datapoints, codes, changed)
        return structs.replace(question, datapoints=points, flags=flags)

    def _flags(self, question: SurveyQuestion) -> tuple[str, ...]:
        """The flags of the question, those of its scale as its answers show it now."""
        found = scale_flags(self.coded, answers_of(self.coded), answer_codes(self.coded))
        flags = [each for each in question.flags if not each.startswith(_OF_SCALES)]
        of_scale = [each for each in found if each.startswith(_OF_SCALES)]
        if not self._is_known:
            of_scale = [each for each in of_scale if each.startswith(OFF_SCALE_FLAG)]
            # Bare, the flag says that an answer without an amount is on the scale all the same.
            of_scale = [f"{TOP_FLAG}{UNKNOWN_TOP}", *(of_scale or [OFF_SCALE_FLAG])]
        return tuple(dict.fromkeys([*flags, *of_scale]))

    def _placed(self) -> CodedQuestion:
        order = next(filter(None, map(self._fitted, self._orders())), None)
        if order is None:
            order = [*self._old, *(p for p in range(len(self._codes)) if p not in self._old)]
            new = [place for place in order if place not in self._old and place not in self._off]
            self._is_known = not (self._is_scale and new)
        if not self._is_known:
            self._tell([place for place in order if place not in self._old])
        answers = self._scored()
        question = _with_answers(self._question, [(self._codes[p], answers[p]) for p in order])
        return question if self._is_known else structs.replace(question, top=None, ends=None)

    def _scored(self) -> list[CodedDatapoint | CodedSuffix]:
        """The answers with what they count as in means, where the old ones show how that is known.

        Where the order of a scale is not known, its codes do not count as steps.
        """
        answers = self._answers
        points = [place for place in self._old if place not in self._off]
        own = {place: each for place in points if (each := answers[place].midpoint) is not None}
        if not own:
            return [*answers]
        codes = {p: n for p, e in enumerate(answers) if (n := number_of(_value(e))) is not None}
        given = [Answer(each.name, _value(each)) for each in answers]
        by_words = evidence_of(given, is_free=True, off=self._off or None).scores
        maps = (by_words, codes)
        known = next((m for m in maps if {p: m[p] for p in points if p in m} == own), None)
        if not self._is_known and known is codes:
            self._is_unscored = True
            return [structs.replace(each, midpoint=None) for each in answers]
        new = {*range(len(answers))}.difference(self._old, self._off)
        if known is None and self._is_known and new:
            shown = ", ".join(repr(answers[place].name) for place in sorted(new))
            names = (json.dumps(answers[p].name, ensure_ascii=False) for p in sorted(new))
            scores = ", ".join(f"{name}: …" for name in names)
            code = f"client.edit({json.dumps(self._question.code)}, scores={{{scores}}})"
            said = f"{shown}: new, without a score, and left out of means"
            self.guesses.append(Guess(self._question.code, "scale", said, code, severity=1))
        scores = (known or {}) if self._is_known else {}
        return [
            structs.replace(each, midpoint=scores.get(place)) if place in new else each
            for place, each in enumerate(answers)
        ]

    # ---- orders ----

    def _orders(self) -> Iterator[Sequence[int]]:
        """The orders that a draft may give the answers, by the strength of what shows them."""
        names = [Answer(each.name, _value(each)) for each in self._answers]
        for given in (names, [Answer(each.value, each.value) for each in names]):
            found = evidence_of(given, is_free=True, off=self._off or None)
            if found.by or all(number_of(each.label) is not None for each in given):
                yield found.order
        values = [_value(each) for each in self._answers]
        if all(number_of(value) is not None for value in values):
            order = sorted(range(len(values)), key=lambda place: natural(values[place]))
            yield order
            yield sorted(order, key=lambda place: place in self._off)
        if not self._is_scale:
            yield sorted(range(len(names)), key=lambda p: (p in self._off, natural(names[p].label)))

    def _fitted(self, order: Sequence[int]) -> list[int] | None:
        """The order, or of a scale the reverse, in which the old answers follow as they did."""
        if [place for place in order if place in self._old] == self._old:
            return [*order]
        points = [place for place in order if place not in self._off]
        off = [place for place in order if place in self._off]
        for turned in ([*points, *off], [*points[::-1], *off]):
            if [place for place in turned if place in self._old] == self._old:
                return turned
        return None

    def _tell(self, new: Sequence[int]) -> None:
        names = [self._answers[place].name for place in new if place not in self._off]
        shown = ", ".join(map(repr, names))
        known = [self._answers[place].name for place in self._old if place not in self._off]
        order = json.dumps([*known, *names], ensure_ascii=False)
        said = f"{shown}: new, at a position in the scale that is not known: no top, no mean"
        line = f'client.edit({json.dumps(self._question.code)}, order={order}, top="last")'
        self.guesses.append(Guess(self._question.code, "order", said, line, severity=1))


def _with_midpoints(
    answers: Sequence[CodedDatapoint | CodedSuffix], codes: Sequence[str], mine: SurveyQuestion
) -> list[CodedDatapoint | CodedSuffix]:
    """Answers with the midpoints of the catalogue, which follow from numbers that are names."""
    if any(each.midpoint is not None for each in answers):
        return [*answers]
    own = {e.code: e.midpoint.value for e in (mine.suffixes or mine.datapoints) if e.midpoint}
    given = zip(codes, answers, strict=True)
    return [structs.replace(each, midpoint=own.get(code)) for code, each in given]


def _value(answer: CodedDatapoint | CodedSuffix) -> str:
    return next(iter(meanings_of(answer)), "")


def _with_answers(
    question: CodedQuestion, answers: Sequence[tuple[str, CodedDatapoint | CodedSuffix]]
) -> CodedQuestion:
    """The question with these answers; codes that follow from the position are written out."""
    coded = [structs.replace(answer, code=code) for code, answer in answers]
    if question.kind == "grid":
        return structs.replace(
            question, suffixes=tuple(each for each in coded if isinstance(each, CodedSuffix))
        )
    points = tuple(each for each in coded if isinstance(each, CodedDatapoint))
    return structs.replace(question, labels={}, datapoints=points)


def _in_order(
    answers: Sequence[Part], codes: Sequence[str], midpoints: Mapping[str, float | None]
) -> tuple[Part, ...]:
    """Answers of a catalogue in another order; midpoints: those that change, by code."""
    known = {each.code: each for each in answers}
    placed = [known[code] for code in codes if code in known]
    for number, each in enumerate(placed):
        value = midpoints.get(each.code, None if each.midpoint is None else each.midpoint.value)
        placed[number] = structs.replace(
            each,
            order=Value(number + 1),
            midpoint=None if value is None else Value(float(value)),
        )
    return tuple(placed)
