"""Ranges of numbers: every cell of random surveys, counted respondent by respondent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import reduce
from math import inf, nan
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from audiencelab.engine import CrosstabSpec, Engine
from audiencelab.engine.distributed.partitions import (
    PartialTable,
    Partition,
    SpreadTabulator,
    TableQuery,
    partial_table,
)
from audiencelab.expressions import Expression, NumberRange, Q, number_range
from audiencelab.schema.scope import BaseOf, Scope
from audiencelab.survey import Answers, Survey, SurveyBuilder, SurveyCatalogue, SurveyWave
from audiencelab.survey.blocks import PIECE
from tests.messages import fails
from tests.survey.test_builder import question

Array = NDArray[Any]
CATALOGUE = SurveyCatalogue(
    questions=(
        question("where", "single", 1),
        question("n", "single", 3),
        question("sex", "single", 2),
    ),
    location_question="core.where",
)
COLUMNS = (None, Q("sex").any("sex_1"), ~Q("sex").any("sex_1"))


class People(NamedTuple):
    """Respondents of a wave; numbers: NaN for none. has: whether the wave keeps numbers."""

    weights: Array
    sex: Array
    answer: Array
    numbers: Array
    has: bool


def people(rng: np.random.Generator, size: int, has: bool) -> People:
    """Some were not asked, some gave no number, and some of these an answer off the scale."""
    asked, gave, refused = (rng.random(size) < share for share in (0.8, 0.7, 0.5))
    numbers = np.where(asked & gave, rng.integers(-20, 40, size) / rng.choice([1, 2]), nan)
    answer = np.where(np.isnan(numbers), np.where(asked & refused, 2, -1), numbers >= 10)
    weights, sex = rng.integers(0, 5, size) / 4, rng.integers(-1, 2, size)
    weights[0] = 1
    return People(weights, sex, answer.astype(int), numbers, has)


def built(folder: Path, waves: list[People]) -> Survey:
    with SurveyBuilder(folder, CATALOGUE) as builder:
        for at, wave in enumerate(waves, 1):
            day, where = date(2024, at, 1), np.zeros(len(wave.sex), int)
            answers = {"where": where, "n": Answers(wave.answer), "sex": Answers(wave.sex)}
            numbers = {"n": wave.numbers} if wave.has else {}
            builder.add_wave(
                SurveyWave(f"w{at}", "", day, day), wave.weights, answers, numbers=numbers
            )
        return builder.finish()


def ranges(rng: np.random.Generator) -> list[tuple[Expression, Callable[[Array], Array]]]:
    """Ranges with what numpy says of them; some ends are numbers that respondents gave."""
    found: list[tuple[Expression, Callable[[Array], Array]]] = []
    for inclusive in ("both", "left", "right", "neither"):
        low, high = np.sort(rng.choice(np.arange(-20, 40) / 2, 2, replace=False)).tolist()
        both = number_range("n", low, high, inclusive)
        lower = number_range("core.n", low, inf, inclusive)
        found += [
            (both, lambda x, of=(low, high, inclusive): inside(x, *of)),
            (~lower, lambda x, of=(low, inf, inclusive): ~inside(x, *of)),
        ]
    at = float(rng.integers(-20, 40))
    return [*found, (Q("n") == at, lambda x: x == at), (Q("n") != at, lambda x: x != at)]


def inside(numbers: Array, low: float, high: float, inclusive: str) -> Array:
    above = numbers >= low if inclusive in ("both", "left") else numbers > low
    return above & (numbers <= high if inclusive in ("both", "right") else numbers < high)


def counted(
    waves: list[People], row: Callable[[Array], Array], column: int, base_of: BaseOf
) -> list[float]:
    """Size and sample of base, row, column and both, by hand."""
    figures, used = np.zeros((4, 2)), [wave for wave in waves if wave.has]
    for wave in used:
        within = wave.weights > 0
        sex = [np.ones(len(wave.sex), bool), wave.sex == 0, wave.sex != 0][column]
        if base_of == "valid":
            within = within & ((wave.answer >= 0) | ~np.isnan(wave.numbers))
            within = within & (wave.sex >= 0 if column else True)
        rows = row(wave.numbers) & within
        for at, each in enumerate((within, rows, sex & within, rows & sex & within)):
            figures[at] += wave.weights[each].sum() / len(used), each.sum()
    return figures.ravel().tolist()


@pytest.mark.parametrize("base_of", get_args(BaseOf))
@pytest.mark.parametrize("seed", range(8))
def test_every_cell_is_the_count_by_hand(seed: int, base_of: BaseOf, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    waves = [people(rng, int(rng.integers(1, 200)), has=at != seed % 3) for at in range(3)]
    engine, asked = Engine(built(tmp_path / "survey", waves)), ranges(rng)
    spec = CrosstabSpec(tuple(each for each, _ in asked), COLUMNS, Scope(base_of=base_of))
    [stripe] = engine.crosstab(spec)
    for at, (_, row) in enumerate(asked):
        for column in range(3):
            sides = (stripe.base, stripe.row, stripe.column, stripe.intersect)
            found = [figure[at, column] for side in sides for figure in (side.size, side.sample)]
            assert found == counted(waves, row, column, base_of)


def test_parts_of_a_wave_add_up_to_the_whole(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    survey = built(tmp_path / "survey", [people(rng, 2 * PIECE + 100, has=True)])

    def total(parts: Sequence[Partition], query: TableQuery) -> PartialTable:
        assert len(parts) > 1
        return reduce(
            lambda one, other: one + other, (partial_table(part, query) for part in parts)
        )

    spread = Engine(survey, tabulator=SpreadTabulator(survey, total, respondents=PIECE))
    rows = tuple(each for each, _ in ranges(rng))
    [there] = spread.crosstab(CrosstabSpec(rows, COLUMNS, Scope(base_of="valid")))
    [here] = Engine(survey).crosstab(CrosstabSpec(rows, COLUMNS, Scope(base_of="valid")))
    assert np.array_equal(there.intersect.sample, here.intersect.sample)
    assert np.array_equal(there.base.size, here.base.size)


def test_a_range_is_refused_for_a_question_without_numbers(tmp_path: Path) -> None:
    engine = Engine(built(tmp_path / "survey", [people(np.random.default_rng(2), 9, True)]))
    spec = CrosstabSpec((NumberRange("sex", min=1),), (None,))
    with fails(LookupError):
        list(engine.crosstab(spec))
