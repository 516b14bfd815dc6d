"""Results built by hand from the wire's own types, for frames, HTML and charts."""

from __future__ import annotations

from typing import Any

import numpy as np

from audiencelab.expressions import Audience
from audiencelab.results.cells import FIGURES
from audiencelab.results.crosstab import cells_of
from audiencelab.results.stats import StatsLabels
from audiencelab.schema import METRICS, Metrics, StatsRow
from audiencelab.tables import CrosstabResult, StatsResult

HOSTILE = "<script>alert(1)</script>"


def metrics(size: float = 250.0, **changes: float) -> Metrics:
    """A row in which a quarter of an audience of 1,000 gave an answer that 20% give."""
    given: dict[str, Any] = {
        "positive_size": size,
        "positive_sample": 25,
        "audience_size": 1_000.0,
        "audience_sample": 100,
        "datapoint_size": 400.0,
        "datapoint_sample": 40,
        "audience_percentage": size / 10,
        "datapoint_percentage": size / 4,
        "audience_index": size / 2,
    }
    return Metrics(**given | changes)


NOTHING = Metrics(**dict.fromkeys(METRICS, 0))


def row(datapoint: str = "q1_1", figures: Metrics | None = None, **more: Any) -> StatsRow:
    return StatsRow(datapoint, figures or metrics(), **{"waves": ["q1_2024", "q2_2024"], **more})


def stats(*rows: StatsRow, **more: Any) -> StatsResult:
    labels = more.pop(
        "labels",
        StatsLabels(
            "Drinks",
            {"q1_1": "Tea", "q1_2": "Coffee"},
            {"q1_2024": "Q1 2024", "q2_2024": "Q2 2024"},
        ),
    )
    return StatsResult("q1", rows, labels=labels, **more)


def by_wave(waves: list[str], *, missing: str = "", datapoints: int = 2) -> StatsResult:
    """A trend in which one wave did not ask the question."""
    rows = [
        row(f"q1_{number}", NOTHING, segment=wave, waves=[])
        if wave == missing
        else row(f"q1_{number}", metrics(100.0 * number + 10 * place), segment=wave, waves=[wave])
        for number in range(1, datapoints + 1)
        for place, wave in enumerate(waves)
    ]
    return stats(*rows, splitter="waves")


def crosstab(
    rows: tuple[str, ...] = ("Men", "Women"),
    columns: tuple[str, ...] = ("Tea", "Coffee", "Water"),
    *,
    fill: bool = True,
    row_groups: tuple[tuple[str, ...], ...] = (),
    column_groups: tuple[tuple[str, ...], ...] = (),
    **changes: Any,
) -> CrosstabResult:
    """A crosstab in which each figure is its number among FIGURES, plus one, unless changed.

    changes: arrays [rows, columns] (or numbers) by figure.
    """
    result = CrosstabResult(
        tuple(Audience(name, id=f"row-{n}") for n, name in enumerate(rows, 1)),
        tuple(Audience(name, id=f"column-{n}") for n, name in enumerate(columns, 1)),
        provenance={"operation": "crosstab", "waves": ["q1_2024"]},
        row_groups=row_groups,
        column_groups=column_groups,
    )
    if fill:
        planes = np.empty((len(FIGURES), *result.shape))
        for place, name in enumerate(FIGURES):
            planes[place] = changes.get(name, place + 1.0)
        down, across = np.indices(result.shape)
        figures = planes.reshape(len(FIGURES), -1).T.copy()
        cells_of(result).store(down.ravel(), across.ravel(), figures)
    return result


def counted(
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    people: Any,
    *,
    base: float | None = None,
    row_sizes: Any = None,
    column_sizes: Any = None,
) -> CrosstabResult:
    """A crosstab of one respondent each, with shares and indices as they follow from the counts.

    people: float[rows, columns]. base, row_sizes, column_sizes: what the counts add up to, unless
        they say otherwise, as for answers that people give together.
    """
    size = np.asarray(people, dtype=np.float64)
    whole = size.sum() if base is None else base
    down = size.sum(axis=1) if row_sizes is None else np.asarray(row_sizes, dtype=np.float64)
    across = size.sum(axis=0) if column_sizes is None else np.asarray(column_sizes, np.float64)
    row_size, column_size = np.broadcast_arrays(down[:, None], across)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = {
            "percentage": 100 * size / whole,
            "column_percentage": 100 * size / column_size,
            "row_percentage": 100 * size / row_size,
            "row_base_percentage": 100 * row_size / whole,
            "column_base_percentage": 100 * column_size / whole,
            "index": 100 * size * whole / (row_size * column_size),
        }
    counts = {"": size, "row_": row_size, "column_": column_size, "base_": whole}
    sizes = {f"{of}{kind}": each for of, each in counts.items() for kind in ("size", "sample")}
    return crosstab(rows, columns, **sizes, **shares)
