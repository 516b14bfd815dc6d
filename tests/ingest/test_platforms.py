"""Exports of survey platforms give the figures that pandas computes from the plain table."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.draft.separated import divided
from audiencelab.survey import SourceError, SurveyError
from tests.messages import fails

EXAMPLES = Path("tests/data/platforms").absolute()
BRANDS = ["Alba", "Brio", "Cima, the new one"]
TIMES = ["Morning", "Evening"]
GENDER = "What is your gender?"
KNOWN = "Which brands do you know?"
SATISFIED_LEVELS = ["Very satisfied", "Satisfied", "Not satisfied"]
SATISFIED = "How satisfied are you, overall?"
OFTEN = "How often do you drink tea?"


pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture(scope="module")
def truth() -> pd.DataFrame:
    return pd.read_csv(EXAMPLES / "respondents.csv", keep_default_na=False)


def check_figures(client: Any, truth: pd.DataFrame, other: str) -> None:
    """Brands and satisfaction by gender, and frequencies.

    other: the name of another brand; "" where each text is an answer.
    """
    found = client.crosstab([KNOWN, SATISFIED], GENDER).to_frame().set_index(["row", "column"])
    chosen = {brand: truth[brand] == 1 for brand in BRANDS}
    others = {text: truth.other == text for text in truth.other.unique() if text}
    chosen |= {other: truth.other != ""} if other else others
    levels = {each: truth.satisfaction == each for each in truth.satisfaction.unique()}
    assert {row for row, _ in found.index} == chosen.keys() | levels.keys()
    for (row, gender), cell in found.iterrows():
        weights = truth.weight[(chosen | levels)[row] & (truth.gender == gender)]
        assert cell["sample"] == len(weights), (row, gender)
        assert cell["size"] == pytest.approx(weights.sum(), rel=1e-9), (row, gender)
    grid = client.grid(OFTEN).to_frame().set_index(["datapoint_label", "suffix_label"])
    assert len(grid) == len(TIMES) * truth.Morning.nunique()
    for (time, often), cell in grid.iterrows():
        weights = truth.weight[truth[time] == often]
        assert cell["sample"] == len(weights), (time, often)
        assert cell["size"] == pytest.approx(weights.sum(), rel=1e-9), (time, often)


EXPORTS = {
    "qualtrics_texts.csv": ("Other (please specify)", None, "3 header rows of Qualtrics"),
    "qualtrics_codes.csv": ("Other (please specify)", "qualtrics_labels.csv", "3 header rows"),
    "surveymonkey.csv": ("Other (please specify)", None, "2 header rows of SurveyMonkey"),
    "limesurvey_codes.csv": ("Other", "limesurvey_labels.csv", "an export of LimeSurvey"),
    "limesurvey_texts.csv": ("Other", None, "an export of LimeSurvey"),
    "google_forms.csv": ("", None, "an export of Google Forms"),
    "kobo.csv": ("Other", None, "an export of KoboToolbox"),
    "forsta.tab": ("Another brand", "forsta_datamap.txt", "an export of Forsta (Decipher)"),
}
"""Exports: the name of another brand ("" where each has its own), the labels, what is printed."""


@pytest.mark.parametrize("name", EXPORTS)
def test_exports_of_platforms_have_the_figures_of_the_plain_table(
    name: str, truth: pd.DataFrame
) -> None:
    other, labels, printed = EXPORTS[name]
    client = al.open(EXAMPLES / name, labels=labels and EXAMPLES / labels, quiet=True)
    check_figures(client, truth, other)
    shown = " ".join(repr(client.import_report).split())
    assert f"file {name}: {printed}" in shown
    assert not labels or f"columns from {labels}" in shown


def as_number(cell: Any) -> Any:
    """A cell as a workbook has it: numbers, and nothing for empty text."""
    try:
        return float(cell)
    except ValueError:
        return cell or None


def workbook(path: Path, **sheets: list[list[Any]]) -> Path:
    """A workbook of some sheets, with numbers as numbers."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append([*map(as_number, row)])
    book.save(path)
    return path


def rows_of(name: str) -> list[list[str]]:
    with (EXAMPLES / name).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_the_same_exports_are_recognised_in_workbooks_and_frames(
    tmp_path: Path, truth: pd.DataFrame
) -> None:
    path = workbook(tmp_path / "monkey.xlsx", Answers=rows_of("surveymonkey.csv"))
    check_figures(al.open(path, quiet=True), truth, "Other (please specify)")
    frame = pd.read_csv(EXAMPLES / "google_forms.csv")
    check_figures(al.open(frame, quiet=True), truth, "")


def test_a_cell_of_several_answers_keeps_answers_with_commas_whole() -> None:
    cells = ["Tea", "Tea, Milk, hot", "Milk, hot", "Tea, Rum", "Yes, weekly", "Yes, daily"]
    assert divided(cells, ", ") == {
        "Tea": ["Tea"],
        "Tea, Milk, hot": ["Tea", "Milk, hot"],
        "Milk, hot": ["Milk, hot"],
        "Tea, Rum": ["Tea", "Rum"],
        "Yes, weekly": ["Yes, weekly"],
        "Yes, daily": ["Yes, daily"],
    }


