"""Figures do not depend on how a query is written, on caches, on threads or on stripes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.engine import CrosstabSpec, Engine
from audiencelab.engine.masks import MaskCache
from audiencelab.engine.tabulator import stripe_bounds
from audiencelab.expressions import And, Audience, Expression, Leaf, Or, Q
from audiencelab.schema.scope import Scope
from tests.engine.studies import Study

WOMEN = Q("q2").any("q2_2")
YOUNG = Q("q4").any("q4_1", "q4_2")
DRINKS = tuple(Q("q9").any(f"q9_{place}") for place in range(1, 7))
SIDES = ("base", "row", "column", "intersect")


@pytest.fixture
def engine(studies: list[Study]) -> Engine:
    return Engine(studies[0].survey)


def figures(engine: Engine, spec: CrosstabSpec) -> list[bytes]:
    """Every size and sample, to the last bit, however the table was cut into stripes."""
    stripes = list(engine.crosstab(spec))
    arrays = [
        np.concatenate([getattr(getattr(stripe, side), of) for stripe in stripes])
        for side in SIDES
        for of in ("size", "sample")
    ]
    return [array.tobytes() for array in arrays]


@pytest.mark.parametrize(
    ("written", "also"),
    [
        (WOMEN & YOUNG, YOUNG & WOMEN),
        (Leaf("q4", ("q4_2", "q4_1")), Leaf("core.q4", ("q4_1", "q4_2", "q4_1"))),
        (And((WOMEN,)), Or((WOMEN, WOMEN))),
        (Q("q4").any(), Q("q4").any(*(f"q4_{place}" for place in range(1, 6)))),
        (~(~YOUNG), YOUNG),
    ],
)
def test_equal_expressions_have_the_same_figures_however_they_are_written(
    engine: Engine, written: Expression, also: Expression
) -> None:
    one, other = (CrosstabSpec((each,), (each, ~WOMEN, None)) for each in (written, also))
    together = CrosstabSpec((written, also), (written, ~WOMEN, None))
    expected = figures(engine, one)
    assert figures(engine, other) == expected
    assert [
        each[: len(of)] for each, of in zip(figures(engine, together), expected, strict=True)
    ] == expected


def test_an_edited_query_has_the_figures_of_a_new_one(engine: Engine, studies: list[Study]) -> None:
    """What is remembered of one query serves the next."""
    waves = ("q1_2023", "q2_2023")
    columns = (None, *(Q("waves").any(code) for code in waves))
    for rows, shown in (
        ((WOMEN, YOUNG), columns),
        ((WOMEN, YOUNG & WOMEN, None), columns),
        ((WOMEN, WOMEN, YOUNG), (YOUNG, YOUNG | YOUNG)),
        ((WOMEN, YOUNG), columns),
    ):
        spec = CrosstabSpec(rows, shown, Scope(waves=waves))
        assert figures(engine, spec) == figures(Engine(studies[0].survey), spec)


def test_the_cache_forgets_the_least_recently_used_and_keeps_no_mask_above_its_limit() -> None:
    cache = MaskCache(limit=32)
    masks = {name: np.full(2, place, np.uint64) for place, name in enumerate("abc")}
    cache.put("a", masks["a"])
    cache.put("b", masks["b"])
    assert cache.get("a") is masks["a"]
    cache.put("c", masks["c"])
    assert cache.get("b") is None
    assert cache.get("a") is masks["a"]
    # Of two threads that make a mask, both hold the first.
    assert cache.put("a", np.zeros(2, np.uint64)) is masks["a"]
    assert cache.put("large", large := np.zeros(5, np.uint64)) is large
    assert (cache.get("large"), cache.bytes_held, len(cache)) == (None, 32, 2)


def test_many_threads_get_the_same_table(studies: list[Study]) -> None:
    engine = Engine(studies[1].survey, cache_bytes=2000)
    spec = CrosstabSpec(
        (WOMEN, YOUNG, ~WOMEN | YOUNG), (YOUNG, ~YOUNG), Scope(Audience(Q("q9").any()))
    )
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: figures(engine, spec), range(40)))
    assert all(each == found[0] for each in found)


def test_stripes_grow_and_a_small_rest_or_table_is_no_stripe_of_its_own() -> None:
    grown = [(0, 9), (9, 45), (45, 173), (173, 301), (301, 400)]
    assert list(stripe_bounds(1_000_000, 400, 200)) == grown
    assert list(stripe_bounds(1_000_000, 200, 200)) == [(0, 9), (9, 45), (45, 200)]
    assert list(stripe_bounds(1_000_000, 12, 200)) == [(0, 12)]
    assert list(stripe_bounds(1_000_000, 20, 20)) == [(0, 20)]
    assert list(stripe_bounds(1_000, 400, 20)) == [(0, 128), (128, 256), (256, 400)]


@given(st.integers(0, 5_000), st.integers(0, 3_000), st.integers(0, 3_000))
def test_stripes_cover_every_row_once(respondents: int, rows: int, columns: int) -> None:
    bounds = list(stripe_bounds(respondents, rows, columns))
    assert [row for start, stop in bounds for row in range(start, stop)] == list(range(rows))


def test_a_stripe_whose_rows_no_wave_of_the_base_covers_is_zeros(engine: Engine) -> None:
    waves = ("q4_2022", "q4_2023")
    first, last = (Q("waves").any(code) for code in waves)
    rows = (first,) * 128 + (last,) * 128
    stripes = list(
        engine.crosstab(CrosstabSpec(rows, (None,), scope=Scope(Audience(first), waves=waves)))
    )
    assert len(stripes) > 1
    sizes = np.concatenate([stripe.intersect.size for stripe in stripes])
    assert sizes[:128].all()
    assert not sizes[128:].any()
