"""The kernel: the same counts and sums as plain loops, exact in any order of blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiencelab.engine import kernel
from audiencelab.engine.bits import pad_weights
from tests.engine.test_bits import pack


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 300), st.integers(0, 2**32 - 1))
def test_pairs_are_what_loops_find(rows: int, columns: int, respondents: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    left = random.random((rows, respondents)) < 0.4
    right = random.random((columns, respondents)) < 0.6
    weights = random.integers(0, 10_000, respondents) / 16
    words = pack(left).shape[1]
    counts, sums = kernel.pair_tables(pack(left), pack(right), pad_weights(weights, words))
    for row in range(rows):
        for column in range(columns):
            both = left[row] & right[column]
            assert counts[row, column] == both.sum()
            assert sums[row, column] == weights[both].sum()


@pytest.mark.parametrize("budget", [1, 100_000, 1 << 30])
def test_block_length_changes_no_bit_of_any_sum(
    budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(3)
    flags = random.random((12, 20_000)) < 0.3
    # On a grid of 2^-20 with a total under 2^53 grid steps, as every panel's weights are.
    weights = random.integers(1, 2**34, 20_000) / 2**20
    masks = pack(flags)
    padded = pad_weights(weights, masks.shape[1])
    expected = kernel.pair_tables(masks, masks, padded)
    monkeypatch.setattr(kernel, "_UNPACKED_BYTES", budget)
    monkeypatch.setattr(kernel, "_COUNT_WORDS", max(1, budget % 97))
    found = kernel.pair_tables(masks, masks, padded)
    assert np.array_equal(found[0], expected[0])
    assert np.array_equal(found[1], expected[1])
    shuffled = random.permutation(masks.shape[1])
    turned = kernel.pair_tables(masks[:, shuffled], masks[:, shuffled], padded[shuffled])
    assert np.array_equal(turned[1], expected[1])


def test_no_words_give_zeros() -> None:
    nothing = np.zeros((2, 0), dtype=np.uint64)
    counts, sums = kernel.pair_tables(nothing, nothing, np.zeros((0, 64)))
    assert not counts.any()
    assert not sums.any()
