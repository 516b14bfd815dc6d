"""The demo survey's respondents in one wave: demographics, traits and weights.

Demographics are drawn for each market from the shares in `content/study.toml`, skewed towards
the young as online samples are; weights correct that and sum to each market's adults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

MARKETS = ("us", "uk", "de", "fr", "es", "br", "jp", "au")
"""In the order of the location question's datapoints."""

TRAITS = (
    *("age", "female", "income", "educ", "urban", "parent"),
    *("digital", "social", "health", "green", "novel", "thrift", "home", "culture", "sport"),
    *("trend", "summer", "winter"),
    *MARKETS,
)
"""The traits that answers may depend on: standard scores, but for `parent` and the markets (0 or
1), `female` (±0.5), `trend` (years from the middle of the study) and the seasons (-1 to 1)."""

_AGES = ((16, 18), (18, 25), (25, 35), (35, 45), (45, 55), (55, 65), (65, 85))
_SKEW = (1.1, 1.3, 1.25, 1.1, 0.95, 0.75, 0.6)
_FEMALE, _OTHER_GENDER = 0.51, 0.008
_PLACES = (0.34, 0.28, 0.21, 0.17)
_EDUCATION = (0.06, 0.13, 0.27, 0.19, 0.25, 0.10)
_INCOMES = (0.13, 0.14, 0.18, 0.19, 0.15, 0.12, 0.07, 0.02)

# Each lasting trait: what it owes to the traits before it, and what is a person's own.
_LASTING: dict[str, tuple[dict[str, float], float]] = {
    "digital": ({"age": -0.5, "educ": 0.2, "income": 0.15, "urban": 0.1}, 0.8),
    "social": ({"age": -0.35, "urban": 0.1}, 0.9),
    "health": ({"educ": 0.25, "income": 0.2, "age": -0.1}, 0.92),
    "green": ({"educ": 0.2, "female": 0.3, "age": -0.15, "urban": 0.2}, 0.92),
    "novel": ({"age": -0.4, "income": 0.15, "urban": 0.2}, 0.86),
    "thrift": ({"income": -0.45, "age": 0.1}, 0.88),
    "home": ({"age": 0.3, "parent": 0.4, "urban": -0.2}, 0.88),
    "culture": ({"educ": 0.4, "urban": 0.2, "age": 0.1}, 0.88),
    "sport": ({"female": -0.6, "age": -0.15, "health": 0.2}, 0.9),
}


@dataclass(frozen=True, slots=True)
class DemoRespondents:
    """Respondents of one wave.

    traits: float64[len(TRAITS), n]. weights: float64[n], people of the universe.
    known: answers that come from the sample itself, int[n] each, by the name in `from`.
    """

    traits: Reals
    weights: Reals
    known: Mapping[str, Places]

    def __len__(self) -> int:
        return len(self.weights)


