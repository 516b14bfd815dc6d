"""Masks and totals are made once and shared, caches keep their bounds, and no figure changes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.engine import CrosstabSpec, Engine, binder, codes, tabulator
from audiencelab.engine.masks import MaskCache
from audiencelab.engine.tabulator import stripe_bounds
from audiencelab.expressions import And, Audience, Leaf, Or, Q
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


@pytest.fixture
def seen(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> list[tuple[bytes, int]]:
    """Key and wave of each mask that is evaluated."""
    masks, found = engine._masks, []
    evaluate = masks._evaluate
    monkeypatch.setattr(
        masks, "_evaluate", lambda node, at: (found.append((node.key, at)), evaluate(node, at))[1]
    )
    return found


def counted(monkeypatch: pytest.MonkeyPatch, name: str) -> list[tuple[int, ...]]:
    """How many masks each call of a kernel is given."""
    found: list[tuple[int, ...]] = []
    function: Callable[..., object] = getattr(tabulator, name)

    def watched(*given: np.ndarray) -> object:
        found.append(tuple(len(masks) for masks in given[:-1]))
        return function(*given)

    monkeypatch.setattr(tabulator, name, watched)
    return found


def test_equal_expressions_share_one_key_however_they_are_written(engine: Engine) -> None:
    def key(expression) -> bytes:
        return engine._binder.bind(expression).key

    assert key(WOMEN & YOUNG) == key(YOUNG & WOMEN)
    assert key(Leaf("q4", ("q4_2", "q4_1"))) == key(Leaf("core.q4", ("q4_1", "q4_2", "q4_1")))
    assert key(And((WOMEN,))) == key(WOMEN) == key(Or((WOMEN, WOMEN)))
    every = tuple(f"q4_{place}" for place in range(1, 6))
    assert key(Q("q4").any()) == key(Q("q4").any(*every))
    different = [
        *(WOMEN, ~WOMEN, YOUNG, WOMEN & YOUNG, WOMEN | YOUNG, ~(WOMEN & YOUNG)),
        Q("q4").all("q4_1", "q4_2"),
        *(Q("q20", suffixes=given).any("q20_1") for given in ([], [1], [1, 2])),
        *(Q("waves").any("q4_2022"), ~Q("waves").any("q4_2022")),
    ]
    assert len({key(each) for each in different}) == len(different)


def test_a_mask_is_evaluated_once_for_a_wave(engine: Engine, seen: list[tuple[bytes, int]]) -> None:
    spec = CrosstabSpec(
        (WOMEN, WOMEN & YOUNG, ~YOUNG), (YOUNG, YOUNG & WOMEN), Scope(Audience(WOMEN))
    )
    first = figures(engine, spec)
    # Young, both, not young × four waves; women are a single answer, whose mask the survey has.
    assert len(seen) == len(set(seen)) == 3 * 4
    assert figures(engine, spec) == first
    assert len(seen) == 12


def test_audiences_that_share_leaves_cost_one_evaluation_of_each(
    engine: Engine, seen: list[tuple[bytes, int]]
) -> None:
    """Work grows with what is new in an audience, not with the number of audiences."""
    ages = [Q("q4").any(f"q4_{age}", f"q4_{age + 1}") for age in range(1, 5)]
    media = [Q("q9").any(f"q9_{place}", f"q9_{place + 1}") for place in range(1, 6)]
    both = tuple(age & medium for age in ages for medium in media)
    figures(engine, CrosstabSpec(both, both, Scope(waves=("q1_2023",))))
    assert len(both) == 20
    assert len(seen) == len(both) + len(ages) + len(media)


def test_totals_that_an_edit_does_not_change_are_kept_and_equal_masks_counted_once(
    engine: Engine, studies: list[Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    waves = ("q1_2023", "q2_2023")
    columns = (None, *(Q("waves").any(code) for code in waves))
    totals, pairs = counted(monkeypatch, "totals"), counted(monkeypatch, "pair_tables")
    first = CrosstabSpec((WOMEN, YOUNG), columns, Scope(waves=waves))
    edited = CrosstabSpec((WOMEN, YOUNG & WOMEN, None), columns, Scope(waves=waves))
    alike = CrosstabSpec((WOMEN, WOMEN, YOUNG), (YOUNG, YOUNG | YOUNG), Scope(waves=waves))
    found = [figures(engine, spec) for spec in (first, edited, alike)]
    # In each of two waves: everyone and the rows of the first query (its columns are everyone),
    # the rows of the second, and nothing for the third, which has two rows and one column.
    assert totals == [(1,), (2,), (1,), (2,), (2,), (2,)]
    assert pairs == [(2, 1)] * 2
    monkeypatch.setattr(tabulator, "_REMEMBERED", 0)
    assert found == [figures(Engine(studies[0].survey), s) for s in (first, edited, alike)]


def test_a_single_answer_takes_no_room_in_the_cache(engine: Engine) -> None:
    figures(engine, CrosstabSpec((WOMEN, Q("q9").any("q9_3")), (WOMEN,)))
    assert engine._masks.cache.bytes_held == 0


def test_masks_are_read_only_and_their_padding_is_clear(engine: Engine) -> None:
    for node in (YOUNG, ~YOUNG, ~(YOUNG | WOMEN), ~(YOUNG & WOMEN), None):
        for place, wave in enumerate(engine.survey.waves):
            mask = engine._masks.of(engine._binder.bind(node), place)
            assert int(mask[-1]) >> (wave.respondents % 64) == 0
            with pytest.raises(ValueError, match="read-only"):
                mask[0] = 0


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
    assert engine._masks.cache.bytes_held <= 2000


@pytest.mark.parametrize(
    "setting",
    [
        (tabulator, "_HELD_COLUMN_BYTES", 64),
        (tabulator, "_WORTH_COMPACTING", -np.inf),
        (tabulator, "_WORTH_COMPACTING", np.inf),
        (tabulator, "_ONE_STRIPE_BITS", 0),
        (tabulator, "_FEW", 0),
        (tabulator, "_FEW", 1_000),
        (binder, "_REMEMBERED", 2),
        (codes, "_REMEMBERED", 2),
    ],
    ids=lambda setting: f"{setting[0].__name__}.{setting[1]}={setting[2]}",
)
def test_no_bound_changes_a_bit(
    studies: list[Study], setting: tuple[object, str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tuple(drink & Q("q4").any(f"q4_{age}") for drink in DRINKS for age in range(1, 6))
    spec = CrosstabSpec(
        (*rows, None),
        (*DRINKS, WOMEN, None),
        Scope(Audience(Q("q4").any("q4_1", "q4_3")), locations=("region_2", "region_3")),
    )
    expected = figures(Engine(studies[1].survey), spec)
    monkeypatch.setattr(*setting)
    engine = Engine(studies[1].survey)
    assert figures(engine, spec) == expected
    kept = {binder: engine._binder._bound, codes: engine.codes._valid}.get(setting[0], ())
    assert len(kept) <= 2


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
