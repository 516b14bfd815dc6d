"""What a check finds in a survey that somebody, or something, has spoilt."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from audiencelab.cli import main
from audiencelab.schema import Datapoint, Suffix
from audiencelab.survey import (
    Answers,
    Survey,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyQuestion,
    SurveyWave,
)
from audiencelab.survey.answers import Design
from audiencelab.survey.demo import build_demo_survey
from audiencelab.survey.validate import SurveyCheck, check_survey
from tests.survey.formats import accept, to_format_1

QUESTIONS = (
    SurveyQuestion(
        "core", "where", "Where", "single", (Datapoint("n", "North"), Datapoint("s", "South"))
    ),
    SurveyQuestion(
        "core", "tea", "Tea", "multiple", (Datapoint("hot", "Hot"), Datapoint("iced", ""))
    ),
    SurveyQuestion(
        "core",
        "mood",
        "Mood",
        "grid",
        (Datapoint("fun", "Fun"),),
        (Suffix("1", "Often"), Suffix("2", "Never")),
    ),
)
# Rows of bits: where 0 to 2, tea 3 to 5, mood 6 to 8.
WHERE_SOUTH, TEA_ASKED, TEA_HOT = 2, 3, 4


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    asked = np.array([True, True, False, True, True])
    answers: dict[str, Any] = {
        "where": np.array([0, 0, 1, 1, 1]),
        "tea": Answers(np.array([[1, 0], [1, 0], [0, 0], [0, 0], [1, 0]], bool), asked),
        "mood": np.array([[0], [0], [-1], [0], [0]]),
    }
    wave = SurveyWave("w1", "First", date(2024, 1, 1), date(2024, 1, 31))
    with SurveyBuilder(tmp_path / "survey", SurveyCatalogue(QUESTIONS, "core.where")) as builder:
        builder.add_wave(wave, [1.0, 3.0, 0.0, 2.0, 2.0], answers)
        return builder.finish()


def details(check: SurveyCheck, *, matters: bool) -> list[str]:
    return [
        f"{found.where}: {found.detail}" for found in check.findings if found.matters == matters
    ]


def test_a_sound_survey_still_tells_what_is_worth_knowing(survey: Survey) -> None:
    check = check_survey(survey)
    assert check.sound
    assert details(check, matters=False) == [
        "w1: 1 of 5 respondents weigh 0",
        "core.tea: without a label: iced",
        "core.tea: no respondent gave iced",
        "core.mood: no respondent gave suffix 2",
    ]


def test_weights_are_summed_up_by_wave_and_location(survey: Survey) -> None:
    whole, north, south = check_survey(survey).weights
    assert (whole.wave, whole.location, whole.respondents, whole.unweighted) == ("w1", "", 5, 1)
    assert (whole.total, whole.least, whole.most) == (8.0, 0.0, 3.0)
    # By hand: Σw² = 1 + 9 + 4 + 4 = 18, mean 1.6, variance 18/5 - 1.6².
    assert whole.effective_base == pytest.approx(64 / 18)
    assert whole.variation == pytest.approx((18 / 5 - 1.6**2) ** 0.5 / 1.6)
    assert (north.location, north.respondents, north.effective_base) == ("North", 2, 16 / 10)
    assert (south.location, south.respondents, south.unweighted) == ("South", 3, 1)


def test_coverage_counts_those_asked_and_those_who_answered(survey: Survey) -> None:
    reach = {each.question.code: each for each in check_survey(survey).coverage}
    assert [
        (each.waves, each.respondents, each.asked, each.answered) for each in reach.values()
    ] == [(["w1"], 5, 5, 5), (["w1"], 5, 4, 3), (["w1"], 5, 5, 4)]


def bits(change: Callable[[Any], None]) -> Callable[[Path], None]:
    """A change to the bits of the wave, in place."""
    return lambda folder: change(np.load(folder / "waves/w1/bits.npy", mmap_mode="r+"))


def weights(change: Callable[[Any], None]) -> Callable[[Path], None]:
    return lambda folder: change(np.load(folder / "waves/w1/weights.npy", mmap_mode="r+"))


def put(place: Any, value: Any) -> Callable[[Any], None]:
    return lambda array: array.__setitem__(place, value)


DAMAGE = {
    "padding": (
        bits(put((TEA_ASKED, 0), 0b101011)),
        "w1, core.tea: bits past the last respondent are set",
    ),
    "outside": (
        bits(put((TEA_HOT, 0), 0b00111)),
        "w1, core.tea: 1 respondents answered without being asked",
    ),
    "two answers to a single question": (
        bits(put((WHERE_SOUTH, 0), 0b11111)),
        "w1, core.where: 2 respondents gave more than the one answer allowed",
    ),
    "not sorted": (
        bits(put((slice(1, 3), 0), [0b10001, 0b01110])),
        "w1: its respondents are not sorted by location",
    ),
    "a negative weight": (weights(put(0, -1.0)), "w1: 1 weights are not finite numbers"),
    "a weight that is none": (weights(put(0, np.nan)), "w1: 1 weights are not finite numbers"),
    "a weight off the grid": (weights(put(0, 1 / 3)), "w1: weights are off the survey's grid"),
    "weights that are too heavy": (
        weights(put(0, 2.0**20)),
        "the survey: the weights together are too heavy",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_found_and_named(
    survey: Survey, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    damage, message = DAMAGE[name]
    to_format_1(survey.path)  # with checksums of blocks the damage is not looked at
    damage(survey.path)
    assert main(["survey", "check", str(survey.path)]) == 1
    told = capsys.readouterr().out
    assert message in told.partition("Worth knowing:")[0]
    assert "the survey: changed since they were written: waves/w1/" in told
    assert "The survey is sound" not in told


def cut(name: str) -> Callable[[Path], None]:
    """An array loses its last row, and its file keeps its length."""

    def damage(folder: Path) -> None:
        path = folder / "waves/w1" / name
        octets = path.stat().st_size
        np.save(path, np.load(path)[:-1])
        with path.open("ab") as file:
            file.write(bytes(octets - path.stat().st_size))

    return damage


def written(name: str, old: bytes, new: bytes) -> Callable[[Path], None]:
    """Some of a file's bytes are others, as many as before."""

    def damage(folder: Path) -> None:
        octets = (folder / name).read_bytes()
        assert octets.count(old) == 1
        (folder / name).write_bytes(octets.replace(old, new.ljust(len(old))))
        if name == "catalogue.json":
            accept(folder, name)

    return damage


