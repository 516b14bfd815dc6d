"""Answers of single-choice questions that join in a later wave: waves before did not offer them.

A file of all waves has labels of all answers, and a file without labels names none: there only the
answers themselves say it. An answer that no respondent of the first waves gave, and so many later
on that chance does not explain it, was not offered before, by the rule by which `drift` calls an
answer new.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.codebook import canonical_value, datapoint_codes, number_of
from audiencelab.ingest.drift.shares import ABSENT, absence
from audiencelab.ingest.meaning.guess import Guess, GuessOption
from audiencelab.ingest.value_mapping import QuestionRules
from audiencelab.ingest.waves import WaveRows
from audiencelab.survey.errors import listed

Counts = npt.NDArray[np.int64]

_LISTED = 4
"""Waves that a line names."""


@dataclass
class LaterAnswers:
    """Answers of a question by the wave that did not offer them, and the lines that say so."""

    lacking: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    guesses: list[Guess] = field(default_factory=list[Guess])

    def of(self, wave: str) -> Sequence[str]:
        """The codes of the answers that a wave did not offer."""
        return self.lacking.get(wave, ())


def later_answers(rules: QuestionRules, waves: Sequence[WaveRows]) -> LaterAnswers:
    """The answers that join after the first of the waves that asked a question."""
    found, question = LaterAnswers(), rules.question
    # A point of a scale or a number that no respondent gave may have been one all the same.
    if question.kind != "single" or question.top in ("first", "last") or rules.has_numbers:
        return found
    by_date = sorted(waves, key=lambda each: each.wave.starts)
    counts = np.array([rules.given(each.segments) for each in by_date], np.int64)
    if len(by_date) < 2 or not ((counts == 0) & (counts.sum(axis=0) > 0)).any():
        return found
    codes = datapoint_codes(question, rules.points)
    by_files = [{*rules.not_offered(each.wave.code, each.segments)} for each in by_date]
    for place, point in enumerate(rules.points):
        is_number = number_of(canonical_value(point.name)) is not None
        if not point.waves and not is_number:
            said = [codes[place] in each for each in by_files]
            _judge(found, rules, by_date, counts, place, codes[place], said)
    return found


def _judge(
    found: LaterAnswers,
    rules: QuestionRules,
    waves: Sequence[WaveRows],
    counts: Counts,
    place: int,
    code: str,
    by_files: Sequence[bool],
) -> None:
    """Add what the counts by wave, int[waves, answers], say of one answer.

    by_files: the waves whose files say that they did not offer it.
    """
    given, answered = counts[:, place], counts.sum(axis=1)
    empty = np.flatnonzero((given == 0) & (answered > 0) & ~np.array(by_files)).tolist()
    without = [at for at in empty if not _has_label(rules, waves, given, at, place)]
    gave, rows = int(given.sum()), int(answered[given > 0].sum())
    by_chance = not without or absence(gave, rows, int(answered[without].sum())) >= ABSENT
    if by_chance or not _goes_on(counts[without], counts[given > 0]):
        return
    name, question = rules.points[place].name, rules.question.code
    names = listed([waves[at].wave.name for at in without], _LISTED)
    elsewhere = f"{gave:,} of {rows:,} elsewhere did"
    if max(without) < int(np.flatnonzero(given)[0]):
        for at in without:
            found.lacking.setdefault(waves[at].wave.code, []).append(code)
        said = (
            f"{name} ({code}) counts as not offered in {names}: no respondent gave it, and "
            f"{elsewhere}"
        )
        offered: str | list[str] = "all"
        choices = ("not offered there", "offered in all waves")
    else:
        said = (
            f"{name} ({code}) counts as offered in {names}: no respondent gave it, and {elsewhere}"
        )
        offered = [waves[at].wave.name for at in np.flatnonzero(given).tolist()]
        choices = ("offered there", f"not offered in {names}")
    edit = {"question": question, "offered": {name: offered}}
    now, other = choices
    made = [GuessOption(now, present=True), GuessOption(other, edits=edit)]
    found.guesses.append(Guess.of_choices(question, "not offered", said, made, 1))


def _goes_on(without: Counts, others: Counts) -> bool:
    """Whether most answers of the waves without one are given in others: months are not."""
    own, elsewhere = ((each > 0).any(axis=0) for each in (without, others))
    return 2 * int((own & elsewhere).sum()) > int(own.sum())


def _has_label(
    rules: QuestionRules, waves: Sequence[WaveRows], given: Counts, at: int, place: int
) -> bool:
    """Whether the wave's files have a label for the answer, and are not those that hold it."""
    holding = {
        id(segment.table)
        for each, count in zip(waves, given.tolist(), strict=True)
        if count
        for segment in each.segments
    }
    own = [segment for segment in waves[at].segments if id(segment.table) not in holding]
    return len(own) == len(waves[at].segments) and place in rules.labelled(own)
