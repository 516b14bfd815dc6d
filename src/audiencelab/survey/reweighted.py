"""A survey with another of its weights, or with none."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from msgspec.structs import replace

from audiencelab.schema.http import UNWEIGHTED
from audiencelab.survey.answers import words_for
from audiencelab.survey.catalogue import SurveyCatalogue
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.layout import RAKED_CHANGED, RAKED_WEIGHTS
from audiencelab.survey.reader import Survey, WaveData
from audiencelab.survey.record import SurveyRecord
from audiencelab.survey.weights import Weights


def has_weight(survey: Survey, weight: str | None) -> bool:
    """Whether `weighted_by` takes a weight of that name."""
    own = survey.manifest.provenance.get("weight")
    return weight is None or weight == own or weight in survey.manifest.weight_names


def weighted_by(survey: Survey, weight: str | None) -> Survey:
    """The survey with the weight of that name; None gives every respondent the weight 1.

    Respondents without the weight are not in it, nor are waves in which all are without.
    Raises `SurveyError` for a weight that the survey does not have.
    """
    names = survey.manifest.weight_names
    if (UNWEIGHTED if weight is None else weight) == survey.manifest.provenance.get("weight"):
        return survey
    if not has_weight(survey, weight):
        known = f"Its weights are {listed(names)}" if names else "Its weight has no name"
        raise SurveyError(
            f"{survey.name} has no weight {weight!r}. {known}; weight=None counts every respondent "
            "as one. To choose among several, import them: al.open(…, weight=['a', 'b']). "
            f"Write client.with_options(weight={names[0] if names else None!r})."
        )
    return ReweightedSurvey(survey, weight)


class ReweightedSurvey(Survey):
    """The respondents of a survey who have a weight, with that weight."""

    def __init__(self, survey: Survey, weight: str | None) -> None:
        self._survey = survey
        self._weight = weight
        self._weights: dict[str, Weights] = {}
        old, waves = survey.manifest, list[str]()
        for stored in old.waves:
            wave = survey.wave(stored.wave.code)
            found = np.ones(wave.respondents) if weight is None else wave.other_weights.get(weight)
            if found is not None:
                self._weights[wave.code] = found
                waves.append(wave.code)
        # What the usual weight was raked to; another weight has margins of its own.
        usual = ("raked", "raked_waves", "raked_before", RAKED_CHANGED)
        kept = {name: value for name, value in old.provenance.items() if name not in usual}
        if weight is not None:
            kept |= old.provenance.get(RAKED_WEIGHTS, {}).get(weight, {})
        bits = {each.name: each.weight_bits for each in old.other_weights}
        manifest = replace(
            old,
            # Weights of 1 are integers, on the grid of 2^0.
            weight_bits=0 if weight is None else bits[weight],
            waves=tuple(
                replace(
                    stored,
                    wave=replace(
                        stored.wave,
                        respondents=int(
                            np.count_nonzero(~np.isnan(self._weights[stored.wave.code]))
                        ),
                    ),
                    # That of the usual weight; it is computed when it is asked for.
                    squared_weights=None,
                )
                for stored in old.waves
                if stored.wave.code in self._weights
            ),
            provenance={**kept, "weight": UNWEIGHTED if weight is None else weight},
        )
        super().__init__(survey.folder, manifest, survey.version)

    @cached_property
    def catalogue(self) -> SurveyCatalogue:
        catalogue = self._survey.catalogue
        asked = {
            each.canonical: tuple(wave for wave in each.waves if wave in self._weights)
            for each in catalogue.questions
        }
        return catalogue.with_waves(asked)

    @cached_property
    def record(self) -> SurveyRecord:
        return self._survey.record

    @cached_property
    def seal(self) -> str:
        # Which of a survey's weights counts is part of a query, and not of the survey.
        return self._survey.seal

    def check_in_background(self) -> None:
        self._survey.check_in_background()

    def part(self, wave: str, start: int, stop: int) -> WaveData:
        """The whole wave; `SurveyError` for other words, as respondents without it are left out."""
        if (start, stop) != (0, words_for(self._stored[wave].wave.respondents)):
            raise SurveyError(
                f"words {start:,} to {stop:,} are not valid: wave {wave} with another weight is "
                "read as a whole. Read `wave`, or a part with the usual weight."
            )
        found = self._survey.wave(wave)
        raking = None if self._weight is None else found.other_rakings.get(self._weight)
        return found.reweighted(self._stored[wave], self._weights[wave], raking)

    def reopen(self) -> Survey:
        return weighted_by(self._survey.reopen(), self._weight)
