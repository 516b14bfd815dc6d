"""Nets, bands and crosses: every derived bit against the answers it was made from."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from audiencelab.cli import main
from audiencelab.survey import Survey, SurveyError, derive
from audiencelab.survey.answers import unpack
from audiencelab.survey.derivations import Band, Bands, Cross, Net, NetPoint, load_definitions
from audiencelab.survey.validate import check_survey
from tests.ingest.sources import answers, imported
from tests.messages import fails
from tests.survey.formats import accept
from tests.survey.test_builder import built, waves

RECIPES = """
[[questions]]
kind = "net"
code = "caffeine"
name = "Drinks with caffeine"
question = "hot"
datapoints = [{ name = "Tea or coffee", any = ["hot_1", "hot_2"] }]
rest = "None of them"

[[questions]]
kind = "net"
code = "busy"
name = "Often has"
question = "mood"
datapoints = [{ name = "Fun or work", any = ["mood_1", "mood_2"], suffixes = ["1"] }]

[[questions]]
kind = "bands"
code = "life"
name = "Stages of life"
question = "age"
datapoints = [{ name = "Young", min = 16, below = 25 }, { name = "Older", min = 25, midpoint = 50 }]

[[questions]]
kind = "cross"
code = "sex_life"
name = "Sex by stage"
questions = ["sex", "life"]
"""


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    imported(tmp_path)
    (tmp_path / "recipes.toml").write_text(RECIPES)
    assert (
        main(
            ["survey", "derive", str(tmp_path / "survey"), "--add", str(tmp_path / "recipes.toml")]
        )
        == 0
    )
    return Survey.open(tmp_path / "survey")


def test_a_net_holds_whoever_gave_any_and_the_rest_whoever_gave_none(survey: Survey) -> None:
    # Wave 2 is sorted by location: the northerner (4), then the one without (5).
    assert answers(survey, "w2", "caffeine") == (
        [True, True],
        {"caffeine_1": [False, True], "caffeine_rest": [True, False]},
    )
    # The third of wave 1 was not asked: neither in the net nor in its rest.
    assert answers(survey, "w1", "caffeine") == (
        [True, True, False],
        {"caffeine_1": [True, True, False], "caffeine_rest": [False, False, False]},
    )


def test_a_net_of_a_grid_counts_the_suffixes_named(survey: Survey) -> None:
    assert answers(survey, "w1", "busy")[1] == {"busy_1": [True, True, False]}
    assert answers(survey, "w2", "busy")[1] == {"busy_1": [False, True]}


def test_bands_go_by_midpoints_and_have_their_own(survey: Survey) -> None:
    assert answers(survey, "w1", "life")[1] == {
        "life_1": [True, False, False],
        "life_2": [False, True, False],  # 70 is in a band that has no midpoint
    }
    points = survey.catalogue.question("life").datapoints
    assert [point.midpoint and point.midpoint.value for point in points] == [20.5, 50]


def test_a_band_without_an_end_has_no_middle(survey: Survey) -> None:
    recipe = Bands(
        code="open",
        name="Open",
        question="age",
        datapoints=(Band("Any", min=0, max=math.inf), Band("All", min=-math.inf, below=math.inf)),
    )
    points = derive(survey, recipe).catalogue.question("open").datapoints
    assert [point.midpoint for point in points] == [None, None]


def test_a_cross_may_use_what_was_derived_before_it(survey: Survey) -> None:
    question = survey.catalogue.question("sex_life")
    assert question.kind == "single"
    assert [point.name for point in question.datapoints] == [
        "Male × Young",
        "Male × Older",
        "Female × Young",
        "Female × Older",
    ]
    found = answers(survey, "w1", "sex_life")[1]
    assert found["sex_life_1_1"] == [True, False, False]
    assert found["sex_life_2_2"] == [False, True, False]


def test_the_catalogue_tells_how_a_question_was_made(survey: Survey) -> None:
    question = survey.catalogue.question("caffeine")
    assert question.flags == ("derived",)
    assert question.waves == ("w1", "w2")
    assert question.kind == "multiple"
    assert question.knowledge_base == (
        "Derived: net of Hot drinks (core.hot). Tea or coffee = Tea or Coffee; "
        "None of them = none of these."
    )


def test_nothing_else_of_the_survey_changes(survey: Survey, tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    before = imported(tmp_path / "again")
    assert check_survey(survey).sound
    assert survey.import_report == before.import_report
    assert survey.manifest.weight_bits == before.manifest.weight_bits
    for wave in before.waves:
        old, new = before.wave(wave.code), survey.wave(wave.code)
        assert np.array_equal(old.weights, new.weights)
        for question in before.catalogue.questions:
            first, second = old.question(question.canonical), new.question(question.canonical)
            assert (first is None) == (second is None)
            if first is not None and second is not None:
                assert np.array_equal(first.rows, second.rows)


def test_the_recipes_stay_in_the_survey_and_one_may_take_anothers_place(survey: Survey) -> None:
    assert [recipe.code for recipe in survey.derived] == ["caffeine", "busy", "life", "sex_life"]
    older = Bands(code="life", name="Halves", question="age", datapoints=(Band("All", min=0),))
    assert survey.catalogue.question("life").name == "Stages of life"
    again = derive(survey, older)
    assert [recipe.code for recipe in again.derived] == ["caffeine", "busy", "life", "sex_life"]
    assert len(again.catalogue.question("life").datapoints) == 1
    assert len(again.catalogue.question("sex_life").datapoints) == 2, "made anew from the new one"
    assert survey.catalogue.question("life").name == "Stages of life", "the old object stays"


def test_a_new_survey_leaves_the_old_one_as_it_was(survey: Survey, tmp_path: Path) -> None:
    net = Net(code="men", name="Men", question="sex", datapoints=(NetPoint("Men", ("sex_1",)),))
    new = derive(survey, net, out=tmp_path / "new")
    assert new.catalogue.question("men").kind == "single"
    assert new.path == tmp_path / "new"
    assert "core.men" not in {
        each.canonical for each in Survey.open(survey.path).catalogue.questions
    }


def net(**changes: Any) -> Net:
    plain: dict[str, Any] = {
        "code": "new",
        "name": "New",
        "question": "sex",
        "datapoints": (NetPoint("Men", ("sex_1",)),),
    }
    return Net(**(plain | changes))


FAULTS = {
    "unknown question": (net(question="sax"), "There is no question 'sax'"),
    "unknown datapoint": (
        net(datapoints=(NetPoint("Men", ("sex_9",)),)),
        "core.sex has no datapoint sex_9; it has sex_1, sex_2",
    ),
    "no such suffix": (
        net(datapoints=(NetPoint("Men", ("sex_1",), ("1",)),)),
        "core.sex has no suffix 1",
    ),
    "nothing in it": (net(datapoints=(NetPoint("Men", ()),)), "Name at least one datapoint"),
    "no answers": (net(datapoints=()), "A net needs at least one datapoint"),
    "no bands": (
        Bands(code="new", name="New", question="age", datapoints=()),
        "Bands need at least one datapoint",
    ),
    "a band without an end": (
        Bands(code="new", name="New", question="age", datapoints=(Band("All"),)),
        "Needs min, max or below",
    ),
    "bands of a grid": (
        Bands(code="new", name="New", question="mood", datapoints=(Band("All", min=0),)),
        "core.mood is a grid: bands are made of its datapoints",
    ),
    "taken": (net(code="age"), "There is a question core.age already"),
    "no midpoints": (
        Bands(code="new", name="New", question="sex", datapoints=(Band("All", min=0),)),
        "No datapoint of core.sex has a midpoint",
    ),
    "a band for nobody": (
        Bands(code="new", name="New", question="age", datapoints=(Band("Old", min=100),)),
        "No midpoint of core.age is in it",
    ),
    "a grid crossed": (
        Cross(code="new", name="New", questions=("sex", "mood")),
        "core.mood is a grid: make a net of it first",
    ),
    "a code that is none": (net(code="new net"), "codes are letters"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_recipe_that_cannot_be_followed_changes_nothing(tmp_path: Path, name: str) -> None:
    recipe, message = FAULTS[name]
    survey = imported(tmp_path)
    with pytest.raises(SurveyError, match=message):
        derive(survey, recipe)
    assert Survey.open(survey.path).manifest == survey.manifest
    assert not list(tmp_path.glob(".*")), "neither a lock nor half a survey is left"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[questions]]\nkind = 'sum'\ncode = 'x'\nname = 'x'", "'sum' - at .*kind"),
        ("[[questions]]\nkind = 'net'\ncode = 'x'\nname = 'x'\nquestoin = 'y'", "questoin"),
        ("questions =", "recipes.toml"),
        ("questions = " + "[" * 9_000, "recipes.toml: "),
        ("questions = " + "9" * 5_000, "recipes.toml: .*4300 digits"),
    ],
)
def test_a_slip_in_a_file_of_recipes_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "recipes.toml"
    path.write_text(text)
    with pytest.raises(SurveyError, match=message):
        load_definitions(path)


def test_a_new_survey_cannot_stand_in_a_file(survey: Survey, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with fails(SurveyError):
        derive(survey, out=tmp_path / "file" / "survey")


def test_what_is_closed_stays_closed_in_what_is_made_of_it(tmp_path: Path) -> None:
    import msgspec

    survey = imported(tmp_path)
    path = survey.path / "catalogue.json"
    catalogue = msgspec.json.decode(path.read_bytes())
    sex = next(each for each in catalogue["questions"] if each["code"] == "sex")
    sex["datapoints"][1]["accessible"] = False
    path.write_bytes(msgspec.json.encode(catalogue))
    accept(survey.path, "catalogue.json")
    points = (NetPoint("Men", ("sex_1",)), NetPoint("All", ("sex_1", "sex_2")))
    closed = derive(
        Survey.open(survey.path), net(datapoints=points, rest="Rest"), out=tmp_path / "q"
    )
    open_points = [point.accessible for point in closed.catalogue.question("new").datapoints]
    assert open_points == [True, False, False]


@settings(max_examples=30)
@given(wave=waves())
def test_derived_bits_are_what_counting_by_hand_gives(
    tmp_path_factory: pytest.TempPathFactory, wave: dict[str, Any]
) -> None:
    weights = wave.pop("weights")
    survey = built(tmp_path_factory.mktemp("survey") / "p", wave, weights)
    new = derive(
        survey,
        Net(
            code="net",
            name="Net",
            question="many",
            datapoints=(NetPoint("a", ("many_1", "many_3")), NetPoint("b", ("many_5",))),
            rest="rest",
        ),
        Cross(code="cross", name="Cross", questions=("one", "net")),
    )
    n = len(weights)
    flags = {
        code: unpack(found.rows, n)
        for code in ("one", "many", "net", "cross")
        if (found := new.wave("w1").question(code)) is not None
    }
    one, many = flags["one"], flags["many"]
    for person in range(n):
        gave = [many[1, person] or many[3, person], many[5, person]]
        gave.append(bool(many[0, person]) and not any(gave))
        assert flags["net"][:, person].tolist() == [many[0, person], *gave]
        assert flags["cross"][0, person] == (one[0, person] and many[0, person])
        both = [row and column for row in one[1:, person] for column in gave]
        assert flags["cross"][1:, person].tolist() == both
    assert check_survey(new).sound


def test_a_file_of_recipes_that_is_not_there_is_named(tmp_path: Path) -> None:
    with fails(SurveyError):
        load_definitions(tmp_path / "none.toml")
    with fails(SurveyError):
        load_definitions(tmp_path)
