"""Raking: weights fitted to known margins, by wave and location.

Iterative proportional fitting (Deming and Stephan 1940): the weights are scaled to each margin in
turn until all of them hold. `rake_weights` is the arithmetic, on arrays alone; `rake` applies it
to a survey and writes the next version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from audiencelab.errors import Fault, list_faults
from audiencelab.survey.answers import Flags, Raking, unpack
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.layout import read_toml
from audiencelab.survey.reader import Survey, WaveData
from audiencelab.survey.update import Revision, all_waves, asked_questions, revise
from audiencelab.survey.weights import Weights, effective_base

_ITERATIONS = 1000
_TOLERANCE = 1e-9
"""The most that a margin may differ from its target, as a share of the whole."""

Categories = npt.NDArray[np.intp]


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of the targets; an unknown field is an error."""


class Margin(_Part, frozen=True):
    """The distribution of a single question; shares by datapoint code, in any unit."""

    question: str
    shares: dict[str, float]


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
    """All targets. max_weight: the largest weight, as a multiple of its group's mean."""

    targets: tuple[Target, ...]
    max_weight: float | None = None


@dataclass(frozen=True, slots=True)
class FittedWeights:
    """Fitted weights. max_error: the largest difference of a margin from its target, as a share."""

    weights: Weights
    iterations: int
    max_error: float

    @property
    def converged(self) -> bool:
        """Whether the weights meet every target within the tolerance."""
        return self.max_error <= _TOLERANCE


@dataclass(frozen=True, slots=True)
class RakedGroup:
    """The effect of raking on the respondents of a wave and some locations.

    unanswered: those without an answer to one of the margins' questions; they keep their share.
    before, after: the effective base. design_effect: n·Σw² / (Σw)² of the new weights (Kish).
    """

    wave: str
    locations: tuple[str, ...]
    respondents: int
    unanswered: int
    iterations: int
    before: float
    after: float
    design_effect: float


@dataclass(frozen=True, slots=True)
class RakingResult:
    """A survey's new version, and the effect of raking on each group."""

    survey: Survey
    groups: tuple[RakedGroup, ...]


def load_targets(path: str | Path) -> Targets:
    """Read the targets of a TOML file; `SurveyError` names the file and the location."""
    return read_toml(path, Targets, "targets")


def rake_weights(
    weights: Weights,
    margins: Sequence[tuple[Categories, npt.NDArray[np.float64]]],
    *,
    max_weight: float | None = None,
    iterations: int = _ITERATIONS,
) -> FittedWeights:
    """Fit weights to margins.

    weights: float64[n].
    margins: for each, the category of each respondent, intp[n], and the target sum of the
        weights of each category, float64[k]. The targets of all margins have the same sum, and
        every category with a target has some weight.
    max_weight: weights are cut to that in every iteration.
    iterations: the most iterations.
    """
    fitted = weights.astype(np.float64)
    total = float(margins[0][1].sum())
    done, error = 0, np.inf
    # Margins that contradict each other never converge, so the rounds are limited.
    while error > _TOLERANCE and done < iterations:
        done += 1
        for categories, targets in margins:
            sums = np.bincount(categories, fitted, len(targets))
            factors = np.divide(targets, sums, out=np.zeros_like(targets), where=sums > 0)
            fitted *= factors[categories]
        if max_weight is not None:
            np.minimum(fitted, max_weight, out=fitted)
        # After the whole round: fitting a later margin moves the sums of the earlier ones.
        error = max(
            float(np.abs(np.bincount(categories, fitted, len(targets)) - targets).max()) / total
            for categories, targets in margins
        )
    return FittedWeights(fitted, done, error)


