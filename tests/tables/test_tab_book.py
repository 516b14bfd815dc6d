"""A tab book has the figures of the crosstabs of its questions, and its pages lead to them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import openpyxl
import pytest

import audiencelab as al
from audiencelab.client import Client
from audiencelab.markup import PRINTED
from audiencelab.results.cells import FIGURES
from audiencelab.tables import TabBook
from tests.messages import fails

BANNER = ["Gender", "Age"]
QUESTIONS = ["Finding brands", "Social apps: how often", "Gender", "Ages of the children at home"]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with al.connect() as connected:
        yield connected


@pytest.fixture(scope="module")
def book(client: Client) -> TabBook:
    return client.tab_book(BANNER, QUESTIONS, waves="latest 2")


def test_each_table_is_the_crosstab_of_its_question(client: Client, book: TabBook) -> None:
    assert list(book) == QUESTIONS
    for name in ("Finding brands", "Gender", "Ages of the children at home"):
        alone = client.crosstab(name, BANNER, waves="latest 2")
        for metric in FIGURES:
            assert np.array_equal(
                book[name].values(metric), alone.values(metric), equal_nan=True
            ), (name, metric)
        assert book[name].test().to_wide().equals(alone.test().to_wide())
    assert book["q2"] is book["Gender"]


def test_an_item_on_a_scale_has_a_row_for_each_point(client: Client, book: TabBook) -> None:
    question = client.catalogue["Social apps: how often"]
    table = book["Social apps: how often"]
    assert len(table.rows) == len(question.datapoints) * len(question.suffixes)
    assert table.row_groups[0] == ("Social apps: how often", "Loopa")
    daily = client["Social apps: how often"].any("Clipstream", scale="About once a day")
    alone = client.crosstab([daily], BANNER, waves="latest 2")
    row = next(
        place
        for place, (each, groups) in enumerate(zip(table.rows, table.row_groups, strict=True))
        if each.name == "About once a day" and groups[-1] == "Clipstream"
    )
    assert np.array_equal(table.values("size")[row], alone.values("size")[0])


def test_the_contents_of_a_workbook_lead_to_its_sheets(
    client: Client, book: TabBook, tmp_path: Path
) -> None:
    file = tmp_path / "book.xlsx"
    book.to_excel(file, title="Wave report", levels=95)
    sheets = openpyxl.load_workbook(file)
    contents = sheets["Contents"]
    assert sheets.sheetnames[0] == "Contents"
    assert contents["A1"].value == "Wave report"
    rows = list(contents.iter_rows(min_row=4))
    assert [row[0].value for row in rows if not row[0].hyperlink] == [
        client.catalogue[name].paths[0][0]
        for name in ("Finding brands", "Social apps: how often", "Gender")
    ]
    rows = [row for row in rows if row[0].hyperlink]
    links = [row[0].hyperlink.location for row in rows]
    named = [re.fullmatch(r"'(.+)'!A1", link) for link in links]
    assert [match and match[1] for match in named] == sheets.sheetnames[1:-1]
    titles = [row[1].value for row in rows]
    for (name, table), title, sheet in zip(
        book.items(), titles, sheets.sheetnames[1:-1], strict=True
    ):
        assert title == sheets[sheet]["A1"].value == f"{name} by Gender, Age"
        back = [cell.hyperlink for row in sheets[sheet].iter_rows() for cell in row]
        assert [link.location for link in back if link] == ["'Contents'!A1"]
        shown = {
            round(cell.value, 9)
            for row in sheets[sheet].iter_rows()
            for cell in row
            if isinstance(cell.value, int | float)
        }
        figures = table.values("column_percentage")
        assert {round(float(each), 9) for each in figures[~np.isnan(figures)]} <= shown


def test_the_contents_of_a_page_lead_to_its_tables(book: TabBook) -> None:
    page = book.to_html(title="Wave <report>")
    assert "<title>Wave &lt;report&gt;</title>" in page
    targets = re.findall(r"href='?#(table-\d+)", page)
    assert targets == [f"table-{number}" for number in range(1, len(book) + 1)]
    assert all(re.search(f"id='?{target}\\b", page) for target in targets)
    assert "http" not in page
    for name, table in book.items():
        if name != "Gender":  # of which not all tests are made
            own = table.to_html(metrics=["column"], comparison=table.test())
            assert own.removeprefix(PRINTED) in page


def test_a_banner_of_one_column_is_tested_against_what_is_not_a_column(client: Client) -> None:
    young = client["Age"].isin(["18 to 24", "25 to 34"]).named("Young")
    book = client.tab_book([young], ["Pets"])
    assert "Pets" in book.to_html()
    for vs in ("rest", "total", "rows"):
        own = book["Pets"].to_html(metrics=["column"], comparison=book["Pets"].test(vs=vs))
        assert own.removeprefix(PRINTED) in book.to_html(vs=vs)


@pytest.mark.parametrize("name", ["book.xlsx", "book.pptx", "book.html"])
def test_a_book_is_written_where_it_is_asked_for(client: Client, tmp_path: Path, name: str) -> None:
    client.tab_book("Gender", ["Pets"], to=tmp_path / name)
    assert (tmp_path / name).stat().st_size > 1_000


def test_another_file_is_refused_before_anything_is_counted(client: Client) -> None:
    with fails(ValueError):
        client.tab_book("Gender", to="book.pdf", progress=lambda *_: pytest.fail("counted"))


def test_an_asynchronous_client_makes_the_same_book(book: TabBook) -> None:
    async def made() -> TabBook:
        async with al.connect_async() as client:
            return await client.tab_book(BANNER, QUESTIONS, waves="latest 2")

    other = asyncio.run(made())
    assert list(other) == list(book)
    assert np.array_equal(
        other["Gender"].values("size"), book["Gender"].values("size"), equal_nan=True
    )


def test_a_book_is_listed(book: TabBook) -> None:
    assert repr(book) == "<TabBook of 4 tables × 10 columns>"
    assert "<li>Finding brands</li>" in book._repr_html_()


def test_a_question_is_not_tested_against_itself(book: TabBook) -> None:
    layouts = book._layouts("column", "columns", {})
    gender = [cell.groups == ("Gender",) for cell in layouts["Gender"].banner]
    marks = np.array(layouts["Gender"].marks)
    assert sum(gender) == 3
    assert not np.any(marks[:, gender] != "")
    assert "cells of a question with itself left out" in layouts["Gender"].notes[-1]
    # Beside it, columns of other questions keep the letters that they have alone.
    alone = book["Finding brands"].test().marks()
    assert np.array_equal(np.array(layouts["Finding brands"].marks)[:, 1:], alone)
    assert np.array_equal(marks[:, 4:], book["Gender"].test().marks()[:, 3:])
