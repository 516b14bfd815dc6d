"""One question in several forms: distribution, top two, mean, median, bins; each against pandas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.widgets.crosstab.axis_edits import QuestionError
from audiencelab.widgets.crosstab.short_names import short_names
from tests.agency import Agency
from tests.messages import fails
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.grids import about, table_state

GRID, ITEM = "f31", "f31_2"
SCALE = dict(enumerate(["Agree fully", "Agree", "Neither", "Disagree", "Disagree fully"], 1))
"""1 is full agreement: the codes are turned round."""


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return Agency().frame()


@pytest.fixture
def grid(agency: al.Client) -> Iterator[al.Crosstab]:
    made = al.Crosstab(agency, ["altersgruppe", GRID, "ausgaben"], "geschlecht")
    yield made
    made.close()


def written(client: al.Client, grid: al.Crosstab) -> Any:
    """The table of the code of a grid."""
    space: dict[str, Any] = {"client": client, "al": al}
    exec(grid.to_code(), space)
    return space["table"]


def means(frame: pd.DataFrame, column: str) -> list[float]:
    """Weighted means of women, men and others, of those who gave an amount."""
    known = frame[frame[column].notna()]
    return [
        float(np.average(of[column], weights=of["weight"])) for _, of in known.groupby("geschlecht")
    ]


def test_a_grid_keeps_position_order_and_nets_in_every_form(
    agency: al.Client, frame: pd.DataFrame, grid: al.Crosstab
) -> None:
    rows = grid.rows
    heads = list(dict.fromkeys(each[0] for each in rows.groups))
    first = next(at for at, each in enumerate(rows.groups) if each[0] == heads[1])
    grid.rows.net([first, first + 1], "Unzufrieden")
    whole = list(grid.rows), grid.rows.groups
    grid.rows.show_as(GRID, "top_box")
    assert list(dict.fromkeys(each[0] for each in grid.rows.groups)) == heads
    assert len(grid.to_code().splitlines()) == 8
    top = grid.wait().result.values("column_percentage")[6 + 1]
    asked = frame[frame[ITEM].notna()]
    for found, (_, of) in zip(top, asked.groupby("geschlecht"), strict=True):
        expected = 100 * np.average(of[ITEM] >= 4, weights=of["weight"])
        assert found == pytest.approx(expected, abs=1e-9)
    grid.rows.show_as(GRID, "mean")
    statistics = grid.wait().result.statistics
    assert statistics is not None
    assert grid.statistics.before == (6,) * 10
    np.testing.assert_allclose(statistics.values("value")[1], means(frame, ITEM), atol=1e-9)
    assert statistics.base("answered_sample")[1] == len(asked)
    again = written(agency, grid).statistics
    np.testing.assert_array_equal(again.figures, statistics.figures)
    assert again.after == statistics.after
    assert again.groups == statistics.groups
    grid.rows.show_as(GRID)
    assert (list(grid.rows), grid.rows.groups) == whole
    for _ in range(3):
        grid.undo()
    assert (list(grid.rows), grid.rows.groups) == whole


def test_numbers_are_bins_means_or_medians_of_those_who_gave_one(
    agency: al.Client, frame: pd.DataFrame, grid: al.Crosstab
) -> None:
    spent = frame[frame["ausgaben"].notna()].sort_values("ausgaben")
    grid.rows.show_as("ausgaben", "median")
    statistics = grid.wait().result.statistics
    assert statistics is not None
    half = spent["weight"].cumsum() >= spent["weight"].sum() / 2
    assert statistics.base("value")[0] == pytest.approx(spent["ausgaben"][half].iloc[0], abs=0.01)
    assert statistics.base("answered_sample")[0] == len(spent)
    grid.rows.show_as("ausgaben", bins=[10, 20.5])
    names = [each.name for each in grid.rows[-3:]]
    assert names == ["Under 10", "10 to under 20.5", "20.5 and over"]
    share = grid.wait().result.row_values("row_base_percentage")[-3:]
    for found, (low, high) in zip(share, [(0, 10), (10, 20.5), (20.5, np.inf)], strict=True):
        within = (spent["ausgaben"] >= low) & (spent["ausgaben"] < high)
        assert found == pytest.approx(100 * np.average(within, weights=spent["weight"]), abs=1e-9)
    assert ".bins([10,20.5,])" in "".join(grid.to_code().split())
    assert written(agency, grid).shape == grid.result.shape
    grid.rows.show_as("ausgaben", "mean")
    grid.rows.show_as("ausgaben")
    assert [each.name for each in grid.rows[-3:]] == names


def test_the_page_shows_a_form_by_one_edit(wire: Wire, grid: al.Crosstab) -> None:
    forms = wire.request(grid, "forms", about(wire, grid)).content["data"]["questions"]
    assert [(each["question"], each["form"]) for each in forms] == [
        ("altersgruppe", "distribution"),
        (GRID, "distribution"),
        ("ausgaben", "distribution"),
    ]
    assert forms[1]["forms"] == ["distribution", "top_box", "mean"]
    assert forms[2]["edges"] == [7.5, 15, 20, 30]
    wire.request(grid, "edit", {"do": "show_as", "axis": "rows", "question": GRID, "form": "mean"})
    grid.wait()
    [*_, last] = wire.request(grid, "statistics", about(wire, grid)).content["data"]["lines"]
    statistics = grid.result.statistics
    assert statistics is not None
    assert last["samples"] == [
        statistics.base("answered_sample")[9],
        *statistics.values("answered_sample")[9],
    ]
    [placed, *_] = table_state(wire, grid).statistics
    assert (placed.before, placed.groups) == (6, [grid.statistics.groups[0][0]])
    assert "mean" in placed.name
    assert "mean" not in placed.short


def test_documents_keep_means_where_they_are(
    agency: al.Client, grid: al.Crosstab, tmp_path: Path
) -> None:
    grid.rows.show_as("altersgruppe", "mean")
    with closing(al.Workbench(agency, columns="geschlecht")) as workbench:
        workbench.grid.ask(rows=grid.rows, statistics=grid.statistics)
        path = workbench.save(tmp_path / "forms.json")
        with closing(al.Workbench.load(agency, path)) as opened:
            assert opened.grid.value == workbench.grid.value
        document = json.loads(path.read_text())
    del document["question"]["statistic_positions"]
    path.write_text(json.dumps(document))
    with closing(al.Workbench.load(agency, path)) as opened:
        assert opened.grid.statistics.before == (len(grid.rows),)


def test_statistics_follow_the_rows_beside_them(grid: al.Crosstab) -> None:
    grid.rows.add_mean("altersgruppe")
    assert grid.statistics.before == (6,)
    grid.rows.rename(5, "65 plus")
    grid.rows.remove([0, 1])
    assert grid.statistics.before == (4,)
    grid.rows.remove(range(4))
    assert grid.statistics.before == (0,)
    grid.undo()
    assert grid.statistics.before == (4,)


def test_a_grid_that_is_added_again_is_there_once(wire: Wire, grid: al.Crosstab) -> None:
    add = {"do": "add", "axis": "rows", "how": "split", "saved": []}
    picked = [{"question": GRID, "datapoints": [], "suffixes": []}]
    for form in ("mean", "top_box"):
        wire.request(grid, "edit", {**add, "picked": picked, "grids": form})
        forms = {each.question.code: each for each in grid.blocks()}
        assert forms[GRID].form == form
        assert len(forms[GRID].audiences) + len(forms[GRID].statistics) == 10
    grid.rows.show_as(GRID, "mean")
    group = grid.statistics.groups[0][0]
    assert grid._question.statistics == [group]
    wire.request(grid, "edit", {"do": "remove_statistic", "name": group})
    assert GRID not in {each.question.code for each in grid.blocks()}


def test_a_scale_from_0_to_10_has_a_net_promoter_score(
    agency: al.Client, frame: pd.DataFrame
) -> None:
    [question] = [each for each in agency.catalogue if each.code.startswith("nps")][:1]
    with closing(al.Crosstab(agency, question)) as grid:
        grid.rows.show_as(question, "nps")
        statistics = grid.wait().result.statistics
        assert statistics is not None
        known = frame[frame[question.code].notna()]
        points, weights = known[question.code], known["weight"]
        score = np.average(points >= 9, weights=weights) - np.average(points <= 6, weights=weights)
        assert statistics.base("value")[0] == pytest.approx(100 * score, abs=1e-9)
        assert ".nps()" in grid.to_code()


def test_what_has_no_such_form_is_refused(agency: al.Client, grid: al.Crosstab) -> None:
    with fails(QuestionError):
        grid.rows.show_as("geschlecht", "mean")
    with fails(QuestionError):
        grid.columns.show_as(GRID, "mean")
    with fails(QuestionError):
        grid.rows.show_as("alter", "mean", bins=[18, 35])
    grid.columns.show_as(GRID, "top_box")
    assert len(grid.columns) == 3 + 10
    grid.rows.show_as("alter", "mean")
    assert grid.statistics.before == (len(grid.rows),)


def test_reversed_codes_are_turned_by_the_survey(tmp_path: Path) -> None:
    points = np.random.default_rng(5).integers(1, 6, (200, 2))
    frame: Any = pd.DataFrame(points, columns=["v_1", "v_2"])
    path = tmp_path / "views.sav"
    labels: Any = {"v_1": "Views: The price is fair", "v_2": "Views: The taste is good"}
    values: Any = {"v_1": SCALE, "v_2": SCALE}
    pyreadstat.write_sav(frame, str(path), column_labels=labels, variable_value_labels=values)
    with al.open(path, quiet=True) as client, closing(al.Crosstab(client, "v")) as grid:
        grid.rows.show_as("v", "top_box")
        found = grid.wait().result.row_values("row_base_percentage")
        np.testing.assert_allclose(found, 100 * (points <= 2).mean(axis=0))
        grid.rows.show_as("v", "mean")
        statistics = grid.wait().result.statistics
        assert statistics is not None
        np.testing.assert_allclose(statistics.base("value"), points.mean(axis=0))
        # The name says what the numbers run from and to.
        assert grid.statistics[0].name.endswith(": mean (1 Agree fully … 5 Disagree fully)")


def test_common_words_of_a_group_are_left_out() -> None:
    tops = [f"{item}: top 2 (agree, agree fully)" for item in ("Price", "Taste")]
    assert short_names(tops, [("Views",)] * 2) == ["Price", "Taste"]
    assert short_names(tops, [(), ()]) == tops
    brand = ["Die Marke ist sympathisch", "Die Marke ist modern"]
    assert short_names(brand, [("Image",)] * 2) == ["… sympathisch", "… modern"]
    assert short_names(["Yes", "Yes: no"], [("A",)] * 2) == ["Yes", "Yes: no"]


def test_code_has_the_options_of_its_client_and_what_a_table_shows() -> None:
    own = al.connect().filter(al.Q("q2").any("q2_2")).with_options(weight=None, waves="2025")
    grid = al.Crosstab(own, "Pets", "Age", metrics=["row_percentage", "index"], hide_under=30)
    grid.significance = "letters"
    code = grid.to_code()
    assert code.endswith(
        "table.to_wide(['row_percentage', 'index'], hide_under=30)\ntable.test(levels=0.95)"
    )
    pd.testing.assert_frame_equal(
        written(al.connect(), grid).to_frame(), grid.wait().result.to_frame()
    )
