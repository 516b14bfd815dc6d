"""A student's survey as arrays, and textbook formulas on them.

Right answers are computed here from the respondents, independently of the client that students use,
in code that is simple enough to check by reading.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from audiencelab.survey import Survey, WaveData
from audiencelab.survey.answers import unpack
from audiencelab.survey.demo.drawn import DrawnSurvey, DrawnWave

Flags = npt.NDArray[np.bool_]
Waves = Collection[str] | None
Wave = WaveData | DrawnWave

LAST = ("q4_2025",)
Z95 = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class RespondentGroup:
    """Some respondents: for each wave, whether each belongs, `bool[n]`."""

    flags: Callable[[Wave], Flags]

    def __and__(self, other: RespondentGroup) -> RespondentGroup:
        return RespondentGroup(lambda wave: self.flags(wave) & other.flags(wave))

    def __invert__(self) -> RespondentGroup:
        return RespondentGroup(lambda wave: ~self.flags(wave))


EVERYONE = RespondentGroup(lambda wave: np.ones(wave.respondents, np.bool_))


def given(question: str, *datapoints: str, suffixes: Sequence[str] = ()) -> RespondentGroup:
    """Respondents who gave any of the answers (with any suffix); none in a wave without it."""

    def flags(wave: Wave) -> Flags:
        found = wave.question(question)
        who = np.zeros(wave.respondents, np.bool_)
        if found is None:
            return who
        for code in datapoints or list(found.question.datapoint_positions):
            who |= unpack(found.datapoint(code, suffixes), wave.respondents)
        return who

    return RespondentGroup(flags)


def asked(question: str) -> RespondentGroup:
    """Respondents who were asked the question."""

    def flags(wave: Wave) -> Flags:
        found = wave.question(question)
        if found is None:
            return np.zeros(wave.respondents, np.bool_)
        return unpack(found.asked, wave.respondents)

    return RespondentGroup(flags)


class Respondents:
    """The respondents of a survey.

    `waves` are codes in all methods. None means the latest 4, one year, the default of a crosstab.
    """

    def __init__(self, survey: Survey | DrawnSurvey) -> None:
        self.survey = survey

    @cached_property
    def waves(self) -> tuple[str, ...]:
        """All waves, the earliest first."""
        return tuple(wave.code for wave in self.survey.waves)

    def since(self, first: str, until: str | None = None) -> tuple[str, ...]:
        """The waves from one to another, both included."""
        stop = None if until is None else self.waves.index(until) + 1
        return self.waves[self.waves.index(first) : stop]

    def sample(self, group: RespondentGroup, waves: Waves = None) -> int:
        """The number of respondents in the group."""
        return sum(int(group.flags(wave).sum()) for wave in self._data(waves))

    def total(self, group: RespondentGroup, waves: Waves = None) -> float:
        """The sum of their weights, over these waves together."""
        return float(sum(wave.weights[group.flags(wave)].sum() for wave in self._data(waves)))

    def size(self, group: RespondentGroup, waves: Waves = None) -> float:
        """The projected number of people: the sum of weights of an average wave."""
        return self.total(group, waves) / len(self._data(waves))

    def share(
        self, part: RespondentGroup, whole: RespondentGroup = EVERYONE, waves: Waves = None
    ) -> float:
        """The percentage of the people in `whole` who are in `part`."""
        return 100 * self.total(part & whole, waves) / self.total(whole, waves)

    def unweighted_share(
        self, part: RespondentGroup, whole: RespondentGroup = EVERYONE, waves: Waves = None
    ) -> float:
        """The same with weight 1 for every respondent."""
        return 100 * self.sample(part & whole, waves) / self.sample(whole, waves)

    def index(
        self,
        part: RespondentGroup,
        column: RespondentGroup,
        base: RespondentGroup = EVERYONE,
        waves: Waves = None,
    ) -> float:
        """The share in the column as a percentage of the share in the base."""
        return 100 * self.share(part, column & base, waves) / self.share(part, base, waves)

    def kish(self, group: RespondentGroup, waves: Waves = None) -> float:
        """Kish's design effect of the group's weights, n Σw² ÷ (Σw)²."""
        weights = np.concatenate([wave.weights[group.flags(wave)] for wave in self._data(waves)])
        return len(weights) * float((weights**2).sum()) / float(weights.sum()) ** 2

    def effective_base(self, group: RespondentGroup, waves: Waves = None) -> float:
        """The number of equally weighted respondents with the same precision."""
        return self.sample(group, waves) / self.kish(group, waves)

    def standard_error(
        self,
        part: RespondentGroup,
        whole: RespondentGroup,
        waves: Waves = None,
        *,
        design: bool = False,
    ) -> float:
        """The standard error of the share, in points; with `design`, for weighted data."""
        share = self.share(part, whole, waves)
        base = self.effective_base(whole, waves) if design else self.sample(whole, waves)
        return math.sqrt(share * (100 - share) / base)

    def linearised_error(
        self, part: RespondentGroup, whole: RespondentGroup = EVERYONE, waves: Waves = None
    ) -> float:
        """The standard error of the share by linearisation, in points: each wave is a stratum."""
        share, total = self.share(part, whole, waves) / 100, self.total(whole, waves)
        variance = 0.0
        for wave in self._data(waves):
            inside = wave.weights * whole.flags(wave)
            variance += _variance_of_sum(inside * (part.flags(wave) - share) / total)
        return 100 * math.sqrt(variance)

    def interval(
        self, part: RespondentGroup, whole: RespondentGroup = EVERYONE, waves: Waves = None
    ) -> tuple[float, float]:
        """The 95% interval of the share, in percent: Wilson's, of the effective base by t."""
        share, n = self.share(part, whole, waves) / 100, self.sample(whole, waves)
        strata = sum(bool(whole.flags(wave).any()) for wave in self._data(waves))
        reach, t = Z95, _student(n - strata)
        worth = 1e4 * share * (1 - share) / self.linearised_error(part, whole, waves) ** 2
        squared = reach**2 / min(worth * (reach / t) ** 2, n)
        middle = (share + squared / 2) / (1 + squared)
        half = math.sqrt(squared * share * (1 - share) + squared**2 / 4) / (1 + squared)
        return 100 * (middle - half), 100 * (middle + half)

    def tested_error(
        self,
        part: RespondentGroup,
        first: tuple[RespondentGroup, Waves],
        second: tuple[RespondentGroup, Waves],
    ) -> float:
        """The standard error that a test divides the difference of two shares by, in points.

        Pooled and linearised, of groups without a common respondent; "How significance is tested"
        in the documentation has the formula.
        """
        p1, p2 = (self.share(part, *each) / 100 for each in (first, second))
        b1, b2 = (self.total(*each) for each in (first, second))
        pooled = (p1 * b1 + p2 * b2) / (b1 + b2)
        variance = alone = residuals = squares = halves = own = 0.0
        for wave in self._data({*self._codes(first[1]), *self._codes(second[1])}):
            one, two = (
                group.flags(wave) & (wave.code in self._codes(waves))
                for group, waves in (first, second)
            )
            weight, yes = wave.weights, part.flags(wave)
            score = weight * (one * (yes - p1) / b1 - two * (yes - p2) / b2)
            variance += _variance_of_sum(score)
            alone += float((score**2).sum())
            far = (yes - pooled) ** 2
            either = weight**2 * (one | two)
            each = (weight * (one / b1 - two / b2)) ** 2
            residuals += float((either * far).sum())
            squares += float(either.sum())
            halves += float(each.sum())
            own += float((each * far).sum())
        effect = variance / alone
        return 100 * math.sqrt(effect * max(residuals / squares * halves, own / 2))

    def z(
        self,
        part: RespondentGroup,
        first: tuple[RespondentGroup, Waves],
        second: tuple[RespondentGroup, Waves],
        *,
        design: bool = True,
    ) -> float:
        """The difference of the shares over its standard error with a pooled share (score test)."""
        one, other = (self.share(part, whole, waves) for whole, waves in (first, second))
        n, m = (
            self.effective_base(whole, waves) if design else self.sample(whole, waves)
            for whole, waves in (first, second)
        )
        common = (n * one + m * other) / (n + m)
        return (one - other) / math.sqrt(common * (100 - common) * (1 / n + 1 / m))

    def _codes(self, waves: Waves) -> Collection[str]:
        return self.waves[-4:] if waves is None else waves

    def _data(self, waves: Waves) -> list[Wave]:
        return [self.survey.wave(code) for code in self._codes(waves)]


def _variance_of_sum(scores: npt.NDArray[np.float64]) -> float:
    """The variance of the sum of a stratum's scores, with replacement; `float64[n]`."""
    n = len(scores)
    return n / (n - 1) * float(((scores - scores.mean()) ** 2).sum())


@cache
def _gauss() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Points and widths of Gauss's integration from -1 to 1."""
    return np.polynomial.legendre.leggauss(64)


def _student(freedom: int, probability: float = 0.975) -> float:
    """A quantile of Student's t; nan without a degree of freedom.

    By Newton's method on the integral of the density: in a browser scipy is loaded only where a
    cell imports it, and every student's survey is chosen by this.
    """
    if freedom < 1:
        return math.nan
    half = (freedom + 1) / 2
    top = math.exp(math.lgamma(half) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    points, widths = _gauss()
    t = NormalDist().inv_cdf(probability)
    for _ in range(12):
        density = top * (1 + (t * (points + 1) / 2) ** 2 / freedom) ** -half
        missing = probability - 0.5 - t / 2 * float(widths @ density)
        t += missing / (top * (1 + t**2 / freedom) ** -half)
    return t
