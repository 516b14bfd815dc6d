"""Grids in the crosstab widget and the workbench: points of each item, top two, or means."""

from __future__ import annotations

import pytest

import audiencelab as al
from audiencelab.widgets.crosstab.axis_edits import QuestionError
from tests.messages import fails

TRUST = "Trust in sources"


@pytest.fixture(scope="module")
def client() -> al.Client:
    return al.connect(survey=al.demo_survey(1000))


@pytest.fixture
def workbench(client: al.Client) -> al.Workbench:
    made = al.Workbench(client, "Gender", "Age")
    made.picker.value = [al.Q("media.m21").any("m21_1", "m21_2")]
    return made


def test_a_picked_grid_is_a_group_of_points_for_each_item(workbench: al.Workbench) -> None:
    assert workbench.add_picked("rows") == 10
    rows = workbench.grid.rows
    assert rows.groups[-1] == (TRUST, "Commercial television")
    assert rows[-5].name == "Trust completely"
    assert rows[-1].expression.suffixes == ("5",)


def test_a_picked_grid_may_be_its_top_two_or_means(workbench: al.Workbench) -> None:
    assert workbench.add_picked("columns", grids="top_box") == 2
    assert workbench.grid.columns[-1].name.startswith("Commercial television: top 2 (")
    assert workbench.add_picked("rows", grids="mean") == 2
    assert [each.item for each in workbench.grid.statistics] == ["m21_1", "m21_2"]
    with fails(QuestionError):
        workbench.add_picked("columns", grids="mean")


def test_picked_points_count_together(workbench: al.Workbench) -> None:
    workbench.picker.value = [al.Q("media.m21", suffixes=[1, 2]).any("m21_1")]
    assert workbench.add_picked("rows") == 1
    assert workbench.grid.rows[-1].name == "Public broadcasters (Trust completely, Trust mostly)"


def test_any_point_is_an_explicit_choice_that_is_named(client: al.Client) -> None:
    table = al.Crosstab(client, "Gender")
    table.rows.add(client[TRUST].any("m21_1"))
    assert table.rows[-1].name == "Public broadcasters (any point of the scale)"
    table.rows.add(TRUST, how="or")
    assert table.rows[-1].name == f"{TRUST} is any answer"


def test_named_grids_and_items_are_distributions(client: al.Client) -> None:
    table = al.Crosstab(client, TRUST)
    assert len(table.rows) == 50
    table.columns.add("media.m21_1")
    assert [each.name for each in table.columns][:1] == ["Trust completely"]
    table.columns.add(client[TRUST], grids="top_box")
    assert len(table.columns) == 15


def test_nests_under_a_grid_have_names_of_their_own(client: al.Client) -> None:
    table = al.Crosstab(client, "Gender")
    table.rows.nest("media.m21_1")
    assert table.rows.groups[0][0] == "Trust completely"
    table = al.Crosstab(client, "Gender")
    table.rows.nest(TRUST)
    assert table.rows.groups[0][0] == f"{TRUST} › Public broadcasters › Trust completely"


def test_code_names_the_grid_and_its_items(client: al.Client) -> None:
    whole = al.Crosstab(client, TRUST, "Gender").to_code()
    assert f'rows=["{TRUST}"]'.replace('"', "'") in whole
    item = al.Crosstab(client, "media.m21_1").to_code()
    assert "rows=['media.m21_1']" in item
    part = al.Crosstab(client, client["media.m21_1"].audiences("1", "2")).to_code()
    assert "client['media.m21_1'].audiences(" in part
    mixed = al.Crosstab(client, [TRUST, "Age"]).to_code()
    for code in (whole, item, part, mixed):
        found: dict[str, object] = {"client": client, "al": al}
        exec(code, found)
        assert found["table"].shape[0] in (50, 5, 2, 57)
