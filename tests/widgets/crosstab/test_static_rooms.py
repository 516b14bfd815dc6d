"""The static form of a grid in its rooms: a notebook's output, and the form in the saved state."""

from __future__ import annotations

import base64
import gzip
import re
from html import unescape
from typing import Any

import pytest

import audiencelab as al
from audiencelab.client import Client
from audiencelab.markup import PRINTED
from audiencelab.render.mime_payload import CROSSTAB
from audiencelab.render.room import NOTEBOOK, PAGE, SAVED, Room
from audiencelab.widgets.crosstab import Crosstab
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.grids import AGES

Lines = list[list[str]]


def drawn(grid: Crosstab, room: Room = NOTEBOOK) -> str:
    return str(grid._static_html(room))  # pyright: ignore[reportPrivateUsage]


def lines(html: str) -> Lines:
    """The rows of the first table as texts, a value of a cell each."""
    table = html.partition("<table")[2].partition("</table>")[0]
    rows = re.findall("<tr.*?</tr>", table)
    cells = [re.findall(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", row) for row in rows]
    return [[_plain(cell) for cell in row] for row in cells]


def _plain(cell: str) -> str:
    return unescape(cell.replace("<br>", "|")).replace("\u00a0", " ")


def audiences(count: int) -> tuple[al.Audience, ...]:
    return tuple(AGES[at % 6].renamed(f"{at} of the audiences") for at in range(count))


@pytest.mark.parametrize("metrics", [["column"], ["column", "index"]])
def test_20_rows_by_15_columns_are_whole_in_a_notebook(
    wire: Wire, small_client: Client, metrics: list[str]
) -> None:
    grid = al.Crosstab(small_client, audiences(20), audiences(15), metrics=metrics).wait(60)
    read = lines(drawn(grid))
    assert "… and" not in drawn(grid)
    assert len(read) == 1 + 2 + 20
    planes: list[Any] = [grid.result.to_wide(metric).to_numpy() for metric in metrics]
    for row, shown in zip(range(20), read[3:], strict=True):
        for column, cell in zip(range(15), shown[3:], strict=True):
            texts = cell.replace(",", "").split("|")
            found = [float(each.strip("▲▼* %")) for each in texts]
            expected = [round(float(values[row, column]), 1) for values in planes]
            assert found == pytest.approx(expected, abs=0.0501)


def test_rows_and_columns_become_fewer_together() -> None:
    for room in (NOTEBOOK, SAVED):
        for rows, columns in [(3_000, 300), (101, 40), (60, 60)]:
            height, width = room.most(rows, columns)
            assert 0.5 * room.cells < height * width <= room.cells
            if rows * columns > room.cells:
                assert height < rows
                assert 8 <= width < columns
                assert height / rows == pytest.approx(width / columns, rel=0.2)
    # A side that is short stays whole.
    assert NOTEBOOK.most(3, 4_000) == (3, 500)
    assert NOTEBOOK.most(4_000, 3) == (500, 3)
    assert NOTEBOOK.most(1, 1) == (1, 1)
    assert PAGE.most(4_000, 400) == (4_000, 400)


def test_what_is_not_shown_is_counted(wire: Wire, small_client: Client) -> None:
    grid = al.Crosstab(small_client, audiences(80), audiences(40)).wait(60)
    html = drawn(grid)
    read = lines(html)
    rows, columns = len(read) - 1 - 2 - 1, len(read[0]) - 3
    assert f"… and {80 - rows} more rows and {40 - columns} more columns" in html
    assert 12 <= rows < 80
    assert 8 <= columns < 40
    assert [row[0] for row in read[3:-1]] == [each.name for each in audiences(rows)]


def test_no_part_is_saved_beside_a_form_that_is_whole(wire: Wire, small_client: Client) -> None:
    small, whole, cut = (
        al.Crosstab(small_client, audiences(rows), audiences(columns)).wait(60)
        for rows, columns in ((6, 6), (20, 15), (80, 40))
    )
    bundles: list[Any] = [each._repr_mimebundle_()[0] for each in (small, whole, cut)]
    assert [CROSSTAB in each for each in bundles] == [True, False, True]
    assert ["… and" in each["text/html"] for each in bundles] == [False, False, True]
    # Documents that are printed have Markdown in any case.
    assert ["\n|14 of the audiences|" in each["text/markdown"] for each in bundles] == [0, 1, 1]


def test_a_transposed_grid_is_transposed(wire: Wire, small_client: Client) -> None:
    grid = al.Crosstab(
        small_client, audiences(5), audiences(9), metrics=["column", "size"], significance="letters"
    ).wait(60)
    straight = lines(drawn(grid))
    assert "Column %" in drawn(grid)
    wire.set_state(grid, transposed=True)
    turned = lines(drawn(grid))
    assert "Row %" in drawn(grid)
    assert [row[0] for row in turned[3:]] == straight[0][3:]
    assert turned[0][3:] == [row[0] for row in straight[3:]]
    swapped = zip(*(row[3:] for row in straight[3:]), strict=True)
    assert [row[3:] for row in turned[3:]] == list(map(list, swapped))
    # The bases of the columns are beside their names, and those of the rows above the columns.
    assert [row[2] for row in turned[3:]] == straight[2][3:]
    assert turned[1][3:] == [row[1] for row in straight[3:]]


def test_the_saved_form_of_5_000_cells_is_whole_and_small(wire: Wire, small_client: Client) -> None:
    grid = al.Crosstab(small_client, audiences(100), audiences(50), metrics=["column", "index"])
    html = drawn(grid.wait(60), SAVED)
    assert "… and" not in html
    assert len(lines(html)) == 1 + 2 + 100
    packed = base64.b64encode(gzip.compress(html.encode(), mtime=0))
    assert len(packed) <= 2_000 + 15 * 5_000
    cut = drawn(al.Crosstab(small_client, audiences(120), audiences(60)).wait(60), SAVED)
    assert re.search("… and [0-9]+ more rows and [0-9]+ more columns", cut)


def test_a_saved_form_is_as_sorted_and_without_what_is_hidden(
    wire: Wire, small_client: Client
) -> None:
    grid = al.Crosstab(small_client, audiences(8), audiences(6)).wait(60)
    grid.arrangement = {
        "rows": {"sort": [{"by": 0, "direction": "descending"}], "hidden": [2]},
        "columns": {"hidden": [1, 3]},
    }
    rows, columns = grid.shown_positions()
    assert (len(rows), len(columns)) == (7, 4)
    read = lines(drawn(grid, SAVED))
    assert [row[0] for row in read[3:]] == [audiences(8)[at].name for at in rows]
    assert read[0][3:] == [audiences(6)[at].name for at in columns]
    assert rows != sorted(rows)


def test_a_wide_table_of_a_notebook_says_how_it_is_printed(
    wire: Wire, small_client: Client
) -> None:
    narrow = drawn(al.Crosstab(small_client, audiences(3), audiences(4)).wait(60))
    wide = drawn(al.Crosstab(small_client, audiences(3), audiences(20)).wait(60))
    assert "<style>" not in narrow
    assert wide.startswith(PRINTED)
    # More columns than paper holds are in two parts, with the names of the rows in each.
    parts = re.findall("<table.*?</table>", wide)
    assert [part.count("scope=col>") for part in parts] == [18, 4]
    names = [re.findall("<th scope=row [^>]*>([^<]*)<", part)[-3:] for part in parts]
    assert names == [[each.name for each in audiences(3)]] * 2
