"""A small part of the gate of precision, its bounds wider by the error of so few tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import audiencelab as al
from tests.analysis.gate import DESIGNS, ROWS, Items, People, items_of, people_of, scores_of
from tests.analysis.gate_rates import (
    Asking,
    any_corrected,
    any_standout,
    asked_of,
    build,
    measure,
    p_values,
    r_finds,
)

SURVEYS, TABLES = 2, 4
ERRORS = 2.0
"""By how many standard errors of so few tables the bounds are wider."""


@pytest.mark.parametrize("name", DESIGNS)
def test_rates_are_within_their_bounds(name: str) -> None:
    assert measure(name, SURVEYS, TABLES).misses(ERRORS) == []


class Planted(NamedTuple):
    """A survey with items that are raised in one column, the later ones more."""

    asking: Asking
    people: People
    items: Items

    def table(self, number: int) -> al.CrosstabResult:
        return self.asking.shares("raised", range(number * ROWS, (number + 1) * ROWS))


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planted]:
    drawn, random = DESIGNS["strata, clusters, weights"], np.random.default_rng(20261130)
    people = people_of(drawn, random)
    items = items_of(drawn, people, random, 6 * ROWS, np.linspace(0, 0.15, 6 * ROWS))
    folder: Path = tmp_path_factory.mktemp("gate") / "survey"
    survey = build(folder, drawn, people, {"raised": items}, scores_of(drawn, people, random, 1))
    with asked_of(survey, drawn) as asking:
        yield Planted(asking, people, items)


@pytest.mark.parametrize("correction", ["bonferroni", "holm"])
def test_tables_are_corrected_as_a_test_of_each_corrects(correction: Any, planted: Planted) -> None:
    whole = planted.asking.shares("raised", range(len(planted.items.truth)))
    tables = [planted.table(number) for number in range(len(whole.rows) // ROWS)]
    for vs in ("columns", "rest"):
        each = [t.test(vs, correction=correction, family="table", levels=0.95) for t in tables]
        found = [bool(one.to_frame()["level"].notna().any()) for one in each]
        assert any_corrected(p_values(whole.test(vs), whole)).tolist() == found
        assert 0 < sum(found) < len(found)


def test_tables_have_the_standouts_that_each_has(planted: Planted) -> None:
    whole = planted.asking.shares("raised", range(len(planted.items.truth)))
    tables = [planted.table(number) for number in range(len(whole.rows) // ROWS)]
    found = [bool(len(table.standouts())) for table in tables]
    assert any_standout(whole, p_values(whole.test("rest"), whole)).tolist() == found
    assert 0 < sum(found) < len(found)


def test_planted_rows_are_set_beside_the_unpooled_test(planted: Planted) -> None:
    whole = planted.asking.shares("raised", range(len(planted.items.truth)))
    frame = whole.test("rest", pooled=False).to_frame()
    place = np.arange(whole.shape[0]) * whole.shape[1] + planted.items.raised
    ours = (frame["p"] < 0.05) & (frame["difference"] > 0)
    assert r_finds(planted.people, planted.items).tolist() == ours[place].tolist()
