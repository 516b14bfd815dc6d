"""Quantipy's own tables of its example survey: weighted counts, nets, letters and averages.

The figures are those of a workbook that the program itself wrote and its authors keep among their
tests (github.com/Quantipy/quantipy3, tests/complex_0.xlsx, sheet "Main"): "how likely are you to
go surfing" by `weight_a`, for everyone, by gender within "sports with the household" (A to D), and
by wave within each of these four (E to X). They stand in `quantipy_q5_1.csv`, a line for each
answer, each net ("1+2"), and each figure that is taken of them; codes 97 and 98 count as numbers
there, which makes no sense and is a fine test.

Its recipe for letters is SPSS Dimensions': pooled, on effective bases (Kish), two-sided, within
each group of columns; "level 0.8" is a p-value below 0.8.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from audiencelab import Audience, Client, Q, connect
from audiencelab.ingest import import_survey
from audiencelab.tables import CrosstabResult
from audiencelab.tables.comparison import Comparison
from tests.surveys.quantipy import SOURCES, make_quantipy_codebook

PUBLISHED = Path(__file__).with_name("quantipy_q5_1.csv")
ITEM, ANSWERS = "q5_1", ("1", "2", "3", "4", "5", "97", "98")
WAVES = [f"w{wave}" for wave in range(1, 6)]
GROUPS = ("AB", "CD", "EFGHI", "JKLMN", "OPQRS", "TUVWX")
NAMES = ("total", *"".join(GROUPS))


class Published:
    """The tables as they were published: a line by its name, over all 25 columns."""

    def __init__(self) -> None:
        with PUBLISHED.open(encoding="utf-8", newline="") as file:
            heads, *lines = csv.reader(file)
        assert tuple(heads[2:]) == NAMES
        self._lines = {(line[0], line[1]): line[2:] for line in lines}
        self.tested = [name for name, what in self._lines if what == "letters" and name != "mean"]

    def figures(self, name: str) -> NDArray[np.float64]:
        return np.array(self._lines[name, "figure"], dtype=np.float64)

    def letters(self, name: str, column: str) -> str:
        return "".join(sorted(self._lines[name, "letters"][NAMES.index(column)].split(".")))


@pytest.fixture(scope="module")
def published() -> Published:
    return Published()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("quantipy") / "weight_a"
    survey = import_survey(SOURCES, make_quantipy_codebook("weight_a"), folder)
    with connect(survey=survey) as client:
        yield client


def columns() -> dict[str, Audience]:
    """The columns by the letter they are published under."""
    four = [
        Q("q4").any(f"q4_{sports}") & Q("gender").any(f"gender_{gender}")
        for sports in (1, 2)
        for gender in (1, 2)
    ]
    by_wave = [group & Q("waves").any(wave) for group in four for wave in WAVES]
    made = zip(NAMES, [None, *four, *by_wave], strict=True)
    return {name: Audience(name, expression) for name, expression in made}


def answered(*codes: str) -> Audience:
    return Audience("+".join(codes), Q("q5", suffixes=codes).any(ITEM))


def test_every_weighted_count_and_net_is_reproduced(client: Client, published: Published) -> None:
    rows = [answered(*name.split("+")) for name in published.tested]
    table = client.crosstab(rows=rows, columns=list(columns().values()), waves=WAVES)
    # A size is an average over the waves that a cell rests on: five, or the one of its column.
    waves = np.array([5] * 5 + [1] * 20)
    assert table.values("column_sample")[0].tolist() == published.figures("respondents").tolist()
    bases = waves * table.values("column_size")[0]
    assert bases == pytest.approx(published.figures("base"), rel=1e-9)
    for row, name in enumerate(published.tested):
        counts = waves * table.values("size")[row]
        assert counts == pytest.approx(published.figures(name), rel=1e-8), name


def test_every_effective_base_is_reproduced(client: Client, published: Published) -> None:
    table = client.crosstab(rows=[answered("1")], columns=list(columns().values()), waves=WAVES)
    effects = client.design_effects(table, "kish").effects[0]
    bases = table.values("column_sample")[0] / effects
    assert bases == pytest.approx(published.figures("effective base"), rel=1e-9)


def test_a_difference_of_subtotals_is_reproduced(client: Client, published: Published) -> None:
    rows = [answered("4", "5"), answered("1", "2")]
    table = client.crosstab(rows=rows, columns=list(columns().values()), waves=WAVES)
    likely, unlikely = table.values("column_percentage")
    score = 100 * published.figures("4+5-1-2") / published.figures("base")
    assert likely - unlikely == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize("group", GROUPS)
def test_every_letter_is_reproduced(client: Client, published: Published, group: str) -> None:
    table = nets_by(client, published, group)
    effects = client.design_effects(table, "kish")
    marks = marks_below(table.test(pooled=True, design=effects), 0.8)
    found = {
        (name, column): "".join(group[smaller] for smaller in marks[row, place])
        for row, name in enumerate(published.tested)
        for place, column in enumerate(group)
    }
    assert found == {key: published.letters(*key) for key in found}
    assert any(found.values())


def marks_below(comparison: Comparison, p: float) -> dict[tuple[int, int], list[int]]:
    """By row and column, the smaller columns of pairs with such a p-value: of no level of ours."""
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    outcome = comparison.outcome
    for row, test in zip(*np.nonzero(outcome.p_adjusted < p), strict=True):
        pair = int(comparison.column[row, test]), int(comparison.other[row, test])
        larger, smaller = pair if outcome.difference[row, test] > 0 else pair[::-1]
        found[int(row), larger].append(smaller)
    return defaultdict(list, {cell: sorted(columns) for cell, columns in found.items()})


def nets_by(client: Client, published: Published, group: str) -> CrosstabResult:
    rows = [answered(*name.split("+")) for name in published.tested]
    return client.crosstab(rows=rows, columns=[columns()[name] for name in group], waves=WAVES)


def averages(client: Client, names: Any = NAMES, **options: Any) -> pd.DataFrame:
    audiences = [columns()[name] for name in names]
    grid = client.grid("q5", datapoints=[ITEM], audiences=audiences, waves=WAVES)
    return grid.averages({code: float(code) for code in ANSWERS}, **options)


def test_means_medians_and_deviations_are_reproduced(client: Client, published: Published) -> None:
    frame, base = averages(client), published.figures("base")
    assert frame["mean"].to_numpy() == pytest.approx(published.figures("mean"), abs=1e-8)
    assert frame["median"].tolist() == published.figures("median").tolist()
    # Quantipy divides by the weighted base less one, and we by (n - 1) ÷ n of it, as R's svyvar.
    sample = frame["answered_sample"].to_numpy()
    factor = np.sqrt((sample - 1) / sample * base / (base - 1))
    ours = frame["standard_deviation"].to_numpy() * factor
    assert ours == pytest.approx(published.figures("standard deviation"), rel=1e-9)


@pytest.mark.parametrize("group", GROUPS)
def test_every_letter_of_the_means_is_reproduced(
    client: Client, published: Published, group: str
) -> None:
    """Student's t test on effective bases, at a p-value below 0.8 again."""
    audiences = [columns()[name] for name in group]
    grid = client.grid("q5", datapoints=[ITEM], audiences=audiences, waves=WAVES)
    effects = published.figures("respondents") / published.figures("effective base")
    comparison = grid.test(
        {code: float(code) for code in ANSWERS},
        pooled=True,
        design=[effects[NAMES.index(name)] for name in group],
    )
    marks = marks_below(comparison, 0.8)
    found = {
        column: "".join(group[smaller] for smaller in marks[0, place])
        for place, column in enumerate(group)
    }
    assert found == {column: published.letters("mean", column) for column in group}
    assert any(found.values())


@pytest.mark.parametrize("column", ["total", "A", "E", "X"])
def test_a_standard_error_over_the_weighted_base_is_an_option(
    client: Client, published: Published, column: str
) -> None:
    place = NAMES.index(column)
    respondents, base = (published.figures(name)[place] for name in ("respondents", "base"))
    frame = averages(client, [column], design=respondents / (base - 1))
    assert frame["standard_error"][0] == pytest.approx(
        published.figures("standard error")[place], rel=1e-9
    )
