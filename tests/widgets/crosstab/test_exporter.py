"""What the page and Python take away from a grid, over the wire: the cells as they are seen."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from openpyxl import load_workbook

import audiencelab as al
from audiencelab.client import Client
from audiencelab.widgets.crosstab import CrosstabGrid, export
from audiencelab.widgets.crosstab.charts import NoChart
from tests.widgets.conftest import Wire
from tests.widgets.gated import GatedClient

WOMEN = al.Audience("Women", al.Q("q2").any("q2_2"))
MEN = al.Audience("Men", al.Q("q2").any("q2_1"))
AGES = tuple(al.Audience(f"Age {n}", al.Q("q4").any(f"q4_{n}")) for n in range(1, 7))

Make = Callable[..., CrosstabGrid]


@pytest.fixture
def make(wire: Wire, small_client: Client) -> Make:
    """Makes grids on a captured wire, complete unless another client is given."""

    def build(*sides: object, client: Any = None, **options: Any) -> CrosstabGrid:
        grid = CrosstabGrid(client or small_client, *sides, **options)
        return grid if client else grid.wait()

    return build


def ask(wire: Wire, grid: CrosstabGrid, op: str, **args: Any) -> Any:
    """The answer to an operation about the table that the page shows."""
    return wire.request(grid, op, {"generation": grid._table["generation"], **args})


def save(wire: Wire, grid: CrosstabGrid, kind: str, rows: Any, columns: Any) -> bytes:
    """A file as a page fetches it: the first part with its head, then the others."""
    answer = ask(wire, grid, "export", format=kind, rows=rows, columns=columns)
    head, data = answer.content["data"], answer.buffers[0]
    while len(data) < head["bytes"]:
        data += wire.request(grid, "part", {"number": head["number"], "start": len(data)}).buffers[
            0
        ]
    assert len(data) == head["bytes"]
    return data


def refused(wire: Wire, grid: CrosstabGrid, op: str, **args: Any) -> str:
    """The words in which an operation was refused."""
    number = wire.ask(grid, op, {"generation": grid._table["generation"], **args})
    answer = wire.answer(number).content
    assert not answer["ok"]
    return answer["error"]["message"]


# -- files -----------------------------------------------------------------------------------------


def test_a_saved_csv_has_the_cells_in_the_order_that_the_page_shows(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN], metric="size")
    data = save(wire, grid, "csv", [4, 0, 2], [1, 0])
    lines = list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))
    assert lines[0] == ["People", "Size", "Sample", "Men", "Women"]
    assert [line[0] for line in lines[3:]] == ["Age 5", "Age 1", "Age 3"]
    cells = [[float(field) for field in line[3:]] for line in lines[3:]]
    np.testing.assert_array_equal(cells, grid.result.values("size")[np.ix_([4, 0, 2], [1, 0])])


def test_a_transposed_table_is_saved_as_it_is_seen(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN], metric="column_percentage")
    wire.set_state(grid, transposed=True)
    lines = list(csv.reader(io.StringIO(save(wire, grid, "csv", [0, 1], [0]).decode("utf-8-sig"))))
    # The shares stay those of the query: of Women, who are seen as a row now.
    assert lines[0] == ["Row %", "Size", "Sample", "Age 1", "Age 2"]
    assert lines[3][0] == "Women"
    shares = grid.result.values("column_percentage")[:2, 0]
    assert [float(field) for field in lines[3][3:]] == pytest.approx(shares)


def lines_of(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_every_figure_that_the_cells_show_is_saved(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN], metrics=["difference", "z", "letters"])
    lines = lines_of(save(wire, grid, "csv", [1, 2], [0, 1]))
    blocks = [lines[:5], lines[6:11], lines[12:]]
    assert [block[0][0] for block in blocks] == ["Difference, points", "z", "Letters"]
    for block, metric in zip(blocks[:2], ("difference", "z"), strict=True):
        cells = [[float(field) for field in line[3:]] for line in block[3:]]
        np.testing.assert_allclose(cells, grid.to_wide(metric).to_numpy()[1:3])
    comparison = grid.result.compare_columns()
    assert blocks[2][0][3:] == ["Women (A)", "Men (B)"]
    assert [line[3:] for line in blocks[2][3:]] == comparison.marks()[1:3].tolist()


def sheet_texts(data: bytes) -> set[str]:
    sheets = load_workbook(io.BytesIO(data)).worksheets
    return {str(value) for sheet in sheets[:1] for line in sheet.values for value in line if value}


def test_a_workbook_tests_no_nets_as_the_screen_does(make: Make, wire: Wire) -> None:
    grid = make([WOMEN, MEN], AGES, metrics=["column_percentage", "letters"])
    grid.net_columns([0, 1], "Young")
    seen = grid.wait().to_wide("letters").to_numpy().ravel()
    told = sheet_texts(save(wire, grid, "xlsx", [0, 1], list(range(7))))
    assert {letters for letters in seen if letters} <= told
    # Six columns are compared: a seventh letter would be that of the net.
    assert any(text.endswith("(F)") for text in told)
    assert not any(text.endswith("(G)") for text in told), sorted(told)


def test_one_column_is_saved_though_nothing_can_be_compared(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN], metrics=["column_percentage", "letters"])
    assert "Women" in sheet_texts(save(wire, grid, "xlsx", [0, 1], [0]))


def test_differences_stay_those_of_the_query_when_the_table_is_turned(
    make: Make, wire: Wire
) -> None:
    grid = make(AGES, [WOMEN, MEN], metrics=["difference"])
    wire.set_state(grid, transposed=True)
    lines = lines_of(save(wire, grid, "csv", [0, 1], [0, 1]))
    cells = [[float(field) for field in line[3:]] for line in lines[3:]]
    np.testing.assert_allclose(cells, grid.to_wide("difference").to_numpy()[:2].T)


def test_what_rests_on_too_few_is_not_saved(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN], metric="row_percentage", blank_under=100)
    few = grid.result.row_values("row_sample") < 100
    assert 0 < few.sum() < len(AGES)
    lines = lines_of(save(wire, grid, "csv", list(range(6)), [0, 1]))
    assert [line[3] == "" for line in lines[3:]] == few.tolist()


def test_what_rests_on_too_few_is_in_no_line_of_cells(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN], metric="row_percentage", blank_under=100)
    few = grid.result.values("row_sample")[[3, 5, 0, 1]][:, [1, 0]].ravel() < 100
    head, *lines = lines_of(save(wire, grid, "cells", [3, 5, 0, 1], [1, 0]))
    for name in ("row_percentage", "index"):
        assert [line[head.index(name)] == "" for line in lines] == few.tolist()
    assert all(line[head.index("column_percentage")] for line in lines)
    assert 0 < few.sum() < len(few)


def test_a_large_file_comes_in_parts(
    make: Make, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "PART_BYTES", 1_000)
    grid = make(AGES, [WOMEN, MEN])
    data = save(wire, grid, "xlsx", list(range(6)), [0, 1])
    assert len(data) > 2_000
    assert load_workbook(io.BytesIO(data)).sheetnames == ["Table", "Source"]


@pytest.mark.parametrize(
    ("kind", "begin"), [("png", b"\x89PNG"), ("svg", b"<svg"), ("html", b"<!doc")]
)
def test_pictures_and_pages_are_saved_too(make: Make, wire: Wire, kind: str, begin: bytes) -> None:
    assert save(wire, make(AGES, [WOMEN, MEN]), kind, [0, 1, 2], [0]).startswith(begin)


def test_more_than_a_page_should_carry_is_refused_with_the_way_to_do_it(
    make: Make, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "MAX_PAGE_CELLS", 3)
    grid = make(AGES, [WOMEN, MEN])
    words = refused(wire, grid, "export", format="xlsx", rows=[0, 1], columns=[0, 1])
    assert "grid.to_excel(path)" in words


def test_nothing_is_saved_of_a_table_that_has_not_begun(
    make: Make, wire: Wire, small_client: Client
) -> None:
    grid = make(AGES, [WOMEN], client=GatedClient(small_client))
    words = refused(wire, grid, "export", format="csv", rows=[0], columns=[0])
    assert words == "Nothing has been counted yet."
    assert refused(wire, grid, "drill", row=0, column=0) == words


@pytest.mark.parametrize("part", [{}, {"number": "1", "start": 0}, {"number": 1, "start": -1}])
def test_what_is_no_part_of_a_file_is_passed_over(
    make: Make, wire: Wire, part: dict[str, Any]
) -> None:
    grid = make(AGES, [WOMEN])
    asked = wire.ask(grid, "part", part)
    # The next answer shows that the one before was passed over.
    ask(wire, grid, "code")
    assert not any(message.content.get("id") == asked for message in wire.messages)


def test_python_writes_what_the_cells_show(make: Make) -> None:
    grid = make(AGES, [WOMEN, MEN], metric="row_percentage")
    written = io.BytesIO()
    grid.to_excel(written)
    expected = io.BytesIO()
    grid.result.to_excel(expected, metrics=["row_percentage"])
    assert written.getvalue() == expected.getvalue()
    assert grid.to_html() == grid.result.to_html(metrics=["row_percentage"])
    assert grid.to_html(metrics=["size"]) == grid.result.to_html(metrics=["size"])


# -- code ------------------------------------------------------------------------------------------


def test_the_code_of_a_selection_counts_its_cells_again(
    make: Make, wire: Wire, small_client: Client
) -> None:
    grid = make({"Age": AGES}, [WOMEN, MEN], base_audience=WOMEN)
    code = ask(wire, grid, "code", rows=[3, 1], columns=[0]).content["data"]
    names: dict[str, Any] = {"al": al, "client": small_client}
    exec(code, names)
    table = names["table"]
    assert [row.name for row in table.rows] == ["Age 4", "Age 2"]
    assert table.row_heads == (("Age",), ("Age",))
    np.testing.assert_allclose(
        table.values("size"), grid.result.values("size")[np.ix_([3, 1], [0])]
    )


def test_of_several_bases_the_code_has_those_that_were_chosen(
    make: Make, wire: Wire, small_client: Client
) -> None:
    grid = make(AGES, [WOMEN, MEN], bases=[WOMEN, MEN, al.Audience("All")])
    # Men among Men, and Women among all.
    code = ask(wire, grid, "code", rows=[2], columns=[3, 4]).content["data"]
    names: dict[str, Any] = {"al": al, "client": small_client}
    exec(code, names)
    assert names["table"].column_heads == (("Men",), ("Men",), ("All",), ("All",))
    table, chosen = names["table"].values("size"), grid.result.values("size")
    np.testing.assert_allclose(table[0, [0, 3]], chosen[2, [3, 4]])


def test_without_a_selection_the_code_is_the_grid_s(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN])
    assert ask(wire, grid, "code").content["data"] == grid.to_code()


# -- one cell --------------------------------------------------------------------------------------


def test_the_page_drills_into_what_python_drills_into(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN])
    shown = ask(wire, grid, "drill", row=2, column=1).content["data"]
    assert shown == grid.drill("Age 3", MEN).to_page()
    assert shown["title"] == "Age 3 × Men"
    assert shown["waves"] == ["q1_2025", "q2_2025", "q3_2025", "q4_2025"]


def test_a_cell_rests_on_the_waves_that_both_questions_share(
    make: Make, small_client: Client
) -> None:
    waves = [wave.code for wave in small_client.waves()]
    grid = make(AGES, [WOMEN], waves=waves[:2])
    assert grid.drill(0, 0).waves == tuple(waves[:2])


def test_a_client_that_knows_no_waves_tells_the_cell_without_them(
    make: Make, small_client: Client
) -> None:
    gated = GatedClient(small_client)
    grid = make(AGES[:1], [WOMEN], client=gated)
    gated.let(1)
    detail = grid.drill(0, 0)
    assert detail.waves is None
    known = make(AGES[:1], [WOMEN]).drill(0, 0)
    assert known.waves
    assert [each.value for each in detail.formulas] == [each.value for each in known.formulas]


def test_a_cell_of_several_bases_is_told_in_its_own(make: Make) -> None:
    grid = make(AGES, [WOMEN], bases=[al.Audience("All"), WOMEN])
    everyone, women = grid.drill(0, 0), grid.drill(0, 1)
    assert (everyone.base.name, women.base.name) == ("All", "Women")
    assert women.value("column_percentage") == pytest.approx(everyone.value("column_percentage"))
    assert women.value("index") == pytest.approx(100)


def test_a_line_is_named_by_place_name_or_audience(make: Make) -> None:
    grid = make({"First": [WOMEN], "Second": [WOMEN, MEN]}, AGES)
    assert grid.drill(2, 0).row == MEN
    assert grid.drill("Second › Women", "Age 1").row == WOMEN
    with pytest.raises(LookupError, match="2 rows are named 'Women'"):
        grid.drill("Women", 0)
    with pytest.raises(LookupError, match=r"'Age 11'.*mean 'Age 1'"):
        grid.drill(0, "Age 11")
    with pytest.raises(LookupError, match="positions are 0 to 5"):
        grid.drill(0, 6)


# -- charts ----------------------------------------------------------------------------------------


def pick(wire: Wire, grid: CrosstabGrid, rows: list[int], columns: list[int]) -> None:
    wire.set_state(grid, _picked={"rows": rows, "columns": columns})


def drawn(drawing: Any) -> list[str]:
    """The lines of a picture, in order."""
    data = next(iter(drawing.to_dict()["datasets"].values()))
    return list(dict.fromkeys(each.get("label", each.get("row")) for each in data))


def test_a_chart_shows_the_selection_and_all_where_nothing_is_selected(
    make: Make, wire: Wire
) -> None:
    grid = make(AGES, [WOMEN, MEN])
    assert drawn(grid.chart()) == [age.name for age in AGES]
    pick(wire, grid, [4, 1], [0])
    assert drawn(grid.chart()) == ["Age 5", "Age 2"]
    assert drawn(grid.chart("heatmap", metric="size")) == ["Age 5", "Age 2"]


def test_a_single_cell_stands_for_its_column(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN])
    pick(wire, grid, [4], [0])
    assert drawn(grid.chart()) == [age.name for age in AGES]


def test_a_transposed_grid_is_drawn_as_it_is_seen(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN])
    wire.set_state(grid, transposed=True)
    assert drawn(grid.chart("heatmap")) == ["Women", "Men"]


def test_a_linked_chart_is_told_of_every_change_and_drawn_when_asked(
    make: Make, wire: Wire
) -> None:
    grid = make(AGES, [WOMEN, MEN])
    chart = grid.linked_chart("bar")
    before = chart._version
    pick(wire, grid, [0, 1], [1])
    assert chart._version > before
    answer = wire.request(chart, "chart", {"dark": True}).content["data"]
    assert answer["svg"] == grid.chart("bar", theme="dark").svg()
    assert "2 of a crosstab" in answer["alt"]
    chart.close()
    after = chart._version
    pick(wire, grid, [2, 3], [1])
    assert chart._version == after


def test_a_linked_chart_is_drawn_anew_when_the_table_is_complete(
    make: Make, small_client: Client
) -> None:
    gated = GatedClient(small_client)
    grid = make(AGES, [WOMEN], client=gated)
    chart = grid.linked_chart()
    before = chart._version
    gated.let(len(AGES))
    grid.wait()
    assert chart._version == before + 1


def test_a_linked_chart_of_too_much_says_so(make: Make, wire: Wire) -> None:
    grid = make([each.renamed(f"{n}") for n in range(101) for each in AGES], AGES)
    number = wire.ask(grid.linked_chart(), "chart", {"dark": False})
    answer = wire.answer(number).content
    assert "too many for one chart" in answer["error"]["message"]
    with pytest.raises(NoChart):
        grid.chart()


def test_a_picture_too_large_to_send_says_so(
    make: Make, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    chart = make(AGES, [WOMEN]).linked_chart()
    monkeypatch.setattr("audiencelab.widgets.crosstab.charts.MESSAGE_LIMIT", 1_000)
    answer = wire.answer(wire.ask(chart, "chart")).content
    assert answer["error"]["message"] == ("This chart is too large to send: select fewer cells.")


def test_a_chart_of_a_table_that_was_called_off_is_saved_in_words(
    make: Make, small_client: Client
) -> None:
    grid = make(AGES, [WOMEN], client=GatedClient(small_client))
    grid.cancel()
    bundle = grid.linked_chart()._repr_mimebundle_()
    assert bundle is not None
    assert "Chart of the selected cells" in bundle[0]["text/html"]
    assert "image/svg+xml" not in bundle[0]


def test_a_chart_of_a_closed_client_is_shown_in_words(make: Make) -> None:
    with al.connect(survey=al.demo_survey(2_400)) as client:
        grid = make(AGES, [WOMEN], client=client)
        chart = grid.linked_chart()
    grid.rows = [WOMEN]
    bundle = chart._repr_mimebundle_()
    assert bundle is not None
    assert "Chart of the selected cells" in bundle[0]["text/html"]


def test_a_saved_chart_is_a_picture_for_those_without_a_kernel(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN])
    bundle = grid.linked_chart()._repr_mimebundle_()
    assert bundle is not None
    assert bundle[0]["image/svg+xml"].startswith("<svg")
    assert "text/html" not in bundle[0]
