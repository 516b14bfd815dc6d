"""Mean, median and spread of amounts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.average_precision import (
    AveragedAmounts,
    AveragePrecision,
    precision_of_averages,
)
from audiencelab.analysis.design_effects import effect_words
from audiencelab.analysis.disjointness import (
    ComparedColumn,
    answers_of,
    codes_of,
    column_frame,
    columns_of,
    require_disjoint,
)
from audiencelab.analysis.options import checked_level, is_number
from audiencelab.analysis.statistics import t_quantile
from audiencelab.errors import AudienceError
from audiencelab.results.asking import ORDINARY_CELLS, Unanswered
from audiencelab.results.deviation import SD_FORMULA, standard_deviation
from audiencelab.results.stats import StatsData
from audiencelab.results.undefined import WITHHELD
from audiencelab.schema.local import QuestionNumbers
from audiencelab.schema.scales import direction_of

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
"""The amount of each answer, by code or name; or a question of the catalogue that has them."""


class Average(NamedTuple):
    """The averages of a column, over those who gave an answer that has a midpoint.

    spread: √(Σw(x - mean)² ÷ Σw).
    """

    mean: float
    median: float
    spread: float
    answered_size: float
    answered_sample: float


class Averaged(NamedTuple):
    """The columns of a result, the averages of each, and how sure they are.

    method: what they are of, "numbers" or "midpoints". precision: by the sample's design.
    """

    columns: list[ComparedColumn]
    averages: list[Average]
    method: str
    precision: AveragePrecision


def averages(
    result: StatsData,
    midpoints: Midpoints | None = None,
    *,
    design: float | Literal["auto"] = "auto",
    level: float = 0.95,
    disjoint: bool = False,
) -> pd.DataFrame:
    """See `StatsResult.averages`."""
    if not (design == "auto" or (is_number(design) and design > 0)):
        raise ValueError(
            "The design effect of a mean is one number above 0, such as 1.4. Those that were "
            "computed are of shares."
        )
    level = checked_level(level)
    midpoints = _known_question(result) if midpoints is None else midpoints
    found = with_precision(result, midpoints, disjoint=disjoint, level=level)
    columns, made, method, _ = found
    figures = dict(
        zip(Average._fields, np.array(made, dtype=np.float64).reshape(-1, 5).T, strict=True)
    )
    sure, words = _how_sure(found, figures, design, level)
    frame = column_frame(result, columns).assign(
        mean=figures["mean"],
        median=figures["median"],
        standard_deviation=standard_deviation(figures["spread"], figures["answered_sample"]),
        **sure,
        **{name: figures[name] for name in ("answered_size", "answered_sample")},
        column_size=[column.size for column in columns],
        column_sample=[column.sample for column in columns],
        method=[method] * len(columns),
        note=[_reason(each.answered_size) for each in made],
    )
    note = (
        f"Of {method}, over those who gave an answer that has one. {SD_FORMULA}; standard error "
        f"{words}."
    )
    if method == "midpoints" and (direction := _direction(result, midpoints)):
        note = f"{note} From {direction}."
    left_out = _left_out(result, midpoints)
    frame.attrs.update(result.provenance, method_note=note, left_out=left_out)
    return frame


def _direction(result: StatsData, midpoints: Midpoints) -> str:
    """What the amounts run from and to; "" for plain numbers."""
    if (scale := result.labels.scale) is None:
        return ""
    names = {code: result.labels.datapoints.get(code) or code for code in answers_of(result)}
    return direction_of(scale, names, _values(result, midpoints))


def keep_averages(result: StatsData) -> None:
    """Ask for what the averages of a result need, so that a pickle keeps it; raises nothing."""
    if result.ask is not None and len(result) <= ORDINARY_CELLS:
        with suppress(AudienceError, ValueError, RuntimeError):
            averages(result)


def with_precision(
    result: StatsData, midpoints: Midpoints, *, disjoint: bool = False, level: float = 0.95
) -> Averaged:
    """The averages of a result with their precision by the sample's design."""
    columns, made = averaged(result, midpoints, disjoint=disjoint)
    method = method_of(result, midpoints)
    exact = _numbers(result, midpoints) is not None
    # The service has the numbers; amounts are needed only where there are none.
    known = {} if exact else _values(result, midpoints)
    figures = [(each.mean, each.answered_size, each.answered_sample) for each in made]
    precision = precision_of_averages(
        result, AveragedAmounts(known, exact), columns, figures, level
    )
    return Averaged(columns, made, method, precision)


def _how_sure(
    found: Averaged, figures: Mapping[str, Floats], design: float | Literal["auto"], level: float
) -> tuple[dict[str, Floats], str]:
    """Standard errors, degrees of freedom and intervals, and how they were made."""
    mean, sample = figures["mean"], figures["answered_sample"]
    low = high = np.full(len(mean), np.nan)
    if design == "auto" and found.precision.rows is not None:
        line = [[(column.segment, column.audience)] for column in found.columns]
        means, medians = (found.precision.of(line, medians=each) for each in (False, True))
        error = means.values("standard_error")[:, 0]
        freedom = np.diagonal(means.freedom, axis1=1, axis2=2)[:, 1]
        low, high = medians.ends[:, :, 1]
        words = ", ".join(filter(None, ["by the sample's design", means.how]))
    else:
        effect = 1.0 if isinstance(design, str) else float(design)
        unknown = f", {found.precision.unknown}" if design == "auto" else ""
        with np.errstate(divide="ignore", invalid="ignore"):
            error = figures["spread"] * np.sqrt(effect / sample)
        freedom = sample - 1
        words = f"over respondents with {effect_words(np.array([effect]))}{unknown}"
    error = np.where(np.isfinite(error), error, np.nan)
    sure = np.where(freedom > 0, error, np.nan)
    # t has no quantile at 0 degrees of freedom; `sure` is NaN there.
    reach = sure * t_quantile((1 + level) / 2, np.maximum(freedom, 1))
    ends = {"mean_low": mean - reach, "mean_high": mean + reach}
    ends |= {"median_low": low, "median_high": high}
    return {"standard_error": error, "degrees_of_freedom": freedom, **ends}, words


