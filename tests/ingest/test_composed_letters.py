"""A letter with an accent is one letter, whether a file writes it as one (NFC) or two (NFD)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from unicodedata import normalize

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.ingest import (
    Codebook,
    draft_codebook,
    import_survey,
    load_codebook,
    parse_codebook,
)
from audiencelab.ingest.codebook import CodedQuestion
from audiencelab.ingest.columns import ResponseSet
from audiencelab.ingest.readers.base import partition_columns
from audiencelab.survey import Survey
from tests.survey.counting import counts_by_name

DRINK, PLACE, WEIGHT, WAVE = (
    "Caf\u00e9 pr\u00e9f\u00e9r\u00e9",
    "R\u00e9gion",
    "Poids r\u00e9el",
    "Ann\u00e9e",
)
LONG, TEA = "Caf\u00e9 all\u00f6ng\u00e9", "Th\u00e9"


def apart(text: str) -> str:
    """A text with its accents as letters of their own."""
    return normalize("NFD", text)


def _rows(write: Callable[[str], str]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            write(DRINK): [*map(write, (LONG, TEA, TEA, LONG))],
            write(PLACE): [*map(write, ("Qu\u00e9bec", "C\u00f4te", "C\u00f4te", "C\u00f4te"))],
            write(WEIGHT): [0.5, 1.25, 1.5, 0.75],
            write(WAVE): [1, 1, 2, 2],
        }
    )


def _csv(frame: pd.DataFrame, path: Path) -> Path:
    frame.to_csv(path.with_suffix(".csv"), index=False)
    return path.with_suffix(".csv")


def _excel(frame: pd.DataFrame, path: Path) -> Path:
    frame.to_excel(path.with_suffix(".xlsx"), index=False)
    return path.with_suffix(".xlsx")


def _parquet(frame: pd.DataFrame, path: Path) -> Path:
    frame.to_parquet(path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def _feather(frame: pd.DataFrame, path: Path) -> Path:
    feather.write_feather(pa.table(frame), path.with_suffix(".feather"))
    return path.with_suffix(".feather")


def _stata(frame: pd.DataFrame, path: Path) -> Path:
    # Names there are words.
    frame.columns = [name.replace(" ", "_") for name in frame.columns]
    pyreadstat.write_dta(frame, str(path.with_suffix(".dta")))
    return path.with_suffix(".dta")


def _spss(frame: pd.DataFrame, path: Path) -> Path:
    first = frame.columns[0]
    labels = dict(enumerate(dict.fromkeys(frame[first]), start=1))
    coded = frame.assign(**{first: frame[first].map({each: n for n, each in labels.items()})})
    coded.columns = [name.replace(" ", "_") for name in frame.columns]
    pyreadstat.write_sav(
        coded,
        str(path.with_suffix(".sav")),
        column_labels=list(frame.columns),
        variable_value_labels={coded.columns[0]: labels},
    )
    return path.with_suffix(".sav")


@pytest.mark.parametrize("write", [_csv, _excel, _parquet, _feather, _stata, _spss])
def test_two_files_of_one_question_in_two_forms_are_one_question(
    tmp_path: Path, write: Callable[[pd.DataFrame, Path], Path]
) -> None:
    files = [write(_rows(form), tmp_path / form.__name__) for form in (str, apart)]
    draft = draft_codebook(files, weight=None)
    first = draft.codebook.questions[0]
    survey = import_survey(files, draft.codebook, tmp_path / "survey")
    assert counts_by_name(survey, first.code) == {LONG: 4, TEA: 4}
    names = [each.name.replace("_", " ") for each in draft.codebook.questions]
    assert names == [DRINK, PLACE, WAVE]


def test_a_frame_is_read_alike() -> None:
    for frame in (_rows(apart), pl.DataFrame(_rows(apart)), pa.table(_rows(apart))):
        draft = draft_codebook(frame, weight=apart(WEIGHT), wave=apart(WAVE))
        question = draft.codebook.questions[0]
        assert (question.column, [*question.labels]) == (DRINK, [LONG, TEA])


def test_the_order_of_categories_is_that_of_the_column() -> None:
    kind = pd.CategoricalDtype([*map(apart, (TEA, LONG))], ordered=True)
    frame = _rows(apart).astype({apart(DRINK): kind})
    for source in (frame, pa.Table.from_pandas(frame)):
        [question, *_] = draft_codebook(source).codebook.questions
        assert [*question.labels.values()] == [TEA, LONG]


def test_two_columns_that_differ_in_form_alone_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{TEA},{apart(TEA)}\n1,2\n2,2\n", "utf-8")
    draft = draft_codebook(tmp_path / "a.csv")
    assert [each.column for each in draft.codebook.questions] == [TEA, f"{TEA} (2)"]
    assert any("2 columns are named" in each for each in draft.reasons[""])


@pytest.mark.parametrize("typed", [str, apart])
def test_arguments_name_columns_and_answers_in_either_form(
    tmp_path: Path, typed: Callable[[str], str]
) -> None:
    path = _csv(_rows(apart), tmp_path / "a")
    codebook = draft_codebook(
        path,
        weight=typed(WEIGHT),
        wave=typed(WAVE),
        missing={typed(PLACE): [typed("Qu\u00e9bec")]},
        order={typed(DRINK): [typed(TEA)]},
    ).codebook
    assert codebook.weight is not None
    assert codebook.wave is not None
    assert (codebook.weight.column, codebook.wave.column) == (WEIGHT, WAVE)
    drink, place = codebook.questions
    assert [each.name for each in drink.points] == [TEA, LONG]
    assert place.missing == ("Qu\u00e9bec",)


def test_a_dictionary_describes_columns_in_the_other_form(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{apart(TEA)}\n1\n2\n", "utf-8")
    (tmp_path / "labels.csv").write_text(
        f"variable,value,label\n{TEA},,{DRINK}\n{TEA},1,{apart(LONG)}\n", "utf-8"
    )
    [question] = draft_codebook(
        tmp_path / "a.csv", labels=tmp_path / "labels.csv"
    ).codebook.questions
    assert (question.name, question.labels["1"]) == (DRINK, LONG)
    assert ResponseSet("s", "", (apart(TEA),), None).columns == (TEA,)


def test_folders_name_columns_in_the_other_form() -> None:
    assert partition_columns(Path(apart(f"{PLACE}=C\u00f4te/a.csv"))).keys() == {PLACE}


def test_a_codebook_in_the_other_form_is_of_the_same_columns(tmp_path: Path) -> None:
    path = _csv(_rows(str), tmp_path / "a")
    draft = draft_codebook(path, weight=WEIGHT, wave=WAVE)
    (tmp_path / "book.toml").write_text(apart(draft.to_toml()), "utf-8")
    assert load_codebook(tmp_path / "book.toml").columns == draft.codebook.columns
    column = {"code": "q", "name": apart(DRINK), "column": apart(DRINK)}
    [question] = parse_codebook({"questions": [column]}).questions
    assert (question.name, question.column) == (DRINK, DRINK)
    book = Codebook((CodedQuestion("q", apart(DRINK), column=apart(DRINK)),))
    survey = import_survey(path, book, tmp_path / "survey")
    assert counts_by_name(survey, "q") == {LONG: 2, TEA: 2}


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    folder = tmp_path_factory.mktemp("composed")
    path = _csv(_rows(apart), folder / "a")
    return import_survey(path, draft_codebook(path).codebook, folder / "survey")


@pytest.mark.parametrize("typed", [str, apart])
def test_queries_name_questions_and_answers_in_either_form(
    survey: Survey, typed: Callable[[str], str]
) -> None:
    client = al.connect(survey=survey)
    question = client[typed(DRINK)]
    assert question.name == DRINK
    assert typed(DRINK) in client.catalogue
    assert (question == typed(LONG)) == (question == LONG)
    assert [each.name for each in client.catalogue.search(typed("pr\u00e9f"))] == [DRINK]
    assert client.crosstab(typed(DRINK), typed(PLACE)).shape == (2, 2)
