"""Mean, median and spread of amounts, and moving averages over waves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.disjointness import (
    Column,
    answers_of,
    codes_of,
    columns_of,
    heads_of,
    require_disjoint,
)
from audiencelab.expressions.codes import WAVES
from audiencelab.results.stats import StatsData

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


class _Question(Protocol):
    """A question of the catalogue, as far as its midpoints go."""

    @property
    def datapoints(self) -> Iterable[Any]:
        """Its answers, each with a `code`, and with a `midpoint` or None."""
        ...


Midpoints = Mapping[str, float] | _Question
"""What each answer stands for, by code or name; or the question of a catalogue that tells it."""


class Average(NamedTuple):
    """What the answers of a column come to, over those who gave one that has a midpoint."""

    mean: float
    median: float
    standard_deviation: float
    answered_size: float
    answered_sample: float


def averages(
    result: StatsData,
    midpoints: Midpoints,
    *,
    design_effect: float = 1.0,
    disjoint: bool = False,
) -> pd.DataFrame:
    """See `StatsResult.averages`."""
    import pandas as pd

    if not isinstance(cast(object, design_effect), Real) or not design_effect > 0:
        raise ValueError(
            "The design effect of a mean is one number above 0, such as 1.4. Those that were "
            "computed are of shares."
        )
    columns, made = averaged(result, midpoints, disjoint=disjoint)
    method = method_of(result, midpoints)
    figures = {
        name: np.array([getattr(each, name) for each in made], dtype=np.float64)
        for name in Average._fields
    }
    with np.errstate(divide="ignore", invalid="ignore"):
        error = figures["standard_deviation"] * np.sqrt(design_effect / figures["answered_sample"])
    left_out = _left_out(result, midpoints)
    frame = pd.DataFrame(
        {
            **heads_of(result, columns),
            **{name: figures[name] for name in ("mean", "median", "standard_deviation")},
            "standard_error": np.where(np.isfinite(error), error, np.nan),
            **{name: figures[name] for name in ("answered_size", "answered_sample")},
            "audience_size": [column.size for column in columns],
            "audience_sample": [column.sample for column in columns],
            "method": [method] * len(columns),
            "note": ["" if each.answered_size > 0 else "no answers" for each in made],
        }
    )
    recipe = (
        f"Of {method}, over those who gave an answer that has one; standard deviation over people, "
        f"standard error over respondents with a design effect of {design_effect:g}."
    )
    frame.attrs.update(result.provenance, recipe=recipe, left_out=left_out)
    return frame


def averaged(
    result: StatsData, midpoints: Midpoints, *, disjoint: bool = False
) -> tuple[list[Column], list[Average]]:
    """The columns of a result, and the averages of each; raises as `averages` does."""
    columns = columns_of(result)
    if (exact := _numbers(result, midpoints)) is not None:
        return columns, [exact[column.segment, column.audience] for column in columns]
    values = _values(result, midpoints)
    require_disjoint(result, columns, disjoint)
    return columns, [_average(column, values) for column in columns]


def method_of(result: StatsData, midpoints: Midpoints) -> str:
    """What averages are of: "numbers" as they were answered, or "midpoints"."""
    if _numbers(result, midpoints) is not None:
        return "numbers"
    names = result.labels.datapoints
    are_numbers = not isinstance(midpoints, Mapping) and all(
        _number_in(names.get(code, "")) == value
        for code, value in _values(result, midpoints).items()
    )
    return "numbers" if are_numbers else "midpoints"


def _numbers(
    result: StatsData, midpoints: Midpoints
) -> dict[tuple[str | None, str | None], Average] | None:
    """The averages of the numbers behind the bands; None where midpoints are what there is."""
    numbers = result.numbers
    if numbers is None or isinstance(midpoints, Mapping):
        return None
    codes = {each.code for each in getattr(midpoints, "datapoints", ())}
    if {*answers_of(result)} != {*numbers.datapoints} or not codes.issuperset(numbers.datapoints):
        return None
    return {
        (row.segment, row.audience): Average(
            _or_nan(row.mean),
            _or_nan(row.median),
            _or_nan(row.standard_deviation),
            row.answered_size,
            row.answered_sample,
        )
        for row in numbers.rows
    }


def _or_nan(number: float | None) -> float:
    return math.nan if number is None else number


def _left_out(result: StatsData, midpoints: Midpoints) -> list[str]:
    """The answers that averages do not count."""
    if result.numbers is not None and _numbers(result, midpoints) is not None:
        return [*result.numbers.without]
    values = _values(result, midpoints)
    return [code for code in answers_of(result) if code not in values]


def _number_in(name: str) -> float | None:
    try:
        return float(name)
    except ValueError:
        return None


def _values(result: StatsData, midpoints: Midpoints) -> dict[str, float]:
    """The midpoint of each datapoint that has one; `ValueError` where none has."""
    if not (isinstance(midpoints, Mapping) or hasattr(midpoints, "datapoints")):
        raise TypeError(
            'Midpoints are told for each answer, averages({"q1_1": 2.5, "q1_2": 7.5}), or by the '
            'catalogue\'s question, averages(client.catalogue["q1"]).'
        )
    if isinstance(midpoints, Mapping):
        found = {codes_of(result, [name])[0]: _number(value) for name, value in midpoints.items()}
    else:
        found = {
            each.code: float(each.midpoint.value)
            for each in midpoints.datapoints
            if each.midpoint is not None and each.code in answers_of(result)
        }
    if not found:
        raise ValueError(
            f"Averages need a number for the answers of {result.question}: its midpoints are not "
            "in the catalogue, so give them by code, as in {'q1_1': 2.5}."
        )
    if wrong := [code for code, value in found.items() if not math.isfinite(value)]:
        raise ValueError(
            f"The midpoint of {wrong[0]!r} is a number, as in {{{wrong[0]!r}: 2.5}}. Answers that "
            "stand for no amount are left out of the midpoints."
        )
    return found


def _number(value: object) -> float:
    """A midpoint; NaN for what is no number, which is refused with the others."""
    return float(value) if isinstance(value, Real) else math.nan


def _average(column: Column, values: Mapping[str, float]) -> Average:
    given = [column.rows[code].metrics for code in values if code in column.rows]
    points: Floats = np.array([value for code, value in values.items() if code in column.rows])
    sizes: Floats = np.array([each.positive_size for each in given])
    size, sample = float(sizes.sum()), float(sum(each.positive_sample for each in given))
    if not size > 0:
        nothing = float("nan")
        return Average(nothing, nothing, nothing, 0.0, sample)
    mean = float(sizes @ points) / size
    spread = math.sqrt(float(sizes @ (points - mean) ** 2) / size)
    return Average(mean, _median(points, sizes), spread, size, sample)


def _median(points: Floats, sizes: Floats) -> float:
    """The value that half of the people are at or below; between two, if half are exactly."""
    order = np.argsort(points)
    points = points[order]
    reached: Floats = np.cumsum(sizes[order])
    half = float(reached[-1]) / 2
    # Sums of weights that are half in truth may miss it by a hair, on either side.
    at_least, beyond = np.searchsorted(reached, [half * (1 - 1e-12), half * (1 + 1e-12)])
    return float(points[at_least] + points[beyond]) / 2


def moving_average(result: StatsData, waves: int) -> pd.DataFrame:
    """See `StatsResult.moving_average`."""
    import pandas as pd

    from audiencelab.results.to_pandas import stats_frame

    if result.splitter != WAVES:
        raise ValueError('A moving average needs waves: ask with splitter="waves".')
    whole = isinstance(cast(object, waves), Integral) and not isinstance(waves, bool)
    if not (whole and 1 < waves <= len(result.segments)):
        raise ValueError(f"Take 2 to {len(result.segments)} waves together, not {waves!r}.")
    long = stats_frame(result)
    keys = ["datapoint", *(["audience"] if "audience" in long else [])]
    parts = [_windows(lines, result.segments, waves) for _, lines in long.groupby(keys, sort=False)]
    # The line of each wave stays, so that labels and order are those of the frame.
    kept = [name for name in long if not _is_figure(str(name))]
    frame = long[kept].join(pd.concat(parts)) if parts else long[kept]
    recipe = f"Percentages over {waves} waves: people with the answer by people, of all of them."
    frame.attrs.update(result.provenance, recipe=recipe)
    return frame


def _is_figure(name: str) -> bool:
    return name.endswith(("size", "sample", "percentage", "index", "note", "waves"))


def _windows(lines: Any, segments: Sequence[str], waves: int) -> pd.DataFrame:
    """For each wave of one trend, the figures of it and the waves before it."""
    import pandas as pd

    place = {code: position for position, code in enumerate(segments)}
    at = [place[code] for code in lines["segment"]]
    figures: dict[str, Floats] = {}
    for name in ("positive_size", "audience_size", "positive_sample", "audience_sample"):
        of_wave: Floats = np.full(len(segments), np.nan)
        of_wave[at] = lines[name].to_numpy(np.float64)
        figures[name] = of_wave
    asked = figures["audience_size"] > 0
    sums = {
        name: _sums(np.where(asked, values, 0.0), waves)[at] for name, values in figures.items()
    }
    count = _sums(asked.astype(np.float64), waves)[at].astype(np.int64)
    whole = np.array(at) >= waves - 1
    fine = whole & (count > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(fine, 100 * sums["positive_size"] / sums["audience_size"], np.nan)
        # A size is how many people there are, not people times waves.
        sizes = {
            name: np.where(fine, sums[name] / count, np.nan)
            for name in ("positive_size", "audience_size")
        }
    notes = [
        "too few waves before it" if not all_there else f"{n} of {waves} waves" if n < waves else ""
        for all_there, n in zip(whole.tolist(), count.tolist(), strict=True)
    ]
    return pd.DataFrame(
        {
            "audience_percentage": share,
            **sizes,
            "positive_sample": np.where(whole, sums["positive_sample"], np.nan),
            "audience_sample": np.where(whole, sums["audience_sample"], np.nan),
            "waves_counted": count,
            "note": notes,
        },
        index=lines.index,
    )


def _sums(values: Floats, waves: int) -> Floats:
    """The sum of each value and those before it, so many in all."""
    return np.convolve(values, np.ones(waves))[: len(values)]
