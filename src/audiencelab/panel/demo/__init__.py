"""The demo panel: a generated survey that every new user meets first.

Deterministic for a number of respondents and a seed, and kept in the user's cache folder. The
questionnaire stands in `content`; `people` draws respondents, `answering` their answers. All
brands and figures are invented.
"""

from __future__ import annotations

import os
from pathlib import Path

from audiencelab.panel.errors import PanelError, PanelExistsError
from audiencelab.panel.reader import Panel

__all__ = ["DEMO_SEED", "build_demo_panel", "cache_folder", "demo_panel"]

DEMO_SEED = 20_240_101
# Raised with every change to what is generated, so that caches do not serve what was before.
_EDITION = 3
_PATIENCE = 600.0
"""Seconds that a process waits for another one that generates the same panel."""


def demo_panel(respondents: int = 24_000, *, seed: int = DEMO_SEED) -> Panel:
    """The demo panel, generated at the first call and kept in `cache_folder()`.

    respondents: over all twelve waves, 96 at least. The same number and seed give the same panel.
    Raises `PanelError` for fewer, and for a folder that cannot be written to. Two processes may
    call it at once.
    """
    target = cache_folder() / f"demo-{_EDITION}-{respondents}-{seed}"
    try:
        return Panel.open(target)
    except PanelError:
        pass  # not there yet, or damaged: made anew below
    try:
        return build_demo_panel(target, respondents, seed=seed, replace=target.exists())
    except PanelExistsError:
        return Panel.open(target)  # another process was quicker
    except PanelError as error:
        why = error.__cause__
        if not isinstance(why, OSError):
            raise
        raise PanelError(
            f"The demo panel cannot be kept in {target.parent} ({why.strerror or why}). Name "
            "a folder that can be written to in the environment variable AUDIENCELAB_CACHE."
        ) from error


def build_demo_panel(
    path: str | Path, respondents: int = 24_000, *, seed: int = DEMO_SEED, replace: bool = False
) -> Panel:
    """Generate the demo panel into a folder of one's own choice."""
    # Here, as every connect() opens the panel and hardly one generates it.
    import numpy as np

    from audiencelab.panel.builder import PanelBuilder
    from audiencelab.panel.demo.answering import WaveAnswers
    from audiencelab.panel.demo.extras import demo_audiences, demo_insights
    from audiencelab.panel.demo.people import MARKETS, draw_people
    from audiencelab.panel.demo.questionnaire import load_questionnaire

    study = load_questionnaire()
    least = len(study.waves) * len(MARKETS)
    if respondents < least:
        raise PanelError(
            f"A demo panel needs {least} respondents at least, one for each market and wave; "
            f"{respondents} were asked for."
        )
    with PanelBuilder(
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
        for place, wave in enumerate(study.waves):
            each, more = divmod(respondents, len(study.waves))
            rng = np.random.default_rng([seed, place])
            people = draw_people(rng, each + (place < more), place, study.locations)
            builder.add_wave(wave, people.weights, WaveAnswers(study.recipes, people, place, seed))
        return builder.finish()


def cache_folder() -> Path:
    """Where generated panels are kept; the environment variable AUDIENCELAB_CACHE overrides it."""
    if chosen := os.environ.get("AUDIENCELAB_CACHE"):
        return Path(chosen).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("audiencelab"))
