"""The location of multi-country files: by the name of a column and by its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from audiencelab.ingest import Draft, draft_codebook
from audiencelab.ingest.draft.places import is_country

CODES = ["AT", "BE", "DE", "FR", "NL", "SE"]
NAMES = ["Austria", "Belgium", "Germany", "France", "Netherlands", "Sweden"]
SPLIT = ["BE", "DE-E", "DE-W", "GB-GBN", "GB-NIR", "FR"]


def drafted(columns: Mapping[str, Sequence[object]]) -> Draft:
    rows = 4 * max(map(len, columns.values()))
    cells = {name: [each[row % len(each)] for row in range(rows)] for name, each in columns.items()}
    return draft_codebook(pd.DataFrame({**cells, "q": [*"abba" * rows][:rows]}))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("isocntry", SPLIT),
        ("cntry", CODES),
        ("country", NAMES),
        ("COUNTRY", ["England", "Scotland", "Wales", "Northern Ireland"]),
        ("B_COUNTRY_ALPHA", ["AUT", "BEL", "DEU", "FRA", "NLD", "SWE"]),
        ("B_COUNTRY", [40, 56, 276, 250, 528, 752]),
        ("c_alphan", ["AT", "DE-W", "DE-E", "GB-GBN"]),
        ("S003", [40, 56, 276]),
        ("pais", ["España", "Portugal", "Francia", "Alemania"]),
        ("Land", ["Deutschland", "Österreich", "Schweiz"]),
        ("nation", ["FR - France", "BE - Belgium", "D-W - West Germany", "IT - Italy"]),
        ("kraj", ["Polska", "Niemcy", "Czechy"]),
        ("country", [1, 2, 3]),
        ("region", ["rural", "urban"]),
        ("market", ["A", "B"]),
    ],
)
def test_columns_of_places_are_the_location(name: str, values: list[object]) -> None:
    assert drafted({name: values}).codebook.study.location == name


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("country", ["rural", "urban"]),
        ("country", ["yes", "no"]),
        ("land", ["arable", "forest", "pasture"]),
        ("land", [1, 2, 3]),
        ("nation", ["Cherokee", "Navajo", "Sioux"]),
        ("country_of_birth", NAMES),
        ("q7", NAMES),
        ("cntry", [*NAMES, None]),
    ],
)
def test_other_columns_are_not(name: str, values: list[object]) -> None:
    assert drafted({name: values}).codebook.study.location is None


def test_labels_say_it_of_codes(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"Land": [1.0, 2, 3, 1] * 5, "country": [1.0, 2, 2, 1] * 5, "q": [1.0] * 20}
    )
    labels: dict[str, dict[float, str]] = {
        "Land": {1: "Österreich", 2: "Schweiz", 3: "Bundesrepublik Deutschland, Ost"}
    }
    labels["country"] = {1: "rural", 2: "urban"}
    pyreadstat.write_sav(frame, tmp_path / "a.sav", variable_value_labels=labels)
    assert draft_codebook(tmp_path / "a.sav").codebook.study.location is None
    labels["Land"] |= {3: "Deutschland Ost"}
    pyreadstat.write_sav(frame, tmp_path / "a.sav", variable_value_labels=labels)
    assert draft_codebook(tmp_path / "a.sav").codebook.study.location == "Land"


def test_of_several_the_one_that_names_most_places_is_taken_and_all_are_shown() -> None:
    draft = drafted({"region": [*"NSEW"], "isocntry": SPLIT, "cntry_name": NAMES, "country": NAMES})
    [guess] = [each for each in draft.guesses if each.about == "location"]
    assert guess.said == (
        "country: by its name and its values; 6 places, none missing; also isocntry"
    )
    assert "survey.toml" in guess.code
    assert {each.column for each in draft.codebook.questions} >= {"region", "isocntry"}


def test_names_codes_and_parts_of_countries_are_known() -> None:
    for text in (
        *("France", "fr", "FRA", "FR - France", "DE-W", "GB-NIR", "Germany East", "USA"),
        *("Korea (South)", "Côte d’Ivoire", "Cote d'Ivoire", "CY - Cyprus (Republic)"),
    ):
        assert is_country(text), text
    for text in (
        "rural",
        "yes",
        "Don't know",
        "In the city",
        "Latin America",
        "",
        "1",
        "Southeast",
    ):
        assert not is_country(text), text
