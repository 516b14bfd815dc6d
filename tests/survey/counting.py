"""Answers counted in a survey's bits, wave by wave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from audiencelab.schema import Datapoint
from audiencelab.survey import Survey

__all__ = ["counts", "counts_by_name"]


def counts(survey: Survey, code: str, suffix: str | None = None) -> dict[str, int]:
    """How many gave each datapoint, over all waves; suffix: with that one."""
    total = Counter[str]()
    for point, given in _given(survey, code, suffix):
        total[point.code] += given
    return dict(total)


def counts_by_name(survey: Survey, code: str) -> dict[str, int]:
    """The same under the names of the datapoints."""
    total = Counter[str]()
    for point, given in _given(survey, code):
        total[point.name] += given
    return dict(total)


def _given(survey: Survey, code: str, suffix: str | None = None) -> Iterator[tuple[Datapoint, int]]:
    for wave in survey.waves:
        if (found := survey.wave(wave.code).question(code)) is None:
            continue
        for point in found.question.datapoints:
            bits = found.datapoint(point.code, () if suffix is None else (suffix,))
            yield point, int(np.bitwise_count(bits).sum())
