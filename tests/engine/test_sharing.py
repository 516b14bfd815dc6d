"""Masks are made once and shared, the cache keeps its bounds, and neither changes a figure."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from audiencelab.engine import CrosstabSpec, Engine, binder, codes, tabulator
from audiencelab.engine.masks import MaskCache, Masks
from audiencelab.engine.tabulator import stripe_bounds
from audiencelab.expressions import And, Leaf, Or, Q
from tests.engine.studies import Study

WOMEN = Q("q2").any("q2_2")
YOUNG = Q("q4").any("q4_1", "q4_2")


@pytest.fixture
def engine(studies: list[Study]) -> Engine:
    return Engine(studies[0].survey)


def masks_of(engine: Engine) -> Masks:
    assert isinstance(engine._tabulator, tabulator.LocalTabulator)
    return engine._tabulator.masks


def sums(engine: Engine, spec: CrosstabSpec) -> list[np.ndarray]:
    return [stripe.intersect.size for stripe in engine.crosstab(spec)]


def test_equal_expressions_share_one_key_however_they_are_written(engine: Engine) -> None:
    def key(expression) -> bytes:
        return engine._binder.bind(expression).key

    assert key(WOMEN & YOUNG) == key(YOUNG & WOMEN)
    assert key(Leaf("q4", ("q4_2", "q4_1"))) == key(Leaf("core.q4", ("q4_1", "q4_2", "q4_1")))
    assert key(And((WOMEN,))) == key(WOMEN) == key(Or((WOMEN, WOMEN)))
    every = tuple(f"q4_{place}" for place in range(1, 6))
    assert key(Q("q4").any()) == key(Q("q4").any(*every))


def test_different_expressions_never_share_a_key(engine: Engine) -> None:
    different = [
        WOMEN,
        ~WOMEN,
        YOUNG,
        WOMEN & YOUNG,
        WOMEN | YOUNG,
        ~(WOMEN & YOUNG),
        Q("q4").all("q4_1", "q4_2"),
        Q("q20").any("q20_1"),
        Q("q20", suffixes=[1]).any("q20_1"),
        Q("q20", suffixes=[1, 2]).any("q20_1"),
        Q("waves").any("q4_2022"),
        ~Q("waves").any("q4_2022"),
    ]
    assert len({engine._binder.bind(each).key for each in different}) == len(different)


def test_a_mask_is_evaluated_once_for_a_wave(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    masks, seen = masks_of(engine), []
    evaluate = masks._evaluate

    def watched(node, position):
        seen.append((node.key, position))
        return evaluate(node, position)

    monkeypatch.setattr(masks, "_evaluate", watched)
    spec = CrosstabSpec((WOMEN, WOMEN & YOUNG, ~YOUNG), (YOUNG, YOUNG & WOMEN), WOMEN)
    first = sums(engine, spec)
    # Young, both, not young × four waves; women are a single answer, whose mask the survey has.
    assert len(seen) == len(set(seen)) == 3 * 4
    assert np.array_equal(sums(engine, spec), first)
    assert len(seen) == 12


def test_audiences_that_share_leaves_cost_one_evaluation_of_each(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work grows with what is new in an audience, not with the number of audiences."""
    masks, seen = masks_of(engine), []
    evaluate = masks._evaluate
    monkeypatch.setattr(
        masks, "_evaluate", lambda node, at: (seen.append(node.key), evaluate(node, at))[1]
    )
    ages = [Q("q4").any(f"q4_{age}", f"q4_{age + 1}") for age in range(1, 5)]
    media = [Q("q9").any(f"q9_{place}", f"q9_{place + 1}") for place in range(1, 6)]
    both = tuple(age & medium for age in ages for medium in media)
    sums(engine, CrosstabSpec(both, both, waves=("q1_2023",)))
    assert len(both) == 20
    assert len(seen) == len(both) + len(ages) + len(media)


def test_a_single_answer_takes_no_room_in_the_cache(engine: Engine) -> None:
    sums(engine, CrosstabSpec((WOMEN, Q("q9").any("q9_3")), (WOMEN,)))
    assert masks_of(engine).cache.bytes_held == 0


def test_padding_bits_are_clear_in_every_mask(engine: Engine) -> None:
    for node in (YOUNG, ~YOUNG, ~(YOUNG | WOMEN), ~(YOUNG & WOMEN), None):
        for place, wave in enumerate(engine.survey.waves):
            mask = masks_of(engine).of(engine._binder.bind(node), place)
            assert int(mask[-1]) >> (wave.respondents % 64) == 0


def test_masks_cannot_be_written_to(engine: Engine) -> None:
    mask = masks_of(engine).of(engine._binder.bind(YOUNG), 1)
    with pytest.raises(ValueError, match="read-only"):
        mask[0] = 0


