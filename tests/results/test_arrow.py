"""Results as Arrow streams: three libraries that nobody here wrote read the same figures."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audiencelab.results.stats import StatsLabels
from audiencelab.schema import CalcAttribute, CalcData, StatsGroup
from audiencelab.tables import ChartCalculationResult
from audiencelab.tables.base import Exporting
from tests.messages import fails
from tests.results.samples import by_wave, crosstab, metrics, row, stats

polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")


def calculation() -> ChartCalculationResult:
    attribute = CalcAttribute(question_code="q1", datapoint_code="q1_1", datapoint_label="Tea")
    data = [CalcData(metrics(), waves=["q1_2024"])]
    return ChartCalculationResult(
        "c1", (StatsGroup(group_id=0, attributes=[attribute], data=data),), provenance={"chart": 1}
    )


RESULTS: dict[str, Exporting] = {
    "stats": by_wave(["q1_2024", "q2_2024"], missing="q2_2024"),
    "suffixes": stats(row(suffixes=[1, 2]), row("q1_2", suffixes=[1, 2])),
    "no stats": stats(),
    "crosstab": crosstab(column_size=np.array([[0.0, 2.0, 2.0]] * 2)),
    "no cells": crosstab(fill=False),
    "calculation": calculation(),
}


def plain(result: Exporting) -> dict[str, list[Any]]:
    """The frame as a reader of Arrow has to see it: null for NaN, texts for suffixes."""
    frame = result.to_frame()

    def value(name: str, each: Any) -> Any:
        if isinstance(each, tuple):
            return [str(code) for code in each]
        return None if isinstance(each, float) and np.isnan(each) else each

    return {name: [value(name, each) for each in frame[name]] for name in frame}


@pytest.mark.parametrize("name", RESULTS)
def test_every_reader_sees_the_frame(name: str) -> None:
    result = RESULTS[name]
    expected = plain(result)
    assert pyarrow.table(result).to_pydict() == expected
    assert polars.DataFrame(result).to_dict(as_series=False) == expected
    with duckdb.connect() as base:
        relation = base.sql("select * from result")
        assert relation.columns == list(expected)
        found = relation.fetchall()
    assert [list(line) for line in found] == [
        list(line) for line in zip(*expected.values(), strict=True)
    ]


def test_types_are_the_same_whatever_stands_in_the_columns() -> None:
    full, empty = (pyarrow.table(RESULTS[name]).schema for name in ("suffixes", "no stats"))
    assert full.field("suffixes").type == empty.field("suffixes").type
    assert full.field("waves").type == pyarrow.list_(pyarrow.string())
    assert full.field("index").type == empty.field("index").type
    assert full.field("datapoint_label").type.ordered


def test_figures_are_not_copied() -> None:
    from audiencelab.results.arrow import arrow_table

    frame = crosstab().to_frame()
    figures = frame["index"].to_numpy()
    [chunk] = arrow_table(frame)["index"].chunks
    assert np.shares_memory(chunk.to_numpy(zero_copy_only=False), figures)


def test_the_provenance_travels_along() -> None:
    metadata = pyarrow.table(crosstab()).schema.metadata
    assert json.loads(metadata[b"audiencelab"]) == crosstab().to_frame().attrs


def test_pandas_has_the_provenance_back() -> None:
    frame = crosstab().to_frame()
    if pyarrow.Table.from_pandas(frame).to_pandas().attrs != frame.attrs:
        pytest.skip(f"pyarrow {pyarrow.__version__} keeps no attributes of any frame")
    assert pyarrow.table(crosstab()).to_pandas().attrs == frame.attrs


def test_without_pyarrow_it_says_what_to_install(not_installed: Callable[[str], None]) -> None:
    not_installed("pyarrow")
    with fails(ImportError):
        stats(row()).__arrow_c_stream__()
    with fails(ImportError):
        stats(row()).to_arrow()


def test_without_polars_it_says_what_to_install(not_installed: Callable[[str], None]) -> None:
    not_installed("polars")
    with fails(ImportError):
        stats(row()).to_polars()


@pytest.mark.parametrize("name", RESULTS)
def test_polars_and_arrow_have_the_frame(name: str) -> None:
    result = RESULTS[name]
    assert result.to_arrow().to_pydict() == plain(result)
    assert result.to_polars().to_dict(as_series=False) == plain(result)


@pytest.mark.parametrize("name", RESULTS)
def test_a_csv_file_has_the_frame_in_full_precision(name: str, tmp_path: Path) -> None:
    result = RESULTS[name]
    path = tmp_path / "result.csv"
    assert result.to_csv(path) is None
    assert path.read_text(encoding="utf-8-sig") == result.to_csv()
    with fails(ValueError):
        result.to_csv(path.with_name("table.xlsx"))
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = list(csv.DictReader(file))
    frame = result.to_frame()
    assert len(lines) == len(frame)
    for column in frame.select_dtypes("float"):
        assert [float(line[column] or "nan") for line in lines] == pytest.approx(
            frame[column].tolist(), rel=0, abs=0, nan_ok=True
        )
    if "waves" in frame:
        assert [tuple(line["waves"].split()) for line in lines] == frame["waves"].tolist()


def test_labels_in_a_csv_are_no_formulas() -> None:
    labels = StatsLabels(datapoints={"q1_1": "=1+1"})
    result = stats(row(), labels=labels)
    [line] = csv.DictReader(io.StringIO(result.to_csv()))
    assert line["datapoint_label"] == "'=1+1"
    written = io.BytesIO()
    result.to_csv(written)
    assert written.getvalue().startswith(b"\xef\xbb\xbfquestion,")