@pytest.mark.parametrize(
    "answers",
    [
        ["Yes, Weekly", "No, Never", "Yes, Daily"],
        ["Because, you see", "Well, it is so, you know", "No reason, really"],
    ],
)
def test_one_answer_with_a_comma_is_not_several(answers: list[str]) -> None:
    frame = pd.DataFrame({"Timestamp": "2024/03/01", "Q": answers * 20, "Sex": ["f"] * 60})
    questions = draft_codebook(frame).codebook.questions
    assert {q.name: (q.kind, len(q.points)) for q in questions}["Q"] == ("single", 3)


# ---- labels from another file ----

NUMBERED = {"gender": ("Woman", "Man", "Other"), "satisfied": tuple(SATISFIED_LEVELS)}


def codes_only(truth: pd.DataFrame) -> pd.DataFrame:
    """Gender and satisfaction as numbers."""
    return pd.DataFrame(
        {
            "gender": truth.gender.map(NUMBERED["gender"].index) + 1,
            "satisfied": truth.satisfaction.map(NUMBERED["satisfied"].index) + 1,
            "weight": truth.weight,
        }
    )


def label_rows() -> list[list[Any]]:
    """A table of labels as people write them: a variable once, its label without a value."""
    rows: list[list[Any]] = [["Variable", "Value", "Value label"]]
    for name, text in (("Gender", GENDER), ("Satisfied", SATISFIED)):
        rows.append([name, "", text])
        rows += [["", n, each] for n, each in enumerate(NUMBERED[name.lower()], start=1)]
    return rows


def labels_in(folder: Path, kind: str, truth: pd.DataFrame) -> Path:
    path = folder / f"labels{kind}"
    if kind == ".sav":
        pyreadstat.write_sav(
            codes_only(truth).iloc[:1],
            str(path),
            column_labels={"gender": GENDER, "satisfied": SATISFIED},
            variable_value_labels={
                name: dict(enumerate(labels, start=1)) for name, labels in NUMBERED.items()
            },
        )
    elif kind == ".xlsx":
        workbook(path, Notes=[["read me"]], Labels=label_rows())
    else:
        pd.DataFrame(label_rows()).to_csv(path, sep=";", header=False, index=False)
    return path


@pytest.mark.parametrize("kind", [".sav", ".xlsx", ".csv"])
def test_labels_come_from_a_second_file(
    kind: str, tmp_path: Path, truth: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = tmp_path / "answers.csv"
    codes_only(truth).to_csv(answers, index=False)
    client = al.open(answers, labels=labels_in(tmp_path, kind, truth), weight="weight")
    assert f"columns from labels{kind}" in capsys.readouterr().out
    wide = client.crosstab(SATISFIED, GENDER).to_wide("size")
    expected = truth.pivot_table("weight", "satisfaction", "gender", "sum")
    for level in SATISFIED_LEVELS:
        found = wide.xs(level, level="row").iloc[0].tolist()
        assert found == pytest.approx(expected.loc[level, list(NUMBERED["gender"])].tolist())


def test_labels_in_another_sheet_are_found(tmp_path: Path, truth: pd.DataFrame) -> None:
    codes = codes_only(truth)
    rows = [[*codes], *codes.to_numpy().tolist()]
    path = workbook(tmp_path / "book.xlsx", Answers=rows, Codes=label_rows())
    # Names of columns in sheets are compared as they are.
    assert "another sheet" not in " ".join(draft_codebook(path).reasons["source"])
    lower = [[str(row[0]).lower(), *row[1:]] for row in label_rows()]
    path = workbook(tmp_path / "book2.xlsx", Answers=rows, Codes=lower)
    drafted = draft_codebook(path)
    assert drafted.reasons["source"] == [
        "book2.xlsx: labels of 2 columns from another sheet of book2.xlsx"
    ]
    assert [question.name for question in drafted.codebook.questions] == [GENDER, SATISFIED]


def test_labels_are_part_of_what_an_import_is_known_by(tmp_path: Path) -> None:
    answers, labels = tmp_path / "answers.csv", tmp_path / "labels.csv"
    pd.DataFrame({"sex": [1, 2, 2]}).to_csv(answers, index=False)
    for woman in ("Woman", "Female"):
        labels.write_text(f"variable,value,label\nsex,1,Man\nsex,2,{woman}\n")
        rows = al.open(answers, labels=labels, quiet=True).crosstab("sex").to_frame()
        assert rows["row"].tolist() == ["Man", woman]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("gone.csv", None, "no such file of labels"),
        ("labels.csv", "a,b\n1,2\n", "its first row must name the columns variable, value"),
        ("labels.csv", "variable,value,label\nage,1,Old\n", "describes none of the columns of"),
        ("labels.doc", "", "labels are read from a table"),
    ],
)
def test_labels_that_cannot_be_used_say_why(
    tmp_path: Path, name: str, text: str | None, problem: str
) -> None:
    answers = tmp_path / "answers.csv"
    pd.DataFrame({"sex": [1, 2, 2]}).to_csv(answers, index=False)
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(SurveyError, match=problem):
        al.open(answers, labels=tmp_path / name, quiet=True)
    with fails(SurveyError):
        al.open(answers, labels=tmp_path / name, codebook=tmp_path / "book.toml")


