"""The seal: equal content has the same, wherever and whenever it was made; a change has another."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pytest

from audiencelab.ingest import draft_codebook
from audiencelab.ingest.adding import add_wave
from audiencelab.ingest.importer import import_survey
from audiencelab.ingest.opening import open_source
from audiencelab.schema import Value
from audiencelab.survey import Answers, Design, Net, NetPoint, Survey, SurveyBuilder, derive
from audiencelab.survey.raking import Margin, Target, Targets, rake
from audiencelab.survey.reweighted import weighted_by
from tests.ingest.sources import CODEBOOK, ROWS, imported, write
from tests.survey.formats import accept
from tests.survey.test_builder import CATALOGUE, WAVE

V2 = Path(__file__).parents[1] / "data" / "v2" / "survey"


def made(path: Path, **changes: Any) -> Survey:
    """A small survey; `changes` replace arguments of the builder and of `add_wave`."""
    rng = np.random.default_rng(7)
    answers: dict[str, Any] = {
        "where": rng.integers(0, 3, 90),
        "one": rng.integers(-1, 4, 90),
        "many": Answers(rng.random((90, 5)) < 0.4),
        "grid": rng.random((90, 3, 2)) < 0.4,
    } | changes.pop("answers", {})
    given = {"weights": np.ones(90), "design": None, "wave": WAVE} | {
        name: changes.pop(name)
        for name in ("weights", "design", "wave", "numbers", "other_weights")
        if name in changes
    }
    with SurveyBuilder(path, changes.pop("catalogue", CATALOGUE), **changes) as builder:
        builder.add_wave(given.pop("wave"), given.pop("weights"), answers, **given)
        return builder.finish()


def relabelled(**changes: Any) -> Any:
    """The catalogue with other fields of question "one"."""
    questions = tuple(
        msgspec.structs.replace(each, **changes) if each.code == "one" else each
        for each in CATALOGUE.questions
    )
    return msgspec.structs.replace(CATALOGUE, questions=questions)


def with_point(**changes: Any) -> Any:
    first, *rest = CATALOGUE.question("one").datapoints
    return relabelled(datapoints=(msgspec.structs.replace(first, **changes), *rest))


def test_the_same_file_has_one_seal_at_any_time_and_place_under_any_name(tmp_path: Path) -> None:
    frame = pd.DataFrame({"tea": ["yes", "no", "no"] * 9, "sex": ["f", "m", "f"] * 9})
    seals = set[str]()
    for name, day in (("a/tea.csv", 1_600_000_000), ("b/other name.csv", 1_700_000_000)):
        file = tmp_path / name
        file.parent.mkdir()
        frame.to_csv(file, index=False)
        os.utime(file, (day, day))
        survey = import_survey(file, draft_codebook(file).codebook, tmp_path / f"{day}")
        assert not survey.waves[0].is_dated
        seals |= {
            survey.seal,
            open_source(file, name=f"S {day}", to=tmp_path / f"to-{day}").survey.seal,
        }
        seals.add(Survey.open(survey.path).seal)
    assert len(seals) == 1


def test_waves_without_dates_have_the_same_ones_at_every_import(tmp_path: Path) -> None:
    frame = pd.DataFrame({"round": [1, 2] * 20, "a": [1, 2, 2, 1] * 10})
    first = draft_codebook(frame, wave="round").codebook.waves
    assert [str(wave.starts) for wave in first] == ["1900-01-01", "1900-02-01"]
    later = draft_codebook(frame.assign(round=[3, 4] * 20), wave="round").codebook.waves
    assert [str(wave.starts) for wave in later] == ["1900-03-01", "1900-04-01"]


def test_a_wave_without_a_date_that_is_added_comes_last(tmp_path: Path) -> None:
    def file(name: str, waves: list[str]) -> Path:
        path = tmp_path / f"{name}.csv"
        pd.DataFrame({"round": waves * 20, "a": [1, 2, 2, 1] * 10}).to_csv(path, index=False)
        return path

    def survey(path: Path) -> Survey:
        return import_survey(
            path, draft_codebook(path, wave="round").codebook, tmp_path / path.stem
        )

    one = survey(file("first", ["b", "c"]))
    more = file("more", ["a", "d"])
    add_wave(one.path, [more], draft_codebook(more, wave="round").codebook)
    codes = [wave.code for wave in Survey.open(one.path).waves]
    assert codes == ["round_b", "round_c", "round_a", "round_d"]


def test_a_survey_that_is_made_again_has_its_seal_and_a_name_is_no_content(tmp_path: Path) -> None:
    first = made(tmp_path / "first", name="One", provenance={"a": 1, "b": 2})
    again = made(tmp_path / "second", name="Two", provenance={"b": 3}, description="Of tea")
    assert first.seal == again.seal == Survey.open(again.path).seal
    assert len(first.seal) == 64
    assert set(first.seal) <= set("0123456789abcdef")


def test_two_processes_find_the_same_seal(tmp_path: Path) -> None:
    survey = made(tmp_path / "survey")
    code = f"from audiencelab.survey import Survey; print(Survey.open({str(survey.path)!r}).seal)"
    env = os.environ | {"PYTHONHASHSEED": "99", "TZ": "Asia/Tokyo"}
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True
    )
    assert run.stdout.strip() == survey.seal


def test_records_that_are_written_in_another_form_have_the_same_seal(tmp_path: Path) -> None:
    survey = made(tmp_path / "survey")
    file = survey.path / "catalogue.json"
    read = msgspec.json.decode(file.read_bytes())
    turned = {key: read[key] for key in reversed(read)}
    seal = survey.seal
    file.write_bytes(msgspec.json.encode(turned))
    accept(survey.path, "catalogue.json")
    assert Survey.open(survey.path).seal == seal


def changed_answer() -> dict[str, Any]:
    values = np.random.default_rng(7).integers(0, 3, 90)
    values[4] = (values[4] + 1) % 3
    return {"answers": {"where": values}}


N = np.arange(90)
CHANGES: dict[str, Callable[[], dict[str, Any]]] = {
    "an answer": changed_answer,
    "who was asked": lambda: {"answers": {"one": Answers(np.full(90, -1), N > 0)}},
    "a weight": lambda: {"weights": np.where(N == 3, 1.5, 1.0)},
    "another weight": lambda: {"other_weights": {"extra": np.where(N == 3, 1.5, 1.0)}},
    "a number": lambda: {"numbers": {"one": np.where(N == 3, 7.0, np.nan)}},
    "strata": lambda: {"design": Design(strata=N % 2)},
    "clusters": lambda: {"design": Design(clusters=N // 2)},
    "persons": lambda: {"design": Design(persons=N)},
    "units of strata": lambda: {"design": Design(fpc=np.full(90, 0.5))},
    "a question's label": lambda: {"catalogue": relabelled(name="Other")},
    "a flag": lambda: {"catalogue": relabelled(flags=("top:first",))},
    "a midpoint": lambda: {"catalogue": with_point(midpoint=Value(3))},
    "an answer's label": lambda: {"catalogue": with_point(name="Other")},
    "an answer's code": lambda: {"catalogue": with_point(code="one_x")},
    "a wave's date": lambda: {
        "wave": msgspec.structs.replace(WAVE, ends=WAVE.ends.replace(day=30))
    },
    "the weight's name": lambda: {"provenance": {"weight": "w"}},
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_gives_another_seal(tmp_path: Path, what: str) -> None:
    before = made(tmp_path / "before")
    assert made(tmp_path / "after", **CHANGES[what]()).seal != before.seal


def test_every_new_version_has_a_seal_of_its_own(tmp_path: Path) -> None:
    survey = imported(tmp_path)
    seals = [survey.seal]
    young = Net(code="men", name="Men", question="sex", datapoints=(NetPoint("Men", ("sex_1",)),))
    survey = derive(survey, young)
    seals.append(survey.seal)
    renamed = msgspec.structs.replace(young, name="Males")
    seals.append(derive(survey, renamed, out=tmp_path / "renamed").seal)
    men = Targets((Target((Margin("sex", {"sex_1": 40, "sex_2": 60}),), waves=("w1",)),))
    seals.append(rake(survey.path, men, out=tmp_path / "raked").survey.seal)
    summer = write(tmp_path, "summer.csv", ROWS.replace(",a\n", ",c\n"))
    book = CODEBOOK.replace('code = "w1"', 'code = "w3"').replace('value = "a"', 'value = "c"')
    book = book.replace('code = "w2"', 'code = "w4"').replace('value = "b"', 'value = "d"')
    added = add_wave(survey.path, [summer], write(tmp_path, "summer.toml", book))
    seals.append(added.survey.seal)
    assert len(set(seals)) == len(seals)


def test_the_weight_that_a_query_chooses_is_not_in_the_seal(tmp_path: Path) -> None:
    others = {"extra": np.where(N == 3, 1.5, 1.0)}
    survey = made(tmp_path / "survey", provenance={"weight": "w"}, other_weights=others)
    assert {weighted_by(survey, name).seal for name in ("w", "extra", None)} == {survey.seal}


def test_a_survey_of_2_0_has_a_seal(tmp_path: Path) -> None:
    old = Survey.open(V2)
    assert old.manifest.version == 1
    assert old.seal == Survey.open(V2).seal
