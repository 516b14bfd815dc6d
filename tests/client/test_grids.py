"""A grid is one object: items and the points of their scale, on every surface, as pandas counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.client.errors import UnknownCodeError
from tests.messages import fails

POINTS = ("Strongly agree", "Agree", "Neither agree nor disagree", "Disagree", "Strongly disagree")
OFF = "Don't know"
ITEMS = {"q4_1": "Service: Speed", "q4_2": "Service: Price", "q4_3": "Service: Staff"}


def answers() -> pd.DataFrame:
    """Respondents of a routed grid, with answers off its scale, several answers and a weight."""
    random = np.random.default_rng(7)
    count = 400
    codes = np.array([1, 2, 3, 4, 5, 8])
    frame = pd.DataFrame(
        {
            "sex": random.choice(["Woman", "Man"], count),
            **{
                code: random.choice(codes, count, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1])
                for code in ITEMS
            },
            "q1_1": random.integers(0, 2, count),
            "q1_2": random.integers(0, 2, count),
            "wt": random.integers(1, 5, count) / 2,
        }
    )
    frame["q4_3"] = frame["q4_3"].where(random.random(count) < 0.6)
    return frame


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Client]:
    folder: Path = tmp_path_factory.mktemp("grids")
    answers().to_csv(folder / "answers.csv", index=False)
    names = dict(zip("123458", (*POINTS, OFF), strict=True))
    lines = ["variable,value,label", *(f'{code},,"{name}"' for code, name in ITEMS.items())]
    lines += [f'{code},{value},"{name}"' for code in ITEMS for value, name in names.items()]
    lines += ['q1_1,,"Brands: Alba"', 'q1_2,,"Brands: Brio"']
    (folder / "labels.csv").write_text("\n".join(lines) + "\n")
    with al.open(folder / "answers.csv", labels=folder / "labels.csv", weight="wt") as opened:
        yield opened


def by_hand(code: str, group: str | None = None) -> list[float]:
    """Weighted shares of the points of an item, of those with an answer."""
    frame = answers()
    frame = frame if group is None else frame[frame["sex"] == group]
    frame = frame[frame[code].notna()]
    weights = frame.groupby(code)["wt"].sum()
    return [100 * weights.get(value, 0.0) / frame["wt"].sum() for value in (1, 2, 3, 4, 5, 8)]


def test_a_grid_in_rows_is_its_items_and_points_as_pandas_counts_them(client: al.Client) -> None:
    assert client["q4"].record.kind == "grid"
    table = client.crosstab("q4", "sex")
    assert table.shape == (18, 2)
    assert [groups[-1] for groups in table.row_groups[::6]] == ["Speed", "Price", "Staff"]
    assert [row.name for row in table.rows[:6]] == [*POINTS, OFF]
    shares = table.values("column_percentage")
    for at, code in enumerate(ITEMS):
        for column, audience in enumerate(table.columns):
            found = shares[6 * at : 6 * at + 6, column]
            assert found == pytest.approx(by_hand(code, audience.name))
            assert found.sum() == pytest.approx(100)


def test_a_grid_in_columns_has_a_group_for_each_item(client: al.Client) -> None:
    table = client.crosstab("sex", ["q4", {"Of their own": "q4"}])
    assert table.shape == (2, 36)
    assert table.column_groups[0][-1] == "Speed"
    assert table.column_groups[18] == ("Of their own", "Speed")


def test_a_nest_has_items_within_its_groups(client: al.Client) -> None:
    nested = client.crosstab(columns=al.nest("sex", "q4"))
    assert nested.column_groups[0] == ("Woman", "Speed") or nested.column_groups[0] == (
        "Man",
        "Speed",
    )
    assert nested.shape == (1, 36)
    assert len(al.combine(client["sex"].audiences(), client["q4"].audiences())) == 36


def test_statistics_of_a_grid_are_a_segment_for_each_item(client: al.Client) -> None:
    result = client.frequencies("q4")
    frame = result.to_frame()
    assert len(frame) == 18
    first = frame[frame["segment"] == "q4_1"]
    assert first["datapoint_label"].tolist() == [*POINTS, OFF]
    assert first["column_percentage"].tolist() == pytest.approx(by_hand("q4_1"))
    grid = client.grid("q4").to_frame()["column_percentage"]
    assert frame["column_percentage"].tolist() == pytest.approx(grid.tolist())
    boxes = result.boxes(2, 0).to_frame()
    top = boxes[boxes["datapoint_label"].str.startswith("Top 2")]["column_percentage"]
    assert top.tolist() == pytest.approx([sum(by_hand(code)[:2]) for code in ITEMS])


def test_statistics_of_a_grid_take_no_splitter_without_points(client: al.Client) -> None:
    with fails(ValueError):
        client.stats("q4", splitter="sex")
    assert len(client.stats("q4", splitter="sex", suffixes=[POINTS[0]])) == 6


def test_the_name_of_a_column_is_its_item(client: al.Client) -> None:
    item = client["q4_2"]
    assert (item.name, [each.name for each in item.datapoints]) == ("Price", [*POINTS, OFF])
    assert client["Q4_2"].code == "q4_2"
    assert (item == POINTS[0]) == client["q4"].any("q4_2", scale=POINTS[0])
    table = client.crosstab("q4_2", "sex")
    assert [row.name for row in table.rows] == [*POINTS, OFF]
    [shares] = client.crosstab("q4_2").values("column_percentage").T
    assert shares == pytest.approx(by_hand("q4_2"))
    assert item.between(1, 2) == item.any(*POINTS[:2])
    assert item.top_box(2) == client["q4"].top_box(2, "q4_2")
    assert item.mean() == client["q4"].mean("q4_2")
    assert client.stats("q4_2").to_frame()["column_percentage"].tolist() == pytest.approx(
        by_hand("q4_2")
    )
    by_sex = client.stats("q4_2", splitter="sex").to_wide()
    assert by_sex["Woman"].tolist() == pytest.approx(by_hand("q4_2", "Woman"))
    assert client.size(base_audience="q4_3").sample == answers()["q4_3"].notna().sum()


def test_the_name_of_a_column_of_several_answers_is_that_answer(client: al.Client) -> None:
    assert client["q1"].record.kind == "multiple"
    assert client["q1_2"].any() == client["q1"]["q1_2"]
    table = client.crosstab(["q1_2"], "sex")
    assert [
        (groups, row.name) for groups, row in zip(table.row_groups, table.rows, strict=True)
    ] == [((client["q1"].name,), client["q1"].datapoints[1].name)]
    assert client.stats("q1_2").datapoints == ("q1_2",)


def test_a_near_code_names_the_item(client: al.Client) -> None:
    with fails(UnknownCodeError):
        client["q4_33"]
    with fails(UnknownCodeError):
        client["Price"]


def test_any_point_of_an_item_is_said(client: al.Client) -> None:
    any_point = client["q4"].any("q4_1")
    assert any_point.describe(client.catalogue).endswith("Speed (any point of the scale)")
    [row] = client.crosstab([any_point], "sex").rows
    assert row.name.endswith("(any point of the scale)")
    labels = client.profile(client["sex"] == "Woman", "q4").to_frame()["datapoint_label"]
    assert labels.tolist() == [
        f"{each} (any point of the scale)" for each in ("Speed", "Price", "Staff")
    ]
    own = client.profile(client["sex"] == "Woman", "q4_1").to_frame()
    assert own["datapoint_label"].tolist() == [*POINTS, OFF]


def test_a_tab_book_has_the_same_rows(client: al.Client) -> None:
    book = client.tab_book("sex", ["q4", "q4_1"])
    table = client.crosstab("q4", "sex")
    assert book["q4"].values("column_percentage") == pytest.approx(
        table.values("column_percentage")
    )
    assert [row.name for row in book["q4_1"].rows] == [*POINTS, OFF]
