"""The Python side of the crosstab grid: its query, messages to the page, and results."""

from __future__ import annotations

import re
from types import NoneType
from typing import Any

import numpy as np
import pandas as pd
import pytest
import traitlets

import audiencelab as al
from audiencelab.client import Client, UnknownCodeError
from audiencelab.errors import AudienceError
from audiencelab.render.mime_payload import CROSSTAB
from audiencelab.widgets.crosstab import Crosstab
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.loader import GridCancelled
from audiencelab.widgets.rpc_types import PageOperation
from tests.messages import fails
from tests.waiting import wait_until
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.conftest import Make
from tests.widgets.crosstab.grids import (
    AGES,
    MEN,
    NOBODY,
    WOMEN,
    about,
    progress,
    static_html,
    table_state,
)
from tests.widgets.crosstab.test_tiles import read, tile_of
from tests.widgets.gated import TIMEOUT, GatedClient


def ask_tile(wire: Wire, grid: Crosstab, rows: object, columns: object) -> Any:
    message = wire.request(grid, "tile", about(wire, grid, rows=rows, columns=columns))
    return tile_of(message)


# -- what Python reads -----------------------------------------------------------------------------


def test_the_result_is_the_client_s_crosstab(make: Make, small_client: Client) -> None:
    grid = make([WOMEN, MEN], AGES)
    direct = small_client.crosstab(rows=[WOMEN, MEN], columns=AGES)
    pd.testing.assert_frame_equal(
        grid.to_frame().drop(columns=["row_id", "column_id"]),
        direct.to_frame().drop(columns=["row_id", "column_id"]),
    )
    pd.testing.assert_frame_equal(grid.to_wide("size"), direct.to_wide("size"))
    pd.testing.assert_frame_equal(grid.frame, grid.to_frame())


def test_expressions_are_named_by_their_descriptions(make: Make) -> None:
    grid = make([al.Q("q2").any("q2_2"), MEN], [al.Q("q4").any("q4_2")])
    assert [row.name for row in grid.value.rows or ()] == ["Gender is Female", "Men"]
    assert grid.value.columns is not None
    assert grid.value.columns[0].expression == al.Q("q4").any("q4_2")


def test_a_saved_audience_is_used_unchanged(make: Make, small_client: Client) -> None:
    grid = make([small_client.service.save_audience(WOMEN)], AGES)
    assert [(row.name, row.expression) for row in grid.value.rows or ()] == [
        (WOMEN.name, WOMEN.expression)
    ]


def test_the_value_prints_as_code_that_counts_the_same_table(
    make: Make, small_client: Client
) -> None:
    grid = make(
        [WOMEN, al.Q("q20", suffixes=[1, 2]).at_least(2, "q20_1", "q20_2", "q20_3")],
        AGES[:2],
        base_audience=al.Q("q4").any("q4_3", "q4_2"),
        waves=["q4_2025"],
        locations=["s2_1"],
    )
    names: dict[str, Any] = {"al": al, "client": small_client}
    exec(grid.to_code(), names)
    pd.testing.assert_frame_equal(names["table"].to_wide("size"), grid.to_wide("size"))
    assert grid.value.scope.base is not None
    assert names["table"].base_audience.name == grid.value.scope.base.name


def test_without_a_catalogue_expressions_are_named_by_codes(
    make: Make, nameless_client: Client
) -> None:
    grid = make([al.Q("q2").any("q2_2")], client=nameless_client)
    assert [row.name for row in grid.rows] == ["q2 is q2_2"]
    with fails(AudienceError):
        grid.wait(TIMEOUT)


def test_an_axis_that_is_not_given_is_the_base(make: Make) -> None:
    grid = make(rows=AGES)
    assert grid.result.shape == (6, 1)
    assert grid.to_code().count("columns") == 0
    np.testing.assert_allclose(grid.result.values("index"), 100)
    assert make().to_code() == "table = client.crosstab()"


def test_audiences_in_groups_keep_them(make: Make, small_client: Client) -> None:
    nested = al.nest([WOMEN, MEN], AGES[:1])
    columns = [al.Audience("All"), {"Age": AGES[:1], "By gender": nested}]
    grid = make([WOMEN], columns)
    heads = ((), ("Age",), ("By gender", "Women"), ("By gender", "Men"))
    assert grid.columns.groups == heads
    assert [column.name for column in grid.columns] == ["All", "Age 1", "Age 1", "Age 1"]
    assert grid.result.column_groups == heads
    pd.testing.assert_frame_equal(
        grid.to_wide("index"), small_client.crosstab([WOMEN], columns).to_wide("index")
    )
    assert make([WOMEN], {"Gender": WOMEN}).columns[0].name == "Gender"


