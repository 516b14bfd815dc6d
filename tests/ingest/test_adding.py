"""A wave that is added: nothing old changes, everything new is there, and misfits are refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from audiencelab.cli import main
from audiencelab.ingest.adding import add_wave
from audiencelab.survey import Survey, SurveyError, derive
from audiencelab.survey.derivations import Cross, Net, NetPoint
from audiencelab.survey.errors import SurveyBusyError
from audiencelab.survey.locks import WriterLock
from audiencelab.survey.raking import Margin, Target, Targets, rake
from audiencelab.survey.validate import check_survey
from tests.ingest.sources import CODEBOOK, ROWS, answers, imported, write

SUMMER = """\
id,where,sex,tea,coffee,milk,drinks,fun,work,age,weight,round
1,west,2,yes,no,,4,Often,Often,40,1.25,c
2,north,1,no,no,yes,1,Never,Never,30,2,c
3,south,2,,,,,,,20,0.75,c
"""
FURTHER = re.sub(r"\[\[waves\]\].*?(?=\[\[questions)", "", CODEBOOK, flags=re.DOTALL)
FURTHER = FURTHER.replace(
    "[[questions]]",
    '[[waves]]\ncode = "w3"\nvalue = "c"\nstarts = 2024-03-01\n\n[[questions]]',
    1,
)
FURTHER = FURTHER.replace('south = "The south"', 'south = "South", west = "The west"')
FURTHER = FURTHER.replace('3 = "Milk"', '3 = "Milk", 4 = "Cocoa"')


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return derive(
        imported(tmp_path),
        Net(code="men", name="Men", question="sex", datapoints=(NetPoint("Men", ("sex_1",)),)),
        Cross(code="there", name="Sex by place", questions=("sex", "where")),
    )


def files(folder: Path, rows: str = SUMMER, codebook: str = FURTHER) -> tuple[Path, Path]:
    return write(folder, "summer.csv", rows), write(folder, "summer.toml", codebook)


def test_the_new_wave_is_there_with_all_its_answers(survey: Survey, tmp_path: Path) -> None:
    source, codebook = files(tmp_path)
    added = add_wave(survey.path, [source], codebook)
    new = Survey.open(survey.path)
    assert [wave.code for wave in new.waves] == ["w1", "w2", "w3"]
    assert added.waves == ("w3",)
    # Sorted by location, the new one last: rows 2, 3, 1.
    assert new.wave("w3").weights.tolist() == [2, 0.75, 1.25]
    assert answers(new, "w3", "where")[1]["where_3"] == [False, False, True]
    assert answers(new, "w3", "all") == (
        [True, False, True],
        {
            "all_1": [True, False, False],
            "all_2": [False] * 3,
            "all_3": [False] * 3,
            "all_4": [False, False, True],
        },
    )
    assert check_survey(new).sound


def test_nothing_of_the_old_waves_changes(survey: Survey, tmp_path: Path) -> None:
    before = {
        (wave.code, question.canonical): found.rows.copy()
        for wave in survey.waves
        for question in survey.catalogue.questions
        if (found := survey.wave(wave.code).question(question.canonical)) is not None
    }
    weights = {wave.code: survey.wave(wave.code).weights.copy() for wave in survey.waves}
    source, codebook = files(tmp_path)
    new = add_wave(survey.path, [source], codebook).survey
    assert new.manifest.weight_bits == survey.manifest.weight_bits
    for code, old in weights.items():
        assert np.array_equal(new.wave(code).weights, old)
    for (wave, code), rows in before.items():
        found = new.wave(wave).question(code)
        assert found is not None
        for point in survey.catalogue.question(code).datapoints:
            place = survey.catalogue.question(code).datapoint_positions[point.code]
            width = max(1, len(survey.catalogue.question(code).suffixes))
            mine = rows[1 + place * width : 1 + (place + 1) * width]
            assert np.array_equal(np.bitwise_or.reduce(mine, axis=0), found.datapoint(point.code))


def test_a_wave_added_to_raked_ones_is_not_called_raked(survey: Survey, tmp_path: Path) -> None:
    both, north = Margin("where", {"where_1": 1, "where_2": 1}), Margin("where", {"where_1": 1})
    targets = (Target((both,), waves=("w1",)), Target((north,), waves=("w2",)))
    raked = rake(survey.path, Targets(targets)).survey
    assert raked.manifest.weight == "weight, raked to known margins"
    source, codebook = files(tmp_path)
    new = add_wave(survey.path, [source], codebook).survey
    assert new.manifest.weight == "weight, raked to known margins in w1, w2"


def test_derived_questions_are_made_for_the_new_wave(survey: Survey, tmp_path: Path) -> None:
    source, codebook = files(tmp_path)
    new = add_wave(survey.path, [source], codebook).survey
    assert answers(new, "w3", "men")[1] == {"men_1": [True, False, False]}
    there = new.catalogue.question("there")
    assert there.waves == ("w1", "w2", "w3")
    assert there.datapoint("there_2_3").name == "Female × The west"
    assert answers(new, "w3", "there")[1]["there_2_3"] == [False, False, True]
    assert answers(new, "w1", "there")[1]["there_1_1"] == [True, False, False]


def test_what_joined_and_what_is_called_otherwise_is_told(
    survey: Survey, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, codebook = files(tmp_path)
    arguments = ["survey", "add-wave", str(survey.path), str(source), "--codebook", str(codebook)]
    assert main(arguments) == 0
    told = capsys.readouterr().out
    assert "summer.csv: 3 respondents added as w3" in told
    assert "new answers    core.where, where_3: 'The west'" in told
    assert "new answers    core.all, all_4: 'Cocoa'" in told
    assert "labels kept    core.where, where_2: 'The south' is called 'South'" in told
    assert "rounded anew" not in told
    new = Survey.open(survey.path)
    assert new.catalogue.question("where").datapoint("where_2").name == "The south"
    sources = new.manifest.provenance["sources"]
    assert [each["file"] for each in sources] == ["survey.csv", "summer.csv"]


def test_weights_too_heavy_for_the_grid_are_all_rounded_anew(
    survey: Survey, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, codebook = files(tmp_path, SUMMER.replace("0.75,c", "1e9,c"))
    assert (
        main(["survey", "add-wave", str(survey.path), str(source), "--codebook", str(codebook)])
        == 0
    )
    assert "All weights were rounded again, to steps of 2^-21 instead of 2^-40" in (
        capsys.readouterr().out
    )
    assert check_survey(Survey.open(survey.path)).sound


MISFITS = {
    "a wave that is there": (FURTHER.replace('"w3"', '"w2"'), "The survey has w2 already"),
    "another location": (
        FURTHER.replace('location = "where"', 'location = "sex"'),
        "location question is core.where, and the codebook's is core.sex",
    ),
    "another kind": (
        FURTHER.replace('kind = "multiple"\nselected', 'kind = "single"\nselected', 1).replace(
            'datapoints = [\n  { name = "Tea", column = "tea" },\n'
            '  { name = "Coffee", column = "coffee" },\n'
            '  { name = "Milk", column = "milk" },\n]',
            'column = "tea"\nlabels = { yes = "Tea" }',
        ),
        "core.hot is multiple in the survey, not single",
    ),
    "codes that mean something else": (
        FURTHER.replace('1 = "Male", 2 = "Female"', '1 = "Female", 2 = "Male"'),
        "sex_1 is 'Male' in the survey, and 'Female' is sex_2",
    ),
    "the code of a derived question": (
        FURTHER.replace('code = "sex"', 'code = "men"'),
        "core.men is derived in the survey",
    ),
}


@pytest.mark.parametrize("name", MISFITS)
def test_a_misfit_is_refused_and_the_survey_stays(
    survey: Survey, tmp_path: Path, name: str
) -> None:
    codebook, message = MISFITS[name]
    source, path = files(tmp_path, codebook=codebook)
    with pytest.raises(SurveyError, match=message):
        add_wave(survey.path, [source], path)
    assert Survey.open(survey.path).manifest == survey.manifest
    assert not list(tmp_path.glob(".*")), "neither a lock nor half a survey is left"


def test_no_wave_is_added_while_somebody_else_writes(survey: Survey, tmp_path: Path) -> None:
    source, codebook = files(tmp_path)
    lock = WriterLock(survey.path)
    with pytest.raises(SurveyBusyError, match="being written by process"):
        add_wave(survey.path, [source], codebook)
    lock.release()
    add_wave(survey.path, [source], codebook)


def test_a_new_survey_may_be_written_instead(survey: Survey, tmp_path: Path) -> None:
    source, codebook = files(tmp_path)
    add_wave(survey.path, [source], codebook, out=tmp_path / "longer")
    assert len(Survey.open(tmp_path / "longer").waves) == 3
    assert len(Survey.open(survey.path).waves) == 2
    assert ROWS.count(",a\n") == Survey.open(survey.path).wave("w1").respondents


def test_questions_and_midpoints_that_differ_are_told(survey: Survey, tmp_path: Path) -> None:
    further = FURTHER.replace('name = "Sex"', 'name = "Gender"')
    further = further.replace("max = 24, midpoint = 20", "max = 24, midpoint = 19")
    further += '\n[[questions]]\ncode = "number"\nname = "Number"\ncolumn = "id"\n'
    source, codebook = files(tmp_path, codebook=further)
    joined = add_wave(survey.path, [source], codebook).joined
    assert "core.number" in joined.questions
    told = "\n".join(joined.changes)
    assert "core.sex: 'Sex' is called 'Gender'" in told
    assert "another midpoint, which is left out" in told
    assert Survey.open(survey.path).catalogue.question("sex").name == "Sex"
