"""A crosstab of 100,000 respondents × 50 rows × 50 columns beside other ways to the same table.

Every way counts respondents and adds weights within a base; the two bare products only multiply,
on data that is unpacked already, and mark what the hardware could do. Times vary between
machines and runs; the ratios within one run are what counts.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd

from audiencelab.audience import Q
from audiencelab.engine import CrosstabSpec, Engine
from audiencelab.engine.kernel import workshop
from audiencelab.panel import Catalogue, Panel, PanelBuilder, PanelQuestion, Wave
from audiencelab.wire import Datapoint

RESPONDENTS, SIDE = 100_000, 50
REPEATS = 3

Table = tuple[np.ndarray, np.ndarray]


def main() -> None:
    workshop.wait()
    random = np.random.default_rng(7)
    answers = {code: random.random((RESPONDENTS, SIDE)) < 0.3 for code in ("rows", "columns")}
    weights = random.gamma(2.0, 1250.0, RESPONDENTS)
    base = random.random(RESPONDENTS) < 0.9
    with tempfile.TemporaryDirectory() as folder:
        panel = _panel(Path(folder) / "panel", answers, weights, base)
        _check_agreement(_crosstab(Engine(panel)), _pandas_dot(answers, weights, base)())
        ours = _measured(lambda: _crosstab(Engine(panel)))
        warm_engine = Engine(panel)
        warm = _measured(lambda: _crosstab(warm_engine))
        first = _measured(lambda: _first_stripe(Engine(panel)))
    ways = {
        "audiencelab, masks made": ours,
        "audiencelab, masks cached": warm,
        "audiencelab, first 8 rows": first,
        "bare float64 product": _measured(_product(answers, np.float64)),
        "bare float32 product": _measured(_product(answers, np.float32)),
        "pandas dot, counts and sums": _measured(_pandas_dot(answers, weights, base)),
        "pandas masks, counts and sums": _measured(_pandas_masks(answers, weights, base), 1),
    }
    _print(ways)


def _check_agreement(ours: Table, theirs: Table) -> None:
    """Speed counts only for the same table; sizes differ by the rounding of weights to a grid."""
    np.testing.assert_array_equal(ours[0], theirs[0])
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-9)


def _print(ways: dict[str, tuple[float, float]]) -> None:
    yardstick = ways["audiencelab, masks made"][0]
    print(
        f"{RESPONDENTS:,} respondents × {SIDE} × {SIDE}, {os.cpu_count()} CPUs, best of {REPEATS}"
    )
    print(f"{'way':32}{'wall ms':>10}{'CPU ms':>10}{'× ours':>10}")
    for way, (wall, cpu) in ways.items():
        print(f"{way:32}{wall * 1e3:10.1f}{cpu * 1e3:10.1f}{wall / yardstick:10.2f}")


def _measured(way: Callable[[], object], repeats: int = REPEATS) -> tuple[float, float]:
    """Wall and CPU seconds of the quickest run."""
    runs: list[tuple[float, float]] = []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        way()
        runs.append((time.perf_counter() - wall, time.process_time() - cpu))
    return min(runs)


def _crosstab(engine: Engine) -> Table:
    stripes = list(engine.crosstab(_spec()))
    counts = np.concatenate([stripe.intersect.sample for stripe in stripes])
    return counts, np.concatenate([stripe.intersect.size for stripe in stripes])


def _first_stripe(engine: Engine) -> object:
    return next(engine.crosstab(_spec()))


def _spec() -> CrosstabSpec:
    rows, columns = (
        tuple(Q(code).any(f"{code}_{place}") for place in range(SIDE))
        for code in ("rows", "columns")
    )
    return CrosstabSpec(rows, columns, Q("base").any("base_1"))


def _product(answers: dict[str, np.ndarray], kind: type) -> Callable[[], object]:
    left = np.ascontiguousarray(answers["rows"].T, dtype=kind)
    right = np.ascontiguousarray(answers["columns"], dtype=kind)
    return lambda: left @ right


def _pandas_dot(
    answers: dict[str, np.ndarray], weights: np.ndarray, base: np.ndarray
) -> Callable[[], Table]:
    rows, columns = pd.DataFrame(answers["rows"]), pd.DataFrame(answers["columns"])

    def way() -> Table:
        inside = columns[base]
        left = rows[base].astype(float).T
        counts = left.dot(inside.astype(float))
        sums = left.dot(inside.mul(weights[base], axis=0))
        return counts.to_numpy(), sums.to_numpy()

    return way


def _pandas_masks(
    answers: dict[str, np.ndarray], weights: np.ndarray, base: np.ndarray
) -> Callable[[], Table]:
    rows, columns = pd.DataFrame(answers["rows"]), pd.DataFrame(answers["columns"])
    weight, inside = pd.Series(weights), pd.Series(base)

    def way() -> Table:
        counts, sums = np.zeros((SIDE, SIDE)), np.zeros((SIDE, SIDE))
        for row in range(SIDE):
            for column in range(SIDE):
                cell = inside & rows[row] & columns[column]
                counts[row, column] = cell.sum()
                sums[row, column] = weight[cell].sum()
        return counts, sums

    return way


def _panel(
    folder: Path, answers: dict[str, np.ndarray], weights: np.ndarray, base: np.ndarray
) -> Panel:
    catalogue = Catalogue(
        (
            _question("place", "single", 1),
            _question("base", "single", 2),
            _question("rows", "multiple", SIDE),
            _question("columns", "multiple", SIDE),
        ),
        "core.place",
    )
    with PanelBuilder(folder, catalogue) as builder:
        given = {"place": np.zeros(RESPONDENTS, int), "base": base.astype(int), **answers}
        builder.add_wave(Wave("w1", "w1", date(2024, 1, 1), date(2024, 3, 31)), weights, given)
        return builder.finish()


def _question(code: str, kind: str, points: int) -> PanelQuestion:
    datapoints = tuple(Datapoint(f"{code}_{place}", str(place)) for place in range(points))
    return PanelQuestion("core", code, code, kind, datapoints)


if __name__ == "__main__":
    main()
