"""The next version of a survey with columns of a frame: their questions, answers and weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import structs

from audiencelab.ingest.codebook import Codebook, CodedQuestion, canonical_value
from audiencelab.ingest.codebook_checks import check_codebook, suggestion
from audiencelab.ingest.columns import Column, Progress
from audiencelab.ingest.draft.draft import draft_columns
from audiencelab.ingest.draft.weights import choose_weight
from audiencelab.ingest.edited_answers import united
from audiencelab.ingest.encode import AskedReport, CodedSurvey, survey_question
from audiencelab.ingest.frame_columns import FrameColumns
from audiencelab.ingest.kept import codebook_of, kept_json
from audiencelab.ingest.kept_codes import KnownCodes
from audiencelab.ingest.matching import SurveyKeys
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.meaning.profile import profile_columns
from audiencelab.ingest.readers.base import ReadColumns
from audiencelab.ingest.report import ImportReport
from audiencelab.ingest.used_answers import check_used
from audiencelab.ingest.waves import Segment, WaveRows, weights_in
from audiencelab.survey.answers import Answers, QuestionBits, pack_answers
from audiencelab.survey.catalogue import SurveyQuestion
from audiencelab.survey.derivations import code_of
from audiencelab.survey.errors import SurveyError
from audiencelab.survey.reader import Survey
from audiencelab.survey.update import ChangedAnswers, Revision, all_waves, asked_questions
from audiencelab.survey.wave_data import WaveData
from audiencelab.wording import plural

_ADDED = "added"
"""The field of a manifest's provenance that lists what frames brought."""

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]


class FromFrames(msgspec.Struct, frozen=True):
    """What frames brought: full codes of questions, names of weights, and codes of answers."""

    questions: tuple[str, ...] = ()
    weights: tuple[str, ...] = ()
    codes: dict[str, KnownCodes] = {}


def added_to(survey: Survey) -> FromFrames:
    """What frames brought to a survey since it was imported."""
    return msgspec.convert(survey.manifest.provenance.get(_ADDED, {}), FromFrames)


def plan_columns(survey: Survey, columns: FrameColumns, *, replace: bool) -> Revision:
    """What a survey with columns of a frame contains; raises `SurveyError` as `add_columns`."""
    return _Plan(survey, columns, replace=replace).revision()


class _Made(NamedTuple):
    """The questions of columns, and what their draft took for granted."""

    questions: tuple[CodedQuestion, ...]
    guesses: list[Guess]


