"""CSV files with more header rows than one, and with a byte order mark: no header row is a person.

The files are written after the form of each platform's exports.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from audiencelab.ingest import draft_codebook, import_survey
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import open_file
from audiencelab.ingest.readers.frames import frame_source
from audiencelab.survey import SourceError, SurveyError
from tests.ingest.sources import read_table
from tests.messages import fails
from tests.survey.counting import counts_by_name

QUALTRICS = [
    ["StartDate", "ResponseId", "Q1", "Q2_1", "Q2_2", "weight"],
    ["Start Date", "Response ID", "How satisfied\nare you, overall?",
     "Which brands? - Alba", 'Which brands? - "Brio"', "weight"],
    [json.dumps({"ImportId": each}) for each in ("startDate", "_recordId", "QID1")]
    + [json.dumps({"ImportId": f"QID2_{each}", "choiceId": str(each)}) for each in (1, 2)]
    + [json.dumps({"ImportId": "weight"})],
    ["2024-01-01 09:00:00", "R_1", "Very, very", "Alba", "", "0.5"],
    ["2024-01-02 09:00:00", "R_2", "Not at all", "", "Brio", "1.25"],
    ["2024-01-03 09:00:00", "R_3", "Very, very", "Alba", "Brio", "1.25"],
]  # fmt: skip
SURVEYMONKEY = [
    ["Respondent ID", "Collector ID", "Date Created", "Which brands do you know?", "", "", "",
     "How satisfied are you?", "Why?", "weight"],
    ["", "", "", "Alba", "Brio", "Cima", "Other (please specify)",
     "Response", "Open-Ended Response", ""],
    ["1001", "7", "01/02/2024", "Alba", "", "Cima", "", "Very", "Because, you see", "0.5"],
    ["1002", "7", "01/02/2024", "", "Brio", "", "Dovo", "Not", "", "1.25"],
    ["1003", "7", "01/03/2024", "Alba", "Brio", "", "", "Very", "No reason", "1.5"],
]  # fmt: skip


def written(folder: Path, rows: list[list[str]], name: str = "survey.csv", head: str = "") -> Path:
    """A file of some rows, all cells quoted, as such platforms write them."""
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(head)
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows)
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(path.read_bytes()))
    return path


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("name", ["survey.csv", "survey.csv.gz"])
def test_the_three_header_rows_of_qualtrics_are_no_respondents(
    tmp_path: Path, name: str, mark: str
) -> None:
    path = written(tmp_path, QUALTRICS, name, mark)
    drafted = draft_codebook(path)
    assert drafted.codebook.weight is not None
    assert drafted.codebook.weight.column == "weight"
    assert any("3 header rows" in each for each in drafted.reasons["source"])
    named = {each.code: each.name for each in drafted.codebook.questions}
    assert named["Q1"] == "How satisfied are you, overall?"
    survey = import_survey([path], drafted.codebook, tmp_path / "survey")
    assert sum(wave.respondents for wave in map(survey.wave, _codes(survey))) == 3
    assert counts_by_name(survey, "Q1") == {"Very, very": 2, "Not at all": 1}
    assert counts_by_name(survey, "Q2") == {"Alba": 2, '"Brio"': 2}


def test_the_two_header_rows_of_qualtrics_until_2017_are_no_respondents(tmp_path: Path) -> None:
    rows = [
        ["V1", "V2", "V3", "V5", "V6", "V8", "Q1", "Q2_1", "Q2_2", "LocationLatitude", ""],
        ["ResponseID", "ResponseSet", "Name", "EmailAddress", "IPAddress", "StartDate",
         "How satisfied are you?", "Which brands?-Alba", "Which brands?-Brio", "LocationLatitude",
         ""],
        ["R_1", "Default", "Anonymous", "", "192.0.2.1", "2016-05-27 11:51:26", "1", "1", "",
         "47.1", ""],
        ["R_2", "Default", "Anonymous", "", "192.0.2.2", "2016-05-27 11:52:26", "2", "1", "1",
         "47.1", ""],
    ]  # fmt: skip
    survey = import_survey(
        [path := written(tmp_path, rows)], draft_codebook(path).codebook, tmp_path / "survey"
    )
    assert counts_by_name(survey, "Q1") == {"1": 1, "2": 1}
    codes = {question.code for question in survey.catalogue.questions}
    assert codes == {"Q1", "Q2", "location"}


def _codes(survey) -> list[str]:
    return [wave.code for wave in survey.waves]


def test_the_two_header_rows_of_surveymonkey_name_every_column(tmp_path: Path) -> None:
    path = written(tmp_path, SURVEYMONKEY, head="\ufeff")
    brands = "Which brands do you know?"
    assert open_file(path, Source()).header == (
        "Respondent ID", "Collector ID", "Date Created",
        f"{brands} - Alba", f"{brands} - Brio", f"{brands} - Cima",
        f"{brands} - Other (please specify)",
        "How satisfied are you?", "Why?", "weight",
    )  # fmt: skip
    drafted = draft_codebook(path)
    assert not [name for name, why in drafted.left_out.items() if "more than once" in why]
    assert drafted.codebook.weight is not None
    survey = import_survey([path], drafted.codebook, tmp_path / "survey")
    assert survey.wave("w1").respondents == 3
    [known] = [each for each in survey.catalogue.questions if each.name == brands]
    counts = {"Alba": 2, "Brio": 2, "Cima": 1, "Other (please specify)": 1}
    assert counts_by_name(survey, known.code) == counts
    [satisfied] = [each for each in survey.catalogue.questions if "satisfied" in each.name]
    assert counts_by_name(survey, satisfied.code) == {"Very": 2, "Not": 1}


def test_a_survey_of_surveymonkey_without_lists_has_two_header_rows_too(tmp_path: Path) -> None:
    rows = [[row[0], row[7], row[8]] for row in SURVEYMONKEY]
    source = open_file(written(tmp_path, rows), Source())
    assert source.header == ("Respondent ID", "How satisfied are you?", "Why?")
    assert read_table(source.path, source.header, Source()).rows == 3


def test_the_second_header_row_is_seen_under_a_first_column_without_a_name(tmp_path: Path) -> None:
    rows = [["", "Religion?", "Which brands?", "", "Why?"],
            ["", "Response", "Alba", "Brio", "Open-Ended Response"],
            ["1", "None", "Alba", "", "So"], ["2", "Other", "", "Brio", ""]]  # fmt: skip
    for each, width in ((rows, 5), ([row[:2] for row in rows], 2)):
        source = open_file(written(tmp_path, each), Source())
        assert source.header[:2] == ("", "Religion?")
        assert len(source.header) == width
        table = read_table(source.path, source.header, Source())
        assert (table.rows, table.columns["Religion?"].values) == (2, ("None", "Other"))
    assert source.header[2:] == ()


def test_the_second_header_row_is_seen_without_a_column_of_respondents(tmp_path: Path) -> None:
    brands = ["Alba", "Brio"]
    listed = [["Which brands?", "", "Often?"], [*brands, "Response"], ["Alba", "", "Never"]]
    plain = [["a", "b", "c", "d"], ["Response"] * 3 + ["Open-Ended Response"], [*"wxyz"]]
    for rows, last in ((listed, "Often?"), (plain, "d")):
        source = open_file(written(tmp_path, rows), Source())
        assert source.header[-1] == last
        assert read_table(source.path, source.header, Source()).rows == 1


@pytest.mark.parametrize(
    "rows",
    [
        [["", "a", "b"], ["", "x", "y"], ["1", "x", "y"]],
        [["id", "a", ""], ["1", "x", "Response"]],
        [["id", "a", ""], ["", "x", "5"], ["2", "x", "6"]],
        [["id", "a", "b"], ["", "x", "y"], ["2", "", ""]],
        [["a", "b"], ["Response", "Response"], ["", "Response"]],
        [["a", "", "b"], ["x", "y", "z"], ["x", "", "z"]],
    ],
)
def test_a_row_of_answers_is_never_taken_for_a_header_row(
    tmp_path: Path, rows: list[list[str]]
) -> None:
    source = open_file(written(tmp_path, rows), Source())
    assert source.header == tuple(rows[0])
    assert read_table(source.path, source.header[1:2], Source()).rows == len(rows) - 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le"])
def test_a_byte_order_mark_before_a_quoted_header_is_none_of_it(
    tmp_path: Path, encoding: str
) -> None:
    path = tmp_path / "limesurvey.csv"
    mark = "" if encoding == "utf-16" else "\ufeff"
    path.write_bytes(f'{mark}"Response, ID","Q1"\r\n"1","Yes"\r\n"2","No"\r\n'.encode(encoding))
    options = Source(encoding=encoding)
    assert open_file(path, options).header == ("Response, ID", "Q1")
    table = read_table(path, ["Response, ID", "Q1"], options)
    assert table.columns["Response, ID"].values == ("1", "2")
    assert table.columns["Q1"].values == ("Yes", "No")


def test_rows_are_counted_from_the_first_respondent_below_all_header_rows(tmp_path: Path) -> None:
    path = written(tmp_path, [*QUALTRICS, ["too", "few"]])
    with fails(SourceError):
        read_table(path, ["Q1"], Source())
    path.write_text(path.read_text().replace('"too","few"', '"a","b","c","d","e","open'))
    with fails(SourceError):
        read_table(path, ["Q1"], Source())


def test_empty_lines_between_header_rows_are_no_rows(tmp_path: Path) -> None:
    path = written(tmp_path, QUALTRICS)
    path.write_text(path.read_text().replace('\n"{""Import', '\n\n"{""Import', 1))
    assert read_table(path, ["ResponseId"], Source()).columns["ResponseId"].values == (
        "R_1", "R_2", "R_3",
    )  # fmt: skip


def test_a_frame_that_holds_header_rows_of_qualtrics_is_refused(tmp_path: Path) -> None:
    frame = pd.read_csv(written(tmp_path, QUALTRICS))
    for each in (frame, pa.Table.from_pandas(frame)):
        with fails(SurveyError):
            frame_source(each)
    frame_source(frame.iloc[2:])


# ---- columns about the submission ----

QUALTRICS_ABOUT = {
    "StartDate": "2024-01-01 09:00:00", "EndDate": "2024-01-01 09:10:00", "Status": "0",
    "IPAddress": "203.0.113.7", "Progress": "100", "Duration (in seconds)": "600",
    "Finished": "1", "RecordedDate": "2024-01-01 09:10:01", "ResponseId": "R_1",
    "RecipientLastName": "Doe", "RecipientFirstName": "Jo", "RecipientEmail": "jo@example.org",
    "ExternalReference": "x", "LocationLatitude": "47.1", "LocationLongitude": "7.1",
    "DistributionChannel": "anonymous", "UserLanguage": "EN", "Q_RecaptchaScore": "0.9",
    "Q2_Page Submit": "3.5", "Q3_Operating System": "Windows",
}  # fmt: skip
READABLE = {
    "StartDate": "Start Date", "EndDate": "End Date", "Status": "Response Type",
    "IPAddress": "IP Address", "RecordedDate": "Recorded Date", "ResponseId": "Response ID",
    "RecipientLastName": "Recipient Last Name", "ExternalReference": "External Data Reference",
    "LocationLatitude": "Location Latitude", "UserLanguage": "User Language",
}  # fmt: skip
MONKEY_ABOUT = (
    "Respondent ID", "Collector ID", "Start Date", "End Date", "IP Address", "Email Address",
    "First Name", "Last Name", "Custom Data 1",
)  # fmt: skip


def exported(names: list[str], rows: int = 6) -> list[list[str]]:
    """A header of columns about the submission and one of a question, and respondents."""
    cells = {READABLE.get(name, name): value for name, value in QUALTRICS_ABOUT.items()}
    cells |= QUALTRICS_ABOUT
    data = [[cells.get(name, "x1"[n % 2]) for name in names] for n in range(rows)]
    return [[*names, "Q1"], *([*row, "yno"[n % 3]] for n, row in enumerate(data))]


def _in_qualtrics_own_ids(name: str) -> str:
    return "_recordId" if name == "ResponseId" else name[:1].lower() + name[1:]


ABOUT = {
    "names": [*QUALTRICS_ABOUT],
    "readable names": [READABLE.get(each, each) for each in QUALTRICS_ABOUT],
    "ids": [*map(_in_qualtrics_own_ids, [*QUALTRICS_ABOUT][:-3])],
    "SurveyMonkey": [*MONKEY_ABOUT],
}


@pytest.mark.parametrize("names", ABOUT.values(), ids=ABOUT)
@pytest.mark.parametrize("form", ["csv", "frame", "xlsx", "sav"])
def test_columns_about_the_submission_make_no_questions(
    form: str, names: list[str], tmp_path: Path
) -> None:
    header, *rows = exported(names)
    frame: Any = pd.DataFrame(rows, columns=header)
    if form == "sav":
        frame.columns = [re.sub(r"\W", "_", name).lstrip("_") for name in header]
    path = tmp_path / f"export.{form}"
    if form == "csv":
        frame.to_csv(path, index=False)
    elif form == "xlsx":
        frame.to_excel(path, index=False)
    elif form == "sav":
        pyreadstat.write_sav(frame, path)
    drafted = draft_codebook(frame if form == "frame" else path)
    assert [each.columns for each in drafted.codebook.questions] == [("Q1",)]
    assert drafted.codebook.study.location is None
    assert {*drafted.left_out.values()} == {"about the submission"}
    [said] = [each.said for each in drafted.guesses if each.subject == "left out"]
    assert said.startswith(", ".join([*frame][:4]))
    assert said.endswith(f"and {len(names) - 4} more (about the submission)")


def test_import_ids_of_qualtrics_say_which_columns_are_about_the_submission(tmp_path: Path) -> None:
    added = ["adresse", "Adresse", '{"ImportId":"ipAddress"}', "x", "y", "x"]
    rows = [[*row, cell] for row, cell in zip(QUALTRICS, added, strict=True)]
    drafted = draft_codebook(written(tmp_path, rows))
    assert drafted.left_out["adresse"] == "about the submission"


def test_two_header_rows_of_qualtrics_are_no_respondents(tmp_path: Path) -> None:
    path = tmp_path / "export.xlsx"
    pd.DataFrame([QUALTRICS[1], *QUALTRICS[3:]], columns=QUALTRICS[0]).to_excel(path, index=False)
    source = open_file(path, Source())
    assert source.heading == "2 header rows of Qualtrics: names, question texts"
    assert read_table(path, ["Q1"], Source()).rows == 3
    assert source.variables["Q1"].label == "How satisfied are you, overall?"


MONTH = "a date; which number is the month is not known"
YEAR = "a date; which number is the year is not known"


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (["203.0.113.7", "2001:db8::1", "unknown"], "IP addresses: 3 different ones"),
        (["7/10/2014", "7/11/2014", "8/10/2014"], MONTH),
        (["7/10/14 9:04", "7/11/14 9:05", "8/23/14"], YEAR),
        (["10:09:00", "11:30:00", "12:00:00"], None),
        (["1.2", "1.2.3", "2.0.1"], None),
    ],
)
def test_addresses_and_dates_whose_order_is_not_known_make_no_questions(
    values: list[str], why: str | None
) -> None:
    frame = pd.DataFrame({"visit": values * 4, "q": ["a", "b", "a"] * 4})
    drafted = draft_codebook(frame)
    assert drafted.left_out.get("visit") == why
    if why in (MONTH, YEAR):
        with fails(SurveyError):
            draft_codebook(frame, wave="visit")
