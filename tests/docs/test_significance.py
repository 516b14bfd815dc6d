"""What the page on significance says of errors and error rates is so, called as it says."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from tests.analysis.gate import (
    BOUNDS,
    DESIGNS,
    RATES,
    Flags,
    Floats,
    Items,
    People,
    items_of,
    people_of,
    scores_of,
)
from tests.analysis.gate_rates import asked_of, build, freedom
from tests.analysis.samples import survey

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "significance.md"
ROWS = 6


class Simulated(NamedTuple):
    """A table of a survey of the gate of precision, and its respondents."""

    table: al.CrosstabResult
    people: People
    items: Items

    def sides(self, row: int, first: int, second: int | None) -> tuple[Flags, Flags]:
        """Who is in a column, and in another, or in the rest of the base."""
        columns = self.people.columns & self.items.asked[:, [row]]
        if second is not None:
            return columns[:, first], columns[:, second]
        base = self.people.asked[:, first] & self.items.asked[:, row]
        return columns[:, first], base & ~columns[:, first]


@contextmanager
def simulated(name: str, folder: Path) -> Generator[Simulated]:
    """A survey of one of the designs of the gate."""
    design, random = DESIGNS[name], np.random.default_rng(12)
    people = people_of(design, random)
    items = items_of(design, people, random, ROWS)
    made = build(folder, design, people, {"row": items}, scores_of(design, people, random, 1))
    with asked_of(made, design) as asking:
        yield Simulated(asking.shares("row", range(ROWS)), people, items)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simulated]:
    folder = tmp_path_factory.mktemp("significance") / "survey"
    with simulated("strata, clusters, weights", folder) as found:
        yield found


@pytest.mark.parametrize("vs", ["columns", "rest"])
def test_pooled_errors_are_those_of_the_formula(vs: Any, drawn: Simulated) -> None:
    frame = drawn.table.test(vs).to_frame()
    expected = [
        100 * pooled_error(drawn, row, *drawn.sides(row, first, second))
        for row, first, second in lines_of(frame)
    ]
    np.testing.assert_allclose(frame["standard_error"], expected, rtol=1e-9)


@pytest.mark.parametrize("vs", ["columns", "rest"])
def test_unpooled_errors_and_freedom_are_those_of_the_design(vs: Any, drawn: Simulated) -> None:
    frame = drawn.table.test(vs, pooled=False).to_frame()
    sides = [(row, *drawn.sides(row, one, two)) for row, one, two in lines_of(frame)]
    expected = [100 * np.sqrt(variance(drawn.people, score(drawn, *each))) for each in sides]
    np.testing.assert_allclose(frame["standard_error"], expected, rtol=1e-9)
    degrees = [freedom_of(drawn.people, vs, one, two) for _, one, two in sides]
    assert frame["degrees_of_freedom"].tolist() == degrees


@pytest.mark.parametrize("vs", ["columns", "rest"])
def test_equal_weights_have_the_pooled_z_test_less_those_in_both(vs: Any, tmp_path: Path) -> None:
    with simulated("overlapping columns, rotated items", tmp_path / "survey") as drawn:
        frame = drawn.table.test(vs).to_frame()
    for line, (row, first, second) in zip(frame.itertuples(), lines_of(frame), strict=True):
        one, other = drawn.sides(row, first, second)
        n, m, both = one.sum(), other.sum(), (one & other).sum()
        y = drawn.items.chosen[:, row]
        share = ((y & one).sum() + (y & other).sum()) / (n + m)
        expected = np.sqrt(share * (1 - share) * (1 / n + 1 / m - 2 * both / (n * m)))
        assert line.standard_error == pytest.approx(100 * expected)


def lines_of(frame: pd.DataFrame) -> Iterator[tuple[int, int, int | None]]:
    """Row, column and other of each line, from 0; no other where it is the rest."""
    for row, column, other in zip(frame["row"], frame["column"], frame["other"], strict=True):
        second = None if other == "rest" else number(other)
        yield number(row), number(column), second


def number(name: str) -> int:
    return int(name.split()[-1]) - 1


def score(drawn: Simulated, row: int, one: Flags, other: Flags) -> Floats:
    """What each respondent adds to the difference of two shares."""
    y, found = drawn.items.chosen[:, row], np.zeros(len(one))
    for sign, side in ((1, one), (-1, other)):
        weights = drawn.people.weights * side
        share = weights @ y / weights.sum()
        found += sign * weights * (y - share) / weights.sum()
    return found


def variance(people: People, z: Floats) -> float:
    """V = Σ_h n_h ÷ (n_h − 1) Σ_c (z_hc − z̄_h)²."""
    frame = pd.DataFrame({"stratum": people.strata, "unit": people.units, "z": z})
    totals = frame.groupby(["stratum", "unit"])["z"].sum().groupby("stratum")
    return float((totals.var() * totals.size()).sum())


def freedom_of(people: People, vs: str, one: Flags, other: Flags) -> int:
    """Of a pair those of either column, against the rest those of the smaller side."""
    if vs == "columns":
        return freedom(people, one | other)
    return min(freedom(people, one), freedom(people, other))


def pooled_error(drawn: Simulated, row: int, one: Flags, other: Flags) -> float:
    """The formula of the page, letter by letter."""
    w, y = drawn.people.weights, drawn.items.chosen[:, row].astype(float)
    whole, rest = float(w @ one), float(w @ other)
    share = float((w * y) @ (one.astype(int) + other)) / (whole + rest)
    either = w**2 * (one | other)
    residual = either @ (y - share) ** 2 / either.sum()
    g = one / whole - other / rest
    evenly, own = residual * (w**2 @ g**2), w**2 @ (g * (y - share)) ** 2
    z = score(drawn, row, one, other)
    return float(np.sqrt(variance(drawn.people, z) / (z @ z) * max(evenly, own / 2)))


def test_a_test_of_few_against_many_is_right_by_the_pooled_error_only() -> None:
    """Of 30 respondents and 1,000, 8 in 100 differ by the unpooled error, 4 by the pooled."""
    random = np.random.default_rng(30)
    shares = np.stack([random.binomial(n, 0.1, 2_000) / n for n in (30, 1_000)], axis=1)
    table = survey((100 * shares).tolist(), [30, 1_000])
    found = [
        float((table.test(pooled=pooled, levels=0.95).to_frame()["level"] > 0).mean())
        for pooled in (False, True)
    ]
    assert found == pytest.approx([0.08, 0.04], abs=0.01)


def test_the_rates_on_the_page_are_within_the_bounds_of_the_gate() -> None:
    """`python -m tests.bench gate` prints them."""
    lines = re.findall(r"^\| (.+?) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    table = [line.split(" | ") for line in lines]
    header = next(line for line in table if line[0] == "sample")
    shown = {line[0]: line[1:] for line in table if line[0] in DESIGNS}
    assert list(shown) == list(DESIGNS)
    rates = {words: name for name, words in RATES.items()}
    for design, values in shown.items():
        bounds = {**BOUNDS, **dict(DESIGNS[design].bounds)}
        for words, value in zip(header[1:], values, strict=True):
            if rates[words] in bounds:
                least, most = bounds[rates[words]]
                assert least <= float(value.rstrip("%")) / 100 <= most, (design, words)
