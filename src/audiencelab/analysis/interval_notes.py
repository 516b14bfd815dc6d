"""What intervals depend on: the method note of a frame, and a few words for a chart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.measured import UNKNOWN
from audiencelab.analysis.method_note import base_words, percent_words
from audiencelab.analysis.precision import TablePrecision
from audiencelab.analysis.reliability import RULES
from audiencelab.wording import plural

Floats = NDArray[np.float64]

_METHOD_NAMES = {"wilson": "Wilson", "logit": "logit", "beta": "Korn and Graubard"}

_UNEQUAL = 4.0
"""A design effect of the weights above this makes intervals approximate."""


class Noted(NamedTuple):
    """What a method note is about.

    effects, freedom: of the column percentages; without: how many have no interval, since nothing
    shows how they vary. how: the note on the design. linearised: whether indices are.
    kish: the largest design effect of the weights. missing: why other percentages have no interval.
    """

    level: float
    method: str
    effects: Floats
    freedom: Floats
    how: str
    linearised: bool
    kish: float
    without: int
    missing: Mapping[str, str]
    rule: str | None


def method_note(noted: Noted) -> str:
    """Everything that the intervals of a frame depend on, as one sentence."""
    simple = bool((noted.effects == 1).all())
    method = _METHOD_NAMES[noted.method]
    if noted.method == "beta" and simple and np.isinf(noted.freedom).all():
        method = "Clopper and Pearson"  # what it is without a design
    indices = (
        "the same linearisation on the log scale"
        if noted.linearised
        else "the Wilson intervals of the shares in them"
    )
    base = "unweighted" if simple else "effective"
    unknown = noted.how if noted.how.startswith(UNKNOWN) else ""
    parts = [
        f"{percent_words(noted.level)} intervals: percentages by {method}",
        f"indices by {indices}",
        base_words(base, noted.effects, design="" if unknown else noted.how),
        _freedom_words(noted.freedom),
        _kish_words(noted.kish),
        f"no interval of {plural(noted.without, 'column percentage')} without degrees of freedom"
        if noted.without
        else "",
        *_missing_words(noted.missing),
        "" if noted.rule is None else RULES[noted.rule].note,
        unknown,
    ]
    return f"{', '.join(filter(None, parts))}."


def chart_words(precision: TablePrecision | None) -> str:
    """By which design intervals are; precision: None of a result that has no respondents."""
    if precision is None or precision.how.startswith(UNKNOWN):
        return UNKNOWN
    if precision.refused:
        return "none, as the design shows no variance"
    if precision.computed is None:
        return "of a simple random sample"
    if precision.computed.precision.linearised is None:
        return "by the weights"
    return "by the sample's design"


def _freedom_words(freedom: Floats) -> str:
    known = freedom[np.isfinite(freedom)]
    if not known.size:
        return ""
    low, high = float(known.min()), float(known.max())
    return f"t with {low:,g}{'' if low == high else f' to {high:,g}'} degrees of freedom"


def _kish_words(kish: float) -> str:
    if not kish > _UNEQUAL:
        return ""
    return f"intervals approximate (design effect of the weights up to {kish:.3g})"


def _missing_words(missing: Mapping[str, str]) -> Iterable[str]:
    by_reason: dict[str, list[str]] = {}
    for name, reason in missing.items():
        by_reason.setdefault(reason, []).append(name)
    return [f"no interval of {', '.join(names)}: {why}" for why, names in by_reason.items()]
