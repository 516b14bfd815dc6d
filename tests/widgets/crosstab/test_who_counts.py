"""What a grid shows of who counts: base line, notes, the base of each row, cells without a base."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.render.mime_payload import CROSSTAB, plane_of
from audiencelab.results.who_counts import ITEMS_DIFFER
from audiencelab.widgets.crosstab.marks import TableMarks
from audiencelab.widgets.crosstab.metrics import part_of, transposed_table
from tests.survey.test_asked import made
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.grids import about, progress, static_html, table_state
from tests.widgets.crosstab.test_tiles import read, shape_of, tile_of

FRAME = pd.DataFrame(
    {
        "Gender": ["Women", "Men"] * 20,
        # 30 answer, of whom 15 are women.
        "Sector": ["Public", "Private", "Private", "Public", None, None] * 5 + ["Public"] * 10,
        # Women alone.
        "Hats": ["Bowler", None, "Cap", None] * 10,
        # Men alone.
        "Ties": [None, "Plain", None, "Dotted"] * 10,
        "Drink": ["Tea"] * 30 + ["Coffee"] * 10,
    }
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Client]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AUDIENCELAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield al.open(FRAME, quiet=True)


@pytest.fixture
def grid(client: al.Client, wire: Wire) -> al.Crosstab:
    return al.Crosstab(client, ["Sector", "Hats", "Drink"], "Gender", base_of="valid").wait(60)


def tile(wire: Wire, grid: al.Crosstab) -> Any:
    rows, columns = grid.value.shape
    whole = {"rows": {"start": 0, "stop": rows}, "columns": {"start": 0, "stop": columns}}
    return tile_of(wire.request(grid, "tile", about(wire, grid, **whole)))


def test_the_base_line_comes_with_the_table(wire: Wire, grid: al.Crosstab) -> None:
    assert table_state(wire, grid).answered
    assert progress(wire, grid).base_line == "Base: those who answered, by question"
    # Without a weight, respondents are the only base.
    assert progress(wire, grid).weighted_base == ""
    grid.base_of = "everyone"
    assert progress(wire, grid.wait(60)).base_line == "Base: all respondents"
    assert not table_state(wire, grid).answered


def test_rows_have_the_base_of_their_question(grid: al.Crosstab, wire: Wire) -> None:
    assert progress(wire, grid).base_varies
    found = tile(wire, grid)
    answered = FRAME[["Sector", "Hats", "Drink"]].notna().sum()
    expected = [answered[name] for name in ("Sector", "Hats", "Drink") for _ in "ab"]
    assert shape_of(found, "row_own_base_sample") == [6, 1]
    assert read(found, "row_own_base_sample")[:, 0].tolist() == expected
    html = static_html(grid)
    public = int((FRAME["Sector"] == "Public").sum())
    assert f"{public}** of {answered['Sector']}" in html
    assert "Base: those who answered, by question" in html
    assert "Weighted base" not in html
    grid.rows = "Drink"
    assert not progress(wire, grid.wait(60)).base_varies
    assert "row_own_base_sample" not in [each.name for each in tile(wire, grid).header.planes]


def test_a_cell_without_a_base_has_the_reason(client: al.Client, wire: Wire) -> None:
    columns = ["Ties", "Drink"]
    grid = al.Crosstab(client, "Hats", columns, base_of="valid", metric="sample").wait(60)
    found = tile(wire, grid)
    reasons = [found.header.reasons[int(at)] for at in read(found, "reason")[0]]
    assert reasons == ["no respondent answered both"] * 2 + [""] * 2
    html = static_html(grid)
    assert html.count("–</td>") == 4


def test_a_cell_in_detail_says_who_counts(grid: al.Crosstab) -> None:
    detail = grid.drill("Public", "Women")
    both = FRAME.dropna(subset=["Sector"])
    base = detail.counts[3]
    assert base.sample == len(both)
    assert base.words == "everyone who answered both Sector and Gender"
    assert detail.test is not None
    of = "the rest of those who answered both Sector and Gender"
    assert detail.test.describe() == f"Not tested against {of}: base under 30"
    share = 100 * (both["Sector"] == "Public")[both["Gender"] == "Women"].mean()
    assert detail.value("column_percentage") == pytest.approx(share)
    grid.base_of = "everyone"
    assert grid.drill("Public", "Women").counts[3].words == "everyone"


def test_parts_of_a_table_keep_the_base_of_their_rows(grid: al.Crosstab) -> None:
    result = grid.result
    part = part_of(result, [4, 0], [1])
    assert part.whole is not None
    assert result.whole is not None
    np.testing.assert_array_equal(part.whole, result.whole[:, [4, 0]])
    assert transposed_table(part).shape == (1, 2)


def test_bases_side_by_side_say_who_counts(client: al.Client, wire: Wire) -> None:
    bases = [al.Audience("All"), client["Drink"] == "Tea"]
    grid = al.Crosstab(client, "Sector", "Gender", bases=bases, base_of="valid").wait(60)
    parts = [
        client.crosstab("Sector", "Gender", base_audience=base, base_of="valid") for base in bases
    ]
    np.testing.assert_array_equal(
        grid.result.values("base_sample"), np.hstack([each.values("base_sample") for each in parts])
    )
    assert (
        "who answered Sector" in progress(wire, grid).base_line
        or "by question" in progress(wire, grid).base_line
    )


def test_the_saved_form_has_them(grid: al.Crosstab) -> None:
    data, _ = grid._repr_mimebundle_()
    saved = json.loads(json.dumps(data[CROSSTAB]))
    assert saved["base_line"] == "Base: those who answered, by question"
    assert saved["answered"] is True
    assert plane_of(saved["planes"]["row_own_base_sample"])[0, 0] == FRAME["Sector"].notna().sum()
    assert "Base: those who answered, by question" in data["text/html"]


def test_a_file_of_the_cells_says_it(grid: al.Crosstab, wire: Wire) -> None:
    rows, columns = grid.value.shape
    whole = {"rows": {"start": 0, "stop": rows}, "columns": {"start": 0, "stop": columns}}
    asked = about(wire, grid, **whole, format="csv")
    lines = wire.request(grid, "export", asked).buffers[0].decode("utf-8-sig").splitlines()
    header = lines[1].split(",")
    # The survey has no weight.
    assert header[2:4] == ["Unweighted base (n)", "Unweighted base of the row (n)"]
    assert lines[4].split(",")[3] == str(FRAME["Sector"].notna().sum())
    told = lines[lines.index("", 2) + 1 :]
    assert told[0] == '"Base: those who answered, by question"'
    assert "Source: survey frame (version" in told[-1]


def test_past_questions_and_notebooks_say_it(client: al.Client, wire: Wire, tmp_path: Path) -> None:
    bench = al.Workbench(client, "Sector", "Gender", base_of="valid")
    bench.grid.wait(60)
    assert "those who answered" in wire.state(bench)["_shown"][0]
    text = bench.to_notebook(tmp_path / "it.ipynb").read_text("utf-8")
    assert "those who answered" in text


def test_a_net_of_other_items_in_other_waves_has_no_arrow(wire: Wire, tmp_path: Path) -> None:
    with al.connect(survey=made(tmp_path / "items")) as opened:
        net = al.Audience("Any", al.Q("many").any("many_4", "many_5"))
        rows = [net, al.Audience("Four", al.Q("many").any("many_4"))]
        grid = al.Crosstab(opened, rows, "waves", base_of="valid").wait(60)
        tests = TableMarks(grid.result).of(np.arange(2), np.arange(2))
        assert [tests.reasons[at] for at in tests.which[0]] == [ITEMS_DIFFER] * 2
        assert any("items differ between waves" in each for each in progress(wire, grid).notes)
        assert not tests.level[0].any()
