"""Open answers of every format are kept as they were written, and no others than open answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.cli import main
from audiencelab.ingest import draft_codebook, import_survey, load_codebook
from audiencelab.ingest.adding import add_wave
from audiencelab.ingest.codebook import CodedText
from audiencelab.ingest.kept import codebook_of
from audiencelab.survey import Survey, SurveyError
from tests.messages import fails

ALPHABETS = (
    "The tea was cold", "Der Tee war kühl", "Чай был холодный", "Το τσάι ήταν κρύο", "الشاي بارد",
    "התה היה קר", "お茶が冷たかった", "茶是凉的", "차가 식었어요", "चाय ठंडी थी", "ชาเย็นแล้ว",
)  # fmt: skip
N = 66
EXAMPLES = Path("tests/data/platforms").absolute()


def frame(n: int = N, first: int = 0) -> pd.DataFrame:
    rows = range(first, first + n)
    long = "very long " * 60
    return pd.DataFrame(
        {
            "respid": [f"R{row:05}" for row in rows],
            "sex": [1 + row % 2 for row in rows],
            "region": [("South", "North", "East")[row % 3] for row in rows],
            "q9": [("Tea", "Coffee", "Other")[row % 3] for row in rows],
            "q9_other": [f"{ALPHABETS[row % 11]} {row}" if row % 3 == 2 else None for row in rows],
            "why": [f"{long * (row == 7)}{ALPHABETS[row % 11]}, {row} & <b>" for row in rows],
            "email": [f"a{row}@example.org" for row in rows],
            "first_name": [f"Jo {chr(97 + row % 26)}{row}" for row in rows],
            "agent": [f"Mozilla/5.0 (X11; Linux) {row}" for row in rows],
            "ticket": [f"ab{row:03}-{row * 7:04}" for row in rows],
        }
    )


def to_statistics(data: pd.DataFrame, path: Path) -> None:
    # Typed for a frame of its own.
    library: Any = pyreadstat
    if path.suffix == ".sav":
        library.write_sav(data, path, column_labels={"why": "Why do you say so?"})
    else:
        library.write_dta(data, str(path))


WRITERS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    ".csv": lambda data, path: data.to_csv(path, index=False),
    ".sav": to_statistics,
    ".dta": to_statistics,
    ".xlsx": lambda data, path: data.to_excel(path, index=False),
    ".parquet": lambda data, path: data.to_parquet(path),
}


pytestmark = pytest.mark.usefixtures("own_cache")


def given(data: pd.DataFrame, name: str) -> Counter[tuple[str, str | None]]:
    """What the respondents of each region wrote."""
    pairs = zip(data.region, data[name], strict=True)
    return Counter((region, None if pd.isna(text) else text) for region, text in pairs)


def kept(client: al.Client, name: str) -> Counter[tuple[str, str | None]]:
    found = client.respondents(questions=["region"], text=[name])
    pairs = zip(found.region, found[name], strict=True)
    return Counter((region, None if text is pd.NA else text) for region, text in pairs)


@pytest.mark.parametrize("kind", [*WRITERS, "frame"])
def test_each_format_keeps_the_texts_of_each_respondent(tmp_path: Path, kind: str) -> None:
    data, source = frame(), tmp_path / f"study{kind}"
    if kind != "frame":
        WRITERS[kind](data, source)
    client = al.open(data if kind == "frame" else source, quiet=True)
    assert [(each.name, each.question) for each in client.texts] == [
        ("q9_other", "core.q9"),
        ("why", ""),
    ]
    for name in ("q9_other", "why"):
        assert kept(client, name) == given(data, name)
    assert client.respondents(text=True).columns.tolist()[-2:] == ["q9_other", "why"]


def test_the_report_says_what_is_kept_and_what_is_not() -> None:
    report = al.open(frame(), quiet=True).import_report
    said = {each.subject: each for each in report.guesses if each.subject == "text"}["text"]
    assert said.said == "2 open answers kept: q9_other, why"
    assert said.code == 'client.respondents(text=["q9_other"])'
    [left_out] = [each.said for each in report.guesses if "contact data" in each.said]
    assert left_out == "email, first_name, agent, ticket (contact data)"


@pytest.mark.parametrize(
    ("text", "names"),
    [(False, []), (["email", "why"], ["why", "email"]), ("sex", ["sex"]), (True, None)],
)
def test_the_caller_decides_what_is_kept(text: Any, names: list[str] | None) -> None:
    client = al.open(frame(), text=text, quiet=True)
    assert [each.name for each in client.texts] == (["q9_other", "why"] if names is None else names)
    if text == "sex":
        # A column may be both: its answers are counted as before.
        assert client.crosstab("sex").to_wide("sample").to_numpy().sum() == N


def test_a_column_that_is_not_there_is_refused() -> None:
    with fails(SurveyError):
        al.open(frame(), text=["q9_othr"], quiet=True)
    book = draft_codebook(frame()).codebook
    with fails(SurveyError):
        al.open(frame(), codebook=book, text=["why"], quiet=True)
    assert al.open(frame(), codebook=book, text=False, quiet=True).texts == ()


def test_codes_for_nothing_are_no_text(tmp_path: Path) -> None:
    data = frame()
    data.loc[:9, "why"] = "-99"
    client = al.open(data, missing=[-99], quiet=True)
    assert client.respondents(text="why").why.isna().sum() == 10


@pytest.mark.parametrize(
    ("file", "name", "question"),
    [
        ("limesurvey_texts.csv", "Which brands do you know? [Other]", "Which brands do you know?"),
        ("qualtrics_codes.csv", "Q2_4_TEXT", "Which brands do you know?"),
        ("surveymonkey.csv", "Which brands do you know? - Other (please specify)",
         "Which brands do you know?"),
        ("forsta.tab", "q2r4oe", "q2r"),
    ],
)  # fmt: skip
def test_texts_of_platforms_belong_to_their_question(file: str, name: str, question: str) -> None:
    client = al.open(EXAMPLES / file, quiet=True)
    [text] = client.texts
    assert (text.name, client.catalogue[text.question].name) == (name, question)
    written = client.respondents(text=True)[name].dropna()
    assert set(written)
    source = pd.read_csv(EXAMPLES / file, sep=None, engine="python", dtype=str, header=None)
    cells = Counter(source.to_numpy().ravel().tolist())
    assert all(cells[each] >= count for each, count in Counter(written).items())


def test_redcap_keeps_notes_and_not_what_identifies(tmp_path: Path) -> None:
    head = "Variable / Field Name,Form Name,Section Header,Field Type,Field Label,"
    head += '"Choices, Calculations, OR Slider Labels",'
    head += "Text Validation Type OR Show Slider Number,Identifier?\n"
    rows = ["record_id,a,,text,Record ID,,,", 'sex,a,,radio,Sex,"1, Man | 2, Woman",,',
            "mail,a,,text,E-mail,,email,", "secret,a,,notes,Your story,,,y",
            "notes,a,,notes,Anything else?,,,"]  # fmt: skip
    (tmp_path / "dictionary.csv").write_text(head + "\n".join(rows) + "\n", "utf-8")
    data = pd.DataFrame(
        {
            "record_id": range(1, 41),
            "sex": [1, 2] * 20,
            "mail": [f"a{row}@b.org" for row in range(40)],
            "secret": [f"story {row}" for row in range(40)],
            "notes": [f"note {row % 3}" for row in range(40)],
        }
    )
    data.to_csv(tmp_path / "data.csv", index=False)
    draft = draft_codebook(tmp_path / "data.csv", labels=tmp_path / "dictionary.csv")
    assert draft.codebook.texts == (CodedText("notes", "Anything else?"),)


def test_the_codebook_lists_them_and_reads_back(tmp_path: Path) -> None:
    draft = draft_codebook(frame())
    text = draft.to_toml()
    assert '[[texts]]\ncolumn = "q9_other"\nquestion = "q9"' in text
    # What is kept is not left out.
    assert "#   why:" not in text
    assert "#   email: contact data" in text
    path = draft.save(tmp_path / "study.toml")
    assert load_codebook(path).texts == (CodedText("q9_other", question="q9"), CodedText("why"))
    path.write_text(f'{text}\n[[texts]]\ncolumn = "why"\nquestion = "q99"\n', "utf-8")
    with fails(SurveyError):
        load_codebook(path)


def test_a_column_of_the_codebook_that_no_file_has_is_refused(tmp_path: Path) -> None:
    book = draft_codebook(frame()).codebook
    frame().drop(columns="why").to_csv(tmp_path / "study.csv", index=False)
    with fails(SurveyError):
        import_survey(tmp_path / "study.csv", book, tmp_path / "study")


def test_a_further_wave_and_an_edit_keep_them(tmp_path: Path) -> None:
    parts = {"spring": frame(), "autumn": frame(30, 100).assign(wave="autumn")}
    parts["spring"] = parts["spring"].assign(wave="spring")
    for name, data in parts.items():
        data.to_csv(tmp_path / f"{name}.csv", index=False)
    book = draft_codebook(tmp_path / "spring.csv", wave="wave").codebook
    survey = import_survey(tmp_path / "spring.csv", book, tmp_path / "study")
    add_wave(survey.path, [tmp_path / "autumn.csv"])
    client = al.open(survey.path)
    client.edit("q9", labels={"Tea": "Any tea"})
    client = al.open(survey.path)
    assert kept(client, "why") == given(pd.concat(parts.values()), "why")
    assert kept(al.open(survey.path, waves=["wave_autumn"]), "q9_other") == given(
        parts["autumn"], "q9_other"
    )
    assert [each.column for each in codebook_of(Survey.open(survey.path)).texts] == [
        "q9_other",
        "why",
    ]


def test_the_command_line_keeps_shows_and_removes_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, folder, copy = (str(tmp_path / each) for each in ("study.csv", "study", "copy"))
    frame().to_csv(source, index=False)
    assert main(["import", source, "-o", folder, "-q"]) == 0
    assert main(["survey", "info", folder]) == 0
    assert "q9_other core.q9 all" in " ".join(capsys.readouterr().out.split())
    assert main(["survey", "drop-text", folder, "why", "-o", copy]) == 0
    assert open_answers(copy) == ["q9_other"]
    assert main(["survey", "drop-text", folder]) == 0
    assert not (tmp_path / "study" / "text").exists()
    assert "texts" in draft_codebook(source).to_toml()
    assert not codebook_of(Survey.open(folder)).texts
    assert main(["survey", "drop-text", copy, "no such"]) == 2
    (tmp_path / "study.toml").unlink()
    assert main(["import", source, "-o", folder, "-q", "--replace", "--text", "email"]) == 0
    assert open_answers(folder) == ["email"]
    (tmp_path / "study.toml").unlink()
    assert main(["import", source, "-o", folder, "-q", "--replace", "--no-text"]) == 0
    assert open_answers(folder) == []


def open_answers(folder: str) -> list[str]:
    """The names of a survey's columns of text that are not keys."""
    return [each.name for each in Survey.open(folder).texts if not each.is_key]


def test_many_long_texts_are_kept(tmp_path: Path) -> None:
    """Texts beyond those that a draft counts, and longer than a column of SPSS."""
    n = 45_000
    data = pd.DataFrame({"sex": np.arange(n) % 2, "why": [f"text {row} " * 3 for row in range(n)]})
    data.loc[3, "why"] = "x" * 100_000
    client = al.open(data, quiet=True)
    expected = Counter(data.why.str.strip())
    assert Counter(client.respondents(text=["why"]).why) == expected