# ---- triple-S ----


@pytest.mark.parametrize("name", ["triple_s.sss", "triple_s_csv.xml"])
def test_triple_s_has_the_figures_of_the_plain_table(name: str, truth: pd.DataFrame) -> None:
    client = al.open(EXAMPLES / name, quiet=True)
    check_figures(client, truth, "Other brand")
    old = client.crosstab("65 or older").to_frame().set_index("row")["size"]
    assert old["Yes"] == pytest.approx(truth.weight[truth.age >= 65].sum())
    shown = client.crosstab([al.answered("brands"), al.asked("brands")]).to_frame()
    known = (truth[BRANDS] == 1).any(axis=1) | (truth.other != "")
    assert shown["sample"].tolist() == [known.sum(), truth.asked.sum()]


def test_what_triple_s_defines_is_in_the_draft() -> None:
    drafted = draft_codebook(EXAMPLES / "triple_s_csv.xml")
    assert drafted.codebook.study.name == "Drinks"
    assert drafted.codebook.weight is not None
    assert drafted.codebook.weight.column == "wgt"
    assert drafted.left_out["number"] == "the serial number"
    assert drafted.left_out["day"].startswith("a date")
    [brands] = [each for each in drafted.codebook.questions if each.code == "brands"]
    assert (brands.kind, brands.column, brands.separator) == ("multiple", "brands", ";")
    [source] = [each for each in drafted.reasons["source"] if "triple-S" in each]
    assert source.endswith("triple-S 2.0, 11 variables, data in triple_s_csv.csv")


def copied(folder: Path, name: str = "triple_s") -> Path:
    """A copy of the definitions with their data beside them."""
    for each in EXAMPLES.glob(f"{name}.*"):
        shutil.copy(each, folder)
    return folder / f"{name}.sss"


def test_other_data_beside_the_same_definitions_are_imported_again(tmp_path: Path) -> None:
    path = copied(tmp_path)
    assert al.open(path, quiet=True).crosstab(GENDER).to_frame()["sample"].sum() == 150
    data = path.with_suffix(".asc")
    data.write_bytes(b"".join(data.read_bytes().splitlines(keepends=True)[:40]))
    assert al.open(path, quiet=True).crosstab(GENDER).to_frame()["sample"].sum() == 40


def test_a_triple_s_file_in_another_encoding_is_read(tmp_path: Path) -> None:
    path = copied(tmp_path)
    path.write_text(path.read_text().replace("UTF-8", "windows-1251").replace("Alba", "Алба"),
                    "windows-1251")  # fmt: skip
    data = path.with_suffix(".asc")
    data.write_bytes(data.read_text().replace("Dovo", "Дово").encode("windows-1251"))
    names = {q.name: [p.name for p in q.points] for q in draft_codebook(path).codebook.questions}
    assert "Алба" in names[KNOWN]
    assert "Дово" in names["Which other brand?"]


@pytest.mark.parametrize(
    ("definitions", "problem"),
    [
        ("SSS\nVERSION 1.0\n", "is of triple-S 1.0, which is not XML"),
        ("<html/>", "is XML, but not triple-S"),
        ("<sss", "is not XML"),
        ("<sss><survey><record/><record/></survey></sss>", "describes 2 records of a hierarchy"),
        ("<sss><survey><record href='gone.asc'/></survey></sss>", "there is no gone.asc"),
        (
            "<sss><survey><record><variable ident='7' type='single'/></record></survey></sss>",
            "the variable 7 has no name or position",
        ),
    ],
)
def test_definitions_that_cannot_be_read_say_why(
    tmp_path: Path, definitions: str, problem: str
) -> None:
    path = copied(tmp_path)
    path.write_text(definitions)
    if "gone.asc" in definitions:
        path.with_suffix(".asc").unlink()
    with pytest.raises(SourceError, match=problem):
        draft_codebook(path)


def test_a_row_with_too_few_cells_is_named(tmp_path: Path) -> None:
    for each in EXAMPLES.glob("triple_s_csv.*"):
        shutil.copy(each, tmp_path)
    data = tmp_path / "triple_s_csv.csv"
    data.write_text(data.read_text() + "151,20240301\n")
    with fails(SourceError):
        draft_codebook(tmp_path / "triple_s_csv.xml")
