"""Several files of one import: each drift is on the card, and what moved is read as before."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from audiencelab.client.connection.opening import open as open_survey
from audiencelab.ingest.drift import Decide, Drift
from audiencelab.ingest.report import ImportReport
from audiencelab.schema.breaks import breaks_of
from audiencelab.survey import Survey, SurveyError
from tests.ingest.drift_seeds import BRANDS, SEEDED, inserted, wave
from tests.messages import fails
from tests.survey.counting import counts_by_name


def files(folder: Path, *names: str, suffix: str = ".sav") -> list[Path]:
    """A file for each drift, "" for an unchanged wave, after one without any."""
    folder.mkdir(exist_ok=True)
    waves = [wave(number) for number in range(1, len(names) + 2)]
    for each, name in zip(waves[1:], names, strict=True):
        if name:
            SEEDED[name][0](each)
    return [each.save(folder / f"w{n}{suffix}") for n, each in enumerate(waves, start=1)]


def opened(paths: list[Path], decide: Decide | None = None) -> tuple[Survey, list[Drift]]:
    folder = paths[0].parent / "survey"
    open_survey(paths, weight=None, to=folder, decide=decide, quiet=True)
    survey = Survey.open(folder)
    return survey, ImportReport.of(survey).drift


def shown(drifts: list[Drift]) -> list[tuple[str, str, str]]:
    return [(each.kind, each.question, each.wave) for each in drifts]


def true(waves: int, column: str) -> Counter[Any]:
    """How often unchanged waves have each value."""
    frames = [wave(number).frame[column] for number in range(1, waves + 1)]
    return Counter(pd.concat(frames).dropna().astype(int).tolist())


@pytest.mark.parametrize("suffix", [".sav", ".csv"])
def test_unchanged_files_have_no_drift(tmp_path: Path, suffix: str) -> None:
    assert opened(files(tmp_path, "", suffix=suffix))[1] == []


def test_codes_that_moved_with_their_labels_count_as_the_answers_that_they_are(
    tmp_path: Path,
) -> None:
    paths = files(tmp_path, "two codes with their labels", "all codes one further")
    survey, drifts = opened(paths)
    assert shown(drifts) == [("moved codes", "brand", "w2"), ("moved codes", "brand", "w3")]
    counted = true(3, "brand")
    assert counts_by_name(survey, "brand") == {BRANDS[code]: counted[code] for code in BRANDS}
    assert not breaks_of(survey.catalogue.question("brand").flags)


def test_a_scale_that_was_turned_with_its_labels_is_read_by_them(tmp_path: Path) -> None:
    survey, drifts = opened(files(tmp_path, "a turned scale with its labels"))
    assert shown(drifts) == [("turned scale", "trust", "w2")]
    counted = true(2, "trust")
    assert [*counts_by_name(survey, "trust").values()] == [counted[code] for code in range(1, 6)]


def test_an_answer_that_was_inserted_moves_no_other(tmp_path: Path) -> None:
    first, second = wave(1), wave(2)
    SEEDED["a turned scale with its labels"][0](second)
    inserted(second)
    paths = [first.save(tmp_path / "w1.sav"), second.save(tmp_path / "w2.sav")]
    survey, drifts = opened(paths)
    assert shown(drifts) == [
        ("turned scale", "trust", "w2"),
        ("moved codes", "brand", "w2"),
        ("new answer", "brand", "w2"),
    ]
    found = counts_by_name(survey, "brand")
    mine, theirs = first.frame["brand"], second.frame["brand"]
    assert found["Dora"] == (mine == 4).sum() + (theirs == 5).sum()
    assert found["Boro"] == (theirs == 3).sum()
    wave_1 = survey.wave("w1").question("core.brand")
    assert wave_1 is not None
    assert len(wave_1.not_offered) == 1


def test_a_break_is_stored_where_it_begins_and_only_there(tmp_path: Path) -> None:
    survey, drifts = opened(files(tmp_path, "", "other words of a scale", "other words of a scale"))
    assert shown(drifts) == [("words", "often", "w3")]
    [found] = breaks_of(survey.catalogue.question("often").flags)
    assert found.wave == "w3"
    assert "2 'Sometimes' (" in found.why
    assert "is called 'Once a month' (" in found.why


def test_the_card_names_each_drift_once(tmp_path: Path) -> None:
    survey, _ = opened(files(tmp_path, "a new item", "a column of another name"))
    guesses = ImportReport.of(survey).guesses
    said = [(each.about, each.said) for each in guesses if each.subject == "drift"]
    assert [about for about, _ in said] == ["brand", "known", "known"]
    assert said[0][1].startswith("w3: column brand is called q12")
    # The third file does not have the item, and is compared with the one before it.
    assert said[1][1].startswith("w2: the item known_4 'Brands known: Dora'")
    assert "is gone" in said[2][1]


def test_a_column_of_another_name_is_one_question(tmp_path: Path) -> None:
    survey, _ = opened(files(tmp_path, "a column of another name"))
    counted = true(2, "brand")
    assert counts_by_name(survey, "brand") == {BRANDS[code]: counted[code] for code in BRANDS}


def test_a_code_of_another_brand_is_a_new_answer_if_labels_decide(tmp_path: Path) -> None:
    paths = files(tmp_path, "a code for another brand")
    survey, drifts = opened(paths, {"brand": "labels"})
    assert [each.kind for each in drifts] == ["renamed answer", "new answer", "gone answer"]
    found = counts_by_name(survey, "brand")
    assert (found["Bern"], found["Zeta"]) == tuple(
        int((wave(number).frame["brand"] == 2).sum()) for number in (1, 2)
    )


def test_everything_that_is_not_certain_is_refused_at_once(tmp_path: Path) -> None:
    first, second = wave(1), wave(2)
    for name in ("a code for another brand", "seven points for five"):
        SEEDED[name][0](second)
    paths = [first.save(tmp_path / "w1.sav"), second.save(tmp_path / "w2.sav")]
    with fails(SurveyError):
        opened(paths)
    assert not (tmp_path / "survey").exists()
    decided: Decide = {"brand": "break", "trust": "labels"}
    survey, drifts = opened(paths, decided)
    assert [each.question for each in drifts if each.is_break] == ["trust", "brand"]
    counted = counts_by_name(survey, "trust")
    cells = (first.frame["trust"] == 1).sum() + (second.frame["trust"] == 1).sum()
    assert counted["Agree strongly"] == cells
    assert (
        counted["Neither"] == (first.frame["trust"] == 3).sum() + (second.frame["trust"] == 4).sum()
    )
    assert counted["Rather agree"] == (second.frame["trust"] == 3).sum()


def test_shares_from_the_other_end_are_refused_until_they_are_decided(tmp_path: Path) -> None:
    paths = files(tmp_path, "a turned scale under the same labels", suffix=".csv")
    with fails(SurveyError):
        opened(paths)
    survey, drifts = opened(paths, {"trust": {1: 5, 2: 4, 4: 2, 5: 1}})
    assert shown(drifts) == [("decided", "trust", "w2")]
    counted = true(2, "trust")
    found = counts_by_name(survey, "trust")
    assert [found[str(code)] for code in range(1, 6)] == [counted[code] for code in range(1, 6)]


def test_a_factor_makes_one_unit_of_two(tmp_path: Path) -> None:
    paths = files(tmp_path, "grams for kilograms")
    survey, _ = opened(paths, {"weightkg": 0.001})
    numbers = [survey.wave(code).numbers("core.weightkg") for code in ("w1", "w2")]
    means = [float(each.mean()) for each in numbers if each is not None]
    expected = [wave(number).frame["weightkg"].mean() for number in (1, 2)]
    assert means == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("decide", [{"trust": "label"}, {"trust": -1}, {"nobody": "codes"}])
def test_a_decision_that_is_none_is_an_error(tmp_path: Path, decide: Any) -> None:
    with fails(SurveyError):
        opened(files(tmp_path, ""), decide)
    assert not (tmp_path / "survey").exists()


def test_a_decision_needs_several_files(tmp_path: Path) -> None:
    with fails(SurveyError):
        opened([wave(1).save(tmp_path / "w1.sav")], {"trust": "codes"})
