"""Text in charts: metric names, short and distinct labels, the line about the base; and checks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, cast

from audiencelab.charts.layout import FEWEST_OF_WIDE, WIDE, WIDTH
from audiencelab.expressions.codes import wave_name
from audiencelab.lines import one_of
from audiencelab.results import who_counts
from audiencelab.results.arrangement import UNARRANGED, TableArrangement
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.metrics import metric_of
from audiencelab.results.overlap import OverlapData
from audiencelab.results.provenance import continued, waves_fact, weight_fact
from audiencelab.results.statistic_rows import STATISTIC_KINDS, decimals_of
from audiencelab.results.stats import StatsData
from audiencelab.results.turf import TurfData
from audiencelab.wording import half_up

_BASE_LENGTH = 90
"""Characters of the base in a line below the title."""

_REPEATED = 30
"""Characters of a question that its base names too."""


def metric_words(result: object, metric: str) -> str:
    """What a metric is called in a chart of the result."""
    if metric in STATISTIC_KINDS:
        return "NPS" if metric == "nps" else metric.capitalize()
    known = metric_of(metric)
    of_table = isinstance(result, CrosstabData)
    return known.label_alone if of_table else known.of_question or known.label_alone


def shorten(text: str, most: int = 60) -> str:
    """A label on one line, cut where it would push the plot aside."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def shorten_title(text: str) -> str:
    """A title on one line."""
    return shorten(text, 90)


def distinct(
    codes: Iterable[str], names: Mapping[str, str], most: int | None = 60
) -> dict[str, str]:
    """A label for each code on one line, a different one even where two have the same name.

    most: characters of a label; None for all of them.
    """
    texts = {code: " ".join((names.get(code) or code).split()) for code in codes}
    labels = {code: text if most is None else shorten(text, most) for code, text in texts.items()}
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
    """Raise `ValueError`, with the choices, unless it is one of them."""
    if given not in known:
        raise ValueError(f"No {kind} {given!r}. {one_of(given, known)}")


def check_order(given: str, *known: str) -> None:
    """Raise `ValueError` unless it is a known order."""
    if given not in known:
        raise ValueError(f"No order {given!r}. Choose {' or '.join(map(repr, known))}.")


def check_limit(given: object, what: str, most: int | None = None) -> None:
    """Raise `ValueError` unless it is an int from 1 to the most."""
    # True is an int in Python, and 1.
    whole = not isinstance(given, bool) and isinstance(given, Integral)
    if not whole or not 1 <= cast(int, given) <= (most or math.inf):
        at_most = f" and at most {most}" if most else ""
        raise ValueError(f"{what} must be an int, at least 1{at_most}; got {given!r}.")


def check_pixels(least: float = 1, **given: Any) -> None:
    """Raise `ValueError`, with the argument's name, unless each is a number of pixels."""
    for name, pixels in given.items():
        number = not isinstance(pixels, bool) and isinstance(pixels, Real)
        if not (number and least <= cast(float, pixels) < math.inf):
            raise ValueError(
                f"{name} must be a number of pixels, such as 440 and at least {least:g}; "
                f"got {pixels!r}."
            )


def check_width(width: float | None, panels: int) -> float:
    """The pixels of a chart, by default enough for its panels.

    Raises `ValueError` for anything but a number.
    """
    if width is None:
        return WIDE if panels >= FEWEST_OF_WIDE else WIDTH
    check_pixels(width=width)
    return float(width)


class BaseLine(str):
    """A line below a title that says what the base is, which charts may leave out."""

    __slots__ = ()


def base_line(
    base: str, waves: Sequence[str], sample: float | None, provenance: Mapping[str, Any]
) -> BaseLine:
    """The line about the base, its waves, and the smallest sample that any value rests on."""
    parts = [shorten(base, _BASE_LENGTH)] if base else []
    waves = _wave_names(waves, provenance)
    if len(waves) == 1:
        parts.append(f"wave {waves[0]}")
    elif waves:
        parts.append(f"{len(waves)} waves, {waves[0]} to {waves[-1]}")
    if sample is not None:
        parts.append(f"smallest base n = {sample:,.0f}")
    return BaseLine(" · ".join([*parts, *_weight(provenance)]))


def _weight(provenance: Mapping[str, Any]) -> list[str]:
    """By which weight the figures count, where it is known."""
    fact = shorten(weight_fact(provenance))
    return [continued(fact)] if fact else []


def _wave_names(waves: Sequence[str], provenance: Mapping[str, Any]) -> list[str]:
    names: Mapping[str, str] = provenance.get("wave_names") or {}
    return [names.get(wave) or wave_name(str(wave)) for wave in waves]


def base_words(result: StatsData | CrosstabData | OverlapData | TurfData) -> str:
    """Whom the figures are of; a long question, which the title has, is not repeated."""
    words = who_counts.base_line(result)
    for name in result.who.names.values():
        if len(name) > _REPEATED:
            words = words.replace(name, "the question")
    return words


def table_base_line(
    result: CrosstabData | OverlapData | TurfData, sample: float | None
) -> BaseLine:
    """The same of a table, as far as it is known: base, its sample, and the waves."""
    facts = [shorten(base_words(result), _BASE_LENGTH)]
    if sample is not None:
        facts.append(f"n = {sample:,.0f}")
    if waves := waves_fact(result.provenance):
        facts.append(continued(waves))
    return BaseLine(" · ".join([*facts, *_weight(result.provenance)]))


def format_value(metric: str, value: float, how: TableArrangement = UNARRANGED) -> str:
    """A value as a label: one decimal for percentages, none for counts; people in millions.

    how: has the decimals, where they are not the usual ones.
    """
    if math.isnan(value):
        return ""
    places, unit = how.places(metric), ""
    if metric in STATISTIC_KINDS:
        usual = decimals_of(metric)
    else:
        known = metric_of(metric)
        usual = 0 if known.kind == "index" else known.decimals
        unit = "%" if known.kind == "percentage" else ""
        if known.kind == "size" and value >= 1e6:
            value, usual, unit = value / 1e6, 1, "M"
    decimals = usual if places is None else places
    return f"{half_up(value, decimals):,.{decimals}f}{unit}"


def value_labels(
    metric: str,
    values: Iterable[float],
    marks: Iterable[str],
    how: TableArrangement = UNARRANGED,
) -> list[str]:
    """Each value as a label with its low-base mark; a dash where there is none."""
    pairs = zip(values, marks, strict=True)
    return [f"{format_value(metric, value, how) or '–'} {mark}".rstrip() for value, mark in pairs]
