"""A flipped bit is noticed when its block is first read, and what is damaged is named."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import fsspec
import msgspec
import numpy as np
import pytest

from audiencelab.survey import (
    Answers,
    Design,
    Net,
    NetPoint,
    Survey,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyError,
    SurveyWave,
    derive,
)
from audiencelab.survey.answers import Raking, Replicates, words_for
from audiencelab.survey.blocks import PIECE
from audiencelab.survey.reweighted import weighted_by
from audiencelab.survey.validate import check_survey
from audiencelab.survey.wave_data import WaveData
from tests.messages import fails
from tests.survey.formats import flip, to_format_1
from tests.survey.test_builder import CATALOGUE, WAVE, question

V1 = Path(__file__).parents[1] / "data" / "v1" / "survey"
V2 = V1.parents[1] / "v2" / "survey"
N = 100
MEN = Net(code="men", name="Men", question="one", datapoints=(NetPoint("Men", ("one_1",)),))


def full(path: Path) -> Survey:
    """A survey of one wave that has every kind of array."""
    rng = np.random.default_rng(3)
    replicates = Replicates(rng.random((3, N)), np.ones(3), "jackknife")
    design = Design(
        strata=np.arange(N) % 4,
        clusters=np.arange(N),
        persons=np.arange(N),
        fpc=np.full(N, 0.5),
        replicates=replicates,
        raking=Raking(rng.random(N), np.zeros((2, N), np.int32)),
    )
    answers: dict[str, Any] = {
        "where": rng.integers(0, 3, N),
        "one": rng.integers(-1, 4, N),
        "many": Answers(rng.random((N, 5)) < 0.4),
        "grid": rng.random((N, 3, 2)) < 0.4,
    }
    numbers = {"one": rng.random(N), "where": rng.random(N)}
    others = {"extra": np.where(np.arange(N) < 9, np.nan, 1.5)}
    with SurveyBuilder(path, CATALOGUE, provenance={"weight": "w"}) as builder:
        builder.add_wave(WAVE, rng.random(N) + 0.5, answers, design, numbers, others)
        return builder.finish()


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return full(tmp_path / "survey")


READS: dict[str, Callable[[WaveData], object]] = {
    "bits": lambda wave: wave.question("grid"),
    "weights": lambda wave: wave.weights,
    "weights-1": lambda wave: wave.other_weights,
    "numbers": lambda wave: wave.numbers("where"),
    **dict.fromkeys(
        ("strata", "clusters", "persons", "fpc", "replicates", "raked_from", "raked"),
        lambda wave: wave.design,
    ),
}
WHAT = {
    "bits": "the answers to core.grid in wave w1",
    "numbers": "the numbers of core.where in wave w1",
}


@pytest.mark.parametrize("name", READS)
def test_a_flipped_bit_in_an_array_is_named_when_it_is_read(survey: Survey, name: str) -> None:
    flip(survey.path / f"waves/w1/{name}.npy", -3)
    opened = Survey.open(survey.path)
    wave = opened.wave("w1")
    message = rf"waves/w1/{name}\.npy is damaged: {WHAT.get(name, 'its values')} differ"
    for _ in range(2):
        with pytest.raises(SurveyError, match=message):
            READS[name](wave)
    for read in READS.values():
        if READS[name] is not read:
            read(wave)
    assert wave.question("one") is not None
    assert wave.numbers("one") is not None


def test_nothing_is_noticed_in_files_that_are_as_they_were(survey: Survey) -> None:
    wave = Survey.open(survey.path).wave("w1")
    for read in READS.values():
        assert read(wave) is not None
    assert Survey.open(survey.path).changed_files() == []


def test_every_bit_of_the_answers_is_covered(survey: Survey) -> None:
    file = survey.path / "waves/w1/bits.npy"
    before, rng, octets = file.read_bytes(), np.random.default_rng(5), file.stat().st_size - 128
    for position in rng.choice(octets, 40, replace=False):
        flip(file, -1 - int(position), int(rng.integers(8)))
        wave = Survey.open(survey.path).wave("w1")
        damaged = 0
        for each in CATALOGUE.questions:
            try:
                wave.question(each.code)
            except SurveyError:
                damaged += 1
        assert damaged == 1
        file.write_bytes(before)


def test_the_respondents_who_have_another_weight_are_checked_too(survey: Survey) -> None:
    flip(survey.path / "waves/w1/bits.npy", -3)
    for weight in ("extra", None):
        wave = weighted_by(Survey.open(survey.path), weight).wave("w1")
        assert wave.question("one") is not None
        with fails(SurveyError):
            wave.question("grid")


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("name", ["catalogue", "audiences", "insights"])
def test_a_record_that_was_changed_is_refused(survey: Survey, name: str, old: bool) -> None:
    if old:
        to_format_1(survey.path)
    flip(survey.path / f"{name}.json", -1)
    with fails(SurveyError):
        Survey.open(survey.path).pin()


def test_a_check_names_files_and_questions(survey: Survey) -> None:
    flip(survey.path / "waves/w1/bits.npy", -3)
    flip(survey.path / "waves/w1/numbers.npy", -3)
    found = [(each.where, each.detail) for each in check_survey(survey).findings if each.matters]
    assert found[0] == (
        "",
        "changed since they were written: waves/w1/bits.npy, waves/w1/numbers.npy",
    )
    assert [where for where, _ in found[1:]] == ["w1, core.where", "w1, core.grid"]
    with fails(SurveyError):
        survey.verify()


def test_checksums_of_other_blocks_are_refused(survey: Survey) -> None:
    path = survey.path / "panel.json"
    for wrong in (["00000000"], ["0" * 16] * 4):
        manifest = msgspec.json.decode(path.read_bytes())
        manifest["files"]["waves/w1/bits.npy"]["crc32"] = wrong
        path.write_bytes(msgspec.json.encode(manifest))
        with fails(SurveyError):
            Survey.open(survey.path)


def test_other_weights_of_a_survey_that_is_replaced_stay_its_own(survey: Survey) -> None:
    survey.pin()
    before = Survey.open(survey.path).wave("w1").other_weights["extra"].copy()
    derive(survey, MEN)
    file = survey.path / "waves/w1/weights-1.npy"
    np.save(file, np.load(file) * 2)
    assert np.array_equal(survey.wave("w1").other_weights["extra"], before, equal_nan=True)


# ---- parts of a wave, and surveys elsewhere ----


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    """A wave of two pieces and a bit."""
    n = 2 * PIECE + 100
    catalogue = SurveyCatalogue((question("where", "single", 2),), "core.where")
    with SurveyBuilder(tmp_path_factory.mktemp("large") / "survey", catalogue) as builder:
        where = np.sort(np.random.default_rng(1).integers(0, 2, n)).astype(np.int8)
        builder.add_wave(
            SurveyWave("w1", "", date(2024, 1, 1), date(2024, 2, 1)), np.ones(n), {"where": where}
        )
        return builder.finish()


@pytest.fixture(params=["here", "elsewhere"])
def opened(
    request: pytest.FixtureRequest, large: Survey, tmp_path: Path
) -> Iterator[Callable[..., Survey]]:
    """Opens the large survey with a flipped bit, on this machine or by an address."""
    files = fsspec.filesystem("memory")

    def damaged(name: str, position: int) -> Survey:
        folder = tmp_path / "copy"
        shutil.copytree(large.path, folder, dirs_exist_ok=True)
        flip(folder / "waves/w1" / name, position)
        if request.param == "here":
            return Survey.open(folder)
        files.put(str(folder), "/bucket/copy", recursive=True)
        return Survey.open("memory://bucket/copy")

    yield damaged
    if files.exists("/bucket"):
        files.rm("/bucket", recursive=True)


def read_all(wave: WaveData) -> None:
    assert wave.question("where") is not None
    assert len(wave.weights) == wave.respondents


@pytest.mark.parametrize("name", ["bits.npy", "weights.npy"])
def test_a_part_of_whole_pieces_is_checked_by_itself(
    opened: Callable[..., Survey], name: str
) -> None:
    survey, piece, words = opened(name, -1), words_for(PIECE), words_for(2 * PIECE + 100)
    for start, stop in ((0, piece), (piece, 2 * piece), (0, 2 * piece)):
        read_all(survey.part("w1", start, stop))
    for start, stop in ((0, words), (piece, words), (2 * piece, words)):
        with fails(SurveyError):
            read_all(survey.part("w1", start, stop))


def test_the_pieces_that_a_part_divides_are_not_compared(opened: Callable[..., Survey]) -> None:
    survey, piece = opened("bits.npy", -1), words_for(PIECE)
    for start, stop in (
        (3, 7),
        (piece - 1, piece + 1),
        (2 * piece + 1, words_for(2 * PIECE + 100)),
    ):
        read_all(survey.part("w1", start, stop))


# ---- other formats ----


def test_unknown_parts_of_a_survey_are_ignored(survey: Survey) -> None:
    path, seal = survey.path / "panel.json", survey.seal
    manifest = msgspec.json.decode(path.read_bytes())
    (survey.path / "later.json").write_bytes(b"{}")
    manifest["files"]["later.json"] = {"octets": 2, "sha256": "", "later": 1}
    manifest |= {"later": {"a": 1}, "seal": ""}
    manifest["waves"][0] |= {"later": [1, 2]}
    path.write_bytes(msgspec.json.encode(manifest))
    opened = Survey.open(survey.path)
    assert opened.manifest.version == 2
    assert opened.seal == seal
    assert opened.wave("w1").question("grid") is not None
    with fails(SurveyError):
        derive(opened, MEN)


def test_surveys_of_1_0_and_2_0_are_read_and_become_format_2(tmp_path: Path) -> None:
    for source in (V1, V2):
        old = Survey.open(source)
        assert old.manifest.version == 1
        assert old.changed_files() == []
        target = tmp_path / source.parent.name
        code = old.catalogue.questions[1].code
        point = old.catalogue.questions[1].datapoints[0].code
        net = Net(code="net", name="Net", question=code, datapoints=(NetPoint("A", (point,)),))
        new = derive(old, net, out=target)
        assert new.manifest.version == 2
        assert all(
            new.manifest.files[name].crc32 for name in new.manifest.files if name.endswith(".npy")
        )
        assert check_survey(new).sound
