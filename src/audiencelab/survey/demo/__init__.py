"""The demo survey: a generated survey, the first that a new user opens.

Deterministic for a number of respondents and a seed, and kept in the user's cache folder. The
questionnaire is in `content`; `respondents` draws respondents, `responses` their answers,
`drawn` keeps both in memory, `samples` makes saved audiences and insights. All brands and figures
are invented.
"""

from __future__ import annotations

from pathlib import Path

from audiencelab.files import cache_folder
from audiencelab.survey.errors import SurveyError, SurveyExistsError
from audiencelab.survey.reader import Survey

__all__ = ["DEMO_SEED", "build_demo_survey", "cache_folder", "demo_survey"]

DEMO_SEED = 20_240_101
# Raised with every change to what is generated, so that caches do not serve what was before.
_EDITION = 6
_PATIENCE = 600.0
"""Seconds to wait for another process that generates the same survey."""


def demo_survey(respondents: int = 24_000, *, seed: int = DEMO_SEED) -> Survey:
    """The demo survey, generated at the first call and kept in `cache_folder()`.

    Two processes may call it at once.

    respondents: over all twelve waves, at least 96.
    seed: the same number of respondents and seed give the same survey.

    Raises `SurveyError`: too few respondents, or a folder that cannot be written to.

    >>> from audiencelab.survey import demo_survey
    >>> demo_survey()
    <Survey 'Everyday Lives (demo)': 12 waves, 24,000 respondents>
    """
    target = cache_folder() / f"demo-{_EDITION}-{respondents}-{seed}"
    try:
        return Survey.open(target)
    except SurveyError:
        pass  # it does not exist yet, or is damaged: made again below
    try:
        return build_demo_survey(target, respondents, seed=seed, replace=target.exists())
    except SurveyExistsError:
        return Survey.open(target)  # another process was quicker
    except SurveyError as error:
        why = error.__cause__
        if not isinstance(why, OSError):
            raise
        raise SurveyError(
            f"The demo survey cannot be kept in {target.parent} ({why.strerror or why}). Name "
            "a folder that can be written to in the environment variable AUDIENCELAB_CACHE."
        ) from error


def build_demo_survey(
    path: str | Path, respondents: int = 24_000, *, seed: int = DEMO_SEED, replace: bool = False
) -> Survey:
    """Generate the demo survey into any folder."""
    # Here, since every connect() opens the survey and few generate it.
    from audiencelab.survey.builder import SurveyBuilder
    from audiencelab.survey.demo.drawn import draw_waves, least_respondents
    from audiencelab.survey.demo.questionnaire import load_questionnaire
    from audiencelab.survey.demo.samples import demo_audiences, demo_insights

    study = load_questionnaire()
    if respondents < (least := least_respondents(study)):
        raise SurveyError(
            f"A demo survey needs at least {least} respondents, one for each market and wave; got "
            f"{respondents}."
        )
    with SurveyBuilder(
        path,
        study.catalogue,
        name=study.name,
        description=study.description,
        saved_audiences=demo_audiences(study.catalogue),
        insights=demo_insights(),
        provenance={"generator": "demo", "edition": _EDITION, "seed": seed},
        replace=replace,
        wait=_PATIENCE,
    ) as builder:
        for wave, people, answers in draw_waves(study, respondents, seed):
            builder.add_wave(wave, people.weights, answers)
        return builder.finish()
