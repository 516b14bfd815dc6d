"""SPSS, Stata and SAS files: what they say of their columns, and values counted as others count."""

from __future__ import annotations

from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

from audiencelab.ingest import import_survey, parse_codebook
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.columns import Progress, ResponseSet
from audiencelab.ingest.readers import ReadColumns, open_file, read_columns
from audiencelab.ingest.readers.base import SurveyFile
from audiencelab.ingest.readers.spss_stata_sas import SasFile, SpssFile, StataFile
from audiencelab.survey import SourceError, SurveyError
from tests.ingest.readers.test_spss_files import spss_file
from tests.ingest.sources import read_table
from tests.messages import fails
from tests.survey.counting import counts_by_name as counts
from tests.survey.spss_sets import categories, declare_sets, dichotomies
from tests.surveys.data import MRSETS

EMOJI = "Very “good” \"quoted\" 'text' 😀"
LONG = "a long label " * 9  # as long as SPSS allows is 120 characters
WORDING = "What do you think? " * 10
LABELS = {1.0: EMOJI, 2.0: LONG, 3.0: "Same", 4.0: "Same", 7.0: "Never given", 98.0: "Don't know"}
FRAME = pd.DataFrame(
    {
        "rating": [1, 2, 3, 4, 5, 97, 98, 99, None, 1],
        "city": ["Zürich", "Århus", "", "日本", "x" * 1_000, "x" * 999, "DK", "Zürich", " a ", "é"],
        "day": [date(2024, 1, 5)] * 4 + [date(1583, 1, 1)] + [None] * 2 + [date(2024, 4, 1)] * 3,
        "at": [datetime(2024, 1, 5, 17, 5)] * 9 + [datetime(2024, 1, 5)],
        "clock": [time(1, 2, 3)] * 10,
        "half": [0.5, 1.5, 2.0, None, -1.25, 1e9, 0.1, 3.0, 3.0, 3.0],
    }
)


