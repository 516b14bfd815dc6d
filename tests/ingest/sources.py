"""A small survey written by the tests, in every form that an import reads."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from audiencelab.ingest import import_survey
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import ReadColumns, open_file, read_columns
from audiencelab.survey import QuestionBits, Survey
from audiencelab.survey.answers import unpack

ROWS = """\
id,where,sex,tea,coffee,milk,drinks,fun,work,age,weight,round
1,north,1,yes,no,,1;3,Often,Never,19,1.5,a
2,south,2,no,yes,,2,Often,Often,34,0.5,a
3,south,2,,,,,,,70,1,a
4,north,9,no,no,,99,Never,,20,1,b
5,,1,yes,yes,,3;2;1,,Often,25.5,2,b
"""

CODEBOOK = """
[study]
name = "Tea and coffee"
location = "where"

[weight]
column = "weight"

[wave]
column = "round"

[[waves]]
code = "w1"
value = "a"
starts = 2024-01-01
ends = 2024-01-31

[[waves]]
code = "w2"
value = "b"
starts = 2024-02-01

[[questions]]
code = "where"
name = "Where"
column = "where"
labels = { north = "The north", south = "The south" }

[[questions]]
code = "sex"
name = "Sex"
column = "sex"
not_selected = [9]
labels = { 1 = "Male", 2 = "Female" }

[[questions]]
code = "hot"
name = "Hot drinks"
kind = "multiple"
selected = ["yes"]
not_selected = ["no"]
datapoints = [
  { name = "Tea", column = "tea" },
  { name = "Coffee", column = "coffee" },
  { name = "Milk", column = "milk" },
]

[[questions]]
code = "all"
name = "All drinks"
kind = "multiple"
column = "drinks"
separator = ";"
not_selected = [99]
labels = { 1 = "Tea", 2 = "Coffee", 3 = "Milk" }

[[questions]]
code = "mood"
name = "How often"
kind = "grid"
datapoints = [{ name = "Fun", column = "fun" }, { name = "Work", column = "work" }]
suffixes = [
  { name = "Often", value = "Often", midpoint = 20 },
  { name = "Never", value = "Never", midpoint = 0 },
]

[[questions]]
code = "age"
name = "Age"
column = "age"
datapoints = [
  { name = "Under 25", max = 24, midpoint = 20 },
  { name = "25 to 34", min = 25, below = 35, midpoint = 30 },
  { name = "35 and over", min = 35 },
]
"""


def write(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    """A source or codebook file; gzipped where its name ends in .gz."""
    path = folder / name
    octets = text.encode(encoding)
    path.write_bytes(gzip.compress(octets) if name.endswith(".gz") else octets)
    return path


def imported(folder: Path, rows: str = ROWS, codebook: str = CODEBOOK, **options: Any) -> Survey:
    """The survey of one CSV file and a codebook."""
    source = write(folder, "survey.csv", rows)
    return import_survey(
        [source], write(folder, "codebook.toml", codebook), folder / "survey", **options
    )


def read_table(path: Path, columns: Sequence[str], options: Source) -> ReadColumns:
    """The named columns of a file, as far as it has them."""
    return read_columns(open_file(path, options), columns)


def answers(survey: Survey, wave: str, code: str) -> tuple[list[bool], dict[str, list[bool]]]:
    """Who was asked, and who gave each datapoint, respondent by respondent."""
    found = question(survey, wave, code)
    n = survey.wave(wave).respondents
    return (
        unpack(found.asked, n).tolist(),
        {
            point.code: unpack(found.datapoint(point.code), n).tolist()
            for point in found.question.datapoints
        },
    )


def question(survey: Survey, wave: str, code: str) -> QuestionBits:
    found = survey.wave(wave).question(code)
    assert found is not None
    return found
