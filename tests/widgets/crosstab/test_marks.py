"""The marks of a part of a table are those of the whole table's tests."""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import msgspec
import numpy as np
import pytest

import audiencelab as al
from audiencelab.client import Client
from audiencelab.render.mime_payload import CROSSTAB, plane_of
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab import Crosstab
from audiencelab.widgets.crosstab.marks import MAX_TESTS, TableMarks, letter_levels
from audiencelab.widgets.crosstab.metrics import part_of, plane
from audiencelab.widgets.crosstab.ordering import item_values
from audiencelab.widgets.crosstab.protocol import MarksHeader
from audiencelab.widgets.crosstab.tiles import Margins, Tile
from tests.results.samples import crosstab
from tests.widgets.conftest import Wire
from tests.widgets.crosstab import designed
from tests.widgets.crosstab.conftest import Make
from tests.widgets.crosstab.grids import AGES, MEN, WOMEN, ask, refused
from tests.widgets.crosstab.test_tiles import read
from tests.widgets.gated import GatedClient

FIVE = np.arange(5), np.arange(5)
HOLLOW = str.maketrans("▲▼", "△▽")
FEW = al.Q("q2").any("q2_0") & al.Q("q3").any("q3_0") & al.Q("q4").any("q4_0")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with al.open(designed.build(tmp_path_factory.mktemp("designed") / "survey")) as client:
        yield client


@pytest.fixture(scope="module")
def large(client: Client) -> CrosstabResult:
    """200 × 60."""
    rows = {f"Q{at}": f"Q{at}" for at in (0, *range(13, 52))}
    return client.crosstab(rows, {f"Q{at}": f"Q{at}" for at in range(1, 13)})


def parts(shape: tuple[int, int], height: int, width: int) -> Iterator[Any]:
    for row in range(0, shape[0], height):
        for column in range(0, shape[1], width):
            rows = np.arange(row, min(shape[0], row + height))
            columns = np.arange(column, min(shape[1], column + width))
            # Not in the order of the query, as in a sorted table.
            yield rows[::-1], columns


def test_arrows_of_every_part_are_those_of_the_whole_table(large: CrosstabResult) -> None:
    marks, whole = TableMarks(large), large.test(vs="rest", levels=(0.99, 0.95))
    expected = whole.marks()
    assert (expected != "").sum() > 100
    for rows, columns in parts(large.shape, 64, 30):
        found, at = marks.of(rows, columns), np.ix_(rows, columns)
        strict, usual = found.arrows(0.99), found.arrows(0.95)
        shown = np.where(strict != "", strict, np.char.translate(usual.astype(str), HOLLOW))
        np.testing.assert_array_equal(shown, expected[at])
        np.testing.assert_allclose(found.z, whole.outcome.z[at], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.p, whole.outcome.p[at], rtol=1e-9)
        assert found.method.split(",")[1] == whole.method_note.split(",")[1]


def test_letters_of_every_part_are_those_of_the_whole_table(large: CrosstabResult) -> None:
    marks, whole = TableMarks(large), large.test(levels=letter_levels(0.95)).marks()
    assert (whole != "").sum() > 100
    # 22 columns: parts begin and end inside of groups.
    for rows, columns in parts(large.shape, 64, 22):
        found = marks.letters(rows, columns, 0.95)
        np.testing.assert_array_equal(found.marks, whole[np.ix_(rows, columns)])
        assert found.column_letters == tuple("ABCDE"[at % 5] for at in columns)


def test_marks_of_a_small_table_are_those_of_the_whole_table(large: CrosstabResult) -> None:
    small = part_of(large, range(20), range(10))
    marks, some, few = TableMarks(small), np.array([3, 1]), np.array([7])
    first = marks.of(some, few)
    np.testing.assert_array_equal(first.z, small.test(vs="rest").outcome.z[np.ix_(some, few)])


def test_answers_about_parts_are_not_kept_with_the_table(large: CrosstabResult) -> None:
    before = len(pickle.dumps(large))
    TableMarks(large).of(np.arange(5), np.arange(3))
    assert len(pickle.dumps(large)) == before


