"""Drafts of any survey, codebook and number: properties that hold whatever is drafted."""

from __future__ import annotations

import csv
import tomllib
from typing import Any
from unicodedata import normalize

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiencelab.ingest import (
    Codebook,
    draft_codebook,
    from_frame,
    import_survey,
    parse_codebook,
)
from audiencelab.ingest.codebook import CodedDatapoint, CodedQuestion, Source
from audiencelab.ingest.codebook_files import codebook_toml
from audiencelab.ingest.draft.scales import round_bands
from audiencelab.survey import SurveyError
from tests.survey.counting import counts

NAMES = st.one_of(
    st.from_regex(r"(q|v|Q_|store|item r)[0-9]{1,2}(_|r|c|\.)?[0-9]{0,2}", fullmatch=True),
    st.sampled_from(
        ["weight", "wave", "region", "id", "date", "location", "waves", "état", "@1", ""]
    ),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=12),
)
TEXTS = st.one_of(
    st.sampled_from(
        ["yes", "no", "NA", "Not selected", "1;2;", "2;3", "a|b", "-99", "01", "1.0", ";"]
    ),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8),
)
CELLS = st.one_of(
    st.lists(st.sampled_from([1, 2, 3, None]), min_size=6, max_size=6),
    st.lists(st.integers(-99, 2_000) | st.none(), min_size=6, max_size=6),
    st.lists(st.floats() | st.none(), min_size=6, max_size=6),
    st.lists(st.dates().map(str), min_size=6, max_size=6),
    st.lists(st.none() | TEXTS, min_size=6, max_size=6),
    st.lists(st.booleans(), min_size=6, max_size=6),
)
SURVEYS = st.dictionaries(NAMES, CELLS, min_size=1, max_size=8)


@settings(max_examples=80, suppress_health_check=list(HealthCheck))
@given(SURVEYS)
def test_any_draft_applies_as_it_is_and_reads_back(
    tmp_path_factory: pytest.TempPathFactory, columns: dict[str, list[Any]]
) -> None:
    frame = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})
    frame["sure"] = [1, 2, 1, 2, 1, 2]
    try:
        drafted = draft_codebook(frame)
    except SurveyError:  # the weight may be doubtful, and nothing else
        drafted = draft_codebook(frame, weight=None)
    assert parse_codebook(tomllib.loads(drafted.to_toml())) == drafted.codebook
    survey = from_frame(frame, drafted.codebook, tmp_path_factory.mktemp("any") / "survey")
    assert survey.import_report is not None
    assert survey.import_report["unknown_values"] == []
    used = {column for each in drafted.codebook.questions for column in each.columns}
    named = {normalize("NFC", name) for name in frame.columns}
    assert used | drafted.left_out.keys() == named, "none is passed over"


LINES = st.text(st.characters(codec="utf-8"), max_size=20)
VALUES = st.integers() | LINES | st.floats(allow_nan=False) | st.booleans()
POINTS = st.builds(
    CodedDatapoint,
    name=LINES,
    code=st.none() | LINES,
    values=st.lists(VALUES, max_size=3).map(tuple),
    min=st.none() | st.floats(allow_nan=False),
    columns=st.dictionaries(LINES, LINES, max_size=2),
    accessible=st.booleans(),
)
QUESTIONS = st.builds(
    CodedQuestion,
    code=LINES,
    name=LINES,
    labels=st.dictionaries(LINES, LINES, max_size=3),
    datapoints=st.lists(POINTS, max_size=3).map(tuple),
    not_asked=st.none() | st.lists(VALUES, max_size=3).map(tuple),
    across=st.lists(LINES, max_size=2).map(tuple),
)
CODEBOOKS = st.builds(
    Codebook,
    questions=st.lists(QUESTIONS, max_size=3).map(tuple),
    source=st.builds(Source, delimiter=st.none() | LINES, not_selected=st.tuples(VALUES)),
)


@settings(max_examples=150)
@given(CODEBOOKS, LINES)
def test_any_codebook_is_written_as_toml_that_reads_back(codebook: Codebook, why: str) -> None:
    import msgspec

    reasons = {place: [why, f"  {why}"] for place in ("", "study", "source", "end")}
    read = tomllib.loads(codebook_toml(codebook, reasons))
    assert msgspec.convert({"questions": []} | read, Codebook, strict=False) == codebook


NUMBERS = st.dictionaries(
    st.floats(-1e12, 1e12) | st.integers(-1_000, 3_000).map(float), st.integers(1, 50), min_size=1
)


@settings(max_examples=200)
@given(NUMBERS, st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_falls_into_one_band_and_no_band_is_empty(
    numbers: dict[float, int], other: float
) -> None:
    bands = round_bands(numbers)
    assert min(len(numbers), 2) <= len(bands) <= 5
    for number in (*numbers, other):
        assert sum(band.holds(number) for band in bands) == 1
    for band in bands:
        assert any(band.holds(number) for number in numbers)
        assert band.midpoint is not None
    assert len({band.name for band in bands}) == len(bands)


CHOICES = st.lists(st.sets(st.integers(1, 12)), min_size=2, max_size=30)


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(CHOICES, st.sampled_from([";", "|"]), st.booleans(), st.sampled_from(["", " "]))
def test_lists_in_cells_are_counted_value_by_value(
    tmp_path_factory: pytest.TempPathFactory,
    choices: list[set[int]],
    separator: str,
    closed: bool,
    blank: str,
) -> None:
    """However a cell is written: closed by a separator or not, with blanks or without."""
    folder = tmp_path_factory.mktemp("cells")
    with (folder / "s.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["x", "y"])
        for chosen in choices:
            cell = (separator + blank).join(map(str, chosen))
            writer.writerow([cell + separator * (closed and bool(chosen)), 1])
    labels = {str(value): f"Answer {value}" for value in range(1, 13)}
    x = {"code": "x", "name": "X", "kind": "multiple", "column": "x", "separator": separator}
    survey = import_survey(
        [folder / "s.csv"], parse_codebook({"questions": [x | {"labels": labels}, Y]}), folder / "p"
    )
    expected = {f"x_{value}": sum(value in chosen for chosen in choices) for value in range(1, 13)}
    asked = sum(map(bool, choices))
    assert counts(survey, "x") == (expected if asked else {})


Y = {"code": "y", "name": "Y", "column": "y"}
