"""Arranged tables: rules of the order, measures, and what another query keeps."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import audiencelab as al
from audiencelab.client import Client
from audiencelab.errors import AudienceError
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab import Crosstab
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.metrics import plane
from audiencelab.widgets.crosstab.ordering import item_values, most_different, shown_items
from audiencelab.widgets.crosstab.tiles import Margins
from audiencelab.widgets.crosstab.view_state import Arrangement, AxisView, Filter, Move, SortKey
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.conftest import Make
from tests.widgets.crosstab.grids import AGES, MEN, WOMEN, about, ask, refused, table_state
from tests.widgets.crosstab.test_tiles import read, tile_of
from tests.widgets.gated import TIMEOUT, GatedClient

SHARED = Path(__file__).parents[3] / "js" / "tests" / "crosstab" / "arrangements.json"
"""Cases shared with the tests of the page."""

CASES: list[dict[str, Any]] = json.loads(SHARED.read_text(encoding="utf-8"))

GENDER = [al.Audience(f"Gender {n}", al.Q("q2").any(f"q2_{n}")) for n in (1, 2)]
HEADED = AxisAudiences([*GENDER, *AGES], [("Gender",)] * 2 + [("Age",)] * 6)


def lines_of(case: dict[str, Any]) -> AxisAudiences:
    heads = [tuple(heads) for heads, count in case["runs"] for _ in range(count)]
    nets = [place in case["nets"] for place in range(len(heads))]
    return AxisAudiences((al.Audience(str(place)) for place in range(len(heads))), heads, nets)


@pytest.mark.parametrize("case", CASES)
def test_items_are_arranged_by_the_same_rules_as_on_the_page(case: dict[str, Any]) -> None:
    values = [[math.nan if value is None else value for value in line] for line in case["values"]]
    shown = shown_items(
        lines_of(case),
        AxisView.from_dict(case["plan"]),
        lambda of, _: np.array(values[int(of)], dtype=float),
        "index",
        fold=True,
    )
    assert shown == case["order"]


def test_sorting_uses_the_metric_of_the_cells_unless_a_level_names_one() -> None:
    asked: list[tuple[object, str]] = []

    def measure(of: int | str, metric: str) -> np.ndarray[Any, Any]:
        asked.append((of, metric))
        return np.arange(2.0)

    levels = (SortKey(3), SortKey(3, metric="size"), SortKey("sample"))
    assert shown_items(AxisAudiences(GENDER), AxisView(sort=levels), measure, "z", fold=False) == [
        1,
        0,
    ]
    assert asked == [(3, "z"), (3, "size"), ("own", "sample")]


# -- numbers of lines ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def result(small_client: Client) -> CrosstabResult:
    return small_client.crosstab(rows=HEADED.to_side(), columns=AGES)


@pytest.mark.parametrize("metric", ["index", "column_percentage", "z", "difference", "sample"])
@pytest.mark.parametrize("side", ["rows", "columns"])
def test_measures_of_items_use_the_whole_table(
    result: CrosstabResult, side: str, metric: str
) -> None:
    margins, table = Margins.of(result), plane(result, metric)
    lines = table if side == "rows" else table.T

    def number(of: int | str) -> np.ndarray[Any, Any]:
        return item_values(result, margins, side, of, metric)

    np.testing.assert_allclose(number(2), lines[:, 2], rtol=1e-12)
    expected = {
        "largest": [np.fmax.reduce(line) for line in lines],
        "smallest": [np.fmin.reduce(line) for line in lines],
        "farthest": [np.fmax.reduce(np.abs(line)) for line in lines],
        "nearest": [np.fmin.reduce(np.abs(line)) for line in lines],
    }
    for of, values in expected.items():
        np.testing.assert_array_equal(number(of), values)


def test_an_item_has_its_own_size_and_sample(result: CrosstabResult) -> None:
    margins = Margins.of(result)
    own = item_values(result, margins, "columns", "own", "sample")
    np.testing.assert_array_equal(own, result.column_values("column_sample"))
    own = item_values(result, margins, "rows", "own", "size")
    np.testing.assert_array_equal(own, result.row_values("row_size"))


@pytest.mark.parametrize(
    ("of", "metric", "words"),
    [
        (99, "index", "no position 99"),
        (-1, "index", "no position -1"),
        ("largest", "letters", "by 'letters'"),
        ("own", "index", "got 'own'"),
        ("<b>", "index", "must be a position"),
    ],
)
def test_invalid_measures_are_rejected(
    result: CrosstabResult, of: int | str, metric: str, words: str
) -> None:
    with pytest.raises(AudienceError, match=words):
        item_values(result, Margins.of(result), "rows", of, metric)


def test_the_largest_differences_have_the_largest_z(small_client: Client) -> None:
    rows = AxisAudiences(
        [*GENDER, al.Audience("Any", al.Q("q2").any("q2_1"))], nets=[False, False, True]
    )
    result = small_client.crosstab(rows=rows, columns=AGES)
    z = np.nan_to_num(np.abs(plane(result, "z"))[:2])
    best = sorted(np.ndindex(z.shape), key=lambda cell: -z[cell])
    assert most_different(result, rows, AxisAudiences(AGES), 5, 0) == best[:5]
    assert most_different(result, rows, AxisAudiences(AGES), 5, 10_000_000) == []
    # Ages by ages differ by definition.
    ages = small_client.crosstab(rows=AGES, columns=AGES)
    assert most_different(ages, AxisAudiences(AGES), AxisAudiences(AGES), 5, 0) == []


def test_equal_measures_are_requested_once(small_client: Client) -> None:
    everyone = al.Audience("All")
    alone = small_client.crosstab(rows=GENDER, columns=AGES)
    beside = small_client.crosstab(rows=[everyone, *GENDER], columns=[everyone, *AGES])
    sides = (AxisAudiences([everyone, *GENDER]), AxisAudiences([everyone, *AGES]))
    expected = most_different(alone, AxisAudiences(GENDER), AxisAudiences(AGES), 5, 0)
    assert most_different(beside, *sides, 5, 0) == [
        (row + 1, column + 1) for row, column in expected
    ]


def test_a_move_of_an_unknown_item_is_ignored() -> None:
    plan = AxisView(moves=(Move(77, 0), Move(0, 77), Move(1, 0)))
    shown = shown_items(AxisAudiences(GENDER), plan, lambda of, _: np.zeros(2), "index", fold=False)
    assert shown == [1, 0]


# -- what is kept ----------------------------------------------------------------------------------

places = st.integers(0, 7)
plans = st.builds(
    AxisView,
    sort=st.lists(
        st.builds(
            SortKey,
            st.one_of(places, st.sampled_from(["size", "sample"])),
            st.sampled_from(["ascending", "descending"]),
            st.none() | st.just("index"),
        ),
        max_size=3,
    ).map(tuple),
    moves=st.lists(
        st.builds(Move, places, st.none() | places, st.none() | st.integers(0, 2)), max_size=3
    ).map(tuple),
    hidden=st.lists(places, max_size=3, unique=True).map(tuple),
    filters=st.lists(
        st.builds(
            Filter,
            st.one_of(places, st.sampled_from(["own", "any", "every"])),
            st.just("size"),
            st.sampled_from(["least", "most", "beyond"]),
            st.floats(-1e6, 1e6),
        ),
        max_size=2,
    ).map(tuple),
    folded=st.lists(st.sampled_from([("Gender",), ("Age",)]), max_size=2, unique=True).map(tuple),
    widths=st.lists(st.tuples(places, st.integers(40, 400)), max_size=2).map(tuple),
)
arrangements = st.builds(Arrangement, plans, plans, st.none() | st.integers(40, 400))


@given(arrangements)
def test_an_arrangement_round_trips_through_json(arrangement: Arrangement) -> None:
    told = json.loads(json.dumps(arrangement.to_dict()))
    assert Arrangement.from_dict(told) == arrangement
    assert bool(told) == bool(arrangement)


@given(arrangements)
def test_valid_parts_of_an_arrangement_are_kept_and_the_rest_is_dropped(
    arrangement: Arrangement,
) -> None:
    assert arrangement.fitting(HEADED, HEADED) == arrangement
    nothing = arrangement.fitting(AxisAudiences(), AxisAudiences())
    assert not nothing.rows.hidden + nothing.rows.moves + nothing.rows.widths + nothing.rows.folded
    assert all(isinstance(level.by, str) for level in nothing.columns.sort)


@given(arrangements, st.permutations(range(8)))
def test_items_of_another_table_stay_arranged_if_it_has_them(
    arrangement: Arrangement, order: list[int]
) -> None:
    turned = HEADED.take(order)
    there = arrangement.carried((HEADED, HEADED), (turned, turned))
    assert [order[place] for place in there.rows.hidden] == list(arrangement.rows.hidden)
    assert there.carried((turned, turned), (HEADED, HEADED)) == arrangement


def test_settings_of_removed_items_are_dropped() -> None:
    plan = AxisView(
        (SortKey(0), SortKey(3)), (Move(1, 2), Move(2, None)), (0, 1), (), (("Gender",),)
    )
    arrangement = Arrangement(plan, plan)
    fewer = HEADED.take([2, 3, 1])
    kept = arrangement.carried((HEADED, HEADED), (fewer, fewer)).rows
    assert kept == AxisView((SortKey(1),), (Move(2, 0), Move(0, None)), (2,), (), (("Gender",),))
    ages = HEADED.take([2, 3])
    assert arrangement.carried((HEADED, HEADED), (ages, ages)).columns.folded == ()


@pytest.mark.parametrize(
    "told",
    [
        None,
        [],
        {"rows": 3, "names": "wide"},
        {"rows": {"sort": [{"by": -1, "direction": "descending"}, {"by": 0, "direction": "up"}]}},
        {"rows": {"moves": [{"line": True, "before": 1}, [1, 2]], "hidden": ["a", None, -1]}},
        {"columns": {"filters": [{"of": "some", "metric": "index", "bound": "least", "value": 1}]}},
        {"columns": {"filters": [{"of": 0, "metric": "z", "bound": "around", "value": 1}]}},
        {"columns": {"filters": [{"of": 0, "metric": "z", "bound": "most", "value": True}]}},
        {"columns": {"widths": [[1], [1, "x"], 5], "folded": ["Gender", []]}},
    ],
)
def test_invalid_arrangements_are_dropped(told: object) -> None:
    assert Arrangement.from_dict(told) == Arrangement()


def arrange(wire: Wire, grid: Crosstab, **sides: object) -> None:
    """The page arranges the table that is shown."""
    wire.set_state(grid, _arrangement=about(wire, grid, **sides))


def test_the_page_gets_groups_and_nets_only_if_there_are_any(wire: Wire, make: Make) -> None:
    plain = make(AGES, [WOMEN])
    assert table_state(wire, plain).banners is False
    grid = make(
        {"Age": {"Young": AGES[:2], "Old": AGES[2:]}},
        AxisAudiences([WOMEN, MEN], nets=[False, True]),
    )
    assert table_state(wire, grid).banners is True
    assert ask(wire, grid, "banners").content["data"] == {
        "rows": {"runs": [[["Age", "Young"], 2], [["Age", "Old"], 4]], "nets": []},
        "columns": {"runs": [[[], 2]], "nets": [1]},
    }


def test_a_sort_key_without_a_direction_has_the_default_one() -> None:
    assert Arrangement.from_dict({"rows": {"sort": [{"by": 0}]}}).rows.sort == (SortKey(0),)


def test_a_measure_is_a_column_of_numbers(wire: Wire, make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN]).wait(TIMEOUT)
    message = ask(wire, grid, "measure", side="rows", of=1, metric="index")
    tile = tile_of(message)
    np.testing.assert_array_equal(read(tile, "measure")[:, 0], grid.result.values("index")[:, 1])


def test_before_the_first_cell_there_are_items_without_values(
    wire: Wire, make: Make, small_client: Client
) -> None:
    grid = make(AGES, [WOMEN, MEN], client=GatedClient(small_client))
    for side, lines in (("rows", len(AGES)), ("columns", 2)):
        message = ask(wire, grid, "measure", side=side, of=1, metric="index")
        header = message.content["data"]
        assert (header["rows"], header["columns"], header["complete"]) == (lines, 1, False)
        assert not message.buffers[0]
    assert ask(wire, grid, "apart").content["data"] == {"cells": []}


def test_the_largest_differences_have_their_values(wire: Wire, make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN]).wait(TIMEOUT)
    first, *others = ask(wire, grid, "apart").content["data"]["cells"]
    row, column = first["row"], first["column"]
    assert first["names"] == [AGES[row].name, ("Women", "Men")[column]]
    assert first["index"] == grid.result.values("index")[row, column]
    assert all(abs(other["z"]) <= abs(first["z"]) for other in others)


def test_python_reads_the_arrangement_of_the_page(wire: Wire, make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN])
    assert not grid.arrangement
    arrange(wire, grid, rows={"sort": [{"by": 1, "direction": "descending"}], "hidden": [2]})
    assert grid.arrangement == Arrangement(AxisView(sort=(SortKey(1),), hidden=(2,)))
    wide = grid.to_wide()
    seen = wide.drop(index="Age 3").sort_values("Men", ascending=False, kind="stable")
    pd.testing.assert_frame_equal(grid.to_wide(arranged=True), seen)
    assert list(grid.to_wide().index) == [age.name for age in AGES]


def test_python_has_the_order_that_the_page_shows(wire: Wire, make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN])
    hidden = {**about(wire, grid), "rows": {"hidden": [0]}}
    # No rule of Python gives this order: the page may have rules that Python does not know.
    shown = {"arrangement": hidden, "metric": grid.metric, "transposed": False, "rows": [4, 1, 3]}
    arrange(wire, grid, rows={"hidden": [0]})
    assert grid.shown_positions() == ([1, 2, 3, 4, 5], [0, 1])
    wire.set_state(grid, _shown_items={**shown, "columns": [0, 1]})
    assert grid.shown_positions() == ([4, 1, 3], [0, 1])
    assert list(grid.to_wide(arranged=True).index) == ["Age 5", "Age 2", "Age 4"]
    assert list(grid.to_wide().index) == [age.name for age in AGES]

    # Until the page has followed, what Python asks for is arranged here.
    for change, back in (
        ({"arrangement": {"rows": {"hidden": [0, 1]}}}, {"arrangement": {"rows": {"hidden": [0]}}}),
        ({"metric": "size"}, {"metric": "column_percentage"}),
        ({"transposed": True}, {"transposed": False}),
    ):
        for name, value in change.items():
            setattr(grid, name, value)
        assert grid.shown_positions()[0][:2] in ([1, 2], [2, 3])
        for name, value in back.items():
            setattr(grid, name, value)
        assert grid.shown_positions() == ([4, 1, 3], [0, 1])
    grid.restart()
    assert grid.shown_positions()[0] == [1, 2, 3, 4, 5]


def test_the_arranged_frame_is_transposed_and_collapsed_like_the_table(make: Make) -> None:
    grid = make({"Young": AGES[:2], "Old": AGES[2:]}, [WOMEN, MEN], metrics=["index", "size"])
    grid.arrangement = Arrangement(
        AxisView(folded=(("Old",),)), AxisView(sort=(SortKey(0, metric="size"),), hidden=(0,))
    )
    assert list(grid.to_wide(arranged=True).index) == [("Young", "Age 1"), ("Young", "Age 2")]
    assert list(grid.to_wide(arranged=True).columns) == [("Men", "index"), ("Men", "size")]
    kept = grid.arrangement.to_dict()
    grid.arrangement = {}
    assert grid.to_wide(arranged=True).shape == (6, 4)
    grid.arrangement = kept
    grid.transposed = True
    turned = grid.to_wide("sample", arranged=True)
    assert (list(turned.index), turned.shape) == (["Men"], (1, 6))


def test_with_letters_items_are_sorted_by_column_percentages(make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN])
    grid.metric = "letters"
    grid.arrangement = Arrangement(AxisView(sort=(SortKey(0),)))
    shares = grid.result.values("column_percentage")[:, 0]
    assert grid.shown_positions()[0] == np.argsort(-shares, kind="stable").tolist()


def test_items_are_filtered_by_any_of_their_cells(make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN])
    index = grid.result.values("index")
    grid.arrangement = Arrangement(AxisView(filters=(Filter("any", "index", "least", 105),)))
    assert grid.shown_positions()[0] == np.flatnonzero((index >= 105).any(axis=1)).tolist()


def test_items_are_filtered_by_the_extreme_of_their_cells(make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN])
    away = np.abs(grid.to_wide("difference").to_numpy())
    least = float(np.median(away))
    for of, far in (("any", (away >= least).any(axis=1)), ("every", (away >= least).all(axis=1))):
        grid.arrangement = Arrangement(
            AxisView(filters=(Filter(of, "difference", "beyond", least),))
        )
        assert grid.shown_positions()[0] == np.flatnonzero(far).tolist()


def test_another_query_keeps_the_arrangement_of_common_items(wire: Wire, make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN])
    arrange(wire, grid, rows={"hidden": [1, 5], "sort": [{"by": 1, "direction": "ascending"}]})
    grid.rows = [AGES[5], AGES[0]]
    assert grid.arrangement.rows == AxisView(sort=(SortKey(1, "ascending"),), hidden=(0,))
    grid.columns = [WOMEN]
    assert grid.arrangement.rows == AxisView(hidden=(0,))
    assert wire.state(grid)["_arrangement"]["generation"] == table_state(wire, grid).generation


def test_an_arrangement_of_a_replaced_table_is_ignored(wire: Wire, make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN])
    old = table_state(wire, grid).generation
    grid.rows = AGES[:3]
    wire.set_state(grid, _arrangement={"generation": old, "rows": {"hidden": [1]}})
    assert not grid.arrangement
    arrange(wire, grid, rows={"hidden": [1, 77], "sort": "nonsense"})
    assert grid.arrangement.rows == AxisView(hidden=(1,))


def test_differences_are_adjusted_for_the_questions_that_are_chosen(
    wire: Wire, make: Make, small_client: Client
) -> None:
    grid = make(small_client["Interests"], [WOMEN, *AGES[:2]]).wait(TIMEOUT)
    choices = ask(wire, grid, "adjustable").content["data"]["questions"]
    assert {"code": "q4", "name": "Age"} in choices
    assert "Interests" not in [each["name"] for each in choices]
    before = {tuple(each["names"]) for each in ask(wire, grid, "apart").content["data"]["cells"]}
    found = ask(wire, grid, "adjusted", questions=["q4"]).content["data"]
    assert "composition by Age" in found["note"]
    # Columns of an age have nobody of the other ages: they are not adjusted.
    assert "Age 1 (" in found["note"]
    first = found["cells"][0]
    assert {each["names"][1] for each in found["cells"]} == {"Women"}
    assert before != {tuple(each["names"]) for each in found["cells"]}
    profile = small_client.profile(WOMEN, "Interests", adjust="Age", waves=grid.waves)
    line = profile.to_frame().iloc[first["row"]]
    assert line["datapoint_label"] == first["names"][0]
    assert first["index"] == pytest.approx(float(line["adjusted_index"]))
    assert first["difference"] == pytest.approx(float(line["adjusted_difference"]))
    assert "several answers" in refused(wire, grid, "adjusted", questions=["q21"])
