"""Edits of a survey give what an import with the edited codebook gives, bit for bit."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import count, zip_longest
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audiencelab.ingest import draft_codebook, from_frame, load_codebook
from audiencelab.ingest.codebook_files import codebook_toml
from audiencelab.ingest.editing import edit_survey
from audiencelab.ingest.edits import Edit, edited
from audiencelab.ingest.importer import import_survey
from audiencelab.ingest.kept import codebook_of, kept_json
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.report import ImportReport
from audiencelab.survey import Band, Bands, Cross, Net, NetPoint, Survey, derive
from audiencelab.survey.errors import SurveyError
from tests.ingest.sources import CODEBOOK, imported, write
from tests.ingest.sources import ROWS as TEA

DATA = Path(__file__).parents[1] / "data"


def frame(respondents: int = 400, seed: int = 3) -> pd.DataFrame:
    """Every kind of question, with blanks, in two waves, one of which lacks two columns."""
    rng = np.random.default_rng(seed)

    def drawn(values: list[Any], blank: float = 0.1) -> list[Any]:
        return [
            None if rng.random() < blank else values[place]
            for place in rng.integers(0, len(values), respondents)
        ]

    wave = ["a"] * (respondents // 2) + ["b"] * (respondents - respondents // 2)
    made = pd.DataFrame(
        {
            "wave": wave,
            "w": rng.uniform(0.5, 2, respondents).round(3),
            "q1": drawn([1, 2, 3, 4, 5, 98]),
            "text": drawn(["Tea", "Coffee", "Milk", "none of these"]),
            "age": drawn([*range(18, 90), 999]),
            "likes": drawn(["1;3", "2", "3;1;2", "9", "2;9"]),
            "first": drawn([1, 2, 3]),
            "second": drawn([4, 9], 0.6),
            "t_1": drawn([0, 1, 1]),
            "t_2": drawn([0, 1]),
            "g_1": drawn(["Good", "Fair", "Bad", "Unsure"]),
            "g_2": drawn(["Good", "Fair", "Bad", "Unsure"]),
            "yes_a": drawn(["Yes", "No"]),
            "yes_b": drawn(["Yes", "No"]),
        }
    )
    made.loc[made["wave"] == "b", ["text", "t_2"]] = None
    return made


BOOK = """
[weight]
column = "w"

[wave]
column = "wave"

[[waves]]
code = "a"
starts = 2024-01-01

[[waves]]
code = "b"
starts = 2024-02-01

[[questions]]
code = "q1"
name = "Satisfaction"
column = "q1"
labels = { 1 = "Very bad", 2 = "Bad", 3 = "So so", 4 = "Good", 5 = "Very good", 98 = "Unsure" }

[[questions]]
code = "text"
name = "Drink"
column = "text"

[[questions]]
code = "age"
name = "Age"
column = "age"
form = "numeric"
datapoints = [
  { name = "Under 30", below = 30, midpoint = 24 },
  { name = "30 to 59", min = 30, max = 59, midpoint = 45 },
  { name = "60 and over", min = 60, midpoint = 70 },
]

[[questions]]
code = "likes"
name = "Likes"
kind = "multiple"
column = "likes"
separator = ";"
labels = { 1 = "Alba", 2 = "Brio", 3 = "Cora", 9 = "No idea" }

[[questions]]
code = "bought"
name = "Bought"
kind = "multiple"
across = ["first", "second"]
labels = { 1 = "Alba", 2 = "Brio", 3 = "Cora", 4 = "Dora", 9 = "No idea" }

[[questions]]
code = "t"
name = "Ticks"
kind = "multiple"
selected = [1]
datapoints = [{ name = "One", column = "t_1" }, { name = "Two", column = "t_2" }]

[[questions]]
code = "g"
name = "Grid"
kind = "grid"
datapoints = [{ name = "Alba", column = "g_1" }, { name = "Brio", column = "g_2" }]
suffixes = [
  { name = "Good", value = "Good", midpoint = 3 },
  { name = "Fair", value = "Fair", midpoint = 2 },
  { name = "Bad", value = "Bad", midpoint = 1 },
  { name = "Unsure", value = "Unsure" },
]

