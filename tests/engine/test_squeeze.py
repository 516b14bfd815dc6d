"""Squeezing keeps the base's respondents in order, and changes no count and no bit of a sum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiencelab.engine import CrosstabSpec, Engine, tabulator
from audiencelab.engine.bitset import MaskCompactor, full_mask
from audiencelab.engine.kernel import numpy_kernel, wait_for_compiled
from audiencelab.expressions import Q
from audiencelab.survey.answers import pack, unpack
from tests.engine.studies import Study

shares = st.sampled_from([0.0, 0.01, 0.1, 0.34, 0.5, 0.9, 1.0])
seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=80)
@given(st.integers(1, 40), st.integers(0, 20), shares, seeds)
def test_the_bits_of_the_base_stand_side_by_side(
    words: int, masks: int, share: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    base = random.random(words * 64) < share
    flags = random.random((masks, words * 64)) < 0.5
    squeeze = MaskCompactor(pack(base))
    found = squeeze.masks(pack(flags))
    assert squeeze.respondents == base.sum()
    assert np.array_equal(squeeze.base, full_mask(int(base.sum())))
    assert np.array_equal(unpack(found, int(base.sum())), flags[:, base])
    assert not (found & ~squeeze.base).any()


@settings(max_examples=40)
@given(st.integers(1, 30), shares, seeds)
def test_a_table_of_squeezed_masks_is_the_table(words: int, share: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    base = pack(random.random(words * 64) < share)
    masks = pack(random.random((6, words * 64)) < 0.4) & base
    weights = random.integers(1, 2**30, (words, 64)) / 2**20
    squeeze = MaskCompactor(base)
    short, taken = squeeze.masks(masks), squeeze.weights(weights)
    for way in filter(None, (numpy_kernel, wait_for_compiled())):
        whole = way.pair_tables(masks[:4], masks[2:], weights)
        found = way.pair_tables(short[:4], short[2:], taken)
        assert np.array_equal(found[0], whole[0])
        assert found[1].tobytes() == whole[1].tobytes()


@pytest.mark.parametrize("worth", [-np.inf, np.inf])
def test_a_query_gives_the_same_bits_squeezed_or_not(
    studies: list[Study], worth: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tuple(Q("q9").any(f"q9_{place}") for place in range(1, 7))
    spec = CrosstabSpec(rows, (*rows, None), Q("q4").any("q4_1"), ("region_2", "region_3"))
    (expected,) = Engine(studies[1].survey).crosstab(spec)
    monkeypatch.setattr(tabulator, "_WORTH_COMPACTING", worth)
    (found,) = Engine(studies[1].survey).crosstab(spec)
    for side in ("base", "row", "column", "intersect"):
        for figure in ("size", "sample"):
            wanted = getattr(getattr(expected, side), figure)
            assert np.array_equal(getattr(getattr(found, side), figure), wanted)


def test_a_base_without_a_word_takes_masks_to_nothing() -> None:
    squeeze = MaskCompactor(np.zeros(0, np.uint64))
    assert squeeze.masks(np.zeros((3, 0), np.uint64)).shape == (3, 0)
    assert squeeze.respondents == 0
