"""A survey cut into partitions, each named by where it stands.

A partition is a wave, or some of its 64-bit words: small enough to be one task among many, large
enough that the task is worth sending. Its name is all that a worker needs to find it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from audiencelab.survey.answers import words_for

if TYPE_CHECKING:
    from audiencelab.survey import Survey

__all__ = ["FEWEST_RESPONDENTS", "RESPONDENTS", "Partition", "partitions_of"]

RESPONDENTS = 250_000
"""What a partition holds at most, if nothing else is asked for."""

FEWEST_RESPONDENTS = 64_000
"""Below, sending a task and adding up its table costs more than sharing the work saves."""


@dataclass(frozen=True, slots=True)
class Partition:
    """Some respondents of a survey, by address; texts and numbers only.

    survey: the survey's address: an absolute path that every worker sees, or what fsspec reads.
    checksum: of the version of the survey that is meant (`Survey.checksum`).
    wave: the wave's code. start, stop: its 64-bit words, `stop` exclusive.
    """

    survey: str
    checksum: str
    wave: str
    start: int
    stop: int

    def __str__(self) -> str:
        return f"{self.survey}, wave {self.wave}, words {self.start:,} to {self.stop:,}"


def partitions_of(survey: Survey, respondents: int = RESPONDENTS) -> tuple[Partition, ...]:
    """The partitions of a survey, the earliest wave first; none is empty, and none overlap.

    respondents: how many a partition holds at most. Waves are cut into equal parts on the borders
    of words, and into none of fewer than `FEWEST_RESPONDENTS`.
    """
    return tuple(
        Partition(survey.address, survey.checksum, wave.code, start, stop)
        for wave in survey.waves
        for start, stop in _cuts(words_for(wave.respondents), words_for(respondents))
    )


def _cuts(words: int, at_most: int) -> list[tuple[int, int]]:
    pieces = max(1, min(-(-words // at_most), words // words_for(FEWEST_RESPONDENTS)))
    return list(pairwise(words * piece // pieces for piece in range(pieces + 1)))
