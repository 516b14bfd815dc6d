"""Waves as columns by one switch, and what each has changed by since the wave before."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from numpy.typing import NDArray

import audiencelab as al
from audiencelab.widgets.crosstab.wave_columns import without_waves
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.grids import about

NAMES = {1: "2024 Q1", 2: "2024 Q2", 3: "2024 Q3"}
SIDES = ("women", "men")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Three waves, a brand that joins in the second, one that grows, and an amount."""
    rng = np.random.default_rng(3)
    wave = np.sort(rng.integers(1, 4, 900))
    return pd.DataFrame(
        {
            "wave": wave.astype(float),
            "b_1": (rng.random(900) < 0.2 + 0.15 * wave).astype(float),
            "b_2": np.where(wave == 1, np.nan, rng.integers(0, 2, 900)),
            "spent": np.where(rng.random(900) < 0.1, np.nan, rng.gamma(2, 10, 900).round(1)),
            "sex": rng.integers(1, 3, 900).astype(float),
        }
    )


@pytest.fixture(scope="module")
def client(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Client]:
    path: Path = tmp_path_factory.mktemp("waves") / "brands.sav"
    ticked = {0: "Not mentioned", 1: "Mentioned"}
    values: Any = {"wave": NAMES, "sex": {1: "women", 2: "men"}, "b_1": ticked, "b_2": ticked}
    labels: Any = {"b_1": "Brands known: Cosmo", "b_2": "Brands known: Newcomer", "sex": "Sex"}
    data: Any = frame
    pyreadstat.write_sav(data, str(path), column_labels=labels, variable_value_labels=values)
    with al.open(path, wave="wave", quiet=True) as made:
        yield made


@pytest.fixture
def grid(client: al.Client) -> Iterator[al.Crosstab]:
    made = al.Crosstab(client, ["b", client["spent"].mean()], "sex")
    yield made
    made.close()


def cells(frame: pd.DataFrame, column: str) -> list[NDArray[np.float64]]:
    """Answers by column of the grid: women by wave, then men."""
    by = frame.groupby(["sex", "wave"])[column]
    return [answers.dropna().to_numpy(float) for _, answers in by]


def test_waves_are_columns_and_go_again(wire: Wire, client: al.Client, grid: al.Crosstab) -> None:
    before = grid.value
    wire.request(grid, "edit", {"do": "wave_columns", "shown": True})
    assert grid.columns.groups == tuple(("Sex", side) for side in SIDES for _ in NAMES)
    assert [each.name for each in grid.columns] == 2 * [*NAMES.values()]
    assert "al.nest('Sex', 'waves')" in grid.to_code()
    space: dict[str, Any] = {"client": client, "al": al}
    exec(grid.to_code(), space)
    np.testing.assert_array_equal(space["table"].values("sample"), grid.result.values("sample"))
    # Other waves are other columns.
    codes = list(grid.waves)[1:]
    wire.request(grid, "edit", {"do": "waves", "codes": codes})
    assert (len(grid.columns), list(grid.waves)) == (4, codes)
    wire.request(grid, "edit", {"do": "wave_columns", "shown": False})
    assert (grid.value.columns, grid.value.rows) == (before.columns, before.rows)
    for _ in range(3):
        grid.undo()
    assert grid.value == before
    alone = al.Crosstab(client, "b")
    alone.show_waves(True)
    assert "columns=['waves']" in alone.to_code()
    assert without_waves(alone.columns) is None


def test_changes_are_points_of_shares_and_units_of_means(
    wire: Wire, frame: pd.DataFrame, grid: al.Crosstab
) -> None:
    grid.show_waves(True)
    grid.metrics, grid.significance = ["column", "change"], "previous wave"
    result = grid.wait().result
    shown = grid.to_wide("change").to_numpy()
    tests = result.test(vs="previous wave", levels=0.95)
    known = cells(frame, "b_1")
    for at, now in enumerate(known):
        if at % 3 == 0:
            assert math.isnan(shown[0, at])
            continue
        then = known[at - 1]
        assert shown[0, at] == pytest.approx(100 * (now.mean() - then.mean()), abs=1e-9)
        errors = (each.var(ddof=1) / len(each) for each in (now, then))
        z = (now.mean() - then.mean()) / math.sqrt(sum(errors))
        if abs(abs(z) - 1.96) > 0.1:
            assert (tests.marks()[0, at] != "") == (abs(z) > 1.96)
    # The wave before did not offer the brand: there is no change, and it says so.
    assert np.isnan(shown[1, [0, 1, 3, 4]]).all()
    joined = cells(frame, "b_2")
    assert shown[1, 2] == pytest.approx(100 * (joined[2].mean() - joined[1].mean()), abs=1e-9)
    region = {"rows": {"start": 0, "stop": 2}, "columns": {"start": 0, "stop": 6}, "letters": None}
    header = wire.request(grid, "marks", about(wire, grid, **region)).content["data"]
    assert "no wave before" in header["unchanged"]
    assert "unchanged" in [plane["name"] for plane in header["planes"]]
    [line] = wire.request(grid, "statistics", about(wire, grid)).content["data"]["lines"]
    spent = [answers.mean() for answers in cells(frame, "spent")]
    for at, text in enumerate(line["changes"]):
        expected = "–" if at % 3 == 0 else f"{spent[at] - spent[at - 1]:+.2f}".replace("-", "−")
        assert text == expected
    assert line["unchanged"][0] == "no wave before"
    assert "no wave before" in "".join(result.to_html(metrics=["column", "change"]))
