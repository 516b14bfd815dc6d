"""A crosstab as a notebook saves it: read back to the figures that it was made of.

The page's half reads the same sample (`js/tests/lab/saved`).
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import audiencelab as al
from audiencelab.render.mime_payload import (
    CROSSTAB,
    Saving,
    json_bytes,
    planes_of,
    room_beside,
    saved_crosstab,
)
from audiencelab.results.crosstab import cells_of
from audiencelab.tables import CrosstabResult
from tests.results.samples import HOSTILE, counted, crosstab

SAMPLE = Path(__file__).parents[2] / "js" / "tests" / "lab" / "saved" / "crosstab.json"
ROOM = 6_000

TYPES = {"uint16": "<u2", "float32": "<f4", "float64": "<f8"}


def plane(saved: dict[str, Any], name: str) -> np.ndarray:
    told = planes_of(saved)[name]
    values = np.frombuffer(base64.b64decode(told["data"]), TYPES[told["dtype"]])
    shape = len(saved["rows"]["names"]), len(saved["columns"]["names"])
    kept = values.reshape(told["shape"]).astype(float)
    assert all(mine in (1, full) for mine, full in zip(kept.shape, shape, strict=True))
    return kept if "_own_" in name else np.broadcast_to(kept, shape)


def large(rows: int = 400, columns: int = 100, name: str = "An audience") -> CrosstabResult:
    people = np.random.default_rng(1).integers(0, 60_000, (rows, columns)) + 0.25
    return counted(
        tuple(f"{name} {n}" for n in range(rows)),
        tuple(f"{name} across {n}" for n in range(columns)),
        people,
    )


def sample() -> CrosstabResult:
    """Two groups, a net, and figures of all kinds: small, large, none, and not whole."""
    people = np.array([[40.0, 60.0, 0.0], [25.5, 30.25, 0.0], [1_250_000.125, 80.0, 0.0]])
    result = counted(("Men", "Women", "All of them"), ("Tea", "Coffee", HOSTILE), people)
    made = crosstab(
        tuple(row.name for row in result.rows),
        tuple(column.name for column in result.columns),
        row_groups=(("Gender",), ("Gender",), ()),
        column_groups=(("Drinks", "Hot"), ("Drinks", "Hot"), ("Drinks",)),
        fill=False,
    )
    down, across = np.indices(made.shape)
    planes = cells_of(result).figures(down.ravel(), across.ravel())
    samples = [place for place, name in enumerate(_figures()) if "sample" in name]
    planes[:, samples] = np.ceil(planes[:, samples] / 50)
    cells_of(made).store(down.ravel(), across.ravel(), planes)
    return made


def _figures() -> tuple[str, ...]:
    from audiencelab.results.cells import FIGURES

    return FIGURES


SAMPLE_SAVING = Saving(
    looks={"metrics": ["column_percentage", "index"], "stars": [50, 10]},
    nets=((2,), ()),
    scope="waves: latest 4 · everywhere",
)


def test_all_figures_come_back() -> None:
    table = large(20, 8)
    saved = saved_crosstab(table, ROOM)
    assert saved is not None
    for name in ("size", "row_size", "column_size", "base_size"):
        # Seven digits, which is enough for every share.
        assert plane(saved, name) == pytest.approx(table.values(name), rel=1e-7)
    assert np.array_equal(plane(saved, "row_own_size")[:, 0], table.row_values("row_size"))
    assert np.array_equal(
        plane(saved, "column_own_sample")[0], table.column_values("column_sample")
    )
    assert saved["base"]["size"] == table.base_size
    assert saved["rows"]["names"] == [row.name for row in table.rows]
    assert saved["heat"]["index"]["low"] < 100 < saved["heat"]["index"]["high"]


def test_samples_are_kept_as_they_are_whatever_a_service_says() -> None:
    for value in (12.0, 65_535.0, 65_536.0, 12.5):
        saved = saved_crosstab(crosstab(sample=value), ROOM)
        assert saved is not None
        assert (plane(saved, "sample") == value).all()


@pytest.mark.parametrize("units", ["full", "thousands"])
def test_people_that_are_written_in_full_are_saved_in_full(units: str) -> None:
    people = np.array([[616_490_371.0, 296_797_821.0]])
    saved = saved_crosstab(
        counted(("Men",), ("Tea", "Coffee"), people), ROOM, Saving({"units": units})
    )
    assert saved is not None
    assert plane(saved, "size").tolist() == people.tolist()


def test_what_is_equal_along_a_side_is_saved_once() -> None:
    saved = saved_crosstab(large(20, 8), ROOM)
    assert saved is not None
    shapes = {name: told["shape"] for name, told in saved["planes"].items()}
    assert shapes["size"] == [20, 8]
    assert shapes["row_size"] == [20, 1]
    assert shapes["column_size"] == [1, 8]
    assert shapes["base_size"] == [1, 1]


def test_a_cell_that_has_not_arrived_has_no_size() -> None:
    table = crosstab()
    cells_of(table).withdraw(np.array([1]), np.array([2]))
    saved = saved_crosstab(table, ROOM)
    assert saved is not None
    assert np.isnan(plane(saved, "size")).tolist() == [[False] * 3, [False, False, True]]


def test_nothing_is_saved_of_a_table_of_which_nothing_has_come() -> None:
    assert saved_crosstab(crosstab(fill=False), ROOM) is None
    assert CROSSTAB not in crosstab(fill=False)._repr_mimebundle_()[0]


@pytest.mark.parametrize("room", [1_500, 3_000, 6_000, 12_000])
@pytest.mark.parametrize(("rows", "columns"), [(400, 100), (3, 400), (400, 2), (1, 1)])
def test_a_large_table_is_saved_in_part_within_its_room(rows: int, columns: int, room: int) -> None:
    table = large(rows, columns)
    saved = saved_crosstab(table, room)
    assert saved is not None
    assert json_bytes(saved) <= room
    height, width = len(saved["rows"]["names"]), len(saved["columns"]["names"])
    assert (saved["rows"]["count"], saved["columns"]["count"]) == (rows, columns)
    assert plane(saved, "size") == pytest.approx(table.values("size")[:height, :width], rel=1e-7)
    # Colours mean the same as in the whole table.
    whole = saved_crosstab(table, 12_000)
    assert whole is not None
    assert saved["heat"] == whole["heat"]


def test_more_room_is_used() -> None:
    table = large()
    cells = [
        len(saved["rows"]["names"]) * len(saved["columns"]["names"])
        for room in (2_000, 4_000, 8_000, 12_000)
        if (saved := saved_crosstab(table, room))
    ]
    assert cells == sorted(cells)
    assert cells[-1] >= 500


def test_without_room_for_a_row_there_is_none() -> None:
    assert saved_crosstab(large(), 700) is None
    assert saved_crosstab(crosstab(), -5) is None


def test_names_are_text_and_have_an_end() -> None:
    saved = saved_crosstab(crosstab(rows=(HOSTILE, "x" * 5_000)), ROOM)
    assert saved is not None
    assert saved["rows"]["names"][0] == HOSTILE
    assert len(saved["rows"]["names"][1]) == 120


def test_a_result_shows_it_beside_html_and_words() -> None:
    table = large(20, 8)
    data, metadata = table._repr_mimebundle_()
    assert list(data) == ["text/plain", "text/html", "text/markdown", CROSSTAB]
    assert metadata == {}
    assert data["text/plain"] == repr(table)
    assert data["text/html"] == table._repr_html_()
    assert room_beside(data["text/plain"], data["text/html"], data[CROSSTAB]) >= 0
    json.dumps(data, allow_nan=False)


def test_the_same_table_is_saved_alike_each_time() -> None:
    assert json.dumps(saved_crosstab(large(), ROOM)) == json.dumps(saved_crosstab(large(), ROOM))


def test_the_sample_that_the_page_reads_is_this_one() -> None:
    saved = saved_crosstab(sample(), ROOM, SAMPLE_SAVING)
    assert saved == json.loads(SAMPLE.read_text("utf-8"))


def test_a_table_without_an_index_has_no_heat() -> None:
    saved = saved_crosstab(crosstab(base_size=0), ROOM)
    assert saved is not None
    assert "heat" not in saved


def test_a_table_of_statistics_alone_shows_no_row_of_its_base() -> None:
    client = al.connect()
    alone = client.crosstab(al.mean("Age"), "Gender")
    data, _ = alone._repr_mimebundle_()
    assert CROSSTAB not in data
    assert "All" in data["text/html"]
    assert "| All |" not in data["text/markdown"].split("Base (n)")[1]
    data, _ = client.crosstab(["Gender", al.mean("Age")], "Gender")._repr_mimebundle_()
    assert data[CROSSTAB]["statistics"]["lines"]
