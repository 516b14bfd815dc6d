"""Frames of pandas, polars and pyarrow become the same survey as the file with the same rows."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pytest

from audiencelab.ingest import draft_codebook, from_frame, parse_codebook
from audiencelab.survey import SourceError, Survey, SurveyError, SurveyExistsError
from tests.ingest.sources import CODEBOOK, ROWS, answers, imported, write
from tests.ingest.test_import import checksums
from tests.messages import fails
from tests.survey.counting import counts_by_name as counts


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    return imported(tmp_path_factory.mktemp("import"))


def table(folder: Path) -> pa.Table:
    return pa.csv.read_csv(write(folder, "rows.csv", ROWS))


def categories(found: pa.Table) -> pd.DataFrame:
    frame: pd.DataFrame = found.to_pandas()
    texts = [name for name in frame.columns if pa.types.is_string(found.schema.field(name).type)]
    return frame.astype(dict.fromkeys(texts, "category"))


FRAMES = {
    "pandas": lambda found: found.to_pandas(),
    "pandas with categories": categories,
    "pandas of objects": lambda found: found.to_pandas().astype(object),
    "polars": pl.from_arrow,
    "pyarrow": lambda found: found,
    "a record batch": lambda found: found.combine_chunks().to_batches()[0],
}


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_gives_the_survey_of_the_file(tmp_path: Path, survey: Survey, kind: str) -> None:
    frame: Any = FRAMES[kind](table(tmp_path))
    codebook = write(tmp_path, "codebook.toml", CODEBOOK)
    made = from_frame(frame, codebook, tmp_path / "survey", name="Mine")
    assert checksums(made) == checksums(survey)
    assert made.name == "Mine"
    assert made.import_report is not None
    (source,) = made.import_report["sources"]
    assert (source["file"], source["rows"], source["sha256"]) == ("the frame", 5, "")
    assert source["unused_columns"] == ["id"]


def test_texts_that_are_held_as_bytes_are_texts(tmp_path: Path) -> None:
    frame = pa.table({"a": pa.array(["é ".encode(), b"\xff", None, "é".encode()])})
    survey = from_frame(frame, draft_codebook(frame).codebook, tmp_path / "survey")
    assert counts(survey, "a") == {"é": 2, "\N{REPLACEMENT CHARACTER}": 1}


@pytest.mark.parametrize("compression", ["lz4", "uncompressed"])
def test_a_feather_file_gives_the_same_survey(
    tmp_path: Path, survey: Survey, compression: str
) -> None:
    from audiencelab.ingest import import_survey

    path = tmp_path / "survey.feather"
    pa.feather.write_feather(table(tmp_path), path, compression=compression, chunksize=2)
    codebook = write(tmp_path, "codebook.toml", CODEBOOK)
    assert checksums(import_survey([path], codebook, tmp_path / "survey")) == checksums(survey)


def narrow_with_gaps(cells: dict[str, Any]) -> pd.DataFrame:
    """A frame of pandas' own type for numbers of four bytes, which knows missing values."""
    return pd.DataFrame({name: pd.array(each, "Float32") for name, each in cells.items()})


X = parse_codebook({"questions": [{"code": "x", "name": "X", "column": "x"}]})


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_days_and_truths_are_canonical_whatever_holds_them(tmp_path: Path, library: Any) -> None:
    days = [datetime(2024, 1, 5), datetime(2024, 1, 6, 7), None]
    for number, (given, names) in enumerate(
        [
            (days, ["2024-01-05", "2024-01-06 07:00:00"]),
            ([True, False, None], ["false", "true"]),
            ([1.0, 2.5, None], ["1", "2.5"]),
            ([Decimal("10.00"), Decimal("2.50"), None], ["2.5", "10"]),
            ([b"1.0", b" b ", None], ["1", "b"]),
        ]
    ):
        made = from_frame(library({"x": given}), X, tmp_path / f"survey{number}")
        assert [point.name for point in made.catalogue.question("x").datapoints] == names
        assert answers(made, "w1", "x")[0] == [True, True, False]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, narrow_with_gaps])
