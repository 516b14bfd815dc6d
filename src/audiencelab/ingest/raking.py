"""Rake a survey to targets with names as people write them: by label, code or value of the file.

Names are found here, once for the client and the command line; `survey.raking` fits the weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from audiencelab.errors import Fault
from audiencelab.expressions.codes import wave_name
from audiencelab.ingest.answers import find_answer, no_answer
from audiencelab.ingest.codebook import CodedQuestion
from audiencelab.ingest.kept import codebook_of, shown_by
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.versions import changes_of, is_repeated, next_version
from audiencelab.survey.catalogue import SurveyQuestion
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.layout import RAKED_CHANGED, RAKED_WEIGHTS
from audiencelab.survey.raked_groups import unmet
from audiencelab.survey.raking import (
    Raked,
    check_name,
    rake_in_place,
    raked_weights,
    revision_beside,
    revision_in_place,
    start_weights,
)
from audiencelab.survey.raking_targets import By, Margin, MarginCell, Target, Targets
from audiencelab.survey.reader import Survey
from audiencelab.survey.update import Revision, all_waves, revise
from audiencelab.survey.weights import Weights

USUAL_NAME = "raked"
"""The name of a raked weight that is given none."""

_MOST_OFF = 0.2
"""Shares whose sum differs less than that from 100, 1 or the total are meant to add up to it."""


class Rake(msgspec.Struct, frozen=True, omit_defaults=True):
    """A raked weight beside the others of a survey; `Client.rake` describes the fields.

    targets: their questions, answers, waves and locations may be labels.
    """

    targets: Targets
    name: str = USUAL_NAME
    start: str | UnsetType | None = UNSET
    by: By = "waves"
    missing: Literal["keep", "error"] = "keep"

    @property
    def record(self) -> dict[str, Any]:
        """The change as the survey keeps it."""
        # Through JSON, as the survey keeps it: lists for tuples, plain numbers for those of numpy.
        written = msgspec.json.decode(msgspec.json.encode(self, enc_hook=float))
        return {"change": "rake", "name": self.name, **written}

    @property
    def code(self) -> str:
        """The raking as the Python that makes the client again, after the client."""
        [target] = self.targets.targets
        shares = {
            (margin.asked if margin.questions else margin.question): (
                {cell.answers: _short(cell.share) for cell in margin.cells}
                or {answer: _short(share) for answer, share in margin.shares.items()}
            )
            for margin in target.margins
        }
        usual = Rake(self.targets)
        given: dict[str, Any] = {
            each: getattr(self, each)
            for each in ("name", "start", "by", "missing")
            if getattr(self, each) != getattr(usual, each)
        }
        given |= {
            each: [*value] if isinstance(value, tuple) else value
            for holder, names in (
                (target, ("waves", "locations", "total")),
                (self.targets, ("cap", "floor", "trim")),
            )
            for each in names
            if (value := getattr(holder, each)) not in (None, ())
        }
        arguments = [repr(shares), *(f"{each}={value!r}" for each, value in given.items())]
        return f".rake({', '.join(arguments)}).client"


@dataclass(frozen=True, slots=True)
class RakedSurvey:
    """A survey with a raked weight, and the effect on each group."""

    survey: Survey
    raked: Raked


def rake_survey(survey: Survey, wanted: Rake, *, out: str | Path | None = None) -> RakedSurvey:
    """The survey with a raked weight beside its others: its next version, as of `next_version`.

    out: a folder for a new survey. The same raking again changes nothing; another one of the same
    name replaces the weight.

    Raises `SurveyError` with everything that is not valid or cannot be met, and as `revise`; the
    survey then stays as it is.
    """
    _, raked = _fitted(survey, wanted)
    if out is None and is_repeated(survey, wanted.record, "name"):
        # An edit since may have changed the answers that were raked to.
        stored = {wave.code: wave.other_weights.get(wanted.name) for wave in all_waves(survey)}
        if all(_same(stored[code], each) for code, each in raked.weights.items()):
            return RakedSurvey(survey, raked)

    def plan(current: Survey) -> Revision:
        targets, again = _fitted(current, wanted)
        return revision_beside(current, targets, again, wanted.name)

    if out is not None:
        return RakedSurvey(revise(survey.path, plan, out=out), raked)
    return RakedSurvey(next_version(survey, wanted.record, plan), raked)


def rake_usual(survey: Survey, targets: Targets, *, out: str | Path | None = None) -> RakedSurvey:
    """The next version of a survey whose usual weight is raked, from what it is now.

    targets: as of `Rake`. Raises as `rake_survey`.
    """
    found: list[Raked] = []

    def plan(current: Survey) -> Revision:
        wanted = by_codes(current, targets)
        found.append(rake_in_place(current, wanted))
        return revision_in_place(current, wanted, found[-1])

    return RakedSurvey(revise(survey.path, plan, out=out), found[-1])


def raking_guesses(survey: Survey) -> list[Guess]:
    """What no longer holds of raked weights, each with the code that rakes again.

    A margin that has other answers since, and waves whose respondents have no such weight.
    """
    waves, guesses = all_waves(survey), list[Guess]()
    names = {each.canonical: each.name for each in survey.catalogue.questions}
    known: dict[str, Any] = survey.manifest.provenance
    usual = {"": known} if "raked" in known else {}
    for name, record in {**usual, **known.get(RAKED_WEIGHTS, {})}.items():
        covered = record.get("raked_waves")
        lacking = [
            each.wave.name
            for each in waves
            if (name not in each.other_weights if name else covered and each.code not in covered)
        ]
        codes: Sequence[str] = record.get(RAKED_CHANGED, ())
        changed = [names.get(survey.catalogue.canonical(code), code) for code in codes]
        shown, code = name or "the weight", _again(survey, name, record)
        if changed:
            said = f"{shown}: raked to {listed(changed, 3)} as it was before a change"
            guesses.append(Guess("weight", "weight", said, code, 0))
        if lacking:
            said = f"{shown}: respondents of {listed(lacking, 3)} were not raked"
            guesses.append(Guess("weight", "weight", said, code, 1))
    return guesses


def _again(survey: Survey, name: str, record: Mapping[str, Any]) -> str:
    """The code that rakes a weight again; of the usual one it makes another beside it."""
    made = [e for e in changes_of(survey) if e.get("change") == "rake" and e["name"] == name]
    given = made[-1] if made else {"targets": record["raked"], "name": name or USUAL_NAME}
    wanted = msgspec.convert(given, Rake)
    one = len(wanted.targets.targets) == 1
    return f"client{wanted.code.removesuffix('.client')}" if one else ""


def _fitted(survey: Survey, wanted: Rake) -> tuple[Targets, Raked]:
    check_name(survey, wanted.name, wanted.start)
    starts = start_weights(survey, wanted.start)
    targets = by_codes(survey, wanted.targets)
    missing_is_error = wanted.missing == "error"
    raked = raked_weights(survey, targets, starts, by=wanted.by, missing_is_error=missing_is_error)
    return targets, raked


def by_codes(survey: Survey, targets: Targets) -> Targets:
    """Targets with codes for names; raises `SurveyError` with all that are not known."""
    names, faults = _Names(survey), list[Fault]()
    made: list[Target] = []
    for number, target in enumerate(targets.targets):
        pointer = f"/targets/{number}"
        faults += [each.under(pointer) for each in _sum_faults(target)]
        margins: list[Margin] = []
        for at, margin in enumerate(target.margins):
            found, wrong = names.margin(margin)
            faults += [Fault(f"{pointer}/margins/{at}", each) for each in wrong]
            margins.append(found)
        waves, locations = (
            _codes(f"{pointer}/{field}", given, known, faults)
            for field, given, known in (
                ("waves", target.waves, names.waves),
                ("locations", target.locations, names.locations),
            )
        )
        made.append(replace(target, margins=tuple(margins), waves=waves, locations=locations))
    if faults:
        raise unmet(faults)
    return replace(targets, targets=tuple(made))


def _same(stored: Weights | None, fitted: Weights) -> bool:
    """Whether weights are those of before, which were rounded."""
    return stored is not None and np.allclose(stored, fitted, rtol=1e-6, atol=0, equal_nan=True)


def _codes(
    pointer: str, given: Iterable[str], known: Mapping[str, str], faults: list[Fault]
) -> tuple[str, ...]:
    """The codes of waves or locations; adds a fault with those that are not known."""
    found = [(each, known.get(each.casefold())) for each in given]
    if unknown := [each for each, code in found if code is None]:
        # Of each, the name that people see first.
        names: dict[str, str] = {}
        for name, code in known.items():
            names.setdefault(code, name)
        there = listed([*names.values()])
        faults.append(Fault(pointer, f"There is no {listed(unknown)}; there is {there}."))
    return tuple(code for _, code in found if code is not None)


class _Names:
    """Questions, answers, waves and locations of a survey, as people name them."""

    def __init__(self, survey: Survey) -> None:
        catalogue = survey.catalogue
        base, book = catalogue.base_namespace, codebook_of(survey)
        self._coded = {f"{each.namespace or base}.{each.code}": each for each in book.questions}
        self._by_code = {
            code: each for each in catalogue.questions for code in (each.code, each.canonical)
        }
        self._by_name: dict[str, list[SurveyQuestion]] = {}
        for each in catalogue.questions:
            self._by_name.setdefault(each.name.casefold(), []).append(each)
        where = catalogue.question(catalogue.location_question)
        self.locations = {
            name.casefold(): each.code
            for each in where.datapoints
            for name in (each.name, each.code)
        }
        self.waves = {
            name.casefold(): each.code
            for each in survey.waves
            for name in (
                each.name,
                wave_name(each.code),
                each.code,
                each.code.removeprefix("wave_"),
            )
        }

    def margin(self, given: Margin) -> tuple[Margin, list[str]]:
        """A margin by codes, and everything in it that has none."""
        wrong: list[str] = []
        questions: list[SurveyQuestion] = []
        for name in given.asked:
            try:
                questions.append(self._single(name))
            except SurveyError as error:
                wrong.append(str(error))
        cells = dict[tuple[str, ...], float]()
        for names, share in given.targets if not wrong else ():
            try:
                codes = self._answers(questions, names)
            except SurveyError as error:
                wrong.append(str(error))
                continue
            if codes in cells:
                wrong.append(f"{' × '.join(names)!r} is named twice.")
            cells[codes] = share
        return _margin([question.canonical for question in questions], cells), wrong

    def _single(self, name: str) -> SurveyQuestion:
        found = self._question(name)
        if found.kind != "single":
            raise SurveyError(
                f"{found.name!r} takes several answers ({found.kind}): weights are raked to "
                "questions with one."
            )
        return found

    def _question(self, name: str) -> SurveyQuestion:
        found = self._by_name.get(name.casefold(), [])
        if name in self._by_code:
            found = [self._by_code[name]]
        if len(found) == 1:
            return found[0]
        if found:
            codes = listed([each.code for each in found])
            raise SurveyError(f"{len(found)} questions are called {name!r}: write a code, {codes}.")
        known = {**{code.casefold(): each for code, each in self._by_code.items()}} | {
            called: several[0] for called, several in self._by_name.items()
        }
        near = dict.fromkeys(
            known[each].name for each in get_close_matches(name.casefold(), known, n=3)
        )
        advice = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise SurveyError(f"There is no question {name!r}.{advice}")

    def _answers(
        self, questions: Sequence[SurveyQuestion], names: Sequence[str]
    ) -> tuple[str, ...]:
        if len(names) != len(questions):
            asked = listed([each.name for each in questions])
            raise SurveyError(f"{names!r} is not valid: write an answer to each of {asked}.")
        return tuple(self._answer(each, name) for each, name in zip(questions, names, strict=True))

    def _answer(self, question: SurveyQuestion, name: str) -> str:
        coded = self._coded_question(question)
        place = find_answer(coded, name)
        if place is None:
            raise SurveyError(no_answer(coded, name))
        return question.datapoints[place].code

    def _coded_question(self, question: SurveyQuestion) -> CodedQuestion:
        """The question with the values of the file, where the survey has all of its answers."""
        coded = self._coded.get(question.canonical)
        if coded is None or len(coded.points) != len(question.datapoints):
            return shown_by(question)
        return coded


def _margin(questions: Sequence[str], cells: Mapping[tuple[str, ...], float]) -> Margin:
    if len(questions) == 1:
        return Margin(questions[0], {codes[0]: share for codes, share in cells.items()})
    made = tuple(MarginCell(codes, share) for codes, share in cells.items())
    return Margin(questions=tuple(questions), cells=made)


def _sum_faults(target: Target) -> Iterator[Fault]:
    """Margins whose shares are meant to add up to 100, to 1 or to the total, and do not."""
    for at, margin in enumerate(target.margins):
        shares = [share for _, share in margin.targets]
        found = sum(shares)
        for whole in (100.0, 1.0, *([target.total] if target.total else [])):
            # Shares that were rounded need not add up exactly: half a unit of the last digit each.
            rounding = min(0.5 * len(shares) * _unit(shares), whole / 100) * (1 + 1e-9)
            off = abs(found - whole)
            if off <= rounding + 1e-9 * whole:
                break
            if off < _MOST_OFF * whole:
                text = f"The shares of {' × '.join(margin.asked)} add up to {_number(found)}, not "
                fix = f"{_number(whole)}. Complete them, or write counts."
                yield Fault(f"/margins/{at}", text + fix)
                break


def _short(share: float) -> float:
    """A share as people write it: 51 for 51.0."""
    return int(share) if share.is_integer() else share


def _unit(shares: Iterable[float]) -> float:
    """A unit of the last decimal that any share has."""
    texts = [f"{share:.12f}".rstrip("0") for share in shares]
    return 10.0 ** -max((len(text.partition(".")[2]) for text in texts), default=0)


def _number(value: float) -> str:
    return f"{value:,.10g}"