def _reason(answered_size: float) -> str:
    """Why there is no average; empty where there is one."""
    if math.isnan(answered_size):
        return WITHHELD
    return "" if answered_size > 0 else "no answers"


def _known_question(result: StatsData) -> _Question:
    """The question of a result, with the midpoints that the catalogue has."""
    amounts = result.labels.midpoints
    question: Any = SimpleNamespace(
        datapoints=[
            SimpleNamespace(
                code=code,
                midpoint=SimpleNamespace(value=amounts[code]) if code in amounts else None,
            )
            for code in result.labels.datapoints
        ]
    )
    return question


def averaged(
    result: StatsData, midpoints: Midpoints, *, disjoint: bool = False
) -> tuple[list[ComparedColumn], list[Average]]:
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
    # Answers whose names are their amounts, such as 0 to 10, are numbers as they were answered.
    are_numbers = not isinstance(midpoints, Mapping) and all(
        _number_in(names.get(code, "")) == value
        for code, value in _values(result, midpoints).items()
    )
    return "numbers" if are_numbers else "midpoints"


def _number_in(name: str) -> float | None:
    try:
        return float(name)
    except ValueError:
        return None


def _numbers(
    result: StatsData, midpoints: Midpoints
) -> dict[tuple[str | None, str | None], Average] | None:
    """The averages of the numbers behind a question's bins; None if only midpoints are known."""
    numbers = None if isinstance(midpoints, Mapping) else _asked_numbers(result)
    if numbers is None:
        return None
    # Numbers are of all bins together; for some of the bins midpoints are all there is.
    codes = {each.code for each in getattr(midpoints, "datapoints", ())}
    if {*answers_of(result)} != {*numbers.datapoints} or not codes.issuperset(numbers.datapoints):
        return None
    found: dict[tuple[str | None, str | None], Average] = {}
    for row in numbers.rows:
        mean, median, spread = (
            math.nan if figure is None else figure
            for figure in (row.mean, row.median, row.standard_deviation)
        )
        counts = (
            math.nan if count is None else count
            for count in (row.answered_size, row.answered_sample)
        )
        found[row.segment, row.audience] = Average(mean, median, spread, *counts)
    return found


def _asked_numbers(result: StatsData) -> QuestionNumbers | None:
    # A grid by item has items as segments, which the query does not ask for.
    if result.ask is None or result.asked is None or result.splitter != result.asked.splitter:
        return None
    try:
        return result.ask.numbers(result.asked)
    except Unanswered:
        return None


def _left_out(result: StatsData, midpoints: Midpoints) -> list[str]:
    numbers = _asked_numbers(result)
    if numbers is not None and _numbers(result, midpoints) is not None:
        return [*numbers.without]
    values = _values(result, midpoints)
    return [code for code in answers_of(result) if code not in values]


def _values(result: StatsData, midpoints: Midpoints) -> dict[str, float]:
    """The midpoint of each datapoint that has one; `ValueError` if none has."""
    if isinstance(midpoints, Mapping):
        found = {
            # NaN is refused below, where the error can name the answer.
            codes_of(result, [name])[0]: float(value) if is_number(value) else math.nan
            for name, value in midpoints.items()
        }
    elif hasattr(midpoints, "datapoints"):
        # Answers off the scale, such as "Don't know", represent no amount.
        off = frozenset[str]() if result.labels.scale is None else result.labels.scale.off
        found = {
            each.code: float(each.midpoint.value)
            for each in midpoints.datapoints
            if each.midpoint is not None
            and each.code in answers_of(result)
            and each.code not in off
        }
    else:
        raise TypeError(
            'Give a midpoint for each answer, averages({"q1_1": 2.5, "q1_2": 7.5}), or by the '
            'catalogue\'s question, averages(client.catalogue["q1"]).'
        )
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


def _average(column: ComparedColumn, values: Mapping[str, float]) -> Average:
    given = [column.rows[code].metrics for code in values if code in column.rows]
    points: Floats = np.array([value for code, value in values.items() if code in column.rows])
    sizes: Floats = np.array([each.positive_size for each in given])
    size, sample = float(sizes.sum()), float(sum(each.positive_sample for each in given))
    if not size > 0:
        return Average(math.nan, math.nan, math.nan, size, sample)
    mean = float(sizes @ points) / size
    spread = math.sqrt(float(sizes @ (points - mean) ** 2) / size)
    return Average(mean, _median(points, sizes), spread, size, sample)


def _median(points: Floats, sizes: Floats) -> float:
    """The value that half of the people are at or below; between two, if half are exactly."""
    order = np.argsort(points)
    points = points[order]
    reached: Floats = np.cumsum(sizes[order])
    half = float(reached[-1]) / 2
    # Rounding of sums of weights may miss an exact half on either side.
    at_least, beyond = np.searchsorted(reached, [half * (1 - 1e-12), half * (1 + 1e-12)])
    return float(points[at_least] + points[beyond]) / 2