UNREADABLE = {
    "rows that are not there": (
        cut("bits.npy"),
        "w1: its files have (8, 1) and 5 weights, the manifest (9, 1) and 5",
    ),
    "weights that are not there": (
        cut("weights.npy"),
        "w1: its files have (9, 1) and 4 weights, the manifest (9, 1) and 5",
    ),
    "no array": (written("waves/w1/bits.npy", b"\x93NUMPY", b""), "bits.npy is damaged ("),
    "a location of several": (
        written("catalogue.json", b'"core.where"', b'"core.tea"'),
        "core.tea is multiple; a location question is single",
    ),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_looked_at_is_a_finding_and_no_error(survey: Survey, name: str) -> None:
    damage, message = UNREADABLE[name]
    to_format_1(survey.path)
    damage(survey.path)
    found = details(check_survey(Survey.open(survey.path)), matters=True)
    assert message in "\n".join(found)


def test_a_wave_without_the_location_question_is_found(tmp_path: Path) -> None:
    place = replace(QUESTIONS[0], code="place")
    with SurveyBuilder(
        tmp_path / "survey", SurveyCatalogue((QUESTIONS[0], place), "core.where")
    ) as builder:
        for year in (2023, 2024):
            wave = SurveyWave(f"w{year}", "", date(year, 1, 1), date(year, 1, 31))
            asked = ("where", "place") if year == 2024 else ("where",)
            builder.add_wave(wave, np.ones(2), {code: np.array([0, 1]) for code in asked})
        survey = builder.finish()
    written("catalogue.json", b'"core.where"', b'"core.place"')(survey.path)
    found = details(check_survey(Survey.open(survey.path)), matters=True)
    assert "w2023: it lacks the location question" in found
    assert "w2024: it lacks the location question" not in found


def test_a_catalogue_that_tells_other_waves_is_found(survey: Survey) -> None:
    path = survey.path / "catalogue.json"
    octets = path.read_bytes()
    path.write_bytes(octets.replace(b'"w1"', b'"w2"', 1))
    accept(survey.path, "catalogue.json")
    found = details(check_survey(Survey.open(survey.path)), matters=True)
    assert "w1, core.where: manifest and catalogue disagree about its waves" in found


def test_the_demo_survey_is_sound_and_its_check_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build_demo_survey(tmp_path / "demo", 960)
    assert main(["survey", "check", str(tmp_path / "demo")]) == 0
    told = capsys.readouterr().out
    assert "effective base" in told
    assert "q1_2023  United Kingdom" in told
    assert "core.q9    Ages of the children at home" in told
    assert told.endswith("The survey is sound.\n")


def test_a_name_that_is_missing_and_a_cluster_of_two_strata_are_told(tmp_path: Path) -> None:
    nameless = SurveyQuestion("core", "tea", "", "single", (Datapoint("hot", "Hot"),))
    wave = SurveyWave("w1", "First", date(2024, 1, 1), date(2024, 1, 31))
    design = Design(np.array([0, 0, 1, 1]), np.array([1, 2, 2, 3]))
    catalogue = SurveyCatalogue((QUESTIONS[0], nameless), "core.where")
    with SurveyBuilder(tmp_path / "survey", catalogue) as builder:
        answers = {"where": np.array([0, 0, 1, 1]), "tea": np.zeros(4, int)}
        builder.add_wave(wave, np.ones(4), answers, design)
        check = check_survey(builder.finish())
    told = details(check, matters=True) + details(check, matters=False)
    assert "core.tea: it has no name" in told
    assert "w1: a cluster is in more than one stratum" in told
