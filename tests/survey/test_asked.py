"""Who was asked each item: what a builder is given is what a reader finds, wherever it is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiencelab.survey import (
    Answers,
    Cross,
    Net,
    NetPoint,
    QuestionBits,
    Survey,
    SurveyBuilder,
    SurveyError,
    check_survey,
    derive,
    layout,
    rake,
)
from audiencelab.survey.answers import unpack
from audiencelab.survey.raking import Margin, Target, Targets
from audiencelab.survey.record import SurveyRecord
from audiencelab.survey.reweighted import weighted_by
from tests.messages import fails
from tests.survey.test_builder import CATALOGUE, WAVE

N = np.arange(60)
LATER = msgspec.structs.replace(WAVE, code="w2", starts=date(2024, 4, 1), ends=date(2024, 6, 30))
VALID = SurveyRecord(base_of="valid", waves="all", sizes="sum")


def rotated(n: int = 60, offset: int = 0) -> np.ndarray[Any, Any]:
    """Each respondent is asked all items of five but one."""
    return np.arange(5)[None] != ((np.arange(n) + offset) % 5)[:, None]


def many(items: np.ndarray[Any, Any]) -> Answers:
    return Answers(items & (np.arange(len(items)) % 2 == 0)[:, None], items=items)


def made(path: Path, **options: Any) -> Survey:
    """Two waves: the first offered all but many_5 and one_4, the second rotated its items."""
    first = np.ones((60, 5), bool)
    first[:, 4] = False
    first[:30] = False
    grid = np.array([[True, True, False]] * 60)
    with SurveyBuilder(path, CATALOGUE, record=VALID, **options) as builder:
        builder.add_wave(
            WAVE,
            np.ones(60),
            {
                "where": np.zeros(60, int),
                "one": Answers(N % 3, not_offered=["one_4"]),
                "many": many(first),
                "grid": Answers(np.where(grid, 0, -1), items=grid),
            },
            other_weights={"half": np.where(N < 30, np.nan, 1.0)},
        )
        builder.add_wave(
            LATER,
            np.ones(60),
            {"where": N % 2, "one": N % 4, "many": many(rotated())},
            other_weights={"half": np.where(N < 30, np.nan, 1.0)},
        )
        return builder.finish()


def bits(survey: Survey, wave: str, code: str) -> QuestionBits:
    found = survey.wave(wave).question(code)
    assert found is not None
    return found


def asked(survey: Survey, wave: str, code: str) -> dict[str, int]:
    """How many were asked each item."""
    found = bits(survey, wave, code)
    points = found.question.datapoints
    return {each.code: int(np.bitwise_count(found.asked_of(each.code)).sum()) for each in points}


FIRST = {"many_1": 30, "many_2": 30, "many_3": 30, "many_4": 30, "many_5": 0}
SECOND = dict.fromkeys(FIRST, 48)


def test_what_was_asked_of_whom_is_kept(tmp_path: Path) -> None:
    survey = Survey.open(made(tmp_path / "p").path)
    assert asked(survey, "w1", "many") == FIRST
    assert asked(survey, "w2", "many") == SECOND
    assert asked(survey, "w1", "grid") == {"grid_1": 60, "grid_2": 60, "grid_3": 0}
    assert survey.record == SurveyRecord(
        base_of="valid",
        waves="all",
        sizes="sum",
        routed=("core.many",),
        not_offered={
            "w1": {"core.one": ("one_4",), "core.many": ("many_5",), "core.grid": ("grid_3",)}
        },
        asked={"w2": {"core.many": {f"many_{number}": number - 1 for number in range(1, 6)}}},
    )
    assert bits(survey, "w1", "one").not_offered == ("one_4",)
    assert bits(survey, "w1", "one").items == {}
    order = np.argsort(N % 2, kind="stable")
    found = bits(survey, "w2", "many")
    rows = np.array([unpack(found.asked_of(f"many_{number}"), 60) for number in range(1, 6)])
    assert np.array_equal(rows, rotated()[order].T)
    assert np.bitwise_count(found.asked).sum() == 60
    assert set(survey.manifest.files) > {"record.json", "asked/w2.npy"}
    assert "asked/w1.npy" not in survey.manifest.files
    assert check_survey(survey).sound


def test_a_survey_without_such_items_has_no_record(tmp_path: Path) -> None:
    with SurveyBuilder(tmp_path / "p", CATALOGUE) as builder:
        everyone = Answers(np.ones((60, 5), bool), items=np.ones((60, 5), bool))
        builder.add_wave(WAVE, np.ones(60), {"where": N % 3, "many": everyone})
        survey = builder.finish()
    assert survey.record == SurveyRecord()
    assert sorted(path.name for path in survey.path.iterdir()) == [
        "audiences.json",
        "catalogue.json",
        "insights.json",
        "panel.json",
        "waves",
    ]


def test_a_question_that_some_were_not_asked_is_routed(tmp_path: Path) -> None:
    with SurveyBuilder(tmp_path / "p", CATALOGUE) as builder:
        routed = Answers(np.full(60, -1), N < 9)
        builder.add_wave(WAVE, np.ones(60), {"where": N % 3, "one": routed})
        assert builder.finish().record == SurveyRecord(routed=("core.one",))


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 200))
def test_any_items_come_back_and_are_checked(
    tmp_path_factory: pytest.TempPathFactory, seed: int, n: int
) -> None:
    random = np.random.default_rng(seed)
    items = random.random((n, 5)) < random.choice([0, 0.3, 1], 5)
    where = random.integers(0, 3, n)
    with SurveyBuilder(tmp_path_factory.mktemp("survey") / "p", CATALOGUE) as builder:
        given = Answers(items & (random.random((n, 5)) < 0.5), items=items)
        builder.add_wave(WAVE, np.ones(n), {"where": where, "many": given})
        survey = builder.finish()
    found = bits(survey, "w1", "many")
    ordered = items[np.argsort(where, kind="stable")]
    assert np.array_equal(unpack(found.asked, n), ordered.any(axis=1))
    for place in range(5):
        assert np.array_equal(unpack(found.asked_of(f"many_{place + 1}"), n), ordered[:, place])
    assert check_survey(survey).sound


ODD: dict[str, tuple[dict[str, Answers], str]] = {
    "items of a single question": (
        {"one": Answers(N % 4, items=rotated()[:, :4])},
        "`items` of a single question must be left out",
    ),
    "another shape": ({"many": Answers(rotated(), items=rotated().T)}, r"must be bool\[60, 5\]"),
    "an answer to what was not asked": (
        {"many": Answers(np.ones((60, 5), bool), items=rotated())},
        "12 respondents answered many_1 without being asked it",
    ),
    "asked an item and not the question": (
        {"many": Answers(np.zeros((60, 5), bool), np.zeros(60, bool), rotated())},
        "has respondents who were not asked the question",
    ),
    "an unknown answer": (
        {"one": Answers(N % 4, not_offered=["one_9"])},
        "`not_offered` has unknown answers: one_9",
    ),
    "an answer that was given": (
        {"one": Answers(N % 4, not_offered=["one_2"])},
        "one_2 was given, so it was offered",
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_items_that_do_not_fit_are_refused(tmp_path: Path, name: str) -> None:
    answers, message = ODD[name]
    with (
        pytest.raises(SurveyError, match=message),
        SurveyBuilder(tmp_path / "p", CATALOGUE) as builder,
    ):
        builder.add_wave(WAVE, np.ones(60), {"where": N % 3, **answers})


def revised(survey: Survey) -> Survey:
    net = Net(code="top", name="Top", question="one", datapoints=(NetPoint("1", ("one_1",)),))
    return derive(survey, net)


def raked(survey: Survey) -> Survey:
    shares = {"one_1": 50.0, "one_2": 25.0, "one_3": 25.0}
    return rake(survey.path, Targets((Target((Margin("one", shares),), waves=("w1",)),))).survey


VERSIONS: dict[str, Callable[[Survey], Survey]] = {
    "derived": revised,
    "raked": raked,
    "opened again": lambda survey: survey.reopen().pin(),
    "elsewhere": lambda survey: _elsewhere(survey),
}


def _elsewhere(survey: Survey) -> Survey:
    fsspec = pytest.importorskip("fsspec")
    pytest.importorskip("upath")
    files = fsspec.filesystem("memory")
    for name in (layout.MANIFEST, *survey.manifest.files):
        files.pipe(f"/asked/{name}", (survey.path / name).read_bytes())
    found = Survey.open("memory://asked")
    found.wave("w2").fetch(["many"])
    assert found.wave("w2").fetched_bytes == 6 * 8 + 5 * 8
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_of_a_survey_keeps_it(tmp_path: Path, version: str) -> None:
    survey = made(tmp_path / "p").pin()
    found = VERSIONS[version](survey)
    assert asked(found, "w1", "many") == FIRST
    assert asked(found, "w2", "many") == SECOND
    kept = msgspec.structs.replace(
        found.record,
        routed=survey.record.routed,
        asked={wave: each for wave, each in found.record.asked.items() if wave == "w2"},
    )
    assert kept == survey.record


def test_a_part_of_a_wave_and_those_of_another_weight_have_it(tmp_path: Path) -> None:
    n = 200
    items = rotated(n)
    with SurveyBuilder(tmp_path / "p", CATALOGUE, provenance={"weight": "w"}) as builder:
        where = {"where": np.zeros(n, int), "many": many(items)}
        others = {"half": np.where(np.arange(n) < 70, np.nan, 1.0)}
        builder.add_wave(WAVE, np.ones(n), where, other_weights=others)
        survey = builder.finish()
    part = survey.part("w1", 1, 3).question("many")
    half = weighted_by(survey, "half")
    kept = half.wave("w1").question("many")
    assert part is not None
    assert kept is not None
    for place in range(5):
        code = f"many_{place + 1}"
        assert np.array_equal(unpack(part.asked_of(code), 128), items[64:192, place])
        assert np.array_equal(unpack(kept.asked_of(code), n - 70), items[70:, place])
    assert half.record == survey.record
    with pytest.raises(SurveyError, match="words 1 to 2 are not valid"):
        half.part("w1", 1, 2)


def test_the_seal_covers_what_was_offered_and_who_counts(tmp_path: Path) -> None:
    def seal(name: str, record: SurveyRecord | None = None, *gone: str) -> str:
        with SurveyBuilder(tmp_path / name, CATALOGUE, record=record) as builder:
            one = Answers(N % 3, not_offered=gone)
            builder.add_wave(WAVE, np.ones(60), {"where": N % 3, "one": one})
            return builder.finish().seal

    seals = [seal("a"), seal("b", VALID), seal("c", None, "one_4")]
    assert len({*seals}) == 3
    assert seal("d", SurveyRecord()) == seals[0]


# ---- derived questions ----


def derived(tmp_path: Path, definition: Any) -> QuestionBits:
    """A derived question in the second wave; items of many are rotated, "one" has no answers."""
    one = Answers(np.where(N < 6, -1, N % 4))
    grid = np.where(N[:, None] % 3 == np.arange(3)[None], -1, 0)
    with SurveyBuilder(tmp_path / "p", CATALOGUE) as builder:
        answers = {"where": np.zeros(60, int), "one": one, "many": many(rotated()), "grid": grid}
        builder.add_wave(WAVE, np.ones(60), answers)
        survey = builder.finish()
    derive(survey, definition)
    return bits(survey.reopen(), "w1", definition.code)


def people(found: QuestionBits, code: str) -> list[int]:
    return np.flatnonzero(unpack(found.asked_of(code), 60)).tolist()


def test_a_net_counts_those_who_were_asked_all_its_items(tmp_path: Path) -> None:
    points = (NetPoint("A", ("many_1", "many_2")), NetPoint("B", ("many_5",)))
    net = Net(code="n", name="N", question="many", datapoints=points, rest="None")
    found = derived(tmp_path, net)
    assert people(found, "n_1") == [each for each in range(60) if each % 5 not in (0, 1)]
    assert people(found, "n_2") == [each for each in range(60) if each % 5 != 4]
    assert people(found, "n_rest") == [each for each in range(60) if each % 5 in (2, 3)]
    assert np.bitwise_count(found.asked).sum() == 60


def test_a_net_of_one_answer_counts_those_who_gave_any(tmp_path: Path) -> None:
    points = (NetPoint("First", ("one_1",)),)
    found = derived(tmp_path, Net(code="n", name="N", question="one", datapoints=points))
    assert people(found, "n_1") == list(range(6, 60))


def test_a_net_of_grid_items_counts_those_with_a_point_in_each(tmp_path: Path) -> None:
    points = (NetPoint("Both", ("grid_1", "grid_2"), ("1",)),)
    found = derived(tmp_path, Net(code="n", name="N", question="grid", datapoints=points))
    assert people(found, "n_1") == [each for each in range(60) if each % 3 == 2]


def test_a_cross_counts_those_who_count_in_both(tmp_path: Path) -> None:
    found = derived(tmp_path, Cross(code="c", name="C", questions=("one", "many")))
    assert people(found, "c_1_5") == [each for each in range(6, 60) if each % 5 != 4]


def test_a_net_of_items_that_a_wave_did_not_offer_was_not_offered(tmp_path: Path) -> None:
    points = (
        NetPoint("Fifth", ("many_5",)),
        NetPoint("Any", ("many_4", "many_5")),
    )
    single = Net(code="s", name="S", question="one", datapoints=(NetPoint("4th", ("one_4",)),))
    net = Net(code="n", name="N", question="many", datapoints=points)
    survey = derive(made(tmp_path / "p"), net, single)
    assert survey.record.not_offered["w1"]["core.n"] == ("n_1",)
    assert survey.record.not_offered["w1"]["core.s"] == ("s_1",)
    assert "w2" not in survey.record.not_offered
    assert asked(survey, "w1", "n") == {"n_1": 0, "n_2": 30}
    assert asked(survey, "w1", "s") == {"s_1": 60}
    assert asked(survey, "w2", "n") == {"n_1": 48, "n_2": 36}
    assert check_survey(survey).sound


# ---- damage ----


def rewritten(survey: Survey, change: Callable[[dict[str, Any]], None]) -> Survey:
    """The survey with another record.json, whose checksum is right."""
    path = survey.path / layout.RECORD
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))
    files = {**survey.manifest.files, layout.RECORD: layout.stored_file(path)}
    layout.write_manifest(
        survey.path, msgspec.structs.replace(survey.manifest, files=files, seal="")
    )
    return Survey.open(survey.path)


def _asked(record: dict[str, Any]) -> dict[str, int]:
    return record["asked"]["w2"]["core.many"]


DAMAGE: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a row past the file": (
        lambda record: _asked(record).update(many_3=5),
        r"core\.many, many_3: there is no row 5 among the 5 of asked/w2\.npy",
    ),
    "a negative row": (
        lambda record: _asked(record).update(many_3=-1),
        r"core\.many, many_3: there is no row -1",
    ),
    "a row of two items": (
        lambda record: _asked(record).update(many_3=1),
        r"wave w2: each row of asked/w2\.npy is of one item",
    ),
    "an unknown item": (
        lambda record: _asked(record).update(many_9=_asked(record).pop("many_3")),
        r"wave w2: core\.many has no answer or item many_9",
    ),
    "an unknown question": (
        lambda record: record["asked"]["w2"].update({"core.nowhere": {"a": 0}}),
        r"wave w2: there is no question 'core\.nowhere'",
    ),
    "an unknown wave": (
        lambda record: record["not_offered"].update(w9={}),
        r"there is no wave 'w9'",
    ),
    "a wave without the file": (
        lambda record: record["asked"].update(w1=record["asked"].pop("w2")),
        r"there is no row 0 among the 0 of asked/w1\.npy",
    ),
    "another base": (lambda record: record.update(base_of="most"), "Invalid enum value 'most'"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_record_that_does_not_fit_is_refused(tmp_path: Path, name: str) -> None:
    change, message = DAMAGE[name]
    survey = rewritten(made(tmp_path / "p"), change)
    with pytest.raises(SurveyError, match=message):
        survey.wave("w2")
    assert not check_survey(survey).sound


def test_damaged_rows_are_named_when_they_are_read(tmp_path: Path) -> None:
    survey = made(tmp_path / "p")
    path = survey.path / "asked/w2.npy"
    octets = bytearray(path.read_bytes())
    octets[-8] ^= 1
    path.write_bytes(octets)
    wave = Survey.open(survey.path).wave("w2")
    with fails(SurveyError):
        wave.question("many")
    check = check_survey(Survey.open(survey.path))
    assert any("asked/w2.npy" in each.detail for each in check.findings)
    with fails(SurveyError):
        Survey.open(survey.path).verify()


def test_a_file_that_is_too_short_for_its_rows_is_refused(tmp_path: Path) -> None:
    survey = made(tmp_path / "p")
    path = survey.path / "asked/w2.npy"
    path.write_bytes(path.read_bytes()[:40])
    file = msgspec.structs.replace(survey.manifest.files["asked/w2.npy"], octets=39)
    files = {**survey.manifest.files, "asked/w2.npy": file}
    layout.write_manifest(
        survey.path, msgspec.structs.replace(survey.manifest, files=files, seal="")
    )
    with fails(SurveyError):
        Survey.open(survey.path)


def test_a_check_finds_respondents_who_answered_what_they_were_not_asked(tmp_path: Path) -> None:
    survey = made(tmp_path / "p")
    wave = survey.wave("w2")
    old = bits(survey, "w2", "many")
    others = old.asked & ~old.asked_of("many_1")
    wrong = QuestionBits(old.question, old.rows, {"many_1": others})
    rows: dict[str, QuestionBits] = {
        code: bits(survey, "w2", code) for code in ("core.where", "core.one")
    }
    with SurveyBuilder(tmp_path / "q", CATALOGUE) as builder:
        builder.add_packed_wave(wave.wave, wave.weights, {**rows, "core.many": wrong})
        found = check_survey(builder.finish())
    details = [each.detail for each in found.findings if each.matters]
    assert any("answered many_1 without being asked it" in each for each in details)
