"""One SPSS file with every oddity, read by pyreadstat and by the import: the same counts.

Multiple-response sets of both kinds, values and ranges that are no answers, measures, labels with
quotes, of 120 letters, twice the same, for values that nobody gave, values without any; texts of
255 and 1,000 letters, dates, weights with gaps, a loop, lists in cells.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from audiencelab.ingest import Draft, draft_codebook, import_survey
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.columns import ResponseSet
from audiencelab.ingest.readers import open_file
from audiencelab.survey import Survey
from audiencelab.survey.answers import unpack
from tests.survey import counting
from tests.survey.spss_sets import categories, declare_sets, dichotomies

N = 240
USE = {1.0: "Used", 2.0: "Not used"}
BRANDS = {1.0: "Alba", 2.0: 'Brio "extra"', 3.0: "Cima"}
RATING = {1.0: "Bad", 5.0: "L" * 120, 6.0: "Same", 7.0: "Same", 9.0: "Never given", 98.0: "DK"}


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    n = np.arange(N)
    columns: dict[str, Any] = {
        "country": n % 3 + 1.0,
        "fielded": [date(2024, 1 + place % 12, 1 + place % 28) for place in n],
        "rating": rng.choice([1, 2, 5, 6, 7, 97, 98, 99, np.nan], N),
        "code": rng.choice(["A", "B", "DK", ""], N),
        "long": ["x" * 255 if place % 2 else "y" * 1_000 for place in n],
        "weight": np.where(n % 10 == 0, np.nan, 0.5 + n / N),
        "lists": rng.choice(["1;3;", "3;", "2;", ""], N),
    }
    # Members of the sets stand apart in the file, and are not named alike.
    for name in ("tv", "radio", "press"):
        columns[name] = rng.choice([1.0, 2.0, np.nan], N, p=[0.4, 0.5, 0.1])
    for place, name in enumerate(("first", "other", "last")):
        columns[name] = np.where(n % (place + 1) == 0, rng.choice([1.0, 2.0, 3.0], N), np.nan)
    for item in (1, 2):
        for loop in (1, 2):
            columns[f"q7r{item}c{loop}"] = rng.choice([1.0, 2.0, 3.0, 4.0], N)
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("odd") / "odd.sav"
    media = dict.fromkeys(("tv", "radio", "press"), USE)
    brands = dict.fromkeys(("first", "other", "last"), BRANDS)
    pyreadstat.write_sav(
        frame(),
        made,
        column_labels={"tv": "Television", "rating": 'How "good" is it?', "country": "Land"},
        variable_value_labels={"rating": RATING, "country": BRANDS} | media | brands,
        missing_ranges={"rating": [{"lo": 97, "hi": 98}, 99], "code": ["DK"]},
        variable_measure={"rating": "ordinal", "country": "nominal"},
        variable_display_width={"rating": 3},
        file_label="A strange study",
        note=["A note of the file", "in two lines"],
    )
    declare_sets(
        made,
        dichotomies("media", "Media in use", "1", ("tv", "radio", "press")),
        categories("known", "Brands, first to last", ("first", "other", "last")),
    )
    return made


@pytest.fixture(scope="module")
def draft(path: Path) -> Draft:
    return draft_codebook(path, weight="weight", wave="fielded")


@pytest.fixture(scope="module")
def survey(path: Path, draft: Draft) -> Survey:
    return import_survey([path], draft.codebook, path.with_suffix(".survey"))


@pytest.fixture(scope="module")
def read(path: Path) -> pd.DataFrame:
    """What pyreadstat makes of the file, its missing values left empty, in the survey's rows."""
    found, _ = pyreadstat.read_sav(path)
    return found[found["weight"].notna()]


def counts(survey: Survey, code: str, suffix: str | None = None) -> dict[str, int]:
    """How many gave each datapoint that anybody gave, over all waves."""
    return {point: given for point, given in counting.counts(survey, code, suffix).items() if given}


def expected(values: Any, code: str) -> dict[str, int]:
    counted = pd.Series(values).dropna().value_counts()
    return {f"{code}_{value:.0f}": int(number) for value, number in counted.items()}