def test_questions_are_given_by_name(make: Make, small_client: Client) -> None:
    grid = make("Gender", [small_client["Age"], WOMEN])
    assert set(grid.rows.groups) == {("Gender",)}
    assert [column.name for column in grid.columns][-1] == "Women"
    grid.rows = WOMEN
    assert list(grid.rows) == [WOMEN]
    with fails(UnknownCodeError):
        grid.rows = "Gendr"


def test_other_groups_over_the_same_audiences_are_another_table(wire: Wire, make: Make) -> None:
    grid = make([WOMEN], {"Gender": [WOMEN, MEN]}).wait(TIMEOUT)
    before = table_state(wire, grid).generation
    grid.columns = {"Sex": [WOMEN, MEN]}
    assert table_state(wire, grid).generation == before + 1
    assert grid.result.column_groups == (("Sex",), ("Sex",))


def test_an_empty_query_counts_nothing_and_is_explained(make: Make) -> None:
    grid = make([], AGES)
    with fails(AudienceError):
        _ = grid.result
    grid.rows = [WOMEN]
    assert grid.result.shape == (1, 6)


def test_with_many_waves_the_first_and_the_last_are_shown(wire: Wire, make: Make) -> None:
    assert (
        table_state(wire, make([WOMEN])).scope
        == "4 waves: Q1 2025 to Q4 2025 · everywhere · weighted"
    )
    few, many = (make([WOMEN], waves=[f"q{n}_2025" for n in range(1, last)]) for last in (3, 5))
    assert table_state(wire, few).scope == "2 waves: Q1 2025, Q2 2025 · everywhere · weighted"
    assert table_state(wire, many).scope == table_state(wire, make([WOMEN])).scope


# -- setting things ----------------------------------------------------------------------------


def test_setting_an_axis_recounts_and_the_latest_wins(wire: Wire, make: Make) -> None:
    grid = make([WOMEN], AGES)
    before = table_state(wire, grid).generation
    for count in range(1, 6):
        grid.rows = AGES[:count]
    assert grid.result.shape == (5, 6)
    assert table_state(wire, grid).generation == before + 5
    assert (table_state(wire, grid).rows, progress(wire, grid).cells) == (5, 30)


def test_setting_an_equal_value_counts_nothing(wire: Wire, make: Make) -> None:
    grid = make([WOMEN], AGES).wait(TIMEOUT)
    before = table_state(wire, grid).generation
    grid.rows = [WOMEN]
    grid.metric = "size"
    assert table_state(wire, grid).generation == before


def test_every_part_of_the_query_can_be_set_later(make: Make, small_client: Client) -> None:
    grid = make([WOMEN], AGES)
    grid.base_audience = al.Q("q4").any("q4_2", "q4_3")
    grid.waves = ["q4_2025", "q3_2025"]
    grid.locations = ["s2_1"]
    grid.columns = [MEN, WOMEN]
    direct = small_client.crosstab(
        rows=[WOMEN],
        columns=[MEN, WOMEN],
        base_audience=al.Q("q4").any("q4_2", "q4_3"),
        waves=["q4_2025", "q3_2025"],
        locations=["s2_1"],
    )
    pd.testing.assert_frame_equal(grid.to_wide("size"), direct.to_wide("size"))


