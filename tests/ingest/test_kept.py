"""A survey keeps the codebook that made it; of one that keeps none the catalogue shows it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from msgspec import structs

from audiencelab.ingest import draft_codebook, from_frame
from audiencelab.ingest.codebook_checks import check_codebook
from audiencelab.ingest.codebook_files import codebook_toml, load_codebook
from audiencelab.ingest.importer import import_survey
from audiencelab.ingest.kept import codebook_of, kept_json
from audiencelab.survey import Survey, demo_survey
from audiencelab.survey.update import derive
from tests.ingest.sources import imported

DATA = Path(__file__).parents[1] / "data"


def test_a_survey_keeps_the_codebook_that_made_it(tmp_path: Path) -> None:
    survey = imported(tmp_path)
    kept = codebook_of(survey)
    assert kept.questions == load_codebook(tmp_path / "codebook.toml").questions
    (tmp_path / "kept.toml").write_text(codebook_toml(kept), "utf-8")
    again = import_survey(
        tmp_path / "survey.csv", load_codebook(tmp_path / "kept.toml"), tmp_path / "b"
    )
    assert again.seal == survey.seal
    assert kept_json(codebook_of(again)) == kept_json(kept)


def test_the_answers_that_the_import_found_are_listed(tmp_path: Path) -> None:
    frame = pd.DataFrame({"tea": ["yes", "no", "no"], "age": [19, 34, 70]})
    drafted = draft_codebook(frame).codebook
    tea, *rest = drafted.questions
    open_ended = structs.replace(drafted, questions=(structs.replace(tea, labels={}), *rest))
    survey = from_frame(frame, open_ended, tmp_path / "s")
    assert codebook_of(survey).questions[0].labels == {"no": "no", "yes": "yes"}


def test_the_kept_codebook_is_checked_like_the_other_files(tmp_path: Path) -> None:
    survey = imported(tmp_path)
    path = survey.path / "codebook.json"
    path.write_bytes(path.read_bytes().replace(b"Male", b"Mule"))
    assert Survey.open(survey.path).changed_files() == ["codebook.json"]


@pytest.mark.parametrize("folder", ["v1/survey", "v2/survey"])
def test_a_survey_of_before_has_the_codebook_that_its_catalogue_shows(folder: str) -> None:
    survey = Survey.open(DATA / folder)
    assert survey.codebook is None
    shown = codebook_of(survey)
    check_codebook(shown)
    assert [each.code for each in shown.questions][:2] == ["sex", "where"]


def test_the_demo_survey_has_one_too() -> None:
    check_codebook(codebook_of(demo_survey()))


def test_later_versions_keep_it(tmp_path: Path) -> None:
    survey = imported(tmp_path)
    kept = survey.codebook
    assert derive(survey).codebook == kept
