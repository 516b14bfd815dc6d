"""Columns on a shelf are the columns that were put there, whole or in part."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiencelab.ingest import readers as files
from audiencelab.ingest.readers import read_columns
from audiencelab.ingest.readers.frames import frame_source
from audiencelab.ingest.shelf import Shelf, ShelvedColumn

PIECES = st.lists(
    st.tuples(st.sampled_from(["i1", "<i2", "<i4"]), st.lists(st.integers(-1, 100), max_size=9)),
    max_size=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=PIECES, others=PIECES, data=st.data())
def test_a_column_is_what_was_put(
    tmp_path: Path,
    pieces: list[tuple[str, list[int]]],
    others: list[tuple[str, list[int]]],
    data: st.DataObject,
) -> None:
    """Whatever else is put between its pieces, by this shelf or by one of before."""
    with Shelf(tmp_path) as shelf:
        places = []
        for number, (width, codes) in enumerate(pieces):
            places.append(shelf.put(np.array(codes, width)))
            if number < len(others):
                shelf.put(np.array(others[number][1], others[number][0]))
    put = [code for _, codes in pieces for code in codes]
    column = pickle.loads(pickle.dumps(ShelvedColumn(shelf.path, tuple(places), ("a",))))
    assert column.codes.tolist() == put
    rows = (
        data.draw(st.lists(st.sampled_from(range(len(put))), unique=True).map(sorted))
        if put
        else []
    )
    assert column.take(np.array(rows, np.intp)).codes.tolist() == [put[row] for row in rows]


def test_a_source_is_the_same_on_a_shelf_and_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when little is held, and a column that gets many values grows wider on the way."""
    import pyarrow as pa

    monkeypatch.setattr(files, "_CELLS_HELD", 100)
    many = [str(row % 7 if row < 300 else row) for row in range(1_000)]
    batches = [
        pa.record_batch({"many": many[first : first + 40], "few": ["a", None] * 20})
        for first in range(0, 1_000, 40)
    ]
    source = frame_source(pa.Table.from_batches(batches))
    held = read_columns(source, ["many", "few"])
    with Shelf(tmp_path) as shelf:
        table = read_columns(source, ["many", "few"], shelf=shelf)
    for name, expected in held.columns.items():
        column = table.columns[name]
        assert isinstance(column, ShelvedColumn)
        assert len(column.places) > 5
        assert column.values == expected.values
        assert column.codes.tolist() == expected.codes.tolist()