class _Plan:
    def __init__(self, survey: Survey, columns: FrameColumns, *, replace: bool) -> None:
        self._survey = survey
        self._columns = columns
        self._replace = replace
        self._book = codebook_of(survey)
        self._catalogue = asked_questions(survey)
        self._waves = all_waves(survey)
        self._added = added_to(survey)

    def revision(self) -> Revision:
        """The next version of the survey."""
        columns, survey = self._columns, self._survey
        columns.sources.read_all()
        [table] = columns.sources.tables
        keys = SurveyKeys(survey, self._book)
        rows = keys.rows(table, columns.key, columns.wave)
        made = self._questions()
        self._check_names(made.questions)
        book = structs.replace(self._book, questions=tuple(map(self._as_before, made.questions)))
        coded = CodedSurvey(book, [table])
        questions = [*self._placed(coded.codebook)]
        self._check_used(questions)
        said, changed = AskedReport(coded), dict[str, ChangedAnswers]()
        for wave in self._waves:
            encoded = _Encoded(coded, table, wave, rows[wave.code])
            changed[wave.code] = encoded.answers(questions, said)
        known = {each.canonical: each for each in questions}
        old = [known.pop(each.canonical, each) for each in self._catalogue.questions]
        catalogue = structs.replace(self._catalogue, questions=(*old, *known.values()))
        report = self._report(coded, made, table, rows)
        said.to(report, catalogue)
        return Revision(
            catalogue,
            survey.derived,
            self._waves,
            provenance={_ADDED: msgspec.to_builtins(self._with_added(questions))},
            report=report.concluded(report.facts).to_json(),
            codebook=kept_json(self._joined(coded.codebook.questions)),
            changed=changed,
            other_weights=self._weights(table, rows),
        )

    # ---- the questions ----

    @cached_property
    def _answers(self) -> list[str]:
        weights = {*self._columns.weights}
        return [each for each in self._columns.columns if each not in weights]

    def _questions(self) -> _Made:
        columns, own = self._columns, self._columns.codebook
        if not self._answers:
            return _Made((), [])
        if own is not None:
            self._check_codebook(own)
            return _Made(tuple(self._as_here(each, own) for each in own.questions), [])
        everywhere = [canonical_value(each) for each in self._book.source.missing]
        draft = draft_columns(
            columns.sources, self._answers, everywhere, columns.missing, columns.order
        )
        found = (self._as_here(each, draft.codebook) for each in draft.codebook.questions)
        left = [self._left_out(name, why) for name, why in draft.left_out.items()]
        others = ("left out", "weight")
        guesses = [_of_frame(each) for each in draft.guesses if each.subject not in others]
        return _Made(tuple(found), [*guesses, *left])

    def _check_codebook(self, book: Codebook) -> None:
        known = {*self._answers}
        for question in book.questions:
            for name in question.columns:
                if name not in known:
                    raise SurveyError(
                        f"The codebook's question {question.code} reads column {name}, which is "
                        f"not in the frame.{suggestion(name, known)}"
                    )

    def _as_here(self, question: CodedQuestion, book: Codebook) -> CodedQuestion:
        """A question of another codebook in that of the survey, whose codes are its own."""
        mine, its = self._book.source, book.source
        more = {}
        for name in ("not_asked", "not_selected"):
            here, there = getattr(mine, name), getattr(its, name)
            if getattr(question, name) is None and not {*there}.issubset(here):
                more[name] = united(here, there)
        missing = tuple(each for each in its.missing if each not in mine.missing)
        # Conditions are on columns that the frame does not have.
        return structs.replace(
            question, missing=united(question.missing, missing), asked_of=(), **more
        )

    def _left_out(self, name: str, why: str) -> Guess:
        """That a column makes no question; of what may be a weight, the code that takes it."""
        is_weight = why == "a weight that was not asked for"
        code = f'client.with_columns(…, weights=["{name}"])' if is_weight else ""
        return Guess(name, "left out", why, code, 1)

    def _check_names(self, questions: Sequence[CodedQuestion]) -> None:
        """Raise `SurveyError` for names and codes that other questions have, all of them."""
        base, catalogue = self._catalogue.base_namespace, self._survey.catalogue
        derived = {code_of(each, base) for each in self._survey.derived}
        old = {each.canonical: each for each in catalogue.questions}
        new = {self._canonical(each) for each in questions}
        names = {each.name: each for each in catalogue.questions if each.canonical not in new}
        problems = [f"{each} is the usual weight" for each in self._usual_weights()]
        for each in questions:
            code = self._canonical(each)
            if code in derived or code == catalogue.location_question:
                what = "derived" if code in derived else "the location"
                problems.append(f"{each.code} is {what}, and is not replaced")
            elif code in old and code not in self._added.questions and not self._replace:
                problems.append(f"{each.code} is a question already ({old[code].name})")
            elif each.name in names:
                problems.append(f"{each.name} is the name of {names[each.name].code}")
        if problems:
            name = questions[0].code if questions else self._columns.weights[0]
            raise SurveyError(
                "Columns of the frame have names that the survey has:\n  "
                + "\n  ".join(problems)
                + f'\nRename them, frame.rename(columns={{"{name}": "{name}_new"}}); '
                "replace=True replaces questions."
            )
        book = structs.replace(self._book, questions=tuple(questions))
        if questions:
            # The location is not among them.
            alone = structs.replace(book.study, location=None)
            check_codebook(
                structs.replace(book, study=alone, texts=()), "the codebook of the columns"
            )

    def _usual_weights(self) -> Iterator[str]:
        manifest = self._survey.manifest
        others = {each.name for each in manifest.other_weights}
        for name in self._columns.weights:
            is_known = name in others and not self._replace and name not in self._added.weights
            if name == manifest.provenance.get("weight") or is_known:
                yield name

    def _canonical(self, question: CodedQuestion) -> str:
        return f"{question.namespace or self._catalogue.base_namespace}.{question.code}"

    def _placed(self, book: Codebook) -> Iterator[SurveyQuestion]:
        """The questions of the catalogue, where they are in its order."""
        order = {each.canonical: each.order for each in self._catalogue.questions}
        last = max(order.values())
        for question in book.questions:
            code = self._canonical(question)
            if code not in order:
                last += 1
            yield survey_question(question, book, order.get(code, last))

    # ---- questions that are replaced ----

    def _known(self, code: str) -> KnownCodes:
        """The codes that labels of a question have had, by its full code."""
        known = self._added.codes.get(code, KnownCodes())
        old = next((each for each in self._catalogue.questions if each.canonical == code), None)
        return known if old is None else known.with_question(old)

    def _as_before(self, question: CodedQuestion) -> CodedQuestion:
        return self._known(self._canonical(question)).of(question)

    def _check_used(self, questions: Sequence[SurveyQuestion]) -> None:
        """Raise `SurveyError` where what is replaced lacks answers that the survey uses."""
        old = {each.canonical: each for each in self._catalogue.questions}
        for each in questions:
            if each.canonical in old:
                new = f'frame.rename(columns={{"{each.code}": "{each.code}_new"}})'
                advice = f", or bring the new question under another name: {new}"
                check_used(
                    self._survey, old[each.canonical], each, change="replaced", advice=advice
                )

    # ---- what the survey keeps of them ----

    def _with_added(self, questions: Sequence[SurveyQuestion]) -> FromFrames:
        imported = {each.canonical for each in self._catalogue.questions}
        imported -= {*self._added.questions}
        # What replaces a question of the files is read from the files of later waves.
        new = [each.canonical for each in questions if each.canonical not in imported]
        return FromFrames(
            tuple(dict.fromkeys((*self._added.questions, *new))),
            tuple(dict.fromkeys((*self._added.weights, *self._columns.weights))),
            self._added.codes
            | {
                each.canonical: self._known(each.canonical).with_question(each)
                for each in questions
            },
        )

    def _joined(self, questions: Sequence[CodedQuestion]) -> Codebook:
        """The survey's codebook with the questions and weights of the columns."""
        new = {self._canonical(each): each for each in questions}
        kept = [new.pop(self._canonical(each), each) for each in self._book.questions]
        weight = self._book.weight
        if weight is not None:
            others = dict.fromkeys((*weight.others, *self._columns.weights))
            weight = structs.replace(weight, others=tuple(others))
        return structs.replace(self._book, questions=(*kept, *new.values()), weight=weight)

    def _report(
        self,
        coded: CodedSurvey,
        made: _Made,
        table: ReadColumns,
        rows: Mapping[str, Rows],
    ) -> ImportReport:
        """The survey's report with what is true of the columns, in place of what was."""
        report = ImportReport.of(self._survey)
        codes = [each.code for each in made.questions]
        about = {*codes, *self._columns.columns}
        report.guesses = [each for each in report.guesses if each.about not in about]
        report.guesses += made.guesses
        everyone = sum(map(len, rows.values()))
        found = sum(int(np.count_nonzero(each >= 0)) for each in rows.values())
        said = f"{found:,} of {plural(everyone, 'respondent')} have a row in the frame"
        said += "; the others were not asked" * (found < everyone)
        severity = 1 if found < everyone else 3
        for name in (*codes, *self._columns.weights):
            report.guesses.append(Guess(name, "columns", said, severity=severity))
        for rules in coded.rules.values():
            segment = Segment(table, np.arange(table.rows), np.ones(table.rows), {})
            report.unknown_values.extend(rules.unknown_values(rules.question.code, segment))
        return report

    # ---- the weights ----

    def _weights(
        self, table: ReadColumns, rows: Mapping[str, Rows]
    ) -> dict[str, dict[str, Floats]]:
        """By wave and name, float64[n]; NaN for respondents without a row or a weight."""
        names = self._columns.weights
        if not names:
            return {}
        profiles = profile_columns(self._columns.sources, Progress(), [*self._columns.columns])
        choose_weight(profiles, given=names, origin="", tables=[table])
        given = {name: weights_in(self._book, table, name) for name in names}
        found: dict[str, dict[str, Floats]] = {}
        for wave, of_wave in rows.items():
            own = {
                name: np.where(of_wave < 0, np.nan, each[of_wave]) for name, each in given.items()
            }
            found[wave] = {name: each for name, each in own.items() if not np.isnan(each).all()}
        return found