def test_the_cache_forgets_the_least_recently_used() -> None:
    cache = MaskCache(limit=32)
    masks = {name: np.full(2, place, np.uint64) for place, name in enumerate("abc")}
    cache.put("a", masks["a"])
    cache.put("b", masks["b"])
    assert cache.get("a") is masks["a"]
    cache.put("c", masks["c"])
    assert cache.get("b") is None
    assert cache.get("a") is masks["a"]
    assert (cache.bytes_held, len(cache)) == (32, 2)


def test_a_mask_larger_than_the_cache_passes_through() -> None:
    cache = MaskCache(limit=8)
    mask = np.zeros(2, np.uint64)
    assert cache.put("a", mask) is mask
    assert (cache.get("a"), cache.bytes_held) == (None, 0)


def test_many_threads_get_the_same_table(studies: list[Study]) -> None:
    engine = Engine(studies[1].survey, cache_bytes=2000)
    spec = CrosstabSpec((WOMEN, YOUNG, ~WOMEN | YOUNG), (YOUNG, ~YOUNG), Q("q9").any())
    with ThreadPoolExecutor(8) as pool:
        tables_ = list(pool.map(lambda _: sums(engine, spec)[0].tobytes(), range(40)))
    assert len(set(tables_)) == 1
    assert masks_of(engine).cache.bytes_held <= 2000


def test_columns_taken_in_blocks_give_the_same_table(
    studies: list[Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = tuple(Q("q9").any(f"q9_{place}") for place in range(1, 7))
    spec = CrosstabSpec((WOMEN, YOUNG, None), columns, locations=("region_2",))
    held = sums(Engine(studies[0].survey), spec)
    monkeypatch.setattr(tabulator, "_HELD_COLUMN_BYTES", 64)
    assert np.array_equal(sums(Engine(studies[0].survey), spec), held)


def test_stripes_grow_and_cover_every_row_once() -> None:
    bounds = list(stripe_bounds(1_000_000, 400, 200))
    assert bounds == [(0, 8), (8, 40), (40, 168), (168, 296), (296, 400)]
    assert list(stripe_bounds(1_000_000, 0, 200)) == []


def test_a_small_rest_of_rows_is_no_stripe_of_its_own() -> None:
    assert list(stripe_bounds(1_000_000, 200, 200)) == [(0, 8), (8, 40), (40, 200)]
    assert list(stripe_bounds(1_000_000, 12, 200)) == [(0, 12)]


def test_a_small_table_is_one_stripe() -> None:
    assert list(stripe_bounds(1_000_000, 20, 20)) == [(0, 20)]
    assert list(stripe_bounds(1_000, 400, 20)) == [(0, 128), (128, 256), (256, 400)]


def test_stripes_change_no_figure(studies: list[Study]) -> None:
    rows = tuple(
        Q("q9").any(f"q9_{place}") & Q("q4").any(f"q4_{age}")
        for place in range(1, 7)
        for age in range(1, 6)
    )
    engine = Engine(studies[2].survey)
    together = np.concatenate(sums(engine, CrosstabSpec(rows, (WOMEN, None))))
    alone = [sums(engine, CrosstabSpec((row,), (WOMEN, None)))[0] for row in rows]
    assert np.array_equal(together, np.concatenate(alone))


def test_of_two_threads_that_make_a_mask_both_hold_the_first() -> None:
    cache = MaskCache(limit=32)
    first = cache.put("a", np.zeros(2, np.uint64))
    assert cache.put("a", np.zeros(2, np.uint64)) is first
    assert cache.bytes_held == 16


def test_conditions_that_are_forgotten_again_change_no_figure(
    studies: list[Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tuple(Q("q9").any(f"q9_{place}") for place in range(1, 7))
    spec = CrosstabSpec(rows, (WOMEN, YOUNG))
    expected = sums(Engine(studies[0].survey), spec)
    monkeypatch.setattr(binder, "_REMEMBERED", 2)
    monkeypatch.setattr(codes, "_REMEMBERED", 2)
    engine = Engine(studies[0].survey)
    assert np.array_equal(sums(engine, spec), expected)
    assert len(engine._binder._bound) <= 2
    assert len(engine.codes._valid) <= 2


def test_a_stripe_whose_rows_no_wave_of_the_base_covers_is_zeros(engine: Engine) -> None:
    waves = ("q4_2022", "q4_2023")
    first, last = (Q("waves").any(code) for code in waves)
    rows = (first,) * 128 + (last,) * 128
    stripes = sums(engine, CrosstabSpec(rows, (None,), base=first, waves=waves))
    assert [len(stripe) for stripe in stripes] == [128, 128]
    assert stripes[0].all()
    assert not stripes[1].any()
