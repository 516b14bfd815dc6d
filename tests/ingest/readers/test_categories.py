"""Categories of pandas, polars and Arrow: they are read, and an order that they have is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from audiencelab.ingest import draft_codebook, from_frame, import_survey, parse_codebook
from tests.survey.counting import counts_by_name

SCALE = ["Very dissatisfied", "Dissatisfied", "Neither", "Satisfied", "Very satisfied"]
GIVEN = ["Satisfied", "Neither", None, "Very satisfied", "Very dissatisfied", "Satisfied"]
COUNTED = {"Very dissatisfied": 1, "Neither": 1, "Satisfied": 2, "Very satisfied": 1}
QUESTIONS = {"questions": [{"code": "q", "name": "Q", "column": "q"}]}


def ordered_arrow() -> pa.Table:
    indices = pa.array([None if each is None else SCALE.index(each) for each in GIVEN], pa.uint8())
    return pa.table({"q": pa.DictionaryArray.from_arrays(indices, SCALE, ordered=True)})


def pandas_frame(*, ordered: bool) -> pd.DataFrame:
    return pd.DataFrame({"q": pd.Categorical(GIVEN, SCALE, ordered=ordered)})


FRAMES: dict[str, Any] = {
    "pandas, ordered": lambda: pandas_frame(ordered=True),
    "pandas, in an order of its own": lambda: pandas_frame(ordered=False),
    "polars Enum": lambda: pl.DataFrame({"q": pl.Series(GIVEN, dtype=pl.Enum(SCALE))}),
    "arrow": ordered_arrow,
}


@pytest.mark.parametrize("kind", FRAMES)
def test_the_order_of_categories_is_the_order_of_the_datapoints(tmp_path: Path, kind: str) -> None:
    frame = FRAMES[kind]()
    for place, codebook in enumerate((draft_codebook(frame).codebook, parse_codebook(QUESTIONS))):
        survey = from_frame(frame, codebook, tmp_path / f"{place}")
        assert list(counts_by_name(survey, "q").items()) == list(COUNTED.items())


@pytest.mark.parametrize("name", ["survey.parquet", "survey.feather", "polars.parquet"])
def test_the_order_of_categories_in_a_file_is_kept(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "survey.parquet":
        parquet.write_table(ordered_arrow(), path, row_group_size=2)
    elif name == "survey.feather":
        feather.write_feather(ordered_arrow(), str(path), chunksize=2)
    else:
        FRAMES["polars Enum"]().write_parquet(path)
    for place, codebook in enumerate((draft_codebook(path).codebook, parse_codebook(QUESTIONS))):
        survey = import_survey([path], codebook, tmp_path / f"{place}")
        assert list(counts_by_name(survey, "q").items()) == list(COUNTED.items())


def test_the_scale_of_a_grid_has_the_order_of_its_categories() -> None:
    frame = pd.concat([pandas_frame(ordered=True)["q"]] * 2, axis=1, keys=["mood_1", "mood_2"])
    [grid] = draft_codebook(frame).codebook.questions
    assert (grid.kind, [each.name for each in grid.suffixes]) == ("grid", list(COUNTED))


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"q": pl.Series(["b", "a", None, "b"], dtype=pl.Categorical)}),
        pd.DataFrame({"q": pd.Series(["b", "a", None, "b"], dtype="category")}),
    ],
    ids=["polars", "pandas"],
)
def test_categories_without_an_order_stand_by_name(tmp_path: Path, frame: Any) -> None:
    survey = from_frame(frame, draft_codebook(frame).codebook, tmp_path / "survey")
    assert list(counts_by_name(survey, "q").items()) == [("a", 1), ("b", 2)]


def test_numbers_as_categories_without_an_order_stand_by_size(tmp_path: Path) -> None:
    frame = pd.DataFrame({"q": pd.Series(["10", "9", "10"], dtype="category")})
    survey = from_frame(frame, draft_codebook(frame).codebook, tmp_path / "survey")
    assert list(counts_by_name(survey, "q")) == ["9", "10"]
