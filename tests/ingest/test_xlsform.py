"""Exports of KoboToolbox and ODK, with their XLSForm, have the figures that plain counts give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest import draft_codebook

ROWS = 120
SEX = {"f": ("Woman", "Mujer"), "m": ("Man", "Hombre")}
TEA = {"green": ("Green tea", "Té verde"), "black": ("Black tea", "Té negro"),
       "none": ("None", "Ninguno")}  # fmt: skip
POINTS = {"1": ("Bad", "Malo"), "2": ("Good", "Bueno"), "9": ("Do not know", "No lo sé")}
LANGUAGES = ("English (en)", "Español (es)")
TITLES = {
    "sex": ("What is your sex?", "¿Cuál es su sexo?"),
    "drinks": ("Drinks", "Bebidas"),
    "tea": ("Which <b>tea</b> do you drink?", "¿Qué té bebe?"),
    "shop": ("The shop", "La tienda"),
    "cafe": ("The café", "El café"),
    "age": ("Age", "Edad"),
}
SURVEY = [
    ("start", "start", "", ""),
    ("select_one sexes or_other", "sex", "", ""),
    ("begin_group", "drinks", "${age} >= 18", ""),
    ("select_multiple teas", "tea", "${sex} = 'f' and not(selected(${tea}, 'none'))", ""),
    ("begin group", "rated", "", "table-list"),
    ("select_one points", "shop", "selected(${tea}, 'green')", ""),
    ("select_one points", "cafe", "", ""),
    ("end group", "", "", ""),
    ("end_group", "", "", ""),
    ("integer", "age", "", ""),
    ("calculate", "double", "", ""),
    ("begin_repeat", "children", "", ""),
    ("integer", "child_age", "", ""),
    ("end_repeat", "", "", ""),
    ("rank teas", "best", "", ""),
    ("select_multiple teas", "read", "", "literacy"),
]


pytestmark = pytest.mark.usefixtures("own_cache")


def form(folder: Path, default: str = "English (en)") -> Path:
    """The form as a workbook."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    labels = [f"label::{each}" for each in LANGUAGES]
    survey = book.create_sheet("survey")
    survey.append(["type", "name", *labels, "relevant", "appearance"])
    for kind, name, relevant, looks in SURVEY:
        survey.append([kind, name, *TITLES.get(name, ("", "")), relevant, looks])
    choices = book.create_sheet("choices")
    choices.append(["list name", "name", *labels])
    for own, known in {"sexes": SEX, "teas": TEA, "points": POINTS}.items():
        for code, texts in known.items():
            choices.append([own, code, *texts])
    settings = book.create_sheet("settings")
    settings.append(["form_title", "default_language"])
    settings.append(["Teas", default])
    book.save(folder / "form.xlsx")
    return folder / "form.xlsx"


@pytest.fixture(scope="module")
def truth() -> pd.DataFrame:
    draw = np.random.default_rng(3)
    frame = pd.DataFrame({"sex": draw.choice([*SEX], ROWS)})
    for each in ("green", "black"):
        frame[each] = draw.integers(0, 2, ROWS)
    frame["none"] = 0
    for each in ("shop", "cafe"):
        frame[each] = draw.choice([*POINTS, ""], ROWS)
    return frame.assign(age=draw.integers(18, 80, ROWS))


def kobo(
    truth: pd.DataFrame, *, language: int | None, groups: bool, whole: bool, split: bool
) -> pd.DataFrame:
    """An export. language: of texts and headers, None for names. whole, split: of several answers.

    groups: whether headers have the groups too.
    """

    def title(*names: str) -> str:
        plain = [TITLES[n][language].replace("<b>", "").replace("</b>", "")
                 if language is not None and n in TITLES else n for n in names]  # fmt: skip
        return "/".join(plain if groups else plain[-1:])

    def text(known: dict[str, tuple[str, str]], codes: Any) -> list[str]:
        return [code if language is None or not code else known[code][language] for code in codes]

    found: dict[str, Any] = {"start": "2024-03-01T10:00:00.000+01:00"}
    found[title("sex")] = text(SEX, truth.sex)
    cells = [" ".join(text(TEA, [each for each in TEA if row[each] == 1])) for _, row in
             truth.iterrows()]  # fmt: skip
    found |= {title("drinks", "tea"): cells} if whole else {}
    for code in TEA if split else ():
        found[f"{title('drinks', 'tea')}/{text(TEA, [code])[0]}"] = truth[code]
    for name in ("shop", "cafe"):
        found[title("drinks", "rated", name)] = text(POINTS, truth[name])
    found |= {title("age"): truth.age, "double": truth.age * 2, "best": "green black none"}
    found |= {"read": "10 3 null green black"}
    found |= {"_id": range(ROWS), "_uuid": [f"u{n}" for n in range(ROWS)]}
    return pd.DataFrame(found | {"_submission_time": "2024-03-01T10:00:00"})


