"""The crosstab stream on the wire: which cells, which indices, which echoes, which chunks."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from audiencelab.schema.blocks import CELL_METRICS, CELLS, BlockDecoder, CellBlock, CellsHeader
from audiencelab.service import Request, Response, Service
from tests.service.asking import TOKEN, ask, crosstab

MEN = {"id": "men", "name": "Men", "expression": {"question": "q2", "datapoints": ["q2_1"]}}
YOUNG = {"id": "y", "expression": {"question": "q4", "datapoints": ["q4_1"]}}
DAILY = {
    "id": "d",
    "expression": {"question": "q20", "datapoints": ["q20_1"], "suffixes": ["1", 2]},
}


def start(service: Service, body: dict[str, Any], accept: str = "*/*") -> Response:
    headers = {"authorization": TOKEN, "accept": accept}
    encoded = msgspec.json.encode(body)
    return service.handle(Request("POST", "/v2/query/crosstab", "", headers, encoded))


def test_requested_audiences_count_from_one_on_each_axis(service: Service) -> None:
    cells = crosstab(service, rows=[MEN, YOUNG], columns=[DAILY, MEN, YOUNG])
    assert [(cell["row_index"], cell["column_index"]) for cell in cells] == [
        (row, column) for row in (1, 2) for column in (1, 2, 3)
    ]
    ids = [
        (cell["audiences"]["row"]["audience"], cell["audiences"]["column"]["audience"])
        for cell in cells
    ]
    assert ids == [(row, column) for row in ("men", "y") for column in ("d", "men", "y")]


def test_audiences_are_echoed_as_they_were_sent(service: Service) -> None:
    [cell] = crosstab(service, rows=[MEN], columns=[DAILY])
    assert (cell["row"], cell["column"]) == (MEN, DAILY)


def test_an_audience_without_an_id_has_an_empty_one_and_its_own_echo(service: Service) -> None:
    named = {"name": "Everyone", "expression": None}
    [cell] = crosstab(service, rows=[named], columns=[MEN])
    assert cell["audiences"]["row"]["audience"] == ""
    assert cell["row"] == named


@pytest.mark.parametrize("given", ["rows", "columns"])
def test_the_base_is_the_side_that_was_not_given(service: Service, given: str) -> None:
    base = {**YOUNG, "id": "base"}
    cells = crosstab(service, **{given: [MEN, DAILY]}, base_audience=base)
    mine, other = ("row", "column") if given == "rows" else ("column", "row")
    assert [cell[f"{mine}_index"] for cell in cells] == [1, 2]
    for cell in cells:
        assert (cell[f"{other}_index"], cell[other]) == (0, base)
        side = cell["audiences"][other]
        assert (side["audience"], side["percentage"]) == ("base", 100)
        assert (side["size"], side["sample"]) == (cell["base"]["size"], cell["base"]["sample"])


def test_with_neither_side_the_base_stands_on_both(service: Service) -> None:
    for body in ({}, {"rows": [], "columns": []}):
        [cell] = crosstab(service, **body)
        assert (cell["row_index"], cell["column_index"]) == (0, 0)
        assert cell["intersect"]["sample"] == cell["base"]["sample"] == 400
        assert cell["intersect"]["index"] == pytest.approx(100)
        assert "row" not in cell


def test_without_waves_the_last_four_accessible_ones_are_used(service: Service) -> None:
    last_four = ["q1_2023", "q2_2023", "q3_2023", "q4_2023"]
    named = crosstab(service, rows=[MEN], waves=last_four)
    assert crosstab(service, rows=[MEN]) == crosstab(service, rows=[MEN], waves=[]) == named
    every = crosstab(service, rows=[MEN], waves=["q4_2022", *last_four])
    assert every[0]["base"]["sample"] == 500


# ---- the stream ----


def audiences(count: int) -> list[dict[str, Any]]:
    return [{**MEN, "id": f"audience-{place:05}"} for place in range(count)]


def test_chunks_are_whole_lines_of_16_to_64_kib(service: Service) -> None:
    response = start(service, {"rows": audiences(40), "columns": audiences(40)})
    assert response.headers["content-type"] == "application/x-ndjson"
    chunks = list(response.body)
    assert len(b"".join(chunks).splitlines()) == 1600
    assert all(chunk.endswith(b"\n") for chunk in chunks)
    assert all(len(chunk) <= 65536 for chunk in chunks)
    # Only the last chunk of a stripe may be short.
    assert sum(len(chunk) < 16384 for chunk in chunks) <= 4


# ---- columnar blocks ----


def decoded(response: Response) -> tuple[BlockDecoder, list[CellBlock]]:
    decoder = BlockDecoder()
    return decoder, [block for chunk in response.body for block in decoder.feed(chunk)]


def as_cells(header: CellsHeader, blocks: list[CellBlock]) -> list[Any]:
    """What blocks hold, as the objects of the JSON stream."""
    cells: list[Any] = []
    for block in blocks:
        shape = len(block.rows), len(block.columns)
        planes = [np.broadcast_to(each, shape) for each in block.metrics]
        for at in np.ndindex(shape):
            values = dict(zip(CELL_METRICS, (plane[at] for plane in planes), strict=True))
            cell: dict[str, Any] = {
                "audiences": {},
                "base": {name: values[f"base_{name}"] for name in ("size", "sample")},
                "intersect": {
                    name: values[name] for name in ("size", "sample", "percentage", "index")
                },
            }
            for side, axis, positions, share in (
                ("row", header.rows, block.rows, values["column_percentage"]),
                ("column", header.columns, block.columns, values["row_percentage"]),
            ):
                position = positions[at[side == "column"]]
                cell["audiences"][side] = {
                    "audience": axis.ids[position],
                    "size": values[f"{side}_size"],
                    "sample": values[f"{side}_sample"],
                    "percentage": values[f"{side}_base_percentage"],
                    "intersect_percentage": share,
                }
                cell[f"{side}_index"] = axis.first_index + position
                if axis.audiences[position] is not None:
                    cell[side] = axis.audiences[position]
            cells.append(cell)
    return cells


@pytest.mark.parametrize("accept", [CELLS, f"application/json;q=0.5, {CELLS.upper()}; q=1"])
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"rows": [MEN, YOUNG, DAILY], "columns": [DAILY, MEN], "waves": ["q1_2023", "q2_2023"]},
        {"columns": [YOUNG], "base_audience": MEN},
        {"rows": [{"expression": {"question": "waves", "datapoints": ["q2_2023"]}}, MEN]},
    ],
)
def test_blocks_hold_what_the_lines_hold(
    service: Service, body: dict[str, Any], accept: str
) -> None:
    response = start(service, body, accept)
    assert response.headers["content-type"] == CELLS
    decoder, blocks = decoded(response)
    assert decoder.header is not None
    assert decoder.is_complete
    lines = ask(service, "POST", "/v2/query/crosstab", body).lines
    assert as_cells(decoder.header, blocks) == lines


@pytest.mark.parametrize("accept", ["", "*/*", "application/json", "application/x-ndjson"])
def test_who_does_not_ask_for_blocks_gets_lines(service: Service, accept: str) -> None:
    response = start(service, {"rows": [MEN]}, accept)
    assert response.headers["content-type"] == "application/x-ndjson"
    assert "row_index" in msgspec.json.decode(response.read())
