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
from audiencelab.survey.bits import Flags, unpack
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.reader import Survey, WaveData
from audiencelab.survey.revising import Revision, asked_questions, revise
from audiencelab.survey.toml import parse_toml
from audiencelab.survey.weights import Weights, effective_base

__all__ = [
    "Fitted",
    "Margin",
    "Raked",
    "RakedGroup",
    "Target",
    "Targets",
    "load_targets",
    "rake",
    "rake_weights",
]

_SWEEPS = 1000
_TOLERANCE = 1e-9
"""How far off its target a margin may be, as a share of the whole."""

_NONE = -1
"""The category of a respondent who gave no answer."""

Categories = npt.NDArray[np.intp]


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of the targets; a field that it does not know is a slip of the pen."""


class Margin(_Part, frozen=True):
    """How the answers to a single question divide; shares by datapoint code, in any unit."""

    question: str
    shares: dict[str, float]


class Target(_Part, frozen=True):
    """The margins of some respondents.

    waves, locations: codes; each wave is fitted by itself, the locations named together. All of
    them where they are left out. total: what the weights are to sum to; their sum where left out.
    """

    margins: tuple[Margin, ...]
    waves: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    total: float | None = None


class Targets(_Part, frozen=True):
    """All targets. max_weight: no weight may be more than so many times its group's mean."""

    targets: tuple[Target, ...]
    max_weight: float | None = None


@dataclass(frozen=True, slots=True)
class Fitted:
    """Weights that were fitted. off: how far the worst margin is from its target, as a share."""

    weights: Weights
    sweeps: int
    off: float

    @property
    def converged(self) -> bool:
        """Whether the weights meet every target, as nearly as is asked."""
        return self.off <= _TOLERANCE


@dataclass(frozen=True, slots=True)
class RakedGroup:
    """What raking did to the respondents of a wave and some locations.

    unanswered: those without an answer to one of the margins' questions; they keep their share.
    before, after: the effective base. design_effect: n·Σw² / (Σw)² of the new weights (Kish).
    """

    wave: str
    locations: tuple[str, ...]
    respondents: int
    unanswered: int
    sweeps: int
    before: float
    after: float
    design_effect: float


@dataclass(frozen=True, slots=True)
class Raked:
    """A survey's new version, and what raking did to each group."""

    survey: Survey
    groups: tuple[RakedGroup, ...]


def load_targets(path: str | Path) -> Targets:
    """The targets of a TOML file; `SurveyError` names the file and the place."""
    file = Path(path).expanduser()
    try:
        return msgspec.convert(parse_toml(file.read_text("utf-8")), Targets, strict=False)
    except FileNotFoundError:
        raise SurveyError(f"{file}: there is no such file of targets.") from None
    except OSError as error:
        raise SurveyError(f"{file} cannot be read: {error.strerror}.") from None
    except ValueError as error:  # no TOML, no UTF-8, no targets
        raise SurveyError(f"{file}: {error}") from None


def rake_weights(
    weights: Weights,
    margins: Sequence[tuple[Categories, npt.NDArray[np.float64]]],
    *,
    max_weight: float | None = None,
    sweeps: int = _SWEEPS,
) -> Fitted:
    """Fit weights to margins.

    weights: float64[n]. margins: for each, the category of each respondent, intp[n], and what the
    weights of each category are to sum to, float64[k]; the targets of all margins have the same
    sum, and no category with a target is without weight. max_weight: weights are cut to that in
    every sweep.
    """
    fitted = weights.astype(np.float64)
    total = float(margins[0][1].sum())
    sweep, off = 0, np.inf
    while off > _TOLERANCE and sweep < sweeps:
        sweep += 1
        for categories, targets in margins:
            fitted *= _factors(fitted, categories, targets)[categories]
        if max_weight is not None:
            np.minimum(fitted, max_weight, out=fitted)
        off = max(
            float(np.abs(np.bincount(categories, fitted, len(targets)) - targets).max()) / total
            for categories, targets in margins
        )
    return Fitted(fitted, sweep, off)


