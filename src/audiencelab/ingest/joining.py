"""Join the catalogue of further waves to a survey's: nothing old changes, what is new comes last.

Old labels, codes and orders stay; `placing` moves new answers to where they belong. Labels that a
new wave changes are reported, and codes that would have two meanings raise an error.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from audiencelab.errors import Fault, list_faults
from audiencelab.ingest.codebook import EVERY_WAVE, datapoint_codes, meanings_of, number_of
from audiencelab.ingest.drift.record import Drift
from audiencelab.ingest.kept import codebook_of
from audiencelab.ingest.report import ImportReport
from audiencelab.schema import Datapoint, Suffix, Value
from audiencelab.schema.breaks import BREAK_FLAG
from audiencelab.schema.scales import OFF_SCALE_FLAG
from audiencelab.survey.answers import QuestionBits
from audiencelab.survey.catalogue import SurveyCatalogue, SurveyQuestion
from audiencelab.survey.derivations import code_of
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.reader import Survey, WaveData
from audiencelab.survey.update import ChangedAnswers, all_waves, asked_questions

Answer = TypeVar("Answer", Datapoint, Suffix)


@dataclass(slots=True)
class Joined:
    """A catalogue with the questions of another, and what came of it.

    questions: full codes of new ones. answers: new datapoints and suffixes, by their positions.
    changes: labels and midpoints that the other gives differently; the old ones are kept.
    """

    catalogue: SurveyCatalogue
    questions: list[str] = field(default_factory=list[str])
    answers: list[str] = field(default_factory=list[str])
    changes: list[str] = field(default_factory=list[str])


def join_catalogues(survey: Survey, new: Survey, *, without: str = "") -> Joined:
    """The catalogue of a survey's own questions with those of another.

    without: the full code of a question that it has no more.
    Raises `SurveyError` with everything that cannot be joined.
    """
    mine, theirs = asked_questions(survey), new.catalogue
    if faults := list(_faults(survey, new)):
        raise SurveyError(list_faults("The waves do not go with the survey:", faults))
    joined = Joined(mine)
    known = {each.canonical: each for each in mine.questions if each.canonical != without}
    for question in theirs.questions:
        old = known.get(question.canonical)
        if old is None:
            joined.questions.append(question.canonical)
        known[question.canonical] = question if old is None else _extended(old, question, joined)
    joined.catalogue = msgspec.structs.replace(
        mine,
        questions=tuple(known.values()),
        namespaces=_united(mine.namespaces, theirs.namespaces, "code"),
        categories=_united(mine.categories, theirs.categories, "id"),
        datasets=_united(mine.datasets, theirs.datasets, "code"),
    )
    return joined


def not_offered(
    survey: Survey, new: Survey, joined: SurveyCatalogue, drifts: Sequence[Drift]
) -> dict[str, ChangedAnswers]:
    """Answers by wave, to questions of which a wave did not offer all.

    Files with labels list what they offered, so that further answers were not offered before. Of
    others only answers that are called new or gone (drifts) are certain.
    """
    read = ImportReport.of(survey).read
    said = defaultdict[tuple[str, str], set[str]](set)
    known = {each.canonical: each for each in joined.questions}
    broken = {each.question for each in drifts if each.is_break}
    for each in drifts:
        # A number that no respondent gave may have been a point all the same.
        if each.kind in ("new answer", "gone answer") and number_of(each.value) is None:
            said[each.question, each.kind].add(each.value)
    more: dict[str, tuple[str, ...]] = {}
    less: dict[str, tuple[str, ...]] = {}
    for question in codebook_of(survey).questions:
        code = survey.catalogue.canonical(question.code)
        labels = read.variable(question.column or "").labels
        if question.kind != "single" or question.namespace or code not in known:
            continue
        mine = survey.catalogue.question(code).datapoint_positions
        added = [e for e in known[code].datapoints if e.code not in mine]
        if not labels:
            if question.top in ("first", "last") and question.code not in broken:
                continue
            names = said[question.code, "new answer"]
            more[code] = tuple(each.code for each in added if each.name in names)
            codes = zip(datapoint_codes(question, question.points), question.points, strict=True)
            gone = said[question.code, "gone answer"]
            less[code] = tuple(
                each
                for each, point in codes
                if gone & {*meanings_of(point)} and EVERY_WAVE not in point.waves
            )
        elif all(labels.keys() & {*meanings_of(each)} for each in question.points):
            more[code] = tuple(each.code for each in added)
    changed = {wave.code: _without(wave, more) for wave in all_waves(survey)}
    return changed | {wave.code: _without(wave, less) for wave in all_waves(new)}


def _without(wave: WaveData, gone: Mapping[str, tuple[str, ...]]) -> ChangedAnswers:
    """The answers of a wave that did not offer some."""
    bits = {
        code: QuestionBits(own.question, own.rows, own.items, (*own.not_offered, *codes))
        for code, codes in gone.items()
        if codes and (own := wave.question(code)) is not None
    }
    numbers = {code: own for code in bits if (own := wave.numbers(code)) is not None}
    return ChangedAnswers(bits, numbers)


def _extended(old: SurveyQuestion, new: SurveyQuestion, joined: Joined) -> SurveyQuestion:
    """The old question, with the datapoints and suffixes of the new one that it lacked."""
    if new.name != old.name:
        joined.changes.append(f"{old.canonical}: {old.name!r} is called {new.name!r}")
    known = {*old.flags, *(f"{OFF_SCALE_FLAG}{code}" for code in ("", *_codes(old)))}
    return msgspec.structs.replace(
        old,
        datapoints=_more(old, old.datapoints, new.datapoints, joined),
        suffixes=_more(old, old.suffixes, new.suffixes, joined),
        # A new answer may be off the scale, and a wave may begin with a break; what else is known
        # of the scale stays as it is.
        flags=(*old.flags, *(flag for flag in _new_flags(new) if flag not in known)),
    )


def _new_flags(question: SurveyQuestion) -> list[str]:
    """The flags of a question's answers that are off the scale, and of its breaks."""
    return [flag for flag in question.flags if flag.startswith((OFF_SCALE_FLAG, BREAK_FLAG))]


