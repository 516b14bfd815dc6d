"""What a builder is given is what a reader finds, bit for bit."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiencelab.schema import Datapoint, Suffix
from audiencelab.survey import (
    Answers,
    Survey,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyError,
    SurveyExistsError,
    SurveyQuestion,
    SurveyWave,
)
from audiencelab.survey.answers import pack, unpack
from tests.messages import fails


def question(code: str, kind: Any, datapoints: int, suffixes: int = 0) -> SurveyQuestion:
    return SurveyQuestion(
        namespace_code="core",
        code=code,
        name=code.upper(),
        kind=kind,
        datapoints=tuple(Datapoint(f"{code}_{place}") for place in range(1, datapoints + 1)),
        suffixes=tuple(Suffix(str(place)) for place in range(1, suffixes + 1)),
    )


CATALOGUE = SurveyCatalogue(
    questions=(
        question("where", "single", 3),
        question("one", "single", 4),
        question("many", "multiple", 5),
        question("grid", "grid", 3, 2),
    ),
    location_question="core.where",
)
WAVE = SurveyWave("w1", "First", date(2024, 1, 1), date(2024, 3, 31))


def built(path: Path, answers: dict[str, Any], weights: Any = None, **options: Any) -> Survey:
    n = len(answers["where"])
    with SurveyBuilder(path, CATALOGUE, **options) as builder:
        builder.add_wave(WAVE, np.ones(n) if weights is None else weights, answers)
        return builder.finish()


@st.composite
def waves(draw: st.DrawFn) -> dict[str, Any]:
    n = draw(st.integers(1, 200))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    asked = rng.random(n) < draw(st.sampled_from([0.0, 0.5, 1.0]))
    grid = rng.random((n, 3, 2)) < 0.4
    return {
        "where": rng.integers(-1, 3, n),
        "one": Answers(np.where(asked, rng.integers(-1, 4, n), -1), asked),
        "many": Answers((rng.random((n, 5)) < 0.3) & asked[:, None], asked),
        "grid": draw(st.sampled_from([grid, np.where(grid.any(2), grid.argmax(2), -1)])),
        "weights": rng.random(n) * 1000,
    }


@settings(max_examples=60)
@given(wave=waves())
def test_answers_come_back_sorted_by_location(
    tmp_path_factory: pytest.TempPathFactory, wave: dict[str, Any]
) -> None:
    weights = wave.pop("weights")
    survey = built(tmp_path_factory.mktemp("survey") / "p", wave, weights)
    data = survey.wave("w1")
    n = len(weights)
    places = np.where(wave["where"] < 0, 3, wave["where"])
    order = sorted(range(n), key=lambda respondent: places[respondent])

    step = 2.0**-survey.manifest.weight_bits
    assert np.abs(data.weights - weights[order]).max() <= step / 2
    assert (data.weights % step == 0).all()

    for code in ("where", "one", "many", "grid"):
        expected = expected_rows(survey, code, wave[code], n)[:, order]
        found = data.question(code)
        assert found is not None
        rows = np.vstack([found.asked[None], found.matrix])
        assert np.array_equal(unpack(rows, n), expected), code
        assert np.array_equal(rows, pack(expected)), "padding bits are 0"


def expected_rows(survey: Survey, code: str, given_answers: Any, n: int) -> Any:
    """The asked row and the answer rows, one respondent and one cell at a time."""
    answers = Answers.of(given_answers)
    asked = question_ = survey.catalogue.question(code)
    rows = np.zeros((1 + question_.rows, n), bool)
    width = max(1, len(question_.suffixes))
    for respondent in range(n):
        asked = answers.asked is None or bool(answers.asked[respondent])
        rows[0, respondent] = asked
        for place in range(question_.rows):
            value: Any = answers.values[respondent]
            if question_.kind == "single":
                rows[1 + place, respondent] = value == place
            elif question_.kind == "multiple":
                rows[1 + place, respondent] = value[place]
            elif value.dtype == bool:
                rows[1 + place, respondent] = value[place // width, place % width]
            else:
                rows[1 + place, respondent] = value[place // width] == place % width
    return rows


def simple(n: int = 100) -> dict[str, Any]:
    return {"where": np.arange(n) % 3, "one": np.arange(n) % 4}


def test_datapoints_of_a_grid_merge_their_suffixes(tmp_path: Path) -> None:
    grid = np.array([[0, 1, -1], [1, 1, 0], [-1, -1, -1]])
    survey = built(tmp_path / "p", {"where": np.zeros(3, int), "grid": grid})
    found = survey.wave("w1").question("grid")
    assert found is not None
    assert found.datapoint("grid_1")[0] == 0b011
    assert found.datapoint("grid_1", ["1"])[0] == 0b001
    assert found.datapoint("grid_2", ["1", "2"])[0] == 0b011
    assert found.datapoint("grid_3", ["2"])[0] == 0
    with pytest.raises(KeyError):
        found.datapoint("grid_4")
    with pytest.raises(KeyError):
        found.datapoint("grid_1", ["3"])


def test_a_question_left_out_was_not_asked_in_that_wave(tmp_path: Path) -> None:
    later = msgspec.structs.replace(WAVE, code="w0", starts=date(2023, 1, 1), ends=date(2023, 2, 1))
    with SurveyBuilder(tmp_path / "p", CATALOGUE) as builder:
        builder.add_wave(WAVE, np.ones(100), simple())
        builder.add_wave(later, np.ones(50), {"core.where": np.zeros(50, int)})
        survey = builder.finish()
    assert [wave.code for wave in survey.waves] == ["w0", "w1"], "sorted by date"
    assert [wave.respondents for wave in survey.waves] == [50, 100]
    assert survey.catalogue.question("where").waves == ("w0", "w1")
    assert survey.catalogue.question("core.one").waves == ("w1",)
    assert survey.catalogue.question("many").waves == ()
    assert survey.wave("w0").question("one") is None
    assert survey.wave("w1").question("nowhere") is None
    with pytest.raises(KeyError):
        survey.wave("w9")
    with pytest.raises(KeyError):
        survey.catalogue.question("nowhere")


def test_weights_of_a_large_universe_sum_exactly_in_any_order(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    weights = rng.gamma(0.5, 20_000, 10_000)
    survey = built(tmp_path / "p", simple(10_000), weights)
    found = survey.wave("w1").weights
    sums = {float(rng.permutation(found).sum()) for _ in range(20)}
    sums |= {float(np.cumsum(found)[-1]), float(sum(found.tolist()))}
    assert len(sums) == 1
    assert sums.pop() == pytest.approx(weights.sum(), rel=1e-12)


BAD = {
    "wrong place": ({"one": np.full(100, 4)}, "positions must be from -1"),
    "wrong length": ({"one": np.zeros(99, int)}, r"must be int\[100\]"),
    "wrong kind": ({"many": np.zeros(100, int)}, r"must be bool\[100, 5\]"),
    "answer of the unasked": (
        {"one": Answers(np.zeros(100, int), np.zeros(100, bool))},
        "100 respondents answered without being asked",
    ),
    "flags for others": (
        {"one": Answers(np.zeros(100, int), np.ones(99, bool))},
        "`asked` must have one flag for each respondent",
    ),
    "unknown question": ({"nowhere": np.zeros(100, int)}, "unknown questions: core.nowhere"),
}


@pytest.mark.parametrize("name", BAD)
def test_answers_that_do_not_fit_are_refused_and_nothing_is_left(tmp_path: Path, name: str) -> None:
    answers, message = BAD[name]
    with pytest.raises(SurveyError, match=message):
        built(tmp_path / "p", simple() | answers)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_bad_weights_are_refused_by_respondent(tmp_path: Path, weight: float) -> None:
    weights = np.ones(100)
    weights[17] = weight
    with fails(SurveyError):
        built(tmp_path / "p", simple(), weights)


def test_an_existing_target_is_kept_unless_it_may_be_replaced(tmp_path: Path) -> None:
    target = tmp_path / "p"
    built(target, simple(100))
    with pytest.raises(SurveyExistsError):
        built(target, simple(50))
    assert Survey.open(target).waves[0].respondents == 100
    assert built(target, simple(50), replace=True).waves[0].respondents == 50
    assert [path.name for path in tmp_path.iterdir()] == ["p"]


def test_only_a_survey_is_ever_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    assert built(folder, simple(50), replace=True).path == folder, "an empty one is nobody's loss"
    thesis = folder / "thesis.txt"
    thesis.write_text("ten years")
    for target in (folder, thesis):
        with fails(SurveyExistsError):
            built(target, simple(100), replace=True)
    assert thesis.read_text() == "ten years"
    assert Survey.open(folder).waves[0].respondents == 50
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_target_made_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "p"
    other = built(tmp_path / "other", simple(50))
    with SurveyBuilder(target, CATALOGUE) as slow:
        slow.add_wave(WAVE, np.ones(100), simple(100))
        other.path.rename(target)
        with pytest.raises(SurveyExistsError):
            slow.finish()
    assert Survey.open(target).waves[0].respondents == 50
    assert [path.name for path in tmp_path.iterdir()] == ["p"]


def test_a_builder_that_is_let_go_takes_its_folder_with_it(tmp_path: Path) -> None:
    builder = SurveyBuilder(tmp_path / "p", CATALOGUE)
    builder.add_wave(WAVE, np.ones(100), simple())
    assert list(tmp_path.iterdir()) != []
    del builder
    assert list(tmp_path.iterdir()) == []


def test_bits_of_a_survey_make_the_same_survey_again(tmp_path: Path) -> None:
    old = built(tmp_path / "old", simple(130), np.linspace(0.1, 3, 130))
    data = old.wave("w1")
    rows = {
        code: found.rows
        for code in ("core.where", "core.one")
        if (found := data.question(code)) is not None
    }
    with SurveyBuilder(
        tmp_path / "new", CATALOGUE, name="old", weight_bits=old.manifest.weight_bits
    ) as builder:
        builder.add_packed_wave(data.wave, data.weights, rows)
        new = builder.finish()
    assert new.manifest == old.manifest


def test_a_grid_is_kept_while_sums_are_exact_on_it(tmp_path: Path) -> None:
    light, heavy = np.full(100, 0.3), np.full(100, 1e9)
    for name, weights, bits in (("light", light, 20), ("heavy", heavy, 14)):
        with SurveyBuilder(tmp_path / name, CATALOGUE, weight_bits=20) as builder:
            builder.add_wave(WAVE, weights, simple())
            survey = builder.finish()
        assert survey.manifest.weight_bits == bits
        steps = np.ldexp(survey.wave("w1").weights, bits)
        assert (steps == np.rint(steps)).all()
        assert steps.sum() < 2.0**52


def test_what_came_along_is_kept(tmp_path: Path) -> None:
    with SurveyBuilder(
        tmp_path / "p", CATALOGUE, name="Study", description="About it", provenance={"by": "hand"}
    ) as builder:
        builder.add_wave(WAVE, np.ones(100), simple())
        survey = builder.finish({"dropped": 3})
    assert survey.name == "Study"
    assert survey.manifest.description == "About it"
    assert survey.manifest.provenance == {"by": "hand"}
    assert survey.import_report == {"dropped": 3}
    assert survey.saved_audiences == ()
    assert survey.insights == ()
    assert repr(survey) == "<Survey 'Study': 1 wave, 100 respondents>"


def test_waves_that_make_no_survey_are_refused(tmp_path: Path) -> None:
    with SurveyBuilder(tmp_path / "p", CATALOGUE) as builder:
        with fails(SurveyError):
            builder.finish()
        with fails(SurveyError):
            builder.add_wave(WAVE, np.ones(100), {"one": np.zeros(100, int)})
        with fails(SurveyError):
            builder.add_wave(WAVE, np.ones((2, 50)), simple())
        with fails(SurveyError):
            builder.add_wave(WAVE, np.zeros(100), simple())
        with fails(SurveyError):
            builder.add_wave(msgspec.structs.replace(WAVE, ends=date(2023, 1, 1)), [1.0], {})
        builder.add_wave(WAVE, np.ones(100), simple())
        with fails(SurveyError):
            builder.add_wave(WAVE, np.ones(100), simple())


def test_a_catalogue_and_a_manifest_say_how_much_they_hold(tmp_path: Path) -> None:
    survey = built(tmp_path / "p", simple())
    assert repr(CATALOGUE) == "<SurveyCatalogue of 4 questions, 15 datapoints>"
    assert repr(survey.manifest).startswith("<Manifest of 'p': 1 wave")
    assert repr(survey.manifest).endswith(f" {len(survey.manifest.files)} files>")


@pytest.mark.skipif(sys.platform == "win32", reason="links are for administrators there")
def test_a_link_that_leads_nowhere_is_no_place_for_a_survey(tmp_path: Path) -> None:
    link = tmp_path / "p"
    link.symlink_to(tmp_path / "nowhere")
    with fails(SurveyError):
        built(link, simple())
    assert [path.name for path in tmp_path.iterdir()] == ["p"]
    assert link.is_symlink()
