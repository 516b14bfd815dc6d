"""The respondents who meet a target together: their margins, their fit, and what it did to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from audiencelab.errors import Fault
from audiencelab.survey.answers import Flags, Raking, unpack
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.fitting import (
    Categories,
    FittedMargin,
    Floats,
    limits_that_fit,
    rake_weights,
    trimmed,
)
from audiencelab.survey.raking_targets import Margin, Target, Targets
from audiencelab.survey.reader import Survey, WaveData
from audiencelab.survey.weights import Weights, effective_base
from audiencelab.wording import plural

_AT_LIMIT = 1e-9
"""A weight that differs less from its limit, as a part of it, was cut to it."""

_SHOWN, _LINES = 6, 40


@dataclass(frozen=True, slots=True)
class RakedMargin:
    """A margin before and after raking; shares are of those who answered, 0 to 1, float64[k].

    question: the name, or names with × between them. answers: names of the answers, or of their
    combinations. counts: respondents, int[k].
    """

    question: str
    answers: tuple[str, ...]
    counts: npt.NDArray[np.intp]
    unweighted: Floats
    before: Floats
    target: Floats
    after: Floats


@dataclass(frozen=True, slots=True)
class RakedGroup:
    """The effect of raking on respondents who meet the targets together.

    wave: its code; "" where several meet them together. locations: codes, () for all.
    respondents: those of a weight above 0. unanswered: those without an answer to one of the
    margins' questions; they keep their share.
    before, after: the effective base. design_effect: n·Σw² / (Σw)² of the new weights (Kish).
    total: the sum of the weights. smallest, largest: as multiples of their mean. capped, floored:
    how many are at a limit.
    """

    wave: str
    locations: tuple[str, ...]
    respondents: int
    unanswered: int
    iterations: int
    before: float
    after: float
    design_effect: float
    total: float
    smallest: float
    largest: float
    capped: int
    floored: int
    margins: tuple[RakedMargin, ...]


@dataclass(slots=True)
class RakingPart:
    """The respondents of a group in one wave: their positions, and their new weights."""

    wave: WaveData
    members: npt.NDArray[np.intp]
    weights: Weights
    place: slice


class RakingGroup:
    """Respondents who meet a target together: of one wave, or of several.

    starts: the weights before raking, by wave; respondents without one, or of weight 0, are left
    out.
    """

    def __init__(
        self,
        survey: Survey,
        targets: Targets,
        target: Target,
        pointer: str,
        waves: Sequence[WaveData],
        locations: tuple[str, ...],
        starts: Mapping[str, Weights],
    ) -> None:
        self._survey, self._targets, self._target = survey, targets, target
        self._pointer, self._locations = pointer, locations
        self.parts: list[RakingPart] = []
        self.size = 0
        for wave in waves:
            start = starts[wave.code]
            members = np.flatnonzero(in_locations(survey, wave, locations) & (start > 0))
            place = slice(self.size, self.size + len(members))
            self.parts.append(RakingPart(wave, members, start[members], place))
            self.size = place.stop
        self._start = np.concatenate([part.weights for part in self.parts])
        self._margins: list[FittedMargin] = []
        self._iterations = 0

    @staticmethod
    def faults(groups: Iterable[RakingGroup], *, missing_is_error: bool) -> Iterator[Fault]:
        """What makes it impossible to fit the groups, each once for all that have it."""
        found: dict[tuple[str, str, str], list[tuple[str, int]]] = {}
        for group in groups:
            for pointer, text, fix, count in group._faults(missing_is_error=missing_is_error):
                found.setdefault((pointer, text, fix), []).append((group._where(), count))
        for (pointer, text, fix), places in found.items():
            count = sum(each for _, each in places)
            where = listed([place for place, _ in places if place])
            inside = f" in {where}" if where else ""
            yield Fault(pointer, f"{text.replace('#', plural(count, 'respondent'))}{inside}.{fix}")

    def _faults(self, *, missing_is_error: bool) -> Iterator[tuple[str, str, str, int]]:
        """Pointer, sentence with # for a count, what to do, and the count of each fault."""
        if not self.size:
            yield self._pointer, "no respondent has a weight", "", 0
            return
        self._margins = []
        for number, margin in enumerate(self._target.margins):
            pointer = f"{self._pointer}/margins/{number}"
            catalogue = self._survey.catalogue
            lost = [
                catalogue.question(code).name for code in margin.asked if not self._was_asked(code)
            ]
            if lost:
                fix = " Rake the waves that asked it: waves=[…]."
                yield pointer, f"{listed(lost)} was not asked", fix, 0
                continue
            for fault in self._margin_faults(margin, missing_is_error=missing_is_error):
                yield pointer, *fault

    def _was_asked(self, code: str) -> bool:
        return all(part.wave.question(code) is not None for part in self.parts)

    def _margin_faults(
        self, margin: Margin, *, missing_is_error: bool
    ) -> Iterator[tuple[str, str, int]]:
        name = self._name(margin)
        categories, shares = self._categories(margin)
        k = len(shares)
        counts = np.bincount(categories, minlength=k + 1)
        for cell in np.flatnonzero((shares > 0) & (counts[:k] == 0)):
            answer = self._answers(margin)[cell]
            text = f"{name} has a share for {answer!r}, which no respondent gave"
            yield text, " Leave it out, or join it with another answer by client.recode.", 0
        for cell in np.flatnonzero((shares == 0) & (counts[:k] > 0)):
            text = f"{name} has no share for {self._answers(margin)[cell]!r}, which # gave"
            fix = " Give it a share, or take it for no answer"
            if len(margin.asked) == 1:
                fix += f": client.edit({name!r}, missing=[{self._answers(margin)[cell]!r}])"
            fix += "."
            yield text, fix, int(counts[cell])
        if missing_is_error and counts[k]:
            fix = " With missing='keep' they keep their share."
            yield f"{name} has no answer of #", fix, int(counts[k])
        sums = np.bincount(categories, self._start, k + 1)
        # Shares are of those who answered; the others keep their weight as one more category.
        wanted = shares / shares.sum() * (self._start.sum() - sums[k])
        self._margins.append((categories, np.append(wanted, sums[k])))

    def fit(self) -> Iterator[Fault]:
        """Fit the weights; yields why they cannot be fitted."""
        old = float(self._start.sum())
        total = old if self._target.total is None else self._target.total
        # To the total first, since the targets of all margins are parts of it.
        self._start = self._start * (total / old)
        self._margins = [(each, targets * (total / old)) for each, targets in self._margins]
        mean = total / self.size
        floor, cap = self._targets.floor or 0.0, self._targets.most
        fitted = rake_weights(
            self._start,
            self._margins,
            min_weight=floor * mean,
            max_weight=None if cap is None else cap * mean,
        )
        self._iterations = fitted.iterations
        if not fitted.converged:
            yield Fault(self._pointer, f"{self._where_words()}{self._why(fitted.errors, mean)}")
            return
        weights = fitted.weights
        if self._targets.trim is not None:
            weights = trimmed(weights, self._targets.trim * mean)
        for part in self.parts:
            part.weights = weights[part.place]

    def effect(self) -> RakedGroup:
        """What fitting did to the respondents."""
        weights = np.concatenate([part.weights for part in self.parts])
        total = float(weights.sum())
        mean, after = total / self.size, effective_base(weights)
        cap = self._targets.trim if self._targets.most is None else self._targets.most
        floor = self._targets.floor
        # The last category is that of respondents without an answer.
        unanswered = [categories == len(targets) - 1 for categories, targets in self._margins]
        return RakedGroup(
            self.parts[0].wave.code if len(self.parts) == 1 else "",
            self._locations,
            self.size,
            int(np.count_nonzero(np.any(unanswered, axis=0))),
            self._iterations,
            effective_base(self._start),
            after,
            self.size / after,
            total,
            float(weights.min()) / mean,
            float(weights.max()) / mean,
            0 if cap is None else int(np.sum(weights >= cap * mean * (1 - _AT_LIMIT))),
            0 if floor is None else int(np.sum(weights <= floor * mean * (1 + _AT_LIMIT))),
            tuple(self._effects(weights)),
        )

    def _effects(self, weights: Weights) -> Iterator[RakedMargin]:
        for margin, (categories, targets) in zip(self._target.margins, self._margins, strict=True):
            k = len(targets) - 1
            chosen = targets[:-1] > 0
            sums = [
                np.bincount(categories, each, k + 1)[:-1]
                for each in (np.ones(self.size), self._start, weights)
            ]
            one, before, after = (each / each.sum() for each in sums)
            answers = self._answers(margin)
            yield RakedMargin(
                self._name(margin),
                tuple(answers[cell] for cell in np.flatnonzero(chosen)),
                sums[0][chosen].astype(np.intp),
                one[chosen],
                before[chosen],
                targets[:-1][chosen] / targets[:-1].sum(),
                after[chosen],
            )

    def recorded(self, part: RakingPart, before: Raking | None) -> Raking | None:
        """What variances need of the raking, beside that of the wave's other respondents.

        None where a wave alone does not meet the margins: variances are then not too small.
        """
        if len(self.parts) > 1 or self._targets.trim is not None:
            return None
        kept = len(before.categories) if before is not None else 0
        shape = max(kept, len(self._margins)), part.wave.respondents
        weights, categories = np.zeros(shape[1]), np.full(shape, -1, np.int32)
        if before is not None:
            weights[:], categories[:kept] = before.weights, before.categories
        # A group that is raked again starts from its present weights; its earlier margins no longer
        # hold.
        weights[part.members], categories[:, part.members] = self._start, -1
        # Numbers that no other margin and no other group has, as `Raking` promises.
        first = int(categories.max(initial=-1)) + 1
        for row, (numbers, _) in enumerate(self._margins):
            categories[row, part.members] = first + numbers
            first += int(numbers.max(initial=-1)) + 1
        return Raking(weights, categories)

    def _categories(self, margin: Margin) -> tuple[Categories, Floats]:
        """The category of each respondent, the last one without an answer; the share of each."""
        catalogue = self._survey.catalogue
        asked = [catalogue.question(code) for code in margin.asked]
        sizes = [len(question.datapoints) for question in asked]
        shares = np.zeros(sizes)
        for codes, share in margin.targets:
            at = tuple(q.datapoint_positions[code] for q, code in zip(asked, codes, strict=True))
            shares[at] = share
        found: list[Categories] = []
        for part in self.parts:
            flags = [self._flags(part, code) for code in margin.asked]
            places = [np.where(each.any(axis=0), each.argmax(axis=0), 0) for each in flags]
            answered = np.all([each.any(axis=0) for each in flags], axis=0)
            found.append(np.where(answered, np.ravel_multi_index(places, sizes), shares.size))
        return np.concatenate(found), shares.ravel()

    @staticmethod
    def _flags(part: RakingPart, code: str) -> Flags:
        bits = part.wave.question(code)
        assert bits is not None, "margins of questions that were not asked are errors"
        return unpack(bits.matrix, part.wave.respondents)[:, part.members]

    # ---- words ----

    def _name(self, margin: Margin) -> str:
        return " × ".join(self._survey.catalogue.question(code).name for code in margin.asked)

    def _answers(self, margin: Margin) -> list[str]:
        """The names of all categories with an answer."""
        asked = [self._survey.catalogue.question(code) for code in margin.asked]
        names = [[point.name for point in question.datapoints] for question in asked]
        return [" × ".join(cell) for cell in product(*names)]

    def _where(self) -> str:
        """The waves and locations, for a message; "" where there are no others."""
        waves = [part.wave.code for part in self.parts]
        named = [code if code.startswith("wave") else f"wave {code}" for code in waves]
        wave = listed(named) if len(waves) < len(self._survey.waves) else ""
        return " of ".join(filter(None, [listed(self._locations), wave]))

    def _where_words(self) -> str:
        where = self._where()
        return f"in {where} " if where else ""

    def _why(self, errors: Sequence[float], mean: float) -> str:
        """Why no weights meet the margins."""
        cap, floor = self._targets.most, self._targets.floor or 0.0
        if cap is not None or floor:
            free = rake_weights(self._start, self._margins)
            if free.converged:
                return self._limit_words(cap, floor, mean)
            errors = free.errors
        names = [self._name(margin) for margin in self._target.margins]
        apart = [
            pair
            for pair in combinations(range(len(names)), 2)
            if not rake_weights(self._start, [self._margins[each] for each in pair]).converged
        ]
        worst = max(range(len(names)), key=lambda each: errors[each])
        if apart:
            said = "; ".join(f"{names[one]} and {names[other]}" for one, other in apart)
            told = f"the margins contradict each other: {said}"
        else:
            told = "the margins cannot all be met together, though each two of them can"
        empty = [
            each
            for pair in apart or combinations(range(len(names)), 2)
            for each in self._empty(pair)
        ]
        cells = f" No respondent is {listed(empty, _SHOWN)}." if empty else ""
        off = f"{names[worst]} differs by {errors[worst]:.2%} of the total at the end"
        return f"{told} ({off}).{cells} Join answers, or leave a margin out."

    def _limit_words(self, cap: float | None, floor: float, mean: float) -> str:
        given = " and ".join(
            filter(
                None,
                [f"cap={cap:g}" if cap is not None else "", f"floor={floor:g}" if floor else ""],
            )
        )
        found = limits_that_fit(self._start, self._margins, least=floor * mean)
        advice = ""
        if found is not None and found[0] < floor * mean:
            advice = f" The largest floor with which they are is {_rounded(found[0] / mean, -1)}."
        elif found is not None:
            advice = f" The smallest cap with which they are is {_rounded(found[1] / mean, 1)}."
        return f"the margins cannot be met with {given}.{advice}"

    def _empty(self, pair: tuple[int, int]) -> Iterator[str]:
        """The combinations of two margins' answers that have targets and no respondents."""
        (one, wanted), (other, also) = (self._margins[each] for each in pair)
        seen = np.zeros((len(wanted), len(also)), np.bool_)
        seen[one, other] = True
        names = [self._answers(self._target.margins[each]) for each in pair]
        for row, column in zip(*np.nonzero(~seen[:-1, :-1]), strict=True):
            if wanted[row] > 0 and also[column] > 0:
                yield f"{names[0][row]} × {names[1][column]}"


