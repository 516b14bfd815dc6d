"""Decks: tables and charts in order, counted when they are written; figures against the frame."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openpyxl import load_workbook
from pptx import Presentation

import audiencelab as al
from audiencelab.client import Client
from audiencelab.client.errors import ConnectionFailed, RequestLine
from audiencelab.expressions import Q
from audiencelab.widgets.crosstab import Crosstab, Deck
from audiencelab.widgets.crosstab.deck_item import DeckItem
from tests.messages import fails
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.conftest import Make
from tests.widgets.crosstab.grids import AGES, MEN, WOMEN, ask, refused

GONE = al.Audience("Gone", Q("q_gone").any("q_gone_1"))


def written(deck: Deck, **options: Any) -> Any:
    made = io.BytesIO()
    deck.to_pptx(made, **options)
    return Presentation(made)


def charted(deck: Any) -> dict[tuple[str, str], float]:
    """The figures of all data sheets by column and row."""
    found: dict[tuple[str, str], float] = {}
    for chart in (
        shape.chart for slide in deck.slides for shape in slide.shapes if shape.has_chart
    ):
        sheet = load_workbook(io.BytesIO(chart.part.chart_workbook.xlsx_part.blob)).worksheets[0]
        (_, *heads), *lines = sheet.iter_rows(values_only=True)
        for name, *values in lines:
            for head, value in zip(heads, values, strict=True):
                if name and head and isinstance(value, int | float):
                    found[str(head).partition(" (n = ")[0], str(name)] = value
    return found


def shares_of(frame: Any) -> dict[tuple[str, str], float]:
    return {
        (line.column, line.row): line.column_percentage for line in frame.itertuples(index=False)
    }


def test_the_data_sheets_of_charts_are_the_frame(make: Make, small_client: Client) -> None:
    grid = make(AGES, [WOMEN, MEN])
    deck = Deck(small_client)
    deck.add(grid, chart="bar")
    deck.add(grid)
    made = written(deck)
    shares = shares_of(grid.to_frame())
    assert charted(made) == pytest.approx(shares, rel=1e-12)
    tables = [each.table for slide in made.slides for each in slide.shapes if each.has_table]
    cells = {cell.text for table in tables for row in table.rows for cell in row.cells}
    assert {f"{share:.1f}%".split("%")[0] for share in shares.values()} <= {
        cell.split("%")[0] for cell in cells
    }


def test_what_is_hidden_and_sorted_is_so_on_slides(make: Make, small_client: Client) -> None:
    grid = make(AGES, [WOMEN, MEN], hide_under=100, metric="row_percentage")
    grid.arrangement = {
        "rows": {"sort": [{"by": 1, "direction": "descending"}]},
        "columns": {"hidden": [0]},
    }
    deck = Deck(small_client)
    deck.add(grid, chart="bar")
    shown = charted(written(deck))
    few = grid.result.row_values("row_sample") < 100
    assert 0 < few.sum() < len(AGES)
    values = grid.result.values("row_percentage")[:, 1]
    order = np.argsort(np.where(few, -np.inf, -values), kind="stable")
    expected = {("Men", AGES[at].name): values[at] for at in order if not few[at]}
    assert shown == pytest.approx(expected)
    kept = [name for _, name in shown]
    assert kept == sorted(kept, key=lambda name: -shown["Men", name])


def test_code_makes_the_same_deck(make: Make, small_client: Client) -> None:
    grid = make(
        {"Age": AGES}, [WOMEN, MEN], base_audience=WOMEN, hide_under=75, significance="letters"
    )
    grid.arrangement = {"rows": {"sort": [{"by": 1, "direction": "descending"}], "hidden": [2]}}
    deck = Deck(small_client, "house.pptx")
    deck.add(grid, "Ages")
    deck.add(small_client.crosstab("q4", "q2"), chart="auto", sort="value")
    deck.add(small_client.crosstab(["q4", small_client["q4"].mean()], "q2").chart.bar())
    again = Deck(small_client)
    exec(deck.to_code("again"), {"al": al, "client": small_client, "again": again})

    def parts(item: DeckItem) -> Any:
        query = item.query
        axes = [(axis, axis.groups) for axis in (query.rows, query.columns) if axis is not None]
        rest = (query.scope, query.statistics, dict(item.table), item.arrangement)
        return axes, *rest, item.chart, item.headline

    assert [*map(parts, again)] == [*map(parts, deck)]
    assert again.template == "house.pptx"


def test_the_page_changes_the_deck(make: Make, wire: Wire, small_client: Client) -> None:
    grid = make(AGES, [WOMEN, MEN])
    grid.use_deck(deck := Deck(small_client))

    def edit(**change: Any) -> None:
        wire.request(grid, "deck", change)

    def listed() -> list[tuple[int, str, str]]:
        items = wire.state(grid)["_deck"]["items"]
        return [(each["number"], each["kind"], each["headline"]) for each in items]

    generation = wire.state(grid)["_table"]["generation"]
    edit(do="add", generation=generation)
    edit(do="add", generation=generation, rows=[2, 0], columns=[1], chart=True)
    edit(do="rename", number=1, headline="  All\nages ")
    edit(do="move", number=2, to=0)
    assert listed() == [(2, "chart", ""), (1, "table", "All ages")]
    assert [row.name for row in deck[0].query.rows or ()] == ["Age 3", "Age 1"]
    edit(do="remove", number=1)
    edit(do="undo")
    assert listed() == [(2, "chart", ""), (1, "table", "All ages")]
    assert wire.state(grid)["_deck"]["undo"] == "move"
    edit(do="show", number=2)
    assert grid.result.shape == (2, 1)
    assert refused(wire, grid, "deck", do="remove", number=9) == (
        "This slide is no longer in the deck."
    )


def test_what_is_gone_is_named_and_left_out(
    make: Make, wire: Wire, small_client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    grid = make(AGES, [WOMEN, MEN])
    grid.use_deck(deck := Deck(small_client))
    deck.put(DeckItem(make([GONE], [WOMEN]).value, headline="No more"))
    deck.add(grid)
    (tmp_path / "deck.pptx").write_bytes(b"mine")
    answer = wire.request(grid, "write_deck", {"beside": True})
    header = answer.content["data"]
    assert [each["name"] for each in header["skipped"]] == ["No more"]
    assert "q_gone" in header["skipped"][0]["why"]
    assert (header["name"], header["beside"]) == ("deck-2.pptx", True)
    assert (tmp_path / "deck-2.pptx").read_bytes() == answer.buffers[0]
    assert (tmp_path / "deck.pptx").read_bytes() == b"mine"
    assert len(Presentation(io.BytesIO(answer.buffers[0])).slides) == 1
    assert len(deck) == 2
    with fails(al.AudienceError):
        deck.to_pptx(tmp_path / "all.pptx")
    del deck[1]
    assert "None of it can be counted" in refused(wire, grid, "write_deck")


def test_a_service_that_fails_ends_the_file(
    make: Make, wire: Wire, small_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid: Crosstab = make(AGES, [WOMEN, MEN])
    grid.use_deck(deck := Deck(small_client))
    deck.add(grid)

    def fail(*_: object, **__: object) -> None:
        raise ConnectionFailed("The service does not answer.", RequestLine("POST", "/v2/query"))

    monkeypatch.setattr(type(small_client), "crosstab_stream", fail)
    assert "The service does not answer." in refused(wire, grid, "write_deck")
    grid.restart()
    grid._session.loader.settle(None)
    for op, args in (
        ("export", {"format": "xlsx", "rows": [0], "columns": [0]}),
        ("export", {"format": "chart_png", "rows": [], "columns": []}),
        ("deck", {"do": "add"}),
    ):
        assert "could not be counted" in refused(wire, grid, op, **args)


def test_a_template_is_one_that_opens(
    make: Make, wire: Wire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Presentation().save(str(tmp_path / "house.pptx"))
    (tmp_path / "broken.pptx").write_bytes(b"PK")
    grid = make(AGES, [WOMEN])
    listed = ask(wire, grid, "templates").content["data"]
    assert listed == {"names": ["broken.pptx", "house.pptx"]}
    ask(wire, grid, "deck", do="template", name="house.pptx")
    assert grid.deck.template == "house.pptx"
    for name in ("broken.pptx", "../house.pptx", "none.pptx"):
        assert name in refused(wire, grid, "deck", do="template", name=name)
    ask(wire, grid, "deck", do="template", name="")


def test_only_tables_are_taken(small_client: Client) -> None:
    deck = Deck(small_client)
    with fails(TypeError):
        deck.add(small_client.stats("q2"))
    with fails(TypeError):
        deck.add(small_client.crosstab("q4", "q2"), sorted=True)
    with fails(al.AudienceError):
        deck.add(small_client.crosstab("q4", "q2"), chart="pie")
    with fails(al.AudienceError):
        deck.to_pptx(io.BytesIO())


def test_a_chart_leaves_out_what_the_table_hides(make: Make, wire: Wire) -> None:
    grid = make(AGES, [WOMEN, MEN], hide_under=100, metric="row_percentage")
    few = [
        row.name
        for row, n in zip(AGES, grid.result.row_values("row_sample"), strict=True)
        if n < 100
    ]
    assert 0 < len(few) < len(AGES)
    lines = next(each for each in grid.chart("bar").to_dict()["datasets"].values() if len(each) > 2)
    shown = {line["label"] for line in lines if line["value"] is not None}
    assert shown == {row.name for row in AGES} - {*few}
