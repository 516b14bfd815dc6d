"""A made-up survey that every way counts: independent answers, four waves, weights, four bases.

Audiences are single datapoints of two questions, each with a share of its own between 2 and 40%,
so that every program has a native form for them. A base is a datapoint too, and its respondents
are scattered over the whole survey. Real answers hang together, which changes nothing for a way
that does all the work and helps one that passes over what is empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine import CrosstabSpec
from audiencelab.expressions import Audience, Expression, Q
from audiencelab.schema import Datapoint
from audiencelab.schema.scope import Scope
from audiencelab.survey import Survey, SurveyBuilder, SurveyCatalogue, SurveyQuestion, SurveyWave
from audiencelab.survey.answers import WORD, Bits, unpack, words_for

__all__ = ["BASES", "WAVES", "BenchSurvey", "Flags", "make_survey"]

Flags = NDArray[np.bool_]

WAVES = tuple(f"w{place}" for place in range(4))
BASES = (90, 34, 9, 1)
"""Shares of the bases, in percent: the datapoints of the question `base`."""


@dataclass(frozen=True)
class BenchSurvey:
    """A survey in a folder, of which some waves are used."""

    folder: Path
    waves: tuple[str, ...] = WAVES

    @cached_property
    def survey(self) -> Survey:
        return Survey.open(self.folder)

    @property
    def respondents(self) -> int:
        return sum(self._sizes)

    @property
    def _sizes(self) -> list[int]:
        return [self.survey.wave(code).respondents for code in self.waves]

    @property
    def weights(self) -> NDArray[np.float64]:
        """float64[respondents], as the survey keeps them: on its grid."""
        return np.concatenate([self.survey.wave(code).weights for code in self.waves])

    def bits(self, question: str, points: slice) -> list[Bits]:
        """Some datapoints of a question, a wave at a time: uint64[points, words] each."""
        waves = [self.survey.wave(code) for code in self.waves]
        return [found.matrix[points] for wave in waves if (found := wave.question(question))]

    def flags(self, question: str, points: slice) -> Flags:
        """The same as bool[points, respondents]."""
        parts = zip(self.bits(question, points), self._sizes, strict=True)
        return np.hstack([unpack(bits, size) for bits, size in parts])

    def base(self) -> Flags:
        """Who is in the base of all comparisons, 90%: bool[respondents]."""
        return self.flags("base", slice(1))[0]

    def spec(self, rows: int, columns: int, base: int = BASES[0]) -> CrosstabSpec:
        """The first row audiences × the first column audiences, as our engine is asked for them."""
        return CrosstabSpec(
            tuple(point("rows", at) for at in range(rows)),
            tuple(point("columns", at) for at in range(columns)),
            Scope(Audience(point("base", BASES.index(base))), waves=self.waves),
        )


def point(question: str, place: int) -> Expression:
    """The audience of one datapoint."""
    return Q(question).any(f"{question}_{place}")


def make_survey(folder: Path, respondents: int, side: int) -> BenchSurvey:
    """Write a survey with `side` row and `side` column datapoints; same numbers, same answers."""
    rng = np.random.default_rng([respondents, side])
    shares = {
        "place": np.ones(1),
        "base": np.array(BASES) / 100,
        "rows": rng.uniform(0.02, 0.4, side),
        "columns": rng.uniform(0.02, 0.4, side),
    }
    questions = tuple(_question(code, len(each)) for code, each in shares.items())
    with SurveyBuilder(folder, SurveyCatalogue(questions, "core.place"), name="Made up") as builder:
        for place, code in enumerate(WAVES):
            size = respondents // len(WAVES)
            rows = {f"core.{code}": _drawn(rng, size, each) for code, each in shares.items()}
            month = 1 + 3 * place
            wave = SurveyWave(code, code, date(2024, month, 1), date(2024, month + 1, 28))
            builder.add_packed_wave(wave, rng.gamma(2.0, 1250.0, size), rows)
        builder.finish()
    return BenchSurvey(folder)


def _drawn(rng: np.random.Generator, respondents: int, shares: NDArray[np.float64]) -> Bits:
    """Who was asked (everyone), then each datapoint with its share: uint64[1 + k, words]."""
    words = words_for(respondents)
    rows = np.zeros((1 + len(shares), words * 8), np.uint8)
    for row, share in zip(rows, [1.0, *shares], strict=True):
        # Bytes are drawn ten times sooner than reals, and a share need not be exact.
        drawn = np.frombuffer(rng.bytes(respondents), np.uint8) < round(256 * share)
        octets = np.packbits(drawn, bitorder="little")
        row[: len(octets)] = octets
    return rows.view(WORD)


def _question(code: str, points: int) -> SurveyQuestion:
    kind = "single" if points == 1 else "multiple"
    datapoints = tuple(Datapoint(f"{code}_{place}", str(place)) for place in range(points))
    return SurveyQuestion("core", code, code, kind, datapoints)