def rake(
    path: str | Path, targets: Targets | str | Path, *, out: str | Path | None = None
) -> RakingResult:
    """Rake a survey's weights to targets; respondents outside all targets keep their weights.

    path: the survey's folder.
    targets: the targets, or a TOML file of them.
    out: a folder for a new survey; by default the new version replaces the old one.

    Raises `SurveyError` with every target that cannot be met: margins that do not converge, shares
    of datapoints that no respondent gave.

    >>> sex = Margin("sex", {"sex_1": 49, "sex_2": 51})
    >>> rake("my-survey", Targets((Target((sex,)),)))
    """
    wanted = targets if isinstance(targets, Targets) else load_targets(targets)
    groups: list[RakedGroup] = []

    def plan(survey: Survey) -> Revision:
        if faults := list(_faults(survey, wanted)):
            raise SurveyError(list_faults("The targets are not valid for the survey:", faults))
        weights: dict[str, Weights] = {}
        raking: dict[str, Raking] = {}
        for number, target in enumerate(wanted.targets):
            for code in _waves_of(target, survey):
                wave = survey.wave(code)
                # A copy, since several targets change parts of one wave, and the survey's own are
                # read-only.
                mine = weights.setdefault(code, wave.weights.copy())
                group = _Group(survey, wave, target, f"/targets/{number}")
                groups.append(group.rake(mine, wanted.max_weight))
                raking[code] = group.recorded(raking.get(code, wave.design.raking))
        return Revision(
            asked_questions(survey),
            survey.derived,
            all_waves(survey),
            weights,
            raking,
            _provenance(survey, wanted),
        )

    return RakingResult(revise(path, plan, out=out), tuple(groups))


def _waves_of(target: Target, survey: Survey) -> Sequence[str]:
    return target.waves or [wave.code for wave in survey.waves]


def _provenance(survey: Survey, wanted: Targets) -> dict[str, Any]:
    """The targets, those of before, and the respondents in all of them.

    raked: these targets. raked_before: earlier ones, the first at the front. raked_waves: for each
    wave the locations that were raked; empty where all respondents were.
    """
    known = survey.manifest.provenance
    covered: dict[str, list[str]] = dict(known.get("raked_waves", {}))
    for target in wanted.targets:
        for code in _waves_of(target, survey):
            before = covered.get(code)
            locations = sorted({*(before or ()), *target.locations})
            everyone = before == [] or not target.locations
            if everyone or _in_locations(survey, survey.wave(code), locations).all():
                locations = []
            covered[code] = locations
    # Shares may be numbers of numpy.
    plain = msgspec.to_builtins(wanted, enc_hook=float)
    provenance: dict[str, Any] = {"raked": plain, "raked_waves": covered}
    if "raked" in known:
        provenance["raked_before"] = [*known.get("raked_before", ()), known["raked"]]
    return provenance


