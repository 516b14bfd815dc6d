"""A whole quarter, twice, as the guide has it: new file, drift report, workbook and deck."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyreadstat
import pytest
from pptx import Presentation

import audiencelab as al
from audiencelab.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "tracker.md").read_text("utf-8")
QUARTERS = ["q1-2025", "q2-2025", "q3-2025", "q4-2025"]
LABELS = {
    "brand_1": "Which do you know: Alta",
    "brand_2": "Which do you know: =Brio",
    "sat": "Zufriedenheit",
    "age": "Age",
    "wgt": "Weight",
    "quarter": "Quarter",
}
POINTS = {1.0: "sehr zufrieden", 2.0: "zufrieden", 3.0: "unzufrieden"}
CHOSEN = {0.0: "Not mentioned", 1.0: "Mentioned"}
VALUES = {"brand_1": CHOSEN, "brand_2": CHOSEN}


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """The files of four quarters in the working folder, and all their rows; Alta grows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(3)
    frames = [
        pd.DataFrame(
            {
                "brand_1": (rng.random(200 + 30 * at) < 0.3 + 0.1 * at).astype(float),
                "brand_2": (rng.random(200 + 30 * at) < 0.5).astype(float),
                "sat": rng.integers(1, 4, 200 + 30 * at).astype(float),
                "age": rng.integers(18, 80, 200 + 30 * at).astype(float),
                "wgt": rng.integers(2, 8, 200 + 30 * at) / 4,
                "quarter": f"Q{at + 1} 2025",
            }
        )
        for at in range(4)
    ]
    for name, frame in zip(QUARTERS, frames, strict=True):
        labels, values = [LABELS[each] for each in frame], VALUES | {"sat": POINTS}
        pyreadstat.write_sav(
            frame, f"{name}.sav", column_labels=labels, variable_value_labels=values
        )
    return pd.concat(frames)


def script(caption: str) -> str:
    return re.findall(rf":caption: {caption}.*?\n(.*?)```", PAGE, re.DOTALL)[0]


def run_shell(caption: str, file: str = "") -> None:
    """Run the commands of a script of the guide; the first that fails is an error, as by set -e."""
    for line in script(caption).splitlines():
        program, *words = shlex.split(line.replace("$1", file))
        assert program in ("audiencelab", "set")
        assert program == "set" or main(words) == 0, line


def shares(people: pd.DataFrame, until: int) -> pd.DataFrame:
    """The weighted percentages of Alta and of the points of the scale, by quarter."""
    kept = people[people["quarter"].isin([f"Q{at + 1} 2025" for at in range(until)])]
    whole = kept.groupby("quarter")["wgt"].sum()
    rows = {"Alta": kept["brand_1"] == 1, "=Brio": kept["brand_2"] == 1}
    rows |= {name: kept["sat"] == code for code, name in POINTS.items()}
    sums = {name: kept[inside].groupby("quarter")["wgt"].sum() for name, inside in rows.items()}
    return pd.DataFrame({name: 100 * each / whole for name, each in sums.items()}).T


def check_workbook(expected: pd.DataFrame) -> None:
    """Shares and changes in the workbook are those of pandas; Alta has an arrow in each quarter."""
    book, found = openpyxl.load_workbook("tracker.xlsx"), set[str]()
    for sheet in book.worksheets[1:-1]:
        for line in sheet.iter_rows(values_only=True):
            if line[0] not in expected.index:
                continue
            found.add(str(line[0]))
            own = expected.loc[line[0]]
            numbers = [each for each in line[1:] if isinstance(each, float)]
            # All of the base comes first, and has no change; nor has the first quarter.
            pairs = np.column_stack([own, own.diff()]).ravel()
            np.testing.assert_allclose(numbers[1:], pairs[~np.isnan(pairs)], atol=1e-9)
            if line[0] == "Alta":
                assert "▲" in line
    assert found == set(expected.index)


def check_deck(expected: pd.DataFrame) -> None:
    """The table of a slide shows shares and changes, its chart the unrounded shares."""
    deck: Any = Presentation("tracker.pptx")
    tables = [shape.table for slide in deck.slides for shape in slide.shapes if shape.has_table]
    lines = [[cell.text for cell in row.cells] for table in tables for row in table.rows]
    [alta] = [line for line in lines if line[0] == "Alta"]
    own = expected.loc["Alta"]
    assert alta[2].startswith(f"{own.iloc[0]:.1f}% / –")
    assert alta[-1].startswith(f"{own.iloc[-1]:.1f}%")
    assert alta[-1].endswith(f"{own.diff().iloc[-1]:+.1f}".replace("-", "−"))
    charts = [shape.chart for slide in deck.slides for shape in slide.shapes if shape.has_chart]
    [line] = [each for chart in charts for each in chart.plots[0].series if each.name == "Alta"]
    assert list(line.values) == pytest.approx(own.tolist())
    [brands] = [each for each in charts if "Alta" in [line.name for line in each.plots[0].series]]
    assert list(brands.plots[0].categories) == list(expected.columns)


def test_the_script_of_the_guide_remakes_a_tracker_twice(
    people: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    run_shell("first.sh")
    for until, file in ((3, "q3-2025.sav"), (4, "q4-2025.sav")):
        capsys.readouterr()
        run_shell("quarter.sh", file)
        printed = capsys.readouterr().out
        assert "Nothing was written (--dry-run)." in printed
        assert f"added as Q{until} 2025" in printed
        assert "wrote     tracker.xlsx" in printed
        expected = shares(people, until)
        check_workbook(expected)
        check_deck(expected)
    assert main(["survey", "add-wave", "tracker", "q4-2025.sav", "-q"]) == 0
    with al.open("tracker") as client:
        assert len(client.waves()) == 4, "the same file again changes nothing"


def test_the_same_in_python(people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    run_shell("first.sh")
    monkeypatch.setattr(sys, "argv", ["quarter.py", "q3-2025.sav"])
    exec(script("quarter.py"), {})
    expected = shares(people, 3)
    check_workbook(expected)
    check_deck(expected)
    assert Path("sat.svg").read_text().startswith("<svg")


def test_one_command_writes_several_files_or_none(
    people: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    run_shell("first.sh")
    command = ["tab-book", "tracker", "--banner", "waves", "--vs", "previous wave", "-q"]
    assert main([*command, "-o", "a.xlsx", "-o", "a.pdf"]) == 2
    assert "a.pdf must end in" in capsys.readouterr().err
    assert not Path("a.xlsx").exists()
    assert main([*command, "-o", "a.html", "-o", "b.html", "--metrics", "column"]) == 0
    assert "Change" not in Path("a.html").read_text()
    with al.open("tracker") as client:
        book = client.tab_book("waves", ["sat"])
        assert "Change, points" in book.to_html(vs="previous wave")
        book.to_pptx("lines.pptx", chart="line", vs="previous wave")
    deck: Any = Presentation("lines.pptx")
    plot = next(each for each in deck.slides[1].shapes if each.has_chart).chart.plots[0]
    assert list(plot.categories) == ["Q1 2025", "Q2 2025"], "lines run along the waves"
    own = shares(people, 2).loc["zufrieden"]
    assert list(plot.series[1].values) == pytest.approx(own.tolist())