class _Encoded:
    """The answers of a wave's respondents to questions of columns.

    rows: of the table for each respondent, -1 for none.
    """

    def __init__(self, coded: CodedSurvey, table: ReadColumns, wave: WaveData, rows: Rows) -> None:
        self._coded = coded
        self._respondents = len(rows)
        self._found = np.flatnonzero(rows >= 0)
        own = rows[self._found]
        columns = {
            name: Column(each.codes[own], each.values, each.missing, each.not_asked)
            for name, each in table.columns.items()
        }
        # Of those alone who have a row: an empty cell may mean something, a missing row does not.
        part = ReadColumns(table.source, len(own), columns)
        segment = Segment(part, np.arange(len(own)), np.ones(len(own)), {})
        self._wave = WaveRows(wave.wave, [segment])

    def answers(self, questions: Sequence[SurveyQuestion], said: AskedReport) -> ChangedAnswers:
        """The bits and numbers of questions; None of those that no respondent was asked."""
        bits: dict[str, QuestionBits | None] = {}
        numbers: dict[str, Floats] = {}
        for question in questions:
            code = question.canonical
            bits[code] = None
            if not len(self._found) or not self._coded.was_asked(code, self._wave):
                continue
            answers = self._all(self._coded.answers(code, self._wave))
            answers.check(self._wave.wave.code, question, self._respondents)
            found = pack_answers(question, answers, np.arange(self._respondents))
            bits[code] = found
            said.add(found, self._wave)
            if self._coded.rules[code].has_numbers:
                numbers[code] = np.full(self._respondents, np.nan)
                numbers[code][self._found] = self._coded.numbers(code, self._wave)
        return ChangedAnswers(bits, numbers)

    def _all(self, answers: Answers) -> Answers:
        """The answers of all respondents: those without a row were not asked."""
        places, n = self._found, self._respondents

        def spread(values: npt.NDArray[Any], none: Any) -> npt.NDArray[Any]:
            made = np.full((n, *values.shape[1:]), none, values.dtype)
            made[places] = values
            return made

        values, items = answers.values, answers.items
        none = False if values.dtype == np.bool_ else -1
        return replace(
            answers,
            values=spread(values, none),
            asked=spread(answers.asked_by(len(places)), none=False),
            items=None if items is None else spread(items, none=False),
        )


def _of_frame(guess: Guess) -> Guess:
    """A guess of a draft, whose code is that of a frame that is added."""
    if not guess.code.startswith("al.open(…"):
        return guess
    is_given = any(f"…, {name}=" in guess.code for name in ("missing", "order"))
    code = guess.code.replace("al.open(", "client.with_columns(") if is_given else ""
    return structs.replace(guess, code=code)
