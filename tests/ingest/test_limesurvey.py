"""Exports of LimeSurvey have the counts of their rows, however columns and answers are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.dictionaries import read_dictionary
from audiencelab.ingest.draft.draft import Draft
from audiencelab.survey import SourceError, SurveyError
from tests.ingest.limesurvey import (
    GERMAN,
    Question,
    Row,
    export,
    labelled,
    parts,
    plain,
    responses,
    structure,
)
from tests.messages import fails


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return responses()


# ---- figures ----

Figures = dict[tuple[str, str, str], int]


def expected(rows: Sequence[Row]) -> Figures:
    """How many chose an answer of a question, by sex."""
    found: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        sex = labelled("sex", row["sex"])
        for key, value in row.items():
            question, code = parts(key)[:2]
            if question.kind not in "MP" or not value or code.endswith("comment"):
                continue
            item = question.other if code == "other" else plain(question.items[code])
            found[plain_name(question), item, sex] += 1
        for key in ("abo", "grund"):
            if row[key]:
                found[parts(key)[0].text, labelled(key, row[key]), sex] += 1
        for key, name in (("wo|t", "Tee"), ("wo|k", "Kaffee")):
            for code, item in (("l", "Laden"), ("n", "Netz")):
                if row[f"{key}_{code}"]:
                    found[f"Wo kaufen Sie was? [{name}]", item, sex] += 1
    return dict(found)


def plain_name(question: Question) -> str:
    return "Welche Marken kennen Sie?" if question.title == "marken" else plain(question.text)


def grids(rows: Sequence[Row]) -> Figures:
    """How many gave a point to an item of a grid."""
    found: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        for key, value in row.items():
            question, code, scale = parts(key)
            if question.kind not in "FA1R" or not value:
                continue
            name = question.text + (
                f" [{[*question.attributes.values()][int(scale)]}]" if scale else ""
            )
            item = f"Rang {code}" if question.kind == "R" else question.items[code]
            found[name, item, labelled(key, value)] += 1
    return dict(found)


def check(client: Any, rows: Sequence[Row]) -> None:
    sex, wanted = plain(GERMAN[0].text), expected(rows)
    frame = client.crosstab(sorted({name for name, _, _ in wanted}), sex).to_frame()
    cells = frame[["row_group", "row", "column", "sample"]].values
    assert {(name, row, column): n for name, row, column, n in cells if n} == wanted
    wanted = grids(rows)
    for name in {name for name, _, _ in wanted}:
        cells = client.grid(name).to_frame()[["datapoint_label", "suffix_label", "sample"]].values
        found = {(name, item, point): n for item, point, n in cells if n}
        assert found == {key: n for key, n in wanted.items() if key[0] == name}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("limesurvey")


@pytest.mark.parametrize(("head", "texts", "version"), [("brackets", False, 3), ("full", True, 6)])
def test_exports_of_codes_and_of_complete_answers_have_the_counts_of_their_rows(
    folder: Path, rows: list[Row], head: str, texts: bool, version: int
) -> None:
    labels = structure(folder / f"tee{version}.lss", GERMAN, "de", version=version)
    data = export(folder / f"{head}.csv", rows, head, texts=texts)
    check(al.open(data, labels=labels, quiet=True), rows)


def shape(draft: Draft) -> list[object]:
    """Questions, without codes and the values in the file."""
    return [
        (each.name, each.kind, each.universe, [point.name for point in each.points],
         [point.name for point in each.suffixes], each.top)
        for each in draft.codebook.questions
    ]  # fmt: skip


@pytest.fixture(scope="module")
def usual(folder: Path, rows: list[Row]) -> list[object]:
    """The questions of an export with codes in brackets."""
    labels = structure(folder / "usual.lss", GERMAN, "de", version=6)
    return shape(draft_codebook(export(folder / "usual.csv", rows, "brackets"), labels=labels))


@pytest.mark.parametrize(
    ("head", "texts", "version"),
    [
        ("underscores", False, 6), ("programs", False, 3), ("upper", False, 6),
        ("full", False, 3), ("both", True, 6),
    ],
)  # fmt: skip
def test_all_forms_of_exports_give_the_same_questions(
    folder: Path, rows: list[Row], usual: list[object], head: str, texts: bool, version: int
) -> None:
    labels = structure(folder / f"tee{version}.lss", GERMAN, "de", version=version)
    data = export(folder / f"{head}.csv", rows, head, texts=texts)
    assert shape(draft_codebook(data, labels=labels)) == usual


@pytest.mark.parametrize(
    "header",
    [
        "Antwort ID,Datum Abgeschickt,Letzte Seite,Start-Sprache,Zufallsstartwert",
        "ID de la réponse,Date de soumission,Dernière page,Langue de départ,Tête de série",
        "ID de respuesta,Fecha de envío,Última página,Lenguaje inicial,Semilla",
    ],
)
def test_columns_about_the_submission_are_known_in_other_languages(header: str) -> None:
    about = header.split(",")
    frame = pd.DataFrame({name: [1, 2] * 20 for name in about})
    frame[about[1]] = "2024-03-01"
    draft = draft_codebook(frame.assign(tea=["yes", "no"] * 20))
    assert {*about} == draft.left_out.keys()


def test_conditions_say_as_text_who_was_asked(folder: Path, rows: list[Row]) -> None:
    labels = structure(folder / "tee6.lss", GERMAN, "de", version=6)
    draft = draft_codebook(export(folder / "usual.csv", rows, "brackets"), labels=labels)
    universes = {each.code: each.universe for each in draft.codebook.questions if each.universe}
    assert universes == {
        "zufr": "Welche Marken kennen Sie?: Alba",
        "abo": "Sind Sie …? = eine Frau or Sind Sie …? = ein Mann",
    }
    assert draft.codebook.study.name == "Tee de"
    left_out = {draft.left_out[name] for name in ("refurl", "seed", "lastpage", "startlanguage")}
    assert left_out == {"about the submission"}


FRENCH = (
    Question("L", "q1", "Vous &ecirc;tes&nbsp;?", answers={"A1": "une femme", "A2": "un homme"}),
    Question("C", "q2", "Achetez-vous&nbsp;?", items={"a": "du thé", "b": "du café"},
             relevance="age.NAOK >= 18 && q1.NAOK != 'A2' && !is_empty(q1)"),
    Question("M", "q3", "Lesquels&nbsp;?", items={"a": "vert", "b": "noir"}, other="Un autre",
             relevance="(q1.NAOK == 'A1') and (q3_b.NAOK != 'Y' or age.NAOK < 30)"),
    Question("N", "age", "Votre âge&nbsp;?", relevance="q1 == ''"),
)  # fmt: skip


@pytest.mark.parametrize("version", [3, 6])
def test_a_structure_in_french_is_read_in_its_base_language(folder: Path, version: int) -> None:
    found = read_dictionary(structure(folder / "fr.lss", FRENCH, "fr", version=version))
    said = found.variables
    assert said["q1"].label == "Vous êtes ?"
    assert said["q1"].labels == {"A1": "une femme", "A2": "un homme"}
    assert said["q2_b"].labels == {"Y": "Oui", "U": "Incertain", "N": "Non"}
    assert said["q2[a]"].label == "Achetez-vous ? - du thé"
    assert said["q3_other"].label == "Lesquels ? - Un autre"
    assert said["Lesquels ? [Autre]"].is_other
    assert {name: said[name].universe for name in ("q2_a", "q3[a]", "age")} == {
        # A function is not a comparison, so the condition is as it was written.
        "q2_a": "age.NAOK >= 18 && q1.NAOK != 'A2' && !is_empty(q1)",
        "q3[a]": "Vous êtes ? = une femme and (Lesquels ?: not noir or Votre âge ? < 30)",
        "age": "Vous êtes ? = no answer",
    }


# ---- what does not fit ----


def test_answers_that_the_structure_does_not_have_are_counted(
    folder: Path, rows: list[Row]
) -> None:
    labels = structure(folder / "tee6.lss", GERMAN, "de", version=6)
    odd = [row | {"grund": "g9"} if number < 7 else row for number, row in enumerate(rows)]
    guesses = draft_codebook(export(folder / "odd.csv", odd, "brackets"), labels=labels).guesses
    said = [each.said for each in guesses if each.subject == "codes"]
    assert said == ["7 of 240 rows have 'g9', which tee6.lss does not list"]


def test_a_structure_of_another_survey_is_refused(folder: Path, rows: list[Row]) -> None:
    data = export(folder / "usual.csv", rows, "brackets")
    other = structure(folder / "other.lss", FRENCH, "fr", version=6)
    with fails(SurveyError):
        draft_codebook(data, labels=other)


_BOMB = "".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">'
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [
        "<document><LimeSurveyDocType>Question</LimeSurveyDocType></document>",
        "<codeBook/>",
        "<document><LimeSurveyDocType>Survey</LimeSurveyDocType></document>",
        "not XML",
        "<document><LimeSurveyDocType>Survey</LimeSurveyDocType><questions><rows><row><qid>1</qid>"
        "</row></rows></questions></document>",
        f'<!DOCTYPE d [<!ENTITY a "{"a" * 100}">{_BOMB}]><document>&i;</document>',
        '<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/hostname">]><document>&a;</document>',
    ],
    ids=["question", "codebook", "empty", "text", "damaged", "bomb", "external"],
)
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "survey.lss"
    path.write_text(text)
    with fails(SourceError):
        read_dictionary(path)


def test_the_structure_in_an_archive_is_read(tmp_path: Path) -> None:
    inside = structure(tmp_path / "survey_1.lss", FRENCH, "fr", version=6)
    path = tmp_path / "survey_1.lsa"
    with ZipFile(path, "w") as archive:
        archive.write(inside, inside.name)
    found = {name: each.label for name, each in read_dictionary(path).variables.items()}
    assert found == {name: each.label for name, each in read_dictionary(inside).variables.items()}
    with ZipFile(path, "w") as archive:
        archive.writestr("survey_1_responses.lsr", "<document/>")
    with fails(SourceError):
        read_dictionary(path)
    path.write_bytes(b"PK damaged")
    with fails(SourceError):
        read_dictionary(path)


def test_who_was_not_asked_a_multiple_question_is_known_from_complete_answers(
    folder: Path,
) -> None:
    labels = structure(folder / "fr.lss", FRENCH, "fr", version=6)
    # Some women know green tea, or none; men were not asked.
    codes = ["A1,Y,Y,,20"] * 30 + ["A1,,,,30"] * 20 + ["A2,,,,40"] * 50
    texts = ["une femme,Oui,Oui,,20"] * 30 + ["une femme,Non,Non,,30"] * 20
    texts += ["un homme,N/A,N/A,,40"] * 50
    head = "q1,q3[a],q3[b],q3[other],age"
    shown: list[float] = []
    for rows in (codes, texts):
        path = folder / "asked.csv"
        path.write_text("\n".join([head, *rows]), encoding="utf-8")
        client = al.open(path, labels=labels, quiet=True)
        shown.append(client.stats("q3").to_frame()["total_percentage"].iloc[0])
        lines = [each.said for each in client.import_report.guesses if each.severity == 0]
        said = "Vous êtes ? = une femme and (Lesquels ?: not noir or Votre âge ? < 30)"
        told = [f"asked of {said}, and all 100 count as asked" in line for line in lines]
        assert told == [True] * (rows is codes)
    assert shown == [30.0, 60.0]
