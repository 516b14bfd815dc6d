"""The code of the guides to grid, workbench and import runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import audiencelab as al

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"


def blocks(page: str, language: str = "python") -> list[str]:
    text = (HOW_TO / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    pytest.importorskip("anywidget")
    monkeypatch.chdir(tmp_path)
    return {"al": al, "client": al.connect()}


def test_the_guide_to_the_grid(names: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    client = names["client"]
    # What the page begins with is in its live widget.
    names |= {n: client.catalogue.audiences(c) for n, c in (("apps", "q20"), ("genders", "q2"))}
    names["ages"] = client.catalogue.audiences("q4")
    names["grid"] = al.Crosstab(client, names["apps"], columns=names["ages"][:2]).wait()
    for block in blocks("grid"):
        exec(block, names)
    assert (tmp_path / "apps.xlsx").stat().st_size > 0
    # What the page says of the cell that it talks about.
    said = al.Crosstab(client, names["apps"], names["genders"]).wait()
    assert round(said.drill("Corkboard", "Female").value("index")) == 138


def test_the_page_for_those_who_come_from_other_programs(
    names: dict[str, Any], tmp_path: Path
) -> None:
    for block in blocks("coming-from"):
        exec(block, names)
    assert (tmp_path / "tables.xlsx").stat().st_size > 0
    same = names["same"].xs("Short videos", level="row").iloc[0]
    assert names["by_hand"].tolist() == pytest.approx(same.tolist(), rel=1e-9)
    assert names["frame"].dtypes.loc[["video", "Age"]].tolist() == [float, float]
    assert len(names["frame"]) > 20_000


def test_what_the_guide_says_of_edits_from_python(names: dict[str, Any]) -> None:
    client = names["client"]
    grid = al.Crosstab(client, rows=client.catalogue.audiences("q4"), columns=[al.Audience("All")])
    text = (HOW_TO / "grid.md").read_text(encoding="utf-8")
    for call in re.findall(r"`(grid\.(?:rows\.add|columns\.nest|ask|undo)\([^`…]*\))`", text):
        exec(call, {"grid": grid})
    assert grid.wait(60).result is not None


def test_the_guide_to_the_workbench(names: dict[str, Any], tmp_path: Path) -> None:
    for block in blocks("workbench"):
        exec(block.replace("bench.grid.to_wide()", "bench.grid.wait(60).to_wide()"), names)
    assert (tmp_path / "study.audiencelab.json").stat().st_size < 20_000


def test_the_guide_to_imports_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers").mkdir()
    for file in ("survey.csv", "answers/survey.csv"):
        (tmp_path / file).write_text(blocks("import", "text")[0], encoding="utf-8")
    (tmp_path / "drinks.toml").write_text(blocks("import", "toml")[0], encoding="utf-8")
    names: dict[str, Any] = {"frame": pd.read_csv("survey.csv")}
    [block] = blocks("import")
    exec(block, names)
    assert sum(wave.respondents for wave in names["survey"].waves) == 4