@pytest.fixture(scope="module", params=[".sav", ".zsav"])
def spss(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spss") / f"odd{request.param}"
    pyreadstat.write_sav(
        FRAME,
        path,
        column_labels={"rating": 'How "good"?', "city": WORDING},
        variable_value_labels={"rating": LABELS},
        missing_ranges={"rating": [{"lo": 97, "hi": 98}, 99], "city": ["DK"]},
        variable_measure={"rating": "ordinal", "half": "scale"},
        compress=request.param == ".zsav",
    )
    return path


def values(table: ReadColumns, name: str) -> list[str | None]:
    """A column, row by row."""
    column = table.columns[name]
    return [column.values[code] if code >= 0 else None for code in column.codes]


def whole(path: Path, options: Source | None = None) -> ReadColumns:
    options = options or Source()
    return read_table(path, open_file(path, options).header, options)


def test_an_spss_file_says_what_its_columns_are(spss: Path) -> None:
    said = open_file(spss, Source()).variables
    assert said["rating"].label == 'How "good"?'
    assert said["city"].label == WORDING.strip()
    assert said["rating"].labels == {
        "1": EMOJI,
        "2": LONG.strip(),
        "3": "Same",
        "4": "Same",
        "7": "Never given",
        "98": "Don't know",
    }
    assert (said["rating"].measure, said["half"].measure, said["city"].measure) == (
        "ordinal",
        "scale",
        "",
    )
    assert said["rating"].missing_ranges == ((97, 98),)
    assert said["rating"].missing == {"99"}
    assert said["city"].missing == {"DK"}
    assert [name for name in said if said[name].is_date] == ["day", "at"]


def test_the_values_of_an_spss_file_are_those_of_the_frame(spss: Path) -> None:
    table = whole(spss)
    assert table.rows == 10
    assert table.source.header == tuple(FRAME.columns)
    assert values(table, "rating") == ["1", "2", "3", "4", "5", "97", "98", "99", None, "1"]
    assert table.columns["rating"].missing == {"97", "98", "99"}
    assert values(table, "city")[:4] == ["Zürich", "Århus", None, "日本"]
    assert values(table, "city")[4:6] == ["x" * 1_000, "x" * 999]
    assert values(table, "city")[8] == "a", "blanks around a value are none of it"
    assert values(table, "day") == (
        ["2024-01-05"] * 4 + ["1583-01-01"] + [None] * 2 + ["2024-04-01"] * 3
    )
    assert values(table, "at")[8:] == ["2024-01-05 17:05:00", "2024-01-05"]
    assert values(table, "half") == (
        ["0.5", "1.5", "2", None, "-1.25", "1000000000", "0.1", "3", "3", "3"]
    )


def question(code: str, **fields: Any) -> dict[str, Any]:
    return {"code": code, "name": code, "column": code} | fields


def test_values_missing_by_the_file_are_asked_and_no_answer(spss: Path, tmp_path: Path) -> None:
    codebook = parse_codebook({"questions": [question("rating"), question("city")]})
    survey = import_survey([spss], codebook, tmp_path / "survey")
    frame, _ = pyreadstat.read_sav(spss)
    expected = frame["rating"].value_counts().sort_index()
    assert counts(survey, "rating") == {f"{value:.0f}": n for value, n in expected.items()}
    found = survey.wave("w1").question("rating")
    assert found is not None
    assert int(found.asked[0]).bit_count() == 9, "only the empty cell was not asked"
    assert "DK" not in counts(survey, "city")
    assert survey.import_report is not None
    assert survey.import_report["unknown_values"] == []


def test_the_codebook_is_believed_rather_than_the_file(spss: Path, tmp_path: Path) -> None:
    labels = {"98": "Don't know"}
    bands = [{"name": "Low", "max": 3}, {"name": "High", "min": 4}]
    codebook = parse_codebook(
        {
            "questions": [
                question("rating", labels=labels),
                question("rating", datapoints=bands) | {"code": "banded"},
            ]
        }
    )
    survey = import_survey([spss], codebook, tmp_path / "survey")
    assert counts(survey, "rating") == {"Don't know": 1}
    assert counts(survey, "banded") == {"Low": 4, "High": 2}, "97 to 99 are in no band"


@pytest.mark.skipif(not MRSETS.is_file(), reason="the survey data are not there")
def test_multiple_response_sets_of_both_kinds_are_read() -> None:
    source = open_file(MRSETS, Source())
    assert source.sets == (
        ResponseSet("categorical_array", "", tuple(f"ca_subvar_{n}" for n in (1, 2, 3)), None),
        ResponseSet("mymrset", "My multiple response set", ("bool1", "bool2", "bool3"), "1"),
    )
    assert source.variables["x"].missing == {"7", "8", "99"}
    table = whole(source.path)
    assert values(table, "quarter")[::5] == ["2014-10", "2015-01"], "a quarter is its first month"
    assert table.columns["x"].missing == {"8"}


def test_text_is_in_the_encoding_that_the_file_says_or_the_codebook(tmp_path: Path) -> None:
    path = tmp_path / "latin.sav"
    pyreadstat.write_sav(pd.DataFrame({"x": ["caf@", "th@"]}), path)
    octets = path.read_bytes()
    data = octets.rindex(b"caf@")
    latin = octets[:data] + octets[data:].replace(b"@", b"\xe9")
    path.write_bytes(latin.replace(b"UTF-8", b"CP819"))
    assert values(whole(path), "x") == ["café", "thé"]
    path.write_bytes(latin.replace(b"UTF-8", b"ASCII"))
    with fails(SourceError):
        whole(path)
    assert values(whole(path, Source(encoding="windows-1252")), "x") == ["café", "thé"]
    with fails(SourceError):
        whole(path, Source(encoding="klingon"))


def test_a_stata_file_with_labels_dates_and_tagged_missing_values(tmp_path: Path) -> None:
    path = tmp_path / "survey.dta"
    frame = pd.DataFrame(
        {
            "vote": pd.Series([1, 2, "a", "b", 1], dtype=object),
            "name": ["Ann", "Bea", "", "Dé", "a"],
            "day": [date(2024, 2, 29)] * 4 + [None],
            "at": [datetime(2024, 2, 29, 8)] * 5,
        }
    )
    pyreadstat.write_dta(
        frame,
        path,
        column_labels={"vote": "The vote"},
        variable_value_labels={"vote": {1: "Yes", 2: "No", "a": "Refused"}},
        missing_user_values={"vote": ["a", "b"]},
    )
    said = open_file(path, Source()).variables
    assert said["vote"].label == "The vote"
    assert said["vote"].labels == {"1": "Yes", "2": "No", ".a": "Refused"}
    table = whole(path)
    assert values(table, "vote") == ["1", "2", ".a", ".b", "1"]
    assert table.columns["vote"].missing == {".a", ".b"}
    assert values(table, "name") == ["Ann", "Bea", None, "Dé", "a"]
    assert table.columns["name"].missing == frozenset(), "an a in a text is an a"
    assert values(table, "day") == ["2024-02-29"] * 4 + [None]
    assert values(table, "at")[0] == "2024-02-29 08:00:00"


def test_numbers_of_four_bytes_are_those_that_were_put_into_them(tmp_path: Path) -> None:
    path = tmp_path / "survey.dta"
    numbers = [1.1, 3.3, 16_777_216.0, float("nan"), -0.1]
    frame = pd.DataFrame({"narrow": numbers, "wide": numbers}).astype({"narrow": "float32"})
    frame.to_stata(path, write_index=False)
    table = whole(path)
    assert values(table, "narrow") == ["1.1", "3.3", "16777216", None, "-0.1"]
    assert values(table, "wide") == values(table, "narrow")


@pytest.mark.parametrize("version", [5, 8])
def test_a_sas_transport_file(tmp_path: Path, version: int) -> None:
    path = tmp_path / "survey.xpt"
    frame = pd.DataFrame({"sex": [1.0, 2.0, None], "text": ["a", "", "c"]})
    frame["day"] = [date(1959, 12, 31), date(2024, 2, 29), None]
    pyreadstat.write_xport(frame, path, column_labels={"sex": "Sex"}, file_format_version=version)
    file = open_file(path, Source())
    assert file.variables["sex"].label == "Sex"
    # It does not say how many rows it has: they are counted.
    assert list(file.pieces([], Progress())) == []
    assert file.rows == 3
    table = whole(path)
    assert table.rows == 3
    assert values(table, "sex") == ["1", "2", None]
    assert values(table, "text") == ["a", None, "c"]
    assert values(table, "day") == ["1959-12-31", "2024-02-29", None]


@pytest.mark.parametrize("name", ["survey.sav", "survey.dta", "survey.sas7bdat", "survey.xpt"])
def test_a_file_that_is_not_what_its_name_says_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"x,y\n1,2\n" * 100)
    with pytest.raises(SourceError, match=name):
        whole(path)


