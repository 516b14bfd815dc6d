"""Edits of a grid's query from Python and from the page, with undo."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.client import Client
from audiencelab.widgets.crosstab.axis_edits import QuestionError
from tests.messages import fails
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.conftest import Make
from tests.widgets.crosstab.grids import (
    AGES,
    MEN,
    WOMEN,
    names,
    summary,
    table_state,
)
from tests.widgets.gated import GatedClient

GENDER = {"question": "q2", "datapoints": ["q2_1", "q2_2"], "suffixes": []}
YOUNG = {"question": "q4", "datapoints": ["q4_1", "q4_2"], "suffixes": []}


# -- from Python -----------------------------------------------------------------------------------


def test_a_picker_s_answers_become_rows(make: Make, small_client: Client) -> None:
    grid = make()
    picker = al.QuestionPicker(small_client, [al.Q("q2").any("q2_1", "q2_2")])
    grid.rows.add(picker)
    assert names(grid.rows) == ["Male", "Female"]
    assert grid.rows.groups == (("Gender",),) * 2
    assert grid.result.row_groups == (("Gender",),) * 2
    grid.columns.add(small_client.catalogue["Age"])
    grid.columns.add(al.QuestionPicker(small_client, WOMEN, mode="audience"))
    assert grid.columns[-1].name == "Women"


def test_items_are_edited_by_name_or_position(make: Make) -> None:
    grid = make([WOMEN, MEN], {"Age": AGES})
    grid.columns.net(["Age 1", "Age 2"], "Young")
    grid.columns.remove([0, "Age › Age 2"])
    assert names(grid.columns) == ["Young", "Age 3", "Age 4", "Age 5", "Age 6"]
    assert grid.columns.nets == (True,) + (False,) * 4
    grid.columns.top_box(1)
    assert names(grid.columns)[-1] == "Top 1 (Age 6)"
    grid.rows.nest("Age")
    assert len(grid.rows) == 2 * len(grid.client.catalogue["Age"].audiences())
    grid.rows.remove(range(len(grid.rows)))
    assert grid.rows == ()
    assert grid.value.rows is None
    with fails(QuestionError):
        grid.columns.remove("Age 1")


def test_items_of_another_grid_keep_groups_and_nets(make: Make) -> None:
    other = make({"Age": AGES[:3]})
    other.rows.net([0, 1], "Young")
    grid = make([WOMEN])
    grid.rows.add(other.rows)
    assert names(grid.rows) == ["Women", "Age 1", "Age 2", "Young", "Age 3"]
    assert grid.rows.groups == ((), *[("Age",)] * 4)
    assert grid.rows.nets == (False, False, False, True, False)
    grid.columns.add(other.rows, how="or", name="Anybody")
    assert names(grid.columns) == ["Anybody"]


def test_an_item_is_renamed(make: Make) -> None:
    grid = make({"Men": AGES[:2], "Women": AGES[:2]})
    grid.rows.rename("Women › Age 1", "Girls")
    grid.rows.rename(0, "Boys")
    assert names(grid.rows) == ["Boys", "Age 2", "Girls", "Age 2"]
    with fails(QuestionError):
        grid.rows.rename("Age 2", "Young")


@pytest.mark.parametrize(
    ("verb", "given", "expected"),
    [
        ("add", ([AGES[5]],), ["Men", "Women", "Girls", "Age 6"]),
        ("add", (AGES[5], AGES[4]), ["Men", "Women", "Girls", "Age 6", "Age 5"]),
        ("net", ([0, 1], "Adults"), ["Men", "Women", "Adults", "Girls"]),
        ("merge", ([1, 0], "Adults"), ["Adults", "Girls"]),
        ("rename", (0, "Gentlemen"), ["Gentlemen", "Women", "Girls"]),
        ("remove", ("Women",), ["Men", "Girls"]),
        ("nest", (AGES[5],), ["Men", "Women", "Girls"]),
    ],
)
def test_rows_and_columns_are_edited_alike(
    verb: str, given: tuple[object, ...], expected: list[str], make: Make
) -> None:
    lines = [MEN, WOMEN, al.Audience("Girls", WOMEN.expression & AGES[0].expression)]
    standing, lying = make(lines, AGES), make(AGES, lines)
    getattr(standing.rows, verb)(*given)
    getattr(lying.columns, verb)(*given)
    assert standing.rows == lying.columns
    assert names(standing.rows) == expected
    assert (names(standing.columns), names(lying.rows)) == (names(AGES), names(AGES))


def test_boxes_are_added_to_rows_and_columns(make: Make) -> None:
    standing, lying = make(AGES, [MEN]), make([MEN], AGES)
    for axis in (standing.rows, lying.columns):
        axis.top_box()
        axis.bottom_box(1, [AGES[0]])
    assert names(standing.rows)[6:] == ["Top 2 (Age 6, Age 5)", "Bottom 1 (Age 1)"]
    assert standing.rows == lying.columns


def test_a_net_is_counted_by_the_service(make: Make, small_client: Client) -> None:
    grid = make([WOMEN], AGES)
    grid.columns.net([0, 1], "Young")
    young = small_client.crosstab(rows=[WOMEN], columns=[al.Q("q4").any("q4_1", "q4_2")])
    place = names(grid.columns).index("Young")
    assert grid.result.values("size")[0, place] == young.values("size")[0, 0]


def test_several_parts_change_in_one_step(make: Make) -> None:
    grid = make([WOMEN], AGES)
    before = grid.value
    grid.ask(rows=[MEN], waves=["q4_2025"], base_audience=WOMEN)
    assert (names(grid.rows), grid.waves) == (["Men"], ("q4_2025",))
    grid.undo()
    assert grid.value == before
    with fails(TypeError):
        grid.ask(wave=["q4_2025"])
    with pytest.raises(TypeError):
        grid.ask(waves=["q4_2025"], rows=[3])
    assert grid.value == before


@pytest.mark.parametrize(
    ("edit", "error"),
    [
        (lambda grid: grid.rows.remove(AGES[0]), QuestionError),
        (lambda grid: grid.rows.net([WOMEN, AGES[0]]), QuestionError),
        (lambda grid: grid.rows.remove([0.5]), TypeError),
        (lambda grid: grid.rows.remove([True]), TypeError),
        (lambda grid: grid.rows.remove(None), TypeError),
        (lambda grid: grid.rows.top_box("2"), TypeError),
        (lambda grid: grid.rows.bottom_box(0.5), TypeError),
        (lambda grid: grid.rows.add(grid), TypeError),
        (lambda grid: grid.rows.rename(0, 5), TypeError),
        (lambda grid: grid.rows.net([0, 1], 5), TypeError),
        (lambda grid: grid.rows.add([WOMEN], groups=5), TypeError),
        (lambda grid: grid.rows.add([WOMEN], groups=[5]), TypeError),
        (lambda grid: grid.rows.add([WOMEN], groups=" "), QuestionError),
        (lambda grid: grid.rows.add([WOMEN], groups=[*"abcdefghi"]), QuestionError),
        (lambda grid: grid.rows.add({"Gender": [WOMEN]}, groups=[*"abcdefgh"]), QuestionError),
    ],
)
def test_an_edit_that_is_not_valid_raises_and_changes_nothing(
    make: Make, edit: Any, error: type[Exception]
) -> None:
    grid = make([WOMEN, MEN], AGES).wait(60)
    before = grid.value
    with pytest.raises(error):
        edit(grid)
    assert grid.value == before
    assert grid.wait(60).result.shape == (2, 6)


def test_one_group_can_be_a_str(make: Make) -> None:
    grid = make([WOMEN], AGES)
    grid.rows.add([MEN], groups="a" * 9)
    assert grid.wait(60).result.row_groups[-1] == ("a" * 9,)


def test_a_position_can_be_a_numpy_integer(make: Make) -> None:
    grid = make([WOMEN, MEN], AGES)
    most = grid.to_wide("size")["Age 1"].to_numpy().argmax()
    assert grid.drill(most, np.int64(0)).row == grid.rows[most]
    grid.rows.rename(most, "Most")
    assert grid.rows[most].name == "Most"
    grid.rows.remove(np.arange(2))
    assert grid.rows == ()


def test_rows_are_set_observed_and_given_to_another_grid(make: Make) -> None:
    grid, other = make([WOMEN]), make()
    seen: list[Any] = []
    grid.observe(lambda change: seen.append(change["new"]), "rows")
    grid.rows.add("Age")
    grid.rows = [*grid.rows[:2], MEN]
    assert (grid.rows[0], grid.rows[-1]) == (WOMEN, MEN)
    assert [len(rows) for rows in seen] == [1 + len(grid.client.catalogue["Age"].datapoints), 3]
    other.rows = grid.rows
    other.rows.remove("Men")
    assert (len(other.rows), len(grid.rows)) == (2, 3)
    assert pickle.loads(pickle.dumps(grid.rows)) == grid.rows
    grid.rows = None
    assert (list(grid.rows), grid.value.rows) == ([], None)
    grid.rows.add(WOMEN)
    assert grid.rows == (WOMEN,)


# -- steps -----------------------------------------------------------------------------------------


def test_every_change_is_a_step_that_can_be_undone(wire: Wire, make: Make) -> None:
    grid = make([WOMEN], AGES)
    questions = [grid.value]
    for change in (
        lambda: grid.rows.add([MEN]),
        lambda: setattr(grid, "base_audience", WOMEN),
        lambda: setattr(grid, "waves", ["q4_2025"]),
        lambda: setattr(grid, "bases", [WOMEN, MEN]),
        lambda: grid.columns.net([0, 1]),
    ):
        change()
        questions.append(grid.value)
    for question in reversed(questions[:-1]):
        grid.undo()
        assert grid.value == question
    grid.undo()
    assert grid.value == questions[0]
    for question in questions[1:]:
        grid.redo()
        assert grid.value == question
    assert summary(wire, grid).redo is None
    grid.undo()
    grid.rows.add([AGES[0]])
    assert summary(wire, grid).redo is None


def test_the_table_follows_an_undo(make: Make) -> None:
    grid = make([WOMEN, MEN], AGES)
    table = grid.to_wide("size")
    grid.rows.add([AGES[0]])
    assert len(grid.to_wide("size")) == 3
    grid.undo()
    pd.testing.assert_frame_equal(grid.to_wide("size"), table)


def test_the_latest_edit_is_counted(make: Make, small_client: Client) -> None:
    gated = GatedClient(small_client)
    grid = make([WOMEN], AGES, client=gated)
    gated.opened(1)
    grid.rows.add([MEN])
    gated.opened(2)
    gated.let(2)
    assert grid.result.shape == (2, 6)
    assert gated.streams[0].closed


# -- by the page -------------------------------------------------------------------------------


def test_the_page_adds_nets_renames_and_removes(wire: Wire, make: Make) -> None:
    grid = make()

    def edit(do: str, **args: object) -> None:
        wire.request(grid, "edit", {"do": do, "axis": "rows", **args})

    edit("add", picked=[GENDER], how="split")
    edit("add", picked=[GENDER, YOUNG], how="and")
    assert names(grid.rows)[:2] == ["Male", "Female"]
    assert grid.rows[2].expression == al.Q("q2").any("q2_1", "q2_2") & al.Q("q4").any(
        "q4_1", "q4_2"
    )
    edit("net", places=[0, 1], name="Either")
    edit("rename", places=[0], name="Men")
    edit("move", places=[1], to=0)
    edit("remove", places=[3])
    assert names(grid.rows) == ["Female", "Men", "Either"]
    # A page of an older version may send a field that says which end is the top.
    boxes = {"do": "boxes", "axis": "rows", "places": [0], "top": 1, "bottom": 0, "low_first": True}
    refused = wire.answer(wire.ask(grid, "edit", boxes)).content["error"]["message"]
    assert "which end of the scale 'Gender' is the top" in refused
    edit("nest", picked=[YOUNG])
    assert len(grid.rows) == 6
    wire.request(grid, "undo")
    assert len(grid.rows) == 3
    wire.request(grid, "redo")
    assert len(grid.rows) == 6


def test_the_page_nests_two_questions_within_each_other(wire: Wire, make: Make) -> None:
    grid = make([WOMEN], [al.Audience("All")])
    wire.request(grid, "edit", {"do": "nest", "axis": "columns", "picked": [YOUNG, GENDER]})
    assert grid.columns.full_names == [
        "All",
        *(f"{age} › {gender}" for age in ("16 to 17", "18 to 24") for gender in ("Male", "Female")),
    ]
    both = grid.columns[-1].expression
    assert both == al.Q("q4").any("q4_2") & al.Q("q2").any("q2_2")
    assert "al.nest(" in grid.to_code()


def test_the_page_adds_saved_audiences(wire: Wire, make: Make, small_client: Client) -> None:
    kept = small_client.service.save_audience(al.Audience("Kept women", WOMEN.expression))
    grid = make([MEN])
    listed = wire.request(grid, "saved_audiences").content["data"]["audiences"]
    assert kept.id in [each["id"] for each in listed]
    wire.request(grid, "edit", {"do": "add", "axis": "rows", "saved": [str(kept.id)]})
    assert names(grid.rows) == ["Men", "Kept women"]
    identifier = wire.ask(grid, "edit", {"do": "add", "axis": "rows", "saved": ["gone"]})
    assert "no longer exists" in wire.answer(identifier).content["error"]["message"]


def test_the_page_chooses_waves_and_locations(wire: Wire, make: Make) -> None:
    grid = make([WOMEN], AGES)
    choices = wire.request(grid, "choices").content["data"]
    codes = [each["code"] for each in choices["waves"]["all"]]
    assert codes == [wave.code for wave in grid.client.waves()]
    assert choices["waves"]["chosen"] is None
    assert choices["waves"]["default"] == codes[-4:]
    assert choices["waves"]["window"] == ""
    assert choices["locations"]["default"] == []
    wire.request(grid, "edit", {"do": "waves", "codes": [codes[1], codes[0]]})
    assert grid.waves == (codes[0], codes[1])
    place = choices["locations"]["all"][0]["code"]
    wire.request(grid, "edit", {"do": "locations", "codes": [place]})
    assert grid.locations == (place,)
    wire.request(grid, "edit", {"do": "locations", "codes": None})
    assert grid.locations is None


@pytest.mark.parametrize(
    ("window", "named", "count"),
    [("latest 2", "latest 2", 2), (["q4_2025"], "Q4 2025", 1), ("2025", "2025", 4)],
)
def test_the_page_shows_the_time_window_of_the_client(
    wire: Wire, small_client: Client, window: Any, named: str, count: int
) -> None:
    grid = al.Crosstab(small_client.with_options(waves=window), [WOMEN], AGES)
    waves = wire.request(grid, "choices").content["data"]["waves"]
    grid.close()
    assert (waves["window"], len(waves["default"]), waves["chosen"]) == (named, count, None)


def test_an_unknown_wave_is_rejected_and_the_query_is_unchanged(wire: Wire, make: Make) -> None:
    grid = make([WOMEN], AGES, waves=["q4_2025"])
    before = grid.value
    identifier = wire.ask(grid, "edit", {"do": "waves", "codes": ["q4_2026"]})
    error = wire.answer(identifier).content["error"]
    assert error["message"].startswith("The survey has no wave 'q4_2026'. Did you mean")
    assert grid.value == before
    wire.answer(wire.ask(grid, "edit", {"do": "waves", "codes": []}))
    assert grid.value == before


def test_positions_are_those_of_the_table_that_the_page_saw(wire: Wire, make: Make) -> None:
    """Another page may have changed it since."""
    grid = make(AGES, [WOMEN])

    def edit(do: str, table: int, **args: object) -> dict[str, Any]:
        args = {"do": do, "axis": "rows", "table": table, **args}
        return wire.answer(wire.ask(grid, "edit", args)).content

    seen = table_state(wire, grid).generation
    assert edit("remove", seen, places=[0])["ok"]
    assert edit("remove", seen, places=[2, 5])["ok"]
    assert names(grid.rows) == ["Age 2", "Age 4", "Age 5"]
    assert edit("move", seen, places=[4], to=1)["ok"]
    assert names(grid.rows) == ["Age 5", "Age 2", "Age 4"]
    assert edit("rename", seen, places=[3], name="Middle")["ok"]
    # Not there any more: removed, or with another name.
    for gone in (0, 3):
        error = edit("remove", seen, places=[gone, 4])["error"]["message"]
        assert error == "The table was changed meanwhile: look at it, and choose again."
    assert names(grid.rows) == ["Age 5", "Age 2", "Middle"]
    grid.restart()
    assert edit("remove", table_state(wire, grid).generation, places=[0])["ok"]
    assert names(grid.rows) == ["Age 2", "Middle"]


def test_the_page_sets_one_base_or_several(wire: Wire, make: Make) -> None:
    grid = make([WOMEN], AGES)
    women = {"question": "q2", "datapoints": ["q2_2"], "suffixes": []}
    wire.request(grid, "edit", {"do": "bases", "keep": [], "picked": [women]})
    assert grid.base_audience.expression == WOMEN.expression
    wire.request(grid, "edit", {"do": "bases", "keep": [0], "picked": [YOUNG]})
    assert [base.expression for base in grid.bases] == [
        WOMEN.expression,
        al.Q("q4").any("q4_1", "q4_2"),
    ]
    assert grid.base_audience is None
    # A column is one line, in however many bases it is shown.
    wire.request(grid, "edit", {"do": "remove", "axis": "columns", "places": [0, 6, 7]})
    assert names(grid.columns) == ["Age 3", "Age 4", "Age 5", "Age 6"]
    wire.request(grid, "edit", {"do": "bases", "keep": [1]})
    assert grid.bases is None
    assert grid.base_audience.expression == al.Q("q4").any("q4_1", "q4_2")
    wire.request(grid, "edit", {"do": "bases", "keep": []})
    assert grid.base_audience is None


def test_the_page_gets_an_axis_in_groups(wire: Wire, make: Make) -> None:
    grid = make([MEN, {"Age": AGES, "Gender": [WOMEN, MEN]}])
    data = wire.request(grid, "blocks", {"axis": "rows"}).content["data"]
    assert [(each["name"], each["start"], each["count"]) for each in data["blocks"]] == [
        ("Men", 0, 1),
        ("Age", 1, 6),
        ("Gender", 7, 2),
    ]
    assert wire.request(grid, "blocks", {"axis": "columns"}).content["data"]["blocks"] == []


def test_the_page_gets_a_summary_of_the_query(wire: Wire, make: Make) -> None:
    grid = make({"Age": AGES}, [WOMEN], base_audience=MEN, waves=["q4_2025"])
    assert wire.state(grid)["_question"] == {
        "rows": {"count": 6, "question": "", "names": ["Age"], "more": 0},
        "columns": {"count": 1, "question": "", "names": ["Women"], "more": 0},
        "bases": ["Men"],
        "base_count": 1,
        "side_by_side": False,
        "who_counts": {"chosen": "everyone", "usual": "everyone", "fixed": False},
        "waves": {"count": 1, "names": ["Q4 2025"]},
        "locations": None,
        "weight": None,
        "undo": None,
        "redo": None,
        "wave_columns": False,
        "statistics": [],
        "scored": [{"code": "q4", "name": "Age"}],
        "single": (),
    }
    grid.ask(bases=[WOMEN, MEN], base_audience=None)
    told = summary(wire, grid)
    assert summary(wire, make(AGES)).rows.question == "Age"
    assert (told.bases, told.side_by_side) == (["Women", "Men"], True)
    grid.undo()
    grid.rows.add([WOMEN])
    assert (summary(wire, grid).undo, summary(wire, grid).redo) == ("rows", None)
    grid.undo()
    assert (summary(wire, grid).undo, summary(wire, grid).redo) == (None, "rows")


def test_an_unknown_edit_is_rejected(wire: Wire, make: Make) -> None:
    grid = make([WOMEN])
    for args in (
        {"do": "explode"},
        {"do": "remove", "axis": "rows"},
        {"do": "add", "axis": "z"},
        {"do": "rename", "axis": "z", "places": [0], "name": "Ladies"},
    ):
        content = wire.answer(wire.ask(grid, "edit", args)).content
        assert not content["ok"]
        assert "'edit' is not valid" in content["error"]["message"]
    assert names(grid.rows) == ["Women"]


# -- what a table has of the one before ------------------------------------------------------------


def test_a_table_says_which_items_the_one_before_had(wire: Wire, make: Make) -> None:
    grid = make(AGES[:4], {"Gender": [WOMEN, MEN]})
    assert table_state(wire, grid).kept is None
    grid.rows.net([0, 1], "Young")
    kept = table_state(wire, grid).kept
    assert kept is not None
    assert (kept.since, kept.same) == (1, True)
    assert (kept.rows, kept.columns) == ([(0, 0, 2), (3, 2, 2)], [(0, 0, 2)])
    grid.rows.rename("Young", "Under 35")
    kept = table_state(wire, grid).kept
    assert kept is not None
    assert kept.rows == [(0, 0, 5)]


def test_figures_of_others_and_those_that_are_counted_again_are_not_the_same(
    wire: Wire, make: Make
) -> None:
    grid = make(AGES[:4], [WOMEN, MEN])
    for change in (lambda: grid.ask(base_audience=WOMEN), grid.restart, grid.undo):
        change()
        kept = table_state(wire, grid).kept
        assert kept is not None
        assert not kept.same
        assert kept.rows == [(0, 0, 4)]