def test_a_number_of_four_bytes_is_in_the_band_that_begins_with_it(
    tmp_path: Path, library: Any
) -> None:
    """3.3 in four bytes is 3.2999999523, which was counted one band lower without a word."""
    coded = parse_codebook(
        {
            "questions": [
                {
                    "code": "x",
                    "name": "X",
                    "column": "x",
                    "datapoints": [
                        {"name": "Less", "below": 3.3},
                        {"name": "More", "min": 3.3},
                    ],
                }
            ]
        }
    )
    numbers = np.array([3.2, 3.3, 16_777_217, np.nan], np.float32)
    made = from_frame(library({"x": numbers}), coded, tmp_path / "survey")
    assert counts(made, "x") == {"Less": 1, "More": 2}
    words = from_frame(library({"x": numbers}), X, tmp_path / "words")
    assert counts(words, "x") == {"3.2": 1, "3.3": 1, "16777216": 1}


@pytest.mark.parametrize("holder", [list, np.array, set])
def test_lists_in_a_frame_of_pandas_are_a_multiple_question(tmp_path: Path, holder: Any) -> None:
    cells = [holder([1, 3]), holder([3]), holder([]), None, holder([1, 2, 3])]
    frame = pd.DataFrame({"brands": pd.Series(cells, dtype=object), "sex": [1, 2, 1, 2, 1]})
    draft = draft_codebook(frame)
    brands = draft.codebook.questions[0]
    assert (brands.kind, brands.separator) == ("multiple", ";")
    made = from_frame(frame, draft.codebook, tmp_path / "survey")
    assert counts(made, "brands") == {"1": 2, "2": 1, "3": 3}
    assert answers(made, "w1", "brands")[0] == [True, True, True, False, True]


def test_structures_in_a_frame_of_pandas_stop_nothing() -> None:
    frame = pd.DataFrame({"sex": [1, 2, 1], "deep": [{"x": 1}, {"x": 2}, None]})
    assert draft_codebook(frame).codebook.questions[0].code == "sex"


@pytest.mark.parametrize(
    "column",
    [
        pa.array([10**15], pa.timestamp("s")),
        pa.array([b"\xff"]).view(pa.string()),
    ],
    ids=["a day of no calendar", "text that is no UTF-8"],
)
def test_a_column_of_arrow_that_cannot_be_read_is_named(tmp_path: Path, column: pa.Array) -> None:
    with fails(SurveyError):
        from_frame(pa.table({"x": column}), X, tmp_path / "survey")


HALF = "a\ud800"
HALVES = {
    "a text": pd.DataFrame({"x": [HALF, "b"]}, dtype=object),
    "a list": pd.DataFrame({"x": [[HALF], ["b"]]}),
    "a category": pd.DataFrame({"x": pd.Categorical(pd.Series([HALF, "b"], dtype=object))}),
}


@pytest.mark.parametrize("kind", HALVES)
def test_half_a_character_in_a_frame_of_pandas_is_named_by_its_column(
    tmp_path: Path, kind: str
) -> None:
    codebook = parse_codebook({"questions": [{"code": "x", "name": "X", "column": "x"}]})
    with fails(SourceError):
        draft_codebook(HALVES[kind])
    with fails(SourceError):
        from_frame(HALVES[kind], codebook, tmp_path / "survey")


def test_a_column_named_with_half_a_character_is_refused() -> None:
    frame = pd.DataFrame([[1, 2]], columns=pd.Index(["é" + HALF, "b"], dtype=object))
    with fails(SourceError):
        draft_codebook(frame)


def test_what_is_no_frame_is_refused_with_what_is(tmp_path: Path) -> None:
    with fails(SurveyError):
        from_frame([1], X, tmp_path / "survey")
    with fails(SurveyError):
        from_frame(pd.DataFrame([[1]]), X, tmp_path / "survey")
    assert list(tmp_path.iterdir()) == []


def test_an_existing_survey_is_replaced_only_on_request(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1]})
    from_frame(frame, X, tmp_path / "survey")
    with pytest.raises(SurveyExistsError):
        from_frame(frame, X, tmp_path / "survey")
    assert from_frame(frame, X, tmp_path / "survey", replace=True).waves[0].respondents == 1