def _factors(
    weights: Weights, categories: Categories, targets: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    sums = np.bincount(categories, weights, len(targets))
    return np.divide(targets, sums, out=np.zeros_like(targets), where=sums > 0)


def rake(
    path: str | Path, targets: Targets | str | Path, *, out: str | Path | None = None
) -> Raked:
    """Rake a survey's weights to targets, in its place or as a new survey at `out`.

    Respondents whom no target names keep their weights. Raises `SurveyError` with everything that
    cannot be met: margins that do not converge, shares of datapoints that nobody gave.
    """
    wanted = targets if isinstance(targets, Targets) else load_targets(targets)
    groups: list[RakedGroup] = []

    def plan(survey: Survey) -> Revision:
        if faults := list(_faults(survey, wanted)):
            raise SurveyError(list_faults("The targets do not go with the survey:", faults))
        weights: dict[str, Weights] = {}
        for place, target in enumerate(wanted.targets):
            for code in target.waves or [wave.code for wave in survey.waves]:
                wave = survey.wave(code)
                mine = weights.setdefault(code, wave.weights.copy())
                group = _Group(survey, wave, target, f"/targets/{place}")
                groups.append(group.rake(mine, wanted.max_weight))
        return Revision(
            asked_questions(survey),
            survey.derived,
            tuple(survey.wave(wave.code) for wave in survey.waves),
            weights,
            provenance=_provenance(survey, wanted),
        )

    return Raked(revise(path, plan, out=out), tuple(groups))


def _provenance(survey: Survey, wanted: Targets) -> dict[str, Any]:
    """The targets, those of before, and whom all of them name.

    raked: these targets. raked_before: earlier ones, the first at the front. raked_waves: for each
    wave the locations that were raked; none are listed where that is everybody.
    """
    told = survey.manifest.provenance
    covered: dict[str, list[str]] = dict(told.get("raked_waves", {}))
    for target in wanted.targets:
        for code in target.waves or [wave.code for wave in survey.waves]:
            before = covered.get(code)
            places = sorted({*(before or ()), *target.locations})
            everybody = before == [] or not target.locations
            if everybody or _in_locations(survey, survey.wave(code), places).all():
                places = []
            covered[code] = places
    provenance: dict[str, Any] = {"raked": msgspec.to_builtins(wanted), "raked_waves": covered}
    if "raked" in told:
        provenance["raked_before"] = [*told.get("raked_before", ()), told["raked"]]
    return provenance


class _Group:
    """The respondents of one wave whom one target names."""

    def __init__(self, survey: Survey, wave: WaveData, target: Target, pointer: str) -> None:
        self._wave = wave
        self._target = target
        self._pointer = pointer
        self._there = _in_locations(survey, wave, target.locations)

    def rake(self, weights: Weights, max_weight: float | None) -> RakedGroup:
        """Put new weights in the place of the group's old ones."""
        there = np.flatnonzero(self._there)
        old = weights[there]
        if not old.any():
            raise self._unmet("nobody there has a weight")
        total = float(old.sum()) if self._target.total is None else self._target.total
        old = old * (total / float(old.sum()))
        margins = [self._margin(margin, there, old) for margin in self._target.margins]
        most = None if max_weight is None else max_weight * total / len(there)
        fitted = rake_weights(old, margins, max_weight=most)
        if not fitted.converged:
            raise self._unmet(
                f"the margins cannot all be met: after {fitted.sweeps:,} sweeps one is still off "
                f"by {fitted.off:.2%} of the total. They may contradict each other where "
                "combinations of answers are missing"
                + ("" if most is None else ", or max_weight is too small")
            )
        weights[there] = fitted.weights
        after = effective_base(fitted.weights)
        return RakedGroup(
            self._wave.code,
            self._target.locations,
            len(there),
            self._unanswered(margins),
            fitted.sweeps,
            effective_base(old),
            after,
            len(there) / after,
        )

    def _margin(
        self, margin: Margin, there: Categories, old: Weights
    ) -> tuple[Categories, npt.NDArray[np.float64]]:
        """Categories 0 to k - 1, and k for those without an answer, who keep their weight."""
        found = self._wave.question(margin.question)
        if found is None:
            raise self._unmet(f"{margin.question} was not asked")
        places = _answers(unpack(found.matrix, self._wave.respondents)[:, there])
        shares = np.array([margin.shares.get(each.code, 0.0) for each in found.question.datapoints])
        k = len(shares)
        sums = np.bincount(np.where(places == _NONE, k, places), old, k + 1)
        codes = [each.code for each in found.question.datapoints]
        if missing := [codes[place] for place in range(k) if shares[place] > 0 and not sums[place]]:
            raise self._unmet(
                f"{margin.question} has a share for {listed(missing)}, which nobody with a weight "
                "gave"
            )
        if extra := [codes[place] for place in range(k) if not shares[place] and sums[place]]:
            raise self._unmet(
                f"{margin.question} has no share for {listed(extra)}, which respondents gave"
            )
        targets = np.append(shares / shares.sum() * (old.sum() - sums[k]), sums[k])
        return np.where(places == _NONE, k, places), targets

    @staticmethod
    def _unanswered(margins: Sequence[tuple[Categories, npt.NDArray[np.float64]]]) -> int:
        none = [categories == len(targets) - 1 for categories, targets in margins]
        return int(np.count_nonzero(np.any(none, axis=0)))

    def _unmet(self, detail: str) -> SurveyError:
        where = f" in {listed(self._target.locations)}" if self._target.locations else ""
        return SurveyError(f"{self._pointer}: in wave {self._wave.code}{where} {detail}.")


def _in_locations(survey: Survey, wave: WaveData, locations: Sequence[str]) -> Flags:
    if not locations:
        return np.ones(wave.respondents, np.bool_)
    found = wave.question(survey.catalogue.location_question)
    assert found is not None, "every wave of a survey has its location question"
    return np.any([unpack(found.datapoint(code), wave.respondents) for code in locations], axis=0)


def _answers(flags: Flags) -> Categories:
    """The place of each respondent's one answer."""
    return np.where(flags.any(axis=0), flags.argmax(axis=0), _NONE)


def _faults(survey: Survey, wanted: Targets) -> Iterator[Fault]:
    if not wanted.targets:
        yield Fault("/targets", "There is no target.")
    if wanted.max_weight is not None and not wanted.max_weight > 1:
        yield Fault("/max_weight", "Must be more than 1, the mean.")
    waves = [wave.code for wave in survey.waves]
    places = survey.catalogue.question(survey.catalogue.location_question).datapoint_positions
    taken: set[tuple[str, str]] = set()
    for number, target in enumerate(wanted.targets):
        pointer = f"/targets/{number}"
        if unknown := [code for code in target.waves if code not in waves]:
            yield Fault(f"{pointer}/waves", f"There is no wave {listed(unknown)}.")
        if unknown := [code for code in target.locations if code not in places]:
            yield Fault(f"{pointer}/locations", f"There is no location {listed(unknown)}.")
        for name, codes in (("wave", target.waves), ("location", target.locations)):
            if twice := [code for code, times in Counter(codes).items() if times > 1]:
                yield Fault(f"{pointer}/{name}s", f"It names the {name} {listed(twice)} twice.")
        mine = set(product(target.waves or waves, target.locations or places))
        if mine & taken:
            yield Fault(pointer, "It names respondents whom a target before it names too.")
        taken |= mine
        for fault in _target_faults(survey, target):
            yield fault.under(pointer)


def _target_faults(survey: Survey, target: Target) -> Iterator[Fault]:
    if target.total is not None and not 1e-9 <= target.total <= 1e18:
        yield Fault("/total", "Must be a number above 0, from 1e-9 to 1e18.")
    if not target.margins:
        yield Fault("/margins", "A target needs at least one margin.")
    for place, margin in enumerate(target.margins):
        for detail in _margin_faults(survey, margin):
            yield Fault(f"/margins/{place}", detail)


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
