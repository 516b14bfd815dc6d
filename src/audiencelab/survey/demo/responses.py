"""Answers of the demo survey, drawn from a questionnaire and respondents.

Chances are logistic in the traits, scales are cut from a latent normal score; without loadings the
answers have the shares of the questionnaire.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from statistics import NormalDist
from zlib import crc32

import numpy as np
import numpy.typing as npt

from audiencelab.survey.answers import Answers, Flags
from audiencelab.survey.demo.questionnaire import Loads, Recipe
from audiencelab.survey.demo.respondents import TRAITS, DemoRespondents, Reals

_TRAIT = {name: place for place, name in enumerate(TRAITS)}


class WaveAnswers(Mapping[str, Answers]):
    """All answers of one wave by full code, drawn when they are looked up.

    Every question has a random stream of its own, so that changing one leaves the others.
    Answers that others are routed by are drawn again for them: the same stream, the same answers.
    """

    def __init__(
        self, recipes: tuple[Recipe, ...], people: DemoRespondents, wave: int, seed: int
    ) -> None:
        self._recipes = {recipe.code: recipe for recipe in recipes if wave in recipe.waves}
        self._people = people
        self._stream = (seed, wave)
        self._routes: dict[str, Answers] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._recipes)

    def __len__(self) -> int:  # pragma: no cover - every Mapping has one
        return len(self._recipes)

    @cached_property
    def _routing(self) -> set[str]:
        return {recipe.asked_if[0] for recipe in self._recipes.values() if recipe.asked_if}

    def __getitem__(self, code: str) -> Answers:
        if code in self._routes:
            return self._routes[code]
        answers = self._draw(self._recipes[code])
        if code in self._routing:
            self._routes[code] = answers
        return answers

    def _draw(self, recipe: Recipe) -> Answers:
        # `hash` of a string differs from process to process; CRC-32 does not.
        rng = np.random.default_rng([*self._stream, crc32(recipe.code.encode())])
        asked = self._asked(recipe, rng)
        if recipe.source is not None:
            values = self._people.known[recipe.source]
        elif recipe.kind == "multiple":
            # Each datapoint by its own chance; "none of these" where nothing else was chosen.
            logits = _pull(self._people, recipe.loads) + _logit(recipe.shares)
            chosen = rng.random(logits.shape) < 1 / (1 + np.exp(-logits))
            if recipe.none:
                chosen[-1] = ~chosen[:-1].any(axis=0)
            values = chosen.T
        elif recipe.kind == "grid":
            values = _grid(rng, recipe, self._people)
        elif recipe.kind == "ordered":
            # A position on the question's own scale.
            score = _pull(self._people, recipe.loads)[0] + rng.standard_normal(len(self._people))
            # Traits widen the score; the cuts widen with it, so that the shares stay.
            cuts = _cuts(recipe.shares) * np.sqrt(1 + _spread(recipe.loads)[0])
            values = np.asarray(np.searchsorted(cuts, score), np.int64)
        else:
            # One of several, the likelier the higher its score (a multinomial logit).
            scores = _pull(self._people, recipe.loads) + np.log(np.array(recipe.shares))[:, None]
            # The largest of scores with Gumbel noise is a draw from their softmax (the Gumbel-max
            # trick).
            values = (scores + rng.gumbel(size=scores.shape)).argmax(axis=0)
        if asked is None:
            return Answers(values)
        values[~asked] = False if values.dtype == np.bool_ else -1
        return Answers(values, asked)

    def _asked(self, recipe: Recipe, rng: np.random.Generator) -> Flags | None:
        asked: Flags | None = None
        if recipe.asked_if is not None:
            code, places = recipe.asked_if
            found = self[code].values
            wanted = sorted(places)
            asked = np.any(found[:, wanted], axis=1) if found.ndim > 1 else np.isin(found, wanted)
        if recipe.split < 1:
            drawn = rng.random(len(self._people)) < recipe.split
            asked = drawn if asked is None else asked & drawn
        return asked


def _pull(people: DemoRespondents, loads: tuple[Loads, ...]) -> Reals:
    """What each person's traits add to each datapoint, float64[datapoints, n].

    A few traits load on each datapoint, so they are added one by one: less work than a product
    of matrices, the same to the last bit on every machine, and no threads.
    """
    pull = np.zeros((len(loads), len(people)))
    for row, each in zip(pull, loads, strict=True):
        for trait, load in each.items():
            row += load * people.traits[_TRAIT[trait]]
    return pull


def _spread(loads: tuple[Loads, ...]) -> Reals:
    """How far the pull on each datapoint varies, were all traits standard: variances, [k, 1]."""
    return np.array([[sum(load**2 for load in each.values())] for each in loads])


def _logit(percent: tuple[float, ...]) -> Reals:
    """Log odds of shares, [k, 1]."""
    share = np.clip(np.array(percent)[:, None] / 100, 0.001, 0.999)
    return np.log(share / (1 - share))


def _cuts(shares: tuple[float, ...]) -> Reals:
    """Where a standard normal score is cut, so that its parts have these shares, from below."""
    inner = np.cumsum(shares)[:-1] / sum(shares)
    return np.array([NormalDist().inv_cdf(float(share)) for share in inner])


def _grid(
    rng: np.random.Generator, recipe: Recipe, people: DemoRespondents
) -> npt.NDArray[np.int64]:
    """A position on the scale for each datapoint; -1 for those without, unless all must answer.

    The first position of a scale is the strongest, so scores are cut from above. What makes people
    use a thing at all makes them, to a lesser degree, use it often.
    """
    pull = _pull(people, recipe.loads)
    depth = 1.0 if recipe.complete else 0.5
    shift = np.array(recipe.shares if recipe.complete else recipe.levels)[:, None]
    noise = rng.standard_normal(pull.shape)
    score: Reals = (depth * pull + noise) / np.sqrt(1 + depth**2 * _spread(recipe.loads))
    places = np.asarray(np.searchsorted(_cuts(recipe.scale), -(score + shift)), np.int64)
    if not recipe.complete:
        chance = 1 / (1 + np.exp(-(pull + _logit(recipe.shares))))
        places[rng.random(pull.shape) >= chance] = -1
    return places.T
