"""A codebook edited by hand: what is wrong with it is told by its line, with what to write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from audiencelab.ingest import import_survey, load_codebook
from audiencelab.survey import SurveyError
from tests.ingest.sources import write
from tests.messages import fails

SEX = """
[[questions]]
code = "sex"
name = "Sex"
column = "sex"
"""
AGE = SEX.replace("sex", "age").replace("Sex", "Age")
WAVES = '[wave]\ncolumn = "round"\n[[waves]]\ncode = "a"\nstarts = 2024-01-01\n'
GRID = '[[questions]]\ncode = "mood"\nname = "Mood"\nkind = "grid"\n'

SLIPS = {
    "a field that there is none of": (
        SEX + AGE.replace("column", "colum"),
        r"unknown field `colum`.*did you mean 'column' \(in the table from line 7\)",
    ),
    "a table that there is none of": ("[weigth]\n" + SEX, "did you mean 'weight'"),
    "another kind": (
        SEX + AGE + 'kind = "multi"',
        r"'single', 'multiple', 'grid' \(in the table from line 7\)",
    ),
    "text without quotation marks": (SEX + "labels = { 1 = Male }", "line 6.*quotation marks"),
    "a date in words": (
        '[[waves]]\ncode = "a"\nstarts = "May 2024"\n' + SEX,
        r"a date is written 2024-03-31 \(in the table from line 1\)",
    ),
    "a code twice": (
        SEX + AGE + SEX,
        r"the question core\.sex twice\. \(in the table from line 12\)",
    ),
    "a location that is no question": ('[study]\nlocation = "sexe"' + SEX, "Did you mean 'sex'"),
    "waves by quarter that are listed": (
        '[wave]\ncolumn = "day"\nby = "quarter"\n'
        '[[waves]]\ncode = "a"\nstarts = 2024-01-01\n' + SEX,
        "are not listed: leave one out",
    ),
    "waves by column and by file": (
        '[wave]\ncolumn = "day"\n'
        '[[waves]]\ncode = "a"\nstarts = 2024-01-01\nfiles = "*.csv"\n' + SEX,
        "Give a wave column or patterns for files, not both",
    ),
    "labels and datapoints": (
        SEX + 'labels = { 1 = "Male" }\ndatapoints = [{ name = "Female", value = 2 }]',
        "Give labels or datapoints, not both",
    ),
    "a scale without a grid": (
        SEX + 'suffixes = [{ name = "Often", value = 1 }]',
        "Only a grid has suffixes",
    ),
    "an item without a column": (
        GRID + 'datapoints = [{ name = "Fun" }]\nsuffixes = [{ name = "Often", value = 1 }]',
        "Needs a column, or columns by suffix code",
    ),
    "an item in a column of no suffix": (
        GRID + 'datapoints = [{ name = "Fun", columns = { 7 = "fun" } }]\n'
        'suffixes = [{ name = "Often" }]',
        "There is no suffix '7'",
    ),
    "a suffix that nothing means": (
        GRID + 'datapoints = [{ name = "Fun", column = "fun" }]\nsuffixes = [{ name = "Often" }]',
        "Needs the value that means it",
    ),
    "a suffix that nothing means, of a later item": (
        GRID + 'datapoints = [{ name = "Fun", columns = { 1 = "fun" } }, '
        '{ name = "Work", column = "work" }]\nsuffixes = [{ name = "Often" }]',
        "/questions/0/suffixes/0: .*Needs the value that means it",
    ),
    "a grid with a column of its own": (
        GRID + 'column = "mood"\ndatapoints = [{ name = "Fun", column = "fun", value = 1 }]\n'
        'suffixes = [{ name = "Often", value = 1 }]',
        "/questions/0/column: .*Each item of a grid has a column",
    ),
    "an answer of a single question with a column of its own": (
        SEX + 'datapoints = [{ name = "Male", value = 1, column = "male" }]',
        "/questions/0/datapoints/0/column: .*leave this one out",
    ),
    "an answer of a list with a column of its own": (
        SEX + 'kind = "multiple"\nseparator = ";"\n'
        'datapoints = [{ name = "Tea", value = 1, column = "tea" }]',
        "/questions/0/datapoints/0/column: .*leave this one out",
    ),
    "several values in a cell of a single question": (
        SEX + 'separator = ";"',
        "Only a multiple question has several values in one cell",
    ),
    "a location in another namespace": (
        '[study]\nlocation = "sex"' + SEX + 'namespace = "other"',
        r"no question 'sex'\. Did you mean 'other\.sex'",
    ),
    "a wave twice": (
        WAVES + '[[waves]]\ncode = "a"\nstarts = 2024-02-01\n' + SEX,
        r"/waves/1/code: The codebook has the wave a twice\. \(in the table from line 6\)",
    ),
    "a value of two waves": (
        WAVES + '[[waves]]\ncode = "b"\nvalue = "a"\nstarts = 2024-02-01\n' + SEX,
        r"/waves/1: The value 'a' means two things\. \(in the table from line 6\)",
    ),
    "a grid without a scale": (SEX + 'kind = "grid"', "A grid needs datapoints"),
    "a list whose answer has no value": (
        SEX + 'kind = "multiple"\nseparator = ";"\ndatapoints = [{ name = "Tea" }]',
        "Needs its value within the cell",
    ),
    "a list with nothing between its values": (
        SEX + 'kind = "multiple"\nseparator = ""\nlabels = { 1 = "Tea" }',
        "/questions/0/separator: .*must not be empty",
    ),
    "a list without a separator": (
        SEX + AGE + 'kind = "multiple"',
        r"/questions/1/separator: .*separator = .*from line 7\)",
    ),
}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("folder.toml", r"folder\.toml cannot be read: "),
        ("nowhere.toml", "no such codebook"),
        ("book.yaml", r"a \.toml or a \.json file"),
    ],
)
def test_a_codebook_must_be_a_file_of_toml_or_json(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(SurveyError, match=message):
        load_codebook(tmp_path / name)


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_told_by_its_line_with_what_to_write(tmp_path: Path, slip: str) -> None:
    text, message = SLIPS[slip]
    path = write(tmp_path, "book.toml", text)
    with pytest.raises(SurveyError) as told:
        load_codebook(path)
    assert str(told.value).startswith(str(path))
    assert re.search(message, str(told.value), re.DOTALL), told.value


def test_json_is_told_by_its_pointer_since_its_lines_are_not_known(tmp_path: Path) -> None:
    path = write(tmp_path, "book.json", '{"questions": [{"code": "a", "name": "A"}]}')
    with fails(SurveyError):
        load_codebook(path)


def test_a_column_written_a_little_otherwise_is_guessed_at(tmp_path: Path) -> None:
    source = write(tmp_path, "survey.csv", "Sex,age\n1,2\n")
    codebook = write(tmp_path, "book.toml", SEX)
    with fails(SurveyError):
        import_survey([source], codebook, tmp_path / "survey")
