"""What weights are raked to: margins of questions, by codes of datapoints; their TOML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
import numpy as np

from audiencelab.errors import Fault
from audiencelab.survey.errors import listed
from audiencelab.survey.layout import read_toml
from audiencelab.survey.reader import Survey

By: TypeAlias = Literal["waves", "locations", "pooled"]
"""The groups that each meet the targets: waves, locations in each wave, or all together."""

MOST_CELLS = 100_000
"""Combinations of answers in one margin."""


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of the targets; an unknown field is an error."""


class MarginCell(_Part, frozen=True):
    """A combination of answers, one to each question of a margin, and its share."""

    answers: tuple[str, ...]
    share: float


class Margin(_Part, frozen=True):
    """The distribution of a single question, or of the combinations of several.

    question, shares: by datapoint code, in any unit.
    questions, cells: of several questions, whose combinations have shares.
    """

    question: str = ""
    shares: dict[str, float] = {}
    questions: tuple[str, ...] = ()
    cells: tuple[MarginCell, ...] = ()

    @property
    def asked(self) -> tuple[str, ...]:
        """The codes of its questions."""
        return self.questions or (self.question,)

    @property
    def targets(self) -> list[tuple[tuple[str, ...], float]]:
        """The combinations of answers, of one question too, with their shares."""
        if self.questions:
            return [(cell.answers, cell.share) for cell in self.cells]
        return [((code,), share) for code, share in self.shares.items()]


class Target(_Part, frozen=True):
    """The margins of some respondents.

    waves, locations: codes, by default all; each wave is fitted by itself, the locations together.
    total: the sum of the weights, by default the present one.
    """

    margins: tuple[Margin, ...]
    waves: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    total: float | None = None


class Targets(_Part, frozen=True):
    """All targets, and the limits of the weights as multiples of their group's mean.

    cap, floor: the largest and the smallest weight, with which all targets are met.
    trim: the largest weight after raking; what is cut is spread over the others, and targets are
        met about. max_weight: another name of cap.
    """

    targets: tuple[Target, ...]
    max_weight: float | None = None
    cap: float | None = None
    floor: float | None = None
    trim: float | None = None

    @property
    def most(self) -> float | None:
        """The cap, by either name."""
        return self.max_weight if self.cap is None else self.cap


def load_targets(path: str | Path) -> Targets:
    """Read the targets of a TOML file; `SurveyError` names the file and the location."""
    return read_toml(path, Targets, "targets")


def target_faults(survey: Survey, wanted: Targets) -> Iterator[Fault]:
    """Everything in targets that no survey, or not this one, can have."""
    if not wanted.targets:
        yield Fault("/targets", "There is no target.")
    yield from _limit_faults(wanted)
    waves = [wave.code for wave in survey.waves]
    where = survey.catalogue.question(survey.catalogue.location_question)
    locations = list(where.datapoint_positions)
    taken: set[tuple[str, str]] = set()
    for number, target in enumerate(wanted.targets):
        pointer = f"/targets/{number}"
        yield from _code_faults(f"{pointer}/waves", "wave", target.waves, waves)
        yield from _code_faults(f"{pointer}/locations", "location", target.locations, locations)
        mine = set(product(target.waves or waves, target.locations or locations))
        if mine & taken:
            yield Fault(pointer, "It names respondents of an earlier target.")
        taken |= mine
        if target.total is not None and not 1e-9 <= target.total <= 1e18:
            yield Fault(f"{pointer}/total", "Must be a number above 0, from 1e-9 to 1e18.")
        if not target.margins:
            yield Fault(f"{pointer}/margins", "A target needs at least one margin.")
        for at, margin in enumerate(target.margins):
            for detail in _margin_faults(survey, margin):
                yield Fault(f"{pointer}/margins/{at}", detail)
        sets = [frozenset(each.asked) for each in target.margins]
        if len(set(sets)) < len(sets):
            yield Fault(f"{pointer}/margins", "Two margins are of the same questions.")


def _limit_faults(wanted: Targets) -> Iterator[Fault]:
    if wanted.max_weight is not None and wanted.cap is not None:
        yield Fault("/max_weight", "It is the cap by another name: give one of the two.")
    field = "/cap" if wanted.cap is not None else "/max_weight"
    for pointer, limit in ((field, wanted.most), ("/trim", wanted.trim)):
        if limit is not None and not 1 < limit < np.inf:
            yield Fault(pointer, "Must be more than 1, the mean.")
    if wanted.floor is not None and not 0 <= wanted.floor < 1:
        yield Fault("/floor", "Must be at least 0 and less than 1, the mean.")
    if wanted.trim is not None and (wanted.most is not None or wanted.floor is not None):
        yield Fault("/trim", "Give either trim, or cap and floor.")


def _code_faults(
    pointer: str, noun: str, codes: Sequence[str], known: Sequence[str]
) -> Iterator[Fault]:
    if unknown := [code for code in codes if code not in known]:
        yield Fault(pointer, f"There is no {noun} {listed(unknown)}.")
    if twice := [code for code, times in Counter(codes).items() if times > 1]:
        yield Fault(pointer, f"It names the {noun} {listed(twice)} twice.")


def _margin_faults(survey: Survey, margin: Margin) -> Iterator[str]:
    if bool(margin.question) == bool(margin.questions):
        yield "A margin has a question and its shares, or questions and cells."
        return
    known: list[set[str]] = []
    for code in margin.asked:
        try:
            question = survey.catalogue.question(code)
        except KeyError:
            yield f"There is no question {code!r}."
            continue
        if question.kind != "single":
            yield f"{question.canonical} is {question.kind}; weights are raked to single questions."
        known.append(set(question.datapoint_positions))
    if len(known) == len(margin.asked):
        yield from _cell_faults(margin, known)
    shares = [share for _, share in margin.targets]
    if not all(share >= 0 for share in shares) or not 0 < sum(shares) < np.inf:
        name = listed(margin.asked)
        yield f"The shares of {name} must be numbers of at least 0, one above it."


def _cell_faults(margin: Margin, known: Sequence[set[str]]) -> Iterator[str]:
    """Combinations of answers that a margin cannot have; known: the codes of each question."""
    name = listed(margin.asked)
    if odd := [each for each, _ in margin.targets if len(each) != len(known)]:
        yield f"The margin of {name} needs an answer to each of its questions; got {odd[0]}."
        return
    for place, codes in enumerate(known):
        named = dict.fromkeys(each[place] for each, _ in margin.targets)
        if unknown := [code for code in named if code not in codes]:
            yield f"{margin.asked[place]} has no datapoint {listed(unknown)}."
    if len({each for each, _ in margin.targets}) < len(margin.targets):
        yield f"The margin of {name} has a combination of answers twice."
    if len(set(margin.asked)) < len(margin.asked):
        yield f"The margin of {name} names a question twice."
    if prod(map(len, known)) > MOST_CELLS:
        yield f"The margin of {name} has more than {MOST_CELLS:,} combinations."