def test_a_base_can_be_linked_to_another_widget_s_value(make: Make) -> None:
    class Source(traitlets.HasTraits):
        value = traitlets.Any(MEN)

    source, grid = Source(), make([WOMEN, MEN], AGES)
    traitlets.dlink((source, "value"), (grid, "base_audience"))
    assert grid.to_wide("sample").loc["Women"].sum() == 0
    source.value = WOMEN
    assert grid.to_wide("sample").loc["Men"].sum() == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rows": 3}, "rows must be a question or its name"),
        ({"columns": [WOMEN, 3]}, r"columns\[1\]: Must be an audience; got int"),
        ({"base_audience": 3}, "got int"),
    ],
)
def test_arguments_of_a_wrong_type_are_distinguished(
    make: Make, arguments: dict[str, object], words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        make(**arguments)
    grid = make([WOMEN], AGES)
    for name, value in arguments.items():
        with pytest.raises(TypeError, match=words):
            setattr(grid, name, value)
    assert grid.result.shape == (1, 6)


# -- errors ------------------------------------------------------------------------------------


def test_an_error_is_shown_in_the_grid_and_raised_on_access(wire: Wire, make: Make) -> None:
    grid = make([al.Audience("x", al.Q("q2").any("q2_99"))], AGES)
    with fails(AudienceError):
        grid.wait(TIMEOUT)
    with pytest.raises(AudienceError):
        grid.to_frame()
    assert progress(wire, grid).phase == "failed"
    (fault,) = progress(wire, grid).error.faults
    assert fault.pointer.startswith("/rows/0/expression")
    grid.rows = [WOMEN]
    assert grid.result.complete
    assert progress(wire, grid).error is None


def test_a_cancelled_table_keeps_its_cells_and_can_be_counted_again(
    wire: Wire, make: Make, small_client: Client
) -> None:
    gated = GatedClient(small_client)
    grid = make(AGES, [WOMEN, MEN], client=gated)
    gated.let(2)
    wait_until(lambda: progress(wire, grid).cells == 4)
    assert progress(wire, grid).phase == "running"
    wire.request(grid, "cancel", about(wire, grid))
    with pytest.raises(GridCancelled):
        _ = grid.result
    tile = ask_tile(wire, grid, {"start": 0, "stop": 6}, {"start": 0, "stop": 2})
    assert np.isnan(read(tile, "size")).sum() == 8
    gated.let(20)
    wire.request(grid, "restart", about(wire, grid))
    assert grid.result.complete


# -- what the page sees ------------------------------------------------------------------------


def test_tiles_equal_the_frame(wire: Wire, make: Make) -> None:
    grid = make([WOMEN, MEN, NOBODY], AGES).wait(TIMEOUT)
    tile = ask_tile(wire, grid, {"start": 0, "stop": 3}, [5, 0, 2])
    wide = {name: grid.to_wide(name).to_numpy()[:, [5, 0, 2]] for name in ("index", "size")}
    np.testing.assert_array_equal(read(tile, "size"), wide["size"])
    planes = {name: read(tile, name) for name in ("size", "row_size", "column_size", "base_size")}
    with np.errstate(invalid="ignore"):
        index = 100 * planes["size"] * planes["base_size"]
        index = index / (planes["row_size"] * planes["column_size"])
    np.testing.assert_allclose(index, wide["index"], rtol=1e-12)


def test_cells_can_be_loaded_while_the_table_is_counted(
    wire: Wire, make: Make, small_client: Client
) -> None:
    gated = GatedClient(small_client)
    grid = make(AGES, [WOMEN, MEN], client=gated)
    whole = ({"start": 0, "stop": 6}, {"start": 0, "stop": 2})
    assert ask_tile(wire, grid, *whole).header.complete is False
    gated.let(3)
    wait_until(lambda: progress(wire, grid).cells == 6)
    tile = ask_tile(wire, grid, *whole)
    assert tile.header.complete is False
    assert np.isfinite(read(tile, "size")).sum() == 6
    gated.let(3)
    grid.wait(TIMEOUT)
    assert ask_tile(wire, grid, *whole).header.complete is True


def test_the_page_gets_progress_in_order_and_rarely(wire: Wire, make: Make) -> None:
    grid = make(AGES * 20, AGES).wait(TIMEOUT)
    reports: list[Any] = wire.updates(grid, "_progress")
    versions = [report["version"] for report in reports]
    assert versions == sorted(set(versions))
    last = progress(wire, grid)
    assert (last.phase, last.cells) == ("done", 720)
    heat = last.heat
    # No respondent has two ages: an index of 0 is outside of the scale.
    assert 1 <= heat.index.low < heat.index.high
    assert heat.difference.low < 0 < heat.difference.high
    assert last.base_sample == grid.result.base_sample


def test_names_come_in_pages_with_their_sentences(wire: Wire, make: Make) -> None:
    grid = make([WOMEN, MEN], AGES, base_audience=MEN)

    def names(axis: str, start: int, stop: int) -> list[list[Any]]:
        args = about(wire, grid, axis=axis, start=start, stop=stop)
        return wire.request(grid, "names", args).content["data"]["names"]

    assert names("rows", 1, 2) == [["Men", "Gender is Male", [], False, True, ""]]
    assert [name for name, *_ in names("columns", 0, 6)] == [age.name for age in AGES]
    assert names("base", 0, 1) == [["Men", "Gender is Male", [], False, True, ""]]
    grid.columns = AxisAudiences(AGES[:1], [("Age",)], [True])
    assert [line[2:] for line in names("columns", 0, 1)] == [[["Age"], True, True, ""]]


def test_a_failure_of_a_replaced_query_is_not_reported(wire: Wire, make: Make) -> None:
    grid = make(AGES, [WOMEN]).wait(TIMEOUT)
    old = about(wire, grid)

    def meet_another(_: object) -> None:
        grid.rows = AGES[:2]
        raise ValueError("two questions at once")

    operation = PageOperation("meet", dict[str, Any], NoneType)
    grid.channel.on(operation, meet_another, inline=True)
    missed = wire.ask(grid, "meet", old)
    failed = wire.ask(grid, "meet", {})
    assert not wire.answer(failed).content["ok"]
    assert not any(message.content.get("id") == missed for message in wire.messages)


def test_requests_about_a_replaced_table_are_not_answered(wire: Wire, make: Make) -> None:
    grid = make([WOMEN], AGES).wait(TIMEOUT)
    old = table_state(wire, grid).generation
    grid.rows = [MEN]
    args = {"generation": old, "rows": {"start": 0, "stop": 1}, "columns": [0]}
    asked = wire.ask(grid, "tile", args)
    # The next answer shows that the one before was passed over.
    ask_tile(wire, grid, [0], [0])
    assert not any(message.content.get("id") == asked for message in wire.messages)


def test_the_selection_is_audiences_and_positions(wire: Wire, make: Make) -> None:
    grid = make([WOMEN, MEN], AGES)
    seen: list[object] = []
    grid.observe(lambda change: seen.append(change["new"]), "selection")
    assert grid.selection is None
    wire.set_state(grid, _selected_cells={"rows": [1], "columns": [0, 2, 99]})
    assert grid.selection is not None
    assert grid.selection.rows == (MEN,)
    assert grid.selection.columns == (AGES[0], AGES[2])
    assert grid.selection.column_positions == (0, 2)
    grid.rows = [WOMEN]
    assert grid.selection is None
    assert len(seen) == 2


# -- without a kernel ----------------------------------------------------------------------------


def test_the_repr_is_the_same_in_every_run(make: Make) -> None:
    expected = "Crosstab(2 rows × 6 columns, base='All', metric='column_percentage')"
    grid = make([WOMEN, MEN], AGES)
    assert repr(grid) == expected
    assert repr(grid.wait(TIMEOUT)) == expected
    bundle = grid._repr_mimebundle_()
    assert bundle is not None
    assert bundle[0]["text/plain"] == expected


def test_the_static_form_contains_the_whole_small_table(make_complete: Make) -> None:
    grid = make_complete([WOMEN, NOBODY], AGES, metric="index")
    html = static_html(grid)
    for value in grid.to_wide("index").loc["Women"]:
        assert f"{value:,.1f}" in html
    assert html.count("–") == len(AGES)
    assert f"{grid.result.base_sample:,.0f}" in html
    assert "client.crosstab(" in html


def test_bases_of_the_static_form_have_rows_of_their_own(
    small_client: Client,
) -> None:
    audiences = small_client.catalogue.audiences
    grid = Crosstab(small_client, rows={"By age": audiences("q4")}, columns=audiences("q2"))
    html = static_html(grid.wait(TIMEOUT))
    bases = {"Weighted base (average of waves)", "Unweighted base (n)"}
    assert {*bases, "By age"} <= set(re.findall(">([^<]+)<", html))
    assert " / " not in html.replace("\u00a0", " ").partition("<table")[2]


def test_the_static_form_of_a_large_table_is_bounded(make: Make) -> None:
    grid = make(AGES * 60, AGES * 6).wait(TIMEOUT)
    html = static_html(grid)
    shown = html.count("scope=row ") - len(["Weighted base", "Unweighted base (n)"])
    assert shown > 10
    columns = html.count("scope=col>") - len(["Weighted base", "Unweighted base (n)"])
    assert columns >= 8
    assert f"… and {360 - shown} more rows and {36 - columns} more columns" in html


def test_the_static_form_of_an_incomplete_table_is_marked(
    wire: Wire, make: Make, small_client: Client
) -> None:
    gated = GatedClient(small_client)
    grid = make(AGES, [WOMEN, MEN], client=gated)
    gated.let(1)
    wait_until(lambda: progress(wire, grid).cells == 2)
    grid.cancel()
    html = static_html(grid)
    assert html.count("…") == 2 * 5
    assert "2 of 12 cells had arrived" in html


def test_without_cells_the_static_form_has_the_code(make: Make, small_client: Client) -> None:
    grid = make(AGES, [WOMEN], client=GatedClient(small_client))
    grid.cancel()
    bundle = grid._repr_mimebundle_()
    assert bundle is not None
    assert "6 rows × 1 column, not counted yet" in bundle[0]["text/html"]
    assert "client.crosstab(" in bundle[0]["text/html"]
    assert CROSSTAB not in bundle[0]


def test_malicious_names_are_text(make: Make) -> None:
    hostile = "<img src=x onerror=alert(1)>&\"'"
    grid = make(
        [WOMEN.renamed(hostile)], [MEN.renamed(hostile)], base_audience=WOMEN.renamed(hostile)
    )
    html = static_html(grid)
    assert "<img" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;&amp;&quot;" in html


def test_a_closed_grid_sends_nothing_more(wire: Wire, make: Make, small_client: Client) -> None:
    gated = GatedClient(small_client)
    grid = make(AGES, [WOMEN], client=gated)
    stream = gated.opened()
    grid.close()
    grid.close()
    assert stream.closed
    heard = len(wire.messages)
    gated.let(20)
    assert len(wire.messages) == heard
