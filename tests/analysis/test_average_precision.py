"""Averages and moving averages are as sure as the same figures of a crosstab."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import audiencelab as al

SURE = ["standard_error", "degrees_of_freedom", "mean_low", "mean_high"]
MEDIANS = ["median_low", "median_high"]


@pytest.fixture(scope="module")
def client() -> Iterator[al.Client]:
    with al.connect(waves="latest 3") as client:
        yield client


def of_table(table: Any, level: float = 0.95) -> np.ndarray:
    """Standard errors, degrees of freedom, and both ends of the rows and columns of a table."""
    frame = table.intervals(level=level)
    frame = frame[frame["statistic"] != ""]
    freedom = np.array([np.diagonal(each)[1:] for each in table.statistics.freedom])
    ends = (frame["value_se"], freedom.ravel(), frame["value_low"], frame["value_high"])
    return np.array(ends, np.float64)


@pytest.mark.parametrize("level", [0.95, 0.9])
def test_averages_are_those_of_a_row_of_means(client: al.Client, level: float) -> None:
    stats = client.stats("Age", audiences="Gender", splitter="waves")
    frame = stats.averages(level=level)
    columns = [
        al.Q("waves").any(wave).named("w") & audience
        for wave in stats.segments
        for audience in client["Gender"].audiences()
    ]
    age = client["Age"]
    expected = of_table(client.crosstab([age.mean(), age.median()], columns), level)
    own, medians = np.split(expected, 2, axis=1)
    np.testing.assert_allclose(frame[SURE].T, own, rtol=1e-12)
    np.testing.assert_allclose(frame[MEDIANS].T, medians[2:], rtol=1e-12)
    assert "by the sample's design" in frame.attrs["method_note"]


def test_items_of_a_grid_have_the_errors_of_their_rows(client: al.Client) -> None:
    trust = client["Trust in sources"]
    amounts = {each.code: each.midpoint.value for each in trust.suffixes if each.midpoint}
    frame = client.grid("Trust in sources", audiences="Gender").averages(amounts)
    table: Any = client.crosstab([trust.mean()], "Gender")
    expected = of_table(table)
    np.testing.assert_allclose(frame[SURE].T, expected, rtol=1e-12)


def test_a_design_effect_has_the_classical_formula(client: al.Client) -> None:
    frame = client.stats("Age").averages(design=1.4)
    [line] = frame.to_dict("records")
    sample = line["answered_sample"]
    spread = line["standard_deviation"] * np.sqrt((sample - 1) / sample)
    error = spread * np.sqrt(1.4 / sample)
    assert line["standard_error"] == pytest.approx(error)
    assert np.isnan(line["median_low"])


def test_moving_averages_vary_as_columns_on_their_waves(client: al.Client) -> None:
    stats = client.stats("Finding brands", splitter="waves")
    frame = stats.moving_average(2).to_frame()
    first, second, third = stats.segments
    windows = [
        al.Q("waves").any(*each).named(each[1]) for each in ((first, second), (second, third))
    ]
    table = client.crosstab("Finding brands", windows)
    effects = client.design_effects(table)
    found: Any = effects.precision.linearised
    for column, wave in enumerate((second, third)):
        own = frame[frame["segment"] == wave]
        np.testing.assert_allclose(
            own["column_percentage_se"], effects.standard_errors[:, column], rtol=1e-9
        )
        np.testing.assert_array_equal(own["degrees_of_freedom"], found.freedom[:, column])
    lines = frame[frame["segment"] == third]
    apart = np.sqrt(found.pooled[:, 1, 0])
    np.testing.assert_allclose(lines["change_se"], 100 * apart, rtol=1e-12)
    alone = np.sqrt(found.variance.sum(axis=1))
    assert (apart < 0.8 * alone).all()
    assert lines["change_p"].between(0, 1).all()


def test_moving_averages_of_a_foreign_service_count_the_waves_they_share(
    client: al.Client,
) -> None:
    stats = replace(client.stats("Finding brands", splitter="waves"), ask=None)
    frame = stats.moving_average(2).to_frame()
    assert "design unknown" in frame.attrs["method_note"]
    own, before = (frame[frame["segment"] == each] for each in stats.segments[:0:-1])
    people = [each["column_sample"].to_numpy(float) for each in (own, before)]
    answered = [each["column_percentage"].to_numpy(float) / 100 for each in (own, before)]
    rows = stats.to_frame()
    both = rows.loc[rows["segment"] == stats.segments[1], "column_sample"].to_numpy(float)
    share = (people[0] * answered[0] + people[1] * answered[1]) / (people[0] + people[1])
    parts = 1 / people[0] + 1 / people[1] - 2 * both / people[0] / people[1]
    expected = 100 * np.sqrt(share * (1 - share) * parts)
    np.testing.assert_allclose(own["change_se"].to_numpy(float), expected, rtol=1e-9)


FIGURES = ["mean", "other_mean", "difference", "standard_error", "degrees_of_freedom", "p"]


def test_tests_of_averages_are_those_of_a_row_of_means(client: al.Client) -> None:
    age, genders = client["Age"], client["Gender"].audiences()
    found = client.stats("Age", audiences=genders).test(midpoints=age)
    expected: Any = client.crosstab([age.mean()], genders).test().statistics
    frames = [each.to_frame()[FIGURES].to_numpy(float) for each in (found, expected)]
    np.testing.assert_allclose(*frames, rtol=1e-9)
    assert "linearised standard errors" in found.method_note


def test_items_of_a_grid_are_tested_as_their_rows(client: al.Client) -> None:
    trust, genders = client["Trust in sources"], client["Gender"].audiences()
    amounts = {each.code: each.midpoint.value for each in trust.suffixes if each.midpoint}
    found = client.grid("Trust in sources", audiences=genders).test(amounts)
    expected: Any = client.crosstab([trust.mean()], genders).test().statistics
    frames = [each.to_frame()[FIGURES].to_numpy(float) for each in (found, expected)]
    np.testing.assert_allclose(*frames, rtol=1e-9)


def test_a_mean_is_tested_against_the_wave_before(client: al.Client) -> None:
    age, genders = client["Age"], client["Gender"].audiences()[:2]
    stats = client.stats("Age", audiences=genders, splitter="waves")
    found = stats.test("previous wave", midpoints=age)
    frame = found.to_frame()
    assert frame["audience_name"].tolist() == ["Male"] * 2 + ["Female"] * 2
    for gender in genders:
        columns = [al.Q("waves").any(wave).named(wave) & gender for wave in stats.segments]
        pairs: Any = client.crosstab([age.mean()], columns).test().statistics
        apart = pairs.to_frame().iloc[[0, 2]]
        own = frame[frame["audience_name"] == gender.name]
        np.testing.assert_allclose(own["standard_error"], apart["standard_error"], rtol=1e-9)
        np.testing.assert_allclose(own["difference"], -apart["difference"], rtol=1e-9)
    assert found.to_wide().shape == (2, 3)
    whole = client.stats("Age", splitter="waves").test("previous wave", midpoints=age, design=1.5)
    assert whole.to_frame()["p"].notna().all()
