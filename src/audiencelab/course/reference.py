"""A student's survey as arrays, and textbook formulas on them.

Right answers are computed here from the respondents, independently of the client that students use,
in code that is simple enough to check by reading.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from audiencelab.survey import Survey, WaveData
from audiencelab.survey.answers import unpack

Flags = npt.NDArray[np.bool_]
Waves = Sequence[str] | None

LAST = ("q4_2025",)


@dataclass(frozen=True, slots=True)
class RespondentGroup:
    """Some respondents: for each wave, whether each belongs, `bool[n]`."""

    flags: Callable[[WaveData], Flags]

    def __and__(self, other: RespondentGroup) -> RespondentGroup:
        return RespondentGroup(lambda wave: self.flags(wave) & other.flags(wave))

    def __invert__(self) -> RespondentGroup:
        return RespondentGroup(lambda wave: ~self.flags(wave))


EVERYONE = RespondentGroup(lambda wave: np.ones(wave.respondents, np.bool_))


def given(question: str, *datapoints: str, suffixes: Sequence[str] = ()) -> RespondentGroup:
    """Respondents who gave any of the answers (with any suffix); none in a wave without it."""

    def flags(wave: WaveData) -> Flags:
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

    def flags(wave: WaveData) -> Flags:
        found = wave.question(question)
        if found is None:
            return np.zeros(wave.respondents, np.bool_)
        return unpack(found.asked, wave.respondents)

    return RespondentGroup(flags)


class Respondents:
    """The respondents of a survey.

    `waves` are codes in all methods. None means the latest 4, one year, the default of a crosstab.
    """

    def __init__(self, survey: Survey) -> None:
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

    def _data(self, waves: Waves) -> list[WaveData]:
        return [self.survey.wave(code) for code in (self.waves[-4:] if waves is None else waves)]