class _Group:
    """The respondents of one wave in one target."""

    def __init__(self, survey: Survey, wave: WaveData, target: Target, pointer: str) -> None:
        self._wave = wave
        self._target = target
        self._pointer = pointer
        self._respondents = np.flatnonzero(_in_locations(survey, wave, target.locations))
        self._categories: list[Categories] = []

    def rake(self, weights: Weights, max_weight: float | None) -> RakedGroup:
        """Replace the group's weights in `weights`."""
        n = len(self._respondents)
        old = weights[self._respondents]
        if not old.any():
            raise self._unmet("no respondent has a weight")
        total = float(old.sum()) if self._target.total is None else self._target.total
        # First to the total, since the targets of all margins are parts of it.
        old = old * (total / float(old.sum()))
        margins = [self._margin(margin, old) for margin in self._target.margins]
        # The limit is a multiple of the group's mean weight.
        most = None if max_weight is None else max_weight * total / n
        fitted = rake_weights(old, margins, max_weight=most)
        self._categories = [categories for categories, _ in margins]
        if not fitted.converged:
            raise self._unmet(
                f"the margins cannot all be met: after {fitted.iterations:,} iterations one still "
                f"differs by {fitted.max_error:.2%} of the total. They may contradict each other "
                "where combinations of answers are missing"
                + ("" if most is None else ", or max_weight is too small")
            )
        weights[self._respondents] = fitted.weights
        # The last category is that of respondents without an answer.
        unanswered = [categories == len(targets) - 1 for categories, targets in margins]
        after = effective_base(fitted.weights)
        return RakedGroup(
            self._wave.code,
            self._target.locations,
            n,
            int(np.count_nonzero(np.any(unanswered, axis=0))),
            fitted.iterations,
            effective_base(old),
            after,
            n / after,
        )

    def recorded(self, before: Raking | None) -> Raking:
        """What variances need of the raking, beside that of the wave's other respondents."""
        kept = len(before.categories) if before is not None else 0
        shape = max(kept, len(self._categories)), self._wave.respondents
        weights, categories = np.zeros(shape[1]), np.full(shape, -1, np.int32)
        if before is not None:
            weights[:], categories[:kept] = before.weights, before.categories
        mine = self._respondents
        # A group that is raked again starts from its present weights; its earlier margins no longer
        # hold.
        weights[mine], categories[:, mine] = self._wave.weights[mine], -1
        # Numbers that no other margin and no other group has, as `Raking` promises.
        first = int(categories.max(initial=-1)) + 1
        for row, numbers in enumerate(self._categories):
            categories[row, mine] = first + numbers
            first += int(numbers.max(initial=-1)) + 1
        return Raking(weights, categories)

    def _margin(self, margin: Margin, old: Weights) -> tuple[Categories, npt.NDArray[np.float64]]:
        """Categories 0 to k - 1, and k for respondents without an answer, who keep their weight."""
        found = self._wave.question(margin.question)
        if found is None:
            raise self._unmet(f"{margin.question} was not asked")
        flags = unpack(found.matrix, self._wave.respondents)[:, self._respondents]
        codes = [point.code for point in found.question.datapoints]
        k = len(codes)
        categories = np.where(flags.any(axis=0), flags.argmax(axis=0), k)
        shares = np.array([margin.shares.get(code, 0.0) for code in codes])
        sums = np.bincount(categories, old, k + 1)
        if missing := [codes[each] for each in range(k) if shares[each] > 0 and not sums[each]]:
            raise self._unmet(
                f"{margin.question} has a share for {listed(missing)}, which no respondent with a "
                "weight gave"
            )
        if extra := [codes[each] for each in range(k) if not shares[each] and sums[each]]:
            raise self._unmet(
                f"{margin.question} has no share for {listed(extra)}, which respondents gave"
            )
        # Shares are of those who answered; the others keep their weight as one more category.
        targets = np.append(shares / shares.sum() * (old.sum() - sums[k]), sums[k])
        return categories, targets

    def _unmet(self, detail: str) -> SurveyError:
        where = f" in {listed(self._target.locations)}" if self._target.locations else ""
        return SurveyError(f"{self._pointer}: in wave {self._wave.code}{where} {detail}.")


def _in_locations(survey: Survey, wave: WaveData, locations: Sequence[str]) -> Flags:
    if not locations:
        return np.ones(wave.respondents, np.bool_)
    found = wave.question(survey.catalogue.location_question)
    assert found is not None, "every wave of a survey has its location question"
    return np.any([unpack(found.datapoint(code), wave.respondents) for code in locations], axis=0)


# ---- faults of the targets ----


def _faults(survey: Survey, wanted: Targets) -> Iterator[Fault]:
    if not wanted.targets:
        yield Fault("/targets", "There is no target.")
    if wanted.max_weight is not None and not wanted.max_weight > 1:
        yield Fault("/max_weight", "Must be more than 1, the mean.")
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


def _code_faults(
    pointer: str, noun: str, codes: Sequence[str], known: Sequence[str]
) -> Iterator[Fault]:
    if unknown := [code for code in codes if code not in known]:
        yield Fault(pointer, f"There is no {noun} {listed(unknown)}.")
    if twice := [code for code, times in Counter(codes).items() if times > 1]:
        yield Fault(pointer, f"It names the {noun} {listed(twice)} twice.")


def _margin_faults(survey: Survey, margin: Margin) -> Iterator[str]:
    try:
        question = survey.catalogue.question(margin.question)
    except KeyError:
        yield f"There is no question {margin.question!r}."
        return
    if question.kind != "single":
        yield f"{question.canonical} is {question.kind}; weights are raked to single questions."
    if unknown := [code for code in margin.shares if code not in question.datapoint_positions]:
        yield f"{question.canonical} has no datapoint {listed(unknown)}."
    shares = list(margin.shares.values())
    if not all(share >= 0 for share in shares) or not 0 < sum(shares) < np.inf:
        yield f"The shares of {question.canonical} must be numbers of at least 0, one above it."