def _codes(question: SurveyQuestion) -> list[str]:
    return [*question.datapoint_positions, *question.suffix_positions]


def _more(
    question: SurveyQuestion, old: tuple[Answer, ...], new: tuple[Answer, ...], joined: Joined
) -> tuple[Answer, ...]:
    known = {answer.code: answer for answer in old}
    for answer in new:
        mine = known.get(answer.code)
        place = f"{question.canonical}, {answer.code}"
        if mine is None:
            joined.answers.append(f"{place}: {answer.name!r}")
            # New answers come last, until `placing` knows where they belong.
            order = Value(len(known) + 1)
            known[answer.code] = msgspec.structs.replace(answer, order=order)
            continue
        if answer.name != mine.name:
            joined.changes.append(f"{place}: {mine.name!r} is called {answer.name!r}")
        # Trends over waves need one scale, so the survey's own midpoint stays.
        if answer.midpoint != mine.midpoint:
            joined.changes.append(f"{place}: another midpoint, which is left out")
    return tuple(known.values())


Named = TypeVar("Named")


def _united(old: tuple[Named, ...], new: tuple[Named, ...], key: str) -> tuple[Named, ...]:
    known = {getattr(each, key) for each in old}
    return (*old, *(each for each in new if getattr(each, key) not in known))


def _faults(survey: Survey, new: Survey) -> Iterator[Fault]:
    mine, theirs = survey.catalogue, new.catalogue
    codes = {wave.code for wave in survey.waves}
    if again := [wave.code for wave in new.waves if wave.code in codes]:
        yield Fault("/waves", f"The survey has {listed(again)} already. Give new waves new codes.")
    if theirs.location_question != mine.location_question:
        yield Fault(
            "/study/location",
            f"The survey's location question is {mine.location_question}, and the codebook's is "
            f"{theirs.location_question}.",
        )
    derived = {code_of(each, mine.base_namespace) for each in survey.derived}
    for question in theirs.questions:
        try:
            old = mine.question(question.canonical)
        except KeyError:
            continue
        pointer = f"/questions/{question.code}"
        if question.canonical in derived:
            yield Fault(pointer, f"{question.canonical} is derived in the survey, not asked.")
        elif question.kind != old.kind:
            yield Fault(
                pointer, f"{question.canonical} is {old.kind} in the survey, not {question.kind}."
            )
        else:
            yield from _shuffled(f"{pointer}/datapoints", old.datapoints, question.datapoints)
            yield from _shuffled(f"{pointer}/suffixes", old.suffixes, question.suffixes)


def _shuffled(pointer: str, old: Sequence[Answer], new: Sequence[Answer]) -> Iterator[Fault]:
    """Codes whose new label is another code's in the survey: counted on, they would mix answers."""
    known = {answer.code: answer.name for answer in old}
    for answer in new:
        mine = known.get(answer.code, answer.name)
        others = [code for code, name in known.items() if name == answer.name != mine]
        if answer.name and others:
            yield Fault(
                pointer,
                f"{answer.code} is {mine!r} in the survey, and {answer.name!r} is {others[0]}. "
                "Give the codes of the survey in the codebook.",
            )
