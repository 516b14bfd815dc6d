"""What a study says of itself: where it comes from, and that it reaches results and services."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.cli import main
from audiencelab.ingest import Codebook, draft_codebook, load_codebook
from audiencelab.ingest.codebook import Study
from audiencelab.ingest.kept import codebook_of
from audiencelab.ingest.readers.ddi import read_ddi
from audiencelab.schema.http import SURVEY_SCOPE
from audiencelab.schema.survey_scope import MOST_BYTES, STUDY_FIELDS, SurveyScope
from audiencelab.service import Service
from audiencelab.survey import SurveyError
from audiencelab.survey.study import study_of
from tests.ingest.ddi_files import NAMESPACE
from tests.messages import fails
from tests.service.asking import TOKEN, ask

pytestmark = pytest.mark.usefixtures("own_cache")

STUDY = {
    "citation": "Müller (2025), Kundenbefragung",
    "doi": "10.5281/zenodo.1",
    "licence": "CC BY 4.0",
    "producer": "Universität Graz",
    "universe": "Einwohner ab 18",
    "field_dates": "2025-03-03 to 2025-03-28",
}


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame({"sex": ["f", "m", "f", "f"], "tea": ["yes", "no", "no", "yes"]})


def said(client: al.Client) -> Any:
    return client.crosstab("tea", "sex").provenance.get("study")


def test_fields_of_codebook_and_results_are_the_same():
    fields = {each.name for each in msgspec.structs.fields(Study)}
    assert {*STUDY_FIELDS} == {*STUDY} <= fields


def test_it_reaches_results_service_and_snapshot_and_is_no_part_of_the_version(
    frame: pd.DataFrame, tmp_path: Path
):
    given = STUDY | {"doi": "https://doi.org/10.5281/zenodo.1", "universe": " Einwohner \n ab 18"}
    client = al.open(frame, study=given, quiet=True)
    assert said(client) == STUDY
    plain = al.open(frame, quiet=True)
    assert said(plain) is None
    assert client.service.survey.seal == plain.service.survey.seal
    answer = ask(Service(client.service.survey, [TOKEN]), "POST", "/v3/questions/filter", {})
    assert SurveyScope.from_header(answer.headers[SURVEY_SCOPE]).study == STUDY
    with client.recording(tmp_path / "s.audiencelab.jsonl"):
        client.crosstab("tea", "sex")
    assert said(al.connect(snapshot=tmp_path / "s.audiencelab.jsonl")) == STUDY


def test_it_is_dropped_from_a_header_before_what_is_counted():
    scope = SurveyScope(wave_names={"w1": "Autumn"}, study={"universe": "ä" * MOST_BYTES})
    read = SurveyScope.from_header(scope.to_header())
    assert (read.study, read.wave_names) == ({}, {"w1": "Autumn"})


def test_it_is_kept_by_codebook_edits_and_export(frame: pd.DataFrame, tmp_path: Path):
    book = draft_codebook(frame).codebook
    book = msgspec.structs.replace(book, study=msgspec.structs.replace(book.study, **STUDY))
    client = al.open(frame, codebook=book, to=tmp_path / "survey", quiet=True)
    client.edit("tea", labels={"yes": "Yes"})
    assert said(client) == STUDY
    assert (
        main(["survey", "export", str(tmp_path / "survey"), "-o", str(tmp_path / "e.parquet")]) == 0
    )
    exported = load_codebook(tmp_path / "e.toml").study
    assert {name: getattr(exported, name) for name in STUDY} == STUDY
    assert codebook_of(client.service.survey).study.doi == STUDY["doi"]
    # Of a codebook it is replaced field by field.
    other = al.open(frame, codebook=book, study={"licence": "CC0"}, quiet=True)
    assert said(other) == STUDY | {"licence": "CC0"}


def test_wrong_fields_are_refused_with_what_to_write(frame: pd.DataFrame):
    given: list[Any] = [{"license": "CC0"}, {"doi": "zenodo 1"}, {"citation": 2025}, "Müller"]
    given.append({"universe": "x" * 2_000})
    for each in given:
        with fails(SurveyError):
            al.open(frame, study=each, quiet=True)
    with fails(SurveyError):
        al.open(frame, codebook=Codebook((), study=Study(doi="none")), quiet=True)


def test_the_command_line_writes_and_prints_it(
    frame: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    frame.to_csv(tmp_path / "a.csv", index=False)
    given = ["--study", f"citation={STUDY['citation']}", "--study", "doi=10.5281/zenodo.1"]
    assert main(["import", str(tmp_path / "a.csv"), *given, "-q"]) == 0
    assert main(["survey", "info", str(tmp_path / "a")]) == 0
    shown = capsys.readouterr().out
    assert "citation: Müller (2025), Kundenbefragung\ndoi: 10.5281/zenodo.1" in shown
    assert "1900" not in shown
    assert load_codebook(tmp_path / "a.toml").study.citation == STUDY["citation"]


def test_notes_of_a_statistics_file_say_it(frame: pd.DataFrame, tmp_path: Path):
    notes = [
        "Delivered by field",
        "Cite as: Müller (2025), Kundenbefragung",
        "DOI: 10.5281/zenodo.1.",
    ]
    written: Any = frame
    pyreadstat.write_sav(written, str(tmp_path / "a.sav"), note=notes)
    client = al.open(tmp_path / "a.sav", quiet=True)
    assert said(client) == {name: STUDY[name] for name in ("citation", "doi")}


def test_a_codebook_of_ddi_says_it(tmp_path: Path):
    (tmp_path / "a.xml").write_text(
        f"""<codeBook xmlns="{NAMESPACE}"><stdyDscr>
        <citation>
          <titlStmt><titl>Kunden</titl><IDNo agency="DOI">doi:10.5281/zenodo.1</IDNo></titlStmt>
          <prodStmt><producer>Universität Graz</producer></prodStmt>
          <biblCit>Müller (2025), Kundenbefragung</biblCit></citation>
        <stdyInfo><sumDscr><universe>Einwohner ab 18</universe>
          <collDate event="start" date="2025-03-03"/><collDate event="end" date="2025-03-28"/>
        </sumDscr></stdyInfo>
        <dataAccs><useStmt><conditions>CC BY 4.0</conditions></useStmt></dataAccs></stdyDscr>
        <dataDscr><var name="sex"><labl>Sex</labl></var></dataDscr></codeBook>""",
        encoding="utf-8",
    )
    assert read_ddi(tmp_path / "a.xml").study == STUDY


def test_dates_of_waves_are_its_dates_where_they_are_days(frame: pd.DataFrame):
    days = ["2025-03-03", "2025-03-28", "2025-03-10", "2025-03-11"]
    client = al.open(frame.assign(interview_date=days), quiet=True)
    assert study_of(client.service.survey.manifest) == {"field_dates": STUDY["field_dates"]}
    # Of a quarter the days of the fieldwork are not known.
    client = al.open(frame.assign(wave=["2025-Q1", "2025-Q1", "2025-Q2", "2025-Q2"]), quiet=True)
    assert study_of(client.service.survey.manifest) == {}