def test_both_kinds_of_sets_are_read_as_they_were_declared(path: Path) -> None:
    sets = {each.name: each for each in open_file(path, Source()).sets}
    assert sets == {
        "media": ResponseSet("media", "Media in use", ("tv", "radio", "press"), "1"),
        "known": ResponseSet("known", "Brands, first to last", ("first", "other", "last"), None),
    }


def test_a_set_of_dichotomies_counts_as_pyreadstat_does(
    draft: Draft, survey: Survey, read: pd.DataFrame
) -> None:
    [media] = [each for each in draft.codebook.questions if each.code == "media"]
    assert (media.kind, media.name, media.selected) == ("multiple", "Media in use", (1,))
    assert media.points[0].name == "Television"
    assert counts(survey, "media") == {
        name: int((read[name] == 1).sum()) for name in ("tv", "radio", "press")
    }


def test_a_set_of_categories_counts_a_brand_named_in_any_place(
    draft: Draft, survey: Survey, read: pd.DataFrame
) -> None:
    [known] = [each for each in draft.codebook.questions if each.code == "known"]
    assert known.across == ("first", "other", "last")
    assert [point.name for point in known.points] == list(BRANDS.values())
    named = read[["first", "other", "last"]]
    assert counts(survey, "known") == {
        f"known_{value}": int((named == value).any(axis=1).sum()) for value in (1, 2, 3)
    }


def test_values_and_ranges_that_are_no_answers_are_none(
    survey: Survey, read: pd.DataFrame, path: Path
) -> None:
    assert counts(survey, "rating") == expected(read["rating"], "rating")
    raw, _ = pyreadstat.read_sav(path, user_missing=True)
    asked = raw["rating"].notna() & raw["weight"].notna()
    found = sum(
        int(unpack(bits.asked, wave.respondents).sum())
        for wave in survey.waves
        if (bits := survey.wave(wave.code).question("rating")) is not None
    )
    assert found == asked.sum(), "who gave one of them was asked all the same"
    codes = survey.catalogue.question("code")
    assert [point.name for point in codes.datapoints] == ["A", "B"]


def test_labels_stay_apart_and_values_without_any_are_there(draft: Draft) -> None:
    [rating] = [each for each in draft.codebook.questions if each.code == "rating"]
    assert rating.name == 'How "good" is it?'
    assert draft.codebook.study.name == "A strange study"
    assert rating.labels == {
        "1": "Bad",
        "2": "2",
        "5": "L" * 120,
        "6": "Same (6)",
        "7": "Same (7)",
        "9": "Never given",
    }


def test_dates_are_waves_and_who_has_no_weight_is_reported(
    survey: Survey, read: pd.DataFrame
) -> None:
    months = pd.to_datetime(read["fielded"]).dt.quarter
    assert [wave.code for wave in survey.waves] == [f"q{quarter}_2024" for quarter in range(1, 5)]
    assert [wave.respondents for wave in survey.waves] == [
        int((months == quarter).sum()) for quarter in range(1, 5)
    ]
    report = survey.import_report
    assert report is not None
    assert [(each["respondents"], each["first_row"]) for each in report["dropped"]] == [(24, 1)]
    total = sum(survey.wave(wave.code).size for wave in survey.waves)
    assert total == pytest.approx(read["weight"].sum(), abs=1e-6)


def test_lists_loops_and_long_texts(draft: Draft, survey: Survey, read: pd.DataFrame) -> None:
    cells = read["lists"].str.rstrip(";").str.split(";").explode()
    assert counts(survey, "lists") == expected(cells[cells != ""].astype(float), "lists")
    for loop in (1, 2):
        for suffix in "1234":
            assert counts(survey, f"q7rc{loop}", suffix) == {
                f"q7r{item}c{loop}": int((read[f"q7r{item}c{loop}"] == int(suffix)).sum())
                for item in (1, 2)
            }
    assert draft.left_out["long"] == "free text: some of it is longer than any answer"
