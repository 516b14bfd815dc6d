"""Four waves of a tracker whose trust question is another one from the third wave on."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from msgspec import structs

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.codebook import Codebook, CodedBreak

SEED = 4
EACH = 300
WHY = "5 points were 7"
TRUST = ["Not at all", "A little", "Somewhat", "Much", "Fully"]


@cache
def respondents() -> pd.DataFrame:
    """Wave 2 did not ask who bought something, wave 4 offers one brand more."""
    rng, count = np.random.default_rng(SEED), 4 * EACH
    wave = np.repeat([1, 2, 3, 4], EACH)
    trust: Any = np.clip(rng.integers(0, 5, count) + (rng.random(count) < wave / 6), 0, 4)
    bought = np.where(rng.random(count) < wave / 8, "Yes", "No").astype(object)
    bought[wave == 2] = None
    return pd.DataFrame(
        {
            "wave": wave,
            "gender": rng.choice(["Women", "Men"], count),
            "trust": np.array(TRUST, dtype=object)[trust],
            "bought": bought,
            "brands_1": (rng.random(count) < 0.4).astype(float),
            "brands_2": np.where(wave == 4, rng.random(count) < 0.5, np.nan).astype(float),
            "rated": rng.integers(0, 11, count) + 0.0,
            "wgt": rng.integers(2, 7, count) / 4,
        }
    )


@cache
def opened(broken: str = "trust", weight: str | None = "wgt") -> al.Client:
    """broken: the question with a break at wave 3; "" for none."""
    return al.open(respondents(), codebook=codebook(broken, weight), quiet=True)


def codebook(broken: str, weight: str | None) -> Codebook:
    drafted = draft_codebook(respondents(), wave="wave", weight=weight).codebook
    [wave] = [each.code for each in drafted.waves if each.code.endswith("3")]

    def with_break(question: Any) -> Any:
        if question.code != broken:
            return question
        return structs.replace(question, breaks=(CodedBreak(wave, WHY),))

    return structs.replace(drafted, questions=tuple(map(with_break, drafted.questions)))
