"""The metric "change": by how much a column differs from the same one a wave before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.widgets import Crosstab
from audiencelab.widgets.crosstab.marks import TableMarks
from tests.analysis.waves import TRUST, opened, respondents
from tests.widgets.crosstab.grids import static_html


def table(client: al.Client) -> al.CrosstabResult:
    rows = ["trust", "bought", client["rated"].mean(), client["rated"].nps()]
    return client.crosstab(rows, ["waves", al.nest("gender", "waves"), "gender"])


def share(lines: Any, question: str, answer: str) -> float:
    known = lines.dropna(subset=question)
    if not len(known):
        return np.nan
    return float(100 * np.average(known[question] == answer, weights=known["wgt"]))


def test_changes_are_those_of_a_plain_count() -> None:
    found = table(opened(""))["change"]
    people: Any = respondents()
    parts = {"Wave": people} | dict(iter(people.groupby("gender")))
    for answer, question in {**dict.fromkeys(TRUST, "trust"), "Yes": "bought"}.items():
        for group, lines in parts.items():
            by_wave = [share(each, question, answer) for _, each in lines.groupby("wave")]
            # The last wave before that asked.
            before = pd.Series(by_wave).ffill().shift()
            row = found.xs(answer, level="row").iloc[0]
            got = row[[group in names for names in found.columns]].to_numpy(float)[:4]
            np.testing.assert_allclose(got, by_wave - before, rtol=1e-9)
    means = [np.average(each["rated"], weights=each["wgt"]) for _, each in people.groupby("wave")]
    got = found.xs("rated: mean", level="row").iloc[0].to_numpy(float)[1:4]
    np.testing.assert_allclose(got, np.diff(means), rtol=1e-9)


def test_changes_are_the_differences_of_the_tests() -> None:
    made = table(opened())
    tests = made.test(vs="previous wave").to_frame()
    known = tests[tests["note"] == ""].set_index(["row", "column_group", "column"])["difference"]
    frame = made["change"]
    rows: list[Any] = list(frame.index)
    columns: list[Any] = list(frame.columns)
    listed: dict[Any, float] = {
        (row[-1], *column[:2]): value
        for row, values in zip(rows, frame.to_numpy().tolist(), strict=True)
        for column, value in zip(columns, values, strict=True)
        if not np.isnan(value)
    }
    assert len(known) == len(listed)
    assert dict(known) == listed


def test_a_cell_without_a_change_says_why() -> None:
    made = table(opened())
    found = made["change"]
    trust = found.xs("trust", level="row_group")
    assert trust[("Wave", "wave 3")].isna().all()
    assert trust[("Wave", "wave 4")].notna().all()
    assert found.attrs["method_note"] == (
        "Change is since the wave before in the same column, of shares in points. Without one: "
        "no wave before; break at wave 3: 5 points were 7; column other than a wave."
    )
    page = made.to_html(metrics=["column", "change"]) or ""
    assert "break at wave 3: 5 points were 7" in page
    none = opened().crosstab("bought", "gender")
    assert none["change"].isna().all(axis=None)
    by_brand = opened().crosstab([al.Q("brands").any().named("Any")], "waves")
    assert "items differ between waves" in by_brand["change"].attrs["method_note"]


def test_every_form_shows_changes_with_their_sign(tmp_path: Path) -> None:
    made = opened().crosstab(["bought", opened()["rated"].mean()], "waves")
    metrics = ["column", "change"]
    texts = [made.to_markdown(metrics=metrics), made.to_html(metrics=metrics)]
    texts.append(made.to_latex(metrics=metrics))
    assert all("20.2" in (text or "") and "0.23" in (text or "") for text in texts)
    assert "31.2% / +20.2" in (texts[0] or "")
    assert "4.91 / +0.23" in (texts[0] or "")
    made.test(vs="previous wave").to_excel(tmp_path / "t.xlsx", metrics=metrics)
    [sheet, *_] = openpyxl.load_workbook(tmp_path / "t.xlsx").worksheets
    signed = {
        (round(cell.value, 2), cell.number_format[:2])
        for row in sheet.iter_rows()
        for cell in row
        if isinstance(cell.value, float) and cell.number_format.startswith("+")
    }
    assert {(20.23, "+#"), (-20.23, "+#"), (0.23, "+#")} <= signed
    made.to_pptx(tmp_path / "t.pptx", metrics=metrics)
    assert made.to_wide(metrics).shape == (2, 8)
    drawn = made.chart.bar("change").to_dict()
    values = [line.get("value") for each in drawn["datasets"].values() for line in each]
    assert pytest.approx(20.2323, abs=1e-3) in values


def test_everyone_of_all_waves_has_no_column_of_changes(tmp_path: Path) -> None:
    made = opened().crosstab("bought", "waves")
    made.to_excel(tmp_path / "t.xlsx", metrics=["column", "change"])
    [sheet, *_] = openpyxl.load_workbook(tmp_path / "t.xlsx").worksheets
    lines = [[cell.value for cell in row][1:4] for row in sheet.iter_rows()]
    assert ["Column %", None, "Column %"] in lines
    assert "–" not in [line[1] for line in lines]
    yes = made.to_markdown(metrics=["column", "change"]).partition("| Yes |")[2]
    assert yes.split("|")[0].strip().endswith("%")


def test_a_grid_shows_changes() -> None:
    client = opened()
    grid = Crosstab(client, "bought", "waves", metrics=["column", "change"])
    grid.wait()
    frame = grid.to_wide("change")
    expected = client.crosstab("bought", "waves").to_wide("change")
    pd.testing.assert_frame_equal(frame, expected, check_frame_type=False)


def test_a_grid_has_arrows_against_the_wave_before(tmp_path: Path) -> None:
    client = opened()
    grid = Crosstab(client, "bought", "waves", significance="previous wave")
    grid.wait()
    table = grid.result
    known = table.test(vs="previous wave", levels=0.95).marks()
    marks = TableMarks(table).of(np.arange(2), np.arange(4))
    assert marks.arrows(0.95, waves=True).tolist() == known.tolist()
    assert (known != "").any()
    page = static_html(grid)
    assert "significantly above or below the wave before (95%)" in page
    assert page.count("▲") == 1 + int((known == "▲").sum())
    grid.to_excel(tmp_path / "grid.xlsx")
    [sheet, *_] = openpyxl.load_workbook(tmp_path / "grid.xlsx").worksheets
    written = [str(cell.value) for row in sheet.iter_rows() for cell in row]
    assert written.count("▲") == int((known == "▲").sum())
