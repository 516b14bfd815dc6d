"""Which sheet of a workbook is read, and what is said of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.cli import main
from audiencelab.ingest import draft_codebook, import_survey
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.columns import Progress
from audiencelab.ingest.readers import open_file
from audiencelab.survey import SurveyError
from tests.ingest.test_platforms import workbook

DATA = [["sex", "tea"], ["f", "yes"], ["m", "no"], ["f", "no"], ["m", "no"]]
PILOT = [["sex", "tea"], ["f", "yes"], ["m", "yes"]]
README = [["Class survey"], ["One row a respondent"], ["Ask Jo"]]
CONTACTS = [["Author", "Jo"], ["Version", "2"], ["Office", "North"]]
LABELS = [["variable", "value", "label"], ["sex", "f", "Woman"], ["sex", "m", "Man"]]


pytestmark = pytest.mark.usefixtures("own_cache")


INSTEAD = "the sheet 'Data' is read: {0!r} is not a table of respondents (sheet={0!r} reads it)"
ANOTHER = "the sheet 'Data' is read; sheet='Pilot' reads another one"


@pytest.mark.parametrize(
    ("sheets", "note"),
    [
        ({"Data": DATA}, None),
        ({"Data": DATA, "Sheet2": [], "Sheet3": []}, None),
        ({"Sheet1": [], "Data": DATA}, None),
        ({"Data": DATA, "Codes": LABELS, "Notes": README}, None),
        ({"Read me": README, "Data": DATA}, INSTEAD.format("Read me")),
        ({"Read me": CONTACTS, "Data": DATA}, INSTEAD.format("Read me")),
        ({"Title": README[:1], "Codes": LABELS, "Data": DATA}, INSTEAD.format("Title")),
        ({"Codes": LABELS, "Data": DATA}, INSTEAD.format("Codes")),
        ({"Data": DATA, "Pilot": PILOT}, ANOTHER),
    ],
)
def test_the_sheet_with_the_respondents_is_read_and_the_report_says_which(
    sheets: dict[str, Any], note: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client = al.open(workbook(tmp_path / "class.xlsx", **sheets))
    assert client.crosstab("tea").to_frame()["sample"].sum() == 4
    shown = " ".join(capsys.readouterr().out.split())
    assert (f"note class.xlsx: {note}" in shown) if note else ("sheet=" not in shown)


@pytest.mark.parametrize(
    ("sheets", "why"),
    [
        (
            {"Read me": README, "Data": DATA, "Pilot": PILOT},
            r"several sheets that may be the table of respondents.*sheet='Data', sheet='Pilot'\.",
        ),
        (
            {"Read me": README, "Notes": CONTACTS},
            r"no sheet that looks like the table of respondents.*sheet='Read me', sheet='Notes'\.",
        ),
    ],
)
def test_a_workbook_whose_table_is_not_known_is_refused_and_its_sheets_are_named(
    sheets: dict[str, Any], why: str, tmp_path: Path
) -> None:
    with pytest.raises(SurveyError, match=why):
        al.open(workbook(tmp_path / "class.xlsx", **sheets), quiet=True)


@pytest.mark.parametrize(("sheet", "rows"), [("Pilot", 2), (2, 2), ("2", 2), ("Data", 4), (1, 4)])
def test_a_sheet_is_chosen_by_its_name_or_number(
    sheet: str | int, rows: int, tmp_path: Path
) -> None:
    path = workbook(tmp_path / "class.xlsx", **{"Read me": README}, Data=DATA, Pilot=PILOT)
    client = al.open(path, sheet=sheet, quiet=True)
    assert client.crosstab("tea").to_frame()["sample"].sum() == rows
    book = draft_codebook(path, sheet=sheet).codebook
    assert book.source.sheet == sheet
    assert import_survey(path, book, tmp_path / "survey").wave("w1").respondents == rows


@pytest.mark.parametrize(
    ("given", "options", "why"),
    [
        (
            "class.xlsx",
            {"sheet": "Daten"},
            r"has no such sheet.*'Read me', 'Data'; num",
        ),
        ("class.xlsx", {"sheet": 2}, r"sheet=2 is not valid: class\.xlsx has no such sheet"),
        ("class.xlsx", {"sheet": -1}, r"sheet=-1 is not valid"),
        ("class.csv", {"sheet": "Data"}, r"sheet='Data' is not valid: class\.csv has no sheets"),
        ("frame", {"sheet": 0}, r"sheet=0 is not valid: a frame has no sheets"),
        ("survey", {"sheet": "Data"}, r"sheet= is about an import"),
        ("class.xlsx", {"sheet": 1, "codebook": "a.toml"}, r"sheet= is not valid with codebook="),
    ],
)
def test_a_sheet_that_is_not_there_says_why(
    given: str, options: dict[str, Any], why: str, tmp_path: Path
) -> None:
    workbook(tmp_path / "class.xlsx", **{"Read me": README}, Data=DATA)
    (tmp_path / "class.csv").write_text("sex,tea\nf,yes\nm,no\n")
    frame = pd.DataFrame(DATA[1:], columns=DATA[0])
    if given == "survey":
        al.open(frame, to=tmp_path / "survey", quiet=True)
    with pytest.raises(SurveyError, match=why):
        al.open(frame if given == "frame" else tmp_path / given, quiet=True, **options)


def test_the_command_line_chooses_a_sheet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    workbook(tmp_path / "class.xlsx", Data=DATA, Pilot=PILOT)
    assert main(["import", "class.xlsx", "--sheet", "Pilot", "-o", "pilot"]) == 0
    assert "Import of class.xlsx: 2 respondents" in capsys.readouterr().out
    assert main(["crosstab", "class.xlsx", "--rows", "tea"]) == 0
    shown = " ".join(capsys.readouterr().err.split())
    assert "the sheet 'Data' is read; --sheet Pilot reads another one" in shown
    assert main(["import", "class.xlsx", "--sheet", "Daten", "-o", "other"]) == 2
    assert "--sheet Daten is not valid" in capsys.readouterr().err
    assert main(["import", "class.xlsx", "--sheet", "1", "--codebook", "a", "-o", "b"]) == 2


def test_cells_and_the_names_of_columns_are_read_as_they_are(tmp_path: Path) -> None:
    rows = [["", 2019, "NA", "day", "", ""], [0, 1.5, "NA", pd.Timestamp("2024-03-01"), "", ""]]
    rows += [[1, 2, "None", "", "", ""], [2, "", "", "", "", "late"]]
    pd.DataFrame(rows).to_excel(tmp_path / "odd.xlsx", index=False, header=False)
    file = open_file(tmp_path / "odd.xlsx", Source())
    assert file.header == ("Unnamed: 0", "2019", "NA", "day", "Unnamed: 4", "Unnamed: 5")
    pieces = {each.column: [*each.values] for each in file.pieces(file.header, Progress())}
    assert pieces["2019"] == ["1.5", "2"]
    assert pieces["NA"] == ["NA", "None"]
    assert pieces["day"] == ["2024-03-01"]
    assert pieces["Unnamed: 5"] == ["late"]
