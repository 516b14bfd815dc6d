"""A demo survey that is drawn in memory, question by question as they are looked up.

It has the respondents, answers and weights of `demo_survey`, and is much faster where few questions
are used.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from audiencelab.survey.answers import QuestionBits, pack_answers
from audiencelab.survey.catalogue import SurveyCatalogue, SurveyWave
from audiencelab.survey.demo.questionnaire import Questionnaire, load_questionnaire
from audiencelab.survey.demo.respondents import MARKETS, DemoRespondents, draw_people
from audiencelab.survey.demo.responses import WaveAnswers
from audiencelab.survey.weights import Weights, choose_weight_bits, to_grid

Drawn = tuple[SurveyWave, DemoRespondents, WaveAnswers]


def draw_waves(study: Questionnaire, respondents: int, seed: int) -> Iterator[Drawn]:
    """Each wave with its respondents, sorted by market, and their answers."""
    for place, wave in enumerate(study.waves):
        each, more = divmod(respondents, len(study.waves))
        # A stream for each wave: more respondents in one do not change those of another.
        rng = np.random.default_rng([seed, place])
        people = draw_people(rng, each + (place < more), place, study.locations)
        yield wave, people, WaveAnswers(study.recipes, people, place, seed)


def least_respondents(study: Questionnaire) -> int:
    """One for each market and wave."""
    return len(study.waves) * len(MARKETS)


class DrawnWave:
    """One wave in memory, with what `WaveData` has of the same names."""

    def __init__(
        self, code: str, weights: Weights, answers: WaveAnswers, catalogue: SurveyCatalogue
    ) -> None:
        self.code = code
        self.respondents = len(weights)
        self.weights = weights
        self._answers = answers
        self._catalogue = catalogue
        self._questions: dict[str, QuestionBits] = {}

    def question(self, code: str) -> QuestionBits | None:
        """The answers to a question; None if this wave did not ask it."""
        question = self._catalogue.question(code)
        canonical = question.canonical
        if canonical not in self._questions:
            if canonical not in self._answers:
                return None
            order = np.arange(self.respondents)
            found = pack_answers(question, self._answers[canonical], order)
            self._questions[canonical] = found
        return self._questions[canonical]


class DrawnSurvey:
    """A demo survey in memory, with what `Survey` has of the same names."""

    def __init__(self, respondents: int, seed: int) -> None:
        study = load_questionnaire()
        self.catalogue = study.catalogue
        drawn = list(draw_waves(study, respondents, seed))
        self.waves = tuple(wave for wave, _, _ in drawn)
        bits = choose_weight_bits(people.weights for _, people, _ in drawn)
        self._drawn = {
            wave.code: DrawnWave(wave.code, to_grid(people.weights, bits), answers, study.catalogue)
            for wave, people, answers in drawn
        }

    def wave(self, code: str) -> DrawnWave:
        """The respondents of a wave; `KeyError` if there is no such wave."""
        return self._drawn[code]