def test_a_file_cut_short_is_named(spss: Path, tmp_path: Path) -> None:
    octets = spss.read_bytes()
    path = tmp_path / f"short{spss.suffix}"
    path.write_bytes(octets[: len(octets) * 2 // 3])
    with fails(SourceError):
        whole(path)


def in_this_process(path: Path, options: Source | None = None) -> SurveyFile:
    """A file opened by what otherwise opens it in a process of its own."""
    openers = {".sav": SpssFile, ".zsav": SpssFile, ".dta": StataFile}
    return openers.get(path.suffix, SasFile)(path, options or Source())


def small(folder: Path, name: str) -> Path:
    path = folder / name
    frame = pd.DataFrame(
        {"sex": [1.0, 2.0, None], "tea": [1.0, 1.0, 2.0], "day": [date(2024, 1, 5)] * 3}
    )
    match path.suffix:
        case ".sav":
            pyreadstat.write_sav(frame, path, missing_ranges={"sex": [{"lo": 2, "hi": 9}]})
            declare_sets(
                path,
                dichotomies("drinks", "Drinks", "1", ("tea",)),
                categories("all", "All", ("sex", "tea")),
            )
        case ".dta":
            pyreadstat.write_dta(frame, path, variable_value_labels={"sex": {1: "Male"}})
        case _:
            pyreadstat.write_xport(frame, path, column_labels={"sex": "Sex"})
    return path


@pytest.mark.parametrize("name", ["survey.sav", "survey.dta", "survey.xpt"])
def test_here_a_file_is_read_as_in_a_process_of_its_own(tmp_path: Path, name: str) -> None:
    """As it is where no process can be started."""
    path = small(tmp_path, name)
    here, there = in_this_process(path), open_file(path, Source())
    for file in (here, there):
        assert list(file.pieces([], Progress())) == []
        assert file.rows == 3
    assert (here.header, here.variables, here.sets) == (there.header, there.variables, there.sets)
    assert here.title == there.title
    mine, theirs = (read_columns(file, file.header) for file in (here, there))
    assert mine.rows == theirs.rows == 3
    assert {each: values(mine, each) for each in mine.columns} == {
        "sex": ["1", "2", None],
        "tea": ["1", "1", "2"],
        "day": ["2024-01-05"] * 3,
    }
    assert {each: values(theirs, each) for each in theirs.columns} == {
        each: values(mine, each) for each in mine.columns
    }


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    nameless = spss_file(tmp_path / "nameless.sav", [b"ja      "])
    nameless.write_bytes(nameless.read_bytes().replace(b"A       ", b"\xff       "))
    without_names = tmp_path / "without_names.sav"
    octets = nameless.read_bytes()
    for name in (b"L       ", b"B       "):
        octets = octets.replace(name, b"\xff       ")
    without_names.write_bytes(octets)
    no_stata = tmp_path / "survey.dta"
    no_stata.write_bytes(b"x,y\n1,2\n" * 100)
    for path, options, why in (
        (nameless, Source(), "a column has no name"),
        (without_names, Source(), "it is damaged; reading it raised TypeError"),
        (no_stata, Source(), "cannot be read: "),
        (small(tmp_path, "survey.sav"), Source(encoding="klingon"), "character set"),
    ):
        with pytest.raises(SourceError, match=why) as here:
            in_this_process(path, options)
        assert here.value.place.file == str(path)


def test_a_catalogue_of_formats_is_looked_for_where_the_codebook_says(tmp_path: Path) -> None:
    path = small(tmp_path, "survey.xpt")
    with fails(SurveyError):
        in_this_process(path, Source(catalogue="labels.sas7bcat"))
    for name in ("labels.sas7bcat", "formats.sas7bcat", "survey.sas7bcat"):
        catalogue = tmp_path / name
        catalogue.write_bytes(b"no catalogue" * 100)
        with fails(SourceError):
            in_this_process(path, Source(catalogue=name))
        if name.startswith("labels"):
            assert in_this_process(path).header == ("sex", "tea", "day"), "nobody means it"
        else:
            with fails(SourceError):
                in_this_process(path)
        catalogue.unlink()


def test_a_file_whose_folder_names_a_column_keeps_its_title(tmp_path: Path) -> None:
    path = tmp_path / "wave=2024" / "survey.sav"
    path.parent.mkdir()
    pyreadstat.write_sav(FRAME[["rating"]], path, file_label="A study")
    opened = open_file(path, Source())
    assert (opened.header, opened.title) == (("rating", "wave"), "A study")


def test_a_stata_file_that_names_no_encoding_is_read_in_the_one_that_is_given(
    tmp_path: Path,
) -> None:
    path = tmp_path / "old.dta"
    frame = pd.DataFrame({"q": [1, 2]})
    labels = {"q": {1: "Да", 2: "Нет"}}
    pyreadstat.write_dta(frame, path, variable_value_labels=labels, version=10)
    with fails(SourceError):
        open_file(path, Source())
    found = open_file(path, Source(encoding="utf-8")).variables["q"].labels
    assert found == {"1": "Да", "2": "Нет"}
    octets = path.read_bytes()
    for label in labels["q"].values():
        octets = octets.replace(label.encode(), label.encode("cp1251") + bytes(len(label)))
    path.write_bytes(octets)
    found = open_file(path, Source(encoding="windows-1251")).variables["q"].labels
    assert found == {"1": "Да", "2": "Нет"}
