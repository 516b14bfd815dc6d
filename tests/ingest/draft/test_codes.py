"""Codes of questions and items, made of names of columns in any script."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.expressions.codes import code_of
from audiencelab.ingest import draft_codebook, import_survey
from audiencelab.survey import Survey


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Fréquence d'achat", "Frequence_d_achat"),
        ("Fre\u0301quence", "Frequence"),
        ("Âge", "Age"),
        ("größe", "grosse"),
        ("Straße", "Strasse"),
        ("Kjønn, å ær", "Kjonn_a_aer"),
        ("Płeć żony", "Plec_zony"),
        ("Giới tính", "Gioi_tinh"),
        ("Đồng ý", "Dong_y"),
        ("Cœur", "Coeur"),
        ("年齢 2", "2"),
        ("日本", ""),
        ("ガ", ""),
        ("Q1 (a) - b", "Q1_a_-_b"),
    ],
)
def test_letters_with_accents_are_those_without(name: str, code: str) -> None:
    assert code_of(name) == code


def codes(*names: str) -> list[str]:
    frame = pd.DataFrame(
        {name: ["a", "b", "c", "a"][place:] + ["x"] * place for place, name in enumerate(names)}
    )
    return [each.code for each in draft_codebook(frame).codebook.questions]


def test_names_of_ascii_letters_keep_their_codes() -> None:
    assert codes("Âge", "Age", "Prénom") == ["Age_2", "Age", "Prenom"]
    assert codes("Age", "Âge") == ["Age", "Age_2"]
    assert codes("a b", "a_b") == ["a_b", "a_b_2"]
    assert codes("日本", "中国") == ["question", "question_2"]


def test_html_is_not_in_codes() -> None:
    assert codes("<b>Your</b> age&nbsp;", "R&D") == ["Your_age", "R_D"]


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    (tmp_path / "a.csv").write_text("Fréquence,Âge,Age\njamais,1,2\nsouvent,2,1\njamais,1,1\n")
    (tmp_path / "labels.csv").write_text(
        "variable,value,label\nFréquence,,À quelle fréquence ?\nÂge,,Votre âge\n"
    )
    draft = draft_codebook(tmp_path / "a.csv", labels=tmp_path / "labels.csv")
    return import_survey(tmp_path / "a.csv", draft.codebook, tmp_path / "survey")


def test_a_question_is_found_by_name_by_column_and_by_code(survey: Survey) -> None:
    client = al.connect(survey=survey)
    for key in ("À quelle fréquence ?", "Fréquence", "Fre\u0301quence", "Frequence"):
        assert client[key].code == "Frequence"
        assert client.crosstab(key).shape == (2, 1)
    assert [client[key].code for key in ("Votre âge", "Age_2", "Age")] == ["Age_2", "Age_2", "Age"]
    # Of two questions it is not known which is meant.
    assert "Âge" not in client.catalogue
