"""A survey keeps the codebook that made it; of one that keeps none the catalogue shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from msgspec import structs

from audiencelab.cli import main
from audiencelab.ingest import add_wave, draft_codebook, from_frame
from audiencelab.ingest.codebook import Codebook, CodedDatapoint, CodedQuestion
from audiencelab.ingest.codebook_checks import check_codebook
from audiencelab.ingest.codebook_files import codebook_toml, load_codebook
from audiencelab.ingest.editing import edit_survey
from audiencelab.ingest.edits import Edit
from audiencelab.ingest.importer import import_survey
from audiencelab.ingest.kept import codebook_of, kept_json, shown_by
from audiencelab.survey import Net, NetPoint, Survey, SurveyError, demo_survey
from audiencelab.survey.export import export_survey
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


def test_a_wave_that_is_added_adds_to_the_codebook(tmp_path: Path) -> None:
    spring = pd.DataFrame({"tea": [1, 2, 2], "sex": ["f", "m", "f"], "wave": ["2024-03"] * 3})
    autumn = pd.DataFrame({"tea": [1, 3, 9], "milk": ["y", "n", "y"], "wave": ["2024-09"] * 3})
    spring.to_csv(tmp_path / "spring.csv", index=False)
    autumn.to_csv(tmp_path / "autumn.csv", index=False)
    books = [draft_codebook(tmp_path / f"{name}.csv", wave="wave") for name in ("spring", "autumn")]
    import_survey(tmp_path / "spring.csv", books[0].codebook, tmp_path / "s")
    added = add_wave(tmp_path / "s", [tmp_path / "autumn.csv"], books[1].codebook).survey
    kept = {each.code: each for each in codebook_of(added).questions}
    assert [*kept] == ["tea", "sex", "milk"]
    assert [each.value for each in kept["tea"].points] == ["1", "2", "3", "9"]
    edited = edit_survey(added, Edit(("tea",), missing=(9,)))
    assert [each.name for each in edited.catalogue.question("tea").datapoints] == ["1", "2", "3"]


def scaled(tmp_path: Path) -> Survey:
    frame = pd.DataFrame({"q": [1, 2, 3, 4, 9, 1], "sex": ["f", "m", "f", "m", "f", "m"]})
    answers = {"1": "Agree", "2": "Rather", "3": "Hardly", "4": "Not", "9": "Pass"}
    question = CodedQuestion(
        "q", "Q", column="q", labels=answers, top="first", ends="opposite", off_scale=(9,),
        universe="drinkers of tea: all",
    )  # fmt: skip
    return from_frame(frame, Codebook((question,)), tmp_path / "scaled")


def test_the_record_of_a_question_is_in_survey_info_and_in_exports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    survey = scaled(tmp_path)
    assert main(["survey", "info", str(survey.path)]) == 0
    assert (
        "core.q    universe drinkers of tea: all, top first, ends opposite"
        in capsys.readouterr().out
    )
    exported = export_survey(survey, tmp_path / "out.parquet")
    book = load_codebook(exported.codebook)
    question = book.questions[0]
    assert (question.top, question.ends, question.off_scale) == ("first", "opposite", (5,))
    assert (question.universe, question.flags) == ("drinkers of tea: all", ())
    again = import_survey(tmp_path / "out.parquet", book, tmp_path / "again")
    assert set(again.catalogue.question("q").flags) == set(survey.catalogue.question("q").flags)


def test_a_net_of_a_scale_has_its_top(tmp_path: Path) -> None:
    points = (
        NetPoint("No", ("q_3", "q_4")),
        NetPoint("Yes", ("q_1", "q_2")),
        NetPoint("?", ("q_9",)),
    )
    net = Net(code="net", name="Net", question="q", datapoints=points)
    both = Net(code="both", name="Both", question="q", datapoints=(*points, points[0]))
    made = derive(scaled(tmp_path), net, both).catalogue
    assert [*made.question("net").flags] == [
        "derived", "universe:drinkers%20of%20tea%3A%20all", "off_scale:net_3", "top:last",
        "ends:opposite",
    ]  # fmt: skip
    assert [*made.question("both").flags] == ["derived", "universe:drinkers%20of%20tea%3A%20all"]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"missing": (9,)}, "'9' is in missing, and means an answer"),
        ({"top": "none", "ends": "amount"}, "A scale from none to most has a top"),
        ({"form": "rank", "top": "first"}, "Answers of the form 'rank' do not make a scale"),
        ({"off_scale": (7,)}, "7 is not the value of an answer"),
    ],
)
def test_a_codebook_that_contradicts_itself_is_refused(fields: dict[str, Any], told: str) -> None:
    question = CodedQuestion("q", "Q", column="q", labels={"1": "Yes", "9": "Pass"}, **fields)
    with pytest.raises(SurveyError, match=told):
        check_codebook(Codebook((question,)))


def test_a_set_of_items_says_who_it_is_about(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [0, 1, 1], "b": [1, 0, 1]})
    points = tuple(CodedDatapoint(name, column=name) for name in ("a", "b"))
    question = CodedQuestion(
        "q", "Q", "multiple", datapoints=points, selected=(1,), form="sum", universe="owners"
    )
    survey = from_frame(frame, Codebook((question,)), tmp_path / "s")
    assert survey.catalogue.question("q").flags == ("form:sum", "universe:owners")
    assert shown_by(survey.catalogue.question("q")).universe == "owners"
