"""Add waves to a survey: import them by themselves, join the catalogues, write the next version.

Old labels, codes, weights and their grid stay. Labels that a new wave changes are reported, and
codes that would have two meanings raise an error.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from audiencelab.errors import Fault, list_faults
from audiencelab.ingest.codebook import Codebook
from audiencelab.ingest.columns import Progress
from audiencelab.ingest.importer import import_survey
from audiencelab.ingest.kept import codebook_of, joined_codebook, kept_json
from audiencelab.schema import Datapoint, Suffix, Value
from audiencelab.schema.scales import OFF_SCALE_FLAG
from audiencelab.survey.catalogue import SurveyCatalogue, SurveyQuestion, placeholder
from audiencelab.survey.derivations import code_of
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.locks import BUILDING
from audiencelab.survey.reader import Survey, WaveData
from audiencelab.survey.update import Revision, all_waves, asked_questions, revise

__all__ = ["Added", "Joined", "add_wave", "join_catalogues"]

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


@dataclass(frozen=True, slots=True)
class Added:
    """The result of adding waves. weight_bits: of the old version and of the new one."""

    survey: Survey
    waves: tuple[str, ...]
    joined: Joined
    weight_bits: tuple[int, int]


def add_wave(
    path: str | Path,
    sources: Sequence[str | Path],
    codebook: Codebook | str | Path,
    *,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Added:
    """Add waves from survey files to a survey, with its derived questions.

    path: the survey's folder. sources, codebook, progress: as for an import.
    out: a folder for a new survey; without it the survey's next version replaces it once that is
        complete. The weights keep their grid as long as all of them sum exactly on it.

    Raises what an import raises; `SurveyError` for a wave that the survey has already, for a
    question of another kind, and for codes that mean something else; `SurveyBusyError` if another
    process is writing the survey.

    >>> import pandas as pd
    >>> from audiencelab import ingest
    >>> frame = pd.DataFrame({"tea": ["yes", "no"], "wave": ["spring", "spring"]})
    >>> frame.to_csv(folder / "spring.csv", index=False)
    >>> frame.assign(wave="autumn").to_csv(folder / "autumn.csv", index=False)
    >>> spring = ingest.draft_codebook(folder / "spring.csv", wave="wave").codebook
    >>> survey = ingest.import_survey(folder / "spring.csv", spring, folder / "tea")
    >>> autumn = ingest.draft_codebook(folder / "autumn.csv", wave="wave").codebook
    >>> ingest.add_wave(folder / "tea", [folder / "autumn.csv"], autumn).waves
    ('wave_autumn',)
    """
    target = Path(path if out is None else out).expanduser().absolute()
    # The new waves are mapped files, which must stay until the next version is written.
    with ExitStack() as until_written:
        results: list[tuple[tuple[str, ...], Joined, int]] = []

        def plan(survey: Survey) -> Revision:
            # Made under the lock, with a name that the next writer clears away if we are killed.
            folder = until_written.enter_context(
                tempfile.TemporaryDirectory(
                    prefix=f".{target.name}.", suffix=BUILDING, dir=target.parent
                )
            )
            # A survey of its own first: its errors leave the old one as it is.
            new = import_survey(sources, codebook, Path(folder) / "waves", progress=progress)
            joined = join_catalogues(survey, new)
            results.append(
                (tuple(wave.code for wave in new.waves), joined, survey.manifest.weight_bits)
            )
            read = [each.manifest.provenance.get("sources", []) for each in (survey, new)]
            return Revision(
                joined.catalogue,
                survey.derived,
                (*all_waves(survey), *_waves_after(survey, new)),
                provenance={"sources": [*read[0], *read[1]]},
                report=new.import_report,
                codebook=_joined_codebook(survey, new),
            )

        survey = revise(path, plan, out=out)
    [(waves, joined, weight_bits)] = results
    return Added(survey, waves, joined, (weight_bits, survey.manifest.weight_bits))


def _joined_codebook(survey: Survey, new: Survey) -> Any:
    """The codebook of both; None for a survey that keeps none."""
    if survey.codebook is None:
        return None
    return kept_json(joined_codebook(codebook_of(survey), codebook_of(new)))


def _waves_after(survey: Survey, new: Survey) -> Iterator[WaveData]:
    """The waves of another survey; those without a date come after the survey's own without one."""
    mine = [wave.starts for wave in survey.waves if not wave.is_dated]
    theirs = [wave.starts for wave in new.waves if not wave.is_dated]
    # Every import begins its placeholders at January 1900, so those of two imports collide.
    shift = max(map(_number, mine)) if mine and theirs and min(theirs) <= max(mine) else 0
    for data in all_waves(new):
        if shift and not data.wave.is_dated:
            day = placeholder(_number(data.wave.starts) + shift)
            data.wave = msgspec.structs.replace(data.wave, starts=day, ends=day)
        yield data


def _number(day: date) -> int:
    """Of which wave a placeholder is."""
    return (day.year - 1900) * 12 + day.month


def join_catalogues(survey: Survey, new: Survey) -> Joined:
    """The catalogue of a survey's own questions with those of another.

    Raises `SurveyError` with everything that cannot be joined.
    """
    mine, theirs = asked_questions(survey), new.catalogue
    if faults := list(_faults(survey, new)):
        raise SurveyError(list_faults("The waves do not go with the survey:", faults))
    joined = Joined(mine)
    known = {question.canonical: question for question in mine.questions}
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


def _extended(old: SurveyQuestion, new: SurveyQuestion, joined: Joined) -> SurveyQuestion:
    """The old question, with the datapoints and suffixes of the new one that it lacked."""
    if new.name != old.name:
        joined.changes.append(f"{old.canonical}: {old.name!r} is called {new.name!r}")
    known = {f"{OFF_SCALE_FLAG}{code}" for code in ("", *_codes(old))}
    return msgspec.structs.replace(
        old,
        datapoints=_more(old, old.datapoints, new.datapoints, joined),
        suffixes=_more(old, old.suffixes, new.suffixes, joined),
        # A new answer may be off the scale; what is known of the scale stays as it is.
        flags=(*old.flags, *(flag for flag in _off_scale_flags(new) if flag not in known)),
    )


def _off_scale_flags(question: SurveyQuestion) -> list[str]:
    """The flags of a question's answers that are off the scale."""
    return [flag for flag in question.flags if flag.startswith(OFF_SCALE_FLAG)]


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
            # New answers come last: codes and rows of the old ones do not move.
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
