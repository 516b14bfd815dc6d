"""What a draft makes of columns that people write in ways of their own."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from audiencelab.ingest import Draft, draft_codebook, from_frame, import_survey, parse_codebook
from audiencelab.survey import SurveyError
from tests.ingest.sources import write
from tests.messages import fails
from tests.survey.counting import counts, counts_by_name
from tests.survey.spss_sets import declare_sets, dichotomies


def test_columns_of_one_label_that_fewer_and_fewer_fill_are_mentions(tmp_path: Path) -> None:
    brands = {float(number): f"Brand {number}" for number in (1, 2, 3)}
    columns = {
        "m_1": [1.0, 2, 3, 1],
        "m_2": [2.0, 3, 1, None],
        "m_3": [3.0, None, None, None],
        "g_1": [1.0, 2, 3, 1],
        "g_2": [2.0, 3, 1, 1],
    }
    path = tmp_path / "mentions.sav"
    pyreadstat.write_sav(
        pd.DataFrame(columns),
        path,
        column_labels=dict.fromkeys(columns, "Which come to mind?"),
        variable_value_labels=dict.fromkeys(columns, brands),
    )
    draft = draft_codebook(path)
    mentions, grid = draft.codebook.questions
    assert (mentions.kind, mentions.across) == ("multiple", ("m_1", "m_2", "m_3"))
    assert (mentions.name, list(mentions.labels.values())) == (
        "Which come to mind?",
        ["Brand 1", "Brand 2", "Brand 3"],
    )
    assert "first mention" in draft.reasons["questions/m"][0]
    assert grid.kind == "grid"
    survey = import_survey([path], draft.codebook, tmp_path / "survey")
    found = survey.wave("w1").question("m")
    assert found is not None
    assert [int(found.datapoint(f"m_{place}")[0]).bit_count() for place in (1, 2, 3)] == [3, 2, 3]


def test_a_scale_labelled_at_its_ends_stands_by_size(tmp_path: Path) -> None:
    path = tmp_path / "ends.sav"
    pyreadstat.write_sav(
        pd.DataFrame({"nps": [*range(11), 99]}),
        path,
        variable_value_labels={"nps": {0: "Not at all", 10: "Extremely", 99: "Don't know"}},
    )
    [question] = draft_codebook(path).codebook.questions
    assert [point.value for point in question.points] == [*range(11), 99]
    assert (question.points[0].name, question.points[5].name) == ("Not at all", "5")
    assert [point.midpoint for point in question.points] == [*range(11), None]


def test_texts_off_any_scale_are_last_among_answers_of_unknown_order() -> None:
    frame = pd.DataFrame(
        {
            "colour": ["Red", "Don't know", "Blue"],
            "zufrieden": ["keine Angabe", "sehr", "ein wenig"],
        }
    )
    found = {each.code: each for each in draft_codebook(frame).codebook.questions}
    assert [*found["colour"].labels] == ["Blue", "Red", "Don't know"]
    assert [*found["zufrieden"].labels] == ["ein wenig", "sehr", "keine Angabe"]


def test_numbers_that_the_file_calls_nominal_are_not_banded(tmp_path: Path) -> None:
    path = tmp_path / "measure.sav"
    frame = pd.DataFrame({name: [*range(30)] for name in ("branch", "minutes")})
    measures = {"branch": "nominal", "minutes": "scale"}
    pyreadstat.write_sav(frame, path, variable_measure=measures)
    branch, minutes = draft_codebook(path).codebook.questions
    assert len(branch.labels) == 30
    assert minutes.datapoints[0].is_band


def test_codes_with_an_underscore_are_no_numbers(tmp_path: Path) -> None:
    codes = [f"{row}_{shelf}" for row in range(5) for shelf in range(4)]
    frame = pd.DataFrame({"place": codes, "sex": [1, 2] * 10})
    draft = draft_codebook(frame)
    place = draft.codebook.questions[0]
    assert place.labels == dict(zip(codes, codes, strict=True))
    survey = from_frame(frame, draft.codebook, tmp_path / "survey")
    assert counts_by_name(survey, "place") == dict.fromkeys(codes, 1)


def test_what_the_labels_of_items_end_with_is_the_question(tmp_path: Path) -> None:
    path = tmp_path / "tails.sav"
    used = {1.0: "Yes", 2.0: "No"}
    pyreadstat.write_sav(
        pd.DataFrame({"tv_1": [1.0, 2, 1], "tv_2": [2.0, 2, 1]}),
        path,
        column_labels={"tv_1": "News - Watched last week", "tv_2": "Films - Watched last week"},
        variable_value_labels={"tv_1": used, "tv_2": used},
    )
    [question] = draft_codebook(path).codebook.questions
    assert question.name == "Watched last week"
    assert [point.name for point in question.points] == ["News", "Films"]


def test_items_whose_names_come_to_the_same_code_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "alike.sav"
    used = {1.0: "Yes", 2.0: "No"}
    pyreadstat.write_sav(
        pd.DataFrame({"q_2": [1.0, 2], "q.2": [2.0, 2]}),
        path,
        variable_value_labels={"q_2": used, "q.2": used},
    )
    declare_sets(path, dichotomies("q", "Which?", "1", ("q_2", "q.2")))
    draft = draft_codebook(path)
    [question] = draft.codebook.questions
    assert [point.code for point in question.datapoints] == ["q_1", "q_2"]
    assert [point.column for point in question.datapoints] == ["q_2", "q.2"]
    survey = import_survey([path], draft.codebook, tmp_path / "survey")
    assert counts(survey, "q") == {"q_1": 1, "q_2": 0}


def test_files_that_nothing_dates_are_waves_in_the_order_given(tmp_path: Path) -> None:
    paths = [write(tmp_path, f"part_{name}.csv", "a,b\n1,2\n2,2\n") for name in "xyz"]
    draft = draft_codebook(paths)
    assert [(wave.code, wave.name, wave.starts) for wave in draft.codebook.waves] == [
        ("w1", "part_x.csv", date(1900, 1, 1)),
        ("w2", "part_y.csv", date(1900, 2, 1)),
        ("w3", "part_z.csv", date(1900, 3, 1)),
    ]
    assert draft.codebook.wave is None
    [why] = draft.reasons["waves"]
    assert why.startswith(
        "each file is a wave, in the order given: their dates are not in the file"
    )
    assert "placeholders" in why, "an invented date is not a fact"
    survey = import_survey(paths, draft.codebook, tmp_path / "survey")
    assert [wave.respondents for wave in survey.waves] == [2, 2, 2]


def test_a_draft_needs_a_source() -> None:
    with fails(SurveyError):
        draft_codebook([])


def test_a_file_without_rows_dates_no_wave(tmp_path: Path) -> None:
    paths = [
        write(tmp_path, "one.csv", "wave,interview,a\n1,2024-01-05,1\n2,2024-03-05,2\n"),
        write(tmp_path, "two.csv", "a\n"),
    ]
    waves = draft_codebook(paths).codebook.waves
    assert [wave.starts for wave in waves] == [date(2024, 1, 5), date(2024, 3, 5)]


def labelled(tmp_path: Path, values: list[int], labels: dict[int, str], **options: str) -> Draft:
    """The draft of one column with labelled values."""
    path = tmp_path / "labels.sav"
    pyreadstat.write_sav(
        pd.DataFrame({"x": values}),
        path,
        variable_value_labels={"x": labels},
        variable_measure={"x": options.get("measure", "unknown")},
    )
    return draft_codebook(path)


@pytest.mark.parametrize(
    "label", ["89 or older", "Age 89 or more", "89+ years", "89", "Under 90", "Younger than 90"]
)
def test_a_labelled_number_falls_into_the_band_that_holds_it(tmp_path: Path, label: str) -> None:
    ages = [*range(18, 90), 89, 89, 98]
    [question] = labelled(tmp_path, ages, {89: label, 98: "Don't know"}).codebook.questions
    *bands, unknown = question.points
    assert all(band.is_band for band in bands)
    assert bands[-1].holds(89)
    assert bands[-1].midpoint == pytest.approx(
        sum(age for age in ages if age != 98 and bands[-1].holds(age))
        / sum(age != 98 and bands[-1].holds(age) for age in ages),
        rel=1e-3,
    )
    assert (unknown.name, unknown.value, unknown.midpoint) == ("Don't know", 98, None)


def test_a_labelled_code_that_is_no_number_stays_apart(tmp_path: Path) -> None:
    labels = {0: "None", 96: "Still at school", 8: "Eight"}
    [question] = labelled(tmp_path, [*range(30), 96], labels).codebook.questions
    *bands, school = question.points
    assert bands[0].holds(0)
    assert all(band.is_band for band in bands)
    assert school.name == "Still at school"


AGREE = {
    1: "Strongly agree", 2: "Agree", 3: "Neither agree nor disagree", 4: "Disagree",
    5: "Strongly disagree",
}  # fmt: skip


@pytest.mark.parametrize(
    ("labels", "measure", "numbers"),
    [
        (AGREE, "nominal", [1, 2, 3, 4, 5]),
        (AGREE | {8: "Don't know"}, "unknown", [1, 2, 3, 4, 5, None]),
        ({1: "Primary", 2: "Secondary", 3: "Tertiary"}, "ordinal", [1, 2, 3]),
        ({0: "None", 1: "1", 2: "2", 3: "3 or more"}, "unknown", [0, 1, 2, 3]),
        ({1: "1 - Poor", 2: "2", 3: "3", 4: "4 - Good"}, "unknown", [1, 2, 3, 4]),
        ({1: "18 to 24", 2: "25 to 34", 3: "35 and over"}, "ordinal", [21, 29.5, None]),
    ],
)
def test_the_codes_of_a_scale_are_its_midpoints(
    tmp_path: Path, labels: dict[int, str], measure: str, numbers: list[float | None]
) -> None:
    [question] = labelled(tmp_path, [*labels] * 2, labels, measure=measure).codebook.questions
    assert [point.midpoint for point in question.points] == numbers
    assert [point.name for point in question.points] == [*labels.values()]


@pytest.mark.parametrize(
    ("labels", "measure"),
    [
        ({1: "North", 2: "East", 3: "South", 4: "West"}, "unknown"),
        ({1: "Yes", 2: "No", 8: "Don't know"}, "ordinal"),
        ({1: "Same", 2: "Same", 3: "Same"}, "unknown"),
        ({1: "Married", 2: "Widowed", 3: "Never married"}, "nominal"),
    ],
)
def test_codes_that_are_no_numbers_have_no_midpoints(
    tmp_path: Path, labels: dict[int, str], measure: str
) -> None:
    [question] = labelled(tmp_path, [*labels] * 2, labels, measure=measure).codebook.questions
    assert {point.midpoint for point in question.points} == {None}


def test_the_scale_of_a_grid_has_midpoints(tmp_path: Path) -> None:
    path = tmp_path / "grid.sav"
    frame = pd.DataFrame({"g_1": [1, 2, 3, 4, 5], "g_2": [5, 4, 3, 2, 1]})
    pyreadstat.write_sav(frame, path, variable_value_labels=dict.fromkeys(frame, AGREE))
    [question] = draft_codebook(path).codebook.questions
    assert [suffix.midpoint for suffix in question.suffixes] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "name", ["hhid", "SEQN", "respondent_id", "CaseNo", "idno", "SERIAL", "interviewer_no", "nr"]
)
def test_identifications_are_no_numeric_questions(name: str) -> None:
    numbers = [5_000 + 7 * (place // 2) for place in range(400)]
    if name == "nr":  # nothing but its values say so
        numbers = [*range(1, 401)]
    draft = draft_codebook(pd.DataFrame({name: numbers, "sex": [1, 2] * 200}))
    assert [question.code for question in draft.codebook.questions] == ["sex"]
    assert draft.left_out[name].startswith("an identification")


@pytest.mark.parametrize("name", ["zip", "postcode", "ZIP_CODE", "home_postal_code", "plz"])
def test_postcodes_are_not_put_into_bands(name: str) -> None:
    few = pd.DataFrame({name: [10_115 + 13 * (place % 30) for place in range(400)]})
    [question] = draft_codebook(few).codebook.questions
    assert not any(point.is_band for point in question.points)
    many = pd.DataFrame({name: [10_115 + 13 * (place % 390) for place in range(400)]})
    draft = draft_codebook(many.assign(sex=[1, 2] * 200))
    assert draft.left_out == {name: "codes, and not amounts: 390 different values"}


def test_dates_of_waves_that_no_file_tells_are_called_placeholders() -> None:
    draft = draft_codebook(pd.DataFrame({"round": [1, 2] * 20, "a": [1, 2] * 20}))
    [why] = draft.reasons["waves"]
    assert why.startswith("not dated: ")
    assert "placeholders" in why
    assert f"# {why[:40]}" in draft.to_toml()


def test_stata_text_in_another_encoding_is_read_in_the_one_that_is_given(tmp_path: Path) -> None:
    path = tmp_path / "old.dta"
    pyreadstat.write_dta(pd.DataFrame({"town": ["Praha", "Brno"] * 2}), path, version=12)
    path.write_bytes(path.read_bytes().replace(b"Praha", "Plzeň".encode("iso-8859-2")))
    draft = draft_codebook(path, encoding="iso-8859-2")
    assert draft.codebook.source.encoding == "iso-8859-2"
    survey = import_survey([path], draft.codebook, tmp_path / "survey")
    assert counts_by_name(survey, "town") == {"Brno": 2, "Plzeň": 2}
    untold = parse_codebook({"questions": [{"code": "town", "name": "Town", "column": "town"}]})
    survey = import_survey([path], untold, tmp_path / "other", encoding="iso-8859-2")
    assert counts_by_name(survey, "town") == {"Brno": 2, "Plzeň": 2}


def test_answers_of_one_name_beside_bands_have_their_values(tmp_path: Path) -> None:
    path = tmp_path / "minutes.sav"
    minutes = [*map(float, range(0, 90, 3)), 997.0, 997.0, 998.0, 999.0]
    pyreadstat.write_sav(
        pd.DataFrame({"mins": minutes}),
        path,
        variable_value_labels={"mins": {997: "NA", 998: "DK", 999: "NA"}},
    )
    draft = draft_codebook(path)
    [question] = draft.codebook.questions
    assert [each.name for each in question.points if not each.is_band] == [
        "NA (997)", "DK", "NA (999)",
    ]  # fmt: skip
    survey = import_survey([path], draft.codebook, tmp_path / "survey")
    found = counts_by_name(survey, "mins")
    assert (found["NA (997)"], found["DK"], found["NA (999)"]) == (2, 1, 1)
    assert sum(found.values()) == len(minutes)
