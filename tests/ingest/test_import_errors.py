"""Bad files and codebooks: an error that names the place, and a target that stays as it was."""

from __future__ import annotations

import gzip
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from audiencelab.ingest import import_survey, parse_codebook
from audiencelab.ingest.readers.contents import missing_file
from audiencelab.survey import SourceError, Survey, SurveyError, SurveyExistsError
from tests.ingest.sources import CODEBOOK, ROWS, answers, imported, write
from tests.messages import fails

X = '[[questions]]\ncode = "x"\nname = "X"\ncolumn = "x"\nlabels = { 1 = "One" }\n'
WEIGHTED = '[weight]\ncolumn = "w"\n' + X


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder where an import fails; afterwards it holds nothing but what the test wrote."""
    yield tmp_path
    left = {path.name for path in tmp_path.iterdir() if path.is_dir()} - {"survey.csv"}
    assert not {name for name in left if "survey" in name}, "nothing is left of the survey"


@pytest.mark.parametrize("weight", ["heavy", "-1", "inf", "1_5"])
def test_a_weight_that_is_none_is_named_by_file_row_column_and_value(
    folder: Path, weight: str
) -> None:
    with pytest.raises(SourceError) as caught:
        imported(folder, f"w,x\n1,1\n2,1\n{weight},1\n", WEIGHTED)
    place = caught.value.place
    assert Path(place.file).name == "survey.csv"
    assert (place.row, place.column, place.value) == (3, "w", weight)
    assert f"survey.csv, row 3, column w, value '{weight}'" in str(caught.value)


@pytest.mark.parametrize(("row", "cells"), [("1", 1), ("1,1,1", 3), ('1,1"\n"",1,1', 3)])
def test_a_row_of_the_wrong_width_is_named(folder: Path, row: str, cells: int) -> None:
    message = rf"row \d: it has {cells} cells where the header has 2"
    with pytest.raises(SourceError, match=message) as caught:
        imported(folder, f"w,x\n1,1\n{row}\n1,1\n", WEIGHTED)
    assert caught.value.place.row == 2 + row.count("\n")


def test_empty_lines_are_no_rows(folder: Path) -> None:
    with fails(SourceError):
        imported(folder, "w,x\n\n1,1\n\n1\n1,1\n", WEIGHTED)
    with fails(SourceError):
        imported(folder, 'w,x\n\n1,1\n\n1,"1\n1,1\n', WEIGHTED)


def test_another_encoding_far_down_is_named_by_its_row(folder: Path) -> None:
    rows = "".join(f"{place},1\n" for place in range(5_000))
    source = write(folder, "survey.csv", f"w,x\n{rows}1,é\n", "latin-1")
    with fails(SourceError) as caught:
        import_survey([source], write(folder, "codebook.toml", WEIGHTED), folder / "survey")
    assert (caught.value.place.row, caught.value.place.value) == (5_001, "é")


@pytest.mark.parametrize("before", [1, 20_000])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_half_a_sign_in_utf_16_is_named_by_its_row(
    folder: Path, encoding: str, before: int
) -> None:
    # In "\u0a0a" each byte alone would be a line's end.
    text = "w,x\n" + "1,\u0a0a\n" * before + "1,\ud800a\n1,1\n"
    source = folder / "survey.csv"
    source.write_bytes(text.encode(encoding, "surrogatepass"))
    codebook = write(folder, "codebook.toml", WEIGHTED + f'[source]\nencoding = "{encoding}"\n')
    with fails(SourceError) as caught:
        import_survey([source], codebook, folder / "survey")
    assert caught.value.place.row == before + 1


@pytest.mark.parametrize("word", ["old", "65_74"])
def test_a_word_where_bands_are_of_numbers_is_an_unknown_value(tmp_path: Path, word: str) -> None:
    survey = imported(tmp_path, ROWS.replace(",70,", f",{word},"))
    assert survey.import_report is not None
    [unknown] = survey.import_report["unknown_values"]
    assert (unknown["question"], unknown["value"], unknown["first_row"]) == ("core.age", word, 3)
    asked, given = answers(survey, "w1", "age")
    assert asked == [True] * 3
    assert given == {
        "age_1": [True, False, False],
        "age_2": [False, True, False],
        "age_3": [False] * 3,
    }


@pytest.mark.parametrize("encoding", ["klingon", "undefined", r"\u0000"])
def test_an_unknown_encoding_is_named(folder: Path, encoding: str) -> None:
    with fails(SurveyError):
        imported(folder, "x\n1\n", f'[source]\nencoding = "{encoding}"\n' + X)


@pytest.mark.parametrize("delimiter", [";;", r"\n", "é", r"\""])
def test_a_delimiter_that_is_none_is_named(folder: Path, delimiter: str) -> None:
    with fails(SurveyError):
        imported(folder, "x\n1\n", f'[source]\ndelimiter = "{delimiter}"\n' + X)


def test_a_gzip_file_cut_short_is_named(folder: Path) -> None:
    path = folder / "survey.csv.gz"
    whole = gzip.compress(b"x\n" + b"".join(b"%d\n" % number for number in range(50_000)))
    path.write_bytes(whole[: len(whole) // 2])
    with fails(SourceError):
        import_survey([path], write(folder, "codebook.toml", X), folder / "survey")


@pytest.mark.parametrize("name", ["survey.parquet", "survey.csv.gz"])
def test_a_file_that_is_not_what_its_name_says_is_named(folder: Path, name: str) -> None:
    path = folder / name
    path.write_bytes(b"x\n1\n2\n")
    with pytest.raises(SourceError, match=name):
        import_survey([path], write(folder, "codebook.toml", X), folder / "survey")


def test_a_file_with_a_header_alone_has_no_respondents(folder: Path) -> None:
    with fails(SurveyError):
        imported(folder, "x\n", X)


def test_where_nobody_is_left_it_says_who_was_dropped_and_why(folder: Path) -> None:
    codebook = '[wave]\ncolumn = "r"\n[[waves]]\ncode = "a"\nstarts = 2024-01-01\n' + X
    with fails(SurveyError):
        imported(folder, "x,r\n1,7\n1,\n", codebook)


@pytest.mark.parametrize(("delimiter", "written"), [(";", ";"), ("\t", r"\\t"), ("|", r"\|")])
def test_another_delimiter_is_recognised(folder: Path, delimiter: str, written: str) -> None:
    with pytest.raises(SurveyError, match=f'delimiter = "{written}"'):
        imported(folder, "w,x\n1,1\n".replace(",", delimiter), X)


def test_a_missing_file_is_named(folder: Path) -> None:
    codebook = write(folder, "codebook.toml", X)
    with fails(SurveyError):
        import_survey([folder / "nowhere.csv"], codebook, folder / "survey")


def test_a_survey_beside_a_missing_file_is_named(folder: Path) -> None:
    (folder / "kund-å").mkdir()
    (folder / "kund-å" / "panel.json").write_text("{}")
    for name in ("nowhere.csv", "codebok.toml"):
        write(folder, "codebook.toml", X)
        said = missing_file(folder / name)
        assert said.endswith(f" A survey is there: connect(survey={str(folder / 'kund-å')!r}).")


def test_a_folder_is_no_survey_file(folder: Path) -> None:
    (folder / "survey.csv").mkdir()
    with fails(SurveyError):
        import_survey([folder / "survey.csv"], write(folder, "c.toml", X), folder / "survey")


def test_an_unknown_format_names_those_that_can_be_read(folder: Path) -> None:
    codebook = write(folder, "codebook.toml", X)
    with fails(SurveyError):
        import_survey([write(folder, "survey.docx", "")], codebook, folder / "survey")


def test_the_same_file_twice_is_refused(folder: Path) -> None:
    source = write(folder, "survey.csv", "x\n1\n")
    with fails(SurveyError):
        import_survey([source, source], write(folder, "c.toml", X), folder / "survey")


WRONG_CODEBOOKS = {
    "no file has the column": (X.replace('column = "x"', 'column = "y"'), "reads column y"),
    "no TOML": ("[[questions", "codebook.toml"),
    "a separator of no column": (
        X.replace('column = "x"', 'kind = "multiple"\nseparator = ";"'),
        "A separator is for one column",
    ),
    "no questions": ("questions = []\n", "at least one question"),
    "two labels for one value": (
        X.replace('labels = { 1 = "One" }', 'datapoints = [{ name = "A", value = 1 }, '
                  '{ name = "B", value = "1" }]'),
        "The value '1' means two things",
    ),
    "no value": (
        X.replace('labels = { 1 = "One" }', 'datapoints = [{ name = "A" }]'),
        "/questions/0/datapoints/0.*Needs a value",
    ),
    "an unknown category": (X + 'categories = ["9"]\n', "no category '9'"),
    "a location of several": (
        '[study]\nlocation = "x"\n[[questions]]\ncode = "x"\nname = "X"\nkind = "multiple"\n'
        'datapoints = [{ name = "A", column = "x" }]\n',
        "a location question is single",
    ),
    "waves that are not dates": ('[wave]\ncolumn = "x"\n' + X, r"must be dates, got 1:"),
    "more waves than files": (
        '[[waves]]\ncode = "a"\nstarts = 2024-01-01\n[[waves]]\ncode = "b"\n'
        "starts = 2024-02-01\n" + X,
        "2 waves for 1 files",
    ),
    "a wave that ends before it starts": (
        '[[waves]]\ncode = "a"\nstarts = 2024-02-01\nends = 2024-01-01\n' + X,
        "before it starts",
    ),
    "a wave that is no folder": (
        '[[waves]]\ncode = "../a"\nstarts = 2024-02-01\n' + X,
        "cannot be a wave's code",
    ),
}  # fmt: skip


WRONG_FILES = {
    "an empty file": ("", X, "the file is empty"),
    "no weight column": ("x\n1\n", WEIGHTED, r"survey\.csv, column w: the file has no such column"),
    "an open quotation mark": (
        'w,x\n1,1\n1,"1\n1,1\n1,1\n', WEIGHTED, "row 2: a quotation mark opens here",
    ),
    "no location in a wave": (
        ROWS.replace("4,north,", "4,,"), CODEBOOK, r"question core\.where has no answers in w2\.",
    ),
    "empty cells alone": (
        "x,y\n1,\n1,\n",
        '[[questions]]\ncode = "y"\nname = "Y"\ncolumn = "y"\n' + X,
        "y has no datapoints, and column y holds no values",
    ),
    "a question with the name of the location": (
        "x\n1\n",
        '[[questions]]\ncode = "location"\nname = "Where"\ncolumn = "x"\n' + X,
        "a question 'location', but does not name it",
    ),
    "a wave that is not a date": (
        "x,r\n1,2024-13\n", '[wave]\ncolumn = "r"\n' + X, "must be dates, got 2024-13: list the",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_FILES)
def test_a_wrong_file_is_named_with_its_place(folder: Path, name: str) -> None:
    rows, codebook, message = WRONG_FILES[name]
    with pytest.raises(SurveyError, match=message):
        imported(folder, rows, codebook)


@pytest.mark.parametrize("name", WRONG_CODEBOOKS)
def test_a_wrong_codebook_is_told_by_its_place(folder: Path, name: str) -> None:
    codebook, message = WRONG_CODEBOOKS[name]
    with pytest.raises(SurveyError, match=message):
        imported(folder, "x\n1\n", codebook)


def test_all_faults_of_a_codebook_are_told_at_once(folder: Path) -> None:
    codebook = X.replace('column = "x"\n', "") + X.replace('"x"', '"y"').replace(
        'column = "y"\n', ""
    )
    with pytest.raises(SurveyError) as caught:
        imported(folder, "x\n1\n", codebook)
    assert "/questions/0/column: x:" in str(caught.value)
    assert "/questions/1/column: y:" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"questions":' + "[" * 9_000 + "]" * 9_000 + "}", "nested too deeply"),
        ('{"questions":[{"code":"x","name":"\\ud800","column":"x"}]}', "half a character"),
        ('{"questions":[{"code":"x","name":"X","kind":"\\ud800"}]}', "half a character"),
        ('{"questions":' + "9" * 5_000 + "}", "4300 digits"),
    ],
)
def test_a_codebook_that_no_hand_wrote_is_refused(folder: Path, text: str, words: str) -> None:
    codebook = write(folder, "codebook.json", text)
    with pytest.raises(SurveyError, match=rf"codebook\.json: .*{words}"):
        import_survey([folder / "survey.csv"], codebook, folder / "survey")
    assert not (folder / "survey").exists()


def test_a_codebook_that_nobody_has_checked_has_no_question_twice(folder: Path) -> None:
    """As code may make one; those that are read are checked before."""
    codebook = parse_codebook(tomllib.loads(X))
    twice = replace(codebook, questions=codebook.questions * 2)
    with fails(SurveyError):
        import_survey([write(folder, "survey.csv", "x\n1\n")], twice, folder / "survey")


def test_a_codebook_that_nobody_has_checked_has_no_wave_twice(folder: Path) -> None:
    waves = '[[waves]]\ncode = "a"\nstarts = 2024-01-01\n'
    codebook = parse_codebook(tomllib.loads(waves + X))
    twice = replace(codebook, waves=codebook.waves * 2)
    with fails(SurveyError):
        import_survey([write(folder, "survey.csv", "x\n1\n")], twice, folder / "survey")


def test_a_question_of_more_answers_than_are_counted_is_named(folder: Path) -> None:
    rows = "x\n" + "".join(f"{place}\n" for place in range(32_768))
    anything = X.replace('labels = { 1 = "One" }', "")
    with fails(SurveyError):
        imported(folder, rows, anything)


@pytest.mark.parametrize("below", ["file", "file/folder"])
def test_a_survey_cannot_stand_in_a_file(folder: Path, below: str) -> None:
    write(folder, "file", "")
    source, codebook = write(folder, "survey.csv", "x\n1\n"), write(folder, "c.toml", X)
    with fails(SurveyError):
        import_survey([source], codebook, folder / below / "survey")


@pytest.mark.parametrize("midpoint", ["nan", "inf", "-inf"])
def test_a_midpoint_that_is_not_finite_is_named_before_anything_is_lost(
    tmp_path: Path, midpoint: str
) -> None:
    before = imported(tmp_path, "x\n1\n", X)
    points = f'datapoints = [{{ name = "One", value = 1, midpoint = {midpoint} }}]'
    with fails(SurveyError):
        imported(tmp_path, "x\n1\n", X.replace('labels = { 1 = "One" }', points), replace=True)
    assert Survey.open(before.path).seal == before.seal


def test_an_existing_survey_is_kept_when_its_replacement_fails(tmp_path: Path) -> None:
    before = imported(tmp_path)
    with pytest.raises(SurveyExistsError):
        imported(tmp_path)
    with pytest.raises(SourceError):
        imported(tmp_path, ROWS.replace(",1.5,", ",much,"), replace=True)
    after = Survey.open(before.path)
    after.verify()
    assert after.manifest == before.manifest
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"survey.csv", "codebook.toml", "survey"}


def test_a_folder_of_other_things_is_refused_before_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "survey").mkdir()
    (tmp_path / "survey" / "thesis.txt").write_text("ten years")
    with fails(SurveyExistsError):
        import_survey([tmp_path / "nowhere.csv"], "c.toml", tmp_path / "survey", replace=True)
    assert (tmp_path / "survey" / "thesis.txt").read_text() == "ten years"


@pytest.mark.parametrize(("pattern", "count"), [("spring*", "no wave's"), ("*", "more than one")])
def test_a_file_that_is_of_no_one_wave_is_named(folder: Path, pattern: str, count: str) -> None:
    waves = "".join(
        f'[[waves]]\ncode = "{code}"\nstarts = 2024-0{month}-01\nfiles = "{pattern}"\n'
        for month, code in enumerate("ab", 1)
    )
    with pytest.raises(SourceError, match=f"its name matches {count}.* `files`"):
        imported(folder, "x\n1\n", waves + X)


def test_no_file_at_all_is_refused(folder: Path) -> None:
    with fails(SurveyError):
        import_survey([], write(folder, "codebook.toml", X), folder / "survey")
