"""Exports of REDCap, with its data dictionary, have the figures that plain counts give."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.survey import SourceError
from tests.messages import fails

SEX = {"0": "Female", "1": "Male"}
DRINKS = {"1": "Tea", "2": "Coffee", "-99": "None, or water", "a": "Milk"}
RATED = {"1": "Bad", "2": "Good", "9": "Don't know"}
DRINK_NAMES = {"1": "drinks___1", "2": "drinks___2", "-99": "drinks____99", "a": "drinks___a"}
ROWS = 200

DICTIONARY = [
    ("record_id", "person", "", "text", "Record ID", "", "", "", "", ""),
    ("sex", "person", "", "radio", "What is your sex?", "0, Female | 1, Male", "", "", "", ""),
    ("mail", "person", "", "text", "E-mail", "", "email", "y", "", ""),
    ("age", "person", "", "text", "Age, in years", "", "integer", "", "", ""),
    ("dob", "person", "", "text", "Born", "", "date_ymd", "", "", ""),
    ("smokes", "habits", "", "yesno", "Do you smoke?", "", "", "", "", ""),
    ("since", "habits", "", "text", "Since when?", "", "number", "", '[smokes] = "1"', ""),
    ("drinks", "habits", "", "checkbox", "What do you drink?",
     " | ".join(f"{code}, {label}" for code, label in DRINKS.items()), "", "",
     '[sex] = "0" and [smokes] <> "1"', ""),
    ("said", "habits", "", "descriptive", "Thank you", "", "", "", "", ""),
    ("shop", "habits", "How good are they?", "radio", "The shop",
     " | ".join(f"{code}, {label}" for code, label in RATED.items()), "", "",
     '[drinks(1)] = "1" or [drinks(2)] <> "1"', "rated"),
    ("cafe", "habits", "", "radio", "The café",
     " | ".join(f"{code}, {label}" for code, label in RATED.items()), "", "", "", "rated"),
    ("mood", "habits", "", "slider", "Mood", "Sad | Happy", "", "", "", ""),
    ("notes", "habits", "", "notes", "Notes", "", "", "", "", ""),
]  # fmt: skip

DESIGNER = (
    "Variable / Field Name", "Form Name", "Section Header", "Field Type", "Field Label",
    "Choices, Calculations, OR Slider Labels", "Text Validation Type OR Show Slider Number",
    "Identifier?", "Branching Logic (Show field only if...)", "Matrix Group Name",
)  # fmt: skip
API = (
    "field_name", "form_name", "section_header", "field_type", "field_label",
    "select_choices_or_calculations", "text_validation_type_or_show_slider_number", "identifier",
    "branching_logic", "matrix_group_name",
)  # fmt: skip


pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture(scope="module")
def raw() -> pd.DataFrame:
    """An export of values, all of them as text."""
    draw = np.random.default_rng(7)

    def some(codes: list[str]) -> Any:
        return draw.choice(codes, ROWS)

    number = [str(each) for each in range(1, ROWS + 1)]
    found = {"record_id": number, "redcap_data_access_group": some(["north", "south"])}
    found |= {"redcap_survey_identifier": "", "person_timestamp": "2024-03-01 10:00:00"}
    found |= {"sex": some([*SEX]), "mail": [f"{each}@example.org" for each in number]}
    found |= {"age": some([str(age) for age in range(18, 80)]), "dob": "1980-05-06"}
    found |= {"person_complete": "2", "smokes": some(["0", "1", ""]), "since": ""}
    found |= {name: some(["0", "0", "1"]) for name in DRINK_NAMES.values()}
    found[DRINK_NAMES["a"]] = "0"
    found |= {"shop": some([*RATED, ""]), "cafe": some([*RATED])}
    found |= {"mood": some([str(each) for each in range(101)]), "notes": ""}
    return pd.DataFrame(found | {"habits_complete": some(["0", "1", "2"])})


def written(path: Path, rows: list[Any]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def dictionary(folder: Path, header: tuple[str, ...] = DESIGNER) -> Path:
    return written(folder / "dictionary.csv", [header, *DICTIONARY])


def export(folder: Path, frame: pd.DataFrame) -> Path:
    path = folder / "data.csv"
    frame.to_csv(path, index=False)
    return path


def counts(client: Any, rows: str, columns: str) -> dict[tuple[str, str], int]:
    frame = client.crosstab(rows, columns).to_frame()
    return {(row, column): n for row, column, n in frame[["row", "column", "sample"]].to_numpy()}


def check_figures(client: Any, raw: pd.DataFrame) -> None:
    """Drinks and sex, and the two ratings, as plain counts have them."""
    drinks = counts(client, "What do you drink?", "What is your sex?")
    assert drinks == {
        (DRINKS[code], label): int(((raw[name] == "1") & (raw.sex == sex)).sum())
        for code, name in DRINK_NAMES.items()
        for sex, label in SEX.items()
    }
    grid = client.grid("How good are they?").to_frame()
    found = {(row, point): n for row, point, n in
             grid[["datapoint_label", "suffix_label", "sample"]].to_numpy()}  # fmt: skip
    assert found == {
        (label, RATED[code]): int((raw[name] == code).sum())
        for name, label in {"shop": "The shop", "cafe": "The café"}.items()
        for code in RATED
    }


@pytest.mark.parametrize("header", [DESIGNER, API], ids=["designer", "api"])
def test_values_have_the_labels_of_the_data_dictionary(
    tmp_path: Path, raw: pd.DataFrame, header: tuple[str, ...]
) -> None:
    labels = dictionary(tmp_path, header)
    client = al.open(export(tmp_path, raw), labels=labels, quiet=True)
    check_figures(client, raw)
    drafted = draft_codebook(export(tmp_path, raw), labels=labels)
    found = {question.code: question for question in drafted.codebook.questions}
    assert [*found] == ["sex", "age", "smokes", "drinks", "rated", "mood"]
    assert found["smokes"].labels == {"1": "Yes", "0": "No"}
    assert found["drinks"].universe == "What is your sex? = Female and Do you smoke? ≠ Yes"
    assert {name: drafted.left_out[name] for name in ("record_id", "mail", "dob", "notes")} == {
        "record_id": "the record",
        "mail": "marked as an identifier in the dictionary",
        "dob": "a date; name it under [wave] to make waves of it",
        "notes": "free text: a box of notes",
    }
    assert drafted.left_out["person_timestamp"] == "about the record"
    assert drafted.left_out["habits_complete"] == "the status of a form"


def test_redcap_is_recognised_without_a_dictionary(tmp_path: Path, raw: pd.DataFrame) -> None:
    drafted = draft_codebook(export(tmp_path, raw))
    assert drafted.reasons["source"][0] == "data.csv: an export of REDCap, by its columns"
    kinds = {each.code: each.kind for each in drafted.codebook.questions}
    assert kinds == {
        "sex": "single",
        "age": "single",
        "smokes": "single",
        "drinks": "multiple",
        "shop": "single",
        "cafe": "single",
        "mood": "single",
    }
    # Columns of an id and a number of tasks alone are those of anyone.
    plain = pd.DataFrame({"record_id": range(60), "tasks_complete": [*range(6)] * 10})
    assert [each.code for each in draft_codebook(plain).codebook.questions] == ["tasks_complete"]


# ---- the export of labels ----

HEADERS = {
    "record_id": "Record ID", "redcap_data_access_group": "Data Access Group",
    "redcap_survey_identifier": "Survey Identifier", "person_timestamp": "Survey Timestamp",
    "habits_complete": "Complete?", "person_complete": "Complete?",
    **{name: f"What do you drink? (choice={DRINKS[code]})" for code, name in DRINK_NAMES.items()},
    **{row[0]: row[4] for row in DICTIONARY[1:] if row[3] not in ("checkbox", "descriptive")},
}  # fmt: skip


def labelled(raw: pd.DataFrame) -> pd.DataFrame:
    """The same answers as texts, under the labels of the columns."""
    texts = {"sex": SEX, "smokes": {"1": "Yes", "0": "No"}, "shop": RATED, "cafe": RATED}
    ticks = {"0": "Unchecked", "1": "Checked"}
    status = {"0": "Incomplete", "1": "Unverified", "2": "Complete"}
    known: dict[str, dict[str, str]] = texts | dict.fromkeys(DRINK_NAMES.values(), ticks)
    known |= dict.fromkeys(["person_complete", "habits_complete"], status)
    frame = raw.replace(known)
    return frame.set_axis([HEADERS[name] for name in raw.columns], axis=1)


def test_texts_keep_the_order_of_the_dictionary(tmp_path: Path, raw: pd.DataFrame) -> None:
    path = export(tmp_path, labelled(raw))
    client = al.open(path, labels=dictionary(tmp_path), quiet=True)
    check_figures(client, raw)
    drafted = draft_codebook(path, labels=dictionary(tmp_path))
    points = {each.name: [point.name for point in each.points] for each in
              drafted.codebook.questions}  # fmt: skip
    assert points["What is your sex?"] == ["Female", "Male"]
    assert points["Do you smoke?"] == ["Yes", "No"]
    assert "Complete? (2)" in drafted.left_out


# ---- a dictionary that contradicts the data ----


def test_values_that_the_dictionary_lacks_are_a_line_of_the_card(
    tmp_path: Path, raw: pd.DataFrame
) -> None:
    frame = raw.assign(sex=raw.sex.where(raw.index >= 3, "3"))
    drafted = draft_codebook(export(tmp_path, frame), labels=dictionary(tmp_path))
    [line] = [each for each in drafted.guesses if each.subject == "codes"]
    assert (line.about, line.severity) == ("sex", 1)
    assert line.said == "3 of 200 rows have '3', which dictionary.csv does not list"
    assert line.code == "al.open(…, missing={\"sex\": ['3']})"
    client = al.open(export(tmp_path, frame), labels=dictionary(tmp_path), missing={"sex": ["3"]})
    found = client.crosstab("What is your sex?").to_frame()
    assert found["sample"].sum() == ROWS - 3


def test_the_dictionary_of_other_data_is_refused(tmp_path: Path, raw: pd.DataFrame) -> None:
    other = raw.assign(sex="x", smokes="maybe", shop="5")
    other = other.drop(columns=[*DRINK_NAMES.values()])
    with fails(SourceError):
        draft_codebook(export(tmp_path, other), labels=dictionary(tmp_path))


# ---- which rows are respondents ----


def test_rows_of_repeating_instruments_are_left_out(tmp_path: Path) -> None:
    rows = [
        # record, instrument, instance, sex, drinks, status, pressure, status
        ("1", "", "", "0", "1", "0", "2", "", ""),
        ("1", "blood", "1", "", "0", "0", "", "110", "2"),
        ("1", "blood", "2", "", "0", "0", "", "120", "2"),
        ("2", "", "", "1", "0", "0", "2", "", ""),
        ("3", "", "", "1", "0", "1", "2", "", ""),
        ("3", "blood", "1", "", "0", "0", "", "110", "2"),
        ("4", "blood", "1", "", "0", "0", "", "130", "2"),
    ]
    names = ["record_id", "redcap_repeat_instrument", "redcap_repeat_instance", "sex", "likes___1",
             "likes___2", "person_complete", "pressure", "blood_complete"]  # fmt: skip
    path = written(tmp_path / "data.csv", [names, *rows])
    drafted = draft_codebook(path)
    [line] = [each for each in drafted.guesses if each.severity == 1]
    assert line.said == "3 of 7 rows, which repeat an instrument or an event of a record (blood)"
    client = al.open(path, quiet=True)
    assert counts(client, "likes", "sex") == {
        ("likes___1", "0"): 1,
        ("likes___2", "0"): 0,
        ("likes___1", "1"): 0,
        ("likes___2", "1"): 1,
    }
    # Record 4 has no row of its own, so its boxes, which REDCap exports as 0, were not asked.
    assert client.crosstab(al.asked("likes")).to_frame()["sample"].tolist() == [3]
    # A codebook reads the same rows, and the report names those that are left out.
    book = al.open(path, codebook=drafted.codebook, quiet=True)
    assert line in book.import_report.guesses
    assert counts(book, "likes", "sex") == counts(client, "likes", "sex")
    # As the line says: of the rows of one instrument, each is a respondent.
    query = """query('`redcap_repeat_instrument` == "blood"')"""
    assert line.code == f'al.open(pandas.read_csv("{path}").{query})'
    blood = pd.read_csv(path).query('`redcap_repeat_instrument` == "blood"')
    found = al.open(blood, quiet=True)
    assert found.crosstab("pressure").to_frame()["sample"].tolist() == [2, 1, 1]
    [first, *_] = found.import_report.guesses
    assert (first.severity, first.said) == (0, "records count several times: 4 rows of 3 records")


EVENTS = ["first_arm_1", "second_arm_1"]


def longitudinal() -> pd.DataFrame:
    """Sex in the first event, boxes in both of them; 0 where the form was not filled in."""
    frame = pd.DataFrame(
        {
            "study_id": [n for n in range(30) for _ in EVENTS],
            "redcap_event_name": EVENTS * 30,
            "sex": ["0" if n % 2 else "" for n in range(60)],
            "person_complete": ["", "2"] * 30,
            "likes___1": [n % 3 // 2 for n in range(60)],
            "likes___2": 0,
            "tasks": ["a", "b", "a", ""] * 15,
            "likes_complete": ["2", "0"] * 30,
        }
    )
    frame["sex"] = ["01"[n // 2 % 2] if n % 2 == 0 else "" for n in range(60)]
    return frame.assign(person_complete=["2", ""] * 30)


def test_events_are_waves_and_records_persons(tmp_path: Path) -> None:
    frame = longitudinal()
    path = export(tmp_path, frame)
    drafted = draft_codebook(path)
    assert drafted.codebook.wave is not None
    assert drafted.codebook.wave.column == "redcap_event_name"
    assert [each.name for each in drafted.codebook.waves] == EVENTS
    assert drafted.codebook.design.person == "study_id"
    [line] = [each for each in drafted.guesses if "each event is" in each.said]
    assert line.said.startswith("60 rows of 30 records: each event is a wave")
    client = al.open(path, quiet=True)
    second = drafted.codebook.waves[1].code
    found = client.crosstab("likes", waves=[second]).to_frame()["sample"].tolist()
    late = frame[(frame.redcap_event_name == EVENTS[1])]
    assert found == [int((late.likes___1 == 1).sum()), 0]
    # With nothing in the form and the status 0 it was not filled in.
    empty = (late.likes___1 == 0) & (late.tasks == "")
    asked = client.crosstab(al.asked("likes"), waves=[second]).to_frame()["sample"]
    assert asked.tolist() == [30 - int(empty.sum())]
    assert 0 < empty.sum() < 30
    # As the line says: joined, a record is one respondent.
    joining = 'groupby("study_id", as_index=False).first()'
    assert line.code == f'al.open(pandas.read_csv("{path}").{joining})'
    joined = pd.read_csv(path).groupby("study_id", as_index=False).first()
    once = al.open(joined, quiet=True)
    assert once.crosstab("sex").to_frame()["sample"].sum() == 30


def test_a_form_without_entries_is_a_line_with_the_code_that_counts_it(tmp_path: Path) -> None:
    frame = longitudinal().drop(columns=["redcap_event_name"])
    frame = frame.assign(record_id=range(60)).drop(columns="study_id")
    frame = frame[["record_id", *frame.columns[:-1]]]
    empty = (frame.likes___1 == 0) & (frame.tasks == "") & (frame.likes_complete == "0")
    drafted = draft_codebook(frame)
    [line] = [each for each in drafted.guesses if each.subject == "rows"]
    assert line.said == (
        f"{empty.sum()} of 60 rows have nothing in the form of likes_complete, which is "
        "incomplete: taken as not asked in likes___1, likes___2"
    )
    assert line.code == 'al.open(frame.assign(**{"likes_complete": 2}))'
    complete = {"likes_complete": 2}
    asked = [
        al.open(each, quiet=True).crosstab(al.asked("likes")).to_frame()["sample"].tolist()
        for each in (frame, frame.assign(**complete))
    ]
    assert asked == [[60 - empty.sum()], [60]]


def test_events_that_differ_between_records_are_groups_of_them() -> None:
    frame = longitudinal().drop_duplicates("study_id")
    frame["redcap_event_name"] = ["a_arm_1", "b_arm_2"] * 15
    codes = [each.code for each in draft_codebook(frame).codebook.questions]
    assert codes == ["redcap_event_name", "sex", "likes", "tasks"]
    alone = frame.assign(redcap_event_name=EVENTS[0])
    assert [each.code for each in draft_codebook(alone).codebook.questions] == codes[1:]


def test_columns_in_another_order_are_not_taken_as_records(raw: pd.DataFrame) -> None:
    other = raw.rename(columns={"record_id": "study_id"})
    columns = ["sex", *(name for name in other.columns if name != "sex")]
    codes = [each.code for each in draft_codebook(other[columns]).codebook.questions]
    assert codes[0] == "sex"
    events = longitudinal()
    with fails(SourceError):
        draft_codebook(events[["sex", *(name for name in events.columns if name != "sex")]])
    moved = events[["redcap_event_name", "study_id", *events.columns[2:]]]
    assert draft_codebook(moved).codebook.design.person == "study_id"
