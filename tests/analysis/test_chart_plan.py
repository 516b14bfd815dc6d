"""Which chart suits which result: kinds, panels, and the ends of stacks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import audiencelab as al
from audiencelab.analysis.chart_plan import MAX_SERIES, chart_plan, short_names


@pytest.fixture(scope="module")
def client() -> Iterator[al.Client]:
    with al.connect() as opened:
        yield opened


OPINION, GRID = "Feelings about AI", "Trust in sources"


@pytest.mark.parametrize(
    ("rows", "columns", "kind", "panels"),
    [
        ("Pets", None, "bar", 1),
        (None, "Age", "bar", 1),
        ("Pets", "Gender", "dots", 1),
        ("Pets", ["Gender", OPINION], "bar", 8),
        ("Pets", "Age", "bar", 7),
        (OPINION, ["Gender", "Age"], "stack", 1),
        (GRID, "Gender", "stack", 10),
        ("Finding brands", "waves", "line", 1),
        ("Pets", al.nest("Gender", "Age"), "heatmap", 1),
    ],
)
def test_the_shape_of_a_table_decides(
    client: al.Client, rows: object, columns: object, kind: str, panels: int
) -> None:
    plan = chart_plan(client.crosstab(rows, columns))  # type: ignore[arg-type]
    assert (plan.kind, len(plan.panels)) == (kind, panels)


def test_items_over_time_have_a_panel_each(client: al.Client) -> None:
    plan = chart_plan(client.crosstab(GRID, "waves"))
    assert plan.kind == "line"
    assert [len(panel.rows) for panel in plan.panels] == [5] * 10
    assert plan.panels[0].name == "Public broadcasters"
    assert len({panel.columns for panel in plan.panels}) == 1


def test_statistics_are_points_and_lines(client: al.Client) -> None:
    mean = [client["Age"].mean()]
    assert chart_plan(client.crosstab(mean, "Gender")).kind == "points"
    assert chart_plan(client.crosstab(mean, "waves")).kind == "line"


def test_a_stack_adds_up_both_ends_and_diverges_around_a_middle(client: al.Client) -> None:
    plan = chart_plan(client.crosstab(OPINION, "Gender"))
    assert plan.diverging
    assert (plan.low, plan.high) == (("m46_1", "m46_2"), ("m46_4", "m46_5"))
    assert plan.panels[0].columns == (0, 1, 2)


def test_answers_that_are_not_separate_do_not_stack(client: al.Client) -> None:
    either = client[OPINION].any(["Very hopeful", "Rather hopeful"]).named("Hopeful")
    table = client.crosstab([*client.crosstab(OPINION, "Gender").rows, either], "Gender")
    assert chart_plan(table).kind == "dots"


def test_unordered_answers_begin_with_the_largest(client: al.Client) -> None:
    table = client.crosstab("Finding brands", "waves")
    plan = chart_plan(table)
    share = table.row_values("row_base_percentage")
    drawn = list(plan.panels[0].rows)
    assert len(drawn) == MAX_SERIES
    assert min(share[drawn]) >= max(share[[at for at in range(len(share)) if at not in drawn]])
    assert plan.note == "The largest 6 of 20 rows; top=20 draws all."
    assert chart_plan(table, whole=True).rows == {*range(20)}


def test_names_take_the_groups_that_tell_them_apart() -> None:
    groups = [("Age", "Men"), ("Age", "Women")]
    assert short_names(groups, ["16 to 17"] * 2) == ["Men › 16 to 17", "Women › 16 to 17"]
    assert short_names(groups, ["16 to 17", "18 to 24"]) == ["16 to 17", "18 to 24"]


def test_ages_have_an_order_and_genders_have_none(client: al.Client) -> None:
    ages = client.catalogue.audiences("Age")[:3]
    for columns, in_order in ((ages, True), ("Gender", False), (ages[:2], False)):
        [panel] = chart_plan(client.crosstab("Pets", columns), "dots").panels
        assert panel.in_order is in_order
