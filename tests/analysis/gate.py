"""Surveys whose truth is known: how they are drawn, their truth, exponents, seeds, and bounds.

`gate_rates` asks audiencelab for their tables as a user asks, with default arguments.
`python -m tests.bench gate` prints the rates of all; `test_gate.py` is a small part of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]

SEED = 20261129
SURVEYS, TABLES = 20, 20
"""A design has 20 surveys of 20 tables each. The rows of one survey are those of its tables."""

COLUMNS, ROWS = 8, 20
SHARES = (0.02, 0.5)
SIZES = np.array([7, 9, 11, 12, 13, 14, 16, 18]) / 100
"""The part of the respondents in each column, where each is in one."""

SEVERAL = np.linspace(0.15, 0.5, COLUMNS)
"""The part of those asked that is in each column, where respondents are in several."""

OFFERED = 2 / 3
"""To how many respondents a rotated item is offered."""

DEFF, EXPONENT, RHO, ICC = 1.6, 1.6, 0.3, 0.05
"""The design effect of lognormal weights; the exponent of Pareto weights; the correlation of
logarithms of weights with answers; the correlation of answers in a cluster."""

SIGMA = float(np.sqrt(np.log(DEFF)))

STRATUM_SPREAD, STRATUM_WEIGHTS = 0.3, (0.5, 1.5)
"""The standard deviation of log odds between strata; the weights of the first and the last."""

SCORES, CUTS = 100, (-1.2, -0.4, 0.3, 1.1)
"""Scores from 1 to 5 of each survey, and where a normal answer is cut."""

PLANTED, RAISED = 50, 0.12
"""Rows of each survey with one column raised by 12 points."""

LEAST_EXPECTED = 5
"""Respondents expected in the row and outside of it, from which an interval has to cover."""


class Bounds(NamedTuple):
    """The least and the most that a rate may be."""

    least: float = 0.0
    most: float = 1.0


FALSE = Bounds(0.04, 0.065)
COVERED, HEAVY_COVERED = Bounds(0.93, 0.97), Bounds(0.89, 1.0)
BOUNDS: Mapping[str, Bounds] = {
    "pairs": FALSE,
    "rest": FALSE,
    "screen": FALSE,
    "corrected": Bounds(most=0.075),
    "rest corrected": Bounds(most=0.075),
    "standouts": Bounds(most=0.07),
    "tested": Bounds(least=0.95),
    "shares": COVERED,
    "means": COVERED,
}
"""By name of a rate, see `RATES`."""

LEAST_POWER = 0.95
"""What is found of planted rows, of what R finds."""

RATES: Mapping[str, str] = {
    "pairs": "pairs p < .05",
    "rest": "rest p < .05",
    "screen": "arrows on screen",
    "mean pairs": "pairs of means p < .05",
    "corrected": "any pair: Bonferroni, Holm",
    "rest corrected": "any rest: the same",
    "standouts": "any standout",
    "tested": "pairs tested",
    "shares": "shares covered",
    "means": "means covered",
    "found": "found of 10",
    "found by R": "R finds of 10",
}
"""What is counted: the cells, pairs or tables of which it is true, of all."""


@dataclass(frozen=True)
class Drawn:
    """How the respondents of a survey are drawn.

    related: the correlation of the logarithm of the weight with answers. clusters: in each
    stratum; 0 where respondents are drawn one by one. columns: one of each respondent, at random;
    several; or one of each stratum. rotated: whether items are offered to some only.
    bounds: those that are not `BOUNDS`; None for a rate without.
    """

    respondents: int = 1_500
    weights: Literal["equal", "lognormal", "Pareto"] = "equal"
    related: float = 0.0
    strata: int = 1
    clusters: int = 0
    columns: Literal["random", "several", "strata"] = "random"
    rotated: bool = False
    bounds: tuple[tuple[str, Bounds], ...] = ()

    @property
    def differ(self) -> bool:
        """Whether answers and weights differ between strata."""
        return self.strata > 1 and self.columns != "strata"


_ANY = Bounds()
_HEAVY = ("shares", HEAVY_COVERED), ("means", HEAVY_COVERED)

DESIGNS: Mapping[str, Drawn] = {
    "none": Drawn(),
    "weights": Drawn(weights="lognormal"),
    "weights related to answers": Drawn(weights="lognormal", related=RHO),
    "heavy weights": Drawn(
        weights="Pareto", bounds=(("shares", HEAVY_COVERED), ("means", HEAVY_COVERED))
    ),
    "clusters": Drawn(clusters=100),
    "strata, clusters, weights": Drawn(weights="lognormal", strata=12, clusters=8),
    "overlapping columns, rotated items": Drawn(columns="several", rotated=True),
    # Only intervals have bounds: with 3 degrees of freedom tests have none.
    "regional columns": Drawn(
        strata=8,
        clusters=4,
        columns="strata",
        bounds=tuple(
            (name, _ANY)
            for name in ("pairs", "rest", "screen", "corrected", "rest corrected", "standouts")
        ),
    ),
    "small sample": Drawn(600),
    "small sample, clusters": Drawn(600, clusters=30),
}


# -- respondents and their truth ------------------------------------------------------------------


@dataclass(frozen=True)
class People:
    """Respondents of a survey, in order of strata and clusters.

    latent: the part of answers that weights may be related to. units: the cluster of each, or the
    number of the respondent. columns: bool[n, columns], who is in each; asked: who could be.
    parts: of each stratum in the population, adding up to 1.
    """

    weights: Floats
    latent: Floats
    strata: Positions
    units: Positions
    columns: Flags
    asked: Flags
    parts: Floats


class Items(NamedTuple):
    """What respondents chose, bool[n, items], who was asked, and shares of the population.

    raised: the column of each item in which its share is higher.
    """

    chosen: Flags
    asked: Flags
    truth: Floats
    raised: Positions


class Scores(NamedTuple):
    """Positions of scores, -1 for none, int[n, scores], who was asked, means of the population."""

    position: Positions
    asked: Flags
    truth: Floats


def people_of(drawn: Drawn, random: np.random.Generator) -> People:
    """Respondents of a survey."""
    every = np.arange(drawn.respondents)
    units = every
    if drawn.clusters:
        units = every * drawn.strata * drawn.clusters // drawn.respondents
    strata = units * drawn.strata // (units[-1] + 1)
    latent = random.standard_normal(drawn.respondents)
    weights, parts = np.ones(drawn.respondents), np.ones(drawn.strata)
    if drawn.weights == "lognormal":
        weights = np.exp(SIGMA * latent)
    elif drawn.weights == "Pareto":
        weights = (1 - random.random(drawn.respondents)) ** (-1 / EXPONENT)
    if drawn.differ:
        parts = np.linspace(*STRATUM_WEIGHTS, drawn.strata)
        weights = weights * parts[strata]
    asked = _asked(drawn, COLUMNS, random)
    if drawn.columns == "several":
        columns = (random.random(asked.shape) < SEVERAL) & asked
    else:
        drawn_at = random.choice(COLUMNS, drawn.respondents, p=SIZES)
        position = strata if drawn.columns == "strata" else drawn_at
        columns = position[:, None] == np.arange(COLUMNS)
    return People(weights, latent, strata, units, columns, asked, parts / parts.sum())


def items_of(
    drawn: Drawn,
    people: People,
    random: np.random.Generator,
    count: int,
    raised: float | Floats = 0.0,
) -> Items:
    """Items that do not depend on the column, but for one column each where they are raised.

    With weights w = exp(σz), the weighted share of a normal answer is that of one moved by ρσ.
    """
    odds = special.logit(random.uniform(*SHARES, count)) + _between(drawn, count, random)
    share = special.expit(odds)
    likely, asked = share[people.strata], _asked(drawn, count, random)
    if drawn.clusters:
        spread = (1 - ICC) / ICC
        mean = share[np.arange(people.units[-1] + 1) // drawn.clusters]
        likely = random.beta(mean * spread, (1 - mean) * spread)[people.units]
    if drawn.related:
        middle = special.ndtri(likely) + drawn.related * (people.latent[:, None] - SIGMA)
        likely = np.asarray(special.ndtr(middle / np.sqrt(1 - drawn.related**2)), np.float64)
    column = random.integers(COLUMNS, size=count)
    likely = likely + raised * people.columns[:, column]
    chosen = (random.random(asked.shape) < likely) & asked
    return Items(chosen, asked, people.parts @ share, column)


def scores_of(drawn: Drawn, people: People, random: np.random.Generator, count: int) -> Scores:
    """Scores that do not depend on the column: a normal answer, cut at `CUTS`."""
    middle = 0.5 * random.standard_normal(count) + _between(drawn, count, random)
    shape = drawn.respondents, count
    own = 1 - (ICC if drawn.clusters else 0) - drawn.related**2
    answer = middle[people.strata] + np.sqrt(own) * random.standard_normal(shape)
    if drawn.clusters:
        common = random.standard_normal((people.units[-1] + 1, count))
        answer += np.sqrt(ICC) * common[people.units]
    answer += drawn.related * people.latent[:, None]
    above = [special.ndtr(middle + drawn.related * SIGMA - cut) for cut in CUTS]
    asked = _asked(drawn, count, random)
    position = np.sum([answer >= cut for cut in CUTS], axis=0)
    return Scores(np.where(asked, position, -1), asked, 1 + people.parts @ np.sum(above, axis=0))


def _between(drawn: Drawn, count: int, random: np.random.Generator) -> Floats:
    """How strata differ, float64[strata, count]."""
    spread = STRATUM_SPREAD if drawn.differ else 0.0
    return spread * random.standard_normal((drawn.strata, count))


def _asked(drawn: Drawn, count: int, random: np.random.Generator) -> Flags:
    return random.random((drawn.respondents, count)) < (OFFERED if drawn.rotated else 1.0)
