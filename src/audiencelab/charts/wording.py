"""The words of charts: metric names, labels that do not collide, the line that says the base."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Integral, Real

from audiencelab.render.table_layout import MEASURE_NAMES, in_words
from audiencelab.results.stats import StatsData
from audiencelab.wording import half_up

__all__ = [
    "METRIC_NAMES",
    "base_line",
    "check_choice",
    "check_pixels",
    "check_result",
    "distinct",
    "format_value",
    "is_whole",
    "series_line",
    "shorten",
    "shorten_title",
]

METRIC_NAMES = {name: in_words(name) for name in MEASURE_NAMES}
"""What to call a metric or figure in a picture."""

_LABEL_LENGTH = 60
_TITLE_LENGTH = 90


def shorten(text: str, most: int = _LABEL_LENGTH) -> str:
    """A label on one line, cut where it would push the picture aside."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def shorten_title(text: str) -> str:
    """A title on one line."""
    return shorten(text, _TITLE_LENGTH)


def distinct(codes: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """A label for each code, short, and its own even where two codes have the same name."""
    labels = {code: shorten(names.get(code) or code) for code in codes}
    seen = Counter(labels.values())
    return {
        code: label if seen[label] == 1 else f"{label} ({code})" for code, label in labels.items()
    }


def check_result(given: object, kind: type, advice: str) -> None:
    """Raise `TypeError` with advice unless a chart got the kind of result that it draws."""
    if not isinstance(given, kind):
        public = kind.__name__.replace("Data", "Result")
        raise TypeError(f"This chart draws {public} objects, not {type(given).__name__}: {advice}.")


def check_choice(kind: str, given: str, known: Collection[str]) -> None:
    """Raise `ValueError`, naming what there is, unless it is one of what is known."""
    if given not in known:
        raise ValueError(f"No {kind} {given!r}. Choose one of {', '.join(known)}.")


def is_whole(given: object) -> bool:
    """Whether a limit was given as a whole number, and not as a text or as true."""
    return not isinstance(given, bool) and isinstance(given, Integral)


def check_pixels(least: float = 1, **given: float) -> None:
    """Raise `ValueError`, naming the argument, unless each is a number of pixels.

    least: what the chart needs to be drawn at all.
    """
    for name, pixels in given.items():
        known = not isinstance(pixels, bool) and isinstance(pixels, Real)
        if not (known and least <= pixels < math.inf):
            raise ValueError(
                f"{name} is a number of pixels, such as 440 and at least {least:g}, not {pixels!r}."
            )


def base_line(base: str, waves: Sequence[str], sample: float | None) -> str:
    """The line that says whom: base if known, waves, the smallest sample any figure rests on."""
    parts = [f"Base: {base}"] if base else []
    if len(waves) == 1:
        parts.append(f"wave {waves[0]}")
    elif waves:
        parts.append(f"{len(waves)} waves, {waves[0]} to {waves[-1]}")
    if sample is not None:
        parts.append(f"smallest sample {sample:,.0f}")
    return " · ".join(parts)


def series_line(result: StatsData) -> str:
    """Who is shown, where one audience or none is."""
    return f"Audience: {shorten(result.audiences[0].name)}" if len(result.audiences) == 1 else ""


def format_value(metric: str, value: float) -> str:
    """A figure as a label: one decimal for percentages, none for the rest; people in millions."""
    if math.isnan(value):
        return ""
    if metric.endswith("percentage"):
        return f"{half_up(value, 1):.1f}%"
    if metric.endswith("size") and value >= 1e6:
        return f"{half_up(value / 1e6, 1):,.1f}M"
    return f"{half_up(value, 0):,.0f}"