def draw_people(
    rng: np.random.Generator,
    respondents: int,
    wave: int,
    locations: Mapping[str, Mapping[str, Any]],
) -> DemoRespondents:
    """The respondents of the wave at position `wave` (0 to 11), sorted by market."""
    market = np.repeat(np.arange(len(MARKETS)), _quota(respondents, locations))
    targets = np.array([locations[name]["ages"] for name in MARKETS]) / 100
    chances = targets * np.array(_SKEW)
    band = _draw(rng, (chances / chances.sum(axis=1, keepdims=True))[market])
    low, high = np.array(_AGES)[band].T
    age = low + rng.random(respondents) * (high - low)
    gender = _draw(rng, np.tile([1 - 0.53 - _OTHER_GENDER, 0.53, _OTHER_GENDER], (respondents, 1)))

    own = rng.standard_normal((respondents, 4))
    years = (age - 45) / 17
    urban = 0.95 * own[:, 0] - 0.12 * years
    educ = 0.9 * own[:, 1] + 0.25 * urban - 0.1 * years
    income = 0.8 * own[:, 2] + 0.5 * educ - 0.15 * (years - 0.3) ** 2
    # Children at home, likeliest around forty.
    likely = 1 / (1 + np.exp(-(0.6 - ((age - 39) / 9) ** 2 + 0.3 * own[:, 3])))
    some = rng.random(respondents) < likely
    number = _draw(rng, np.tile([0.46, 0.37, 0.12, 0.05], (respondents, 1)))
    children = np.where(some, 1 + number, 0)
    season = np.cos((wave % 4 - 2) * np.pi / 2)  # the third quarter is high summer
    moment = {"trend": (wave - 5.5) / 4, "summer": season, "winter": -season}
    traits = {
        "age": years,
        "female": np.array([-0.5, 0.5, 0.0])[gender],
        "income": income,
        "educ": educ,
        "urban": urban,
        "parent": (children > 0).astype(np.float64),
        **{name: np.full(respondents, value) for name, value in moment.items()},
        **{name: (market == place).astype(np.float64) for place, name in enumerate(MARKETS)},
    }
    for name, (owed, remains) in _LASTING.items():
        traits[name] = remains * rng.standard_normal(respondents)
        for trait, load in owed.items():
            traits[name] += load * traits[trait]
    known = {
        "location": market,
        "gender": gender,
        "age_band": band,
        "children": children,
        "place": _bands(-urban, _PLACES),
        "education": _bands(educ, _EDUCATION),
        "income_band": _bands(income, _INCOMES),
    }
    weights = _weigh(rng, wave, market, band, gender == 1, targets, locations)
    return DemoRespondents(np.vstack([traits[name] for name in TRAITS]), weights, known)


def _quota(respondents: int, locations: Mapping[str, Mapping[str, Any]]) -> Places:
    """Interviews for each market: one each at least, the rest by quota, in whole people."""
    quotas = np.array([locations[name]["quota"] for name in MARKETS], dtype=np.float64)
    ideal = 1 + (respondents - len(MARKETS)) * quotas / quotas.sum()
    whole = np.floor(ideal).astype(np.intp)
    rest = respondents - whole.sum()
    # The largest remainders are rounded up, so that the markets add up to all respondents.
    whole[np.argsort(whole - ideal, kind="stable")[:rest]] += 1
    return whole


def _draw(rng: np.random.Generator, chances: Reals) -> Places:
    """One index for each row of chances."""
    return (rng.random((len(chances), 1)) > np.cumsum(chances, axis=1)[:, :-1]).sum(axis=1)


def _bands(score: Reals, shares: tuple[float, ...]) -> Places:
    """Rank among a wave's respondents, cut by shares of 1."""
    ranks = np.empty(len(score))
    ranks[np.argsort(score, kind="stable")] = (np.arange(len(score)) + 0.5) / len(score)
    return np.searchsorted(np.cumsum(shares)[:-1], ranks)


def _weigh(
    rng: np.random.Generator,
    wave: int,
    market: Places,
    band: Places,
    female: npt.NDArray[np.bool_],
    targets: Reals,
    locations: Mapping[str, Mapping[str, Any]],
) -> Reals:
    """Weights that give age × gender its share in each market, and the market its adults."""
    cell = (market * len(_AGES) + band) * 2 + female
    counts = np.bincount(cell, minlength=len(MARKETS) * len(_AGES) * 2)
    share = targets[market, band] * np.where(female, _FEMALE, 1 - _FEMALE)
    # Some spread within a cell, as weighting for further traits would leave.
    weights = share / counts[cell] * np.exp(0.2 * rng.standard_normal(len(market)))
    adults = np.array(
        [
            locations[name]["universe"] * 1e6 * (1 + locations[name]["growth"] / 100) ** (wave / 4)
            for name in MARKETS
        ]
    )
    totals = np.bincount(market, weights, minlength=len(MARKETS))
    # Last: whatever the spread made of them, each market weighs its adults.
    return weights * np.rint(adults)[market] / totals[market]
