"""Steps of answers that say how often: "Several times a week" is 260 a year, "Sometimes" 0.6."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from audiencelab.ingest.meaning.lexicon import LexiconItem

_SOME = 3.2
"""The times of "sometimes a week"."""

VAGUE = 0.8
"""From this adverb on, "often", the number of times a year is unknown."""


def rate(items: Sequence[LexiconItem]) -> float | None:
    """How often: below 1 for adverbs from never (0) to always (1), from about 1 times a year."""
    values: dict[str, list[float]] = {}
    for item in items:
        values.setdefault(item.kind, []).append(item.value)
    times = _times_a_year(items, values)
    if times is not None:
        # Steps only compare: enough to come below or above the same words without "less" or "more".
        times *= 0.7 if "less" in values else 1.3 if "more" in values else 1.0
        return times * (0.9 if "almost" in values else 1.0)
    if "adverb" not in values or {"unit", "number", "count", "every"} & values.keys():
        return None
    return _adverb(fmean(values["adverb"]), values)


def _times_a_year(items: Sequence[LexiconItem], values: dict[str, list[float]]) -> float | None:
    numbers = values.get("number", []) + values.get("count", [])
    many = fmean(numbers) if numbers else None
    if not numbers and "adverb" in values and "per" in values and "unit" in values:
        many = _SOME
    if "per-year" in values:
        return max(values["per-year"]) * (many or 1)
    units = values.get("unit", [])
    kinds = [item.kind for item in items]
    if not units or (len(units) < 2 and not {"every", "per"} & set(kinds)):
        return None
    if "every" in kinds and many and len(units) == 1:
        first = min(kinds.index(kind) for kind in ("number", "count") if kind in kinds)
        # "Every two weeks" is fewer times than weekly, "twice every week" is more.
        return units[0] / many if kinds.index("every") < first else many * units[0]
    if many is None:
        return min(units) if "every" in kinds else None
    # The longer of two: "3 days a week".
    return many * min(units)


def _adverb(value: float, values: dict[str, list[float]]) -> float:
    degree = max(values.get("degree", [0]))
    if "not" in values or "not-at-all" in values:
        return 0.25 if value >= 0.6 else value
    if "almost" in values:
        return 0.1 if value == 0 else 0.9 if value == 1 else value
    if degree > 3:
        return value - 0.1 if value < 0.5 else value + 0.05
    return value - 0.05 if degree and value >= 0.6 else value
