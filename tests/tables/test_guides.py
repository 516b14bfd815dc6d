"""The code of the guides to results and workbooks runs as it is printed."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

GUIDES = Path(__file__).parents[2] / "docs" / "how-to"


def run(guide: str) -> dict[str, Any]:
    page = (GUIDES / guide).read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    code = re.findall(r"^( *)```python\n(.*?)```", page, re.DOTALL | re.MULTILINE)
    exec("".join(dedent(inside) for _, inside in code), names)
    return names


def test_the_guide_to_excel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("excel.md")
    made = {file.name for file in tmp_path.iterdir()}
    assert made == {"sectors.xlsx", "nested.xlsx", "both.xlsx", "report.xlsx"}


def test_the_page_of_estimates_shows_what_it_says() -> None:
    ages = run("estimates.md")["ages"]
    assert f"```text\n{ages!r}\n```" in (GUIDES / "estimates.md").read_text(encoding="utf-8")


def test_the_guide_to_tab_books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = run("tab-book.md")
    made = {file.name for file in tmp_path.iterdir()}
    assert made == {"book.xlsx", "report.xlsx", "waves.xlsx", "weights.xlsx"}
    assert list(names["weighted"].weights) == ["persons", "households", "Unweighted"]


def test_the_guide_to_nets_and_averages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = run("nets-and-averages.md")
    assert names["with_nets"].datapoints[-2:] == ("Better", "Worse")
    better = names["with_nets"].to_wide().loc["Better"]
    assert names["score"]["positive_percentage"].tolist() == pytest.approx(better.tolist())
    top = "Top 2 (Much better, A little better)"
    assert names["boxes"].to_wide().loc[top].tolist() == better.tolist()
    assert names["convictions"].to_wide().shape == (16, 5)
    young = names["netted"].to_wide("size").loc["Under 35"]
    assert young.tolist() == pytest.approx(names["table"].to_wide("size").iloc[:3].sum().tolist())


def test_the_guide_to_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("polars", "duckdb"):
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    names = run("frames.md")
    assert names["both"]["18 to 24"].columns.tolist() == ["column_percentage", "index"]
    assert names["wide"].columns.names == ["column_group", "column_group_2", "column"]
    assert "Gender by age › Female" in set(names["long"]["column_group"])
    assert "Apps by age" in (tmp_path / "apps.html").read_text(encoding="utf-8")


def test_the_guide_to_significance() -> None:
    names = run("significance.md")
    assert names["comparison"].method_note.startswith("Two-sided t test")
    assert len(names["found"]) == 10
    page = (GUIDES / "significance.md").read_text(encoding="utf-8")
    [example] = re.findall(r'sentence such as "(.*?)"', page)
    assert example in names["table"].standouts(limit=200)["statement"].tolist()


def test_the_guide_to_trends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = run("trends.md")
    coverage = names["coverage"]
    assert [wave[-4:] for wave in coverage.mixed] == ["2023"] * 4
    assert len(coverage.whole) == 8
    assert names["frame"]["waves"].iloc[0] == coverage.whole
    sizes = names["client"].stats("s2", audiences=[names["heavy"]], splitter="waves")
    by_wave = sizes.to_wide("column_size").iloc[0]
    before, after = by_wave.iloc[3], by_wave.iloc[4]
    assert after > 1.5 * before, "the audience jumps where the second question comes in"


def test_the_guide_to_derived_audiences() -> None:
    names = run("derived-audiences.md")
    assert names["ages"].left_out == ()
    assert [each.name for each in names["both"]][:2] == ["Male · under 35", "Male · 35 to 55"]
    shares = names["incomes"].to_frame()["percentage"].round(1).tolist()
    assert shares == [27.0, 37.0, 36.0]
    assert len(names["table"].columns) == 1 + 2 * 3 + 3
    assert len(names["nested"].columns) == 1 + 3 * (7 + 8)


def test_the_guide_to_profiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("altair", "scipy"):
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    names = run("profile.md")
    assert names["profile"].complete
    assert len(names["found"]) == 10
    assert 500 <= len(names["stream"].result) < names["profile"].expected


def test_the_guide_to_overlap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("altair")
    monkeypatch.chdir(tmp_path)
    names = run("overlap.md")
    assert (tmp_path / "overlap.xlsx").exists()
    assert names["of_women"].provenance["waves"] == ["q3_2025", "q4_2025"]
    assert "Any of them" in names["html"]
