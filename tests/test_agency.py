"""The survey of the agency is what it says: 12,000 × 300, and opens as it was meant."""

from __future__ import annotations

from audiencelab.client import Client
from tests.agency import Agency


def test_is_as_large_as_it_says() -> None:
    agency = Agency()
    frame = agency.frame()
    assert frame.shape == (12_000, 300)
    assert max(map(len, agency.labels.values())) > 120
    assert frame["wohnort"].nunique() == 500


def test_opens_as_it_was_meant(agency: Client) -> None:
    catalogue = agency.catalogue
    counts = {code: len(catalogue[code].datapoints) for code in ("b1", "f10", "j20", "wohnort")}
    assert counts == {"b1": 20, "f10": 30, "j20": 30, "wohnort": 500}
    assert [len(catalogue[code].suffixes) for code in ("f10", "j20", "f31")] == [7, 7, 5]
    assert len(agency.waves()) == 12


def test_figures_are_those_of_its_respondents(agency: Client) -> None:
    frame = Agency().frame()
    asked = frame[frame["b2_1"].notna()]
    bought = (asked["b2_1"] * asked["weight"]).groupby(asked["geschlecht"]).sum()
    shares = 100 * bought / asked["weight"].groupby(asked["geschlecht"]).sum()
    table = agency.crosstab(["b2_1"], "geschlecht")
    found = table.to_wide("column_percentage").to_numpy()[0]
    assert [round(float(each), 6) for each in found] == [round(each, 6) for each in shares]
