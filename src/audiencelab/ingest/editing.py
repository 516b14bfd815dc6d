"""Edit a survey: its codebook as if by hand, its answers as an import with that makes them.

They are made again from what the survey holds; the files that it was made of are not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import structs

from audiencelab.ingest.answers import answer_codes, find_answer
from audiencelab.ingest.codebook import (
    EVERY_WAVE,
    Codebook,
    CodedQuestion,
    Scalar,
    canonical_value,
    number_of,
)
from audiencelab.ingest.codebook_checks import suggestion
from audiencelab.ingest.edited_answers import in_band
from audiencelab.ingest.edits import Edit, check_edit, edited, places_of
from audiencelab.ingest.encode import survey_question
from audiencelab.ingest.kept import codebook_of, kept_json, shown_by
from audiencelab.ingest.settled import without_settled
from audiencelab.ingest.stored_columns import segment_of, with_markers
from audiencelab.ingest.used_answers import check_used
from audiencelab.ingest.value_mapping import QuestionRules, rules_for
from audiencelab.ingest.versions import changes_of, next_version
from audiencelab.survey.answers import QuestionBits, pack_answers
from audiencelab.survey.catalogue import SurveyQuestion
from audiencelab.survey.derivations import code_of
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.reader import Survey
from audiencelab.survey.update import ChangedAnswers, Revision, all_waves, asked_questions
from audiencelab.survey.wave_data import WaveData

ALL = "*"
"""In place of a question: every question that has the answer."""

_SHOWN = 3

Numbers = npt.NDArray[np.float64]


def edit_survey(survey: Survey, edit: Edit) -> Survey:
    """The survey with an edit: its next version, or another one where it is in the user's cache.

    A survey in the cache stays what it was made of: the edited one is beside it, and is opened
    without work the next time. An edit that was made before changes nothing, unless a later one is
    about the same question.

    Raises `SurveyError`, which names question, answer and what to write instead, for an edit that
    is not valid, and as `revise`; the survey then stays as it is.
    """
    check_edit(edit)
    if edit in _repeated(survey):
        return survey
    record = cast("dict[str, Any]", msgspec.to_builtins(edit))
    return next_version(survey, record, lambda current: _Plan(current, edit).revision())


def _repeated(survey: Survey) -> list[Edit]:
    """The edits of a survey that no later one is about."""
    known = _edits_of(survey)
    return [
        each
        for place, each in enumerate(known, start=1)
        if not any({*each.questions, ALL}.intersection(later.questions) for later in known[place:])
    ]


def _edits_of(survey: Survey) -> list[Edit]:
    made = [each for each in changes_of(survey) if "change" not in each]
    return msgspec.convert(made, list[Edit])


@dataclass(frozen=True, slots=True)
class _Changed:
    """A question with an edit, and those that it was before: several where they became one."""

    question: SurveyQuestion
    rules: QuestionRules
    before: tuple[CodedQuestion, ...]
    old: tuple[SurveyQuestion, ...]


class _Plan:
    """What an edit makes of a survey."""

    def __init__(self, survey: Survey, edit: Edit) -> None:
        self._survey = survey
        self._edit = _with_waves(edit, survey)
        self._catalogue = asked_questions(survey)
        self._old = {each.canonical: each for each in self._catalogue.questions}
        self._book = _fitting(survey, self._old)
        self._waves = all_waves(survey)

    def revision(self) -> Revision:
        """The next version of the survey."""
        edits = [*self._each()]
        book = self._book
        for each in edits:
            # Against the survey as it was: an edit names answers as they are before it.
            self._check(each)
            book = edited(book, each)
        # Whatever differs in the codebook, so that an edit of several questions needs no list of
        # its own.
        changed = [*self._changed(book)]
        answers = {wave.code: self._answers(wave, changed) for wave in self._waves}
        for each in changed:
            self._check_left(each, answers)
            for old in each.old:
                check_used(self._survey, old, each.question)
        catalogue = structs.replace(self._catalogue, questions=tuple(self._questions(changed)))
        return Revision(
            catalogue,
            self._survey.derived,
            self._waves,
            report=without_settled(self._survey.import_report, edits),
            codebook=kept_json(book),
            changed=answers,
        )

    # ---- the codebook ----

    def _canonical(self, question: CodedQuestion) -> str:
        return f"{question.namespace or self._catalogue.base_namespace}.{question.code}"

    def _each(self) -> Iterator[Edit]:
        """The edit; of all questions, one for each that has the answers."""
        if self._edit.questions != (ALL,):
            yield self._edit
            return
        given = self._edit.fields
        if odd := [*given.keys() - {"missing", "not_asked"}]:
            raise SurveyError(f"{odd[0]}= is not valid for '*': name the question that it is of.")
        found = False
        for question in self._book.questions:
            missing, not_asked = (
                tuple(each for each in names if self._has(question, each))
                for names in (self._edit.missing, self._edit.not_asked)
            )
            if missing or not_asked:
                found = True
                yield Edit((self._canonical(question),), missing, not_asked)
        if not found:
            names = listed([repr(each) for names in given.values() for each in names])
            raise SurveyError(f"{names} is not valid for '*': no question has this answer.")

    def _has(self, question: CodedQuestion, name: Scalar) -> bool:
        if self._canonical(question) not in self._old or _are_items(question):
            return False
        if find_answer(question, name) is not None:
            return True
        value = canonical_value(name)
        return in_band(question, value) and self._gave(question, float(value)) > 0

    def _gave(self, question: CodedQuestion, number: float) -> int:
        """How many respondents gave a number; of a question whose numbers are kept."""
        numbers = (wave.numbers(self._canonical(question)) for wave in self._waves)
        return sum(int((each == number).sum()) for each in numbers if each is not None)

    def _check(self, edit: Edit) -> None:
        """Raise `SurveyError` for what the survey cannot do, or does not hold."""
        base = self._catalogue.base_namespace
        derived = {code_of(each, base) for each in self._survey.derived}
        for name in edit.questions:
            if self._catalogue.canonical(name) in derived:
                raise SurveyError(
                    f"{name} is derived, and has the answers of its definition. Change that with "
                    "`audiencelab survey derive`, or edit the question that it is made from."
                )
        for place in places_of(self._book, edit):
            question = self._book.questions[place]
            canonical = self._canonical(question)
            if canonical == self._catalogue.location_question:
                self._check_location(question, edit)
            for name in (*edit.missing, *edit.not_asked):
                self._check_held(question, name)

    def _check_location(self, question: CodedQuestion, edit: Edit) -> None:
        moved = edit.fields.keys() & {"missing", "not_asked", "order", "joined", "kind"}
        if moved:
            raise SurveyError(
                f"{min(moved)} is not valid for {question.code} ({question.name}): its answers are "
                "the locations, by which the survey is in order. Edit its codebook and import it "
                "again."
            )

    def _check_held(self, question: CodedQuestion, name: Scalar) -> None:
        """Raise `SurveyError` for a value that the survey does not hold as an answer."""
        code, value = question.code, canonical_value(name)
        where = f"{name!r} is not valid for {code} ({question.name}): "
        if _are_items(question):
            raise SurveyError(
                f"{where}the survey holds who ticked an item, and no other values of its columns. "
                f"Open the file again: al.open(…, missing={{{code!r}: [{name!r}]}})."
            )
        number = number_of(value)
        if find_answer(question, name) is not None or number is None:
            return
        if not in_band(question, value) or self._gave(question, number):
            return
        numbers = [wave.numbers(self._canonical(question)) for wave in self._waves]
        known = [np.unique(each[~np.isnan(each)]) for each in numbers if each is not None]
        if not known:
            raise SurveyError(
                f"{where}the survey does not hold the numbers in its bands. Import its files again."
            )
        given = np.unique(np.concatenate(known))
        near = sorted(given.tolist(), key=lambda each: abs(each - number))[:_SHOWN]
        shown = ", ".join(canonical_value(each) for each in sorted(near))
        raise SurveyError(f"{where}no respondent gave this number. The nearest are {shown}.")

    def _changed(self, book: Codebook) -> Iterator[_Changed]:
        """The questions that differ from those of before, with these."""
        before = {self._canonical(each): each for each in self._book.questions}
        now = {self._canonical(each) for each in book.questions}
        gone = [each for code, each in before.items() if code not in now or self._edit.kind]
        for question in book.questions:
            canonical = self._canonical(question)
            old = before.get(canonical)
            # Equal labels may be in another order.
            if old == question and old and [*old.labels] == [*question.labels]:
                continue
            parts = (before[canonical],) if self._edit.kind is None else self._items(question, gone)
            known = tuple(self._old[self._canonical(each)] for each in parts)
            made = survey_question(question, book, known[0].order)
            rules = with_markers(rules_for(question, question.points, book.source))
            yield _Changed(made, rules, parts, known)

    def _items(
        self, question: CodedQuestion, known: Sequence[CodedQuestion]
    ) -> tuple[CodedQuestion, ...]:
        columns = {*question.columns}
        return tuple(each for each in known if columns.issuperset(each.columns))

    def _questions(self, changed: Sequence[_Changed]) -> Iterator[SurveyQuestion]:
        """The questions of the new catalogue, in order."""
        first = {each.old[0].canonical: each.question for each in changed}
        others = {old.canonical: old.order for each in changed for old in each.old[1:]}
        for old in self._catalogue.questions:
            if old.canonical in others:
                continue
            question = first.get(old.canonical, old)
            # The questions that became items of another leave no gaps in the order.
            order = old.order - sum(each < old.order for each in others.values())
            yield structs.replace(question, order=order)

    # ---- the answers ----

    def _answers(self, wave: WaveData, changed: Iterable[_Changed]) -> ChangedAnswers:
        made = ChangedAnswers({}, {})
        bits, numbers = dict(made.bits), dict(made.numbers)
        for each in changed:
            found = [
                (coded, old, own)
                for coded, old in zip(each.before, each.old, strict=True)
                if (own := wave.question(old.canonical)) is not None
            ]
            for coded, old, own in found:
                # If the codebook did not make the answers that are there, editing it would change
                # others in silence.
                self._check_same(wave, coded, old, own)
            code = each.question.canonical
            bits[code], given = _encoded(each.question, each.rules, wave, found, len(each.old) > 1)
            if given is not None:
                numbers[code] = given
        return ChangedAnswers(bits, numbers)

    def _check_same(
        self, wave: WaveData, coded: CodedQuestion, old: SurveyQuestion, own: QuestionBits
    ) -> None:
        """Raise `SurveyError` unless the codebook makes the answers that the survey has."""
        rules = with_markers(rules_for(coded, coded.points, self._book.source))
        made, _ = _encoded(old, rules, wave, [(coded, old, own)], is_joined=False)
        if made is None or not (
            np.array_equal(made.rows, own.rows)
            and all(
                np.array_equal(made.asked_of(each.code), own.asked_of(each.code))
                for each in old.datapoints
                if old.kind != "single"
            )
        ):
            raise SurveyError(
                f"{old.code} ({old.name}) cannot be edited: its answers in wave {wave.code} are "
                "not those that its codebook makes. Edit the codebook, and import the survey again."
            )

    def _check_left(self, each: _Changed, answers: Mapping[str, ChangedAnswers]) -> None:
        """Raise `SurveyError` where half of the answers or more would be left out."""
        names = (*self._edit.missing, *self._edit.not_asked)
        if not names:
            return
        code = each.question.canonical
        before = sum(_given(wave.question(each.old[0].canonical)) for wave in self._waves)
        after = sum(_given(changed.bits[code]) for changed in answers.values())
        lost = before - after
        if (self._edit.missing and 2 * lost >= before > 0) or (before and not after):
            raise SurveyError(
                f"missing={list(names)!r} is not valid for {each.question.code} "
                f"({each.question.name}): it holds {lost:,} of {before:,} answers, half or more. "
                "Write not_asked= for people who were not asked, or "
                "import the survey with an edited codebook."
            )


def _with_waves(edit: Edit, survey: Survey) -> Edit:
    """The edit with the codes of the waves that it names; `SurveyError` for an unknown one."""
    codes = {name: each.code for each in survey.waves for name in (each.name, each.code)}
    codes |= {"all": EVERY_WAVE, EVERY_WAVE: EVERY_WAVE}
    for answer, waves in edit.offered:
        if unknown := next((wave for wave in waves if wave not in codes), None):
            raise SurveyError(
                f"offered={{{answer!r}: …}} is not valid: there is no wave {unknown!r}."
                f"{suggestion(unknown, codes)}"
            )
    offered = tuple((name, tuple(codes[each] for each in waves)) for name, waves in edit.offered)
    return structs.replace(edit, offered=offered)


def _are_items(question: CodedQuestion) -> bool:
    """Whether the answers of a question are items with a column each."""
    return question.kind == "multiple" and not question.shares_values


def _given(bits: QuestionBits | None) -> int:
    """How many respondents, or items of respondents, have an answer."""
    if bits is None:
        return 0
    points = [bits.datapoint(each.code) for each in bits.question.datapoints]
    if bits.question.kind != "grid":
        points = [np.bitwise_or.reduce(points, axis=0)]
    return sum(int(np.bitwise_count(each).sum()) for each in points)


def _fitting(survey: Survey, known: Mapping[str, SurveyQuestion]) -> Codebook:
    """The codebook with the answers that the survey has, of which a later wave may bring more."""
    book = codebook_of(survey)
    base = survey.catalogue.base_namespace
    named = {f"{each.namespace or base}.{each.code}": each for each in book.questions}
    fitted = {code: shown_by(each) for code, each in known.items()}
    for code, coded in named.items():
        question = known.get(code)
        scale = question and (question.suffixes if question.kind == "grid" else question.datapoints)
        if scale is None or answer_codes(coded) == [each.code for each in scale]:
            fitted[code] = coded
    # The location of everyone is not in the codebook.
    added = [
        code for code in fitted if code not in named and code != survey.catalogue.location_question
    ]
    order = [*named, *added]
    return structs.replace(book, questions=tuple(fitted[code] for code in order))


def _encoded(
    question: SurveyQuestion,
    rules: QuestionRules,
    wave: WaveData,
    found: Sequence[tuple[CodedQuestion, SurveyQuestion, QuestionBits]],
    is_joined: bool,
) -> tuple[QuestionBits | None, Numbers | None]:
    """The answers of a wave as an import would make them of what the survey holds.

    is_joined: whether several questions become one, so that blanks are looked at again.
    """
    if not found:
        return None, None
    numbers = wave.numbers(found[0][1].canonical)
    parts = [(coded, own, wave.numbers(old.canonical)) for coded, old, own in found]
    segment = segment_of(parts, wave.respondents)
    if not rules.was_asked(segment):
        return None, None
    answers = rules.answers(segment, rules.unticked([segment]) if is_joined else "")
    answers = replace(answers, not_offered=rules.not_offered(wave.code, [segment]))
    bits = pack_answers(question, answers, np.arange(wave.respondents))
    if numbers is None or is_joined:
        return bits, None
    if rules.has_numbers:
        return bits, rules.numbers(segment)
    # Who lost an answer by the edit has no number either.
    return bits, np.where(answers.values >= 0, numbers, np.nan)