def in_locations(survey: Survey, wave: WaveData, locations: Sequence[str]) -> Flags:
    """Which respondents of a wave are in some locations; in any, where none are named."""
    if not locations:
        return np.ones(wave.respondents, np.bool_)
    found = wave.question(survey.catalogue.location_question)
    assert found is not None, "every wave of a survey has its location question"
    return np.any([unpack(found.datapoint(code), wave.respondents) for code in locations], axis=0)


def unmet(faults: Sequence[Fault]) -> SurveyError:
    """The error of targets that are not valid for a survey; pointers are left out of a single one.

    Its faults name the questions.
    """
    several = any(each.pointer.startswith("/targets/1") for each in faults)
    lines = [str(each) if several else _without_pointer(each) for each in faults]
    more = [f"… and {len(lines) - _LINES} more"] if len(lines) > _LINES else []
    listed_faults = "\n  ".join([*lines[:_LINES], *more])
    return SurveyError(f"The targets are not valid for the survey:\n  {listed_faults}")


def _without_pointer(fault: Fault) -> str:
    field = fault.pointer.removeprefix("/targets/0").strip("/")
    return fault.detail if not field or field.startswith("margins") else f"{field}: {fault.detail}"


def _rounded(limit: float, direction: int) -> str:
    """A limit with two decimals, rounded up (1) or down (-1)."""
    return f"{direction * np.ceil(direction * limit * 100 - 1e-6) / 100:g}"
