"""Packed operations against the same operations on plain booleans."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiencelab.engine.bitset import MaskCompactor, full_mask, hold_at_least, pad_weights
from audiencelab.engine.kernel import pair_tables
from audiencelab.survey.answers import pack, unpack

shares = st.sampled_from([0.0, 0.01, 0.1, 0.34, 0.5, 0.9, 1.0])
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("respondents", [1, 63, 64, 65, 128, 1000])
def test_the_full_mask_is_everyone(respondents: int) -> None:
    assert np.array_equal(full_mask(respondents), pack(np.ones(respondents, bool)))


@given(st.integers(1, 9), st.integers(1, 200), st.integers(0, 10), seeds)
def test_at_least_counts_like_a_sum(masks: int, respondents: int, count: int, seed: int) -> None:
    flags = np.random.default_rng(seed).random((masks, respondents)) < 0.5
    wanted = pack(flags.sum(axis=0) >= max(count, 1))
    assert np.array_equal(hold_at_least(count, list(pack(flags))), wanted)


def test_padded_weights_are_at_their_bits() -> None:
    padded = pad_weights(np.arange(1.0, 71.0), 2)
    assert padded.shape == (2, 64)
    assert padded[1, :7].tolist() == [65.0, 66.0, 67.0, 68.0, 69.0, 70.0, 0.0]


@settings(max_examples=80)
@given(st.integers(0, 40), st.integers(0, 20), shares, seeds)
def test_compact_masks_hold_the_base_in_order_and_change_no_table(
    words: int, masks: int, share: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    base = random.random(words * 64) < share
    flags = random.random((masks, words * 64)) < 0.4
    weights = random.integers(1, 2**30, (words, 64)) / 2**20
    compactor = MaskCompactor(pack(base))
    found = compactor.masks(pack(flags))
    people = int(base.sum())
    assert compactor.respondents == people
    assert np.array_equal(compactor.base, full_mask(people))
    assert np.array_equal(unpack(found, people), flags[:, base])
    assert not (found & ~compactor.base).any()
    wide = pack(flags & base)
    expected = pair_tables(wide, wide[:5], weights)
    short = pair_tables(found, found[:5], compactor.weights(weights))
    assert [each.tobytes() for each in short] == [each.tobytes() for each in expected]