def test_a_column_that_is_the_base_of_some_rows_alone_is_compared_in_them() -> None:
    """As in the whole table: only a column that is all of every base is a total."""
    many = 1_100
    bases = np.repeat([[500, 500], [1000, 1000]], many // 2, axis=0)
    result = crosstab(
        rows=tuple(f"Row {at}" for at in range(many)),
        columns=("Some", "All"),
        size=np.tile([300, 100], (many, 1)),
        sample=np.tile([300, 100], (many, 1)),
        column_size=500,
        column_sample=500,
        base_size=bases,
        base_sample=bases,
    )
    whole = result.test()
    assert whole.marks().tolist() == [["B", ""]] * many
    found = TableMarks(result).letters(np.array([0]), np.array([0, 1]), 0.95)
    np.testing.assert_array_equal(found.marks, whole.marks()[:1])
    assert found.column_letters == ("A", "B")


def test_cells_that_are_not_tested_say_why(client: Client) -> None:
    table = client.crosstab("Q0", {"Q1": "Q1", "Few": [al.Audience("Few", FEW)]})
    found = TableMarks(table).of(np.arange(5), np.arange(6))
    assert np.isnan(found.z[:, 5]).all()
    assert (found.level[:, 5] == 0).all()
    assert {found.reasons[at] for at in found.which[:, 5]} == {"base under 30"}
    assert {found.reasons[at] for at in found.which[:, 0]} == {""}


def test_a_service_of_unknown_design_is_named(large: CrosstabResult) -> None:
    foreign = part_of(large, range(5), range(5))
    foreign.ask = None
    found = TableMarks(foreign).of(np.arange(5), np.arange(5))
    assert found.short == "design unknown"
    assert np.isfinite(found.z).all()
    ours = TableMarks(part_of(large, range(5), range(5))).of(np.arange(5), np.arange(5))
    assert ours.short.startswith("t test (35 to 36 degrees of freedom), ")


def test_a_design_without_variance_has_no_marks_and_a_reason(tmp_path: Path) -> None:
    """Every stratum has one cluster."""
    with al.open(designed.build(tmp_path / "lonely", lonely=True)) as client:
        marks = TableMarks(client.crosstab("Q0", "Q1"))
        tests, letters = marks.of(*FIVE), marks.letters(*FIVE, 0.95)
    assert not tests.level.any()
    assert not letters.marks.any()
    assert tests.problem == letters.problem
    assert tests.problem.startswith("Every stratum has a single cluster")


def test_too_many_letters_are_left_to_python(large: CrosstabResult) -> None:
    many = CrosstabResult(
        tuple(al.Audience(f"R{at}", WOMEN.expression) for at in range(200)),
        tuple(al.Audience(f"C{at}", WOMEN.expression) for at in range(80)),
    )
    found = TableMarks(many).letters(np.arange(3), np.arange(2), 0.95)
    assert found.marks.tolist() == [["", ""]] * 3
    assert f"632,000 tests are more than {MAX_TESTS:,}" in found.problem
    assert "grid.result.test()" in found.problem


# -- for the page ---------------------------------------------------------------------------------


def test_the_page_gets_tests_and_letters_as_a_tile(make_complete: Make, wire: Wire) -> None:
    grid = make_complete([WOMEN, MEN], AGES)
    place = {"rows": [1, 0], "columns": {"start": 2, "stop": 5}}
    answer = ask(wire, grid, "marks", **place, letters=0.99)
    header = msgspec.convert(answer.content["data"], MarksHeader)
    tile = Tile(header, bytes(answer.buffers[0]))
    at = np.ix_([1, 0], range(2, 5))
    rest = grid.result.test(vs="rest")
    np.testing.assert_array_equal(read(tile, "z"), rest.outcome.z[at])
    np.testing.assert_array_equal(read(tile, "p"), rest.outcome.p[at])
    letters = grid.result.test(levels=(0.99, 0.95))
    texts = np.array(header.texts)[read(tile, "letters").astype(int)]
    np.testing.assert_array_equal(texts, letters.marks()[at])
    assert header.column_letters == ("C", "D", "E")
    assert header.method == rest.method_note
    assert "capital 99%" in header.letters_legend
    assert len(answer.buffers[0]) < 400
    plain = ask(wire, grid, "marks", **place).content["data"]
    assert plain["texts"] == []
    assert wire.state(grid)["_levels"] == [0.9, 0.95, 0.99]


@pytest.mark.parametrize("significance", ["arrows", "letters", "none"])
def test_files_of_the_page_have_the_marks(client: Client, wire: Wire, significance: Any) -> None:
    grid = Crosstab(client, "Q0", "Q1", significance=significance).wait(60)
    place = {"rows": {"start": 0, "stop": 5}, "columns": {"start": 0, "stop": 5}}
    page = ask(wire, grid, "export", **place, format="html").buffers[0]
    written = re.findall(r">([▲▼]|[A-Ea-e]+)[\u00a0 ]\d", bytes(page).decode())
    tests = {"arrows": {"vs": "rest", "levels": 0.95}, "letters": {}}
    marks = grid.result.test(**tests[significance]).marks() if significance in tests else None
    expected = [] if marks is None else [each for each in marks.ravel() if each]
    assert written == [each.replace(" ", "") for each in expected]
    book = ask(wire, grid, "export", **place, format="xlsx").buffers[0]
    texts = ZipFile(io.BytesIO(bytes(book))).read("xl/sharedStrings.xml").decode()
    assert ("▲" in texts) == (significance == "arrows")
    grid.close()


def test_a_growing_table_has_no_marks_yet(make: Make, wire: Wire, small_client: Client) -> None:
    gated = GatedClient(small_client)
    grid = make(AGES, [WOMEN], client=gated)
    place = {"rows": [0], "columns": [0]}
    assert "when the table is complete" in refused(wire, grid, "marks", **place)
    grid.close()


def test_sorting_and_filtering_go_by_the_test(large: CrosstabResult) -> None:
    z, confidence = plane(large, "z"), plane(large, "confidence")
    assert ((confidence >= 95) == (large.test(vs="rest", levels=0.95).marks() == "▲")).all()
    margins = Margins.of(large)
    one = item_values(large, margins, "rows", 3, "z")
    np.testing.assert_allclose(one, z[:, 3], rtol=1e-9)
    beyond = item_values(large, margins, "columns", "farthest", "confidence")
    np.testing.assert_array_equal(beyond, np.nanmax(np.abs(confidence), axis=0))


# -- saved ----------------------------------------------------------------------------------------


def test_saved_forms_have_the_marks(client: Client) -> None:
    grid = Crosstab(client, ["Q0", "Q20"], ["Q1", "Q2"], metrics=["column_percentage", "z"])
    grid.significance = "letters"
    grid.wait()
    bundle = grid._repr_mimebundle_()[0]  # pyright: ignore -- Jupyter calls it
    rest, letters = grid.result.test(vs="rest"), grid.result.test()
    saved = bundle[CROSSTAB]
    np.testing.assert_array_equal(
        plane_of(saved["planes"]["level"]) - 100, TableMarks(grid.result).of(*every(grid)).level
    )
    np.testing.assert_allclose(plane_of(saved["planes"]["z"]), rest.outcome.z, rtol=1e-6)
    texts = np.array(saved["marks"]["texts"])[plane_of(saved["planes"]["letters"]).astype(int)]
    np.testing.assert_array_equal(texts, letters.marks())
    assert saved["marks"]["column_letters"] == list("ABCDE" * 2)
    assert saved["looks"]["significance"] == "letters"
    html = bundle["text/html"]
    written = {str(mark).replace(" ", "") for mark in letters.marks().ravel() if mark}
    assert all(f">{mark} " in html for mark in written)
    grid.close()


def every(grid: Crosstab) -> tuple[Any, Any]:
    rows, columns = grid.result.shape
    return np.arange(rows), np.arange(columns)