def check_figures(client: Any, truth: pd.DataFrame, language: int = 0) -> None:
    sexes = {texts[language]: code for code, texts in SEX.items()}
    teas = {texts[language]: code for code, texts in TEA.items()}
    tea = TITLES["tea"][language].replace("<b>", "").replace("</b>", "")
    frame = client.crosstab(tea, TITLES["sex"][language]).to_frame()
    found = {(row, column): n for row, column, n in frame[["row", "column", "sample"]].to_numpy()}
    found = {key: n for key, n in found.items() if key[1] != "Other"}
    assert found == {
        (label, sex): int((truth[tea] * (truth.sex == code)).sum())
        for label, tea in teas.items()
        for sex, code in sexes.items()
    }
    grid = client.grid("rated").to_frame()
    points = {texts[language]: code for code, texts in POINTS.items()}
    found = {(row, point): n for row, point, n in
             grid[["datapoint_label", "suffix_label", "sample"]].to_numpy()}  # fmt: skip
    assert found == {
        (TITLES[name][language], point): int((truth[name] == code).sum())
        for name in ("shop", "cafe")
        for point, code in points.items()
    }


@pytest.mark.parametrize(
    ("language", "groups", "whole", "split"),
    [
        (None, False, True, True),
        (None, True, True, False),
        (None, True, False, True),
        (0, False, True, True),
        (0, False, True, False),
        (0, True, False, True),
        (1, False, True, True),
    ],
)
def test_exports_have_the_labels_of_the_form(
    tmp_path: Path,
    truth: pd.DataFrame,
    language: int | None,
    groups: bool,
    whole: bool,
    split: bool,
) -> None:
    frame = kobo(truth, language=language, groups=groups, whole=whole, split=split)
    frame.to_csv(tmp_path / "data.csv", index=False, sep=";")
    client = al.open(tmp_path / "data.csv", labels=form(tmp_path), quiet=True)
    check_figures(client, truth, language or 0)


def test_the_default_language_names_questions(tmp_path: Path, truth: pd.DataFrame) -> None:
    frame = kobo(truth, language=None, groups=True, whole=True, split=True)
    frame.to_csv(tmp_path / "data.csv", index=False)
    client = al.open(tmp_path / "data.csv", labels=form(tmp_path, LANGUAGES[1]), quiet=True)
    check_figures(client, truth, 1)


def test_what_the_form_says_is_in_the_draft(tmp_path: Path, truth: pd.DataFrame) -> None:
    frame = kobo(truth, language=None, groups=True, whole=True, split=True)
    frame.to_csv(tmp_path / "data.csv", index=False)
    drafted = draft_codebook(tmp_path / "data.csv", labels=form(tmp_path))
    found = {question.code: question for question in drafted.codebook.questions}
    assert [*found] == ["sex", "tea", "rated", "age"]
    assert [point.name for point in found["tea"].points] == ["Green tea", "Black tea", "None"]
    who = "${age} >= 18 and What is your sex? = Woman and Which tea do you drink?: not None"
    assert found["tea"].universe == who
    assert drafted.left_out["double"] == "calculated"
    assert drafted.left_out["start"] == "about the submission"
    assert drafted.left_out["best"] == "a ranking of all items in one cell"
    assert drafted.left_out["read"] == "a literacy test in one cell"
    [line] = [each for each in drafted.guesses if "repeated" in each.said]
    assert line.said == "child_age (repeated, so in a sheet of its own: children)"
    assert line.code == "al.open(…, sheet='children')"


def test_odk_divides_groups_by_hyphens(tmp_path: Path, truth: pd.DataFrame) -> None:
    frame = kobo(truth, language=None, groups=True, whole=True, split=False)
    frame.columns = [str(name).replace("/", "-") for name in frame]
    frame = frame.drop(columns=["_id", "_uuid", "_submission_time"])
    frame = frame.assign(SubmissionDate="2024-03-01", Status="none", KEY=["u1", "u2"] * 60)
    frame.to_csv(tmp_path / "data.csv", index=False)
    drafted = draft_codebook(tmp_path / "data.csv", labels=form(tmp_path))
    assert drafted.reasons["source"][0].startswith("data.csv: an export of ODK, by its columns")
    assert {drafted.left_out[name] for name in ("Status", "KEY")} == {"about the submission"}
    client = al.open(tmp_path / "data.csv", labels=form(tmp_path), quiet=True)
    check_figures(client, truth)


def test_a_word_of_a_label_that_is_a_code_divides_no_label(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    treated = {"boil": "I boil it", "filter": "With a filter", "88": "Do not know"}
    for name, rows in {
        "survey": [("type", "name", "label"), ("select_multiple treat", "water", "Your water?")],
        "choices": [
            ("list_name", "name", "label"),
            *(("treat", *each) for each in treated.items()),
        ],
    }.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(tmp_path / "water.xlsx")
    cells = ["I boil it", "I boil it With a filter", "Do not know", "I boil it Ash"] * 10
    frame = pd.DataFrame({"Your water?": cells})
    client = al.open(frame, labels=tmp_path / "water.xlsx", quiet=True)
    shares = client.stats("Your water?")["column"].iloc[:, 0].to_dict()
    assert shares == {"I boil it": 75, "With a filter": 25, "Do not know": 25, "Ash": 25}
    [line] = [each for each in client.import_report.guesses if each.subject == "codes"]
    assert line.said == "10 of 40 rows have 'Ash', which water.xlsx does not list"
    assert line.code == "client.edit(\"Your water?\", missing=['Ash'])"
    client.edit("Your water?", missing=["Ash"])
    shares = client.stats("Your water?")["column"].iloc[:, 0].to_dict()
    assert shares == {"I boil it": 75, "With a filter": 25, "Do not know": 25}