[[questions]]
code = "yes_a"
name = "Knows: Alba"
column = "yes_a"
labels = { Yes = "Yes", No = "No" }

[[questions]]
code = "yes_b"
name = "Knows: Brio"
column = "yes_b"
labels = { Yes = "Yes", No = "No" }
"""


@dataclass
class Case:
    """The survey of a frame, and imports of it with other codebooks."""

    folder: Path
    frame: pd.DataFrame

    def __post_init__(self) -> None:
        self._numbers = count()
        self.codebook = load_codebook(write(self.folder, "book.toml", BOOK))
        self.survey = self.imported()

    def imported(self, codebook: Any = None) -> Survey:
        folder = self.folder / f"survey{next(self._numbers)}"
        return from_frame(self.frame, codebook or self.codebook, folder)

    def check(self, survey: Survey) -> None:
        """The survey is the one that an import with its codebook gives."""
        again = self.imported(codebook_of(survey))
        assert survey.catalogue == again.catalogue
        assert survey.record == again.record
        assert survey.manifest.waves == again.manifest.waves
        assert survey.seal == again.seal
        assert kept_json(codebook_of(survey)) == kept_json(codebook_of(again))
        survey.verify()


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return Case(tmp_path_factory.mktemp("editing"), frame())


@pytest.fixture
def survey(case: Case, tmp_path: Path) -> Survey:
    return Survey.open(copytree(case.survey.path, tmp_path / "survey"))


EDITS = [
    Edit(("q1",), missing=(98,)),
    Edit(("q1",), not_asked=("Unsure",)),
    Edit(("q1",), order=("Very good", 4), top="first"),
    Edit(("q1",), top="last", ends="opposite", off_scale=(98,)),
    Edit(("q1",), labels=((98, "Don't know"), ("q1_1", "Awful")), name="How was it?"),
    Edit(("q1",), scores=((1, 10.0), (2, 20.0), (98, None))),
    Edit(("q1",), joined=(("Bad", ("Very bad", "Bad")), ("Good", (4, 5)))),
    Edit(("text",), missing=("none of these",)),
    Edit(("text",), order=("Tea",)),
    Edit(("age",), missing=(999,)),
    Edit(("age",), not_asked=(18, 19)),
    Edit(("age",), joined=(("Over 29", ("30 to 59", "60 and over")),)),
    Edit(("age",), labels=(("Under 30", "Young"),), order=("60 and over",)),
    Edit(("likes",), missing=(9,)),
    Edit(("likes",), joined=(("Alba or Brio", (1, 2)),)),
    Edit(("bought",), missing=("No idea",)),
    Edit(("bought",), order=(4, 3)),
    Edit(("t",), labels=(("One", "First"),), order=("Two",)),
    Edit(("g",), missing=("Unsure",)),
    Edit(("g",), not_asked=("Unsure",)),
    Edit(("g",), joined=(("Not good", ("Fair", "Bad")),)),
    Edit(("g",), labels=(("Alba", "Alba tea"), ("Good", "Great"))),
    Edit(("g",), order=("Bad", "Fair", "Good"), scores=(("Unsure", 0.0),)),
    Edit(("yes_a", "yes_b"), kind="multiple"),
    Edit(("*",), missing=("Unsure",)),
    Edit(("*",), missing=(999, 9)),
    Edit(("q1", "g"), missing=("Unsure",)),
]


def rounds() -> list[list[Edit]]:
    """The edits, at most one of each question in a round."""
    by_question: dict[str, list[Edit]] = {}
    for edit in EDITS:
        by_question.setdefault(edit.questions[0], []).append(edit)
    everywhere = by_question.pop("*")
    found = zip_longest(*by_question.values())
    return [*([each for each in some if each] for some in found), *([each] for each in everywhere)]


@pytest.mark.parametrize("edits", rounds(), ids=len)
def test_an_edit_gives_what_an_import_gives(case: Case, survey: Survey, edits: list[Edit]) -> None:
    for edit in edits:
        before = codebook_toml(codebook_of(survey))
        survey = edit_survey(survey, edit)
        assert codebook_toml(codebook_of(survey)) != before
    case.check(survey)


@pytest.mark.parametrize("seed", range(4))
def test_so_do_several_in_any_order(case: Case, survey: Survey, seed: int) -> None:
    drawn = random.Random(seed)
    for edit in drawn.sample(EDITS, 4):
        try:
            survey = edit_survey(survey, edit)
        except SurveyError:
            continue  # what an earlier one took away
    case.check(survey)


def test_the_codebook_is_as_if_edited_by_hand(case: Case, survey: Survey) -> None:
    after = edit_survey(survey, Edit(("g",), missing=("Unsure",), top="first"))
    by_hand = BOOK.replace('  { name = "Unsure", value = "Unsure" },\n', "").replace(
        'kind = "grid"', 'kind = "grid"\nmissing = ["Unsure"]\ntop = "first"'
    )
    written = load_codebook(write(case.folder, "hand.toml", by_hand))
    assert after.seal == case.imported(written).seal
    grid = next(each for each in codebook_of(after).questions if each.code == "g")
    assert 'missing = ["Unsure"]' in codebook_toml(codebook_of(after))
    assert grid.top == "first"


def test_codes_of_answers_stay(survey: Survey) -> None:
    codes = {each.name: each.code for each in survey.catalogue.question("text").datapoints}
    after = edit_survey(survey, Edit(("text",), missing=("Coffee",), order=("Tea",)))
    left = after.catalogue.question("text").datapoints
    assert [each.name for each in left] == ["Tea", "Milk", "none of these"]
    assert {each.name: each.code for each in left}.items() <= codes.items()


def test_answers_that_are_joined_have_a_code_of_their_own(survey: Survey) -> None:
    after = edit_survey(survey, Edit(("q1",), joined=(("Good", (4, 5)),)))
    codes = [each.code for each in after.catalogue.question("q1").datapoints]
    assert codes == ["q1_1", "q1_2", "q1_3", "q1_4_5", "q1_98"]


def test_respondents_with_a_missing_code_were_asked(case: Case, survey: Survey) -> None:
    edited_ = edit_survey(survey, Edit(("age",), missing=(999,)))
    wave, rows = edited_.wave("a"), case.frame[case.frame["wave"] == "a"]
    bits, numbers = wave.question("age"), wave.numbers("age")
    assert bits is not None
    assert numbers is not None
    assert np.bitwise_count(bits.asked).sum() == rows["age"].notna().sum()
    given = rows["age"][(rows["age"].notna()) & (rows["age"] != 999)]
    assert sorted(numbers[~np.isnan(numbers)]) == sorted(given)
    assert np.bitwise_count(bits.matrix).sum() == len(given)


def test_the_top_stays_with_its_answers_where_they_are_turned_round(survey: Survey) -> None:
    first = edit_survey(survey, Edit(("q1",), top="last", off_scale=(98,)))
    turned = edit_survey(first, Edit(("q1",), order=(5, 4, 3, 2, 1)))
    assert "top:first" in turned.catalogue.question("q1").flags


def test_an_edit_that_was_made_before_changes_nothing(survey: Survey) -> None:
    edit = Edit(("q1",), missing=(98,))
    first = edit_survey(survey, edit)
    assert edit_survey(first, edit) is first
    other = edit_survey(first, Edit(("g",), missing=("Unsure",)))
    assert edit_survey(other, edit) is other


def test_a_survey_of_before_is_edited_by_its_catalogue(tmp_path: Path) -> None:
    for version in ("v1", "v2"):
        copytree(DATA / version / "survey", tmp_path / version)
        old = Survey.open(tmp_path / version)
        female = old.catalogue.question("sex").datapoints[0].code
        before = old.pin().wave(old.waves[0].code).question("sex")
        new = edit_survey(old, Edit(("sex",), labels=(("Female", "Women"),), order=("Male",)))
        after = new.wave(new.waves[0].code).question("sex")
        assert before is not None
        assert after is not None
        assert [each.name for each in new.catalogue.question("sex").datapoints] == ["Male", "Women"]
        assert np.array_equal(before.datapoint(female), after.datapoint(female))


def test_the_codebook_of_the_tests_can_be_edited(tmp_path: Path) -> None:
    survey = imported(tmp_path)
    for number, edit in enumerate(
        [
            Edit(("hot",), labels=(("Tea", "Black tea"),)),
            Edit(("all",), joined=(("Hot", (1, 2)),)),
            Edit(("mood",), order=("Never",)),
            Edit(("age",), missing=(70,)),
        ]
    ):
        survey = edit_survey(survey, edit)
        folder = tmp_path / f"again{number}"
        again = import_survey(tmp_path / "survey.csv", codebook_of(survey), folder)
        assert again.seal == survey.seal


def refused(survey: Survey, edit: Edit) -> str:
    version = survey.version
    with pytest.raises(SurveyError) as raised:
        edit_survey(survey, edit)
    assert Survey.open(survey.path).version == version
    return str(raised.value)


BAD: list[tuple[Edit, str]] = [
    (Edit(("q1",), missing=("Unsur",)), "q1 (Satisfaction): no answer. Did you mean 'Unsure'?"),
    (Edit(("q1",), missing=(77,)), "Its answers are 'Very bad' (1), 'Bad' (2)"),
    (Edit(("q9",), missing=(1,)), "Unknown question 'q9'."),
    (
        Edit(("age",), missing=(1000,)),
        "gave this number. The nearest are 88, 89, 999",
    ),
    (Edit(("age",), missing=("Under 30",)), "it is a band. Name the numbers"),
    (Edit(("q1",), missing=(1, 2, 3)), "answers, half or more"),
    (
        Edit(("text",), missing=("Tea", "Coffee", "Milk", "none of these")),
        "no answer would be left",
    ),
    (Edit(("q1",), order=(1, 2, 1)), "order is not valid for q1: it names 'Very bad' twice"),
    (Edit(("q1",), top="none", ends="amount"), "a scale from none to most has a top"),
    (Edit(("q1",), missing=(98,), not_asked=(98,)), "is in missing and in not_asked"),
    (Edit(("q1",)), "An edit needs what it changes"),
    (Edit(("q1", "g"), name="Both"), "it is of one question"),
    (Edit(("*",), missing=(-77,)), "is not valid for '*': no question has this answer"),
    (Edit(("*",), top="first"), "top= is not valid for '*'"),
    (Edit(("t",), missing=(9,)), "no other values of its columns. Open the file again: al.open("),
    (Edit(("t",), joined=(("Both", ("One", "Two")),)), "al.net joins items"),
    (Edit(("q1", "yes_a"), kind="multiple"), "q1 (Satisfaction): it has 6 answers"),
    (Edit(("yes_a",), kind="multiple"), "it is of two questions or more"),
    (Edit(("q1",), kind="grid"), "kind='grid' is not valid for q1"),
    (Edit(("location",), labels=(("All", "Here"),)), "Unknown question 'location'"),
]


@pytest.mark.parametrize(("edit", "told"), BAD, ids=lambda each: str(each)[:40])
def test_bad_edits_say_what_is_wrong_and_change_nothing(case: Case, edit: Edit, told: str) -> None:
    assert told in refused(case.survey, edit)


def test_half_of_the_answers_or_more_are_not_missing(tmp_path: Path) -> None:
    data = pd.DataFrame({"q": [1, 1, 9, 9], "r": [1, 2, 1, 9]})
    survey = from_frame(data, draft_codebook(data).codebook, tmp_path / "s")
    assert "it holds 2 of 4 answers, half or more" in refused(survey, Edit(("q",), missing=(9,)))
    assert edit_survey(survey, Edit(("q",), not_asked=(9,))).catalogue.question("q").rows == 1


def test_what_derived_questions_are_made_from_stays(survey: Survey) -> None:
    net = Net(
        code="happy", name="Happy", question="q1", datapoints=(NetPoint("Yes", ("q1_4", "q1_5")),)
    )
    cross = Cross(code="both", name="Both", questions=("q1", "yes_a"))
    ages = Bands(code="ages", name="Ages", question="age", datapoints=(Band("Old", min=40),))
    derived = derive(survey, net, cross, ages)
    told = refused(derived, Edit(("q1",), joined=(("Good", (4, 5)),)))
    assert "the derived question happy is made from its answers q1_4 (Good), q1_5" in told
    assert "the derived question both" in refused(derived, Edit(("q1",), missing=(98,)))
    assert "happy is derived" in refused(derived, Edit(("happy",), labels=(("Yes", "No"),)))
    after = edit_survey(derived, Edit(("age",), missing=(999,)))
    assert after.catalogue.question("ages").rows == 1
    assert after.catalogue.question("happy") is not None


def test_the_location_question_keeps_its_answers(tmp_path: Path) -> None:
    survey = imported(tmp_path, TEA, CODEBOOK)
    assert "its answers are the locations" in refused(
        survey, Edit(("where",), order=("The south",))
    )
    after = edit_survey(survey, Edit(("where",), labels=(("The south", "South"),)))
    assert after.catalogue.question("where").datapoints[1].name == "South"


def test_an_edit_of_a_codebook_needs_no_survey() -> None:
    data = frame()
    changed = edited(draft_codebook(data).codebook, Edit(("text",), order=("Tea",)))
    question = next(each for each in changed.questions if each.code == "text")
    assert question.points[0].name == "Tea"


def test_items_become_one_question(case: Case, survey: Survey) -> None:
    after = edit_survey(survey, Edit(("yes_a", "yes_b"), kind="multiple", name="Knows"))
    question = after.catalogue.question("yes")
    assert (question.name, question.kind) == ("Knows", "multiple")
    assert [each.name for each in question.datapoints] == ["Alba", "Brio"]
    found = after.wave("a").question("yes")
    rows = case.frame[case.frame["wave"] == "a"]
    assert found is not None
    ticked = np.bitwise_count(found.datapoint("yes_a")).sum()
    assert ticked == (rows["yes_a"] == "Yes").sum()
    assert np.bitwise_count(found.asked_of("yes_a")).sum() == rows["yes_a"].notna().sum()


@pytest.mark.parametrize(
    ("order", "top", "ends"),
    [
        ((4,), None, None),
        ((2,), None, None),
        ((1, 3), "first", None),
        ((9, 1), "first", "opposite"),
        ((4, 3, 2), "last", "opposite"),
        ((2, 4, 3, 1), "last", None),
    ],
)
def test_the_top_stays_with_its_answer_in_another_order(
    tmp_path: Path, order: tuple[int, ...], top: str | None, ends: str | None
) -> None:
    labels = {1: "Superb", 2: "Decent", 3: "Meh", 4: "Dire", 9: "Don't know"}
    data = pd.DataFrame({"q": [*labels] * 20})
    data.to_csv(tmp_path / "q.csv", index=False)
    drafted = draft_codebook(tmp_path / "q.csv", missing={"q": []}).codebook
    named = Edit(("q",), labels=tuple(labels.items()), top="first", ends="opposite", off_scale=(9,))
    moved = edited(edited(drafted, named), Edit(("q",), order=order)).questions[0]
    assert (moved.top, moved.ends) == (top, ends)


def test_an_edit_settles_the_guesses_that_it_is_about(tmp_path: Path) -> None:
    data = pd.DataFrame({"age": [*range(20, 60), 199, 999], "sex": ["f", "m"] * 21})
    about = [
        ("age", "missing", "999 may not be an answer"),
        ("age", "outlier", "199 is the largest"),
    ]
    about += [("age", "outlier", "199 and 999 (2 of 42) far from the others")]
    about += [("age", "missing", "-9 and 9,999,999 (999 of 2,000) may not be an answer")]
    scale = [("sex", "missing", "999 may not be an answer"), ("age", "scale", "it is one")]
    guesses = [Guess(*each) for each in about + scale]
    data.to_csv(tmp_path / "age.csv", index=False)
    book = draft_codebook(tmp_path / "age.csv").codebook
    survey = import_survey(tmp_path / "age.csv", book, tmp_path / "s", guesses=guesses)
    after = edit_survey(survey, Edit(("age",), missing=(999,)))
    left = [
        (each.about, each.subject) for each in ImportReport.of(after).guesses if each in guesses
    ]
    codes = [("age", "outlier"), ("age", "outlier"), ("age", "missing")]
    assert sorted(left) == sorted([*codes, ("sex", "missing"), ("age", "scale")])
