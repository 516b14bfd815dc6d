"""Conditions of REDCap and LimeSurvey say who was asked: figures as plain counts have them."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.codebook import AskedCondition
from audiencelab.ingest.dictionaries import read_dictionary
from audiencelab.ingest.dictionaries.conditions import simple_conditions
from tests.ingest.limesurvey import SID, Question, structure

Row = dict[str, str]
Rule = Callable[[Row], bool]


pytestmark = pytest.mark.usefixtures("own_cache")


def table(path: Path, rows: Sequence[Row]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def parts(client: Any, question: str) -> list[tuple[int, int]]:
    """Of each item, who chose it and who was asked."""
    frame = client.stats(question).to_frame()
    return [(int(n), int(base)) for n, base in frame[["sample", "column_sample"]].to_numpy()]


def check(data: Path, labels: Path, wanted: dict[str, list[tuple[int, int]]]) -> Any:
    """Both ways of an import have the figures; returns the client of the first."""
    client = al.open(data, labels=labels, quiet=True)
    assert {question: parts(client, question) for question in wanted} == wanted
    saved = data.with_suffix(".toml")
    draft_codebook(data, labels=labels).save(saved)
    again = al.open(data, codebook=saved, quiet=True)
    assert {question: parts(again, question) for question in wanted} == wanted
    return client


def told(client: Any, severity: int) -> list[str]:
    guesses = client.import_report.guesses
    return [
        f"{g.about}: {g.said}" for g in guesses if (g.subject, g.severity) == ("base", severity)
    ]


# ---- REDCap ----

HEADER = ("field_name", "form_name", "field_type", "field_label",
          "select_choices_or_calculations", "branching_logic")  # fmt: skip
SMOKES = {"0": "No", "1": "Daily", "2": "At times"}
LOGIC: dict[str, tuple[str, Rule]] = {
    "one": ("[smokes] = '1'", lambda row: row["smokes"] == "1"),
    "any": ("([smokes] = '1' or [smokes] = \"2\")", lambda row: row["smokes"] in ("1", "2")),
    "box": ("[drinks(1)] = '1' AND [smokes]<>'0'",
            lambda row: row["drinks___1"] == "1" and row["smokes"] != "0"),
    "said": ("[smokes] <> ''", lambda row: row["smokes"] != ""),
    "odd": ("[age] > 40 and [smokes] = '1'", lambda row: True),
}  # fmt: skip
FIELDS = [
    ("record_id", "person", "text", "Record ID", "", ""),
    ("sex", "person", "radio", "Sex", "1, Woman | 2, Man", ""),
    ("age", "person", "text", "Age", "", ""),
    ("smokes", "person", "radio", "Do you smoke?", " | ".join(map(", ".join, SMOKES.items())), ""),
    ("drinks", "person", "checkbox", "Drinks", "1, Tea | 2, Milk", ""),
    *(
        (name, "person", "checkbox", f"Tried {name}", f"1, Patch {name} | 2, Gum {name}", logic)
        for name, (logic, _) in LOGIC.items()
    ),
]
NAMES = {name: label for name, _, kind, label, _, _ in FIELDS if kind != "checkbox"} | {
    f"{name}___{code}": f"{label} (choice={text})"
    for name, _, kind, label, choices, _ in FIELDS
    if kind == "checkbox"
    for code, text in (each.split(", ") for each in choices.split(" | "))
}


@pytest.fixture(scope="module")
def records() -> list[Row]:
    draw = random.Random(5)
    found: list[Row] = []
    for number in range(240):
        row = {"record_id": f"{number + 1}", "sex": draw.choice("12")}
        row |= {"age": f"{20 + number % 60}", "smokes": draw.choice(["0", "0", "1", "2", ""])}
        row |= {f"drinks___{code}": draw.choice("01") for code in "12"}
        for name, (_, rule) in LOGIC.items():
            row |= {f"{name}___{code}": draw.choice("01") if rule(row) else "0" for code in "12"}
        found.append(row | {"person_complete": "2"})
    return found


def redcap(folder: Path) -> Path:
    path = folder / "dictionary.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *FIELDS])
    return path


def in_labels(row: Row) -> Row:
    """A row of an export of labels."""
    found: Row = {}
    for name, value in row.items():
        if "___" in name:
            value = ("Unchecked", "Checked")[int(value)]
        value = SMOKES.get(value, "") if name == "smokes" else value
        value = {"1": "Woman", "2": "Man"}[value] if name == "sex" else value
        value = "Complete" if name == "person_complete" else value
        found[NAMES.get(name, "Complete?")] = value
    return found


@pytest.mark.parametrize("has_labels", [False, True])
def test_branching_logic_says_who_was_asked(
    tmp_path: Path, records: list[Row], has_labels: bool
) -> None:
    wanted = {
        f"Tried {name}": [
            (sum(row[f"{name}___{code}"] == "1" for row in records), sum(map(rule, records)))
            for code in "12"
        ]
        for name, (_, rule) in LOGIC.items()
    }
    rows = [in_labels(row) for row in records] if has_labels else records
    client = check(table(tmp_path / "data.csv", rows), redcap(tmp_path), wanted)
    asked = {name: sum(map(rule, records)) for name, (_, rule) in LOGIC.items()}
    lines = told(client, 1)
    assert len(lines) == len(LOGIC) - 1
    first = f"{240 - asked['one']} of 240 were not, and have 'not chosen' in the file"
    assert lines[0] == f"one: asked of Do you smoke? = Daily: {first}"
    [line] = told(client, 0)
    assert line.startswith("odd: asked of [age] > 40 and Do you smoke? = Daily, and all 240 count")


def test_conditions_name_values_as_the_file_has_them(tmp_path: Path, records: list[Row]) -> None:
    path = table(tmp_path / "data.csv", [in_labels(row) for row in records])
    draft = draft_codebook(path, labels=redcap(tmp_path))
    [code] = [each.code for each in draft.codebook.questions if each.name == "Tried any"]
    found = {each.name: each.asked_of for each in draft.codebook.questions if each.asked_of}
    assert found["Tried any"] == (AskedCondition("Do you smoke?", ("Daily", "At times")),)
    assert found["Tried box"] == (
        AskedCondition("Drinks (choice=Tea)", ("Checked",)),
        AskedCondition("Do you smoke?", (), ("No",)),
    )
    said = " ".join(draft.reasons[f"questions/{code}"])
    assert "asked of Do you smoke? = Daily or At times, by dictionary.csv" in said


def test_a_condition_on_a_column_that_the_file_lacks_decides_nothing(
    tmp_path: Path, records: list[Row]
) -> None:
    rows = [{name: value for name, value in row.items() if name != "smokes"} for row in records]
    client = al.open(table(tmp_path / "data.csv", rows), labels=redcap(tmp_path), quiet=True)
    assert {base for name in LOGIC for _, base in parts(client, f"Tried {name}")} == {240}
    assert len(told(client, 0)) == len(LOGIC)


# ---- LimeSurvey ----

GERMAN = (
    Question("L", "sex", "Sind Sie?", answers={"F": "eine Frau", "M": "ein Mann"},
             other="etwas anderes"),
    Question("Y", "abo", "Haben Sie ein Abo?"),
    Question("M", "tee", "Welchen Tee?", items={"g": "grünen", "s": "schwarzen"},
             relevance=f'((sex.NAOK == "F") or {SID}X10X100 == "-oth-") && (abo == "Y")'),
    Question("M", "wo", "Wo?", items={"l": "Laden", "n": "Netz"},
             relevance='tee_g.NAOK == "Y"'),
    Question("M", "was", "Was?", items={"a": "Alba", "b": "Brio"},
             relevance='sex.NAOK != "F"'),
)  # fmt: skip


@pytest.fixture(scope="module")
def responses() -> list[Row]:
    draw = random.Random(6)
    found: list[Row] = []
    for number in range(200):
        row = {"id": f"{number + 1}", "submitdate": "2024-03-01 10:00:00", "lastpage": "3"}
        row |= {
            "startlanguage": "de",
            "sex": draw.choice(["F", "M", "-oth-"]),
            "abo": draw.choice("YN"),
        }
        is_asked = row["sex"] != "M" and row["abo"] == "Y"
        row |= {f"tee[{code}]": draw.choice(["Y", ""]) if is_asked else "" for code in "gs"}
        is_asked = row["tee[g]"] == "Y"
        row |= {f"wo[{code}]": draw.choice(["Y", ""]) if is_asked else "" for code in "ln"}
        row |= {f"was[{code}]": draw.choice(["Y", ""]) * (row["sex"] == "M") for code in "ab"}
        found.append(row)
    return found


def test_relevance_says_who_was_asked(tmp_path: Path, responses: list[Row]) -> None:
    def wanted(items: Sequence[str], asked: Rule) -> list[tuple[int, int]]:
        base = sum(map(asked, responses))
        return [(sum(row[name] == "Y" for row in responses), base) for name in items]

    labels = structure(tmp_path / "tee.lss", GERMAN, "de", version=6)
    client = check(
        table(tmp_path / "codes.csv", responses),
        labels,
        {
            "tee": wanted(
                ["tee[g]", "tee[s]"], lambda row: row["sex"] != "M" and row["abo"] == "Y"
            ),
            "wo": wanted(["wo[l]", "wo[n]"], lambda row: row["tee[g]"] == "Y"),
            # Not equal may be of a question that was not shown itself: the card says so.
            "was": wanted(["was[a]", "was[b]"], lambda row: True),
        },
    )
    assert len(told(client, 1)) == 2
    [line] = told(client, 0)
    assert line.startswith("was: asked of Sind Sie? ≠ eine Frau, and all 200 count as asked")


# ---- conditions ----


def compared(text: str) -> AskedCondition | None:
    term = re.fullmatch(r"(\w) (!?=) (\d)", text)
    if term is None:
        return None
    return AskedCondition(term[1], *(((term[3],), ()) if term[2] == "=" else ((), (term[3],))))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a = 1 or b = 2",
        "a = 1 and b = 2 or b = 3",
        "a = 1 or a != 2",
        "a = 1 or (a = 2 and a = 3)",
        "a = 1 and b > 2",
        "(a = 1",
        "not (a = 1)",
        "a = 1 and ",
        "a = 1" + " and a = 1" * 400,
    ],
)
def test_other_conditions_are_text_alone(text: str) -> None:
    assert simple_conditions(text, compared) == ()


def test_brackets_and_signs_of_conditions() -> None:
    text = "((a = 1) && ((b = 2 || b = 3) AND c != 4))"
    assert simple_conditions(text, compared) == (
        AskedCondition("a", ("1",)),
        AskedCondition("b", ("2", "3")),
        AskedCondition("c", (), ("4",)),
    )


@pytest.mark.parametrize(
    "logic",
    ["[base_arm_1][smokes] = '1'", "[smokes] > 1", "[smokes] = [sex]", "[smokes] = ",
     "datediff([dob], 'today', 'y') = '1'"],
)  # fmt: skip
def test_branching_logic_of_other_forms_is_text_alone(tmp_path: Path, logic: str) -> None:
    path = tmp_path / "dictionary.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [HEADER, *FIELDS[:-1], ("odd", "person", "checkbox", "Odd", "1, A | 2, B", logic)]
        )
    assert read_dictionary(path).variables["odd___1"].asked_of == ()
    assert read_dictionary(path).variables["odd___1"].universe
