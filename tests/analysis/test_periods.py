"""Years, quarters and waves as columns: everyone in their own time, and none a total of another."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from audiencelab import Audience, Client, CrosstabResult, Q, connect
from audiencelab.survey.answers import unpack

WAYS = [
    Audience("Television", Q("shop.b5").any("b5_2")),
    Audience("Short videos", Q("shop.b5").any("b5_11")),
]


@cache
def client() -> Client:
    return connect()


def period(name: str, *codes: str) -> Audience:
    return Audience(name, Q("waves").any(*codes))


YEARS = [
    period(str(year), *(f"q{quarter}_{year}" for quarter in (1, 2, 3, 4)))
    for year in (2023, 2024, 2025)
]
EVERYONE = Audience("Everyone", None)


def by_year(*more: Audience) -> CrosstabResult:
    waves = [wave.code for wave in client().waves()]
    return client().crosstab(rows=WAYS, columns=[*YEARS, *more], waves=waves)


def counted(answer: str, year: str) -> tuple[float, int]:
    """The share of an answer in a year and its respondents, summed over the survey itself."""
    survey = client().service.survey
    yes = people = 0.0
    respondents = 0
    for wave in survey.waves:
        if wave.code.endswith(year):
            data = survey.wave(wave.code)
            found = data.question("shop.b5")
            assert found is not None
            gave = unpack(found.datapoint(answer), data.respondents)
            yes += float(np.sum(data.weights[gave]))
            people += float(np.sum(data.weights))
            respondents += data.respondents
    return yes / people, respondents


def test_each_pair_of_years_is_tested_on_its_own_respondents() -> None:
    found = by_year().test(base="unweighted", pooled=False)
    frame = found.to_frame().set_index(["row", "column", "other"])
    assert len(frame) == 2 * 3
    for row, answer in (("Television", "b5_2"), ("Short videos", "b5_11")):
        (p, n), (q, m) = counted(answer, "2023"), counted(answer, "2025")
        found = frame.loc[(row, "2023", "2025")]
        assert found["difference"] == pytest.approx(100 * (p - q))
        assert found["z"] == pytest.approx((p - q) / np.sqrt(p * (1 - p) / n + q * (1 - q) / m))


def test_the_growing_figure_carries_the_letters_of_the_years_before() -> None:
    marks = by_year().test(levels=0.95).to_wide().loc["Short videos"].tolist()
    assert [mark.split()[1:] for mark in marks] == [[], ["A"], ["A", "B"]]


def test_everyone_is_a_total_of_years_all_the_same() -> None:
    comparison = by_year(EVERYONE).test()
    assert set(comparison.to_frame()["column"]) == {"2023", "2024"}
    assert "without Everyone" in comparison.method_note


def test_the_rest_of_a_year_are_the_other_requested_waves() -> None:
    table = by_year()
    frame = table.test(vs="rest").to_frame().query("column == '2025'").set_index("row")
    assert set(frame["note"]) == {""}
    sizes = table["size"].to_numpy(), table.to_wide("column_size").to_numpy()
    for row, answer in (("Television", 0), ("Short videos", 1)):
        shares = sizes[0][answer] / sizes[1][answer]
        assert np.sign(frame.loc[row, "z"]) == np.sign(shares[-1] - shares[:-1].mean())
